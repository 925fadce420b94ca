/* SPDX-License-Identifier: MIT */
/* Validation of array descriptors: flags, extents and device limits, each as a table. The results
 * are those recorded from NVIDIA's driver. */
#include "image/shape.h"

#include "core/align.h"
#include "core/error.h"
#include "device/device.h"

#include <stddef.h>
#include <stdint.h>

#define BIT(n) (1u << (n))

enum {
    ONE_D = BIT(CUP_IMAGE_1D) | BIT(CUP_IMAGE_1D_LAYERED),
    CUBES = BIT(CUP_IMAGE_CUBE) | BIT(CUP_IMAGE_CUBE_LAYERED),
    FLAT = BIT(CUP_IMAGE_2D),
    ALL = BIT(CUP_IMAGE_DIMENSIONS) - 1,
    FACES = 6,
};

/* An undocumented flag that NVIDIA's driver accepts for 2D arrays, without a visible effect. */
#define UNNAMED_FLAG 0x80000000u

static const struct flag_rule {
    unsigned flag;
    unsigned dimensions; /* the dimensions it is valid for */
    unsigned excludes;   /* flags that it cannot be combined with */
} flag_rules[] = {
    {CUDA_ARRAY3D_LAYERED, ALL, 0},
    {CUDA_ARRAY3D_SURFACE_LDST, ALL, CUDA_ARRAY3D_SPARSE},
    {CUDA_ARRAY3D_CUBEMAP, ALL, 0},
    {CUDA_ARRAY3D_TEXTURE_GATHER, FLAT, 0},
    {CUDA_ARRAY3D_SPARSE, ALL & ~ONE_D & ~CUBES, CUDA_ARRAY3D_DEFERRED_MAPPING},
    {CUDA_ARRAY3D_DEFERRED_MAPPING, ALL, 0},
    {CUDA_ARRAY3D_VIDEO_ENCODE_DECODE, ALL, 0},
    {UNNAMED_FLAG, FLAT, 0},
};

/* The uses of an array; each has limits of its own. */
enum use {
    USE_ALWAYS,
    USE_SURFACE,
    USE_GATHER,
    USE_MIPMAP,
};

#define LIMIT(name) CU_DEVICE_ATTRIBUTE_MAXIMUM_##name

