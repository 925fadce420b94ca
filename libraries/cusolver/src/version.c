/* SPDX-License-Identifier: MIT */
/* The version of the library. */
#include <cusolver_common.h>
#include <stddef.h>

cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = {
        [MAJOR_VERSION] = CUSOLVER_VER_MAJOR,
        [MINOR_VERSION] = CUSOLVER_VER_MINOR,
        [PATCH_LEVEL] = CUSOLVER_VER_PATCH,
    };

    if ((size_t)type >= sizeof(parts) / sizeof(*parts) || !value)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *value = parts[type];
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverGetVersion(int *version)
{
    if (!version)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *version = CUSOLVER_VERSION;
    return CUSOLVER_STATUS_SUCCESS;
}
