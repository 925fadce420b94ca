/* SPDX-License-Identifier: MIT */
/* cuRAND's generators: settings, and the engine that was made of them. */
#ifndef CURAND_GENERATOR_H
#define CURAND_GENERATOR_H

#include "engine.h"

#include <common/object.h>
#include <cuda.h>

struct curandGenerator_st {
    struct lib_object base;
    pthread_mutex_t lock;
    struct rand_settings settings; /* guarded by lock; `offset` moves on with each call */
    struct rand_engine *engine;    /* guarded by lock; NULL: to be made of the settings */
    uint64_t within_turn; /* guarded by lock; numbers that Philox has made of the four of a turn */
    CUstream stream;      /* guarded by lock */
};

extern const struct lib_object_type rand_generator_type;

static inline bool rand_is_quasi(curandRngType_t type)
{
    return type >= CURAND_RNG_QUASI_DEFAULT;
}

static inline bool rand_is_long(curandRngType_t type)
{
    return type >= CURAND_RNG_QUASI_SOBOL64;
}

#endif
