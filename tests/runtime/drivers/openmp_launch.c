/* COUNT: nanoseconds of an OpenMP loop over so many calls of an empty function, each a piece that threads
 * take one by one: least, median, ninth decile. Compiled with -fopenmp, without the runtime. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void nothing(int64_t low, int64_t high, void *frame)
{
    (void)low;
    (void)high;
    (void)frame;
}

static void (*volatile called)(int64_t, int64_t, void *) = nothing;

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *one, const void *other)
{
    double difference = *(const double *)one - *(const double *)other;
    return difference < 0 ? -1 : difference > 0;
}

int main(int arguments, char **argument)
{
    enum { TIMES = 1001 };
    static double taken[TIMES];
    int64_t count = arguments == 2 ? strtoll(argument[1], NULL, 10) : 1;
    for (int time = 0; time < TIMES; time++) {
        double start = seconds();
#pragma omp parallel for schedule(dynamic, 1)
        for (int64_t at = 0; at < count; at++) {
            called(at, at + 1, NULL);
        }
        taken[time] = seconds() - start;
    }
    qsort(taken, TIMES, sizeof *taken, by_value);
    printf("%.0f %.0f %.0f\n", 1e9 * taken[0], 1e9 * taken[TIMES / 2], 1e9 * taken[TIMES * 9 / 10]);
    return 0;
}
