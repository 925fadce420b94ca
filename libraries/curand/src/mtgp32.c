/* SPDX-License-Identifier: MIT */
/* MTGP32 of period 2^11213 - 1 (Saito and Matsumoto, "Variants of Mersenne Twister suitable for
 * graphic processors", 2010). Blocks of threads, each with parameters of its own, take turns of 256
 * words. All blocks go on to their next turn when the first one begins it. A call that begins later
 * in a turn draws of the one that the blocks are in, also if a graph runs it again. */
#include "engine.h"

#include "mtgp32_parameters.h"

#include <random/vector.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 351, TURN = 256 };

struct block {
    uint64_t turn;
    bool made;
    uint32_t words[WORDS + TURN]; /* the oldest first; the last are those of the turn, if made */
};

struct mtgp {
    size_t count;
    uint64_t begun; /* turns */
    struct block *blocks;
};

/* As the published generator does: a hidden seed makes sequences of different parameters differ. */
static void seed_block(uint32_t words[WORDS], const struct mtgp32_parameters *parameters,
                       uint32_t seed)
{
    uint32_t hidden = parameters->recursion[2] ^ parameters->recursion[3] << 16, fill = hidden;

    fill += fill >> 16;
    fill += fill >> 8;
    memset(words, (int)(fill & 255), WORDS * sizeof(*words));
    words[0] = seed;
    words[1] = hidden;
    for (uint32_t i = 1; i < WORDS; i++)
        words[i] ^= 1812433253 * (words[i - 1] ^ words[i - 1] >> 30) + i;
}

static size_t blocks_of(curandOrdering_t ordering)
{
    switch (ordering) {
    case CURAND_ORDERING_PSEUDO_LEGACY:
        return 64;
    case CURAND_ORDERING_PSEUDO_DYNAMIC:
        return MTGP32_PARAMETER_SETS; /* as on a device of 132 processors: 7 on each */
    default:
        return 192;
    }
}

static bool prepare(struct rand_engine *engine)
{
    uint32_t seed = (uint32_t)(engine->settings.seed ^ engine->settings.seed >> 32);
    struct mtgp *mtgp = calloc(1, sizeof(*mtgp));

    engine->state = mtgp;
    if (!mtgp)
        return false;
    mtgp->count = blocks_of(engine->settings.ordering);
    mtgp->blocks = calloc(mtgp->count, sizeof(*mtgp->blocks));
    if (!mtgp->blocks)
        return false;
    for (size_t i = 0; i < mtgp->count; i++)
        seed_block(mtgp->blocks[i].words, &mtgp32_parameters[i], seed + (uint32_t)i + 1);
    return true;
}

static void finish(struct rand_engine *engine)
{
    struct mtgp *mtgp = engine->state;

    free(mtgp->blocks);
    free(mtgp);
}

/* The sum of those of four words whose bit is set in the lowest four of `bits`. */
CUP_INLINE uint32_t combination(uint32_t bits, uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
    return ((0 - (bits & 1)) & w0) ^ ((0 - (bits >> 1 & 1)) & w1) ^ ((0 - (bits >> 2 & 1)) & w2) ^
           ((0 - (bits >> 3 & 1)) & w3);
}

/* A word depends on words at least 256 before it, so a turn has no step that waits for another. */
CUP_VECTOR_CLONES
static void make_turn(const struct mtgp32_parameters *parameters, const uint32_t *restrict old,
                      uint32_t *restrict made, uint32_t *restrict out)
{
    const uint32_t *restrict picked = old + parameters->position;
    const uint32_t r0 = parameters->recursion[0], r1 = parameters->recursion[1];
    const uint32_t r2 = parameters->recursion[2], r3 = parameters->recursion[3];
    const uint32_t t0 = parameters->tempering[0], t1 = parameters->tempering[1];
    const uint32_t t2 = parameters->tempering[2], t3 = parameters->tempering[3];
    const unsigned shift1 = parameters->shift1, shift2 = parameters->shift2;

    for (size_t i = 0; i < TURN; i++) {
        uint32_t x = (old[i] & 0xfff80000) ^ old[i + 1], y, t = picked[(ptrdiff_t)i - 1];

        x ^= x << shift1;
        y = x ^ picked[i] >> shift2;
        y ^= combination(y, r0, r1, r2, r3);
        t ^= t >> 16;
        t ^= t >> 8;
        made[i] = y;
        out[i] = y ^ combination(t, t0, t1, t2, t3);
    }
}

/* Makes the words of the block's turn. They lie behind those that they are made of. */
static void make_words(struct block *block, size_t index, uint32_t out[TURN])
{
    make_turn(&mtgp32_parameters[index], block->words, block->words + WORDS, out);
    block->made = true;
}

static void go_to_turn(struct block *block, size_t index, uint64_t turn)
{
    uint32_t ignored[TURN];

    for (; block->turn < turn; block->turn++) {
        if (!block->made)
            make_words(block, index, ignored);
        memmove(block->words, block->words + TURN, WORDS * sizeof(*block->words));
        block->made = false;
    }
}

static void draw(struct rand_engine *engine, const struct rand_job *job, const struct rand_run *run)
{
    struct mtgp *mtgp = engine->state;
    size_t index = run->column / TURN, first = run->column % TURN;
    uint32_t out[TURN];

    go_to_turn(&mtgp->blocks[index], index, mtgp->begun - 1 + run->row);
    make_words(&mtgp->blocks[index], index, out);
    rand_from_words(&job->distribution, out + first, run->count, 1,
                    rand_at(job->out, job->distribution.form, run->item));
}

static bool run(struct rand_engine *engine, const struct rand_job *job)
{
    struct mtgp *mtgp = engine->state;
    size_t numbers = mtgp->count * TURN;
    struct rand_columns columns = {numbers, TURN, job->first % numbers, job->count};

    if (columns.first == 0 || mtgp->begun == 0)
        mtgp->begun++;
    rand_draw_columns(engine, job, &columns, draw);
    mtgp->begun += (columns.first + job->count - 1) / numbers;
    return true;
}

const struct rand_engine_type rand_mtgp32 = {prepare, run, finish};
