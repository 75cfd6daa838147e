/* The rows in the order of the program. */
#include <math.h>

#include "reduce_order.h"

#define ITSELF(i) (row[i])
#define SQUARE(i) (row[i] * row[i])
DEFINE_REDUCE(sum, (const REAL *row, long first, long count), ITSELF)
DEFINE_REDUCE(squares, (const REAL *row, long first, long count), SQUARE)

void run(void *const *inputs, void *const *outputs)
{
    static REAL value[MOST_BLOCKS], centred[N];
    for (long line = 0; line < N; line++) {
        const REAL *row = (const REAL *)inputs[0] + line * N;
        REAL *to = (REAL *)outputs[0] + line * N;
        long blocks = (N + 4095) / 4096;
        for (long i = 0; i < blocks; i++)
            value[i] = sum_block(row, 4096 * i, N - 4096 * i < 4096 ? N - 4096 * i : 4096);
        REAL mean = block_tree(value, blocks) / (REAL)N;
        for (long k = 0; k < N; k++)
            centred[k] = row[k] - mean;
        for (long i = 0; i < blocks; i++)
            value[i] = squares_block(centred, 4096 * i, N - 4096 * i < 4096 ? N - 4096 * i : 4096);
        REAL spread = SQRT(block_tree(value, blocks) / (REAL)N + (REAL)0.00001);
        for (long k = 0; k < N; k++)
            to[k] = centred[k] / spread;
    }
}
