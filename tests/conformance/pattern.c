/* SPDX-License-Identifier: MIT */
/* Test data and its check, and summaries of bytes. Patterns are told apart by a seed. */
#include "pattern.h"
#include "harness.h"
#include <stdint.h>

unsigned char pattern_byte(unsigned seed, size_t i)
{
    uint32_t mixed = (uint32_t)i * 2654435761u + seed * 40503u + 12345u;

    mixed ^= mixed >> 15;
    mixed *= 2246822519u;
    return mixed >> 24;
}

void pattern_fill(void *ptr, size_t size, unsigned seed)
{
    unsigned char *bytes = ptr;

    if (!ptr)
        return;
    for (size_t i = 0; i < size; i++)
        bytes[i] = pattern_byte(seed, i);
}

const char *pattern_check(const void *ptr, size_t size, unsigned seed)
{
    const unsigned char *bytes = ptr;

    if (!ptr)
        return "nobuf";
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != pattern_byte(seed, i))
            return format("bad@%zu", i);
    return "ok";
}

const char *equal_bytes(const void *bytes, size_t count)
{
    const unsigned char *at = bytes;

    for (size_t i = 1; i < count; i++) {
        if (at[i] != at[0])
            return "mixed";
    }
    return !count ? "none" : at[0] ? format("all=%02x", at[0]) : "zero";
}

unsigned checksum(const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    unsigned hash = 2166136261u;

    while (count--)
        hash = (hash ^ *at++) * 16777619u;
    return hash;
}
