/* One addition after the other. */
void run(void *const *inputs, void *const *outputs)
{
    const REAL *x = inputs[0];
    REAL sum = 0;
    for (long i = 0; i < N; i++)
        sum += x[i];
    *(REAL *)outputs[0] = sum;
}
