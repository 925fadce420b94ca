/* SPDX-License-Identifier: MIT */
/* OpenGL textures and renderbuffers. OpenGL does not expose the memory of their pixels, so the
 * library keeps a copy in device memory, laid out as a mipmapped array. The copy is filled when the
 * image is mapped, unless with WRITE_DISCARD, and written back when it is unmapped, unless with
 * READ_ONLY. Only the parts that CUDA requested are written back.
 *
 * An image that is registered twice in a context of OpenGL has one struct gl_image with one copy;
 * each resource has array handles of its own for it. */
#include "interop/gl_image.h"

#include "core/error.h"
#include "core/lock.h"
#include "image/array.h"
#include "image/mipmap.h"
#include "interop/gl.h"
#include "interop/gl_lock.h"
#include "interop/gl_transfer.h"

#include <stdlib.h>
#include <string.h>

struct gl_image {
    struct gl_image *next;    /* list of all images; guarded by list_lock */
    unsigned users;           /* number of resources; guarded by list_lock */
    struct CUctx_st *context; /* every resource holds a reference */
    void *gl_context;         /* the context it was registered in */
    unsigned name;
    struct cup_gl_image_info info;
    struct cup_storage storage;
    struct cup_box levels[CUP_LEVELS_MAX]; /* their boxes in the storage */

    struct cup_lock *lock; /* the name's: that of every struct gl_image of the image */
    /* All guarded by lock. */
    unsigned mappers;
    bool to_write; /* at least one mapping may write */
    bool filled;   /* the copy was filled from this image before */
    unsigned char
        *requested; /* one byte per layer of each level: set if CUDA has a handle for it */
};

/* The state of one resource. */
struct image_view {
    struct gl_image *image;
    unsigned array_flags;
    /* the reference of the handle; guarded by the image's lock */
    struct CUmipmappedArray_st *mipmap;
    /* as many as `requested` has; guarded by the image's lock */
    struct CUarray_st **arrays;
    /* no more handles are created; guarded by the image's lock */
    bool closed;
};

static struct cup_lock list_lock = CUP_LOCK_INITIALIZER(CUP_RANK_GRAPHICS_LIST);
static struct gl_image *images; /* guarded by list_lock */

static size_t part_count(const struct gl_image *image)
{
    return (size_t)image->info.levels * image->info.layers;
}

static unsigned char *requested_at(struct gl_image *image, unsigned level, unsigned layer)
{
    return &image->requested[(size_t)level * image->info.layers + layer];
}

static struct cup_gl_slab slab_of(const struct gl_image *image, unsigned level, unsigned first,
                                  unsigned count)
{
    const struct cup_box *box = &image->levels[level];

    return (struct cup_gl_slab){
        .name = image->name,
        .level = level,
        .first = first,
        .count = count,
        .memory = (void *)(uintptr_t)(box->base + first * box->slice_bytes),
        .row_bytes = box->row_bytes,
        .slice_bytes = box->slice_bytes,
    };
}

/* Missing levels of an incomplete mipmap chain read as zero. */
static CUresult fill(struct cup_gl_work *work, struct gl_image *image)
{
    for (unsigned level = 0; level < image->info.levels; level++) {
        const struct cup_box *box = &image->levels[level];
        struct cup_gl_slab slab = slab_of(image, level, 0, (unsigned)box->slices);
        if (!cup_gl_level_exists(work, image->name, &image->info, level))
            memset(slab.memory, 0, cup_box_bytes(box));
        else if (!cup_gl_read(work, &image->info, &slab))
            return cup_error(CUDA_ERROR_MAP_FAILED, "OpenGL failed to read level %u of image %u",
                             level, image->name);
    }
    return CUDA_SUCCESS;
}

/* Writes consecutive requested layers of one level at once. */
static CUresult write_level(struct cup_gl_work *work, struct gl_image *image, unsigned level)
{
    bool is_3d = image->info.target == GL_TEXTURE_3D;
    unsigned layers = image->info.layers, first = 0;

    while (first < layers) {
        unsigned count = 0;
        while (first + count < layers && *requested_at(image, level, first + count))
            count++;
        if (count > 0) {
            struct cup_gl_slab slab =
                slab_of(image, level, first, is_3d ? (unsigned)image->levels[level].slices : count);
            if (!cup_gl_write(work, &image->info, &slab))
                return cup_error(CUDA_ERROR_UNMAP_FAILED,
                                 "OpenGL failed to write level %u of image %u", level, image->name);
        }
        first += count + 1;
    }
    return CUDA_SUCCESS;
}

