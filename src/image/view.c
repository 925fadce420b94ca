/* SPDX-License-Identifier: MIT */
/* Creates views: combines the resource, texture and view descriptors into one struct, which is all
 * that sampling reads. */
#include "image/view.h"

#include "image/anisotropy.h"

#include "core/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t *pointer_to(uint64_t address)
{
    return (const uint8_t *)(uintptr_t)address;
}

static unsigned at_least_1(unsigned value)
{
    return value ? value : 1;
}

static void level_of_array(struct cup_view_level *level, const struct CUarray_st *array)
{
    const struct cup_shape *shape = &array->shape;

    *level = (struct cup_view_level){
        .base = pointer_to(array->box.base),
        .width = shape->width,
        .height = shape->height,
        .depth = shape->depth,
        .row_bytes = array->box.row_bytes,
        .slice_bytes = array->box.slice_bytes,
    };
}

/* Returns the storage of an image created without memory, which records the mapped tiles. A part
 * uses its parent's. */
static struct cup_storage *unbacked_storage(struct CUarray_st *array)
{
    struct cup_object *parent = array->parent;

    if (!cup_array_is_unbacked(array))
        return NULL;
    if (!parent)
        return &array->storage;
    return parent->type == CUP_OBJECT_MIPMAP ? &((struct CUmipmappedArray_st *)parent)->storage
                                             : &((struct CUarray_st *)parent)->storage;
}

static void init_array(struct cup_view *view, struct CUarray_st *array)
{
    view->storage = unbacked_storage(array);
    if (view->storage && cup_array_is_level(array)) {
        const struct CUmipmappedArray_st *whole = (struct CUmipmappedArray_st *)array->parent;

        while (whole->levels[view->first_level] != array)
            view->first_level++;
    }
    view->geometry = (uint8_t)array->shape.dimensions;
    view->layers = at_least_1(array->shape.layers);
    view->level_count = 1;
    level_of_array(&view->levels[0], array);
}

static void init_mipmap(struct cup_view *view, struct CUmipmappedArray_st *mipmap)
{
    if (cup_array_is_unbacked(mipmap->levels[0]))
        view->storage = &mipmap->storage;
    view->geometry = (uint8_t)mipmap->shape.dimensions;
    view->layers = at_least_1(mipmap->shape.layers);
    view->level_count = (uint8_t)mipmap->shape.levels;
    for (unsigned i = 0; i < mipmap->shape.levels; i++)
        level_of_array(&view->levels[i], mipmap->levels[i]);
    view->whole[0] = view->levels[0].width;
    view->whole[1] = view->levels[0].height;
    view->whole[2] = view->levels[0].depth;
}

static void init_memory(struct cup_view *view, uint64_t address, size_t width, size_t height,
                        size_t pitch)
{
    view->geometry = height ? CUP_GEOMETRY_2D : CUP_GEOMETRY_1D;
    view->layers = 1;
    view->level_count = 1;
    view->levels[0] = (struct cup_view_level){
        .base = pointer_to(address),
        .width = height ? at_least_1((unsigned)width) : (unsigned)width, /* a buffer may be empty */
        .height = at_least_1((unsigned)height),
        .depth = 1,
        .row_bytes = pitch,
        .slice_bytes = pitch * (height ? height : 1),
    };
}

/* Restricts the view to a range of levels and layers. A view of blocks has four times the extents
 * of the image of elements. */
static void restrict_to(struct cup_view *view, const CUDA_RESOURCE_VIEW_DESC *desc,
                        bool changes_extent)
{
    unsigned first = desc->firstMipmapLevel, last = desc->lastMipmapLevel;

    if (last < view->level_count && first <= last) {
        view->level_count = (uint8_t)(last - first + 1);
        view->first_level = (uint8_t)first;
        memmove(view->levels, view->levels + first, view->level_count * sizeof(*view->levels));
    }
    bool layered = view->geometry > CUP_GEOMETRY_3D;
    if (layered && desc->lastLayer < view->layers && desc->firstLayer <= desc->lastLayer) {
        view->layers = desc->lastLayer - desc->firstLayer + 1;
        view->first_layer = desc->firstLayer;
        for (unsigned i = 0; i < view->level_count; i++)
            view->levels[i].base += desc->firstLayer * view->levels[i].slice_bytes;
    }
    for (unsigned i = 0; i < view->level_count && changes_extent; i++) {
        view->levels[i].width *= 4;
        view->levels[i].height *= 4;
    }
    for (unsigned i = 0; i < 2 && changes_extent; i++)
        view->whole[i] *= 4;
}

