/* The leapfrog in the order of the program. */
#include <math.h>
#include <string.h>

typedef struct {
    double mass, place[3], speed[3];
} body;

static void drift(body *bodies)
{
    for (int i = 0; i < N; i++)
        for (int d = 0; d < 3; d++)
            bodies[i].place[d] = bodies[i].place[d] + bodies[i].speed[d] * 0.5;
}

void run(void *const *inputs, void *const *outputs)
{
    body bodies[N];
    memcpy(bodies, inputs[0], sizeof(bodies));
    for (int day = 0; day < STEPS; day++) {
        drift(bodies);
        double sum[N][3] = {{0}};
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double dx = bodies[j].place[0] - bodies[i].place[0];
                double dy = bodies[j].place[1] - bodies[i].place[1];
                double dz = bodies[j].place[2] - bodies[i].place[2];
                double square = dx * dx + dy * dy + dz * dz;
                double weight = square > 0 ? bodies[j].mass / (square * sqrt(square)) : 0;
                sum[i][0] = sum[i][0] + weight * dx;
                sum[i][1] = sum[i][1] + weight * dy;
                sum[i][2] = sum[i][2] + weight * dz;
            }
        for (int i = 0; i < N; i++)
            for (int d = 0; d < 3; d++)
                bodies[i].speed[d] = bodies[i].speed[d] + sum[i][d] * 1.0;
        drift(bodies);
    }
    memcpy(outputs[0], bodies, sizeof(bodies));
}
