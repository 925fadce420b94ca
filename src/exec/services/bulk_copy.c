/* SPDX-License-Identifier: MIT */
/* A copy is done when it is issued, and its bytes are completed at its mbarrier. Groups of copies
 * (bulk_group) are therefore always complete. */
#include "exec/services/bulk_copy.h"
#include "exec/services/service_access.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/warp.h"
#include "exec/sched/cluster.h"
#include "exec/sched/fault.h"
#include "exec/sched/warp_switch.h"
#include "exec/services/mbarrier.h"
#include "exec/services/reduce.h"
#include "ptx/program.h"

#include <string.h>

enum { LANES = CUP_ABI_WARP_LANES, UNIT_BYTES = 16 };

void cup_bulk_check_shared(const struct cup_bulk *bulk, uint64_t address, uint64_t bytes)
{
    if (!cup_cluster_block_at(bulk->block, address, bytes))
        cup_fault_trap(bulk->block, bulk->warp, 1u << bulk->lane, CUP_ABI_TRAP_ADDRESS,
                       bulk->call->line);
}

void cup_bulk_check_global(const struct cup_bulk *bulk, uint64_t address, uint64_t bytes,
                           uint32_t wanted)
{
    if (bulk->block->launch->access_classes && bytes)
        cup_fault_access(bulk->block, bulk->warp, 1u << bulk->lane, address, (uint32_t)bytes,
                         wanted, bulk->call->line);
}

void cup_bulk_tell(const struct cup_bulk *bulk, uint64_t address, uint64_t bytes, uint32_t access)
{
    uint32_t how = CUP_ABI_ASYNC;

    if ((access & CUP_ABI_WRITES) && bulk->call->reduction)
        how |= CUP_ABI_READS | CUP_ABI_ATOMIC;
    cup_service_access(bulk->block, bulk->warp, bulk->lane, (const void *)(uintptr_t)address, bytes,
                       bulk->call->site, how | access);
}

static bool has_begun(const struct cup_cluster *cluster, uint32_t ranks)
{
    for (uint32_t rank = 0; rank < cluster->count; rank++)
        if (ranks >> rank & 1 && !cluster->members[rank]->begun)
            return false;
    return true;
}

/* On a device the blocks of a cluster begin together, and a copy arrives long after they have
 * initialised their mbarriers: programs copy to other blocks without waiting for that. */
CUP_ON_FIBER static void let_begin(const struct cup_bulk *bulk, uint32_t ranks)
{
    struct cup_resident *resident = bulk->block->state;

    while (resident && resident->cluster && !has_begun(resident->cluster, ranks))
        cup_resident_yield(resident, bulk->warp);
}

CUP_ON_FIBER void cup_bulk_multicast(const struct cup_bulk *bulk, uint64_t to, uint64_t mbarrier,
                                     uint32_t ranks,
                                     void (*copy)(const struct cup_bulk *bulk, uint64_t to,
                                                  uint64_t mbarrier, void *context),
                                     void *context)
{
    const uint64_t window = (uint64_t)(uintptr_t)bulk->block->window;
    const uint64_t inside = (UINT64_C(1) << CUP_ABI_CLUSTER_SHIFT) - 1;

    let_begin(bulk, ranks & 0xffff);
    for (uint32_t left = ranks & 0xffff; left; left &= left - 1) {
        uint64_t base = (uint64_t)__builtin_ctz(left) << CUP_ABI_CLUSTER_SHIFT;

        copy(bulk, window + (base | ((to - window) & inside)),
             window + (base | ((mbarrier - window) & inside)), context);
    }
}

struct bytes {
    uint64_t from, size;
    uint64_t left, right; /* bytes at the ends that are not copied, but complete */
};

/* The destination may be in shared memory of any block, or global. */
static bool is_shared(const struct cup_bulk *bulk, uint64_t address)
{
    return address - (uint64_t)(uintptr_t)bulk->block->window < CUP_FRAME_WINDOW_BYTES;
}

static void check(const struct cup_bulk *bulk, uint64_t address, uint64_t size, uint32_t wanted)
{
    if (is_shared(bulk, address))
        cup_bulk_check_shared(bulk, address, size);
    else
        cup_bulk_check_global(bulk, address, size, wanted);
    cup_bulk_tell(bulk, address, size, wanted == CUP_MAY_READ ? CUP_ABI_READS : CUP_ABI_WRITES);
}

