/* SPDX-License-Identifier: MIT */
/* The attributes that follow from the GPU model that a device emulates and from its compute
 * capability. */
#ifndef CUP_DEVICE_PROFILE_H
#define CUP_DEVICE_PROFILE_H

#include "core/gpu.h"

#include <cuda.h>
#include <limits.h>
#include <stdbool.h>

enum { CUP_NO_SUCH_ATTRIBUTE = INT_MIN };

struct cup_profile {
    const struct cup_gpu *gpu;
    const struct cup_capability *capability;
    unsigned sms;
    int values[CU_DEVICE_ATTRIBUTE_MAX]; /* of attributes; or CUP_NO_SUCH_ATTRIBUTE */
};

/* `capability` and `sms` override the model's; NULL and 0: they do not. */
void cup_profile_init(struct cup_profile *profile, const struct cup_gpu *gpu,
                      const struct cup_capability *capability, unsigned sms);

/* Returns false if there is no such attribute. */
bool cup_profile_attribute(const struct cup_profile *profile, CUdevice_attribute attribute,
                           int *value);

/* The same for internal callers, which use existing attributes only; none is negative. */
static inline unsigned cup_profile_value(const struct cup_profile *profile,
                                         CUdevice_attribute attribute)
{
    return (unsigned)profile->values[attribute];
}

/* 90 for compute capability 9.0. */
static inline unsigned cup_profile_capability(const struct cup_profile *profile)
{
    return profile->capability->number;
}

#endif
