/* SPDX-License-Identifier: MIT */
/* The live objects stand in a hash table with open addressing. Readers take no lock: a slot holds a
 * handle or 0, and the table only grows, keeping the old one for readers that still look there. */
#include "object.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct table {
    size_t mask;
    struct table *previous; /* kept for readers that began before the table grew */
    _Atomic(uintptr_t) slots[];
};

enum { EMPTY = 0, REMOVED = 1, FIRST_SLOTS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct table *) live;
static size_t used; /* slots that are not EMPTY; guarded by lock */

static size_t slot_of(const struct table *table, uintptr_t handle)
{
    return (size_t)((uint64_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 32) & table->mask;
}

static _Atomic(uintptr_t) *find_slot(struct table *table, uintptr_t handle)
{
    for (size_t i = slot_of(table, handle);; i = (i + 1) & table->mask) {
        uintptr_t value = atomic_load_explicit(&table->slots[i], memory_order_acquire);

        if (value == handle)
            return &table->slots[i];
        if (value == EMPTY)
            return NULL;
    }
}

static void put_locked(struct table *table, uintptr_t handle)
{
    size_t i = slot_of(table, handle);

    while (atomic_load_explicit(&table->slots[i], memory_order_relaxed) != EMPTY)
        i = (i + 1) & table->mask;
    atomic_store_explicit(&table->slots[i], handle, memory_order_release);
    used++;
}

/* A table with room for one more object. */
static struct table *reserve_locked(void)
{
    struct table *old = atomic_load(&live), *table;
    size_t count = 0, slots = FIRST_SLOTS;

    if (old && (used + 1) * 2 <= old->mask + 1)
        return old;
    for (size_t i = 0; old && i <= old->mask; i++)
        count += atomic_load(&old->slots[i]) > REMOVED;
    while (slots < (count + 1) * 4)
        slots *= 2;
    table = calloc(1, sizeof(*table) + slots * sizeof(*table->slots));
    if (!table)
        return NULL;
    table->mask = slots - 1;
    table->previous = old;
    used = 0;
    for (size_t i = 0; old && i <= old->mask; i++) {
        if (atomic_load(&old->slots[i]) > REMOVED)
            put_locked(table, atomic_load(&old->slots[i]));
    }
    atomic_store(&live, table);
    return table;
}

void *lib_object_create(const struct lib_object_type *type)
{
    struct lib_object *object = calloc(1, type->bytes);
    struct table *table;

    if (!object)
        return NULL;
    object->type = type;
    pthread_mutex_lock(&lock);
    table = reserve_locked();
    if (table)
        put_locked(table, (uintptr_t)object);
    pthread_mutex_unlock(&lock);
    if (!table) {
        free(object);
        return NULL;
    }
    return object;
}

bool lib_object_is(const void *handle, const struct lib_object_type *type)
{
    struct table *table = atomic_load_explicit(&live, memory_order_acquire);

    return (uintptr_t)handle > REMOVED && table && find_slot(table, (uintptr_t)handle) &&
           ((const struct lib_object *)handle)->type == type;
}

bool lib_object_destroy(void *handle, const struct lib_object_type *type)
{
    bool is_live;

    pthread_mutex_lock(&lock);
    is_live = lib_object_is(handle, type);
    if (is_live)
        atomic_store(find_slot(atomic_load(&live), (uintptr_t)handle), REMOVED);
    pthread_mutex_unlock(&lock);
    if (!is_live)
        return false;
    if (type->finish)
        type->finish(handle);
    free(handle);
    return true;
}
