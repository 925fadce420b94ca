/* SPDX-License-Identifier: MIT */
/* Calls that generate numbers. A device generator's are work of its stream; a host generator makes
 * them before the call returns. */
#include "generator.h"

#include <common/driver.h>
#include <common/work.h>
#include <math.h>
#include <stdlib.h>

#define MAX_LAMBDA 400000.0

struct task {
    struct rand_engine *engine;
    struct rand_job job;
};

static CUresult run_task(void *arguments)
{
    struct task *task = arguments;

    return rand_engine_run(task->engine, &task->job) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static void release_task(void *arguments)
{
    struct task *task = arguments;

    rand_engine_unref(task->engine);
    rand_histogram_unref(task->job.distribution.histogram);
    free(task);
}

static curandStatus_t status_of(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS:
        return CURAND_STATUS_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return CURAND_STATUS_ALLOCATION_FAILED;
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_DEINITIALIZED:
        return CURAND_STATUS_INITIALIZATION_FAILED;
    default: /* an error of earlier work, too */
        return CURAND_STATUS_LAUNCH_FAILURE;
    }
}

/* How far a call moves the offset from which another engine would begin: threads' turns. */
static void move_offset_locked(struct curandGenerator_st *generator, enum rand_form form,
                               size_t count, uint64_t *within)
{
    bool pairs = form >= RAND_NORMAL && form <= RAND_LOG_NORMAL_DOUBLE;

    switch (generator->settings.type) {
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
        generator->settings.offset += pairs ? count / 2 : count;
        break;
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        *within += count;
        generator->settings.offset += *within / 4;
        *within %= 4;
        break;
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_PSEUDO_MT19937:
        break;
    default:
        generator->settings.offset += count / generator->settings.dimensions;
    }
}

static struct task *make_task_locked(struct curandGenerator_st *generator,
                                     const struct rand_distribution *distribution, void *out,
                                     size_t count)
{
    struct task *task = malloc(sizeof(*task));

    if (!task)
        return NULL;
    if (!generator->engine) {
        generator->engine = rand_engine_create(&generator->settings);
        generator->within_turn = generator->settings.offset % 4;
    }
    if (!generator->engine) {
        free(task);
        return NULL;
    }
    *task = (struct task){rand_engine_ref(generator->engine),
                          rand_engine_submit(generator->engine, distribution, out, count)};
    move_offset_locked(generator, distribution->form, count, &generator->within_turn);
    return task;
}

static uint64_t expected_nanoseconds(enum rand_form form, size_t count)
{
    return 1000 + count * (form >= RAND_NORMAL && form < RAND_POISSON ? 10 : 2);
}

/* The state is made by calls that a stream cannot capture: the attempt ends the capture. Sobol's
 * sequences have no state, and MTGP32 in its default ordering has had it since it was created. */
static bool refuses_capture_locked(const struct curandGenerator_st *generator, enum rand_form form,
                                   curandStatus_t *status)
{
    const struct rand_settings *settings = &generator->settings;
    const struct lib_driver *driver = settings->device ? lib_driver() : NULL;
    CUstreamCaptureStatus capture;

    if (!driver || generator->engine || rand_is_quasi(settings->type) ||
        (settings->type == CURAND_RNG_PSEUDO_MTGP32 &&
         settings->ordering == CURAND_ORDERING_PSEUDO_DEFAULT))
        return false;
    if (driver->stream_is_capturing(generator->stream, &capture) != CUDA_SUCCESS ||
        capture == CU_STREAM_CAPTURE_STATUS_NONE)
        return false;
    driver->stream_synchronize(generator->stream);
    *status = settings->type == CURAND_RNG_PSEUDO_MT19937 && form >= RAND_NORMAL
                  ? CURAND_STATUS_INTERNAL_ERROR
                  : CURAND_STATUS_LAUNCH_FAILURE;
    return true;
}

static curandStatus_t submit(struct curandGenerator_st *generator, const char *name,
                             struct rand_distribution *distribution, void *out, size_t count)
{
    struct cupipe_range operands[1];
    struct lib_call call = {.name = name, .operands = operands, .operand_count = 1};
    curandStatus_t status;
    struct task *task;
    CUresult result;
    bool refused;

