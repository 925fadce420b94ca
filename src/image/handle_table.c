/* SPDX-License-Identifier: MIT */
/* The table consists of pages of slots that are allocated on demand and never freed, so a look-up
 * is two loads without a lock. Freed numbers are reused in FIFO order. */
#include "image/handle_table.h"

#include "core/lock.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    PAGE_SHIFT = 10,
    PAGE_SLOTS = 1 << PAGE_SHIFT,
    PAGE_COUNT = 1 << 10, /* 2^20 numbers, the number of descriptors of a device */
};

struct handle_slot {
    _Atomic(struct cup_texture *) texture;
    uint32_t next_free; /* guarded by lock */
};

struct cup_handle_table {
    struct cup_lock lock;
    _Atomic(struct handle_slot *) pages[PAGE_COUNT];
    _Atomic(uint32_t) used;        /* the largest number assigned so far */
    uint32_t free_head, free_tail; /* guarded by lock; 0: none */
};

struct cup_handle_table cup_texture_handles = {.lock = CUP_LOCK_INITIALIZER(CUP_RANK_TEXTURE)};
struct cup_handle_table cup_surface_handles = {.lock = CUP_LOCK_INITIALIZER(CUP_RANK_TEXTURE)};

static struct handle_slot *slot_at(const struct cup_handle_table *table, uint32_t number)
{
    struct handle_slot *page =
        atomic_load_explicit(&table->pages[number >> PAGE_SHIFT], memory_order_acquire);

    return &page[number % PAGE_SLOTS];
}

static uint32_t reuse_locked(struct cup_handle_table *table)
{
    cup_lock_assert_held(&table->lock);
    uint32_t number = table->free_head;

    if (number) {
        table->free_head = slot_at(table, number)->next_free;
        if (!table->free_head)
            table->free_tail = 0;
    }
    return number;
}

static uint32_t extend_locked(struct cup_handle_table *table)
{
    cup_lock_assert_held(&table->lock);
    uint32_t number = atomic_load_explicit(&table->used, memory_order_relaxed) + 1;
    _Atomic(struct handle_slot *) *page = &table->pages[number >> PAGE_SHIFT];

    if (number >= (uint32_t)PAGE_COUNT << PAGE_SHIFT)
        return 0;
    if (!atomic_load_explicit(page, memory_order_relaxed)) {
        struct handle_slot *made = calloc(PAGE_SLOTS, sizeof(*made));

        if (!made)
            return 0;
        atomic_store_explicit(page, made, memory_order_release);
    }
    atomic_store_explicit(&table->used, number, memory_order_release);
    return number;
}

uint32_t cup_handle_table_add(struct cup_handle_table *table, struct cup_texture *texture)
{
    cup_lock_acquire(&table->lock);
    uint32_t number = reuse_locked(table);
    if (!number)
        number = extend_locked(table);
    if (number)
        atomic_store_explicit(&slot_at(table, number)->texture, texture, memory_order_release);
    cup_lock_release(&table->lock);
    return number;
}

void cup_handle_table_remove(struct cup_handle_table *table, uint32_t number)
{
    struct handle_slot *slot = slot_at(table, number);

    cup_lock_acquire(&table->lock);
    atomic_store_explicit(&slot->texture, NULL, memory_order_release);
    slot->next_free = 0;
    if (table->free_tail)
        slot_at(table, table->free_tail)->next_free = number;
    else
        table->free_head = number;
    table->free_tail = number;
    cup_lock_release(&table->lock);
}

struct cup_texture *cup_handle_table_find(const struct cup_handle_table *table, uint64_t number)
{
    if (number == 0 || !cup_handle_table_has(table, number))
        return NULL;
    return atomic_load_explicit(&slot_at(table, (uint32_t)number)->texture, memory_order_acquire);
}

bool cup_handle_table_has(const struct cup_handle_table *table, uint64_t number)
{
    return number <= atomic_load_explicit(&table->used, memory_order_acquire);
}
