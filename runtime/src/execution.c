/* SPDX-License-Identifier: MIT */
/*
 * Execution contexts and the resources that green contexts are made of.
 *
 * The handle of an execution context is the driver's CUcontext: the primary context's, or the one
 * that stands for a green context. So nodes of graphs pass it on and give it back as it is. The
 * driver's functions for green contexts want the CUgreenCtx, which a list keeps beside it.
 */
#include "context.h"
#include "driver.h"
#include "execution.h"
#include "runtime_impl.h"

#include <pthread.h>
#include <stdlib.h>

_Static_assert(sizeof(cudaDevResource) == sizeof(CUdevResource) &&
                   sizeof(cudaDevSmResourceGroupParams) == sizeof(CU_DEV_SM_RESOURCE_GROUP_PARAMS),
               "descriptions of resources are the driver's");

struct green_context {
    struct green_context *next;
    CUcontext context;
    CUgreenCtx green;
};

static pthread_mutex_t greens_lock = PTHREAD_MUTEX_INITIALIZER;
static struct green_context *greens; /* guarded by greens_lock; newest first */

/* The green context behind a handle, NULL if it is a primary context. */
static CUgreenCtx find_green(cudaExecutionContext_t handle)
{
    CUgreenCtx green = NULL;

    pthread_mutex_lock(&greens_lock);
    for (struct green_context *each = greens; each && !green; each = each->next)
        if (each->context == rt_execution_context(handle))
            green = each->green;
    pthread_mutex_unlock(&greens_lock);
    return green;
}

static void forget_green(CUgreenCtx green)
{
    struct green_context *found = NULL;

    pthread_mutex_lock(&greens_lock);
    for (struct green_context **link = &greens; *link && !found; link = &(*link)->next) {
        if ((*link)->green != green)
            continue;
        found = *link;
        *link = found->next;
        break;
    }
    pthread_mutex_unlock(&greens_lock);
    free(found);
}

/* Resources. */

cudaError_t impl_cudaDeviceGetDevResource(int device, cudaDevResource *resource,
                                          enum cudaDevResourceType type)
{
    CUdevice handle;
    cudaError_t result = rt_result(rt_driver.cuDeviceGet(&handle, device));

    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuDeviceGetDevResource(handle, (CUdevResource *)(void *)resource,
                                                      (CUdevResourceType)type));
}

cudaError_t impl_cudaDevSmResourceSplitByCount(cudaDevResource *result, unsigned int *nbGroups,
                                               const cudaDevResource *input,
                                               cudaDevResource *remaining, unsigned int flags,
                                               unsigned int minCount)
{
    return rt_result(rt_driver.cuDevSmResourceSplitByCount(
        (CUdevResource *)(void *)result, nbGroups, (const CUdevResource *)(const void *)input,
        (CUdevResource *)(void *)remaining, flags, minCount));
}

cudaError_t impl_cudaDevSmResourceSplit(cudaDevResource *result, unsigned int nbGroups,
                                        const cudaDevResource *input, cudaDevResource *remainder,
                                        unsigned int flags,
                                        cudaDevSmResourceGroupParams *groupParams)
{
    return rt_result(rt_driver.cuDevSmResourceSplit(
        (CUdevResource *)(void *)result, nbGroups, (const CUdevResource *)(const void *)input,
        (CUdevResource *)(void *)remainder, flags,
        (CU_DEV_SM_RESOURCE_GROUP_PARAMS *)(void *)groupParams));
}

cudaError_t impl_cudaDevResourceGenerateDesc(cudaDevResourceDesc_t *phDesc,
                                             cudaDevResource *resources, unsigned int nbResources)
{
    return rt_result(rt_driver.cuDevResourceGenerateDesc(phDesc, (CUdevResource *)(void *)resources,
                                                         nbResources));
}

cudaError_t impl_cudaStreamGetDevResource(cudaStream_t hStream, cudaDevResource *resource,
                                          enum cudaDevResourceType type)
{
    return rt_result(rt_driver.cuStreamGetDevResource(hStream, (CUdevResource *)(void *)resource,
                                                      (CUdevResourceType)type));
}

/* Contexts. */

cudaError_t impl_cudaDeviceGetExecutionCtx(cudaExecutionContext_t *ctx, int device)
{
    CUcontext context = NULL;
    CUdevice handle;
    cudaError_t result;

    if (!ctx)
        return cudaErrorInvalidValue;
    result = rt_result(rt_driver.cuDeviceGet(&handle, device));
    if (result == cudaSuccess)
        result = rt_context_retain(handle, &context);
    if (result == cudaSuccess)
        *ctx = rt_execution_handle(context);
    return result;
}

/* Drivers before 13.1 know no green context without a default stream. The runtime gives no way to
 * use it. */
