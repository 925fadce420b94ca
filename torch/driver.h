/* SPDX-License-Identifier: MIT */
/* The driver of the process: cupipe's table, and the functions of libcuda that the backend calls.
 * They are looked up when the backend loads, so its shared object needs no CUDA library by name and
 * serves CUDA 12 and 13. */
#ifndef CUPIPE_TORCH_DRIVER_H
#define CUPIPE_TORCH_DRIVER_H

#include <cupipe.h>

namespace cupipe
{

struct driver_functions {
    const cupipe_driver_table *table; /* NULL: the driver is not cupipe's */
    decltype(&cuStreamIsCapturing) stream_is_capturing;
    decltype(&cuStreamQuery) stream_query;
    decltype(&cuStreamSynchronize) stream_synchronize;
    decltype(&cuStreamWaitEvent) stream_wait_event;
    decltype(&cuEventCreate) event_create;
    decltype(&cuEventRecord) event_record;
    decltype(&cuEventDestroy) event_destroy;
    decltype(&cuMemcpyAsync) memcpy_async;
    decltype(&cuPointerGetAttribute) pointer_get_attribute;
    decltype(&cuDeviceGetAttribute) device_get_attribute;
};

const driver_functions &driver();

/* An attribute of the thread's current device. torch tells it by a structure of the runtime that
 * CUDA 12 and 13 lay out differently. */
int device_attribute(CUdevice_attribute attribute);

/* Throws torch's exception for an error of CUDA. */
void check(CUresult result);

} // namespace cupipe

#endif
