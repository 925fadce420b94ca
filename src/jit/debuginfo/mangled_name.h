/* SPDX-License-Identifier: MIT */
/* Names of functions as people write them. */
#ifndef CUP_JIT_DEBUGINFO_MANGLED_NAME_H
#define CUP_JIT_DEBUGINFO_MANGLED_NAME_H

#include <stddef.h>

/* The function's own name inside a mangled C++ name, without scopes and parameters: "axpy" of
 * "_ZN4blas4axpyEif". Other names are returned whole. */
const char *jit_debug_short_name(const char *name, size_t *length);

#endif
