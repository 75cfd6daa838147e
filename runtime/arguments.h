/* The command line of an executable. */
#ifndef MAPAL_ARGUMENTS_H
#define MAPAL_ARGUMENTS_H

#include "mapal_runtime.h"

#include <stdbool.h>

/* The path for each port; null for a result that is not to be written. */
typedef struct {
    const char **input;
    const char **output;
    bool help;
} mapal_arguments;

/* Parses the command line. A mistake is reported with the names that are possible, and exits with 2.
 * `--help` ends the parse: then only `help` is set. */
mapal_arguments mapal_parse_arguments(const mapal_program *program, int count, char **argument);

/* Prints what `--help` promises: each parameter's and result's name, type and element count. */
void mapal_print_help(const mapal_program *program);

#endif
