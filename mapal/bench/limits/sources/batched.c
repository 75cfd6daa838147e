/* Many products of 4 x 4 matrices; loops of constant length that the compiler unrolls. */
const double relative_tolerance = 1e-5;

void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict a = __builtin_assume_aligned(inputs[0], 64);
    const REAL *restrict b = __builtin_assume_aligned(inputs[1], 64);
    REAL *restrict c = __builtin_assume_aligned(outputs[0], 64);
#pragma omp parallel for
    for (long matrix = 0; matrix < CELLS; matrix += 16) {
        REAL product[16] = {0};
        for (int row = 0; row < 4; row++)
            for (int k = 0; k < 4; k++)
                for (int column = 0; column < 4; column++)
                    product[row * 4 + column] +=
                        a[matrix + row * 4 + k] * b[matrix + k * 4 + column];
        for (int i = 0; i < 16; i++)
            c[matrix + i] = product[i];
    }
}
