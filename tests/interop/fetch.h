/* SPDX-License-Identifier: MIT */
/* Kernels that read linear memory through textures and in vectors, compared with the bytes that are
 * there, and TIER_TEST, a test that both tiers of the compiler run. Included after test.h. */
#ifndef INTEROP_FETCH_H
#define INTEROP_FETCH_H

#define TIER_TEST(test_name)                                                                       \
    static void either_##test_name(void);                                                          \
    TEST(first_tier_##test_name)                                                                   \
    {                                                                                              \
        setenv("CUPIPE_JIT", "first", 1);                                                          \
        either_##test_name();                                                                      \
    }                                                                                              \
    TEST(optimised_##test_name)                                                                    \
    {                                                                                              \
        setenv("CUPIPE_JIT", "optimised", 1);                                                      \
        either_##test_name();                                                                      \
    }                                                                                              \
    static void either_##test_name(void)

#define FETCH_HEAD                                                                                 \
    "{\n"                                                                                          \
    "    .reg .b32 %r<8>;\n"                                                                       \
    "    .reg .f32 %x, %y;\n"                                                                      \
    "    .reg .b64 %t, %o, %at, %low, %high;\n"                                                    \
    "    ld.param.u64 %o, [out];\n"                                                                \
    "    mov.u32 %r4, %ctaid.x;\n"                                                                 \
    "    mov.u32 %r5, %ntid.x;\n"                                                                  \
    "    mov.u32 %r6, %tid.x;\n"                                                                   \
    "    mad.lo.u32 %r4, %r4, %r5, %r6;\n"                                                         \
    "    mul.wide.u32 %at, %r4, 16;\n"                                                             \
    "    add.u64 %o, %o, %at;\n"

#define FETCH_PLACE                                                                                \
    "    ld.param.u32 %r5, [width];\n"                                                             \
    "    rem.u32 %r6, %r4, %r5;\n"                                                                 \
    "    div.u32 %r7, %r4, %r5;\n"                                                                 \
    "    cvt.rn.f32.u32 %x, %r6;\n"                                                                \
    "    cvt.rn.f32.u32 %y, %r7;\n"

#define FETCH_STORE                                                                                \
    "    st.global.v4.u32 [%o], {%r0, %r1, %r2, %r3};\n"                                           \
    "    ret;\n"                                                                                   \
    "}\n"

/* Each thread writes the four channels of its texel; `vectors` the 16 bytes of its place, which it
 * inverts. */
static const char ptx_fetch[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".global .texref line;\n"
    ".global .texref picture;\n"
    ".visible .entry fetch_line(.param .u64 out, .param .u64 texture)\n" FETCH_HEAD
    "    ld.param.u64 %t, [texture];\n"
    "    tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%r4}];\n" FETCH_STORE
    ".visible .entry fetch_picture(.param .u64 out, .param .u64 texture, .param .u32 "
    "width)\n" FETCH_HEAD "    ld.param.u64 %t, [texture];\n" FETCH_PLACE
    "    tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y}];\n" FETCH_STORE
    ".visible .entry reference_line(.param .u64 out, .param .u32 first)\n" FETCH_HEAD
    "    ld.param.u32 %r5, [first];\n"
    "    add.u32 %r4, %r4, %r5;\n"
    "    tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [line, {%r4}];\n" FETCH_STORE
    ".visible .entry reference_picture(.param .u64 out, .param .u32 width)\n" FETCH_HEAD FETCH_PLACE
    "    tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [picture, {%x, %y}];\n" FETCH_STORE
    ".visible .entry vectors(.param .u64 out, .param .u64 memory)\n" FETCH_HEAD
    "    ld.param.u64 %t, [memory];\n"
    "    add.u64 %t, %t, %at;\n"
    "    ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%t];\n"
    "    ld.global.v2.u64 {%low, %high}, [%t];\n"
    "    not.b64 %low, %low;\n"
    "    not.b64 %high, %high;\n"
    "    st.global.v2.u64 [%t], {%low, %high};\n" FETCH_STORE;

enum { FETCH_THREADS = 32, FETCH_TEXELS_MAX = 4096 };

static inline CUmodule fetch_module(void)
{
    static CUmodule module;

    if (!module)
        check_success(cuModuleLoadData(&module, ptx_fetch));
    return module;
}

/* Runs a kernel whose first parameter is the output. `count` is a multiple of FETCH_THREADS. */
static inline void fetch(const char *kernel, unsigned count, void **others, uint32_t (*texels)[4])
{
    void *parameters[4] = {NULL, others[0], others[1], NULL};
    CUfunction function;
    CUdeviceptr out;

    check(count % FETCH_THREADS == 0 && count <= FETCH_TEXELS_MAX);
    check_success(cuModuleGetFunction(&function, fetch_module(), kernel));
    check_success(cuMemAlloc(&out, (size_t)count * 16));
    parameters[0] = &out;
    check_success(cuLaunchKernel(function, count / FETCH_THREADS, 1, 1, FETCH_THREADS, 1, 1, 0,
                                 NULL, parameters, NULL));
    check_success(cuMemcpyDtoH(texels, out, (size_t)count * 16));
    check_success(cuMemFree(out));
}

struct fetch_format {
    CUarray_format id;
    unsigned channel_bytes, channels;
};

static const struct fetch_format fetch_formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 1, 1},  {CU_AD_FORMAT_UNSIGNED_INT8, 1, 2},
    {CU_AD_FORMAT_UNSIGNED_INT8, 1, 4},  {CU_AD_FORMAT_UNSIGNED_INT16, 2, 1},
    {CU_AD_FORMAT_UNSIGNED_INT16, 2, 2}, {CU_AD_FORMAT_UNSIGNED_INT16, 2, 4},
    {CU_AD_FORMAT_UNSIGNED_INT32, 4, 1}, {CU_AD_FORMAT_UNSIGNED_INT32, 4, 2},
    {CU_AD_FORMAT_UNSIGNED_INT32, 4, 4},
};

enum { FETCH_FORMATS = sizeof(fetch_formats) / sizeof(fetch_formats[0]) };

static inline void check_texel(const struct fetch_format *format, const uint32_t *texel,
                               const unsigned char *bytes)
{
    for (unsigned c = 0; c < format->channels; c++) {
        uint32_t expected = 0; /* little endian */
        memcpy(&expected, bytes + (size_t)c * format->channel_bytes, format->channel_bytes);
        check(texel[c] == expected);
    }
}

static inline CUDA_RESOURCE_DESC line_at(CUdeviceptr memory, const struct fetch_format *format,
                                         size_t bytes)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};

    resource.res.linear.devPtr = memory;
    resource.res.linear.format = format->id;
    resource.res.linear.numChannels = format->channels;
    resource.res.linear.sizeInBytes = bytes;
    return resource;
}

