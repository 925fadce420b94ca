/* SPDX-License-Identifier: MIT */
/* A 64-bit hash for cache keys and checksums: two accumulators with multiply-and-fold, eight bytes
 * at a time. It detects damage but does not resist an adversary; ownership and permissions of the
 * files keep adversaries out. */
#ifndef CUP_CORE_HASH_H
#define CUP_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cup_hash {
    uint64_t a, b;
};

static inline struct cup_hash cup_hash_begin(void)
{
    return (struct cup_hash){UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)};
}

static inline uint64_t cup_hash_fold(uint64_t x, uint64_t y)
{
    unsigned __int128 product = (unsigned __int128)x * y;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline void cup_hash_number(struct cup_hash *hash, uint64_t number)
{
    hash->a = cup_hash_fold(hash->a ^ number, UINT64_C(0x9e3779b97f4a7c15)) + hash->b;
    hash->b = (hash->b << 23 | hash->b >> 41) ^ number;
}

static inline void cup_hash_bytes(struct cup_hash *hash, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    uint64_t word;

    cup_hash_number(hash, count);
    for (; count >= 8; count -= 8, at += 8) {
        memcpy(&word, at, 8);
        cup_hash_number(hash, word);
    }
    word = 0;
    memcpy(&word, at, count);
    cup_hash_number(hash, word);
}

static inline uint64_t cup_hash_end(const struct cup_hash *hash)
{
    uint64_t x = cup_hash_fold(hash->a ^ UINT64_C(0xa4093822299f31d0),
                               hash->b ^ UINT64_C(0x082efa98ec4e6c89));

    return cup_hash_fold(x ^ hash->a, UINT64_C(0xd1b54a32d192ed03));
}

#endif