static CUresult write_back(struct cup_gl_work *work, struct gl_image *image)
{
    CUresult result = CUDA_SUCCESS;

    for (unsigned level = 0; level < image->info.levels && result == CUDA_SUCCESS; level++) {
        if (cup_gl_level_exists(work, image->name, &image->info, level))
            result = write_level(work, image, level);
    }
    return result;
}

static CUresult not_there(const struct cup_gl_work *work, const struct gl_image *image,
                          CUresult result)
{
    if (work->context != image->gl_context)
        result = CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
    return cup_error(result, "image %u does not exist, or is another image, in the current context",
                     image->name);
}

static CUresult map_locked(struct cup_gl_work *work, struct gl_image *image, unsigned flags)
{
    cup_lock_assert_held(image->lock);
    CUresult result = CUDA_SUCCESS;

    if (image->mappers == 0) {
        if (!cup_gl_image_is(work, image->name, &image->info))
            return not_there(work, image, CUDA_ERROR_MAP_FAILED);
        if (flags != CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD)
            result = fill(work, image);
        else if (!image->filled)
            memset((void *)(uintptr_t)image->storage.address, 0, image->storage.size_bytes);
        image->filled = true;
        image->to_write = false;
        memset(image->requested, 0, part_count(image));
    }
    if (result != CUDA_SUCCESS)
        return result;
    image->to_write |= flags != CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY;
    image->mappers++;
    return CUDA_SUCCESS;
}

static bool exists(struct cup_gl_work *work, const struct gl_image *image)
{
    return image->info.target == GL_RENDERBUFFER ? work->gl->IsRenderbuffer(image->name)
                                                 : work->gl->IsTexture(image->name);
}

/* If the application has deleted the image, there is nothing to write back. */
static CUresult unmap_locked(struct cup_gl_work *work, struct gl_image *image)
{
    cup_lock_assert_held(image->lock);
    CUresult result = CUDA_SUCCESS;

    if (image->mappers == 1 && image->to_write) {
        bool there = exists(work, image);
        if (there && cup_gl_image_is(work, image->name, &image->info))
            result = write_back(work, image);
        else if (there || work->context != image->gl_context)
            result = not_there(work, image, CUDA_ERROR_UNMAP_FAILED);
    }
    if (result != CUDA_ERROR_INVALID_GRAPHICS_CONTEXT)
        image->mappers--;
    return result;
}

static CUresult view_map(struct CUgraphicsResource_st *resource, unsigned flags)
{
    struct gl_image *image = ((struct image_view *)resource->body)->image;
    struct cup_gl_work work;

    if (!cup_gl_begin(&work))
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
                         "no OpenGL context is current in this thread");
    cup_lock_acquire(image->lock);
    CUresult result = map_locked(&work, image, flags);
    cup_lock_release(image->lock);
    cup_gl_end(&work);
    return result;
}

static CUresult view_unmap(struct CUgraphicsResource_st *resource)
{
    struct gl_image *image = ((struct image_view *)resource->body)->image;
    struct cup_gl_work work;

    if (!cup_gl_begin(&work))
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
                         "no OpenGL context is current in this thread");
    cup_lock_acquire(image->lock);
    CUresult result = unmap_locked(&work, image);
    cup_lock_release(image->lock);
    cup_gl_end(&work);
    return result;
}

/* Describes a mipmapped array of all layers, or of the first level. */
static CUDA_ARRAY3D_DESCRIPTOR whole_descriptor(const struct cup_gl_image_info *info,
                                                unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = info->width,
        .Height = info->height,
        .Format = info->format->format,
        .NumChannels = info->format->channels,
        .Flags = flags,
    };

    if (info->target == GL_TEXTURE_3D)
        descriptor.Depth = info->depth;
    if (info->target == GL_TEXTURE_CUBE_MAP || info->target == GL_TEXTURE_2D_ARRAY)
        descriptor.Depth = info->layers;
    if (info->target == GL_TEXTURE_CUBE_MAP)
        descriptor.Flags |= CUDA_ARRAY3D_CUBEMAP;
    if (info->target == GL_TEXTURE_2D_ARRAY)
        descriptor.Flags |= CUDA_ARRAY3D_LAYERED;
    return descriptor;
}

