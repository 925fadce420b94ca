/* SPDX-License-Identifier: MIT */
/* Textures are bound to the active texture unit, and the previous binding is restored; nothing here
 * needs OpenGL 4.5. Renderbuffers, and all images of OpenGL ES, are read through a framebuffer;
 * renderbuffers are written through a texture of their format. */
#include "interop/gl_transfer.h"

#include "core/error.h"

static const struct {
    unsigned target, binding;
} targets[] = {
    {GL_TEXTURE_2D, GL_TEXTURE_BINDING_2D},
    {GL_TEXTURE_RECTANGLE, GL_TEXTURE_BINDING_RECTANGLE},
    {GL_TEXTURE_CUBE_MAP, GL_TEXTURE_BINDING_CUBE_MAP},
    {GL_TEXTURE_3D, GL_TEXTURE_BINDING_3D},
    {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_BINDING_2D_ARRAY},
};

/* Returns 0 for a target that CUDA does not support. */
static unsigned binding_of(unsigned target)
{
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        if (targets[i].target == target)
            return targets[i].binding;
    }
    return 0;
}

static int bind_texture(struct cup_gl_work *work, unsigned target, unsigned name)
{
    int saved = 0;

    work->gl->GetIntegerv(binding_of(target), &saved);
    work->gl->BindTexture(target, name);
    return saved;
}

/* The target of level queries for the bound texture. */
static unsigned level_target(unsigned target, unsigned face)
{
    return target == GL_TEXTURE_CUBE_MAP ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : target;
}

static unsigned level_value(struct cup_gl_work *work, unsigned target, unsigned level,
                            unsigned name)
{
    int value = 0;

    work->gl->GetTexLevelParameteriv(target, (int)level, name, &value);
    return value > 0 ? (unsigned)value : 0;
}

static unsigned texture_value(struct cup_gl_work *work, unsigned target, unsigned name)
{
    int value = 0;

    work->gl->GetTexParameteriv(target, name, &value);
    return value > 0 ? (unsigned)value : 0;
}

static unsigned chain_length(const struct cup_gl_image_info *info)
{
    unsigned largest = info->width > info->height ? info->width : info->height;
    unsigned levels = 0;

    for (largest = largest > info->depth ? largest : info->depth; largest; largest >>= 1)
        levels++;
    return levels;
}

/* All levels or one, as in NVIDIA's driver. */
static unsigned count_levels(struct cup_gl_work *work, const struct cup_gl_image_info *info)
{
    unsigned target = level_target(info->target, 0);
    unsigned all = chain_length(info);

    if (info->target == GL_TEXTURE_RECTANGLE)
        return 1;
    for (unsigned level = 1; level < all; level++) {
        if (level_value(work, target, info->first_level + level, GL_TEXTURE_WIDTH))
            return all;
    }
    return 1;
}

static bool faces_are_equal(struct cup_gl_work *work, const struct cup_gl_image_info *info)
{
    for (unsigned face = 1; info->target == GL_TEXTURE_CUBE_MAP && face < 6; face++) {
        unsigned target = level_target(info->target, face);
        if (level_value(work, target, info->first_level, GL_TEXTURE_WIDTH) != info->width ||
            level_value(work, target, info->first_level, GL_TEXTURE_INTERNAL_FORMAT) !=
                info->format->internal)
            return false;
    }
    return true;
}

/* Describes the bound texture. */
static void describe_bound(struct cup_gl_work *work, struct cup_gl_image_info *info)
{
    unsigned target = level_target(info->target, 0);
    bool is_array = info->target == GL_TEXTURE_2D_ARRAY;

    if (info->target != GL_TEXTURE_RECTANGLE)
        info->first_level = texture_value(work, info->target, GL_TEXTURE_BASE_LEVEL);
    if (!work->es && work->version >= 43)
        info->view_level = texture_value(work, info->target, GL_TEXTURE_VIEW_MIN_LEVEL);
    info->width = level_value(work, target, info->first_level, GL_TEXTURE_WIDTH);
    info->height = level_value(work, target, info->first_level, GL_TEXTURE_HEIGHT);
    unsigned depth = level_value(work, target, info->first_level, GL_TEXTURE_DEPTH);
    info->depth = info->target == GL_TEXTURE_3D ? depth : 1;
    info->layers = is_array ? depth : info->target == GL_TEXTURE_CUBE_MAP ? 6 : 1;
    info->format = cup_gl_format_find(
        level_value(work, target, info->first_level, GL_TEXTURE_INTERNAL_FORMAT));
}

