/* SPDX-License-Identifier: MIT */
/* The memory of a compilation: all that the compiler takes for itself and that lives no longer than
 * the compilation. It is given back at once at the end, however that comes. Who gets no memory does
 * not come back: the compilation is left to where it began (jit_compile), so nobody who takes
 * some has to ask. */
#ifndef CUP_JIT_WORKSPACE_H
#define CUP_JIT_WORKSPACE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

struct ptx_arena;

struct jit_workspace {
    struct ptx_arena *arena;
    jmp_buf out; /* where the compilation is left to */
    bool shaken; /* it was left in the middle of LLVM, whose objects cannot be used any more */
};

/* The workspace of what this thread compiles; false: no memory. `out` is the caller's to set. */
bool jit_workspace_init(struct jit_workspace *workspace);
void jit_workspace_finish(struct jit_workspace *workspace);

/* As calloc and realloc. */
void *jit_workspace_zeros(struct jit_workspace *workspace, size_t count, size_t size);
void *jit_workspace_grow(struct jit_workspace *workspace, void *memory, size_t old_bytes,
                         size_t bytes);

/* There is no memory: leaves the compilation. */
_Noreturn void jit_workspace_leave(struct jit_workspace *workspace);

#endif
