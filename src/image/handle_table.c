/* SPDX-License-Identifier: MIT */
/* Pages of slots that are made as numbers are given, and never taken away: so a look-up is two
 * loads and needs no lock. Numbers that come back are given again, oldest first. */
#include "image/handle_table.h"

#include "core/lock.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    PAGE_SHIFT = 10,
    PAGE_SLOTS = 1 << PAGE_SHIFT,
    PAGE_COUNT = 1 << 10, /* 2^20 numbers, as many as a device has of descriptors */
};

struct handle_slot {
    _Atomic(struct cup_texture *) texture;
    uint32_t next_free; /* guarded by lock */
};

struct cup_handle_table {
    struct cup_lock lock;
    _Atomic(struct handle_slot *) pages[PAGE_COUNT];
    _Atomic(uint32_t) used;        /* the largest number given so far */
    uint32_t free_head, free_tail; /* guarded by lock; 0: none */
};

struct cup_handle_table cup_texture_handles = {.lock = CUP_LOCK_INITIALIZER(CUP_RANK_TEXTURE)};
struct cup_handle_table cup_surface_handles = {.lock = CUP_LOCK_INITIALIZER(CUP_RANK_TEXTURE)};

static struct handle_slot *slot_at(const struct cup_handle_table *numbers, uint32_t number)
{
    struct handle_slot *page =
        atomic_load_explicit(&numbers->pages[number >> PAGE_SHIFT], memory_order_acquire);

    return &page[number % PAGE_SLOTS];
}

static uint32_t reuse_locked(struct cup_handle_table *numbers)
{
    uint32_t number = numbers->free_head;

    if (number) {
        numbers->free_head = slot_at(numbers, number)->next_free;
        if (!numbers->free_head)
            numbers->free_tail = 0;
    }
    return number;
}

static uint32_t take_new_locked(struct cup_handle_table *numbers)
{
    uint32_t number = atomic_load_explicit(&numbers->used, memory_order_relaxed) + 1;
    _Atomic(struct handle_slot *) *page = &numbers->pages[number >> PAGE_SHIFT];

    if (number >= (uint32_t)PAGE_COUNT << PAGE_SHIFT)
        return 0;
    if (!atomic_load_explicit(page, memory_order_relaxed)) {
        struct handle_slot *made = calloc(PAGE_SLOTS, sizeof(*made));

        if (!made)
            return 0;
        atomic_store_explicit(page, made, memory_order_release);
    }
    atomic_store_explicit(&numbers->used, number, memory_order_release);
    return number;
}

uint32_t cup_handle_table_add(struct cup_handle_table *numbers, struct cup_texture *texture)
{
    cup_lock_acquire(&numbers->lock);
    uint32_t number = reuse_locked(numbers);
    if (!number)
        number = take_new_locked(numbers);
    if (number)
        atomic_store_explicit(&slot_at(numbers, number)->texture, texture, memory_order_release);
    cup_lock_release(&numbers->lock);
    return number;
}

void cup_handle_table_remove(struct cup_handle_table *numbers, uint32_t number)
{
    struct handle_slot *slot = slot_at(numbers, number);

    cup_lock_acquire(&numbers->lock);
    atomic_store_explicit(&slot->texture, NULL, memory_order_release);
    slot->next_free = 0;
    if (numbers->free_tail)
        slot_at(numbers, numbers->free_tail)->next_free = number;
    else
        numbers->free_head = number;
    numbers->free_tail = number;
    cup_lock_release(&numbers->lock);
}

struct cup_texture *cup_handle_table_find(const struct cup_handle_table *numbers, uint64_t number)
{
    if (number == 0 || !cup_handle_table_has(numbers, number))
        return NULL;
    return atomic_load_explicit(&slot_at(numbers, (uint32_t)number)->texture, memory_order_acquire);
}

bool cup_handle_table_has(const struct cup_handle_table *numbers, uint64_t number)
{
    return number <= atomic_load_explicit(&numbers->used, memory_order_acquire);
}
