/* The arena, one scene for each first argument; a scene checks itself. */
#define _POSIX_C_SOURCE 200809L

#include "driver.h"
#include "mapal_runtime.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

static unsigned char *allocate(int64_t bytes, int64_t alignment)
{
    unsigned char *block = mapal_arena_allocate(bytes, alignment);
    CHECK(block != NULL);
    return block;
}

static bool is_aligned(const void *block, uintptr_t alignment)
{
    return (uintptr_t)block % alignment == 0;
}

static void check_alignment(void)
{
    static const int64_t sizes[] = {0, 1, 63, 64, 65, 1000, 1 << 20, (2 << 20), (2 << 20) + 1,
                                    5 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        for (int64_t alignment = 1; alignment <= 1 << 16; alignment *= 2) {
            unsigned char *block = allocate(sizes[i], alignment);
            CHECK(is_aligned(block, 64));
            CHECK(is_aligned(block, (uintptr_t)alignment));
            CHECK(sizes[i] <= 2 << 20 || is_aligned(block, 2 << 20));
            memset(block, 0xa5, (size_t)sizes[i]);
        }
    }
    CHECK(is_aligned(allocate(8, 8 << 20), 8 << 20));
}

/* Blocks of many sizes do not overlap: each keeps its own filling. */
static void check_separation(void)
{
    enum { BLOCKS = 3000 };
    static unsigned char *block[BLOCKS];
    static size_t size[BLOCKS];
    for (size_t i = 0; i < BLOCKS; ++i) {
        size[i] = i * 7919 % 5000;
        block[i] = allocate((int64_t)size[i], 8);
        memset(block[i], (int)(i % 251), size[i]);
    }
    for (size_t i = 0; i < BLOCKS; ++i) {
        for (size_t j = 0; j < size[i]; ++j) {
            CHECK(block[i][j] == i % 251);
        }
    }
}

static void check_reuse(void)
{
    void *bottom = mapal_arena_mark();
    CHECK(bottom == NULL);
    unsigned char *first = allocate(100, 1);
    void *mark = mapal_arena_mark();
    unsigned char *second = allocate(100, 1);
    mapal_arena_release(mark);
    CHECK(allocate(100, 1) == second);

    /* Over several chunks, marks nest like a stack, and what lies below a mark stays. */
    memset(first, 1, 100);
    void *inner[8];
    for (int i = 0; i < 8; ++i) {
        inner[i] = mapal_arena_mark();
        memset(allocate((int64_t)1 << (16 + i), 64), 2, (size_t)1 << (16 + i));
    }
    for (int i = 7; i >= 0; i -= 3) {
        mapal_arena_release(inner[i]);
        CHECK(mapal_arena_mark() == inner[i]);
    }
    CHECK(first[0] == 1 && first[99] == 1);

    mapal_arena_release(bottom);
    CHECK(mapal_arena_mark() == NULL);
    CHECK(allocate(100, 1) == first);
}

/* Released chunks serve again: the test lets only a few requests to the system succeed. */
static void check_bounded(void)
{
    for (int64_t i = 0; i < 10000; ++i) {
        void *mark = mapal_arena_mark();
        (void)allocate(3 << 20, 64);
        (void)allocate(100 + i, 64);
        (void)allocate((1 << 20) + 64 * i, 64);
        (void)allocate(40 << 20, 64);
        mapal_arena_release(mark);
    }
}

/* Chunks grow, so that much memory in small blocks takes few requests to the system. */
static void check_growth(void)
{
    for (int i = 0; i < 1900; ++i) {
        (void)allocate(1 << 16, 64);
    }
}

/* A chunk that is too small for a request is passed over, and used for a later one. */
static void check_small_chunks_stay(void)
{
    unsigned char *small = allocate(1000, 64);
    unsigned char *large = allocate(8 << 20, 64);
    mapal_arena_release(NULL);
    CHECK(allocate(8 << 20, 64) == large);
    CHECK(allocate(1000, 64) == small);
}

static void *fill_thread(void *argument)
{
    int own = *(int *)argument;
    CHECK(mapal_arena_mark() == NULL);
    for (int round = 0; round < 200; ++round) {
        void *mark = mapal_arena_mark();
        unsigned char *block = allocate(20000 + round, 64);
        memset(block, own, (size_t)(20000 + round));
        for (int i = 0; i < 20000 + round; ++i) {
            CHECK(block[i] == own);
        }
        mapal_arena_release(mark);
    }
    return NULL;
}

static void check_threads(void)
{
    pthread_t thread[4];
    int number[4];
    for (int i = 0; i < 4; ++i) {
        number[i] = i + 1;
        CHECK(pthread_create(&thread[i], NULL, fill_thread, &number[i]) == 0);
    }
    for (int i = 0; i < 4; ++i) {
        CHECK(pthread_join(thread[i], NULL) == 0);
    }
}

/* Uses up a limit of its own, unless requests are made to fail from outside: the address sanitizer
 * needs terabytes of address space. */
static void exhaust(void)
{
    const struct rlimit limit = {.rlim_cur = (rlim_t)1 << 28, .rlim_max = (rlim_t)1 << 28};
    CHECK(getenv("MAPAL_FAULT") != NULL || setrlimit(RLIMIT_AS, &limit) == 0);
    mapal_print_i32(42, true);
    for (;;) {
        (void)allocate(1 << 24, 64);
    }
}

static void release_foreign_mark(void)
{
    static unsigned char elsewhere;
    (void)allocate(1, 1);
    mapal_arena_release(&elsewhere);
}

static const struct {
    const char *name;
    void (*run)(void);
} scenes[] = {
    {"alignment", check_alignment},
    {"separation", check_separation},
    {"reuse", check_reuse},
    {"bounded", check_bounded},
    {"growth", check_growth},
    {"small-chunks", check_small_chunks_stay},
    {"threads", check_threads},
    {"exhaust", exhaust},
    {"foreign-mark", release_foreign_mark},
};

int main(int count, char **argument)
{
    CHECK(count >= 2);
    if (strcmp(argument[1], "request") == 0) {
        CHECK(count == 4);
        mapal_print_str((const uint8_t *)"printed before", 14, true);
        (void)allocate(strtoll(argument[2], NULL, 10), strtoll(argument[3], NULL, 10));
        return 0;
    }
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        if (strcmp(argument[1], scenes[i].name) == 0) {
            scenes[i].run();
            return 0;
        }
    }
    return unknown_scene(argument[1]);
}
