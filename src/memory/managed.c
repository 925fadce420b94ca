/* SPDX-License-Identifier: MIT */
/* Most allocations are never advised on: only then do they get a record, found by their first
 * granule. All managed memory ends under the lock, so what was found under it stays until it is
 * released. */
#include "memory/managed.h"

#include "core/align.h"
#include "core/error.h"
#include "core/lock.h"
#include "device/context.h"
#include "device/device.h"
#include "memory/heap.h"
#include "memory/map.h"
#include "os/page.h"
#include "os/system.h"
#include "os/reserve.h"

#include <stdatomic.h>
#include <stdlib.h>

struct managed_record {
    struct managed_record *next, *previous;
    uint64_t base;
    uint32_t owner;
    struct cup_advice_list list;
};

#define HEAP_BYTES_MIN (UINT64_C(256) << 20) /* less than this is not worth having */

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_MANAGED);
static _Atomic(struct cup_heap *) managed_heap; /* made when first needed, and stays */
static struct managed_record **directory; /* one entry a granule of the heap; guarded by lock */
static struct managed_record *records;    /* all of them; guarded by lock */

/* Twice the largest device's memory, so that a device can be oversubscribed, or all of the host's.
 */
static uint64_t wanted_bytes(void)
{
    uint64_t bytes = cup_system_memory_bytes();

    for (unsigned i = 0; i < cup_device_count(); i++) {
        uint64_t twice = 2 * cup_device_get((CUdevice)i)->memory_bytes;
        if (twice > bytes)
            bytes = twice;
    }
    return bytes;
}

/* As much as is wanted, or what the address space has room for. */
static struct cup_heap *heap_create_locked(void)
{
    struct cup_heap *made = NULL;

    for (uint64_t bytes = wanted_bytes(); !made && bytes >= HEAP_BYTES_MIN; bytes /= 2)
        cup_heap_create(CUP_RANGE_MANAGED, NULL, cup_align_down(bytes, CUP_CHUNK_BYTES), 0, &made);
    if (!made)
        return NULL;
    directory = cup_reserve_private(
        (made->region.size_bytes >> CUP_GRANULE_SHIFT) * sizeof(*directory), 4096);
    atomic_store_explicit(&managed_heap, made, memory_order_release);
    return made;
}

struct cup_heap *cup_managed_heap(void)
{
    struct cup_heap *heap = atomic_load_explicit(&managed_heap, memory_order_acquire);

    if (cup_likely(heap != NULL))
        return heap;
    cup_lock_acquire(&lock);
    heap = atomic_load_explicit(&managed_heap, memory_order_relaxed);
    if (!heap)
        heap = heap_create_locked();
    cup_lock_release(&lock);
    return heap;
}

static CUresult allocate(uint32_t owner, unsigned flags, uint64_t size_bytes, uint64_t *address)
{
    struct cup_heap *heap = cup_managed_heap();

    if (!heap)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no address space for managed memory");
    return cup_heap_allocate(heap, size_bytes, owner, flags, address);
}

CUresult cup_managed_allocate(struct CUctx_st *context, uint64_t size_bytes, uint64_t *address)
{
    return allocate(cup_object_index(&context->base), CUP_RANGE_SYNC_MEMOPS, size_bytes, address);
}

CUresult cup_managed_allocate_variable(struct CUctx_st *context, uint64_t size_bytes,
                                       uint64_t *address)
{
    return allocate(context ? cup_object_index(&context->base) : CUP_OWNER_NONE,
                    CUP_RANGE_SYNC_MEMOPS | CUP_RANGE_VARIABLE, size_bytes ? size_bytes : 1,
                    address);
}

static struct managed_record **entry_locked(uint64_t base)
{
    struct cup_heap *heap = atomic_load_explicit(&managed_heap, memory_order_relaxed);

    return &directory[(base - heap->region.base) >> CUP_GRANULE_SHIFT];
}

static struct managed_record *record_make_locked(const struct cup_range *range, uint64_t page_count)
{
    struct managed_record *record = malloc(sizeof(*record));

    if (!record)
        return NULL;
    if (!cup_advice_list_init(&record->list, page_count)) {
        free(record);
        return NULL;
    }
    record->base = range->base;
    record->owner = range->owner;
    record->previous = NULL;
    record->next = records;
    if (records)
        records->previous = record;
    records = record;
    *entry_locked(range->base) = record;
    return record;
}

static void record_drop_locked(struct managed_record *record)
{
    *(record->previous ? &record->previous->next : &records) = record->next;
    if (record->next)
        record->next->previous = record->previous;
    *entry_locked(record->base) = NULL;
    cup_advice_list_finish(&record->list);
    free(record);
}

