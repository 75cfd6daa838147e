/* How many threads work at once. */
#ifndef MAPAL_LANES_H
#define MAPAL_LANES_H

#include <stdbool.h>
#include <stdint.h>

enum { MAPAL_MOST_LANES = 1024 };

/* The whole of MAPAL_THREADS if that is an integer of at least 1; otherwise the processors that
 * this process may run on, but no more than its control group's share of time, rounded up. At
 * least 1, at most MAPAL_MOST_LANES. */
uint32_t mapal_count_lanes(void);

/* The processors that this process may run on, and its share of their time. At least 1. */
uint32_t mapal_count_processors(void);

/* The processor that this thread runs on; negative where nobody tells. */
int mapal_current_processor(void);

/* Moves this thread to another processor, if it may run on one. It may come back. */
void mapal_leave_processor(int processor);

/* The processors that the text of a control group's limit allows, rounded up; 0 for no limit.
 * `text` is `QUOTA PERIOD` in microseconds, with `max` or a negative number for no quota. */
uint32_t mapal_quota_processors(const char *text);

#endif
