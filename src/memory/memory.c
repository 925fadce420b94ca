/* SPDX-License-Identifier: MIT */
#include "memory/memory.h"

#include "device/context.h"
#include "device/device.h"
#include "memory/registered.h"
#include "os/host.h"

#include <stdio.h>

/* What a device keeps for itself: as on a real one, not all of its memory can be allocated. */
enum { DEVICE_RESERVED_BYTES = CUP_UNIT_BYTES };

static struct cup_heap *pinned;

struct cup_heap *cup_memory_pinned(void)
{
    return pinned;
}

static void release_context(struct CUctx_st *context)
{
    uint32_t owner = cup_object_index(&context->base);

    cup_heap_free_owned(context->device->heap, owner);
    cup_heap_free_owned(pinned, owner);
    cup_registered_remove_owned(owner);
}

static CUresult report_failure(const char *what, uint64_t bytes)
{
    fprintf(stderr,
            "cupipe: no address space for %s of %llu MiB: raise the limit (ulimit -v) or ask for "
            "less with CUPIPE_MEMORY\n",
            what, (unsigned long long)(bytes >> 20));
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cup_memory_init(void)
{
    uint64_t host_bytes = cup_host_memory_bytes() & ~(uint64_t)(CUP_UNIT_BYTES - 1);

    for (unsigned i = 0; i < cup_device_count(); i++) {
        struct cup_device *device = cup_device_get((CUdevice)i);
        if (!device->heap && cup_heap_create(CUP_RANGE_DEVICE, device, device->memory_bytes,
                                             DEVICE_RESERVED_BYTES, &device->heap) != CUDA_SUCCESS)
            return report_failure("a device's memory", device->memory_bytes);
    }
    if (!pinned && cup_heap_create(CUP_RANGE_PINNED, NULL, host_bytes, 0, &pinned) != CUDA_SUCCESS)
        return report_failure("pinned host memory", host_bytes);
    cup_context_release_memory = release_context;
    return CUDA_SUCCESS;
}
