/* SPDX-License-Identifier: MIT */
/* Hash tables of items that are found by a number: open addressing with linear probing, at most
 * half full. A zeroed map is empty and has no memory; cup_hashmap_finish() frees it.
 *
 * An item is a struct of the caller whose first member is its key, a uint64_t that is not 0. The
 * map owns the memory of its items and moves them when it grows or loses one: pointers to items are
 * valid until the next cup_hashmap_add() or cup_hashmap_remove(). What items point to belongs to
 * the caller. Several items may have the same key: names are found by cup_hashmap_key() of their
 * hash, and the caller compares them.
 *
 * The caller holds whatever lock the map needs. A table that is read without a lock has to be of
 * another kind. */
#ifndef CUP_CORE_HASHMAP_H
#define CUP_CORE_HASHMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cup_hashmap {
    void *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t count;      /* items */
};

/* Declares the fields of a map inside a struct, or of an object of its own: the slots with their
 * type, and the same as `map` for the functions below. */
#define CUP_HASHMAP(type, name)                                                                    \
    union {                                                                                        \
        struct {                                                                                   \
            type *name;                                                                            \
            size_t slot_count, count;                                                              \
        };                                                                                         \
        struct cup_hashmap map;                                                                    \
    }

enum { CUP_HASHMAP_FIRST_SLOTS = 64 };

/* The key that a hash becomes. */
static inline uint64_t cup_hashmap_key(uint64_t hash)
{
    return hash ? hash : 1;
}

static inline void *cup_hashmap_slot(const struct cup_hashmap *map, size_t slot, size_t item_bytes)
{
    return (char *)map->slots + (slot & (map->slot_count - 1)) * item_bytes;
}

static inline uint64_t cup_hashmap_key_at(const struct cup_hashmap *map, size_t slot,
                                          size_t item_bytes)
{
    return *(const uint64_t *)cup_hashmap_slot(map, slot, item_bytes);
}

/* Where the search for a key begins. The upper bits of the product depend on all bits of the key.
 */
static inline size_t cup_hashmap_home(const struct cup_hashmap *map, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >>
                    (__builtin_clzll((unsigned long long)map->slot_count) + 1));
}

/* The first item with the key from a slot on; NULL: none. */
static inline void *cup_hashmap_find_from(const struct cup_hashmap *map, size_t slot, uint64_t key,
                                          size_t item_bytes)
{
    for (;; slot++) {
        uint64_t found = cup_hashmap_key_at(map, slot, item_bytes);

        if (found == key)
            return cup_hashmap_slot(map, slot, item_bytes);
        if (found == 0)
            return NULL;
    }
}

/* Returns an item with the key; NULL: there is none. */
static inline void *cup_hashmap_find(const struct cup_hashmap *map, uint64_t key, size_t item_bytes)
{
    if (map->count == 0 || key == 0)
        return NULL;
    return cup_hashmap_find_from(map, cup_hashmap_home(map, key), key, item_bytes);
}

static inline size_t cup_hashmap_index(const struct cup_hashmap *map, const void *item,
                                       size_t item_bytes)
{
    return (size_t)((const char *)item - (const char *)map->slots) / item_bytes;
}

/* Returns another item with the key of this one; NULL: it was the last. */
static inline void *cup_hashmap_next(const struct cup_hashmap *map, const void *item,
                                     size_t item_bytes)
{
    return cup_hashmap_find_from(map, cup_hashmap_index(map, item, item_bytes) + 1,
                                 *(const uint64_t *)item, item_bytes);
}

/* Returns the item after this one in no particular order, the first after NULL, NULL after the
 * last. */
static inline void *cup_hashmap_each(const struct cup_hashmap *map, const void *item,
                                     size_t item_bytes)
{
    size_t slot = item ? cup_hashmap_index(map, item, item_bytes) + 1 : 0;

    for (; slot < map->slot_count; slot++) {
        if (cup_hashmap_key_at(map, slot, item_bytes) != 0)
            return cup_hashmap_slot(map, slot, item_bytes);
    }
    return NULL;
}

static inline void *cup_hashmap_free_slot(const struct cup_hashmap *map, uint64_t key,
                                          size_t item_bytes)
{
    return cup_hashmap_find_from(map, cup_hashmap_home(map, key), 0, item_bytes);
}

/* Makes the map twice as large. Returns false, and changes nothing, if memory is out. */
static inline bool cup_hashmap_grow(struct cup_hashmap *map, size_t item_bytes)
{
    struct cup_hashmap larger = {NULL, map->slot_count * 2, map->count};

    if (larger.slot_count == 0)
        larger.slot_count = CUP_HASHMAP_FIRST_SLOTS;
    larger.slots = calloc(larger.slot_count, item_bytes);
    if (!larger.slots)
        return false;
    for (void *item = NULL; (item = cup_hashmap_each(map, item, item_bytes));)
        memcpy(cup_hashmap_free_slot(&larger, *(uint64_t *)item, item_bytes), item, item_bytes);
    free(map->slots);
    *map = larger;
    return true;
}

/* Adds an item, which has its key and is zeroed else, whether or not there are others with this
 * key. Returns NULL, and changes nothing, if memory is out. */
static inline void *cup_hashmap_add(struct cup_hashmap *map, uint64_t key, size_t item_bytes)
{
    uint64_t *item;

    if (map->count * 2 >= map->slot_count && !cup_hashmap_grow(map, item_bytes))
        return NULL;
    item = cup_hashmap_free_slot(map, key, item_bytes);
    *item = key;
    map->count++;
    return item;
}

/* Removes an item. Those behind it that its slot had kept from their places move up, so that
 * searches end at the first free slot. */
static inline void cup_hashmap_remove(struct cup_hashmap *map, void *item, size_t item_bytes)
{
    size_t mask = map->slot_count - 1, hole = cup_hashmap_index(map, item, item_bytes), at = hole;
    uint64_t key;

    while ((key = cup_hashmap_key_at(map, ++at, item_bytes)) != 0) {
        if (((at - cup_hashmap_home(map, key)) & mask) < ((at - hole) & mask))
            continue;
        memcpy(cup_hashmap_slot(map, hole, item_bytes), cup_hashmap_slot(map, at, item_bytes),
               item_bytes);
        hole = at;
    }
    memset(cup_hashmap_slot(map, hole, item_bytes), 0, item_bytes);
    map->count--;
}

static inline void cup_hashmap_finish(struct cup_hashmap *map)
{
    free(map->slots);
    *map = (struct cup_hashmap){NULL, 0, 0};
}

#endif
