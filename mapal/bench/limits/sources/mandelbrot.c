/* The Mandelbrot set: as many points at once as fill some vectors, until all of them are out. */
#define BLOCK 32

const double relative_tolerance = 0.011;
const double tolerated_fraction = 0.01;

void run(void *const *inputs, void *const *outputs)
{
    REAL left = *(const REAL *)inputs[0], top = *(const REAL *)inputs[1];
    REAL size = *(const REAL *)inputs[2];
    unsigned char *restrict result = outputs[0];
#pragma omp parallel for schedule(dynamic, 16)
    for (long start = 0; start < CELLS; start += BLOCK) {
        REAL cx[BLOCK], cy[BLOCK], x[BLOCK] = {0}, y[BLOCK] = {0};
        int count[BLOCK] = {0};
        for (int i = 0; i < BLOCK; i++) {
            cx[i] = left + (REAL)((start + i) % WIDTH) * size;
            cy[i] = top - (REAL)((start + i) / WIDTH) * size;
        }
        for (int n = 0; n < MOST; n++) {
            int inside = 0;
            for (int i = 0; i < BLOCK; i++) {
                REAL xx = x[i] * x[i], yy = y[i] * y[i];
                int stays = xx + yy <= 4;
                REAL next = 2 * x[i] * y[i] + cy[i];
                x[i] = stays ? xx - yy + cx[i] : x[i];
                y[i] = stays ? next : y[i];
                count[i] += stays;
                inside |= stays;
            }
            if (!inside)
                break;
        }
        for (int i = 0; i < BLOCK; i++)
            result[start + i] = (unsigned char)count[i];
    }
}
