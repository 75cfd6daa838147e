/* The clock that `time` reads. */
#define _POSIX_C_SOURCE 200809L

#include "mapal_runtime.h"

#include <time.h>

/* The reading is not made relative to a first call: that would need state shared by threads, and a
 * double holds a century of milliseconds to better than a microsecond. Both terms round
 * monotonically, so the sum never decreases. */
double mapal_time_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}
