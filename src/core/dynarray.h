/* SPDX-License-Identifier: MIT */
/* Growable arrays. A zeroed array is empty; free() of its items ends it.
 *
 * CUP_DYNARRAY declares the fields of one inside a struct: the items with their type, `count`,
 * `capacity`, and the same three as `array` for the functions below. */
#ifndef CUP_CORE_DYNARRAY_H
#define CUP_CORE_DYNARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct cup_dynarray {
    void *items;
    size_t count, capacity;
};

#define CUP_DYNARRAY(type, name)                                                                   \
    union {                                                                                        \
        struct {                                                                                   \
            type *name;                                                                            \
            size_t count, capacity;                                                                \
        };                                                                                         \
        struct cup_dynarray array;                                                                 \
    }

enum { CUP_DYNARRAY_FIRST_CAPACITY = 4 };

/* Makes room for so many items after the last. Capacities double, so that adding n items moves
 * fewer than 2n. Returns false, and changes nothing, if memory is out or the size overflows. */
static inline bool cup_dynarray_reserve(struct cup_dynarray *array, size_t more, size_t item_bytes)
{
    size_t capacity = array->capacity ? array->capacity : CUP_DYNARRAY_FIRST_CAPACITY;
    size_t wanted, bytes;

    if (more <= array->capacity - array->count)
        return true;
    if (__builtin_add_overflow(array->count, more, &wanted) || wanted > PTRDIFF_MAX)
        return false;
    while (capacity < wanted)
        capacity *= 2;
    if (__builtin_mul_overflow(capacity, item_bytes, &bytes) || bytes > PTRDIFF_MAX)
        return false;
    void *items = realloc(array->items, bytes);
    if (!items)
        return false;
    array->items = items;
    array->capacity = capacity;
    return true;
}

/* Appends an item, whose bytes are not initialised, and returns it; NULL if memory is out. */
static inline void *cup_dynarray_add(struct cup_dynarray *array, size_t item_bytes)
{
    if (!cup_dynarray_reserve(array, 1, item_bytes))
        return NULL;
    return (char *)array->items + array->count++ * item_bytes;
}

#endif
