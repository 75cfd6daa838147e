/* A matrix times a vector as one writes it, for a compiler that may reorder sums. */
const double relative_tolerance = 1e-4;

void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict a = __builtin_assume_aligned(inputs[0], 64);
    const REAL *restrict x = __builtin_assume_aligned(inputs[1], 64);
    REAL *restrict y = outputs[0];
#pragma omp parallel for
    for (long row = 0; row < N; row++) {
        REAL sum = 0;
        for (long k = 0; k < N; k++)
            sum += a[row * N + k] * x[k];
        y[row] = sum;
    }
}
