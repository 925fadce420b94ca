/* SPDX-License-Identifier: MIT */
/* OpenGL's buffers and textures, mapped for CUDA and unmapped, against what OpenGL alone needs for
 * the same: mapping a buffer, and moving the pixels of a texture one way. */
#include "bench.h"
#include "opengl.h"

#include <cudaGL.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SIDE = 4096, /* of the texture */
    SMALL_BYTES = 1 << 16,
    ACCESS = O_MAP_READ | O_MAP_WRITE,
};

static struct opengl gl;

/* Once a process. NULL, or why there is no context. */
static const char *open_gl(void)
{
    static const char *reason;
    static bool tried;

    if (!tried)
        reason = opengl_open_egl(&gl, OPENGL_CORE);
    tried = true;
    return reason;
}

static struct bench_result without(const char *reason)
{
    struct bench_result result = {0};

    snprintf(result.note, sizeof(result.note), "%.60s", reason);
    return result;
}

struct object {
    unsigned name;
    size_t bytes;
    CUgraphicsResource resource;
    void *memory;
};

static void map_unmap(void *argument, size_t count)
{
    struct object *object = argument;

    for (size_t i = 0; i < count; i++) {
        must(cuGraphicsMapResources(1, &object->resource, NULL));
        must(cuGraphicsUnmapResources(1, &object->resource, NULL));
    }
}

static void map_bare(void *argument, size_t count)
{
    const struct object *object = argument;

    for (size_t i = 0; i < count; i++) {
        bench_keep(gl.MapNamedBufferRange(object->name, 0, (ptrdiff_t)object->bytes, ACCESS));
        gl.UnmapNamedBuffer(object->name);
    }
}

static struct object new_buffer(size_t bytes)
{
    struct object object = {.bytes = bytes};

    gl.GenBuffers(1, &object.name);
    gl.BindBuffer(O_ARRAY_BUFFER, object.name);
    gl.BufferData(O_ARRAY_BUFFER, (ptrdiff_t)bytes, NULL, O_DYNAMIC_DRAW);
    must(cuGraphicsGLRegisterBuffer(&object.resource, object.name, 0));
    return object;
}

static void free_buffer(struct object *object)
{
    must(cuGraphicsUnregisterResource(object->resource));
    gl.DeleteBuffers(1, &object->name);
}

static struct bench_result measure_buffer(const struct bench_row *row)
{
    const char *reason = open_gl();

    if (reason)
        return without(reason);
    bench_open();
    struct object object = new_buffer(row->bytes);
    struct bench_result result = bench_short((struct bench_side){map_unmap, &object},
                                             (struct bench_side){map_bare, &object});
    free_buffer(&object);
    return result;
}

/* A large one against a small one. */
static struct bench_result measure_sizes(const struct bench_row *row)
{
    const char *reason = open_gl();

    if (reason)
        return without(reason);
    bench_open();
    struct object large = new_buffer(row->bytes), small = new_buffer(SMALL_BYTES);
    struct bench_result result =
        bench_short((struct bench_side){map_unmap, &large}, (struct bench_side){map_unmap, &small});
    free_buffer(&large);
    free_buffer(&small);
    return result;
}

static void map_array_unmap(void *argument, size_t count)
{
    struct object *object = argument;
    CUarray array;

    for (size_t i = 0; i < count; i++) {
        must(cuGraphicsMapResources(1, &object->resource, NULL));
        must(cuGraphicsSubResourceGetMappedArray(&array, object->resource, 0, 0));
        must(cuGraphicsUnmapResources(1, &object->resource, NULL));
    }
}

static void read_bare(void *argument, size_t count)
{
    const struct object *object = argument;

    for (size_t i = 0; i < count; i++)
        gl.GetTextureImage(object->name, 0, O_RGBA, O_UNSIGNED_BYTE, (int)object->bytes,
                           object->memory);
}

static void write_bare(void *argument, size_t count)
{
    const struct object *object = argument;

    for (size_t i = 0; i < count; i++)
        gl.TextureSubImage2D(object->name, 0, 0, 0, SIDE, SIDE, O_RGBA, O_UNSIGNED_BYTE,
                             object->memory);
}

static struct bench_result measure_texture(unsigned flags, void (*bare)(void *, size_t))
{
    const char *reason = open_gl();
    struct object object = {.bytes = (size_t)SIDE * SIDE * 4};

    if (reason)
        return without(reason);
    bench_open();
    object.memory = calloc(1, object.bytes);
    gl.GenTextures(1, &object.name);
    gl.BindTexture(O_TEXTURE_2D, object.name);
    gl.TexParameteri(O_TEXTURE_2D, O_TEXTURE_MAX_LEVEL, 0);
    gl.TexImage2D(O_TEXTURE_2D, 0, O_RGBA8, SIDE, SIDE, 0, O_RGBA, O_UNSIGNED_BYTE, object.memory);
    must(cuGraphicsGLRegisterImage(&object.resource, object.name, O_TEXTURE_2D, flags));
    struct bench_result result = bench_short((struct bench_side){map_array_unmap, &object},
                                             (struct bench_side){bare, &object});
    must(cuGraphicsUnregisterResource(object.resource));
    gl.DeleteTextures(1, &object.name);
    free(object.memory);
    result.subject /= 1e6;
    result.reference /= 1e6;
    return result;
}

static struct bench_result measure_read(const struct bench_row *row)
{
    (void)row;
    return measure_texture(CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY, read_bare);
}

static struct bench_result measure_write(const struct bench_row *row)
{
    (void)row;
    return measure_texture(CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD, write_bare);
}

const struct bench_row bench_opengl_rows[] = {
    {.name = "map, unmap a GL buffer of 256 MiB",
     .reference = "GL map+unmap",
     .unit = BENCH_NS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 5,
     .measure = measure_buffer,
     .bytes = (size_t)256 << 20},
    {.name = "the same against one of 64 KiB",
     .reference = "64 KiB",
     .unit = BENCH_NS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 1.5,
     .measure = measure_sizes,
     .bytes = (size_t)256 << 20},
    {.name = "GL texture of 4096 x 4096, READ_ONLY",
     .reference = "glGetTextureImage",
     .unit = BENCH_MS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 1.15,
     .measure = measure_read},
    {.name = "GL texture of 4096 x 4096, DISCARD",
     .reference = "glTextureSubImage",
     .unit = BENCH_MS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 1.15,
     .measure = measure_write},
    {0},
};
