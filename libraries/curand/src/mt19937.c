/* SPDX-License-Identifier: MIT */
/* MT19937 (Matsumoto and Nishimura, "Mersenne Twister", 1998). 8192 generators, each 2^2048 steps
 * behind the one before, make eight words each in turn. A generator hands out the 624 words of a
 * round in an order of its own: eight that lie apart first, then eleven groups of 56, from each of
 * which eight words that lie seven apart are taken in a turn.
 *
 * A generator's first state follows from an earlier one's; it is made when its first word is
 * wanted. */
#include "engine.h"

#include "mt19937_jump.h"

#include <common/work.h>
#include <random/vector.h>
#include <stdlib.h>
#include <string.h>

enum { GENERATORS = 8192, LANES = 8, COLUMNS = GENERATORS * LANES, ROWS = MT_WORDS / LANES };
enum { GROUP_ROWS = 7, TILE = 16 * LANES };

/* The states with which the generators of a seed start. Engines of the same seed share them, and
 * the last ones are kept. */
struct start {
    unsigned references; /* guarded by start_lock */
    uint32_t seed;
    pthread_mutex_t lock;
    uint32_t (*words)[MT_WORDS];
    uint8_t *made; /* guarded by lock */
    bool failed;
};

struct mt {
    struct start *start;
    uint32_t (*words)[MT_WORDS]; /* the words of the round that a generator is in */
    uint64_t *rounds;            /* 0: it has made none; otherwise 1 + the round */
};

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static struct start *last_start; /* guarded by start_lock */

static const uint16_t apart[LANES] = {0, 113, 170, 283, 340, 397, 510, 567};
static const uint16_t groups[] = {1, 57, 114, 171, 227, 284, 341, 398, 454, 511, 568};

static void seed_first(uint32_t words[MT_WORDS], uint32_t seed)
{
    words[0] = seed;
    for (uint32_t i = 1; i < MT_WORDS; i++)
        words[i] = 1812433253 * (words[i - 1] ^ words[i - 1] >> 30) + i;
}

static void unref_start_locked(struct start *start)
{
    if (!start || --start->references > 0)
        return;
    pthread_mutex_destroy(&start->lock);
    free(start->words);
    free(start->made);
    free(start);
}

static struct start *create_start(uint32_t seed)
{
    struct start *start = calloc(1, sizeof(*start));

    if (!start)
        return NULL;
    start->references = 1;
    start->seed = seed;
    pthread_mutex_init(&start->lock, NULL);
    start->words = calloc(GENERATORS, sizeof(*start->words));
    start->made = calloc(GENERATORS, 1);
    if (!start->words || !start->made) {
        unref_start_locked(start);
        return NULL;
    }
    seed_first(start->words[0], seed);
    start->made[0] = 1;
    return start;
}

static struct start *get_start(uint32_t seed)
{
    struct start *start;

    pthread_mutex_lock(&start_lock);
    if (!last_start || last_start->seed != seed) {
        unref_start_locked(last_start);
        last_start = create_start(seed);
    }
    start = last_start;
    if (start)
        start->references++;
    pthread_mutex_unlock(&start_lock);
    return start;
}

static bool prepare(struct rand_engine *engine)
{
    struct mt *mt = calloc(1, sizeof(*mt));

    engine->state = mt;
    if (!mt)
        return false;
    mt->start = get_start((uint32_t)engine->settings.seed);
    mt->words = calloc(GENERATORS, sizeof(*mt->words));
    mt->rounds = calloc(GENERATORS, sizeof(*mt->rounds));
    return mt->start && mt->words && mt->rounds;
}

static void finish(struct rand_engine *engine)
{
    struct mt *mt = engine->state;

    pthread_mutex_lock(&start_lock);
    unref_start_locked(mt->start);
    pthread_mutex_unlock(&start_lock);
    free(mt->words);
    free(mt->rounds);
    free(mt);
}

/* Starts that are wanted and not made, and those that these follow from. The highest bit of a
 * generator's number says which jump leads to it from the generator without that bit. */
struct making {
    struct start *start;
    uint8_t *wanted;
    unsigned bit;
};

static void make_start(void *arguments, size_t index)
{
    struct making *making = arguments;
    struct start *start = making->start;
    size_t generator = ((size_t)1 << making->bit) + index;

    if (making->wanted[generator] &&
        !mt_jump(start->words[index], making->bit, start->words[generator]))
        __atomic_store_n(&start->failed, true, __ATOMIC_RELAXED);
}

static bool make_starts_locked(struct start *start, size_t first, size_t count)
{
    struct making making = {.start = start, .wanted = calloc(GENERATORS, 1)};
    size_t highest = 0;

    if (!making.wanted)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t generator = (first + i) % GENERATORS;

        highest = generator > highest ? generator : highest;
        for (; !start->made[generator] && !making.wanted[generator];
             generator ^= (size_t)1 << (63 - __builtin_clzll(generator)))
            making.wanted[generator] = 1;
    }
    start->failed = false;
    for (making.bit = 0; highest >> making.bit; making.bit++)
        lib_parallel((size_t)1 << making.bit, make_start, &making);
    for (size_t i = 0; i < GENERATORS && !start->failed; i++)
        start->made[i] |= making.wanted[i];
    free(making.wanted);
    return !start->failed;
}

/* Makes the first round of a generator whose start is made. */
static void begin_generator(struct mt *mt, size_t generator)
{
    memcpy(mt->words[generator], mt->start->words[generator], sizeof(mt->words[generator]));
    mt_next_words(mt->words[generator]);
    mt->rounds[generator] = 1;
}

/* Makes the first round of the generators that a job needs. */
static bool begin_generators(struct mt *mt, uint64_t position, size_t count)
{
    size_t first = position % COLUMNS / LANES;
    size_t turns = (position % LANES + count + LANES - 1) / LANES;
    bool done;

    if (turns > GENERATORS)
        turns = GENERATORS;
    pthread_mutex_lock(&mt->start->lock);
    done = make_starts_locked(mt->start, first, turns);
    pthread_mutex_unlock(&mt->start->lock);
    for (size_t i = 0; i < turns && done; i++) {
        size_t generator = (first + i) % GENERATORS;

        if (!mt->rounds[generator])
            begin_generator(mt, generator);
    }
    return done;
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

        if (mt->rounds[generator] - 1 > row / ROWS) /* a graph runs an earlier job again */
            begin_generator(mt, generator);
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
    struct rand_columns columns = {COLUMNS, TILE, job->first, job->count};

    if (!begin_generators(engine->state, job->first, job->count))
        return false;
    rand_draw_columns(engine, job, &columns, draw);
    return true;
}

const struct rand_engine_type rand_mt19937 = {prepare, run, finish};
