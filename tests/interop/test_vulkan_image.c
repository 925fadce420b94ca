/* SPDX-License-Identifier: MIT */
/* Vulkan images as mipmapped arrays: every level and layer, in both directions, in one process and
 * in two; and that writing one texel leaves the rest of the image unchanged. */
#include "peer.h"

#include "drivers.h"
#include "external.h"
#include "images.h"

struct shape {
    const char *name;
    struct vulkan_image_info info;
    CUarray_format format;
    unsigned channels;
    unsigned flags;
};

#define U8 CU_AD_FORMAT_UNSIGNED_INT8
#define FLAT VK_IMAGE_TYPE_2D
#define DEEP VK_IMAGE_TYPE_3D
#define LINE VK_IMAGE_TYPE_1D
#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM, 4
#define R8 VK_FORMAT_R8_UNORM, 1
#define RGBA32F VK_FORMAT_R32G32B32A32_SFLOAT, 16
#define RG16 VK_FORMAT_R16G16_UINT, 4
#define LAYERED CUDA_ARRAY3D_LAYERED
#define CUBE CUDA_ARRAY3D_CUBEMAP

static const struct shape shapes[] = {
    {"2D", {RGBA8, FLAT, 64, 48, 1, 1, 1, false, VK_IMAGE_TILING_OPTIMAL}, U8, 4, 0},
    {"2D, odd", {RGBA8, FLAT, 37, 21, 1, 6, 1, false, VK_IMAGE_TILING_OPTIMAL}, U8, 4, 0},
    {"2D, all levels", {RGBA8, FLAT, 64, 64, 1, 7, 1, false, VK_IMAGE_TILING_OPTIMAL}, U8, 4, 0},
    {"2D, wide", {RGBA8, FLAT, 300, 3, 1, 9, 1, false, VK_IMAGE_TILING_OPTIMAL}, U8, 4, 0},
    {"2D, a byte", {R8, FLAT, 101, 7, 1, 7, 1, false, VK_IMAGE_TILING_OPTIMAL}, U8, 1, 0},
    {"2D, 16 bytes",
     {RGBA32F, FLAT, 5, 3, 1, 3, 1, false, VK_IMAGE_TILING_OPTIMAL},
     CU_AD_FORMAT_FLOAT,
     4,
     0},
    {"2D, two channels",
     {RG16, FLAT, 33, 17, 1, 6, 1, false, VK_IMAGE_TILING_OPTIMAL},
     CU_AD_FORMAT_UNSIGNED_INT16,
     2,
     0},
    {"2D, linear", {RGBA8, FLAT, 50, 20, 1, 1, 1, false, VK_IMAGE_TILING_LINEAR}, U8, 4, 0},
    {"layers", {RGBA8, FLAT, 64, 64, 1, 4, 4, false, VK_IMAGE_TILING_OPTIMAL}, U8, 4, LAYERED},
    {"layers, odd", {R8, FLAT, 13, 7, 1, 4, 3, false, VK_IMAGE_TILING_OPTIMAL}, U8, 1, LAYERED},
    {"one layer", {RGBA8, FLAT, 20, 10, 1, 3, 1, false, VK_IMAGE_TILING_OPTIMAL}, U8, 4, LAYERED},
    {"3D", {RGBA8, DEEP, 32, 16, 8, 6, 1, false, VK_IMAGE_TILING_OPTIMAL}, U8, 4, 0},
    {"3D, odd", {R8, DEEP, 17, 9, 5, 5, 1, false, VK_IMAGE_TILING_OPTIMAL}, U8, 1, 0},
    {"1D", {RGBA8, LINE, 101, 1, 1, 7, 1, false, VK_IMAGE_TILING_OPTIMAL}, U8, 4, 0},
    {"1D, layers", {RGBA8, LINE, 101, 1, 1, 4, 3, false, VK_IMAGE_TILING_OPTIMAL}, U8, 4, LAYERED},
    {"cube", {RGBA8, FLAT, 32, 32, 1, 6, 6, true, VK_IMAGE_TILING_OPTIMAL}, U8, 4, CUBE},
    {"cube, odd", {R8, FLAT, 31, 31, 1, 5, 6, true, VK_IMAGE_TILING_OPTIMAL}, U8, 1, CUBE},
    {"cubes", {R8, FLAT, 30, 30, 1, 5, 12, true, VK_IMAGE_TILING_OPTIMAL}, U8, 1, CUBE | LAYERED},
};

enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

static unsigned at_level(unsigned extent, unsigned level)
{
    return extent >> level ? extent >> level : 1;
}

static CUDA_ARRAY3D_DESCRIPTOR array_of(const struct shape *shape)
{
    const struct vulkan_image_info *info = &shape->info;
    size_t depth = info->type == DEEP ? info->depth : shape->flags ? info->layers : 0;

    return describe(info->width, info->type == LINE ? 0 : info->height, depth, shape->format,
                    shape->channels, shape->flags);
}

/* All of a level, between the array and bytes without gaps. */
static CUDA_MEMCPY3D whole(const struct shape *shape, unsigned level, void *bytes)
{
    const struct vulkan_image_info *info = &shape->info;
    size_t row = (size_t)at_level(info->width, level) * info->texel_bytes;
    size_t rows = at_level(info->height, level);

    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                           .srcHost = bytes,
                           .srcPitch = row,
                           .srcHeight = rows,
                           .dstHost = bytes,
                           .dstPitch = row,
                           .dstHeight = rows,
                           .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .WidthInBytes = row,
                           .Height = rows,
                           .Depth =
                               info->type == DEEP ? at_level(info->depth, level) : info->layers};
}

static void array_read(const struct shape *shape, unsigned level, CUarray array, void *bytes)
{
    CUDA_MEMCPY3D copy = whole(shape, level, bytes);

    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    check_success(cuMemcpy3D(&copy));
}

static void array_write(const struct shape *shape, unsigned level, CUarray array, void *bytes)
{
    CUDA_MEMCPY3D copy = whole(shape, level, bytes);

    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    check_success(cuMemcpy3D(&copy));
    check_success(cuCtxSynchronize());
}

/* Bytes for a level; floats stay what they are whatever bits they have. */
static unsigned char *level_bytes(const struct shape *shape, unsigned level, size_t *count)
{
    *count = vulkan_image_level_bytes(&shape->info, level);
    unsigned char *bytes = malloc(*count);
    check(bytes != NULL);
    return bytes;
}

static void vulkan_writes(const struct vulkan *vk, const struct vulkan_image *image,
                          const struct shape *shape, unsigned seed)
{
    for (unsigned level = 0; level < shape->info.levels; level++) {
        size_t count;
        unsigned char *bytes = level_bytes(shape, level, &count);
        make_bytes(bytes, count, seed + level);
        vulkan_image_write(vk, image, level, bytes);
        free(bytes);
    }
}

static void vulkan_verifies(const struct vulkan *vk, const struct vulkan_image *image,
                            const struct shape *shape, unsigned seed)
{
    for (unsigned level = 0; level < shape->info.levels; level++) {
        size_t count;
        unsigned char *bytes = level_bytes(shape, level, &count);
        vulkan_image_read(vk, image, level, bytes);
        check_made(bytes, count, seed + level);
        free(bytes);
    }
}

static void cuda_reads(CUmipmappedArray mipmap, const struct shape *shape, unsigned seed)
{
    for (unsigned level = 0; level < shape->info.levels; level++) {
        size_t count;
        unsigned char *bytes = level_bytes(shape, level, &count);
        CUarray array;
        check_success(cuMipmappedArrayGetLevel(&array, mipmap, level));
        memset(bytes, 0, count);
        array_read(shape, level, array, bytes);
        check_made(bytes, count, seed + level);
        free(bytes);
    }
}

static void cuda_writes(CUmipmappedArray mipmap, const struct shape *shape, unsigned seed)
{
    for (unsigned level = 0; level < shape->info.levels; level++) {
        size_t count;
        unsigned char *bytes = level_bytes(shape, level, &count);
        CUarray array;
        check_success(cuMipmappedArrayGetLevel(&array, mipmap, level));
        make_bytes(bytes, count, seed + level);
        array_write(shape, level, array, bytes);
        free(bytes);
    }
}

