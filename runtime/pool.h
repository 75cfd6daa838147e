/* The threads of the process that help with runs. */
#ifndef MAPAL_POOL_H
#define MAPAL_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What the pool knows of a run. Everything but `takable` is guarded by the pool's lock. */
typedef struct mapal_work mapal_work;
struct mapal_work {
    mapal_work *next;
    mapal_work *previous;
    mapal_work *outer;        /* of the run in whose spine or slice this one started, or null */
    uint32_t helpers;         /* workers inside */
    int processor;            /* that the host ran on when the work was offered */
    bool awaited;             /* the host sleeps on `changed` */
    pthread_cond_t changed;   /* a task is complete, work has appeared here or inside, or
                               * the last helper left */
    atomic_int_fast64_t takable; /* slices that nobody has taken */
};

/* Executes slices of a run until none can be taken. */
void mapal_work_help(mapal_work *work);

/* The lane of this thread: 0 for every thread that is not a worker. */
extern _Thread_local uint32_t mapal_lane;

/* Lanes of the pool: at most this many threads work at once, the caller included. */
uint32_t mapal_pool_lanes(void);

void mapal_pool_lock(void);
void mapal_pool_unlock(void);

/* Under the lock: opens the work to the workers. */
void mapal_pool_offer(mapal_work *work);

/* Under the lock: `slices` more can be taken; up to `threads` workers are woken or started. */
void mapal_pool_announce(mapal_work *work, int64_t slices, int64_t threads);

/* How often work has appeared: a hint without the lock. */
unsigned mapal_pool_arrivals(void);

/* Enters work with slices to take of a run that started inside of this one, as a worker does; null,
 * with the arrivals so far, if there is none. Takes the lock. */
mapal_work *mapal_pool_enter_inside(const mapal_work *work, unsigned *seen);

/* Leaves work that was entered. Takes the lock. */
void mapal_pool_leave(mapal_work *work);

/* Under the lock: whether slices of this work, or of work inside of it, can be taken. */
bool mapal_pool_has_slices(const mapal_work *work);

/* Under the lock: sleeps until the work changes. */
void mapal_pool_sleep(mapal_work *work);

/* Under the lock: wakes the host that sleeps for the work. */
void mapal_pool_wake_host(mapal_work *work);

/* No worker is inside the work when this returns, and none will be. Takes the lock. */
void mapal_pool_withdraw(mapal_work *work);

/* A time of looking again and again; starts as {0, 0}. */
typedef struct {
    int64_t end; /* nanoseconds; 0 until the clock is read */
    uint32_t looks;
} mapal_moment;

/* One look of many: lets the processor breathe. Tells whether to look again: not for longer than
 * sleeping and waking may cost, and not at all when there are more threads than processors. */
bool mapal_pool_look(mapal_moment *moment);

#endif