static CUresult init_resource(struct cup_view *view, const CUDA_RESOURCE_DESC *resource,
                              unsigned flags, const CUDA_RESOURCE_VIEW_DESC *desc)
{
    CUarray_format id = CU_AD_FORMAT_FLOAT;
    unsigned channels = 1;

    switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        id = resource->res.array.hArray->descriptor.Format;
        channels = resource->res.array.hArray->descriptor.NumChannels;
        init_array(view, resource->res.array.hArray);
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        id = resource->res.mipmap.hMipmappedArray->descriptor.Format;
        channels = resource->res.mipmap.hMipmappedArray->descriptor.NumChannels;
        init_mipmap(view, resource->res.mipmap.hMipmappedArray);
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        id = resource->res.linear.format;
        channels = resource->res.linear.numChannels;
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        id = resource->res.pitch2D.format;
        channels = resource->res.pitch2D.numChannels;
        break;
    }
    if (!cup_texel_format_of_array(id, channels, flags, &view->format))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "format 0x%x cannot be sampled", id);
    view->is_buffer = resource->resType == CU_RESOURCE_TYPE_LINEAR;
    if (view->is_buffer)
        init_memory(view, resource->res.linear.devPtr,
                    resource->res.linear.sizeInBytes / view->format.bytes, 0,
                    resource->res.linear.sizeInBytes);
    else if (resource->resType == CU_RESOURCE_TYPE_PITCH2D)
        init_memory(view, resource->res.pitch2D.devPtr, resource->res.pitch2D.width,
                    resource->res.pitch2D.height, resource->res.pitch2D.pitchInBytes);
    if (!desc)
        return CUDA_SUCCESS;
    unsigned block = view->format.block;
    if (desc->format != CU_RES_VIEW_FORMAT_NONE &&
        !cup_texel_format_of_view(desc->format, flags, &view->format))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid view format 0x%x", desc->format);
    restrict_to(view, desc, view->format.block != block);
    return CUDA_SUCCESS;
}

/* Converts a level to 1/256 and clamps it to the range of the hardware's field. */
static int32_t level_number(float value, int32_t low, int32_t high)
{
    if (value != value)
        return 0;
    if (!(value * 256 > (float)low))
        return low;
    return value * 256 >= (float)high ? high : (int32_t)floorf(value * 256);
}

static float truncate_to_half(float value)
{
    union {
        float f;
        uint32_t u;
    } bits = {value};

    bits.u &= 0xffffe000;
    if (isinf(value))
        return value;
    if (fabsf(value) < 0x1p-14f) /* subnormal halves */
        return truncf(value * 0x1p24f) * 0x1p-24f;
    return bits.f > 65504 ? 65504 : bits.f < -65504 ? -65504 : bits.f;
}

/* Rounds to the 8 significant bits of the sRGB table. */
static float round_to_srgb_precision(float value)
{
    int exponent;

    value = value > 1 ? 1 : value > 0 ? value : 0;
    frexpf(value, &exponent);
    exponent = exponent < -6 ? -6 : exponent;
    return ldexpf(rintf(ldexpf(value, 8 - exponent)), exponent - 8);
}

/* Rounds to nearest, halves towards zero. */
static int rounded_down(float value)
{
    return (int)copysignf(ceilf(fabsf(value) - 0.5f), value);
}

/* The border colour has the precision of the format: normalised values are rounded to nearest,
 * halves are truncated. */
static void init_border(struct cup_view *view, const float *colour)
{
    unsigned bits = view->format.channel_bits;

    for (unsigned c = 0; c < view->format.channels; c++) {
        float value = colour[c];
        uint32_t raw;
        memcpy(&raw, &value, 4);
        switch (cup_texel_channel_kind(&view->format, c)) {
        case CUP_TEXEL_RAW:
            view->border.u[c] = bits == 32 ? raw : raw & ((1u << bits) - 1);
            if (view->format.is_signed && bits < 32)
                view->border.i[c] = (int32_t)(raw << (32 - bits)) >> (32 - bits);
            break;
        case CUP_TEXEL_UNORM: {
            int top = bits == 10 ? 65535 : (1 << bits) - 1;
            value = value > 1 ? 1 : value > 0 ? value : 0;
            view->border.i[c] = rounded_down(value * (float)top) * (65535 / top);
            break;
        }
        case CUP_TEXEL_SNORM: {
            int top = (1 << (bits - 1)) - 1;
            value = value > 1 ? 1 : value > -1 ? value : value <= -1 ? -1 : 0;
            int v = rounded_down(value * (float)top);
            view->border.i[c] = bits == 8 ? v * 32767 * 32 : v * CUP_SNORM_UNIT;
            break;
        }
        case CUP_TEXEL_HALF:
            view->border.f[c] = view->format.kind == CUP_TEXEL_SRGB ? round_to_srgb_precision(value)
                                                                    : truncate_to_half(value);
            break;
        case CUP_TEXEL_FLOAT:
        case CUP_TEXEL_SRGB: /* not the kind of a channel */
            view->border.f[c] = value;
            break;
        }
    }
}

