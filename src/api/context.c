/* SPDX-License-Identifier: MIT */
/* Context management. Settings that have no effect here (caches, banks) are stored and returned. A
 * null context means the current one where it does in NVIDIA's driver. */
#include "api/context_flags.h"
#include "core/error.h"
#include "core/precondition.h"
#include "device/context.h"
#include "device/limits.h"
#include "impl.h"
#include "interop/egl_image.h"
#include "memory/pools.h"

#include <stdbool.h>

/* The API version of all contexts since the ABI's sizes became 64 bits wide. */
enum { CONTEXT_API_VERSION = 3020 };

static CUresult current_context(struct CUctx_st **context)
{
    *context = cup_context_current_exact();
    if (!*context)
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "no context is current");
    return CUDA_SUCCESS;
}

static CUresult is_destroyed(const struct CUctx_st *context)
{
    return cup_error(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context %p has been destroyed",
                     (const void *)context);
}

/* The current context, unless it has ended. */
static CUresult live_current_context(struct CUctx_st **context)
{
    CUresult result = current_context(context);

    if (result == CUDA_SUCCESS && !cup_context_is_live(*context))
        return is_destroyed(*context);
    return result;
}

/* Finds the context of a handle; NULL means the current one. Takes a reference. */
static CUresult find_context(CUcontext handle, struct CUctx_st **context)
{
    CUresult result;

    if (handle)
        return cup_context_find_exact(handle, context);
    result = current_context(context);
    if (result == CUDA_SUCCESS)
        cup_context_ref(*context);
    return result;
}

/* The same, unless the context has ended. */
static CUresult find_live_context(CUcontext handle, struct CUctx_st **context)
{
    CUresult result = find_context(handle, context);

    if (result != CUDA_SUCCESS || cup_context_is_live(*context))
        return result;
    result = is_destroyed(*context);
    cup_context_unref(*context);
    return result;
}

static CUresult no_output(void)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the result is NULL");
}

/* Creation. */

static CUresult check_create(const CUcontext *output, unsigned flags, CUdevice ordinal,
                             struct cup_device **device)
{
    *device = cup_device_get(ordinal);
    if (!*device)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist", ordinal);
    if (!output)
        return no_output();
    if (!cup_api_context_flags_valid(flags))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid context flags: 0x%x", flags);
    return CUDA_SUCCESS;
}

/* Contexts cannot be limited to a part of a device. */
static CUresult check_affinity(const CUexecAffinityParam *params, int count)
{
    if (count <= 0)
        return CUDA_SUCCESS;
    if (!params)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%d affinity parameters without an array",
                         count);
    return cup_error(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "contexts have no execution affinity");
}

/* Contexts cannot share the device with a graphics queue. */
static CUresult check_graphics(const CUctxCigParam *params)
{
    if (params->sharedDataType == CIG_DATA_TYPE_D3D12_COMMAND_QUEUE ||
        (params->sharedDataType == CIG_DATA_TYPE_NV_BLOB && params->sharedData))
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "graphics queues are not supported");
    return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid kind of graphics queue: %d",
                     (int)params->sharedDataType);
}

static CUresult create_current(CUcontext *output, unsigned flags, struct cup_device *device)
{
    struct CUctx_st *context;
    CUresult result = cup_device_look(device);

    if (result != CUDA_SUCCESS)
        return cup_error(result, "device %d is lost", device->ordinal);
    if (flags & CU_CTX_USER_COREDUMP_ENABLE)
        flags = (flags & ~(unsigned)CU_CTX_USER_COREDUMP_ENABLE) | CU_CTX_COREDUMP_ENABLE;
    result = cup_context_create(device, flags, CONTEXT_API_VERSION, false, &context);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_context_push(context);
    if (result != CUDA_SUCCESS) {
        cup_context_end(context);
        return result;
    }
    *output = context;
    return CUDA_SUCCESS;
}

/* The first form, for programs with 32-bit device pointers. NVIDIA's driver has such a context only
 * while there is no other; here it always fails. */
CUresult impl_cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = check_create(pctx, flags, dev, &device);

    if (result != CUDA_SUCCESS)
        return result;
    cup_context_skip_id();
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "contexts with 32-bit addresses are not supported");
}

CUresult impl_cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return impl_cuCtxCreate_v3(pctx, NULL, 0, flags, dev);
}

CUresult impl_cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
                             unsigned int flags, CUdevice dev)
{
    struct cup_device *device;
    CUresult result = check_create(pctx, flags, dev, &device);

    if (result == CUDA_SUCCESS)
        result = check_affinity(paramsArray, numParams);
    if (result != CUDA_SUCCESS)
        return result;
    return create_current(pctx, flags, device);
}

