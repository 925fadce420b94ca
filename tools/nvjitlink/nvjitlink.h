/* SPDX-License-Identifier: MIT */
/* The interface of libnvJitLink: names and numbers as published. */
#ifndef CUP_NVJITLINK_H
#define CUP_NVJITLINK_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    NVJITLINK_SUCCESS = 0,
    NVJITLINK_ERROR_UNRECOGNIZED_OPTION = 1,
    NVJITLINK_ERROR_MISSING_ARCH = 2,
    NVJITLINK_ERROR_INVALID_INPUT = 3,
    NVJITLINK_ERROR_PTX_COMPILE = 4,
    NVJITLINK_ERROR_NVVM_COMPILE = 5,
    NVJITLINK_ERROR_INTERNAL = 6,
    NVJITLINK_ERROR_NULL_INPUT = 10,
    NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS = 11,
    NVJITLINK_ERROR_INCORRECT_INPUT_TYPE = 12,
    NVJITLINK_ERROR_OUTDATED_LIBRARY = 14,
    NVJITLINK_ERROR_UNRECOGNIZED_ARCH = 16,
    NVJITLINK_ERROR_UNSUPPORTED_ARCH = 17,
} nvJitLinkResult;

typedef enum {
    NVJITLINK_INPUT_NONE = 0,
    NVJITLINK_INPUT_CUBIN = 1,
    NVJITLINK_INPUT_PTX = 2,
    NVJITLINK_INPUT_LTOIR = 3,
    NVJITLINK_INPUT_FATBIN = 4,
    NVJITLINK_INPUT_OBJECT = 5,
    NVJITLINK_INPUT_LIBRARY = 6,
    NVJITLINK_INPUT_INDEX = 7,
    NVJITLINK_INPUT_ANY = 10,
} nvJitLinkInputType;

typedef struct nvJitLink *nvJitLinkHandle;

/* Every function is also exported under the names of the versions that headers map it to. */
#define NVJITLINK_FUNCTIONS(FUNCTION)                                                              \
    FUNCTION(nvJitLinkCreate, (nvJitLinkHandle * handle, uint32_t count, const char **options))    \
    FUNCTION(nvJitLinkDestroy, (nvJitLinkHandle * handle))                                         \
    FUNCTION(nvJitLinkAddData, (nvJitLinkHandle handle, nvJitLinkInputType type, const void *data, \
                                size_t bytes, const char *name))                                   \
    FUNCTION(nvJitLinkAddFile,                                                                     \
             (nvJitLinkHandle handle, nvJitLinkInputType type, const char *path))                  \
    FUNCTION(nvJitLinkComplete, (nvJitLinkHandle handle))                                          \
    FUNCTION(nvJitLinkGetLinkedCubinSize, (nvJitLinkHandle handle, size_t * bytes))                \
    FUNCTION(nvJitLinkGetLinkedCubin, (nvJitLinkHandle handle, void *cubin))                       \
    FUNCTION(nvJitLinkGetLinkedPtxSize, (nvJitLinkHandle handle, size_t * bytes))                  \
    FUNCTION(nvJitLinkGetLinkedPtx, (nvJitLinkHandle handle, char *ptx))                           \
    FUNCTION(nvJitLinkGetLinkedLTOIRSize, (nvJitLinkHandle handle, size_t * bytes))                \
    FUNCTION(nvJitLinkGetLinkedLTOIR, (nvJitLinkHandle handle, void *ltoir))                       \
    FUNCTION(nvJitLinkGetErrorLogSize, (nvJitLinkHandle handle, size_t * bytes))                   \
    FUNCTION(nvJitLinkGetErrorLog, (nvJitLinkHandle handle, char *log))                            \
    FUNCTION(nvJitLinkGetInfoLogSize, (nvJitLinkHandle handle, size_t * bytes))                    \
    FUNCTION(nvJitLinkGetInfoLog, (nvJitLinkHandle handle, char *log))

#define DECLARE(name, parameters) nvJitLinkResult name parameters;
NVJITLINK_FUNCTIONS(DECLARE)
#undef DECLARE
nvJitLinkResult nvJitLinkVersion(unsigned *major, unsigned *minor);

#endif
