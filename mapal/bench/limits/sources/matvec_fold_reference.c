/* A matrix times a vector, each row from left to right. */
void run(void *const *inputs, void *const *outputs)
{
    const REAL *a = inputs[0], *x = inputs[1];
    for (long row = 0; row < N; row++) {
        REAL sum = 0;
        for (long k = 0; k < N; k++)
            sum = MULTIPLY_ADD(a[row * N + k], x[k], sum);
        ((REAL *)outputs[0])[row] = sum;
    }
}
