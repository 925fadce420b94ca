/* SPDX-License-Identifier: MIT */
#include "jit/workspace.h"

#include "jit/shortage.h"
#include "ptx/arena.h"

#include <string.h>

bool cup_workspace_init(struct cup_workspace *workspace)
{
    workspace->shaken = false;
    workspace->arena = ptx_arena_create();
    if (workspace->arena)
        cup_shortage_watch(workspace);
    return workspace->arena;
}

void cup_workspace_finish(struct cup_workspace *workspace)
{
    cup_shortage_watch(NULL);
    ptx_arena_destroy(workspace->arena);
    workspace->arena = NULL;
}

void cup_workspace_leave(struct cup_workspace *workspace)
{
    longjmp(workspace->out, 1);
}

void *cup_workspace_zeros(struct cup_workspace *workspace, size_t count, size_t size)
{
    size_t bytes;
    void *memory = NULL;

    if (!__builtin_mul_overflow(count, size, &bytes))
        memory = ptx_arena_take(workspace->arena, bytes ? bytes : 1);
    if (!memory)
        cup_workspace_leave(workspace);
    return memory;
}

void *cup_workspace_grow(struct cup_workspace *workspace, void *memory, size_t old_bytes,
                         size_t bytes)
{
    void *grown = cup_workspace_zeros(workspace, 1, bytes);

    if (old_bytes)
        memcpy(grown, memory, old_bytes);
    return grown;
}
