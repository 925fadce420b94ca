/* SPDX-License-Identifier: MIT */
/* Devices: created without the extension that the driver does not know, and with timeline
 * semaphores even if the application does not request them. */
#include "layer.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct layer_device *devices; /* guarded by lock */

static void *key_of(const void *handle)
{
    return *(void *const *)handle;
}

struct layer_device *layer_device_of(const void *handle)
{
    struct layer_device *device;

    pthread_mutex_lock(&lock);
    for (device = devices; device && device->key != key_of(handle);)
        device = device->next;
    pthread_mutex_unlock(&lock);
    return device;
}

static VkLayerDeviceCreateInfo *chain_link(const VkDeviceCreateInfo *info)
{
    for (const VkBaseInStructure *each = info->pNext; each; each = each->pNext) {
        VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)each;
        if (each->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO &&
            link->function == VK_LAYER_LINK_INFO)
            return link;
    }
    return NULL;
}

/* Returns the application's timelineSemaphore feature flag, or NULL. */
static VkBool32 *timeline_switch(const VkDeviceCreateInfo *info)
{
    for (const VkBaseInStructure *each = info->pNext; each; each = each->pNext) {
        if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)
            return &((VkPhysicalDeviceTimelineSemaphoreFeatures *)each)->timelineSemaphore;
        if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
            return &((VkPhysicalDeviceVulkan12Features *)each)->timelineSemaphore;
    }
    return NULL;
}

/* The extension names for the driver. */
static const char **extensions_below(struct layer_instance *instance, VkPhysicalDevice physical,
                                     const VkDeviceCreateInfo *info, uint32_t *count)
{
    const char **names = calloc(info->enabledExtensionCount + 1, sizeof(*names));
    const char *fd = VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME;
    const char *timeline = VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME;
    bool driver_has_fd = layer_has_extension(instance, physical, fd);
    bool wants_timeline = layer_has_extension(instance, physical, timeline);

    *count = 0;
    for (uint32_t i = 0; names && i < info->enabledExtensionCount; i++) {
        const char *name = info->ppEnabledExtensionNames[i];
        if (strcmp(name, timeline) == 0)
            wants_timeline = false;
        if (driver_has_fd || strcmp(name, fd) != 0)
            names[(*count)++] = name;
    }
    if (names && wants_timeline)
        names[(*count)++] = timeline;
    return names;
}

/* The application's chain is const only by declaration: the feature flag found in it is set during
 * the call. */
static VkResult create_below(PFN_vkCreateDevice create, VkPhysicalDevice physical,
                             const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
                             VkDevice *device)
{
    VkPhysicalDeviceTimelineSemaphoreFeatures own = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .pNext = (void *)info->pNext,
        .timelineSemaphore = VK_TRUE};
    VkDeviceCreateInfo changed = *info;
    VkBool32 *on = timeline_switch(info);

    if (!on)
        changed.pNext = &own;
    if (!on || *on)
        return create(physical, &changed, allocator, device);
    *on = VK_TRUE;
    VkResult result = create(physical, &changed, allocator, device);
    *on = VK_FALSE;
    return result;
}

static VkResult create_changed(struct layer_instance *instance, PFN_vkCreateDevice create,
                               VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                               const VkAllocationCallbacks *allocator, VkDevice *device)
{
    VkDeviceCreateInfo changed = *info;
    const char **names = extensions_below(instance, physical, info, &changed.enabledExtensionCount);

    if (!names)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    changed.ppEnabledExtensionNames = names;
    VkResult result = create_below(create, physical, &changed, allocator, device);
    free(names);
    return result;
}

/* Loads functions of Vulkan 1.2 or 1.3, otherwise those of the extensions they come from. */
static void load_functions(struct layer_device *device)
{
#define LOAD(name) device->name = (PFN_vk##name)device->get(device->handle, "vk" #name);
    LAYER_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
#define EITHER(name)                                                                               \
    if (!device->name)                                                                             \
        device->name = device->name##KHR;
    EITHER(QueueSubmit2)
    EITHER(GetSemaphoreCounterValue)
    EITHER(SignalSemaphore)
    EITHER(WaitSemaphores)
#undef EITHER
}

static bool add_device(VkDevice handle, PFN_vkGetDeviceProcAddr get, const bool adds[2])
{
    struct layer_device *device = calloc(1, sizeof(*device));

    if (!device)
        return false;
    device->key = key_of(handle);
    device->handle = handle;
    device->get = get;
    load_functions(device);
    bool works = device->WaitSemaphores && device->SignalSemaphore;
    device->adds[0] = works && adds[0];
    device->adds[1] = works && adds[1];
    pthread_mutex_init(&device->lock, NULL);
    pthread_mutex_lock(&lock);
    device->next = devices;
    devices = device;
    pthread_mutex_unlock(&lock);
    return true;
}

