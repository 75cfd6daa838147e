/* The network in C: weights turned once, so that all units of a layer add their next product at
 * the same time. */
enum { IMAGES = 1797, PIXELS = 64, HIDDEN = 16, CLASSES = 10 };

void run(const void *const *inputs, void *const *outputs)
{
    const unsigned char *restrict images = inputs[0];
    const float *restrict hidden_weights = inputs[2], *restrict hidden_bias = inputs[3];
    const float *restrict output_weights = inputs[4], *restrict output_bias = inputs[5];
    unsigned char *restrict classes = outputs[0];
    float first[PIXELS][HIDDEN], second[HIDDEN][HIDDEN], bias[HIDDEN] = {0};
    for (int k = 0; k < PIXELS; k++)
        for (int unit = 0; unit < HIDDEN; unit++)
            first[k][unit] = hidden_weights[unit * PIXELS + k];
    for (int k = 0; k < HIDDEN; k++)
        for (int unit = 0; unit < HIDDEN; unit++)
            second[k][unit] = unit < CLASSES ? output_weights[unit * HIDDEN + k] : 0.0f;
    for (int unit = 0; unit < CLASSES; unit++)
        bias[unit] = output_bias[unit];
#pragma omp parallel for
    for (int image = 0; image < IMAGES; image++) {
        float hidden[HIDDEN], scores[HIDDEN];
        for (int unit = 0; unit < HIDDEN; unit++)
            hidden[unit] = hidden_bias[unit];
        for (int k = 0; k < PIXELS; k++) {
            float pixel = (float)images[image * PIXELS + k] / 16.0f;
            for (int unit = 0; unit < HIDDEN; unit++)
                hidden[unit] += first[k][unit] * pixel;
        }
        for (int unit = 0; unit < HIDDEN; unit++) {
            hidden[unit] = hidden[unit] > 0.0f ? hidden[unit] : 0.0f;
            scores[unit] = bias[unit];
        }
        for (int k = 0; k < HIDDEN; k++)
            for (int unit = 0; unit < HIDDEN; unit++)
                scores[unit] += second[k][unit] * hidden[k];
        int best = 0;
        for (int unit = 1; unit < CLASSES; unit++)
            if (scores[unit] > scores[best])
                best = unit;
        classes[image] = (unsigned char)best;
    }
}
