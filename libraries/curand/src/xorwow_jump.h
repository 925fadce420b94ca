/* SPDX-License-Identifier: MIT */
/* Jumps of XORWOW's linear part, which is a matrix of 160 x 160 bits. */
#ifndef CURAND_XORWOW_JUMP_H
#define CURAND_XORWOW_JUMP_H

#include <stdbool.h>
#include <stdint.h>

struct xorwow_words {
    uint32_t v[5];
};

/* Goes forward by a number of steps. */
void xorwow_skip(struct xorwow_words *words, uint64_t steps);

/* Goes forward by 2^67 steps. False without memory. */
bool xorwow_next_sequence(struct xorwow_words *words);

#endif