/* The device attributes that limit width, height, and depth or layers; 0: none. */
static const struct extent_limit {
    enum cup_dimensions dimensions;
    enum use use;
    CUdevice_attribute width, height, depth;
    bool or_next; /* satisfying the next row is enough */
} extent_limits[] = {
    {CUP_IMAGE_1D, USE_ALWAYS, LIMIT(TEXTURE1D_WIDTH), 0, 0, false},
    {CUP_IMAGE_1D, USE_SURFACE, LIMIT(SURFACE1D_WIDTH), 0, 0, false},
    {CUP_IMAGE_1D, USE_MIPMAP, LIMIT(TEXTURE1D_MIPMAPPED_WIDTH), 0, 0, false},
    {CUP_IMAGE_2D, USE_ALWAYS, LIMIT(TEXTURE2D_WIDTH), LIMIT(TEXTURE2D_HEIGHT), 0, false},
    {CUP_IMAGE_2D, USE_SURFACE, LIMIT(SURFACE2D_WIDTH), LIMIT(SURFACE2D_HEIGHT), 0, false},
    {CUP_IMAGE_2D, USE_GATHER, LIMIT(TEXTURE2D_GATHER_WIDTH), LIMIT(TEXTURE2D_GATHER_HEIGHT), 0,
     false},
    {CUP_IMAGE_2D, USE_MIPMAP, LIMIT(TEXTURE2D_MIPMAPPED_WIDTH), LIMIT(TEXTURE2D_MIPMAPPED_HEIGHT),
     0, false},
    {CUP_IMAGE_3D, USE_ALWAYS, LIMIT(TEXTURE3D_WIDTH), LIMIT(TEXTURE3D_HEIGHT),
     LIMIT(TEXTURE3D_DEPTH), true},
    {CUP_IMAGE_3D, USE_ALWAYS, LIMIT(TEXTURE3D_WIDTH_ALTERNATE), LIMIT(TEXTURE3D_HEIGHT_ALTERNATE),
     LIMIT(TEXTURE3D_DEPTH_ALTERNATE), false},
    {CUP_IMAGE_3D, USE_SURFACE, LIMIT(SURFACE3D_WIDTH), LIMIT(SURFACE3D_HEIGHT),
     LIMIT(SURFACE3D_DEPTH), false},
    {CUP_IMAGE_1D_LAYERED, USE_ALWAYS, LIMIT(TEXTURE1D_LAYERED_WIDTH), 0,
     LIMIT(TEXTURE1D_LAYERED_LAYERS), false},
    {CUP_IMAGE_1D_LAYERED, USE_SURFACE, LIMIT(SURFACE1D_LAYERED_WIDTH), 0,
     LIMIT(SURFACE1D_LAYERED_LAYERS), false},
    {CUP_IMAGE_2D_LAYERED, USE_ALWAYS, LIMIT(TEXTURE2D_LAYERED_WIDTH),
     LIMIT(TEXTURE2D_LAYERED_HEIGHT), LIMIT(TEXTURE2D_LAYERED_LAYERS), false},
    {CUP_IMAGE_2D_LAYERED, USE_SURFACE, LIMIT(SURFACE2D_LAYERED_WIDTH),
     LIMIT(SURFACE2D_LAYERED_HEIGHT), LIMIT(SURFACE2D_LAYERED_LAYERS), false},
    {CUP_IMAGE_CUBE, USE_ALWAYS, LIMIT(TEXTURECUBEMAP_WIDTH), 0, 0, false},
    {CUP_IMAGE_CUBE, USE_SURFACE, LIMIT(SURFACECUBEMAP_WIDTH), 0, 0, false},
    {CUP_IMAGE_CUBE_LAYERED, USE_ALWAYS, LIMIT(TEXTURECUBEMAP_LAYERED_WIDTH), 0,
     LIMIT(TEXTURECUBEMAP_LAYERED_LAYERS), false},
    {CUP_IMAGE_CUBE_LAYERED, USE_SURFACE, LIMIT(SURFACECUBEMAP_LAYERED_WIDTH), 0,
     LIMIT(SURFACECUBEMAP_LAYERED_LAYERS), false},
};

void cup_descriptor_truncate(CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    descriptor->Width = (uint32_t)descriptor->Width;
    descriptor->Height = (uint32_t)descriptor->Height;
    descriptor->Depth = (uint32_t)descriptor->Depth;
}

/* Returns false if the extents contradict the layered and cubemap flags. */
static bool find_dimensions(const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                            enum cup_dimensions *dimensions)
{
    bool layered = descriptor->Flags & CUDA_ARRAY3D_LAYERED;

    if (descriptor->Width == 0)
        return false;
    if (descriptor->Flags & CUDA_ARRAY3D_CUBEMAP) {
        *dimensions = layered ? CUP_IMAGE_CUBE_LAYERED : CUP_IMAGE_CUBE;
        return descriptor->Width == descriptor->Height && descriptor->Depth != 0 &&
               (layered ? descriptor->Depth % FACES == 0 : descriptor->Depth == FACES);
    }
    if (layered) {
        *dimensions = descriptor->Height ? CUP_IMAGE_2D_LAYERED : CUP_IMAGE_1D_LAYERED;
        return descriptor->Depth != 0;
    }
    *dimensions = descriptor->Depth    ? CUP_IMAGE_3D
                  : descriptor->Height ? CUP_IMAGE_2D
                                       : CUP_IMAGE_1D;
    return descriptor->Height != 0 || descriptor->Depth == 0;
}

