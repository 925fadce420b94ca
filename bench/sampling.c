/* SPDX-License-Identifier: MIT */
/* A fetch of each kind, 2048 x 2048 of them, along lines that are turned against the image's rows;
 * against C for one texture of that kind, on all processors, with the same bits. */
#include "bench.h"
#include "kernels/native_sampling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRAP = CU_TR_ADDRESS_MODE_WRAP, CLAMP = CU_TR_ADDRESS_MODE_CLAMP };
enum {
    U8 = CU_AD_FORMAT_UNSIGNED_INT8,
    U16 = CU_AD_FORMAT_UNSIGNED_INT16,
    F16 = CU_AD_FORMAT_HALF,
    F32 = CU_AD_FORMAT_FLOAT
};
enum { TEXTURE, SURFACE, MEMORY };

/* A texture: its image, how it is read, and by which functions. */
struct kind {
    const char *row, *kernel, *native;
    unsigned format, channels, width, height, depth, flags; /* CUDA_ARRAY3D_* */
    unsigned resource;
    bool linear, wraps; /* wraps: coordinates are normalised */
    unsigned levels;
    bool approximates; /* C has other bits */
};

static const struct kind kinds[] = {
    {"texture: 1D float, linear", "fetch_1d", "line_float", F32, 1, 4096, 0, 0, 0, TEXTURE, true,
     false, 0, false},
    {"texture: 1D float4 of height 1, linear", "fetch_1d_4", "line_float4", F32, 4, 4096, 1, 0, 0,
     TEXTURE, true, true, 0, false},
    {"texture: 1D layers float4, linear", "fetch_1d_layered_4", "lines_float4", F32, 4, 4096, 0, 4,
     CUDA_ARRAY3D_LAYERED, TEXTURE, true, true, 0, false},
    {"texture: 2D float, linear", "fetch_2d", "float", F32, 1, 2048, 2048, 0, 0, TEXTURE, true,
     false, 0, false},
    {"texture: 2D float4, linear", "fetch_2d_4", "float4", F32, 4, 1024, 1024, 0, 0, TEXTURE, true,
     false, 0, false},
    {"texture: 2D RGBA8, linear", "fetch_2d_4", "bytes4", U8, 4, 2048, 2048, 0, 0, TEXTURE, true,
     true, 0, false},
    {"texture: 2D 16-bit fractions, linear", "fetch_2d", "shorts", U16, 1, 2048, 2048, 0, 0,
     TEXTURE, true, true, 0, false},
    {"texture: 2D half4, linear", "fetch_2d_4", "halves4", F16, 4, 1024, 1024, 0, 0, TEXTURE, true,
     true, 0, false},
    {"texture: 2D bytes, point", "fetch_2d", "byte_point", U8, 1, 2048, 2048, 0, 0, TEXTURE, false,
     true, 0, false},
    {"texture: 2D layers RGBA8, linear", "fetch_2d_layered_4", "layers_bytes4", U8, 4, 1024, 1024,
     4, CUDA_ARRAY3D_LAYERED, TEXTURE, true, true, 0, false},
    {"texture: 3D bytes, linear", "fetch_3d", "box_byte", U8, 1, 128, 128, 128, 0, TEXTURE, true,
     true, 0, false},
    {"texture: 3D bytes, point", "fetch_3d", "box_byte_point", U8, 1, 128, 128, 128, 0, TEXTURE,
     false, true, 0, false},
    {"texture: 3D float, linear", "fetch_3d", "box_float", F32, 1, 128, 128, 128, 0, TEXTURE, true,
     true, 0, false},
    {"texture: cube RGBA8, linear", "fetch_cube_4", "cube_bytes4", U8, 4, 512, 512, 6,
     CUDA_ARRAY3D_CUBEMAP, TEXTURE, true, false, 0, true},
    {"texture: cubes RGBA8, linear", "fetch_cube_layered_4", "cubes_bytes4", U8, 4, 256, 256, 24,
     CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED, TEXTURE, true, false, 0, true},
    {"texture: two levels RGBA8, linear", "fetch_level_4", "levels_bytes4", U8, 4, 2048, 2048, 0, 0,
     TEXTURE, true, true, 2, false},
    {"texture: gradients RGBA8, linear", "fetch_gradient_4", "levels_bytes4", U8, 4, 2048, 2048, 0,
     0, TEXTURE, true, true, 2, true},
    {"texture: gather float", "gather_4", "gather", F32, 1, 2048, 2048, 0,
     CUDA_ARRAY3D_TEXTURE_GATHER, TEXTURE, false, false, 0, false},
    {"texture: memory, float", "fetch_memory", "memory", F32, 1, 1 << 22, 0, 0, 0, MEMORY, false,
     false, 0, false},
    {"texture: memory, float4", "fetch_memory_4", "memory4", F32, 4, 1 << 20, 0, 0, 0, MEMORY,
     false, false, 0, false},
    {"surface: 2D RGBA8, turned", "surface_2d", "surface_bytes4", U8, 4, 2048, 2048, 0,
     CUDA_ARRAY3D_SURFACE_LDST, SURFACE, false, false, 0, false},
    {"surface: 3D float, turned", "surface_3d", "surface_float3d", F32, 1, 128, 128, 128,
     CUDA_ARRAY3D_SURFACE_LDST, SURFACE, false, false, 0, false},
};

