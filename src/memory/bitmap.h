/* SPDX-License-Identifier: MIT */
/* Ranges of bits in an array of words. One thread at a time writes. */
#ifndef CUP_MEMORY_BITMAP_H
#define CUP_MEMORY_BITMAP_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the bits of the word containing `first` that belong to the range, and their number. */
static inline uint64_t cup_bits_head(uint32_t first, uint32_t count, uint32_t *head_count)
{
    uint32_t room = 64 - first % 64;

    *head_count = count < room ? count : room;
    return (~UINT64_C(0) >> (64 - *head_count)) << (first % 64);
}

static inline void cup_bits_write(uint64_t *words, uint32_t first, uint32_t count, bool on)
{
    for (uint32_t step; count; first += step, count -= step) {
        uint64_t mask = cup_bits_head(first, count, &step);
        words[first / 64] = on ? words[first / 64] | mask : words[first / 64] & ~mask;
    }
}

/* True if all bits of the range equal `on`. */
static inline bool cup_bits_are(const uint64_t *words, uint32_t first, uint32_t count, bool on)
{
    for (uint32_t step; count; first += step, count -= step) {
        uint64_t mask = cup_bits_head(first, count, &step);
        if ((words[first / 64] & mask) != (on ? mask : 0))
            return false;
    }
    return true;
}

/* The first set bit in [first, end), or `end`. */
static inline uint32_t cup_bits_next(const uint64_t *words, uint32_t first, uint32_t end)
{
    while (first < end) {
        uint64_t bits = words[first / 64] >> (first % 64);
        if (bits) {
            uint32_t found = first + (uint32_t)__builtin_ctzll(bits);
            return found < end ? found : end;
        }
        first += 64 - first % 64;
    }
    return end;
}

#endif
