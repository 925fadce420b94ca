/* SPDX-License-Identifier: MIT */
/* MT19937 (Matsumoto and Nishimura, "Mersenne Twister", 1998). 8192 generators, each 2^1000 steps
 * behind the one before, make eight words each in turn. A generator hands out the 624 words of a round in
 * an order of its own: eight that lie apart first, then eleven groups of 56, from each of which eight
 * words that lie seven apart are taken in a turn.
 *
 * A generator's first state follows from an earlier one's; it is made when its first word is wanted. */
#include "engine.h"

#include "mt19937_jump.h"

#include <common/work.h>
#include <random/vector.h>
#include <stdlib.h>
#include <string.h>

enum { GENERATORS = 8192, LANES = 8, COLUMNS = GENERATORS * LANES, ROWS = MT_WORDS / LANES };
enum { GROUP_ROWS = 7, TILE = 16 * LANES };

struct mt {
    uint32_t (*first)[MT_WORDS]; /* the states with which generators start */
    uint32_t (*words)[MT_WORDS]; /* the words of the round that a generator is in */
    uint64_t *rounds;            /* 0: `first` is not made; otherwise 1 + the round */
    bool failed;
};

static const uint16_t apart[LANES] = {0, 113, 170, 283, 340, 397, 510, 567};
static const uint16_t groups[] = {1, 57, 114, 171, 227, 284, 341, 398, 454, 511, 568};

static void seed_first(uint32_t words[MT_WORDS], uint32_t seed)
{
    words[0] = seed;
    for (uint32_t i = 1; i < MT_WORDS; i++)
        words[i] = 1812433253 * (words[i - 1] ^ words[i - 1] >> 30) + i;
}

static bool prepare(struct rand_engine *engine)
{
    struct mt *mt = calloc(1, sizeof(*mt));

    engine->state = mt;
    if (!mt)
        return false;
    mt->first = calloc(GENERATORS, sizeof(*mt->first));
    mt->words = calloc(GENERATORS, sizeof(*mt->words));
    mt->rounds = calloc(GENERATORS, sizeof(*mt->rounds));
    if (!mt->first || !mt->words || !mt->rounds)
        return false;
    seed_first(mt->first[0], (uint32_t)engine->settings.seed);
    return true;
}

static void finish(struct rand_engine *engine)
{
    struct mt *mt = engine->state;

    free(mt->first);
    free(mt->words);
    free(mt->rounds);
    free(mt);
}

/* Generators that a job needs and that are not made, and those that these follow from. The highest bit
 * of a generator's number says which jump leads to it from the generator without that bit. */
struct making {
    struct mt *mt;
    uint8_t *wanted;
    unsigned bit;
};

static void make_first(void *arguments, size_t index)
{
    struct making *making = arguments;
    struct mt *mt = making->mt;
    size_t generator = ((size_t)1 << making->bit) + index;

    if (!making->wanted[generator])
        return;
    if (!mt_jump(mt->first[index], making->bit, mt->first[generator]))
        __atomic_store_n(&mt->failed, true, __ATOMIC_RELAXED);
}

static void want(const struct mt *mt, uint8_t *wanted, size_t generator)
{
    while (!mt->rounds[generator] && !wanted[generator]) {
        wanted[generator] = 1;
        if (generator)
            generator ^= (size_t)1 << (63 - __builtin_clzll(generator));
    }
}

static bool make_generators(struct mt *mt, uint64_t position, size_t count)
{
    size_t first = position % COLUMNS / LANES;
    size_t turns = (position % LANES + count + LANES - 1) / LANES;
    struct making making = {.mt = mt, .wanted = calloc(GENERATORS, 1)};

    if (!making.wanted)
        return false;
    for (size_t i = 0; i < turns && i < GENERATORS; i++)
        want(mt, making.wanted, (first + i) % GENERATORS);
    mt->failed = false;
    for (making.bit = 0; making.bit < MT_JUMPS; making.bit++)
        lib_parallel((size_t)1 << making.bit, make_first, &making);
    for (size_t i = 0; i < GENERATORS && !mt->failed; i++) {
        if (making.wanted[i]) {
            memcpy(mt->words[i], mt->first[i], sizeof(mt->words[i]));
            mt_next_words(mt->words[i]);
            mt->rounds[i] = 1;
        }
    }
    free(making.wanted);
    return !mt->failed;
}

CUP_INLINE uint32_t temper(uint32_t y)
{
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680;
    y ^= y << 15 & 0xefc60000;
    return y ^ y >> 18;
}

CUP_VECTOR_CLONES
static void draw_words(struct mt *mt, size_t column, size_t count, uint64_t row, uint32_t *out)
{
    unsigned place = (unsigned)(row % ROWS);
    uint16_t from[LANES];

    for (unsigned lane = 0; lane < LANES; lane++)
        from[lane] = place == 0 ? apart[lane]
                                : (uint16_t)(groups[(place - 1) / GROUP_ROWS] +
                                             (place - 1) % GROUP_ROWS + GROUP_ROWS * lane);
    for (size_t i = 0; i < count; i++) {
        size_t generator = (column + i) / LANES;

        for (; mt->rounds[generator] - 1 < row / ROWS; mt->rounds[generator]++)
            mt_next_words(mt->words[generator]);
        out[i] = mt->words[generator][from[(column + i) % LANES]];
    }
    for (size_t i = 0; i < count; i++)
        out[i] = temper(out[i]);
}

static void draw(struct rand_engine *engine, const struct rand_job *job, const struct rand_run *run)
{
    uint32_t words[RAND_RUN];

    draw_words(engine->state, run->column, run->count, run->row, words);
    rand_from_words(&job->distribution, words, run->count, 1,
                    rand_at(job->out, job->distribution.form, run->item));
}

static bool run(struct rand_engine *engine, const struct rand_job *job)
{
    struct rand_columns columns = {COLUMNS, TILE, engine->position, job->count};

    if (!make_generators(engine->state, engine->position, job->count))
        return false;
    rand_draw_columns(engine, job, &columns, draw);
    engine->position += job->count;
    return true;
}

const struct rand_engine_type rand_mt19937 = {prepare, run, finish};
