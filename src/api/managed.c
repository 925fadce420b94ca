/* SPDX-License-Identifier: MIT */
/* Managed memory: allocate, attach to streams, advise, prefetch, and query advice. managed_batch.c
 * handles several ranges at once; memory.c frees. */
#include "api/managed_common.h"
#include "core/driver_version.h"
#include "core/error.h"
#include "core/precondition.h"
#include "device/context.h"
#include "impl.h"
#include "memory/managed.h"
#include "memory/map.h"
#include "memory/residency.h"
#include "os/system.h"
#include "stream/stream.h"

#include <string.h>

CUresult impl_cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
    uint64_t address = 0;

    if (!dptr)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "dptr is NULL");
    *dptr = 0;
    if (bytesize == 0 || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid size of %zu bytes or flags 0x%x",
                         bytesize, flags);
    CUresult result = cup_precondition_context();
    if (result == CUDA_SUCCESS)
        result = cup_managed_allocate(cup_context_current(), bytesize, &address);
    *dptr = address;
    return result;
}

/* Every device can access managed memory while the host does, so attaching has no effect. */
CUresult impl_cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
                                     unsigned int flags)
{
    struct CUstream_st *stream;
    struct cup_span span;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    cup_stream_unref(stream);
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
        flags != CU_MEM_ATTACH_SINGLE)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags 0x%x", flags);
    if (flags == CU_MEM_ATTACH_SINGLE && !hStream)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "memory cannot be attached to a default stream");
    if (!cup_map_find(dptr, &span) || span.kind != CUP_RANGE_MANAGED || span.base != dptr ||
        (length != 0 && length != span.size_bytes))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "%zu bytes from 0x%llx are not a managed allocation", length,
                         (unsigned long long)dptr);
    return CUDA_SUCCESS;
}

static bool is_location_type(CUmemLocationType type)
{
    return type == CU_MEM_LOCATION_TYPE_DEVICE || type == CU_MEM_LOCATION_TYPE_HOST ||
           type == CU_MEM_LOCATION_TYPE_HOST_NUMA || type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}

CUresult cup_api_managed_check_location(CUmemLocation location)
{
    switch (cup_driver_enumerator(CUP_ENUM_MEMORY_LOCATION, (int)location.type)) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        if (cup_device_get(location.id))
            return CUDA_SUCCESS;
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist", location.id);
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        return CUDA_SUCCESS;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        if (cup_system_has_node(location.id))
            return CUDA_SUCCESS;
        return cup_error(CUDA_ERROR_INVALID_VALUE, "NUMA node %d does not exist", location.id);
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid location type %d", (int)location.type);
    }
}

/* The older forms take a device, or the host as a device. */
static CUmemLocation location_of(CUdevice device)
{
    return (CUmemLocation){.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST
                                                           : CU_MEM_LOCATION_TYPE_DEVICE,
                           .id = device};
}

/* Each advice, and which locations go with it. */
static const struct kind_of_advice {
    enum cup_advice_subject subject;
    bool known, on;
    bool has_location; /* the location matters */
    bool has_node;     /* it may be a NUMA node */
} kinds_of_advice[] = {
    [CU_MEM_ADVISE_SET_READ_MOSTLY] = {CUP_ADVICE_READ_MOSTLY, true, true, false, false},
    [CU_MEM_ADVISE_UNSET_READ_MOSTLY] = {CUP_ADVICE_READ_MOSTLY, true, false, false, false},
    [CU_MEM_ADVISE_SET_PREFERRED_LOCATION] = {CUP_ADVICE_PREFERRED, true, true, true, true},
    [CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION] = {CUP_ADVICE_PREFERRED, true, false, false, false},
    [CU_MEM_ADVISE_SET_ACCESSED_BY] = {CUP_ADVICE_ACCESSED_BY, true, true, true, false},
    [CU_MEM_ADVISE_UNSET_ACCESSED_BY] = {CUP_ADVICE_ACCESSED_BY, true, false, true, false},
};

