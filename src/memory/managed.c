/* SPDX-License-Identifier: MIT */
/* Chunks get a record only when their allocations are advised on, which is rare. Small allocations
 * share a chunk, and so a record: two neighbours share a page at their boundary, and advice on
 * either applies to that page, as NVIDIA's driver was recorded to do. All managed memory is freed
 * under the lock, so what was found under the lock stays valid until it is released. */
#include "memory/managed.h"

#include "core/align.h"
#include "core/error.h"
#include "core/list.h"
#include "core/lock.h"
#include "device/context.h"
#include "device/device.h"
#include "memory/heap.h"
#include "memory/map.h"
#include "os/page.h"
#include "os/reserve.h"
#include "os/system.h"

#include <stdatomic.h>
#include <stdlib.h>

struct managed_record {
    struct cup_list link;
    uint64_t base, end; /* of its chunks: one, or those of a large allocation */
    struct cup_advice_list list;
};

#define HEAP_BYTES_MIN (UINT64_C(256) << 20) /* less than this is not worth having */

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_MANAGED);
static _Atomic(struct cup_heap *) managed_heap; /* made when first needed, and stays */
static struct managed_record **directory;       /* one entry a chunk of the heap; guarded by lock */
static struct cup_list records = CUP_LIST_INITIALIZER(records); /* all of them; guarded by lock */

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
    cup_lock_assert_held(&lock);
    struct cup_heap *made = NULL;

    for (uint64_t bytes = wanted_bytes(); !made && bytes >= HEAP_BYTES_MIN; bytes /= 2)
        cup_heap_create(CUP_RANGE_MANAGED, NULL, cup_align_down(bytes, CUP_CHUNK_BYTES), 0, &made);
    if (!made)
        return NULL;
    directory = cup_reserve_private(
        cup_align_up(made->region.size_bytes / CUP_CHUNK_BYTES * sizeof(*directory), 4096), 4096);
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

/* The directory entry of the chunk, if there is one. */
static struct managed_record **entry_locked(uint64_t address)
{
    cup_lock_assert_held(&lock);
    struct cup_heap *heap = atomic_load_explicit(&managed_heap, memory_order_relaxed);

    return &directory[(address - heap->region.base) / CUP_CHUNK_BYTES];
}

static struct managed_record *record_make_locked(const struct cup_range *range)
{
    cup_lock_assert_held(&lock);
    struct managed_record *record = malloc(sizeof(*record));

    if (!record)
        return NULL;
    record->base = cup_align_down(range->base, CUP_CHUNK_BYTES);
    record->end = cup_align_up(range->base + range->size_bytes, CUP_CHUNK_BYTES);
    if (!cup_advice_list_init(&record->list, (record->end - record->base) / cup_page_bytes())) {
        free(record);
        return NULL;
    }
    cup_list_insert(&records, &record->link);
    *entry_locked(range->base) = record;
    return record;
}

static void record_drop_locked(struct managed_record *record)
{
    cup_lock_assert_held(&lock);
    cup_list_remove(&record->link);
    *entry_locked(record->base) = NULL;
    cup_advice_list_finish(&record->list);
    free(record);
}

/* The record of an allocation's chunks; NULL if there is none. Removes a stale record of earlier
 * allocations that does not cover this one. */
static struct managed_record *record_find_locked(const struct cup_range *range)
{
    cup_lock_assert_held(&lock);
    struct managed_record *record = directory ? *entry_locked(range->base) : NULL;

    if (record && record->end < range->base + range->size_bytes) {
        record_drop_locked(record);
        record = NULL;
    }
    return record;
}

/* A range in pages of its record. */
struct pages {
    uint64_t first, end;
};

static struct pages pages_of(const struct managed_record *record, uint64_t address,
                             uint64_t size_bytes)
{
    uint64_t page = cup_page_bytes();

    return (struct pages){(address - record->base) / page,
                          (address + size_bytes - 1 - record->base) / page + 1};
}

/* Drops the advice on an allocation, including the pages that it shares. If memory is out for
 * splitting segments, drops the whole record. */