static CUresult mipmap_of(struct CUgraphicsResource_st *resource, struct image_view *view)
{
    const struct gl_image *image = view->image;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = whole_descriptor(&image->info, view->array_flags);

    if (view->closed)
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "another thread unregistered the image");
    if (view->mipmap)
        return CUDA_SUCCESS;
    CUresult result =
        cup_mipmap_create_over(&resource->base, resource->context, &descriptor, image->info.levels,
                               image->levels[0].base, &view->mipmap);
    /* NVIDIA's driver reports depth 0 for cube maps. */
    for (unsigned i = 0; result == CUDA_SUCCESS && i < image->info.levels; i++) {
        if (image->info.target == GL_TEXTURE_CUBE_MAP)
            view->mipmap->levels[i]->descriptor.Depth = 0;
    }
    return result;
}

static CUresult view_mipmap(struct CUgraphicsResource_st *resource, CUmipmappedArray *mipmap)
{
    struct image_view *view = resource->body;

    cup_lock_acquire(view->image->lock);
    CUresult result = mipmap_of(resource, view);
    if (result == CUDA_SUCCESS) {
        memset(view->image->requested, 1, part_count(view->image));
        *mipmap = view->mipmap;
    }
    cup_lock_release(view->image->lock);
    return result;
}

static CUresult create_array(struct image_view *view, unsigned level, unsigned layer,
                             struct CUarray_st **array)
{
    const struct cup_gl_image_info *info = &view->image->info;
    const struct cup_box *box = &view->image->levels[level];
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = cup_gl_level_extent(info->width, level),
        .Height = cup_gl_level_extent(info->height, level),
        .Depth = info->target == GL_TEXTURE_3D ? cup_gl_level_extent(info->depth, level) : 0,
        .Format = info->format->format,
        .NumChannels = info->format->channels,
        .Flags = view->array_flags,
    };

    return cup_array_create_part(&view->mipmap->base, view->mipmap->context, &descriptor,
                                 box->base + layer * box->slice_bytes, array);
}

static CUresult view_array(struct CUgraphicsResource_st *resource, unsigned index, unsigned level,
                           CUarray *array)
{
    struct image_view *view = resource->body;
    struct gl_image *image = view->image;
    unsigned first = image->info.first_level + image->info.view_level;

    if (index >= image->info.layers || level < first || level - first >= image->info.levels)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "image %u has no layer %u, level %u",
                         image->name, index, level);
    level -= first;
    cup_lock_acquire(image->lock);
    CUresult result = mipmap_of(resource, view);
    struct CUarray_st **slot = &view->arrays[(size_t)level * image->info.layers + index];
    if (result == CUDA_SUCCESS && !*slot)
        result = create_array(view, level, index, slot);
    if (result == CUDA_SUCCESS) {
        *requested_at(image, level, index) = 1;
        *array = *slot;
    }
    cup_lock_release(image->lock);
    return result;
}

static void view_close(struct CUgraphicsResource_st *resource, enum cup_retire_reason reason)
{
    struct image_view *view = resource->body;

    cup_lock_acquire(view->image->lock);
    view->closed = true;
    cup_lock_release(view->image->lock);
    for (size_t i = 0; i < part_count(view->image); i++)
        cup_array_retire_part(view->arrays[i], reason);
    if (view->mipmap)
        cup_mipmap_destroy(view->mipmap, reason);
}

static void image_unref(struct gl_image *image)
{
    cup_lock_acquire(&list_lock);
    bool last = --image->users == 0;
    for (struct gl_image **link = &images; last && *link; link = &(*link)->next) {
        if (*link == image) {
            *link = image->next;
            break;
        }
    }
    cup_lock_release(&list_lock);
    if (!last)
        return;
    cup_storage_destroy(&image->storage);
    free(image->requested);
    free(image);
}

static void view_finish(struct CUgraphicsResource_st *resource)
{
    struct image_view *view = resource->body;

    image_unref(view->image);
    free(view->arrays);
    free(view);
}

static const struct cup_resource_ops image_ops = {
    .map = view_map,
    .unmap = view_unmap,
    .unregister = cup_gl_unregister,
    .close = view_close,
    .finish = view_finish,
    .array = view_array,
    .mipmap = view_mipmap,
};

