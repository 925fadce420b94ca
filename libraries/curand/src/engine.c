/* SPDX-License-Identifier: MIT */
/* Engines of all types, and how their columns are shared among threads of the host. */
#include "engine.h"

#include <common/work.h>
#include <stdlib.h>

static const struct rand_engine_type *type_of(curandRngType_t type)
{
    switch (type) {
    case CURAND_RNG_PSEUDO_XORWOW:
        return &rand_xorwow;
    case CURAND_RNG_PSEUDO_MRG32K3A:
        return &rand_mrg32k3a;
    case CURAND_RNG_PSEUDO_MTGP32:
        return &rand_mtgp32;
    case CURAND_RNG_PSEUDO_MT19937:
        return &rand_mt19937;
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        return &rand_philox;
    default:
        return &rand_sobol;
    }
}

struct rand_engine *rand_engine_create(const struct rand_settings *settings)
{
    struct rand_engine *engine = calloc(1, sizeof(*engine));

    if (!engine)
        return NULL;
    engine->type = type_of(settings->type);
    engine->settings = *settings;
    engine->position = settings->offset;
    atomic_init(&engine->references, 1);
    pthread_mutex_init(&engine->lock, NULL);
    return engine;
}

struct rand_engine *rand_engine_ref(struct rand_engine *engine)
{
    atomic_fetch_add(&engine->references, 1);
    return engine;
}

void rand_engine_unref(struct rand_engine *engine)
{
    if (!engine || atomic_fetch_sub(&engine->references, 1) > 1)
        return;
    if (engine->state)
        engine->type->finish(engine);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
}

static bool prepare_locked(struct rand_engine *engine)
{
    if (engine->ready)
        return true;
    engine->ready = engine->type->prepare(engine);
    if (!engine->ready && engine->state) {
        engine->type->finish(engine);
        engine->state = NULL;
    }
    return engine->ready;
}

/* How many positions a job takes: threads of XORWOW and MRG32k3a make two normal numbers at a time;
 * of Sobol's sequences all dimensions have one. */
static size_t positions_of(const struct rand_settings *settings, enum rand_form form, size_t count)
{
    switch (settings->type) {
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
        return form >= RAND_NORMAL && form <= RAND_LOG_NORMAL_DOUBLE ? count / 2 : count;
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        return count;
    default:
        return count / settings->dimensions;
    }
}

struct rand_job rand_engine_submit(struct rand_engine *engine,
                                   const struct rand_distribution *distribution, void *out,
                                   size_t count)
{
    struct rand_job job = {*distribution, out, count, engine->position, engine->calls++};

    engine->position += positions_of(&engine->settings, distribution->form, count);
    return job;
}

struct engine_run {
    struct rand_engine *engine;
    const struct rand_job *job;
    bool done;
};

static void run_locked(void *arguments)
{
    struct engine_run *run = arguments;

    run->done = prepare_locked(run->engine) && run->engine->type->run(run->engine, run->job);
}

static void unlock(void *arguments)
{
    struct engine_run *run = arguments;

    pthread_mutex_unlock(&run->engine->lock);
}

bool rand_engine_run(struct rand_engine *engine, const struct rand_job *job)
{
    struct engine_run run = {engine, job, false};

    pthread_mutex_lock(&engine->lock);
    lib_finally(run_locked, unlock, &run);
    return run.done;
}

struct drawing {
    struct rand_engine *engine;
    const struct rand_job *job;
    const struct rand_columns *columns;
    rand_draw *draw;
    size_t first_tile, tiles; /* of those with items, and how many there are in all */
};

/* The items of columns `low` to `high` - 1 in one row. */
static void draw_row(const struct drawing *drawing, uint64_t row, size_t low, size_t high)
{
    const struct rand_columns *columns = drawing->columns;
    uint64_t start = row * columns->columns, from = start + low, to = start + high;
    struct rand_run run = {.row = row};

    if (from < columns->first)
        from = columns->first;
    if (to > columns->first + columns->items)
        to = columns->first + columns->items;
    for (; from < to; from += run.count) {
        run.column = (size_t)(from - start);
        run.count = to - from < RAND_RUN ? (size_t)(to - from) : RAND_RUN;
        run.item = (size_t)(from - columns->first);
        drawing->draw(drawing->engine, drawing->job, &run);
    }
}

static void draw_tile(void *arguments, size_t index)
{
    const struct drawing *drawing = arguments;
    const struct rand_columns *columns = drawing->columns;
    size_t low = (drawing->first_tile + index) % drawing->tiles * columns->tile;
    size_t high = low + columns->tile < columns->columns ? low + columns->tile : columns->columns;
    uint64_t last = (columns->first + columns->items - 1) / columns->columns;

    for (uint64_t row = columns->first / columns->columns; row <= last; row++)
        draw_row(drawing, row, low, high);
}

void rand_draw_columns(struct rand_engine *engine, const struct rand_job *job,
                       const struct rand_columns *columns, rand_draw *draw)
{
    size_t column = (size_t)(columns->first % columns->columns);
    size_t tiles = (columns->columns + columns->tile - 1) / columns->tile;
    size_t touched = (column % columns->tile + columns->items + columns->tile - 1) / columns->tile;
    struct drawing drawing = {engine, job, columns, draw, column / columns->tile, tiles};

    if (columns->items == 0)
        return;
    if (column + columns->items > columns->columns || touched > tiles)
        touched = tiles;
    lib_parallel(touched, draw_tile, &drawing);
}
