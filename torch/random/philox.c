/* SPDX-License-Identifier: MIT */
/* Philox4x32-10. Blocks of neighbouring subsequences are made together: by instructions that
 * multiply two halves of 64 bits, where the processor has them, and otherwise by a loop of which
 * compilers make vectors. */
#include "philox.h"

#include "vector.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { ROUNDS = 10 };

#define MULTIPLIER0 0xd2511f53u
#define MULTIPLIER1 0xcd9e8d57u
#define KEY_STEP0 0x9e3779b9u
#define KEY_STEP1 0xbb67ae85u

/* The loop has no branch and no step that depends on another subsequence. */
CUP_VECTOR_CLONES
static void make_any(const struct cup_philox *generator, uint64_t subsequence, uint64_t block,
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
            uint32_t low0 = a * MULTIPLIER0, low1 = c * MULTIPLIER1;
            uint32_t high0 = (uint32_t)((uint64_t)a * MULTIPLIER0 >> 32);
            uint32_t high1 = (uint32_t)((uint64_t)c * MULTIPLIER1 >> 32);

            a = high1 ^ b ^ key0;
            c = high0 ^ d ^ key1;
            b = low1;
            d = low0;
            key0 += KEY_STEP0;
            key1 += KEY_STEP1;
        }
        out0[i] = a;
        out1[i] = b;
        out2[i] = c;
        out3[i] = d;
    }
}

#if defined(__x86_64__)
/* A number has 64 bits to itself, of which the upper half is whatever the last multiplication left:
 * the next one does not read it. Two vectors at a time hide the time of a multiplication. Both
 * functions return how many of the `count` subsequences they have made. */
