/* SPDX-License-Identifier: MIT */
/* Vulkan for tests: a device of a driver chosen by name, buffers and images whose memory can be
 * exported and imported as descriptors, and copies that are complete when the call returns.
 *
 * The loader is loaded at run time, so that a test says why it is skipped instead of not starting.
 * What Vulkan refuses in the course of a test ends the process with a message; the calls that a
 * test wants to judge itself return a VkResult. */
#ifndef TEST_VULKAN_H
#define TEST_VULKAN_H

#define VK_NO_PROTOTYPES
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

enum vulkan_driver {
    VULKAN_LAVAPIPE,
    VULKAN_SWIFTSHADER,
};

#define VULKAN_INSTANCE_FUNCTIONS(X)                                                               \
    X(CreateDevice)                                                                                \
    X(DestroyInstance)                                                                             \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(EnumeratePhysicalDevices)                                                                    \
    X(GetDeviceProcAddr)                                                                           \
    X(GetPhysicalDeviceExternalSemaphoreProperties)                                                \
    X(GetPhysicalDeviceFeatures2)                                                                  \
    X(GetPhysicalDeviceMemoryProperties)                                                           \
    X(GetPhysicalDeviceProperties2)                                                                \
    X(GetPhysicalDeviceQueueFamilyProperties)

/* Those of extensions and of Vulkan 1.2 may be NULL. */
#define VULKAN_DEVICE_FUNCTIONS(X)                                                                 \
    X(AllocateCommandBuffers)                                                                      \
    X(AllocateMemory)                                                                              \
    X(BeginCommandBuffer)                                                                          \
    X(BindBufferMemory)                                                                            \
    X(BindImageMemory)                                                                             \
    X(CmdCopyBuffer)                                                                               \
    X(CmdCopyBufferToImage)                                                                        \
    X(CmdCopyImageToBuffer)                                                                        \
    X(CmdFillBuffer)                                                                               \
    X(CmdPipelineBarrier)                                                                          \
    X(CreateBuffer)                                                                                \
    X(CreateCommandPool)                                                                           \
    X(CreateFence)                                                                                 \
    X(CreateImage)                                                                                 \
    X(CreateSemaphore)                                                                             \
    X(DestroyBuffer)                                                                               \
    X(DestroyCommandPool)                                                                          \
    X(DestroyDevice)                                                                               \
    X(DestroyFence)                                                                                \
    X(DestroyImage)                                                                                \
    X(DestroySemaphore)                                                                            \
    X(DeviceWaitIdle)                                                                              \
    X(EndCommandBuffer)                                                                            \
    X(FreeCommandBuffers)                                                                          \
    X(FreeMemory)                                                                                  \
    X(GetBufferMemoryRequirements)                                                                 \
    X(GetDeviceQueue)                                                                              \
    X(GetImageMemoryRequirements)                                                                  \
    X(GetImageSubresourceLayout)                                                                   \
    X(GetMemoryFdKHR)                                                                              \
    X(GetSemaphoreCounterValue)                                                                    \
    X(GetSemaphoreFdKHR)                                                                           \
    X(ImportSemaphoreFdKHR)                                                                        \
    X(MapMemory)                                                                                   \
    X(QueueSubmit)                                                                                 \
    X(QueueSubmit2KHR)                                                                             \
    X(QueueWaitIdle)                                                                               \
    X(ResetFences)                                                                                 \
    X(SignalSemaphore)                                                                             \
    X(UnmapMemory)                                                                                 \
    X(WaitForFences)                                                                               \
    X(WaitSemaphores)

struct vulkan {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceIDProperties ids; /* deviceUUID is what cuDeviceGetUuid is compared with */
    VkPhysicalDeviceMemoryProperties memory;
    bool has_dma_buf, has_semaphore_fd, has_timeline; /* extensions; what is there is enabled */
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
#define VULKAN_DECLARE(name) PFN_vk##name name;
    VULKAN_INSTANCE_FUNCTIONS(VULKAN_DECLARE)
    VULKAN_DEVICE_FUNCTIONS(VULKAN_DECLARE)
#undef VULKAN_DECLARE
};

