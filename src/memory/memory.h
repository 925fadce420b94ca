/* SPDX-License-Identifier: MIT */
/* Setting up the memory of the process, a heap for each device and one for pinned host memory, and
 * releasing what belongs to a context. */
#ifndef CUP_MEMORY_MEMORY_H
#define CUP_MEMORY_MEMORY_H

#include <cuda.h>

struct CUctx_st;

/* Creates the heaps. Called by cuInit, after the devices are known; may be called again when it
 * failed. */
CUresult cup_memory_init(void);

/* Frees the memory that a context owns, when the context ends. */
void cup_memory_release_context(struct CUctx_st *context);

#endif
