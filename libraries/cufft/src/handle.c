/* SPDX-License-Identifier: MIT */
/* Handles are indices into a table; a new plan takes the lowest that is free. */
#include "plan.h"

#include "driver.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fft_plan **plans; /* plans[i] has the handle i + 1; guarded by lock */
static size_t capacity;         /* guarded by lock */

static bool grow_locked(void)
{
    size_t wanted = capacity ? capacity * 2 : 16;
    struct fft_plan **grown = realloc(plans, wanted * sizeof(struct fft_plan *));

    if (!grown)
        return false;
    for (size_t i = capacity; i < wanted; i++)
        grown[i] = NULL;
    plans = grown;
    capacity = wanted;
    return true;
}

static int insert(struct fft_plan *plan)
{
    size_t i = 0;
    int handle = 0;

    pthread_mutex_lock(&lock);
    while (i < capacity && plans[i])
        i++;
    if (i < capacity || grow_locked()) {
        plans[i] = plan;
        handle = (int)i + 1;
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

cufftResult fft_handle_create(cufftHandle *handle)
{
    struct fft_plan *plan;

    if (lib_ensure_context() != CUDA_SUCCESS)
        return CUFFT_SETUP_FAILED;
    plan = calloc(1, sizeof(*plan));
    if (!plan)
        return CUFFT_ALLOC_FAILED;
    plan->allocates = true;
    *handle = insert(plan);
    if (*handle)
        return CUFFT_SUCCESS;
    free(plan);
    return CUFFT_ALLOC_FAILED;
}

struct fft_plan *fft_handle_find(cufftHandle handle)
{
    struct fft_plan *plan = NULL;

    pthread_mutex_lock(&lock);
    if (handle > 0 && (size_t)handle <= capacity)
        plan = plans[handle - 1];
    pthread_mutex_unlock(&lock);
    return plan;
}

cufftResult fft_handle_destroy(cufftHandle handle)
{
    struct fft_plan *plan = NULL;

    pthread_mutex_lock(&lock);
    if (handle > 0 && (size_t)handle <= capacity) {
        plan = plans[handle - 1];
        plans[handle - 1] = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    if (plan->own_area)
        lib_driver()->memory_free(plan->own_area);
    free(plan);
    return CUFFT_SUCCESS;
}

/* NVIDIA's library keeps intermediate results in the work area. Here nothing is kept there, but the
 * memory is allocated, so that a plan that is too large for the device fails as it does there. */
cufftResult fft_make(struct fft_plan *plan, const struct fft_request *request)
{
    size_t bytes = fft_work_bytes(request);

    if (lib_ensure_context() != CUDA_SUCCESS)
        return CUFFT_SETUP_FAILED;
    if (plan->allocates && bytes && plan->gpu_count == 0 &&
        lib_driver()->memory_alloc(&plan->own_area, bytes) != CUDA_SUCCESS) {
        plan->own_area = 0;
        return CUFFT_INTERNAL_ERROR;
    }
    plan->request = *request;
    plan->work_bytes = bytes;
    plan->made = true;
    return CUFFT_SUCCESS;
}