VkResult layer_CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                            const VkAllocationCallbacks *allocator, VkDevice *device)
{
    VkLayerDeviceCreateInfo *link = chain_link(info);
    struct layer_instance *instance = layer_instance_of(physical);
    bool adds[2];

    if (!link || !link->u.pLayerInfo || !instance)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr get_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr get = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    PFN_vkCreateDevice create =
        (PFN_vkCreateDevice)get_instance(instance->handle, "vkCreateDevice");
    if (!create)
        return VK_ERROR_INITIALIZATION_FAILED;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    layer_find_missing(instance, physical, adds);
    VkResult result = adds[0] || adds[1]
                          ? create_changed(instance, create, physical, info, allocator, device)
                          : create(physical, info, allocator, device);
    if (result != VK_SUCCESS || add_device(*device, get, adds))
        return result;
    PFN_vkDestroyDevice destroy = (PFN_vkDestroyDevice)get(*device, "vkDestroyDevice");
    destroy(*device, allocator);
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Releases submissions that still wait for a file first, otherwise the driver would wait
 * forever. */
static void release_submissions(struct layer_device *device)
{
    for (struct layer_semaphore *each = device->semaphores; each; each = each->next) {
        if (each->inbound)
            layer_inbound_end(each->inbound);
        each->inbound = NULL;
    }
    device->DeviceWaitIdle(device->handle);
    layer_outbound_flush(device);
    for (struct layer_queue *queue = device->queues; queue; queue = queue->next) {
        if (queue->outbound)
            layer_outbound_end(queue->outbound);
    }
}

static void free_lists(struct layer_device *device)
{
    while (device->semaphores) {
        struct layer_semaphore *semaphore = device->semaphores;
        device->semaphores = semaphore->next;
        if (semaphore->file)
            cup_semaphore_file_close(semaphore->file);
        if (semaphore->temporary)
            cup_semaphore_file_close(semaphore->temporary);
        free(semaphore);
    }
    while (device->tickets) {
        struct layer_ticket *ticket = device->tickets;
        device->tickets = ticket->next;
        device->DestroySemaphore(device->handle, ticket->semaphore, NULL);
        free(ticket);
    }
    while (device->queues) {
        struct layer_queue *queue = device->queues;
        device->queues = queue->next;
        free(queue);
    }
}

static void layer_DestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
    struct layer_device *device, **link = &devices;

    if (!handle)
        return;
    device = layer_device_of(handle);
    if (!device)
        return;
    if (device->adds[0] || device->adds[1]) {
        release_submissions(device);
        free_lists(device);
    }
    pthread_mutex_lock(&lock);
    while (*link != device)
        link = &(*link)->next;
    *link = device->next;
    pthread_mutex_unlock(&lock);
    device->DestroyDevice(handle, allocator);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

PFN_vkVoidFunction layer_device_function(const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } functions[] = {
#define OWN(name, function) {"vk" #name, (PFN_vkVoidFunction)layer_##function}
        OWN(CreateSemaphore, CreateSemaphore),
        OWN(DestroyDevice, DestroyDevice),
        OWN(DestroySemaphore, DestroySemaphore),
        OWN(DeviceWaitIdle, DeviceWaitIdle),
        OWN(GetDeviceProcAddr, GetDeviceProcAddr),
        OWN(GetSemaphoreFdKHR, GetSemaphoreFdKHR),
        OWN(ImportSemaphoreFdKHR, ImportSemaphoreFdKHR),
        OWN(QueueSubmit, QueueSubmit),
        OWN(QueueSubmit2, QueueSubmit2),
        OWN(QueueSubmit2KHR, QueueSubmit2),
        OWN(QueueWaitIdle, QueueWaitIdle),
        OWN(GetSemaphoreCounterValue, GetSemaphoreCounterValue),
        OWN(GetSemaphoreCounterValueKHR, GetSemaphoreCounterValue),
        OWN(SignalSemaphore, SignalSemaphore),
        OWN(SignalSemaphoreKHR, SignalSemaphore),
        OWN(WaitSemaphores, WaitSemaphores),
        OWN(WaitSemaphoresKHR, WaitSemaphores),
#undef OWN
    };

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    }
    return NULL;
}

/* If the driver supports everything itself, only vkDestroyDevice() is intercepted. */
PFN_vkVoidFunction layer_GetDeviceProcAddr(VkDevice handle, const char *name)
{
    struct layer_device *device = layer_device_of(handle);
    PFN_vkVoidFunction own = layer_device_function(name);

    if (!device)
        return NULL;
    bool active = device->adds[0] || device->adds[1];
    bool fd =
        strcmp(name, "vkGetSemaphoreFdKHR") == 0 || strcmp(name, "vkImportSemaphoreFdKHR") == 0;
    PFN_vkVoidFunction below = device->get(handle, name);
    if (own && active && (below || fd))
        return own;
    if (strcmp(name, "vkDestroyDevice") == 0 || strcmp(name, "vkGetDeviceProcAddr") == 0)
        return own;
    return below;
}
