/* SPDX-License-Identifier: MIT */
/* The rules follow the manual and, where it is silent, the observed behaviour of NVIDIA's driver:
 *
 *   - Memory must have been created for tile pools; offsets into it are multiples of 64 KiB.
 *   - A region of a level starts at a multiple of the tile size and ends at one, or at the end
 *     of the level. Offsets and extents are in pixels, also for block-compressed formats.
 *   - A deferred image is bound as a whole, whichever part of it the region names.
 *   - Unmapping ignores the memory handle and its offset. */
#include "image/array_map.h"

#include "core/error.h"
#include "device/device.h"
#include "image/mipmap.h"
#include "image/shape.h"
#include "image/tiles.h"
#include "memory/copy.h"
#include "memory/physical.h"
#include "stream/stream.h"

#include <stdlib.h>

struct operation {
    struct cup_object *image; /* holds a reference */
    struct cup_tiles *tiles;
    struct cup_tile_region region;
    struct cup_physical *physical; /* holds a reference; NULL: unmap */
    uint64_t page;
};

struct map_job {
    struct cup_job base;
    unsigned count;
    struct operation operations[];
};

static CUresult map_run(struct cup_job *base, CUresult failed)
{
    struct map_job *job = (struct map_job *)base;

    for (unsigned i = 0; i < job->count && failed == CUDA_SUCCESS; i++) {
        const struct operation *operation = &job->operations[i];
        if (!cup_tiles_map(operation->tiles, &operation->region, operation->physical,
                           operation->page))
            failed = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the system allows no more mappings");
    }
    return failed;
}

static void map_release(struct cup_job *base)
{
    struct map_job *job = (struct map_job *)base;

    for (unsigned i = 0; i < job->count; i++) {
        if (job->operations[i].image)
            cup_object_unref(job->operations[i].image);
        if (job->operations[i].physical)
            cup_physical_unref(job->operations[i].physical);
    }
    free(job);
}

/* The fields that arrays and mipmaps have in common. */
struct mapped_image {
    struct cup_storage *storage;
    const struct cup_shape *shape;
    const struct cup_device *device;
    unsigned flags;
    struct cup_box boxes[CUP_LEVELS_MAX];
};

static CUresult find_array(CUarray handle, struct operation *operation, struct mapped_image *image)
{
    struct CUarray_st *array;

    if (!handle || cup_array_find(handle, &array) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not an array", (void *)handle);
    operation->image = &array->base;
    if (array->parent)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "memory is mapped to whole images, not to parts");
    image->storage = &array->storage;
    image->shape = &array->shape;
    image->device = array->context->device;
    image->flags = array->descriptor.Flags;
    image->boxes[0] = array->box;
    return CUDA_SUCCESS;
}

static CUresult find_mipmap(CUmipmappedArray handle, struct operation *operation,
                            struct mapped_image *image)
{
    struct CUmipmappedArray_st *mipmap;

    if (!handle || cup_mipmap_find(handle, &mipmap) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not a mipmapped array", (void *)handle);
    operation->image = &mipmap->base;
    image->storage = &mipmap->storage;
    image->shape = &mipmap->shape;
    image->device = mipmap->context->device;
    image->flags = mipmap->descriptor.Flags;
    for (unsigned i = 0; i < mipmap->shape.levels; i++)
        image->boxes[i] = mipmap->levels[i]->box;
    return CUDA_SUCCESS;
}

static CUresult find_image(const CUarrayMapInfo *info, struct operation *operation,
                           struct mapped_image *image)
{
    switch (info->resourceType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return find_array(info->resource.array, operation, image);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        return find_mipmap(info->resource.mipmap, operation, image);
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "memory cannot be mapped to resources of type %d",
                         (int)info->resourceType);
    }
}

static CUresult resolve_image(const CUarrayMapInfo *info, const struct cup_device *device,
                              struct operation *operation)
{
    struct mapped_image image;
    CUresult result = find_image(info, operation, &image);

    if (result != CUDA_SUCCESS)
        return result;
    if (!(image.flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING)))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the image is neither sparse nor made for deferred mapping");
    if (image.device != device)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the image is not on the stream's device");
    bool whole = image.flags & CUDA_ARRAY3D_DEFERRED_MAPPING;
    if (!whole && (image.shape->format->plane_count != 0 || image.shape->format->pair != 1))
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "video frames have no tiles");
    return cup_tiles_get(image.storage, image.shape, whole, image.boxes, &operation->tiles);
}

/* Converts a range of pixels to tiles. Returns false if it does not consist of whole tiles. */
static bool to_tiles(unsigned offset, unsigned extent, unsigned limit, unsigned tile,
                     unsigned *first, unsigned *count)
{
    if (extent == 0 || offset >= limit || extent > limit - offset || offset % tile != 0 ||
        (extent % tile != 0 && offset + extent != limit))
        return false;
    *first = offset / tile;
    *count = extent / tile + (extent % tile != 0);
    return true;
}

