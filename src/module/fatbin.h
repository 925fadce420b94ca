/* SPDX-License-Identifier: MIT */
/* A fatbin: a container of the same code for several devices, as PTX or as machine code. */
#ifndef CUP_MODULE_FATBIN_H
#define CUP_MODULE_FATBIN_H

#include "module/source.h"

#define CUP_FATBIN_WRAPPER_MAGIC 0x466243b1u
#define CUP_FATBIN_MAGIC 0xba55ed50u

enum { CUP_FATBIN_HEADER_BYTES = 16 };

/* How large the container is, from its first 16 bytes; 0 when they are not a fatbin's. */
uint64_t cup_fatbin_bytes(const uint8_t header[CUP_FATBIN_HEADER_BYTES]);

/* Takes the PTX that suits a device of this compute capability (90 for 9.0) best: made for the
 * highest one that is not above it, or else for the lowest one. The container is all there. */
CUresult cup_fatbin_ptx(const uint8_t *container, size_t bytes, unsigned capability,
                        struct cup_text *text, struct ptx_log *log);

#endif