static inline CUDA_RESOURCE_DESC picture_at(CUdeviceptr memory, const struct fetch_format *format,
                                            size_t width, size_t height, size_t pitch)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};

    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.format = format->id;
    resource.res.pitch2D.numChannels = format->channels;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return resource;
}

static inline CUresult try_texture(CUtexObject *texture, CUDA_RESOURCE_DESC resource)
{
    CUDA_TEXTURE_DESC descriptor = {
        .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
        .flags = CU_TRSF_READ_AS_INTEGER};

    return cuTexObjectCreate(texture, &resource, &descriptor, NULL);
}

/* Compares a texture of linear memory with the bytes that are there. */
static inline void check_line(CUdeviceptr memory, const unsigned char *bytes, size_t size,
                              const struct fetch_format *format)
{
    static uint32_t texels[FETCH_TEXELS_MAX][4];
    size_t texel_bytes = (size_t)format->channel_bytes * format->channels;
    unsigned count = (unsigned)(size / texel_bytes) / FETCH_THREADS * FETCH_THREADS;
    CUtexObject texture;

    count = count < FETCH_TEXELS_MAX ? count : FETCH_TEXELS_MAX;
    check_success(try_texture(&texture, line_at(memory, format, size)));
    fetch("fetch_line", count, (void *[]){&texture, NULL}, texels);
    for (unsigned i = 0; i < count; i++)
        check_texel(format, texels[i], bytes + i * texel_bytes);
    check_success(cuTexObjectDestroy(texture));
}

/* The same for a texture of two dimensions. */
static inline void check_picture(CUdeviceptr memory, const unsigned char *bytes, unsigned width,
                                 unsigned height, size_t pitch, const struct fetch_format *format)
{
    static uint32_t texels[FETCH_TEXELS_MAX][4];
    size_t texel_bytes = (size_t)format->channel_bytes * format->channels;
    CUtexObject texture;

    check_success(try_texture(&texture, picture_at(memory, format, width, height, pitch)));
    fetch("fetch_picture", width * height, (void *[]){&texture, &width}, texels);
    for (unsigned i = 0; i < width * height; i++)
        check_texel(format, texels[i], bytes + i / width * pitch + i % width * texel_bytes);
    check_success(cuTexObjectDestroy(texture));
}

