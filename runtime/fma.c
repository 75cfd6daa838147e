/* Fused multiply-add in software, for targets without the instruction: a * b + c rounded once, to
 * nearest even. Each routine depends on nothing but IEEE 754 arithmetic in the default rounding
 * mode, so every target gives the same bits. */
#include "mapal_runtime.h"
#include "wide.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__FAST_MATH__)
#error "correct rounding is the point of this file: compile it without -ffast-math"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "float and double must be evaluated at their own width");

/* The product of two floats is exact as a double. Rounding the sum to odd and then to float equals
 * rounding once, since a double has more than two bits to spare (S. Boldo, G. Melquiond, "Emulation
 * of FMA and correctly rounded sums: proved algorithms using rounding to odd", IEEE Transactions on
 * Computers 57(4), 2008). No step here can overflow or lose bits to underflow in a double. */
float mapal_fma_f32(float a, float b, float c)
{
    double product = (double)a * (double)b;
    double addend = c;
    double sum = product + addend;
    if (!isfinite(sum)) {
        return (float)sum;
    }
    /* The rounding error of the sum, exactly (Knuth's two-sum). */
    double addend_part = sum - product;
    double error = (product - (sum - addend_part)) + (addend - addend_part);
    if (error != 0) {
        uint64_t bits;
        memcpy(&bits, &sum, sizeof bits);
        if ((bits & 1) == 0) {
            /* The exact sum lies strictly between two doubles: take the odd one. */
            bool away_from_zero = (error > 0) == (sum > 0);
            bits = away_from_zero ? bits + 1 : bits - 1;
            memcpy(&sum, &bits, sizeof sum);
        }
    }
    return (float)sum;
}

/* ---- binary64, in integers ---- */

enum { FRACTION_BITS = 52, EXPONENT_BIAS = 1023, LARGEST_EXPONENT = 1023, SMALLEST_EXPONENT = -1022 };

/* A positive number significand * 2^exponent with 2^52 <= significand < 2^53. */
typedef struct {
    uint64_t significand;
    int32_t exponent;
} unpacked;

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double value_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int32_t leading_zeros(uint64_t value)
{
    int32_t zeros = 0;
    for (int32_t step = 32; step > 0; step /= 2) {
        if (value >> (64 - step) == 0) {
            value <<= step;
            zeros += step;
        }
    }
    return zeros;
}

/* Unpacks the magnitude of a finite number that is not zero. */
static unpacked unpack(uint64_t bits)
{
    int32_t biased = (int32_t)(bits >> FRACTION_BITS & 0x7ff);
    uint64_t fraction = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
    int32_t last_place = -EXPONENT_BIAS - FRACTION_BITS;
    if (biased > 0) {
        return (unpacked){fraction | UINT64_C(1) << FRACTION_BITS, biased + last_place};
    }
    int32_t shift = leading_zeros(fraction) - (63 - FRACTION_BITS);
    return (unpacked){fraction << shift, 1 - shift + last_place};
}

static mapal_wide shift_left(mapal_wide value, int32_t count)
{
    if (count >= 64) {
        return (mapal_wide){.high = value.low << (count - 64), .low = 0};
    }
    if (count == 0) {
        return value;
    }
    return (mapal_wide){.high = value.high << count | value.low >> (64 - count),
                        .low = value.low << count};
}

/* Shifts right by any count; whatever is lost leaves its trace in the last bit. */
static mapal_wide shift_right_to_odd(mapal_wide value, int32_t count)
{
    if (count == 0) {
        return value;
    }
    if (count >= 128) {
        return (mapal_wide){.high = 0, .low = (value.high | value.low) != 0};
    }
    if (count >= 64) {
        int32_t rest = count - 64;
        uint64_t lost = value.low | (rest == 0 ? 0 : value.high << (64 - rest));
        return (mapal_wide){.high = 0, .low = value.high >> rest | (lost != 0)};
    }
    uint64_t lost = value.low << (64 - count);
    return (mapal_wide){.high = value.high >> count,
                        .low = value.high << (64 - count) | value.low >> count | (lost != 0)};
}

