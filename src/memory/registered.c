/* SPDX-License-Identifier: MIT */
/* Writers take the lock; readers take none. A reader notes the version, follows the page's list,
 * and if a writer was there meanwhile (the version is odd, or has moved) begins again. Records are
 * never unmapped, so following a list that changes is safe, only useless. Registering is rare and
 * slow anyway. */
#include "memory/registered.h"

#include "core/align.h"
#include "core/compiler.h"
#include "core/error.h"
#include "core/lock.h"
#include "os/reserve.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE_SHIFT = 12,
    SLOT_PAGES = 1 << (CUP_MAP_SLOT_SHIFT - PAGE_SHIFT),
    RECORD_COUNT_MAX = 1 << 22,
    LIST_STEPS_MAX = 1 << 13,     /* more ranges than fit in a page: the list was changing */
    DEVICE_BLOCK_BYTES = 2 << 20, /* memory of a device is mapped in steps of this */
};

/* Index 0 is unused; it ends the lists. A range is in the list of each page that it touches. A page
 * belongs to one range alone unless a range begins or ends inside it, so two links are enough. */
struct registered_record {
    _Atomic(uint64_t) base;
    _Atomic(uint64_t) size_bytes; /* 0: free */
    _Atomic(uint64_t) buffer_id, block_id;
    _Atomic(uint32_t) flags;
    _Atomic(uint32_t) owner;
    _Atomic(uint32_t) kind;
    uint32_t users; /* of CUP_RANGE_GRAPHICS; guarded by lock */
    _Atomic(struct cup_device *) device;
    _Atomic(uint32_t) next_in_first; /* the list of the page it begins in */
    _Atomic(uint32_t) next_in_last;  /* the list of the page it ends in, where that is another */
};

struct page_table {
    struct cup_region region;
    _Atomic(uint32_t) *heads; /* a list a page */
};

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_MAP);
static _Atomic(uint32_t) version;
static struct registered_record *records;      /* guarded by lock for writing */
static uint32_t record_count = 1, record_free; /* guarded by lock; free ones are linked */

static uint64_t first_page(const struct registered_record *record)
{
    return record->base >> PAGE_SHIFT;
}

static uint64_t last_page(const struct registered_record *record)
{
    return (record->base + record->size_bytes - 1) >> PAGE_SHIFT;
}

static _Atomic(uint32_t) *link_of(struct registered_record *record, uint64_t page)
{
    return page == first_page(record) ? &record->next_in_first : &record->next_in_last;
}

/* Memory of a device is mapped in steps of its own, the host's in whole pages. */
static void describe_block(struct cup_range *range)
{
    uint64_t step = range->kind == CUP_RANGE_GRAPHICS ? DEVICE_BLOCK_BYTES : 1 << PAGE_SHIFT;
    uint64_t end = range->base + range->size_bytes;

    range->block_base = range->kind == CUP_RANGE_GRAPHICS ? range->base : range->base & ~(step - 1);
    range->block_bytes = (end - range->block_base + step - 1) & ~(step - 1);
}

static bool find_once(struct page_table *table, uint64_t address, struct cup_range *range)
{
    uint64_t page = address >> PAGE_SHIFT;
    uint32_t index = atomic_load(&table->heads[page & (SLOT_PAGES - 1)]);

    for (int steps = 0; index && steps < LIST_STEPS_MAX; steps++) {
        struct registered_record *record = &records[index];
        range->base = atomic_load(&record->base);
        range->size_bytes = atomic_load(&record->size_bytes);
        if (address - range->base < range->size_bytes) {
            range->kind = (enum cup_range_kind)atomic_load(&record->kind);
            range->flags = atomic_load(&record->flags);
            range->owner = atomic_load(&record->owner);
            range->buffer_id = atomic_load(&record->buffer_id);
            range->device = atomic_load(&record->device);
            describe_block(range);
            range->block_id = atomic_load(&record->block_id);
            range->read_by = range->write_by = 0; /* nobody was given rights to it */
            range->handle_types = 0;
            return true;
        }
        index = atomic_load(link_of(record, page));
    }
    return false;
}

static bool registered_describe(struct cup_region *region, uint64_t address,
                                struct cup_range *range)
{
    struct page_table *table = (struct page_table *)region;

    for (;;) {
        uint32_t before = atomic_load(&version);
        bool found = find_once(table, address, range);
        cup_load_fence();
        if (before % 2 == 0 && atomic_load(&version) == before)
            return found;
        cup_relax();
    }
}

static bool registered_find(struct cup_region *region, uint64_t address, struct cup_span *span)
{
    struct cup_range range;

    if (!registered_describe(region, address, &range))
        return false;
    *span = cup_range_span(&range);
    return true;
}

static uint32_t record_at_locked(uint64_t address);

