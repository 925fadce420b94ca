/* SPDX-License-Identifier: MIT */
#include "memory/owner.h"

#include "core/align.h"
#include "core/checks.h"
#include "core/compiler.h"
#include "device/context.h"
#include "device/device.h"
#include "memory/pool.h"

static void describe_pool(const struct CUmemPoolHandle_st *pool, struct cup_range *range)
{
    range->device = pool->device;
    range->read_by = range->write_by =
        atomic_load_explicit(&pool->accessible, memory_order_relaxed);
    range->handle_types = pool->properties.handleTypes;
    if (pool->properties.usage & CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS)
        range->flags |= CUP_RANGE_DECOMPRESS;
    if (pool->properties.gpuDirectRDMACapable)
        range->flags |= CUP_RANGE_RDMA;
    range->block_base = cup_align_down(range->base, CUP_BLOCK_BYTES);
    range->block_bytes = CUP_BLOCK_BYTES;
}

void cup_owner_describe(struct cup_range *range)
{
    if (range->flags & CUP_RANGE_POOL)
        describe_pool((const struct CUmemPoolHandle_st *)cup_object_at(range->owner), range);
    else if (range->owner == CUP_OWNER_NONE)
        range->device = cup_device_get(0);
    else
        range->device = ((struct CUctx_st *)cup_object_at(range->owner))->device;
}

/* If another thread frees the memory meanwhile, the owner read may be a new one that is no
 * context. */
void cup_owner_wait(uint32_t owner)
{
    struct CUctx_st *context;

    if (owner == CUP_OWNER_NONE)
        return;
    context = (struct CUctx_st *)cup_object_at(owner);
    if (context->base.type != CUP_OBJECT_CONTEXT ||
        cup_likely(atomic_load(&context->busy_streams) == 0 && !cup_checks.streams) ||
        !cup_object_try_ref(&context->base))
        return;
    cup_context_synchronize(context);
    cup_context_unref(context);
}
