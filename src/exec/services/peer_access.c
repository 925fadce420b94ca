/* SPDX-License-Identifier: MIT */
/* Called when a kernel is about to access memory without the right to, according to the tables of
 * its launch. The address map decides the cases that the tables do not cover: memory shared by more
 * sets of devices than there are access classes, and access granted since the launch. */
#include "device/access.h"

#include "abi/launch.h"
#include "core/error.h"
#include "device/context.h"
#include "device/device.h"
#include "exec/sched/fault.h"
#include "memory/map.h"

#include <inttypes.h>
#include <stdio.h>

_Static_assert((int)CUP_ACCESS_SHIFT == (int)CUP_ACCESS_PAGE_SHIFT &&
                   (int)CUP_MAY_READ == (int)CUP_GRANT_READ &&
                   (int)CUP_MAY_WRITE == (int)CUP_GRANT_WRITE &&
                   (int)CUP_ACCESS_PAGES == 1 << (CUP_ACCESS_ADDRESS_BITS - CUP_ACCESS_PAGE_SHIFT),
               "compiled code and the library mean the same");

/* Unmapped memory counts as allowed: the access itself faults. */
static bool may_access(struct CUctx_st *context, uint64_t address, uint32_t wanted)
{
    uint8_t class = cup_access_class_at(address);
    int ordinal = context->device->ordinal;
    struct cup_range range;

    if (class != CUP_ACCESS_ASK)
        return cup_access_allows(context, class, wanted);
    if (!cup_map_describe(address, &range))
        return true;
    return (!(wanted & CUP_MAY_READ) || range.read_by >> ordinal & 1) &&
           (!(wanted & CUP_MAY_WRITE) || range.write_by >> ordinal & 1);
}

/* Describes the owner of the memory and the call that the program is missing. */
static void explain(const struct CUctx_st *context, uint64_t address, char *text, size_t size)
{
    const struct cup_device *owner = cup_access_owner(cup_access_class_at(address));
    int device = context->device->ordinal;
    struct cup_range range;

    if (owner)
        snprintf(text, size,
                 "the memory belongs to device %d, and peer access was not enabled in this context "
                 "of device %d (cuCtxEnablePeerAccess)",
                 owner->ordinal, device);
    else if (cup_map_describe(address, &range) && range.kind != CUP_RANGE_VIRTUAL)
        snprintf(
            text, size,
            "the memory belongs to a pool of device %d, to which device %d was given no access "
            "(cuMemPoolSetAccess)",
            range.device ? range.device->ordinal : -1, device);
    else
        snprintf(text, size,
                 "the memory is mapped there without access for device %d (cuMemSetAccess)",
                 device);
}

void cup_fault_access(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t address,
                      uint32_t bytes, uint32_t wanted, uint32_t instruction_line)
{
    struct CUctx_st *context = cup_grid_of(block)->context;
    uint64_t page = UINT64_C(1) << CUP_ACCESS_SHIFT, last = address + bytes - 1, next;
    char text[200];

    for (uint64_t at = address; at <= last; at = next) {
        next = (at | (page - 1)) + 1;
        if (!may_access(context, at, wanted)) {
            explain(context, at, text, sizeof(text));
            cup_fault_forbidden(block, warp, mask, at, text, instruction_line);
        }
        if (next == 0)
            break;
    }
}