/* Returns the texture's real target, the only one it can be bound to. NVIDIA's driver accepts other
 * targets. */
static unsigned target_of(struct cup_gl_work *work, unsigned name, unsigned taken_for)
{
    unsigned candidate = taken_for, found = 0;

    for (size_t i = 0; !found && i <= sizeof(targets) / sizeof(targets[0]); i++) {
        int saved = bind_texture(work, candidate, name);
        if (!cup_gl_failed(work)) {
            found = candidate;
            work->gl->BindTexture(candidate, (unsigned)saved);
        }
        if (i < sizeof(targets) / sizeof(targets[0]))
            candidate = targets[i].target;
    }
    return found;
}

static CUresult describe_texture(struct cup_gl_work *work, unsigned name, unsigned target,
                                 struct cup_gl_image_info *info)
{
    if (!binding_of(target))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "images of target 0x%x are not supported",
                         target);
    if (!work->gl->IsTexture(name))
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "texture %u does not exist", name);
    if (work->es && work->version < 31)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                         "OpenGL ES 3.0 cannot report the sizes of images");
    *info = (struct cup_gl_image_info){.target = target_of(work, name, target)};
    if (info->target == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the target of texture %u is not supported",
                         name);
    int saved = bind_texture(work, info->target, name);
    describe_bound(work, info);
    if (info->width && info->format) {
        info->levels = count_levels(work, info);
        if (!faces_are_equal(work, info))
            info->format = NULL;
    }
    work->gl->BindTexture(info->target, (unsigned)saved);
    cup_gl_failed(work);
    if (!info->format || !info->width || !info->height || !info->depth || !info->layers)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "texture %u has no image that CUDA supports",
                         name);
    return CUDA_SUCCESS;
}

static int renderbuffer_value(struct cup_gl_work *work, unsigned name)
{
    int value = 0;

    work->gl->GetRenderbufferParameteriv(GL_RENDERBUFFER, name, &value);
    return value;
}

static CUresult describe_renderbuffer(struct cup_gl_work *work, unsigned name,
                                      struct cup_gl_image_info *info)
{
    int saved = 0;

    if (!work->gl->IsRenderbuffer(name))
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "renderbuffer %u does not exist", name);
    work->gl->GetIntegerv(GL_RENDERBUFFER_BINDING, &saved);
    work->gl->BindRenderbuffer(GL_RENDERBUFFER, name);
    *info = (struct cup_gl_image_info){
        .target = GL_RENDERBUFFER,
        .width = (unsigned)renderbuffer_value(work, GL_RENDERBUFFER_WIDTH),
        .height = (unsigned)renderbuffer_value(work, GL_RENDERBUFFER_HEIGHT),
        .depth = 1,
        .layers = 1,
        .levels = 1,
        .format =
            cup_gl_format_find((unsigned)renderbuffer_value(work, GL_RENDERBUFFER_INTERNAL_FORMAT)),
    };
    bool many = renderbuffer_value(work, GL_RENDERBUFFER_SAMPLES) > 0;
    work->gl->BindRenderbuffer(GL_RENDERBUFFER, (unsigned)saved);
    cup_gl_failed(work);
    if (!info->width || !info->height || !info->format || many)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "renderbuffer %u has a format that CUDA does not support", name);
    return CUDA_SUCCESS;
}

CUresult cup_gl_image_describe(struct cup_gl_work *work, unsigned name, unsigned target,
                               struct cup_gl_image_info *info)
{
    if (target == GL_RENDERBUFFER)
        return describe_renderbuffer(work, name, info);
    return describe_texture(work, name, target, info);
}

