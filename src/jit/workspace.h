/* SPDX-License-Identifier: MIT */
/* The memory of a compilation: all that the compiler takes for itself and that lives no longer than
 * the compilation. It is given back at once at the end, however that comes. Who gets no memory does
 * not come back: the compilation is left to where it began (cup_jit_compile), so nobody who takes
 * some has to ask. */
#ifndef CUP_JIT_WORKSPACE_H
#define CUP_JIT_WORKSPACE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

struct ptx_arena;

struct cup_workspace {
    struct ptx_arena *arena;
    jmp_buf out; /* where the compilation is left to */
    bool shaken; /* it was left in the middle of LLVM, whose objects cannot be used any more */
};

/* The workspace of what this thread compiles; false: no memory. `out` is the caller's to set. */
bool cup_workspace_init(struct cup_workspace *workspace);
void cup_workspace_finish(struct cup_workspace *workspace);

/* As calloc and realloc. */
void *cup_workspace_zeros(struct cup_workspace *workspace, size_t count, size_t size);
void *cup_workspace_grow(struct cup_workspace *workspace, void *memory, size_t old_bytes,
                         size_t bytes);

/* There is no memory: leaves the compilation. */
_Noreturn void cup_workspace_leave(struct cup_workspace *workspace);

#endif
