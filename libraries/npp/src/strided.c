/* SPDX-License-Identifier: MIT */
/* The common sizes and distances are constants in loops of their own, which compilers turn into
 * vectors. */
#include "vector.h"

#include "strided.h"

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

void npp_repeat(void *memory, size_t bytes, size_t count)
{
    size_t whole = bytes * count;

    for (size_t done = bytes; done < whole; done *= 2)
        memcpy((char *)memory + done, memory, done < whole - done ? done : whole - done);
}
