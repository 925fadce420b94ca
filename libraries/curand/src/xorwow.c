/* SPDX-License-Identifier: MIT */
/* XORWOW (Marsaglia, "Xorshift RNGs", 2003): five words of a linear generator and a counter. 4096
 * threads, each 2^67 steps behind the one before, take turns; a thread makes one number, or two
 * normal ones, before the next has its turn. In the seeded ordering each thread has a seed of its
 * own.
 *
 * The dynamic ordering has 2816 threads, and two copies of their state: a call reads one and leaves
 * the other. In a call that makes normal numbers, the threads begin anew after each few turns: they
 * go back to where they were before these, and then forward by half of the words. */
#include "engine.h"

#include "xorwow_jump.h"

#include <common/work.h>
#include <random/vector.h>
#include <stdlib.h>
#include <string.h>

enum { TILE_LEAST = 128, WEYL = 362437, SEED_STEP = 3133713 };

/* The state of all threads, in one block of memory that begins at v[0]. */
struct threads {
    uint32_t *v[5], *counter;
    float *cosine;  /* the second normal number of a pair whose first Poisson's distribution took */
    uint8_t *spare; /* 1: there is one */
};

enum { DYNAMIC_COPIES = 3 };

struct xorwow {
    size_t count; /* of threads */
    bool is_dynamic;
    struct threads *threads;               /* that draw() uses */
    struct threads copies[DYNAMIC_COPIES]; /* other orderings have one */
};

static bool make_threads(struct threads *threads, size_t count)
{
    threads->v[0] = calloc(count, 6 * sizeof(uint32_t) + sizeof(float) + 1);
    if (!threads->v[0])
        return false;
    for (int i = 1; i < 5; i++)
        threads->v[i] = threads->v[0] + i * count;
    threads->counter = threads->v[0] + 5 * count;
    threads->cosine = (float *)(threads->v[0] + 6 * count);
    threads->spare = (uint8_t *)(threads->cosine + count);
    return true;
}

static void copy_threads(struct xorwow *x, const struct threads *from, struct threads *to)
{
    memcpy(to->v[0], from->v[0], x->count * (6 * sizeof(uint32_t) + sizeof(float) + 1));
}

