/* A small network that reads digits: weights turned once, so that all units of a layer add their
 * next product at the same time. */
const double relative_tolerance = 0;

void run(void *const *inputs, void *const *outputs)
{
    const unsigned char *restrict images = inputs[0];
    const float *restrict hidden_weights = inputs[1], *restrict hidden_bias = inputs[2];
    const float *restrict output_weights = inputs[3], *restrict output_bias = inputs[4];
    unsigned char *restrict classes = outputs[0];
    float first[64][16] __attribute__((aligned(64))), second[16][16] __attribute__((aligned(64)));
    float bias[16] = {0};
    for (int k = 0; k < 64; k++)
        for (int unit = 0; unit < 16; unit++)
            first[k][unit] = hidden_weights[unit * 64 + k];
    for (int k = 0; k < 16; k++)
        for (int unit = 0; unit < 16; unit++)
            second[k][unit] = unit < 10 ? output_weights[unit * 16 + k] : 0;
    for (int unit = 0; unit < 10; unit++)
        bias[unit] = output_bias[unit];
#pragma omp parallel for
    for (long image = 0; image < IMAGES; image++) {
        float hidden[16], scores[16];
        for (int unit = 0; unit < 16; unit++)
            hidden[unit] = hidden_bias[unit];
        for (int k = 0; k < 64; k++) {
            float pixel = (float)images[image * 64 + k] / 16.0f;
            for (int unit = 0; unit < 16; unit++)
                hidden[unit] += first[k][unit] * pixel;
        }
        for (int unit = 0; unit < 16; unit++) {
            hidden[unit] = hidden[unit] > 0 ? hidden[unit] : 0;
            scores[unit] = bias[unit];
        }
        for (int k = 0; k < 16; k++)
            for (int unit = 0; unit < 16; unit++)
                scores[unit] += second[k][unit] * hidden[k];
        int best = 0;
        for (int unit = 1; unit < 10; unit++)
            if (scores[unit] > scores[best])
                best = unit;
        classes[image] = (unsigned char)best;
    }
}
