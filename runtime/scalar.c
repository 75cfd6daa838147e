/* The table of scalar types. */
#include "scalar.h"

#include "mapal_runtime.h"
#include "output.h"

static const struct {
    const char *name;
    const char *dtype;
    size_t bytes;
} scalars[] = {
    [MAPAL_SCALAR_I32] = {"i32", "<i4", 4},
    [MAPAL_SCALAR_I64] = {"i64", "<i8", 8},
    [MAPAL_SCALAR_U8] = {"u8", "|u1", 1},
    [MAPAL_SCALAR_F32] = {"f32", "<f4", 4},
    [MAPAL_SCALAR_F64] = {"f64", "<f8", 8},
    [MAPAL_SCALAR_BOOL] = {"bool", "|b1", 1},
};

static void check_known(uint32_t scalar)
{
    if (scalar >= sizeof scalars / sizeof scalars[0]) {
        mapal_bug("a port has the unknown scalar type %u", (unsigned)scalar);
    }
}

const char *mapal_scalar_name(uint32_t scalar)
{
    check_known(scalar);
    return scalars[scalar].name;
}

const char *mapal_scalar_dtype(uint32_t scalar)
{
    check_known(scalar);
    return scalars[scalar].dtype;
}

size_t mapal_scalar_bytes(uint32_t scalar)
{
    check_known(scalar);
    return scalars[scalar].bytes;
}
