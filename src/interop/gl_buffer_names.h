/* SPDX-License-Identifier: MIT */
/* The buffers that a context knows by their OpenGL names: those of cuGLRegisterBufferObject. */
#ifndef CUP_INTEROP_GL_BUFFER_NAMES_H
#define CUP_INTEROP_GL_BUFFER_NAMES_H

#include <cuda.h>
#include <stdbool.h>

/* All functions are about the current context. The resource of a buffer; NULL: none.
 * cup_gl_name_take removes the name. */
CUgraphicsResource cup_gl_name_find(unsigned buffer);
CUgraphicsResource cup_gl_name_take(unsigned buffer);
/* Returns false if memory is out. */
bool cup_gl_name_add(unsigned buffer, CUgraphicsResource resource);

#endif
