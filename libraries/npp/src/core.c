/* SPDX-License-Identifier: MIT */
/* libnppc: the version, the device, and the stream of functions without a context. */
#include <common/driver.h>
#include <npp.h>
#include <stdatomic.h>
#include <string.h>

static _Atomic(cudaStream_t) current_stream;

const NppLibraryVersion *nppGetLibVersion(void)
{
    static const NppLibraryVersion version = {NPP_VER_MAJOR, NPP_VER_MINOR, NPP_VER_PATCH};

    return &version;
}

static int attribute(CUdevice_attribute name)
{
    const struct lib_driver *driver = lib_driver();
    CUdevice device;
    int value = 0;

    if (!driver || lib_ensure_context() != CUDA_SUCCESS ||
        driver->context_get_device(&device) != CUDA_SUCCESS ||
        driver->device_get_attribute(&value, name, device) != CUDA_SUCCESS)
        return 0;
    return value;
}

NppStatus nppGetStreamContext(NppStreamContext *context)
{
    CUdevice device = 0;

    if (!context)
        return NPP_NULL_POINTER_ERROR;
    if (!lib_driver() || lib_ensure_context() != CUDA_SUCCESS)
        return NPP_STREAM_CTX_ERROR;
    lib_driver()->context_get_device(&device);
    *context = (NppStreamContext){
        .hStream = atomic_load(&current_stream),
        .nCudaDeviceId = device,
        .nMultiProcessorCount = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        .nMaxThreadsPerMultiProcessor =
            attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
        .nMaxThreadsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .nSharedMemPerBlock = (size_t)attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        .nCudaDevAttrComputeCapabilityMajor =
            attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
        .nCudaDevAttrComputeCapabilityMinor =
            attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
    };
    return NPP_SUCCESS;
}

cudaStream_t nppGetStream(void)
{
    return atomic_load(&current_stream);
}

NppStatus nppSetStream(cudaStream_t stream)
{
    atomic_store(&current_stream, stream);
    return NPP_SUCCESS;
}

unsigned int nppGetStreamNumSMs(void)
{
    return (unsigned)nppGetGpuNumSMs();
}

unsigned int nppGetStreamMaxThreadsPerSM(void)
{
    return (unsigned)nppGetMaxThreadsPerSM();
}

int nppGetGpuNumSMs(void)
{
    return attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
}

int nppGetMaxThreadsPerBlock(void)
{
    return attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
}

int nppGetMaxThreadsPerSM(void)
{
    return attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
}

int nppGetGpuDeviceProperties(int *max_threads_per_sm, int *max_threads_per_block, int *sm_count)
{
    if (!max_threads_per_sm || !max_threads_per_block || !sm_count)
        return NPP_NULL_POINTER_ERROR;
    *max_threads_per_sm = nppGetMaxThreadsPerSM();
    *max_threads_per_block = nppGetMaxThreadsPerBlock();
    *sm_count = nppGetGpuNumSMs();
    return NPP_SUCCESS;
}

const char *nppGetGpuName(void)
{
    static char name[256];
    const struct lib_driver *driver = lib_driver();
    CUdevice device;

    if (driver && lib_ensure_context() == CUDA_SUCCESS &&
        driver->context_get_device(&device) == CUDA_SUCCESS)
        driver->device_get_name(name, sizeof(name) - 1, device);
    return name;
}
