/* A transpose in blocks of 16 x 16, each through a small buffer that stays in registers or the
 * first cache. */
#define BLOCK 16

const double relative_tolerance = 0;

void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict matrix = __builtin_assume_aligned(inputs[0], 64);
    REAL *restrict result = __builtin_assume_aligned(outputs[0], 64);
#pragma omp parallel for
    for (long column = 0; column < N; column += BLOCK)
        for (long row = 0; row < N; row += BLOCK) {
            REAL block[BLOCK][BLOCK];
            for (int i = 0; i < BLOCK; i++)
                for (int j = 0; j < BLOCK; j++)
                    block[j][i] = matrix[(row + i) * N + column + j];
            for (int j = 0; j < BLOCK; j++)
                for (int i = 0; i < BLOCK; i++)
                    result[(column + j) * N + row + i] = block[j][i];
        }
}
