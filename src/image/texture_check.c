/* SPDX-License-Identifier: MIT */
/* Validation of texture and surface descriptors. The rules are those recorded from NVIDIA's driver,
 * which does not enforce several documented ones: linear memory may have any size, an array need
 * not be created for surfaces, and a view may name levels and layers that do not exist. */
#include "image/texture_check.h"

#include "core/error.h"
#include "device/context.h"
#include "device/device.h"
#include "image/array.h"
#include "image/mipmap.h"
#include "memory/map.h"

#include <string.h>

enum {
    /* The driver accepts the lowest six bits, documented or not. */
    KNOWN_FLAGS = 0x3f,
};

static size_t property(const struct CUctx_st *context, CUdevice_attribute attribute)
{
    return (size_t)cup_device_property(context->device, attribute);
}

static bool is_linear_format(CUarray_format id, const struct cup_format *format, unsigned channels)
{
    if (!format || (channels != 1 && channels != 2 && channels != 4))
        return false;
    return format->channel_bytes || id == CU_AD_FORMAT_UNORM_INT_101010_2;
}

static CUresult check_linear(const struct CUctx_st *context, CUarray_format id, unsigned channels,
                             CUdeviceptr address, struct cup_texture_source *source)
{
    size_t alignment = property(context, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);

    source->format = cup_format_find(id);
    source->levels = source->layers = 1;
    source->descriptor.Format = id;
    source->descriptor.NumChannels = channels;
    if (!is_linear_format(id, source->format, channels))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "linear memory cannot have format 0x%x with %u channels", id, channels);
    if (address == 0 || cup_map_misalignment(address, alignment) != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid address of a texture: 0x%llx", address);
    return CUDA_SUCCESS;
}

static CUresult find_linear(const struct CUctx_st *context, const CUDA_RESOURCE_DESC *resource,
                            struct cup_texture_source *source)
{
    source->axes = 1;
    return check_linear(context, resource->res.linear.format, resource->res.linear.numChannels,
                        resource->res.linear.devPtr, source);
}

static CUresult find_pitched(const struct CUctx_st *context, const CUDA_RESOURCE_DESC *resource,
                             struct cup_texture_source *source)
{
    size_t width = resource->res.pitch2D.width, height = resource->res.pitch2D.height;
    size_t pitch = resource->res.pitch2D.pitchInBytes;
    CUresult result =
        check_linear(context, resource->res.pitch2D.format, resource->res.pitch2D.numChannels,
                     resource->res.pitch2D.devPtr, source);

