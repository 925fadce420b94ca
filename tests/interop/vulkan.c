/* SPDX-License-Identifier: MIT */
/* The device: found through the loader, with whatever it has of the extensions tests want. */
#include "vulkan.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct icd {
    const char *variable;    /* names the file, if set */
    const char *patterns[4]; /* where it is otherwise */
};

static const struct icd icds[] = {
    [VULKAN_LAVAPIPE] = {"VULKAN_LAVAPIPE_ICD",
                         {"/usr/share/vulkan/icd.d/lvp_icd*.json",
                          "/usr/local/share/vulkan/icd.d/lvp_icd*.json",
                          "/etc/vulkan/icd.d/lvp_icd*.json"}},
    [VULKAN_SWIFTSHADER] = {"VULKAN_SWIFTSHADER_ICD",
                            {"/usr/lib/chromium/vk_swiftshader_icd.json",
                             "/usr/lib/*/chromium/vk_swiftshader_icd.json",
                             "/usr/share/vulkan/icd.d/vk_swiftshader_icd*.json"}},
};

void vulkan_check_result(VkResult result, const char *call, const char *file, int line)
{
    if (result == VK_SUCCESS)
        return;
    fprintf(stderr, "%s:%d: %s\n  answers %d\n", file, line, call, (int)result);
    fflush(NULL);
    _exit(1);
}

static bool use(const char *file)
{
    if (access(file, R_OK) != 0)
        return false;
    setenv("VK_ICD_FILENAMES", file, 1); /* loaders before 1.3.207 know no other name */
    setenv("VK_DRIVER_FILES", file, 1);
    return true;
}

bool vulkan_choose(enum vulkan_driver driver)
{
    const struct icd *icd = &icds[driver];
    const char *named = getenv(icd->variable);
    bool found = false;

    if (named)
        return use(named);
    for (unsigned i = 0; !found && i < sizeof(icd->patterns) / sizeof(icd->patterns[0]); i++) {
        glob_t files;
        if (!icd->patterns[i] || glob(icd->patterns[i], 0, NULL, &files) != 0)
            continue;
        found = use(files.gl_pathv[0]);
        globfree(&files);
    }
    return found;
}

static PFN_vkGetInstanceProcAddr loader(void)
{
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
    PFN_vkGetInstanceProcAddr found;

    memcpy(&found, &symbol, sizeof(found));
    return found;
}

static const char *open_instance(struct vulkan *vk)
{
    PFN_vkGetInstanceProcAddr get = loader();
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application};

    if (!get)
        return "there is no Vulkan loader (libvulkan.so.1)";
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
    if (!create || create(&info, NULL, &vk->instance) != VK_SUCCESS)
        return "no Vulkan instance can be made";
#define LOAD(name) vk->name = (PFN_vk##name)get(vk->instance, "vk" #name);
    VULKAN_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
    return NULL;
}

static const char *choose_physical(struct vulkan *vk)
{
    uint32_t count = 1;
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &vk->ids};

    if (vk->EnumeratePhysicalDevices(vk->instance, &count, &vk->physical) < 0 || count == 0)
        return "the Vulkan driver has no device";
    vk->ids.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    vk->GetPhysicalDeviceProperties2(vk->physical, &properties);
    vk->properties = properties.properties;
    vk->ids.pNext = NULL;
    vk->GetPhysicalDeviceMemoryProperties(vk->physical, &vk->memory);
    return NULL;
}

/* Takes the extension if the device has it. */
static bool want(const char *name, const VkExtensionProperties *there, uint32_t there_count,
                 const char **names, uint32_t *name_count)
{
    for (uint32_t i = 0; i < there_count; i++) {
        if (strcmp(there[i].extensionName, name) == 0) {
            names[(*name_count)++] = name;
            return true;
        }
    }
    return false;
}

static bool choose_family(struct vulkan *vk)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;

    vk->GetPhysicalDeviceQueueFamilyProperties(vk->physical, &count, families);
    for (vk->family = 0; vk->family < count; vk->family++) {
        if (families[vk->family].queueFlags & VK_QUEUE_GRAPHICS_BIT)
            return true;
    }
    return false;
}

