/* SPDX-License-Identifier: MIT */
/* Address space comes in arenas (import_space.h). A chunk of 2 MiB heads the list of the records in
 * it; a large one is alone in all of its chunks. Writers take the lock; readers take none: they
 * note the version, follow the list, and begin again if a writer was there meanwhile. */
#include "memory/import_records.h"

#include "core/checks.h"
#include "core/compiler.h"
#include "core/lock.h"
#include "device/access.h"
#include "memory/import_space.h"
#include "os/reserve.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

enum {
    RECORD_COUNT_MAX = 1 << 20,
    LIST_STEPS_MAX = 1 << 13, /* more ranges than fit in an area: the list was changing */
};

struct cup_lock cup_import_lock = CUP_LOCK_INITIALIZER(CUP_RANK_IMPORT);
static _Atomic(uint32_t) version;              /* odd while a writer is at work */
static struct cup_import_record *records;      /* written once; index 0 ends the lists */
static uint32_t record_count = 1, record_free; /* guarded by cup_import_lock */

static bool find_once(struct cup_import_arena *arena, uint64_t address, struct cup_range *range)
{
    uint32_t index = atomic_load(&arena->heads[cup_import_chunk(arena, address)]);

    for (int steps = 0; index && steps < LIST_STEPS_MAX; steps++) {
        const struct cup_import_record *record = &records[index];
        range->base = atomic_load(&record->base);
        range->size_bytes = atomic_load(&record->size_bytes);
        if (address - range->base < range->size_bytes) {
            range->kind = (enum cup_range_kind)atomic_load(&record->kind);
            range->flags = atomic_load(&record->flags);
            range->buffer_id = atomic_load(&record->buffer_id);
            range->owner = atomic_load(&record->owner);
            range->device = atomic_load(&record->device);
            range->block_base = atomic_load(&record->block_base);
            range->block_bytes = atomic_load(&record->block_bytes);
            range->block_id = atomic_load(&record->block_id);
            return true;
        }
        index = atomic_load(&record->next);
    }
    return false;
}

static bool import_describe(struct cup_region *region, uint64_t address, struct cup_range *range)
{
    for (;;) {
        uint32_t before = atomic_load(&version);
        bool found = find_once((struct cup_import_arena *)region, address, range);
        cup_load_fence();
        if (before % 2 == 0 && atomic_load(&version) == before)
            return found;
        cup_relax();
    }
}

static bool import_find(struct cup_region *region, uint64_t address, struct cup_span *span)
{
    struct cup_range range;

    if (!import_describe(region, address, &range))
        return false;
    *span = cup_range_span(&range);
    return true;
}

/* The record that contains the address; 0 if none. */
static uint32_t record_at_locked(const struct cup_import_arena *arena, uint64_t address)
{
    cup_lock_assert_held(&cup_import_lock);
    uint32_t index = atomic_load(&arena->heads[cup_import_chunk(arena, address)]);

    while (index && address - records[index].base >= records[index].size_bytes)
        index = atomic_load(&records[index].next);
    return index;
}

static bool import_set_flag(struct cup_region *region, uint64_t address, unsigned flag, bool on)
{
    cup_lock_acquire(&cup_import_lock);
    uint32_t index = record_at_locked((struct cup_import_arena *)region, address);
    if (index && on)
        atomic_fetch_or(&records[index].flags, flag);
    else if (index)
        atomic_fetch_and(&records[index].flags, ~flag);
    cup_lock_release(&cup_import_lock);
    return index != 0;
}

/* Between the two, stores need no order among themselves. */
static void write_begin(void)
{
    atomic_fetch_add(&version, 1);
    cup_store_fence();
}

static void write_end(void)
{
    atomic_fetch_add(&version, 1);
}

static const struct cup_region region_functions = {
    .find = import_find,
    .describe = import_describe,
    .set_flag = import_set_flag,
};

/* Finds addresses for an area and initialises the tables on first use; 0 if the address space is
 * full. */
static uint64_t space_take_locked(uint64_t size_bytes)
{
    cup_lock_assert_held(&cup_import_lock);
    if (!records)
        records = cup_reserve_array(RECORD_COUNT_MAX, sizeof(*records));
    return records ? cup_import_space_take(&region_functions, size_bytes) : 0;
}

static void set(_Atomic(uint64_t) *field, uint64_t value)
{
    atomic_store_explicit(field, value, memory_order_relaxed);
}

static void set_heads_locked(const struct cup_import_area *area, uint32_t index)
{
    cup_lock_assert_held(&cup_import_lock);
    struct cup_import_arena *arena = cup_import_arena_at(area->base);
    uint32_t first = cup_import_chunk(arena, area->base);
    uint32_t count = (uint32_t)(area->size_bytes >> CUP_CHUNK_SHIFT);

    for (uint32_t chunk = first; chunk < first + count; chunk++)
        atomic_store_explicit(&arena->heads[chunk], index, memory_order_relaxed);
}

/* Sets the area of the chunks. Chunks without an area have no records. */
static void name_chunks_locked(const struct cup_import_area *named, struct cup_import_area *area)
{
    cup_lock_assert_held(&cup_import_lock);
    struct cup_import_arena *arena = cup_import_arena_at(named->base);
    uint32_t first = cup_import_chunk(arena, named->base);

    for (uint32_t chunk = first; chunk < first + (named->size_bytes >> CUP_CHUNK_SHIFT); chunk++)
        arena->areas[chunk] = area;
}

