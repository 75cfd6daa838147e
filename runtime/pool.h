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
    uint32_t helpers;         /* workers inside */
    bool awaited;             /* the host sleeps on `changed` */
    pthread_cond_t changed;   /* a task is complete, work has appeared, or the last helper left */
    atomic_int_fast64_t takable; /* slices that nobody has taken */
};

/* Executes slices of a run until none can be taken. */
void mapal_work_help(mapal_work *work);

/* The lane of this thread: 0 for every thread that is not a worker. */
extern _Thread_local uint32_t mapal_lane;

/* Lanes of the pool, which starts with the first question: this many threads work at once, the
 * caller included. */
uint32_t mapal_pool_lanes(void);

void mapal_pool_lock(void);
void mapal_pool_unlock(void);

/* Under the lock: opens the work to the workers. */
void mapal_pool_offer(mapal_work *work);

/* Under the lock: `slices` more can be taken; as many sleepers are woken. */
void mapal_pool_announce(mapal_work *work, int64_t slices);

/* Under the lock: sleeps until the work changes. */
void mapal_pool_sleep(mapal_work *work);

/* Under the lock: wakes the host that sleeps for the work. */
void mapal_pool_wake_host(mapal_work *work);

/* No worker is inside the work when this returns, and none will be. Takes the lock. */
void mapal_pool_withdraw(mapal_work *work);

/* Whether looking again and again for a moment is better than to sleep: not when there are more
 * threads than processors. */
bool mapal_pool_may_spin(void);

/* One look of many: lets the processor breathe. */
void mapal_pool_pause(void);

#endif
