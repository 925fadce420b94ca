/* SPDX-License-Identifier: MIT */
/* Philox4x32-10, the counter-based generator of PyTorch's operators on CUDA (Salmon and others,
 * "Parallel Random Numbers: As Easy as 1, 2, 3", 2011).
 *
 * A generator is a seed and an offset. Each thread of a kernel has a subsequence of its own, which
 * its index names; four words of it are a block. */
#ifndef CUPIPE_TORCH_RANDOM_PHILOX_H
#define CUPIPE_TORCH_RANDOM_PHILOX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cup_philox {
    uint64_t seed;
    uint64_t offset; /* in words, a multiple of four */
};

/* The words of block `block` after the offset, for `count` subsequences from `subsequence` on:
 * word k of subsequence + i is words[k][i]. */
void cup_philox_blocks(const struct cup_philox *generator, uint64_t subsequence, uint64_t block,
                       size_t count, uint32_t *const words[4]);

/* One subsequence, read word by word. */
struct cup_philox_stream {
    struct cup_philox generator;
    uint64_t subsequence, block;
    uint32_t words[4];
    unsigned used; /* of words */
    float second_normal;
    int has_second_normal;
};

void cup_philox_stream_init(struct cup_philox_stream *stream, const struct cup_philox *generator,
                            uint64_t subsequence);
uint32_t cup_philox_stream_next(struct cup_philox_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
