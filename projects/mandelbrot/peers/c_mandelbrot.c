/* The Mandelbrot set in C: as many points at once as fill some vectors, until all are out. */
#include <math.h>

enum { WIDTH = 240, COUNT = 38400, MOST = 100, BLOCK = 32 };

/* Where a contraction keeps a point in for another round, its shade is another one. */
const double relative_tolerance = 0.02;
const double tolerated_fraction = 0.01;

void run(const void *const *inputs, void *const *outputs)
{
    double left = *(const double *)inputs[0], top = *(const double *)inputs[1];
    double size = *(const double *)inputs[2];
    unsigned char *restrict result = outputs[0];
#pragma omp parallel for schedule(dynamic, 16)
    for (int start = 0; start < COUNT; start += BLOCK) {
        double cx[BLOCK], cy[BLOCK], x[BLOCK] = {0}, y[BLOCK] = {0};
        int count[BLOCK] = {0};
        for (int i = 0; i < BLOCK; i++) {
            cx[i] = left + (double)((start + i) % WIDTH) * size;
            cy[i] = top - (double)((start + i) / WIDTH) * size;
        }
        for (int n = 0; n < MOST; n++) {
            int inside = 0;
            for (int i = 0; i < BLOCK; i++) {
                double xx = x[i] * x[i], yy = y[i] * y[i];
                int stays = xx + yy <= 4;
                double next = 2 * x[i] * y[i] + cy[i];
                x[i] = stays ? xx - yy + cx[i] : x[i];
                y[i] = stays ? next : y[i];
                count[i] += stays;
                inside |= stays;
            }
            if (!inside)
                break;
        }
        for (int i = 0; i < BLOCK; i++) {
            double glow = sqrt(count[i] / 100.0) * 255.0;
            result[start + i] = (unsigned char)(count[i] == MOST ? 0.0 : glow);
        }
    }
}
