/* SPDX-License-Identifier: MIT */
/* How much memory a block of a launch needs, which depends on the code that runs it. */
#include "exec/sched/frame.h"

#include "core/align.h"
#include "device/limits.h"
#include "os/page.h"

#include <cuda.h>
#include <stddef.h>

enum {
    OWN_STACK_BYTES_MAX = 64 << 10, /* stack limit of kernels that run on a thread's own stack */
    SERVICE_STACK_BYTES = 64 << 10, /* for services and signal frames */
    RECURSIVE_STACK_BYTES = 2 << 20,
};

/* A thread of a recursive kernel may use CU_LIMIT_STACK_SIZE. A frame of compiled code holds a
 * whole warp and spills more than on a device, which has more registers. */
static uint32_t stack_bytes_of(const struct cup_abi_kernel_info *info, struct CUctx_st *context)
{
    uint64_t bytes = (uint64_t)info->stack_bytes + SERVICE_STACK_BYTES;
    size_t limit = 0;

    if (info->recursive) {
        cup_limit_get(context, CU_LIMIT_STACK_SIZE, &limit);
        bytes += RECURSIVE_STACK_BYTES + (uint64_t)limit * CUP_ABI_WARP_LANES * 4;
    }
    return bytes > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)bytes;
}

void cup_frame_needs_set(struct cup_frame_needs *needs, const struct cup_abi_launch *launch,
                         const struct cup_abi_kernel_info *info, struct CUctx_st *context)
{
    uint64_t shared = (uint64_t)launch->shared_static_bytes + launch->shared_dynamic_bytes;

    needs->shared_align = info->descriptors ? CUP_ABI_DESCRIPTOR_BYTES : 0;
    needs->shared_bytes =
        (uint32_t)cup_align_up(shared, needs->shared_align ? cup_page_bytes() : 1024);
    needs->local_bytes = (uint64_t)info->local_bytes * launch->block_warps * CUP_ABI_WARP_LANES;
    needs->kept_bytes = info->frame_bytes * launch->block_warps;
    needs->stacks = 0;
    if (info->waiting)
        needs->stacks = launch->block_warps;
    else if (info->recursive || info->stack_bytes > OWN_STACK_BYTES_MAX)
        needs->stacks = 1;
    needs->stack_bytes = needs->stacks ? stack_bytes_of(info, context) : 0;
}
