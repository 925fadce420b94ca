/* SPDX-License-Identifier: MIT */
/* What a program hands in as code: PTX text, a fatbin (bare or behind its wrapper), a cubin, or
 * what cuLinkComplete made. In the end it is always PTX text, one piece or several that are to be
 * linked.
 *
 * An image in memory comes without a length. It is read under the fault guard, and never beyond
 * what its own headers say. */
#ifndef CUP_MODULE_SOURCE_H
#define CUP_MODULE_SOURCE_H

#include "ptx/program.h"

#include <cuda.h>
#include <stdbool.h>

struct cup_source_text {
    char *bytes; /* with a NUL behind the last */
    size_t length;
};

struct cup_source {
    struct cup_source_text *texts;
    size_t count;
    bool bad_machine_code; /* it was refused for damaged machine code for this very device */
};

/* `bytes`: how much there is, or 0 if nobody knows. The log says in words what was wrong. */
CUresult cup_source_read(const void *image, size_t bytes, struct cup_source *source,
                         struct ptx_log *log);

/* Is this the wrapper that nvcc puts around a fatbin, beside the host's code? */
bool cup_source_is_wrapper(const void *image);

/* The contents of a file, with a NUL behind them: FILE_NOT_FOUND, OUT_OF_MEMORY. */
CUresult cup_source_read_file(const char *path, struct cup_source_text *text);

/* One more text at the end; takes it over, also when memory is out. */
CUresult cup_source_add(struct cup_source *source, struct cup_source_text text);

/* The texts behind each other in a form that cup_source_read takes: what the linker hands out. */
CUresult cup_source_pack(const struct cup_source *source, void **packed, size_t *bytes);

void cup_source_finish(struct cup_source *source);

#endif
