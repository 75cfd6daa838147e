/* The end of a run that divided by zero or left an array. */
#include "mapal_runtime.h"
#include "output.h"

#include <stdlib.h>

static const char *const kind_names[] = {
    [MAPAL_TRAP_DIV_ZERO] = "div_zero",
    [MAPAL_TRAP_INDEX_OOB] = "index_oob",
};

void mapal_trap(uint32_t kind, uint32_t token)
{
    if (kind >= sizeof kind_names / sizeof kind_names[0]) {
        mapal_bug("trap of unknown kind %u at token %u", (unsigned)kind, (unsigned)token);
    }
    mapal_output_flush();
    mapal_report("mapal trap: %s\n  at token %u\n", kind_names[kind], (unsigned)token);
    /* A trap stays a trap when its output was lost; the second report says that it was. */
    (void)mapal_output_succeeded();
    exit(MAPAL_EXIT_TRAP);
}
