/* SPDX-License-Identifier: MIT */
/* A device's primary context: made by the first retain, ended by the last release or by a reset,
 * begun anew by the retain after that. A reset leaves the count of retains alone. */
#ifndef CUP_DEVICE_PRIMARY_H
#define CUP_DEVICE_PRIMARY_H

#include "device/context.h"
#include "device/device.h"

#include <cuda.h>
#include <stdbool.h>

/* Counts one more user. The handle is good for the life of the process. */
CUresult cup_primary_retain(struct cup_device *device, struct CUctx_st **context);

/* Counts one user less; the last one ends the context. INVALID_CONTEXT when nobody retains it. */
CUresult cup_primary_release(struct cup_device *device);

/* Ends the context, whoever uses it, and forgets its flags. */
void cup_primary_reset(struct cup_device *device);

/* The flags of the context, now and when it begins next. They have been checked. */
void cup_primary_set_flags(struct cup_device *device, unsigned flags);

void cup_primary_state(struct cup_device *device, unsigned *flags, bool *active);

#endif
