/* SPDX-License-Identifier: MIT */
/* A library that the process has loaded, or NULL. It stays loaded from then on. */
#ifndef CUP_INTEROP_GL_LIBRARY_H
#define CUP_INTEROP_GL_LIBRARY_H

void *cup_gl_library(const char *name);

#endif
