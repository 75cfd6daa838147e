/* The pool: a worker looks for offered work, helps with it until nothing of it can be taken, and
 * sleeps when there is none. A host that waits helps in the same way with runs that started inside of
 * its own, and with no others: what it waits for never waits for what it does meanwhile.
 *
 * One lock guards which work is offered, who is inside, and all sleeping. It is taken when a task
 * becomes ready or complete and when a worker enters or leaves, never for a slice. A worker enters
 * only under the lock, so work that is withdrawn and has no helper left is not looked at again.
 * Workers are started when work appears that is worth more of them than are idle, so a small run on a
 * large machine does not pay for all. The protocol is modelled in runtime/model. */
#define _POSIX_C_SOURCE 200809L

#include "pool.h"

#include "annotations.h"
#include "lanes.h"
#include "output.h"

#include <stdlib.h>
#include <time.h>

enum {
    LOOKS_BETWEEN_CLOCKS = 64,
    /* Waking a processor that a virtual machine has halted takes from 100 to 700 microseconds. */
    SPIN_NANOSECONDS = 1000000,
    LOOKS_FOR_HELPERS = 200
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t arrived; /* work has appeared, or the pool closes */
    mapal_work *newest;
    uint32_t sleepers;
    uint32_t idle;  /* workers without work, the sleepers among them */
    uint32_t lanes; /* 0 until the pool starts */
    uint32_t workers;
    bool full; /* the system gives no further thread */
    bool closing;
    bool may_spin;
    atomic_uint arrivals; /* how often work has appeared; changes under the lock */
    pthread_t thread[MAPAL_MOST_LANES];
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .arrived = PTHREAD_COND_INITIALIZER};

_Thread_local uint32_t mapal_lane;

static pthread_once_t fork_handled = PTHREAD_ONCE_INIT;

void mapal_pool_lock(void)
{
    (void)pthread_mutex_lock(&pool.mutex);
}

void mapal_pool_unlock(void)
{
    (void)pthread_mutex_unlock(&pool.mutex);
}

static void pause_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

static int64_t nanoseconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool mapal_pool_look(mapal_moment *moment)
{
    if (!pool.may_spin) {
        return false;
    }
    pause_processor();
    if (++moment->looks % LOOKS_BETWEEN_CLOCKS != 0) {
        return true;
    }
    int64_t now = nanoseconds();
    if (moment->end == 0) {
        moment->end = now + SPIN_NANOSECONDS;
    }
    return now < moment->end;
}

/* Without the lock: returns when work has appeared since `seen`, or after a moment. */
static void look_for_a_moment(unsigned seen)
{
    mapal_moment moment = {0, 0};
    while (atomic_load_explicit(&pool.arrivals, memory_order_relaxed) == seen &&
           mapal_pool_look(&moment)) {
    }
}

static mapal_work *takable_work(void)
{
    for (mapal_work *work = pool.newest; work != NULL; work = work->next) {
        if (atomic_load_explicit(&work->takable, memory_order_relaxed) > 0) {
            return work;
        }
    }
    return NULL;
}

/* Under the lock. */
static void leave(mapal_work *work)
{
    work->helpers--;
    if (work->helpers == 0) {
        mapal_pool_wake_host(work);
    }
}

/* A system may wake a worker on the processor of its host and leave both there for tens of
 * milliseconds, with another processor idle beside them. */
static void step_aside(int processor)
{
    if (pool.may_spin && processor >= 0 && mapal_current_processor() == processor) {
        mapal_leave_processor(processor);
    }
}

static void help(mapal_work *work)
{
    work->helpers++;
    mapal_pool_unlock();
    step_aside(work->processor);
    mapal_work_help(work);
    mapal_pool_lock();
    leave(work);
}

static bool is_inside(const mapal_work *work, const mapal_work *outer)
{
    while (work != NULL && work != outer) {
        work = work->outer;
    }
    return work != NULL;
}

/* Under the lock: the work itself counts as inside. */
static mapal_work *takable_inside(const mapal_work *outer)
{
    for (mapal_work *work = pool.newest; work != NULL; work = work->next) {
        if (atomic_load_explicit(&work->takable, memory_order_relaxed) > 0 &&
            is_inside(work, outer)) {
            return work;
        }
    }
    return NULL;
}

unsigned mapal_pool_arrivals(void)
{
    return atomic_load_explicit(&pool.arrivals, memory_order_relaxed);
}

mapal_work *mapal_pool_enter_inside(const mapal_work *work, unsigned *seen)
{
    mapal_pool_lock();
    mapal_work *found = takable_inside(work);
    if (found != NULL) {
        found->helpers++;
    } else {
        *seen = mapal_pool_arrivals();
    }
    mapal_pool_unlock();
    return found;
}

void mapal_pool_leave(mapal_work *work)
{
    mapal_pool_lock();
    leave(work);
    mapal_pool_unlock();
}

bool mapal_pool_has_slices(const mapal_work *work)
{
    return takable_inside(work) != NULL;
}