static void store(struct threads *x, size_t thread, const struct xorwow_words *words,
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
    for (size_t i = 0; i < x->count; i++) {
        if (seeded) {
            xorwow_seed(engine->settings.seed + i * SEED_STEP, &words, &counter);
            counter += (uint32_t)steps * WEYL;
            xorwow_skip(&words, steps);
        }
        store(x->threads, i, &words, counter);
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
static void draw_words(struct threads *x, size_t thread, size_t count, unsigned draws,
                       uint32_t words[][RAND_RUN])
{
    for (unsigned k = 0; k < draws; k++)
        next_words(x->v[0] + thread, x->v[1] + thread, x->v[2] + thread, x->v[3] + thread,
                   x->v[4] + thread, x->counter + thread, count, words[k]);
}

/* The first `count` threads leave out `words` words. */
static void skip_words(struct threads *x, size_t count, size_t words)
{
    uint32_t discarded[1][RAND_RUN];

    for (size_t i = 0; i < count; i += RAND_RUN)
        for (size_t k = 0; k < words; k++)
            draw_words(x, i, count - i < RAND_RUN ? count - i : RAND_RUN, 1, discarded);
}

static bool prepare(struct rand_engine *engine)
{
    uint64_t offset = engine->settings.offset;
    struct xorwow *x = calloc(1, sizeof(*x));

    engine->state = x;
    if (!x)
        return false;
    x->is_dynamic = engine->settings.ordering == CURAND_ORDERING_PSEUDO_DYNAMIC;
    x->count = x->is_dynamic ? 2816 : 4096;
    x->threads = x->copies;
    for (int i = 0; i < (x->is_dynamic ? DYNAMIC_COPIES : 1); i++)
        if (!make_threads(&x->copies[i], x->count))
            return false;
    if (!seed_threads(engine, x, offset / x->count))
        return false;
    skip_words(x->threads, offset % x->count, 1);
    for (int i = 1; i < DYNAMIC_COPIES && x->is_dynamic; i++)
        copy_threads(x, x->threads, &x->copies[i]);
    return true;
}

static void finish(struct rand_engine *engine)
{
    struct xorwow *x = engine->state;

    for (int i = 0; i < DYNAMIC_COPIES; i++)
        free(x->copies[i].v[0]);
    free(x);
}

/* A thread keeps the second number of a pair for its next turn. */
static void draw_poisson(struct rand_engine *engine, const struct rand_job *job,
                         const struct rand_run *run)
{
    struct threads *x = ((struct xorwow *)engine->state)->threads;
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
    struct threads *x = ((struct xorwow *)engine->state)->threads;
    enum rand_form form = distribution->form;
    uint32_t words[4][RAND_RUN];
    const uint32_t *const fours[4] = {words[0], words[1], words[2], words[3]};

    switch (form) {
    case RAND_POISSON_NORMAL:
        draw_poisson(engine, job, run);
        break;
    case RAND_UNIFORM_DOUBLE:
        draw_words(x, run->column, run->count, 2, words);
        rand_from_pairs(distribution, words[0], words[1], run->count, 1,
                        rand_at(job->out, form, run->item));
        break;
    case RAND_NORMAL:
    case RAND_LOG_NORMAL:
        draw_words(x, run->column, run->count, 2, words);
        rand_from_pairs(distribution, words[0], words[1], run->count, 2,
                        rand_at(job->out, form, 2 * run->item));
        break;
    case RAND_NORMAL_DOUBLE:
    case RAND_LOG_NORMAL_DOUBLE:
        draw_words(x, run->column, run->count, 4, words);
        rand_from_fours(distribution, fours, run->count, 2, rand_at(job->out, form, 2 * run->item));
        break;
    default:
        draw_words(x, run->column, run->count, 1, words);
        rand_from_words(distribution, words[0], run->count, 1, rand_at(job->out, form, run->item));
    }
}

static bool makes_pairs(enum rand_form form)
{
    return form >= RAND_NORMAL && form <= RAND_LOG_NORMAL_DOUBLE;
}

/* Tiles as wide as the threads of the host allow: a tile's numbers of a turn lie together. */
static size_t tile_of(size_t count)
{
    size_t width = count / lib_parallel_width() / TILE_LEAST * TILE_LEAST;

    return width > TILE_LEAST ? width : TILE_LEAST;
}

/* Draws items `begin` to `end` - 1 of a job. */
static void draw_items(struct rand_engine *engine, const struct rand_job *job, size_t begin,
                       size_t end)
{
    struct xorwow *x = engine->state;
    enum rand_form form = job->distribution.form;
    struct rand_columns columns = {x->count, tile_of(x->count), (job->first + begin) % x->count,
                                   end - begin};
    struct rand_job part = *job;

    part.out = rand_at(job->out, form, makes_pairs(form) ? 2 * begin : begin);
    rand_draw_columns(engine, &part, &columns, draw);
}

/* How many turns the threads have before they begin anew: as many as it takes so that all threads
 * of a card of 132 processors, in the number that the kernel lets run, make the numbers. */
static size_t turns_at_once(const struct rand_job *job)
{
    size_t numbers = 132 * (makes_pairs(job->distribution.form) ? 2048 : 256);

    return (job->count + numbers - 1) / numbers;
}

static void draw_dynamic_normals(struct rand_engine *engine, const struct rand_job *job)
{
    struct xorwow *x = engine->state;
    struct threads *before = &x->copies[2];
    enum rand_form form = job->distribution.form;
    size_t items = makes_pairs(form) ? job->count / 2 : job->count, turns = turns_at_once(job);
    size_t together = turns * x->count;
    size_t words = turns * (rand_bytes(form) == 8 ? 2 : 1);

    for (size_t begin = 0; begin < items; begin += together) {
        if (begin + together >= items) {
            draw_items(engine, job, begin, items);
            break;
        }
        copy_threads(x, x->threads, before);
        draw_items(engine, job, begin, begin + together);
        copy_threads(x, before, x->threads);
        skip_words(x->threads, x->count, words);
    }
}

static bool run(struct rand_engine *engine, const struct rand_job *job)
{
    struct xorwow *x = engine->state;
    bool pairs = makes_pairs(job->distribution.form);

    if (x->is_dynamic) {
        x->threads = &x->copies[(job->call + 1) % 2];
        copy_threads(x, &x->copies[job->call % 2], x->threads);
    }
    if (x->is_dynamic && (pairs || job->distribution.form == RAND_POISSON_NORMAL))
        draw_dynamic_normals(engine, job);
    else
        draw_items(engine, job, 0, pairs ? job->count / 2 : job->count);
    return true;
}

const struct rand_engine_type rand_xorwow = {prepare, run, finish};
