/* SPDX-License-Identifier: MIT */
/* Names of processes, and kinds of hardware of which there is none. */
#include "device.h"
#include "nvml_impl.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* The first word of the command line, cut to the place. */
nvmlReturn_t nvml_impl_nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length)
{
    char path[64];
    ssize_t bytes;
    int fd;

    if (!name || length == 0)
        return NVML_ERROR_INVALID_ARGUMENT;
    snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NVML_ERROR_NOT_FOUND;
    bytes = read(fd, name, length - 1);
    close(fd);
    if (bytes < 0)
        return NVML_ERROR_NO_PERMISSION;
    name[bytes] = '\0';
    return NVML_SUCCESS;
}

/* S-class units, host interface cards, excluded devices: there are none. */

static nvmlReturn_t none_of(unsigned int *count)
{
    if (!count)
        return NVML_ERROR_INVALID_ARGUMENT;
    *count = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlSystemGetHicVersion(unsigned int *hwbcCount,
                                               nvmlHwbcEntry_t *hwbcEntries)
{
    (void)hwbcEntries;
    return none_of(hwbcCount);
}

nvmlReturn_t nvml_impl_nvmlUnitGetCount(unsigned int *unitCount)
{
    return none_of(unitCount);
}

nvmlReturn_t nvml_impl_nvmlUnitGetHandleByIndex(unsigned int index, nvmlUnit_t *unit)
{
    (void)index;
    (void)unit;
    return NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvml_impl_nvmlGetExcludedDeviceCount(unsigned int *deviceCount)
{
    return none_of(deviceCount);
}

nvmlReturn_t nvml_impl_nvmlGetExcludedDeviceInfoByIndex(unsigned int index,
                                                        nvmlExcludedDeviceInfo_t *info)
{
    (void)index;
    (void)info;
    return NVML_ERROR_INVALID_ARGUMENT;
}