static struct {
    const struct kind *kind;
    CUmodule module;
    CUfunction function;
    native_fetch native;
    CUarray array;
    CUmipmappedArray mipmap;
    CUdeviceptr memory, out;
    CUtexObject object;
    struct native_image image;
    struct native_turn turn;
    uint8_t *texels;
    float *results;
    size_t texel_bytes, texel_count;
} state;

static size_t at_least_1(size_t value)
{
    return value ? value : 1;
}

static void load_functions(void)
{
    char path[512];

    if (!state.module) {
        snprintf(path, sizeof path, "%s/sampling.ptx", BENCH_KERNELS_FOLDER);
        must(cuModuleLoad(&state.module, path));
    }
    must(cuModuleGetFunction(&state.function, state.module, state.kind->kernel));
    state.native = NULL;
    for (const struct native_case *c = native_cases; c->name; c++)
        if (strcmp(c->name, state.kind->native) == 0)
            state.native = c->fetch;
}

/* Random texels; floats and halves from 1/16 to 16 or so, of either sign. */
static void fill_texels(void)
{
    const struct kind *kind = state.kind;
    size_t width = kind->width, height = at_least_1(kind->height), depth = at_least_1(kind->depth);
    uint64_t random = 88172645463325252u;

    state.texel_bytes = kind->channels * (kind->format == U8 ? 1u : kind->format == F32 ? 4u : 2u);
    state.texel_count = width * height * depth;
    if (kind->levels)
        state.texel_count += width / 2 * (height / 2);
    state.texels = malloc(state.texel_count * state.texel_bytes);
    state.results = malloc(NATIVE_PIXELS * sizeof(float));
    if (!state.texels || !state.results)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "malloc");
    for (size_t i = 0; i < state.texel_count * state.texel_bytes; i++)
        state.texels[i] = (uint8_t)(bench_random(&random) >> 40);
    for (size_t i = 0; kind->format == F32 && i < state.texel_count * kind->channels; i++)
        ((uint32_t *)state.texels)[i] = (((uint32_t *)state.texels)[i] & 0x83ffffff) | 0x3c000000;
    for (size_t i = 0; kind->format == F16 && i < state.texel_count * kind->channels; i++)
        ((uint16_t *)state.texels)[i] = (((uint16_t *)state.texels)[i] & 0x8fff) | 0x3000;
    state.image = (struct native_image){state.texels, (int)width, (int)height, (int)depth};
}

