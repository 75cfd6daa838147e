/* A program without parameters and results. */
#include "mapal_runtime.h"

static void entry(void *const *input, void *const *output)
{
    (void)input;
    (void)output;
    mapal_print_str((const uint8_t *)"hello", 5, true);
}

const mapal_program mapal_program_descriptor = {
    .abi = MAPAL_RUNTIME_ABI, .name = "hello", .entry = entry};
