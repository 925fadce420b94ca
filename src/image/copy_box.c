/* SPDX-License-Identifier: MIT */
/* Resolves the source and destination of a copy to endpoints and checks their bounds. */
#include "image/copy_box.h"

#include "core/error.h"
#include "image/array.h"
#include "memory/map.h"

static CUresult find_array(CUarray handle, struct CUarray_st **array)
{
    if (handle && cup_array_find(handle, array) == CUDA_SUCCESS)
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not an array", (void *)handle);
}

CUresult cup_array_copy_element(CUarray handle, unsigned *element_bytes)
{
    struct CUarray_st *array;
    CUresult result = find_array(handle, &array);

    if (result == CUDA_SUCCESS) {
        *element_bytes = array->box.element_bytes;
        cup_array_unref(array);
    }
    return result;
}

bool cup_array_has_row_layers(CUarray handle)
{
    struct CUarray_st *array;

    if (!handle || cup_array_find(handle, &array) != CUDA_SUCCESS)
        return false;
    bool has = array->descriptor.Height == 0 && array->descriptor.Depth != 0;
    cup_array_unref(array);
    return has;
}

static bool fits(size_t start, size_t count, size_t limit)
{
    return start <= limit && count <= limit - start;
}

CUresult cup_array_copy_endpoint(struct cup_copy_endpoint *endpoint, CUarray handle,
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
                           "%zu x %zu x %zu at (%zu, %zu, %zu) exceeds an array of %zu x %zu x %zu",
                           extent->width_bytes, extent->height, extent->depth, at->x_bytes, at->y,
                           at->z, width_bytes, box->rows, box->slices);
    *endpoint = (struct cup_copy_endpoint){
        .address = box->base + at->x_bytes + at->y * box->row_bytes + at->z * box->slice_bytes,
        .row = box->row_bytes,
        .slice = box->slice_bytes,
        .known = true,
        .bare = cup_array_is_unbacked(array) ? handle : NULL,
        .element_bytes = box->element_bytes,
        .compressed = array->format->block > 1,
    };
    if (result == CUDA_SUCCESS && endpoint->compressed &&
        (at->x_bytes % box->element_bytes || extent->width_bytes % box->element_bytes))
        result = cup_error(CUDA_ERROR_INVALID_VALUE,
                           "%zu bytes at %zu: compressed blocks of %u bytes are copied whole",
                           extent->width_bytes, at->x_bytes, (unsigned)box->element_bytes);
    cup_array_unref(array);
    return result;
}

/* The source or destination fields of a CUDA_MEMCPY3D. */
struct side {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    struct cup_offset at;
    size_t level, pitch, height;
    enum cup_copy_endpoint_use use;
    bool of_layers; /* the other endpoint is a 1D layered array */
};

static struct side source_of(const CUDA_MEMCPY3D *copy)
{
    return (struct side){
        .type = copy->srcMemoryType,
        .host = copy->srcHost,
        .device = copy->srcDevice,
        .array = copy->srcArray,
        .at = {copy->srcXInBytes, copy->srcY, copy->srcZ},
        .level = copy->srcLOD,
        .pitch = copy->srcPitch,
        .height = copy->srcHeight,
        .use = CUP_ENDPOINT_READ,
    };
}

static struct side destination_of(const CUDA_MEMCPY3D *copy)
{
    return (struct side){
        .type = copy->dstMemoryType,
        .host = copy->dstHost,
        .device = copy->dstDevice,
        .array = copy->dstArray,
        .at = {copy->dstXInBytes, copy->dstY, copy->dstZ},
        .level = copy->dstLOD,
        .pitch = copy->dstPitch,
        .height = copy->dstHeight,
        .use = CUP_ENDPOINT_WRITTEN,
    };
}

static CUresult resolve_memory(struct cup_copy_endpoint *endpoint, const struct side *side,
                               uint64_t base, enum cup_copy_endpoint_rule rule,
                               const struct cup_extent *extent)
{
    struct cup_pitched memory = {
        .base = base,
        .at = side->at,
        .row_bytes = side->pitch,
        .slice_rows = side->height,
        .rule = rule,
        .use = side->use,
        .of_layers = side->of_layers,
    };

    return cup_copy_endpoint_pitched(endpoint, &memory, extent);
}

static CUresult resolve(struct cup_copy_endpoint *endpoint, const struct side *side,
                        const struct cup_extent *extent)
{
    struct cup_span span;

    switch (side->type) {
    case CU_MEMORYTYPE_HOST:
        return resolve_memory(endpoint, side, cup_array_address_of(side->host), CUP_ENDPOINT_ANY,
                              extent);
    case CU_MEMORYTYPE_DEVICE:
        return resolve_memory(endpoint, side, side->device, CUP_ENDPOINT_KNOWN, extent);
    case CU_MEMORYTYPE_UNIFIED:
        return resolve_memory(endpoint, side, side->device, CUP_ENDPOINT_ANY, extent);
    case CU_MEMORYTYPE_ARRAY:
        if (side->level != 0)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "an array has no level %zu", side->level);
        return cup_array_copy_endpoint(endpoint, side->array, &side->at, extent);
    default:
        /* The memory type is ignored for memory mapped with cuMemMap(). */
        if (cup_map_find(side->device, &span) && span.kind == CUP_RANGE_VIRTUAL)
            return resolve_memory(endpoint, side, side->device, CUP_ENDPOINT_KNOWN, extent);
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid memory type: %d", (int)side->type);
    }
}

CUresult cup_array_copy_check_blocks(const struct cup_copy_endpoint *to,
                                     const struct cup_copy_endpoint *from)
{
    if (!(to->compressed || from->compressed) || !to->element_bytes || !from->element_bytes ||
        to->element_bytes == from->element_bytes)
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE,
                     "compressed blocks: elements of %u bytes are copied to elements of %u bytes",
                     from->element_bytes, to->element_bytes);
}

static bool has_row_layers(const struct side *side)
{
    return side->type == CU_MEMORYTYPE_ARRAY && cup_array_has_row_layers(side->array);
}

CUresult cup_array_copy_box(const CUDA_MEMCPY3D *copy, struct cup_copy_endpoint *to,
                            struct cup_copy_endpoint *from)
{
    struct side source = source_of(copy), destination = destination_of(copy);
    struct cup_extent extent = {copy->WidthInBytes, copy->Height, copy->Depth};

    destination.of_layers = has_row_layers(&source);
    source.of_layers = has_row_layers(&destination);
    CUresult result = resolve(to, &destination, &extent);

    return result == CUDA_SUCCESS ? resolve(from, &source, &extent) : result;
}
