/* Runs compiled programs inside this process, one after the other.
 *
 * Takes the place of the runtime's output, trap and clock: what a program prints goes to a buffer,
 * a trap jumps back to the caller instead of ending the process, and the clock counts its readings,
 * so that a run can be repeated exactly. The other runtime sources are linked as they are.
 */
#include "mapal_runtime.h"
#include "output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_BYTES = 1 << 22 };

/* How a run ended. `kind` is -1 for a run that is done, else the kind of its trap. */
typedef struct {
    int32_t kind;
    uint32_t token;
    uint64_t length;
    const unsigned char *output;
} sweep_ending;

static unsigned char output[OUTPUT_BYTES];
static uint64_t length;
static uint64_t readings;
static jmp_buf way_out;
static sweep_ending ending;

/* Milliseconds between two readings of the clock. */
static const double TICK = 0.5;

void mapal_output_write(const void *bytes, size_t count)
{
    if (count > OUTPUT_BYTES - length) {
        mapal_fail(MAPAL_EXIT_OUTPUT, "a program prints more than %d bytes", (int)OUTPUT_BYTES);
    }
    if (count > 0) {
        memcpy(output + length, bytes, count);
        length += count;
    }
}

void mapal_output_flush(void)
{
}

void mapal_trap(uint32_t kind, uint32_t token)
{
    ending.kind = (int32_t)kind;
    ending.token = token;
    longjmp(way_out, 1);
}

double mapal_time_ms(void)
{
    return TICK * (double)readings++;
}

static void report(const char *format, va_list arguments)
{
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
}

void mapal_fail(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(format, arguments);
    va_end(arguments);
    exit(status);
}

void mapal_bug(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(format, arguments);
    va_end(arguments);
    abort();
}

/* Runs a program on contiguous buffers for its inputs and outputs. */
const sweep_ending *sweep_run(const mapal_program *program, void *const *inputs,
                              void *const *outputs)
{
    void *mark = mapal_arena_mark();
    length = 0;
    readings = 0;
    ending = (sweep_ending){.kind = -1};
    if (setjmp(way_out) == 0) {
        program->entry(inputs, outputs);
    }
    mapal_arena_release(mark);
    ending.output = output;
    ending.length = length;
    return &ending;
}
