/* Seven elementwise operations in one loop. Near its zero the root makes much of a contraction. */
#include <math.h>

const double relative_tolerance = 1e-3;

void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict x = __builtin_assume_aligned(inputs[0], 64);
    const REAL *restrict y = __builtin_assume_aligned(inputs[1], 64);
    REAL *restrict result = __builtin_assume_aligned(outputs[0], 64);
#pragma omp parallel for
    for (long i = 0; i < N; i++) {
        REAL value = (x[i] * (REAL)1.7 + (REAL)0.3) * y[i] - (REAL)0.7;
        result[i] = SQRT(FABS(value)) + x[i];
    }
}
