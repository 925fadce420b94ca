/* SPDX-License-Identifier: MIT */
/* Buffers and images. Bytes go in and out through a buffer in memory the host sees, so that it is
 * Vulkan that reads and writes what a test shares. */
#include "vulkan.h"

#include <string.h>

uint32_t vulkan_memory_type(const struct vulkan *vk, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < vk->memory.memoryTypeCount; i++) {
        if ((allowed >> i & 1) && (vk->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    }
    vulkan_check(VK_ERROR_FEATURE_NOT_PRESENT);
    return 0;
}

int vulkan_memory_fd(const struct vulkan *vk, VkDeviceMemory memory)
{
    VkMemoryGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                 .memory = memory,
                                 .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    int fd = -1;

    vulkan_check(vk->GetMemoryFdKHR(vk->device, &info, &fd));
    return fd;
}

/* Memory that can be exported, or, with a descriptor, that comes from one. */
static VkResult allocate(const struct vulkan *vk, const VkMemoryRequirements *requirements, int fd,
                         VkDeviceMemory *memory)
{
    VkExportMemoryAllocateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                           .handleTypes =
                                               VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkImportMemoryFdInfoKHR imported = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
                                        .fd = fd};
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = fd < 0 ? (const void *)&exported : (const void *)&imported,
        .allocationSize = requirements->size,
        .memoryTypeIndex = vulkan_memory_type(vk, requirements->memoryTypeBits,
                                              VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)};

    return vk->AllocateMemory(vk->device, &info, NULL, memory);
}

static VkResult buffer_make(const struct vulkan *vk, VkDeviceSize size_bytes, int fd,
                            struct vulkan_buffer *buffer)
{
    VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .pNext = &external,
                               .size = size_bytes,
                               .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkMemoryRequirements requirements;

    memset(buffer, 0, sizeof(*buffer));
    vulkan_check(vk->CreateBuffer(vk->device, &info, NULL, &buffer->buffer));
    vk->GetBufferMemoryRequirements(vk->device, buffer->buffer, &requirements);
    buffer->size_bytes = size_bytes;
    buffer->allocated_bytes = requirements.size;
    VkResult result = allocate(vk, &requirements, fd, &buffer->memory);
    if (result == VK_SUCCESS)
        result = vk->BindBufferMemory(vk->device, buffer->buffer, buffer->memory, 0);
    if (result != VK_SUCCESS)
        vulkan_buffer_destroy(vk, buffer);
    return result;
}

void vulkan_buffer_create(const struct vulkan *vk, VkDeviceSize size_bytes,
                          struct vulkan_buffer *buffer)
{
    vulkan_check(buffer_make(vk, size_bytes, -1, buffer));
}

VkResult vulkan_buffer_import(const struct vulkan *vk, VkDeviceSize size_bytes, int fd,
                              struct vulkan_buffer *buffer)
{
    return buffer_make(vk, size_bytes, fd, buffer);
}

void vulkan_buffer_destroy(const struct vulkan *vk, struct vulkan_buffer *buffer)
{
    vk->DestroyBuffer(vk->device, buffer->buffer, NULL);
    vk->FreeMemory(vk->device, buffer->memory, NULL);
    buffer->buffer = VK_NULL_HANDLE;
    buffer->memory = VK_NULL_HANDLE;
}

/* A buffer the host sees, for the time of one copy. */
struct staging {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *bytes;
};

static void staging_open(const struct vulkan *vk, size_t size_bytes, struct staging *staging)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = size_bytes,
                               .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements requirements;

    vulkan_check(vk->CreateBuffer(vk->device, &info, NULL, &staging->buffer));
    vk->GetBufferMemoryRequirements(vk->device, staging->buffer, &requirements);
    VkMemoryAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = requirements.size,
        .memoryTypeIndex = vulkan_memory_type(vk, requirements.memoryTypeBits,
                                              VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
    vulkan_check(vk->AllocateMemory(vk->device, &memory, NULL, &staging->memory));
    vulkan_check(vk->BindBufferMemory(vk->device, staging->buffer, staging->memory, 0));
    vulkan_check(vk->MapMemory(vk->device, staging->memory, 0, VK_WHOLE_SIZE, 0, &staging->bytes));
}

static void staging_close(const struct vulkan *vk, struct staging *staging)
{
    vk->UnmapMemory(vk->device, staging->memory);
    vk->DestroyBuffer(vk->device, staging->buffer, NULL);
    vk->FreeMemory(vk->device, staging->memory, NULL);
}

void vulkan_buffer_write(const struct vulkan *vk, const struct vulkan_buffer *buffer,
                         VkDeviceSize offset, const void *bytes, size_t size_bytes)
{
    VkBufferCopy region = {.dstOffset = offset, .size = size_bytes};
    struct staging staging;

    staging_open(vk, size_bytes, &staging);
    memcpy(staging.bytes, bytes, size_bytes);
    VkCommandBuffer commands = vulkan_begin(vk);
    vk->CmdCopyBuffer(commands, staging.buffer, buffer->buffer, 1, &region);
    vulkan_finish(vk, commands);
    staging_close(vk, &staging);
}

