/* SPDX-License-Identifier: MIT */
#include "philox.h"

#include "vector.h"

enum { ROUNDS = 10 };

/* The loop has no branch and no step that depends on another subsequence, so that compilers make
 * vectors of it. */
CUP_VECTOR_CLONES
void cup_philox_blocks(const struct cup_philox *generator, uint64_t subsequence, uint64_t block,
                       size_t count, uint32_t *const words[4])
{
    uint32_t *restrict out0 = words[0], *restrict out1 = words[1];
    uint32_t *restrict out2 = words[2], *restrict out3 = words[3];
    uint64_t position = generator->offset / 4 + block;
    uint32_t low = (uint32_t)position, high = (uint32_t)(position >> 32);
    uint32_t first = (uint32_t)subsequence, upper = (uint32_t)(subsequence >> 32);
    uint32_t seed_low = (uint32_t)generator->seed, seed_high = (uint32_t)(generator->seed >> 32);

    for (size_t i = 0; i < count; i++) {
        uint32_t a = low, b = high, c = first + (uint32_t)i, d = upper + (c < first);
        uint32_t key0 = seed_low, key1 = seed_high;

        for (int round = 0; round < ROUNDS; round++) {
            uint32_t low0 = a * 0xd2511f53u, low1 = c * 0xcd9e8d57u;
            uint32_t high0 = (uint32_t)((uint64_t)a * 0xd2511f53u >> 32);
            uint32_t high1 = (uint32_t)((uint64_t)c * 0xcd9e8d57u >> 32);

            a = high1 ^ b ^ key0;
            c = high0 ^ d ^ key1;
            b = low1;
            d = low0;
            key0 += 0x9e3779b9u;
            key1 += 0xbb67ae85u;
        }
        out0[i] = a;
        out1[i] = b;
        out2[i] = c;
        out3[i] = d;
    }
}

void cup_philox_stream_init(struct cup_philox_stream *stream, const struct cup_philox *generator,
                            uint64_t subsequence)
{
    *stream =
        (struct cup_philox_stream){.generator = *generator, .subsequence = subsequence, .used = 4};
}

uint32_t cup_philox_stream_next(struct cup_philox_stream *stream)
{
    if (stream->used == 4) {
        uint32_t *const words[4] = {&stream->words[0], &stream->words[1], &stream->words[2],
                                    &stream->words[3]};

        cup_philox_blocks(&stream->generator, stream->subsequence, stream->block++, 1, words);
        stream->used = 0;
    }
    return stream->words[stream->used++];
}
