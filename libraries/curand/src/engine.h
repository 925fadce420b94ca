/* SPDX-License-Identifier: MIT */
/* A generator's state: what its kernels keep in device memory. It is made when the first numbers
 * are drawn, from the settings at that time, and changed by work in the order of a stream. Work
 * refers to it, so that a generator can be destroyed or seeded anew before its work has run.
 *
 * Where a job begins is settled when it is submitted, as the arguments of a kernel are. Work that a
 * graph runs again begins there again, with the state that earlier work has left. */
#ifndef CURAND_ENGINE_H
#define CURAND_ENGINE_H

#include "distribution.h"

#include <curand.h>
#include <pthread.h>
#include <stdatomic.h>

struct rand_settings {
    curandRngType_t type; /* no default type */
    curandOrdering_t ordering;
    bool device;
    uint64_t seed, offset;
    unsigned dimensions;
};

struct rand_engine;

/* Numbers to make: `count` of them. */
struct rand_job {
    struct rand_distribution distribution;
    void *out;
    size_t count;
    uint64_t first; /* the position of the first one; what it counts is the type's */
    uint64_t call;  /* how many jobs of the engine were submitted before */
};

struct rand_engine_type {
    /* Makes the state. False without memory. */
    bool (*prepare)(struct rand_engine *engine);
    /* Draws the numbers of a job and moves on. False without memory. */
    bool (*run)(struct rand_engine *engine, const struct rand_job *job);
    void (*finish)(struct rand_engine *engine);
};

struct rand_engine {
    const struct rand_engine_type *type;
    struct rand_settings settings;
    atomic_int references;
    pthread_mutex_t lock;
    bool ready;  /* guarded by lock */
    void *state; /* guarded by lock; the type's */
    /* Of the next job; guarded by the lock of the generator, which submits it. */
    uint64_t position, calls;
};

extern const struct rand_engine_type rand_xorwow, rand_mrg32k3a, rand_mtgp32, rand_mt19937,
    rand_philox, rand_sobol;

struct rand_engine *rand_engine_create(const struct rand_settings *settings);
struct rand_engine *rand_engine_ref(struct rand_engine *engine);
void rand_engine_unref(struct rand_engine *engine);

/* Makes a job that begins where the last one ended. */
struct rand_job rand_engine_submit(struct rand_engine *engine,
                                   const struct rand_distribution *distribution, void *out,
                                   size_t count);

/* Runs a job. False without memory. */
bool rand_engine_run(struct rand_engine *engine, const struct rand_job *job);

/* Threads as columns: item k of a job is drawn by column (first + k) % columns, in row
 * (first + k) / columns. */
struct rand_columns {
    size_t columns, tile; /* a tile's columns are drawn by one thread of the host */
    uint64_t first;
    size_t items;
};

/* Items `item` to item + count - 1 of a job, which neighbouring columns draw in a row. */
struct rand_run {
    size_t column, count, item;
    uint64_t row;
};

typedef void rand_draw(struct rand_engine *engine, const struct rand_job *job,
                       const struct rand_run *run);

/* Calls draw() for runs of at most a tile, and of at most RAND_RUN items, in the order of rows
 * within a tile. */
void rand_draw_columns(struct rand_engine *engine, const struct rand_job *job,
                       const struct rand_columns *columns, rand_draw *draw);

#endif
