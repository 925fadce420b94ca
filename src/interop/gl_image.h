/* SPDX-License-Identifier: MIT */
/* OpenGL textures and renderbuffers as graphics resources. */
#ifndef CUP_INTEROP_GL_IMAGE_H
#define CUP_INTEROP_GL_IMAGE_H

#include "interop/resource.h"

/* Registers an image of the calling thread's current OpenGL context. Returns the errors of
 * cup_gl_image_describe(), and INVALID_VALUE without a context. */
CUresult cup_gl_image_register(struct CUctx_st *context, unsigned name, unsigned target,
                               unsigned flags, struct CUgraphicsResource_st **resource);

#endif
