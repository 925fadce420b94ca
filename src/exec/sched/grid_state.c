/* SPDX-License-Identifier: MIT */
/* What blocks need of their launch: its error, its code, and the memory that they are bound to. */
#include "core/checks.h"
#include "exec/sched/grid.h"
#include "exec/sched/worker.h"
#include "os/guard.h"

bool cup_grid_fail(struct cup_grid *grid, CUresult error)
{
    CUresult none = CUDA_SUCCESS;

    return atomic_compare_exchange_strong(&grid->error, &none, error);
}

_Noreturn void cup_grid_abandon(struct cup_abi_block *block)
{
    if (block->state)
        cup_fiber_before_jump(((struct cup_resident *)block->state)->home);
    else if (((struct cup_plain_block *)block)->fiber)
        cup_fiber_before_jump(&((struct cup_plain_block *)block)->home);
    cup_guard_abandon();
}

uint32_t cup_grid_sm_at(const struct cup_grid *grid, uint32_t number)
{
    return grid->sms ? cup_sm_set_at(grid->sms, number) : number % grid->launch.device_sm_count;
}

/* Worker threads stand for multiprocessors. */
uint32_t cup_grid_sm_of_worker(const struct cup_grid *grid)
{
    return cup_grid_sm_at(grid, cup_worker_number());
}

/* A number such that it and those that writes make of it belong to no other block. Only kernels
 * with wgmma look at it: all workers would write this word for each part of any launch. */
static uint64_t new_shared_version(void)
{
    enum { WRITES_BITS = 36 };
    static _Atomic uint64_t blocks;

    return atomic_fetch_add_explicit(&blocks, UINT64_C(1) << WRITES_BITS, memory_order_relaxed);
}

/* Shared memory is at the end of its area, so that accesses beyond it fault. */
void cup_grid_bind(const struct cup_grid *grid, const struct cup_frame_needs *needs,
                   const struct cup_frame *frame, struct cup_abi_block *block)
{
    block->launch = &grid->launch;
    block->shared =
        frame ? frame->shared_end - ((needs->shared_bytes + 1023) & ~1023u) : CUP_FRAME_NO_SHARED;
    block->window = block->shared;
    block->local = frame ? frame->local : NULL;
    block->frames = frame ? frame->kept : NULL;
    block->sm = cup_grid_sm_of_worker(grid);
    block->shared_version = grid->code->info.descriptors ? new_shared_version() : 0;
    cup_check_block_bound(block);
}