/* Reads all of it in vectors, and inverts it. */
static inline void check_vectors(CUdeviceptr memory, const unsigned char *bytes, size_t size)
{
    static uint32_t texels[FETCH_TEXELS_MAX][4];
    unsigned count = (unsigned)(size / 16) / FETCH_THREADS * FETCH_THREADS;
    unsigned char after[FETCH_TEXELS_MAX * 16];

    fetch("vectors", count, (void *[]){&memory, NULL}, texels);
    check(memcmp(texels, bytes, (size_t)count * 16) == 0);
    check_success(cuMemcpyDtoH(after, memory, (size_t)count * 16));
    for (size_t i = 0; i < (size_t)count * 16; i++)
        check(after[i] == (unsigned char)~bytes[i]);
}

/* Binds the reference `line` and compares. `memory` may be aligned as it likes. */
static inline void check_line_reference(CUdeviceptr memory, size_t offset,
                                        const unsigned char *bytes, size_t size)
{
    static uint32_t texels[FETCH_TEXELS_MAX][4];
    const struct fetch_format format = {CU_AD_FORMAT_UNSIGNED_INT32, 4, 1};
    unsigned count = (unsigned)(size / 4) / FETCH_THREADS * FETCH_THREADS, first;
    CUdeviceptr bound;
    CUtexref line;
    size_t rest = 99;

    check_success(cuModuleGetTexRef(&line, fetch_module(), "line"));
    check_success(cuTexRefSetFormat(line, format.id, 1));
    check_success(cuTexRefSetFlags(line, CU_TRSF_READ_AS_INTEGER));
    check_success(cuTexRefSetAddress(&rest, line, memory + offset, size));
    check(rest == offset % 512);
    check_success(cuTexRefGetAddress(&bound, line));
    check(bound == memory + offset - rest);
    check_result(cuTexRefSetAddress(NULL, line, memory + offset, size),
                 rest ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
    check_success(cuTexRefSetAddress(&rest, line, memory + offset, size));
    first = (unsigned)(rest / 4);
    fetch("reference_line", count, (void *[]){&first, NULL}, texels);
    for (unsigned i = 0; i < count; i++)
        check_texel(&format, texels[i], bytes + offset + (size_t)i * 4);
}

static inline void check_picture_reference(CUdeviceptr memory, const unsigned char *bytes,
                                           unsigned width, unsigned height, size_t pitch)
{
    static uint32_t texels[FETCH_TEXELS_MAX][4];
    const struct fetch_format format = {CU_AD_FORMAT_UNSIGNED_INT8, 1, 4};
    CUDA_ARRAY_DESCRIPTOR descriptor = {width, height, format.id, format.channels};
    CUtexref picture;

    check_success(cuModuleGetTexRef(&picture, fetch_module(), "picture"));
    check_success(cuTexRefSetFlags(picture, CU_TRSF_READ_AS_INTEGER));
    check_success(cuTexRefSetAddress2D(picture, &descriptor, memory, pitch));
    check_result(cuTexRefSetAddress2D(picture, &descriptor, memory + 16, pitch),
                 CUDA_ERROR_INVALID_VALUE);
    fetch("reference_picture", width * height, (void *[]){&width, NULL}, texels);
    for (unsigned i = 0; i < width * height; i++)
        check_texel(&format, texels[i], bytes + i / width * pitch + i % width * 4);
}

/* Textures begin at multiples of 512 bytes of the memory, and nowhere else. */
static inline void check_offsets(CUdeviceptr memory, const unsigned char *bytes, size_t size)
{
    const struct fetch_format *format = &fetch_formats[2];
    CUtexObject texture;

    for (size_t offset = 16; offset <= 1024; offset *= 2) {
        CUdeviceptr at = memory + offset;
        if (offset % 512 == 0) {
            check_line(at, bytes + offset, size - offset, format);
            check_picture(at, bytes + offset, 16, 4, 64, format);
        } else {
            check_result(try_texture(&texture, line_at(at, format, size - offset)),
                         CUDA_ERROR_INVALID_VALUE);
            check_result(try_texture(&texture, picture_at(at, format, 16, 4, 64)),
                         CUDA_ERROR_INVALID_VALUE);
        }
        check_line_reference(memory, offset, bytes, size - offset);
    }
}

#endif