__attribute__((target("avx512f"))) static size_t make_avx512(const struct cup_philox *generator,
                                                             uint64_t subsequence, uint64_t block,
                                                             size_t count, uint32_t *const words[4])
{
    enum { LANES = 8, VECTORS = 2 };
    const __m512i multiplier0 = _mm512_set1_epi64(MULTIPLIER0),
                  multiplier1 = _mm512_set1_epi64(MULTIPLIER1);
    const uint64_t position = generator->offset / 4 + block;
    size_t i = 0;

    for (; i + VECTORS * LANES <= count; i += VECTORS * LANES) {
        __m512i a[VECTORS], b[VECTORS], c[VECTORS], d[VECTORS];
        uint32_t key0 = (uint32_t)generator->seed, key1 = (uint32_t)(generator->seed >> 32);

        for (int v = 0; v < VECTORS; v++) {
            a[v] = _mm512_set1_epi64((long long)position);
            b[v] = _mm512_srli_epi64(a[v], 32);
            c[v] = _mm512_add_epi64(_mm512_set1_epi64((long long)(subsequence + i + LANES * v)),
                                    _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
            d[v] = _mm512_srli_epi64(c[v], 32);
        }
        for (int round = 0; round < ROUNDS; round++) {
            const __m512i k0 = _mm512_set1_epi64(key0), k1 = _mm512_set1_epi64(key1);

            for (int v = 0; v < VECTORS; v++) {
                __m512i product0 = _mm512_mul_epu32(a[v], multiplier0);
                __m512i product1 = _mm512_mul_epu32(c[v], multiplier1);

                a[v] =
                    _mm512_xor_si512(_mm512_srli_epi64(product1, 32), _mm512_xor_si512(b[v], k0));
                c[v] =
                    _mm512_xor_si512(_mm512_srli_epi64(product0, 32), _mm512_xor_si512(d[v], k1));
                b[v] = product1;
                d[v] = product0;
            }
            key0 += KEY_STEP0;
            key1 += KEY_STEP1;
        }
        for (int v = 0; v < VECTORS; v++) {
            size_t at = i + (size_t)(LANES * v);

            _mm256_storeu_si256((__m256i *)(words[0] + at), _mm512_cvtepi64_epi32(a[v]));
            _mm256_storeu_si256((__m256i *)(words[1] + at), _mm512_cvtepi64_epi32(b[v]));
            _mm256_storeu_si256((__m256i *)(words[2] + at), _mm512_cvtepi64_epi32(c[v]));
            _mm256_storeu_si256((__m256i *)(words[3] + at), _mm512_cvtepi64_epi32(d[v]));
        }
    }
    return i;
}

/* Stores the lower halves of two vectors. */
__attribute__((target("avx2"), always_inline)) static inline void store_avx2(uint32_t *out,
                                                                             const __m256i v[2])
{
    __m256 halves = _mm256_shuffle_ps(_mm256_castsi256_ps(v[0]), _mm256_castsi256_ps(v[1]), 0x88);

    _mm256_storeu_si256((__m256i *)out,
                        _mm256_permute4x64_epi64(_mm256_castps_si256(halves), 0xd8));
}

__attribute__((target("avx2"))) static size_t make_avx2(const struct cup_philox *generator,
                                                        uint64_t subsequence, uint64_t block,
                                                        size_t count, uint32_t *const words[4])
{
    enum { LANES = 4, VECTORS = 2 };
    const __m256i multiplier0 = _mm256_set1_epi64x(MULTIPLIER0),
                  multiplier1 = _mm256_set1_epi64x(MULTIPLIER1);
    const uint64_t position = generator->offset / 4 + block;
    size_t i = 0;

    for (; i + VECTORS * LANES <= count; i += VECTORS * LANES) {
        __m256i a[VECTORS], b[VECTORS], c[VECTORS], d[VECTORS];
        uint32_t key0 = (uint32_t)generator->seed, key1 = (uint32_t)(generator->seed >> 32);

        for (int v = 0; v < VECTORS; v++) {
            a[v] = _mm256_set1_epi64x((long long)position);
            b[v] = _mm256_srli_epi64(a[v], 32);
            c[v] = _mm256_add_epi64(_mm256_set1_epi64x((long long)(subsequence + i + LANES * v)),
                                    _mm256_set_epi64x(3, 2, 1, 0));
            d[v] = _mm256_srli_epi64(c[v], 32);
        }
        for (int round = 0; round < ROUNDS; round++) {
            const __m256i k0 = _mm256_set1_epi64x(key0), k1 = _mm256_set1_epi64x(key1);

            for (int v = 0; v < VECTORS; v++) {
                __m256i product0 = _mm256_mul_epu32(a[v], multiplier0);
                __m256i product1 = _mm256_mul_epu32(c[v], multiplier1);

                a[v] =
                    _mm256_xor_si256(_mm256_srli_epi64(product1, 32), _mm256_xor_si256(b[v], k0));
                c[v] =
                    _mm256_xor_si256(_mm256_srli_epi64(product0, 32), _mm256_xor_si256(d[v], k1));
                b[v] = product1;
                d[v] = product0;
            }
            key0 += KEY_STEP0;
            key1 += KEY_STEP1;
        }
        store_avx2(words[0] + i, a);
        store_avx2(words[1] + i, b);
        store_avx2(words[2] + i, c);
        store_avx2(words[3] + i, d);
    }
    return i;
}

static size_t make_most(const struct cup_philox *generator, uint64_t subsequence, uint64_t block,
                        size_t count, uint32_t *const words[4])
{
    if (count < 8)
        return 0;
    if (__builtin_cpu_supports("avx512f"))
        return make_avx512(generator, subsequence, block, count, words);
    if (__builtin_cpu_supports("avx2"))
        return make_avx2(generator, subsequence, block, count, words);
    return 0;
}
#else
static size_t make_most(const struct cup_philox *generator, uint64_t subsequence, uint64_t block,
                        size_t count, uint32_t *const words[4])
{
    (void)generator, (void)subsequence, (void)block, (void)count, (void)words;
    return 0;
}
#endif

void cup_philox_blocks(const struct cup_philox *generator, uint64_t subsequence, uint64_t block,
                       size_t count, uint32_t *const words[4])
{
    size_t made = make_most(generator, subsequence, block, count, words);
    uint32_t *const rest[4] = {words[0] + made, words[1] + made, words[2] + made, words[3] + made};

    if (made < count)
        make_any(generator, subsequence + made, block, count - made, rest);
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
