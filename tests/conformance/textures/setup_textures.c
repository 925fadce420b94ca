/* SPDX-License-Identifier: MIT */
/*
 * What the groups share: functions, arrays, descriptors, one check of a descriptor.
 */
#include "textures.h"
#include <dlfcn.h>

struct texture_functions driver;

#define FUNCTION(name)                                                                             \
    static CUresult missing_##name(void)                                                           \
    {                                                                                              \
        return missing_function_called(#name);                                                     \
    }
#include "functions.def"
#undef FUNCTION

static const struct {
    const char *symbol;
    CUresult (*missing)(void);
    size_t offset;
} functions[] = {
#define FUNCTION(name)                                                                             \
    {EXPANDED_STRING_OF(name), missing_##name, offsetof(struct texture_functions, name)},
#include "functions.def"
#undef FUNCTION
};

void use_textures(void)
{
    const char *path = getenv("LIBCUDA");
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        setup_failed("dlopen", CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        void *address = dlsym(library, functions[i].symbol);
        if (!address)
            address = (void *)functions[i].missing;
        memcpy((char *)&driver + functions[i].offset, &address, sizeof address);
    }
    use_primary_context();
}

CUarray array_new(size_t width, size_t height, size_t depth, CUarray_format format,
                  unsigned channels, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {width, height, depth, format, channels, flags};
    CUarray array = NULL;
    CUresult result = cuda.cuArray3DCreate(&array, &descriptor);

    if (result)
        setup_failed("cuArray3DCreate", result);
    return array;
}

CUmipmappedArray mipmap_new(size_t width, size_t height, size_t depth, CUarray_format format,
                            unsigned channels, unsigned flags, unsigned levels)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {width, height, depth, format, channels, flags};
    CUmipmappedArray mipmap = NULL;
    CUresult result = cuda.cuMipmappedArrayCreate(&mipmap, &descriptor, levels);

    if (result)
        setup_failed("cuMipmappedArrayCreate", result);
    return mipmap;
}

CUDA_RESOURCE_DESC resource_of_array(CUarray array)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};

    resource.res.array.hArray = array;
    return resource;
}

CUDA_RESOURCE_DESC resource_of_mipmap(CUmipmappedArray mipmap)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};

    resource.res.mipmap.hMipmappedArray = mipmap;
    return resource;
}

CUDA_RESOURCE_DESC resource_of_linear(CUdeviceptr at, CUarray_format format, unsigned channels,
                                      size_t bytes)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};

    resource.res.linear.devPtr = at;
    resource.res.linear.format = format;
    resource.res.linear.numChannels = channels;
    resource.res.linear.sizeInBytes = bytes;
    return resource;
}

CUDA_RESOURCE_DESC resource_of_pitch(CUdeviceptr at, CUarray_format format, unsigned channels,
                                     size_t width, size_t height, size_t pitch)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};

    resource.res.pitch2D.devPtr = at;
    resource.res.pitch2D.format = format;
    resource.res.pitch2D.numChannels = channels;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return resource;
}

CUDA_TEXTURE_DESC plain_texture(void)
{
    return (CUDA_TEXTURE_DESC){.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
                                               CU_TR_ADDRESS_MODE_CLAMP}};
}

void texture_check(const char *name, const CUDA_RESOURCE_DESC *resource,
                   const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view)
{
    CUtexObject object = UNTOUCHED;
    CUresult made = CHECK(name, driver.cuTexObjectCreate(&object, resource, texture, view),
                          "out=%s", out_state(object));

    if (made == CUDA_SUCCESS)
        driver.cuTexObjectDestroy(object);
}

void surface_check(const char *name, const CUDA_RESOURCE_DESC *resource)
{
    CUsurfObject object = UNTOUCHED;
    CUresult made =
        CHECK(name, driver.cuSurfObjectCreate(&object, resource), "out=%s", out_state(object));

    if (made == CUDA_SUCCESS)
        driver.cuSurfObjectDestroy(object);
}

const char ptx_textures[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".global .texref image;\n"
    ".global .texref other;\n"
    ".global .surfref canvas;\n"
    ".visible .entry read(.param .u64 out, .param .f32 x, .param .f32 y)\n{\n"
    ".reg .f32 %f<6>;\n.reg .u64 %o;\n"
    "ld.param.u64 %o, [out];\nld.param.f32 %f4, [x];\nld.param.f32 %f5, [y];\n"
    "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [image, {%f4, %f5}];\n"
    "st.global.v4.f32 [%o], {%f0, %f1, %f2, %f3};\nret;\n}\n"
    ".visible .entry write(.param .u32 x, .param .u32 y, .param .u32 value)\n{\n"
    ".reg .u32 %r<3>;\n"
    "ld.param.u32 %r0, [x];\nld.param.u32 %r1, [y];\nld.param.u32 %r2, [value];\n"
    "sust.b.2d.b32.trap [canvas, {%r0, %r1}], {%r2};\nret;\n}\n"
    ".visible .entry write_object(.param .u64 surface, .param .u32 x, .param .u32 y, .param .u32 "
    "value)\n{\n.reg .u64 %h;\n.reg .u32 %r<3>;\n"
    "ld.param.u64 %h, [surface];\n"
    "ld.param.u32 %r0, [x];\nld.param.u32 %r1, [y];\nld.param.u32 %r2, [value];\n"
    "sust.b.2d.b32.trap [%h, {%r0, %r1}], {%r2};\nret;\n}\n"
    ".visible .entry load_object(.param .u64 surface, .param .u32 x, .param .u32 y, .param .u64 "
    "out)\n{\n.reg .u64 %h, %o;\n.reg .u32 %r<3>;\n"
    "ld.param.u64 %h, [surface];\nld.param.u64 %o, [out];\n"
    "ld.param.u32 %r0, [x];\nld.param.u32 %r1, [y];\n"
    "suld.b.2d.b32.trap {%r2}, [%h, {%r0, %r1}];\nst.global.u32 [%o], %r2;\nret;\n}\n"
    ".visible .entry read_object(.param .u64 texture, .param .f32 x, .param .f32 y, .param .u64 "
    "out)\n{\n.reg .u64 %h, %o;\n.reg .f32 %f<6>;\n"
    "ld.param.u64 %h, [texture];\nld.param.u64 %o, [out];\n"
    "ld.param.f32 %f4, [x];\nld.param.f32 %f5, [y];\n"
    "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, {%f4, %f5}];\n"
    "st.global.v4.f32 [%o], {%f0, %f1, %f2, %f3};\nret;\n}\n";