static void forget_locked(const struct cup_range *range)
{
    cup_lock_assert_held(&lock);
    struct managed_record *record = record_find_locked(range);

    if (!record)
        return;
    struct pages pages = pages_of(record, range->base, range->size_bytes);
    if (!cup_advice_list_clear(&record->list, pages.first, pages.end) ||
        cup_advice_list_is_clear(&record->list))
        record_drop_locked(record);
}

static bool has_record_locked(uint64_t address)
{
    cup_lock_assert_held(&lock);
    return directory && *entry_locked(address);
}

bool cup_managed_free(uint64_t address)
{
    struct cup_heap *heap = atomic_load_explicit(&managed_heap, memory_order_acquire);
    struct cup_range range;

    cup_lock_acquire(&lock);
    bool is_known = has_record_locked(address) && cup_map_describe(address, &range);
    bool was_there = cup_heap_free(heap, address);
    if (was_there && is_known)
        forget_locked(&range);
    cup_lock_release(&lock);
    return was_there;
}

void cup_managed_forget(uint64_t address)
{
    struct cup_range range;

    cup_lock_acquire(&lock);
    if (has_record_locked(address) && cup_map_describe(address, &range))
        forget_locked(&range);
    cup_lock_release(&lock);
}

/* The same for a context's allocations in the chunks of a record. */
static void forget_owned_locked(uint64_t base, uint64_t end, uint32_t owner)
{
    cup_lock_assert_held(&lock);
    uint64_t at = base;
    struct cup_range range;

    while (at < end && has_record_locked(base)) {
        if (!cup_map_describe(at, &range)) {
            at += CUP_GRANULE_BYTES;
            continue;
        }
        if (range.owner == owner && !(range.flags & CUP_RANGE_VARIABLE))
            forget_locked(&range);
        at = cup_align_up(range.base + range.size_bytes, CUP_GRANULE_BYTES);
    }
}

void cup_managed_free_owned(uint32_t owner)
{
    struct cup_heap *heap = atomic_load_explicit(&managed_heap, memory_order_acquire);

    if (!heap)
        return;
    cup_lock_acquire(&lock);
    cup_list_each_safe (record, &records, struct managed_record, link)
        forget_owned_locked(record->base, record->end, owner);
    cup_heap_free_owned(heap, owner);
    cup_lock_release(&lock);
}

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

CUresult cup_managed_identify(uint64_t address, uint64_t size_bytes, uint64_t *buffer_id)
{
    struct cup_range range;
    CUresult result = find(address, size_bytes, 0, &range);

    if (result == CUDA_SUCCESS)
        *buffer_id = range.buffer_id;
    return result;
}

CUresult cup_managed_advise(uint64_t address, uint64_t size_bytes, uint64_t buffer_id,
                            const struct cup_advice_change *change)
{
    struct managed_record *record = NULL;
    struct cup_range range;

    cup_lock_acquire(&lock);
    CUresult result = find(address, size_bytes, buffer_id, &range);
    if (result == CUDA_SUCCESS && directory) {
        record = record_find_locked(&range);
        if (!record)
            record = record_make_locked(&range);
    }
    if (record) {
        struct pages pages = pages_of(record, address, size_bytes);
        if (!cup_advice_list_change(&record->list, pages.first, pages.end, change))
            record = NULL;
    }
    if (result == CUDA_SUCCESS && !record)
        result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to store advice");
    cup_lock_release(&lock);
    return result;
}

CUresult cup_managed_ask(uint64_t address, uint64_t size_bytes, struct cup_advice *advice)
{
    struct cup_range range;

    cup_lock_acquire(&lock);
    CUresult result = find(address, size_bytes, 0, &range);
    if (result == CUDA_SUCCESS) {
        const struct managed_record *record = record_find_locked(&range);
        *advice = cup_advice_none;
        if (record) {
            struct pages pages = pages_of(record, address, size_bytes);
            *advice = cup_advice_list_common(&record->list, pages.first, pages.end);
        }
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
