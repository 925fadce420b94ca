/* SPDX-License-Identifier: MIT */
/* OpenGL buffers as graphics resources. */
#ifndef CUP_INTEROP_GL_BUFFER_H
#define CUP_INTEROP_GL_BUFFER_H

#include "interop/resource.h"

/* Of the calling thread's current OpenGL context. INVALID_VALUE without one; INVALID_HANDLE when
 * there is no such buffer; OUT_OF_MEMORY when it is empty. */
CUresult cup_gl_buffer_register(struct CUctx_st *context, unsigned name, unsigned flags,
                                struct CUgraphicsResource_st **resource);

#endif
