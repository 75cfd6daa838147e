/* A matrix times a vector: each row in as many sums as fill some vectors. */
#define SUMS 64

const double relative_tolerance = 1e-4;

void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict a = __builtin_assume_aligned(inputs[0], 64);
    const REAL *restrict x = __builtin_assume_aligned(inputs[1], 64);
    REAL *restrict y = outputs[0];
#pragma omp parallel for
    for (long row = 0; row < N; row++) {
        REAL sum[SUMS] = {0}, total = 0;
        for (long k = 0; k < N; k += SUMS)
            for (int i = 0; i < SUMS; i++)
                sum[i] += a[row * N + k + i] * x[k + i];
        for (int i = 0; i < SUMS; i++)
            total += sum[i];
        y[row] = total;
    }
}
