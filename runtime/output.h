/* Where bytes leave the process: buffered standard output, one-line reports on standard error. */
#ifndef MAPAL_OUTPUT_H
#define MAPAL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define MAPAL_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define MAPAL_PRINTF_LIKE(text, first)
#endif

/* Appends to the buffer of standard output. A failed write is remembered, not reported; nothing
 * more is attempted after it. */
void mapal_output_write(const void *bytes, size_t length);

/* Writes the buffer out. */
void mapal_output_flush(void);

/* True if all output so far could be written; otherwise one line on standard error says why not. */
bool mapal_output_succeeded(void);

/* Writes everything to a descriptor, resuming after signals and short writes. On failure: false,
 * with the reason in errno. */
bool mapal_write_fully(int descriptor, const void *bytes, size_t length);

/* One line on standard error, without a prefix; `format` holds the line feed. */
void mapal_report(const char *format, ...) MAPAL_PRINTF_LIKE(1, 2);

/* Writes standard output out, reports "mapal: MESSAGE" and exits. */
_Noreturn void mapal_fail(int status, const char *format, ...) MAPAL_PRINTF_LIKE(2, 3);

/* A broken promise of emitted code, never a user's mistake: reports and aborts. */
_Noreturn void mapal_bug(const char *format, ...) MAPAL_PRINTF_LIKE(1, 2);

#endif
