/* SPDX-License-Identifier: MIT */
/* Reports accesses that the runtime executes for a lane to CUPIPE_CHECK; compiled code reports its
 * own. */
#ifndef CUP_EXEC_SERVICES_SERVICE_ACCESS_H
#define CUP_EXEC_SERVICES_SERVICE_ACCESS_H

#include "abi/check.h"
#include "core/checks.h"
#include "ptx/program.h"

/* `access`: enum cup_abi_access. */
static inline void cup_service_access(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                                      const void *address, uint64_t bytes, uint32_t site,
                                      uint32_t access)
{
    cup_check_range_access(block, warp, lane, (uint64_t)(uintptr_t)address, bytes, site,
                           cup_abi_how(access, PTX_SPACE_NONE, CUP_ABI_ORDER_WEAK, 0));
}

#endif
