/* SPDX-License-Identifier: MIT */
/* Some programs pass frames from CUDA to Vulkan only if the Vulkan device reports NVIDIA's vendor
 * id. CUPIPE_VULKAN_VENDOR_ID sets the reported id; nothing else about the device changes. */
#include "layer.h"

#include <stdlib.h>

static void change(VkPhysicalDeviceProperties *properties)
{
    const char *text = secure_getenv("CUPIPE_VULKAN_VENDOR_ID");
    char *end;

    if (!text || !*text)
        return;
    unsigned long id = strtoul(text, &end, 0);
    if (*end == '\0' && id <= UINT32_MAX)
        properties->vendorID = (uint32_t)id;
}

void layer_GetPhysicalDeviceProperties(VkPhysicalDevice physical,
                                       VkPhysicalDeviceProperties *properties)
{
    struct layer_instance *instance = layer_instance_of(physical);

    if (!instance)
        return;
    instance->GetPhysicalDeviceProperties(physical, properties);
    change(properties);
}

void layer_GetPhysicalDeviceProperties2(VkPhysicalDevice physical,
                                        VkPhysicalDeviceProperties2 *properties)
{
    struct layer_instance *instance = layer_instance_of(physical);

    if (!instance)
        return;
    if (instance->GetPhysicalDeviceProperties2)
        instance->GetPhysicalDeviceProperties2(physical, properties);
    else if (instance->GetPhysicalDeviceProperties2KHR)
        instance->GetPhysicalDeviceProperties2KHR(physical, properties);
    else
        instance->GetPhysicalDeviceProperties(physical, &properties->properties);
    change(&properties->properties);
}
