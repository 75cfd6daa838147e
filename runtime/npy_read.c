/* Reads a .npy file into a parameter's buffer, checking everything. */
#define _POSIX_C_SOURCE 200809L

#include "npy.h"
#include "npy_header.h"
#include "output.h"
#include "scalar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "arrays are read and written as they lie in memory, which must be little-endian"
#endif

enum {
    MAGIC_BYTES = 6,
    VERSION_BYTES = 2,
    /* Version 2.0 allows 4 GiB; no array of numbers needs more than a few hundred bytes. */
    HEADER_LIMIT = UINT16_MAX,
    MESSAGE_BYTES = 512,
    /* How much of a foreign text goes into a message. */
    QUOTED_BYTES = 80,
    /* Some systems refuse a single transfer of 2 GiB or more. */
    TRANSFER_BYTES = 1 << 30
};

static const char magic[MAGIC_BYTES] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/* The file being read, and whose input it is. */
typedef struct {
    int descriptor;
    const char *path;
    const mapal_port *port;
} source;

_Noreturn static void refuse(const source *from, const char *format, ...) MAPAL_PRINTF_LIKE(2, 3);

_Noreturn static void refuse(const source *from, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    mapal_fail(MAPAL_EXIT_USAGE, "input '%s': %s: %s", from->port->name, from->path, message);
}

/* A readable copy of foreign text: one line, clipped, printable ASCII. */
typedef struct {
    char text[QUOTED_BYTES + 4];
} quoted;

static quoted quote(mapal_span span)
{
    quoted copy;
    size_t length = span.length < QUOTED_BYTES ? span.length : QUOTED_BYTES;
    for (size_t i = 0; i < length; ++i) {
        char character = span.text[i];
        copy.text[i] = character >= ' ' && character <= '~' ? character : '?';
    }
    memcpy(copy.text + length, length < span.length ? "..." : "", 4 - 3 * (length == span.length));
    return copy;
}

/* Reads until `length` bytes are there or the file ends; returns how many there were. */
static size_t read_up_to(const source *from, void *bytes, size_t length)
{
    unsigned char *next = bytes;
    size_t done = 0;
    while (done < length) {
        size_t part = length - done < TRANSFER_BYTES ? length - done : TRANSFER_BYTES;
        ssize_t got = read(from->descriptor, next + done, part);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            refuse(from, "cannot be read: %s", strerror(errno));
        }
        if (got == 0) {
            break;
        }
        done += (size_t)got;
    }
    return done;
}

static void read_header_bytes(const source *from, void *bytes, size_t length)
{
    if (read_up_to(from, bytes, length) < length) {
        refuse(from, "the file ends inside its header");
    }
}

/* Reads magic, version and length; returns the length of the header text. */
static size_t read_preamble(const source *from)
{
    unsigned char start[MAGIC_BYTES + VERSION_BYTES];
    unsigned char length[4] = {0};
    if (read_up_to(from, start, sizeof start) < sizeof start ||
        memcmp(start, magic, MAGIC_BYTES) != 0) {
        refuse(from, "not a NumPy .npy file");
    }
    unsigned major = start[MAGIC_BYTES];
    unsigned minor = start[MAGIC_BYTES + 1];
    if ((major != 1 && major != 2) || minor != 0) {
        refuse(from, "found .npy format version %u.%u, expected 1.0 or 2.0", major, minor);
    }
    read_header_bytes(from, length, major == 1 ? 2 : 4);
    uint32_t bytes = (uint32_t)length[0] | (uint32_t)length[1] << 8 | (uint32_t)length[2] << 16 |
                     (uint32_t)length[3] << 24;
    if (bytes > HEADER_LIMIT) {
        refuse(from, "found a header of %lu bytes, expected at most %lu", (unsigned long)bytes,
               (unsigned long)HEADER_LIMIT);
    }
    return bytes;
}

static void check_header(const source *from, const mapal_npy_header *header)
{
    const mapal_port *port = from->port;
    const char *dtype = mapal_scalar_dtype(port->scalar);
    if (header->descr.length != strlen(dtype) ||
        memcmp(header->descr.text, dtype, header->descr.length) != 0) {
        refuse(from, "found dtype '%s', expected '%s'", quote(header->descr).text, dtype);
    }
    if (header->fortran_order) {
        refuse(from, "found Fortran order, expected C order (numpy.ascontiguousarray gives it)");
    }
    if (header->count != port->count) {
        refuse(from, "found shape %s with %llu elements, expected %llu", quote(header->shape).text,
               (unsigned long long)header->count, (unsigned long long)port->count);
    }
}

static void check_booleans(const source *from, const unsigned char *bytes)
{
    uint64_t count = from->port->count;
    unsigned char all = 0;
    for (uint64_t i = 0; i < count; ++i) {
        all |= bytes[i];
    }
    for (uint64_t i = 0; all > 1 && i < count; ++i) {
        if (bytes[i] > 1) {
            refuse(from, "found byte %u at element %llu, expected 0 or 1", (unsigned)bytes[i],
                   (unsigned long long)i);
        }
    }
}

static void read_elements(const source *from, void *buffer)
{
    size_t length = (size_t)mapal_port_bytes(from->port);
    size_t got = read_up_to(from, buffer, length);
    unsigned char extra;
    if (got < length) {
        refuse(from, "the file ends after %llu of %llu bytes of elements", (unsigned long long)got,
               (unsigned long long)length);
    }
    if (read_up_to(from, &extra, 1) != 0) {
        refuse(from, "found bytes after the %llu elements, expected the end of the file",
               (unsigned long long)from->port->count);
    }
    if (from->port->scalar == MAPAL_SCALAR_BOOL) {
        check_booleans(from, buffer);
    }
}

void mapal_npy_read(const mapal_port *port, const char *path, void *buffer)
{
    static char text[HEADER_LIMIT];
    source from = {.descriptor = open(path, O_RDONLY | O_CLOEXEC), .path = path, .port = port};
    if (from.descriptor < 0) {
        refuse(&from, "cannot be opened: %s", strerror(errno));
    }
    size_t length = read_preamble(&from);
    read_header_bytes(&from, text, length);

    mapal_npy_header header = {0};
    mapal_npy_problem problem = mapal_npy_parse_header(text, length, &header);
    if (problem.message != NULL) {
        refuse(&from, "the .npy header is malformed at byte %llu: %s",
               (unsigned long long)problem.position, problem.message);
    }
    check_header(&from, &header);
    read_elements(&from, buffer);
    (void)close(from.descriptor);
}
