/* A transpose, element by element. */
void run(void *const *inputs, void *const *outputs)
{
    const REAL *matrix = inputs[0];
    REAL *result = outputs[0];
    for (long row = 0; row < N; row++)
        for (long column = 0; column < N; column++)
            result[column * N + row] = matrix[row * N + column];
}
