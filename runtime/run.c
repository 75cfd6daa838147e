/* A run as its host sees it: it starts, waits, learns of traps, and finishes.
 *
 * `stop` is the position of the first trap so far. A task after it is not executed but counted as
 * complete, and so are the slices of the same task after the one that trapped. Whoever depends on such
 * a task comes after it, so nothing that was not computed is ever read; the host compares with
 * `stop` before it goes on. */
#define _POSIX_C_SOURCE 200809L

#include "annotations.h"
#include "output.h"
#include "run.h"

#include <stddef.h>

static mapal_run *run_of_scope(mapal_scope *scope)
{
    return (mapal_run *)(void *)scope;
}

uint32_t mapal_lanes(void)
{
    return mapal_pool_lanes();
}

/* ---- Waiting ---- */

typedef bool (*condition)(mapal_run *run, uint32_t position);

static bool is_complete(mapal_run *run, uint32_t task)
{
    bool complete =
        atomic_load_explicit(&run->state[task].status, memory_order_acquire) == COMPLETE;
    MAPAL_ACQUIRED(&run->state[task].status);
    return complete;
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
    uint32_t complete = atomic_load_explicit(&run->complete, memory_order_acquire);
    MAPAL_ACQUIRED(&run->complete);
    return complete == run->plan->tasks;
}

/* Helps with a run that started inside of this one, until nothing of it can be taken or the condition
 * holds. False, with the arrivals so far, if there is none. */
static bool help_inside(mapal_run *run, condition holds, uint32_t position, unsigned *seen)
{
    mapal_work *inside = mapal_pool_enter_inside(&run->work, seen);
    if (inside == NULL) {
        return false;
    }
    mapal_run *inner = mapal_run_of_work(inside);
    while (!holds(run, position) && mapal_work_once(inner)) {
    }
    mapal_pool_leave(inside);
    return true;
}

static void help_until(mapal_run *run, condition holds, uint32_t position)
{
    mapal_moment moment = {0, 0};
    unsigned seen = mapal_pool_arrivals() - 1; /* to look once in any case */
    while (!holds(run, position)) {
        if (mapal_work_once(run) || (mapal_pool_arrivals() != seen &&
                                     help_inside(run, holds, position, &seen))) {
            moment = (mapal_moment){0, 0};
            continue;
        }
        if (mapal_pool_look(&moment)) {
            continue;
        }
        mapal_pool_lock();
        if (!holds(run, position) && !mapal_pool_has_slices(&run->work)) {
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
    MAPAL_ATOMIC(block, bytes);
    mapal_run *run = (mapal_run *)(void *)block;
    run->state = (task_state *)(void *)(block + sizeof *run);
    _Atomic uint64_t *shares = (_Atomic uint64_t *)(void *)(run->state + tasks);
    for (size_t task = 0; task < tasks; task++) {
        run->state[task].share = shares + task * lanes;
    }
    run->ready = (uint32_t *)(void *)(shares + tasks * lanes);
    return run;
}

/* The work of the run in whose spine or slice this thread is; null outside of all. */
static mapal_work *enclosing_work(void)
{
    mapal_scope *scope = mapal_innermost_scope;
    while (scope != NULL && scope->kind == MAPAL_SCOPE_CALL) {
        scope = scope->outer;
    }
    if (scope == NULL) {
        return NULL;
    }
    mapal_run *run = scope->kind == MAPAL_SCOPE_RUN
                         ? run_of_scope(scope)
                         : mapal_run_of_slice((mapal_boundary *)(void *)scope);
    return &run->work;
}

static void initialise(mapal_run *run, const mapal_task_plan *plan, void *frame, uint32_t lanes)
{
    run->scope = (mapal_scope){mapal_innermost_scope, MAPAL_SCOPE_RUN};
    run->work.outer = enclosing_work();
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
        state->slices = mapal_count_slices(description, lanes);
        atomic_init(&state->takable, 0);
        atomic_init(&state->remaining, state->slices);
    }
}

/* Of what is ready at once, `taken` slices need no other thread. */
static mapal_run *start(const mapal_task_plan *plan, void *frame, int64_t taken)
{
    uint32_t lanes = mapal_pool_lanes();
    mapal_run *run = allocate(plan, lanes);
    initialise(run, plan, frame, lanes);
    mapal_innermost_scope = &run->scope;
    mapal_pool_lock();
    mapal_pool_offer(&run->work);
    announcement announced = {0, -taken};
    for (uint32_t task = 0; task < plan->tasks; task++) {
        if (plan->task[task].predecessors == 0) {
            mapal_make_ready(run, task, &announced);
        }
    }
    if (announced.slices != 0) {
        mapal_pool_announce(&run->work, announced.slices, announced.threads);
    }
    mapal_pool_unlock();
    return run;
}

mapal_run *mapal_run_start(const mapal_task_plan *plan, void *frame)
{
    return start(plan, frame, 0);
}

void mapal_run_at(mapal_run *run, uint32_t position)
{
    check(position >= run->position && position <= run->plan->tasks, "the spine goes forward");
#ifdef MAPAL_SHUFFLED
    while (mapal_toss() && mapal_work_once(run)) {
    }
#endif
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
    mapal_make_complete(run, task);
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
    /* The host takes the first slice itself. */
    mapal_run_finish(start(plan, frame, 1));
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
