/* The planets in C: the differences of all pairs first, then their weights side by side, so that
 * roots and divisions fill vectors, then the sums in order. */
#include <math.h>

#define BODIES 9
#define PAIRS (BODIES * BODIES)
#define ALIGNED __attribute__((aligned(64)))

enum { FRAMES = 183, DAYS_A_FRAME = 24 };

const double relative_tolerance = 1e-9;

static double mass[BODIES], place[3][BODIES], speed[3][BODIES];

static void drift(void)
{
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < BODIES; i++)
            place[d][i] += 0.5 * speed[d][i];
}

static void kick(void)
{
    double x[PAIRS] ALIGNED, y[PAIRS] ALIGNED, z[PAIRS] ALIGNED;
    double weight[PAIRS] ALIGNED, pulling[PAIRS] ALIGNED;
    for (int j = 0; j < BODIES; j++)
        for (int i = 0; i < BODIES; i++) {
            x[j * BODIES + i] = place[0][j] - place[0][i];
            y[j * BODIES + i] = place[1][j] - place[1][i];
            z[j * BODIES + i] = place[2][j] - place[2][i];
            pulling[j * BODIES + i] = mass[j];
        }
    for (int k = 0; k < PAIRS; k++) {
        double square = x[k] * x[k] + y[k] * y[k] + z[k] * z[k];
        double safe = square > 0 ? square : 1;
        weight[k] = square > 0 ? pulling[k] / (safe * sqrt(safe)) : 0;
    }
    for (int j = 0; j < BODIES; j++)
        for (int i = 0; i < BODIES; i++) {
            speed[0][i] += weight[j * BODIES + i] * x[j * BODIES + i];
            speed[1][i] += weight[j * BODIES + i] * y[j * BODIES + i];
            speed[2][i] += weight[j * BODIES + i] * z[j * BODIES + i];
        }
}

void run(const void *const *inputs, void *const *outputs)
{
    const double *planets = inputs[0];
    double *orbits = outputs[0];
    for (int i = 0; i < BODIES; i++) {
        mass[i] = planets[7 * i];
        for (int d = 0; d < 3; d++) {
            place[d][i] = planets[7 * i + 1 + d];
            speed[d][i] = planets[7 * i + 4 + d];
        }
    }
    for (int frame = 0; frame < FRAMES; frame++) {
        for (int i = 0; i < BODIES; i++)
            for (int d = 0; d < 3; d++)
                *orbits++ = place[d][i];
        for (int day = 0; day < DAYS_A_FRAME; day++) {
            drift();
            kick();
            drift();
        }
    }
}
