/* SPDX-License-Identifier: MIT */
/* Event sets can be made and waited for. A device of cupipe has no events: none can be asked for,
 * and none ever comes. */
#include "device.h"
#include "event_sets.h"
#include "nvml_impl.h"

#include <string.h>
#include <time.h>

enum { MS_PER_S = 1000, NS_PER_MS = 1000000 };

static bool is_set(nvmlEventSet_t set)
{
    return event_set_is_live(EVENT_SET_OF_DEVICES, set);
}

nvmlReturn_t nvml_impl_nvmlEventSetCreate(nvmlEventSet_t *set)
{
    if (!set)
        return NVML_ERROR_INVALID_ARGUMENT;
    *set = event_set_create(EVENT_SET_OF_DEVICES);
    return *set ? NVML_SUCCESS : NVML_ERROR_MEMORY;
}

nvmlReturn_t nvml_impl_nvmlEventSetFree(nvmlEventSet_t set)
{
    return event_set_free(EVENT_SET_OF_DEVICES, set) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvml_impl_nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long eventTypes,
                                                nvmlEventSet_t set)
{
    (void)device;
    if (!is_set(set))
        return NVML_ERROR_INVALID_ARGUMENT;
    return eventTypes ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device,
                                                        unsigned long long *eventTypes)
{
    (void)device;
    if (!eventTypes)
        return NVML_ERROR_INVALID_ARGUMENT;
    *eventTypes = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlEventSetRegisterGpuOperationalEvents_v1(
    nvmlEventSet_t eventSet, const nvmlGpuOperationalEventConfig_v1_t *config)
{
    nvmlDevice_t device;

    if (!is_set(eventSet) || !config || !memchr(config->uuid, 0, sizeof(config->uuid)) ||
        nvml_impl_nvmlDeviceGetHandleByUUID(config->uuid, &device) != NVML_SUCCESS)
        return NVML_ERROR_INVALID_ARGUMENT;
    return NVML_ERROR_NOT_SUPPORTED;
}

static nvmlReturn_t wait_in_vain(unsigned int timeout_ms)
{
    struct timespec rest = {timeout_ms / MS_PER_S, (long)(timeout_ms % MS_PER_S) * NS_PER_MS};

    while (nanosleep(&rest, &rest) != 0)
        continue;
    return NVML_ERROR_TIMEOUT;
}

nvmlReturn_t nvml_impl_nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data,
                                           unsigned int timeoutms)
{
    return is_set(set) && data ? wait_in_vain(timeoutms) : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvml_impl_nvmlEventSetWait_v3(nvmlEventSet_t set, nvmlEventSetWait_v3_t *params)
{
    return is_set(set) && params ? wait_in_vain(params->timeoutMs) : NVML_ERROR_INVALID_ARGUMENT;
}

/* The records of the event that was returned last: there was none. */
#define NO_EVENT(function, type)                                                                   \
    nvmlReturn_t nvml_impl_##function(nvmlEventSet_t set, type *params)                            \
    {                                                                                              \
        return is_set(set) && params ? NVML_ERROR_NOT_FOUND : NVML_ERROR_INVALID_ARGUMENT;         \
    }

NO_EVENT(nvmlEventSetGetContextCount_v1, nvmlEventSetGetContextCount_v1_t)
NO_EVENT(nvmlEventSetGetContextInfo_v1, nvmlEventSetGetContextInfo_v1_t)
NO_EVENT(nvmlEventSetGetContextData_v1, nvmlEventSetGetContextData_v1_t)
NO_EVENT(nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1,
         nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1_t)

/* Events of the system are that a device gets its driver or loses it, which never happens. */
static bool is_system_set(nvmlSystemEventSet_t set)
{
    return event_set_is_live(EVENT_SET_OF_SYSTEM, set);
}

nvmlReturn_t nvml_impl_nvmlSystemEventSetCreate(nvmlSystemEventSetCreateRequest_t *request)
{
    if (!request)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (request->version != nvmlSystemEventSetCreateRequest_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    request->set = event_set_create(EVENT_SET_OF_SYSTEM);
    return request->set ? NVML_SUCCESS : NVML_ERROR_MEMORY;
}

nvmlReturn_t nvml_impl_nvmlSystemEventSetFree(nvmlSystemEventSetFreeRequest_t *request)
{
    if (!request || !is_system_set(request->set))
        return NVML_ERROR_INVALID_ARGUMENT;
    if (request->version != nvmlSystemEventSetFreeRequest_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    return event_set_free(EVENT_SET_OF_SYSTEM, request->set) ? NVML_SUCCESS
                                                             : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvml_impl_nvmlSystemRegisterEvents(nvmlSystemRegisterEventRequest_t *request)
{
    unsigned long long known =
        nvmlSystemEventTypeGpuDriverUnbind | nvmlSystemEventTypeGpuDriverBind;

    if (!request || !is_system_set(request->set))
        return NVML_ERROR_INVALID_ARGUMENT;
    if (request->version != nvmlSystemRegisterEventRequest_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    return request->eventTypes & ~known ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlSystemEventSetWait(nvmlSystemEventSetWaitRequest_t *request)
{
    if (!request || !is_system_set(request->set) || (request->dataSize && !request->data))
        return NVML_ERROR_INVALID_ARGUMENT;
    if (request->version != nvmlSystemEventSetWaitRequest_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    request->numEvent = 0;
    return wait_in_vain(request->timeoutms);
}
