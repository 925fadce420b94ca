/* SPDX-License-Identifier: MIT */
/* Batched decompression: one function. NVIDIA's recorded card has no engine for it and always
 * returns CUDA_ERROR_NOT_SUPPORTED, so the rules here are the manual's. All addresses of an entry
 * must be in memory that a card's engine could use and that the stream's device can access. */
#include "impl.h"
#include "core/driver_version.h"
#include "core/error.h"
#include "device/context.h"
#include "device/device.h"
#include "memory/decompress.h"
#include "memory/map.h"
#include "os/guard.h"
#include "stream/stream.h"

#include <stdint.h>
#include <stdlib.h>

struct decompress_request {
    const CUmemDecompressParams *parameters; /* the application's */
    size_t count;
    struct CUctx_st *context; /* the stream's */
};

/* An entry as the application describes it, read under the fault guard, because the array may be
 * shorter than the count. */
struct reading {
    const CUmemDecompressParams *from;
    CUmemDecompressParams to;
};

static void read_body(void *argument)
{
    struct reading *reading = argument;

    reading->to = *reading->from;
}

static bool reaches(struct CUctx_st *context, const struct cup_range *range, bool written)
{
    bool on_device = cup_range_on_device(range->kind, range->flags);

    if (range->kind == CUP_RANGE_VIRTUAL || (on_device && (range->flags & CUP_RANGE_POOL)))
        return (written ? range->write_by : range->read_by) >> context->device->ordinal & 1;
    return !on_device || cup_context_may_access(context, range->device);
}

static CUresult find_memory(struct CUctx_st *context, const void *pointer, bool written,
                            struct cup_span *span)
{
    struct cup_range range;

    if (!cup_map_describe((uint64_t)(uintptr_t)pointer, &range))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not CUDA memory", pointer);
    if (!cup_range_decompresses(range.kind, range.flags))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p was not allocated for decompression",
                         pointer);
    if (!reaches(context, &range, written))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not accessible by the device", pointer);
    *span = cup_range_span(&range);
    return CUDA_SUCCESS;
}

static CUresult check_memory(struct CUctx_st *context, const void *pointer, size_t size_bytes,
                             bool written)
{
    struct cup_span span;
    CUresult result = find_memory(context, pointer, written, &span);

    if (result == CUDA_SUCCESS && !cup_map_holds(&span, (uint64_t)(uintptr_t)pointer, size_bytes,
                                                 written ? CUP_RANGE_NO_WRITE : CUP_RANGE_NO_READ))
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "%zu bytes from %p exceed the allocation",
                           size_bytes, pointer);
    return result;
}

/* The size of the destination is optional. Without it, the rest of the allocation is available, but
 * only the decompressed bytes are written. */
static CUresult find_room(struct CUctx_st *context, const void *pointer, size_t *room_bytes)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    struct cup_span span;
    CUresult result = find_memory(context, pointer, true, &span);

    if (result != CUDA_SUCCESS)
        return result;
    *room_bytes = span.size_bytes - (address - span.base);
    if (*room_bytes > CUP_DECOMPRESS_BYTES_MAX ||
        cup_map_holds(&span, address, CUP_DECOMPRESS_BYTES_MAX, 0))
        *room_bytes = CUP_DECOMPRESS_BYTES_MAX;
    return CUDA_SUCCESS;
}

static CUresult check_entry(const struct decompress_request *batch,
                            const CUmemDecompressParams *asked, struct cup_decompress_entry *entry)
{
    CUresult result;

    if (!cup_unpack_knows(asked->algo) || !cup_driver_knows(CUP_ENUM_DECOMPRESSION, asked->algo))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid algorithm %d", (int)asked->algo);
    if (asked->srcNumBytes == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0 bytes to decompress");
    if (asked->dstNumBytes > CUP_DECOMPRESS_BYTES_MAX)
        return cup_error(
            CUDA_ERROR_INVALID_VALUE,
            "%zu bytes are more than CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH",
            asked->dstNumBytes);
    *entry = (struct cup_decompress_entry){
        .packed = {.algorithm = asked->algo,
                   .source = asked->src,
                   .source_bytes = asked->srcNumBytes,
                   .destination = asked->dst,
                   .room_bytes = asked->dstNumBytes,
                   .exact_end = asked->dstNumBytes == 0},
        .written = asked->dstActBytes,
    };
    result = check_memory(batch->context, asked->src, asked->srcNumBytes, false);
    if (result == CUDA_SUCCESS)
        result = asked->dstNumBytes
                     ? check_memory(batch->context, asked->dst, asked->dstNumBytes, true)
                     : find_room(batch->context, asked->dst, &entry->packed.room_bytes);
    if (result == CUDA_SUCCESS && asked->dstActBytes)
        result =
            check_memory(batch->context, asked->dstActBytes, sizeof(*asked->dstActBytes), true);
    if (result == CUDA_SUCCESS && !cup_unpack_load(asked->algo))
        result = cup_error(CUDA_ERROR_NOT_SUPPORTED,
                           "the library for algorithm %d is not installed", (int)asked->algo);
    return result;
}

static CUresult read_entries(const struct decompress_request *batch,
                             struct cup_decompress_entry *entries, size_t *failed)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct reading reading = {.from = &batch->parameters[i]};
        CUresult result = cup_guard_run(read_body, &reading)
                              ? check_entry(batch, &reading.to, &entries[i])
                              : cup_error(CUDA_ERROR_INVALID_VALUE, "entry %zu is not readable", i);

        if (result != CUDA_SUCCESS) {
            *failed = i;
            return result;
        }
    }
    return CUDA_SUCCESS;
}

static CUresult decompress_batch(const struct decompress_request *batch, struct CUstream_st *stream,
                                 size_t *failed)
{
    struct cup_decompress_entry *entries = NULL;
    size_t size_bytes;

    if (!__builtin_mul_overflow(batch->count, sizeof(*entries), &size_bytes))
        entries = malloc(size_bytes);
    if (!entries)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a batch of %zu", batch->count);
    CUresult result = read_entries(batch, entries, failed);
    if (result != CUDA_SUCCESS) {
        free(entries);
        return result;
    }
    return cup_decompress_submit(stream, entries, batch->count);
}

CUresult impl_cuMemBatchDecompressAsync(CUmemDecompressParams *paramsArray, size_t count,
                                        unsigned int flags, size_t *errorIndex, CUstream stream)
{
    struct CUstream_st *found;
    size_t failed = SIZE_MAX;
    CUresult result = cup_stream_find(stream, &found);

    if (result == CUDA_SUCCESS) {
        struct decompress_request batch = {paramsArray, count, found->context};

        if (!paramsArray || count == 0 || flags != 0)
            result = cup_error(CUDA_ERROR_INVALID_VALUE,
                               "invalid number of entries, or flags 0x%x are not 0", flags);
        else
            result = decompress_batch(&batch, found, &failed);
        cup_stream_unref(found);
    }
    if (result != CUDA_SUCCESS && errorIndex)
        *errorIndex = failed;
    return result;
}
