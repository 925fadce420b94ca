/* SPDX-License-Identifier: MIT */
/* Philox4x32-10. Threads have subsequences and take turns; in a turn a thread makes four numbers,
 * of one block of four words, or of two blocks if they are doubles. If a call ends within the four,
 * the thread stays where it is: the next call makes its numbers of the same words.
 *
 * With the ordering DYNAMIC, in the first call behind an offset, the threads that have skipped two
 * blocks or more write their numbers LATER turns further on than their turn comes, as on a card. If
 * some threads have skipped two and some have not, both write the same numbers, and nobody writes
 * others. On a card either may be the last to write; here it is the one that is later. */
#include "engine.h"

#include <random/philox.h>
#include <random/vector.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 1024, GROUP = 4, LATER = 16384 };

struct philox {
    size_t threads, later; /* 0: no thread writes later */
    uint64_t turn;         /* that of the offset */
    uint64_t *blocks;      /* that each thread has used up */
};

/* How many blocks the offset makes a thread skip. */
static uint64_t skipped(const struct philox *philox, size_t thread)
{
    return philox->turn / philox->threads + (thread < philox->turn % philox->threads);
}

static bool prepare(struct rand_engine *engine)
{
    const bool is_dynamic = engine->settings.ordering == CURAND_ORDERING_PSEUDO_DYNAMIC;
    struct philox *philox = calloc(1, sizeof(*philox));

    engine->state = philox;
    if (!philox)
        return false;
    philox->threads = is_dynamic ? 132 * 512 : 65536; /* as on a device of 132 processors */
    philox->later = is_dynamic ? LATER : 0;
    philox->turn = engine->settings.offset / GROUP;
    philox->blocks = malloc(philox->threads * sizeof(*philox->blocks));
    if (!philox->blocks)
        return false;
    for (size_t i = 0; i < philox->threads; i++)
        philox->blocks[i] = skipped(philox, i);
    return true;
}

static void finish(struct rand_engine *engine)
{
    struct philox *philox = engine->state;

    free(philox->blocks);
    free(philox);
}

static bool is_double(enum rand_form form)
{
    return rand_bytes(form) == 8;
}

CUP_VECTOR_CLONES
static void interleave_words(const uint32_t *restrict a, const uint32_t *restrict b,
                             const uint32_t *restrict c, const uint32_t *restrict d, size_t count,
                             uint32_t *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        out[GROUP * i] = a[i];
        out[GROUP * i + 1] = b[i];
        out[GROUP * i + 2] = c[i];
        out[GROUP * i + 3] = d[i];
    }
}

static void interleave(const struct rand_distribution *distribution, uint32_t words[4][RAND_RUN],
                       size_t count, void *out)
{
    uint32_t together[GROUP * RAND_RUN];

    if (distribution->form == RAND_WORDS) {
        interleave_words(words[0], words[1], words[2], words[3], count, out);
        return;
    }
    interleave_words(words[0], words[1], words[2], words[3], count, together);
    for (size_t i = 0; i < GROUP * count; i += RAND_RUN)
        rand_from_words(distribution, together + i,
                        GROUP * count - i < RAND_RUN ? GROUP * count - i : RAND_RUN, 1,
                        rand_at(out, distribution->form, i));
}

/* The block `block` of `count` threads makes four numbers of each, or two doubles. */
static void make(const struct rand_engine *engine, const struct rand_distribution *distribution,
                 size_t thread, size_t count, uint64_t block, void *out)
{
    const struct cup_philox generator = {.seed = engine->settings.seed};
    uint32_t words[4][RAND_RUN];
    uint32_t *const planes[4] = {words[0], words[1], words[2], words[3]};
    const uint32_t *const fours[4] = {words[0], words[1], words[2], words[3]};
    void *second = rand_at(out, distribution->form, is_double(distribution->form) ? 1 : 2);

    cup_philox_blocks(&generator, thread, block, count, planes);
    switch (distribution->form) {
    case RAND_UNIFORM_DOUBLE:
    case RAND_NORMAL:
    case RAND_LOG_NORMAL:
    case RAND_POISSON_NORMAL:
        rand_from_pairs(distribution, words[0], words[1], count, GROUP, out);
        rand_from_pairs(distribution, words[2], words[3], count, GROUP, second);
        break;
    case RAND_NORMAL_DOUBLE:
    case RAND_LOG_NORMAL_DOUBLE:
        rand_from_fours(distribution, fours, count, GROUP, out);
        break;
    default:
        interleave(distribution, words, count, out);
    }
}