static mapal_wide add(mapal_wide a, mapal_wide b)
{
    uint64_t low = a.low + b.low;
    return (mapal_wide){.high = a.high + b.high + (low < a.low), .low = low};
}

static mapal_wide subtract(mapal_wide a, mapal_wide b)
{
    return (mapal_wide){.high = a.high - b.high - (a.low < b.low), .low = a.low - b.low};
}

static bool less(mapal_wide a, mapal_wide b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/* significand * 2^exponent rounded to nearest even, as the bits of a double without its sign. The
 * significand has its top bit set. */
static uint64_t round_to_bits(uint64_t significand, int32_t exponent)
{
    int32_t leading = exponent + 63;
    if (leading > LARGEST_EXPONENT) {
        return UINT64_C(0x7ff) << FRACTION_BITS;
    }
    int32_t dropped = 63 - FRACTION_BITS;
    uint64_t biased = 0;
    if (leading >= SMALLEST_EXPONENT) {
        /* The hidden bit adds the last one to the exponent field. */
        biased = (uint64_t)(leading + EXPONENT_BIAS - 1) << FRACTION_BITS;
    } else {
        dropped += SMALLEST_EXPONENT - leading;
        if (dropped > 64) {
            return 0; /* less than half of the smallest subnormal */
        }
    }
    uint64_t kept = dropped == 64 ? 0 : significand >> dropped;
    uint64_t half = UINT64_C(1) << (dropped - 1);
    uint64_t rest = dropped == 64 ? significand : significand & (2 * half - 1);
    bool up = rest > half || (rest == half && kept % 2 != 0);
    /* A carry out of the fraction correctly goes to the next exponent, and from the last to inf. */
    return biased + kept + up;
}

double mapal_fma_f64(double a, double b, double c)
{
    if (!isfinite(a) || !isfinite(b) || a == 0 || b == 0) {
        return a * b + c; /* the product is exact */
    }
    if (!isfinite(c)) {
        return c + c; /* not a * b + c: the product may overflow to the opposite infinity */
    }
    if (c == 0) {
        /* Not a * b + c: a product that underflows to zero keeps its own sign. */
        return a * b;
    }
    const uint64_t sign_bit = UINT64_C(1) << 63;
    unpacked x = unpack(bits_of(a));
    unpacked y = unpack(bits_of(b));
    unpacked z = unpack(bits_of(c));
    uint64_t product_sign = (bits_of(a) ^ bits_of(b)) & sign_bit;
    uint64_t addend_sign = bits_of(c) & sign_bit;

    /* Both terms as 128-bit numbers just below 2^127, so that a sum cannot overflow. If one is
     * shifted right by so much that bits are lost, the other exceeds it so far that the lost bits
     * lie below everything that rounding looks at, and their trace in the last bit is enough. */
    mapal_wide product = shift_left(mapal_wide_multiply(x.significand, y.significand), 21);
    int32_t product_exponent = x.exponent + y.exponent - 21;
    mapal_wide addend = shift_left((mapal_wide){.high = 0, .low = z.significand}, 73);
    int32_t addend_exponent = z.exponent - 73;

    int32_t exponent = product_exponent > addend_exponent ? product_exponent : addend_exponent;
    product = shift_right_to_odd(product, exponent - product_exponent);
    addend = shift_right_to_odd(addend, exponent - addend_exponent);

    mapal_wide sum;
    uint64_t sign = product_sign;
    if (product_sign == addend_sign) {
        sum = add(product, addend);
    } else if (less(product, addend)) {
        sum = subtract(addend, product);
        sign = addend_sign;
    } else {
        sum = subtract(product, addend);
    }
    if (sum.high == 0 && sum.low == 0) {
        return 0; /* exact cancellation gives +0 */
    }
    int32_t zeros = sum.high != 0 ? leading_zeros(sum.high) : 64 + leading_zeros(sum.low);
    sum = shift_left(sum, zeros);
    uint64_t significand = sum.high | (sum.low != 0);
    return value_of(sign | round_to_bits(significand, exponent - zeros + 64));
}
