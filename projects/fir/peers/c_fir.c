/* The filter in C, in blocks of the size of a few vector registers. The compiler may contract
 * products and sums, so last bits differ. */
enum { TAPS = 157, COUNT = 2128, BLOCK = 112 };

const double relative_tolerance = 1e-12;

void run(const void *const *inputs, void *const *outputs)
{
    const double *restrict signal = inputs[0], *restrict taps = inputs[1];
    double *restrict result = outputs[0];
#pragma omp parallel for
    for (int start = 0; start < COUNT; start += BLOCK) {
        double sum[BLOCK] = {0};
        for (int j = 0; j < TAPS; j++)
            for (int i = 0; i < BLOCK; i++)
                sum[i] += taps[j] * signal[start + i + j];
        for (int i = 0; i < BLOCK; i++)
            result[start + i] = sum[i];
    }
}