static bool has_timeline(const struct vulkan *vk)
{
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &timeline};

    vk->GetPhysicalDeviceFeatures2(vk->physical, &features);
    return timeline.timelineSemaphore;
}

static const char *open_device(struct vulkan *vk)
{
    VkExtensionProperties there[512];
    uint32_t there_count = 512, name_count = 0;
    const char *names[5];
    float priority = 1;

    vk->EnumerateDeviceExtensionProperties(vk->physical, NULL, &there_count, there);
    if (!want("VK_KHR_external_memory_fd", there, there_count, names, &name_count))
        return "the Vulkan driver cannot export memory";
    vk->has_dma_buf =
        want("VK_EXT_external_memory_dma_buf", there, there_count, names, &name_count);
    vk->has_semaphore_fd =
        want("VK_KHR_external_semaphore_fd", there, there_count, names, &name_count);
    bool has_submit2 = want("VK_KHR_synchronization2", there, there_count, names, &name_count);
    vk->has_timeline = has_timeline(vk);
    if (!choose_family(vk))
        return "the Vulkan driver has no queue for graphics";
    VkPhysicalDeviceSynchronization2Features submit2 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES,
        .synchronization2 = VK_TRUE};
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .pNext = has_submit2 ? &submit2 : NULL,
        .timelineSemaphore = vk->has_timeline};
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = vk->family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &timeline,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = name_count,
                               .ppEnabledExtensionNames = names};
    if (vk->CreateDevice(vk->physical, &info, NULL, &vk->device) != VK_SUCCESS)
        return "no Vulkan device can be made";
#define LOAD(name) vk->name = (PFN_vk##name)vk->GetDeviceProcAddr(vk->device, "vk" #name);
    VULKAN_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
    return NULL;
}

const char *vulkan_open(struct vulkan *vk, enum vulkan_driver driver)
{
    const char *reason;

    memset(vk, 0, sizeof(*vk));
    if (!vulkan_choose(driver))
        return driver == VULKAN_LAVAPIPE ? "lavapipe is not installed (mesa-vulkan-drivers)"
                                         : "SwiftShader is not installed (chromium-common)";
    reason = open_instance(vk);
    if (!reason)
        reason = choose_physical(vk);
    if (!reason)
        reason = open_device(vk);
    if (reason)
        return reason;
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = vk->family};
    vulkan_check(vk->CreateCommandPool(vk->device, &pool, NULL, &vk->pool));
    vk->GetDeviceQueue(vk->device, vk->family, 0, &vk->queue);
    return NULL;
}

void vulkan_close(struct vulkan *vk)
{
    vk->DeviceWaitIdle(vk->device);
    vk->DestroyCommandPool(vk->device, vk->pool, NULL);
    vk->DestroyDevice(vk->device, NULL);
    vk->DestroyInstance(vk->instance, NULL);
}

static void barrier(const struct vulkan *vk, VkCommandBuffer commands)
{
    const VkPipelineStageFlags all =
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT;
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask =
            VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT,
        .dstAccessMask =
            VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT};

    vk->CmdPipelineBarrier(commands, all, all, 0, 1, &barrier, 0, NULL, 0, NULL);
}

VkCommandBuffer vulkan_begin(const struct vulkan *vk)
{
    VkCommandBuffer commands;
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = vk->pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};

    vulkan_check(vk->AllocateCommandBuffers(vk->device, &info, &commands));
    vulkan_check(vk->BeginCommandBuffer(commands, &begin));
    barrier(vk, commands);
    return commands;
}

void vulkan_end(const struct vulkan *vk, VkCommandBuffer commands)
{
    barrier(vk, commands);
    vulkan_check(vk->EndCommandBuffer(commands));
}

void vulkan_free(const struct vulkan *vk, VkCommandBuffer commands)
{
    vk->FreeCommandBuffers(vk->device, vk->pool, 1, &commands);
}

void vulkan_finish(const struct vulkan *vk, VkCommandBuffer commands)
{
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &commands};

    vulkan_end(vk, commands);
    vulkan_check(vk->QueueSubmit(vk->queue, 1, &submit, VK_NULL_HANDLE));
    vulkan_check(vk->QueueWaitIdle(vk->queue));
    vulkan_free(vk, commands);
}
