/* Arrays from and to files:
 *   arrays read SCALAR COUNT PATH            elements on stdout
 *   arrays write SCALAR PATH EXTENT...       elements from stdin
 *   arrays headers                           stdin: records; one line of result for each
 *   arrays files SCALAR COUNT SCRATCH        stdin: records; status and report for each
 * A record is its length as 32 bits, then that many bytes. */
#define _POSIX_C_SOURCE 200809L

#include "driver.h"
#include "mapal_runtime.h"
#include "npy.h"
#include "npy_header.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RECORD_LIMIT = 1 << 20, RANK_LIMIT = 64 };

static unsigned char record[RECORD_LIMIT];

/* Reads the next record from stdin; false at the end. */
static bool next_record(uint32_t *length)
{
    if (fread(length, sizeof *length, 1, stdin) != 1) {
        return false;
    }
    CHECK(*length <= RECORD_LIMIT);
    CHECK(fread(record, 1, *length, stdin) == *length);
    return true;
}

static void read_array(char **argument)
{
    mapal_port port = {.name = "x",
                       .scalar = (uint32_t)atol(argument[0]),
                       .count = strtoull(argument[1], NULL, 10)};
    size_t bytes = (size_t)mapal_port_bytes(&port);
    void *buffer = mapal_arena_allocate((int64_t)bytes, 64);
    mapal_npy_read(&port, argument[2], buffer);
    CHECK(fwrite(buffer, 1, bytes, stdout) == bytes);
}

static void write_array(char **argument)
{
    uint64_t shape[RANK_LIMIT];
    mapal_port port = {
        .name = "result", .scalar = (uint32_t)atol(argument[0]), .count = 1, .shape = shape};
    for (char **extent = argument + 2; *extent != NULL; ++extent) {
        CHECK(port.rank < RANK_LIMIT);
        shape[port.rank] = strtoull(*extent, NULL, 10);
        port.count *= shape[port.rank];
        port.rank += 1;
    }
    size_t bytes = (size_t)mapal_port_bytes(&port);
    void *buffer = mapal_arena_allocate((int64_t)bytes, 64);
    CHECK(fread(buffer, 1, bytes, stdin) == bytes);
    mapal_npy_write(&port, argument[1], buffer);
}

static void print_span(const char *label, mapal_span span)
{
    printf(" %s=%.*s", label, (int)span.length, span.text);
}

/* Each text is copied into a block of its own size, so that a sanitizer sees any read past it. */
static void parse_headers(void)
{
    uint32_t length;
    while (next_record(&length)) {
        char *text = malloc(length > 0 ? length : 1);
        CHECK(text != NULL);
        memcpy(text, record, length);
        mapal_npy_header header = {0};
        mapal_npy_problem problem = mapal_npy_parse_header(text, length, &header);
        if (problem.message != NULL) {
            CHECK(problem.position <= length);
            printf("error %lu %s\n", (unsigned long)problem.position, problem.message);
        } else {
            printf("ok fortran=%d count=%llu", (int)header.fortran_order,
                   (unsigned long long)header.count);
            print_span("descr", header.descr);
            printf(" rank-text-length=%lu\n", (unsigned long)header.shape.length);
        }
        free(text);
    }
}

/* Reads one file in a child, because a refusal ends the process. */
static void read_one_file(const mapal_port *port, const char *path)
{
    int ends[2];
    char report[4096];
    size_t got = 0;
    ssize_t part;
    int status;
    CHECK(pipe(ends) == 0);
    (void)fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
        mapal_npy_read(port, path, mapal_arena_allocate(mapal_port_bytes(port), 64));
        exit(0);
    }
    (void)close(ends[1]);
    while ((part = read(ends[0], report + got, sizeof report - 1 - got)) > 0) {
        got += (size_t)part;
    }
    report[got] = '\0';
    (void)close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child);
    printf("%d\t%s%s", WIFEXITED(status) ? WEXITSTATUS(status) : -1, report,
           got == 0 ? "\n" : "");
}

static void read_files(char **argument)
{
    uint32_t length;
    mapal_port port = {.name = "x",
                       .scalar = (uint32_t)atol(argument[0]),
                       .count = strtoull(argument[1], NULL, 10)};
    while (next_record(&length)) {
        FILE *file = fopen(argument[2], "wb");
        CHECK(file != NULL);
        CHECK(fwrite(record, 1, length, file) == length);
        CHECK(fclose(file) == 0);
        read_one_file(&port, argument[2]);
    }
}

int main(int count, char **argument)
{
    CHECK(count >= 2);
    const char *scene = argument[1];
    if (strcmp(scene, "headers") == 0) {
        parse_headers();
    } else if (strcmp(scene, "read") == 0) {
        CHECK(count == 5);
        read_array(argument + 2);
    } else if (strcmp(scene, "files") == 0) {
        CHECK(count == 5);
        read_files(argument + 2);
    } else if (strcmp(scene, "write") == 0) {
        CHECK(count >= 4);
        write_array(argument + 2);
    } else {
        return unknown_scene(scene);
    }
    return 0;
}
