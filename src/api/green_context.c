/* SPDX-License-Identifier: MIT */
/* Device resources and green contexts. NVIDIA's driver looks for missing arguments before it asks
 * whether it is initialised, so most of these functions check the precondition themselves. */
#include "impl.h"
#include "core/driver_version.h"
#include "core/error.h"
#include "core/precondition.h"
#include "device/resource.h"
#include "stream/context_event.h"
#include "stream/event.h"
#include "stream/green.h"

static CUresult no_output(void)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE, "no place for the answer");
}

/* The output, then the precondition. */
static CUresult check(const void *output)
{
    return output ? cup_precondition_init() : no_output();
}

static CUresult no_green(void)
{
    return cup_error(CUDA_ERROR_INVALID_CONTEXT, "no green context");
}

/* Resources. */

CUresult impl_cuDeviceGetDevResource(CUdevice device, CUdevResource *resource,
                                     CUdevResourceType type)
{
    struct cup_device *found = cup_device_get(device);

    if (!found)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "there is no device %d", device);
    if (!resource)
        return no_output();
    struct cup_sm_set sms = cup_sm_set_all(found);
    struct cup_workqueue workqueue = cup_workqueue_default();
    return cup_device_resource_get(found, &sms, &workqueue, type, resource);
}

static CUresult context_resource(const struct CUctx_st *context, CUdevResource *resource,
                                 CUdevResourceType type)
{
    bool is_green = cup_context_is_green(context);
    struct cup_sm_set sms = is_green ? *context->sms : cup_sm_set_all(context->device);
    struct cup_workqueue workqueue = is_green ? context->workqueue : cup_workqueue_default();

    return cup_device_resource_get(context->device, &sms, &workqueue, type, resource);
}

/* Writes the resource of a context and drops the reference on it. */
static CUresult get_resource(struct CUctx_st *context, CUdevResource *resource,
                             CUdevResourceType type)
{
    CUresult result = context_resource(context, resource, type);

    cup_context_unref(context);
    return result;
}

CUresult impl_cuCtxGetDevResource(CUcontext hCtx, CUdevResource *resource, CUdevResourceType type)
{
    struct CUctx_st *context;
    CUresult result = check(resource);

    if (result == CUDA_SUCCESS)
        result = cup_context_find_exact(hCtx, &context);
    return result == CUDA_SUCCESS ? get_resource(context, resource, type) : result;
}

CUresult impl_cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource *resource,
                                       CUdevResourceType type)
{
    struct CUctx_st *context;
    CUresult result = check(resource);

    if (result == CUDA_SUCCESS)
        result = cup_green_find(hCtx, &context);
    return result == CUDA_SUCCESS ? get_resource(context, resource, type) : result;
}

CUresult impl_cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *nbGroups,
                                          const CUdevResource *input, CUdevResource *remaining,
                                          unsigned int useFlags, unsigned int minCount)
{
    return cup_device_resource_split(result, nbGroups, input, remaining, useFlags, minCount);
}

