/* A matrix times a vector, each row in the order of reduce. */
#include "reduce_order.h"

#define PRODUCT(i) (row[i] * x[i])
DEFINE_REDUCE(dot, (const REAL *row, const REAL *x, long first, long count), PRODUCT)

void run(void *const *inputs, void *const *outputs)
{
    static REAL value[MOST_BLOCKS];
    const REAL *a = inputs[0], *x = inputs[1];
    for (long row = 0; row < N; row++) {
        long blocks = (N + 4095) / 4096;
        for (long i = 0; i < blocks; i++)
            value[i] = dot_block(a + row * N, x, 4096 * i,
                                 N - 4096 * i < 4096 ? N - 4096 * i : 4096);
        ((REAL *)outputs[0])[row] = block_tree(value, blocks);
    }
}
