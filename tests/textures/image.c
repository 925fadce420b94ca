/* SPDX-License-Identifier: MIT */
/*
 * The image of a case, in memory of a CUDA driver.
 */
#include "textures.h"
#include <stdlib.h>
#include <string.h>

static CUresult array_fill(const struct sample *s, CUarray array, unsigned level)
{
    struct extent e = level_extent(s, level);
    unsigned char *bytes = malloc(e.bytes);
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = bytes,
                          .srcPitch = e.row_bytes,
                          .srcHeight = e.height,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = e.row_bytes,
                          .Height = e.height,
                          .Depth = e.depth};

    level_fill(s, level, bytes);
    CUresult result = cuMemcpy3D(&copy);
    free(bytes);
    return result;
}

static CUDA_ARRAY3D_DESCRIPTOR descriptor_of(const struct sample *s)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = s->width,
                                 .Height = s->height,
                                 .Depth = s->depth,
                                 .Format = s->format,
                                 .NumChannels = s->channels};

    if (s->geometry == G_1D_LAYERED || s->geometry == G_2D_LAYERED)
        d.Flags = CUDA_ARRAY3D_LAYERED;
    if (s->geometry == G_CUBE || s->geometry == G_CUBE_LAYERED)
        d.Flags = CUDA_ARRAY3D_CUBEMAP | (s->geometry == G_CUBE_LAYERED ? CUDA_ARRAY3D_LAYERED : 0);
    if (s->operation == OP_LOAD || s->operation == OP_STORE || s->operation == OP_REDUCE ||
        (s->operation == OP_QUERY && s->reduction[0] == 's'))
        d.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    if (s->format >= CU_AD_FORMAT_P010 && s->format <= CU_AD_FORMAT_YUV444_16bit_SemiPlanar)
        d.Flags |= CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
    if (s->gather)
        d.Flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
    return d;
}

static CUresult array_create(const struct sample *s, struct image *image)
{
    CUDA_ARRAY3D_DESCRIPTOR d = descriptor_of(s);
    CUresult result = cuArray3DCreate(&image->array, &d);
    CUarray part = image->array;

    if (!result && s->plane >= 0)
        result = cuArrayGetPlane(&part, image->array, (unsigned)s->plane);
    if (!result)
        result = array_fill(s, part, 0);
    image->resource.res.array.hArray = part;
    return result;
}

static CUresult mipmap_create(const struct sample *s, struct image *image)
{
    CUDA_ARRAY3D_DESCRIPTOR d = descriptor_of(s);
    CUresult result = cuMipmappedArrayCreate(&image->mipmap, &d, s->levels);

    for (unsigned i = 0; i < s->levels && !result; i++) {
        CUarray level;
        result = cuMipmappedArrayGetLevel(&level, image->mipmap, i);
        if (!result)
            result = array_fill(s, level, i);
    }
    image->resource.res.mipmap.hMipmappedArray = image->mipmap;
    return result;
}

static CUresult memory_create(const struct sample *s, struct image *image)
{
    struct extent e = level_extent(s, 0);
    bool pitched = s->resource == CU_RESOURCE_TYPE_PITCH2D;
    size_t pitch = pitched ? (e.row_bytes + 31) / 32 * 32 + 32 : e.row_bytes;
    unsigned char *bytes = malloc(e.bytes);
    CUresult result = cuMemAlloc(&image->memory, pitch * e.height);
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = bytes,
                          .srcPitch = e.row_bytes,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = image->memory,
                          .dstPitch = pitch,
                          .WidthInBytes = e.row_bytes,
                          .Height = e.height};

    level_fill(s, 0, bytes);
    if (!result)
        result = cuMemcpy2D(&copy);
    free(bytes);
    if (pitched) {
        image->resource.res.pitch2D.devPtr = image->memory;
        image->resource.res.pitch2D.format = s->format;
        image->resource.res.pitch2D.numChannels = s->channels;
        image->resource.res.pitch2D.width = s->width;
        image->resource.res.pitch2D.height = s->height;
        image->resource.res.pitch2D.pitchInBytes = pitch;
    } else {
        image->resource.res.linear.devPtr = image->memory;
        image->resource.res.linear.format = s->format;
        image->resource.res.linear.numChannels = s->channels;
        image->resource.res.linear.sizeInBytes = e.bytes;
    }
    return result;
}

CUresult image_create(const struct sample *s, struct image *image)
{
    memset(image, 0, sizeof *image);
    image->resource.resType = s->resource;
    CUresult result = s->resource == CU_RESOURCE_TYPE_ARRAY             ? array_create(s, image)
                      : s->resource == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY ? mipmap_create(s, image)
                                                                        : memory_create(s, image);
    if (result)
        image_destroy(image);
    return result;
}

CUresult image_read(const struct sample *s, const struct image *image, void *bytes)
{
    struct extent e = level_extent(s, 0);
    CUDA_MEMCPY3D copy = {.dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = bytes,
                          .dstPitch = e.row_bytes,
                          .dstHeight = e.height,
                          .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = image->array,
                          .WidthInBytes = e.row_bytes,
                          .Height = e.height,
                          .Depth = e.depth};

    return cuMemcpy3D(&copy);
}

void image_destroy(struct image *image)
{
    if (image->array)
        cuArrayDestroy(image->array);
    if (image->mipmap)
        cuMipmappedArrayDestroy(image->mipmap);
    if (image->memory)
        cuMemFree(image->memory);
    memset(image, 0, sizeof *image);
}