static CUresult level_region(const CUarrayMapInfo *info, const struct cup_tiles *tiles,
                             struct cup_tile_region *region)
{
    unsigned level = info->subresource.sparseLevel.level;
    const struct cup_shape *shape = &tiles->shape;
    const struct cup_level *tile = &tiles->sparse.tile;

    region->level = level;
    region->layer = info->subresource.sparseLevel.layer;
    if (level >= tiles->sparse.tail_first || region->layer >= shape->layers)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "level %u, layer %u has no tiles", level,
                         region->layer);
    if (!to_tiles(info->subresource.sparseLevel.offsetX, info->subresource.sparseLevel.extentWidth,
                  cup_shape_extent_at(shape->width, level), tile->width, &region->x,
                  &region->width) ||
        !to_tiles(info->subresource.sparseLevel.offsetY, info->subresource.sparseLevel.extentHeight,
                  cup_shape_extent_at(shape->height, level), tile->height, &region->y,
                  &region->height) ||
        !to_tiles(info->subresource.sparseLevel.offsetZ, info->subresource.sparseLevel.extentDepth,
                  cup_shape_extent_at(shape->depth, level), tile->depth, &region->z,
                  &region->depth))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the region does not consist of tiles");
    return CUDA_SUCCESS;
}

static CUresult tail_region(const CUarrayMapInfo *info, const struct cup_tiles *tiles,
                            struct cup_tile_region *region)
{
    unsigned long long offset = info->subresource.miptail.offset;
    unsigned long long size = info->subresource.miptail.size;
    uint64_t limit = tiles->sparse.tail_bytes;
    unsigned layers = tiles->sparse.single_tail ? 1 : tiles->shape.layers;

    if (info->subresource.miptail.layer >= layers || size == 0 || offset > limit ||
        size > limit - offset || offset % CUP_TILE_BYTES != 0 || size % CUP_TILE_BYTES != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "0x%llx bytes at 0x%llx of layer %u are not pages of the mip tail", size,
                         offset, info->subresource.miptail.layer);
    *region = (struct cup_tile_region){
        .is_tail = true,
        .layer = info->subresource.miptail.layer,
        .x = (unsigned)(offset / CUP_TILE_BYTES),
        .width = (unsigned)(size / CUP_TILE_BYTES),
        .height = 1,
        .depth = 1,
    };
    return CUDA_SUCCESS;
}

/* Also returns the number of pages of memory that the region takes. */
static CUresult resolve_region(const CUarrayMapInfo *info, struct operation *operation,
                               uint64_t *pages)
{
    struct cup_tile_region *region = &operation->region;
    CUresult result;

    if (operation->tiles->whole) {
        *pages = operation->tiles->size_bytes / CUP_TILE_BYTES;
        return CUDA_SUCCESS;
    }
    if (info->subresourceType == CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL)
        result = level_region(info, operation->tiles, region);
    else
        result = tail_region(info, operation->tiles, region);
    if (result == CUDA_SUCCESS)
        *pages = (uint64_t)region->width * region->height * region->depth;
    return result;
}

static CUresult resolve_memory(const CUarrayMapInfo *info, const struct cup_device *device,
                               uint64_t pages, struct operation *operation)
{
    CUresult result = cup_physical_find(info->memHandle.memHandle, &operation->physical);

    if (result != CUDA_SUCCESS)
        return result;
    const struct cup_physical *physical = operation->physical;
    if (!(physical->properties.allocFlags.usage & CU_MEM_CREATE_USAGE_TILE_POOL))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the memory was not created as a tile pool");
    if (physical->device && physical->device != device)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the memory is not on the stream's device");
    uint64_t limit = physical->size_bytes / CUP_TILE_BYTES;
    operation->page = info->offset / CUP_TILE_BYTES;
    if (info->offset % CUP_TILE_BYTES != 0 || operation->page > limit ||
        pages > limit - operation->page)
        return cup_error(
            CUDA_ERROR_INVALID_VALUE,
            "offset 0x%llx is not a multiple of 64 KiB, or %llu pages do not fit there",
            info->offset, (unsigned long long)pages);
    return cup_tiles_prepare(operation->physical);
}

static CUresult check_info(const CUarrayMapInfo *info, const struct cup_device *device)
{
    bool maps = info->memOperationType == CU_MEM_OPERATION_TYPE_MAP;

    if (!maps && info->memOperationType != CU_MEM_OPERATION_TYPE_UNMAP)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid operation %d",
                         (int)info->memOperationType);
    if (info->subresourceType != CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL &&
        info->subresourceType != CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid part type %d",
                         (int)info->subresourceType);
    if (maps && info->memHandleType != CU_MEM_HANDLE_TYPE_GENERIC)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid handle type %d",
                         (int)info->memHandleType);
    if (info->deviceBitMask != 1u << device->ordinal)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "device mask 0x%x is not the stream's device",
                         info->deviceBitMask);
    if (info->flags != 0 || info->reserved[0] != 0 || info->reserved[1] != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags or reserved are not 0");
    return CUDA_SUCCESS;
}

