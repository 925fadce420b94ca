/* SPDX-License-Identifier: MIT */
/* Memory, processes and utilisation of a device. Every process has the whole memory of a device for
 * itself, so what all of them use together may exceed it; it is shown as full then. */
#include "device.h"
#include "nvml_impl.h"
#include "usage.h"

#include <stdlib.h>
#include <time.h>

#define NO_INSTANCE UINT32_MAX

enum { US_PER_S = 1000000, NS_PER_US = 1000 };

/* What fills a list: nvml_usage_list or nvml_usage_sample. */
typedef void fill_function(nvmlDevice_t device, struct nvml_process_list *list);

/* Returns the processes that use the device. A list is too large for a small stack; the caller
 * frees it. */
static nvmlReturn_t list_processes(nvmlDevice_t device, fill_function *fill,
                                   struct nvml_process_list **list)
{
    *list = malloc(sizeof(**list));
    if (!*list)
        return NVML_ERROR_MEMORY;
    fill(device, *list);
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
    struct nvml_process_list *list;
    nvmlReturn_t result;

    if (!memory)
        return NVML_ERROR_INVALID_ARGUMENT;
    result = list_processes(device, nvml_usage_list, &list);
    if (result != NVML_SUCCESS)
        return result;
    memory->total = device->description.memory_bytes;
    memory->used = 0;
    for (unsigned i = 0; i < list->count; i++) {
        uint64_t rest = memory->total - memory->used, used = list->processes[i].used_bytes;

        memory->used += used < rest ? used : rest;
    }
    memory->free = memory->total - memory->used;
    free(list);
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
    nvmlMemory_t plain;
    nvmlReturn_t result;

    if (!memory)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (memory->version != nvmlMemory_v2)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    result = nvml_impl_nvmlDeviceGetMemoryInfo(device, &plain);
    if (result != NVML_SUCCESS)
        return result;
    memory->total = plain.total;
    memory->reserved = 0; /* counted as used, of each process */
    memory->free = plain.free;
    memory->used = plain.used;
    return NVML_SUCCESS;
}

/* The rule of all lists: the count becomes that of all, and nothing is written if that is too many.
 */
static nvmlReturn_t has_room(unsigned int *count, const void *places, unsigned found)
{
    unsigned room = places ? *count : 0;

    *count = found;
    return found <= room ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device,
                                                               unsigned int *infoCount,
                                                               nvmlProcessInfo_t *infos)
{
    struct nvml_process_list *list;
    nvmlReturn_t result;

    if (!infoCount || (*infoCount && !infos))
        return NVML_ERROR_INVALID_ARGUMENT;
    result = list_processes(device, nvml_usage_list, &list);
    if (result != NVML_SUCCESS)
        return result;
    result = has_room(infoCount, infos, list->count);
    for (unsigned i = 0; result == NVML_SUCCESS && i < list->count; i++)
        infos[i] = (nvmlProcessInfo_t){.pid = list->processes[i].pid,
                                       .usedGpuMemory = list->processes[i].used_bytes,
                                       .gpuInstanceId = NO_INSTANCE,
                                       .computeInstanceId = NO_INSTANCE};
    free(list);
    return result;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device,
                                                            unsigned int *infoCount,
                                                            nvmlProcessInfo_v1_t *infos)
{
    struct nvml_process_list *list;
    nvmlReturn_t result;

    if (!infoCount || (*infoCount && !infos))
        return NVML_ERROR_INVALID_ARGUMENT;
    result = list_processes(device, nvml_usage_list, &list);
    if (result != NVML_SUCCESS)
        return result;
    result = has_room(infoCount, infos, list->count);
    for (unsigned i = 0; result == NVML_SUCCESS && i < list->count; i++)
        infos[i] = (nvmlProcessInfo_v1_t){list->processes[i].pid, list->processes[i].used_bytes};
    free(list);
    return result;
}

/* No process draws with a device, and there is no server that shares one. */
static nvmlReturn_t no_processes(unsigned int *infoCount)
{
    if (!infoCount)
        return NVML_ERROR_INVALID_ARGUMENT;
    *infoCount = 0;
    return NVML_SUCCESS;
}

#define NO_PROCESSES(function, type)                                                               \
    nvmlReturn_t nvml_impl_##function(nvmlDevice_t device, unsigned int *infoCount, type *infos)   \
    {                                                                                              \
        (void)device;                                                                              \
        (void)infos;                                                                               \
        return no_processes(infoCount);                                                            \
    }

NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses, nvmlProcessInfo_v1_t)
NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, nvmlProcessInfo_t)
NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses, nvmlProcessInfo_v1_t)
NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3, nvmlProcessInfo_t)

