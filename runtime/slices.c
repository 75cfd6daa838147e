/* Tasks cut into slices, taken by whoever is free, and what follows when the last one is executed.
 *
 * Each lane has a share of a task's slices, a pair of bounds in one word. Its thread takes from the
 * front; a thread whose own share is empty takes from the back of another's. A share only shrinks,
 * so a compare-and-swap of the word is all there is to it. The last slice of a task completes it;
 * that and all that follows from it happens under the pool's lock. */
#define _POSIX_C_SOURCE 200809L

#include "annotations.h"
#include "run.h"

#include <stddef.h>

enum { SLICES_OF_A_LANE = 8 /* enough for stealing to even out unequal slices */ };

typedef struct {
    mapal_boundary boundary; /* first: a boundary of the kind SLICE is a slice */
    mapal_run *run;
    uint32_t task;
    int64_t low;
} slice;

mapal_run *mapal_run_of_work(mapal_work *work)
{
    return (mapal_run *)(void *)((unsigned char *)work - offsetof(mapal_run, work));
}

mapal_run *mapal_run_of_slice(mapal_boundary *boundary)
{
    return ((slice *)(void *)boundary)->run;
}

/* ---- Slices ---- */

uint32_t mapal_count_slices(const mapal_task *task, uint32_t lanes)
{
    if ((task->flags & (MAPAL_TASK_WHOLE | MAPAL_TASK_HOST)) != 0) {
        return 1;
    }
    int64_t blocks = task->count / task->quantum + (task->count % task->quantum != 0);
    uint32_t width = task->width != 0 && task->width < lanes ? task->width : lanes;
    uint32_t most = lanes == 1 ? 1 : width * SLICES_OF_A_LANE;
    uint32_t pieces = task->pieces < most ? task->pieces : most;
    return blocks < (int64_t)pieces ? (uint32_t)blocks : pieces;
}

/* The first element of a slice; of the one after the last, the end. */
static int64_t cut(const mapal_task *task, uint32_t slices, uint32_t number)
{
    if (number == slices) {
        return task->count;
    }
    int64_t blocks = task->count / task->quantum + (task->count % task->quantum != 0);
    int64_t whole = blocks / slices;
    int64_t rest = blocks % slices;
    /* The first `rest` slices have one block more. */
    int64_t before = (int64_t)number * whole + (number < rest ? (int64_t)number : rest);
    return before * task->quantum;
}

/* Nothing of the task from element `low` on is wanted. */
static bool is_beyond_trap(mapal_run *run, uint32_t task, int64_t low)
{
    uint32_t stop = atomic_load_explicit(&run->stop, memory_order_acquire);
    if (task != stop) {
        return task > stop;
    }
    mapal_pool_lock();
    bool beyond = low > run->trap.low;
    mapal_pool_unlock();
    return beyond;
}

static void execute(mapal_run *run, uint32_t task, uint32_t number)
{
    const mapal_task *description = &run->plan->task[task];
    uint32_t slices = run->state[task].slices;
    int64_t low = cut(description, slices, number);
    if (is_beyond_trap(run, task, low)) {
        return;
    }
    /* Nothing that changes after setjmp is read after longjmp. */
    void *mark = mapal_arena_mark();
    slice here = {.boundary.scope = {mapal_innermost_scope, MAPAL_SCOPE_SLICE},
                  .run = run,
                  .task = task,
                  .low = low};
    mapal_innermost_scope = &here.boundary.scope;
    if (setjmp(here.boundary.start) == 0) {
        description->function(low, cut(description, slices, number + 1), run->frame);
    }
    mapal_innermost_scope = here.boundary.scope.outer;
    mapal_arena_release(mark);
}

void mapal_slice_trapped(mapal_boundary *boundary, mapal_trap_report trap)
{
    slice *at = (slice *)(void *)boundary;
    mapal_run *run = at->run;
    mapal_pool_lock();
    uint32_t stop = atomic_load_explicit(&run->stop, memory_order_relaxed);
    if (at->task < stop || (at->task == stop && at->low < run->trap.low)) {
        run->trap = (found_trap){at->task, at->low, trap};
        atomic_store_explicit(&run->stop, at->task, memory_order_release);
        mapal_pool_wake_host(&run->work);
    }
    mapal_pool_unlock();
}

/* ---- Taking ---- */

static uint64_t packed(uint32_t first, uint32_t end)
{
    return (uint64_t)end << 32 | first;
}