    source->axes = 2;
    if (result != CUDA_SUCCESS)
        return result;
    if (width > property(context, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH) ||
        height > property(context, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid size of a texture in linear memory: %zu x %zu", width, height);
    if (pitch > property(context, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH) ||
        pitch % property(context, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT) != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid pitch of %zu bytes", pitch);
    return CUDA_SUCCESS;
}

static void describe(struct cup_texture_source *source, struct cup_object *image,
                     const struct cup_shape *shape, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    source->image = image;
    source->descriptor = *descriptor;
    source->format = shape->format;
    source->levels = shape->levels;
    source->layers = shape->layers;
    source->is_mipmap = shape->is_mipmap;
    switch (shape->dimensions) {
    case CUP_IMAGE_1D:
    case CUP_IMAGE_1D_LAYERED:
        source->axes = 1;
        break;
    case CUP_IMAGE_3D:
        source->axes = 3;
        break;
    default:
        source->axes = 2;
        break;
    }
}

static CUresult check_context(const struct CUctx_st *context, const struct CUctx_st *its,
                              struct cup_texture_source *source)
{
    if (its == context)
        return CUDA_SUCCESS;
    cup_texture_source_release(source);
    return cup_error(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "the array belongs to another context");
}

static CUresult find_array(const struct CUctx_st *context, const CUDA_RESOURCE_DESC *resource,
                           struct cup_texture_source *source)
{
    struct CUarray_st *array;

    if (cup_array_find(resource->res.array.hArray, &array) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the array is NULL");
    describe(source, &array->base, &array->shape, &array->descriptor);
    return check_context(context, array->context, source);
}

static CUresult find_mipmap(const struct CUctx_st *context, const CUDA_RESOURCE_DESC *resource,
                            struct cup_texture_source *source)
{
    struct CUmipmappedArray_st *mipmap;

    if (cup_mipmap_find(resource->res.mipmap.hMipmappedArray, &mipmap) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the mipmapped array is NULL");
    describe(source, &mipmap->base, &mipmap->shape, &mipmap->descriptor);
    return check_context(context, mipmap->context, source);
}

CUresult cup_texture_source_find(const struct CUctx_st *context, const CUDA_RESOURCE_DESC *resource,
                                 struct cup_texture_source *source)
{
    memset(source, 0, sizeof(*source));
    if (resource->flags != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags of the resource must be 0");
    switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return find_array(context, resource, source);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        return find_mipmap(context, resource, source);
    case CU_RESOURCE_TYPE_LINEAR:
        return find_linear(context, resource, source);
    case CU_RESOURCE_TYPE_PITCH2D:
        return find_pitched(context, resource, source);
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid resource type %d",
                         (int)resource->resType);
    }
}

void cup_texture_source_release(struct cup_texture_source *source)
{
    if (source->image)
        cup_object_unref(source->image);
    source->image = NULL;
}

struct view_format {
    uint8_t bytes; /* of an element or a block */
    uint8_t block; /* pixels along a block's side */
};

static const struct view_format view_formats[] = {
#define PLAIN(name, channels, bits)                                                                \
    [CU_RES_VIEW_FORMAT_##name##_##channels##X##bits] = {(channels) * (bits) / 8, 1}
#define ALL(name, bits) PLAIN(name, 1, bits), PLAIN(name, 2, bits), PLAIN(name, 4, bits)
    ALL(UINT, 8),
    ALL(SINT, 8),
    ALL(UINT, 16),
    ALL(SINT, 16),
    ALL(UINT, 32),
    ALL(SINT, 32),
    ALL(FLOAT, 16),
    ALL(FLOAT, 32),
    [CU_RES_VIEW_FORMAT_UNSIGNED_BC1] = {8, 4},
    [CU_RES_VIEW_FORMAT_UNSIGNED_BC2] = {16, 4},
    [CU_RES_VIEW_FORMAT_UNSIGNED_BC3] = {16, 4},
    [CU_RES_VIEW_FORMAT_UNSIGNED_BC4] = {8, 4},
    [CU_RES_VIEW_FORMAT_SIGNED_BC4] = {8, 4},
    [CU_RES_VIEW_FORMAT_UNSIGNED_BC5] = {16, 4},
    [CU_RES_VIEW_FORMAT_SIGNED_BC5] = {16, 4},
    [CU_RES_VIEW_FORMAT_UNSIGNED_BC6H] = {16, 4},
    [CU_RES_VIEW_FORMAT_SIGNED_BC6H] = {16, 4},
    [CU_RES_VIEW_FORMAT_UNSIGNED_BC7] = {16, 4},
#undef ALL
#undef PLAIN
};

/* Elements may be viewed as elements of another format of the same size. Compressed formats cannot
 * be viewed as anything else, and compressed views are possible only of unsigned 32-bit integers.
 * Returns NULL if the view is not allowed. */
static const struct view_format *view_format_of(const struct cup_texture_source *source,
                                                CUresourceViewFormat id)
{
    const struct view_format *format;
    const CUDA_ARRAY3D_DESCRIPTOR *there = &source->descriptor;

    if (id == CU_RES_VIEW_FORMAT_NONE ||
        (unsigned)id >= sizeof(view_formats) / sizeof(*view_formats))
        return NULL;
    format = &view_formats[id];
    if (source->format->block > 1 || source->format->plane_count ||
        format->bytes != cup_format_element_bytes(source->format, there->NumChannels))
        return NULL;
    if (format->block > 1 && there->Format != CU_AD_FORMAT_UNSIGNED_INT32)
        return NULL;
    return format;
}

static bool is_zero(const unsigned *words, unsigned count)
{
    while (count > 0)
        if (words[--count])
            return false;
    return true;
}

static bool ranges_fit(const struct cup_texture_source *source, const CUDA_RESOURCE_VIEW_DESC *view)
{
    bool layered = source->descriptor.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);

    if (view->firstMipmapLevel > view->lastMipmapLevel || view->firstLayer > view->lastLayer)
        return false;
    return (source->is_mipmap || view->lastMipmapLevel == 0) && (layered || view->lastLayer == 0);
}

static CUresult check_view(const struct cup_texture_source *source,
                           const CUDA_RESOURCE_VIEW_DESC *view)
{
    const CUDA_ARRAY3D_DESCRIPTOR *there = &source->descriptor;
    const struct view_format *format = view_format_of(source, view->format);

    if (!format)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "format 0x%x cannot be viewed as 0x%x",
                         there->Format, view->format);
    if (view->width != there->Width * format->block ||
        view->height != there->Height * format->block || view->depth != there->Depth)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "%zu x %zu x %zu cannot be viewed as %zu x %zu x %zu", there->Width,
                         there->Height, there->Depth, view->width, view->height, view->depth);
    if (!ranges_fit(source, view))
        return cup_error(
            CUDA_ERROR_INVALID_VALUE, "the resource does not have levels %u to %u, layers %u to %u",
            view->firstMipmapLevel, view->lastMipmapLevel, view->firstLayer, view->lastLayer);
    if (!is_zero(view->reserved, 16))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "reserved words must be 0");
    return CUDA_SUCCESS;
}

static unsigned at_most(unsigned value, unsigned most)
{
    return value < most ? value : most;
}

CUDA_RESOURCE_VIEW_DESC cup_texture_view_within(const struct cup_texture_source *source,
                                                const CUDA_RESOURCE_VIEW_DESC *view_desc)
{
    CUDA_RESOURCE_VIEW_DESC within = *view_desc;

    within.firstMipmapLevel = at_most(within.firstMipmapLevel, source->levels - 1);
    within.lastMipmapLevel = at_most(within.lastMipmapLevel, source->levels - 1);
    within.firstLayer = at_most(within.firstLayer, source->layers - 1);
    within.lastLayer = at_most(within.lastLayer, source->layers - 1);
    return within;
}

static bool wants_srgb(CUarray_format format)
{
    return format == CU_AD_FORMAT_BC1_UNORM_SRGB || format == CU_AD_FORMAT_BC2_UNORM_SRGB ||
           format == CU_AD_FORMAT_BC3_UNORM_SRGB || format == CU_AD_FORMAT_BC7_UNORM_SRGB;
}

CUresult cup_texture_check(const struct cup_texture_source *source,
                           const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view_desc)
{
    unsigned known = KNOWN_FLAGS;

    for (unsigned axis = 0; axis < source->axes; axis++)
        if ((unsigned)texture->addressMode[axis] > CU_TR_ADDRESS_MODE_BORDER)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid address mode %d",
                             (int)texture->addressMode[axis]);
    if ((unsigned)texture->filterMode > CU_TR_FILTER_MODE_LINEAR ||
        (unsigned)texture->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid filter mode");
    if (source->descriptor.Flags & CUDA_ARRAY3D_CUBEMAP)
        known |= CU_TRSF_SEAMLESS_CUBEMAP;
    if (texture->flags & ~known)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid flags for such a texture: 0x%x",
                         texture->flags);
    if (!is_zero((const unsigned *)texture->reserved, 12))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "reserved words must be 0");
    if (wants_srgb(source->descriptor.Format) && !(texture->flags & CU_TRSF_SRGB))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "an sRGB format needs the flag CU_TRSF_SRGB");
    return view_desc && source->image ? check_view(source, view_desc) : CUDA_SUCCESS;
}
