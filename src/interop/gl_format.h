/* SPDX-License-Identifier: MIT */
/* The internal formats of OpenGL images that CUDA supports, their CUDA formats, and the pixel
 * formats for transfers. */
#ifndef CUP_INTEROP_GL_FORMAT_H
#define CUP_INTEROP_GL_FORMAT_H

#include <cuda.h>

struct cup_gl_format {
    unsigned internal;     /* OpenGL's internal format */
    CUarray_format format; /* CUDA's */
    unsigned char channels;
    unsigned char channel_bytes;
    unsigned short transfer, type; /* format and type of the pixels in transfers */
};

/* Returns NULL if CUDA does not support the format. */
const struct cup_gl_format *cup_gl_format_find(unsigned internal);

#endif