bool cup_gl_image_is(struct cup_gl_work *work, unsigned name, const struct cup_gl_image_info *info)
{
    struct cup_gl_image_info now;

    return cup_gl_image_describe(work, name, info->target, &now) == CUDA_SUCCESS &&
           now.target == info->target && now.format == info->format && now.width == info->width &&
           now.height == info->height && now.depth == info->depth && now.layers == info->layers &&
           now.first_level == info->first_level;
}

bool cup_gl_level_exists(struct cup_gl_work *work, unsigned name,
                         const struct cup_gl_image_info *info, unsigned level)
{
    if (level == 0)
        return true;
    int saved = bind_texture(work, info->target, name);
    bool exists = true;
    for (unsigned face = 0; face < (info->target == GL_TEXTURE_CUBE_MAP ? 6 : 1); face++) {
        unsigned target = level_target(info->target, face);
        unsigned at = info->first_level + level;
        exists &=
            level_value(work, target, at, GL_TEXTURE_WIDTH) ==
                cup_gl_level_extent(info->width, level) &&
            level_value(work, target, at, GL_TEXTURE_HEIGHT) ==
                cup_gl_level_extent(info->height, level) &&
            level_value(work, target, at, GL_TEXTURE_INTERNAL_FORMAT) == info->format->internal;
    }
    work->gl->BindTexture(info->target, (unsigned)saved);
    return exists;
}

static void *slice_at(const struct cup_gl_slab *slab, unsigned index)
{
    return (char *)slab->memory + (size_t)index * slab->slice_bytes;
}

static int row_pixels(const struct cup_gl_image_info *info, const struct cup_gl_slab *slab)
{
    return (int)(slab->row_bytes / (info->format->channels * info->format->channel_bytes));
}

static void attach(struct cup_gl_work *work, const struct cup_gl_image_info *info,
                   const struct cup_gl_slab *slab, unsigned layer)
{
    const struct cup_gl *gl = work->gl;
    unsigned to =
        info->format->transfer == GL_STENCIL_INDEX ? GL_STENCIL_ATTACHMENT : GL_COLOR_ATTACHMENT0;
    int level = (int)(info->first_level + slab->level);

    if (info->target == GL_RENDERBUFFER)
        gl->FramebufferRenderbuffer(GL_READ_FRAMEBUFFER, to, GL_RENDERBUFFER, slab->name);
    else if (info->target == GL_TEXTURE_3D || info->target == GL_TEXTURE_2D_ARRAY)
        gl->FramebufferTextureLayer(GL_READ_FRAMEBUFFER, to, slab->name, level, (int)layer);
    else
        gl->FramebufferTexture2D(GL_READ_FRAMEBUFFER, to, level_target(info->target, layer),
                                 slab->name, level);
}

/* Reads through a framebuffer, layer by layer. */
static bool read_framebuffer(struct cup_gl_work *work, const struct cup_gl_image_info *info,
                             const struct cup_gl_slab *slab)
{
    const struct cup_gl *gl = work->gl;
    struct cup_gl_pixels pixels;
    unsigned framebuffer = 0;
    int saved = 0;
    bool complete = true;

    gl->GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &saved);
    cup_gl_pixels_set(work, &pixels, CUP_GL_PACK, row_pixels(info, slab));
    gl->GenFramebuffers(1, &framebuffer);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    for (unsigned i = 0; complete && i < slab->count; i++) {
        attach(work, info, slab, slab->first + i);
        complete = gl->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
        if (complete)
            gl->ReadPixels(0, 0, (int)cup_gl_level_extent(info->width, slab->level),
                           (int)cup_gl_level_extent(info->height, slab->level),
                           info->format->transfer, info->format->type, slice_at(slab, i));
    }
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, (unsigned)saved);
    gl->DeleteFramebuffers(1, &framebuffer);
    cup_gl_pixels_restore(work, &pixels, CUP_GL_PACK);
    return !cup_gl_failed(work) && complete;
}

