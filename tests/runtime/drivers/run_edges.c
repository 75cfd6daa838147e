/* One run at a time: a trap at the end of the process, a host that helps inside its run, broken promises,
 * what a launch costs, how many lanes there are, where
 * workers are. */
#define _GNU_SOURCE
#include "driver.h"

#include "lanes.h"
#include "mapal_runtime.h"
#include "output.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void nothing(int64_t low, int64_t high, void *frame)
{
    (void)low;
    (void)high;
    (void)frame;
}

static void traps_at_its_low(int64_t low, int64_t high, void *frame)
{
    (void)high;
    (void)frame;
    mapal_trap(MAPAL_TRAP_DIV_ZERO, (uint32_t)low);
}

static mapal_task task_of(mapal_task_function function, int64_t count)
{
    return (mapal_task){.function = function, .count = count, .quantum = 1, .pieces = 64};
}

/* Trapping slices of one task: the first element's counts, after what was printed before. */
static void trap_at_exit(char **arguments)
{
    (void)arguments;
    const mapal_task task[] = {task_of(nothing, 64), task_of(traps_at_its_low, 64)};
    const mapal_task_plan plan = {2, task, NULL};
    mapal_run *run = mapal_run_start(&plan, NULL);
    mapal_run_at(run, 1);
    mapal_run_settle(run);
    mapal_print_i32(1, true);
    mapal_run_at(run, 2);
    mapal_run_settle(run);
    mapal_print_i32(2, true);
    mapal_run_finish(run);
}

/* Two threads meet: each waits until the other is here, too. A hang is ended by the alarm. */
static void meet(atomic_int *here)
{
    (void)atomic_fetch_add(here, 1);
    while (atomic_load(here) < 2) {
        (void)sched_yield();
    }
}

static void meets(int64_t low, int64_t high, void *here)
{
    (void)low;
    (void)high;
    meet(here);
}

/* The thread that is not the host of the outer run becomes that of an inner one. */
static void goes_on_inside(int64_t low, int64_t high, void *frame)
{
    static atomic_int outside;
    (void)low;
    (void)high;
    meet(&outside);
    if (!pthread_equal(pthread_self(), *(pthread_t *)frame)) {
        atomic_int inside = 0;
        const mapal_task task[] = {task_of(meets, 2)};
        const mapal_task_plan plan = {1, task, NULL};
        mapal_run_plan(&plan, &inside);
    }
}

/* Both threads have to be inside for it to end: the host that waits has to help there. */
static void help_inside(char **arguments)
{
    (void)arguments;
    (void)alarm(20);
    pthread_t host = pthread_self();
    const mapal_task task[] = {task_of(goes_on_inside, 2)};
    const mapal_task_plan plan = {1, task, NULL};
    mapal_run_plan(&plan, &host);
}

static void broken_promise(char **arguments)
{
    mapal_task task[] = {task_of(nothing, 4), task_of(nothing, 4)};
    if (strcmp(arguments[0], "quantum") == 0) {
        task[0].quantum = 0;
    } else if (strcmp(arguments[0], "pending") == 0) {
        task[1].flags = MAPAL_TASK_HOST;
        task[1].predecessors = 2;
    }
    const mapal_task_plan plan = {2, task, NULL};
    mapal_run *run = mapal_run_start(&plan, NULL);
    if (strcmp(arguments[0], "backward") == 0) {
        mapal_run_at(run, 2);
        mapal_run_at(run, 1);
    } else if (strcmp(arguments[0], "ahead") == 0) {
        mapal_run_await(run, 1);
    } else if (strcmp(arguments[0], "not-host") == 0) {
        mapal_run_complete(run, 0);
    } else {
        mapal_run_complete(run, 1);
    }
}

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

/* COUNT: nanoseconds of a run of one task of so many empty slices: least, median, ninth decile. */
static void launch_cost(char **arguments)
{
    enum { TIMES = 1001 };
    static double taken[TIMES];
    mapal_task task = task_of(nothing, strtoll(arguments[0], NULL, 10));
    task.pieces = (uint32_t)task.count;
    task.flags = MAPAL_TASK_TOTAL;
    const mapal_task_plan plan = {1, &task, NULL};
    for (int time = 0; time < TIMES; time++) {
        double start = seconds();
        mapal_run_finish(mapal_run_start(&plan, NULL));
        taken[time] = seconds() - start;
    }
    qsort(taken, TIMES, sizeof *taken, by_value);
    printf("%.0f %.0f %.0f\n", 1e9 * taken[0], 1e9 * taken[TIMES / 2], 1e9 * taken[TIMES * 9 / 10]);
}

static atomic_int inside_aside;
static atomic_int met_host;
static int host_processor;
static cpu_set_t all_processors;
static atomic_bool mask_changed;

static void to_host_processor(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)host_processor, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
}

/* Two slices that wait for each other. The worker looks where it is, goes to the host's processor, and
 * could leave it at any time. */
static void meet_once(int64_t low, int64_t high, void *frame)
{
    (void)low;
    (void)high;
    const pthread_t *host = frame;
    bool is_host = pthread_equal(pthread_self(), *host) != 0;
    if (!is_host) {
        cpu_set_t now;
        (void)sched_getaffinity(0, sizeof now, &now);
        atomic_store(&mask_changed, atomic_load(&mask_changed) || !CPU_EQUAL(&now, &all_processors));
        (void)atomic_fetch_add(&met_host, sched_getcpu() == host_processor);
    }
    (void)atomic_fetch_add(&inside_aside, 1);
    while (atomic_load(&inside_aside) % 2 != 0) {
        (void)sched_yield();
    }
    if (!is_host) {
        to_host_processor();
        (void)sched_setaffinity(0, sizeof all_processors, &all_processors);
    }
}

/* How often of COUNT times a worker works on the processor of its host, and whether it may still run
 * where it might before. */
static void step_aside(char **arguments)
{
    pthread_t host = pthread_self();
    mapal_task task = task_of(meet_once, 2);
    const mapal_task_plan plan = {1, &task, NULL};
    (void)sched_getaffinity(0, sizeof all_processors, &all_processors);
    host_processor = sched_getcpu();
    for (long time = strtol(arguments[0], NULL, 10); time > 0; time--) {
        mapal_run_finish(mapal_run_start(&plan, &host));
        to_host_processor();
    }
    printf("%d %s\n", atomic_load(&met_host), atomic_load(&mask_changed) ? "changed" : "free");
}

static void print_lanes(char **arguments)
{
    (void)arguments;
    printf("%u\n", mapal_lanes());
}

static void print_quota(char **arguments)
{
    printf("%u\n", mapal_quota_processors(arguments[0]));
}

typedef struct {
    const char *name;
    int arguments;
    void (*function)(char **arguments);
} scene;

int main(int count, char **arguments)
{
    static const scene scenes[] = {
        {"trap-at-exit", 0, trap_at_exit}, {"inside", 0, help_inside}, {"broken", 1, broken_promise},
        {"launch", 1, launch_cost},        {"lanes", 0, print_lanes},
        {"quota", 1, print_quota},         {"aside", 1, step_aside},
    };
    for (size_t number = 0; number < sizeof scenes / sizeof *scenes; number++) {
        const scene *at = &scenes[number];
        if (count >= 2 && strcmp(arguments[1], at->name) == 0 && count == 2 + at->arguments) {
            at->function(arguments + 2);
            mapal_output_flush();
            return 0;
        }
    }
    return unknown_scene(count < 2 ? "" : arguments[1]);
}