/* The numbers of a turn of `count` threads that have used up as many blocks. */
static void make_turn(const struct rand_engine *engine, const struct rand_job *job, size_t thread,
                      size_t count, uint64_t block, void *out)
{
    make(engine, &job->distribution, thread, count, block, out);
    if (is_double(job->distribution.form))
        make(engine, &job->distribution, thread, count, block + 1,
             rand_at(out, job->distribution.form, 2));
}

/* Numbers `skip` to `end` - 1 of a thread's turn go to `out`. */
static void draw_part(struct rand_engine *engine, const struct rand_job *job, size_t thread,
                      size_t skip, size_t end, void *out)
{
    struct philox *philox = engine->state;
    enum rand_form form = job->distribution.form;
    double group[GROUP];

    make_turn(engine, job, thread, 1, philox->blocks[thread], group);
    memcpy(out, rand_at(group, form, skip), (end - skip) * rand_bytes(form));
    if (end == GROUP)
        philox->blocks[thread] += is_double(form) ? 2 : 1;
}

/* Neighbouring threads from `thread` on, and where their numbers go: those of item `item` first.
 * Numbers count from the first of the turn in which the job begins; `head` of them are not the
 * job's. */
static void draw_threads(struct rand_engine *engine, const struct rand_job *job, size_t first,
                         size_t count, size_t item)
{
    struct philox *philox = engine->state;
    enum rand_form form = job->distribution.form;
    size_t head = job->first % GROUP, total = head + job->count;
    unsigned used = is_double(form) ? 2 : 1;

    for (size_t i = 0, n; i < count; i += n) {
        size_t thread = first + i, number = (item + i) * GROUP;
        size_t skip = number < head ? head - number : 0;
        size_t end = total - number < GROUP ? total - number : GROUP;
        uint64_t block = philox->blocks[thread];
        void *out = rand_at(job->out, form, number + skip - head);

        n = 1;
        if (skip > 0 || end < GROUP) {
            draw_part(engine, job, thread, skip, end, out);
            continue;
        }
        philox->blocks[thread] += used;
        for (; i + n < count && philox->blocks[thread + n] == block &&
               number + (n + 1) * GROUP <= total;
             n++)
            philox->blocks[thread + n] += used;
        make_turn(engine, job, thread, n, block, out);
    }
}

static void draw(struct rand_engine *engine, const struct rand_job *job, const struct rand_run *run)
{
    draw_threads(engine, job, run->column, run->count, run->item);
}

/* The threads of a run that write when their turn comes. */
static void draw_in_turn(struct rand_engine *engine, const struct rand_job *job,
                         const struct rand_run *run)
{
    const struct philox *philox = engine->state;

    for (size_t i = 0; i < run->count; i++)
        if (skipped(philox, run->column + i) < 2)
            draw_threads(engine, job, run->column + i, 1, run->item + i);
}

/* Those that write later: in the place of the run's threads. */
static void draw_later(struct rand_engine *engine, const struct rand_job *job,
                       const struct rand_run *run)
{
    const struct philox *philox = engine->state;

    for (size_t i = 0; i < run->count; i++) {
        size_t thread = (run->column + i + philox->threads - philox->later) % philox->threads;

        if (skipped(philox, thread) >= 2)
            draw_threads(engine, job, thread, 1, run->item + i);
    }
}

static bool run(struct rand_engine *engine, const struct rand_job *job)
{
    struct philox *philox = engine->state;
    size_t head = job->first % GROUP;
    struct rand_columns columns = {philox->threads, TILE, job->first / GROUP % philox->threads,
                                   (head + job->count + GROUP - 1) / GROUP};

    if (job->call == 0 && philox->later && philox->turn > philox->threads) {
        rand_draw_columns(engine, job, &columns, draw_in_turn);
        rand_draw_columns(engine, job, &columns, draw_later);
    } else {
        rand_draw_columns(engine, job, &columns, draw);
    }
    return true;
}

const struct rand_engine_type rand_philox = {prepare, run, finish};