/* Anisotropic filtering narrows the range in which two levels are blended: the weight of the second
 * starts later and rises faster. */
static void init_level_blend(struct cup_view *view, const CUDA_TEXTURE_DESC *texture)
{
    bool off = texture->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
    unsigned most = texture->maxAnisotropy;

    view->anisotropy = cup_anisotropy_limit(most);
    view->blend_slope_quarters = 4;
    if (off || most < 2)
        return;
    view->blend_from = most < 4 ? 42 : most < 8 ? 54 : 64;
    view->blend_slope_quarters = most < 4 ? 6 : most < 8 ? 7 : 8;
}

/* The bias as the hardware has it, in one field with where the blending of levels starts: only
 * their sum is cut. NaN is the highest there is. */
static int32_t bias_number(const struct cup_view *view, float bias)
{
    const int32_t most = 16 * 256;
    float start = 128 - 512.0f / view->blend_slope_quarters;

    if (isnan(bias))
        return most - 1;
    if (view->blend_from && fabsf(bias) < 16)
        return (int32_t)truncf(bias * 256 - start) + view->blend_from;
    return level_number(bias, -most, most - 1);
}

static void init_texture(struct cup_view *view, const CUDA_TEXTURE_DESC *texture)
{
    /* levels have no texels in common */
    view->normalized = texture->flags & CU_TRSF_NORMALIZED_COORDINATES || view->level_count > 1;
    view->seamless = texture->flags & CU_TRSF_SEAMLESS_CUBEMAP;
    view->linear = texture->filterMode == CU_TR_FILTER_MODE_LINEAR;
    view->linear_levels = texture->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
    for (unsigned i = 0; i < 3; i++) {
        CUaddress_mode mode = texture->addressMode[i];
        bool repeats = mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR;
        view->address[i] =
            (uint8_t)(repeats && !view->normalized ? CU_TR_ADDRESS_MODE_CLAMP : mode);
    }
    init_level_blend(view, texture);
    view->bias = bias_number(view, texture->mipmapLevelBias);
    view->level_min = level_number(texture->minMipmapLevelClamp, 0, 16 * 256 - 1);
    view->level_max = level_number(texture->maxMipmapLevelClamp, 0, 16 * 256 - 1);
    init_border(view, texture->borderColor);
}

CUresult cup_view_create(const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                         const CUDA_RESOURCE_VIEW_DESC *view_desc, struct CUctx_st *context,
                         struct cup_view **view)
{
    struct cup_view *made = calloc(1, sizeof(*made));

    (void)context;
    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a view of an image");
    CUresult result = init_resource(made, resource,
                                    texture ? texture->flags : CU_TRSF_READ_AS_INTEGER, view_desc);
    if (result != CUDA_SUCCESS) {
        free(made);
        return result;
    }
    made->is_surface = !texture;
    if (texture) {
        init_texture(made, texture);
        cup_sampler_plan_init(made);
    }
    *view = made;
    return CUDA_SUCCESS;
}

void cup_view_destroy(struct cup_view *view)
{
    free(view);
}

cup_sampler cup_view_sampler(const struct cup_view *view, const struct cup_texture_request *request)
{
    cup_sampler sampler = cup_sampler_find(view, request);

    return sampler ? sampler : cup_sample_general;
}

void cup_view_sample(const struct cup_view *view, const struct cup_texture_request *request)
{
    cup_view_sampler(view, request)(view, request);
}

/* The number of layers, or of cubes, is the extent along the axis after the last one. */
static uint32_t extent_of(const struct cup_view *view, const struct cup_view_level *level,
                          enum cup_texture_query query)
{
    if (query == CUP_QUERY_WIDTH)
        return level->width;
    if (query == CUP_QUERY_HEIGHT && view->geometry == CUP_GEOMETRY_1D)
        return !view->is_surface;
    if (query == CUP_QUERY_HEIGHT)
        return view->geometry == CUP_GEOMETRY_1D_LAYERED ? view->layers : level->height;
    switch (view->geometry) {
    case CUP_GEOMETRY_3D:
        return level->depth;
    case CUP_GEOMETRY_2D_LAYERED:
        return view->layers;
    case CUP_GEOMETRY_CUBE: /* a surface counts a cube's faces as layers */
        return view->is_surface ? view->layers : 0;
    case CUP_GEOMETRY_CUBE_LAYERED:
        return view->is_surface ? view->layers : view->layers / 6;
    default:
        return 0;
    }
}

uint32_t cup_view_query(const struct cup_view *view, enum cup_texture_query query, uint32_t level)
{
    return level < view->level_count ? extent_of(view, &view->levels[level], query) : 0;
}
