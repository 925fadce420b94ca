/* SPDX-License-Identifier: MIT */
/* Instances: the loader's entry points, and queries of physical devices. */
#include "layer.h"

#include <stdlib.h>
#include <string.h>

static const VkExtensionProperties added = {VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
                                            VK_KHR_EXTERNAL_SEMAPHORE_FD_SPEC_VERSION};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct layer_instance *instances; /* guarded by lock */

/* A dispatchable handle starts with a pointer that all handles of one instance share. */
static void *key_of(const void *handle)
{
    return *(void *const *)handle;
}

struct layer_instance *layer_instance_of(const void *handle)
{
    struct layer_instance *instance;

    pthread_mutex_lock(&lock);
    for (instance = instances; instance && instance->key != key_of(handle);)
        instance = instance->next;
    pthread_mutex_unlock(&lock);
    return instance;
}

static VkLayerInstanceCreateInfo *chain_link(const VkInstanceCreateInfo *info)
{
    for (const VkBaseInStructure *each = info->pNext; each; each = each->pNext) {
        VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)each;
        if (each->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
            link->function == VK_LAYER_LINK_INFO)
            return link;
    }
    return NULL;
}

static void add_instance(VkInstance handle, PFN_vkGetInstanceProcAddr get)
{
    struct layer_instance *instance = calloc(1, sizeof(*instance));

    if (!instance)
        return; /* the layer is inactive then */
    instance->key = key_of(handle);
    instance->handle = handle;
    instance->get = get;
#define LOAD(name) instance->name = (PFN_vk##name)get(handle, "vk" #name);
    LAYER_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
    if (!instance->GetPhysicalDeviceFeatures2)
        instance->GetPhysicalDeviceFeatures2 = instance->GetPhysicalDeviceFeatures2KHR;
    if (!instance->GetPhysicalDeviceExternalSemaphoreProperties)
        instance->GetPhysicalDeviceExternalSemaphoreProperties =
            instance->GetPhysicalDeviceExternalSemaphorePropertiesKHR;
    pthread_mutex_lock(&lock);
    instance->next = instances;
    instances = instance;
    pthread_mutex_unlock(&lock);
}

static VkResult layer_CreateInstance(const VkInstanceCreateInfo *info,
                                     const VkAllocationCallbacks *allocator, VkInstance *instance)
{
    VkLayerInstanceCreateInfo *link = chain_link(info);

    if (!link || !link->u.pLayerInfo)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
    if (!create)
        return VK_ERROR_INITIALIZATION_FAILED;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result = create(info, allocator, instance);
    if (result == VK_SUCCESS)
        add_instance(*instance, get);
    return result;
}

static void layer_DestroyInstance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
    struct layer_instance *instance, **link = &instances;

    if (!handle)
        return;
    pthread_mutex_lock(&lock);
    while (*link && (*link)->key != key_of(handle))
        link = &(*link)->next;
    instance = *link;
    if (instance)
        *link = instance->next;
    pthread_mutex_unlock(&lock);
    if (!instance)
        return;
    instance->DestroyInstance(handle, allocator);
    free(instance);
}

bool layer_has_extension(struct layer_instance *instance, VkPhysicalDevice physical,
                         const char *name)
{
    VkExtensionProperties *there = NULL;
    uint32_t count = 0;
    bool found = false;

    if (instance->EnumerateDeviceExtensionProperties(physical, NULL, &count, NULL) == VK_SUCCESS)
        there = calloc(count ? count : 1, sizeof(*there));
    if (!there)
        return false;
    instance->EnumerateDeviceExtensionProperties(physical, NULL, &count, there);
    for (uint32_t i = 0; i < count && !found; i++)
        found = strcmp(there[i].extensionName, name) == 0;
    free(there);
    return found;
}

static bool has_timelines(struct layer_instance *instance, VkPhysicalDevice physical)
{
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &timeline};

    if (!instance->GetPhysicalDeviceFeatures2)
        return false;
    instance->GetPhysicalDeviceFeatures2(physical, &features);
    return timeline.timelineSemaphore;
}

static bool driver_exports(struct layer_instance *instance, VkPhysicalDevice physical,
                           VkSemaphoreType type)
{
    VkSemaphoreTypeCreateInfo kind = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = type};
    VkPhysicalDeviceExternalSemaphoreInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
        .pNext = &kind,
        .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkExternalSemaphoreProperties properties = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};

    instance->GetPhysicalDeviceExternalSemaphoreProperties(physical, &info, &properties);
    return properties.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}

/* The layer requires timeline semaphores of the driver. */
void layer_find_missing(struct layer_instance *instance, VkPhysicalDevice physical, bool adds[2])
{
    bool can =
        instance->GetPhysicalDeviceExternalSemaphoreProperties && has_timelines(instance, physical);

    adds[CUP_SEMAPHORE_BINARY] =
        can && !driver_exports(instance, physical, VK_SEMAPHORE_TYPE_BINARY);
    adds[CUP_SEMAPHORE_TIMELINE] =
        can && !driver_exports(instance, physical, VK_SEMAPHORE_TYPE_TIMELINE);
}

