/* SPDX-License-Identifier: MIT */
/* The attributes all devices share: what the model of card that cupipe stands in for answers. */
#ifndef CUP_DEVICE_PROFILE_H
#define CUP_DEVICE_PROFILE_H

#include <cuda.h>
#include <stdbool.h>

/* False when there is no such attribute. */
bool cup_profile_attribute(CUdevice_attribute attribute, int *value);

#endif
