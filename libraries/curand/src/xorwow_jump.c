/* SPDX-License-Identifier: MIT */
/* Matrices of a power of two of steps are made once by squaring. The one of 2^67 steps is applied
 * thousands of times and has a table: what each value of each byte of the state becomes. */
#include "xorwow_jump.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 160, POWERS = 68, BYTES = BITS / 8 };

/* What each bit of the state becomes. */
struct matrix {
    struct xorwow_words column[BITS];
};

static struct matrix powers[POWERS]; /* of 2^k steps */
static struct xorwow_words (*sequence_table)[256];

static void add(struct xorwow_words *sum, const struct xorwow_words *words)
{
    for (int i = 0; i < 5; i++)
        sum->v[i] ^= words->v[i];
}

static struct xorwow_words product(const struct matrix *matrix, const struct xorwow_words *words)
{
    struct xorwow_words sum = {{0}};

    for (int i = 0; i < BITS; i++) {
        if (words->v[i / 32] >> i % 32 & 1)
            add(&sum, &matrix->column[i]);
    }
    return sum;
}

static struct xorwow_words step(const struct xorwow_words *words)
{
    const uint32_t *v = words->v;
    uint32_t t = v[0] ^ v[0] >> 2;

    return (struct xorwow_words){{v[1], v[2], v[3], v[4], v[4] ^ v[4] << 4 ^ t ^ t << 1}};
}

static void make_table(void)
{
    const struct matrix *matrix = &powers[POWERS - 1];

    sequence_table = malloc(BYTES * sizeof(*sequence_table));
    for (int byte = 0; sequence_table && byte < BYTES; byte++) {
        for (int value = 0; value < 256; value++) {
            struct xorwow_words words = {{0}};

            words.v[byte / 4] = (uint32_t)value << byte % 4 * 8;
            sequence_table[byte][value] = product(matrix, &words);
        }
    }
}

static void make_matrices(void)
{
    for (int i = 0; i < BITS; i++) {
        struct xorwow_words unit = {{0}};

        unit.v[i / 32] = 1u << i % 32;
        powers[0].column[i] = step(&unit);
    }
    for (int k = 1; k < POWERS; k++) {
        for (int i = 0; i < BITS; i++)
            powers[k].column[i] = product(&powers[k - 1], &powers[k - 1].column[i]);
    }
    make_table();
}

static void need_matrices(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_matrices);
}

void xorwow_seed(uint64_t seed, struct xorwow_words *words, uint32_t *counter)
{
    uint32_t low = ((uint32_t)seed ^ 0xaad26b49) * 1099087573u;
    uint32_t high = ((uint32_t)(seed >> 32) ^ 0xf7dcefdd) * 2591861531u;

    words->v[0] = 123456789 + low;
    words->v[1] = 362436069 ^ low;
    words->v[2] = 521288629 + high;
    words->v[3] = 88675123 ^ high;
    words->v[4] = 5783321 + low;
    *counter = 6615241 + high + low;
}

void xorwow_skip(struct xorwow_words *words, uint64_t steps)
{
    if (steps == 0)
        return;
    need_matrices();
    for (int k = 0; steps >> k; k++) {
        if (steps >> k & 1)
            *words = product(&powers[k], words);
        if (k == 63)
            break;
    }
}

bool xorwow_next_sequence(struct xorwow_words *words)
{
    struct xorwow_words sum = {{0}};

    need_matrices();
    if (!sequence_table)
        return false;
    for (int byte = 0; byte < BYTES; byte++)
        add(&sum, &sequence_table[byte][words->v[byte / 4] >> byte % 4 * 8 & 255]);
    *words = sum;
    return true;
}
