/* SPDX-License-Identifier: MIT */
/* OpenGL queries for the API layer. Separate from gl.h, whose names conflict with OpenGL's own
 * header. */
#ifndef CUP_INTEROP_GL_CURRENT_H
#define CUP_INTEROP_GL_CURRENT_H

#include <stdbool.h>

bool cup_gl_is_present(void); /* true if the process has loaded an OpenGL library */
bool cup_gl_is_current(void); /* true if the calling thread has a current context */

#endif
