/* SPDX-License-Identifier: MIT */
/* A store or a reduction is done once for each device of the object; ld_reduce combines what the
 * devices have. Each element is accessed by itself, as the manual has it. */
#include "exec/services/multimem.h"

#include "abi/check.h"
#include "abi/services.h"
#include "exec/sched/fault.h"
#include "exec/services/bulk_copy.h"
#include "exec/services/reduce.h"
#include "memory/multicast.h"
#include "memory/physical.h"
#include "ptx/program.h"

#include <string.h>

enum { LANES = CUP_ABI_WARP_LANES, BYTES_MAX = 16, COPY_UNIT_BYTES = 16 };

/* The type of the elements that are combined: packed ones are halves. */
static uint8_t element_type(uint8_t type)
{
    return type == PTX_F16X2 ? PTX_F16 : type == PTX_BF16X2 ? PTX_BF16 : type;
}

static void load(const struct cup_abi_warp_call *call, const struct cup_multicast_places *places,
                 size_t bytes, uint8_t *values)
{
    uint8_t type = element_type(call->types[0]);
    const void *sources[CUP_MAX_DEVICES];

    for (unsigned i = 0; i < places->count; i++)
        sources[i] = (const void *)(uintptr_t)places->addresses[i];
    if (call->flags & CUP_ABI_WARP_WIDE) {
        cup_reduce_wide(values, sources, places->count, bytes, type);
        return;
    }
    memcpy(values, sources[0], bytes);
    for (unsigned i = 1; i < places->count; i++)
        cup_reduce(values, sources[i], bytes, type, call->reduction);
}

static void execute_lane(const struct cup_abi_warp_call *call,
                         const struct cup_multicast_places *places, uint64_t *words)
{
    unsigned size = ptx_type_bits(call->types[0]) / 8;
    size_t bytes = (size_t)size * call->count;
    uint8_t values[BYTES_MAX] __attribute__((aligned(16)));

    if (call->part == CUP_ABI_MULTIMEM_LOAD) {
        load(call, places, bytes, values);
        for (unsigned e = 0; e < call->count; e++) {
            words[e * LANES] = 0;
            memcpy(&words[e * LANES], values + e * size, size);
        }
        return;
    }
    for (unsigned e = 0; e < call->count; e++)
        memcpy(values + e * size, &words[e * LANES], size);
    for (unsigned i = 0; i < places->count; i++) {
        void *to = (void *)(uintptr_t)places->addresses[i];

        if (call->part == CUP_ABI_MULTIMEM_STORE)
            memcpy(to, values, bytes);
        else
            cup_reduce(to, values, bytes, element_type(call->types[0]), call->reduction);
    }
}

/* Whether one multicast object is mapped at all of the bytes. */
static bool find_range(uint64_t address, uint64_t bytes, struct cup_multicast_places *places)
{
    struct cup_multicast_places end;

    if (!cup_multicast_find(address, places))
        return false;
    /* The program holds the object while its kernels run. */
    cup_physical_unref(places->object);
    if (!cup_multicast_find(address + bytes - 1, &end))
        return false;
    cup_physical_unref(end.object);
    return end.object == places->object && end.addresses[0] - places->addresses[0] == bytes - 1;
}

static void copy_lane(const struct cup_bulk *bulk, uint64_t to, uint64_t from, uint64_t bytes)
{
    const struct cup_abi_warp_call *call = bulk->call;
    struct cup_multicast_places places;

    if ((to | from | bytes) % COPY_UNIT_BYTES)
        cup_fault_trap(bulk->block, bulk->warp, 1u << bulk->lane, CUP_ABI_TRAP_MISALIGNED,
                       call->line);
    if (bytes == 0)
        return;
    cup_bulk_check_shared(bulk, from, bytes);
    cup_bulk_tell(bulk, from, bytes, CUP_ABI_READS);
    if (!find_range(to, bytes, &places))
        cup_fault_trap(bulk->block, bulk->warp, 1u << bulk->lane, CUP_ABI_TRAP_MULTICAST,
                       call->line);
    for (unsigned i = 0; i < places.count; i++) {
        void *place = (void *)(uintptr_t)places.addresses[i];

        if (call->reduction)
            cup_reduce(place, (const void *)(uintptr_t)from, bytes, call->types[0],
                       call->reduction);
        else
            memcpy(place, (const void *)(uintptr_t)from, bytes);
    }
}

void cup_multimem_copy(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                       const struct cup_abi_warp_call *call, const uint64_t *words)
{
    struct cup_bulk bulk = {.block = block, .call = call, .warp = warp};

    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);

        bulk.lane = lane;
        copy_lane(&bulk, words[lane], words[LANES + lane], words[2 * LANES + lane]);
    }
}

void cup_multimem_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          const struct cup_abi_warp_call *call, uint64_t *words)
{
    uint64_t bytes = (uint64_t)ptx_type_bits(call->types[0]) / 8 * call->count;

    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct cup_multicast_places places;

        if (words[lane] % bytes)
            cup_fault_trap(block, warp, 1u << lane, CUP_ABI_TRAP_MISALIGNED, call->line);
        if (!cup_multicast_find(words[lane], &places))
            cup_fault_trap(block, warp, 1u << lane, CUP_ABI_TRAP_MULTICAST, call->line);
        /* The program holds the object while its kernels run. */
        cup_physical_unref(places.object);
        execute_lane(call, &places, words + LANES + lane);
    }
}
