/* SPDX-License-Identifier: MIT */
/* MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined multiple recursive random
 * number generators", 1999). Threads, each 2^76 steps behind the one before, take turns; a thread
 * makes one number, or two normal ones, before the next has its turn. */
#include "engine.h"

#include <common/work.h>
#include <random/vector.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 256, SEEDED_TOGETHER = 4096 };

#define MODULUS1 4294967087u
#define MODULUS2 4294944443u

struct mrg {
    size_t threads;
    uint64_t steps; /* that all threads have skipped */
    double *s[6];   /* three words of the first recurrence, three of the second */
    float *cosine;  /* the second normal number of a pair whose first Poisson's distribution took */
    uint8_t *spare; /* 1: there is one */
};

struct matrix {
    uint64_t m[3][3];
};

static const struct matrix step1 = {{{0, 1, 0}, {0, 0, 1}, {MODULUS1 - 810728, 1403580, 0}}};
static const struct matrix step2 = {{{0, 1, 0}, {0, 0, 1}, {MODULUS2 - 1370589, 0, 527612}}};

static struct matrix product(const struct matrix *a, const struct matrix *b, uint64_t modulus)
{
    struct matrix c;

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            uint64_t sum = 0;

            for (int k = 0; k < 3; k++)
                sum = (sum + a->m[i][k] * b->m[k][j] % modulus) % modulus;
            c.m[i][j] = sum;
        }
    }
    return c;
}

static void apply(const struct matrix *a, uint32_t s[3], uint64_t modulus)
{
    uint64_t old[3] = {s[0], s[1], s[2]};

    for (int i = 0; i < 3; i++) {
        uint64_t sum = 0;

        for (int k = 0; k < 3; k++)
            sum += a->m[i][k] * old[k] % modulus;
        s[i] = (uint32_t)(sum % modulus);
    }
}

/* To the power of `factor` times 2^`doublings`. */
static struct matrix power(struct matrix a, uint64_t factor, int doublings, uint64_t modulus)
{
    struct matrix result = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

    for (int i = 0; i < doublings; i++)
        a = product(&a, &a, modulus);
    for (; factor; factor >>= 1) {
        if (factor & 1)
            result = product(&result, &a, modulus);
        a = product(&a, &a, modulus);
    }
    return result;
}

static void jump(uint32_t s[6], uint64_t factor, int doublings)
{
    struct matrix a = power(step1, factor, doublings, MODULUS1);
    struct matrix b = power(step2, factor, doublings, MODULUS2);

    apply(&a, s, MODULUS1);
    apply(&b, s + 3, MODULUS2);
}

static void seed_state(uint64_t seed, uint32_t s[6])
{
    uint64_t low = (uint32_t)seed ^ 0x55555555, high = (seed >> 32) ^ 0xaaaaaaaa;

    for (int i = 0; i < 6; i++) {
        uint64_t factor = seed == 0 ? 1 : (i % 3 == 1) == (i < 3) ? high : low;

        s[i] = (uint32_t)(factor * 12345 % (i < 3 ? MODULUS1 : MODULUS2));
    }
}

static void seed_some(void *arguments, size_t index)
{
    struct rand_engine *engine = arguments;
    struct mrg *mrg = engine->state;
    size_t thread = index * SEEDED_TOGETHER, end = thread + SEEDED_TOGETHER;
    struct matrix a = power(step1, 1, 76, MODULUS1), b = power(step2, 1, 76, MODULUS2);
    uint32_t s[6];

    seed_state(engine->settings.seed, s);
    jump(s, mrg->steps, 0);
    jump(s, thread, 76);
    for (; thread < end && thread < mrg->threads; thread++) {
        for (int i = 0; i < 6; i++)
            mrg->s[i][thread] = s[i];
        apply(&a, s, MODULUS1);
        apply(&b, s + 3, MODULUS2);
    }
}

/* The remainder of a whole number below 2^53 in size. The quotient may be wrong by one. */
CUP_INLINE double remainder_of(double x, double modulus, double inverse)
{
    x -= (double)(int32_t)(x * inverse) * modulus;
    x += x < 0 ? modulus : 0;
    return x - (x >= modulus ? modulus : 0);
}

/* The next word of each of `count` threads. Products and sums are exact in doubles. */
CUP_VECTOR_CLONES
static void next_words(double *restrict a0, double *restrict a1, double *restrict a2,
                       double *restrict b0, double *restrict b1, double *restrict b2, size_t count,
                       uint32_t *restrict out)
{
    const double modulus1 = MODULUS1, modulus2 = MODULUS2;
    const double inverse1 = 1 / modulus1, inverse2 = 1 / modulus2;

    for (size_t i = 0; i < count; i++) {
        double a = remainder_of(1403580 * a1[i] - 810728 * a0[i], modulus1, inverse1);
        double b = remainder_of(527612 * b2[i] - 1370589 * b0[i], modulus2, inverse2);
        double word = a - b + (a <= b ? modulus1 : 0);

        a0[i] = a1[i];
        a1[i] = a2[i];
        a2[i] = a;
        b0[i] = b1[i];
        b1[i] = b2[i];
        b2[i] = b;
        out[i] = (uint32_t)(int32_t)(word - 0x1p31) ^ 0x80000000;
    }
}