CUresult impl_cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams,
                             unsigned int flags, CUdevice dev)
{
    struct cup_device *device;
    CUresult result;

    if (!ctxCreateParams)
        return impl_cuCtxCreate_v3(pctx, NULL, 0, flags, dev);
    result = check_create(pctx, flags, dev, &device);
    if (result == CUDA_SUCCESS && ctxCreateParams->cigParams &&
        ctxCreateParams->numExecAffinityParams > 0)
        result = cup_error(CUDA_ERROR_NOT_SUPPORTED, "affinity together with a graphics queue");
    if (result == CUDA_SUCCESS && ctxCreateParams->cigParams)
        result = check_graphics(ctxCreateParams->cigParams);
    if (result != CUDA_SUCCESS)
        return result;
    return impl_cuCtxCreate_v3(pctx, ctxCreateParams->execAffinityParams,
                               ctxCreateParams->numExecAffinityParams, flags, dev);
}

/* Pops the context from the calling thread's stack, if it is on top, and destroys it. */
static void destroy(struct CUctx_st *context)
{
    struct CUctx_st *popped;

    if (context == cup_context_current_exact()) {
        cup_context_pop(&popped);
        cup_context_unref(popped);
    }
    cup_context_end(context);
}

CUresult impl_cuCtxDestroy_v2(CUcontext ctx)
{
    struct CUctx_st *context;

    if (!ctx)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no context");
    CUresult result = cup_precondition_init();
    if (result != CUDA_SUCCESS)
        return result;
    if (ctx == cup_context_current_exact() && !ctx->is_primary && !cup_context_is_live(ctx))
        return is_destroyed(ctx);
    if (cup_context_find_exact(ctx, &context) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context->is_primary || cup_context_is_green(context)) {
        cup_context_unref(context);
        return cup_error(CUDA_ERROR_INVALID_CONTEXT,
                         "neither primary nor green contexts can be destroyed here");
    }
    cup_device_look(context->device);
    destroy(context);
    cup_context_unref(context);
    return CUDA_SUCCESS;
}

/* Attach and detach count users of the current context; the last one to leave destroys it, unless
 * it is a primary context, which has a count of its own. */

CUresult impl_cuCtxAttach(CUcontext *pctx, unsigned int flags)
{
    struct CUctx_st *context;
    CUresult result = live_current_context(&context);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pctx)
        return no_output();
    if (flags != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags must be 0, not 0x%x", flags);
    cup_lock_acquire(&context->lock);
    context->attach_count++;
    cup_lock_release(&context->lock);
    *pctx = context;
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxDetach(CUcontext ctx)
{
    struct CUctx_st *context;
    bool last;
    CUresult result = live_current_context(&context);

    if (result != CUDA_SUCCESS)
        return result;
    if (ctx != context)
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "the context is not current");
    cup_lock_acquire(&context->lock);
    last = context->attach_count == 1;
    if (!last)
        context->attach_count--;
    cup_lock_release(&context->lock);
    if (last && !context->is_primary && !cup_context_is_green(context)) {
        cup_context_ref(context);
        destroy(context);
        cup_context_unref(context);
    }
    return CUDA_SUCCESS;
}

/* The thread's stack. A destroyed context can be pushed; every use of it is an error. */

CUresult impl_cuCtxPushCurrent_v2(CUcontext ctx)
{
    struct CUctx_st *context;
    CUresult result;

    if (!ctx)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no context");
    result = cup_context_find_any(ctx, &context);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_context_push(context);
    cup_context_unref(context);
    return result;
}

CUresult impl_cuCtxPopCurrent_v2(CUcontext *pctx)
{
    struct CUctx_st *context;
    CUresult result = current_context(&context);

    if (result != CUDA_SUCCESS)
        return result;
    cup_context_pop(&context);
    if (pctx)
        *pctx = context;
    cup_context_unref(context);
    return CUDA_SUCCESS;
}

/* NULL pops the stack; the context below becomes current again. */
CUresult impl_cuCtxSetCurrent(CUcontext ctx)
{
    struct CUctx_st *context;
    CUresult result;

    if (!ctx)
        return cup_context_set_current(NULL);
    if (ctx == cup_context_current_exact())
        return CUDA_SUCCESS;
    result = cup_context_find_any(ctx, &context);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_context_set_current(context);
    cup_context_unref(context);
    return result;
}

CUresult impl_cuCtxGetCurrent(CUcontext *pctx)
{
    if (!pctx)
        return no_output();
    *pctx = cup_context_current_exact();
    return CUDA_SUCCESS;
}

/* Queries. These also work for a context with a sticky error, and some for a destroyed one. */

