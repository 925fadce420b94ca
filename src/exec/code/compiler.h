/* SPDX-License-Identifier: MIT */
/* The interface to the compiler, a shared object that is loaded when the first kernel must be
 * compiled. A process that finds all its kernels in the cache never loads it. */
#ifndef CUP_EXEC_CODE_COMPILER_H
#define CUP_EXEC_CODE_COMPILER_H

#include "exec/code/elf.h"
#include "jit/jit.h"

#include <cuda.h>
#include <stdint.h>

/* Compiles a kernel. Returns JIT_COMPILER_NOT_FOUND if there is no compiler, INVALID_PTX if it
 * rejects the program, OUT_OF_MEMORY if it has too little memory. */
CUresult cup_compiler_run(const struct jit_request *request, struct jit_result *result);
/* The errors that cup_compiler_run() begins with: there is no compiler, or no memory for it. */
CUresult cup_compiler_can_run(const struct jit_request *request);
/* A module is about to be read: if it is the first, an idle worker loads the compiler meanwhile,
 * unless kernels may be in the cache. */
void cup_compiler_load_ahead(void);
void cup_compiler_release(struct jit_result *result);

/* A hash that changes with the compiler's file. It covers size, modification time and first page,
 * which has the linker's build id; the file is not loaded. 0: no compiler found. LLVM's version is
 * not included: code from another LLVM is equivalent. */
uint64_t cup_compiler_identity(void);

/* The path of the compiler's file; empty if only the loader knows it. */
const char *cup_compiler_path(void);
/* The same hash of any file; 0: it cannot be read. */
uint64_t cup_file_identity(const char *path);
/* What the compiler says of itself (jit_identity); NULL: it is not loaded. */
const char *cup_compiler_name(void);

#endif
