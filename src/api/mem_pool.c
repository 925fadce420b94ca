/* SPDX-License-Identifier: MIT */
/* Stream-ordered allocation and free, and memory pools. An invalid pool handle always gives
 * INVALID_VALUE. mem_pool_attribute.c has their attributes, mem_pool_share.c shares pools with
 * other processes. */
#include "impl.h"
#include "core/checks.h"
#include "core/driver_version.h"
#include "core/error.h"
#include "device/context.h"
#include "device/device.h"
#include "graph/work_submit.h"
#include "memory/graph_memory.h"
#include "memory/map.h"
#include "memory/pool.h"
#include "memory/pools.h"
#include "os/system.h"
#include "stream/stream.h"

#include <string.h>

static const uint64_t pool_bytes_max = UINT64_C(1) << 47; /* the size of the address space */

/* Pools of a location. */

static CUmemLocation on_device(CUdevice device)
{
    return (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device};
}

/* The result for an invalid device differs between the default and the current pool. */
static CUresult check_device(const void *pool, CUdevice device, CUresult no_device)
{
    if (!pool)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "pool is NULL");
    if (!cup_device_get(device))
        return cup_error(no_device, "device %d does not exist", device);
    return CUDA_SUCCESS;
}

/* Only managed memory may have no location. */
static CUresult check_location(CUmemLocation location, CUmemAllocationType type)
{
    bool valid = type == CU_MEM_ALLOCATION_TYPE_PINNED || type == CU_MEM_ALLOCATION_TYPE_MANAGED;

    switch (cup_driver_enumerator(CUP_ENUM_MEMORY_LOCATION, (int)location.type)) {
    case CU_MEM_LOCATION_TYPE_NONE:
        valid = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
        break;
    case CU_MEM_LOCATION_TYPE_DEVICE:
        valid = valid && cup_device_get(location.id);
        break;
    case CU_MEM_LOCATION_TYPE_HOST:
        break;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        valid = valid && cup_system_has_node(location.id);
        break;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        valid = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
        break;
    default:
        if (type == CU_MEM_ALLOCATION_TYPE_MANAGED)
            return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                             "managed memory cannot be at a location of type %d",
                             (int)location.type);
        valid = false;
    }
    return valid ? CUDA_SUCCESS
                 : cup_error(CUDA_ERROR_INVALID_VALUE,
                             "memory of type %d cannot be at location %d of type %d", (int)type,
                             location.id, (int)location.type);
}

/* Managed memory cannot be in a locality domain. */
static CUresult settle_location(CUmemLocation *location, CUmemAllocationType type)
{
    return type == CU_MEM_ALLOCATION_TYPE_MANAGED ? CUDA_SUCCESS : cup_location_settle(location);
}

static CUresult find_place_asked(const void *pool, const CUmemLocation *asked,
                                 CUmemAllocationType type, CUmemLocation *location)
{
    if (!pool || !asked)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "pool or location is NULL");
    *location = *asked;
    CUresult result = settle_location(location, type);
    if (result != CUDA_SUCCESS)
        return result;
    if ((unsigned)location->type >= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "a location of type %d has no pool",
                         (int)location->type);
    return check_location(*location, type);
}

static CUresult get_current(CUmemLocation location, CUmemAllocationType type, CUmemoryPool *pool)
{
    struct CUmemPoolHandle_st *current;
    CUresult result = cup_pools_current(location, type, &current);

    if (result != CUDA_SUCCESS)
        return result;
    *pool = current;
    if (!current->is_default)
        cup_pool_unref(current);
    return CUDA_SUCCESS;
}

static CUresult set_current(CUmemLocation location, CUmemAllocationType type, CUmemoryPool handle)
{
    struct CUmemPoolHandle_st *pool;
    CUresult result = cup_pool_find(handle, &pool);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_pools_set_current(location, type, pool);
    cup_pool_unref(pool);
    return result;
}

CUresult impl_cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
    CUresult result = check_device(pool_out, dev, CUDA_ERROR_INVALID_DEVICE);

    if (result != CUDA_SUCCESS)
        return result;
    return cup_pools_default(on_device(dev), CU_MEM_ALLOCATION_TYPE_PINNED, pool_out);
}

CUresult impl_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
    CUresult result = check_device(pool, dev, CUDA_ERROR_INVALID_VALUE);

    if (result != CUDA_SUCCESS)
        return result;
    return get_current(on_device(dev), CU_MEM_ALLOCATION_TYPE_PINNED, pool);
}

CUresult impl_cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    CUresult result = check_device(pool, dev, CUDA_ERROR_INVALID_VALUE);

    if (result != CUDA_SUCCESS)
        return result;
    return set_current(on_device(dev), CU_MEM_ALLOCATION_TYPE_PINNED, pool);
}

CUresult impl_cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location,
                                     CUmemAllocationType type)
{
    CUmemLocation place;
    CUresult result = find_place_asked(pool_out, location, type, &place);

    return result == CUDA_SUCCESS ? cup_pools_default(place, type, pool_out) : result;
}

