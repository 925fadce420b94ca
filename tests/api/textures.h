/* SPDX-License-Identifier: MIT */
/* Kernels that read and write through textures and surfaces, and small images for them. */
#ifndef TEXTURES_H
#define TEXTURES_H

#include "images.h"
#include "kernels.h"

enum { WIDE = 16, HIGH = 8 };

#define PTX_PLACE                                                                                  \
    "    .reg .b32 %x<4>;\n"                                                                       \
    "    .reg .b64 %o, %at, %h;\n"                                                                 \
    "    mov.u32 %x0, %ctaid.x;\n"                                                                 \
    "    mov.u32 %x1, %ntid.x;\n"                                                                  \
    "    mov.u32 %x2, %tid.x;\n"                                                                   \
    "    mad.lo.u32 %x3, %x0, %x1, %x2;\n"

/* sample: out[i] = the texel at (i % 16 + dx, i / 16 + dy); copy: the same through surfaces;
 * through two textures, of which the lanes choose; through references. */
static const char ptx_textures[] = PTX_HEAD
    ".global .texref picture;\n"
    ".global .surfref canvas;\n"
    ".visible .entry sample(.param .u64 texture, .param .u64 out, .param .f32 dx, .param .f32 dy)\n"
    "{\n" PTX_PLACE "    .reg .b32 %r<4>;\n"
    "    .reg .f32 %f<8>;\n"
    "    ld.param.u64 %h, [texture];\n"
    "    ld.param.u64 %o, [out];\n"
    "    ld.param.f32 %f6, [dx];\n"
    "    ld.param.f32 %f7, [dy];\n"
    "    and.b32 %r0, %x3, 15;\n"
    "    shr.u32 %r1, %x3, 4;\n"
    "    cvt.rn.f32.u32 %f4, %r0;\n"
    "    cvt.rn.f32.u32 %f5, %r1;\n"
    "    add.f32 %f4, %f4, %f6;\n"
    "    add.f32 %f5, %f5, %f7;\n"
    "    tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, {%f4, %f5}];\n"
    "    mul.wide.u32 %at, %x3, 4;\n"
    "    add.u64 %at, %at, %o;\n"
    "    st.global.f32 [%at], %f0;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry choose(.param .u64 first, .param .u64 second, .param .u64 out)\n"
    "{\n" PTX_PLACE "    .reg .b64 %s;\n"
    "    .reg .pred %p;\n"
    "    .reg .b32 %r<8>;\n"
    "    ld.param.u64 %h, [first];\n"
    "    ld.param.u64 %s, [second];\n"
    "    ld.param.u64 %o, [out];\n"
    "    and.b32 %r0, %x3, 1;\n"
    "    setp.eq.u32 %p, %r0, 0;\n"
    "    selp.b64 %h, %h, %s, %p;\n"
    "    and.b32 %r0, %x3, 15;\n"
    "    shr.u32 %r1, %x3, 4;\n"
    "    tex.2d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%h, {%r0, %r1}];\n"
    "    mul.wide.u32 %at, %x3, 4;\n"
    "    add.u64 %at, %at, %o;\n"
    "    st.global.u32 [%at], %r4;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry copy(.param .u64 from, .param .u64 to, .param .u32 add, .param .u32 odd)\n"
    "{\n" PTX_PLACE "    .reg .b64 %t;\n"
    "    .reg .pred %p;\n"
    "    .reg .b32 %r<6>;\n"
    "    ld.param.u64 %h, [from];\n"
    "    ld.param.u64 %t, [to];\n"
    "    ld.param.u32 %r3, [add];\n"
    "    ld.param.u32 %r4, [odd];\n"
    "    and.b32 %r5, %x3, %r4;\n"
    "    setp.ne.u32 %p, %r5, 0;\n"
    "    @%p bra DONE;\n"
    "    and.b32 %r0, %x3, 15;\n"
    "    shl.b32 %r0, %r0, 2;\n"
    "    shr.u32 %r1, %x3, 4;\n"
    "    suld.b.2d.b32.trap %r2, [%h, {%r0, %r1}];\n"
    "    add.u32 %r2, %r2, %r3;\n"
    "    sust.b.2d.b32.trap [%t, {%r0, %r1}], %r2;\n"
    "DONE:\n"
    "    ret;\n"
    "}\n"
    ".visible .entry through_references(.param .u32 add)\n"
    "{\n" PTX_PLACE "    .reg .b32 %r<8>;\n"
    "    ld.param.u32 %r3, [add];\n"
    "    and.b32 %r0, %x3, 15;\n"
    "    shr.u32 %r1, %x3, 4;\n"
    "    tex.2d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [picture, {%r0, %r1}];\n"
    "    add.u32 %r4, %r4, %r3;\n"
    "    shl.b32 %r0, %r0, 2;\n"
    "    sust.b.2d.b32.zero [canvas, {%r0, %r1}], %r4;\n"
    "    ret;\n"
    "}\n";