/* Reads a whole level: OpenGL before 4.5 cannot read less. */
bool cup_gl_read(struct cup_gl_work *work, const struct cup_gl_image_info *info,
                 const struct cup_gl_slab *slab)
{
    const struct cup_gl *gl = work->gl;
    int level = (int)(info->first_level + slab->level);
    struct cup_gl_pixels pixels;

    if (work->es || info->target == GL_RENDERBUFFER || !gl->GetTexImage)
        return read_framebuffer(work, info, slab);
    int saved = bind_texture(work, info->target, slab->name);
    cup_gl_pixels_set(work, &pixels, CUP_GL_PACK, row_pixels(info, slab));
    unsigned steps = info->target == GL_TEXTURE_CUBE_MAP ? slab->count : 1;
    for (unsigned i = 0; i < steps; i++)
        gl->GetTexImage(level_target(info->target, slab->first + i), level, info->format->transfer,
                        info->format->type, slice_at(slab, i));
    cup_gl_pixels_restore(work, &pixels, CUP_GL_PACK);
    gl->BindTexture(info->target, (unsigned)saved);
    return !cup_gl_failed(work);
}

/* Writes the bound texture. */
static void write_bound(struct cup_gl_work *work, const struct cup_gl_image_info *info,
                        const struct cup_gl_slab *slab)
{
    const struct cup_gl *gl = work->gl;
    const struct cup_gl_format *format = info->format;
    int level = (int)(info->first_level + slab->level);
    int width = (int)cup_gl_level_extent(info->width, slab->level);
    int height = (int)cup_gl_level_extent(info->height, slab->level);

    if (info->target == GL_TEXTURE_3D || info->target == GL_TEXTURE_2D_ARRAY) {
        gl->TexSubImage3D(info->target, level, 0, 0, (int)slab->first, width, height,
                          (int)slab->count, format->transfer, format->type, slab->memory);
        return;
    }
    for (unsigned i = 0; i < slab->count; i++)
        gl->TexSubImage2D(level_target(info->target, slab->first + i), level, 0, 0, width, height,
                          format->transfer, format->type, slice_at(slab, i));
}

/* Writes a renderbuffer through a texture. */
static bool write_renderbuffer(struct cup_gl_work *work, const struct cup_gl_image_info *info,
                               const struct cup_gl_slab *slab)
{
    const struct cup_gl *gl = work->gl;
    struct cup_gl_image_info texture = *info;
    unsigned name = 0;
    int saved = 0;

    if (!cup_gl_has_copy_image(work) || !gl->TexStorage2D)
        return false;
    texture.target = GL_TEXTURE_2D;
    gl->GetIntegerv(GL_TEXTURE_BINDING_2D, &saved);
    gl->GenTextures(1, &name);
    gl->BindTexture(GL_TEXTURE_2D, name);
    gl->TexStorage2D(GL_TEXTURE_2D, 1, info->format->internal, (int)info->width, (int)info->height);
    write_bound(work, &texture, slab);
    gl->BindTexture(GL_TEXTURE_2D, (unsigned)saved);
    gl->CopyImageSubData(name, GL_TEXTURE_2D, 0, 0, 0, 0, slab->name, GL_RENDERBUFFER, 0, 0, 0, 0,
                         (int)info->width, (int)info->height, 1);
    gl->DeleteTextures(1, &name);
    return !cup_gl_failed(work);
}

bool cup_gl_write(struct cup_gl_work *work, const struct cup_gl_image_info *info,
                  const struct cup_gl_slab *slab)
{
    struct cup_gl_pixels pixels;
    bool written = true;

    cup_gl_pixels_set(work, &pixels, CUP_GL_UNPACK, row_pixels(info, slab));
    if (info->target == GL_RENDERBUFFER) {
        written = write_renderbuffer(work, info, slab);
    } else {
        int saved = bind_texture(work, info->target, slab->name);
        write_bound(work, info, slab);
        work->gl->BindTexture(info->target, (unsigned)saved);
    }
    cup_gl_pixels_restore(work, &pixels, CUP_GL_UNPACK);
    return !cup_gl_failed(work) && written;
}
