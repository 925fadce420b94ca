/* SPDX-License-Identifier: MIT */
/* Workqueues: what a context submits its streams' work to. The worker threads here run streams
 * independently of each other, so a workqueue limits nothing; the configuration of a green context
 * is kept and returned, and two contexts that share a workqueue return the same one. */
#ifndef CUP_DEVICE_WORKQUEUE_H
#define CUP_DEVICE_WORKQUEUE_H

#include "device/device.h"

#include <cuda.h>
#include <stdint.h>

enum {
    CUP_WORKQUEUE_SHARED = 0, /* those that all contexts of a device share */
    CUP_WORKQUEUE_NEW = -1,   /* in a descriptor: each green context gets one of its own */
};

struct cup_workqueue {
    int32_t id;           /* positive: that of one green context, or of several that share it */
    unsigned concurrency; /* number of workloads that the application expects at the same time */
    CUdevWorkqueueConfigScope scope;
};

/* That of a device, of its primary context, and of a green context for which no other was chosen.
 * CUDA_DEVICE_MAX_CONNECTIONS is its concurrency. */
struct cup_workqueue cup_workqueue_default(void);

/* That of a green context which a descriptor with this workqueue makes. */
struct cup_workqueue cup_workqueue_provision(const struct cup_workqueue *described);

/* Writes a CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG, and a CU_DEV_RESOURCE_TYPE_WORKQUEUE. */
void cup_workqueue_write_config(CUdevResource *resource, const struct cup_device *device,
                                const struct cup_workqueue *workqueue);
void cup_workqueue_write(CUdevResource *resource, const struct cup_device *device,
                         const struct cup_workqueue *workqueue);

/* Reads and validates either. An application may make or change a configuration itself. */
CUresult cup_workqueue_read(const CUdevResource *resource, struct cup_workqueue *workqueue,
                            const struct cup_device **device);

#endif
