/* SPDX-License-Identifier: MIT */
/* Versions, names of processes, and kinds of hardware of which there is none. */
#include "device.h"
#include "nvml_impl.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Programs compare driver versions as numbers: the branch is the one that brought the CUDA version
 * which the driver implements; cupipe's own version follows. */
static unsigned driver_branch(void)
{
    unsigned cuda, branch;

    nvml_driver()->driver_version(&cuda, &branch);
    return branch;
}

nvmlReturn_t nvml_impl_nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
    return nvml_text(version, length, "%u.%s", driver_branch(), nvml_driver()->version);
}

nvmlReturn_t nvml_impl_nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
    return nvml_text(version, length, NVML_API_VERSION_STR ".%u.%s", driver_branch(),
                     nvml_driver()->version);
}

nvmlReturn_t nvml_impl_nvmlSystemGetDriverBranch(nvmlSystemDriverBranchInfo_t *branchInfo,
                                                 unsigned int length)
{
    if (!branchInfo)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (branchInfo->version != nvmlSystemDriverBranchInfo_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (length > sizeof(branchInfo->branch))
        length = sizeof(branchInfo->branch);
    return nvml_text(branchInfo->branch, length, "r%u_00", driver_branch());
}

/* Answers before nvmlInit too. */
nvmlReturn_t nvml_impl_nvmlSystemGetCudaDriverVersion_v2(int *cudaDriverVersion)
{
    if (!cudaDriverVersion)
        return NVML_ERROR_INVALID_ARGUMENT;
    *cudaDriverVersion = CUDA_VERSION;
    return NVML_SUCCESS;
}

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
