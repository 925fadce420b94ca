/* SPDX-License-Identifier: MIT */
/* Device resources: sets of multiprocessors, from which green contexts are made.
 *
 * The application sees a resource as a CUdevResource and copies it as it likes. The set itself is
 * in the part of the structure that CUDA reserves for the driver, with a checksum over all fields,
 * so that an altered or invented resource is recognised. */
#ifndef CUP_DEVICE_RESOURCE_H
#define CUP_DEVICE_RESOURCE_H

#include "core/object.h"
#include "device/device.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

enum { CUP_SM_WORDS = 4, CUP_SM_MAX = CUP_SM_WORDS * 64 };

struct cup_sm_set {
    uint64_t bits[CUP_SM_WORDS];
    unsigned count;     /* number of bits; 0: the set is not limited */
    unsigned alignment; /* multiprocessors that are scheduled together */
};

/* A list of resources that cuGreenCtxCreate takes. It lives until the process ends, because no
 * function destroys it; equal descriptors are one object. */
struct CUdevResourceDesc_st {
    struct cup_object base;
    struct CUdevResourceDesc_st *next; /* all descriptors; guarded by the lock of resource.c */
    const struct cup_device *device;
    struct cup_sm_set sms;
};

void cup_device_resource_register(void);

/* All multiprocessors of a device. */
struct cup_sm_set cup_sm_set_all(const struct cup_device *device);

/* Returns the number of the multiprocessor that is at `index` in the set, modulo its size. */
unsigned cup_sm_set_at(const struct cup_sm_set *sms, unsigned index);

/* Describes the multiprocessors of a device or a context. INVALID_RESOURCE_TYPE for another type of
 * resource. */
CUresult cup_device_resource_get(const struct cup_device *device, const struct cup_sm_set *sms,
                                 CUdevResourceType type, CUdevResource *resource);

/* cuDevSmResourceSplitByCount(), whose arguments these are. */
CUresult cup_device_resource_split(CUdevResource *parts, unsigned *count,
                                   const CUdevResource *input, CUdevResource *rest, unsigned flags,
                                   unsigned at_least);

/* Makes a descriptor of resources of one device. Resources that overlap count twice, as in NVIDIA's
 * driver: the set then gets multiprocessors in addition to those of the resources. */
CUresult cup_device_resource_describe(const CUdevResource *resources, unsigned count,
                                      struct CUdevResourceDesc_st **descriptor);

/* Looks up a descriptor. No reference is taken, because descriptors are not freed. */
CUresult cup_device_resource_find(CUdevResourceDesc handle,
                                  struct CUdevResourceDesc_st **descriptor);

#endif
