/* SPDX-License-Identifier: MIT */
/* A random permutation: the numbers from 0 on are sorted by random keys, and those whose keys are
 * equal are shuffled. */
#ifndef CUPIPE_TORCH_RANDOM_PERMUTATION_H
#define CUPIPE_TORCH_RANDOM_PERMUTATION_H

#include "philox.h"

#ifdef __cplusplus
extern "C" {
#endif

/* So many bits of a key count, that keys differ with a probability of 0.9. */
int cup_permutation_bits(int64_t count);

/* `keys` are overwritten. They are signed numbers of 32 bits if `bits` is at most 32, otherwise of
 * 64; a key of 32 bits stands in the lower half. `order` is the result. Returns 0 if there is no
 * memory. */
int cup_permutation_make(const struct cup_philox *ties, int bits, int64_t count, uint64_t *keys,
                         int64_t *order);

#ifdef __cplusplus
}
#endif

#endif
