/* A run: the tasks of a plan, cut into slices, taken by whoever is free.
 *
 * Each lane has a share of a task's slices, a pair of bounds in one word. Its thread takes from the
 * front; a thread whose own share is empty takes from the back of another's. A share only shrinks,
 * so a compare-and-swap of the word is all there is to it. The last slice of a task completes it;
 * that and all that follows from it happens under the pool's lock.
 *
 * Traps: `stop` is the position of the first trap so far. A task after it is not executed but
 * counted as complete, and so are the slices of the same task after the one that trapped. Whoever
 * depends on such a task comes after it, so nothing that was not computed is ever read; the host
 * compares with `stop` before it goes on. */
#define _POSIX_C_SOURCE 200809L

#include "mapal_runtime.h"
#include "output.h"
#include "pool.h"
#include "scope.h"

#include <stddef.h>

enum {
    LOOKS_BEFORE_SLEEP = 2000,
    SLICES_OF_A_LANE = 8 /* enough for stealing to even out unequal slices */
};

typedef enum { WAITING, READY, COMPLETE } status;

typedef struct {
    atomic_uint status;
    uint32_t pending; /* predecessors that are not complete; under the lock */
    uint32_t slices;
    atomic_int_fast64_t takable;   /* slices in the shares */
    atomic_int_fast64_t remaining; /* slices not yet executed */
    _Atomic uint64_t *share;       /* one for each lane: first | end << 32 */
} task_state;

typedef struct {
    uint32_t position;
    int64_t low; /* of the slice */
    mapal_trap_report report;
} found_trap;

struct mapal_run {
    mapal_scope scope; /* first: a scope of this kind is a run */
    mapal_work work;
    const mapal_task_plan *plan;
    void *frame;
    task_state *state;
    uint32_t lanes;
    uint32_t position; /* of the spine */
    uint32_t settled;  /* tasks below are complete or total */
    atomic_uint stop;  /* position of the first trap; UINT32_MAX for none */
    atomic_uint complete;
    found_trap trap;   /* where stop is not UINT32_MAX; under the lock */
    atomic_uint ready_tasks;
    uint32_t *ready; /* in the order in which they became ready */
};

typedef struct {
    mapal_boundary boundary; /* first: a boundary of the kind SLICE is a slice */
    mapal_run *run;
    uint32_t task;
    int64_t low;
} slice;

static mapal_run *run_of_scope(mapal_scope *scope)
{
    return (mapal_run *)(void *)scope;
}

static mapal_run *run_of_work(mapal_work *work)
{
    return (mapal_run *)(void *)((unsigned char *)work - offsetof(mapal_run, work));
}

uint32_t mapal_lanes(void)
{
    return mapal_pool_lanes();
}

/* ---- Slices ---- */

static uint32_t count_slices(const mapal_task *task, uint32_t lanes)
{
    if ((task->flags & (MAPAL_TASK_WHOLE | MAPAL_TASK_HOST)) != 0) {
        return 1;
    }
    int64_t blocks = task->count / task->quantum + (task->count % task->quantum != 0);
    uint32_t most = lanes == 1 ? 1 : lanes * SLICES_OF_A_LANE;
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

/* The ready task with slices to take that comes first: by rank, and in a pool of one by position. */
static bool choose_task(mapal_run *run, uint32_t *task)
{
    uint32_t ready = atomic_load_explicit(&run->ready_tasks, memory_order_acquire);
    bool found = false;
    for (uint32_t at = 0; at < ready; at++) {
        uint32_t candidate = run->ready[at];
        if (atomic_load_explicit(&run->state[candidate].takable, memory_order_relaxed) <= 0) {
            continue;
        }
        const mapal_task *tasks = run->plan->task;
        bool first = run->lanes == 1 ? candidate < *task : tasks[candidate].rank > tasks[*task].rank;
        if (!found || first) {
            found = true;
            *task = candidate;
        }
    }
    return found;
}

/* ---- Completion, under the lock ---- */

static void make_ready(mapal_run *run, uint32_t task, int64_t *announced);

static void make_complete(mapal_run *run, uint32_t task, int64_t *announced)
{
    const mapal_task *description = &run->plan->task[task];
    atomic_store_explicit(&run->state[task].status, COMPLETE, memory_order_release);
    (void)atomic_fetch_add_explicit(&run->complete, 1, memory_order_release);
    for (uint32_t edge = 0; edge < description->successors; edge++) {
        uint32_t successor = run->plan->successor[description->first_successor + edge];
        run->state[successor].pending--;
        if (run->state[successor].pending == 0) {
            make_ready(run, successor, announced);
        }
    }
}

/* A chain of tasks without elements completes by recursion; plans have few tasks. */
static void make_ready(mapal_run *run, uint32_t task, int64_t *announced)
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
    atomic_store_explicit(&run->ready_tasks, at + 1, memory_order_release);
    *announced += state->slices;
}

