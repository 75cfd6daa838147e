/* The product of two square matrices in C: tiles of four rows and 64 columns that the compiler
 * keeps in registers. N comes from the program's sizes. */
enum { ROWS = 4, COLUMNS = 64 };

const double relative_tolerance = 1e-5;

void run(const void *const *inputs, void *const *outputs)
{
    const float *restrict a = inputs[0], *restrict b = inputs[1];
    float *restrict c = outputs[0];
#pragma omp parallel for
    for (int row = 0; row < N; row += ROWS)
        for (int column = 0; column < N; column += COLUMNS) {
            float sum[ROWS][COLUMNS] = {{0}};
            for (int k = 0; k < N; k++)
                for (int i = 0; i < ROWS; i++)
                    for (int j = 0; j < COLUMNS; j++)
                        sum[i][j] += a[(row + i) * N + k] * b[k * N + column + j];
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLUMNS; j++)
                    c[(row + i) * N + column + j] = sum[i][j];
        }
}
