/* SPDX-License-Identifier: MIT */
/* Batches of copies: linear ones, with attributes for runs of them, and boxes with attributes of
 * their own. Attributes, extents, pitches and sizes of elements are validated before any copy
 * begins; memory is validated when its turn comes, so the copies before a bad one are done.
 *
 * A batch needs a current context and a stream other than the legacy default stream.
 *
 * One copy with attributes (CUDA 13.2) is a batch of one: the manual refers to the batches for all
 * rules, and NVIDIA's cuda.core says that the driver refuses the legacy default stream and streams
 * that capture here, too. */
#include "api/memcpy_common.h"
#include "core/driver_version.h"
#include "core/error.h"
#include "core/precondition.h"
#include "device/context.h"
#include "device/device.h"
#include "image/array_map.h"
#include "impl.h"
#include "stream/stream.h"

static CUresult find_stream(CUstream handle, struct CUstream_st **stream)
{
    if (handle == NULL || handle == CU_STREAM_LEGACY)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "copies with attributes cannot go to the legacy default stream");
    CUresult result = cup_precondition_handle();
    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_context_current() && handle != CU_STREAM_PER_THREAD)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no context is current");
    return cup_api_copy_find_stream(handle, stream);
}

static bool order_is_valid(CUmemcpySrcAccessOrder order)
{
    return order == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
           order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL ||
           order == CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
}

static bool flags_are_valid(unsigned flags)
{
    return (flags & ~(unsigned)CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE) == 0;
}

/* A copy of one row. Between host memories it is done in its turn. The call waits to read pageable
 * memory in stream order, and for a source that must be read during the call and cannot be read by
 * the host at once. */
static enum cup_copy_mode row_mode(CUmemcpySrcAccessOrder order, const struct cup_copy_endpoint *to,
                                   const struct cup_copy_endpoint *from)
{
    if (order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)
        return from->known && (to->known || !from->on_host) ? CUP_COPY_WAIT : CUP_COPY_FROM_HERE;
    if (from->known || to->on_host)
        return CUP_COPY_IN_STREAM;
    return order == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ? CUP_COPY_WAIT : CUP_COPY_FROM_HERE;
}

/* Copies of several rows wait as other asynchronous copies do. */
static enum cup_copy_mode mode_of(CUmemcpySrcAccessOrder order, const struct cup_copy_endpoint *to,
                                  const struct cup_copy_endpoint *from,
                                  const struct cup_extent *extent)
{
    if (extent->height == 1 && extent->depth == 1)
        return row_mode(order, to, from);
    if (order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)
        return CUP_COPY_WAIT;
    return cup_copy_endpoint_mode(true, to, from);
}

static CUresult add(struct cup_copy_batch *batch, CUmemcpySrcAccessOrder order,
                    const struct cup_copy_endpoint *to, const struct cup_copy_endpoint *from,
                    const struct cup_extent *extent)
{
    struct cup_copy copy = cup_copy_endpoint_copy(to, from, extent);
    CUresult result = cup_api_copy_peer_access(batch->stream, NULL, to, from);

    if (result != CUDA_SUCCESS)
        return result;
    return cup_copy_batch_add(batch, &copy, mode_of(order, to, from, extent));
}

/* The hints have no effect, but must be valid locations. The id matters for devices only. */
static bool location_is_valid(const CUmemLocation *location)
{
    switch (cup_driver_enumerator(CUP_ENUM_MEMORY_LOCATION, (int)location->type)) {
    case CU_MEM_LOCATION_TYPE_INVALID:
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        return true;
    case CU_MEM_LOCATION_TYPE_DEVICE:
        return location->id >= 0 && (unsigned)location->id < cup_device_count();
    default:
        return false;
    }
}

/* A batch of linear copies, as it was passed. */
struct linear_batch {
    const CUdeviceptr *to, *from;
    const size_t *sizes;
    size_t count;
    const CUmemcpyAttributes *attributes;
    const size_t *first_copies; /* of each of the attributes */
    size_t attribute_count;
};

