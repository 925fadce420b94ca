/* SPDX-License-Identifier: MIT */
/*
 * Resource views, and what the objects say about themselves.
 */
#include "textures.h"

#define F32 CU_AD_FORMAT_FLOAT

static CUDA_RESOURCE_VIEW_DESC view_of(CUresourceViewFormat id, size_t width, size_t height,
                                       size_t depth)
{
    return (CUDA_RESOURCE_VIEW_DESC){
        .format = id, .width = width, .height = height, .depth = depth};
}

GROUP(805, texobj_view, "texobj/view")
{
    static const struct {
        CUarray_format format;
        unsigned channels;
        const char *name;
    } arrays[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, 1, "u8x1"},   {CU_AD_FORMAT_UNSIGNED_INT8, 2, "u8x2"},
        {CU_AD_FORMAT_UNSIGNED_INT8, 4, "u8x4"},   {CU_AD_FORMAT_SIGNED_INT16, 1, "s16x1"},
        {CU_AD_FORMAT_HALF, 2, "f16x2"},           {CU_AD_FORMAT_UNSIGNED_INT32, 1, "u32x1"},
        {CU_AD_FORMAT_UNSIGNED_INT32, 2, "u32x2"}, {CU_AD_FORMAT_UNSIGNED_INT32, 4, "u32x4"},
        {CU_AD_FORMAT_SIGNED_INT32, 2, "s32x2"},   {CU_AD_FORMAT_FLOAT, 1, "f32x1"},
        {CU_AD_FORMAT_FLOAT, 4, "f32x4"},          {CU_AD_FORMAT_HALF, 4, "f16x4"},
        {CU_AD_FORMAT_BC1_UNORM, 4, "bc1"},        {CU_AD_FORMAT_UNORM_INT8X4, 4, "unorm8x4"}};

    use_textures();
    CUDA_TEXTURE_DESC texture = plain_texture();
    for (size_t i = 0; i < COUNT_OF(arrays); i++) {
        CUarray array = array_new(16, 8, 0, arrays[i].format, arrays[i].channels, 0);
        CUDA_RESOURCE_DESC resource = resource_of_array(array);
        for (int id = 0; id <= 0x23; id++) {
            unsigned scale = id >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1 ? 4 : 1;
            CUDA_RESOURCE_VIEW_DESC view =
                view_of((CUresourceViewFormat)id, 16 * scale, 8 * scale, 0);
            texture_check(format("%s-as-0x%02x", arrays[i].name, (unsigned)id), &resource, &texture,
                          &view);
        }
    }
}

GROUP(806, texobj_view_extent, "texobj/view-extent")
{
    static const size_t extents[][3] = {{16, 8, 0}, {16, 8, 1}, {0, 0, 0},  {16, 0, 0},  {8, 8, 0},
                                        {16, 4, 0}, {17, 8, 0}, {32, 8, 0}, {64, 32, 0}, {1, 1, 0},
                                        {16, 8, 2}, {0, 8, 0},  {15, 7, 0}, {8, 4, 0}};

    use_textures();
    CUDA_TEXTURE_DESC texture = plain_texture();
    CUDA_RESOURCE_DESC array = resource_of_array(array_new(16, 8, 0, F32, 1, 0));
    CUDA_RESOURCE_DESC deep = resource_of_array(array_new(16, 8, 4, F32, 1, 0));
    CUDA_RESOURCE_DESC blocks =
        resource_of_array(array_new(16, 8, 0, CU_AD_FORMAT_UNSIGNED_INT32, 2, 0));
    CUDA_RESOURCE_DESC mipmap = resource_of_mipmap(mipmap_new(16, 8, 0, F32, 1, 0, 4));
    CUDA_RESOURCE_DESC layers =
        resource_of_array(array_new(16, 8, 5, F32, 1, CUDA_ARRAY3D_LAYERED));
    CUDA_RESOURCE_DESC cubes =
        resource_of_array(array_new(8, 8, 12, F32, 1, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP));
    for (size_t i = 0; i < COUNT_OF(extents); i++) {
        const char *stem = format("%zux%zux%zu", extents[i][0], extents[i][1], extents[i][2]);
        CUDA_RESOURCE_VIEW_DESC view =
            view_of(CU_RES_VIEW_FORMAT_FLOAT_1X32, extents[i][0], extents[i][1], extents[i][2]);
        texture_check(format("array-%s", stem), &array, &texture, &view);
        texture_check(format("mipmap-%s", stem), &mipmap, &texture, &view);
        view.format = CU_RES_VIEW_FORMAT_NONE;
        texture_check(format("none-%s", stem), &array, &texture, &view);
        view.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
        texture_check(format("blocks-%s", stem), &blocks, &texture, &view);
    }
    for (size_t depth = 0; depth < 6; depth++) {
        CUDA_RESOURCE_VIEW_DESC view = view_of(CU_RES_VIEW_FORMAT_FLOAT_1X32, 16, 8, depth);
        texture_check(format("3d-depth-%zu", depth), &deep, &texture, &view);
        for (unsigned first = 0; first < 3; first++)
            for (unsigned last = 0; last < 6; last++) {
                view.firstLayer = first;
                view.lastLayer = last;
                texture_check(format("layers-depth-%zu-%u-%u", depth, first, last), &layers,
                              &texture, &view);
            }
        view.firstLayer = 0;
        view.lastLayer = 1;
        texture_check(format("3d-layers-depth-%zu", depth), &deep, &texture, &view);
    }
    for (unsigned first = 0; first < 5; first++)
        for (unsigned last = 0; last < 6; last++) {
            CUDA_RESOURCE_VIEW_DESC view = view_of(CU_RES_VIEW_FORMAT_FLOAT_1X32, 16, 8, 0);
            view.firstMipmapLevel = first;
            view.lastMipmapLevel = last;
            texture_check(format("levels-%u-%u", first, last), &mipmap, &texture, &view);
            if (first < 2)
                texture_check(format("array-levels-%u-%u", first, last), &array, &texture, &view);
        }
    for (unsigned last = 0; last < 13; last++) {
        CUDA_RESOURCE_VIEW_DESC view = view_of(CU_RES_VIEW_FORMAT_FLOAT_1X32, 8, 8, 12);
        view.lastLayer = last;
        texture_check(format("cubes-0-%u", last), &cubes, &texture, &view);
        view.firstLayer = 6;
        texture_check(format("cubes-6-%u", last), &cubes, &texture, &view);
    }
    for (int i = 0; i < 16; i++) {
        CUDA_RESOURCE_VIEW_DESC view = view_of(CU_RES_VIEW_FORMAT_FLOAT_1X32, 16, 8, 0);
        view.reserved[i] = 1;
        texture_check(format("reserved-%d", i), &array, &texture, &view);
    }
}

