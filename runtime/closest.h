/* How far a misspelt name is from a valid one. */
#ifndef MAPAL_CLOSEST_H
#define MAPAL_CLOSEST_H

#include <stddef.h>

/* Insertions, deletions and substitutions of one character that turn one name into the other. Only
 * the first 63 characters of each count. */
size_t mapal_edit_distance(const char *name, size_t length, const char *candidate);

#endif
