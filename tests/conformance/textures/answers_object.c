/* SPDX-License-Identifier: MIT */
/*
 * Which descriptors of texture objects are taken.
 */
#include "textures.h"

#define F32 CU_AD_FORMAT_FLOAT
#define U8 CU_AD_FORMAT_UNSIGNED_INT8

GROUP(800, texobj, "texobj")
{
    use_textures();
    CUarray array = array_new(16, 8, 0, F32, 1, 0);
    CUDA_RESOURCE_DESC resource = resource_of_array(array);
    CUDA_TEXTURE_DESC texture = plain_texture();
    CUtexObject object = UNTOUCHED;

    texture_check("plain", &resource, &texture, NULL);
    CHECK("null-out", driver.cuTexObjectCreate(NULL, &resource, &texture, NULL));
    CHECK("null-resource", driver.cuTexObjectCreate(&object, NULL, &texture, NULL), "out=%s",
          out_state(object));
    CHECK("null-texture", driver.cuTexObjectCreate(&object, &resource, NULL, NULL), "out=%s",
          out_state(object));
    resource.res.array.hArray = NULL;
    texture_check("null-array", &resource, &texture, NULL);
    resource = resource_of_array(array);
    for (int type = 4; type < 7; type++) {
        resource.resType = (CUresourcetype)type;
        texture_check(format("type-%d", type), &resource, &texture, NULL);
    }
    resource = resource_of_mipmap(NULL);
    texture_check("null-mipmap", &resource, &texture, NULL);
    resource = resource_of_array(array);
    for (unsigned flag = 1; flag < 0x200; flag *= 2) {
        resource.flags = flag;
        texture_check(format("resource-flag-0x%x", flag), &resource, &texture, NULL);
    }
    resource.flags = 0;
    for (unsigned flag = 1; flag < 0x1000; flag *= 2) {
        texture.flags = flag;
        texture_check(format("flag-0x%x", flag), &resource, &texture, NULL);
    }
    texture.flags = 0;
    for (int mode = 0; mode < 6; mode++)
        for (int axis = 0; axis < 3; axis++) {
            texture = plain_texture();
            texture.addressMode[axis] = (CUaddress_mode)mode;
            texture_check(format("address-%d-axis-%d", mode, axis), &resource, &texture, NULL);
        }
    for (int mode = 0; mode < 4; mode++) {
        texture = plain_texture();
        texture.filterMode = (CUfilter_mode)mode;
        texture_check(format("filter-%d", mode), &resource, &texture, NULL);
        texture = plain_texture();
        texture.mipmapFilterMode = (CUfilter_mode)mode;
        texture_check(format("mipmap-filter-%d", mode), &resource, &texture, NULL);
    }
    for (unsigned aniso = 0; aniso < 34; aniso = aniso * 2 + 1) {
        texture = plain_texture();
        texture.maxAnisotropy = aniso;
        texture_check(format("anisotropy-%u", aniso), &resource, &texture, NULL);
    }
    texture = plain_texture();
    texture.maxAnisotropy = 0xffffffff;
    texture_check("anisotropy-max", &resource, &texture, NULL);
    for (int i = 0; i < 12; i++) {
        texture = plain_texture();
        texture.reserved[i] = 1;
        texture_check(format("reserved-%d", i), &resource, &texture, NULL);
    }
    texture = plain_texture();
    texture.mipmapLevelBias = 100;
    texture_check("bias-100", &resource, &texture, NULL);
    texture.mipmapLevelBias = __builtin_nanf("");
    texture_check("bias-nan", &resource, &texture, NULL);
    texture = plain_texture();
    texture.minMipmapLevelClamp = 3;
    texture.maxMipmapLevelClamp = 1;
    texture_check("clamp-reversed", &resource, &texture, NULL);
    texture.minMipmapLevelClamp = -3;
    texture_check("clamp-negative", &resource, &texture, NULL);
    texture = plain_texture();
    texture.borderColor[0] = __builtin_nanf("");
    texture_check("border-nan", &resource, &texture, NULL);
    CUarray gone = array_new(16, 8, 0, F32, 1, 0);
    resource = resource_of_array(gone);
    cuda.cuArrayDestroy(gone);
    texture = plain_texture();
    texture_check("destroyed-array", &resource, &texture, NULL);
}

