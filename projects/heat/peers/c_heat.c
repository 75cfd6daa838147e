/* The plate in C, in two buffers that change roles; the rim stays as it is. */
#include <string.h>

enum { SIDE = 64, STEPS = 150, CELLS = SIDE * SIDE };

const double relative_tolerance = 1e-5;

static float other[CELLS] __attribute__((aligned(64)));

static void step(const float *restrict from, float *restrict to, const float *restrict power,
                 const unsigned char *restrict held)
{
    for (int row = 1; row < SIDE - 1; row++)
        for (int p = row * SIDE + 1; p < row * SIDE + SIDE - 1; p++) {
            float around = from[p - SIDE] + from[p + SIDE] + from[p - 1] + from[p + 1];
            float moved = from[p] + 0.2f * (around - 4.0f * from[p]) + power[p];
            to[p] = held[p] ? from[p] : moved;
        }
}

void run(const void *const *inputs, void *const *outputs)
{
    const float *power = inputs[1];
    const unsigned char *held = inputs[2];
    float *heat = outputs[0];
    memcpy(heat, inputs[0], sizeof(other));
    memcpy(other, inputs[0], sizeof(other));
    for (int i = 0; i < STEPS; i += 2) {
        step(heat, other, power, held);
        step(other, heat, power, held);
    }
}
