/* SPDX-License-Identifier: MIT */
/* Buffers that Vulkan made: Vulkan fills them, CUDA reads and changes them, Vulkan verifies; in one
 * process and in two. */
#include "peer.h"

#include "drivers.h"
#include "external.h"

enum { SIZE = 4 << 20 };

static CUexternalMemory import_buffer(const struct vulkan *vk, const struct vulkan_buffer *buffer)
{
    int fd = vulkan_memory_fd(vk, buffer->memory);
    CUexternalMemory memory = import(fd, buffer->allocated_bytes);

    check(!is_open(fd));
    return memory;
}

static void write_pattern(const struct vulkan *vk, const struct vulkan_buffer *buffer,
                          unsigned seed)
{
    unsigned char *bytes = malloc(SIZE);

    make_bytes(bytes, SIZE, seed);
    vulkan_buffer_write(vk, buffer, 0, bytes, SIZE);
    free(bytes);
}

static void verify_pattern(const struct vulkan *vk, const struct vulkan_buffer *buffer,
                           unsigned seed)
{
    unsigned char *bytes = malloc(SIZE);

    vulkan_buffer_read(vk, buffer, 0, bytes, SIZE);
    check_made(bytes, SIZE, seed);
    free(bytes);
}

DRIVER_TEST(buffer_is_shared_both_ways)
{
    struct vulkan vk = open_or_skip(driver);
    struct vulkan_buffer buffer;
    uint32_t value;

    with_context();
    vulkan_buffer_create(&vk, SIZE, &buffer);
    CUexternalMemory memory = import_buffer(&vk, &buffer);
    CUdeviceptr pointer = map(memory, 0, SIZE);
    write_pattern(&vk, &buffer, 1);
    check_has_pattern(pointer, SIZE, 1);
    put_pattern(pointer, SIZE, 2);
    verify_pattern(&vk, &buffer, 2);
    vulkan_buffer_fill(&vk, &buffer, 0, SIZE, 0xa1b2c3d4);
    check_success(cuMemcpyDtoH(&value, pointer + SIZE - 4, 4));
    check(value == 0xa1b2c3d4);
    check_success(cuMemsetD8(pointer, 0x5a, SIZE));
    check_success(cuStreamSynchronize(0));
    vulkan_buffer_read(&vk, &buffer, SIZE / 2, &value, 4);
    check(value == 0x5a5a5a5a);
    check_success(cuMemFree(pointer));
    check_success(cuDestroyExternalMemory(memory));
    vulkan_buffer_destroy(&vk, &buffer);
    vulkan_close(&vk);
}

DRIVER_TEST(buffer_outlives_vulkan)
{
    struct vulkan vk = open_or_skip(driver);
    struct vulkan_buffer buffer;

    with_context();
    vulkan_buffer_create(&vk, SIZE, &buffer);
    CUdeviceptr pointer = map(import_buffer(&vk, &buffer), 0, SIZE);
    write_pattern(&vk, &buffer, 1);
    vulkan_buffer_destroy(&vk, &buffer);
    vulkan_close(&vk);
    check_has_pattern(pointer, SIZE, 1);
    put_pattern(pointer, SIZE, 2);
    check_success(cuMemFree(pointer));
}

DRIVER_TEST(buffer_has_exactly_its_size)
{
    struct vulkan vk = open_or_skip(driver);
    struct vulkan_buffer buffer;
    CUdeviceptr pointer;

    with_context();
    vulkan_buffer_create(&vk, SIZE, &buffer);
    unsigned long long size = buffer.allocated_bytes;
    CUexternalMemory memory = import(vulkan_memory_fd(&vk, buffer.memory), 2 * size);
    check_success(try_map(&pointer, memory, 0, size));
    check_success(try_map(&pointer, memory, size - 1, 1));
    check_result(try_map(&pointer, memory, 0, size + 1), CUDA_ERROR_INVALID_VALUE);
    check_result(try_map(&pointer, memory, size, 1), CUDA_ERROR_INVALID_VALUE);
}

/* Vulkan and CUDA in two processes. */
static enum vulkan_driver peer_driver;

static void vulkan_process(int socket)
{
    struct vulkan vk;
    struct vulkan_buffer buffer;

    check(!vulkan_open(&vk, peer_driver));
    vulkan_buffer_create(&vk, SIZE, &buffer);
    write_pattern(&vk, &buffer, 1);
    int fd = vulkan_memory_fd(&vk, buffer.memory);
    peer_send(socket, &buffer.allocated_bytes, sizeof(buffer.allocated_bytes));
    send_fd(socket, fd);
    close(fd);
    peer_await(socket);
    verify_pattern(&vk, &buffer, 2);
    write_pattern(&vk, &buffer, 3);
    peer_signal(socket);
    vulkan_buffer_destroy(&vk, &buffer);
    vulkan_close(&vk);
    peer_signal(socket);
}

DRIVER_TEST(buffer_of_another_process)
{
    VkDeviceSize size;

    needs_driver(driver);
    peer_driver = driver;
    struct peer peer = peer_start(vulkan_process);
    with_context();
    peer_receive(peer.socket, &size, sizeof(size));
    CUexternalMemory memory = import(receive_fd(peer.socket), size);
    CUdeviceptr pointer = map(memory, 0, SIZE);
    check_has_pattern(pointer, SIZE, 1);
    put_pattern(pointer, SIZE, 2);
    peer_signal(peer.socket);
    peer_await(peer.socket);
    check_has_pattern(pointer, SIZE, 3);
    peer_await(peer.socket);
    peer_finish(&peer);
    check_has_pattern(pointer, SIZE, 3); /* its maker has ended */
    check_success(cuMemFree(pointer));
}