CUresult impl_cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    CUmemLocation place;
    CUresult result = find_place_asked(pool, location, type, &place);

    return result == CUDA_SUCCESS ? get_current(place, type, pool) : result;
}

CUresult impl_cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
    CUmemLocation place;
    CUresult result = find_place_asked(pool, location, type, &place);

    return result == CUDA_SUCCESS ? set_current(place, type, pool) : result;
}

/* Creation and destruction. */

/* For a driver older than CUDA 13.4 gpuDirectRDMACapable is the first of the reserved bytes. */
static CUresult check_reserved(const CUmemPoolProps *properties)
{
    if (!cup_pool_reserved_is_zero(properties))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "reserved fields are not zero");
    /* As for memory of cuMemCreate; the manual does not say. */
    if (properties->gpuDirectRDMACapable &&
        (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
         properties->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "GPUDirect RDMA is for device memory only");
    return CUDA_SUCCESS;
}

static CUresult check_properties(const CUmemPoolProps *properties)
{
    const unsigned handle_types =
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC;
    bool is_managed = properties->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED;

    if ((unsigned)properties->handleTypes & ~handle_types)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a pool cannot be exported as handle type 0x%x",
                         (unsigned)properties->handleTypes);
    if (properties->handleTypes &&
        (is_managed || properties->location.type == CU_MEM_LOCATION_TYPE_HOST))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "neither managed memory nor that of the whole host can be exported");
    if (is_managed && (properties->maxSize || properties->usage))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "managed memory has neither limit nor usage");
    CUresult result =
        check_location(properties->location, (CUmemAllocationType)cup_driver_enumerator(
                                                 CUP_ENUM_MEMORY_TYPE, (int)properties->allocType));
    if (result == CUDA_SUCCESS)
        result = check_reserved(properties);
    if (result != CUDA_SUCCESS)
        return result;
    if (properties->maxSize > pool_bytes_max)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no address space for %zu bytes",
                         properties->maxSize);
    return CUDA_SUCCESS;
}

CUresult impl_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
    CUmemPoolProps properties;

    if (!pool || !poolProps)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "pool or its properties are NULL");
    properties = *poolProps;
    CUresult result = settle_location(&properties.location, properties.allocType);
    if (result == CUDA_SUCCESS)
        result = check_properties(&properties);
    return result == CUDA_SUCCESS ? cup_pool_create(&properties, pool) : result;
}

CUresult impl_cuMemPoolDestroy(CUmemoryPool pool)
{
    struct CUmemPoolHandle_st *found;
    CUresult result = cup_pool_find(pool, &found);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_pools_destroy(found);
    cup_pool_unref(found);
    return result;
}

CUresult impl_cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
    struct CUmemPoolHandle_st *found;
    CUresult result = cup_pool_find_own(pool, &found);

    if (result != CUDA_SUCCESS)
        return result;
    cup_pool_trim(found, minBytesToKeep);
    cup_pool_unref(found);
    return CUDA_SUCCESS;
}

/* Access from other devices. */

static CUresult check_access(const struct CUmemPoolHandle_st *pool, const CUmemAccessDesc *wanted)
{
    const struct cup_device *device = cup_device_get(wanted->location.id);
    bool is_managed = pool->properties.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED;

    if (wanted->location.type != CU_MEM_LOCATION_TYPE_DEVICE && pool->device && !is_managed)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "the host cannot access a device's pool");
    if (wanted->location.type == CU_MEM_LOCATION_TYPE_HOST)
        return CUDA_SUCCESS; /* it always has access */
    if (wanted->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "access can be given to devices only");
    if (wanted->flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "a pool cannot be read-only");
    if (!device)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist",
                         wanted->location.id);
    if (wanted->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
        wanted->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid access flags 0x%x",
                         (unsigned)wanted->flags);
    if (wanted->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE && device == pool->device && !is_managed)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "a device keeps access to its own pools");
    return CUDA_SUCCESS;
}

/* Sets all of it or nothing. */
CUresult impl_cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
    struct CUmemPoolHandle_st *found;

    if (!map)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the access to set is NULL");
    CUresult result = cup_pool_find(pool, &found);
    if (result != CUDA_SUCCESS)
        return result;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = check_access(found, &map[i]);
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        if (map[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE)
            cup_pool_set_access(found, cup_device_get(map[i].location.id),
                                map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE);
    }
    cup_pool_unref(found);
    return result;
}

/* The host can access host memory. */
static bool has_access(struct CUmemPoolHandle_st *pool, const CUmemLocation *location)
{
    if (location->type == CU_MEM_LOCATION_TYPE_DEVICE)
        return atomic_load(&pool->accessible) >> location->id & 1;
    return !pool->device || pool->properties.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED;
}

