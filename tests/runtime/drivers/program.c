/* A program with parameters and results of every type, as emitted code would describe it. What it
 * does is chosen by index[0]. */
#include "driver.h"
#include "mapal_runtime.h"

#include <string.h>

enum { RUN = 0, TRAP = 1, PRINT_MUCH = 2 };

static const uint64_t shape_4[] = {4};
static const uint64_t shape_2_3[] = {2, 3};

static const mapal_port inputs[] = {
    {"image", MAPAL_SCALAR_U8, 2, 6, shape_2_3}, {"gain", MAPAL_SCALAR_F32, 0, 1, NULL},
    {"mask", MAPAL_SCALAR_BOOL, 1, 4, shape_4},  {"index", MAPAL_SCALAR_I32, 1, 4, shape_4},
    {"offset", MAPAL_SCALAR_I64, 0, 1, NULL},    {"weights", MAPAL_SCALAR_F64, 1, 4, shape_4},
};

static const mapal_port outputs[] = {
    {"result.0", MAPAL_SCALAR_U8, 2, 6, shape_2_3},
    {"result.1", MAPAL_SCALAR_F32, 0, 1, NULL},
    {"result.2", MAPAL_SCALAR_F64, 1, 4, shape_4},
};

static void entry(void *const *input, void *const *output)
{
    const uint8_t *image = input[0];
    const float *gain = input[1];
    const uint8_t *mask = input[2];
    const int32_t *index = input[3];
    const int64_t *offset = input[4];
    const double *weights = input[5];
    uint8_t *result = output[0];
    for (int i = 0; i < 6; ++i) {
        CHECK((uintptr_t)input[i] % 64 == 0);
    }
    mapal_print_f32(*gain, true);
    mapal_print_i64(*offset, true);
    mapal_print_bool(mask[3] != 0, true);
    if (index[0] == TRAP) {
        mapal_trap(MAPAL_TRAP_INDEX_OOB, 41);
    }
    for (int32_t i = 0; index[0] == PRINT_MUCH && i < 100000; ++i) {
        mapal_print_i32(i, true);
    }
    for (int i = 0; i < 6; ++i) {
        result[i] = (uint8_t)(image[5 - i] + 1);
    }
    memcpy(output[1], gain, sizeof *gain);
    memcpy(output[2], weights, 4 * sizeof *weights);
}

const mapal_program mapal_program_descriptor = {
    MAPAL_RUNTIME_ABI, "sample", 6, inputs, 3, outputs, entry,
};
