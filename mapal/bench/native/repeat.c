/* Calls a kernel many times and says how long that took, so that what is timed has nothing of
 * Python in it. The fences keep the clock from being read before or after its turn. */
#define _POSIX_C_SOURCE 199309L

#include <time.h>

typedef void kernel(void *const *inputs, void *const *outputs);

static double seconds(void)
{
    struct timespec now;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    clock_gettime(CLOCK_MONOTONIC, &now);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double mapal_bench_repeat(kernel *run, void *const *inputs, void *const *outputs, long count)
{
    double began = seconds();
    for (long i = 0; i < count; i++)
        run(inputs, outputs);
    return seconds() - began;
}