/* A slice of a share, from its front or its back. */
static bool take_from(_Atomic uint64_t *share, bool front, uint32_t *number)
{
    uint64_t seen = atomic_load_explicit(share, memory_order_relaxed);
    for (;;) {
        uint32_t first = (uint32_t)seen;
        uint32_t end = (uint32_t)(seen >> 32);
        if (first >= end) {
            return false;
        }
        uint64_t left = front ? packed(first + 1, end) : packed(first, end - 1);
        if (atomic_compare_exchange_weak_explicit(share, &seen, left, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            *number = front ? first : end - 1;
            return true;
        }
    }
}

static bool take_slice(mapal_run *run, task_state *state, uint32_t *number)
{
    uint32_t own = mapal_lane < run->lanes ? mapal_lane : mapal_lane % run->lanes;
    for (uint32_t distance = 0; distance < run->lanes; distance++) {
        uint32_t lane = own + distance < run->lanes ? own + distance : own + distance - run->lanes;
        if (take_from(&state->share[lane], distance == 0, number)) {
            (void)atomic_fetch_sub_explicit(&state->takable, 1, memory_order_relaxed);
            (void)atomic_fetch_sub_explicit(&run->work.takable, 1, memory_order_relaxed);
            return true;
        }
    }
    return false;
}

#ifdef MAPAL_SHUFFLED
/* For tests: tasks are taken in any order that their edges allow, however few threads there are. */
static _Thread_local uint32_t shuffled_state;

bool mapal_toss(void)
{
    shuffled_state = shuffled_state * 1664525u + 1013904223u;
    return (shuffled_state >> 31) != 0;
}
#endif

/* By rank, and in a pool of one by position. */
static bool comes_first(const mapal_run *run, uint32_t task, uint32_t other)
{
#ifdef MAPAL_SHUFFLED
    (void)run;
    (void)task;
    (void)other;
    return mapal_toss();
#else
    const mapal_task *tasks = run->plan->task;
    return run->lanes == 1 ? task < other : tasks[task].rank > tasks[other].rank;
#endif
}

/* The ready task with slices to take that comes first. */
static bool choose_task(mapal_run *run, uint32_t *task)
{
    uint32_t ready = atomic_load_explicit(&run->ready_tasks, memory_order_acquire);
    MAPAL_ACQUIRED(&run->ready_tasks);
    bool found = false;
    for (uint32_t at = 0; at < ready; at++) {
        uint32_t candidate = run->ready[at];
        if (atomic_load_explicit(&run->state[candidate].takable, memory_order_relaxed) <= 0) {
            continue;
        }
        if (!found || comes_first(run, candidate, *task)) {
            found = true;
            *task = candidate;
        }
    }
    return found;
}

/* ---- Completion, under the lock ---- */

static void make_complete(mapal_run *run, uint32_t task, announcement *announced)
{
    const mapal_task *description = &run->plan->task[task];
    MAPAL_RELEASED(&run->state[task].status);
    atomic_store_explicit(&run->state[task].status, COMPLETE, memory_order_release);
    MAPAL_RELEASED(&run->complete);
    (void)atomic_fetch_add_explicit(&run->complete, 1, memory_order_release);
    for (uint32_t edge = 0; edge < description->successors; edge++) {
        uint32_t successor = run->plan->successor[description->first_successor + edge];
        run->state[successor].pending--;
        if (run->state[successor].pending == 0) {
            mapal_make_ready(run, successor, announced);
        }
    }
}

/* A chain of tasks without elements completes by recursion; plans have few tasks. */
void mapal_make_ready(mapal_run *run, uint32_t task, announcement *announced)
{
    task_state *state = &run->state[task];
    atomic_store_explicit(&state->status, READY, memory_order_release);
    if ((run->plan->task[task].flags & MAPAL_TASK_HOST) != 0) {
        return;
    }
    if (state->slices == 0) {
        make_complete(run, task, announced);
        return;
    }
    for (uint32_t lane = 0; lane < run->lanes; lane++) {
        uint32_t first = (uint32_t)((uint64_t)state->slices * lane / run->lanes);
        uint32_t end = (uint32_t)((uint64_t)state->slices * (lane + 1) / run->lanes);
        atomic_store_explicit(&state->share[lane], packed(first, end), memory_order_relaxed);
    }
    atomic_store_explicit(&state->takable, state->slices, memory_order_relaxed);
    uint32_t at = atomic_load_explicit(&run->ready_tasks, memory_order_relaxed);
    run->ready[at] = task;
    MAPAL_RELEASED(&run->ready_tasks);
    atomic_store_explicit(&run->ready_tasks, at + 1, memory_order_release);
    uint32_t width = run->plan->task[task].width;
    announced->slices += state->slices;
    announced->threads += width != 0 && width < state->slices ? width : state->slices;
}

void mapal_make_complete(mapal_run *run, uint32_t task)
{
    announcement announced = {0, 0};
    make_complete(run, task, &announced);
    if (announced.slices != 0) {
        mapal_pool_announce(&run->work, announced.slices, announced.threads);
    } else {
        mapal_pool_wake_host(&run->work);
    }
}

/* Executes one slice, if there is one to take. */
bool mapal_work_once(mapal_run *run)
{
    uint32_t task = 0;
    uint32_t number;
    while (choose_task(run, &task)) {
        task_state *state = &run->state[task];
        if (!take_slice(run, state, &number)) {
            continue; /* others were faster */
        }
        execute(run, task, number);
        MAPAL_RELEASED(&state->remaining);
        if (atomic_fetch_sub_explicit(&state->remaining, 1, memory_order_acq_rel) == 1) {
            MAPAL_ACQUIRED(&state->remaining);
            mapal_pool_lock();
            mapal_make_complete(run, task);
            mapal_pool_unlock();
        }
        return true;
    }
    return false;
}

void mapal_work_help(mapal_work *work)
{
    while (mapal_work_once(mapal_run_of_work(work))) {
    }
}
