/* SPDX-License-Identifier: MIT */
/* States of XORWOW: those of a seed, and jumps of the linear part, which is a matrix of 160 x 160
 * bits. */
#ifndef CURAND_XORWOW_JUMP_H
#define CURAND_XORWOW_JUMP_H

#include <stdbool.h>
#include <stdint.h>

struct xorwow_words {
    uint32_t v[5];
};

/* The state of a seed. */
void xorwow_seed(uint64_t seed, struct xorwow_words *words, uint32_t *counter);

/* Goes forward by a number of steps. */
void xorwow_skip(struct xorwow_words *words, uint64_t steps);

/* Goes forward by 2^67 steps. False without memory. */
bool xorwow_next_sequence(struct xorwow_words *words);

#endif
