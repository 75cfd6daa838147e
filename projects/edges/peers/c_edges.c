/* Sobel edges in C: a plane of grey values, then both convolutions with their constants written
 * out, so that zeros cost nothing. */
#include <math.h>

enum { SIDE = 256, INNER = 254 };

/* A contraction may move a strength across a whole number. */
const double relative_tolerance = 0.005;

static float grey[SIDE * SIDE];

void run(const void *const *inputs, void *const *outputs)
{
    const unsigned char *restrict photo = inputs[0];
    unsigned char *restrict result = outputs[0];
    for (int i = 0; i < SIDE * SIDE; i++)
        grey[i] = (float)photo[3 * i] * 0.299f + (float)photo[3 * i + 1] * 0.587f +
                  (float)photo[3 * i + 2] * 0.114f;
#pragma omp parallel for
    for (int row = 0; row < INNER; row++) {
        const float *above = grey + row * SIDE, *here = above + SIDE, *below = here + SIDE;
        for (int column = 0; column < INNER; column++) {
            float a = above[column], b = above[column + 1], c = above[column + 2];
            float d = here[column], f = here[column + 2];
            float g = below[column], h = below[column + 1], i = below[column + 2];
            float across = (c - a) + 2.0f * (f - d) + (i - g);
            float down = (g - a) + 2.0f * (h - b) + (i - c);
            float strength = sqrtf(across * across + down * down);
            result[row * INNER + column] = (unsigned char)(strength > 255.0f ? 255.0f : strength);
        }
    }
}
