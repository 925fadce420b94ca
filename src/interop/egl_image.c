/* SPDX-License-Identifier: MIT */
/* EGL images are mapped from registration to unregistration, and no call marks the beginning or end
 * of their use by CUDA. The library therefore keeps a copy in device memory and a snapshot of the
 * last synchronised contents. If the copy differs from the snapshot, it is written to the image,
 * otherwise the image is read into the copy. This happens when a frame or array is queried, where
 * the application waits for CUDA, and at unregistration. */
#include "interop/egl_image.h"

#include "core/error.h"
#include "core/lock.h"
#include "image/array.h"
#include "interop/egl.h"
#include "interop/gl.h"
#include "interop/gl_transfer.h"
#include "os/guard.h"

#include <stdlib.h>
#include <string.h>

enum {
    GL_RED_SIZE = 0x805C,
    GL_GREEN_SIZE = 0x805D,
    GL_BLUE_SIZE = 0x805E,
    GL_ALPHA_SIZE = 0x805F,
    GL_RED_TYPE = 0x8C10,
    GL_RGBA8 = 0x8058,
    GL_R8 = 0x8229,
    GL_RGBA16F = 0x881A,
};

/* The supported formats: bits of red, green, blue and alpha, and whether they are
 * floating-point. */
static const struct image_kind {
    int bits[4];
    bool is_float;
    unsigned internal;
    CUeglColorFormat color;
} kinds[] = {
    {{8, 8, 8, 8}, false, GL_RGBA8, CU_EGL_COLOR_FORMAT_ABGR},
    {{16, 16, 16, 16}, true, GL_RGBA16F, CU_EGL_COLOR_FORMAT_ABGR},
    {{8, 0, 0, 0}, false, GL_R8, CU_EGL_COLOR_FORMAT_Y},
};

struct egl_image {
    struct egl_image *next, **link; /* list of images that CUDA may write; guarded by list_lock */
    struct CUgraphicsResource_st *resource; /* set while in the list */
    void *display;
    void *image;
    const struct image_kind *kind;
    struct cup_gl_image_info info;
    struct CUarray_st *array; /* the reference of the handle */
    struct cup_box box;

    struct cup_lock lock;
    unsigned texture; /* in the private context of the display; guarded by lock */
    void *snapshot;   /* snapshot of the last synchronised contents; guarded by lock */
};

_Atomic(unsigned) cup_egl_image_count;

static struct cup_lock list_lock = CUP_LOCK_INITIALIZER(CUP_RANK_GRAPHICS_LIST);
static struct egl_image *images; /* guarded by list_lock */

static struct cup_gl_slab slab_of(const struct egl_image *image)
{
    return (struct cup_gl_slab){
        .name = image->texture,
        .count = 1,
        .memory = (void *)(uintptr_t)image->box.base,
        .row_bytes = image->box.row_bytes,
        .slice_bytes = image->box.slice_bytes,
    };
}

/* Synchronises array and image. Without `read` this is cheap if there is nothing to write. */
static CUresult sync_locked(struct egl_image *image, bool may_write, bool read)
{
    cup_lock_assert_held(&image->lock);
    struct cup_gl_slab slab = slab_of(image);
    bool write = may_write && memcmp(image->snapshot, (void *)(uintptr_t)image->box.base,
                                     cup_box_bytes(&image->box)) != 0;
    struct cup_egl_current_scope scope;
    struct cup_gl_work work;
    bool done = false;

    if (!write && !read)
        return CUDA_SUCCESS;
    if (!cup_egl_enter(&scope, image->display))
        return cup_error(CUDA_ERROR_UNKNOWN, "the EGL display of the image was terminated");
    if (cup_gl_begin(&work)) {
        done = write ? cup_gl_write(&work, &image->info, &slab)
                     : cup_gl_read(&work, &image->info, &slab);
        work.gl->Finish();
        cup_gl_end(&work);
    }
    cup_egl_leave(&scope);
    if (!done)
        return cup_error(CUDA_ERROR_UNKNOWN,
                         "OpenGL failed to transfer the pixels of an EGL image");
    memcpy(image->snapshot, slab.memory, cup_box_bytes(&image->box));
    return CUDA_SUCCESS;
}

static CUresult sync_image(struct CUgraphicsResource_st *resource, bool read)
{
    struct egl_image *image = resource->body;
    unsigned flags = atomic_load(&resource->flags);

    cup_lock_acquire(&image->lock);
    CUresult result = sync_locked(image, flags != CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY,
                                  read && flags != CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD);
    cup_lock_release(&image->lock);
    return result;
}

/* Returns the next image that was not visited in this pass, with a reference on its resource. */
static struct CUgraphicsResource_st *next_unvisited(unsigned turn)
{
    struct CUgraphicsResource_st *found = NULL;

