/* Bodies under their own gravity by the leapfrog: the differences of all pairs first, then their
 * weights side by side, so that roots and divisions fill vectors, then the sums in order. */
#include <math.h>

#define PAIRS (N * N)
#define ALIGNED __attribute__((aligned(64)))

const double relative_tolerance = 1e-9;

static void move(double p[3][N], double v[3][N])
{
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < N; i++)
            p[d][i] += 0.5 * v[d][i];
}

void run(void *const *inputs, void *const *outputs)
{
    const double *start = inputs[0];
    double *end = outputs[0];
    double m[N], p[3][N], v[3][N];
    for (int i = 0; i < N; i++) {
        m[i] = start[7 * i];
        for (int d = 0; d < 3; d++) {
            p[d][i] = start[7 * i + 1 + d];
            v[d][i] = start[7 * i + 4 + d];
        }
    }
    for (int day = 0; day < STEPS; day++) {
        double x[PAIRS] ALIGNED, y[PAIRS] ALIGNED, z[PAIRS] ALIGNED, weight[PAIRS] ALIGNED;
        double mass[PAIRS] ALIGNED;
        move(p, v);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                x[j * N + i] = p[0][j] - p[0][i];
                y[j * N + i] = p[1][j] - p[1][i];
                z[j * N + i] = p[2][j] - p[2][i];
                mass[j * N + i] = m[j];
            }
        for (int k = 0; k < PAIRS; k++) {
            double square = x[k] * x[k] + y[k] * y[k] + z[k] * z[k];
            double safe = square > 0 ? square : 1;
            weight[k] = square > 0 ? mass[k] / (safe * sqrt(safe)) : 0;
        }
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                v[0][i] += weight[j * N + i] * x[j * N + i];
                v[1][i] += weight[j * N + i] * y[j * N + i];
                v[2][i] += weight[j * N + i] * z[j * N + i];
            }
        move(p, v);
    }
    for (int i = 0; i < N; i++) {
        end[7 * i] = m[i];
        for (int d = 0; d < 3; d++) {
            end[7 * i + 1 + d] = p[d][i];
            end[7 * i + 4 + d] = v[d][i];
        }
    }
}
