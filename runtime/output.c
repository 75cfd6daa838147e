/* Standard output is written through one buffer with write(2) instead of stdio: the bytes are
 * exact, an error keeps its errno until the end of the run, and a trap can flush without running
 * anything else of the C library. Several hosts may print at once, and a worker that fails flushes while
 * its host prints, so a lock guards the buffer; what is written in one call stays together. */
#define _POSIX_C_SOURCE 200809L

#include "output.h"

#include "mapal_runtime.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 1 << 16,
    REPORT_BYTES = 1 << 13,
    /* Some systems refuse a single transfer of 2 GiB or more. */
    TRANSFER_BYTES = 1 << 30
};

static unsigned char buffer[BUFFER_BYTES];
static size_t buffered;
static int first_error;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_handled = PTHREAD_ONCE_INIT;

/* A person at a terminal sees each line when it is printed; everyone else gets whole buffers. */
static enum { UNKNOWN, TERMINAL, NO_TERMINAL } destination = UNKNOWN;

bool mapal_write_fully(int descriptor, const void *bytes, size_t length)
{
    const unsigned char *next = bytes;
    while (length > 0) {
        size_t part = length < TRANSFER_BYTES ? length : TRANSFER_BYTES;
        ssize_t written = write(descriptor, next, part);
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            return false;
        }
        next += written;
        length -= (size_t)written;
    }
    return true;
}

static void write_out(const void *bytes, size_t length)
{
    if (first_error == 0 && !mapal_write_fully(STDOUT_FILENO, bytes, length)) {
        first_error = errno;
    }
}

static void lock_for_fork(void)
{
    (void)pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    (void)pthread_mutex_unlock(&mutex);
}

static void handle_forks(void)
{
    /* Without handlers, a child of a process that prints just then might wait for ever. */
    if (pthread_atfork(lock_for_fork, unlock, unlock) != 0) {
        abort();
    }
}

static void lock(void)
{
    (void)pthread_once(&fork_handled, handle_forks);
    (void)pthread_mutex_lock(&mutex);
}

/* The functions below that are not for others want the lock. */
static void empty_buffer(void)
{
    write_out(buffer, buffered);
    buffered = 0;
}

static void append(const void *bytes, size_t length)
{
    if (length > BUFFER_BYTES - buffered) {
        empty_buffer();
    }
    if (length > BUFFER_BYTES) {
        write_out(bytes, length);
        return;
    }
    memcpy(buffer + buffered, bytes, length);
    buffered += length;
    if (destination == UNKNOWN) {
        destination = isatty(STDOUT_FILENO) ? TERMINAL : NO_TERMINAL;
    }
    if (destination == TERMINAL && buffer[buffered - 1] == '\n') {
        empty_buffer();
    }
}

void mapal_output_flush(void)
{
    lock();
    empty_buffer();
    unlock();
}

void mapal_output_write(const void *bytes, size_t length)
{
    if (length == 0) {
        return;
    }
    lock();
    append(bytes, length);
    unlock();
}

bool mapal_output_succeeded(void)
{
    lock();
    int error = first_error;
    unlock();
    if (error == 0) {
        return true;
    }
    mapal_report("mapal: cannot write standard output: %s\n", strerror(error));
    return false;
}

/* The line goes out in one write, so that lines of several processes do not mix. Nobody can be told
 * when standard error itself fails. */
static void report_list(const char *prefix, const char *format, va_list arguments,
                        const char *suffix)
{
    char line[REPORT_BYTES];
    size_t prefix_length = strlen(prefix);
    size_t suffix_length = strlen(suffix);
    size_t room = sizeof line - prefix_length - suffix_length;
    memcpy(line, prefix, prefix_length);
    int formatted = vsnprintf(line + prefix_length, room, format, arguments);
    size_t length = formatted < 0 ? 0 : (size_t)formatted;
    if (length >= room) {
        length = room - 1;
    }
    memcpy(line + prefix_length + length, suffix, suffix_length);
    (void)mapal_write_fully(STDERR_FILENO, line, prefix_length + length + suffix_length);
}

void mapal_report(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_list("", format, arguments, "");
    va_end(arguments);
}

void mapal_fail(int status, const char *format, ...)
{
    va_list arguments;
    mapal_output_flush();
    va_start(arguments, format);
    report_list("mapal: ", format, arguments, "\n");
    va_end(arguments);
    exit(status);
}

void mapal_bug(const char *format, ...)
{
    va_list arguments;
    mapal_output_flush();
    va_start(arguments, format);
    report_list("mapal: internal error: ", format, arguments, "\n");
    va_end(arguments);
    abort();
}