static CUresult check_linear(const struct linear_batch *batch)
{
    size_t previous = 0;

    if (!batch->to || !batch->from || !batch->sizes || !batch->attributes || !batch->first_copies)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a list is NULL");
    if (batch->attribute_count == 0 || batch->attribute_count > batch->count)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%zu attributes for %zu copies",
                         batch->attribute_count, batch->count);
    for (size_t i = 0; i < batch->attribute_count; i++) {
        const CUmemcpyAttributes *attributes = &batch->attributes[i];
        size_t first = batch->first_copies[i];

        if (i == 0 ? first != 0 : first <= previous || first >= batch->count)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "attributes %zu begin at copy %zu", i,
                             first);
        if (!order_is_valid(attributes->srcAccessOrder) || !flags_are_valid(attributes->flags) ||
            !location_is_valid(&attributes->srcLocHint) ||
            !location_is_valid(&attributes->dstLocHint))
            return cup_error(CUDA_ERROR_INVALID_VALUE, "attributes %zu are not valid", i);
        previous = first;
    }
    return CUDA_SUCCESS;
}

static CUresult add_linear(struct cup_copy_batch *copies, const struct linear_batch *batch,
                           size_t i, CUmemcpySrcAccessOrder order)
{
    struct cup_extent extent = {batch->sizes[i], 1, 1};
    struct cup_copy_endpoint to, from;

    if (extent.width_bytes == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "copy %zu has 0 bytes", i);
    CUresult result = cup_copy_endpoint_linear(&to, batch->to[i], extent.width_bytes,
                                               CUP_ENDPOINT_ANY, CUP_ENDPOINT_WRITTEN);
    if (result == CUDA_SUCCESS)
        result = cup_copy_endpoint_linear(&from, batch->from[i], extent.width_bytes,
                                          CUP_ENDPOINT_ANY, CUP_ENDPOINT_READ);
    return result == CUDA_SUCCESS ? add(copies, order, &to, &from, &extent) : result;
}

static CUresult run_linear(const struct linear_batch *batch, struct CUstream_st *stream,
                           size_t *failed)
{
    struct cup_copy_batch copies = {.stream = stream};
    size_t attribute = 0;
    CUresult result = CUDA_SUCCESS;

    for (size_t i = 0; i < batch->count && result == CUDA_SUCCESS; i++) {
        if (attribute + 1 < batch->attribute_count && batch->first_copies[attribute + 1] == i)
            attribute++;
        result = add_linear(&copies, batch, i, batch->attributes[attribute].srcAccessOrder);
        if (result != CUDA_SUCCESS)
            *failed = i;
    }
    CUresult submitted = cup_copy_batch_submit(&copies);
    return result == CUDA_SUCCESS ? submitted : result;
}

static CUresult copy_linear(const struct linear_batch *batch, CUstream handle, size_t *failed)
{
    struct CUstream_st *stream;
    CUresult result = find_stream(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    *failed = SIZE_MAX;
    result = check_linear(batch);
    if (result == CUDA_SUCCESS)
        result = run_linear(batch, stream, failed);
    cup_stream_unref(stream);
    return result;
}

/* Batches of boxes count in elements of the array involved, or else in bytes. */

static CUresult element_of(const CUmemcpy3DOperand *endpoint, unsigned *element_bytes)
{
    if (endpoint->type != CU_MEMCPY_OPERAND_TYPE_ARRAY)
        return CUDA_SUCCESS;
    return cup_array_copy_element(endpoint->op.array.array, element_bytes);
}

static CUresult find_element(const CUDA_MEMCPY3D_BATCH_OP *box, unsigned *element_bytes)
{
    unsigned to = 0, from = 0;
    CUresult result = element_of(&box->dst, &to);

    if (result == CUDA_SUCCESS)
        result = element_of(&box->src, &from);
    if (result != CUDA_SUCCESS)
        return result;
    if (to && from && to != from)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the elements have different sizes: %u and %u bytes", from, to);
    *element_bytes = to ? to : from ? from : 1;
    return CUDA_SUCCESS;
}

static CUresult too_large(void)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE, "the elements exceed the address space");
}