bool cup_import_area_open_locked(struct cup_import_area *area, int fd, uint64_t offset,
                                 uint64_t mapped_bytes)
{
    cup_lock_assert_held(&cup_import_lock);
    int saved = errno;
    uint64_t base = space_take_locked(area->size_bytes);

    if (base && mmap((void *)(uintptr_t)base, mapped_bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, (off_t)offset) == MAP_FAILED) {
        cup_import_space_give(base, area->size_bytes);
        base = 0;
    }
    errno = saved;
    if (!base)
        return false;
    area->base = base;
    area->id = cup_map_next_block_id();
    name_chunks_locked(area, area);
    if (area->kind == CUP_RANGE_IPC)
        cup_access_mark(base, area->size_bytes, cup_access_class_of_device(area->device));
    return true;
}

static void kept_release(const struct cup_quarantined *kept)
{
    cup_lock_acquire(&cup_import_lock);
    cup_import_space_give(kept->address, kept->size_bytes);
    cup_lock_release(&cup_import_lock);
}

void cup_import_area_close_locked(struct cup_import_area *area)
{
    cup_lock_assert_held(&cup_import_lock);
    struct cup_import_arena *arena = cup_import_arena_at(area->base);
    uint32_t index = atomic_load(&arena->heads[cup_import_chunk(arena, area->base)]);

    name_chunks_locked(area, NULL);
    cup_access_mark(area->base, area->size_bytes, CUP_ACCESS_OPEN);
    write_begin();
    set_heads_locked(area, 0);
    while (index) {
        uint32_t next = atomic_load(&records[index].next);
        set(&records[index].size_bytes, 0);
        atomic_store(&records[index].next, record_free);
        record_free = index;
        index = next;
    }
    write_end();
    void *base = (void *)(uintptr_t)area->base;
    struct cup_quarantined kept = {
        .address = area->base, .size_bytes = area->size_bytes, .release = kept_release};
    if (!cup_reserve_vacate(base, area->size_bytes) && !cup_reserve_detach(base, area->size_bytes))
        return; /* the addresses are lost */
    if (cup_checks.redzones)
        cup_check_quarantined(&kept);
    else
        cup_import_space_give(area->base, area->size_bytes);
}

struct cup_import_area *cup_import_area_at_locked(uint64_t address)
{
    cup_lock_assert_held(&cup_import_lock);
    struct cup_import_arena *arena = cup_import_arena_at(address);

    return arena ? arena->areas[cup_import_chunk(arena, address)] : NULL;
}

struct cup_import_record *cup_import_record_add_locked(const struct cup_import_area *area,
                                                       uint64_t offset, uint64_t size_bytes)
{
    cup_lock_assert_held(&cup_import_lock);
    struct cup_import_arena *arena = cup_import_arena_at(area->base);
    uint32_t index = record_free, first = cup_import_chunk(arena, area->base);

    if (index)
        record_free = atomic_load(&records[index].next);
    else if (record_count < RECORD_COUNT_MAX)
        index = record_count++;
    if (!index)
        return NULL;
    struct cup_import_record *record = &records[index];
    write_begin();
    set(&record->base, area->base + offset);
    set(&record->size_bytes, size_bytes);
    set(&record->buffer_id, cup_map_next_id());
    set(&record->block_base, area->base);
    set(&record->block_bytes, area->size_bytes);
    set(&record->block_id, area->id);
    atomic_store(&record->device, area->device);
    atomic_store(&record->kind, (uint32_t)area->kind);
    atomic_store(&record->owner, area->owner);
    atomic_store(&record->flags, 0);
    atomic_store(&record->next, atomic_load(&arena->heads[first]));
    record->opened = 0;
    set_heads_locked(area, index);
    write_end();
    return record;
}

void cup_import_record_raise_locked(const struct cup_import_area *area,
                                    struct cup_import_record *record)
{
    cup_lock_assert_held(&cup_import_lock);
    struct cup_import_arena *arena = cup_import_arena_at(area->base);
    uint32_t index = (uint32_t)(record - records);
    uint32_t head = atomic_load(&arena->heads[cup_import_chunk(arena, area->base)]);
    uint32_t before = head;

    if (index == head)
        return;
    while (atomic_load(&records[before].next) != index)
        before = atomic_load(&records[before].next);
    write_begin();
    atomic_store(&records[before].next, atomic_load(&record->next));
    atomic_store(&record->next, head);
    set_heads_locked(area, index);
    write_end();
}

static struct cup_import_record *record_at_index(uint32_t index)
{
    return index ? &records[index] : NULL;
}

struct cup_import_record *cup_import_record_first_locked(const struct cup_import_area *area)
{
    cup_lock_assert_held(&cup_import_lock);
    struct cup_import_arena *arena = cup_import_arena_at(area->base);

    return record_at_index(atomic_load(&arena->heads[cup_import_chunk(arena, area->base)]));
}

struct cup_import_record *cup_import_record_next_locked(const struct cup_import_record *record)
{
    cup_lock_assert_held(&cup_import_lock);
    return record_at_index(atomic_load(&record->next));
}