CUresult impl_cuCtxGetDevice(CUdevice *device)
{
    struct CUctx_st *context;
    CUresult result;

    if (!device)
        return no_output();
    result = current_context(&context);
    if (result == CUDA_SUCCESS)
        *device = context->device->ordinal;
    return result;
}

CUresult impl_cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
    struct CUctx_st *context;
    CUresult result;

    if (!device)
        return no_output();
    result = find_context(ctx, &context);
    if (result != CUDA_SUCCESS)
        return result;
    *device = context->device->ordinal;
    cup_context_unref(context);
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    struct CUctx_st *context;
    CUresult result = find_live_context(ctx, &context);

    if (result != CUDA_SUCCESS)
        return ctx ? CUDA_ERROR_INVALID_CONTEXT : result;
    if (version)
        *version = context->api_version;
    cup_context_unref(context);
    return version ? CUDA_SUCCESS : no_output();
}

CUresult impl_cuCtxGetId(CUcontext ctx, unsigned long long *ctxId)
{
    struct CUctx_st *context;
    CUresult result;

    if (!ctxId)
        return no_output();
    result = find_live_context(ctx, &context);
    if (result != CUDA_SUCCESS)
        return result;
    *ctxId = context->id;
    cup_context_unref(context);
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetFlags(unsigned int *flags)
{
    struct CUctx_st *context;
    CUresult result;

    if (!flags)
        return no_output();
    result = current_context(&context);
    if (result == CUDA_SUCCESS)
        *flags = atomic_load(&context->owner->flags);
    return result;
}

CUresult impl_cuCtxSetFlags(unsigned int flags)
{
    struct CUctx_st *context;
    CUresult result = live_current_context(&context);

    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_api_context_flags_valid(flags))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid context flags: 0x%x", flags);
    cup_context_set_flags(context->owner, flags);
    return CUDA_SUCCESS;
}

/* Waiting. */

static CUresult synchronize(struct CUctx_st *context)
{
    CUresult result = cup_context_synchronize(context);

    cup_pools_synchronized(NULL);
    cup_egl_image_sync();
    return result;
}

CUresult impl_cuCtxSynchronize(void)
{
    return synchronize(cup_context_current_exact());
}

CUresult impl_cuCtxSynchronize_v2(CUcontext ctx)
{
    struct CUctx_st *context;
    CUresult result = find_context(ctx, &context);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_context_usable(context);
    if (result == CUDA_SUCCESS)
        result = synchronize(context);
    cup_context_unref(context);
    return result;
}

/* Settings of the current context, which the precondition has found usable. */

CUresult impl_cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
    if (!pvalue)
        return no_output();
    return cup_limit_get(cup_context_current(), limit, pvalue);
}

CUresult impl_cuCtxSetLimit(CUlimit limit, size_t value)
{
    struct CUctx_st *context = cup_context_current();
    bool waits = false;
    CUresult result = cup_limit_set(context, limit, value, &waits);

    if (waits)
        cup_context_synchronize(context);
    return result;
}

CUresult impl_cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
    struct CUctx_st *context = cup_context_current();

    if (!pconfig)
        return no_output();
    cup_lock_acquire(&context->lock);
    *pconfig = context->cache_config;
    cup_lock_release(&context->lock);
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxSetCacheConfig(CUfunc_cache config)
{
    struct CUctx_st *context = cup_context_current();

    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid preference: %d", (int)config);
    cup_lock_acquire(&context->lock);
    context->cache_config = config;
    cup_lock_release(&context->lock);
    return CUDA_SUCCESS;
}

/* Banks of shared memory are four bytes wide on current devices, whatever is set. */
CUresult impl_cuCtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
    if (!pConfig)
        return no_output();
    *pConfig = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    if ((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid bank size: %d", (int)config);
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    if (leastPriority)
        *leastPriority = CUP_PRIORITY_LEAST;
    if (greatestPriority)
        *greatestPriority = CUP_PRIORITY_GREATEST;
    return CUDA_SUCCESS;
}

/* There is no L2 cache with persisting lines to reset. */
CUresult impl_cuCtxResetPersistingL2Cache(void)
{
    return CUDA_SUCCESS;
}

/* A context uses all of its device; a green context does not, but has no affinity. */
CUresult impl_cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type)
{
    if (cup_context_is_green(cup_context_current_exact()))
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "a green context has no affinity");
    if (!pExecAffinity)
        return no_output();
    pExecAffinity->type = type;
    if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
        return cup_error(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "invalid affinity type %d",
                         (int)type);
    pExecAffinity->param.smCount.val = (unsigned)cup_device_property(
        cup_context_current()->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return CUDA_SUCCESS;
}
