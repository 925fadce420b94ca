/* SPDX-License-Identifier: MIT */
/* Which internal formats of OpenGL images CUDA takes, as what, and how their pixels are moved. */
#ifndef CUP_INTEROP_GL_FORMAT_H
#define CUP_INTEROP_GL_FORMAT_H

#include <cuda.h>

struct cup_gl_format {
    unsigned internal;     /* OpenGL's name of it */
    CUarray_format format; /* CUDA's */
    unsigned char channels;
    unsigned char channel_bytes;
    unsigned short transfer, type; /* what OpenGL is told that the pixels are */
};

/* NULL when CUDA does not take it. */
const struct cup_gl_format *cup_gl_format_find(unsigned internal);

#endif
