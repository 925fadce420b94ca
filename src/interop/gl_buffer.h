/* SPDX-License-Identifier: MIT */
/* OpenGL buffers as graphics resources. */
#ifndef CUP_INTEROP_GL_BUFFER_H
#define CUP_INTEROP_GL_BUFFER_H

#include "interop/resource.h"

/* Registers a buffer of the calling thread's current OpenGL context. Returns INVALID_VALUE without
 * a context, INVALID_HANDLE if there is no such buffer, OUT_OF_MEMORY if the buffer is empty. */
CUresult cup_gl_buffer_register(struct CUctx_st *context, unsigned name, unsigned flags,
                                struct CUgraphicsResource_st **resource);

#endif
