/* SPDX-License-Identifier: MIT */
/* What the entry point asks about OpenGL, apart from gl.h, whose names are OpenGL's own header's
 * too. */
#ifndef CUP_INTEROP_GL_CURRENT_H
#define CUP_INTEROP_GL_CURRENT_H

#include <stdbool.h>

bool cup_gl_is_present(void); /* has the process loaded any? */
bool cup_gl_is_current(void); /* has the calling thread a context? */

#endif