void vulkan_buffer_read(const struct vulkan *vk, const struct vulkan_buffer *buffer,
                        VkDeviceSize offset, void *bytes, size_t size_bytes)
{
    VkBufferCopy region = {.srcOffset = offset, .size = size_bytes};
    struct staging staging;

    staging_open(vk, size_bytes, &staging);
    VkCommandBuffer commands = vulkan_begin(vk);
    vk->CmdCopyBuffer(commands, buffer->buffer, staging.buffer, 1, &region);
    vulkan_finish(vk, commands);
    memcpy(bytes, staging.bytes, size_bytes);
    staging_close(vk, &staging);
}

void vulkan_buffer_fill(const struct vulkan *vk, const struct vulkan_buffer *buffer,
                        VkDeviceSize offset, VkDeviceSize size_bytes, uint32_t value)
{
    VkCommandBuffer commands = vulkan_begin(vk);

    vk->CmdFillBuffer(commands, buffer->buffer, offset, size_bytes, value);
    vulkan_finish(vk, commands);
}

static uint32_t level_extent(uint32_t extent, uint32_t level)
{
    return extent >> level ? extent >> level : 1;
}

static void make_general(const struct vulkan *vk, const struct vulkan_image *image)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, image->info.levels, 0,
                             image->info.layers}};
    VkCommandBuffer commands = vulkan_begin(vk);

    vk->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                           VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
    vulkan_finish(vk, commands);
}

static VkResult image_make(const struct vulkan *vk, const struct vulkan_image_info *wanted, int fd,
                           struct vulkan_image *image)
{
    VkExternalMemoryImageCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .pNext = &external,
                              .flags = wanted->is_cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
                              .imageType = wanted->type,
                              .format = wanted->format,
                              .extent = {wanted->width, wanted->height, wanted->depth},
                              .mipLevels = wanted->levels,
                              .arrayLayers = wanted->layers,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .tiling = wanted->tiling,
                              .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                       VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                       VK_IMAGE_USAGE_SAMPLED_BIT};
    VkMemoryRequirements requirements;

    memset(image, 0, sizeof(*image));
    image->info = *wanted;
    vulkan_check(vk->CreateImage(vk->device, &info, NULL, &image->image));
    vk->GetImageMemoryRequirements(vk->device, image->image, &requirements);
    image->allocated_bytes = requirements.size;
    VkResult result = allocate(vk, &requirements, fd, &image->memory);
    if (result == VK_SUCCESS)
        result = vk->BindImageMemory(vk->device, image->image, image->memory, 0);
    if (result == VK_SUCCESS)
        make_general(vk, image);
    else
        vulkan_image_destroy(vk, image);
    return result;
}

void vulkan_image_create(const struct vulkan *vk, const struct vulkan_image_info *info,
                         struct vulkan_image *image)
{
    vulkan_check(image_make(vk, info, -1, image));
}

VkResult vulkan_image_import(const struct vulkan *vk, const struct vulkan_image_info *info, int fd,
                             struct vulkan_image *image)
{
    return image_make(vk, info, fd, image);
}

void vulkan_image_destroy(const struct vulkan *vk, struct vulkan_image *image)
{
    vk->DestroyImage(vk->device, image->image, NULL);
    vk->FreeMemory(vk->device, image->memory, NULL);
    image->image = VK_NULL_HANDLE;
    image->memory = VK_NULL_HANDLE;
}

size_t vulkan_image_level_bytes(const struct vulkan_image_info *info, uint32_t level)
{
    return (size_t)level_extent(info->width, level) * level_extent(info->height, level) *
           level_extent(info->depth, level) * info->layers * info->texel_bytes;
}

static VkBufferImageCopy whole_level(const struct vulkan_image_info *info, uint32_t level)
{
    return (VkBufferImageCopy){
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, info->layers},
        .imageExtent = {level_extent(info->width, level), level_extent(info->height, level),
                        level_extent(info->depth, level)}};
}

void vulkan_image_write(const struct vulkan *vk, const struct vulkan_image *image, uint32_t level,
                        const void *texels)
{
    size_t size_bytes = vulkan_image_level_bytes(&image->info, level);
    VkBufferImageCopy region = whole_level(&image->info, level);
    struct staging staging;

    staging_open(vk, size_bytes, &staging);
    memcpy(staging.bytes, texels, size_bytes);
    VkCommandBuffer commands = vulkan_begin(vk);
    vk->CmdCopyBufferToImage(commands, staging.buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                             &region);
    vulkan_finish(vk, commands);
    staging_close(vk, &staging);
}

void vulkan_image_read(const struct vulkan *vk, const struct vulkan_image *image, uint32_t level,
                       void *texels)
{
    size_t size_bytes = vulkan_image_level_bytes(&image->info, level);
    VkBufferImageCopy region = whole_level(&image->info, level);
    struct staging staging;

    staging_open(vk, size_bytes, &staging);
    VkCommandBuffer commands = vulkan_begin(vk);
    vk->CmdCopyImageToBuffer(commands, image->image, VK_IMAGE_LAYOUT_GENERAL, staging.buffer, 1,
                             &region);
    vulkan_finish(vk, commands);
    memcpy(texels, staging.bytes, size_bytes);
    staging_close(vk, &staging);
}
