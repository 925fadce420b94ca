/* SPDX-License-Identifier: MIT */
#include "exec/services/lane_stacks.h"

#include "core/align.h"
#include "exec/sched/block.h"
#include "exec/sched/fault.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { LANES = CUP_ABI_WARP_LANES };

enum { LANE_STACK_BYTES = 64 << 10 };

struct lane_stacks {
    uint8_t *memory;
    size_t bytes;
    uint64_t tops[CUP_WARPS_MAX * LANES]; /* address of the free part */
};

/* Returns NULL if memory is out. */
static struct lane_stacks *stacks_of(struct cup_abi_block *block)
{
    struct lane_stacks *stacks = block->stacks;
    size_t lanes = block->state ? CUP_WARPS_MAX * LANES : LANES;
    void *memory;

    if (stacks)
        return stacks;
    stacks = calloc(1, sizeof(*stacks));
    if (!stacks)
        return NULL;
    memory = mmap(NULL, lanes * LANE_STACK_BYTES, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        free(stacks);
        return NULL;
    }
    stacks->memory = memory;
    stacks->bytes = lanes * LANE_STACK_BYTES;
    for (size_t lane = 0; lane < lanes; lane++)
        stacks->tops[lane] = (uint64_t)(uintptr_t)stacks->memory + lane * LANE_STACK_BYTES;
    return block->stacks = stacks;
}

bool cup_lanestack_has(const struct cup_abi_block *block, uint64_t address)
{
    const struct lane_stacks *stacks = block->stacks;

    return stacks && address - (uint64_t)(uintptr_t)stacks->memory < stacks->bytes;
}

void cup_lanestack_free(struct cup_abi_block *block)
{
    struct lane_stacks *stacks = block->stacks;

    if (stacks)
        munmap(stacks->memory, stacks->bytes);
    free(stacks);
    block->stacks = NULL;
}

void cup_lanestack_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                           const struct cup_abi_warp_call *call, uint64_t *words)
{
    struct lane_stacks *stacks = stacks_of(block);
    uint32_t first = block->state ? warp * LANES : 0;

    if (!stacks)
        cup_fault_trap(block, warp, mask, CUP_ABI_TRAP_MEMORY, call->line);
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t *top = &stacks->tops[first + lane], size = words[lane];
        uint64_t base =
            (uint64_t)(uintptr_t)stacks->memory + (uint64_t)(first + lane) * LANE_STACK_BYTES;
        uint64_t align = UINT64_C(1) << call->count, start = cup_align_up(*top, align);

        if (call->operation == CUP_ABI_WARP_STACK_SAVE) {
            words[lane] = *top;
        } else if (call->operation == CUP_ABI_WARP_STACK_RESTORE) {
            *top = size >= base && size <= base + LANE_STACK_BYTES ? size : base;
        } else if (size > LANE_STACK_BYTES || start + size > base + LANE_STACK_BYTES) {
            cup_fault_trap(block, warp, 1u << lane, CUP_ABI_TRAP_STACK, call->line);
        } else {
            *top = start + size;
            words[LANES + lane] = start;
        }
    }
}
