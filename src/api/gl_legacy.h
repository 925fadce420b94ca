/* SPDX-License-Identifier: MIT */
#ifndef CUP_API_GL_LEGACY_H
#define CUP_API_GL_LEGACY_H

#include <cuda.h>

/* What cuGLRegisterBufferObject made of the buffer in the current context; NULL: nothing. */
CUgraphicsResource cup_api_gl_legacy_resource(unsigned buffer);

#endif