bool cup_managed_free(uint64_t address)
{
    struct cup_heap *heap = atomic_load_explicit(&managed_heap, memory_order_acquire);

    cup_lock_acquire(&lock);
    bool was_there = cup_heap_free(heap, address);
    if (was_there && directory && *entry_locked(address))
        record_drop_locked(*entry_locked(address));
    cup_lock_release(&lock);
    return was_there;
}

void cup_managed_forget(uint64_t address)
{
    cup_lock_acquire(&lock);
    if (directory && *entry_locked(address))
        record_drop_locked(*entry_locked(address));
    cup_lock_release(&lock);
}

void cup_managed_free_owned(uint32_t owner)
{
    struct cup_heap *heap = atomic_load_explicit(&managed_heap, memory_order_acquire);
    struct managed_record *next;

    if (!heap)
        return;
    cup_lock_acquire(&lock);
    cup_heap_free_owned(heap, owner);
    for (struct managed_record *record = records; record; record = next) {
        next = record->next;
        if (record->owner == owner)
            record_drop_locked(record);
    }
    cup_lock_release(&lock);
}

/* A range in pages of its allocation, which is `range`. */
struct pages {
    uint64_t first, end, count;
    struct cup_range range;
};

static CUresult find(uint64_t address, uint64_t size_bytes, uint64_t buffer_id,
                     struct cup_range *range)
{
    if (size_bytes != 0 && cup_map_describe(address, range) && range->kind == CUP_RANGE_MANAGED &&
        size_bytes <= range->size_bytes - (address - range->base) &&
        (buffer_id == 0 || range->buffer_id == buffer_id))
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "%llu bytes from 0x%llx are not managed memory",
                     (unsigned long long)size_bytes, (unsigned long long)address);
}

static CUresult find_pages_locked(uint64_t address, uint64_t size_bytes, uint64_t buffer_id,
                                  struct pages *pages)
{
    uint64_t page = cup_page_bytes();
    CUresult result = find(address, size_bytes, buffer_id, &pages->range);

    if (result != CUDA_SUCCESS)
        return result;
    uint64_t base_page = pages->range.base / page;
    pages->first = address / page - base_page;
    pages->end = (address + size_bytes - 1) / page - base_page + 1;
    pages->count = (pages->range.base + pages->range.size_bytes - 1) / page - base_page + 1;
    return CUDA_SUCCESS;
}

CUresult cup_managed_identify(uint64_t address, uint64_t size_bytes, uint64_t *buffer_id)
{
    struct cup_range range;
    CUresult result = find(address, size_bytes, 0, &range);

    if (result == CUDA_SUCCESS)
        *buffer_id = range.buffer_id;
    return result;
}

static CUresult change_locked(const struct pages *pages, const struct cup_advice_change *change)
{
    struct managed_record *record = directory ? *entry_locked(pages->range.base) : NULL;

    if (directory && !record)
        record = record_make_locked(&pages->range, pages->count);
    if (!record || !cup_advice_list_change(&record->list, pages->first, pages->end, change))
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to keep advice in");
    return CUDA_SUCCESS;
}

CUresult cup_managed_advise(uint64_t address, uint64_t size_bytes, uint64_t buffer_id,
                            const struct cup_advice_change *change)
{
    struct pages pages;

    cup_lock_acquire(&lock);
    CUresult result = find_pages_locked(address, size_bytes, buffer_id, &pages);
    if (result == CUDA_SUCCESS)
        result = change_locked(&pages, change);
    cup_lock_release(&lock);
    return result;
}

CUresult cup_managed_ask(uint64_t address, uint64_t size_bytes, struct cup_advice *advice)
{
    struct pages pages;

    cup_lock_acquire(&lock);
    CUresult result = find_pages_locked(address, size_bytes, 0, &pages);
    if (result == CUDA_SUCCESS) {
        const struct managed_record *record = directory ? *entry_locked(pages.range.base) : NULL;
        *advice = record ? cup_advice_list_common(&record->list, pages.first, pages.end)
                         : cup_advice_none;
    }
    cup_lock_release(&lock);
    return result;
}

CUresult cup_managed_discard(uint64_t address, uint64_t size_bytes, uint64_t buffer_id)
{
    uint64_t page = cup_page_bytes();
    uint64_t first = cup_align_up(address, page), end = cup_align_down(address + size_bytes, page);
    struct cup_range range;

    cup_lock_acquire(&lock);
    CUresult result = find(address, size_bytes, buffer_id, &range);
    if (result == CUDA_SUCCESS && first < end)
        cup_reserve_discard_private((void *)(uintptr_t)first, end - first);
    cup_lock_release(&lock);
    return result;
}
