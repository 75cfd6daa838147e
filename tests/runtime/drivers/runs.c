/* Random plans, nested in each other, with traps and delays, executed by the runtime and, for what
 * they must give, one task after another. */
#define _GNU_SOURCE
#include "driver.h"

#include "mapal_runtime.h"
#include "output.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TASKS = 8, MOST_LOGGED = 64, DEEPEST = 3, NEVER = -1 };

/* ---- Programs ---- */

typedef struct program program;

typedef struct {
    int64_t traps_from; /* the first element that traps, and every second one after it */
    uint32_t token;
    program *nested; /* executed by the task's first slice, or null */
    uint32_t predecessor[MOST_TASKS];
} detail;

/* What the spine does before each task. */
typedef struct {
    bool awaits; /* a task before it, whose value it mixes in */
    uint32_t awaited;
    bool settles; /* and logs what it has mixed, on the outermost spine */
    bool traps;
    uint32_t token;
    program *nested;
} stop;

struct program {
    mapal_task_plan plan;
    mapal_task task[MOST_TASKS];
    uint32_t successor[MOST_TASKS * MOST_TASKS];
    detail detail[MOST_TASKS];
    stop stop[MOST_TASKS + 1];
    bool outermost;
};

typedef struct {
    uint64_t state;
    uint32_t tokens;
} source;

