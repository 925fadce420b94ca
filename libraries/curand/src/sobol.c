/* SPDX-License-Identifier: MIT */
/* Sobol's sequences in the order of Gray's code: number i of a dimension is the sum of the
 * direction vectors that i ^ i >> 1 has bits for, and of the scramble constant. Numbers of one
 * dimension lie together, one dimension behind the other. Indices have 32 bits.
 * Those of long words have 64, but a call of a host generator that scrambles begins with the lower
 * half. */
#include "engine.h"

#include "directions.h"

#include <common/work.h>
#include <random/vector.h>
#include <stdlib.h>

/* Numbers whose indices differ in the lowest bits alone differ by one of BLOCK sums. */
enum { BLOCK_BITS = 8, BLOCK = 1 << BLOCK_BITS, PART = 1 << 15 };

/* So few numbers are added up one by one, as there are fewer than sums to make. */
enum { FEW = 24 };

struct sobol {
    const struct rand_directions *directions;
};

struct filling {
    const struct rand_engine *engine;
    const struct rand_job *job;
    size_t each, parts; /* numbers of a dimension, and parts into which they are cut */
};

static bool is_long(curandRngType_t type)
{
    return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

static bool is_scrambled(curandRngType_t type)
{
    return type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

static bool prepare(struct rand_engine *engine)
{
    struct sobol *sobol = calloc(1, sizeof(*sobol));

    engine->state = sobol;
    if (!sobol)
        return false;
    sobol->directions = rand_directions();
    return sobol->directions != NULL;
}

static void finish(struct rand_engine *engine)
{
    free(engine->state);
}

static uint32_t sum32(const unsigned int *vectors, uint32_t index)
{
    uint32_t code = index ^ index >> 1, sum = 0;

    for (unsigned k = 0; code >> k; k++) {
        sum ^= (0 - (code >> k & 1)) & vectors[k];
        if (k == 31)
            break;
    }
    return sum;
}

/* `code` has the bits of the vectors to add. */
static uint64_t sum64(const unsigned long long *vectors, uint64_t code)
{
    uint64_t sum = 0;

    for (unsigned k = 0; code; k++, code >>= 1)
        sum ^= (0 - (code & 1)) & vectors[k];
    return sum;
}

CUP_VECTOR_CLONES
static void add32(const uint32_t *restrict sums, uint32_t base, size_t count,
                  uint32_t *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = sums[i] ^ base;
}

CUP_VECTOR_CLONES
static void add64(const uint64_t *restrict sums, uint64_t base, size_t count,
                  uint64_t *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = sums[i] ^ base;
}

static size_t within_block(uint32_t index, size_t left)
{
    size_t to_end = BLOCK - index % BLOCK;

    return to_end < left ? to_end : left;
}

static void fill32(const struct rand_engine *engine, const struct rand_job *job, size_t dimension,
                   uint32_t index, size_t count, size_t item)
{
    const struct rand_directions *directions = ((struct sobol *)engine->state)->directions;
    bool scrambled = is_scrambled(engine->settings.type);
    const unsigned int *vectors =
        scrambled ? directions->scrambled32[dimension] : directions->plain32[dimension];
    uint32_t constant = scrambled ? directions->constants32[dimension] : 0;
    uint32_t sums[BLOCK], words[BLOCK];

    if (count <= FEW) {
        for (size_t i = 0; i < count; i++)
            words[i] = constant ^ sum32(vectors, index + (uint32_t)i);
        rand_from_words(&job->distribution, words, count, 1,
                        rand_at(job->out, job->distribution.form, item));
        return;
    }
    for (uint32_t i = 0; i < BLOCK; i++)
        sums[i] = sum32(vectors, i);
    for (size_t n; count; count -= n, item += n, index += (uint32_t)n) {
        n = within_block(index, count);
        add32(sums + index % BLOCK, constant ^ sum32(vectors, index / BLOCK * BLOCK), n, words);
        rand_from_words(&job->distribution, words, n, 1,
                        rand_at(job->out, job->distribution.form, item));
    }
}

static void fill64(const struct rand_engine *engine, const struct rand_job *job, size_t dimension,
                   uint64_t index, size_t count, size_t item)
{
    const struct rand_directions *directions = ((struct sobol *)engine->state)->directions;
    bool scrambled = is_scrambled(engine->settings.type);
    const unsigned long long *vectors =
        scrambled ? directions->scrambled64[dimension] : directions->plain64[dimension];
    uint64_t constant = scrambled ? directions->constants64[dimension] : 0;
    uint64_t sums[BLOCK], words[BLOCK];

    for (uint32_t i = 0; i < BLOCK; i++)
        sums[i] = sum64(vectors, i ^ i >> 1);
    for (size_t n; count; count -= n, item += n, index += n) {
        uint64_t start = index / BLOCK * BLOCK;
        uint64_t code = start ^ start >> 1;

        n = within_block((uint32_t)index, count);
        add64(sums + index % BLOCK, constant ^ sum64(vectors, code), n, words);
        rand_from_long_words(&job->distribution, words, n,
                             rand_at(job->out, job->distribution.form, item));
    }
}

static void fill_part(void *arguments, size_t index)
{
    const struct filling *filling = arguments;
    size_t dimension = index / filling->parts, first = index % filling->parts * PART;
    size_t count = filling->each - first < PART ? filling->each - first : PART;
    const struct rand_settings *settings = &filling->engine->settings;
    bool narrow = is_scrambled(settings->type) && !settings->device;
    uint64_t position = filling->job->first;
    uint64_t start = (narrow ? (uint32_t)position : position) + first;

    if (is_long(filling->engine->settings.type))
        fill64(filling->engine, filling->job, dimension, start, count,
               dimension * filling->each + first);
    else
        fill32(filling->engine, filling->job, dimension, (uint32_t)start, count,
               dimension * filling->each + first);
}

static bool run(struct rand_engine *engine, const struct rand_job *job)
{
    size_t dimensions = engine->settings.dimensions, each = job->count / dimensions;
    struct filling filling = {engine, job, each, (each + PART - 1) / PART};

    lib_parallel(dimensions * filling.parts, fill_part, &filling);
    return true;
}

const struct rand_engine_type rand_sobol = {prepare, run, finish};
