/* SPDX-License-Identifier: MIT */
/*
 * What the host code that nvcc and clang generate calls: registration of fat binaries with their
 * kernels and variables, and launches. No public header declares these.
 */
#ifndef RT_PRIVATE_API_H
#define RT_PRIVATE_API_H

#include "cuda_runtime_api.h"
#include "macros.h"

RT_EXPORT void **__cudaRegisterFatBinary(void *wrapper);
RT_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
RT_EXPORT void __cudaUnregisterFatBinary(void **handle);
RT_EXPORT void __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun,
                                      const char *deviceName, int threadLimit, uint3 *tid,
                                      uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize);
RT_EXPORT void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress,
                                 const char *deviceName, int ext, size_t size, int constant,
                                 int global);
RT_EXPORT void __cudaRegisterHostVar(void **handle, const char *deviceName, char *hostVar,
                                     size_t size);
RT_EXPORT void __cudaRegisterManagedVar(void **handle, void **hostVarPtr, char *deviceAddress,
                                        const char *deviceName, int ext, size_t size, int constant,
                                        int global);
RT_EXPORT void __cudaRegisterUnifiedTable(void **handle, const void *table, size_t size);
RT_EXPORT char __cudaInitModule(void **handle);
RT_EXPORT unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                               struct CUstream_st *stream);
RT_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                                 void *stream);
RT_EXPORT void *__cudaGetProcAddress(const char *name);

/* These two go through wrappers, as the public functions do. */
cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t *kernel, const void *hostFun);
cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim,
                                         void **args, size_t sharedMem, cudaStream_t stream);

#endif