static bool has_row_layers(const CUmemcpy3DOperand *described)
{
    return described->type == CU_MEMCPY_OPERAND_TYPE_ARRAY &&
           cup_array_has_row_layers(described->op.array.array);
}

static CUresult resolve(struct cup_copy_endpoint *endpoint, const CUmemcpy3DOperand *described,
                        const CUmemcpy3DOperand *other, enum cup_copy_endpoint_use use,
                        unsigned element_bytes, const struct cup_extent *extent)
{
    if (described->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        struct cup_offset at = {.y = described->op.array.offset.y,
                                .z = described->op.array.offset.z};

        if (__builtin_mul_overflow(described->op.array.offset.x, element_bytes, &at.x_bytes))
            return too_large();
        return cup_array_copy_endpoint(endpoint, described->op.array.array, &at, extent);
    }
    struct cup_pitched memory = {
        .base = described->op.ptr.ptr,
        .slice_rows = described->op.ptr.layerHeight,
        .rule = CUP_ENDPOINT_ANY,
        .use = use,
        .of_layers = has_row_layers(other),
    };
    if (__builtin_mul_overflow(described->op.ptr.rowLength, element_bytes, &memory.row_bytes))
        return too_large();
    return cup_copy_endpoint_pitched(endpoint, &memory, extent);
}

static CUresult add_box(struct cup_copy_batch *copies, const CUDA_MEMCPY3D_BATCH_OP *box)
{
    struct cup_extent extent = {.height = box->extent.height, .depth = box->extent.depth};
    struct cup_copy_endpoint to, from;
    unsigned element_bytes = 0;
    CUresult result = find_element(box, &element_bytes);

    if (result != CUDA_SUCCESS)
        return result;
    if (__builtin_mul_overflow(box->extent.width, element_bytes, &extent.width_bytes))
        return too_large();
    result = resolve(&to, &box->dst, &box->src, CUP_ENDPOINT_WRITTEN, element_bytes, &extent);
    if (result == CUDA_SUCCESS)
        result = resolve(&from, &box->src, &box->dst, CUP_ENDPOINT_READ, element_bytes, &extent);
    return result == CUDA_SUCCESS ? add(copies, box->srcAccessOrder, &to, &from, &extent) : result;
}

/* Calls cup_array_map_drop for the destination of a submitted box, if that is an array created
 * without memory. */