    cup_lock_acquire(&list_lock);
    for (struct egl_image *each = images; each && !found; each = each->next) {
        if (turn-- == 0 && cup_object_try_ref(&each->resource->base))
            found = each->resource;
    }
    cup_lock_release(&list_lock);
    return found;
}

void cup_egl_image_sync_all(void)
{
    struct CUgraphicsResource_st *resource;

    for (unsigned turn = 0; (resource = next_unvisited(turn)) != NULL; turn++) {
        sync_image(resource, false);
        cup_resource_unref(resource);
    }
}

static CUresult image_array(struct CUgraphicsResource_st *resource, unsigned index, unsigned level,
                            CUarray *array)
{
    struct egl_image *image = resource->body;
    CUresult result = sync_image(resource, true);

    (void)index; /* an EGL image has one of each; NVIDIA's driver ignores them too */
    (void)level;
    if (result == CUDA_SUCCESS)
        *array = image->array;
    return result;
}

static CUresult image_frame(struct CUgraphicsResource_st *resource, unsigned index, unsigned level,
                            CUeglFrame *frame)
{
    struct egl_image *image = resource->body;
    CUarray array;
    CUresult result = image_array(resource, index, level, &array);

    if (result != CUDA_SUCCESS)
        return result;
    *frame = (CUeglFrame){
        .frame.pArray[0] = array,
        .width = image->info.width,
        .height = image->info.height,
        .planeCount = 1,
        .numChannels = image->info.format->channels,
        .frameType = CU_EGL_FRAME_TYPE_ARRAY,
        .eglColorFormat = image->kind->color,
        .cuFormat = image->info.format->format,
    };
    return CUDA_SUCCESS;
}

static CUresult image_refuse_map(struct CUgraphicsResource_st *resource, unsigned flags)
{
    (void)resource;
    (void)flags;
    return cup_error(CUDA_ERROR_UNKNOWN, "an EGL image is always mapped");
}

static CUresult image_refuse_unmap(struct CUgraphicsResource_st *resource)
{
    return image_refuse_map(resource, 0);
}

static CUresult image_unregister(struct CUgraphicsResource_st *resource)
{
    cup_context_synchronize(resource->context);
    sync_image(resource, false); /* the application may have terminated the display */
    return CUDA_SUCCESS;
}

static void list_remove(struct egl_image *image)
{
    cup_lock_acquire(&list_lock);
    if (image->link) {
        *image->link = image->next;
        if (image->next)
            image->next->link = image->link;
        image->link = NULL;
        atomic_fetch_sub(&cup_egl_image_count, 1);
    }
    cup_lock_release(&list_lock);
}

static void list_add(struct egl_image *image, struct CUgraphicsResource_st *resource)
{
    cup_lock_acquire(&list_lock);
    image->resource = resource;
    image->next = images;
    image->link = &images;
    if (images)
        images->link = &image->next;
    images = image;
    atomic_fetch_add(&cup_egl_image_count, 1);
    cup_lock_release(&list_lock);
}

static void image_close(struct CUgraphicsResource_st *resource, enum cup_retire_reason reason)
{
    struct egl_image *image = resource->body;

    list_remove(image);
    cup_array_retire_part(image->array, reason);
    image->array = NULL;
}

static void image_finish(struct CUgraphicsResource_st *resource)
{
    struct egl_image *image = resource->body;
    struct cup_egl_current_scope scope;
    struct cup_gl_work work;

    list_remove(image);
    if (image->texture && cup_egl_enter(&scope, image->display)) {
        if (cup_gl_begin(&work)) {
            work.gl->DeleteTextures(1, &image->texture);
            cup_gl_end(&work);
        }
        cup_egl_leave(&scope);
    }
    free(image->snapshot);
    free(image);
}

static const struct cup_resource_ops image_ops = {
    .map = image_refuse_map,
    .unmap = image_refuse_unmap,
    .unregister = image_unregister,
    .close = image_close,
    .finish = image_finish,
    .array = image_array,
    .frame = image_frame,
    .always_mapped = true,
};

static int bound_value(struct cup_gl_work *work, unsigned name)
{
    int value = 0;

    work->gl->GetTexLevelParameteriv(GL_TEXTURE_2D, 0, name, &value);
    return value;
}

/* Determines the format of the bound texture. */
static CUresult find_kind(struct cup_gl_work *work, struct egl_image *image)
{
    int bits[4] = {bound_value(work, GL_RED_SIZE), bound_value(work, GL_GREEN_SIZE),
                   bound_value(work, GL_BLUE_SIZE), bound_value(work, GL_ALPHA_SIZE)};
    bool is_float = bound_value(work, GL_RED_TYPE) == GL_FLOAT;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (memcmp(kinds[i].bits, bits, sizeof(bits)) == 0 && kinds[i].is_float == is_float)
            image->kind = &kinds[i];
    }
    if (!image->kind)
        return cup_error(bits[1] && !bits[2] ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE,
                         "EGL images of %d, %d, %d and %d bits are not supported", bits[0], bits[1],
                         bits[2], bits[3]);
    image->info = (struct cup_gl_image_info){
        .format = cup_gl_format_find(image->kind->internal),
        .target = GL_TEXTURE_2D,
        .width = (unsigned)bound_value(work, GL_TEXTURE_WIDTH),
        .height = (unsigned)bound_value(work, GL_TEXTURE_HEIGHT),
        .depth = 1,
        .layers = 1,
        .levels = 1,
    };
    return CUDA_SUCCESS;
}

