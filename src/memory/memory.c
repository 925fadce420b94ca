/* SPDX-License-Identifier: MIT */
#include "memory/memory.h"

#include "device/context.h"
#include "device/device.h"
#include "memory/external_mapping.h"
#include "memory/heap.h"
#include "memory/imported.h"
#include "memory/managed.h"
#include "memory/pinned.h"
#include "memory/registered.h"

#include <stdio.h>

/* The memory that a device reserves: as on real hardware, not all of it can be allocated. */
enum { DEVICE_RESERVED_BYTES = CUP_CHUNK_BYTES };

void cup_memory_release_context(struct CUctx_st *context)
{
    uint32_t owner = cup_object_index(&context->base);

    cup_heap_free_owned(context->device->heap, owner);
    cup_heap_free_owned(cup_pinned_heap(), owner);
    cup_managed_free_owned(owner);
    cup_registered_remove_owned(owner);
    cup_imported_close_owned(owner);
    cup_extmem_unmap_owned(owner);
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
    uint64_t pinned_bytes;

    for (unsigned i = 0; i < cup_device_count(); i++) {
        struct cup_device *device = cup_device_get((CUdevice)i);
        if (!device->heap && cup_heap_create(CUP_RANGE_DEVICE, device, device->memory_bytes,
                                             DEVICE_RESERVED_BYTES, &device->heap) != CUDA_SUCCESS)
            return report_failure("a device's memory", device->memory_bytes);
        device->heap->budget_bytes = cup_config_get()->memory_budget_bytes;
    }
    CUresult result = cup_pinned_create(&pinned_bytes);
    return result == CUDA_SUCCESS ? result : report_failure("pinned host memory", pinned_bytes);
}
