/* The Mandelbrot set, point by point. */
void run(void *const *inputs, void *const *outputs)
{
    REAL left = *(const REAL *)inputs[0], top = *(const REAL *)inputs[1];
    REAL size = *(const REAL *)inputs[2];
    unsigned char *result = outputs[0];
    for (long p = 0; p < CELLS; p++) {
        REAL cx = left + (REAL)(p % WIDTH) * size, cy = top - (REAL)(p / WIDTH) * size;
        REAL x = 0, y = 0;
        int n = 0;
        while (x * x + y * y <= 4 && n < MOST) {
            REAL xx = x * x, yy = y * y;
            y = 2 * x * y + cy;
            x = xx - yy + cx;
            n++;
        }
        result[p] = (unsigned char)n;
    }
}
