/* SPDX-License-Identifier: MIT */
/* How much memory a block of a launch needs, which depends on the code that runs it. */
#ifndef CUP_EXEC_SCHED_FRAME_NEEDS_H
#define CUP_EXEC_SCHED_FRAME_NEEDS_H

#include "abi/kernel.h"
#include "abi/launch.h"
#include "exec/sched/frame.h"

struct CUctx_st;

void cup_frame_needs_set(struct cup_frame_needs *needs, const struct cup_abi_launch *launch,
                         const struct cup_abi_kernel_info *info, struct CUctx_st *context);

#endif
