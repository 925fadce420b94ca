/* SPDX-License-Identifier: MIT */
/* Textures and vector accesses of kernels on the memory of OpenGL's buffers, wherever OpenGL put
 * it. */
#include "test.h"

#include "gl_resources.h"

#include "fetch.h"

enum { BUFFERS = 24, BYTES_MAX = 16384 };

struct mapped {
    unsigned buffer;
    CUgraphicsResource resource;
    CUdeviceptr pointer;
    size_t bytes;
    unsigned char data[BYTES_MAX];
};

static struct mapped map_new(size_t bytes, unsigned seed, unsigned flags)
{
    struct mapped made = {.buffer = new_buffer(bytes, seed), .bytes = bytes};

    fill(made.data, bytes, seed);
    made.resource = register_buffer(made.buffer, flags);
    check_success(map(made.resource));
    made.pointer = pointer_of(made.resource);
    return made;
}

static void unmap_old(const struct mapped *old)
{
    check_success(unmap(old->resource));
    check_success(cuGraphicsUnregisterResource(old->resource));
    gl.DeleteBuffers(1, &old->buffer);
}

/* Buffers of many sizes, so that they lie at many distances from multiples of 512. */
static struct mapped *map_many(size_t least_bytes)
{
    struct mapped *made = calloc(BUFFERS, sizeof(*made));

    for (unsigned i = 0; i < BUFFERS; i++)
        made[i] = map_new(least_bytes + 72 * (size_t)i, i, 0);
    return made;
}

static void unmap_many(struct mapped *old)
{
    for (unsigned i = 0; i < BUFFERS; i++)
        unmap_old(&old[i]);
    free(old);
}

TIER_TEST(textures_of_linear_memory)
{
    with_opengl(OPENGL_CORE);
    struct mapped *all = map_many(1024);

    for (unsigned i = 0; i < BUFFERS; i++) {
        check_line(all[i].pointer, all[i].data, all[i].bytes, &fetch_formats[i % FETCH_FORMATS]);
        check_line(all[i].pointer, all[i].data, all[i].bytes, &fetch_formats[6]);
    }
    unmap_many(all);
}

TIER_TEST(textures_of_pitched_memory)
{
    enum { WIDTH = 32, HEIGHT = 7, PITCH = 544 };

    with_opengl(OPENGL_CORE);
    struct mapped *all = map_many(HEIGHT * PITCH);
    for (unsigned i = 0; i < BUFFERS; i++) {
        check_picture(all[i].pointer, all[i].data, WIDTH, HEIGHT, PITCH,
                      &fetch_formats[i % FETCH_FORMATS]);
        check_picture(all[i].pointer, all[i].data, WIDTH, HEIGHT, PITCH, &fetch_formats[2]);
    }
    unmap_many(all);
}

TIER_TEST(texture_references)
{
    with_opengl(OPENGL_CORE);
    struct mapped *all = map_many(2048);

    for (unsigned i = 0; i < BUFFERS; i++) {
        check_line_reference(all[i].pointer, 0, all[i].data, all[i].bytes);
        check_picture_reference(all[i].pointer, all[i].data, 32, 5, 160);
    }
    unmap_many(all);
}

TIER_TEST(vector_accesses)
{
    with_opengl(OPENGL_CORE);
    struct mapped *all = map_many(1024);

    for (unsigned i = 0; i < BUFFERS; i++)
        check_vectors(all[i].pointer, all[i].data, all[i].bytes);
    unmap_many(all);
}

TEST(textures_begin_at_multiples_of_512_bytes_of_a_buffer)
{
    with_opengl(OPENGL_CORE);
    struct mapped *all = map_many(4096);

    for (unsigned i = 0; i < BUFFERS; i++)
        check_offsets(all[i].pointer, all[i].data, all[i].bytes);
    unmap_many(all);
}

