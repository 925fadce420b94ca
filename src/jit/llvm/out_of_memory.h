/* SPDX-License-Identifier: MIT */
/* Out of memory inside LLVM. */
#ifndef CUP_JIT_LLVM_OUT_OF_MEMORY_H
#define CUP_JIT_LLVM_OUT_OF_MEMORY_H

#include <stdbool.h>

struct jit_workspace;

/* From now on, out of memory inside LLVM leaves this compilation of the calling thread; NULL: none.
 * False: there is no memory even for that. */
bool jit_out_of_memory_watch(struct jit_workspace *workspace);

#endif
