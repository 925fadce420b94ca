/* SPDX-License-Identifier: MIT */
/* Host memory that the device can access: pinned memory allocated here, or registered memory of the
 * application. In both cases the device address equals the host address. */
#include "impl.h"
#include "core/compiler.h"
#include "core/error.h"
#include "core/precondition.h"
#include "device/context.h"
#include "memory/owner.h"
#include "memory/pinned.h"
#include "memory/registered.h"
#include "os/guard.h"
#include "os/system.h"

#include <string.h>

enum {
    ALLOC_FLAGS =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED,
    REGISTER_FLAGS =
        CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY,
    PAGE_BYTES = 4096,
};

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

struct host_piece {
    uint64_t address;
    size_t bytes;
};

static void clear(void *argument)
{
    const struct host_piece *piece = argument;

    memset((void *)(uintptr_t)piece->address, 0, piece->bytes);
}

static CUresult host_alloc(void **pp, size_t bytes, unsigned flags)
{
    struct CUctx_st *context;
    uint64_t address;

    if (pp)
        *pp = NULL;
    CUresult result = cup_precondition_context();
    if (result != CUDA_SUCCESS)
        return result;
    if (!pp)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "pp is NULL");
    if (flags & ~(unsigned)ALLOC_FLAGS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "unknown flags 0x%x", flags);
    if (bytes == 0)
        return CUDA_SUCCESS;
    context = cup_context_current();
    result = cup_heap_allocate(cup_pinned_heap(), bytes, cup_object_index(&context->base), flags,
                               &address);
    if (result != CUDA_SUCCESS)
        return result;
    /* Zero small pieces, which may have been used before; whole chunks come zeroed from the system.
     * Another thread that frees a pointer twice may free this one meanwhile: under the guard. */
    if (bytes <= CUP_SMALL_BYTES_MAX)
        cup_guard_run(clear, &(struct host_piece){address, bytes});
    *pp = (void *)(uintptr_t)address;
    return CUDA_SUCCESS;
}

CUresult impl_cuMemAllocHost_v2(void **pp, size_t bytesize)
{
    return host_alloc(pp, bytesize, 0);
}

CUresult impl_cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    return host_alloc(pp, bytesize, Flags);
}

static CUresult current_usable(void)
{
    struct CUctx_st *context = cup_context_current();

    return context ? cup_context_usable(context) : CUDA_SUCCESS;
}

CUresult impl_cuMemFreeHost(void *p)
{
    struct cup_range range;
    CUresult result = current_usable();

    if (result != CUDA_SUCCESS || !p)
        return result;
    if (!cup_map_describe(address_of(p), &range) || range.kind != CUP_RANGE_PINNED ||
        range.base != address_of(p) || (range.flags & CUP_RANGE_POOL))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not the start of pinned memory", p);
    cup_owner_wait(range.owner);
    result = cup_context_look_current();
    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_heap_free(cup_pinned_heap(), range.base))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p was freed by another thread", p);
    return CUDA_SUCCESS;
}

static bool find_host(const void *p, struct cup_span *span)
{
    return cup_map_find(address_of(p), span) &&
           (span->kind == CUP_RANGE_PINNED || span->kind == CUP_RANGE_REGISTERED);
}

static bool find_virtual(const void *p, struct cup_span *span)
{
    return cup_map_find(address_of(p), span) && span->kind == CUP_RANGE_VIRTUAL;
}

static bool find_managed(const void *p, struct cup_span *span)
{
    return cup_map_find(address_of(p), span) && span->kind == CUP_RANGE_MANAGED;
}

/* Memory of cuMemCreate is accepted as host memory, too; its first byte decides. */
CUresult impl_cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    struct cup_span span;

    if (pdptr)
        *pdptr = 0;
    CUresult result = cup_precondition_context();
    if (result != CUDA_SUCCESS)
        return result;
    if (!pdptr)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "pdptr is NULL");
    if (!Flags && find_host(p, &span))
        *pdptr = address_of(p);
    else if (!Flags && find_virtual(p, &span))
        *pdptr = span.base;
    else
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "%p is neither pinned nor registered memory, or flags 0x%x are not 0", p,
                         Flags);
    return CUDA_SUCCESS;
}

