/* SPDX-License-Identifier: MIT */
/* An arena: memory that is freed at once. A program is allocated in one. Blocks grow with the
 * arena, so that it needs few calls of malloc whatever its size. Not thread-safe. */
#ifndef CUP_PTX_ARENA_H
#define CUP_PTX_ARENA_H

#include <stddef.h>

struct ptx_arena;

struct ptx_arena *ptx_arena_create(void); /* NULL: out of memory */
void ptx_arena_destroy(struct ptx_arena *arena);

/* Zeroed memory, aligned to 16 bytes; NULL: out of memory. Large allocations are mapped, and use
 * memory only for the pages that are touched. */
void *ptx_arena_take(struct ptx_arena *arena, size_t size);

#endif
