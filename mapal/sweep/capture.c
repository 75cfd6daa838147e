/* Runs compiled programs inside this process, one after the other.
 *
 * Takes the place of the runtime's output and clock: what a program prints goes to a buffer, and the
 * clock counts its readings, so that a run can be repeated exactly. The other runtime sources are
 * linked as they are.
 */
#include "mapal_runtime.h"
#include "output.h"

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

bool mapal_output_succeeded(void)
{
    return true;
}

double mapal_time_ms(void)
{
    return TICK * (double)readings++;
}

void mapal_report(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
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

typedef struct {
    const mapal_program *program;
    void *const *inputs;
    void *const *outputs;
} call;

static void enter(void *argument)
{
    const call *made = argument;
    made->program->entry(made->inputs, made->outputs);
}

/* Runs a program on contiguous buffers for its inputs and outputs. */
const sweep_ending *sweep_run(const mapal_program *program, void *const *inputs,
                              void *const *outputs)
{
    call made = {program, inputs, outputs};
    uint32_t kind;
    length = 0;
    readings = 0;
    ending = (sweep_ending){.kind = -1};
    if (mapal_call(enter, &made, &kind, &ending.token)) {
        ending.kind = (int32_t)kind;
    }
    ending.output = output;
    ending.length = length;
    return &ending;
}
