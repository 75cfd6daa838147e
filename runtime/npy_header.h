/* The text header of a .npy file. */
#ifndef MAPAL_NPY_HEADER_H
#define MAPAL_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of the header text. */
typedef struct {
    const char *text;
    size_t length;
} mapal_span;

typedef struct {
    mapal_span descr; /* without its quotes */
    bool fortran_order;
    mapal_span shape; /* with its parentheses */
    uint64_t count;   /* the product of the extents */
} mapal_npy_header;

/* What is wrong with a header, and the byte of it where that shows. */
typedef struct {
    const char *message; /* null if nothing is wrong */
    size_t position;
} mapal_npy_problem;

/* Parses the dictionary: the three keys once each, in any order, and nothing else but white space. */
mapal_npy_problem mapal_npy_parse_header(const char *text, size_t length, mapal_npy_header *header);

#endif
