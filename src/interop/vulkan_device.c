/* SPDX-License-Identifier: MIT */
/* Creates a Vulkan instance, queries its devices and destroys it. The few declarations needed are
 * here, so the library builds without Vulkan's headers. */
#include "interop/vulkan_device.h"

#include "core/config.h"
#include "core/log.h"
#include "core/thread.h"
#include "os/dynlib.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    TYPE_INSTANCE_CREATE_INFO = 1,
    TYPE_PROPERTIES_2 = 1000059001,
    TYPE_ID_PROPERTIES = 1000071004,
    API_VERSION_1_1 = 1 << 22 | 1 << 12,
    DEVICE_TYPE_CPU = 4,
    DEVICES_MAX = 64,
};

struct application_info {
    uint32_t type; /* 0 */
    const void *next;
    const char *name;
    uint32_t version;
    const char *engine_name;
    uint32_t engine_version;
    uint32_t api_version;
};

struct instance_info {
    uint32_t type;
    const void *next;
    uint32_t flags;
    const struct application_info *application;
    uint32_t layer_count;
    const char *const *layers;
    uint32_t extension_count;
    const char *const *extensions;
};

struct id_properties {
    uint32_t type;
    void *next;
    uint8_t device_uuid[16], driver_uuid[16], device_luid[8];
    uint32_t node_mask, luid_valid;
};

/* `limits` and more follow the name; they are not read, but need space. */
struct device_properties {
    uint32_t type;
    void *next;
    uint32_t api_version, driver_version, vendor, device, device_type;
    char name[256];
    uint8_t rest[1024];
};

struct functions {
    int (*create_instance)(const struct instance_info *info, const void *allocator,
                           void **instance);
    void (*destroy_instance)(void *instance, const void *allocator);
    int (*enumerate)(void *instance, uint32_t *count, void **devices);
    void (*get_properties)(void *device, struct device_properties *properties);
};

struct vulkan_device {
    CUuuid uuid;
    bool is_swiftshader;
};

/* Leaf mutex: guards asking Vulkan for its devices. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool queried;                                  /* guarded by lock */
static struct vulkan_device devices[CUP_MAX_DEVICES]; /* guarded by lock */
static unsigned device_count;                         /* guarded by lock */

static bool load(void *(*get)(void *instance, const char *name), void *instance, const char *name,
                 void *function)
{
    void *found = get(instance, name);

    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

/* Records the next CPU device; the memory of other devices cannot be mapped here. */
static void add_device(const struct functions *vulkan, void *device)
{
    struct id_properties ids = {.type = TYPE_ID_PROPERTIES};
    struct device_properties properties = {.type = TYPE_PROPERTIES_2, .next = &ids};

    vulkan->get_properties(device, &properties);
    if (properties.device_type != DEVICE_TYPE_CPU || device_count == CUP_MAX_DEVICES)
        return;
    struct vulkan_device *added = &devices[device_count++];
    memcpy(&added->uuid, ids.device_uuid, sizeof(added->uuid));
    added->is_swiftshader = strncmp(properties.name, "SwiftShader", strlen("SwiftShader")) == 0;
}

static void query_instance(struct functions *vulkan, void *(*get)(void *instance, const char *name),
                           void *instance)
{
    void *found[DEVICES_MAX];
    uint32_t count = DEVICES_MAX;

    if (load(get, instance, "vkEnumeratePhysicalDevices", &vulkan->enumerate) &&
        load(get, instance, "vkGetPhysicalDeviceProperties2", &vulkan->get_properties) &&
        vulkan->enumerate(instance, &count, found) >= 0) {
        for (uint32_t i = 0; i < count; i++)
            add_device(vulkan, found[i]);
    }
    if (load(get, instance, "vkDestroyInstance", &vulkan->destroy_instance))
        vulkan->destroy_instance(instance, NULL);
}

static void query_devices(void *library)
{
    const struct application_info application = {.api_version = API_VERSION_1_1};
    const struct instance_info info = {.type = TYPE_INSTANCE_CREATE_INFO,
                                       .application = &application};
    void *(*get)(void *instance, const char *name);
    struct functions vulkan;
    void *instance;

    if (cup_dynlib_resolve(library, &(struct cup_dynlib_symbol){"vkGetInstanceProcAddr", &get},
                           1) &&
        load(get, NULL, "vkCreateInstance", &vulkan.create_instance) &&
        vulkan.create_instance(&info, NULL, &instance) == 0)
        query_instance(&vulkan, get, instance);
    cup_log(CUP_LOG_INFO, "Vulkan has %u devices that run on the processor", device_count);
}

/* Returns the loader if it may be queried: the process has loaded it, or the user requests it. */
static void *find_loader(bool is_wanted)
{
    return cup_dynlib_open("libvulkan.so.1", is_wanted ? CUP_DYNLIB_LOAD : CUP_DYNLIB_IF_LOADED);
}

/* Set during the query, because a Vulkan layer may call the API. */
CUP_THREAD_STATE(is_querying_vulkan, bool);

/* Returns false if there is no Vulkan device with this index. */
static bool find_device(unsigned index, enum cup_uuid_source source, struct vulkan_device *found)
{
    if (*cup_thread_is_querying_vulkan(cup_thread_self()))
        return false;
    *cup_thread_is_querying_vulkan(cup_thread_self()) = true;
    pthread_mutex_lock(&lock);
    void *library = queried ? NULL : find_loader(source == CUP_UUID_VULKAN);
    if (library) {
        query_devices(library); /* keep the reference: unloading drivers is risky */
        queried = true;
    }
    bool is_there = index < device_count;
    if (is_there)
        *found = devices[index];
    pthread_mutex_unlock(&lock);
    *cup_thread_is_querying_vulkan(cup_thread_self()) = false;
    return is_there;
}

CUuuid cup_vulkan_uuid(const struct cup_device *device, enum cup_uuid_source source)
{
    struct vulkan_device found;

    if (source != CUP_UUID_GIVEN && find_device(device->physical, source, &found))
        return found.uuid;
    return device->uuid;
}

enum cup_physical_form cup_vulkan_form(const struct cup_device *device)
{
    struct vulkan_device found;

    if (cup_config_get()->export_form != CUP_EXPORT_AUTO)
        return cup_config_get()->export_form == CUP_EXPORT_PLAIN ? CUP_PHYSICAL_PLAIN
                                                                 : CUP_PHYSICAL_LLVMPIPE;
    return find_device(device ? device->physical : 0, cup_config_get()->uuid_source, &found) &&
                   found.is_swiftshader
               ? CUP_PHYSICAL_PLAIN
               : CUP_PHYSICAL_LLVMPIPE;
}
