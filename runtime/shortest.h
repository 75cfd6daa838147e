/* The shortest decimal that reads back to a given binary float. */
#ifndef MAPAL_SHORTEST_H
#define MAPAL_SHORTEST_H

#include "wide.h"

#include <stdbool.h>
#include <stdint.h>

/* The value digits * 10^exponent; digits does not end in 0. */
typedef struct {
    uint64_t digits;
    int32_t exponent;
} mapal_decimal;

/* The decimal for significand * 2^exponent, which must be a positive finite binary32 or binary64
 * with the exponent of its last place. `narrow_below` says that the next smaller float is half as
 * far away as the next larger one: a power of two that is not the smallest normal number. */
mapal_decimal mapal_shortest_decimal(uint64_t significand, int32_t exponent, bool narrow_below);

/* 10^n for FIRST <= n <= LAST, scaled by a power of two into [2^127, 2^128) and rounded up. */
enum { MAPAL_POWER_OF_TEN_FIRST = -292, MAPAL_POWER_OF_TEN_LAST = 324 };
extern const mapal_wide
    mapal_powers_of_ten[MAPAL_POWER_OF_TEN_LAST - MAPAL_POWER_OF_TEN_FIRST + 1];

#endif
