/* SPDX-License-Identifier: MIT */
/* Creation, end and look-up of green contexts. */
#include "stream/green.h"

#include "core/error.h"
#include "device/primary.h"

CUresult cup_green_create(struct cup_device *device, const struct CUdevResourceDesc_st *descriptor,
                          struct CUctx_st **context)
{
    struct CUctx_st *primary, *made;
    CUresult result = cup_primary_retain_green(device, &primary);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_context_create_green(primary, descriptor, &made);
    if (result != CUDA_SUCCESS)
        goto release_primary;
    result = cup_stream_create(made, CUP_STREAM_GREEN, CU_STREAM_NON_BLOCKING, CUP_PRIORITY_LEAST,
                               &made->legacy);
    if (result != CUDA_SUCCESS)
        goto free_context;
    cup_object_publish(&made->base);
    *context = made;
    return CUDA_SUCCESS;

free_context:
    cup_context_unref(made);
release_primary:
    cup_primary_release_green(device);
    return result;
}

void cup_green_destroy(struct CUctx_st *context)
{
    struct cup_device *device = context->device;

    if (cup_context_end(context))
        cup_primary_release_green(device);
}

CUresult cup_green_find(CUgreenCtx handle, struct CUctx_st **context)
{
    struct CUctx_st *found;
    CUresult result = cup_context_find_exact((CUcontext)handle, &found);

    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_context_is_green(found)) {
        cup_context_unref(found);
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "%p is no green context", (void *)handle);
    }
    *context = found;
    return CUDA_SUCCESS;
}
