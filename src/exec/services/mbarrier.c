/* SPDX-License-Identifier: MIT */
/* An mbarrier has a phase, and the arrivals and bytes that are still pending in it; when there are
 * none, the next phase begins.
 *
 * A device wakes the threads that wait for a phase when it is complete, whatever happens to the
 * barrier then; programs initialise it again at once. Here a thread that waits asks again later. So
 * a barrier that is initialised leaves word to those that asked for a phase that is complete.
 *
 * Only one thread runs the warps of a cluster at a time, so no locks
 * are needed. */
#include "exec/services/mbarrier.h"
#include "exec/services/service_access.h"

#include "abi/launch.h"
#include "abi/warp.h"
#include "core/checks.h"
#include "exec/sched/cluster.h"
#include "exec/sched/fault.h"

#include <stdbool.h>
#include <stddef.h>

enum { LANES = CUP_ABI_WARP_LANES };

enum { COUNT_BITS = 20, COUNT_MASK = (1 << COUNT_BITS) - 1, BYTES_BITS = 21, LAYOUT_BIT = 62 };

struct mbarrier_word {
    uint32_t expected, pending;
    int32_t bytes;
    bool layout; /* .layout::v1; its reports are always zero and need no room */
    bool phase;
};

static struct mbarrier_word unpack(uint64_t word)
{
    return (struct mbarrier_word){
        .expected = word & COUNT_MASK,
        .pending = word >> COUNT_BITS & COUNT_MASK,
        .bytes =
            (int32_t)((uint32_t)(word >> 2 * COUNT_BITS) << (32 - BYTES_BITS)) >> (32 - BYTES_BITS),
        .layout = word >> LAYOUT_BIT & 1,
        .phase = word >> 63};
}

static uint64_t pack(const struct mbarrier_word *barrier)
{
    uint64_t bytes = (uint32_t)barrier->bytes & ((1u << BYTES_BITS) - 1);

    return (barrier->expected & COUNT_MASK) |
           (uint64_t)(barrier->pending & COUNT_MASK) << COUNT_BITS | bytes << 2 * COUNT_BITS |
           (uint64_t)barrier->layout << LAYOUT_BIT | (uint64_t)barrier->phase << 63;
}

/* Executes the instruction of one lane. `count` is the operand after the address, `layout` that of
 * INIT and LAYOUT. */
