#if defined(__linux__)
#define _GNU_SOURCE /* the affinity mask */
#endif

#include "lanes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#endif

static uint32_t clamp(long long count)
{
    if (count < 1) {
        return 1;
    }
    return count > MAPAL_MOST_LANES ? (uint32_t)MAPAL_MOST_LANES : (uint32_t)count;
}

static uint32_t usable_processors(void)
{
#if defined(__linux__)
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
        return clamp(CPU_COUNT(&mask));
    }
    /* More processors than the mask holds: then all that are online count. */
#endif
    return clamp(sysconf(_SC_NPROCESSORS_ONLN));
}

uint32_t mapal_quota_processors(const char *text)
{
    char *end;
    long long quota = strtoll(text, &end, 10);
    if (end == text || quota < 0) {
        return 0;
    }
    const char *rest = end;
    long long period = strtoll(rest, &end, 10);
    if (end == rest || period <= 0) {
        return 0;
    }
    return clamp(quota / period + (quota % period != 0));
}

#if defined(__linux__)
static bool read_text(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    size_t length = fread(text, 1, room - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    return length > 0;
}
#endif

/* 0 for no limit. */
static uint32_t control_group_processors(void)
{
#if defined(__linux__)
    char text[128];
    if (read_text("/sys/fs/cgroup/cpu.max", text, sizeof text)) {
        return mapal_quota_processors(text);
    }
    size_t half = sizeof text / 2;
    if (read_text("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", text, half)) {
        size_t used = strcspn(text, "\n");
        text[used] = ' ';
        if (read_text("/sys/fs/cgroup/cpu/cpu.cfs_period_us", text + used + 1, half)) {
            return mapal_quota_processors(text);
        }
    }
#endif
    return 0;
}

uint32_t mapal_count_processors(void)
{
    uint32_t usable = usable_processors();
    uint32_t quota = control_group_processors();
    return quota != 0 && quota < usable ? quota : usable;
}

int mapal_current_processor(void)
{
#if defined(__linux__)
    return sched_getcpu();
#else
    return -1;
#endif
}

void mapal_leave_processor(int processor)
{
#if defined(__linux__)
    cpu_set_t mask;
    if (processor < 0 || processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof mask, &mask) != 0) {
        return;
    }
    cpu_set_t others = mask;
    CPU_CLR((size_t)processor, &others);
    if (CPU_COUNT(&others) != 0 && sched_setaffinity(0, sizeof others, &others) == 0) {
        (void)sched_setaffinity(0, sizeof mask, &mask);
    }
#else
    (void)processor;
#endif
}

uint32_t mapal_count_lanes(void)
{
    const char *wanted = getenv("MAPAL_THREADS");
    if (wanted != NULL) {
        char *end;
        errno = 0;
        long long count = strtoll(wanted, &end, 10);
        if (end != wanted && *end == '\0' && count >= 1) {
            return clamp(count);
        }
    }
    return mapal_count_processors();
}
