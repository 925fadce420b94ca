/* SPDX-License-Identifier: MIT */
#include "check/kernel/access.h"

#include "abi/launch.h"
#include "exec/matrix/matrix.h"
#include "exec/services/warp_call.h"

#include <stdbool.h>

struct cup_kcheck_access cup_kcheck_access_of(struct cup_abi_block *block, uint32_t warp,
                                              uint32_t mask, const uint64_t *addresses,
                                              uint64_t bytes, uint32_t site, uint32_t how)
{
    return (struct cup_kcheck_access){
        .block = block,
        .warp = warp,
        .mask = mask,
        .addresses = addresses,
        .bytes = bytes,
        .site = site,
        .access = cup_abi_how_access(how),
        .space = (enum ptx_space)cup_abi_how_space(how),
        .order = cup_abi_how_order(how),
        .scope = cup_abi_how_scope(how),
    };
}

/* Addresses of shared memory wrap at 32 bits. */
void cup_kcheck_lanes_expand(const struct cup_kcheck_lanes *run,
                             void (*each)(const struct cup_kcheck_access *access))
{
    uint64_t addresses[CUP_ABI_WARP_LANES], shared = (uint64_t)(uintptr_t)run->block->shared;
    bool wraps = cup_abi_how_space(run->how) == PTX_SHARED;
    struct cup_kcheck_access access;

    for (uint64_t lane = 0; lane < CUP_ABI_WARP_LANES; lane++) {
        uint64_t address = run->address + lane * (uint64_t)run->stride;

        addresses[lane] = wraps ? shared + (uint32_t)(address - shared) : address;
    }
    access = cup_kcheck_access_of(run->block, run->warp, run->mask, addresses, run->bytes,
                                  run->site, run->how);
    each(&access);
}

enum ptx_space cup_kcheck_space_of(struct cup_abi_block *block, uint64_t address)
{
    if (cup_warp_is_in_space(block, address, PTX_SHARED, true))
        return PTX_SHARED;
    return cup_warp_is_in_space(block, address, PTX_LOCAL, false) ? PTX_LOCAL : PTX_GLOBAL;
}
