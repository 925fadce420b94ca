/* SPDX-License-Identifier: MIT */
#include "memory/memory.h"

#include "device/context.h"
#include "device/device.h"
#include "memory/external_mapping.h"
#include "memory/redzone.h"
#include "memory/imported.h"
#include "memory/managed.h"
#include "memory/registered.h"
#include "os/system.h"

#include <stdio.h>

/* What a device keeps for itself: as on a real one, not all of its memory can be allocated. */
enum { DEVICE_RESERVED_BYTES = CUP_CHUNK_BYTES };

#define PINNED_BYTES_MIN (UINT64_C(256) << 20) /* less than this is not worth starting with */

static struct cup_heap *pinned;

struct cup_heap *cup_memory_pinned(void)
{
    return pinned;
}

/* Memory that another thread frees meanwhile may have got another owner, which is perhaps no
 * context; and one that is may end. The slot can be looked at all the same. */
void cup_memory_wait_owner(uint32_t owner)
{
    struct CUctx_st *context;

    if (owner == CUP_OWNER_NONE)
        return;
    context = (struct CUctx_st *)cup_object_at(owner);
    if (context->base.type != CUP_OBJECT_CONTEXT ||
        cup_likely(atomic_load(&context->busy_streams) == 0) || !cup_object_try_ref(&context->base))
        return;
    cup_context_synchronize(context);
    cup_context_unref(context);
}

void cup_memory_release_context(struct CUctx_st *context)
{
    uint32_t owner = cup_object_index(&context->base);

    cup_heap_free_owned(context->device->heap, owner);
    cup_heap_free_owned(pinned, owner);
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

/* As much pinned memory as the host has, or what the address space has room for. */
static CUresult pinned_create(void)
{
    uint64_t bytes = cup_system_memory_bytes();
    CUresult result;

    do {
        bytes &= ~(uint64_t)(CUP_CHUNK_BYTES - 1);
        result = cup_heap_create(CUP_RANGE_PINNED, NULL, bytes, 0, &pinned);
        bytes /= 2;
    } while (result != CUDA_SUCCESS && bytes >= PINNED_BYTES_MIN);
    return result == CUDA_SUCCESS ? result : report_failure("pinned host memory", bytes * 2);
}

CUresult cup_memory_init(void)
{
    cup_redzone_init(cup_config_get()->check_memory, cup_config_get()->check_quarantine_bytes);
    for (unsigned i = 0; i < cup_device_count(); i++) {
        struct cup_device *device = cup_device_get((CUdevice)i);
        if (!device->heap && cup_heap_create(CUP_RANGE_DEVICE, device, device->memory_bytes,
                                             DEVICE_RESERVED_BYTES, &device->heap) != CUDA_SUCCESS)
            return report_failure("a device's memory", device->memory_bytes);
        device->heap->budget_bytes = cup_config_get()->memory_budget_bytes;
    }
    return pinned ? CUDA_SUCCESS : pinned_create();
}
