/* SPDX-License-Identifier: MIT */
/* XORWOW (Marsaglia, "Xorshift RNGs", 2003): five words of a linear generator and a counter. 4096
 * threads, each 2^67 steps behind the one before, take turns; a thread makes one number, or two
 * normal ones, before the next has its turn. In the seeded ordering each thread has a seed of its
 * own. */
#include "engine.h"

#include "xorwow_jump.h"

#include <random/vector.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 128, WEYL = 362437, SEED_STEP = 3133713 };

struct xorwow {
    size_t threads;
    uint32_t *v[5], *counter;
    float *cosine;  /* the second normal number of a pair whose first Poisson's distribution took */
    uint8_t *spare; /* 1: there is one */
};

static void store(struct xorwow *x, size_t thread, const struct xorwow_words *words,
                  uint32_t counter)
{
    for (int i = 0; i < 5; i++)
        x->v[i][thread] = words->v[i];
    x->counter[thread] = counter;
}

/* All threads start `steps` numbers behind their beginning. */
static bool seed_threads(struct rand_engine *engine, struct xorwow *x, uint64_t steps)
{
    struct xorwow_words words;
    uint32_t counter;
    bool seeded = engine->settings.ordering == CURAND_ORDERING_PSEUDO_SEEDED;

    xorwow_seed(engine->settings.seed, &words, &counter);
    counter += (uint32_t)steps * WEYL;
    xorwow_skip(&words, steps);
    for (size_t i = 0; i < x->threads; i++) {
        if (seeded) {
            xorwow_seed(engine->settings.seed + i * SEED_STEP, &words, &counter);
            counter += (uint32_t)steps * WEYL;
            xorwow_skip(&words, steps);
        }
        store(x, i, &words, counter);
        if (!seeded && !xorwow_next_sequence(&words))
            return false;
    }
    return true;
}

/* The next word of each of `count` threads. */
CUP_VECTOR_CLONES
static void next_words(uint32_t *restrict v0, uint32_t *restrict v1, uint32_t *restrict v2,
                       uint32_t *restrict v3, uint32_t *restrict v4, uint32_t *restrict counter,
                       size_t count, uint32_t *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t t = v0[i] ^ v0[i] >> 2, e = v4[i], turn = counter[i] + WEYL;
        uint32_t last = e ^ e << 4 ^ t ^ t << 1;

        v0[i] = v1[i];
        v1[i] = v2[i];
        v2[i] = v3[i];
        v3[i] = e;
        v4[i] = last;
        counter[i] = turn;
        out[i] = last + turn;
    }
}

/* Draws `draws` words for each of `count` threads: words[k][i] is word k of thread + i. */
static void draw_words(struct xorwow *x, size_t thread, size_t count, unsigned draws,
                       uint32_t words[][RAND_RUN])
{
    for (unsigned k = 0; k < draws; k++)
        next_words(x->v[0] + thread, x->v[1] + thread, x->v[2] + thread, x->v[3] + thread,
                   x->v[4] + thread, x->counter + thread, count, words[k]);
}

static bool prepare(struct rand_engine *engine)
{
    size_t threads = engine->settings.ordering == CURAND_ORDERING_PSEUDO_DYNAMIC ? 2816 : 4096;
    uint64_t offset = engine->settings.offset;
    struct xorwow *x = calloc(1, sizeof(*x));
    uint32_t discarded[1][RAND_RUN];

    engine->state = x;
    if (!x)
        return false;
    x->threads = threads;
    x->v[0] = malloc(threads * 6 * sizeof(uint32_t));
    x->cosine = malloc(threads * sizeof(*x->cosine));
    x->spare = calloc(threads, 1);
    if (!x->v[0] || !x->cosine || !x->spare)
        return false;
    for (int i = 1; i < 5; i++)
        x->v[i] = x->v[0] + i * threads;
    x->counter = x->v[0] + 5 * threads;
    if (!seed_threads(engine, x, offset / threads))
        return false;
    engine->position = offset % threads;
    for (size_t done = 0; done < engine->position; done += RAND_RUN)
        draw_words(x, done, engine->position - done < RAND_RUN ? engine->position - done : RAND_RUN,
                   1, discarded);
    return true;
}

static void finish(struct rand_engine *engine)
{
    struct xorwow *x = engine->state;

    free(x->v[0]);
    free(x->cosine);
    free(x->spare);
    free(x);
}

/* A thread keeps the second number of a pair for its next turn. */
static void draw_poisson(struct rand_engine *engine, const struct rand_job *job,
                         const struct rand_run *run)
{
    struct xorwow *x = engine->state;
    uint32_t words[2][RAND_RUN];
    float normals[RAND_RUN];

    for (size_t i = 0, n; i < run->count; i += n) {
        size_t thread = run->column + i;
        uint8_t spare = x->spare[thread];

        for (n = 1; i + n < run->count && x->spare[thread + n] == spare; n++)
            ;
        if (spare) {
            memcpy(normals, x->cosine + thread, n * sizeof(*normals));
        } else {
            draw_words(x, thread, n, 2, words);
            rand_normals(engine->settings.device, words[0], words[1], n, normals,
                         x->cosine + thread);
        }
        memset(x->spare + thread, !spare, n);
        rand_poisson_of_normals(&job->distribution, normals, n, 1,
                                (uint32_t *)job->out + run->item + i);
    }
}

static void draw(struct rand_engine *engine, const struct rand_job *job, const struct rand_run *run)
{
    const struct rand_distribution *distribution = &job->distribution;
    enum rand_form form = distribution->form;
    uint32_t words[4][RAND_RUN];
    const uint32_t *const fours[4] = {words[0], words[1], words[2], words[3]};

    switch (form) {
    case RAND_POISSON_NORMAL:
        draw_poisson(engine, job, run);
        break;
    case RAND_UNIFORM_DOUBLE:
        draw_words(engine->state, run->column, run->count, 2, words);
        rand_from_pairs(distribution, words[0], words[1], run->count, 1,
                        rand_at(job->out, form, run->item));
        break;
    case RAND_NORMAL:
    case RAND_LOG_NORMAL:
        draw_words(engine->state, run->column, run->count, 2, words);
        rand_from_pairs(distribution, words[0], words[1], run->count, 2,
                        rand_at(job->out, form, 2 * run->item));
        break;
    case RAND_NORMAL_DOUBLE:
    case RAND_LOG_NORMAL_DOUBLE:
        draw_words(engine->state, run->column, run->count, 4, words);
        rand_from_fours(distribution, fours, run->count, 2, rand_at(job->out, form, 2 * run->item));
        break;
    default:
        draw_words(engine->state, run->column, run->count, 1, words);
        rand_from_words(distribution, words[0], run->count, 1, rand_at(job->out, form, run->item));
    }
}

static bool run(struct rand_engine *engine, const struct rand_job *job)
{
    struct xorwow *x = engine->state;
    struct rand_columns columns = {x->threads, TILE, engine->position, job->count};

    if (job->distribution.form >= RAND_NORMAL && job->distribution.form <= RAND_LOG_NORMAL_DOUBLE)
        columns.items /= 2;
    rand_draw_columns(engine, job, &columns, draw);
    engine->position = (engine->position + columns.items) % x->threads;
    return true;
}

const struct rand_engine_type rand_xorwow = {prepare, run, finish};
