/* Bodies under their own gravity with half of the work: each pair is looked at once and pulls both
 * ways. Another order of sums than the program's. */
#include <math.h>

#define PAIRS (N * (N - 1) / 2)

const double relative_tolerance = 1e-9;

static void move(double p[N][3], double v[N][3])
{
    for (int i = 0; i < N; i++)
        for (int d = 0; d < 3; d++)
            p[i][d] += 0.5 * v[i][d];
}

void run(void *const *inputs, void *const *outputs)
{
    const double *start = inputs[0];
    double *end = outputs[0];
    double m[N], p[N][3], v[N][3];
    for (int i = 0; i < N; i++) {
        m[i] = start[7 * i];
        for (int d = 0; d < 3; d++) {
            p[i][d] = start[7 * i + 1 + d];
            v[i][d] = start[7 * i + 4 + d];
        }
    }
    for (int day = 0; day < STEPS; day++) {
        double weight[PAIRS], apart[PAIRS][3];
        move(p, v);
        int pair = 0;
        for (int i = 0; i < N; i++)
            for (int j = i + 1; j < N; j++, pair++) {
                double square = 0;
                for (int d = 0; d < 3; d++) {
                    apart[pair][d] = p[j][d] - p[i][d];
                    square += apart[pair][d] * apart[pair][d];
                }
                weight[pair] = square;
            }
        for (int k = 0; k < PAIRS; k++)
            weight[k] = 1 / (weight[k] * sqrt(weight[k]));
        pair = 0;
        for (int i = 0; i < N; i++)
            for (int j = i + 1; j < N; j++, pair++)
                for (int d = 0; d < 3; d++) {
                    v[i][d] += m[j] * weight[pair] * apart[pair][d];
                    v[j][d] -= m[i] * weight[pair] * apart[pair][d];
                }
        move(p, v);
    }
    for (int i = 0; i < N; i++) {
        end[7 * i] = m[i];
        for (int d = 0; d < 3; d++) {
            end[7 * i + 1 + d] = p[i][d];
            end[7 * i + 4 + d] = v[i][d];
        }
    }
}
