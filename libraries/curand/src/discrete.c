/* SPDX-License-Identifier: MIT */
/* curandCreatePoissonDistribution(): a block of device memory with the structures and tables that
 * curand_discrete() and curand_poisson() of a kernel read. A list of the blocks tells them from
 * other pointers. */
#include "discrete.h"

#include "distribution.h"

#include <common/driver.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct block { /* as it lies in device memory; tables follow */
    struct curandDiscreteDistribution_st distribution;
    struct curandDistributionM2Shift_st shift;
    struct curandHistogramM2_st histogram;
};

struct live {
    struct live *next;
    CUdeviceptr address;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct live *first_live; /* guarded by lock */

static size_t bytes_of(const struct rand_histogram *histogram)
{
    return sizeof(struct block) +
           (histogram ? histogram->length * (sizeof(double) + sizeof(uint32_t)) : 0);
}

/* Fills in a copy of the block, whose pointers lead to the addresses where it will lie. */
static void fill_in(struct block *copy, CUdeviceptr address, double lambda,
                    const struct rand_histogram *histogram)
{
    const struct block *device = (const struct block *)(uintptr_t)address;
    double *limits = (double *)(copy + 1);
    size_t length = histogram ? histogram->length : 0;

    copy->distribution = (struct curandDiscreteDistribution_st){
        .self_host_ptr = (curandDiscreteDistribution_t)(uintptr_t)address,
        .stddev = sqrt(lambda),
        .mean = lambda,
        .method = histogram ? CURAND_M2 : CURAND_DISCRETE_GAUSS,
    };
    if (!histogram)
        return;
    copy->distribution.M2 = copy->distribution.host_M2 =
        (curandDistributionM2Shift_t)(uintptr_t)&device->shift;
    copy->shift.shift = histogram->shift;
    copy->shift.length = histogram->length;
    copy->shift.histogram = copy->shift.host_histogram =
        (curandHistogramM2_t)(uintptr_t)&device->histogram;
    copy->histogram.V = copy->histogram.host_V = (curandHistogramM2V_t)(uintptr_t)(device + 1);
    copy->histogram.K = copy->histogram.host_K = (curandHistogramM2K_t)(copy->histogram.V + length);
    memcpy(limits, histogram->limits, length * sizeof(*limits));
    memcpy(limits + length, histogram->aliases, length * sizeof(*histogram->aliases));
}

static CUresult make_block(const struct lib_driver *driver, double lambda,
                           const struct rand_histogram *histogram, CUdeviceptr *address)
{
    size_t bytes = bytes_of(histogram);
    struct block *copy = calloc(1, bytes);
    CUresult result = copy ? driver->memory_alloc(address, bytes) : CUDA_ERROR_OUT_OF_MEMORY;

    if (result != CUDA_SUCCESS)
        goto free_copy;
    fill_in(copy, *address, lambda, histogram);
    result = driver->memory_copy_async(*address, (CUdeviceptr)(uintptr_t)copy, bytes, NULL);
    if (result == CUDA_SUCCESS)
        result = driver->stream_synchronize(NULL);
    if (result != CUDA_SUCCESS)
        driver->memory_free(*address);
free_copy:
    free(copy);
    return result;
}

static curandStatus_t create(double lambda, const struct rand_histogram *histogram,
                             curandDiscreteDistribution_t *distribution)
{
    const struct lib_driver *driver = lib_driver();
    struct live *live;
    CUresult result;

    if (!driver || lib_ensure_context() != CUDA_SUCCESS)
        return CURAND_STATUS_INITIALIZATION_FAILED;
    live = malloc(sizeof(*live));
    if (!live)
        return CURAND_STATUS_ALLOCATION_FAILED;
    result = make_block(driver, lambda, histogram, &live->address);
    if (result != CUDA_SUCCESS) {
        free(live);
        return result == CUDA_ERROR_OUT_OF_MEMORY ? CURAND_STATUS_ALLOCATION_FAILED
                                                  : CURAND_STATUS_PREEXISTING_FAILURE;
    }
    *distribution = (curandDiscreteDistribution_t)(uintptr_t)live->address;
    pthread_mutex_lock(&lock);
    live->next = first_live;
    first_live = live;
    pthread_mutex_unlock(&lock);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreatePoissonDistribution(double lambda,
                                               curandDiscreteDistribution_t *discrete_distribution)
{
    struct rand_histogram *histogram = NULL;
    curandStatus_t status;

    if (!discrete_distribution || !(lambda > 0) || lambda > 400000)
        return CURAND_STATUS_OUT_OF_RANGE;
    if (lambda < 2000) {
        histogram = rand_histogram_get(lambda);
        if (!histogram)
            return CURAND_STATUS_ALLOCATION_FAILED;
    }
    status = create(lambda, histogram, discrete_distribution);
    rand_histogram_unref(histogram);
    return status;
}

curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t discrete_distribution)
{
    const struct lib_driver *driver = lib_driver();
    CUdeviceptr address = (CUdeviceptr)(uintptr_t)discrete_distribution;
    struct live **place, *found;

    pthread_mutex_lock(&lock);
    for (place = &first_live; *place && (*place)->address != address; place = &(*place)->next)
        ;
    found = *place;
    if (found)
        *place = found->next;
    pthread_mutex_unlock(&lock);
    if (!found || !driver)
        return CURAND_STATUS_NOT_INITIALIZED;
    free(found);
    return driver->memory_free(address) == CUDA_SUCCESS ? CURAND_STATUS_SUCCESS
                                                        : CURAND_STATUS_PREEXISTING_FAILURE;
}
