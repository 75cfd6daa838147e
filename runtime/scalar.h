/* How the scalar types look in a .npy file. */
#ifndef MAPAL_SCALAR_H
#define MAPAL_SCALAR_H

#include <stddef.h>
#include <stdint.h>

/* NumPy's name of a type, such as "<f4". */
const char *mapal_scalar_dtype(uint32_t scalar);

/* Bytes of one element. */
size_t mapal_scalar_bytes(uint32_t scalar);

#endif
