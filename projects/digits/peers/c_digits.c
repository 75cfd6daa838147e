/* The network in C: weights turned once, so that all units of a layer add their
 * next product at the same time, four images side by side. */
enum { IMAGES = 1797, PIXELS = 64, HIDDEN = 16, CLASSES = 10, BLOCK = 4 };

void run(const void *const *inputs, void *const *outputs)
{
    const unsigned char *restrict images = inputs[0];
    const float *restrict hidden_weights = inputs[2], *restrict hidden_bias = inputs[3];
    const float *restrict output_weights = inputs[4], *restrict output_bias = inputs[5];
    unsigned char *restrict classes = outputs[0];
    float first[PIXELS][HIDDEN] __attribute__((aligned(64))), second[HIDDEN][HIDDEN] __attribute__((aligned(64)));
    float bias[HIDDEN] = {0};
    for (int k = 0; k < PIXELS; k++)
        for (int unit = 0; unit < HIDDEN; unit++)
            first[k][unit] = hidden_weights[unit * PIXELS + k];
    for (int k = 0; k < HIDDEN; k++)
        for (int unit = 0; unit < HIDDEN; unit++)
            second[k][unit] = unit < CLASSES ? output_weights[unit * HIDDEN + k] : 0;
    for (int unit = 0; unit < CLASSES; unit++)
        bias[unit] = output_bias[unit];
#pragma omp parallel for
    for (long start = 0; start < IMAGES; start += BLOCK) {
        long from = start + BLOCK <= IMAGES ? start : IMAGES - BLOCK;
        float hidden[BLOCK][HIDDEN], scores[BLOCK][HIDDEN];
        for (int i = 0; i < BLOCK; i++)
            for (int unit = 0; unit < HIDDEN; unit++)
                hidden[i][unit] = hidden_bias[unit];
        for (int k = 0; k < PIXELS; k++)
            for (int i = 0; i < BLOCK; i++) {
                float pixel = (float)images[(from + i) * PIXELS + k] / 16.0f;
                for (int unit = 0; unit < HIDDEN; unit++)
                    hidden[i][unit] += first[k][unit] * pixel;
            }
        for (int i = 0; i < BLOCK; i++)
            for (int unit = 0; unit < HIDDEN; unit++) {
                hidden[i][unit] = hidden[i][unit] > 0 ? hidden[i][unit] : 0;
                scores[i][unit] = bias[unit];
            }
        for (int k = 0; k < HIDDEN; k++)
            for (int i = 0; i < BLOCK; i++)
                for (int unit = 0; unit < HIDDEN; unit++)
                    scores[i][unit] += second[k][unit] * hidden[i][k];
        for (int i = 0; i < BLOCK; i++) {
            int best = 0;
            float most = scores[i][0];
            for (int unit = 1; unit < CLASSES; unit++) {
                int is_more = scores[i][unit] > most;
                most = is_more ? scores[i][unit] : most;
                best = is_more ? unit : best;
            }
            classes[from + i] = (unsigned char)best;
        }
    }
}
