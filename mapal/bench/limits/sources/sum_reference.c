/* The sum in the order of reduce. */
#include "reduce_order.h"

#define ITSELF(i) (x[i])
DEFINE_REDUCE(sum, (const REAL *x, long first, long count), ITSELF)

void run(void *const *inputs, void *const *outputs)
{
    static REAL value[MOST_BLOCKS];
    long blocks = (N + 4095) / 4096;
    for (long i = 0; i < blocks; i++)
        value[i] = sum_block(inputs[0], 4096 * i, N - 4096 * i < 4096 ? N - 4096 * i : 4096);
    *(REAL *)outputs[0] = block_tree(value, blocks);
}