static bool registered_set_flag(struct cup_region *region, uint64_t address, unsigned flag, bool on)
{
    (void)region;
    cup_lock_acquire(&lock);
    uint32_t index = record_at_locked(address);
    if (index && on)
        atomic_fetch_or(&records[index].flags, flag);
    else if (index)
        atomic_fetch_and(&records[index].flags, ~flag);
    cup_lock_release(&lock);
    return index != 0;
}

/* The table of the slot the address is in; NULL when memory is out or the slot is a heap's. */
static struct page_table *table_at_locked(uint64_t address, bool make)
{
    cup_lock_assert_held(&lock);
    struct cup_region *region = cup_map_region(address);

    if (region)
        return region->find == registered_find ? (struct page_table *)region : NULL;
    if (!make)
        return NULL;
    struct page_table *table = calloc(1, sizeof(*table));
    if (!table)
        return NULL;
    table->heads = cup_reserve_shared("cupipe pages", SLOT_PAGES * sizeof(uint32_t), 4096, NULL);
    if (!table->heads) {
        free(table);
        return NULL;
    }
    table->region.base = cup_align_down(address, CUP_MAP_SLOT_BYTES);
    table->region.size_bytes = CUP_MAP_SLOT_BYTES;
    table->region.find = registered_find;
    table->region.describe = registered_describe;
    table->region.set_flag = registered_set_flag;
    cup_map_add(&table->region);
    return table;
}

static _Atomic(uint32_t) *head_of_page_locked(uint64_t page)
{
    cup_lock_assert_held(&lock);
    struct page_table *table = table_at_locked(page << PAGE_SHIFT, false);

    return &table->heads[page & (SLOT_PAGES - 1)];
}

static bool overlaps(const struct registered_record *record, uint64_t base, uint64_t size_bytes)
{
    return record->base < base + size_bytes && base < record->base + record->size_bytes;
}

/* The record in the page that conflicts with a new range, or 0. */
static uint32_t page_overlaps_locked(uint64_t page, uint64_t base, uint64_t size_bytes)
{
    cup_lock_assert_held(&lock);
    uint32_t index = atomic_load(head_of_page_locked(page));

    for (; index; index = atomic_load(link_of(&records[index], page))) {
        if (overlaps(&records[index], base, size_bytes))
            return index;
    }
    return 0;
}

static void record_give_locked(uint32_t index);

/* Memory that was returned to a graphics driver may be used for anything by now. */
static bool page_is_free_locked(uint64_t page, uint64_t base, uint64_t size_bytes)
{
    cup_lock_assert_held(&lock);
    uint32_t index;

    while ((index = page_overlaps_locked(page, base, size_bytes)) != 0) {
        if (!(atomic_load(&records[index].flags) & CUP_RANGE_UNMAPPED))
            return false;
        record_give_locked(index);
    }
    return true;
}

/* Creates the tables of all slots and checks every page before anything changes. */
static CUresult prepare_locked(uint64_t base, uint64_t size_bytes)
{
    cup_lock_assert_held(&lock);
    uint64_t last = base + size_bytes - 1;

    for (uint64_t at = cup_align_down(base, CUP_MAP_SLOT_BYTES); at <= last;
         at += CUP_MAP_SLOT_BYTES) {
        struct cup_region *region = cup_map_region(at);
        if (region && region->find != registered_find)
            return cup_error(CUDA_ERROR_INVALID_VALUE,
                             "the range overlaps memory allocated by CUDA");
        if (!table_at_locked(at, true))
            return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the table of pages");
    }
    for (uint64_t page = base >> PAGE_SHIFT; page <= last >> PAGE_SHIFT; page++) {
        if (!page_is_free_locked(page, base, size_bytes))
            return cup_error(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "registered already");
    }
    return CUDA_SUCCESS;
}

static uint32_t record_take_locked(void)
{
    cup_lock_assert_held(&lock);
    uint32_t index = record_free;

    if (!records) {
        records =
            cup_reserve_shared("cupipe ranges", RECORD_COUNT_MAX * sizeof(*records), 4096, NULL);
        if (!records)
            return 0;
    }
    if (index)
        record_free = atomic_load(&records[index].next_in_first);
    else if (record_count < RECORD_COUNT_MAX)
        index = record_count++;
    return index;
}

static void link_locked(uint32_t index)
{
    cup_lock_assert_held(&lock);
    struct registered_record *record = &records[index];

    for (uint64_t page = first_page(record); page <= last_page(record); page++) {
        _Atomic(uint32_t) *head = head_of_page_locked(page);
        if (page == first_page(record) || page == last_page(record))
            atomic_store(link_of(record, page), atomic_load(head));
        atomic_store(head, index);
    }
}

static void unlink_locked(uint32_t index)
{
    cup_lock_assert_held(&lock);
    struct registered_record *record = &records[index];

    for (uint64_t page = first_page(record); page <= last_page(record); page++) {
        _Atomic(uint32_t) *link = head_of_page_locked(page);
        if (page != first_page(record) && page != last_page(record)) {
            atomic_store(link, 0);
            continue;
        }
        while (atomic_load(link) != index)
            link = link_of(&records[atomic_load(link)], page);
        atomic_store(link, atomic_load(link_of(record, page)));
    }
}

