/* A 3 x 3 convolution: the inner loop over a row, the nine products written by a loop that
 * the compiler unrolls. */
const double relative_tolerance = 1e-5;

void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict image = inputs[0], *restrict kernel = inputs[1];
    REAL *restrict result = outputs[0];
    REAL weight[9];
    for (int w = 0; w < 9; w++)
        weight[w] = kernel[w];
#pragma omp parallel for firstprivate(weight)
    for (long row = 0; row < N; row++)
        for (long column = 0; column < N; column++) {
            REAL sum = 0;
            for (int w = 0; w < 9; w++)
                sum += weight[w] * image[(row + w / 3) * (N + 2) + column + w % 3];
            result[row * N + column] = sum;
        }
}
