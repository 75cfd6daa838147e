/* What encloses the code that a thread executes: runs, slices of tasks, guarded calls, innermost
 * first. It decides where a trap goes. */
#ifndef MAPAL_SCOPE_H
#define MAPAL_SCOPE_H

#include <setjmp.h>
#include <stdint.h>

/* The spine of a run; a slice of a task; a call whose trap its caller wants to know. */
typedef enum { MAPAL_SCOPE_RUN, MAPAL_SCOPE_SLICE, MAPAL_SCOPE_CALL } mapal_scope_kind;

typedef struct mapal_scope mapal_scope;
struct mapal_scope {
    mapal_scope *outer;
    mapal_scope_kind kind;
};

/* Slices and guarded calls: a trap ends them. `trap` holds after a return of setjmp that is not 0. */
typedef struct {
    mapal_scope scope; /* first: a scope of these kinds is a boundary */
    jmp_buf start;
    uint32_t trap_kind;
    uint32_t trap_token;
} mapal_boundary;

typedef struct {
    uint32_t kind;
    uint32_t token;
} mapal_trap_report;

/* Null outside every run and guarded call. */
extern _Thread_local mapal_scope *mapal_innermost_scope;

/* The spine of a run has trapped: waits for what comes before it and gives the first trap. */
void mapal_run_decide(mapal_scope *run, mapal_trap_report *first);

/* No other thread executes anything of the run any more when this returns. */
void mapal_run_abandon(mapal_scope *run);

/* Tells the run that a slice of it has trapped, so that others stop as soon as they can. */
void mapal_slice_trapped(mapal_boundary *slice, mapal_trap_report trap);

#endif
