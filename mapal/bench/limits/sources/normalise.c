/* Rows with their mean taken away, divided by their spread; sums in as many parts as fill some
 * vectors. */
#include <math.h>

#define SUMS 64

const double relative_tolerance = 1e-4;

void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict rows = __builtin_assume_aligned(inputs[0], 64);
    REAL *restrict result = __builtin_assume_aligned(outputs[0], 64);
#pragma omp parallel for
    for (long row = 0; row < N; row++) {
        const REAL *restrict from = rows + row * N;
        REAL *restrict to = result + row * N;
        REAL sum[SUMS] = {0}, squares[SUMS] = {0}, mean = 0, variance = 0;
        for (long k = 0; k < N; k += SUMS)
            for (int i = 0; i < SUMS; i++)
                sum[i] += from[k + i];
        for (int i = 0; i < SUMS; i++)
            mean += sum[i];
        mean /= N;
        for (long k = 0; k < N; k += SUMS)
            for (int i = 0; i < SUMS; i++)
                squares[i] += (from[k + i] - mean) * (from[k + i] - mean);
        for (int i = 0; i < SUMS; i++)
            variance += squares[i];
        REAL spread = SQRT(variance / N + (REAL)0.00001);
        for (long k = 0; k < N; k++)
            to[k] = (from[k] - mean) / spread;
    }
}
