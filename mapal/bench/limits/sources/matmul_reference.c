/* The matrix product in the order of the program: every element from left to right. */
void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict a = inputs[0], *restrict b = inputs[1];
    REAL *restrict c = outputs[0];
    for (long i = 0; i < (long)N * N; i++)
        c[i] = 0;
    for (long row = 0; row < N; row++)
        for (long k = 0; k < N; k++)
            for (long column = 0; column < N; column++)
                c[row * N + column] =
                    MULTIPLY_ADD(a[row * N + k], b[k * N + column], c[row * N + column]);
}