static CUresult check_flags(unsigned flags, enum cup_dimensions dimensions)
{
    unsigned known = 0;

    for (size_t i = 0; i < sizeof(flag_rules) / sizeof(flag_rules[0]); i++) {
        const struct flag_rule *rule = &flag_rules[i];
        known |= rule->flag;
        if (!(flags & rule->flag))
            continue;
        if (!(rule->dimensions & BIT(dimensions)))
            return cup_error(CUDA_ERROR_INVALID_VALUE, "flag 0x%x is invalid for such an array",
                             rule->flag);
        if (flags & rule->excludes)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "flags 0x%x cannot be combined",
                             rule->flag | rule->excludes);
    }
    if (flags & ~known)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid array flags 0x%x", flags & ~known);
    return CUDA_SUCCESS;
}

/* A video frame is 2D or 2D layered, has even extents and a single level; a mipmap of one level is
 * allowed. */
static bool is_video_frame(const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                           enum cup_dimensions dimensions, unsigned levels)
{
    return (descriptor->Flags & CUDA_ARRAY3D_VIDEO_ENCODE_DECODE) && levels <= 1 &&
           (dimensions == CUP_IMAGE_2D || dimensions == CUP_IMAGE_2D_LAYERED) &&
           descriptor->Width % 2 == 0 && descriptor->Height % 2 == 0;
}

static CUresult check_format(const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                             enum cup_dimensions dimensions, unsigned levels)
{
    const struct cup_format *format = cup_format_find(descriptor->Format);

    if (!format)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid format 0x%x", descriptor->Format);
    if (!cup_format_has_channels(format, descriptor->NumChannels))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "format 0x%x cannot have %u channels",
                         descriptor->Format, descriptor->NumChannels);
    if ((descriptor->Flags & CUDA_ARRAY3D_SURFACE_LDST) && (format->limits & CUP_FORMAT_NO_SURFACE))
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "format 0x%x cannot be used by surfaces",
                         descriptor->Format);
    if ((format->limits & CUP_FORMAT_NO_1D) && (ONE_D & BIT(dimensions)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "format 0x%x cannot have one dimension",
                         descriptor->Format);
    if ((format->limits & CUP_FORMAT_VIDEO) && !is_video_frame(descriptor, dimensions, levels))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "format 0x%x is for video frames only",
                         descriptor->Format);
    return CUDA_SUCCESS;
}

static bool is_used(enum use use, unsigned flags, bool is_mipmap)
{
    switch (use) {
    case USE_SURFACE:
        return flags & CUDA_ARRAY3D_SURFACE_LDST;
    case USE_GATHER:
        return flags & CUDA_ARRAY3D_TEXTURE_GATHER;
    case USE_MIPMAP:
        return is_mipmap;
    default:
        return true;
    }
}

static bool within(const struct cup_device *device, size_t extent, CUdevice_attribute attribute)
{
    return attribute == 0 || extent <= (size_t)cup_device_property(device, attribute);
}

static bool extents_allowed(const struct cup_device *device,
                            const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                            enum cup_dimensions dimensions, bool is_mipmap)
{
    for (size_t i = 0; i < sizeof(extent_limits) / sizeof(extent_limits[0]); i++) {
        const struct extent_limit *limit = &extent_limits[i];
        if (limit->dimensions != dimensions || !is_used(limit->use, descriptor->Flags, is_mipmap))
            continue;
        bool fits = within(device, descriptor->Width, limit->width) &&
                    within(device, descriptor->Height, limit->height) &&
                    within(device, descriptor->Depth, limit->depth);
        if (fits && limit->or_next)
            i++;
        else if (!fits && !limit->or_next)
            return false;
    }
    return true;
}

