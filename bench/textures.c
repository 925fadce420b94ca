/* SPDX-License-Identifier: MIT */
/* Textures: a picture of 4096 x 4096 is turned with bilinear filtering, against the same as plain C
 * on all processors; and is turned, and read row by row, texel by texel, against kernels that read
 * the same out of an array. Surfaces likewise. */
#include "bench.h"
#include "kernels/native_textures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 4096, BLOCK_WIDTH = 32, BLOCK_HEIGHT = 8 };

static const size_t picture_bytes = (size_t)4 * WIDTH * WIDTH;
static const float cosine = 0.8660254f, sine = 0.5f;

static struct {
    CUmodule module;
    CUfunction rotate;
    CUarray array, canvas;
    CUtexObject texture;
    CUsurfObject from, to;
    CUdeviceptr in, out;
    uint8_t *picture, *turned;
} state;

static CUfunction function_named(const char *name)
{
    CUfunction function;

    must(cuModuleGetFunction(&function, state.module, name));
    return function;
}

static void load_module(void)
{
    char path[512], *text = calloc(1, 1 << 20);
    FILE *file;

    snprintf(path, sizeof path, "%s/textures.ptx", BENCH_KERNELS_FOLDER);
    file = fopen(path, "rb");
    if (!text || !file || fread(text, 1, (1 << 20) - 1, file) == 0) {
        fprintf(stderr, "bench: %s cannot be read\n", path);
        exit(1);
    }
    fclose(file);
    must(cuModuleLoadData(&state.module, text));
    free(text);
    state.rotate = function_named("rotate");
}

/* The picture as an array of such elements, a texture of it, a surface, and another surface. */
static void open_textures(CUarray_format format, unsigned channels, CUfilter_mode filter,
                          unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {WIDTH,  WIDTH,    0,
                                          format, channels, CUDA_ARRAY3D_SURFACE_LDST};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC texture = {
        .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
        .filterMode = filter,
        .flags = flags};
    uint64_t random = 88172645463325252u;

    bench_open();
    if (!state.module)
        load_module();
    state.picture = aligned_alloc(4096, picture_bytes);
    state.turned = aligned_alloc(4096, picture_bytes);
    if (!state.picture || !state.turned)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "aligned_alloc");
    for (size_t i = 0; i < picture_bytes; i++)
        state.picture[i] = (uint8_t)(bench_random(&random) >> 40);
    if (format == CU_AD_FORMAT_FLOAT)
        for (size_t i = 0; i < picture_bytes / 4; i++)
            ((float *)state.picture)[i] = (float)(i % 8191);
    memset(state.turned, 0, picture_bytes);
    must(cuArray3DCreate(&state.array, &descriptor));
    must(cuArray3DCreate(&state.canvas, &descriptor));
    must(cuMemAlloc(&state.in, picture_bytes));
    must(cuMemAlloc(&state.out, picture_bytes));
    must(cuMemcpyHtoD(state.in, state.picture, picture_bytes));
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = state.picture,
                          .srcPitch = 4 * WIDTH,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = state.array,
                          .WidthInBytes = 4 * WIDTH,
                          .Height = WIDTH};
    must(cuMemcpy2D(&copy));
    resource.res.array.hArray = state.array;
    must(cuTexObjectCreate(&state.texture, &resource, &texture, NULL));
    must(cuSurfObjectCreate(&state.from, &resource));
    resource.res.array.hArray = state.canvas;
    must(cuSurfObjectCreate(&state.to, &resource));
}

static void close_textures(void)
{
    must(cuTexObjectDestroy(state.texture));
    must(cuSurfObjectDestroy(state.from));
    must(cuSurfObjectDestroy(state.to));
    must(cuArrayDestroy(state.array));
    must(cuArrayDestroy(state.canvas));
    must(cuMemFree(state.in));
    must(cuMemFree(state.out));
    free(state.picture);
    free(state.turned);
}

static void launch(CUfunction function, void **arguments, size_t count)
{
    for (size_t i = 0; i < count; i++)
        must(cuLaunchKernel(function, WIDTH / BLOCK_WIDTH, WIDTH / BLOCK_HEIGHT, 1, BLOCK_WIDTH,
                            BLOCK_HEIGHT, 1, 0, NULL, arguments, NULL));
    must(cuCtxSynchronize());
}

static void rotate_kernel(void *argument, size_t count)
{
    int width = WIDTH;
    void *arguments[] = {&state.texture, &state.out, &width, (void *)&cosine, (void *)&sine};

    (void)argument;
    launch(state.rotate, arguments, count);
}

static void rotate_native(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++)
        native_rotate(state.picture, state.turned, WIDTH, cosine, sine);
}

/* One of two kernels that do the same: through a texture or surface, and out of an array. */
struct reading {
    const char *kernel;
    unsigned long long *from, *to;
};

static void run_reading(void *argument, size_t count)
{
    const struct reading *reading = argument;
    int width = WIDTH;
    void *arguments[] = {reading->from, reading->to, &width, (void *)&cosine, (void *)&sine};

    launch(function_named(reading->kernel), arguments, count);
}

