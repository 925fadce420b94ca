/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with linear probing. A table that is full is copied into one of twice the size
 * and stays allocated, because a look-up may still read it: all former tables together are no
 * larger than the current one.
 */
#include "host_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 256 };

struct table {
    size_t slots; /* a power of two */
    size_t used;  /* slots that are not NULL, removed ones included */
    struct table *former;
    _Atomic(struct rt_host *) hosts[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct table *) current;
static struct rt_host removed;

static size_t first_slot(const struct table *table, const void *address)
{
    uint64_t hash = (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15ull;

    return (size_t)(hash >> 32) & (table->slots - 1);
}

struct rt_host *rt_host_find(const void *address)
{
    struct table *table = atomic_load_explicit(&current, memory_order_acquire);

    if (!table)
        return NULL;
    for (size_t i = first_slot(table, address);; i = (i + 1) & (table->slots - 1)) {
        struct rt_host *host = atomic_load_explicit(&table->hosts[i], memory_order_acquire);

        if (!host)
            return NULL;
        if (host != &removed && host->address == address)
            return host;
    }
}

static void put(struct table *table, struct rt_host *host)
{
    size_t i = first_slot(table, host->address);

    while (atomic_load_explicit(&table->hosts[i], memory_order_relaxed))
        i = (i + 1) & (table->slots - 1);
    atomic_store_explicit(&table->hosts[i], host, memory_order_release);
    table->used++;
}

/* Returns a table with space for one more entry. */
static struct table *make_room(void)
{
    struct table *table = atomic_load_explicit(&current, memory_order_relaxed), *larger;
    size_t slots = table ? table->slots * 2 : FIRST_SLOTS;

    if (table && table->used < table->slots / 2)
        return table;
    larger = calloc(1, sizeof *larger + slots * sizeof larger->hosts[0]);
    if (!larger)
        return NULL;
    larger->slots = slots;
    larger->former = table;
    for (size_t i = 0; table && i < table->slots; i++) {
        struct rt_host *host = atomic_load_explicit(&table->hosts[i], memory_order_relaxed);

        if (host && host != &removed)
            put(larger, host);
    }
    atomic_store_explicit(&current, larger, memory_order_release);
    return larger;
}

bool rt_host_add(struct rt_host *host)
{
    struct table *table;

    pthread_mutex_lock(&lock);
    table = make_room();
    if (table && !rt_host_find(host->address))
        put(table, host);
    pthread_mutex_unlock(&lock);
    return table;
}

void rt_host_remove(struct rt_host *host)
{
    struct table *table;

    pthread_mutex_lock(&lock);
    table = atomic_load_explicit(&current, memory_order_relaxed);
    for (size_t i = table ? first_slot(table, host->address) : 0; table;
         i = (i + 1) & (table->slots - 1)) {
        struct rt_host *found = atomic_load_explicit(&table->hosts[i], memory_order_relaxed);

        if (!found)
            break;
        if (found == host) {
            atomic_store_explicit(&table->hosts[i], &removed, memory_order_release);
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}
