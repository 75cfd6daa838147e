/* A scaled vector plus another. */
const double relative_tolerance = 1e-6;

void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict x = __builtin_assume_aligned(inputs[0], 64);
    const REAL *restrict y = __builtin_assume_aligned(inputs[1], 64);
    REAL *restrict result = __builtin_assume_aligned(outputs[0], 64);
#pragma omp parallel for
    for (long i = 0; i < N; i++)
        result[i] = (REAL)2.53 * x[i] + y[i];
}