static void complete(mapal_run *run, uint32_t task)
{
    int64_t announced = 0;
    make_complete(run, task, &announced);
    if (announced != 0) {
        mapal_pool_announce(&run->work, announced);
    } else {
        mapal_pool_wake_host(&run->work);
    }
}

/* Executes one slice, if there is one to take. */
static bool work_once(mapal_run *run)
{
    uint32_t task = 0;
    uint32_t number;
    while (choose_task(run, &task)) {
        task_state *state = &run->state[task];
        if (!take_slice(run, state, &number)) {
            continue; /* others were faster */
        }
        execute(run, task, number);
        if (atomic_fetch_sub_explicit(&state->remaining, 1, memory_order_acq_rel) == 1) {
            mapal_pool_lock();
            complete(run, task);
            mapal_pool_unlock();
        }
        return true;
    }
    return false;
}

void mapal_work_help(mapal_work *work)
{
    while (work_once(run_of_work(work))) {
    }
}

/* ---- Waiting ---- */

typedef bool (*condition)(mapal_run *run, uint32_t position);

static bool is_complete(mapal_run *run, uint32_t task)
{
    return atomic_load_explicit(&run->state[task].status, memory_order_acquire) == COMPLETE;
}

/* Every task below the position, or below the first trap, is complete or total. */
static bool is_settled(mapal_run *run, uint32_t position)
{
    uint32_t stop = atomic_load_explicit(&run->stop, memory_order_acquire);
    uint32_t end = stop < position ? stop : position;
    while (run->settled < end && ((run->plan->task[run->settled].flags & MAPAL_TASK_TOTAL) != 0 ||
                                  is_complete(run, run->settled))) {
        run->settled++;
    }
    /* The task that trapped first may have slices before the one that did. */
    return run->settled >= end && (stop >= position || is_complete(run, stop));
}

/* The task is complete, or comes after a trap. */
static bool is_decided(mapal_run *run, uint32_t task)
{
    return is_complete(run, task) ||
           atomic_load_explicit(&run->stop, memory_order_acquire) <= task;
}

static bool all_complete(mapal_run *run, uint32_t unused)
{
    (void)unused;
    return atomic_load_explicit(&run->complete, memory_order_acquire) == run->plan->tasks;
}

static void help_until(mapal_run *run, condition holds, uint32_t position)
{
    int looks = 0;
    while (!holds(run, position)) {
        if (work_once(run)) {
            looks = 0;
            continue;
        }
        if (looks < LOOKS_BEFORE_SLEEP && mapal_pool_may_spin()) {
            looks++;
            mapal_pool_pause();
            continue;
        }
        mapal_pool_lock();
        if (!holds(run, position) &&
            atomic_load_explicit(&run->work.takable, memory_order_relaxed) <= 0) {
            mapal_pool_sleep(&run->work);
        }
        mapal_pool_unlock();
    }
}

/* Goes on outwards with the first trap if there is one below the position. */
static void deliver(mapal_run *run, uint32_t position)
{
    if (atomic_load_explicit(&run->stop, memory_order_acquire) < position) {
        /* The report is replaced by the one on record. */
        mapal_trap(MAPAL_TRAP_DIV_ZERO, 0);
    }
}

void mapal_run_decide(mapal_scope *scope, mapal_trap_report *first)
{
    mapal_run *run = run_of_scope(scope);
    help_until(run, is_settled, run->position);
    mapal_pool_lock();
    if (atomic_load_explicit(&run->stop, memory_order_relaxed) < run->position) {
        *first = run->trap.report;
    }
    mapal_pool_unlock();
}

void mapal_run_abandon(mapal_scope *scope)
{
    mapal_run *run = run_of_scope(scope);
    mapal_pool_lock();
    run->trap.low = -1;
    atomic_store_explicit(&run->stop, 0, memory_order_release);
    mapal_pool_unlock();
    mapal_pool_withdraw(&run->work);
    (void)pthread_cond_destroy(&run->work.changed);
}

/* ---- For emitted code ---- */

static void check(bool kept, const char *promise)
{
    if (!kept) {
        mapal_bug("a run that breaks its promise: %s", promise);
    }
}

