/* SPDX-License-Identifier: MIT */
/* Callbacks of the application for events of a device: its used memory exceeds the budget
 * (CUPIPE_MEMORY_BUDGET). Callbacks run one at a time in a thread of the library and must not call
 * CUDA. */
#ifndef CUP_DEVICE_NOTIFICATION_H
#define CUP_DEVICE_NOTIFICATION_H

#include "device/device.h"

#include <cuda.h>
#include <stdint.h>

void cup_notification_register(void);

/* Every registration returns a new handle. */
CUresult cup_notification_add(struct cup_device *device, CUasyncCallback function, void *data,
                              CUasyncCallbackHandle *handle);

/* On return the callback is not running and will not run again. Returns INVALID_VALUE if the handle
 * does not belong to the device. */
CUresult cup_notification_remove(struct cup_device *device, CUasyncCallbackHandle handle);

/* Reports that used memory exceeds the budget by `bytes_over`. Only sets a flag and wakes the
 * thread, so it may be called with any lock held. */
void cup_notification_over_budget(struct cup_device *device, uint64_t bytes_over);

#endif