    distribution->device = generator->settings.device;
    distribution->coarse_normals =
        !distribution->device && generator->settings.type == CURAND_RNG_PSEUDO_MTGP32;
    distribution->wide_uniforms = distribution->coarse_poisson =
        generator->settings.type == CURAND_RNG_PSEUDO_MT19937;
    pthread_mutex_lock(&generator->lock);
    call.stream = generator->stream;
    refused = refuses_capture_locked(generator, distribution->form, &status);
    task = refused ? NULL : make_task_locked(generator, distribution, out, count);
    pthread_mutex_unlock(&generator->lock);
    if (refused) {
        rand_histogram_unref(distribution->histogram);
        return status;
    }
    if (!task) {
        rand_histogram_unref(distribution->histogram);
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    if (!distribution->device) {
        result = run_task(task);
        release_task(task);
        return status_of(result);
    }
    operands[0] = lib_written(out, count * rand_bytes(distribution->form));
    call.nanoseconds = expected_nanoseconds(distribution->form, count);
    result = lib_submit_owned(&call, run_task, release_task, task);
    return result == CUDA_ERROR_ILLEGAL_ADDRESS ? CURAND_STATUS_SUCCESS : status_of(result);
}

/* Checks what is wrong with a call before its distribution is looked at. *done: nothing is left to
 * do. */
static curandStatus_t check(struct curandGenerator_st *generator, enum rand_form form, size_t count,
                            bool *done)
{
    curandRngType_t type;

    *done = true;
    if (!lib_object_is(generator, &rand_generator_type))
        return CURAND_STATUS_NOT_INITIALIZED;
    if (count == 0)
        return CURAND_STATUS_SUCCESS;
    type = generator->settings.type;
    if (form == (rand_is_long(type) ? RAND_WORDS : RAND_LONG_WORDS))
        return CURAND_STATUS_TYPE_ERROR;
    if (type == CURAND_RNG_TEST) /* makes nothing */
        return form <= RAND_UNIFORM_DOUBLE ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INTERNAL_ERROR;
    *done = false;
    return CURAND_STATUS_SUCCESS;
}

static bool is_whole(const struct curandGenerator_st *generator, enum rand_form form, size_t count)
{
    switch (generator->settings.type) {
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
        return form < RAND_NORMAL || form > RAND_LOG_NORMAL_DOUBLE || count % 2 == 0;
    default:
        return count % generator->settings.dimensions == 0;
    }
}

/* An error of earlier work is reported by this call. One of the call's own work is reported when
 * the program waits for it, also if the work ran at once. */
static bool has_failed(const struct curandGenerator_st *generator)
{
    const struct lib_driver *driver = generator->settings.device ? lib_driver() : NULL;
    CUstreamCaptureStatus status;

    return driver &&
           driver->stream_is_capturing(generator->stream, &status) == CUDA_ERROR_ILLEGAL_ADDRESS;
}

/* Most device generators leave it to the device to find out that there is no memory. */
static bool refuses_null(const struct curandGenerator_st *generator, curandStatus_t *status)
{
    *status =
        generator->settings.device ? CURAND_STATUS_LAUNCH_FAILURE : CURAND_STATUS_OUT_OF_RANGE;
    return !generator->settings.device || generator->settings.type == CURAND_RNG_PSEUDO_MT19937;
}

static curandStatus_t generate(struct curandGenerator_st *generator, const char *name,
                               struct rand_distribution distribution, void *out, size_t count)
{
    bool done;
    curandStatus_t status = check(generator, distribution.form, count, &done);

    if (done)
        return status;
    if (!is_whole(generator, distribution.form, count))
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (has_failed(generator))
        return CURAND_STATUS_LAUNCH_FAILURE;
    if (!out && refuses_null(generator, &status))
        return status;
    return submit(generator, name, &distribution, out, count);
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *outputPtr, size_t num)
{
    return generate(generator, __func__, (struct rand_distribution){.form = RAND_WORDS}, outputPtr,
                    num);
}

curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *outputPtr,
                                      size_t num)
{
    return generate(generator, __func__, (struct rand_distribution){.form = RAND_LONG_WORDS},
                    outputPtr, num);
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *outputPtr, size_t num)
{
    return generate(generator, __func__, (struct rand_distribution){.form = RAND_UNIFORM},
                    outputPtr, num);
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *outputPtr,
                                           size_t num)
{
    return generate(generator, __func__, (struct rand_distribution){.form = RAND_UNIFORM_DOUBLE},
                    outputPtr, num);
}

static struct rand_distribution normal(enum rand_form form, double mean, double deviation)
{
    return (struct rand_distribution){.form = form, .mean = mean, .deviation = deviation};
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *outputPtr, size_t n,
                                    float mean, float stddev)
{
    return generate(generator, __func__, normal(RAND_NORMAL, mean, stddev), outputPtr, n);
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *outputPtr, size_t n,
                                          double mean, double stddev)
{
    return generate(generator, __func__, normal(RAND_NORMAL_DOUBLE, mean, stddev), outputPtr, n);
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *outputPtr, size_t n,
                                       float mean, float stddev)
{
    return generate(generator, __func__, normal(RAND_LOG_NORMAL, mean, stddev), outputPtr, n);
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *outputPtr,
                                             size_t n, double mean, double stddev)
{
    return generate(generator, __func__, normal(RAND_LOG_NORMAL_DOUBLE, mean, stddev), outputPtr,
                    n);
}

/* Which method makes Poisson's numbers depends on the generator, as in NVIDIA's library. */
static enum rand_form poisson_form(curandRngType_t type, double lambda)
{
    static const struct limits {
        double entries_below, inverse_below;
    } others = {2000, 2000}, mtgp = {32, 8000}, sobol = {10, 8000}, long_sobol = {0, 2000};
    const struct limits *limits = &others;

    if (type == CURAND_RNG_PSEUDO_MTGP32)
        limits = &mtgp;
    else if (rand_is_quasi(type))
        limits = rand_is_long(type) ? &long_sobol : &sobol;
    if (lambda < limits->entries_below)
        return RAND_POISSON;
    return lambda < limits->inverse_below ? RAND_POISSON_INVERSE : RAND_POISSON_NORMAL;
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *outputPtr, size_t n,
                                     double lambda)
{
    struct rand_distribution distribution = normal(RAND_POISSON_NORMAL, lambda, sqrt(lambda));
    bool done;
    curandStatus_t status = check(generator, distribution.form, n, &done);

    if (done)
        return status;
    if (!(lambda > 0) || lambda > MAX_LAMBDA)
        return CURAND_STATUS_OUT_OF_RANGE;
    if (!is_whole(generator, distribution.form, n))
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (has_failed(generator))
        return CURAND_STATUS_LAUNCH_FAILURE;
    if (!outputPtr && refuses_null(generator, &status))
        return status;
    distribution.form = poisson_form(generator->settings.type, lambda);
    if (distribution.form != RAND_POISSON_NORMAL) {
        distribution.histogram = rand_histogram_get(lambda);
        if (!distribution.histogram)
            return CURAND_STATUS_ALLOCATION_FAILED;
    }
    return submit(generator, __func__, &distribution, outputPtr, n);
}
