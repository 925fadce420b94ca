/* SPDX-License-Identifier: MIT */
/* libcuda.so.1, loaded by the commands that ask it something. The command itself is not linked with
 * it, so that cupipe run starts fast. */
#ifndef CUP_COMMAND_DRIVER_H
#define CUP_COMMAND_DRIVER_H

#include "command/command.h"

#include <cuda.h>

#define DRIVER_FUNCTIONS(X)                                                                        \
    X(cuInit)                                                                                      \
    X(cuDriverGetVersion)                                                                          \
    X(cuGetErrorName)                                                                              \
    X(cuDeviceGetCount)                                                                            \
    X(cuDeviceGet)                                                                                 \
    X(cuDeviceGetName)                                                                             \
    X(cuDeviceGetAttribute)                                                                        \
    X(cuDeviceGetUuid_v2)                                                                          \
    X(cuDeviceGetPCIBusId)                                                                         \
    X(cuDeviceTotalMem_v2)                                                                         \
    X(cuDevicePrimaryCtxRetain)                                                                    \
    X(cuCtxSetCurrent)                                                                             \
    X(cuModuleLoadData)                                                                            \
    X(cuModuleUnload)                                                                              \
    X(cuModuleGetFunctionCount)                                                                    \
    X(cuModuleEnumerateFunctions)                                                                  \
    X(cuFuncGetName)                                                                               \
    X(cuFuncLoad)

struct driver {
#define X(name) __typeof__(&name) name;
    DRIVER_FUNCTIONS(X)
#undef X
};

/* Loads the library of `places`. Says what is wrong and returns false if it cannot. */
bool driver_load(const struct places *places, struct driver *driver);

/* "CUDA_ERROR_NO_DEVICE". */
const char *driver_error(const struct driver *driver, CUresult result);

#endif
