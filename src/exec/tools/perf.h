/* SPDX-License-Identifier: MIT */
/* Tells perf of compiled kernels (CUPIPE_PERF): their names in a map, or names, code and source
 * lines in a jitdump file. */
#ifndef CUP_EXEC_TOOLS_PERF_H
#define CUP_EXEC_TOOLS_PERF_H

#include "exec/code/elf.h"

/* The loaded code of a kernel, and the object that it was loaded from. Does nothing unless
 * CUPIPE_PERF is set. */
void cup_perf_record(const char *name, const struct cup_elf_code *code, const uint8_t *object,
                     size_t object_bytes);

#endif
