/* SPDX-License-Identifier: MIT */
/* The attributes that all devices share: those of the GPU model that cupipe emulates. */
#ifndef CUP_DEVICE_PROFILE_H
#define CUP_DEVICE_PROFILE_H

#include <cuda.h>
#include <stdbool.h>

/* Returns false if there is no such attribute. */
bool cup_profile_attribute(CUdevice_attribute attribute, int *value);

/* The same for internal callers, which use existing attributes only; none is negative. */
static inline unsigned cup_profile_value(CUdevice_attribute attribute)
{
    int value = 0;

    cup_profile_attribute(attribute, &value);
    return (unsigned)value;
}

/* 90 for compute capability 9.0. */
static inline unsigned cup_profile_capability(void)
{
    return 10 * cup_profile_value(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           cup_profile_value(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

#endif
