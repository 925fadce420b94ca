/* SPDX-License-Identifier: MIT */
/* What happens when LLVM gets no memory. */
#ifndef CUP_JIT_OUT_OF_MEMORY_H
#define CUP_JIT_OUT_OF_MEMORY_H

struct jit_workspace;

/* From here on it leaves this compilation when it happens in this thread; NULL: none. */
void jit_out_of_memory_watch(struct jit_workspace *workspace);

#endif
