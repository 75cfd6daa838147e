/* Sepia toning in C, pixel by pixel. */
enum { PIXELS = 262144 };

/* A contraction may move a tone across a whole number. */
const double relative_tolerance = 0.005;

static unsigned char to_byte(float tone)
{
    tone = tone < 0.0f ? 0.0f : tone > 255.0f ? 255.0f : tone;
    return (unsigned char)(int)tone;
}

void run(const void *const *inputs, void *const *outputs)
{
    const unsigned char *restrict image = inputs[0];
    unsigned char *restrict toned = outputs[0];
#pragma omp parallel for
    for (int pixel = 0; pixel < PIXELS; pixel++) {
        float red = image[3 * pixel], green = image[3 * pixel + 1], blue = image[3 * pixel + 2];
        toned[3 * pixel] = to_byte(red * 0.393f + green * 0.769f + blue * 0.189f + 0.5f);
        toned[3 * pixel + 1] = to_byte(red * 0.349f + green * 0.686f + blue * 0.168f + 0.5f);
        toned[3 * pixel + 2] = to_byte(red * 0.272f + green * 0.534f + blue * 0.131f + 0.5f);
    }
}
