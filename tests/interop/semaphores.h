/* SPDX-License-Identifier: MIT */
/* Semaphores that Vulkan and CUDA share, for tests: on lavapipe through the layer of this build, on
 * SwiftShader its own binary ones. */
#ifndef TEST_SEMAPHORES_H
#define TEST_SEMAPHORES_H

#include "../api/descriptors.h"
#include "peer.h"
#include "vulkan.h"

#include <sys/socket.h>

/* Which semaphores a test is about. */
struct setting {
    enum vulkan_driver driver;
    bool with_layer;
    VkSemaphoreType type;
};

static const struct setting layer_timeline = {VULKAN_LAVAPIPE, true, VK_SEMAPHORE_TYPE_TIMELINE};
static const struct setting layer_binary = {VULKAN_LAVAPIPE, true, VK_SEMAPHORE_TYPE_BINARY};
static const struct setting swiftshader_binary = {VULKAN_SWIFTSHADER, false,
                                                  VK_SEMAPHORE_TYPE_BINARY};
static const struct setting swiftshader_timeline = {VULKAN_SWIFTSHADER, true,
                                                    VK_SEMAPHORE_TYPE_TIMELINE};

/* A test for each of them: name_of_layer_timeline and so on, all calling name(setting). */
#define TEST_EACH_SETTING(name)                                                                    \
    TEST(name##_layer_timeline)                                                                    \
    {                                                                                              \
        name(&layer_timeline);                                                                     \
    }                                                                                              \
    TEST(name##_layer_binary)                                                                      \
    {                                                                                              \
        name(&layer_binary);                                                                       \
    }                                                                                              \
    TEST(name##_swiftshader_binary)                                                                \
    {                                                                                              \
        name(&swiftshader_binary);                                                                 \
    }                                                                                              \
    TEST(name##_swiftshader_timeline)                                                              \
    {                                                                                              \
        name(&swiftshader_timeline);                                                               \
    }

static inline struct vulkan open_setting(const struct setting *setting)
{
    struct vulkan vk;
    const char *reason;

    if (setting->with_layer) {
#ifdef CUPIPE_LAYER_PATH
        setenv("VK_LAYER_PATH", CUPIPE_LAYER_PATH, 1);
        setenv("VK_INSTANCE_LAYERS", "VK_LAYER_CUPIPE_external_semaphore", 1);
#else
        skip("the layer was not built: vulkan/vk_layer.h was not there");
#endif
    }
    reason = vulkan_open(&vk, setting->driver);
    if (reason)
        skip(reason);
    check(vk.has_semaphore_fd);
    check(vk.has_timeline);
    return vk;
}

static inline VkSemaphore semaphore_create(const struct vulkan *vk, VkSemaphoreType type,
                                           bool exportable)
{
    VkSemaphoreTypeCreateInfo kind = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = type};
    VkExportSemaphoreCreateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                          .pNext = &kind,
                                          .handleTypes =
                                              VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                  .pNext = exportable ? (void *)&export : (void *)&kind};
    VkSemaphore semaphore;

    vulkan_check(vk->CreateSemaphore(vk->device, &info, NULL, &semaphore));
    return semaphore;
}

static inline int semaphore_fd(const struct vulkan *vk, VkSemaphore semaphore)
{
    VkSemaphoreGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                    .semaphore = semaphore,
                                    .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    int fd = -1;

    vulkan_check(vk->GetSemaphoreFdKHR(vk->device, &info, &fd));
    return fd;
}

static inline uint64_t semaphore_value(const struct vulkan *vk, VkSemaphore semaphore)
{
    uint64_t value = 0;

    vulkan_check(vk->GetSemaphoreCounterValue(vk->device, semaphore, &value));
    return value;
}

static inline VkResult semaphore_host_wait(const struct vulkan *vk, VkSemaphore semaphore,
                                           uint64_t value, uint64_t timeout_ns)
{
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &semaphore,
                                .pValues = &value};

    return vk->WaitSemaphores(vk->device, &info, timeout_ns);
}

static inline void semaphore_host_signal(const struct vulkan *vk, VkSemaphore semaphore,
                                         uint64_t value)
{
    VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = semaphore, .value = value};

    vulkan_check(vk->SignalSemaphore(vk->device, &info));
}

/* One use of a semaphore by a queue or a stream; none if it is 0. */
struct vulkan_use {
    VkSemaphore semaphore;
    uint64_t value;
};

static inline void semaphore_submit(const struct vulkan *vk, struct vulkan_use wait,
                                    VkCommandBuffer commands, struct vulkan_use signal,
                                    VkFence fence)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkTimelineSemaphoreSubmitInfo values = {.sType =
                                                VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = wait.semaphore ? 1 : 0,
                                            .pWaitSemaphoreValues = &wait.value,
                                            .signalSemaphoreValueCount = signal.semaphore ? 1 : 0,
                                            .pSignalSemaphoreValues = &signal.value};
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .pNext = &values,
                           .waitSemaphoreCount = wait.semaphore ? 1 : 0,
                           .pWaitSemaphores = &wait.semaphore,
                           .pWaitDstStageMask = &stage,
                           .commandBufferCount = commands ? 1 : 0,
                           .pCommandBuffers = &commands,
                           .signalSemaphoreCount = signal.semaphore ? 1 : 0,
                           .pSignalSemaphores = &signal.semaphore};

    vulkan_check(vk->QueueSubmit(vk->queue, 1, &submit, fence));
}

static const struct vulkan_use no_use;

static inline CUexternalSemaphore semaphore_import(int fd, VkSemaphoreType type)
{
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = {
        .type = type == VK_SEMAPHORE_TYPE_TIMELINE
                    ? CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
                    : CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
        .handle.fd = fd};
    CUexternalSemaphore imported;

    check_success(cuImportExternalSemaphore(&imported, &desc));
    return imported;
}

static inline CUresult cuda_signal(CUexternalSemaphore semaphore, uint64_t value, CUstream stream)
{
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS params = {.params.fence.value = value};

    return cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream);
}

static inline CUresult cuda_wait(CUexternalSemaphore semaphore, uint64_t value, CUstream stream)
{
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS params = {.params.fence.value = value};

    return cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream);
}

static inline CUstream stream_create(void)
{
    CUstream stream;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

/* The memory of a buffer, as CUDA sees it. */
static inline CUdeviceptr memory_import(int fd, uint64_t allocated_bytes, uint64_t size_bytes)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {
        .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd, .size = allocated_bytes};
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC part = {.size = size_bytes};
    CUexternalMemory memory;
    CUdeviceptr address;

    check_success(cuImportExternalMemory(&memory, &desc));
    check_success(cuExternalMemoryGetMappedBuffer(&address, memory, &part));
    return address;
}

/* Descriptors over the socket of a peer. */
static inline void peer_send_fd(int socket, int fd)
{
    check(descriptors_send(socket, "f", 1, &fd, 1));
    close(fd);
}

static inline int peer_receive_fd(int socket)
{
    char byte;
    int fd;

    check(descriptors_receive(socket, &byte, 1, &fd, 1) && fd >= 0);
    return fd;
}

#endif
