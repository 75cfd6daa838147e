/* Rows with their mean taken away, divided by their spread, for a compiler that may reorder. */
#include <math.h>

const double relative_tolerance = 1e-4;

void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict rows = __builtin_assume_aligned(inputs[0], 64);
    REAL *restrict result = __builtin_assume_aligned(outputs[0], 64);
#pragma omp parallel for
    for (long row = 0; row < N; row++) {
        const REAL *restrict from = rows + row * N;
        REAL *restrict to = result + row * N;
        REAL mean = 0, variance = 0;
        for (long k = 0; k < N; k++)
            mean += from[k];
        mean /= N;
        for (long k = 0; k < N; k++)
            variance += (from[k] - mean) * (from[k] - mean);
        REAL spread = SQRT(variance / N + (REAL)0.00001);
        for (long k = 0; k < N; k++)
            to[k] = (from[k] - mean) / spread;
    }
}