/* The device weighs in steps of 1/256: a value may differ by the step of two of them, and one. */
static void compare(const char *name, const uint8_t *expected, int most)
{
    uint8_t *ours = malloc(picture_bytes);
    size_t wrong = 0;

    if (!ours)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "malloc");
    must(cuMemcpyDtoH(ours, state.out, picture_bytes));
    for (size_t i = 0; i < picture_bytes; i++)
        wrong += abs((int)ours[i] - (int)expected[i]) > most;
    free(ours);
    if (wrong) {
        fprintf(stderr, "bench: %s computed %zu wrong values\n", name, wrong);
        exit(1);
    }
}

static struct bench_result in_ms(struct bench_result result)
{
    result.subject /= 1e6;
    result.reference /= 1e6;
    return result;
}

static struct bench_result measure_rotation(const struct bench_row *row)
{
    open_textures(CU_AD_FORMAT_UNSIGNED_INT8, 4, CU_TR_FILTER_MODE_LINEAR, 0);
    rotate_kernel(NULL, 1);
    rotate_native(NULL, 1);
    compare(row->name, state.turned, 3);
    struct bench_result result = bench_long((struct bench_side){rotate_kernel, NULL},
                                            (struct bench_side){rotate_native, NULL});
    close_textures();
    return in_ms(result);
}

/* Both kernels must compute the same. */
static struct bench_result measure_reading(const struct bench_row *row, CUarray_format format,
                                           unsigned flags, const char *texture, const char *array)
{
    struct reading subject = {.kernel = texture, .from = &state.texture, .to = &state.out};
    struct reading reference = {.kernel = array, .from = &state.in, .to = &state.out};

    open_textures(format, format == CU_AD_FORMAT_FLOAT ? 1 : 4, CU_TR_FILTER_MODE_POINT, flags);
    run_reading(&reference, 1);
    must(cuMemcpyDtoH(state.turned, state.out, picture_bytes));
    must(cuMemsetD8(state.out, 0, picture_bytes));
    run_reading(&subject, 1);
    compare(row->name, state.turned, 0);
    struct bench_result result = bench_long((struct bench_side){run_reading, &subject},
                                            (struct bench_side){run_reading, &reference});
    close_textures();
    return in_ms(result);
}

#define READING(id, format, flags, texture, array)                                                 \
    static struct bench_result measure_##id(const struct bench_row *row)                           \
    {                                                                                              \
        return measure_reading(row, format, flags, texture, array);                                \
    }
READING(floats, CU_AD_FORMAT_FLOAT, 0, "read_texture", "read_array")
READING(turned_floats, CU_AD_FORMAT_FLOAT, 0, "turn_texture", "turn_array")
READING(pixels, CU_AD_FORMAT_UNSIGNED_INT8, CU_TRSF_READ_AS_INTEGER, "read_pixels",
        "read_pixel_array")
READING(turned_pixels, CU_AD_FORMAT_UNSIGNED_INT8, CU_TRSF_READ_AS_INTEGER, "turn_pixels",
        "turn_pixel_array")
READING(fractions, CU_AD_FORMAT_UNSIGNED_INT8, 0, "read_fractions", "read_fraction_array")
READING(turned_fractions, CU_AD_FORMAT_UNSIGNED_INT8, 0, "turn_fractions", "turn_fraction_array")

static struct bench_result measure_surface(const struct bench_row *row)
{
    struct reading subject = {.kernel = "copy_surface", .from = &state.from, .to = &state.to};
    struct reading reference = {.kernel = "read_pixel_array", .from = &state.in, .to = &state.out};

    open_textures(CU_AD_FORMAT_UNSIGNED_INT8, 4, CU_TR_FILTER_MODE_POINT, 0);
    run_reading(&subject, 1);
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = state.canvas,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = state.out,
                          .dstPitch = 4 * WIDTH,
                          .WidthInBytes = 4 * WIDTH,
                          .Height = WIDTH};
    must(cuMemcpy2D(&copy));
    compare(row->name, state.picture, 0);
    struct bench_result result = bench_long((struct bench_side){run_reading, &subject},
                                            (struct bench_side){run_reading, &reference});
    close_textures();
    return in_ms(result);
}

#define ROW(name_, reference_, limit_, measure_)                                                   \
    {                                                                                              \
        .name = name_, .reference = reference_, .unit = BENCH_MS, .goal = BENCH_RATIO_AT_MOST,     \
        .limit = limit_, .measure = measure_                                                       \
    }
const struct bench_row bench_texture_rows[] = {
    ROW("texture: rotate RGBA8, bilinear, 4096²", "C", 1, measure_rotation),
    ROW("texture: rotate floats, point, 4096²", "array", 1.3, measure_turned_floats),
    ROW("texture: rotate RGBA8, point, 4096²", "array", 1.3, measure_turned_pixels),
    ROW("texture: rotate RGBA8 fractions, point, 4096²", "array", 1.3, measure_turned_fractions),
    ROW("texture: read floats, point, 4096²", "array", 1.3, measure_floats),
    ROW("texture: read RGBA8, point, 4096²", "array", 1.3, measure_pixels),
    ROW("texture: read RGBA8 fractions, point, 4096²", "array", 1.3, measure_fractions),
    {.name = "surface: copy RGBA8, 4096²",
     .reference = "array",
     .unit = BENCH_MS,
     .goal = BENCH_INFORM,
     .measure = measure_surface},
    {.name = NULL},
};