/* The device can access all host memory, whether that was requested or not. */
CUresult impl_cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
    struct cup_span span;

    if (!pFlags)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "pFlags is NULL");
    CUresult result = cup_precondition_context();
    if (result != CUDA_SUCCESS)
        return result;
    if (find_virtual(p, &span))
        *pFlags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
    else if (find_host(p, &span) || find_managed(p, &span))
        *pFlags = (span.flags & ALLOC_FLAGS) | CU_MEMHOSTALLOC_DEVICEMAP;
    else
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "%p is neither pinned nor registered nor managed nor mapped memory", p);
    return CUDA_SUCCESS;
}

/* Registering touches every page as the device would: all must be mapped, and writable unless the
 * caller registers them as read-only. */
struct touch {
    uint64_t base, size_bytes;
    bool write;
};

CUP_MAY_FAULT static void touch_pages(void *argument)
{
    const struct touch *touch = argument;
    uint64_t last = touch->base + touch->size_bytes - 1;
    unsigned char none = 0;

    __asm__("" : "+r"(none)); /* clang leaves out a store that it sees to change nothing */
    for (uint64_t at = touch->base; at <= last; at = (at / PAGE_BYTES + 1) * PAGE_BYTES) {
        volatile _Atomic(unsigned char) *byte = (volatile _Atomic(unsigned char) *)(uintptr_t)at;
        if (touch->write)
            atomic_fetch_or(byte, none);
        else
            (void)atomic_load(byte);
    }
}

/* I/O memory cannot be registered here. The result depends only on whether the first byte of one of
 * its pages is already known. A range larger than the host's memory is not scanned. */
static CUresult register_io_memory(uint64_t base, size_t bytes)
{
    struct cup_span span;

    if (bytes > cup_system_memory_bytes())
        bytes = 1;
    for (uint64_t offset = 0; offset < bytes; offset += PAGE_BYTES) {
        if (find_host((void *)(uintptr_t)(base + offset), &span))
            return cup_error(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                             "0x%llx is already CUDA memory", (unsigned long long)(base + offset));
    }
    return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not device memory",
                     (unsigned long long)base);
}

static CUresult host_register(void *p, size_t bytes, unsigned flags)
{
    struct CUctx_st *context = cup_context_current();
    struct touch touch = {address_of(p), bytes, !(flags & CU_MEMHOSTREGISTER_READ_ONLY)};
    uint64_t end;

    if (!p || bytes == 0 || __builtin_add_overflow(touch.base, bytes, &end))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p + %zu is not a range of memory", p, bytes);
    if (flags & ~(unsigned)(REGISTER_FLAGS | CU_MEMHOSTREGISTER_IOMEMORY))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "unknown flags 0x%x", flags);
    if (flags & CU_MEMHOSTREGISTER_IOMEMORY)
        return register_io_memory(touch.base, bytes);
    if (touch.base >> 48)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "%p is not an address of user space", p);
    if (bytes > cup_system_memory_bytes())
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%zu bytes are more than the host has", bytes);
    if (!cup_guard_run(touch_pages, &touch))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p + %zu is not all %s", p, bytes,
                         touch.write ? "writable" : "readable");
    if (!touch.write)
        flags |= CUP_RANGE_NO_WRITE;
    return cup_registered_add(touch.base, bytes, flags, cup_object_index(&context->base),
                              context->device);
}

CUresult impl_cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
    return host_register(p, bytesize, Flags);
}

/* The old form ignores unknown flags. */
CUresult impl_cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags)
{
    return host_register(p, bytesize, Flags & REGISTER_FLAGS);
}

CUresult impl_cuMemHostUnregister(void *p)
{
    struct cup_range range;
    CUresult result = current_usable();

    if (result != CUDA_SUCCESS)
        return result;
    if (!p)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "p is NULL");
    if (cup_map_describe(address_of(p), &range)) {
        if (range.kind != CUP_RANGE_REGISTERED)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is memory allocated by CUDA", p);
        cup_owner_wait(range.owner);
    }
    return cup_registered_remove(address_of(p));
}