static CUresult add_locked(uint64_t base, uint64_t size_bytes, enum cup_range_kind kind,
                           unsigned flags, uint32_t owner, struct cup_device *device)
{
    cup_lock_assert_held(&lock);
    uint32_t index = 0;
    CUresult result = prepare_locked(base, size_bytes);

    if (result == CUDA_SUCCESS && !(index = record_take_locked()))
        result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "too many registered ranges");
    if (result == CUDA_SUCCESS) {
        struct registered_record *record = &records[index];
        atomic_fetch_add(&version, 1);
        atomic_store(&record->base, base);
        atomic_store(&record->size_bytes, size_bytes);
        atomic_store(&record->buffer_id, cup_map_next_id());
        atomic_store(&record->block_id, cup_map_next_block_id());
        atomic_store(&record->kind, kind);
        atomic_store(&record->flags, flags);
        atomic_store(&record->owner, owner);
        atomic_store(&record->device, device);
        record->users = 1;
        link_locked(index);
        atomic_fetch_add(&version, 1);
    }
    return result;
}

CUresult cup_registered_add(uint64_t base, uint64_t size_bytes, unsigned flags, uint32_t owner,
                            struct cup_device *device)
{
    cup_lock_acquire(&lock);
    CUresult result = add_locked(base, size_bytes, CUP_RANGE_REGISTERED, flags, owner, device);
    cup_lock_release(&lock);
    return result;
}

static void record_give_locked(uint32_t index)
{
    cup_lock_assert_held(&lock);
    atomic_fetch_add(&version, 1);
    unlink_locked(index);
    atomic_store(&records[index].size_bytes, 0);
    atomic_store(&records[index].next_in_first, record_free);
    atomic_fetch_add(&version, 1);
    record_free = index;
}

/* The record that contains the address, 0 if none. */
static uint32_t record_at_locked(uint64_t address)
{
    cup_lock_assert_held(&lock);
    uint64_t page = address >> PAGE_SHIFT;

    if (!records || !table_at_locked(address, false))
        return 0;
    uint32_t index = atomic_load(head_of_page_locked(page));
    while (index && address - records[index].base >= records[index].size_bytes)
        index = atomic_load(link_of(&records[index], page));
    return index;
}

CUresult cup_registered_remove(uint64_t base)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&lock);
    uint32_t index = record_at_locked(base);
    if (!index || atomic_load(&records[index].kind) != CUP_RANGE_REGISTERED)
        result = cup_error(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "not registered");
    else if (records[index].base != base)
        result = cup_error(CUDA_ERROR_INVALID_VALUE,
                           "the address is inside a registered range, not at its start");
    else
        record_give_locked(index);
    cup_lock_release(&lock);
    return result;
}

/* The record of a graphics driver's memory that begins there, or 0. */
static uint32_t graphics_at_locked(uint64_t base)
{
    cup_lock_assert_held(&lock);
    uint32_t index = record_at_locked(base);

    return index && records[index].base == base &&
                   atomic_load(&records[index].kind) == CUP_RANGE_GRAPHICS
               ? index
               : 0;
}

/* The record stays between two mappings of the resource; see map.h. Operations on the memory always
 * wait, as NVIDIA's driver reports. */
CUresult cup_registered_reserve(uint64_t base, uint64_t size_bytes, uint32_t owner,
                                struct cup_device *device)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&lock);
    uint32_t index = graphics_at_locked(base);
    if (index && records[index].size_bytes == size_bytes &&
        (records[index].users > 0 || records[index].owner == owner)) {
        records[index].users++;
        atomic_fetch_and(&records[index].flags, ~(unsigned)CUP_RANGE_UNMAPPED);
    } else {
        result =
            add_locked(base, size_bytes, CUP_RANGE_GRAPHICS, CUP_RANGE_SYNC_MEMOPS, owner, device);
    }
    cup_lock_release(&lock);
    return result;
}

void cup_registered_return(uint64_t base)
{
    cup_lock_acquire(&lock);
    uint32_t index = graphics_at_locked(base);
    if (index && records[index].users > 0 && --records[index].users == 0)
        atomic_fetch_or(&records[index].flags, CUP_RANGE_UNMAPPED);
    cup_lock_release(&lock);
}

void cup_registered_forget(uint64_t base)
{
    cup_lock_acquire(&lock);
    uint32_t index = graphics_at_locked(base);
    if (index && records[index].users == 0)
        record_give_locked(index);
    cup_lock_release(&lock);
}

void cup_registered_remove_owned(uint32_t owner)
{
    cup_lock_acquire(&lock);
    for (uint32_t index = 1; index < record_count; index++) {
        if (atomic_load(&records[index].size_bytes) && atomic_load(&records[index].owner) == owner)
            record_give_locked(index);
    }
    cup_lock_release(&lock);
}
