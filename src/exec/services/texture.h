/* SPDX-License-Identifier: MIT */
/* Texture and surface instructions of kernels. */
#ifndef CUP_EXEC_SERVICES_TEXTURE_H
#define CUP_EXEC_SERVICES_TEXTURE_H

#include "exec/sched/grid.h"

/* The service `texture`. An invalid handle ends the kernel; the call does not return then. */
void cup_texcall_run(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t handle,
                     struct cup_abi_texture_call *call);

/* Drops the references that a grid holds, when the grid has completed. */
void cup_texcall_release(struct cup_grid *grid);

#endif
