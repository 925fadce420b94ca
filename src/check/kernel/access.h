/* SPDX-License-Identifier: MIT */
/* An access to memory, and a synchronisation, as the checks of kernels see them. */
#ifndef CUP_CHECK_KERNEL_ACCESS_H
#define CUP_CHECK_KERNEL_ACCESS_H

#include "abi/check.h"
#include "ptx/program.h"

#include <stdint.h>

struct cup_abi_block;

/* One access of the lanes of a warp. Either all lanes of the mask access `bytes` bytes, each at its
 * address; or the mask has one lane, which accesses any number of bytes. */
struct cup_kcheck_access {
    struct cup_abi_block *block;
    uint32_t warp, mask;
    const uint64_t *addresses; /* by lane */
    uint64_t bytes;
    uint32_t site;
    uint32_t access;      /* enum cup_abi_access */
    enum ptx_space space; /* PTX_SPACE_NONE: see cup_kcheck_space_of() */
    enum cup_abi_order order;
    enum cup_abi_scope scope;
    const uint8_t *values; /* see check_access in abi/services.h */
    uint32_t element_bytes;
};

/* One access of lanes whose addresses are evenly apart. None writes what another one writes. */
struct cup_kcheck_lanes {
    struct cup_abi_block *block;
    uint32_t warp, mask;
    uint64_t address; /* of lane 0 */
    int64_t stride;
    uint32_t bytes, site;
    uint32_t how; /* cup_abi_how */
};

struct cup_kcheck_sync {
    struct cup_abi_block *block;
    uint32_t warp, mask;
    enum cup_abi_sync_kind kind;
    const uint64_t *values; /* by lane; the kind says what they are */
    uint32_t site;
    enum cup_abi_order order;
    enum cup_abi_scope scope;
};

/* The space of a generic address: PTX_SHARED (of any block of the cluster), PTX_LOCAL, or
 * PTX_GLOBAL. */
enum ptx_space cup_kcheck_space_of(struct cup_abi_block *block, uint64_t address);

/* `how`: cup_abi_how. */
struct cup_kcheck_access cup_kcheck_access_of(struct cup_abi_block *block, uint32_t warp,
                                              uint32_t mask, const uint64_t *addresses,
                                              uint64_t bytes, uint32_t site, uint32_t how);

/* Calls the function with the same access, lane by lane. */
void cup_kcheck_lanes_expand(const struct cup_kcheck_lanes *run,
                             void (*each)(const struct cup_kcheck_access *access));

#endif