/* Draws `draws` words for each of `count` threads: words[k][i] is word k of thread + i. */
static void draw_words(struct mrg *mrg, size_t thread, size_t count, unsigned draws,
                       uint32_t words[][RAND_RUN])
{
    for (unsigned k = 0; k < draws; k++)
        next_words(mrg->s[0] + thread, mrg->s[1] + thread, mrg->s[2] + thread, mrg->s[3] + thread,
                   mrg->s[4] + thread, mrg->s[5] + thread, count, words[k]);
}

static size_t threads_of(curandOrdering_t ordering)
{
    switch (ordering) {
    case CURAND_ORDERING_PSEUDO_LEGACY:
        return 4096;
    case CURAND_ORDERING_PSEUDO_DYNAMIC:
        return 132 * 2048; /* as on a device of 132 processors */
    default:
        return 81920;
    }
}

static bool prepare(struct rand_engine *engine)
{
    size_t threads = threads_of(engine->settings.ordering), begun;
    struct mrg *mrg = calloc(1, sizeof(*mrg));
    uint32_t discarded[1][RAND_RUN];

    engine->state = mrg;
    if (!mrg)
        return false;
    mrg->threads = threads;
    mrg->steps = engine->settings.offset / threads;
    mrg->s[0] = malloc(threads * 6 * sizeof(**mrg->s));
    mrg->cosine = malloc(threads * sizeof(*mrg->cosine));
    mrg->spare = calloc(threads, 1);
    if (!mrg->s[0] || !mrg->cosine || !mrg->spare)
        return false;
    for (int i = 1; i < 6; i++)
        mrg->s[i] = mrg->s[0] + i * threads;
    lib_parallel((threads + SEEDED_TOGETHER - 1) / SEEDED_TOGETHER, seed_some, engine);
    begun = engine->settings.offset % threads;
    for (size_t done = 0; done < begun; done += RAND_RUN)
        draw_words(mrg, done, begun - done < RAND_RUN ? begun - done : RAND_RUN, 1, discarded);
    return true;
}

static void finish(struct rand_engine *engine)
{
    struct mrg *mrg = engine->state;

    free(mrg->s[0]);
    free(mrg->cosine);
    free(mrg->spare);
    free(mrg);
}

/* A thread keeps the second number of a pair for its next turn. */
static void draw_poisson(struct rand_engine *engine, const struct rand_job *job,
                         const struct rand_run *run)
{
    struct mrg *mrg = engine->state;
    uint32_t words[2][RAND_RUN];
    float normals[RAND_RUN];

    for (size_t i = 0, n; i < run->count; i += n) {
        size_t thread = run->column + i;
        uint8_t spare = mrg->spare[thread];

        for (n = 1; i + n < run->count && mrg->spare[thread + n] == spare; n++)
            ;
        if (spare) {
            memcpy(normals, mrg->cosine + thread, n * sizeof(*normals));
        } else {
            draw_words(mrg, thread, n, 2, words);
            rand_normals_mrg(engine->settings.device, words[0], words[1], n, normals,
                             mrg->cosine + thread);
        }
        memset(mrg->spare + thread, !spare, n);
        rand_poisson_of_normals(&job->distribution, normals, n, 1,
                                (uint32_t *)job->out + run->item + i);
    }
}

static void draw(struct rand_engine *engine, const struct rand_job *job, const struct rand_run *run)
{
    enum rand_form form = job->distribution.form;
    uint32_t words[2][RAND_RUN];

    switch (form) {
    case RAND_POISSON_NORMAL:
        draw_poisson(engine, job, run);
        break;
    case RAND_NORMAL:
    case RAND_LOG_NORMAL:
    case RAND_NORMAL_DOUBLE:
    case RAND_LOG_NORMAL_DOUBLE:
        draw_words(engine->state, run->column, run->count, 2, words);
        rand_from_mrg_pairs(&job->distribution, words[0], words[1], run->count,
                            rand_at(job->out, form, 2 * run->item));
        break;
    default:
        draw_words(engine->state, run->column, run->count, 1, words);
        rand_from_mrg(&job->distribution, words[0], run->count, rand_at(job->out, form, run->item));
    }
}

static bool run(struct rand_engine *engine, const struct rand_job *job)
{
    struct mrg *mrg = engine->state;
    struct rand_columns columns = {mrg->threads, TILE, job->first % mrg->threads, job->count};

    if (job->distribution.form >= RAND_NORMAL && job->distribution.form <= RAND_LOG_NORMAL_DOUBLE)
        columns.items /= 2;
    rand_draw_columns(engine, job, &columns, draw);
    return true;
}

const struct rand_engine_type rand_mrg32k3a = {prepare, run, finish};
