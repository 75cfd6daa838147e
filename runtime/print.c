/* The text of each printable type. */
#include "mapal_runtime.h"
#include "output.h"
#include "shortest.h"

#include <string.h>

enum {
    /* "-9223372036854775808" */
    INTEGER_TEXT_BYTES = 20,
    /* A minus, "0.", 323 zeros and 17 digits; the largest double has only 309 digits. */
    FLOAT_TEXT_BYTES = 344
};

static void print_text(const char *text, size_t length, bool newline)
{
    mapal_output_write(text, length);
    if (newline) {
        mapal_output_write("\n", 1);
    }
}

/* Writes the decimal digits so that they end just before `end`; returns where they begin. */
static char *digits_before(char *end, uint64_t value)
{
    do {
        *--end = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return end;
}

static void print_integer(bool negative, uint64_t magnitude, bool newline)
{
    char text[INTEGER_TEXT_BYTES + 1];
    char *end = text + INTEGER_TEXT_BYTES;
    char *begin = digits_before(end, magnitude);
    if (negative) {
        *--begin = '-';
    }
    /* In one piece: most of what programs print is lines of numbers. */
    *end = '\n';
    mapal_output_write(begin, (size_t)(end - begin) + newline);
}

void mapal_print_i64(int64_t value, bool newline)
{
    /* The magnitude of the smallest integer exists only as an unsigned number. */
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    print_integer(value < 0, magnitude, newline);
}

void mapal_print_i32(int32_t value, bool newline)
{
    mapal_print_i64(value, newline);
}

void mapal_print_u8(uint8_t value, bool newline)
{
    print_integer(false, value, newline);
}

void mapal_print_bool(bool value, bool newline)
{
    print_text(value ? "true" : "false", value ? 4 : 5, newline);
}

void mapal_print_str(const uint8_t *text, uint64_t length, bool newline)
{
    mapal_output_write(text, (size_t)length);
    if (newline) {
        mapal_output_write("\n", 1);
    }
}

static char *append_zeros(char *end, int32_t count)
{
    memset(end, '0', (size_t)count);
    return end + count;
}

static char *append_digits(char *end, const char *digits, int32_t count)
{
    memcpy(end, digits, (size_t)count);
    return end + count;
}

/* Lays a decimal out with a point instead of an exponent; returns the end of the text. */
static char *append_decimal(char *end, mapal_decimal decimal)
{
    char storage[INTEGER_TEXT_BYTES];
    const char *digits = digits_before(storage + sizeof storage, decimal.digits);
    int32_t count = (int32_t)(storage + sizeof storage - digits);
    int32_t whole = count + decimal.exponent; /* digits before the point */

    if (decimal.exponent >= 0) {
        end = append_digits(end, digits, count);
        return append_zeros(end, decimal.exponent);
    }
    if (whole > 0) {
        end = append_digits(end, digits, whole);
        *end++ = '.';
        return append_digits(end, digits + whole, count - whole);
    }
    *end++ = '0';
    *end++ = '.';
    end = append_zeros(end, -whole);
    return append_digits(end, digits, count);
}

/* The fields of a binary float, at either width. */
typedef struct {
    bool negative;
    uint64_t fraction;
    int32_t biased_exponent;
    int32_t fraction_bits;
    int32_t exponent_bits;
} float_fields;

static void print_float(float_fields fields, bool newline)
{
    char text[FLOAT_TEXT_BYTES];
    char *end = text;
    int32_t largest_exponent = (1 << fields.exponent_bits) - 1;
    bool special = fields.biased_exponent == largest_exponent;

    if (special && fields.fraction != 0) {
        print_text("NaN", 3, newline);
        return;
    }
    if (fields.negative) {
        *end++ = '-';
    }
    if (special) {
        end = append_digits(end, "inf", 3);
    } else if (fields.biased_exponent == 0 && fields.fraction == 0) {
        *end++ = '0';
    } else {
        bool normal = fields.biased_exponent > 0;
        uint64_t hidden = (uint64_t)normal << fields.fraction_bits;
        int32_t exponent = (normal ? fields.biased_exponent : 1) - largest_exponent / 2;
        bool narrow_below = fields.fraction == 0 && fields.biased_exponent > 1;
        end = append_decimal(end, mapal_shortest_decimal(fields.fraction | hidden,
                                                         exponent - fields.fraction_bits,
                                                         narrow_below));
    }
    print_text(text, (size_t)(end - text), newline);
}

void mapal_print_f32(float value, bool newline)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    print_float((float_fields){.negative = bits >> 31 != 0,
                               .fraction = bits & 0x7fffffu,
                               .biased_exponent = (int32_t)(bits >> 23 & 0xffu),
                               .fraction_bits = 23,
                               .exponent_bits = 8},
                newline);
}

void mapal_print_f64(double value, bool newline)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    print_float((float_fields){.negative = bits >> 63 != 0,
                               .fraction = bits & 0xfffffffffffffu,
                               .biased_exponent = (int32_t)(bits >> 52 & 0x7ffu),
                               .fraction_bits = 52,
                               .exponent_bits = 11},
                newline);
}