CUresult cup_shape_check(const struct cup_device *device, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                         bool is_mipmap, unsigned levels)
{
    enum cup_dimensions dimensions;

    if (!find_dimensions(descriptor, &dimensions))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "%zu x %zu x %zu with flags 0x%x is not a valid array", descriptor->Width,
                         descriptor->Height, descriptor->Depth, descriptor->Flags);
    CUresult result = check_flags(descriptor->Flags, dimensions);
    if (result == CUDA_SUCCESS)
        result = check_format(descriptor, dimensions, levels);
    if (result != CUDA_SUCCESS)
        return result;
    if (!extents_allowed(device, descriptor, dimensions, is_mipmap))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%zu x %zu x %zu exceeds the device's limits",
                         descriptor->Width, descriptor->Height, descriptor->Depth);
    return CUDA_SUCCESS;
}

static unsigned at_least_1(size_t extent)
{
    return extent ? (unsigned)extent : 1;
}

/* 1 + floor(log2(the largest extent)). */
static unsigned level_count(const struct cup_shape *shape)
{
    unsigned largest = shape->width | shape->height | shape->depth;

    return 32 - (unsigned)__builtin_clz(largest);
}

void cup_shape_init(struct cup_shape *shape, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                    bool is_mipmap, unsigned levels)
{
    find_dimensions(descriptor, &shape->dimensions);
    shape->format = cup_format_find(descriptor->Format);
    shape->element_bytes = cup_format_element_bytes(shape->format, descriptor->NumChannels);
    shape->width = at_least_1(descriptor->Width);
    shape->height = at_least_1(descriptor->Height);
    bool is_3d = shape->dimensions == CUP_IMAGE_3D;
    shape->depth = is_3d ? at_least_1(descriptor->Depth) : 1;
    shape->layers = is_3d ? 1 : at_least_1(descriptor->Depth);
    shape->is_mipmap = is_mipmap;
    shape->levels = at_least_1(levels);
    if (shape->levels > level_count(shape))
        shape->levels = level_count(shape);
}

struct cup_level cup_shape_level(const struct cup_shape *shape, unsigned level)
{
    const struct cup_format *format = shape->format;

    return (struct cup_level){
        .width =
            cup_divide_up(cup_shape_extent_at(shape->width, level), format->block * format->pair),
        .height = cup_divide_up(cup_shape_extent_at(shape->height, level), format->block),
        .depth = cup_shape_extent_at(shape->depth, level),
    };
}

struct cup_shape cup_shape_plane(const struct cup_shape *shape, unsigned plane)
{
    const struct cup_plane *row = &shape->format->planes[plane];
    struct cup_shape part = *shape;

    part.format = cup_format_find(row->format);
    part.element_bytes = cup_format_element_bytes(part.format, row->channels);
    part.width = shape->width >> row->x_shift;
    part.height = shape->height >> row->y_shift;
    return part;
}

static size_t halved_if_any(size_t extent, unsigned level)
{
    return extent ? cup_shape_extent_at((unsigned)extent, level) : 0;
}

CUDA_ARRAY3D_DESCRIPTOR cup_level_descriptor(const CUDA_ARRAY3D_DESCRIPTOR *whole, unsigned level)
{
    CUDA_ARRAY3D_DESCRIPTOR part = *whole;

    part.Width = halved_if_any(whole->Width, level);
    part.Height = halved_if_any(whole->Height, level);
    if (!(whole->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)))
        part.Depth = halved_if_any(whole->Depth, level);
    return part;
}

CUDA_ARRAY3D_DESCRIPTOR cup_plane_descriptor(const CUDA_ARRAY3D_DESCRIPTOR *whole, unsigned plane)
{
    const struct cup_plane *row = &cup_format_find(whole->Format)->planes[plane];
    CUDA_ARRAY3D_DESCRIPTOR part = *whole;

    part.Width = whole->Width >> row->x_shift;
    part.Height = whole->Height >> row->y_shift;
    part.Format = row->format;
    part.NumChannels = row->channels;
    return part;
}
