/* Parses `--input NAME=PATH`, `--output NAME=PATH` and `--help`. */
#include "arguments.h"

#include "closest.h"
#include "output.h"

#include <string.h>

/* The inputs or the outputs, and the paths that the command line has bound to them. */
typedef struct {
    const char *option;
    const char *noun;
    uint32_t count;
    const mapal_port *port;
    const char **path;
} binding_set;

static binding_set make_set(const char *option, const char *noun, uint32_t count,
                            const mapal_port *port)
{
    const char **path = mapal_arena_allocate((int64_t)(count * sizeof *path), 1);
    for (uint32_t i = 0; i < count; ++i) {
        path[i] = NULL;
    }
    return (binding_set){option, noun, count, port, path};
}

_Noreturn static void fail_unknown(const binding_set *set, const char *name, size_t length)
{
    if (set->count == 0) {
        mapal_fail(MAPAL_EXIT_USAGE, "unknown %s '%.*s': this program has no %ss", set->noun,
                   (int)length, name, set->noun);
    }
    const char *closest = set->port[0].name;
    size_t least = mapal_edit_distance(name, length, closest);
    for (uint32_t i = 1; i < set->count; ++i) {
        size_t distance = mapal_edit_distance(name, length, set->port[i].name);
        if (distance < least) {
            least = distance;
            closest = set->port[i].name;
        }
    }
    mapal_fail(MAPAL_EXIT_USAGE, "unknown %s '%.*s'; the closest is '%s'", set->noun, (int)length,
               name, closest);
}

/* Binds one NAME=PATH. */
static void bind(const binding_set *set, const char *pair)
{
    const char *equals = pair == NULL ? NULL : strchr(pair, '=');
    if (equals == NULL || equals == pair || equals[1] == '\0') {
        mapal_fail(MAPAL_EXIT_USAGE, "%s needs NAME=PATH, found %s%s%s", set->option,
                   pair == NULL ? "nothing" : "'", pair == NULL ? "" : pair,
                   pair == NULL ? "" : "'");
    }
    size_t length = (size_t)(equals - pair);
    for (uint32_t i = 0; i < set->count; ++i) {
        const char *name = set->port[i].name;
        if (strlen(name) == length && memcmp(name, pair, length) == 0) {
            if (set->path[i] != NULL) {
                mapal_fail(MAPAL_EXIT_USAGE, "%s '%s' is given twice", set->noun, name);
            }
            set->path[i] = equals + 1;
            return;
        }
    }
    fail_unknown(set, pair, length);
}

static void check_inputs_bound(const binding_set *inputs)
{
    for (uint32_t i = 0; i < inputs->count; ++i) {
        if (inputs->path[i] == NULL) {
            mapal_fail(MAPAL_EXIT_USAGE, "input '%s' is missing; give --input %s=PATH",
                       inputs->port[i].name, inputs->port[i].name);
        }
    }
}

/* Two results under one path would leave only the second. */
static void check_outputs_differ(const binding_set *outputs)
{
    for (uint32_t i = 1; i < outputs->count; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            if (outputs->path[i] != NULL && outputs->path[j] != NULL &&
                strcmp(outputs->path[i], outputs->path[j]) == 0) {
                mapal_fail(MAPAL_EXIT_USAGE, "outputs '%s' and '%s' have the same path %s",
                           outputs->port[j].name, outputs->port[i].name, outputs->path[i]);
            }
        }
    }
}

mapal_arguments mapal_parse_arguments(const mapal_program *program, int count, char **argument)
{
    binding_set inputs = make_set("--input", "input", program->inputs, program->input);
    binding_set outputs = make_set("--output", "output", program->outputs, program->output);
    int next = 1;
    while (next < count) {
        const char *option = argument[next];
        /* A missing pair is a null pointer: the vector of arguments ends with one. */
        if (strcmp(option, "--input") == 0) {
            bind(&inputs, argument[next + 1]);
        } else if (strcmp(option, "--output") == 0) {
            bind(&outputs, argument[next + 1]);
        } else if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            return (mapal_arguments){.help = true};
        } else {
            mapal_fail(MAPAL_EXIT_USAGE,
                       "unknown argument '%s'; expected --input, --output or --help", option);
        }
        next += 2;
    }
    check_inputs_bound(&inputs);
    check_outputs_differ(&outputs);
    return (mapal_arguments){.input = inputs.path, .output = outputs.path};
}
