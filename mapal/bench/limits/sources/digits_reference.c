/* The network in the order of the program. */
void run(void *const *inputs, void *const *outputs)
{
    const unsigned char *images = inputs[0];
    const float *hidden_weights = inputs[1], *hidden_bias = inputs[2];
    const float *output_weights = inputs[3], *output_bias = inputs[4];
    unsigned char *classes = outputs[0];
    for (long image = 0; image < IMAGES; image++) {
        float hidden[16], best_score = 0;
        int best = 0;
        for (int unit = 0; unit < 16; unit++) {
            float sum = hidden_bias[unit];
            for (int k = 0; k < 64; k++)
                sum = sum + hidden_weights[unit * 64 + k] * ((float)images[image * 64 + k] / 16.0f);
            hidden[unit] = sum > 0 ? sum : 0;
        }
        for (int unit = 0; unit < 10; unit++) {
            float sum = output_bias[unit];
            for (int k = 0; k < 16; k++)
                sum = sum + output_weights[unit * 16 + k] * hidden[k];
            if (unit == 0 || sum > best_score) {
                best = unit;
                best_score = sum;
            }
        }
        classes[image] = (unsigned char)best;
    }
}
