/* SPDX-License-Identifier: MIT */
/* What a file or buffer of known size holds: PTX, device code, or host code with device code in it.
 * All of it is converted to PTX texts. libcuda has the same in src/module/source.c, for memory of
 * unknown size. */
#ifndef CUP_TOOLS_INPUT_H
#define CUP_TOOLS_INPUT_H

#include "module/source.h"

enum cup_input_kind {
    CUP_INPUT_UNKNOWN,
    CUP_INPUT_PTX,
    CUP_INPUT_FATBIN,
    CUP_INPUT_CARRIER,
    CUP_INPUT_CUBIN, /* machine code */
    CUP_INPUT_HOST,  /* an object, executable or static library */
};

enum cup_input_kind cup_input_identify(const void *data, size_t bytes);

/* Appends the texts. `capability` selects among those of a fatbin. A host file without device code
 * adds nothing. The log describes errors. */
CUresult cup_input_read(const void *data, size_t bytes, unsigned capability,
                        struct cup_source *source, struct ptx_log *log);

/* Parses "sm_90", "compute_90a" or "90"; returns 0 if it is no architecture. */
unsigned cup_input_architecture(const char *name);

#endif
