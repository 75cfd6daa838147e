/* 128-bit products by 64-bit parts: ISO C has no wider integer. */
#ifndef MAPAL_WIDE_H
#define MAPAL_WIDE_H

#include <stdint.h>

typedef struct {
    uint64_t high;
    uint64_t low;
} mapal_wide;

/* The exact product, by four products of 32-bit halves. */
static inline mapal_wide mapal_wide_multiply(uint64_t a, uint64_t b)
{
    const uint64_t mask = UINT32_MAX;
    uint64_t low_low = (a & mask) * (b & mask);
    uint64_t low_high = (a & mask) * (b >> 32);
    uint64_t high_low = (a >> 32) * (b & mask);
    uint64_t high_high = (a >> 32) * (b >> 32);
    /* At most 3 * (2^32 - 1), so no carry is lost. */
    uint64_t middle = (low_low >> 32) + (low_high & mask) + (high_low & mask);
    return (mapal_wide){
        .high = high_high + (low_high >> 32) + (high_low >> 32) + (middle >> 32),
        .low = (middle << 32) | (low_low & mask),
    };
}

#endif
