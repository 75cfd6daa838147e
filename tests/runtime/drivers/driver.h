/* What the test drivers share. */
#ifndef MAPAL_TEST_DRIVER_H
#define MAPAL_TEST_DRIVER_H

#include <stdio.h>
#include <stdlib.h>

/* Unlike assert, not switched off by NDEBUG. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition);    \
            exit(99);                                                                              \
        }                                                                                          \
    } while (0)

/* The command line asked for a scene that does not exist. */
static inline int unknown_scene(const char *scene)
{
    (void)fprintf(stderr, "unknown scene %s\n", scene);
    return 99;
}

#endif
