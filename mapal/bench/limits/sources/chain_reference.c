/* Seven elementwise operations, rounded one by one. */
#include <math.h>

void run(void *const *inputs, void *const *outputs)
{
    const REAL *x = inputs[0], *y = inputs[1];
    REAL *result = outputs[0];
    for (long i = 0; i < N; i++) {
        REAL value = (x[i] * (REAL)1.7 + (REAL)0.3) * y[i] - (REAL)0.7;
        result[i] = SQRT(FABS(value)) + x[i];
    }
}
