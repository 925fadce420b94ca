/* SPDX-License-Identifier: MIT */
/* The library of outlined operations: machine code of single instructions over all lanes of a warp,
 * which code of the first tier calls (jit/emit/outlined_operations.h). It lies beside the compiler;
 * a build may lack it, and there is none for old processors: the compiler then makes the functions
 * that it needs. */
#ifndef CUP_EXEC_CODE_OUTLINED_LIBRARY_H
#define CUP_EXEC_CODE_OUTLINED_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the library has the operation, and the compiler that is loaded has made the library. */
bool cup_outlined_has(const char *name);
/* The address of an operation; 0: the library does not have it. */
uint64_t cup_outlined_find(const char *name);
/* A hash that changes with the library's file; 0: there is none. */
uint64_t cup_outlined_identity(void);

#endif