/* References stay in the operation on failure, too: the job releases them. */
static CUresult resolve(const CUarrayMapInfo *info, const struct cup_device *device,
                        struct operation *operation, uint64_t *pages)
{
    CUresult result = check_info(info, device);

    if (result == CUDA_SUCCESS)
        result = resolve_image(info, device, operation);
    if (result == CUDA_SUCCESS)
        result = resolve_region(info, operation, pages);
    if (result == CUDA_SUCCESS && info->memOperationType == CU_MEM_OPERATION_TYPE_MAP)
        result = resolve_memory(info, device, *pages, operation);
    return result;
}

CUresult cup_array_map_submit(struct CUstream_st *stream, const CUarrayMapInfo *list,
                              unsigned count)
{
    struct map_job *job = calloc(1, sizeof(*job) + count * sizeof(job->operations[0]));

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a list of %u", count);
    job->base = (struct cup_job){
        .kind = CUP_JOB_WORK, .name = "map array", .run = map_run, .release = map_release};
    for (unsigned i = 0; i < count; i++) {
        uint64_t pages = 0;
        job->count = i + 1;
        CUresult result = resolve(&list[i], stream->context->device, &job->operations[i], &pages);
        if (result != CUDA_SUCCESS) {
            map_release(&job->base);
            return result;
        }
        job->base.bytes += pages * CUP_TILE_BYTES;
    }
    return cup_stream_submit(stream, &job->base, NULL);
}

struct drop_job {
    struct cup_job base;
    struct CUarray_st *array; /* holds a reference */
    struct cup_storage *storage;
    unsigned level;
    bool is_write;
    struct cup_copy written;
    CUresult unbound; /* the error if a deferred array has no memory */
};

static CUresult drop_run(struct cup_job *base, CUresult failed)
{
    struct drop_job *job = (struct drop_job *)base;

    if (failed != CUDA_SUCCESS)
        return failed;
    if (job->is_write)
        cup_tiles_drop(cup_tiles_find(job->storage), job->level, &job->written);
    if (!(job->array->descriptor.Flags & CUDA_ARRAY3D_DEFERRED_MAPPING) ||
        cup_tiles_is_bound(job->storage))
        return CUDA_SUCCESS;
    return cup_error(job->unbound, "a copy used a deferred array without memory");
}

static void drop_release(struct cup_job *base)
{
    cup_array_unref(((struct drop_job *)base)->array);
    free(base);
}

/* Returns the storage that holds the array's bytes, and the level of the image that the array
 * is. */
static struct cup_storage *storage_of(struct CUarray_st *array, unsigned *level)
{
    *level = 0;
    if (!array->parent)
        return &array->storage;
    if (!cup_array_is_level(array))
        return &((struct CUarray_st *)array->parent)->storage;
    struct CUmipmappedArray_st *mipmap = (struct CUmipmappedArray_st *)array->parent;
    while (mipmap->levels[*level] != array)
        ++*level;
    return &mipmap->storage;
}

static CUresult drop_submit(struct CUstream_st *stream, const struct drop_job *now)
{
    struct drop_job *job = malloc(sizeof(*job));

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a job");
    *job = *now;
    cup_object_ref(&job->array->base);
    return cup_stream_submit(stream, &job->base, NULL);
}

static CUresult check_submit(struct CUstream_st *stream, CUarray handle, struct drop_job *now)
{
    CUresult result = CUDA_SUCCESS;

    now->base = (struct cup_job){
        .kind = CUP_JOB_WORK, .name = "drop", .run = drop_run, .release = drop_release};
    if (cup_array_find(handle, &now->array) != CUDA_SUCCESS)
        return CUDA_SUCCESS; /* it was destroyed together with its bytes */
    now->storage = storage_of(now->array, &now->level);
    if (cup_stream_enter(stream))
        cup_stream_run_now(stream, &now->base);
    else
        result = drop_submit(stream, now);
    cup_array_unref(now->array);
    return result;
}

CUresult cup_array_map_drop(struct CUstream_st *stream, CUarray handle,
                            const struct cup_copy *written, CUresult unbound)
{
    struct drop_job now = {.is_write = true, .written = *written, .unbound = unbound};

    return check_submit(stream, handle, &now);
}

CUresult cup_array_map_require(struct CUstream_st *stream, CUarray handle, CUresult unbound)
{
    struct drop_job now = {.unbound = unbound};

    return check_submit(stream, handle, &now);
}
