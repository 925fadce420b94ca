/* SPDX-License-Identifier: MIT */
/* Functions of the application that are called when a core dump begins and when it is complete, in
 * the order of registration. */
#ifndef CUP_DEVICE_COREDUMP_CALLBACK_H
#define CUP_DEVICE_COREDUMP_CALLBACK_H

#include <cuda.h>

enum cup_coredump_moment { CUP_COREDUMP_STARTS, CUP_COREDUMP_IS_COMPLETE };

/* `handle` may be NULL. */
CUresult cup_coredump_callback_add(enum cup_coredump_moment moment,
                                   CUcoredumpStatusCallback callback, void *data,
                                   CUcoredumpCallbackHandle *handle);

/* INVALID_VALUE if the handle is not one of a callback for this moment. A call that has begun is
 * not waited for, so that a callback may remove itself. */
CUresult cup_coredump_callback_remove(enum cup_coredump_moment moment,
                                      CUcoredumpCallbackHandle handle);

/* Calls the callbacks, without a lock. */
void cup_coredump_callback_run(enum cup_coredump_moment moment, CUdevice device);

#endif
