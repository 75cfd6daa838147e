/* A sum. Strict: one addition after the other; with -Ofast in any order. */
const double relative_tolerance = TOLERANCE;

void run(void *const *inputs, void *const *outputs)
{
    const REAL *restrict x = inputs[0];
    REAL sum = 0;
#ifdef _OPENMP
#pragma omp parallel for reduction(+ : sum)
#endif
    for (long i = 0; i < N; i++)
        sum += x[i];
    *(REAL *)outputs[0] = sum;
}