static CUresult drop_box(struct CUstream_st *stream, const CUDA_MEMCPY3D_BATCH_OP *box)
{
    struct cup_extent extent = {.height = box->extent.height, .depth = box->extent.depth};
    struct cup_copy_endpoint to;
    unsigned element_bytes;

    if (box->dst.type != CU_MEMCPY_OPERAND_TYPE_ARRAY ||
        find_element(box, &element_bytes) != CUDA_SUCCESS)
        return CUDA_SUCCESS;
    extent.width_bytes = box->extent.width * element_bytes;
    if (resolve(&to, &box->dst, &box->src, CUP_ENDPOINT_WRITTEN, element_bytes, &extent) !=
            CUDA_SUCCESS ||
        !to.bare)
        return CUDA_SUCCESS;
    struct cup_copy written = cup_copy_endpoint_copy(&to, &to, &extent);
    return cup_array_map_drop(stream, to.bare, &written, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static bool type_is_valid(CUmemcpy3DOperandType type)
{
    return type == CU_MEMCPY_OPERAND_TYPE_POINTER || type == CU_MEMCPY_OPERAND_TYPE_ARRAY;
}

/* Pitches of 0 are the smallest that hold the box. */
static bool pitches_hold(const CUmemcpy3DOperand *described, const CUextent3D *extent)
{
    return described->type != CU_MEMCPY_OPERAND_TYPE_POINTER ||
           ((!described->op.ptr.rowLength || described->op.ptr.rowLength >= extent->width) &&
            (!described->op.ptr.layerHeight || described->op.ptr.layerHeight >= extent->height));
}

static CUresult check_box(const CUDA_MEMCPY3D_BATCH_OP *box, size_t index)
{
    unsigned element_bytes;

    if (!type_is_valid(box->src.type) || !type_is_valid(box->dst.type) || box->extent.width == 0 ||
        box->extent.height == 0 || box->extent.depth == 0 || !order_is_valid(box->srcAccessOrder) ||
        !flags_are_valid(box->flags) || !pitches_hold(&box->src, &box->extent) ||
        !pitches_hold(&box->dst, &box->extent))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "copy %zu: its types, extent, pitches, access order or flags are invalid",
                         index);
    return find_element(box, &element_bytes);
}

static CUresult run_boxes(const CUDA_MEMCPY3D_BATCH_OP *boxes, size_t count,
                          struct CUstream_st *stream, size_t *failed)
{
    struct cup_copy_batch copies = {.stream = stream};
    CUresult result = CUDA_SUCCESS;
    size_t added;

    for (size_t i = 0; i < count; i++) {
        result = check_box(&boxes[i], i);
        if (result != CUDA_SUCCESS) {
            *failed = i;
            return result;
        }
    }
    for (added = 0; added < count; added++) {
        result = add_box(&copies, &boxes[added]);
        if (result != CUDA_SUCCESS)
            break;
    }
    CUresult submitted = cup_copy_batch_submit(&copies);
    for (size_t i = 0; i < added && submitted == CUDA_SUCCESS; i++)
        submitted = drop_box(stream, &boxes[i]);
    return result == CUDA_SUCCESS ? submitted : result;
}

static CUresult copy_boxes(const CUDA_MEMCPY3D_BATCH_OP *boxes, size_t count,
                           unsigned long long flags, CUstream handle, size_t *failed)
{
    struct CUstream_st *stream;
    CUresult result = find_stream(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    *failed = SIZE_MAX;
    if (!boxes || count == 0 || flags != 0)
        result = cup_error(CUDA_ERROR_INVALID_VALUE,
                           "invalid number of copies, or flags 0x%llx are not 0", flags);
    else
        result = run_boxes(boxes, count, stream, failed);
    cup_stream_unref(stream);
    return result;
}

/* The forms of CUDA 12.8 return the index of the failed copy. It is SIZE_MAX if all succeeded, no
 * particular copy failed, or the memory of a box was invalid; it is not written if the stream is
 * refused. */

CUresult impl_cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                 CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                 size_t *failIdx, CUstream hStream)
{
    struct linear_batch batch = {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs};
    size_t unused;

    return copy_linear(&batch, hStream, failIdx ? failIdx : &unused);
}

CUresult impl_cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes,
                                    size_t count, CUmemcpyAttributes *attrs, size_t *attrsIdxs,
                                    size_t numAttrs, CUstream hStream)
{
    return impl_cuMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, NULL,
                                   hStream);
}

CUresult impl_cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                                   unsigned long long flags, CUstream hStream)
{
    size_t unused;

    return copy_boxes(opList, numOps, flags, hStream, failIdx ? failIdx : &unused);
}

CUresult impl_cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList,
                                      unsigned long long flags, CUstream hStream)
{
    return impl_cuMemcpy3DBatchAsync(numOps, opList, NULL, flags, hStream);
}

CUresult impl_cuMemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t size,
                                          CUmemcpyAttributes *attr, CUstream hStream)
{
    size_t first = 0, unused;
    struct linear_batch batch = {&dst, &src, &size, 1, attr, &first, 1};

    return copy_linear(&batch, hStream, &unused);
}

CUresult impl_cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags,
                                            CUstream hStream)
{
    size_t unused;

    return copy_boxes(op, 1, flags, hStream, &unused);
}
