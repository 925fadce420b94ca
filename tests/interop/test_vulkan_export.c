/* SPDX-License-Identifier: MIT */
/* Memory that CUDA made and exports: Vulkan imports it as buffers and images. And how a program
 * finds out that the CUDA device and the Vulkan device are one. */
#include "peer.h"

#include "drivers.h"
#include "external.h"
#include "images.h"
#include "virtual.h"

enum { SIZE = 4 << 20 };

static int exported(CUdeviceptr *at)
{
    CUmemGenericAllocationHandle handle = create(SIZE, FD_TYPE);
    int fd = -1;

    *at = reserve(SIZE);
    check_success(cuMemMap(*at, SIZE, 0, handle, 0));
    allow(*at, SIZE, READWRITE);
    check_success(cuMemExportToShareableHandle(&fd, handle, FD_TYPE, 0));
    check_success(cuMemRelease(handle));
    return fd;
}

static void write_and_verify(const struct vulkan *vk, const struct vulkan_buffer *buffer,
                             unsigned verified, unsigned written)
{
    unsigned char *bytes = malloc(SIZE);

    vulkan_buffer_read(vk, buffer, 0, bytes, SIZE);
    check_made(bytes, SIZE, verified);
    make_bytes(bytes, SIZE, written);
    vulkan_buffer_write(vk, buffer, 0, bytes, SIZE);
    free(bytes);
}

DRIVER_TEST(imports_a_buffer_that_cuda_made)
{
    struct vulkan vk = open_or_skip(driver);
    struct vulkan_buffer buffer;
    CUdeviceptr at;

    with_context();
    int fd = exported(&at);
    put_pattern(at, SIZE, 1);
    vulkan_check(vulkan_buffer_import(&vk, SIZE, fd, &buffer));
    write_and_verify(&vk, &buffer, 1, 2);
    check_has_pattern(at, SIZE, 2);
    check_success(cuMemUnmap(at, SIZE));
    write_and_verify(&vk, &buffer, 2, 3); /* it lives for as long as Vulkan has it */
    vulkan_buffer_destroy(&vk, &buffer);
    vulkan_close(&vk);
}

/* Vulkan lays an image out in CUDA's memory; through external memory CUDA sees it as an array. */
DRIVER_TEST(imports_an_image_in_memory_that_cuda_made)
{
    enum { WIDTH = 60, HEIGHT = 40, BYTES = WIDTH * HEIGHT * 4 };
    static unsigned char bytes[BYTES];
    struct vulkan vk = open_or_skip(driver);
    struct vulkan_image_info info = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                     .texel_bytes = 4,
                                     .type = VK_IMAGE_TYPE_2D,
                                     .width = WIDTH,
                                     .height = HEIGHT,
                                     .depth = 1,
                                     .levels = 3,
                                     .layers = 1};
    struct vulkan_image image;
    CUmipmappedArray mipmap;
    CUarray level;
    CUdeviceptr at;

    with_context();
    int fd = exported(&at);
    CUexternalMemory memory = import(another(fd), SIZE);
    vulkan_check(vulkan_image_import(&vk, &info, fd, &image));
    check_success(try_map_image(&mipmap, memory, 0,
                                describe(WIDTH, HEIGHT, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0), 3));
    check_success(cuMipmappedArrayGetLevel(&level, mipmap, 0));
    make_bytes(bytes, BYTES, 1);
    vulkan_image_write(&vk, &image, 0, bytes);
    memset(bytes, 0, BYTES);
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = level,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = bytes,
                          .dstPitch = WIDTH * 4,
                          .WidthInBytes = WIDTH * 4,
                          .Height = HEIGHT};
    check_success(cuMemcpy2D(&copy));
    check_made(bytes, BYTES, 1);
    vulkan_image_destroy(&vk, &image);
}

/* The exporter has no Vulkan to ask, so it is told what its peer has. */
static enum vulkan_driver peer_driver;

static void vulkan_process(int socket)
{
    struct vulkan vk;
    struct vulkan_buffer buffer;

    check(!vulkan_open(&vk, peer_driver));
    vulkan_check(vulkan_buffer_import(&vk, SIZE, receive_fd(socket), &buffer));
    write_and_verify(&vk, &buffer, 1, 2);
    peer_signal(socket);
}

DRIVER_TEST(of_another_process_imports_a_buffer)
{
    CUdeviceptr at;

    needs_driver(driver);
    peer_driver = driver;
    struct peer peer = peer_start(vulkan_process);
    if (driver == VULKAN_SWIFTSHADER)
        setenv("CUPIPE_EXPORT", "plain", 1);
    with_context();
    int fd = exported(&at);
    put_pattern(at, SIZE, 1);
    send_fd(peer.socket, fd);
    close(fd);
    peer_await(peer.socket);
    check_has_pattern(at, SIZE, 2);
    peer_finish(&peer);
}

static bool is_same(const CUuuid *uuid, const struct vulkan *vk)
{
    return memcmp(uuid, vk->ids.deviceUUID, sizeof(*uuid)) == 0;
}

DRIVER_TEST(device_has_the_uuid_of_the_cuda_device)
{
    struct vulkan vk = open_or_skip(driver);
    CUuuid uuid;

    with_context();
    check_success(cuDeviceGetUuid(&uuid, 0));
    check(is_same(&uuid, &vk));
    vulkan_close(&vk);
    memset(&uuid, 0, sizeof(uuid));
    check_success(cuDeviceGetUuid(&uuid, 0));
    check(is_same(&uuid, &vk));
}

DRIVER_TEST(uuid_is_that_of_one_device)
{
    struct vulkan vk = open_or_skip(driver);
    CUuuid first, second;

    setenv("CUPIPE_DEVICES", "2", 1);
    with_context();
    only_cupipe();
    check_success(cuDeviceGetUuid(&first, 0));
    check_success(cuDeviceGetUuid(&second, 1));
    check(is_same(&first, &vk) && !is_same(&second, &vk));
}

TEST(without_vulkan_the_uuid_is_our_own)
{
    CUuuid uuid;

    with_context();
    only_cupipe();
    check_success(cuDeviceGetUuid(&uuid, 0));
    check(memcmp(&uuid, "cupipe", strlen("cupipe")) == 0);
}

TEST(a_given_uuid_is_kept)
{
    struct vulkan vk = open_or_skip(VULKAN_LAVAPIPE);
    CUuuid uuid;

    setenv("CUPIPE_DEVICE_UUID", "01234567-89ab-cdef-0123-456789abcdef", 1);
    with_context();
    only_cupipe();
    check_success(cuDeviceGetUuid(&uuid, 0));
    check(!is_same(&uuid, &vk) && uuid.bytes[0] == 1 && uuid.bytes[1] == 0x23);
}

/* The process has no Vulkan of its own; its environment says to load it. */
TEST(vulkan_can_be_asked_for)
{
    struct vulkan vk;
    CUuuid before, uuid;

    if (!vulkan_choose(VULKAN_LAVAPIPE))
        skip("lavapipe is not installed (mesa-vulkan-drivers)");
    setenv("CUPIPE_DEVICE_UUID", "vulkan", 1);
    with_context();
    only_cupipe();
    check_success(cuDeviceGetUuid(&before, 0));
    if (vulkan_open(&vk, VULKAN_LAVAPIPE))
        skip("Vulkan does not work");
    check_success(cuDeviceGetUuid(&uuid, 0));
    check(memcmp(&before, &uuid, sizeof(uuid)) == 0 && is_same(&uuid, &vk));
}
