/* Two arrays read and one written, COUNT elements each, ROUNDS times: what a core moves. The
 * arrays are made and touched at the first call. */
#include <stdlib.h>

static double *memory;

void run(void *const *inputs, void *const *outputs)
{
    (void)inputs;
    (void)outputs;
    if (memory == NULL) {
        memory = aligned_alloc(64, 3 * COUNT * sizeof(double));
        if (memory == NULL)
            abort();
        for (long i = 0; i < 3 * COUNT; i++)
            memory[i] = (double)i;
    }
    double *restrict a = memory;
    const double *restrict b = memory + COUNT, *restrict c = memory + 2 * COUNT;
    for (int round = 0; round < ROUNDS; round++) {
        for (long i = 0; i < COUNT; i++)
            a[i] = b[i] + 1.5 * c[i];
        __asm__ volatile("" : : "r"(a) : "memory");
    }
}