static void *serve(void *number)
{
    mapal_lane = (uint32_t)(uintptr_t)number + 1;
    mapal_pool_lock();
    while (!pool.closing) {
        mapal_work *work = takable_work();
        if (work != NULL) {
            help(work);
            continue;
        }
        unsigned seen = atomic_load_explicit(&pool.arrivals, memory_order_relaxed);
        pool.idle++;
        mapal_pool_unlock();
        look_for_a_moment(seen);
        mapal_pool_lock();
        pool.sleepers++;
        while (atomic_load_explicit(&pool.arrivals, memory_order_relaxed) == seen &&
               !pool.closing) {
            (void)pthread_cond_wait(&pool.arrived, &pool.mutex);
        }
        pool.sleepers--;
        pool.idle--;
    }
    mapal_pool_unlock();
    return NULL;
}

static void before_fork(void)
{
    mapal_pool_lock();
}

/* Only the thread that forked lives on in the child: the pool starts anew with its next run. Work
 * that other threads had offered went with them. */
static void in_child(void)
{
    pool.newest = NULL;
    pool.sleepers = 0;
    pool.idle = 0;
    pool.lanes = 0;
    pool.workers = 0;
    pool.full = false;
    (void)pthread_mutex_init(&pool.mutex, NULL);
    (void)pthread_cond_init(&pool.arrived, NULL);
}

static void handle_forks(void)
{
    if (pthread_atfork(before_fork, mapal_pool_unlock, in_child) != 0) {
        mapal_bug("fork handlers cannot be registered");
    }
}

/* Ends the workers with the process or the library, unless one may be busy for ever: a program that
 * traps does not wait for work that comes later in its order. */
__attribute__((destructor)) static void close_pool(void)
{
    mapal_pool_lock();
    bool idle = pool.newest == NULL;
    pool.closing = idle;
    uint32_t workers = pool.workers;
    (void)pthread_cond_broadcast(&pool.arrived);
    mapal_pool_unlock();
    if (!idle) {
        return;
    }
    for (uint32_t worker = 0; worker < workers; worker++) {
        (void)pthread_join(pool.thread[worker], NULL);
    }
    pool.workers = 0;
    pool.lanes = 0;
    pool.closing = false;
}

/* Under the lock: starts workers until as many as wanted are idle. With fewer threads than wanted the
 * work is the same, only slower. */
static void grow(int64_t wanted)
{
    for (int64_t idle = pool.idle;
         idle < wanted && pool.workers + 1 < pool.lanes && !pool.full; idle++) {
        void *number = (void *)(uintptr_t)pool.workers;
        if (pthread_create(&pool.thread[pool.workers], NULL, serve, number) == 0) {
            pool.workers++;
        } else {
            pool.full = true;
        }
    }
}

uint32_t mapal_pool_lanes(void)
{
    (void)pthread_once(&fork_handled, handle_forks);
    mapal_pool_lock();
    if (pool.lanes == 0) {
        MAPAL_ATOMIC(&pool.arrivals, sizeof pool.arrivals);
        pool.lanes = mapal_count_lanes();
        pool.may_spin = pool.lanes <= mapal_count_processors();
    }
    uint32_t lanes = pool.lanes;
    mapal_pool_unlock();
    return lanes;
}

void mapal_pool_offer(mapal_work *work)
{
    work->processor = mapal_current_processor();
    work->previous = NULL;
    work->next = pool.newest;
    if (pool.newest != NULL) {
        pool.newest->previous = work;
    }
    pool.newest = work;
}

void mapal_pool_announce(mapal_work *work, int64_t slices, int64_t threads)
{
    (void)atomic_fetch_add_explicit(&work->takable, slices, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&pool.arrivals, 1, memory_order_relaxed);
    for (int64_t woken = 0; woken < threads && woken < (int64_t)pool.sleepers; woken++) {
        (void)pthread_cond_signal(&pool.arrived);
    }
    grow(threads);
    for (mapal_work *at = work; at != NULL; at = at->outer) {
        mapal_pool_wake_host(at);
    }
}

void mapal_pool_sleep(mapal_work *work)
{
    work->awaited = true;
    (void)pthread_cond_wait(&work->changed, &pool.mutex);
    work->awaited = false;
}

void mapal_pool_wake_host(mapal_work *work)
{
    if (work->awaited) {
        (void)pthread_cond_signal(&work->changed);
    }
}

void mapal_pool_withdraw(mapal_work *work)
{
    mapal_pool_lock();
    if (work->previous != NULL) {
        work->previous->next = work->next;
    } else {
        pool.newest = work->next;
    }
    if (work->next != NULL) {
        work->next->previous = work->previous;
    }
    for (int look = 0; work->helpers != 0; look++) {
        if (look < LOOKS_FOR_HELPERS && pool.may_spin) {
            /* They find nothing more to take and are about to leave. */
            mapal_pool_unlock();
            pause_processor();
            mapal_pool_lock();
        } else {
            mapal_pool_sleep(work);
        }
    }
    mapal_pool_unlock();
}
