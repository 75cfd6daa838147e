/* Levenshtein distance by the usual table, of which one row at a time is kept. */
#include "closest.h"

#include <string.h>

enum { NAME_LIMIT = 63 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t mapal_edit_distance(const char *name, size_t length, const char *candidate)
{
    size_t row[NAME_LIMIT + 1];
    size_t rows = smaller(length, NAME_LIMIT);
    size_t columns = smaller(strlen(candidate), NAME_LIMIT);
    for (size_t column = 0; column <= columns; ++column) {
        row[column] = column;
    }
    for (size_t i = 1; i <= rows; ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t column = 1; column <= columns; ++column) {
            size_t substituted = diagonal + (name[i - 1] != candidate[column - 1]);
            diagonal = row[column];
            row[column] = smaller(substituted, 1 + smaller(row[column], row[column - 1]));
        }
    }
    return row[columns];
}