static VkResult list_one(const VkExtensionProperties *one, uint32_t *count,
                         VkExtensionProperties *properties)
{
    uint32_t egl_context = *count;

    *count = 1;
    if (!properties)
        return VK_SUCCESS;
    if (egl_context == 0) {
        *count = 0;
        return VK_INCOMPLETE;
    }
    properties[0] = *one;
    return VK_SUCCESS;
}

static VkResult layer_EnumerateDeviceExtensionProperties(VkPhysicalDevice physical,
                                                         const char *layer, uint32_t *count,
                                                         VkExtensionProperties *properties)
{
    if (layer && strcmp(layer, LAYER_NAME) == 0)
        return list_one(&added, count, properties);
    struct layer_instance *instance = layer_instance_of(physical);
    if (!instance)
        return VK_ERROR_INITIALIZATION_FAILED;
    bool adds[2];
    layer_find_missing(instance, physical, adds);
    if (layer || !(adds[0] || adds[1]) ||
        layer_has_extension(instance, physical, added.extensionName))
        return instance->EnumerateDeviceExtensionProperties(physical, layer, count, properties);
    uint32_t egl_context = *count;
    VkResult result =
        instance->EnumerateDeviceExtensionProperties(physical, NULL, count, properties);
    if (result != VK_SUCCESS)
        return result;
    if (properties && *count == egl_context)
        return VK_INCOMPLETE;
    if (properties)
        properties[*count] = added;
    ++*count;
    return VK_SUCCESS;
}

static enum cup_semaphore_kind kind_requested(const VkPhysicalDeviceExternalSemaphoreInfo *info)
{
    for (const VkBaseInStructure *each = info->pNext; each; each = each->pNext) {
        const VkSemaphoreTypeCreateInfo *type = (const VkSemaphoreTypeCreateInfo *)each;
        if (each->sType == VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO &&
            type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE)
            return CUP_SEMAPHORE_TIMELINE;
    }
    return CUP_SEMAPHORE_BINARY;
}

static void layer_GetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice physical, const VkPhysicalDeviceExternalSemaphoreInfo *info,
    VkExternalSemaphoreProperties *properties)
{
    struct layer_instance *instance = layer_instance_of(physical);
    bool adds[2] = {false, false};

    if (!instance)
        return;
    instance->GetPhysicalDeviceExternalSemaphoreProperties(physical, info, properties);
    layer_find_missing(instance, physical, adds);
    if (info->handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT ||
        !adds[kind_requested(info)])
        return;
    properties->exportFromImportedHandleTypes = info->handleType;
    properties->compatibleHandleTypes = info->handleType;
    properties->externalSemaphoreFeatures =
        VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
}

static PFN_vkVoidFunction layer_GetInstanceProcAddr(VkInstance instance, const char *name);

static PFN_vkVoidFunction own_function(const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } functions[] = {
#define OWN(name, function) {"vk" #name, (PFN_vkVoidFunction)layer_##function}
        OWN(CreateInstance, CreateInstance),
        OWN(DestroyInstance, DestroyInstance),
        OWN(CreateDevice, CreateDevice),
        OWN(GetInstanceProcAddr, GetInstanceProcAddr),
        OWN(GetDeviceProcAddr, GetDeviceProcAddr),
        OWN(EnumerateDeviceExtensionProperties, EnumerateDeviceExtensionProperties),
        OWN(GetPhysicalDeviceProperties, GetPhysicalDeviceProperties),
        OWN(GetPhysicalDeviceProperties2, GetPhysicalDeviceProperties2),
        OWN(GetPhysicalDeviceProperties2KHR, GetPhysicalDeviceProperties2),
        OWN(GetPhysicalDeviceExternalSemaphoreProperties,
            GetPhysicalDeviceExternalSemaphoreProperties),
        OWN(GetPhysicalDeviceExternalSemaphorePropertiesKHR,
            GetPhysicalDeviceExternalSemaphoreProperties),
#undef OWN
    };

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    }
    return NULL;
}

static PFN_vkVoidFunction layer_GetInstanceProcAddr(VkInstance handle, const char *name)
{
    PFN_vkVoidFunction own = own_function(name);
    struct layer_instance *instance = handle ? layer_instance_of(handle) : NULL;

    if (own || !instance)
        return own;
    /* Functions that the layer adds are found even without a device. */
    own = layer_device_function(name);
    return own ? own : instance->get(handle, name);
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    if (!interface || interface->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
        interface->loaderLayerInterfaceVersion < 2)
        return VK_ERROR_INITIALIZATION_FAILED;
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = layer_GetInstanceProcAddr;
    interface->pfnGetDeviceProcAddr = layer_GetDeviceProcAddr;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
