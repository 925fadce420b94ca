/* SPDX-License-Identifier: MIT */
/* Code that the application passes in: PTX text, a fatbin (bare or in its wrapper), a cubin, or a
 * carrier (the image of cuLinkComplete()). All of these are converted to one or several PTX texts.
 *
 * The size of an image in memory is unknown. It is read under the fault guard, and never beyond the
 * sizes in its own headers. */
#ifndef CUP_MODULE_SOURCE_H
#define CUP_MODULE_SOURCE_H

#include "core/dynarray.h"
#include "device/profile.h"
#include "ptx/program.h"

#include <cuda.h>
#include <stdbool.h>

enum { CUP_IMAGE_BYTES_MAX = 1 << 30 }; /* larger images are refused */

struct cup_source_text {
    char *bytes; /* terminated by NUL */
    size_t length;
    char *name;          /* of the linker's input; NULL: none */
    bool keeps_products; /* compiled so that no product and sum become one operation */
    bool assembled;      /* of a carrier, which has the place of machine code */
};

struct cup_source {
    CUP_DYNARRAY(struct cup_source_text, texts);
    uint32_t max_registers; /* the option that an image was compiled with; 0: none */
    bool linked;            /* an image of the linker */
    unsigned stands_in_for; /* PTX for a newer device, for machine code of this one; 0: it is not */
    bool bad_machine_code;  /* rejected because of damaged machine code for this device */
};

/* `bytes` is the size, or 0 if unknown. Of several texts the one that suits the device best is
 * taken. The log describes errors. */
CUresult cup_source_read(const void *image, size_t bytes, const struct cup_profile *profile,
                         struct cup_source *source, struct ptx_log *log);

/* True for the wrapper that nvcc emits around a fatbin in host code. */
bool cup_source_is_wrapper(const void *image);

/* Reads a file and appends a NUL. Returns FILE_NOT_FOUND or OUT_OF_MEMORY. */
CUresult cup_source_read_file(const char *path, struct cup_source_text *text);

/* Appends a text and takes it over, also if memory is out. */
CUresult cup_source_add(struct cup_source *source, struct cup_source_text text);

void cup_source_finish(struct cup_source *source);

#endif
