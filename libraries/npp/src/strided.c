/* SPDX-License-Identifier: MIT */
/* The common sizes and distances are constants in loops of their own, which compilers turn into
 * vectors. */
#include "vector.h"

#include "strided.h"

#include <stdint.h>
#include <string.h>

NPP_INLINE void copy_each(char *restrict to, ptrdiff_t to_distance, const char *restrict from,
                          ptrdiff_t from_distance, size_t bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + (ptrdiff_t)i * to_distance, from + (ptrdiff_t)i * from_distance, bytes);
}

#define COPY(name, bytes)                                                                          \
    NPP_VECTOR static void name(char *to, ptrdiff_t to_distance, const char *from,                 \
                                ptrdiff_t from_distance, size_t count)                             \
    {                                                                                              \
        if (to_distance == (bytes) && from_distance == -(bytes))                                   \
            copy_each(to, bytes, from, -(bytes), bytes, count);                                    \
        else if (to_distance == (bytes) && from_distance == 3 * (bytes))                           \
            copy_each(to, bytes, from, 3 * (bytes), bytes, count);                                 \
        else if (to_distance == 3 * (bytes) && from_distance == (bytes))                           \
            copy_each(to, 3 * (bytes), from, bytes, bytes, count);                                 \
        else                                                                                       \
            copy_each(to, to_distance, from, from_distance, bytes, count);                         \
    }

COPY(copy_1, 1)
COPY(copy_2, 2)
COPY(copy_3, 3)
COPY(copy_4, 4)
COPY(copy_6, 6)
COPY(copy_8, 8)
COPY(copy_12, 12)
COPY(copy_16, 16)

void npp_copy_strided(void *to, ptrdiff_t to_distance, const void *from, ptrdiff_t from_distance,
                      size_t bytes, size_t count)
{
    typedef void copy_function(char *to, ptrdiff_t to_distance, const char *from,
                               ptrdiff_t from_distance, size_t count);
    static copy_function *const copies[] = {
        [1] = copy_1, [2] = copy_2, [3] = copy_3,   [4] = copy_4,
        [6] = copy_6, [8] = copy_8, [12] = copy_12, [16] = copy_16};

    if (to_distance == (ptrdiff_t)bytes && from_distance == (ptrdiff_t)bytes)
        memcpy(to, from, bytes * count);
    else if (bytes < sizeof(copies) / sizeof(*copies) && copies[bytes])
        copies[bytes](to, to_distance, from, from_distance, count);
    else
        copy_each(to, to_distance, from, from_distance, bytes, count);
}

NPP_INLINE void copy_places_each(char *restrict to, const char *restrict from,
                                 const int *restrict places, size_t bytes, size_t distance,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * distance, from + (size_t)places[i] * distance, bytes);
}

void npp_copy_places(void *to, const void *from, const int *places, size_t bytes, size_t distance,
                     size_t count)
{
    if (bytes != distance)
        copy_places_each(to, from, places, bytes, distance, count);
    else if (bytes == 1)
        copy_places_each(to, from, places, 1, 1, count);
    else if (bytes == 2)
        copy_places_each(to, from, places, 2, 2, count);
    else if (bytes == 3)
        copy_places_each(to, from, places, 3, 3, count);
    else if (bytes == 4)
        copy_places_each(to, from, places, 4, 4, count);
    else if (bytes == 12)
        copy_places_each(to, from, places, 12, 12, count);
    else
        copy_places_each(to, from, places, bytes, bytes, count);
}

#define SPLIT(name, type)                                                                          \
    NPP_VECTOR static void split_##name(type *restrict a, type *restrict b, type *restrict c,      \
                                        const type *restrict from, size_t count)                   \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            a[i] = from[3 * i];                                                                    \
            b[i] = from[3 * i + 1];                                                                \
            c[i] = from[3 * i + 2];                                                                \
        }                                                                                          \
    }                                                                                              \
    NPP_VECTOR static void join_##name(type *restrict to, const type *restrict a,                  \
                                       const type *restrict b, const type *restrict c,             \
                                       size_t count)                                               \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            to[3 * i] = a[i];                                                                      \
            to[3 * i + 1] = b[i];                                                                  \
            to[3 * i + 2] = c[i];                                                                  \
        }                                                                                          \
    }

SPLIT(1, uint8_t)
SPLIT(2, uint16_t)
SPLIT(4, uint32_t)

bool npp_split(void *const to[3], const void *from, size_t bytes, size_t count)
{
    if (bytes == 1)
        split_1(to[0], to[1], to[2], from, count);
    else if (bytes == 2)
        split_2(to[0], to[1], to[2], from, count);
    else if (bytes == 4)
        split_4(to[0], to[1], to[2], from, count);
    return bytes == 1 || bytes == 2 || bytes == 4;
}

bool npp_join(void *to, const void *const from[3], size_t bytes, size_t count)
{
    if (bytes == 1)
        join_1(to, from[0], from[1], from[2], count);
    else if (bytes == 2)
        join_2(to, from[0], from[1], from[2], count);
    else if (bytes == 4)
        join_4(to, from[0], from[1], from[2], count);
    return bytes == 1 || bytes == 2 || bytes == 4;
}

void npp_repeat(void *memory, size_t bytes, size_t count)
{
    size_t whole = bytes * count;

    for (size_t done = bytes; done < whole; done *= 2)
        memcpy((char *)memory + done, memory, done < whole - done ? done : whole - done);
}
