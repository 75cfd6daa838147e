/* System calls that fail on demand. Every driver is linked with `--wrap` for each function here, so
 * that the runtime's calls arrive at these. The environment variable MAPAL_FAULT says what happens:
 * "CALL=short" moves at most three bytes at a time and interrupts every second call, "CALL=N" makes
 * the N-th call (from 1) and all later ones fail. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

ssize_t __real_read(int descriptor, void *bytes, size_t length);
ssize_t __real_write(int descriptor, const void *bytes, size_t length);
int __real_fsync(int descriptor);
int __real_close(int descriptor);
int __real_rename(const char *from, const char *to);
void *__real_aligned_alloc(size_t alignment, size_t size);

ssize_t __wrap_read(int descriptor, void *bytes, size_t length);
ssize_t __wrap_write(int descriptor, const void *bytes, size_t length);
int __wrap_fsync(int descriptor);
int __wrap_close(int descriptor);
int __wrap_rename(const char *from, const char *to);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

enum { SHORT_TRANSFER = 3 };

/* What follows "CALL=" in MAPAL_FAULT, or null if it names another call. */
static const char *plan_for(const char *call)
{
    const char *plan = getenv("MAPAL_FAULT");
    size_t length = strlen(call);
    if (plan == NULL || strncmp(plan, call, length) != 0 || plan[length] != '=') {
        return NULL;
    }
    return plan + length + 1;
}

/* Whether this is one of the calls that have to fail; `count` counts the calls so far. */
static int fails(const char *call, atomic_long *count, int error)
{
    const char *plan = plan_for(call);
    long number = atomic_fetch_add(count, 1) + 1;
    if (plan == NULL || strcmp(plan, "short") == 0 || number < atol(plan)) {
        return 0;
    }
    errno = error;
    return 1;
}

/* Whether this transfer is interrupted; otherwise shortens it if the plan says so. */
static int interrupted(const char *call, long count, size_t *length)
{
    const char *plan = plan_for(call);
    if (plan == NULL || strcmp(plan, "short") != 0) {
        return 0;
    }
    if (*length > SHORT_TRANSFER) {
        *length = SHORT_TRANSFER;
    }
    errno = EINTR;
    return count % 2 == 0;
}

ssize_t __wrap_read(int descriptor, void *bytes, size_t length)
{
    static atomic_long count;
    if (fails("read", &count, EIO) || interrupted("read", count, &length)) {
        return -1;
    }
    return __real_read(descriptor, bytes, length);
}

ssize_t __wrap_write(int descriptor, const void *bytes, size_t length)
{
    static atomic_long count;
    /* Reports must still come out. */
    if (descriptor != 2 && (fails("write", &count, ENOSPC) || interrupted("write", count, &length))) {
        return -1;
    }
    return __real_write(descriptor, bytes, length);
}

int __wrap_fsync(int descriptor)
{
    static atomic_long count;
    return fails("fsync", &count, EIO) ? -1 : __real_fsync(descriptor);
}

int __wrap_close(int descriptor)
{
    static atomic_long count;
    int status = __real_close(descriptor);
    return fails("close", &count, EDQUOT) ? -1 : status;
}

int __wrap_rename(const char *from, const char *to)
{
    static atomic_long count;
    return fails("rename", &count, EACCES) ? -1 : __real_rename(from, to);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    static atomic_long count;
    return fails("aligned_alloc", &count, ENOMEM) ? NULL : __real_aligned_alloc(alignment, size);
}

#if defined(MAPAL_MEASURE_COVERAGE)
/* An abort loses the counts unless they are written first. */
void __gcov_dump(void);

static void dump_and_die(int number)
{
    __gcov_dump();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

__attribute__((constructor)) static void catch_abort(void)
{
    (void)signal(SIGABRT, dump_and_die);
}
#endif
