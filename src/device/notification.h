/* SPDX-License-Identifier: MIT */
/* Functions of the application that are called when something happens to a device: when its memory
 * in use passes the budget (CUPIPE_MEMORY_BUDGET). They are called one at a time, on a thread of
 * the library, and may not call CUDA. */
#ifndef CUP_DEVICE_NOTIFICATION_H
#define CUP_DEVICE_NOTIFICATION_H

#include "device/device.h"

#include <cuda.h>
#include <stdint.h>

void cup_notification_register(void);

/* Every time gives another handle. */
CUresult cup_notification_add(struct cup_device *device, CUasyncCallback function, void *data,
                              CUasyncCallbackHandle *handle);

/* When it returns, the function is not running and will not run again. INVALID_VALUE when the
 * handle is not one of the device's. */
CUresult cup_notification_remove(struct cup_device *device, CUasyncCallbackHandle handle);

/* So much more is in use than the budget allows. Only leaves word: may be called with any lock
 * held. */
void cup_notification_over_budget(struct cup_device *device, uint64_t bytes_over);

#endif
