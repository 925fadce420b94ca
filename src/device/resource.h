/* SPDX-License-Identifier: MIT */
/* Device resources: sets of multiprocessors and workqueues, from which green contexts are made.
 *
 * The application sees a resource as a CUdevResource and copies it as it likes. A set of
 * multiprocessors is in the part of the structure that CUDA reserves for the driver, with a
 * checksum over all fields, so that an altered or invented resource is recognised. workqueue.h has
 * the workqueues. */
#ifndef CUP_DEVICE_RESOURCE_H
#define CUP_DEVICE_RESOURCE_H

#include "core/object.h"
#include "device/device.h"
#include "device/workqueue.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

enum { CUP_SM_WORDS = 4, CUP_SM_MAX = CUP_SM_WORDS * 64 };

struct cup_sm_set {
    uint64_t bits[CUP_SM_WORDS];
    unsigned count;     /* number of bits; 0: the set is not limited */
    unsigned alignment; /* multiprocessors that are scheduled together */
    unsigned flags;     /* CUdevSmResourceGroup_flags of the split that made the set */
    unsigned locality_domain;
};

/* Where a resource comes from, which decides what can be split. */
enum cup_sm_origin {
    CUP_SM_WHOLE,     /* of a device or a context */
    CUP_SM_PART,      /* a result of a split */
    CUP_SM_REMAINDER, /* what a split left */
};

/* What a CUdevResource of multiprocessors says. */
struct cup_sm_resource {
    const struct cup_device *device;
    struct cup_sm_set sms;
    enum cup_sm_origin origin;
    uint32_t split; /* number of the call of cuDevSmResourceSplit() that made it; 0: another call */
};

/* A list of resources that cuGreenCtxCreate takes. It lives until the process ends, because no
 * function destroys it; equal descriptors are one object. */
struct CUdevResourceDesc_st {
    struct cup_object base;
    struct CUdevResourceDesc_st *next; /* all descriptors; guarded by the lock of resource.c */
    const struct cup_device *device;
    struct cup_sm_set sms;
    struct cup_workqueue workqueue;
};

void cup_device_resource_register(void);

/* All multiprocessors of a device. */
struct cup_sm_set cup_sm_set_all(const struct cup_device *device);

/* Returns the number of the multiprocessor that is at `index` in the set, modulo its size. */
unsigned cup_sm_set_at(const struct cup_sm_set *sms, unsigned index);

/* The number of multiprocessors of a device that are scheduled together unless the application asks
 * for another number. */
unsigned cup_sm_alignment(const struct cup_device *device);

bool cup_sm_set_has(const struct cup_sm_set *sms, unsigned sm);
void cup_sm_set_add(struct cup_sm_set *sms, unsigned sm);
void cup_sm_set_remove(struct cup_sm_set *sms, unsigned sm);

/* Writes a resource of multiprocessors; of no type if the set is empty. */
void cup_sm_resource_write(CUdevResource *resource, const struct cup_sm_resource *from);

/* Reads and validates a resource of multiprocessors. The application's pointer may be invalid. */
CUresult cup_sm_resource_read(const CUdevResource *from, struct cup_sm_resource *resource);

/* Describes a resource of a device or a context. INVALID_RESOURCE_TYPE for a type that does not
 * exist. */
CUresult cup_device_resource_get(const struct cup_device *device, const struct cup_sm_set *sms,
                                 const struct cup_workqueue *workqueue, CUdevResourceType type,
                                 CUdevResource *resource);

/* cuDevSmResourceSplitByCount(), whose arguments these are. */
CUresult cup_device_resource_split(CUdevResource *parts, unsigned *count,
                                   const CUdevResource *input, CUdevResource *rest, unsigned flags,
                                   unsigned at_least);

/* cuDevSmResourceSplit(), whose arguments these are (resource_split.c). */
CUresult cup_device_resource_split_groups(CUdevResource *parts, unsigned count,
                                          const CUdevResource *input, CUdevResource *rest,
                                          CU_DEV_SM_RESOURCE_GROUP_PARAMS *parameters);

/* Makes a descriptor of resources of one device. Multiprocessors that overlap count twice, as in
 * NVIDIA's driver: the set then gets multiprocessors in addition to those of the resources. Without
 * a resource of multiprocessors the descriptor has all of the device, without a workqueue those
 * that all contexts share. */
CUresult cup_device_resource_describe(const CUdevResource *resources, unsigned count,
                                      struct CUdevResourceDesc_st **descriptor);

/* Looks up a descriptor. No reference is taken, because descriptors are not freed. */
CUresult cup_device_resource_find(CUdevResourceDesc handle,
                                  struct CUdevResourceDesc_st **descriptor);

#endif
