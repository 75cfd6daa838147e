/* Many products of 4 x 4 matrices in the order of the program. */
void run(void *const *inputs, void *const *outputs)
{
    const REAL *a = inputs[0], *b = inputs[1];
    for (long cell = 0; cell < CELLS; cell++) {
        long matrix = cell / 16 * 16, row = cell % 16 / 4, column = cell % 4;
        REAL sum = 0;
        for (int k = 0; k < 4; k++)
            sum = MULTIPLY_ADD(a[matrix + row * 4 + k], b[matrix + k * 4 + column], sum);
        ((REAL *)outputs[0])[cell] = sum;
    }
}
