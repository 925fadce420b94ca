/* SPDX-License-Identifier: MIT */
/* Textures: a picture of 4096 x 4096 is turned with bilinear filtering, against the same as plain C
 * on all processors; and is turned, and read row by row, texel by texel, against kernels that read
 * the same out of an array. */
#include "bench.h"
#include "kernels/native_textures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 4096, BLOCK_WIDTH = 32, BLOCK_HEIGHT = 8 };

static const size_t picture_bytes = (size_t)4 * WIDTH * WIDTH;
static const float cosine = 0.8660254f, sine = 0.5f;

static struct {
    CUmodule module;
    CUfunction rotate, read_texture, read_array, turn_texture, turn_array;
    CUarray array;
    CUtexObject texture;
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
    state.read_texture = function_named("read_texture");
    state.read_array = function_named("read_array");
    state.turn_texture = function_named("turn_texture");
    state.turn_array = function_named("turn_array");
}

/* The picture as an array of such elements, and a texture of it. */
static void open_textures(CUarray_format format, unsigned channels, CUfilter_mode filter)
{
    CUDA_ARRAY_DESCRIPTOR descriptor = {WIDTH, WIDTH, format, channels};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC texture = {
        .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP}, .filterMode = filter};
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
    must(cuArrayCreate(&state.array, &descriptor));
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
}

static void close_textures(void)
{
    must(cuTexObjectDestroy(state.texture));
    must(cuArrayDestroy(state.array));
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

static void read_texture(void *argument, size_t count)
{
    int width = WIDTH;
    void *arguments[] = {&state.texture, &state.out, &width};

    (void)argument;
    launch(state.read_texture, arguments, count);
}

static void read_array(void *argument, size_t count)
{
    int width = WIDTH;
    void *arguments[] = {&state.in, &state.out, &width};

    (void)argument;
    launch(state.read_array, arguments, count);
}

static void turn_texture(void *argument, size_t count)
{
    int width = WIDTH;
    void *arguments[] = {&state.texture, &state.out, &width, (void *)&cosine, (void *)&sine};

    (void)argument;
    launch(state.turn_texture, arguments, count);
}

static void turn_array(void *argument, size_t count)
{
    int width = WIDTH;
    void *arguments[] = {&state.in, &state.out, &width, (void *)&cosine, (void *)&sine};

    (void)argument;
    launch(state.turn_array, arguments, count);
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
    open_textures(CU_AD_FORMAT_UNSIGNED_INT8, 4, CU_TR_FILTER_MODE_LINEAR);
    rotate_kernel(NULL, 1);
    rotate_native(NULL, 1);
    compare(row->name, state.turned, 3);
    struct bench_result result = bench_long((struct bench_side){rotate_kernel, NULL},
                                            (struct bench_side){rotate_native, NULL});
    close_textures();
    return in_ms(result);
}

static struct bench_result measure_turning(const struct bench_row *row)
{
    open_textures(CU_AD_FORMAT_FLOAT, 1, CU_TR_FILTER_MODE_POINT);
    turn_array(NULL, 1);
    must(cuMemcpyDtoH(state.turned, state.out, picture_bytes));
    must(cuMemsetD8(state.out, 0, picture_bytes));
    turn_texture(NULL, 1);
    compare(row->name, state.turned, 0);
    struct bench_result result =
        bench_long((struct bench_side){turn_texture, NULL}, (struct bench_side){turn_array, NULL});
    close_textures();
    return in_ms(result);
}

static struct bench_result measure_reading(const struct bench_row *row)
{
    open_textures(CU_AD_FORMAT_FLOAT, 1, CU_TR_FILTER_MODE_POINT);
    read_texture(NULL, 1);
    compare(row->name, state.picture, 0);
    must(cuMemsetD8(state.out, 0, picture_bytes));
    read_array(NULL, 1);
    compare(row->name, state.picture, 0);
    struct bench_result result =
        bench_long((struct bench_side){read_texture, NULL}, (struct bench_side){read_array, NULL});
    close_textures();
    return in_ms(result);
}

const struct bench_row bench_texture_rows[] = {
    {.name = "texture: rotate RGBA8, bilinear, 4096²",
     .reference = "C",
     .unit = BENCH_MS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 1,
     .measure = measure_rotation},
    {.name = "texture: rotate floats, point, 4096²",
     .reference = "array",
     .unit = BENCH_MS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 1.3,
     .measure = measure_turning},
    {.name = "texture: read floats, point, 4096²",
     .reference = "array",
     .unit = BENCH_MS,
     .goal = BENCH_INFORM,
     .measure = measure_reading},
    {.name = NULL},
};
