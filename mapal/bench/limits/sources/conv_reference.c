/* The convolution in the order of the program. */
void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict image = inputs[0], *restrict kernel = inputs[1];
    REAL *restrict result = outputs[0];
    for (long row = 0; row < N; row++)
        for (long column = 0; column < N; column++) {
            REAL sum = 0;
            for (int w = 0; w < 9; w++)
                sum = MULTIPLY_ADD(kernel[w], image[(row + w / 3) * (N + 2) + column + w % 3], sum);
            result[row * N + column] = sum;
        }
}