static bool is_node(CUmemLocationType type)
{
    return type == CU_MEM_LOCATION_TYPE_HOST_NUMA || type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}

/* The host has a fixed id, whatever the application passes. */
static CUmemLocation settle_location(CUmemLocation location)
{
    if (location.type == CU_MEM_LOCATION_TYPE_HOST)
        location.id = CU_DEVICE_CPU;
    return location;
}

static CUresult check_location(const struct kind_of_advice *kind, CUmemLocation location)
{
    if (!kind->has_location)
        return CUDA_SUCCESS;
    if (!kind->has_node && is_node(location.type))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "a NUMA node cannot be given as accessing device");
    return cup_api_managed_check_location(location);
}

/* Advice that names a NUMA node never fails, whatever the memory; it only clears the preferred
 * location. `no_device` is the result for a device that does not exist, which differs between the
 * two forms of cuMemAdvise. */
static CUresult advise(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                       CUmemLocation location, CUresult no_device)
{
    bool names_node = is_node(location.type);

    if ((size_t)advice >= CUP_ARRAY_COUNT(kinds_of_advice) || !kinds_of_advice[advice].known ||
        !is_location_type(location.type))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid advice %d for a location of type %d",
                         (int)advice, (int)location.type);
    const struct kind_of_advice *kind = &kinds_of_advice[advice];
    CUresult result = check_location(kind, location);
    if (result != CUDA_SUCCESS)
        return result == CUDA_ERROR_INVALID_DEVICE ? no_device : result;
    if (names_node && !kind->has_location)
        return CUDA_SUCCESS;
    result = cup_precondition_context();
    if (result == CUDA_SUCCESS && count == 0)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "advice for 0 bytes");
    if (result != CUDA_SUCCESS)
        return names_node ? CUDA_SUCCESS : result;
    struct cup_advice_change change = {kind->subject, kind->on && !names_node,
                                       settle_location(location)};
    result = cup_managed_advise(devPtr, count, 0, &change);
    return names_node ? CUDA_SUCCESS : result;
}

CUresult impl_cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                             CUmemLocation location)
{
    return advise(devPtr, count, advice, location, CUDA_ERROR_INVALID_VALUE);
}

CUresult impl_cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device)
{
    return advise(devPtr, count, advice, location_of(device), CUDA_ERROR_INVALID_DEVICE);
}

CUresult cup_api_managed_find_stream(CUstream handle, struct CUstream_st **stream)
{
    CUresult result = cup_precondition_handle();
    struct CUctx_st *context = result == CUDA_SUCCESS ? cup_context_current() : NULL;

    if (context) {
        cup_device_look(context->device);
        result = cup_context_usable(context);
    }
    return result == CUDA_SUCCESS ? cup_stream_find(handle, stream) : result;
}

CUresult impl_cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                                    unsigned int flags, CUstream hStream)
{
    struct CUstream_st *stream;

    if (flags != 0 || !is_location_type(location.type))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid flags 0x%x or location of type %d",
                         flags, (int)location.type);
    struct cup_migration prefetch = {devPtr, count, .prefetches = true,
                                     .to = settle_location(location)};
    CUresult located = cup_api_managed_check_location(location);
    if (located == CUDA_ERROR_INVALID_VALUE)
        return located;
    CUresult result = cup_api_managed_find_stream(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = count ? located : cup_error(CUDA_ERROR_INVALID_VALUE, "no bytes");
    if (result == CUDA_SUCCESS)
        result = cup_migration_check(&prefetch);
    if (result == CUDA_SUCCESS)
        result = cup_migration_submit(stream, &prefetch, 1);
    cup_stream_unref(stream);
    return result;
}

CUresult impl_cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                                 CUstream hStream)
{
    return impl_cuMemPrefetchAsync_v2(devPtr, count, location_of(dstDevice), 0, hStream);
}

/* The id of a location for queries that do not know NUMA nodes. */
static int device_of(CUmemLocation location)
{
    return location.type == CU_MEM_LOCATION_TYPE_HOST || is_node(location.type) ? CU_DEVICE_CPU
                                                                                : location.id;
}