/* Tells the loader which driver to use, here and in whatever else of the process asks it. False
 * when the driver is not installed. VULKAN_LAVAPIPE_ICD and VULKAN_SWIFTSHADER_ICD may name its
 * file. */
bool vulkan_choose(enum vulkan_driver driver);

/* Chooses, and makes instance, device, queue and command pool. NULL, or why that cannot be: the
 * reason to skip the test. */
const char *vulkan_open(struct vulkan *vk, enum vulkan_driver driver);

/* Everything made with it must be gone. */
void vulkan_close(struct vulkan *vk);

/* Ends the process unless the call succeeded. */
#define vulkan_check(call) vulkan_check_result(call, #call, __FILE__, __LINE__)
void vulkan_check_result(VkResult result, const char *call, const char *file, int line);

/* The first memory type of those allowed that has all the wanted properties. */
uint32_t vulkan_memory_type(const struct vulkan *vk, uint32_t allowed,
                            VkMemoryPropertyFlags wanted);

/* A new descriptor of memory that was made to be exported. */
int vulkan_memory_fd(const struct vulkan *vk, VkDeviceMemory memory);

struct vulkan_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size_bytes;      /* as asked for */
    VkDeviceSize allocated_bytes; /* what the memory has: the size to import it with */
};

/* Its memory can be exported. */
void vulkan_buffer_create(const struct vulkan *vk, VkDeviceSize size_bytes,
                          struct vulkan_buffer *buffer);

/* Over memory that comes as a descriptor, which is Vulkan's afterwards if it succeeds. */
VkResult vulkan_buffer_import(const struct vulkan *vk, VkDeviceSize size_bytes, int fd,
                              struct vulkan_buffer *buffer);
void vulkan_buffer_destroy(const struct vulkan *vk, struct vulkan_buffer *buffer);

void vulkan_buffer_write(const struct vulkan *vk, const struct vulkan_buffer *buffer,
                         VkDeviceSize offset, const void *bytes, size_t size_bytes);
void vulkan_buffer_read(const struct vulkan *vk, const struct vulkan_buffer *buffer,
                        VkDeviceSize offset, void *bytes, size_t size_bytes);
void vulkan_buffer_fill(const struct vulkan *vk, const struct vulkan_buffer *buffer,
                        VkDeviceSize offset, VkDeviceSize size_bytes, uint32_t value);

struct vulkan_image_info {
    VkFormat format;
    unsigned texel_bytes;
    VkImageType type;
    uint32_t width, height, depth; /* 1 where the type has none */
    uint32_t levels, layers;       /* at least 1 */
    bool is_cube;
    VkImageTiling tiling;
};

struct vulkan_image {
    VkImage image;
    VkDeviceMemory memory;
    VkDeviceSize allocated_bytes;
    struct vulkan_image_info info;
};

/* In VK_IMAGE_LAYOUT_GENERAL, and its memory can be exported. */
void vulkan_image_create(const struct vulkan *vk, const struct vulkan_image_info *info,
                         struct vulkan_image *image);

/* Over memory that comes as a descriptor. */
VkResult vulkan_image_import(const struct vulkan *vk, const struct vulkan_image_info *info, int fd,
                             struct vulkan_image *image);
void vulkan_image_destroy(const struct vulkan *vk, struct vulkan_image *image);

/* How large a level is: its texels in all layers, row after row without gaps. */
size_t vulkan_image_level_bytes(const struct vulkan_image_info *info, uint32_t level);
void vulkan_image_write(const struct vulkan *vk, const struct vulkan_image *image, uint32_t level,
                        const void *texels);
void vulkan_image_read(const struct vulkan *vk, const struct vulkan_image *image, uint32_t level,
                       void *texels);

/* A command buffer that begins with a barrier against all that came before, and one that is ended
 * with a barrier, submitted and waited for. */
VkCommandBuffer vulkan_begin(const struct vulkan *vk);
void vulkan_finish(const struct vulkan *vk, VkCommandBuffer commands);

/* The same, not submitted: for a submission with semaphores. Freed by vulkan_free once it has run.
 */
void vulkan_end(const struct vulkan *vk, VkCommandBuffer commands);
void vulkan_free(const struct vulkan *vk, VkCommandBuffer commands);

#endif
