/* SPDX-License-Identifier: MIT */
/* The memory of a compilation: everything that the compiler allocates for itself. It is freed at
 * once when the compilation ends, however it ends. A request that fails does not return: it leaves
 * the compilation (jit_compile), so callers do not test for NULL. */
#ifndef CUP_JIT_WORKSPACE_H
#define CUP_JIT_WORKSPACE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

struct ptx_arena;

struct jit_workspace {
    struct ptx_arena *arena;
    jmp_buf out;        /* where jit_workspace_leave jumps to */
    bool llvm_unusable; /* it was left inside LLVM, whose objects are unusable since */
};

/* Makes the workspace; false: out of memory. The caller sets `out`. */
bool jit_workspace_init(struct jit_workspace *workspace);
void jit_workspace_finish(struct jit_workspace *workspace);

/* As calloc and realloc. */
void *jit_workspace_zeros(struct jit_workspace *workspace, size_t count, size_t size);
void *jit_workspace_grow(struct jit_workspace *workspace, void *memory, size_t old_bytes,
                         size_t bytes);

/* Out of memory: leaves the compilation. */
static inline _Noreturn void jit_workspace_leave(struct jit_workspace *workspace)
{
    longjmp(workspace->out, 1);
}

#endif
