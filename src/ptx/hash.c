/* SPDX-License-Identifier: MIT */
/* A hash of long texts: two lanes, each of which multiplies 64 by 64 bits and folds the product. */
#include "ptx/module.h"

#include <string.h>

static const uint64_t keys[4] = {0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3,
                                 0x589965cc75374cc3};

static uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static void mix(uint64_t hash[2], const char *text)
{
    uint64_t first, second;

    memcpy(&first, text, 8);
    memcpy(&second, text + 8, 8);
    hash[0] = fold(hash[0] ^ first ^ keys[0], second ^ keys[1]) + second;
    hash[1] = fold(hash[1] ^ second ^ keys[2], first ^ keys[3]) + first;
}

void ptx_hash_text(const char *text, size_t length, uint64_t hash[2])
{
    char rest[16] = {0};
    size_t at = 0;

    hash[0] = length;
    hash[1] = ~(uint64_t)length;
    for (; length - at >= 16; at += 16)
        mix(hash, text + at);
    memcpy(rest, text + at, length - at);
    mix(hash, rest);
    hash[0] = fold(hash[0] ^ keys[2], hash[1] ^ keys[0]);
    hash[1] = fold(hash[1] ^ keys[3], hash[0] ^ keys[1]);
}
