/* The filter in C as one writes it; the compiler may reorder sums. */
enum { TAPS = 157, COUNT = 2128 };

const double relative_tolerance = 1e-12;

void run(const void *const *inputs, void *const *outputs)
{
    const double *restrict signal = inputs[0], *restrict taps = inputs[1];
    double *restrict result = outputs[0];
#pragma omp parallel for
    for (int t = 0; t < COUNT; t++) {
        double sum = 0;
        for (int j = 0; j < TAPS; j++)
            sum += taps[j] * signal[t + j];
        result[t] = sum;
    }
}
