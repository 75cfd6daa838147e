/* Printing, traps, the clock and edit distances, one scene for each first argument. */
#define _POSIX_C_SOURCE 200809L

#include "closest.h"
#include "driver.h"
#include "mapal_runtime.h"
#include "output.h"

#include <string.h>
#include <unistd.h>

static int finish(void)
{
    mapal_output_flush();
    return mapal_output_succeeded() ? 0 : 1;
}

static void print_string(const char *text, bool newline)
{
    mapal_print_str((const uint8_t *)text, strlen(text), newline);
}

static void print_everything(void)
{
    mapal_print_i32(INT32_MIN, true);
    mapal_print_i32(INT32_MAX, true);
    mapal_print_i32(0, true);
    mapal_print_i64(INT64_MIN, true);
    mapal_print_i64(INT64_MAX, true);
    mapal_print_i64(-1, false);
    mapal_print_u8(255, true);
    mapal_print_u8(0, true);
    mapal_print_bool(true, true);
    mapal_print_bool(false, false);
    mapal_print_f32(0.5f, false);
    mapal_print_f64(-2.0, true);
    print_string("text \xc3\xa9", true);
    mapal_print_str(NULL, 0, false);
    mapal_print_str(NULL, 0, true);
    mapal_print_str((const uint8_t *)"a\0b", 3, true);
}

/* Texts below, at and above the size of the buffer, then many small ones. */
static void print_much(void)
{
    static uint8_t text[200000];
    static const uint64_t lengths[] = {1, 65535, 1, 65536, 65537, 200000, 3};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        memset(text, 'a' + (int)i, lengths[i]);
        mapal_print_str(text, lengths[i], true);
    }
    for (int32_t i = 0; i < 100000; ++i) {
        mapal_print_i32(i, true);
    }
}

static void read_clock(void)
{
    double first = mapal_time_ms();
    double last = first;
    for (int i = 0; i < 100000; ++i) {
        double now = mapal_time_ms();
        CHECK(now >= last);
        last = now;
    }
    CHECK(last > first);
    /* A hundred thousand readings take between 0.1 ms and ten minutes: it counts milliseconds. */
    CHECK(last - first > 0.1 && last - first < 600000.0);
}

/* Prints a line, then waits until somebody has seen it. */
static void print_and_wait(void)
{
    char answer;
    print_string("half ", false);
    print_string("a line", true);
    CHECK(read(STDIN_FILENO, &answer, 1) == 1);
}

static void fail_long(void)
{
    static char text[20000];
    memset(text, 'x', sizeof text - 1);
    mapal_fail(7, "%s", text);
}

int main(int count, char **argument)
{
    CHECK(count >= 2);
    const char *scene = argument[1];
    if (strcmp(scene, "print") == 0) {
        print_everything();
    } else if (strcmp(scene, "much") == 0) {
        print_much();
    } else if (strcmp(scene, "clock") == 0) {
        read_clock();
    } else if (strcmp(scene, "wait") == 0) {
        print_and_wait();
    } else if (strcmp(scene, "fail-long") == 0) {
        fail_long();
    } else if (strcmp(scene, "trap") == 0) {
        CHECK(count == 4);
        print_string("printed before", false);
        mapal_trap((uint32_t)strtoul(argument[2], NULL, 10),
                   (uint32_t)strtoul(argument[3], NULL, 10));
    } else if (strcmp(scene, "distance") == 0) {
        CHECK(count == 4);
        size_t length = strlen(argument[2]);
        mapal_print_i64((int64_t)mapal_edit_distance(argument[2], length, argument[3]), true);
    } else {
        return unknown_scene(scene);
    }
    return finish();
}
