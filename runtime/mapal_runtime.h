/* The interface between emitted code and the runtime, version 2.
 *
 * Emitted LLVM modules declare these functions by hand, so the widths here are exact. Parameters
 * narrower than 32 bits (bool, uint8_t) are passed zero-extended: declare them `i1 zeroext` and
 * `i8 zeroext`. Little-endian targets only.
 *
 * Effects (print, clock) belong to one thread at a time, in program order. The arena, the arithmetic
 * routines, traps and parallel runs may be used from several threads at once.
 */
#ifndef MAPAL_RUNTIME_H
#define MAPAL_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#define MAPAL_RUNTIME_ABI 2u

/* Exit statuses of an executable. */
enum {
    MAPAL_EXIT_DONE = 0,
    MAPAL_EXIT_OUTPUT = 1, /* stdout or an output file cannot be written, or memory ran out */
    MAPAL_EXIT_USAGE = 2,  /* bad command line, missing or bad input */
    MAPAL_EXIT_TRAP = 101
};

/* ---- Printing: decimal text on standard output, then a line feed if `newline` ---- */

void mapal_print_i32(int32_t value, bool newline);
void mapal_print_i64(int64_t value, bool newline);
void mapal_print_u8(uint8_t value, bool newline);
void mapal_print_bool(bool value, bool newline);
/* Shortest digits that read back to the same value at the same width, without an exponent. */
void mapal_print_f32(float value, bool newline);
void mapal_print_f64(double value, bool newline);
/* `length` bytes as they are; `text` may be null if `length` is 0. */
void mapal_print_str(const uint8_t *text, uint64_t length, bool newline);

/* ---- Traps and time ---- */

enum { MAPAL_TRAP_DIV_ZERO = 0, MAPAL_TRAP_INDEX_OOB = 1 };

/* Writes out what was printed, then two lines on standard error; exits with status 101. `token` is
 * the ordinal of the first token of the operation that trapped. */
_Noreturn void mapal_trap(uint32_t kind, uint32_t token);

/* Calls the function, for a host that goes on after a trap: true, with its kind and token, if it
 * trapped. What the call allocated is freed. */
bool mapal_call(void (*function)(void *argument), void *argument, uint32_t *kind, uint32_t *token);

/* Milliseconds on a monotonic clock with an unspecified start; never decreases. */
double mapal_time_ms(void);

/* ---- Memory: one stack-like arena per thread ---- */

/* A block of `bytes` (0 is allowed) aligned to the largest of `alignment` (a power of two), 64, and,
 * for blocks above 2 MiB, 2 MiB. The contents are unspecified. Never returns null: when memory runs
 * out, the process reports it and exits with status 1. */
void *mapal_arena_allocate(int64_t bytes, int64_t alignment);
/* Releasing a mark frees everything that this thread allocated since it was taken. */
void *mapal_arena_mark(void);
void mapal_arena_release(void *mark);

/* ---- Parallel runs ----
 *
 * A run executes the tasks of a plan, in any order that their edges allow, on the threads of the
 * pool and on the caller, the host, whose own code between these calls is the spine of the run. The
 * tasks of a plan are listed in the order of the program: position i is task i. An edge leads to a
 * later task. Everything here is for the thread that started the run; runs nest, in tasks and in
 * functions that the spine calls, and end in the opposite order.
 *
 * A trap, by mapal_trap in a task or in the spine, is delivered as if the tasks and the spine had
 * been executed one after another in that order: the first one counts, nothing after it is kept,
 * and the host learns of it when it waits. Nobody waits for tasks that are `total`, which cannot trap and
 * surely end, on a trap's account. A task that may not end has edges from all earlier tasks that
 * are not total, so that it never keeps a trap before it from being seen. */

typedef void (*mapal_task_function)(int64_t low, int64_t high, void *frame);

enum {
    MAPAL_TASK_TOTAL = 1, /* cannot trap, surely ends */
    MAPAL_TASK_WHOLE = 2, /* called once, with (0, count), even if count is 0 */
    MAPAL_TASK_HOST = 4   /* the host executes it and says so with mapal_run_complete */
};

/* The function is called with disjoint ranges that cover [0, count) and are cut at multiples of
 * `quantum` (at least 1), at most `pieces` of them, at least 1; each call goes through its range in order.
 * `rank` is the length of the longest path that begins here: greater ones start first. `width` is how many
 * threads the task is worth waking, 0 for all; others may join. */
typedef struct {
    mapal_task_function function;
    int64_t count;
    int64_t quantum;
    uint32_t pieces;
    uint32_t flags;
    uint32_t rank;
    uint32_t predecessors;
    uint32_t successors;
    uint32_t first_successor; /* in the plan's list */
    uint32_t width;
} mapal_task;

typedef struct {
    uint32_t tasks;
    const mapal_task *task;
    const uint32_t *successor;
} mapal_task_plan;

typedef struct mapal_run mapal_run;

/* Starts a run, whose spine has nothing to do, and finishes it. */
void mapal_run_plan(const mapal_task_plan *plan, void *frame);

/* The threads that work at once, the caller included: MAPAL_THREADS, or the processors there are. */
uint32_t mapal_lanes(void);

/* Starts whatever is ready. The run lies in the arena of the caller, below any later block. */
mapal_run *mapal_run_start(const mapal_task_plan *plan, void *frame);
/* The spine goes on at `position`, before that task: a trap in it from here on comes after the tasks
 * below `position`. */
void mapal_run_at(mapal_run *run, uint32_t position);
/* Helps until the task is complete. */
void mapal_run_await(mapal_run *run, uint32_t task);
/* Helps until all tasks below the position of the spine that are not total are complete: what an
 * effect has to wait for. */
void mapal_run_settle(mapal_run *run);
/* The host has executed a task of its own, whose predecessors are complete. */
void mapal_run_complete(mapal_run *run, uint32_t task);
/* Helps until all tasks are complete. */
void mapal_run_finish(mapal_run *run);

/* ---- Arithmetic for targets without the instruction ---- */

/* a * b + c with a single rounding to nearest even, for every operand. */
float mapal_fma_f32(float a, float b, float c);
double mapal_fma_f64(double a, double b, double c);

/* ---- The program ---- */

enum {
    MAPAL_SCALAR_I32 = 0,
    MAPAL_SCALAR_I64 = 1,
    MAPAL_SCALAR_U8 = 2,
    MAPAL_SCALAR_F32 = 3,
    MAPAL_SCALAR_F64 = 4,
    MAPAL_SCALAR_BOOL = 5 /* one byte, 0 or 1 */
};

/* One parameter or result. An output is written with exactly `shape` (`rank` extents, whose product
 * is `count`); an input is accepted at any shape with `count` elements in all. */
typedef struct {
    const char *name;
    uint32_t scalar;
    uint32_t rank;
    uint64_t count;
    const uint64_t *shape;
} mapal_port;

/* `entry` gets one contiguous buffer in C order for each port. An array of tuples or structs of k
 * equal scalars has a last axis k. Inputs are not written to. */
typedef struct {
    uint32_t abi; /* MAPAL_RUNTIME_ABI */
    const char *name;
    uint32_t inputs;
    const mapal_port *input;
    uint32_t outputs;
    const mapal_port *output;
    void (*entry)(void *const *inputs, void *const *outputs);
} mapal_program;

/* Defined by the emitted module that the runtime's `main` is linked with. */
extern const mapal_program mapal_program_descriptor;

#endif