static void copy_level(CUarray array, const uint8_t *from, size_t width, size_t height,
                       size_t depth)
{
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = from,
                          .srcPitch = width * state.texel_bytes,
                          .srcHeight = height,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = width * state.texel_bytes,
                          .Height = height,
                          .Depth = depth};

    must(cuMemcpy3D(&copy));
}

static void make_image(CUDA_RESOURCE_DESC *resource)
{
    const struct kind *kind = state.kind;
    size_t height = at_least_1(kind->height), depth = at_least_1(kind->depth);
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {kind->width,    kind->height,
                                          kind->depth,    (CUarray_format)kind->format,
                                          kind->channels, kind->flags};
    CUarray level;

    if (kind->resource == MEMORY) {
        must(cuMemAlloc(&state.memory, state.texel_count * state.texel_bytes));
        must(cuMemcpyHtoD(state.memory, state.texels, state.texel_count * state.texel_bytes));
        resource->resType = CU_RESOURCE_TYPE_LINEAR;
        resource->res.linear.devPtr = state.memory;
        resource->res.linear.format = (CUarray_format)kind->format;
        resource->res.linear.numChannels = kind->channels;
        resource->res.linear.sizeInBytes = state.texel_count * state.texel_bytes;
    } else if (kind->levels) {
        must(cuMipmappedArrayCreate(&state.mipmap, &descriptor, kind->levels));
        must(cuMipmappedArrayGetLevel(&level, state.mipmap, 0));
        copy_level(level, state.texels, kind->width, height, 1);
        must(cuMipmappedArrayGetLevel(&level, state.mipmap, 1));
        copy_level(level, state.texels + kind->width * height * state.texel_bytes, kind->width / 2,
                   height / 2, 1);
        resource->resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        resource->res.mipmap.hMipmappedArray = state.mipmap;
    } else {
        must(cuArray3DCreate(&state.array, &descriptor));
        copy_level(state.array, state.texels, kind->width, height, depth);
        resource->resType = CU_RESOURCE_TYPE_ARRAY;
        resource->res.array.hArray = state.array;
    }
}

static void make_object(const CUDA_RESOURCE_DESC *resource)
{
    const struct kind *kind = state.kind;
    CUaddress_mode mode = kind->wraps ? CU_TR_ADDRESS_MODE_WRAP : CU_TR_ADDRESS_MODE_CLAMP;
    CUDA_TEXTURE_DESC texture = {.addressMode = {mode, mode, mode},
                                 .filterMode = kind->linear ? CU_TR_FILTER_MODE_LINEAR
                                                            : CU_TR_FILTER_MODE_POINT,
                                 .flags = kind->wraps ? CU_TRSF_NORMALIZED_COORDINATES : 0,
                                 .mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR,
                                 .maxMipmapLevelClamp = (float)kind->levels};

    if (kind->resource == SURFACE)
        must(cuSurfObjectCreate(&state.object, resource));
    else
        must(cuTexObjectCreate(&state.object, resource, &texture, NULL));
}

/* Turned by 30 degrees, across the whole image; for cubes directions to four faces. */
static void choose_turn(void)
{
    const struct kind *kind = state.kind;
    float step = 1.0f / NATIVE_WIDTH, w = 1, h = 1, d = 1;

    if (!kind->wraps) {
        w = (float)kind->width / 2;
        h = (float)at_least_1(kind->height) / 2;
        d = (float)at_least_1(kind->depth) / 2;
    }
    if (kind->flags & CUDA_ARRAY3D_CUBEMAP)
        w = h = d = 1;
    if (strcmp(kind->kernel, "fetch_gradient_4") == 0)
        d = 3.0f / NATIVE_WIDTH; /* of a texel and more */
    state.turn = (struct native_turn){.xx = 0.8660254f * step * w,
                                      .xy = 0.5f * step * w,
                                      .yx = 0.25f * step * h,
                                      .yy = 0.8660254f * step * h,
                                      .zx = 0.3f * step * d,
                                      .zy = 0.6f * step * d};
}