cudaError_t impl_cudaGreenCtxCreate(cudaExecutionContext_t *phCtx, cudaDevResourceDesc_t desc,
                                    int device, unsigned int flags)
{
    struct green_context *made;
    CUdevice handle;
    CUresult result;

    if (!phCtx || flags != 0)
        return cudaErrorInvalidValue;
    result = rt_driver.cuDeviceGet(&handle, device);
    if (result != CUDA_SUCCESS)
        return rt_result(result);
    made = malloc(sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    result = rt_driver.cuGreenCtxCreate(&made->green, desc, handle, CU_GREEN_CTX_DEFAULT_STREAM);
    if (result != CUDA_SUCCESS)
        goto free_made;
    result = rt_driver.cuCtxFromGreenCtx(&made->context, made->green);
    if (result != CUDA_SUCCESS)
        goto destroy_green;
    pthread_mutex_lock(&greens_lock);
    made->next = greens;
    greens = made;
    pthread_mutex_unlock(&greens_lock);
    *phCtx = rt_execution_handle(made->context);
    return cudaSuccess;

destroy_green:
    rt_driver.cuGreenCtxDestroy(made->green);
free_made:
    free(made);
    return rt_result(result);
}

/* A primary context cannot be destroyed. */
cudaError_t impl_cudaExecutionCtxDestroy(cudaExecutionContext_t ctx)
{
    CUgreenCtx green = ctx ? find_green(ctx) : NULL;
    cudaError_t result;

    if (!green)
        return cudaErrorInvalidValue;
    result = rt_result(rt_driver.cuGreenCtxDestroy(green));
    if (result == cudaSuccess)
        forget_green(green);
    return result;
}

cudaError_t impl_cudaExecutionCtxGetDevResource(cudaExecutionContext_t ctx,
                                                cudaDevResource *resource,
                                                enum cudaDevResourceType type)
{
    CUgreenCtx green;

    if (!ctx)
        return cudaErrorInvalidValue;
    green = find_green(ctx);
    if (green)
        return rt_result(rt_driver.cuGreenCtxGetDevResource(
            green, (CUdevResource *)(void *)resource, (CUdevResourceType)type));
    return rt_result(rt_driver.cuCtxGetDevResource(
        rt_execution_context(ctx), (CUdevResource *)(void *)resource, (CUdevResourceType)type));
}

cudaError_t impl_cudaExecutionCtxGetDevice(int *device, cudaExecutionContext_t ctx)
{
    if (!device || !ctx)
        return cudaErrorInvalidValue;
    return rt_result(rt_driver.cuCtxGetDevice_v2(device, rt_execution_context(ctx)));
}

cudaError_t impl_cudaExecutionCtxGetId(cudaExecutionContext_t ctx, unsigned long long *ctxId)
{
    CUgreenCtx green;

    if (!ctx || !ctxId)
        return cudaErrorInvalidValue;
    green = find_green(ctx);
    if (green)
        return rt_result(rt_driver.cuGreenCtxGetId(green, ctxId));
    return rt_result(rt_driver.cuCtxGetId(rt_execution_context(ctx), ctxId));
}

/* The driver makes streams in the current context. */
static cudaError_t create_primary_stream(cudaStream_t *stream, CUcontext context, unsigned flags,
                                         int priority)
{
    CUresult result = rt_driver.cuCtxPushCurrent_v2(context);
    CUcontext popped;

    if (result != CUDA_SUCCESS)
        return rt_result(result);
    result = rt_driver.cuStreamCreateWithPriority(stream, flags, priority);
    rt_driver.cuCtxPopCurrent_v2(&popped);
    return rt_result(result);
}

/* Streams of green contexts never synchronise with the legacy default stream, and the driver wants
 * that to be said. */
cudaError_t impl_cudaExecutionCtxStreamCreate(cudaStream_t *phStream, cudaExecutionContext_t ctx,
                                              unsigned int flags, int priority)
{
    CUgreenCtx green;

    if (!phStream || !ctx || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    green = find_green(ctx);
    if (green)
        return rt_result(rt_driver.cuGreenCtxStreamCreate(phStream, green,
                                                          flags | cudaStreamNonBlocking, priority));
    return create_primary_stream(phStream, rt_execution_context(ctx), flags, priority);
}

cudaError_t impl_cudaExecutionCtxSynchronize(cudaExecutionContext_t ctx)
{
    if (!ctx)
        return cudaErrorInvalidValue;
    return rt_result(rt_driver.cuCtxSynchronize_v2(rt_execution_context(ctx)));
}

cudaError_t impl_cudaExecutionCtxRecordEvent(cudaExecutionContext_t ctx, cudaEvent_t event)
{
    CUgreenCtx green;

    if (!ctx)
        return cudaErrorInvalidValue;
    green = find_green(ctx);
    return rt_result(green ? rt_driver.cuGreenCtxRecordEvent(green, event)
                           : rt_driver.cuCtxRecordEvent(rt_execution_context(ctx), event));
}

cudaError_t impl_cudaExecutionCtxWaitEvent(cudaExecutionContext_t ctx, cudaEvent_t event)
{
    CUgreenCtx green;

    if (!ctx)
        return cudaErrorInvalidValue;
    green = find_green(ctx);
    return rt_result(green ? rt_driver.cuGreenCtxWaitEvent(green, event)
                           : rt_driver.cuCtxWaitEvent(rt_execution_context(ctx), event));
}
