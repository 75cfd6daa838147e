/* A scaled vector plus another, rounded as the program says. */
void run(void *const *inputs, void *const *outputs)
{
    const REAL *x = inputs[0], *y = inputs[1];
    REAL *result = outputs[0];
    for (long i = 0; i < N; i++)
        result[i] = MULTIPLY_ADD((REAL)2.53, x[i], y[i]);
}