/* Filtering, fractions, sRGB and normalised coordinates, by format. */
GROUP(801, texobj_format, "texobj/format")
{
    use_textures();
    for (int i = 0; format_names[i].name; i++) {
        CUarray_format id = (CUarray_format)format_names[i].value;
        for (unsigned channels = 1; channels <= 4; channels++) {
            CUDA_ARRAY3D_DESCRIPTOR descriptor = {16, 8, 0, id, channels, 0};
            CUarray array = NULL;
            if (cuda.cuArray3DCreate(&array, &descriptor))
                continue;
            CUDA_RESOURCE_DESC resource = resource_of_array(array);
            const char *stem = format("%sx%u", format_names[i].name, channels);
            CUDA_TEXTURE_DESC texture = plain_texture();
            texture_check(format("%s", stem), &resource, &texture, NULL);
            texture.flags = CU_TRSF_READ_AS_INTEGER;
            texture_check(format("%s-integer", stem), &resource, &texture, NULL);
            texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
            texture_check(format("%s-integer-linear", stem), &resource, &texture, NULL);
            texture.flags = 0;
            texture_check(format("%s-linear", stem), &resource, &texture, NULL);
            texture = plain_texture();
            texture.flags = CU_TRSF_SRGB;
            texture_check(format("%s-srgb", stem), &resource, &texture, NULL);
            texture.flags = CU_TRSF_SRGB | CU_TRSF_READ_AS_INTEGER;
            texture_check(format("%s-srgb-integer", stem), &resource, &texture, NULL);
            CUarray plane = NULL;
            for (unsigned p = 0; p < 3 && !cuda.cuArrayGetPlane(&plane, array, p); p++) {
                resource = resource_of_array(plane);
                texture = plain_texture();
                texture_check(format("%s-plane-%u", stem, p), &resource, &texture, NULL);
            }
            cuda.cuArrayDestroy(array);
        }
    }
}

GROUP(802, texobj_shape, "texobj/shape")
{
    static const struct {
        const char *name;
        size_t width, height, depth;
        unsigned flags;
    } shapes[] = {{"1d", 16, 0, 0, 0},
                  {"2d", 16, 8, 0, 0},
                  {"3d", 16, 8, 4, 0},
                  {"a1d", 16, 0, 3, CUDA_ARRAY3D_LAYERED},
                  {"a2d", 16, 8, 3, CUDA_ARRAY3D_LAYERED},
                  {"cube", 8, 8, 6, CUDA_ARRAY3D_CUBEMAP},
                  {"acube", 8, 8, 12, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED},
                  {"2d-surface", 16, 8, 0, CUDA_ARRAY3D_SURFACE_LDST},
                  {"2d-gather", 16, 8, 0, CUDA_ARRAY3D_TEXTURE_GATHER},
                  {"2d-sparse", 1024, 1024, 0, CUDA_ARRAY3D_SPARSE},
                  {"2d-deferred", 16, 8, 0, CUDA_ARRAY3D_DEFERRED_MAPPING},
                  {"2d-depth", 16, 8, 0, CUDA_ARRAY3D_DEPTH_TEXTURE},
                  {"2d-colour", 16, 8, 0, CUDA_ARRAY3D_COLOR_ATTACHMENT}};

    use_textures();
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        CUDA_ARRAY3D_DESCRIPTOR d = {shapes[i].width, shapes[i].height, shapes[i].depth, F32, 1,
                                     shapes[i].flags};
        for (int mipmapped = 0; mipmapped < 2; mipmapped++) {
            CUarray array = NULL;
            CUmipmappedArray mipmap = NULL;
            CUresult made = mipmapped ? cuda.cuMipmappedArrayCreate(&mipmap, &d, 3)
                                      : cuda.cuArray3DCreate(&array, &d);
            const char *stem = format("%s%s", shapes[i].name, mipmapped ? "-mipmap" : "");
            RECORD(format("%s-made", stem), "%d", (int)made);
            if (made)
                continue;
            CUDA_RESOURCE_DESC resource =
                mipmapped ? resource_of_mipmap(mipmap) : resource_of_array(array);
            for (int mode = 0; mode < 4; mode++) {
                CUDA_TEXTURE_DESC texture = plain_texture();
                texture.flags = mode & 1 ? CU_TRSF_NORMALIZED_COORDINATES : 0;
                texture.filterMode = mode & 2 ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
                texture_check(format("%s-texture%s%s", stem, mode & 1 ? "-normalized" : "",
                                     mode & 2 ? "-linear" : ""),
                              &resource, &texture, NULL);
                texture.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
                texture.maxAnisotropy = 8;
                texture.maxMipmapLevelClamp = 4;
                texture_check(format("%s-texture%s%s-trilinear", stem,
                                     mode & 1 ? "-normalized" : "", mode & 2 ? "-linear" : ""),
                              &resource, &texture, NULL);
                texture = plain_texture();
                texture.flags = mode & 1 ? CU_TRSF_NORMALIZED_COORDINATES : 0;
                for (int axis = 0; axis < 3; axis++)
                    texture.addressMode[axis] =
                        mode & 2 ? CU_TR_ADDRESS_MODE_MIRROR : CU_TR_ADDRESS_MODE_WRAP;
                texture_check(format("%s-texture%s-%s", stem, mode & 1 ? "-normalized" : "",
                                     mode & 2 ? "mirror" : "wrap"),
                              &resource, &texture, NULL);
            }
            CUDA_TEXTURE_DESC texture = plain_texture();
            texture.flags = CU_TRSF_SEAMLESS_CUBEMAP;
            texture_check(format("%s-seamless", stem), &resource, &texture, NULL);
            surface_check(format("%s-surface", stem), &resource);
            if (mipmapped) {
                CUarray level = NULL;
                cuda.cuMipmappedArrayGetLevel(&level, mipmap, 1);
                resource = resource_of_array(level);
                texture = plain_texture();
                texture_check(format("%s-level", stem), &resource, &texture, NULL);
                surface_check(format("%s-level-surface", stem), &resource);
            }
        }
    }
}
