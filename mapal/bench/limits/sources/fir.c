/* A finite impulse response filter, in blocks of the size of a few vector registers. */
#ifndef BLOCK
#define BLOCK 64
#endif

const double relative_tolerance = 1e-5;

static inline REAL at(const REAL *restrict signal, const REAL *restrict taps)
{
    REAL sum = 0;
    for (int j = 0; j < TAPS; j++)
        sum += taps[j] * signal[j];
    return sum;
}

void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict signal = inputs[0], *restrict taps = inputs[1];
    REAL *restrict result = outputs[0];
    long whole = COUNT / BLOCK * BLOCK;
#pragma omp parallel for
    for (long start = 0; start < whole; start += BLOCK) {
        REAL sum[BLOCK] = {0};
        for (int j = 0; j < TAPS; j++)
            for (int i = 0; i < BLOCK; i++)
                sum[i] += taps[j] * signal[start + i + j];
        for (int i = 0; i < BLOCK; i++)
            result[start + i] = sum[i];
    }
    for (long t = whole; t < COUNT; t++)
        result[t] = at(signal + t, taps);
}
