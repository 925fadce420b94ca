/* SPDX-License-Identifier: MIT */
/* Jumps of MT19937 by multiples of 2^2048 steps. */
#ifndef CURAND_MT19937_JUMP_H
#define CURAND_MT19937_JUMP_H

#include <stdbool.h>
#include <stdint.h>

enum { MT_WORDS = 624, MT_JUMPS = 13 };

/* The next 624 words of the state take the place of the last. */
void mt_next_words(uint32_t words[MT_WORDS]);

/* Makes in `to` the state that comes 2^(2048 + doublings) steps behind that in `from`; doublings is
 * below MT_JUMPS. False without memory. */
bool mt_jump(const uint32_t from[MT_WORDS], unsigned doublings, uint32_t to[MT_WORDS]);

#endif
