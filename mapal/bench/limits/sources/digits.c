/* A small network that reads digits: weights turned once, so that all units of a layer add their
 * next product at the same time, four images side by side. */
const double relative_tolerance = 0;
#define BLOCK 4

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
    for (long start = 0; start < IMAGES; start += BLOCK) {
        long from = start + BLOCK <= IMAGES ? start : IMAGES - BLOCK;
        float hidden[BLOCK][16], scores[BLOCK][16];
        for (int i = 0; i < BLOCK; i++)
            for (int unit = 0; unit < 16; unit++)
                hidden[i][unit] = hidden_bias[unit];
        for (int k = 0; k < 64; k++)
            for (int i = 0; i < BLOCK; i++) {
                float pixel = (float)images[(from + i) * 64 + k] / 16.0f;
                for (int unit = 0; unit < 16; unit++)
                    hidden[i][unit] += first[k][unit] * pixel;
            }
        for (int i = 0; i < BLOCK; i++)
            for (int unit = 0; unit < 16; unit++) {
                hidden[i][unit] = hidden[i][unit] > 0 ? hidden[i][unit] : 0;
                scores[i][unit] = bias[unit];
            }
        for (int k = 0; k < 16; k++)
            for (int i = 0; i < BLOCK; i++)
                for (int unit = 0; unit < 16; unit++)
                    scores[i][unit] += second[k][unit] * hidden[i][k];
        for (int i = 0; i < BLOCK; i++) {
            int best = 0;
            float most = scores[i][0];
            for (int unit = 1; unit < 10; unit++) {
                int is_more = scores[i][unit] > most;
                most = is_more ? scores[i][unit] : most;
                best = is_more ? unit : best;
            }
            classes[from + i] = (unsigned char)best;
        }
    }
}
