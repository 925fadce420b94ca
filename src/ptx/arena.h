/* SPDX-License-Identifier: MIT */
/* Memory that goes all at once: everything a program consists of. Blocks grow with what was taken,
 * so that an arena costs a few calls of malloc whatever its size. Not for several threads at a
 * time. */
#ifndef CUP_PTX_ARENA_H
#define CUP_PTX_ARENA_H

#include <stddef.h>

struct ptx_arena;

struct ptx_arena *ptx_arena_create(void); /* NULL: out of memory */
void ptx_arena_destroy(struct ptx_arena *arena);

/* Zeroed memory, aligned to 16 bytes; NULL when there is none. Large pieces are mapped and cost
 * what is touched of them. */
void *ptx_arena_take(struct ptx_arena *arena, size_t size);

#endif
