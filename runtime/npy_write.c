/* Writes a result's buffer as a .npy file, byte for byte as np.save does. */
#define _POSIX_C_SOURCE 200809L

#include "npy.h"
#include "output.h"
#include "scalar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PREAMBLE_BYTES = 10, /* magic, version, length of the text */
    ALIGNMENT = 64,      /* of the elements in the file */
    /* NumPy leaves room for the first extent to grow to this many digits. */
    GROWTH_DIGITS = 21,
    EXTENT_TEXT_BYTES = 24,
    DICTIONARY_TEXT_BYTES = 128,
    TEMPORARY_NAMES = 1000
};

int64_t mapal_port_bytes(const mapal_port *port)
{
    size_t element = mapal_scalar_bytes(port->scalar);
    if (port->count > (uint64_t)INT64_MAX / element) {
        mapal_fail(MAPAL_EXIT_OUTPUT, "out of memory: '%s' has %llu elements", port->name,
                   (unsigned long long)port->count);
    }
    return (int64_t)(port->count * element);
}

/* A NaN has no sign and no payload outside the program. The branch-free bodies can be vectorised;
 * memcpy keeps clear of assumptions about the type that the elements were stored with. */
static void canonicalise_f32(unsigned char *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, bytes + 4 * i, sizeof bits);
        bits = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
        memcpy(bytes + 4 * i, &bits, sizeof bits);
    }
}

static void canonicalise_f64(unsigned char *bytes, uint64_t count)
{
    const uint64_t magnitude = UINT64_MAX >> 1;
    const uint64_t infinity = UINT64_C(0x7ff) << 52;
    const uint64_t quiet_nan = UINT64_C(0xfff) << 51;
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, bytes + 8 * i, sizeof bits);
        bits = (bits & magnitude) > infinity ? quiet_nan : bits;
        memcpy(bytes + 8 * i, &bits, sizeof bits);
    }
}

/* The text of an array's shape as Python writes a tuple; returns its end. */
static char *append_shape(char *end, const mapal_port *port)
{
    *end++ = '(';
    for (uint32_t i = 0; i < port->rank; ++i) {
        end += sprintf(end, i == 0 ? "%llu" : ", %llu", (unsigned long long)port->shape[i]);
    }
    if (port->rank == 1) {
        *end++ = ',';
    }
    *end++ = ')';
    return end;
}

static void append_spaces(char **end, size_t count)
{
    memset(*end, ' ', count);
    *end += count;
}

/* Builds preamble and text into `header`; returns their length, a multiple of 64. */
static size_t build_header(char *header, const mapal_port *port)
{
    char *end = header + PREAMBLE_BYTES;
    end += sprintf(end, "{'descr': '%s', 'fortran_order': False, 'shape': ",
                   mapal_scalar_dtype(port->scalar));
    end = append_shape(end, port);
    end += sprintf(end, ", }");
    if (port->rank > 0) {
        int digits = snprintf(NULL, 0, "%llu", (unsigned long long)port->shape[0]);
        append_spaces(&end, (size_t)(GROWTH_DIGITS - digits));
    }
    /* A text that already ends on the boundary gets 64 spaces more: so does NumPy. */
    size_t unpadded = (size_t)(end - header) + 1;
    append_spaces(&end, ALIGNMENT - unpadded % ALIGNMENT);
    *end++ = '\n';

    size_t length = (size_t)(end - header);
    size_t text_length = length - PREAMBLE_BYTES;
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(text_length & 0xff);
    header[9] = (char)(text_length >> 8);
    return length;
}

/* The file being made, next to the one that it will replace. */
typedef struct {
    const char *path;
    const char *name;
    char *temporary;
    int descriptor;
} target;

_Noreturn static void fail(const target *to, const char *what, int error)
{
    if (to->descriptor >= 0) {
        (void)unlink(to->temporary);
    }
    mapal_fail(MAPAL_EXIT_OUTPUT, "output '%s': %s: %s: %s", to->name, to->path, what,
               strerror(error));
}

/* A new file in the directory of `path`: a rename is atomic only within one file system. Its name
 * does not contain that of `path`, which may already be as long as a name can be. */
static void open_temporary(target *to)
{
    const char *slash = strrchr(to->path, '/');
    size_t directory = slash == NULL ? 0 : (size_t)(slash - to->path) + 1;
    size_t room = directory + 32;
    to->temporary = mapal_arena_allocate((int64_t)room, 1);
    memcpy(to->temporary, to->path, directory);
    for (int number = 0; number < TEMPORARY_NAMES; ++number) {
        (void)snprintf(to->temporary + directory, 32, ".mapal-%d.tmp", number);
        to->descriptor = open(to->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (to->descriptor >= 0) {
            return;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    fail(to, "cannot create a temporary file beside it", errno);
}

/* Replacing a device or a pipe by a file would surprise everybody else who uses it. */
static void check_replaceable(const target *to)
{
    struct stat status;
    if (stat(to->path, &status) == 0 && !S_ISREG(status.st_mode)) {
        mapal_fail(MAPAL_EXIT_OUTPUT, "output '%s': %s: is not a regular file", to->name, to->path);
    }
}

void mapal_npy_write(const mapal_port *port, const char *path, void *buffer)
{
    target to = {.path = path, .name = port->name, .descriptor = -1};
    void *mark = mapal_arena_mark();
    char *header = mapal_arena_allocate(
        DICTIONARY_TEXT_BYTES + ALIGNMENT + (int64_t)port->rank * EXTENT_TEXT_BYTES, 1);
    size_t header_length = build_header(header, port);

    if (port->scalar == MAPAL_SCALAR_F32) {
        canonicalise_f32(buffer, port->count);
    } else if (port->scalar == MAPAL_SCALAR_F64) {
        canonicalise_f64(buffer, port->count);
    }

    check_replaceable(&to);
    open_temporary(&to);
    if (!mapal_write_fully(to.descriptor, header, header_length) ||
        !mapal_write_fully(to.descriptor, buffer, (size_t)mapal_port_bytes(port))) {
        fail(&to, "cannot be written", errno);
    }
    if (fsync(to.descriptor) != 0) {
        fail(&to, "cannot be flushed to the disk", errno);
    }
    if (close(to.descriptor) != 0) {
        fail(&to, "cannot be closed", errno);
    }
    if (rename(to.temporary, path) != 0) {
        fail(&to, "cannot be put into place", errno);
    }
    mapal_arena_release(mark);
}
