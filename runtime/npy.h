/* Arrays from and to NumPy .npy files. */
#ifndef MAPAL_NPY_H
#define MAPAL_NPY_H

#include "mapal_runtime.h"

/* Bytes of the port's buffer; reports memory exhaustion if that is no possible size. */
int64_t mapal_port_bytes(const mapal_port *port);

/* Reads a parameter's file into its buffer of mapal_port_bytes(port). On any difference from what the
 * port declares, reports parameter, path, what was found and what was expected, and exits with 2. */
void mapal_npy_read(const mapal_port *port, const char *path, void *buffer);

/* Writes a result as np.save would write it, replacing `path` only once all of it is on the disk. NaNs
 * in the buffer become the one quiet NaN first. On failure: one line, no file left behind, exit
 * with 1. */
void mapal_npy_write(const mapal_port *port, const char *path, void *buffer);

#endif
