/* A finite impulse response filter as one writes it, for a compiler that may reorder sums. */
const double relative_tolerance = 1e-5;

void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict signal = inputs[0], *restrict taps = inputs[1];
    REAL *restrict result = outputs[0];
#pragma omp parallel for
    for (long t = 0; t < COUNT; t++) {
        REAL sum = 0;
        for (int j = 0; j < TAPS; j++)
            sum += taps[j] * signal[t + j];
        result[t] = sum;
    }
}