/* Asks a texture and a surface for their extents. NVIDIA's driver does not load this one: there,
 * only variables can be asked. */
static const char ptx_ask[] =
    PTX_HEAD ".visible .entry ask(.param .u64 texture, .param .u64 surface, .param .u64 out)\n"
             "{\n" PTX_PLACE "    .reg .b64 %s;\n"
             "    .reg .b32 %r<4>;\n"
             "    ld.param.u64 %h, [texture];\n"
             "    ld.param.u64 %s, [surface];\n"
             "    ld.param.u64 %o, [out];\n"
             "    txq.width.b32 %r0, [%h];\n"
             "    txq.height.b32 %r1, [%h];\n"
             "    suq.width.b32 %r2, [%s];\n"
             "    suq.height.b32 %r3, [%s];\n"
             "    st.global.v4.u32 [%o], {%r0, %r1, %r2, %r3};\n"
             "    ret;\n"
             "}\n";

static inline CUfunction texture_kernel(const char *name)
{
    static CUmodule module;
    CUfunction function;

    if (!module)
        check_success(cuModuleLoadData(&module, ptx_textures));
    check_success(cuModuleGetFunction(&function, module, name));
    return function;
}

/* Whole rows, in blocks of 32. */
static inline void run_kernel(const char *name, void **parameters)
{
    check_success(cuLaunchKernel(texture_kernel(name), WIDE * HIGH / 32, 1, 1, 32, 1, 1, 0, NULL,
                                 parameters, NULL));
    check_success(cuCtxSynchronize());
}

static inline void fill_array(CUarray array, const void *pixels)
{
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = pixels,
                          .srcPitch = 4 * WIDE,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = 4 * WIDE,
                          .Height = HIGH};

    check_success(cuMemcpy2D(&copy));
}

static inline void read_array(CUarray array, void *pixels)
{
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = array,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = pixels,
                          .dstPitch = 4 * WIDE,
                          .WidthInBytes = 4 * WIDE,
                          .Height = HIGH};

    check_success(cuMemcpy2D(&copy));
}

static inline CUDA_RESOURCE_DESC resource_of(CUarray array)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};

    resource.res.array.hArray = array;
    return resource;
}

static inline CUDA_TEXTURE_DESC clamped(void)
{
    return (CUDA_TEXTURE_DESC){.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
                                               CU_TR_ADDRESS_MODE_CLAMP}};
}

static inline CUtexObject new_texture(CUarray array)
{
    CUDA_RESOURCE_DESC resource = resource_of(array);
    CUDA_TEXTURE_DESC texture = clamped();
    CUtexObject object;

    check_success(cuTexObjectCreate(&object, &resource, &texture, NULL));
    return object;
}

static inline CUsurfObject new_surface(CUarray array)
{
    CUDA_RESOURCE_DESC resource = resource_of(array);
    CUsurfObject object;

    check_success(cuSurfObjectCreate(&object, &resource));
    return object;
}

#endif
