/* SPDX-License-Identifier: MIT */
/* Returns a handle to a library that the process has loaded, or NULL. The library stays loaded from
 * then on. */
#ifndef CUP_INTEROP_GL_LIBRARY_H
#define CUP_INTEROP_GL_LIBRARY_H

void *cup_gl_library(const char *name);

#endif