DRIVER_TEST(images_are_shared_both_ways)
{
    struct vulkan vk = open_or_skip(driver);

    with_context();
    for (size_t i = 0; i < SHAPES; i++) {
        const struct shape *shape = &shapes[i];
        struct vulkan_image image;
        CUmipmappedArray mipmap;
        fprintf(stderr, "%s\n", shape->name);
        vulkan_image_create(&vk, &shape->info, &image);
        CUexternalMemory memory =
            import(vulkan_memory_fd(&vk, image.memory), image.allocated_bytes);
        check_success(try_map_image(&mipmap, memory, 0, array_of(shape), shape->info.levels));
        vulkan_writes(&vk, &image, shape, 1);
        cuda_reads(mipmap, shape, 1);
        cuda_writes(mipmap, shape, 50);
        vulkan_verifies(&vk, &image, shape, 50);
        check_success(cuDestroyExternalMemory(memory));
        vulkan_writes(&vk, &image, shape, 90);
        vulkan_image_destroy(&vk, &image);
        cuda_reads(mipmap, shape, 90); /* the mapping outlives both */
        check_success(cuMipmappedArrayDestroy(mipmap));
    }
    vulkan_close(&vk);
}

/* An image of a few sizes more than the table has: what CUDA wrote, Vulkan finds. */
DRIVER_TEST(images_of_many_sizes)
{
    struct vulkan vk = open_or_skip(driver);

    with_context();
    for (unsigned width = 1; width < 40; width += 3) {
        for (unsigned height = 1; height < 30; height += 4) {
            struct shape shape = {
                "",
                {R8, FLAT, width, height, 1, 1, 2, false, VK_IMAGE_TILING_OPTIMAL},
                U8,
                1,
                LAYERED};
            unsigned largest = width > height ? width : height;
            struct vulkan_image image;
            CUmipmappedArray mipmap;
            while (largest >> shape.info.levels)
                shape.info.levels++;
            vulkan_image_create(&vk, &shape.info, &image);
            CUexternalMemory memory =
                import(vulkan_memory_fd(&vk, image.memory), image.allocated_bytes);
            check_success(try_map_image(&mipmap, memory, 0, array_of(&shape), shape.info.levels));
            cuda_writes(mipmap, &shape, width + height);
            vulkan_verifies(&vk, &image, &shape, width + height);
            check_success(cuMipmappedArrayDestroy(mipmap));
            check_success(cuDestroyExternalMemory(memory));
            vulkan_image_destroy(&vk, &image);
        }
    }
    vulkan_close(&vk);
}

static enum vulkan_driver peer_driver;
static const struct shape *const peer_shape = &shapes[8]; /* levels and layers */

static void vulkan_process(int socket)
{
    struct vulkan vk;
    struct vulkan_image image;

    check(!vulkan_open(&vk, peer_driver));
    vulkan_image_create(&vk, &peer_shape->info, &image);
    vulkan_writes(&vk, &image, peer_shape, 1);
    int fd = vulkan_memory_fd(&vk, image.memory);
    peer_send(socket, &image.allocated_bytes, sizeof(image.allocated_bytes));
    send_fd(socket, fd);
    close(fd);
    peer_await(socket);
    vulkan_verifies(&vk, &image, peer_shape, 50);
    vulkan_image_destroy(&vk, &image);
    vulkan_close(&vk);
}

DRIVER_TEST(image_of_another_process)
{
    CUmipmappedArray mipmap;
    VkDeviceSize size;

    needs_driver(driver);
    peer_driver = driver;
    struct peer peer = peer_start(vulkan_process);
    with_context();
    peer_receive(peer.socket, &size, sizeof(size));
    CUexternalMemory memory = import(receive_fd(peer.socket), size);
    check_success(try_map_image(&mipmap, memory, 0, array_of(peer_shape), peer_shape->info.levels));
    cuda_reads(mipmap, peer_shape, 1);
    cuda_writes(mipmap, peer_shape, 50);
    peer_signal(peer.socket);
    peer_finish(&peer);
    cuda_reads(mipmap, peer_shape, 50);
}