static void copy_bytes(const struct cup_bulk *bulk, uint64_t to, uint64_t mbarrier, void *context)
{
    const struct bytes *bytes = context;
    const struct cup_abi_warp_call *call = bulk->call;
    uint64_t from = bytes->from + bytes->left, size = bytes->size - bytes->left - bytes->right;

    to += bytes->left;
    check(bulk, to, size, CUP_MAY_WRITE);
    if (call->reduction)
        cup_reduce((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size, call->types[0],
                   call->reduction);
    else
        memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    if (call->flags & CUP_ABI_WARP_ARRIVES)
        cup_mbarrier_complete(bulk->block, bulk->warp, bulk->lane, call, mbarrier, bytes->size);
}

/* The device refuses to write to the memory of a cluster in a launch that has none. */
static void check_cluster(const struct cup_bulk *bulk)
{
    if (!bulk->block->launch->cluster[0])
        cup_fault_trap(bulk->block, bulk->warp, 1u << bulk->lane, CUP_ABI_TRAP_NO_CLUSTER,
                       bulk->call->line);
}

/* Up to 15 bytes at each end may be outside of allocations: they are not read, and what they become
 * in shared memory is not defined. */
static void ignore_ends(struct bytes *bytes, const uint64_t *words)
{
    bytes->left = words[0] % UNIT_BYTES;
    bytes->right = words[LANES] % UNIT_BYTES;
    if (bytes->left + bytes->right > bytes->size)
        bytes->left = bytes->right = 0;
}

static void copy_lane(const struct cup_bulk *bulk, const uint64_t *words)
{
    uint32_t lane = bulk->lane;
    uint64_t to = words[lane], mbarrier = words[3 * LANES + lane];
    struct bytes bytes = {words[LANES + lane], words[2 * LANES + lane], 0, 0};

    if ((to | bytes.from | bytes.size) % UNIT_BYTES)
        cup_fault_misaligned(bulk->block, bulk->warp, 1u << lane, to % UNIT_BYTES ? to : bytes.from,
                             UNIT_BYTES, bulk->call->line);
    if (is_shared(bulk, to) && is_shared(bulk, bytes.from))
        check_cluster(bulk);
    if (bulk->call->flags & CUP_ABI_WARP_IGNORES)
        ignore_ends(&bytes, words + 4 * LANES + lane);
    check(bulk, bytes.from + bytes.left, bytes.size - bytes.left - bytes.right, CUP_MAY_READ);
    if (bulk->call->flags & CUP_ABI_WARP_MULTICAST)
        cup_bulk_multicast(bulk, to, mbarrier, (uint32_t)words[4 * LANES + lane], copy_bytes,
                           &bytes);
    else
        copy_bytes(bulk, to, mbarrier, &bytes);
}

/* st.async and red.async. */
static void store_lane(const struct cup_bulk *bulk, const uint64_t *words)
{
    const struct cup_abi_warp_call *call = bulk->call;
    uint32_t size = ptx_type_bits(call->types[0]) / 8, total = size * call->count;
    uint64_t to = words[bulk->lane];
    uint8_t values[4 * 8];

    check_cluster(bulk);
    if (to % total)
        cup_fault_misaligned(bulk->block, bulk->warp, 1u << bulk->lane, to, total, call->line);
    cup_bulk_check_shared(bulk, to, total);
    cup_bulk_tell(bulk, to, total, CUP_ABI_WRITES);
    for (uint32_t i = 0; i < call->count; i++)
        memcpy(values + (size_t)size * i, &words[(2 + i) * LANES + bulk->lane], size);
    if (call->reduction)
        cup_reduce((void *)(uintptr_t)to, values, total, call->types[0], call->reduction);
    else
        memcpy((void *)(uintptr_t)to, values, total);
    cup_mbarrier_complete(bulk->block, bulk->warp, bulk->lane, call, words[LANES + bulk->lane],
                          total);
}

void cup_bulk_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                      const struct cup_abi_warp_call *call, const uint64_t *words)
{
    struct cup_bulk bulk = {.block = block, .call = call, .warp = warp};

    for (uint32_t left = mask; left; left &= left - 1) {
        bulk.lane = (uint32_t)__builtin_ctz(left);
        if (call->operation == CUP_ABI_WARP_COPY)
            copy_lane(&bulk, words);
        else
            store_lane(&bulk, words);
    }
}
