/* SPDX-License-Identifier: MIT */
/* The primary context of a device: created by the first retain, ended by the last release or a
 * reset, revived by the next retain. A reset does not change the retain count. */
#ifndef CUP_DEVICE_PRIMARY_H
#define CUP_DEVICE_PRIMARY_H

#include "device/context.h"
#include "device/device.h"

#include <cuda.h>
#include <stdbool.h>

/* Increments the retain count. The handle is valid for the life of the process. */
CUresult cup_primary_retain(struct cup_device *device, struct CUctx_st **context);

/* Decrements the retain count and ends the context at zero. Returns INVALID_CONTEXT if it is not
 * retained, NOT_PERMITTED if only its green contexts retain it. */
CUresult cup_primary_release(struct cup_device *device);

/* The same for a green context. While there is one, the primary context cannot be reset, and its
 * last release does not end it. */
CUresult cup_primary_retain_green(struct cup_device *device, struct CUctx_st **context);
void cup_primary_release_green(struct cup_device *device);

/* Ends the context, even if it is in use, and resets its flags. NOT_PERMITTED if it has green
 * contexts. */
CUresult cup_primary_reset(struct cup_device *device);

/* Sets the flags of the context and of its next revival. They have been validated. */
void cup_primary_set_flags(struct cup_device *device, unsigned flags);

void cup_primary_state(struct cup_device *device, unsigned *flags, bool *active);

#endif
