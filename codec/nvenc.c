/* SPDX-License-Identifier: MIT */
/* libnvidia-encode.so.1, the video encoder: it is there, and has no device that encodes. Programs
 * ask for the version of its API first and then for its functions. */
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* Results of the public API. */
enum { STATUS_SUCCESS = 0, STATUS_NO_ENCODE_DEVICE = 1, STATUS_INVALID_PTR = 6 };

/* The version that came with the CUDA version of the driver. */
enum { API_MAJOR = 13, API_MINOR = 0, API_MAJOR_SHIFT = 4 };

EXPORT int NvEncodeAPIGetMaxSupportedVersion(uint32_t *version);
EXPORT int NvEncodeAPICreateInstance(void *functions);

EXPORT int NvEncodeAPIGetMaxSupportedVersion(uint32_t *version)
{
    if (!version)
        return STATUS_INVALID_PTR;
    *version = API_MAJOR << API_MAJOR_SHIFT | API_MINOR;
    return STATUS_SUCCESS;
}

EXPORT int NvEncodeAPICreateInstance(void *functions)
{
    return functions ? STATUS_NO_ENCODE_DEVICE : STATUS_INVALID_PTR;
}