CUresult impl_cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool,
                                 CUmemLocation *location)
{
    struct CUmemPoolHandle_st *found;

    if (!flags || !location)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags or location is NULL");
    CUresult result = location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA
                          ? CUDA_SUCCESS /* of any node, there or not */
                          : check_location(*location, CU_MEM_ALLOCATION_TYPE_PINNED);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_pool_find(memPool, &found);
    if (result != CUDA_SUCCESS)
        return result;
    *flags = has_access(found, location) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                         : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    cup_pool_unref(found);
    return CUDA_SUCCESS;
}

/* Allocation and free: the stream is validated before everything else. */

struct allocation_work {
    struct CUmemPoolHandle_st *pool;
    size_t size_bytes;
    CUdeviceptr *address; /* out */
};

static CUresult allocation_describe(struct CUstream_st *stream, void *work,
                                    struct cup_captured_work *captured)
{
    const struct allocation_work *given = work;
    const CUmemPoolProps *properties = &given->pool->properties;
    CUgraphNodeParams node = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
                              .alloc = {.poolProps = {.allocType = properties->allocType,
                                                      .location = properties->location},
                                        .bytesize = given->size_bytes}};

    (void)stream;
    captured->address = given->address;
    return cup_work_node(&node, captured);
}

static inline CUresult allocation_run(struct CUstream_st *stream, void *work)
{
    const struct allocation_work *given = work;
    uint64_t address = 0;
    CUresult result = cup_pool_allocate(given->pool, given->size_bytes, stream, &address);

    if (address && cup_unlikely(cup_checks.streams)) {
        cup_check_memory_renewed(address, given->size_bytes);
        cup_check_stream_touched(stream, "allocation", address, given->size_bytes);
    }
    *given->address = address;
    return result;
}

static const struct cup_work_type allocation_type = {allocation_describe, allocation_run};

/* A size of 0 succeeds without memory. */
static CUresult allocate(CUdeviceptr *dptr, size_t size, struct CUmemPoolHandle_st *pool,
                         struct CUstream_st *stream)
{
    struct allocation_work work = {pool, size, dptr};

    if (size)
        return cup_work_submit(stream, &allocation_type, &work);
    *dptr = 0;
    return CUDA_SUCCESS;
}

static CUresult allocate_current(CUdeviceptr *dptr, size_t size, struct CUstream_st *stream)
{
    struct CUmemPoolHandle_st *pool;

    if (!dptr)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "dptr is NULL");
    CUresult result = cup_pools_current(on_device(stream->context->device->ordinal),
                                        CU_MEM_ALLOCATION_TYPE_PINNED, &pool);
    if (result != CUDA_SUCCESS)
        return result;
    result = allocate(dptr, size, pool, stream);
    if (cup_unlikely(!pool->is_default))
        cup_pool_unref(pool);
    return result;
}

CUresult impl_cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = allocate_current(dptr, bytesize, stream);
    cup_stream_unref(stream);
    return result;
}

static CUresult allocate_from(CUdeviceptr *dptr, size_t size, CUmemoryPool handle,
                              struct CUstream_st *stream)
{
    struct CUmemPoolHandle_st *pool;

    if (!dptr)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "dptr is NULL");
    CUresult result = cup_pool_find_own(handle, &pool);
    if (result != CUDA_SUCCESS)
        return result;
    result = allocate(dptr, size, pool, stream);
    cup_pool_unref(pool);
    return result;
}

CUresult impl_cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
                                      CUstream hStream)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = allocate_from(dptr, bytesize, pool, stream);
    cup_stream_unref(stream);
    return result;
}

static CUresult free_describe(struct CUstream_st *stream, void *work,
                              struct cup_captured_work *captured)
{
    CUgraphNodeParams node = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE,
                              .free = {.dptr = *(const CUdeviceptr *)work}};

    (void)stream;
    return cup_work_node(&node, captured);
}

/* Memory of cuMemAlloc can be freed this way, too; managed, external and host memory cannot. */
static inline CUresult free_run(struct CUstream_st *stream, void *work)
{
    const CUdeviceptr dptr = *(const CUdeviceptr *)work;
    struct cup_span span;

    if (!cup_map_find(dptr, &span) || span.base != dptr)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the start of an allocation",
                         (unsigned long long)dptr);
    cup_check_stream_touched(stream, "free", span.base, span.size_bytes);
    if (cup_likely(span.flags & CUP_RANGE_POOL))
        return cup_pool_free(dptr, stream);
    if (span.kind == CUP_RANGE_MANAGED || span.kind == CUP_RANGE_EXTERNAL)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                         "managed and external memory are not freed in stream order");
    if (span.kind == CUP_RANGE_GRAPH)
        return cup_graphmem_free(dptr, stream);
    if (span.kind != CUP_RANGE_DEVICE)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "0x%llx was not allocated from a pool or by cuMemAlloc",
                         (unsigned long long)dptr);
    return cup_pools_free_late(dptr, stream);
}

static const struct cup_work_type free_type = {free_describe, free_run};

CUresult impl_cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (dptr)
        result = cup_work_submit(stream, &free_type, &dptr);
    cup_stream_unref(stream);
    return result;
}