nvmlReturn_t nvml_impl_nvmlDeviceGetRunningProcessDetailList(nvmlDevice_t device,
                                                             nvmlProcessDetailList_t *plist)
{
    struct nvml_process_list *list;
    nvmlReturn_t result;

    if (!plist)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (plist->version != nvmlProcessDetailList_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (plist->mode >= NVML_PROCESS_MODE_MAX ||
        (plist->mode == NVML_PROCESS_MODE_ALL && !nvml_has(13030)))
        return NVML_ERROR_INVALID_ARGUMENT;
    if (plist->mode != NVML_PROCESS_MODE_COMPUTE && plist->mode != NVML_PROCESS_MODE_ALL)
        return no_processes(&plist->numProcArrayEntries);
    result = list_processes(device, nvml_usage_list, &list);
    if (result != NVML_SUCCESS)
        return result;
    result = has_room(&plist->numProcArrayEntries, plist->procArray, list->count);
    for (unsigned i = 0; result == NVML_SUCCESS && i < list->count; i++)
        plist->procArray[i] = (nvmlProcessDetail_v1_t){
            .pid = list->processes[i].pid,
            .usedGpuMemory = list->processes[i].used_bytes,
            .gpuInstanceId = NO_INSTANCE,
            .computeInstanceId = NO_INSTANCE,
        };
    free(list);
    return result;
}

/* Copies are not measured: the second number stays 0. */
nvmlReturn_t nvml_impl_nvmlDeviceGetUtilizationRates(nvmlDevice_t device,
                                                     nvmlUtilization_t *utilization)
{
    struct nvml_process_list *list;
    nvmlReturn_t result;
    unsigned percent = 0;

    if (!utilization)
        return NVML_ERROR_INVALID_ARGUMENT;
    result = list_processes(device, nvml_usage_sample, &list);
    if (result != NVML_SUCCESS)
        return result;
    for (unsigned i = 0; i < list->count; i++)
        percent += list->processes[i].percent;
    *utilization = (nvmlUtilization_t){.gpu = percent < 100 ? percent : 100};
    free(list);
    return NVML_SUCCESS;
}

/* Of the parts of a device only the multiprocessors are measured. Nothing changes the state. */
nvmlReturn_t
nvml_impl_nvmlDeviceGetDynamicPstatesInfo(nvmlDevice_t device,
                                          nvmlGpuDynamicPstatesInfo_t *pDynamicPstatesInfo)
{
    nvmlUtilization_t utilization;
    nvmlReturn_t result;

    if (!pDynamicPstatesInfo)
        return NVML_ERROR_INVALID_ARGUMENT;
    result = nvml_impl_nvmlDeviceGetUtilizationRates(device, &utilization);
    if (result != NVML_SUCCESS)
        return result;
    *pDynamicPstatesInfo = (nvmlGpuDynamicPstatesInfo_t){0};
    pDynamicPstatesInfo->utilization[NVML_GPU_UTILIZATION_DOMAIN_GPU].bIsPresent = 1;
    pDynamicPstatesInfo->utilization[NVML_GPU_UTILIZATION_DOMAIN_GPU].percentage = utilization.gpu;
    return NVML_SUCCESS;
}

static unsigned long long timestamp_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (unsigned long long)now.tv_sec * US_PER_S + (unsigned long long)now.tv_nsec / NS_PER_US;
}

/* No process at all is an error, as in the older form below. */
nvmlReturn_t
nvml_impl_nvmlDeviceGetProcessesUtilizationInfo(nvmlDevice_t device,
                                                nvmlProcessesUtilizationInfo_t *procesesUtilInfo)
{
    struct nvml_process_list *list;
    nvmlReturn_t result;

    if (!procesesUtilInfo)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (procesesUtilInfo->version != nvmlProcessesUtilizationInfo_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    result = list_processes(device, nvml_usage_sample, &list);
    if (result != NVML_SUCCESS)
        return result;
    unsigned long long now_us = timestamp_us();
    result = list->count && now_us > procesesUtilInfo->lastSeenTimeStamp
                 ? has_room(&procesesUtilInfo->processSamplesCount, procesesUtilInfo->procUtilArray,
                            list->count)
                 : NVML_ERROR_NOT_FOUND;
    for (unsigned i = 0; result == NVML_SUCCESS && i < list->count; i++)
        procesesUtilInfo->procUtilArray[i] = (nvmlProcessUtilizationInfo_v1_t){
            .timeStamp = now_us,
            .pid = list->processes[i].pid,
            .smUtil = list->processes[i].percent,
        };
    free(list);
    return result;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetProcessUtilization(nvmlDevice_t device,
                                                       nvmlProcessUtilizationSample_t *utilization,
                                                       unsigned int *processSamplesCount,
                                                       unsigned long long lastSeenTimeStamp)
{
    struct nvml_process_list *list;
    nvmlReturn_t result;

    if (!processSamplesCount)
        return NVML_ERROR_INVALID_ARGUMENT;
    result = list_processes(device, nvml_usage_sample, &list);
    if (result != NVML_SUCCESS)
        return result;
    unsigned long long now_us = timestamp_us();
    result = list->count && now_us > lastSeenTimeStamp
                 ? has_room(processSamplesCount, utilization, list->count)
                 : NVML_ERROR_NOT_FOUND;
    for (unsigned i = 0; result == NVML_SUCCESS && i < list->count; i++)
        utilization[i] = (nvmlProcessUtilizationSample_t){
            .pid = list->processes[i].pid,
            .timeStamp = now_us,
            .smUtil = list->processes[i].percent,
        };
    free(list);
    return result;
}