static uint64_t mixed(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

static uint32_t below(source *random, uint32_t bound)
{
    random->state += 0x9e3779b97f4a7c15u;
    return (uint32_t)(mixed(random->state) % bound);
}

static bool one_in(source *random, uint32_t bound)
{
    return below(random, bound) == 0;
}

#define TASK_FUNCTION(number)                                                                      \
    static void task_##number(int64_t low, int64_t high, void *frame)                              \
    {                                                                                              \
        execute_task(number, low, high, frame);                                                    \
    }

static void execute_task(uint32_t number, int64_t low, int64_t high, void *frame);
TASK_FUNCTION(0)
TASK_FUNCTION(1)
TASK_FUNCTION(2)
TASK_FUNCTION(3)
TASK_FUNCTION(4)
TASK_FUNCTION(5)
TASK_FUNCTION(6)
TASK_FUNCTION(7)
static const mapal_task_function functions[MOST_TASKS] = {task_0, task_1, task_2, task_3,
                                                          task_4, task_5, task_6, task_7};

static program *random_program(source *random, int depth);

static void random_task(source *random, program *made, uint32_t number, int depth)
{
    mapal_task *task = &made->task[number];
    detail *more = &made->detail[number];
    static const int64_t counts[] = {0, 1, 2, 7, 64, 200};
    task->function = functions[number];
    task->count = counts[below(random, 6)];
    task->quantum = 1 + below(random, 8);
    task->pieces = 1 + below(random, 12);
    task->rank = below(random, 100);
    if (one_in(random, 4)) {
        task->flags = one_in(random, 2) ? MAPAL_TASK_WHOLE : MAPAL_TASK_HOST;
    }
    more->traps_from = NEVER;
    if (task->count > 0 && one_in(random, 30)) {
        more->traps_from = below(random, (uint32_t)task->count);
        more->token = random->tokens++;
    } else if (depth < DEEPEST && one_in(random, 4)) {
        more->nested = random_program(random, depth + 1);
    } else {
        task->flags |= MAPAL_TASK_TOTAL;
    }
    for (uint32_t earlier = 0; earlier < number; earlier++) {
        if (one_in(random, 3)) {
            more->predecessor[task->predecessors++] = earlier;
        }
    }
}

static void random_stop(source *random, program *made, uint32_t at, int depth)
{
    stop *made_stop = &made->stop[at];
    if (at > 0 && one_in(random, 3)) {
        made_stop->awaits = true;
        made_stop->awaited = below(random, at);
    }
    made_stop->settles = one_in(random, 4);
    made_stop->traps = one_in(random, 120);
    made_stop->token = random->tokens++;
    if (depth < DEEPEST && one_in(random, 8)) {
        made_stop->nested = random_program(random, depth + 1);
    }
}

static void link_successors(program *made)
{
    uint32_t used = 0;
    for (uint32_t task = 0; task < made->plan.tasks; task++) {
        made->task[task].first_successor = used;
        for (uint32_t later = task + 1; later < made->plan.tasks; later++) {
            for (uint32_t edge = 0; edge < made->task[later].predecessors; edge++) {
                if (made->detail[later].predecessor[edge] == task) {
                    made->successor[used++] = later;
                    made->task[task].successors++;
                }
            }
        }
    }
}

static program *random_program(source *random, int depth)
{
    program *made = calloc(1, sizeof *made);
    CHECK(made != NULL);
    made->outermost = depth == 0;
    made->plan = (mapal_task_plan){below(random, MOST_TASKS + 1), made->task, made->successor};
    for (uint32_t number = 0; number < made->plan.tasks; number++) {
        random_task(random, made, number, depth);
    }
    for (uint32_t at = 0; at <= made->plan.tasks; at++) {
        random_stop(random, made, at, depth);
    }
    link_successors(made);
    return made;
}

static void free_program(program *freed)
{
    if (freed == NULL) {
        return;
    }
    for (uint32_t at = 0; at <= freed->plan.tasks; at++) {
        free_program(freed->stop[at].nested);
        if (at < freed->plan.tasks) {
            free_program(freed->detail[at].nested);
        }
    }
    free(freed);
}

/* ---- Execution ---- */

typedef struct {
    bool parallel;
    uint32_t delays; /* one element of so many waits; 0 for none */
    uint32_t logged;
    uint64_t log[MOST_LOGGED];
} execution;

typedef struct {
    const program *program;
    execution *execution;
    _Atomic uint64_t value[MOST_TASKS];
} instance;

static uint64_t execute_program(const program *executed, execution *in);

static void delay(const execution *in, uint64_t salt)
{
    static _Atomic uint64_t calls;
    if (in->delays == 0) {
        return;
    }
    uint64_t dice = mixed(salt + 0x51ed2701u * atomic_fetch_add(&calls, 1));
    if (dice % in->delays != 0) {
        return;
    }
    if (dice >> 60 == 0) {
        const struct timespec moment = {0, (long)((dice >> 8) % 60000)};
        (void)nanosleep(&moment, NULL);
    } else if (dice >> 62 == 1) {
        (void)sched_yield();
    } else {
        for (volatile uint32_t turn = 0; turn < (dice >> 8) % 2000; turn++) {
        }
    }
}

static uint64_t value_of(instance *at, uint32_t task)
{
    return atomic_load_explicit(&at->value[task], memory_order_relaxed);
}

static void execute_task(uint32_t number, int64_t low, int64_t high, void *frame)
{
    instance *at = frame;
    const program *executed = at->program;
    const detail *more = &executed->detail[number];
    uint64_t input = number;
    for (uint32_t edge = 0; edge < executed->task[number].predecessors; edge++) {
        input = mixed(input + value_of(at, more->predecessor[edge]));
    }
    bool first = low == 0;
    for (int64_t element = low; element < high; element++) {
        delay(at->execution, input);
        if (more->traps_from != NEVER && element >= more->traps_from &&
            (element - more->traps_from) % 2 == 0) {
            mapal_trap(MAPAL_TRAP_INDEX_OOB, more->token);
        }
        uint64_t *block = mapal_arena_allocate(64 + element, 8);
        *block = mixed(input ^ mixed((uint64_t)element));
        atomic_fetch_add_explicit(&at->value[number], *block, memory_order_relaxed);
    }
    if (first && more->nested != NULL) {
        uint64_t value = execute_program(more->nested, at->execution);
        atomic_fetch_add_explicit(&at->value[number], value, memory_order_relaxed);
    }
}

static void execute_stop(instance *at, uint32_t position, mapal_run *run, uint64_t *sum)
{
    const stop *here = &at->program->stop[position];
    if (run != NULL) {
        mapal_run_at(run, position);
    }
    if (here->awaits) {
        if (run != NULL) {
            mapal_run_await(run, here->awaited);
        }
        *sum = mixed(*sum + value_of(at, here->awaited));
    }
    if (here->settles) {
        if (run != NULL) {
            mapal_run_settle(run);
        }
        if (at->program->outermost && at->execution->logged < MOST_LOGGED) {
            at->execution->log[at->execution->logged++] = *sum;
        }
    }
    if (here->nested != NULL) {
        *sum = mixed(*sum + execute_program(here->nested, at->execution));
    }
    if (here->traps) {
        mapal_trap(MAPAL_TRAP_DIV_ZERO, here->token);
    }
}

static void execute_host_task(instance *at, uint32_t number, mapal_run *run)
{
    const mapal_task *task = &at->program->task[number];
    if (run != NULL) {
        for (uint32_t edge = 0; edge < task->predecessors; edge++) {
            mapal_run_await(run, at->program->detail[number].predecessor[edge]);
        }
    }
    task->function(0, task->count, at);
    if (run != NULL) {
        mapal_run_complete(run, number);
    }
}

/* The value of all tasks and all that the spine has seen. */
static uint64_t execute_program(const program *executed, execution *in)
{
    instance at = {.program = executed, .execution = in};
    uint64_t sum = 1;
    void *mark = mapal_arena_mark();
    mapal_run *run = in->parallel ? mapal_run_start(&executed->plan, &at) : NULL;
    for (uint32_t position = 0; position <= executed->plan.tasks; position++) {
        execute_stop(&at, position, run, &sum);
        if (position == executed->plan.tasks) {
            break;
        }
        const mapal_task *task = &executed->task[position];
        if ((task->flags & MAPAL_TASK_HOST) != 0) {
            execute_host_task(&at, position, run);
        } else if (run == NULL && (task->count > 0 || (task->flags & MAPAL_TASK_WHOLE) != 0)) {
            task->function(0, task->count, &at);
        }
    }
    if (run != NULL) {
        mapal_run_finish(run);
    }
    mapal_arena_release(mark);
    for (uint32_t task = 0; task < executed->plan.tasks; task++) {
        sum = mixed(sum + value_of(&at, task));
    }
    return sum;
}

/* ---- One against the other ---- */

typedef struct {
    const program *program;
    execution execution;
    uint64_t value;
    bool trapped;
    uint32_t kind;
    uint32_t token;
} ending;

static void execute_to_end(void *argument)
{
    ending *found = argument;
    found->value = execute_program(found->program, &found->execution);
}

static void find_ending(ending *found)
{
    found->trapped = mapal_call(execute_to_end, found, &found->kind, &found->token);
}

static bool are_equal(const ending *one, const ending *other)
{
    return one->trapped == other->trapped &&
           (one->trapped ? one->kind == other->kind && one->token == other->token
                         : one->value == other->value) &&
           one->execution.logged == other->execution.logged &&
           memcmp(one->execution.log, other->execution.log, sizeof one->execution.log) == 0;
}

static _Atomic uint64_t current_seed;

static void on_alarm(int signal_number)
{
    (void)signal_number;
    char text[64];
    int length = snprintf(text, sizeof text, "hangs at seed %llu\n",
                          (unsigned long long)atomic_load(&current_seed));
    (void)!write(STDERR_FILENO, text, (size_t)length);
    _exit(3);
}

typedef struct {
    uint64_t seed;
    uint64_t count;
    uint32_t delays;
    uint64_t trapped;
    uint64_t tasks;
} batch;

static void run_one(batch *work, uint64_t seed)
{
    source random = {mixed(seed), 1};
    program *made = random_program(&random, 0);
    ending expected = {.program = made};
    find_ending(&expected);
    ending found = {.program = made, .execution = {.parallel = true, .delays = work->delays}};
    find_ending(&found);
    if (!are_equal(&expected, &found)) {
        fprintf(stderr, "seed %llu: expected %s %u, found %s %u; logged %u, %u\n",
                (unsigned long long)seed, expected.trapped ? "trap" : "value", expected.token,
                found.trapped ? "trap" : "value", found.token, expected.execution.logged,
                found.execution.logged);
        exit(1);
    }
    work->trapped += expected.trapped;
    work->tasks += made->plan.tasks;
    free_program(made);
}

static void *run_batch(void *argument)
{
    batch *work = argument;
    for (uint64_t number = 0; number < work->count; number++) {
        atomic_store(&current_seed, work->seed + number);
        (void)alarm(20);
        run_one(work, work->seed + number);
    }
    return NULL;
}

static void report(const batch *work)
{
    printf("%llu runs, %llu outermost tasks, %llu trapped, %u lanes\n",
           (unsigned long long)work->count, (unsigned long long)work->tasks,
           (unsigned long long)work->trapped, mapal_lanes());
}

static uint64_t number_of(const char *text)
{
    return strtoull(text, NULL, 10);
}

/* SEED COUNT DELAYS */
static void stress(char **arguments)
{
    batch work = {.seed = number_of(arguments[0]),
                  .count = number_of(arguments[1]),
                  .delays = (uint32_t)number_of(arguments[2])};
    (void)run_batch(&work);
    report(&work);
}

/* SEED COUNT: four hosts at once. */
static void several_hosts(char **arguments)
{
    enum { HOSTS = 4 };
    pthread_t host[HOSTS];
    batch work[HOSTS];
    for (uint64_t number = 0; number < HOSTS; number++) {
        uint64_t count = number_of(arguments[1]);
        work[number] = (batch){number_of(arguments[0]) + number * count, count, 50, 0, 0};
        CHECK(pthread_create(&host[number], NULL, run_batch, &work[number]) == 0);
    }
    for (int number = 0; number < HOSTS; number++) {
        CHECK(pthread_join(host[number], NULL) == 0);
        report(&work[number]);
    }
}

static void *print_lines(void *count)
{
    static const uint8_t line[] = "as long as a line should be that never gets torn";
    for (uint64_t number = 0; number < *(uint64_t *)count; number++) {
        mapal_print_str(line, sizeof line - 1, true);
    }
    return NULL;
}

/* COUNT: four hosts that print so many lines each at once. */
static void printing_hosts(char **arguments)
{
    enum { HOSTS = 4 };
    pthread_t host[HOSTS];
    uint64_t count = number_of(arguments[0]);
    for (int number = 0; number < HOSTS; number++) {
        CHECK(pthread_create(&host[number], NULL, print_lines, &count) == 0);
    }
    for (int number = 0; number < HOSTS; number++) {
        CHECK(pthread_join(host[number], NULL) == 0);
    }
    mapal_output_flush();
}

/* SEED COUNT: a process that has run, its child, and the child's child. */
static void forks(char **arguments)
{
    batch work = {.seed = number_of(arguments[0]), .count = number_of(arguments[1]), .delays = 50};
    for (int generation = 0; generation < 3; generation++) {
        (void)run_batch(&work);
        report(&work);
        (void)fflush(stdout);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child != 0) {
            int status;
            CHECK(waitpid(child, &status, 0) == child);
            exit(WIFEXITED(status) ? WEXITSTATUS(status) : 4);
        }
        work.seed += work.count;
    }
}

typedef struct {
    const char *name;
    int arguments;
    void (*function)(char **arguments);
} scene;

int main(int count, char **arguments)
{
    static const scene scenes[] = {
        {"stress", 3, stress}, {"hosts", 2, several_hosts},
        {"printing", 1, printing_hosts}, {"forks", 2, forks}};
    (void)signal(SIGALRM, on_alarm);
    for (size_t number = 0; number < sizeof scenes / sizeof *scenes; number++) {
        const scene *at = &scenes[number];
        if (count >= 2 && strcmp(arguments[1], at->name) == 0 && count == 2 + at->arguments) {
            at->function(arguments + 2);
            return 0;
        }
    }
    return unknown_scene(count < 2 ? "" : arguments[1]);
}
