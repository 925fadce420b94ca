/* SPDX-License-Identifier: MIT */
/* Attributes of memory pools: policies, which are an int, counters and limits of 64 bits, and
 * properties that were given when the pool was created. */
#include "impl.h"
#include "core/error.h"
#include "memory/heap.h"
#include "memory/pool.h"
#include "memory/pools.h"
#include "os/guard.h"

#include <string.h>

static _Atomic(int) *policy_of(struct CUmemPoolHandle_st *pool, CUmemPool_attribute attribute)
{
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
        return &pool->follow_events;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
        return &pool->opportunistic;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        return &pool->internal_dependencies;
    default:
        return NULL;
    }
}

static bool attribute_exists(CUmemPool_attribute attribute)
{
    return attribute >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
           attribute <= CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID;
}

/* Properties cannot be set, and imported pools have them, too. */
static bool is_property(CUmemPool_attribute attribute)
{
    return attribute >= CU_MEMPOOL_ATTR_ALLOCATION_TYPE;
}

/* The ids of the host and of no location are those that cuMemRangeGetAttribute was recorded to
 * return. CU_MEM_LOCATION_TYPE_INVISIBLE does not occur: the pool of a device that is not visible
 * cannot be imported. */
static int location_id(const CUmemLocation *location)
{
    switch (location->type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        return location->id;
    case CU_MEM_LOCATION_TYPE_NONE:
        return CU_DEVICE_INVALID;
    default:
        return CU_DEVICE_CPU;
    }
}

static int property_of(const struct CUmemPoolHandle_st *pool, CUmemPool_attribute attribute)
{
    const CUmemPoolProps *properties = &pool->properties;

    switch (attribute) {
    case CU_MEMPOOL_ATTR_ALLOCATION_TYPE:
        return (int)properties->allocType;
    case CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES:
        return pool->is_imported ? CU_MEM_HANDLE_TYPE_NONE : (int)properties->handleTypes;
    case CU_MEMPOOL_ATTR_LOCATION_ID:
        return location_id(&properties->location);
    case CU_MEMPOOL_ATTR_LOCATION_TYPE:
        return (int)properties->location.type;
    case CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED:
        return (properties->usage & CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS) != 0;
    default:
        return -1; /* the locality domain: pools are of whole devices */
    }
}

/* A limit that was asked for is rounded up to blocks. Without one there is no limit but the memory,
 * which the manual has as 0, except for managed and imported pools. */
static uint64_t largest_size(const struct CUmemPoolHandle_st *pool)
{
    if (pool->is_imported)
        return pool->pool_arena.heap->limit_bytes;
    if (pool->properties.maxSize || pool->properties.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED)
        return pool->pool_arena.limit_bytes;
    return 0;
}

static uint64_t wide_attribute(struct CUmemPoolHandle_st *pool, CUmemPool_attribute attribute)
{
    struct cup_pool_arena_counters now = cup_pool_arena_count(&pool->pool_arena);

    switch (attribute) {
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        return now.reserved_bytes;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        return now.reserved_high;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        return now.used_bytes;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        return now.used_high;
    default:
        return atomic_load(&pool->release_threshold);
    }
}

static void write_attribute(struct CUmemPoolHandle_st *pool, CUmemPool_attribute attribute,
                            void *value)
{
    const _Atomic(int) *policy = policy_of(pool, attribute);
    bool is_limit = attribute == CU_MEMPOOL_ATTR_MAX_POOL_SIZE;

    if (policy || (is_property(attribute) && !is_limit)) {
        int narrow = policy ? atomic_load(policy) : property_of(pool, attribute);
        memcpy(value, &narrow, sizeof(narrow));
    } else {
        uint64_t wide = is_limit ? largest_size(pool) : wide_attribute(pool, attribute);
        memcpy(value, &wide, sizeof(wide));
    }
}

CUresult impl_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    struct CUmemPoolHandle_st *found;

    if (!value || !attribute_exists(attr))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "value is NULL, or attribute %d is invalid",
                         (int)attr);
    CUresult result =
        is_property(attr) ? cup_pool_find(pool, &found) : cup_pool_find_own(pool, &found);
    if (result != CUDA_SUCCESS)
        return result;
    write_attribute(found, attr, value);
    cup_pool_unref(found);
    return CUDA_SUCCESS;
}

static CUresult refuse_value(CUmemPool_attribute attribute)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE, "attribute %d cannot be set to this value",
                     (int)attribute);
}

/* A high-water mark can only be set to 0, which resets it to the current value. The value of an
 * attribute that cannot be set is not read. */
static CUresult set_wide(struct CUmemPoolHandle_st *pool, CUmemPool_attribute attribute,
                         const void *given)
{
    bool is_high = attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH ||
                   attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH;
    uint64_t value;

    if ((!is_high && attribute != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) ||
        !cup_guard_copy(&value, given, sizeof(value)))
        return refuse_value(attribute);
    if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
        atomic_store(&pool->release_threshold, value);
        cup_pools_touch();
        return CUDA_SUCCESS;
    }
    if (value != 0)
        return refuse_value(attribute);
    cup_pool_arena_reset_high(&pool->pool_arena, attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
    return CUDA_SUCCESS;
}

CUresult impl_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    struct CUmemPoolHandle_st *found;

    if (!value || !attribute_exists(attr))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "value is NULL, or attribute %d is invalid",
                         (int)attr);
    CUresult result = cup_pool_find_own(pool, &found);
    if (result != CUDA_SUCCESS)
        return result;
    _Atomic(int) *policy = policy_of(found, attr);
    int narrow;
    if (!policy)
        result = set_wide(found, attr, value);
    else if (!cup_guard_copy(&narrow, value, sizeof(narrow)))
        result = refuse_value(attr);
    else
        atomic_store(policy, narrow != 0);
    cup_pool_unref(found);
    return result;
}
