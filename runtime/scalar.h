/* The scalar types of ports, and how they look in a .npy file. */
#ifndef MAPAL_SCALAR_H
#define MAPAL_SCALAR_H

#include <stddef.h>
#include <stdint.h>

/* The language's name of a type, such as "f32". */
const char *mapal_scalar_name(uint32_t scalar);

/* NumPy's name of a type, such as "<f4". */
const char *mapal_scalar_dtype(uint32_t scalar);

/* Bytes of one element. */
size_t mapal_scalar_bytes(uint32_t scalar);

#endif
