/* SPDX-License-Identifier: MIT */
/* Generators are created, set and destroyed. A setting that changes what comes next drops the
 * engine; the next call makes another, which begins where the last had come to. */
#include "generator.h"

#include <common/driver.h>
#include <stddef.h>

enum { MAX_DIMENSIONS = 20000 };

static void finish(void *object)
{
    struct curandGenerator_st *generator = object;

    rand_engine_unref(generator->engine);
    pthread_mutex_destroy(&generator->lock);
}

const struct lib_object_type rand_generator_type = {sizeof(struct curandGenerator_st), finish};

static bool is_type(curandRngType_t type)
{
    static const curandRngType_t types[] = {
        CURAND_RNG_TEST,
        CURAND_RNG_PSEUDO_DEFAULT,
        CURAND_RNG_PSEUDO_XORWOW,
        CURAND_RNG_PSEUDO_MRG32K3A,
        CURAND_RNG_PSEUDO_MTGP32,
        CURAND_RNG_PSEUDO_MT19937,
        CURAND_RNG_PSEUDO_PHILOX4_32_10,
        CURAND_RNG_QUASI_DEFAULT,
        CURAND_RNG_QUASI_SOBOL32,
        CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
        CURAND_RNG_QUASI_SOBOL64,
        CURAND_RNG_QUASI_SCRAMBLED_SOBOL64,
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        if (types[i] == type)
            return true;
    }
    return false;
}

static curandStatus_t create(curandGenerator_t *result, curandRngType_t type, bool device)
{
    struct curandGenerator_st *generator;

    if (!result)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!is_type(type))
        return CURAND_STATUS_TYPE_ERROR;
    if (device && (!lib_driver() || lib_ensure_context() != CUDA_SUCCESS))
        return CURAND_STATUS_INITIALIZATION_FAILED;
    generator = lib_object_create(&rand_generator_type);
    if (!generator)
        return CURAND_STATUS_ALLOCATION_FAILED;
    pthread_mutex_init(&generator->lock, NULL);
    if (type == CURAND_RNG_PSEUDO_DEFAULT)
        type = CURAND_RNG_PSEUDO_XORWOW;
    if (type == CURAND_RNG_QUASI_DEFAULT)
        type = CURAND_RNG_QUASI_SOBOL32;
    generator->settings = (struct rand_settings){
        .type = type,
        .ordering =
            rand_is_quasi(type) ? CURAND_ORDERING_QUASI_DEFAULT : CURAND_ORDERING_PSEUDO_DEFAULT,
        .device = device,
        .dimensions = 1,
    };
    *result = generator;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t rng_type)
{
    return create(generator, rng_type, true);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t rng_type)
{
    return create(generator, rng_type, false);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    return lib_object_destroy(generator, &rand_generator_type) ? CURAND_STATUS_SUCCESS
                                                               : CURAND_STATUS_NOT_INITIALIZED;
}

static void drop_engine_locked(struct curandGenerator_st *generator)
{
    rand_engine_unref(generator->engine);
    generator->engine = NULL;
}

/* MTGP32 on a device goes on with the seeds with which it has begun, as NVIDIA's does. */
static bool keeps_seeds_locked(const struct curandGenerator_st *generator)
{
    return generator->settings.device && generator->settings.type == CURAND_RNG_PSEUDO_MTGP32;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    if (!lib_object_is(generator, &rand_generator_type))
        return CURAND_STATUS_NOT_INITIALIZED;
    pthread_mutex_lock(&generator->lock);
    generator->stream = (CUstream)stream;
    pthread_mutex_unlock(&generator->lock);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed)
{
    if (!lib_object_is(generator, &rand_generator_type))
        return CURAND_STATUS_NOT_INITIALIZED;
    if (rand_is_quasi(generator->settings.type))
        return CURAND_STATUS_TYPE_ERROR;
    pthread_mutex_lock(&generator->lock);
    if (generator->settings.seed != seed && !keeps_seeds_locked(generator))
        drop_engine_locked(generator);
    generator->settings.seed = seed;
    pthread_mutex_unlock(&generator->lock);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    if (!lib_object_is(generator, &rand_generator_type))
        return CURAND_STATUS_NOT_INITIALIZED;
    if (generator->settings.type == CURAND_RNG_PSEUDO_MTGP32 ||
        generator->settings.type == CURAND_RNG_PSEUDO_MT19937)
        return CURAND_STATUS_TYPE_ERROR;
    pthread_mutex_lock(&generator->lock);
    drop_engine_locked(generator);
    generator->settings.offset = offset;
    pthread_mutex_unlock(&generator->lock);
    return CURAND_STATUS_SUCCESS;
}

static bool is_ordering(const struct rand_settings *settings, curandOrdering_t order)
{
    if (settings->type == CURAND_RNG_TEST)
        return settings->device || order != CURAND_ORDERING_PSEUDO_DYNAMIC;
    if (rand_is_quasi(settings->type))
        return order == CURAND_ORDERING_QUASI_DEFAULT;
    switch (order) {
    case CURAND_ORDERING_PSEUDO_BEST:
    case CURAND_ORDERING_PSEUDO_DEFAULT:
    case CURAND_ORDERING_PSEUDO_LEGACY:
        return true;
    case CURAND_ORDERING_PSEUDO_SEEDED:
        return settings->type == CURAND_RNG_PSEUDO_XORWOW;
    case CURAND_ORDERING_PSEUDO_DYNAMIC:
        return settings->device && settings->type != CURAND_RNG_PSEUDO_MT19937;
    default:
        return false;
    }
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    if (!lib_object_is(generator, &rand_generator_type))
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!is_ordering(&generator->settings, order))
        return CURAND_STATUS_OUT_OF_RANGE;
    pthread_mutex_lock(&generator->lock);
    if (generator->settings.ordering != order)
        drop_engine_locked(generator);
    generator->settings.ordering = order;
    pthread_mutex_unlock(&generator->lock);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned int num_dimensions)
{
    if (!lib_object_is(generator, &rand_generator_type))
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!rand_is_quasi(generator->settings.type))
        return CURAND_STATUS_TYPE_ERROR;
    if (num_dimensions < 1 || num_dimensions > MAX_DIMENSIONS)
        return CURAND_STATUS_OUT_OF_RANGE;
    pthread_mutex_lock(&generator->lock);
    if (generator->settings.dimensions != num_dimensions)
        drop_engine_locked(generator);
    generator->settings.dimensions = num_dimensions;
    pthread_mutex_unlock(&generator->lock);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    if (!lib_object_is(generator, &rand_generator_type))
        return CURAND_STATUS_NOT_INITIALIZED;
    pthread_mutex_lock(&generator->lock);
    if (!keeps_seeds_locked(generator))
        drop_engine_locked(generator);
    pthread_mutex_unlock(&generator->lock);
    return CURAND_STATUS_SUCCESS;
}
