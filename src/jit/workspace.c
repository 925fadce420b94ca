/* SPDX-License-Identifier: MIT */
/* The workspace is an arena; running out of memory is a longjmp to jit_compile. */
#include "jit/workspace.h"

#include "ptx/arena.h"

#include <string.h>

bool jit_workspace_init(struct jit_workspace *workspace)
{
    workspace->llvm_unusable = false;
    workspace->arena = ptx_arena_create();
    return workspace->arena;
}

void jit_workspace_finish(struct jit_workspace *workspace)
{
    ptx_arena_destroy(workspace->arena);
    workspace->arena = NULL;
}

void *jit_workspace_zeros(struct jit_workspace *workspace, size_t count, size_t size)
{
    size_t bytes;
    void *memory = NULL;

    if (!__builtin_mul_overflow(count, size, &bytes))
        memory = ptx_arena_take(workspace->arena, bytes ? bytes : 1);
    if (!memory)
        jit_workspace_leave(workspace);
    return memory;
}

void *jit_workspace_grow(struct jit_workspace *workspace, void *memory, size_t old_bytes,
                         size_t bytes)
{
    void *grown = jit_workspace_zeros(workspace, 1, bytes);

    if (old_bytes)
        memcpy(grown, memory, old_bytes);
    return grown;
}