/* One block: the run, its states, its list of ready tasks, the shares. */
static mapal_run *allocate(const mapal_task_plan *plan, uint32_t lanes)
{
    size_t tasks = plan->tasks;
    size_t bytes = sizeof(mapal_run) + tasks * (sizeof(task_state) + sizeof(uint32_t) +
                                                lanes * sizeof(_Atomic uint64_t));
    unsigned char *block = mapal_arena_allocate((int64_t)(bytes + sizeof(uint64_t)), 64);
    mapal_run *run = (mapal_run *)(void *)block;
    run->state = (task_state *)(void *)(block + sizeof *run);
    _Atomic uint64_t *shares = (_Atomic uint64_t *)(void *)(run->state + tasks);
    for (size_t task = 0; task < tasks; task++) {
        run->state[task].share = shares + task * lanes;
    }
    run->ready = (uint32_t *)(void *)(shares + tasks * lanes);
    return run;
}

static void initialise(mapal_run *run, const mapal_task_plan *plan, void *frame, uint32_t lanes)
{
    run->scope = (mapal_scope){mapal_innermost_scope, MAPAL_SCOPE_RUN};
    run->work.helpers = 0;
    run->work.awaited = false;
    atomic_init(&run->work.takable, 0);
    if (pthread_cond_init(&run->work.changed, NULL) != 0) {
        mapal_bug("a condition variable cannot be made");
    }
    run->plan = plan;
    run->frame = frame;
    run->lanes = lanes;
    run->position = 0;
    run->settled = 0;
    atomic_init(&run->stop, UINT32_MAX);
    atomic_init(&run->complete, 0);
    atomic_init(&run->ready_tasks, 0);
    for (uint32_t task = 0; task < plan->tasks; task++) {
        const mapal_task *description = &plan->task[task];
        check(description->quantum >= 1 && description->pieces >= 1 && description->count >= 0,
              "a task has a quantum, pieces, and no negative count");
        task_state *state = &run->state[task];
        atomic_init(&state->status, WAITING);
        state->pending = description->predecessors;
        state->slices = count_slices(description, lanes);
        atomic_init(&state->takable, 0);
        atomic_init(&state->remaining, state->slices);
    }
}

mapal_run *mapal_run_start(const mapal_task_plan *plan, void *frame)
{
    uint32_t lanes = mapal_pool_lanes();
    mapal_run *run = allocate(plan, lanes);
    initialise(run, plan, frame, lanes);
    mapal_innermost_scope = &run->scope;
    mapal_pool_lock();
    mapal_pool_offer(&run->work);
    int64_t announced = 0;
    for (uint32_t task = 0; task < plan->tasks; task++) {
        if (plan->task[task].predecessors == 0) {
            make_ready(run, task, &announced);
        }
    }
    if (announced != 0) {
        mapal_pool_announce(&run->work, announced);
    }
    mapal_pool_unlock();
    return run;
}

void mapal_run_at(mapal_run *run, uint32_t position)
{
    check(position >= run->position && position <= run->plan->tasks, "the spine goes forward");
    run->position = position;
}

void mapal_run_await(mapal_run *run, uint32_t task)
{
    check(task < run->position, "what is awaited lies behind the spine");
    help_until(run, is_decided, task);
    deliver(run, run->position);
}

void mapal_run_settle(mapal_run *run)
{
    help_until(run, is_settled, run->position);
    deliver(run, run->position);
}

void mapal_run_complete(mapal_run *run, uint32_t task)
{
    check(task < run->plan->tasks && (run->plan->task[task].flags & MAPAL_TASK_HOST) != 0,
          "only a task of the host is completed by it");
    /* A predecessor is seen to be complete a moment before its successors know. */
    mapal_pool_lock();
    check(atomic_load(&run->state[task].status) == READY, "predecessors come first, and once");
    complete(run, task);
    mapal_pool_unlock();
}

void mapal_run_plan(const mapal_task_plan *plan, void *frame)
{
    if (plan->tasks == 1 && mapal_pool_lanes() == 1) {
        /* One task on one thread is a call: its traps need no order. */
        plan->task[0].function(0, plan->task[0].count, frame);
        return;
    }
    void *mark = mapal_arena_mark();
    mapal_run_finish(mapal_run_start(plan, frame));
    mapal_arena_release(mark);
}

void mapal_run_finish(mapal_run *run)
{
    run->position = run->plan->tasks;
    help_until(run, is_settled, run->position);
    deliver(run, run->position);
    help_until(run, all_complete, 0);
    mapal_pool_withdraw(&run->work);
    (void)pthread_cond_destroy(&run->work.changed);
    mapal_innermost_scope = run->scope.outer;
}
