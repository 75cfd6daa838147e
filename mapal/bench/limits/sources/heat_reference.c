/* The scheme in the order of the program. */
#include <string.h>

static REAL heat[N * N], next[N * N];

void run(void *const *inputs, void *const *outputs)
{
    memcpy(heat, inputs[0], sizeof(heat));
    for (int i = 0; i < STEPS; i++) {
        memcpy(next, heat, sizeof(heat));
        for (long row = 1; row < N - 1; row++)
            for (long p = row * N + 1; p < row * N + N - 1; p++) {
                REAL around = heat[p - N] + heat[p + N] + heat[p - 1] + heat[p + 1];
                next[p] = heat[p] + (REAL)0.2 * (around - (REAL)4 * heat[p]);
            }
        memcpy(heat, next, sizeof(heat));
    }
    memcpy(outputs[0], heat, sizeof(heat));
}