struct target_call {
    const struct cup_gl *gl;
    void *image;
};

static void call_target(void *argument)
{
    const struct target_call *call = argument;

    call->gl->EGLImageTargetTexture2DOES(GL_TEXTURE_2D, call->image);
}

/* Runs guarded: some OpenGL drivers do not validate the image and fault. */
static CUresult create_texture(struct cup_gl_work *work, struct cup_egl_current_scope *scope,
                               struct egl_image *image)
{
    const struct cup_gl *gl = work->gl;

    if (!gl->EGLImageTargetTexture2DOES)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "this OpenGL does not support EGL images");
    gl->GenTextures(1, &image->texture);
    gl->BindTexture(GL_TEXTURE_2D, image->texture);
    if (!cup_guard_run(call_target, &(struct target_call){gl, image->image})) {
        cup_egl_abandon(scope);
        image->texture = 0;
        return cup_error(CUDA_ERROR_UNKNOWN, "%p is not an EGL image", image->image);
    }
    if (cup_gl_failed(work) || bound_value(work, GL_TEXTURE_WIDTH) == 0)
        return cup_error(CUDA_ERROR_UNKNOWN, "%p is not an EGL image of the display", image->image);
    return find_kind(work, image);
}

static CUresult describe(struct egl_image *image)
{
    struct cup_egl_current_scope scope;
    struct cup_gl_work work;
    CUresult result = CUDA_ERROR_UNKNOWN;

    if (!cup_egl_enter(&scope, image->display))
        return cup_error(CUDA_ERROR_UNKNOWN, "no context can be made current on the EGL display");
    if (cup_gl_begin(&work)) {
        result = create_texture(&work, &scope, image);
        if (result != CUDA_SUCCESS && image->texture) {
            work.gl->DeleteTextures(1, &image->texture);
            image->texture = 0;
        }
        if (!scope.abandoned)
            cup_gl_end(&work);
    }
    cup_egl_leave(&scope);
    return result;
}

/* The array is a part of a hidden array, so the application cannot destroy it. */
static CUresult create_array(struct CUctx_st *context, struct egl_image *image)
{
    struct CUarray_st *whole;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = image->info.width,
        .Height = image->info.height,
        .Format = image->info.format->format,
        .NumChannels = image->info.format->channels,
        .Flags = CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER,
    };
    CUresult result = cup_array_create(context, &descriptor, &whole);

    if (result != CUDA_SUCCESS)
        return result;
    result =
        cup_array_create_part(&whole->base, context, &descriptor, whole->box.base, &image->array);
    cup_array_destroy(whole, CUP_RETIRED_DESTROYED); /* the part holds a reference */
    if (result != CUDA_SUCCESS)
        return result;
    image->box = image->array->box;
    image->snapshot = calloc(1, cup_box_bytes(&image->box));
    memset((void *)(uintptr_t)image->box.base, 0, cup_box_bytes(&image->box));
    return image->snapshot ? CUDA_SUCCESS
                           : cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an EGL image");
}

static CUresult register_image(struct CUctx_st *context, struct egl_image *image, unsigned flags,
                               struct CUgraphicsResource_st **resource)
{
    CUresult result = describe(image);

    if (result == CUDA_SUCCESS)
        result = create_array(context, image);
    if (result != CUDA_SUCCESS) {
        struct CUgraphicsResource_st failed = {.body = image};
        image_close(&failed, CUP_RETIRED_DESTROYED);
        image_finish(&failed);
        return result;
    }
    result = cup_resource_create(context, &image_ops, image, flags, resource);
    if (result != CUDA_SUCCESS)
        return result;
    if (flags != CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY)
        list_add(image, *resource);
    return sync_image(*resource, true);
}

CUresult cup_egl_image_register(struct CUctx_st *context, void *egl_image, unsigned flags,
                                struct CUgraphicsResource_st **resource)
{
    const struct cup_egl *egl = cup_egl_find();
    void *display = egl ? cup_egl_display(egl) : NULL;

    if (!display || !egl_image)
        return cup_error(CUDA_ERROR_UNKNOWN, "the EGL display is unknown, or the image is NULL");
    struct egl_image *image = calloc(1, sizeof(*image));
    if (!image)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an EGL image");
    cup_lock_init(&image->lock, CUP_RANK_GRAPHICS);
    image->display = display;
    image->image = egl_image;
    return register_image(context, image, flags, resource);
}
