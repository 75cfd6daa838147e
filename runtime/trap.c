/* Where a trap goes. In the spine of a run, what comes before it in the order of the program is waited
 * for, since it may trap too, and the first trap goes on outwards. A slice of a task ends, and its run
 * keeps the trap until the host gets there. A guarded call returns it. Outside of all, it ends the
 * process. */
#include "mapal_runtime.h"
#include "output.h"
#include "scope.h"

#include <stddef.h>
#include <stdlib.h>

static const char *const kind_names[] = {
    [MAPAL_TRAP_DIV_ZERO] = "div_zero",
    [MAPAL_TRAP_INDEX_OOB] = "index_oob",
};

_Thread_local mapal_scope *mapal_innermost_scope;

_Noreturn static void end_process(mapal_trap_report trap)
{
    mapal_output_flush();
    mapal_report("mapal trap: %s\n  at token %u\n", kind_names[trap.kind], (unsigned)trap.token);
    /* A trap stays a trap when its output was lost; the second report says that it was. */
    (void)mapal_output_succeeded();
    exit(MAPAL_EXIT_TRAP);
}

void mapal_trap(uint32_t kind, uint32_t token)
{
    if (kind >= sizeof kind_names / sizeof kind_names[0]) {
        mapal_bug("trap of unknown kind %u at token %u", (unsigned)kind, (unsigned)token);
    }
    mapal_trap_report first = {kind, token};
    mapal_scope *scope = mapal_innermost_scope;
    while (scope != NULL && scope->kind == MAPAL_SCOPE_RUN) {
        mapal_run_decide(scope, &first);
        scope = scope->outer;
    }
    if (scope == NULL) {
        end_process(first);
    }
    mapal_boundary *boundary = (mapal_boundary *)(void *)scope;
    if (scope->kind == MAPAL_SCOPE_SLICE) {
        mapal_slice_trapped(boundary, first);
    }
    for (mapal_scope *run = mapal_innermost_scope; run != scope; run = run->outer) {
        mapal_run_abandon(run);
    }
    mapal_innermost_scope = scope;
    boundary->trap_kind = first.kind;
    boundary->trap_token = first.token;
    longjmp(boundary->start, 1);
}

static void leave(mapal_boundary *boundary, void *mark)
{
    mapal_innermost_scope = boundary->scope.outer;
    mapal_arena_release(mark);
}

bool mapal_call(void (*function)(void *), void *argument, uint32_t *kind, uint32_t *token)
{
    /* Nothing that changes after setjmp is read after longjmp, but for what the trap wrote. */
    void *mark = mapal_arena_mark();
    mapal_boundary here = {.scope = {mapal_innermost_scope, MAPAL_SCOPE_CALL}};
    mapal_innermost_scope = &here.scope;
    if (setjmp(here.start) == 0) {
        function(argument);
        leave(&here, mark);
        return false;
    }
    leave(&here, mark);
    *kind = here.trap_kind;
    *token = here.trap_token;
    return true;
}