static uint64_t mbarrier_lane(uint32_t operation, bool layout, uint64_t *place, uint64_t count)
{
    uint64_t before = *place;
    struct mbarrier_word b = unpack(before);
    bool drops =
        operation == CUP_ABI_WARP_MBARRIER_DROP || operation == CUP_ABI_WARP_MBARRIER_DROP_EXPECT;

    switch (operation) {
    case CUP_ABI_WARP_MBARRIER_INIT:
        b = (struct mbarrier_word){
            .expected = (uint32_t)count, .pending = (uint32_t)count, .layout = layout};
        *place = pack(&b);
        return 0;
    case CUP_ABI_WARP_MBARRIER_TEST:
        return b.phase != (count >> 63 & 1);
    case CUP_ABI_WARP_MBARRIER_TEST_PARITY:
        return b.phase != (count & 1);
    case CUP_ABI_WARP_MBARRIER_LAYOUT:
        return b.layout == layout;
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

static bool is_poll(uint32_t operation)
{
    return operation == CUP_ABI_WARP_MBARRIER_TEST ||
           operation == CUP_ABI_WARP_MBARRIER_TEST_PARITY;
}

/* The answer to a lane that asks for a phase, after `complete` was read from the barrier. */
static bool answer_poll(struct cup_resident *resident, uint32_t warp, uint32_t lane,
                        uint64_t address, bool phase, bool complete)
{
    struct cup_mbarrier_polls *polls = &resident->polls[warp];
    uint32_t bit = 1u << lane;

    if (!(resident->polling >> warp & 1)) {
        if (complete)
            return true;
        resident->polling |= 1u << warp;
        polls->failed = polls->complete = 0;
    }
    complete |= (polls->failed & polls->complete & bit) && polls->addresses[lane] == address &&
                !!(polls->phases & bit) == phase;
    polls->complete &= ~bit;
    polls->failed = complete ? polls->failed & ~bit : polls->failed | bit;
    polls->phases = phase ? polls->phases | bit : polls->phases & ~bit;
    polls->addresses[lane] = address;
    return complete;
}

/* The barrier of an address is about to be initialised. */
static void leave_word(struct cup_resident *resident, uint64_t address, uint64_t word)
{
    for (uint32_t warps = resident->polling; warps; warps &= warps - 1) {
        struct cup_mbarrier_polls *polls = &resident->polls[__builtin_ctz(warps)];

        for (uint32_t left = polls->failed; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);

            if (polls->addresses[lane] == address &&
                (polls->phases >> lane & 1) != unpack(word).phase)
                polls->complete |= 1u << lane;
        }
    }
}

/* Whether some of the arrivals and bytes of a phase have come, but not all. */
static bool is_busy(uint64_t word)
{
    struct mbarrier_word b = unpack(word);

    return b.pending != b.expected || b.bytes != 0;
}

static void tell_use(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                     const struct cup_abi_warp_call *call, bool inits, const uint64_t *word,
                     uint64_t before)
{
    const struct cup_mbarrier_use use = {
        .block = block,
        .warp = warp,
        .lane = lane,
        .site = call->site,
        .inits = inits,
        .address = (uint64_t)(uintptr_t)word,
        .before = before,
        .after = *word,
        .was_busy = is_busy(before),
    };

    cup_check_mbarrier_used(&use);
}

static uint64_t execute_lane(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                             const struct cup_abi_warp_call *call, uint64_t address,
                             uint64_t operand)
{
    struct cup_resident *resident = block->state;
    bool polls = is_poll(call->operation);
    bool inits = call->operation == CUP_ABI_WARP_MBARRIER_INIT;
    bool changes = !polls && call->operation != CUP_ABI_WARP_MBARRIER_LAYOUT;
    uint64_t *word = word_at(block, warp, lane, call->line, address, changes), result, before;

    cup_service_access(block, warp, lane, word, sizeof(*word), call->site,
                       inits ? CUP_ABI_WRITES | CUP_ABI_INIT
                             : CUP_ABI_READS | CUP_ABI_WRITES | CUP_ABI_ATOMIC);
    if (resident && resident->polling && inits)
        leave_word(resident, address, *word);
    before = *word;
    result = mbarrier_lane(call->operation, call->part, word, operand);
    tell_use(block, warp, lane, call, inits, word, before);
    if (!polls || !resident)
        return result;
    return answer_poll(
        resident, warp, lane, address,
        call->operation == CUP_ABI_WARP_MBARRIER_TEST ? operand >> 63 & 1 : operand & 1, result);
}

/* Whether all lanes ask the same of one barrier, and the answer is yes. Then each of them need not
 * ask by itself. */
static bool all_pass(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                     const struct cup_abi_warp_call *call, const uint64_t *words)
{
    const struct cup_resident *resident = block->state;
    uint64_t differs = 0;

    if (mask != UINT32_MAX || !is_poll(call->operation) || cup_checks.kernels ||
        (resident && resident->polling >> warp & 1))
        return false;
    for (uint32_t lane = 1; lane < LANES; lane++)
        differs |= (words[lane] ^ words[0]) | (words[LANES + lane] ^ words[LANES]);
    return !differs && execute_lane(block, warp, 0, call, words[0], words[LANES]);
}

void cup_mbarrier_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          const struct cup_abi_warp_call *call, uint64_t *words)
{
    if (all_pass(block, warp, mask, call, words)) {
        for (uint32_t lane = 0; lane < LANES; lane++)
            words[2 * LANES + lane] = true;
        return;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);

        if (call->operation == CUP_ABI_WARP_MBARRIER_PENDING)
            words[LANES + lane] = unpack(words[lane]).pending;
        else
            words[2 * LANES + lane] =
                execute_lane(block, warp, lane, call, words[lane], words[LANES + lane]);
    }
}

void cup_mbarrier_complete(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                           const struct cup_abi_warp_call *call, uint64_t address, uint64_t bytes)
{
    uint64_t *word, before;

    if (cup_unlikely(cup_checks.kernels != 0)) {
        uint64_t addresses[LANES];

        addresses[lane] = address;
        cup_check_synchronised(block, warp, 1u << lane, CUP_ABI_SYNC_KIND_MBARRIER, addresses,
                               call->site, 0);
    }
    word = word_at(block, warp, lane, call->line, address, true);
    before = *word;
    mbarrier_lane(CUP_ABI_WARP_MBARRIER_COMPLETE, false, word, bytes);
    tell_use(block, warp, lane, call, false, word, before);
}
