/* What a run consists of, for the two files that know: slices.c executes tasks, run.c waits for them. */
#ifndef MAPAL_RUN_H
#define MAPAL_RUN_H

#include "mapal_runtime.h"
#include "pool.h"
#include "scope.h"

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

/* Slices that can be taken from now on, and how many threads they are worth. */
typedef struct {
    int64_t slices;
    int64_t threads;
} announcement;

mapal_run *mapal_run_of_work(mapal_work *work);

/* The run that a slice belongs to. */
mapal_run *mapal_run_of_slice(mapal_boundary *slice);

/* How many slices a task is cut into; 0 for one without elements. */
uint32_t mapal_count_slices(const mapal_task *task, uint32_t lanes);

/* Executes one slice, if there is one to take. */
bool mapal_work_once(mapal_run *run);

#ifdef MAPAL_SHUFFLED
bool mapal_toss(void);
#endif

/* Under the lock: nothing holds the task back. The slices that can be taken now, of it and of what
 * follows from it, are added to `announced`. */
void mapal_make_ready(mapal_run *run, uint32_t task, announcement *announced);

/* Under the lock: all of the task has been executed, or is not wanted. */
void mapal_make_complete(mapal_run *run, uint32_t task);

#endif
