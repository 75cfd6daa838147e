/* The filter in the order of the program: every sum from left to right. */
void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict signal = inputs[0], *restrict taps = inputs[1];
    REAL *restrict result = outputs[0];
    for (long t = 0; t < COUNT; t++) {
        REAL sum = 0;
        for (int j = 0; j < TAPS; j++)
            sum = MULTIPLY_ADD(taps[j], signal[t + j], sum);
        result[t] = sum;
    }
}
