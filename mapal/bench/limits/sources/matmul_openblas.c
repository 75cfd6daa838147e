/* The library that NumPy multiplies with, called without NumPy. */
#include <stdint.h>

const double relative_tolerance = TOLERANCE;

void GEMM(int order, int left, int right, int64_t rows, int64_t columns, int64_t depth, REAL alpha,
          const REAL *a, int64_t a_stride, const REAL *b, int64_t b_stride, REAL beta, REAL *c,
          int64_t c_stride);

void run(void *const *inputs, void *const *outputs)
{
    enum { ROW_MAJOR = 101, PLAIN = 111 };
    GEMM(ROW_MAJOR, PLAIN, PLAIN, N, N, N, 1, inputs[0], N, inputs[1], N, 0, outputs[0], N);
}