CUresult impl_cuDevSmResourceSplit(CUdevResource *result, unsigned int nbGroups,
                                   const CUdevResource *input, CUdevResource *remainder,
                                   unsigned int flags, CU_DEV_SM_RESOURCE_GROUP_PARAMS *groupParams)
{
    if (!input || !groupParams || nbGroups == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no input or no groups");
    if (flags != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the flags are 0x%x and must be 0", flags);
    return cup_device_resource_split_groups(result, nbGroups, input, remainder, groupParams);
}

/* A stream has the multiprocessors of its context, but no workqueue. */
CUresult impl_cuStreamGetDevResource(CUstream hStream, CUdevResource *resource,
                                     CUdevResourceType type)
{
    struct CUstream_st *stream;

    if (!resource)
        return no_output();
    CUresult result = cup_stream_find(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (type != CU_DEV_RESOURCE_TYPE_SM)
        result = cup_error(CUDA_ERROR_INVALID_RESOURCE_TYPE, "a stream has no resource of type %d",
                           (int)type);
    else
        result = context_resource(stream->green ? stream->green : stream->context, resource, type);
    cup_stream_unref(stream);
    return result;
}

CUresult impl_cuDevResourceGenerateDesc(CUdevResourceDesc *phDesc, CUdevResource *resources,
                                        unsigned int nbResources)
{
    CUresult result = check(phDesc ? resources : NULL);

    return result == CUDA_SUCCESS ? cup_device_resource_describe(resources, nbResources, phDesc)
                                  : result;
}

/* Green contexts. The manual does not say what a green context made with CU_GREEN_CTX_NONE lacks;
 * it has a default stream, too, since it can be made current. */

CUresult impl_cuGreenCtxCreate(CUgreenCtx *phCtx, CUdevResourceDesc desc, CUdevice dev,
                               unsigned int flags)
{
    struct cup_device *device = cup_device_get(dev);
    struct CUdevResourceDesc_st *descriptor;
    struct CUctx_st *context;

    if (!device)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "there is no device %d", dev);
    if (!phCtx)
        return no_output();
    if (flags != CU_GREEN_CTX_DEFAULT_STREAM &&
        (flags != CU_GREEN_CTX_NONE || !cup_driver_has(13030)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no green context has the flags 0x%x", flags);
    CUresult result = cup_device_resource_find(desc, &descriptor);
    if (result != CUDA_SUCCESS)
        return result;
    if (descriptor->device != device)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a descriptor of device %d for device %d",
                         descriptor->device->ordinal, dev);
    result = cup_green_create(device, descriptor, &context);
    if (result == CUDA_SUCCESS)
        *phCtx = (CUgreenCtx)context;
    return result;
}

CUresult impl_cuGreenCtxDestroy(CUgreenCtx hCtx)
{
    struct CUctx_st *context;
    CUresult result = cup_green_find(hCtx, &context);

    if (result != CUDA_SUCCESS)
        return result;
    cup_green_destroy(context);
    cup_context_unref(context);
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxFromGreenCtx(CUcontext *pContext, CUgreenCtx hCtx)
{
    struct CUctx_st *context;

    CUresult result = check(pContext);

    if (result == CUDA_SUCCESS)
        result = cup_green_find(hCtx, &context);
    if (result != CUDA_SUCCESS)
        return result;
    *pContext = context;
    cup_context_unref(context);
    return CUDA_SUCCESS;
}

/* NULL means the current context, which must be a green one. */
CUresult impl_cuGreenCtxGetId(CUgreenCtx greenCtx, unsigned long long *greenCtxId)
{
    struct CUctx_st *context;

    CUresult result = check(greenCtxId);

    if (!greenCtx)
        greenCtx = (CUgreenCtx)cup_context_current_exact();
    if (result == CUDA_SUCCESS)
        result = cup_green_find(greenCtx, &context);
    if (result != CUDA_SUCCESS)
        return result;
    *greenCtxId = context->id;
    cup_context_unref(context);
    return CUDA_SUCCESS;
}

CUresult impl_cuGreenCtxStreamCreate(CUstream *phStream, CUgreenCtx greenCtx, unsigned int flags,
                                     int priority)
{
    struct CUctx_st *context;

    if (!phStream)
        return no_output();
    if (!greenCtx)
        return no_green();
    CUresult result = cup_precondition_init();
    if (result != CUDA_SUCCESS)
        return result;
    if (flags != CU_STREAM_NON_BLOCKING)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a green context's streams are non-blocking");
    result = cup_green_find(greenCtx, &context);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_context_usable(context);
    if (result == CUDA_SUCCESS)
        result = cup_stream_create(context, CUP_STREAM_CREATED, flags, priority, phStream);
    cup_context_unref(context);
    return result;
}

CUresult impl_cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx *phCtx)
{
    struct CUstream_st *stream;

    if (!phCtx)
        return no_output();
    CUresult result = cup_precondition_handle();
    if (result == CUDA_SUCCESS)
        result = cup_stream_find(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    *phCtx = (CUgreenCtx)stream->green;
    cup_stream_unref(stream);
    return CUDA_SUCCESS;
}

/* Events of a whole green context. Any event can be waited for; one that is recorded must belong to
 * the primary context. */

static CUresult with_event(CUgreenCtx green, CUevent handle,
                           CUresult (*action)(struct CUctx_st *context, struct CUevent_st *event))
{
    struct CUctx_st *context;
    struct CUevent_st *event;
    CUresult result = green ? cup_precondition_init() : no_green();

    if (result == CUDA_SUCCESS)
        result = cup_green_find(green, &context);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_event_find(handle, &event);
    if (result == CUDA_SUCCESS) {
        result = action(context, event);
        cup_event_unref(event);
    }
    cup_context_unref(context);
    return result;
}

static CUresult record(struct CUctx_st *context, struct CUevent_st *event)
{
    if (event->context != context->owner)
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "the event is of another context");
    return cup_event_context_record(context, event);
}

CUresult impl_cuGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent)
{
    return with_event(hCtx, hEvent, record);
}

CUresult impl_cuGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent)
{
    return with_event(hCtx, hEvent, cup_event_context_wait);
}