/* Writes the accessors of the whole range, devices first, then the host, and fills the rest of the
 * list with invalid ids. */
static void write_accessed_by(const struct cup_advice *advice, int *list, size_t count)
{
    uint64_t devices = advice->accessed_by;
    size_t i = 0;

    for (; devices && i < count; devices &= devices - 1)
        list[i++] = __builtin_ctzll(devices);
    if (advice->accessed_by_host && i < count)
        list[i++] = CU_DEVICE_CPU;
    while (i < count)
        list[i++] = CU_DEVICE_INVALID;
}

static int value_of(const struct cup_advice *advice, CUmem_range_attribute attribute)
{
    switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        return advice->read_mostly;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        return advice->preferred.id;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        return device_of(advice->prefetched);
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
        return (int)advice->preferred.type;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
        return advice->preferred.id;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
        return (int)advice->prefetched.type;
    default:
        return advice->prefetched.id;
    }
}

/* All results are 32 bits, except one, which is a list of them. */
static CUresult check_question(const void *data, size_t data_bytes, CUmem_range_attribute attribute)
{
    bool is_list = attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;

    if (data && attribute >= CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY &&
        attribute <= CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID &&
        cup_driver_knows(CUP_ENUM_RANGE_ATTRIBUTE, attribute) &&
        (is_list ? data_bytes != 0 && data_bytes % sizeof(int) == 0 : data_bytes == sizeof(int)))
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid attribute %d or size of %zu bytes",
                     (int)attribute, data_bytes);
}

CUresult impl_cuMemRangeGetAttributes(void **data, size_t *dataSizes,
                                      CUmem_range_attribute *attributes, size_t numAttributes,
                                      CUdeviceptr devPtr, size_t count)
{
    struct cup_advice advice;
    CUresult result = CUDA_SUCCESS;

    if (!data || !dataSizes || !attributes || numAttributes == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid number of %zu attributes, or a list is NULL", numAttributes);
    for (size_t i = 0; i < numAttributes && result == CUDA_SUCCESS; i++)
        result = check_question(data[i], dataSizes[i], attributes[i]);
    if (result == CUDA_SUCCESS)
        result = cup_managed_ask(devPtr, count, &advice);
    for (size_t i = 0; i < numAttributes && result == CUDA_SUCCESS; i++) {
        if (attributes[i] == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) {
            write_accessed_by(&advice, data[i], dataSizes[i] / sizeof(int));
        } else {
            int value = value_of(&advice, attributes[i]);
            memcpy(data[i], &value, sizeof(value));
        }
    }
    return result;
}

CUresult impl_cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
                                     CUdeviceptr devPtr, size_t count)
{
    return impl_cuMemRangeGetAttributes(&data, &dataSize, &attribute, 1, devPtr, count);
}

/* Every device has CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, which the call needs. */
CUresult impl_cuMemGetLocationInfo(CUdeviceptr ptr, size_t size, size_t summaryGranularity,
                                   size_t samplingGranularity, CUmemLocation *location_out)
{
    enum { SAMPLING_BYTES = 64 << 10 }; /* where the caller leaves it to the driver */
    size_t step = samplingGranularity ? samplingGranularity : SAMPLING_BYTES;

    if (!location_out || summaryGranularity == 0 || summaryGranularity > size ||
        samplingGranularity > summaryGranularity)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "location_out is NULL, or %zu bytes are not to be sampled in steps of %zu "
                         "bytes for summaries of %zu",
                         size, samplingGranularity, summaryGranularity);
    CUresult result = cup_residency_check(ptr, size);
    if (result != CUDA_SUCCESS)
        return result;
    for (size_t at = 0, i = 0; at < size; i++) {
        size_t part = size - at < summaryGranularity ? size - at : summaryGranularity;

        location_out[i] = cup_residency_most(ptr + at, part, step);
        at += part;
    }
    return CUDA_SUCCESS;
}
