/* SPDX-License-Identifier: MIT */
/* The images that the tools write in place of cubins. */
#ifndef CUP_TOOLS_IMAGE_H
#define CUP_TOOLS_IMAGE_H

#include "module/carrier.h"

/* Makes a carrier (src/module/carrier.h) of the texts, with the symbols that they declare; the
 * caller frees it. A text that cannot be parsed adds no symbols. */
CUresult cup_image_write(const struct cup_source *source, unsigned capability,
                         enum cup_carrier_kind kind, void **image, size_t *bytes);

/* The texts, parsed; NULL if memory is out. *count: those before the first that cannot be parsed.
 * The names of the texts become those of the programs' inputs, for messages of the linker. */
struct ptx_program **cup_image_parse(const struct cup_source *source, struct ptx_log *log,
                                     size_t *count);

void cup_image_free(struct ptx_program **programs, size_t count);

#endif
