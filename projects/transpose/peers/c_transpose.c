/* The transpose in C, in blocks of 16 x 16, each through a small buffer. */
enum { SIDE = 256, BLOCK = 16 };

void run(const void *const *inputs, void *const *outputs)
{
    const float *restrict matrix = inputs[0];
    float *restrict result = outputs[0];
#pragma omp parallel for
    for (int column = 0; column < SIDE; column += BLOCK)
        for (int row = 0; row < SIDE; row += BLOCK) {
            float block[BLOCK][BLOCK];
            for (int i = 0; i < BLOCK; i++)
                for (int j = 0; j < BLOCK; j++)
                    block[j][i] = matrix[(row + i) * SIDE + column + j];
            for (int j = 0; j < BLOCK; j++)
                for (int i = 0; i < BLOCK; i++)
                    result[(column + j) * SIDE + row + i] = block[j][i];
        }
}
