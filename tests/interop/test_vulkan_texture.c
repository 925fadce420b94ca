/* SPDX-License-Identifier: MIT */
/* Textures and vector accesses of kernels on the memory of Vulkan's buffers. A mapped buffer lies
 * at its offset in the memory behind a multiple of 2 MiB, so an offset that is no multiple of 512
 * bytes makes an address that no texture can have. */
#include "test.h"

#include "drivers.h"
#include "external.h"

#include "fetch.h"

enum { BYTES = 32768 };

static void make(unsigned char *bytes)
{
    for (unsigned i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)((i * 2654435761u) >> 13);
}

static void use_memory_at(const struct vulkan *vk, const struct vulkan_buffer *buffer,
                          CUexternalMemory memory, size_t offset)
{
    static unsigned char bytes[BYTES];
    size_t size = BYTES / 2;
    CUdeviceptr pointer = map(memory, offset, size);

    make(bytes);
    vulkan_buffer_write(vk, buffer, 0, bytes, BYTES);
    for (unsigned i = 0; i < FETCH_FORMATS; i++) {
        check_line(pointer, bytes + offset, size, &fetch_formats[i]);
        check_picture(pointer, bytes + offset, 32, 7, 544, &fetch_formats[i]);
    }
    check_picture_reference(pointer, bytes + offset, 32, 5, 160);
    check_offsets(pointer, bytes + offset, size);
    check_vectors(pointer, bytes + offset, size);
    check_success(cuMemFree(pointer));
}

static void refuse_memory_at(CUexternalMemory memory, size_t offset)
{
    CUdeviceptr pointer = map(memory, offset, BYTES / 2);
    CUtexObject texture;

    check_result(try_texture(&texture, line_at(pointer, &fetch_formats[2], 1024)),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(try_texture(&texture, picture_at(pointer, &fetch_formats[2], 16, 4, 64)),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemFree(pointer));
}

static void use_memory(enum vulkan_driver driver, const char *tier)
{
    struct vulkan_buffer buffer;

    setenv("CUPIPE_JIT", tier, 1);
    struct vulkan vk = open_or_skip(driver);
    with_context();
    vulkan_buffer_create(&vk, BYTES, &buffer);
    CUexternalMemory memory = import(vulkan_memory_fd(&vk, buffer.memory), buffer.allocated_bytes);
    for (size_t offset = 0; offset <= 8192; offset = offset ? 2 * offset : 512)
        use_memory_at(&vk, &buffer, memory, offset);
    for (size_t offset = 1; offset <= 256; offset *= 2)
        refuse_memory_at(memory, offset);
    check_success(cuDestroyExternalMemory(memory));
    vulkan_buffer_destroy(&vk, &buffer);
    vulkan_close(&vk);
}

DRIVER_TEST(memory_in_the_first_tier)
{
    use_memory(driver, "first");
}

DRIVER_TEST(memory_in_the_optimised_tier)
{
    use_memory(driver, "optimised");
}
