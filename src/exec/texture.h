/* SPDX-License-Identifier: MIT */
/* Textures and surfaces as kernels see them. */
#ifndef CUP_EXEC_TEXTURE_H
#define CUP_EXEC_TEXTURE_H

#include "exec/grid.h"

/* The service of the same name. A handle that is none ends the kernel: then it does not return. */
void cup_texcall_run(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t handle,
                     struct cup_abi_texture_call *call);

/* Gives back what a grid has kept, when it is over. */
void cup_texcall_forget(struct cup_grid *grid);

#endif