TEST(buffers_that_cuda_only_reads_or_only_writes)
{
    with_opengl(OPENGL_CORE);
    struct mapped reads = map_new(5000, 1, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY);
    struct mapped writes = map_new(5000, 2, CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD);

    device_fill(writes.pointer, writes.bytes, 2);
    check_line(reads.pointer, reads.data, reads.bytes, &fetch_formats[8]);
    check_line(writes.pointer, writes.data, writes.bytes, &fetch_formats[8]);
    check_offsets(reads.pointer, reads.data, reads.bytes);
    unmap_old(&reads);
    unmap_old(&writes);
}

/* A texture is of an address. OpenGL writes there while the buffer is its own. */
TEST(a_texture_shows_what_opengl_wrote_meanwhile)
{
    static uint32_t texels[FETCH_TEXELS_MAX][4];
    unsigned char data[4096];
    CUtexObject texture;

    with_opengl(OPENGL_CORE);
    struct mapped mapped = map_new(sizeof(data), 1, 0);
    check_success(try_texture(&texture, line_at(mapped.pointer, &fetch_formats[6], sizeof(data))));
    for (unsigned round = 2; round < 5; round++) {
        check_success(unmap(mapped.resource));
        fill(data, sizeof(data), round);
        gl.BindBuffer(O_ARRAY_BUFFER, mapped.buffer);
        gl.BufferSubData(O_ARRAY_BUFFER, 0, sizeof(data), data);
        check_success(map(mapped.resource));
        check(pointer_of(mapped.resource) == mapped.pointer);
        fetch("fetch_line", sizeof(data) / 4, (void *[]){&texture, NULL}, texels);
        for (unsigned i = 0; i < sizeof(data) / 4; i++)
            check_texel(&fetch_formats[6], texels[i], data + (size_t)i * 4);
    }
    check_success(cuTexObjectDestroy(texture));
    unmap_old(&mapped);
}

TEST(a_texture_tells_the_address_it_was_made_of)
{
    CUDA_RESOURCE_DESC told;
    CUtexObject texture;

    with_opengl(OPENGL_CORE);
    struct mapped mapped = map_new(3000, 1, 0);
    check_success(try_texture(&texture, line_at(mapped.pointer + 512, &fetch_formats[0], 2000)));
    check_success(cuTexObjectGetResourceDesc(&told, texture));
    check(told.res.linear.devPtr == mapped.pointer + 512 && told.res.linear.sizeInBytes == 2000);
    check_success(cuTexObjectDestroy(texture));
    unmap_old(&mapped);
}

/* The alignment of a tensor's address counts in the same way. */
TEST(tensor_maps_of_a_buffer)
{
    const cuuint64_t dims[3] = {64, 4, 4}, strides[2] = {64, 256};
    const cuuint32_t box[3] = {64, 2, 2}, steps[3] = {1, 1, 1};
    CUtensorMap map_of_tensor __attribute__((aligned(64)));

    with_opengl(OPENGL_CORE);
    struct mapped *all = map_many(2048);
    for (unsigned i = 0; i < BUFFERS; i++) {
        for (unsigned offset = 0; offset <= 32; offset += 8) {
            check_result(cuTensorMapEncodeTiled(
                             &map_of_tensor, CU_TENSOR_MAP_DATA_TYPE_UINT8, 3,
                             (void *)(uintptr_t)(all[i].pointer + offset), dims, strides, box,
                             steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                         offset % 16 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
        }
    }
    unmap_many(all);
}

/* What is not OpenGL's has to be aligned itself. */
TEST(memory_of_cuda_is_aligned_by_its_address)
{
    CUdeviceptr memory;
    CUtexObject texture;
    void *host;

    with_opengl(OPENGL_CORE);
    struct mapped mapped = map_new(3000, 1, 0);
    check_success(cuMemAlloc(&memory, 8192));
    device_fill(memory, 8192, 3);
    unsigned char data[8192];
    fill(data, sizeof(data), 3);
    check_offsets(memory, data, sizeof(data));
    check_success(cuMemAllocHost(&host, 8192));
    check_result(
        try_texture(&texture, line_at((CUdeviceptr)(uintptr_t)host + 64, &fetch_formats[0], 100)),
        CUDA_ERROR_INVALID_VALUE);
    unmap_old(&mapped);
}
