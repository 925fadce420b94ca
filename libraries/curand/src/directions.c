/* SPDX-License-Identifier: MIT */
/* The tables are unpacked when they are first asked for. A vector of 32 bits is the upper half of
 * one of 64. */
#include "directions.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static struct rand_directions tables;

struct reader {
    const unsigned char *next;
    uint64_t bits;
    unsigned count;
};

static uint64_t read_bits(struct reader *reader, unsigned count)
{
    uint64_t value;

    while (reader->count < count) {
        reader->bits |= (uint64_t)*reader->next++ << reader->count;
        reader->count += 8;
    }
    value = reader->bits & (((uint64_t)1 << count) - 1);
    reader->bits >>= count;
    reader->count -= count;
    return value;
}

/* A dimension's primitive polynomial: its degree and the terms between the first and the last; and
 * as many odd numbers, the k-th below 2^k. */
static void read_plain(struct reader *reader, unsigned long long v[64])
{
    unsigned degree = (unsigned)read_bits(reader, 5);
    uint32_t polynomial = degree > 1 ? (uint32_t)read_bits(reader, degree - 1) : 0;

    for (unsigned k = 0; k < degree; k++)
        v[k] = ((k ? read_bits(reader, k) : 0) << 1 | 1) << (63 - k);
    for (unsigned k = degree; k < 64; k++) {
        if (degree == 0) { /* the first dimension's vectors are the powers of 2 */
            v[k] = 1ull << (63 - k);
            continue;
        }
        v[k] = v[k - degree] ^ v[k - degree] >> degree;
        for (unsigned j = 1; j < degree; j++) {
            if (polynomial >> (degree - 1 - j) & 1)
                v[k] ^= v[k - j];
        }
    }
}

/* The columns of a lower triangular matrix with ones on the diagonal, applied to each vector. */
static void read_scrambled(struct reader *reader, const unsigned long long v[64],
                           unsigned long long scrambled[64])
{
    uint64_t column[64];

    for (unsigned k = 0; k < 64; k++) {
        unsigned below = 63 - k, upper = below > 32 ? below - 32 : 0;

        column[k] = read_bits(reader, below - upper);
        column[k] |= read_bits(reader, upper) << 32;
        column[k] |= (uint64_t)1 << below;
    }
    for (unsigned k = 0; k < 64; k++) {
        scrambled[k] = 0;
        for (unsigned j = 0; j <= k; j++)
            scrambled[k] ^= (0 - (v[k] >> (63 - j) & 1)) & column[j];
    }
}

static void read_tables(const struct rand_directions *t)
{
    struct reader reader = {.next = rand_direction_data};

    for (size_t d = 0; d < RAND_DIMENSIONS; d++)
        read_plain(&reader, t->plain64[d]);
    for (size_t d = 0; d < RAND_DIMENSIONS; d++) {
        t->constants64[d] = read_bits(&reader, 32);
        t->constants64[d] |= (unsigned long long)read_bits(&reader, 32) << 32;
        t->constants32[d] = (unsigned int)(t->constants64[d] >> 32);
        read_scrambled(&reader, t->plain64[d], t->scrambled64[d]);
        for (unsigned k = 0; k < 32; k++) {
            t->plain32[d][k] = (unsigned int)(t->plain64[d][k] >> 32);
            t->scrambled32[d][k] = (unsigned int)(t->scrambled64[d][k] >> 32);
        }
    }
}

static void make_tables(void)
{
    struct rand_directions t = {
        .plain32 = malloc(RAND_DIMENSIONS * sizeof(*t.plain32)),
        .scrambled32 = malloc(RAND_DIMENSIONS * sizeof(*t.scrambled32)),
        .plain64 = malloc(RAND_DIMENSIONS * sizeof(*t.plain64)),
        .scrambled64 = malloc(RAND_DIMENSIONS * sizeof(*t.scrambled64)),
        .constants32 = malloc(RAND_DIMENSIONS * sizeof(*t.constants32)),
        .constants64 = malloc(RAND_DIMENSIONS * sizeof(*t.constants64)),
    };

    if (t.plain32 && t.scrambled32 && t.plain64 && t.scrambled64 && t.constants32 &&
        t.constants64) {
        read_tables(&t);
        tables = t;
        return;
    }
    free(t.plain32);
    free(t.scrambled32);
    free(t.plain64);
    free(t.scrambled64);
    free(t.constants32);
    free(t.constants64);
}

const struct rand_directions *rand_directions(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_tables);
    return tables.plain32 ? &tables : NULL;
}
