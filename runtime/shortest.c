/* Shortest round-trip digits by the Schubfach algorithm.
 *
 * Raffaello Giulietti, "The Schubfach way to render doubles", 2020-2022. In short: the decimals that
 * read back to v fill an interval as wide as the distance to its neighbours. Take the largest power
 * 10^k that is not wider than that interval. Then the interval holds at most one multiple of
 * 10^(k+1), which is the answer if there is one, and otherwise the answer is the multiple of 10^k on
 * one side of v or the other. So two candidates on each level are all there is to look at.
 *
 * All comparisons are done on 4 v / 10^k and on four times the interval's ends, rounded to odd: the
 * integer part, with its last bit set if there is any fraction. That keeps every comparison with an
 * even integer exact, and no others are made. One table of 128-bit powers serves both widths, because
 * the products depend on the exponent of the last place only; tests/runtime/test_powers_of_ten.py
 * proves by exact arithmetic, for every float of both widths, that its precision is enough.
 *
 * One difference from the paper: of two equally near shortest decimals the larger one is taken, not
 * the one with the even last digit. */
#include "shortest.h"

/* floor(log10(2^e)), or floor(log10(3/4 * 2^e)), for |e| <= 1650: 1262611 / 2^22 approximates
 * log10(2) and 524031 / 2^22 the logarithm of 4/3 (Giulietti, section on logarithms). */
static int32_t floor_log10(int32_t exponent, bool three_quarters)
{
    int32_t scaled = exponent * 1262611 - (three_quarters ? 524031 : 0);
    /* A shift of a negative number is left to the implementation, a division is not. */
    return scaled >= 0 ? scaled / (1 << 22) : -((-scaled + (1 << 22) - 1) / (1 << 22));
}

/* floor(log2(10^n)) for |n| <= 1233: 1741647 / 2^19 approximates log2(10). */
static int32_t floor_log2_of_power_of_ten(int32_t n)
{
    int32_t scaled = n * 1741647;
    return scaled >= 0 ? scaled / (1 << 19) : -((-scaled + (1 << 19) - 1) / (1 << 19));
}

/* power * factor / 2^128, rounded to odd. The table rounds powers up, which shows as at most one unit
 * in the 64 bits of fraction kept here: a fraction of 0 or 1 means that the true product is whole. */
static uint64_t scale_to_odd(mapal_wide power, uint64_t factor)
{
    mapal_wide small = mapal_wide_multiply(power.low, factor);
    mapal_wide large = mapal_wide_multiply(power.high, factor);
    uint64_t fraction = large.low + small.high;
    uint64_t whole = large.high + (fraction < small.high ? 1 : 0);
    return whole | (fraction > 1 ? 1 : 0);
}

static mapal_decimal without_trailing_zeros(uint64_t digits, int32_t exponent)
{
    while (digits % 10 == 0) {
        digits /= 10;
        exponent += 1;
    }
    return (mapal_decimal){.digits = digits, .exponent = exponent};
}

mapal_decimal mapal_shortest_decimal(uint64_t significand, int32_t exponent, bool narrow_below)
{
    int32_t k = floor_log10(exponent, narrow_below);
    int32_t shift = exponent + floor_log2_of_power_of_ten(-k) + 1;
    mapal_wide power = mapal_powers_of_ten[-k - MAPAL_POWER_OF_TEN_FIRST];

    uint64_t value = 4 * significand;
    uint64_t scaled = scale_to_odd(power, value << shift);
    uint64_t lower = scale_to_odd(power, (value - (narrow_below ? 1 : 2)) << shift);
    uint64_t upper = scale_to_odd(power, (value + 2) << shift);
    /* Reading rounds half to even, so the ends read back to v only if its significand is even. */
    if (significand % 2 != 0) {
        lower += 1;
        upper -= 1;
    }

    uint64_t below = scaled / 4;
    uint64_t tens_below = below / 10 * 10;
    bool tens_below_fits = lower <= 4 * tens_below;
    bool tens_above_fits = 4 * (tens_below + 10) <= upper;
    /* Zero never fits: no interval starts below half of the last place, and that is at least half of
     * 10^k, so lower is at least 2. */
    if (tens_below_fits) {
        return without_trailing_zeros(tens_below, k);
    }
    if (tens_above_fits) {
        return without_trailing_zeros(tens_below + 10, k);
    }

    bool below_fits = lower <= 4 * below;
    bool above_fits = 4 * (below + 1) <= upper;
    bool above_is_not_farther = scaled >= 4 * below + 2;
    bool take_above = above_fits && (above_is_not_farther || !below_fits);
    return without_trailing_zeros(below + (take_above ? 1 : 0), k);
}
