/* The sum in the order that the language defines for reduce: blocks of 4096 elements in 64 lanes
 * each, a tree over the lanes, a tree over the blocks. */
#include <stdlib.h>

static REAL block(const REAL *x, long count)
{
    REAL lane[64];
    long width = count < 64 ? count : 64;
    for (long i = 0; i < width; i++)
        lane[i] = x[i];
    for (long i = width; i < count; i++)
        lane[i % 64] += x[i];
    while (width > 1) {
        long half = 1;
        while (half * 2 < width)
            half *= 2;
        for (long i = 0; i < width - half; i++)
            lane[i] += lane[i + half];
        width = half;
    }
    return lane[0];
}

void run(void *const *inputs, void *const *outputs)
{
    const REAL *x = inputs[0];
    long blocks = (N + 4095) / 4096;
    REAL *value = malloc((size_t)blocks * sizeof(REAL));
    for (long i = 0; i < blocks; i++)
        value[i] = block(x + 4096 * i, N - 4096 * i < 4096 ? N - 4096 * i : 4096);
    for (; blocks > 1; blocks = (blocks + 1) / 2)
        for (long i = 0; i < (blocks + 1) / 2; i++)
            value[i] = 2 * i + 1 < blocks ? value[2 * i] + value[2 * i + 1] : value[2 * i];
    *(REAL *)outputs[0] = value[0];
    free(value);
}
