/* SPDX-License-Identifier: MIT */
/* Start and end of the library. It reads everything from the driver's table of monitoring functions
 * and never calls cuInit(): a process may use NVML before it decides which devices CUDA shall see,
 * and before it forks.
 *
 * The driver is the libcuda.so.1 that the process has loaded, then the one beside this library,
 * then the one the loader finds; the first that is cupipe's. */
#include "device.h"

#include "event_sets.h"
#include "nvml_impl.h"
#include "os/mutex.h"

#include "usage.h"

#include <cupipe_table.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(unsigned)
    users; /* calls of nvmlInit without their nvmlShutdown; written under lock */
static const struct cup_monitor_table *driver; /* guarded by lock; then never changed */
static struct nvmlDevice_st devices[CUP_MONITOR_DEVICES_MAX]; /* written while there are no users */
static unsigned device_count;

/* In the child only the thread that forked goes on: whatever lock another one held is free again.
 * An nvmlInit() that was under way there has not counted its user, so the child starts anew. */
static void fork_ends_in_child(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    nvml_usage_after_fork();
    event_sets_after_fork();
}

__attribute__((constructor)) static void library_is_loaded(void)
{
    pthread_atfork(NULL, NULL, fork_ends_in_child);
}

static const struct cup_monitor_table *table_of(void *library, struct cupipe_refusal *why)
{
    static const CUuuid id = CUP_MONITOR_TABLE_ID;
    cupipe_get_export_table get;
    const void *found = NULL;

    if (!library)
        return NULL;
    *(void **)&get = dlsym(library, "cuGetExportTable");
    if (get)
        found = cupipe_find_table(get, &id, sizeof(struct cup_monitor_table), why);
    if (!found)
        dlclose(library);
    return found;
}

static void *open_beside(void)
{
    char path[PATH_BYTES];
    const char *end;
    Dl_info self;

    if (!dladdr((void *)&devices, &self) || !self.dli_fname ||
        !(end = strrchr(self.dli_fname, '/')))
        return NULL;
    if (snprintf(path, sizeof(path), "%.*s/libcuda.so.1", (int)(end - self.dli_fname),
                 self.dli_fname) >= (int)sizeof(path))
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* The library stays loaded: it does not support unloading. */
static const struct cup_monitor_table *find_driver_locked(void)
{
    static bool is_told; /* guarded by lock */
    struct cupipe_refusal why = {0};

    cup_mutex_assert_held(&lock);
    const struct cup_monitor_table *found =
        table_of(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD), &why);

    if (!found && !why.text[0])
        found = table_of(open_beside(), &why);
    if (!found && !why.text[0])
        found = table_of(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), &why);
    if (!found && why.text[0] && !is_told) {
        is_told = true;
        fprintf(stderr, "cupipe: %s\n", why.text);
    }
    return found;
}

static const struct cup_monitor_table *driver_locked(void)
{
    cup_mutex_assert_held(&lock);
    if (!driver)
        driver = find_driver_locked();
    return driver;
}

int nvml_cuda_version(void)
{
    const struct cup_monitor_table *found;
    const char *release;
    unsigned cuda = 0;

    pthread_mutex_lock(&lock);
    found = driver_locked();
    pthread_mutex_unlock(&lock);
    if (found)
        found->driver_version(&cuda, &release);
    return (int)cuda;
}

bool nvml_has(int since)
{
    int version = nvml_cuda_version();

    return version == 0 || version >= since;
}

static nvmlReturn_t start_locked(void)
{
    cup_mutex_assert_held(&lock);
    CUresult result;

    if (!driver_locked())
        return NVML_ERROR_DRIVER_NOT_LOADED;
    device_count = driver->device_count(&result);
    if (device_count > CUP_MONITOR_DEVICES_MAX)
        device_count = CUP_MONITOR_DEVICES_MAX;
    if (device_count == 0)
        return NVML_ERROR_DRIVER_NOT_LOADED; /* the driver has written why */
    for (unsigned i = 0; i < device_count; i++) {
        devices[i].index = i;
        if (!driver->describe(i, &devices[i].description))
            return NVML_ERROR_UNKNOWN;
    }
    nvml_usage_start();
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlInitWithFlags(unsigned int flags)
{
    nvmlReturn_t result = NVML_SUCCESS;

    (void)flags; /* there is always a device, and nothing to attach to */
    pthread_mutex_lock(&lock);
    if (users == 0)
        result = start_locked();
    if (result == NVML_SUCCESS)
        users++;
    pthread_mutex_unlock(&lock);
    return result;
}

nvmlReturn_t nvml_impl_nvmlInit_v2(void)
{
    return nvml_impl_nvmlInitWithFlags(0);
}

nvmlReturn_t nvml_impl_nvmlShutdown(void)
{
    nvmlReturn_t result = NVML_ERROR_UNINITIALIZED;

    pthread_mutex_lock(&lock);
    if (users > 0) {
        users--;
        result = NVML_SUCCESS;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

bool nvml_is_initialised(void)
{
    return users != 0;
}

bool nvml_device_is_valid(nvmlDevice_t device)
{
    for (unsigned i = 0; i < device_count; i++) {
        if (device == &devices[i])
            return true;
    }
    return false;
}

nvmlReturn_t nvml_not_supported(void)
{
    return nvml_is_initialised() ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_UNINITIALIZED;
}

const struct cup_monitor_table *nvml_driver(void)
{
    return driver;
}

unsigned nvml_device_count(void)
{
    return device_count;
}

nvmlDevice_t nvml_device(unsigned index)
{
    return &devices[index];
}

int nvml_attribute(nvmlDevice_t device, CUdevice_attribute attribute)
{
    int value = 0;

    return driver->attribute(device->index, attribute, &value) ? value : 0;
}

nvmlReturn_t nvml_text(char *place, unsigned length, const char *format, ...)
{
    char text[PATH_BYTES];
    va_list arguments;
    int bytes;

    if (!place)
        return NVML_ERROR_INVALID_ARGUMENT;
    va_start(arguments, format);
    bytes = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (bytes < 0 || (unsigned)bytes >= length || bytes >= (int)sizeof(text))
        return NVML_ERROR_INSUFFICIENT_SIZE;
    memcpy(place, text, (size_t)bytes + 1);
    return NVML_SUCCESS;
}
