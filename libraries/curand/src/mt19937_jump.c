/* SPDX-License-Identifier: MIT */
/* MT19937 is linear: n steps are a polynomial in one step, x^n modulo the characteristic polynomial
 * (Haramoto and others, "Efficient jump ahead for F2-linear random number generators", 2008). The
 * polynomials are made once, by squaring x; the characteristic polynomial has few terms, which makes the
 * remainder cheap. To apply one is to add up the states at all steps that it has. */
#include "mt19937_jump.h"

#include <pthread.h>
#include <random/vector.h>
#include <stdlib.h>
#include <string.h>

enum { DEGREE = 19937, LONGS = (DEGREE + 63) / 64, FIRST_JUMP = 1000, WINDOW = 4 };

/* The exponents of the terms below x^19937. */
static const uint16_t terms[] = {
    19314, 19087, 18860, 18691, 18633, 18406, 18237, 18179, 18068, 17952, 17841, 17783, 17725,
    17498, 17445, 17329, 17271, 17160, 17044, 16933, 16875, 16822, 16817, 16595, 16590, 16537,
    16421, 16368, 16363, 16252, 16141, 16136, 16025, 15967, 15909, 15682, 15629, 15576, 15513,
    15455, 15349, 15344, 15228, 15117, 15059, 15006, 15001, 14953, 14779, 14774, 14721, 14605,
    14552, 14547, 14436, 14325, 14320, 14209, 14151, 14093, 13866, 13813, 13760, 13697, 13639,
    13533, 13528, 13412, 13301, 13243, 13190, 13185, 13137, 12963, 12958, 12905, 12789, 12736,
    12731, 12673, 12620, 12509, 12504, 12393, 12335, 12277, 11997, 11944, 11881, 11838, 11717,
    11712, 11611, 11485, 11384, 11374, 11321, 11215, 11157, 11147, 11089, 10920, 10761, 10693,
    10128, 9969, 9901, 9505, 8206, 7979, 7752, 7583, 7525, 7477, 7129, 6569, 6337, 5661, 4753,
    4362, 4135, 3908, 3681, 3454, 3227, 3000, 2773, 2493, 1870, 1643, 1585, 1416, 1189, 0,
};

static uint64_t jumps[MT_JUMPS][LONGS + 1];

/* The 32 bits of a word, each followed by a 0. */
static uint64_t spread(uint32_t word)
{
    uint64_t x = word;

    x = (x | x << 16) & 0x0000ffff0000ffff;
    x = (x | x << 8) & 0x00ff00ff00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
    x = (x | x << 2) & 0x3333333333333333;
    return (x | x << 1) & 0x5555555555555555;
}

static void add_at(uint64_t *polynomial, uint64_t bits, size_t place)
{
    polynomial[place / 64] ^= bits << place % 64;
    if (place % 64)
        polynomial[place / 64 + 1] ^= bits >> (64 - place % 64);
}

/* The characteristic polynomial's second term is 623 below its first, so that the bits of one long word
 * can be taken off together. */
static void square(uint64_t polynomial[LONGS])
{
    uint64_t wide[2 * LONGS + 1] = {0}, bits;

    for (size_t i = 0; i < LONGS; i++) {
        wide[2 * i] = spread((uint32_t)polynomial[i]);
        wide[2 * i + 1] = spread((uint32_t)(polynomial[i] >> 32));
    }
    for (size_t i = 2 * LONGS; i-- > DEGREE / 64;) {
        bits = wide[i];
        if (i == DEGREE / 64)
            bits = bits >> DEGREE % 64 << DEGREE % 64;
        wide[i] ^= bits;
        for (size_t k = 0; bits && k < sizeof(terms) / sizeof(*terms); k++) {
            size_t place = 64 * i + terms[k];

            if (place >= DEGREE)
                add_at(wide, bits, place - DEGREE);
            else /* of the lowest long word, whose bits below x^19937 are 0 */
                wide[0] ^= bits >> (DEGREE - place);
        }
    }
    memcpy(polynomial, wide, LONGS * sizeof(*polynomial));
}

static void make_jumps(void)
{
    uint64_t polynomial[LONGS] = {2};

    for (unsigned i = 0; i < FIRST_JUMP; i++)
        square(polynomial);
    for (unsigned i = 0; i < MT_JUMPS; i++) {
        memcpy(jumps[i], polynomial, sizeof(polynomial));
        square(polynomial);
    }
}

CUP_INLINE uint32_t next_word(uint32_t a, uint32_t b, uint32_t far)
{
    uint32_t y = (a & 0x80000000) | (b & 0x7fffffff);

    return far ^ y >> 1 ^ ((0 - (y & 1)) & 0x9908b0df);
}

/* words[i + 624] of words[i], words[i + 1] and words[i + 397]; `count` is at most 227, so that no step
 * waits for another. */
CUP_VECTOR_CLONES
static void extend(const uint32_t *restrict words, uint32_t *restrict next, size_t count)
{
    for (size_t i = 0; i < count; i++)
        next[i] = next_word(words[i], words[i + 1], words[i + 397]);
}

CUP_VECTOR_CLONES
void mt_next_words(uint32_t words[MT_WORDS])
{
    for (size_t i = 0; i < 227; i++)
        words[i] = next_word(words[i], words[i + 1], words[i + 397]);
    for (size_t start = 227; start < 623; start += 198) {
        for (size_t i = start; i < start + 198; i++)
            words[i] = next_word(words[i], words[i + 1], words[i - 227]);
    }
    words[623] = next_word(words[623], words[0], words[396]);
}

CUP_VECTOR_CLONES
static void add_words(uint32_t *restrict sum, const uint32_t *restrict words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] ^= words[i];
}

/* sums[v][i]: of the words i + k, for the bits k of v. */
enum { SEQUENCE = DEGREE + MT_WORDS + 16 };

static void make_sums(const uint32_t from[MT_WORDS], uint32_t (*sums)[SEQUENCE])
{
    memcpy(sums[1], from, MT_WORDS * sizeof(*from));
    for (size_t i = MT_WORDS; i < SEQUENCE; i += 227)
        extend(sums[1] + i - MT_WORDS, sums[1] + i, SEQUENCE - i < 227 ? SEQUENCE - i : 227);
    for (unsigned v = 2; v < 1 << WINDOW; v++) {
        unsigned low = (unsigned)__builtin_ctz(v), rest = v & (v - 1);

        memset(sums[v], 0, sizeof(sums[v]));
        add_words(sums[v], sums[1] + low, SEQUENCE - WINDOW);
        if (rest)
            add_words(sums[v], sums[rest], SEQUENCE - WINDOW);
    }
}

bool mt_jump(const uint32_t from[MT_WORDS], unsigned doublings, uint32_t to[MT_WORDS])
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint32_t(*sums)[SEQUENCE] = malloc((1 << WINDOW) * sizeof(*sums));

    if (!sums)
        return false;
    pthread_once(&once, make_jumps);
    make_sums(from, sums);
    memset(to, 0, MT_WORDS * sizeof(*to));
    for (size_t k = 0; k < DEGREE; k += WINDOW) {
        unsigned v = jumps[doublings][k / 64] >> k % 64 & ((1 << WINDOW) - 1);

        if (v)
            add_words(to, sums[v] + k, MT_WORDS);
    }
    free(sums);
    return true;
}
