/* A parser for the one kind of Python literal that a .npy header may hold:
 *
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
 *
 * Format: numpy.lib.format, "A simple file format for NumPy arrays", versions 1.0 and 2.0. NumPy
 * reads the text with a parser for all of Python's literals; this one takes what array writers
 * produce and refuses the rest, because the file may come from anywhere. Nothing is copied and
 * nothing is allocated: spans point into the text. */
#include "npy_header.h"

#include <string.h>

/* A recursive-descent reader; after the first problem the rest is skipped by the callers. */
typedef struct {
    const char *text;
    size_t length;
    size_t position;
    const char *problem;
} reader;

static bool fail(reader *in, const char *problem)
{
    in->problem = problem;
    return false;
}

static void skip_space(reader *in)
{
    while (in->position < in->length && memchr(" \t\r\n", in->text[in->position], 4) != NULL) {
        in->position += 1;
    }
}

/* Consumes the character if it comes next, after white space. */
static bool accept(reader *in, char wanted)
{
    skip_space(in);
    if (in->position < in->length && in->text[in->position] == wanted) {
        in->position += 1;
        return true;
    }
    return false;
}

static bool accept_word(reader *in, const char *word)
{
    size_t length = strlen(word);
    if (in->length - in->position >= length &&
        memcmp(in->text + in->position, word, length) == 0) {
        in->position += length;
        return true;
    }
    return false;
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* A quoted string without escapes; the span leaves out the quotes. */
static bool read_string(reader *in, mapal_span *string)
{
    skip_space(in);
    char quote = in->position < in->length ? in->text[in->position] : '\0';
    if (quote != '\'' && quote != '"') {
        return fail(in, "expected a quoted string");
    }
    size_t begin = in->position + 1;
    size_t end = begin;
    while (end < in->length && in->text[end] != quote) {
        if (in->text[end] < ' ' || in->text[end] > '~' || in->text[end] == '\\') {
            return fail(in, "expected a string of printable characters without escapes");
        }
        end += 1;
    }
    if (end == in->length) {
        return fail(in, "a string is not closed");
    }
    *string = (mapal_span){.text = in->text + begin, .length = end - begin};
    in->position = end + 1;
    return true;
}

static bool read_extent(reader *in, uint64_t *extent)
{
    skip_space(in);
    size_t begin = in->position;
    uint64_t value = 0;
    while (in->position < in->length && is_digit(in->text[in->position])) {
        uint64_t digit = (uint64_t)(in->text[in->position] - '0');
        if (value > (INT64_MAX - digit) / 10) {
            return fail(in, "an extent of the shape is too large");
        }
        value = 10 * value + digit;
        in->position += 1;
    }
    if (in->position == begin) {
        return fail(in, "expected an extent, a whole number that is not negative");
    }
    if (in->text[begin] == '0' && in->position - begin > 1) {
        in->position = begin;
        return fail(in, "an extent starts with 0");
    }
    *extent = value;
    return true;
}

/* A tuple: (), (n,), (n, m), with or without a comma at the end of the longer ones. */
static bool read_shape(reader *in, mapal_npy_header *header)
{
    skip_space(in);
    size_t begin = in->position;
    uint64_t product = 1;
    bool overflow = false;
    bool empty = false;
    size_t rank = 0;
    bool comma = true;
    if (!accept(in, '(')) {
        return fail(in, "expected the shape, a tuple");
    }
    while (!accept(in, ')')) {
        uint64_t extent;
        if (!comma) {
            return fail(in, "expected ',' or ')' in the shape");
        }
        if (!read_extent(in, &extent)) {
            return false;
        }
        /* An extent of 0 makes the array empty, wherever it stands and however large the others. */
        empty = empty || extent == 0;
        overflow = overflow || (extent != 0 && product > UINT64_MAX / extent);
        product *= extent != 0 ? extent : 1;
        rank += 1;
        comma = accept(in, ',');
    }
    if (rank == 1 && !comma) {
        return fail(in, "a shape of one extent needs a comma: it is a number, not a tuple");
    }
    if (overflow && !empty) {
        return fail(in, "the shape has more elements than fit into 64 bits");
    }
    header->count = empty ? 0 : product;
    header->shape = (mapal_span){.text = in->text + begin, .length = in->position - begin};
    return true;
}

static bool read_boolean(reader *in, bool *value)
{
    skip_space(in);
    *value = accept_word(in, "True");
    if (!*value && !accept_word(in, "False")) {
        return fail(in, "expected True or False");
    }
    return true;
}

enum { DESCR = 1, FORTRAN_ORDER = 2, SHAPE = 4 };

static bool equals(mapal_span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.text, text, span.length) == 0;
}

/* One `key: value`; `seen` collects the keys. */
static bool read_item(reader *in, mapal_npy_header *header, unsigned *seen)
{
    mapal_span key;
    unsigned bit;
    skip_space(in);
    size_t key_position = in->position;
    if (!read_string(in, &key)) {
        return false;
    }
    if (equals(key, "descr")) {
        bit = DESCR;
    } else if (equals(key, "fortran_order")) {
        bit = FORTRAN_ORDER;
    } else if (equals(key, "shape")) {
        bit = SHAPE;
    } else {
        in->position = key_position;
        return fail(in, "an unknown key; the keys are 'descr', 'fortran_order' and 'shape'");
    }
    if ((*seen & bit) != 0) {
        in->position = key_position;
        return fail(in, "a key is given twice");
    }
    *seen |= bit;
    if (!accept(in, ':')) {
        return fail(in, "expected ':' after a key");
    }
    if (bit == DESCR) {
        return read_string(in, &header->descr);
    }
    return bit == SHAPE ? read_shape(in, header) : read_boolean(in, &header->fortran_order);
}

static bool read_dictionary(reader *in, mapal_npy_header *header)
{
    unsigned seen = 0;
    bool comma = true;
    if (!accept(in, '{')) {
        return fail(in, "expected '{'");
    }
    while (!accept(in, '}')) {
        if (!comma) {
            return fail(in, "expected ',' or '}'");
        }
        if (!read_item(in, header, &seen)) {
            return false;
        }
        comma = accept(in, ',');
    }
    if (seen != (DESCR | FORTRAN_ORDER | SHAPE)) {
        return fail(in, (seen & DESCR) == 0           ? "the key 'descr' is missing"
                        : (seen & FORTRAN_ORDER) == 0 ? "the key 'fortran_order' is missing"
                                                      : "the key 'shape' is missing");
    }
    skip_space(in);
    return in->position == in->length || fail(in, "expected nothing after '}'");
}

mapal_npy_problem mapal_npy_parse_header(const char *text, size_t length, mapal_npy_header *header)
{
    reader in = {.text = text, .length = length};
    (void)read_dictionary(&in, header);
    return (mapal_npy_problem){.message = in.problem, .position = in.position};
}
