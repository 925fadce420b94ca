/* SPDX-License-Identifier: MIT */
/* Workqueues as resources. A configuration is plain data. A workqueue that exists is opaque to the
 * application: its fields are in the reserved bytes, with a checksum. */
#include "device/workqueue.h"

#include "core/error.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECTIONS_DEFAULT = 8, CONNECTIONS_MAX = 32 };

/* In the bytes of a CUdevWorkqueueResource. */
struct hidden_queue {
    int32_t id;
    uint32_t concurrency;
    uint32_t scope;
    uint32_t device; /* ordinal */
    uint64_t checksum;
};

_Static_assert(sizeof(struct hidden_queue) <= sizeof(CUdevWorkqueueResource),
               "the workqueue must fit into the reserved bytes");

static unsigned connections(void)
{
    const char *text = secure_getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    unsigned long wanted = text ? strtoul(text, NULL, 10) : 0;

    if (wanted == 0)
        return CONNECTIONS_DEFAULT;
    return wanted < CONNECTIONS_MAX ? (unsigned)wanted : CONNECTIONS_MAX;
}

struct cup_workqueue cup_workqueue_default(void)
{
    return (struct cup_workqueue){.id = CUP_WORKQUEUE_SHARED,
                                  .concurrency = connections(),
                                  .scope = CU_WORKQUEUE_SCOPE_DEVICE_CTX};
}

struct cup_workqueue cup_workqueue_provision(const struct cup_workqueue *described)
{
    static _Atomic(int32_t) next_id = 1;
    struct cup_workqueue workqueue = *described;

    if (workqueue.id == CUP_WORKQUEUE_NEW)
        workqueue.id = atomic_fetch_add(&next_id, 1);
    return workqueue;
}

void cup_workqueue_write_config(CUdevResource *resource, const struct cup_device *device,
                                const struct cup_workqueue *workqueue)
{
    memset(resource, 0, sizeof(*resource));
    resource->type = CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG;
    resource->wqConfig.device = device->ordinal;
    resource->wqConfig.wqConcurrencyLimit = workqueue->concurrency;
    resource->wqConfig.sharingScope = workqueue->scope;
}

/* A hash of the fields before the checksum (FNV-1a). */
static uint64_t checksum_of(const struct hidden_queue *hidden)
{
    const unsigned char *bytes = (const unsigned char *)hidden;
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < offsetof(struct hidden_queue, checksum); i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

void cup_workqueue_write(CUdevResource *resource, const struct cup_device *device,
                         const struct cup_workqueue *workqueue)
{
    struct hidden_queue hidden = {.id = workqueue->id,
                                  .concurrency = workqueue->concurrency,
                                  .scope = (uint32_t)workqueue->scope,
                                  .device = (uint32_t)device->ordinal};

    hidden.checksum = checksum_of(&hidden);
    memset(resource, 0, sizeof(*resource));
    resource->type = CU_DEV_RESOURCE_TYPE_WORKQUEUE;
    memcpy(resource->wq.reserved, &hidden, sizeof(hidden));
}

static CUresult read_config(const CUdevWorkqueueConfigResource *config,
                            struct cup_workqueue *workqueue)
{
    if (config->wqConcurrencyLimit == 0)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                         "a workqueue with a concurrency limit of 0");
    if (config->sharingScope != CU_WORKQUEUE_SCOPE_DEVICE_CTX &&
        config->sharingScope != CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                         "a workqueue with the sharing scope %d", (int)config->sharingScope);
    *workqueue = (struct cup_workqueue){
        .id = config->sharingScope == CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED ? CUP_WORKQUEUE_NEW
                                                                            : CUP_WORKQUEUE_SHARED,
        .concurrency = config->wqConcurrencyLimit,
        .scope = config->sharingScope};
    return CUDA_SUCCESS;
}

static CUresult read_queue(const CUdevWorkqueueResource *queue, struct cup_workqueue *workqueue,
                           CUdevice *ordinal)
{
    struct hidden_queue hidden;

    memcpy(&hidden, queue->reserved, sizeof(hidden));
    if (hidden.checksum != checksum_of(&hidden))
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                         "the workqueue is not one that CUDA returned");
    *workqueue = (struct cup_workqueue){.id = hidden.id,
                                        .concurrency = hidden.concurrency,
                                        .scope = (CUdevWorkqueueConfigScope)hidden.scope};
    *ordinal = (CUdevice)hidden.device;
    return CUDA_SUCCESS;
}

CUresult cup_workqueue_read(const CUdevResource *resource, struct cup_workqueue *workqueue,
                            const struct cup_device **device)
{
    CUdevice ordinal = resource->wqConfig.device;
    CUresult result = resource->type == CU_DEV_RESOURCE_TYPE_WORKQUEUE
                          ? read_queue(&resource->wq, workqueue, &ordinal)
                          : read_config(&resource->wqConfig, workqueue);

    if (result != CUDA_SUCCESS)
        return result;
    *device = cup_device_get(ordinal);
    if (!*device)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                         "a workqueue of device %d, which does not exist", ordinal);
    return CUDA_SUCCESS;
}