static void open_kind(const struct bench_row *row)
{
    CUDA_RESOURCE_DESC resource = {.flags = 0};

    bench_open();
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(kinds[i].row, row->name) == 0)
            state.kind = &kinds[i];
    load_functions();
    fill_texels();
    must(cuMemAlloc(&state.out, NATIVE_PIXELS * sizeof(float)));
    make_image(&resource);
    make_object(&resource);
    choose_turn();
}

static void close_kind(void)
{
    must(state.kind->resource == SURFACE ? cuSurfObjectDestroy(state.object)
                                         : cuTexObjectDestroy(state.object));
    if (state.array)
        must(cuArrayDestroy(state.array));
    if (state.mipmap)
        must(cuMipmappedArrayDestroy(state.mipmap));
    if (state.memory)
        must(cuMemFree(state.memory));
    must(cuMemFree(state.out));
    state.array = NULL;
    state.mipmap = NULL;
    state.memory = 0;
    free(state.texels);
    free(state.results);
}

static void run_kernel(void *argument, size_t count)
{
    void *arguments[] = {&state.object, &state.out, &state.turn};

    (void)argument;
    for (size_t i = 0; i < count; i++)
        must(cuLaunchKernel(state.function, NATIVE_PIXELS / 256, 1, 1, 256, 1, 1, 0, NULL,
                            arguments, NULL));
    must(cuCtxSynchronize());
}

static void run_native(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++)
        state.native(&state.image, state.results, &state.turn);
}

/* Both must compute the same bits. */
static void compare(const struct bench_row *row)
{
    float *ours = malloc(NATIVE_PIXELS * sizeof(float));
    size_t wrong = 0;

    if (!ours)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "malloc");
    must(cuMemcpyDtoH(ours, state.out, NATIVE_PIXELS * sizeof(float)));
    for (size_t i = 0; i < NATIVE_PIXELS; i++)
        wrong += memcmp(&ours[i], &state.results[i], sizeof(float)) != 0;
    free(ours);
    if (wrong && !state.kind->approximates) {
        fprintf(stderr, "bench: %s: %zu values differ from C\n", row->name, wrong);
        exit(1);
    }
}

static struct bench_result measure(const struct bench_row *row)
{
    struct bench_result result;

    open_kind(row);
    run_kernel(NULL, 1);
    run_native(NULL, 1);
    compare(row);
    result =
        bench_long((struct bench_side){run_kernel, NULL}, (struct bench_side){run_native, NULL});
    close_kind();
    /* nanoseconds a fetch */
    result.subject /= NATIVE_PIXELS;
    result.reference /= NATIVE_PIXELS;
    return result;
}

#define ROW(name_)                                                                                 \
    {                                                                                              \
        .name = name_, .reference = "C", .unit = BENCH_NS, .goal = BENCH_RATIO_AT_MOST,            \
        .limit = 1.3, .measure = measure                                                           \
    }
const struct bench_row bench_sampling_rows[] = {
    ROW("texture: 1D float, linear"),
    ROW("texture: 1D float4 of height 1, linear"),
    ROW("texture: 1D layers float4, linear"),
    ROW("texture: 2D float, linear"),
    ROW("texture: 2D float4, linear"),
    ROW("texture: 2D RGBA8, linear"),
    ROW("texture: 2D 16-bit fractions, linear"),
    ROW("texture: 2D half4, linear"),
    ROW("texture: 2D bytes, point"),
    ROW("texture: 2D layers RGBA8, linear"),
    ROW("texture: 3D bytes, linear"),
    ROW("texture: 3D bytes, point"),
    ROW("texture: 3D float, linear"),
    ROW("texture: cube RGBA8, linear"),
    ROW("texture: cubes RGBA8, linear"),
    ROW("texture: two levels RGBA8, linear"),
    ROW("texture: gradients RGBA8, linear"),
    ROW("texture: gather float"),
    ROW("texture: memory, float"),
    ROW("texture: memory, float4"),
    ROW("surface: 2D RGBA8, turned"),
    ROW("surface: 3D float, turned"),
    {.name = NULL},
};
