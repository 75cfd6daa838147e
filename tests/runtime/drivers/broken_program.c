/* Descriptors that no correct compiler emits: of another interface (BROKEN_ABI), of an unknown type
 * (BROKEN_SCALAR), or else larger than any memory. */
#include "mapal_runtime.h"

#include <stddef.h>

static const uint64_t shape[] = {UINT64_C(1) << 62};
#if defined(BROKEN_SCALAR)
static const mapal_port port = {"x", 99, 1, 1, shape};
#else
static const mapal_port port = {"x", MAPAL_SCALAR_F64, 1, UINT64_C(1) << 62, shape};
#endif

static void entry(void *const *input, void *const *output)
{
    (void)input;
    (void)output;
}

#if defined(BROKEN_ABI)
enum { ABI = MAPAL_RUNTIME_ABI + 1 };
#else
enum { ABI = MAPAL_RUNTIME_ABI };
#endif

const mapal_program mapal_program_descriptor = {ABI, "broken", 0, NULL, 1, &port, entry};