GROUP(807, texobj_get, "texobj/get")
{
    use_textures();
    CUarray array = array_new(16, 8, 0, F32, 1, CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_RESOURCE_DESC resource = resource_of_array(array), got;
    CUDA_TEXTURE_DESC texture = plain_texture(), got_texture;
    CUDA_RESOURCE_VIEW_DESC view = view_of(CU_RES_VIEW_FORMAT_FLOAT_1X32, 16, 8, 0), got_view;
    CUtexObject object = 0, again = 0, viewed = 0;
    CUsurfObject surface = 0, second = 0;

    texture.borderColor[2] = 3;
    texture.maxAnisotropy = 40;
    texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
    CHECK("create", driver.cuTexObjectCreate(&object, &resource, &texture, NULL));
    CHECK("create-again", driver.cuTexObjectCreate(&again, &resource, &texture, NULL), "same=%d",
          object == again);
    CHECK("create-viewed", driver.cuTexObjectCreate(&viewed, &resource, &texture, &view));
    RECORD("handles", "%llx %llx %llx", object, again, viewed);
    memset(&got, 0x55, sizeof got);
    CHECK("resource", driver.cuTexObjectGetResourceDesc(&got, object), "type=%d array=%d flags=%u",
          got.resType, got.res.array.hArray == array, got.flags);
    memset(&got_texture, 0x55, sizeof got_texture);
    CHECK("texture", driver.cuTexObjectGetTextureDesc(&got_texture, object),
          "address=%d%d%d flags=0x%x aniso=%u border=%g reserved=%x", got_texture.addressMode[0],
          got_texture.addressMode[1], got_texture.addressMode[2], got_texture.flags,
          got_texture.maxAnisotropy, got_texture.borderColor[2], got_texture.reserved[3]);
    memset(&got_view, 0x55, sizeof got_view);
    CHECK("view-none", driver.cuTexObjectGetResourceViewDesc(&got_view, object),
          "format=0x%x w=%zx", got_view.format, got_view.width);
    memset(&got_view, 0x55, sizeof got_view);
    CHECK("view", driver.cuTexObjectGetResourceViewDesc(&got_view, viewed),
          "format=0x%x %zux%zux%zu levels=%u-%u", got_view.format, got_view.width, got_view.height,
          got_view.depth, got_view.firstMipmapLevel, got_view.lastMipmapLevel);
    CHECK("resource-null", driver.cuTexObjectGetResourceDesc(NULL, object));
    CHECK("texture-null", driver.cuTexObjectGetTextureDesc(NULL, object));
    CHECK("view-null", driver.cuTexObjectGetResourceViewDesc(NULL, object));
    CHECK("destroy", driver.cuTexObjectDestroy(object));
    CHECK("destroy-twice", driver.cuTexObjectDestroy(object));
    CHECK("destroy-0", driver.cuTexObjectDestroy(0));
    CHECK("destroy-garbage", driver.cuTexObjectDestroy(0xdeadbeefcafeull));
    CHECK("resource-after", driver.cuTexObjectGetResourceDesc(&got, object));
    CHECK("texture-after", driver.cuTexObjectGetTextureDesc(&got_texture, object));
    CHECK("view-after", driver.cuTexObjectGetResourceViewDesc(&got_view, object));
    CHECK("resource-garbage", driver.cuTexObjectGetResourceDesc(&got, 0xdeadbeefcafeull));
    CHECK("destroy-array-below", cuda.cuArrayDestroy(array));
    CHECK("resource-of-destroyed", driver.cuTexObjectGetResourceDesc(&got, again), "array=%d",
          got.res.array.hArray == array);
    CHECK("destroy-after-array", driver.cuTexObjectDestroy(again));

    array = array_new(16, 8, 0, F32, 1, CUDA_ARRAY3D_SURFACE_LDST);
    resource = resource_of_array(array);
    CHECK("surface", driver.cuSurfObjectCreate(&surface, &resource));
    CHECK("surface-again", driver.cuSurfObjectCreate(&second, &resource), "same=%d",
          surface == second);
    RECORD("surface-handles", "%llx %llx", surface, second);
    memset(&got, 0x55, sizeof got);
    CHECK("surface-resource", driver.cuSurfObjectGetResourceDesc(&got, surface), "type=%d array=%d",
          got.resType, got.res.array.hArray == array);
    CHECK("surface-resource-null", driver.cuSurfObjectGetResourceDesc(NULL, surface));
    CHECK("surface-null-out", driver.cuSurfObjectCreate(NULL, &resource));
    CHECK("surface-null-resource", driver.cuSurfObjectCreate(&surface, NULL));
    CHECK("surface-as-texture", driver.cuTexObjectGetResourceDesc(&got, surface));
    CHECK("texture-as-surface", driver.cuSurfObjectGetResourceDesc(&got, viewed));
    CHECK("surface-destroy-as-texture", driver.cuTexObjectDestroy(surface));
    CHECK("texture-destroy-as-surface", driver.cuSurfObjectDestroy(viewed));
    CHECK("surface-destroy", driver.cuSurfObjectDestroy(surface));
    CHECK("surface-destroy-twice", driver.cuSurfObjectDestroy(surface));
    CHECK("surface-destroy-0", driver.cuSurfObjectDestroy(0));
    CHECK("surface-destroy-garbage", driver.cuSurfObjectDestroy(0xdeadbeefcafeull));
    CHECK("surface-resource-after", driver.cuSurfObjectGetResourceDesc(&got, surface));
    resource.flags = 1;
    CHECK("surface-flags-1", driver.cuSurfObjectCreate(&surface, &resource));
    resource = resource_of_array(NULL);
    CHECK("surface-null-array", driver.cuSurfObjectCreate(&surface, &resource));
    for (int i = 0; format_names[i].name; i++)
        for (unsigned channels = 1; channels <= 4; channels++) {
            CUDA_ARRAY3D_DESCRIPTOR d = {16,       8,
                                         0,        (CUarray_format)format_names[i].value,
                                         channels, CUDA_ARRAY3D_SURFACE_LDST};
            if (cuda.cuArray3DCreate(&array, &d))
                continue;
            resource = resource_of_array(array);
            surface_check(format("surface-%sx%u", format_names[i].name, channels), &resource);
            cuda.cuArrayDestroy(array);
        }
    /* Another context. */
    CUcontext other = context_new();
    resource = resource_of_array(array_new(16, 8, 0, F32, 1, 0));
    CHECK("other-context-destroy", driver.cuTexObjectDestroy(viewed));
    cuda.cuCtxSetCurrent(context);
    texture = plain_texture();
    texture_check("array-of-other-context", &resource, &texture, NULL);
    cuda.cuCtxSetCurrent(other);
    CHECK("create-in-other", driver.cuTexObjectCreate(&object, &resource, &texture, NULL));
    cuda.cuCtxSetCurrent(NULL);
    CHECK("no-context-create", driver.cuTexObjectCreate(&again, &resource, &texture, NULL));
    CHECK("no-context-get", driver.cuTexObjectGetResourceDesc(&got, object));
    CHECK("no-context-destroy", driver.cuTexObjectDestroy(object));
    cuda.cuCtxSetCurrent(context);
    CHECK("get-from-primary", driver.cuTexObjectGetResourceDesc(&got, object));
    cuda.cuCtxDestroy(other);
    CHECK("get-after-context", driver.cuTexObjectGetResourceDesc(&got, object));
    CHECK("destroy-after-context", driver.cuTexObjectDestroy(object));
}
