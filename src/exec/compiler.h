/* SPDX-License-Identifier: MIT */
/* The compiler as seen from here: a shared object that is loaded when the first kernel must be
 * compiled. A process whose kernels are all in the cache never loads it. */
#ifndef CUP_EXEC_COMPILER_H
#define CUP_EXEC_COMPILER_H

#include "exec/elf.h"
#include "jit/jit.h"

#include <cuda.h>
#include <stdint.h>

/* Compiles. JIT_COMPILER_NOT_FOUND when there is no compiler, INVALID_PTX when it refuses,
 * OUT_OF_MEMORY when there is too little for it. */
CUresult cup_compiler_run(const struct jit_request *request, struct jit_result *result);
void cup_compiler_release(struct jit_result *result);

/* A number that is another one when the compiler's file is another one. The file is looked at, not
 * loaded: its size, its time and its first page, which holds the linker's build id. 0: no compiler
 * was found. LLVM is not part of it: code that another LLVM made of the same is as good. */
uint64_t cup_compiler_identity(void);

/* CUPIPE_PERF: tells perf the name of a kernel's code. */
void cup_perf_note(const struct cup_elf_code *code, const char *name);

#endif
