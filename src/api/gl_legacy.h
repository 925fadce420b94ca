/* SPDX-License-Identifier: MIT */
#ifndef CUP_API_GL_LEGACY_H
#define CUP_API_GL_LEGACY_H

#include <cuda.h>

/* The resource that cuGLRegisterBufferObject created for the buffer in the current context, or
 * NULL. */
CUgraphicsResource cup_api_gl_legacy_resource(unsigned buffer);

#endif
