/* SPDX-License-Identifier: MIT */
/* Libraries that a program loads itself. */
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>

cudaError_t impl_cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                     enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                     unsigned int numJitOptions,
                                     enum cudaLibraryOption *libraryOptions,
                                     void **libraryOptionValues, unsigned int numLibraryOptions)
{
    return rt_result(rt_driver.cuLibraryLoadData(
        library, code, (CUjit_option *)(void *)jitOptions, jitOptionsValues, numJitOptions,
        (CUlibraryOption *)(void *)libraryOptions, libraryOptionValues, numLibraryOptions));
}

cudaError_t impl_cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
                                         enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                         unsigned int numJitOptions,
                                         enum cudaLibraryOption *libraryOptions,
                                         void **libraryOptionValues, unsigned int numLibraryOptions)
{
    return rt_result(rt_driver.cuLibraryLoadFromFile(
        library, fileName, (CUjit_option *)(void *)jitOptions, jitOptionsValues, numJitOptions,
        (CUlibraryOption *)(void *)libraryOptions, libraryOptionValues, numLibraryOptions));
}

cudaError_t impl_cudaLibraryUnload(cudaLibrary_t library)
{
    return rt_result(rt_driver.cuLibraryUnload(library));
}

cudaError_t impl_cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library,
                                      const char *name)
{
    return rt_result(rt_driver.cuLibraryGetKernel(pKernel, library, name));
}

cudaError_t impl_cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib)
{
    return rt_result(rt_driver.cuLibraryGetKernelCount(count, lib));
}

cudaError_t impl_cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels,
                                             cudaLibrary_t lib)
{
    return rt_result(rt_driver.cuLibraryEnumerateKernels(kernels, numKernels, lib));
}

cudaError_t impl_cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library,
                                      const char *name)
{
    return rt_result(
        rt_driver.cuLibraryGetGlobal((CUdeviceptr *)(void *)dptr, bytes, library, name));
}

cudaError_t impl_cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library,
                                       const char *name)
{
    return rt_result(
        rt_driver.cuLibraryGetManaged((CUdeviceptr *)(void *)dptr, bytes, library, name));
}

cudaError_t impl_cudaLibraryGetUnifiedFunction(void **fptr, cudaLibrary_t library,
                                               const char *symbol)
{
    return rt_result(rt_driver.cuLibraryGetUnifiedFunction(fptr, library, symbol));
}
