/* SPDX-License-Identifier: MIT */
/* An mbarrier has a phase, and the arrivals and bytes that are still pending in it; when there are
 * none, the next phase begins. Only one thread runs the warps of a cluster at a time, so no locks
 * are needed. */
#include "exec/mbarrier.h"

#include "abi/launch.h"
#include "abi/warp.h"
#include "exec/cluster.h"
#include "exec/fault.h"

#include <stdbool.h>
#include <stddef.h>

enum { LANES = CUP_ABI_WARP_LANES };

enum { COUNT_BITS = 20, COUNT_MASK = (1 << COUNT_BITS) - 1, BYTES_BITS = 21 };

struct mbarrier_word {
    uint32_t expected, pending;
    int32_t bytes;
    bool phase;
};

static struct mbarrier_word unpack(uint64_t word)
{
    return (struct mbarrier_word){
        .expected = word & COUNT_MASK,
        .pending = word >> COUNT_BITS & COUNT_MASK,
        .bytes =
            (int32_t)((uint32_t)(word >> 2 * COUNT_BITS) << (32 - BYTES_BITS)) >> (32 - BYTES_BITS),
        .phase = word >> 63};
}

static uint64_t pack(const struct mbarrier_word *barrier)
{
    uint64_t bytes = (uint32_t)barrier->bytes & ((1u << BYTES_BITS) - 1);

    return (barrier->expected & COUNT_MASK) |
           (uint64_t)(barrier->pending & COUNT_MASK) << COUNT_BITS | bytes << 2 * COUNT_BITS |
           (uint64_t)barrier->phase << 63;
}

/* Executes the instruction of one lane. `count` is the operand after the address. */
static uint64_t mbarrier_lane(uint32_t operation, uint64_t *place, uint64_t count)
{
    uint64_t before = *place;
    struct mbarrier_word b = unpack(before);
    bool drops =
        operation == CUP_ABI_WARP_MBARRIER_DROP || operation == CUP_ABI_WARP_MBARRIER_DROP_EXPECT;

    switch (operation) {
    case CUP_ABI_WARP_MBARRIER_INIT:
        b = (struct mbarrier_word){.expected = (uint32_t)count, .pending = (uint32_t)count};
        *place = pack(&b);
        return 0;
    case CUP_ABI_WARP_MBARRIER_TEST:
        return b.phase != (count >> 63 & 1);
    case CUP_ABI_WARP_MBARRIER_TEST_PARITY:
        return b.phase != (count & 1);
    case CUP_ABI_WARP_MBARRIER_EXPECT:
        b.bytes += (int32_t)count;
        break;
    case CUP_ABI_WARP_MBARRIER_COMPLETE:
        b.bytes -= (int32_t)count;
        break;
    case CUP_ABI_WARP_MBARRIER_ARRIVE_EXPECT:
    case CUP_ABI_WARP_MBARRIER_DROP_EXPECT:
        b.bytes += (int32_t)count;
        b.pending--;
        b.expected -= drops;
        break;
    default:
        b.pending -= (uint32_t)count;
        b.expected -= drops ? (uint32_t)count : 0;
        break;
    }
    if ((b.pending & COUNT_MASK) == 0 && b.bytes == 0) {
        b.phase = !b.phase;
        b.pending = b.expected;
    }
    *place = pack(&b);
    return before;
}

/* The word at an address of shared memory. Warps of its block may wait for what happens to it. */
static uint64_t *word_at(struct cup_abi_block *block, uint32_t warp, uint32_t lane, uint32_t line,
                         uint64_t address, bool changes)
{
    struct cup_abi_block *owner;

    if (address % 8)
        cup_fault_misaligned(block, warp, 1u << lane, address, 8, line);
    owner = cup_cluster_block_at(block, address, 8);
    if (owner && changes)
        cup_cluster_touch(owner);
    return (uint64_t *)(uintptr_t)address;
}

void cup_mbarrier_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          const struct cup_abi_warp_call *call, uint64_t *words)
{
    bool changes = call->operation != CUP_ABI_WARP_MBARRIER_TEST &&
                   call->operation != CUP_ABI_WARP_MBARRIER_TEST_PARITY;

    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);

        if (call->operation == CUP_ABI_WARP_MBARRIER_PENDING) {
            words[LANES + lane] = unpack(words[lane]).pending;
            continue;
        }
        words[2 * LANES + lane] = mbarrier_lane(
            call->operation, word_at(block, warp, lane, call->line, words[lane], changes),
            words[LANES + lane]);
    }
}

void cup_mbarrier_complete(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                           uint32_t instruction_line, uint64_t address, uint64_t bytes)
{
    mbarrier_lane(CUP_ABI_WARP_MBARRIER_COMPLETE,
                  word_at(block, warp, lane, instruction_line, address, true), bytes);
}
