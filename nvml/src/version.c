/* SPDX-License-Identifier: MIT */
/* The versions of driver and library, as the driver says them. */
#include "device.h"
#include "nvml_impl.h"

#include <string.h>

static const char *driver_release(void)
{
    const char *release;
    unsigned cuda;

    nvml_driver()->driver_version(&cuda, &release);
    return release;
}

nvmlReturn_t nvml_impl_nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
    return nvml_text(version, length, "%s", driver_release());
}

/* The major version of CUDA, then the release of the driver. */
nvmlReturn_t nvml_impl_nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
    return nvml_text(version, length, "%d.%s", nvml_cuda_version() / 1000, driver_release());
}

nvmlReturn_t nvml_impl_nvmlSystemGetDriverBranch(nvmlSystemDriverBranchInfo_t *branchInfo,
                                                 unsigned int length)
{
    const char *release = driver_release();

    if (!branchInfo)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (branchInfo->version != nvmlSystemDriverBranchInfo_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (length > sizeof(branchInfo->branch))
        length = sizeof(branchInfo->branch);
    return nvml_text(branchInfo->branch, length, "r%.*s_00", (int)strcspn(release, "."), release);
}

/* Answers before nvmlInit too. */
nvmlReturn_t nvml_impl_nvmlSystemGetCudaDriverVersion_v2(int *cudaDriverVersion)
{
    int version;

    if (!cudaDriverVersion)
        return NVML_ERROR_INVALID_ARGUMENT;
    version = nvml_cuda_version();
    if (version == 0)
        return NVML_ERROR_LIBRARY_NOT_FOUND;
    *cudaDriverVersion = version;
    return NVML_SUCCESS;
}