/* Returns the struct gl_image if the same, unchanged image is registered already. */
static struct gl_image *image_known(struct CUctx_st *context, const struct cup_gl_work *work,
                                    unsigned name, const struct cup_gl_image_info *info)
{
    struct gl_image *found;

    cup_lock_acquire(&list_lock);
    for (found = images; found; found = found->next) {
        if (found->context == context && found->gl_context == work->context &&
            found->name == name && memcmp(&found->info, info, sizeof(*info)) == 0)
            break;
    }
    if (found)
        found->users++;
    cup_lock_release(&list_lock);
    return found;
}

static CUresult image_allocate(struct gl_image *image)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = whole_descriptor(&image->info, 0);
    struct cup_shape shape;
    uint64_t bytes = 0;

    cup_shape_init(&shape, &descriptor, true, image->info.levels);
    for (unsigned level = 0; level < shape.levels; level++) {
        cup_box_init(&image->levels[level], &shape, level, bytes);
        bytes += cup_box_bytes(&image->levels[level]);
    }
    image->requested = calloc(part_count(image), 1);
    if (!image->requested)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an image");
    CUresult result = cup_storage_create(&image->storage, image->context, 0, bytes);
    for (unsigned level = 0; level < shape.levels; level++)
        image->levels[level].base += image->storage.address;
    return result;
}

static CUresult image_new(struct CUctx_st *context, const struct cup_gl_work *work, unsigned name,
                          const struct cup_gl_image_info *info, struct gl_image **image)
{
    struct gl_image *made = calloc(1, sizeof(*made));

    if (!made || info->levels > CUP_LEVELS_MAX) {
        free(made);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an image");
    }
    made->lock = cup_gl_lock_of(name);
    made->users = 1;
    made->context = context;
    made->gl_context = work->context;
    made->name = name;
    made->info = *info;
    CUresult result = image_allocate(made);
    cup_lock_acquire(&list_lock);
    made->next = images;
    images = made;
    cup_lock_release(&list_lock);
    if (result == CUDA_SUCCESS)
        *image = made;
    else
        image_unref(made);
    return result;
}

static unsigned array_flags(unsigned flags)
{
    return (flags & CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST ? CUDA_ARRAY3D_SURFACE_LDST : 0) |
           (flags & CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER ? CUDA_ARRAY3D_TEXTURE_GATHER : 0);
}

/* READ_ONLY and WRITE_DISCARD contradict each other: if both are set, neither counts. */
static unsigned map_flags(unsigned flags)
{
    unsigned both =
        CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY | CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD;

    return (flags & both) == both ? CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE : flags & both;
}

static CUresult view_new(struct CUctx_st *context, struct gl_image *image, unsigned flags,
                         struct CUgraphicsResource_st **resource)
{
    struct image_view *view = calloc(1, sizeof(*view));

    if (view)
        view->arrays = calloc(part_count(image), sizeof(struct CUarray_st *));
    if (!view || !view->arrays) {
        free(view);
        image_unref(image);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graphics resource");
    }
    view->image = image;
    view->array_flags = array_flags(flags);
    return cup_resource_create(context, &image_ops, view, map_flags(flags), resource);
}

CUresult cup_gl_image_register(struct CUctx_st *context, unsigned name, unsigned target,
                               unsigned flags, struct CUgraphicsResource_st **resource)
{
    struct cup_gl_image_info info;
    struct gl_image *image = NULL;
    struct cup_gl_work work;

    if (!cup_gl_begin_uncached(&work))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no OpenGL context is current in this thread");
    CUresult result = cup_gl_image_describe(&work, name, target, &info);
    if (result == CUDA_SUCCESS && (flags & CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER) &&
        (info.target == GL_TEXTURE_3D || info.target == GL_TEXTURE_2D_ARRAY))
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "no texture gather on 3D and array textures");
    if (result == CUDA_SUCCESS)
        image = image_known(context, &work, name, &info);
    if (result == CUDA_SUCCESS && !image)
        result = image_new(context, &work, name, &info, &image);
    if (result == CUDA_SUCCESS)
        result = view_new(context, image, flags, resource);
    cup_gl_end(&work);
    return result;
}
