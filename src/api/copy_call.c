/* SPDX-License-Identifier: MIT */
#include "api/copy_call.h"

#include "core/error.h"
#include "device/context.h"
#include "image/array.h"
#include "image/array_map.h"
#include "stream/stream.h"

CUresult cup_api_copy_find_stream(CUstream handle, struct CUstream_st **stream)
{
    struct CUctx_st *context = cup_context_current();
    CUresult result = context ? cup_context_usable(context) : CUDA_SUCCESS;

    return result == CUDA_SUCCESS ? cup_stream_find(handle, stream) : result;
}

static CUresult find_device(CUcontext handle, const struct cup_device **device)
{
    struct CUctx_st *context;

    *device = NULL;
    if (!handle)
        return CUDA_SUCCESS;
    CUresult result = cup_context_find(handle, &context);
    if (result == CUDA_SUCCESS) {
        *device = context->device;
        cup_context_unref(context);
    }
    return result;
}

CUresult cup_api_copy_find_devices(CUcontext to, CUcontext from,
                                   struct cup_api_copy_devices *devices)
{
    CUresult result = find_device(to, &devices->to);

    return result == CUDA_SUCCESS ? find_device(from, &devices->from) : result;
}

CUresult cup_api_copy_check_peer_access(const struct CUstream_st *stream,
                                        const struct cup_api_copy_devices *devices,
                                        const struct cup_copy_endpoint *to,
                                        const struct cup_copy_endpoint *from)
{
    const struct cup_device *usual = stream->context->device;
    CUresult result =
        cup_copy_endpoint_check_peer_access(to, devices && devices->to ? devices->to : usual);

    if (result == CUDA_SUCCESS)
        result = cup_copy_endpoint_check_peer_access(from, devices && devices->from ? devices->from
                                                                                    : usual);
    return result;
}

static CUresult find_array(CUarray handle, struct CUarray_st **array)
{
    if (handle && cup_array_find(handle, array) == CUDA_SUCCESS)
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is no array", (void *)handle);
}

CUresult cup_api_copy_array_element(CUarray handle, unsigned *element_bytes)
{
    struct CUarray_st *array;
    CUresult result = find_array(handle, &array);

    if (result == CUDA_SUCCESS) {
        *element_bytes = array->box.element_bytes;
        cup_array_unref(array);
    }
    return result;
}

static bool fits(size_t start, size_t count, size_t limit)
{
    return start <= limit && count <= limit - start;
}

CUresult cup_api_copy_array_endpoint(struct cup_copy_endpoint *endpoint, CUarray handle,
                                     const struct cup_offset *at, const struct cup_extent *extent)
{
    struct CUarray_st *array;
    CUresult result = find_array(handle, &array);

    if (result != CUDA_SUCCESS)
        return result;
    const struct cup_box *box = &array->box;
    size_t width_bytes = box->row_elements * box->element_bytes;
    /* A planar array has no width of its own: only its planes can be copied. */
    if (box->base == 0 || !fits(at->x_bytes, extent->width_bytes, width_bytes) ||
        !fits(at->y, extent->height, box->rows) || !fits(at->z, extent->depth, box->slices))
        result = cup_error(CUDA_ERROR_INVALID_VALUE,
                           "%zu x %zu x %zu at (%zu, %zu, %zu) leaves an array of %zu x %zu x %zu",
                           extent->width_bytes, extent->height, extent->depth, at->x_bytes, at->y,
                           at->z, width_bytes, box->rows, box->slices);
    *endpoint = (struct cup_copy_endpoint){
        .address = box->base + at->x_bytes + at->y * box->row_bytes + at->z * box->slice_bytes,
        .row = box->row_bytes,
        .slice = box->slice_bytes,
        .known = true,
        .bare = cup_array_is_bare(array) ? handle : NULL,
    };
    if (result == CUDA_SUCCESS && array->format->block > 1 &&
        (at->x_bytes % box->element_bytes || extent->width_bytes % box->element_bytes))
        result = cup_error(CUDA_ERROR_INVALID_VALUE,
                           "%zu bytes at %zu: compressed blocks of %u bytes are copied whole",
                           extent->width_bytes, at->x_bytes, (unsigned)box->element_bytes);
    cup_array_unref(array);
    return result;
}

CUresult cup_api_copy_submit(struct CUstream_st *stream, const struct cup_api_copy_devices *devices,
                             const struct cup_copy_endpoint *to,
                             const struct cup_copy_endpoint *from, const struct cup_extent *extent,
                             bool asynchronous)
{
    struct cup_copy copy = cup_copy_endpoint_copy(to, from, extent);
    CUresult result = cup_api_copy_peer_access(stream, devices, to, from);

    if (result == CUDA_SUCCESS)
        result = cup_copy_submit(stream, &copy, cup_copy_endpoint_mode(asynchronous, to, from));
    return result == CUDA_SUCCESS && to->bare ? cup_array_map_drop(stream, to->bare, &copy)
                                              : result;
}
