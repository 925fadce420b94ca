/* SPDX-License-Identifier: MIT */
/* Host code that nvcc compiles with -rdc=true calls __cudaRegisterLinkedBinary<id>(), a function of
 * each object's own. The linker tells nvcc their names in a file, which nvcc includes where it
 * defines them. */
#ifndef CUP_NVLINK_REGISTER_H
#define CUP_NVLINK_REGISTER_H

#include "common/command_line.h"

/* Appends the ids that an object calls. A file that is no object of a host adds none. The caller
 * frees the words. */
bool register_names(const uint8_t *bytes, size_t size, struct words *names);

/* Writes the file. */
bool register_write(const char *path, const struct words *names);

#endif
