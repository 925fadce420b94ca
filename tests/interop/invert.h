/* SPDX-License-Identifier: MIT */
/* A kernel that inverts a picture of RGBA bytes where it lies: read through a texture, written
 * through a surface. Included after test.h. */
#ifndef INTEROP_INVERT_H
#define INTEROP_INVERT_H

static const char ptx_invert[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry invert(.param .u64 texture, .param .u64 surface, .param .u32 width, "
    ".param .u32 count)\n"
    "{\n"
    "    .reg .b64 %t, %s;\n"
    "    .reg .b32 %r<16>;\n"
    "    .reg .pred %p;\n"
    "    ld.param.u64 %t, [texture];\n"
    "    ld.param.u64 %s, [surface];\n"
    "    ld.param.u32 %r0, [width];\n"
    "    ld.param.u32 %r1, [count];\n"
    "    mov.u32 %r2, %ctaid.x;\n"
    "    mov.u32 %r3, %ntid.x;\n"
    "    mov.u32 %r4, %tid.x;\n"
    "    mad.lo.u32 %r5, %r2, %r3, %r4;\n"
    "    setp.ge.u32 %p, %r5, %r1;\n"
    "    @%p bra DONE;\n"
    "    div.u32 %r6, %r5, %r0;\n"
    "    rem.u32 %r7, %r5, %r0;\n"
    "    tex.2d.v4.u32.s32 {%r8, %r9, %r10, %r11}, [%t, {%r7, %r6}];\n"
    "    shl.b32 %r9, %r9, 8;\n"
    "    shl.b32 %r10, %r10, 16;\n"
    "    shl.b32 %r11, %r11, 24;\n"
    "    or.b32 %r8, %r8, %r9;\n"
    "    or.b32 %r8, %r8, %r10;\n"
    "    or.b32 %r8, %r8, %r11;\n"
    "    not.b32 %r8, %r8;\n"
    "    shl.b32 %r7, %r7, 2;\n"
    "    sust.b.2d.b32.trap [%s, {%r7, %r6}], %r8;\n"
    "DONE:\n"
    "    ret;\n"
    "}\n";

static inline void invert(CUarray array, unsigned width, unsigned height)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC descriptor = {
        .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
        .flags = CU_TRSF_READ_AS_INTEGER};
    unsigned count = width * height;
    CUsurfObject surface;
    CUtexObject texture;
    CUfunction function;
    CUmodule module;

    resource.res.array.hArray = array;
    check_success(cuTexObjectCreate(&texture, &resource, &descriptor, NULL));
    check_success(cuSurfObjectCreate(&surface, &resource));
    check_success(cuModuleLoadData(&module, ptx_invert));
    check_success(cuModuleGetFunction(&function, module, "invert"));
    void *parameters[] = {&texture, &surface, &width, &count};
    check_success(
        cuLaunchKernel(function, (count + 63) / 64, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuTexObjectDestroy(texture));
    check_success(cuSurfObjectDestroy(surface));
    check_success(cuModuleUnload(module));
}

static inline void invert_bytes(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)~bytes[i];
}

#endif
