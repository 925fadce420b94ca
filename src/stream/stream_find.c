/* SPDX-License-Identifier: MIT */
/* Streams by their handles, the default streams included. */
#include "core/call.h"
#include "core/error.h"
#include "core/thread.h"
#include "stream/stream.h"
#include "stream/thread_streams.h"
#include "stream/upcalls.h"

static CUresult find_default(bool per_thread, struct CUstream_st **stream)
{
    struct CUctx_st *context = cup_context_current_exact();

    if (cup_thread_self()->in_host_function)
        return cup_error(CUDA_ERROR_NOT_PERMITTED, "a host function cannot use a default stream");
    if (!context)
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "no context is current");
    CUresult result = cup_context_usable(context);
    if (result != CUDA_SUCCESS)
        return result;
    if (per_thread && cup_context_is_green(context))
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "a green context has no per-thread streams");
    if (per_thread)
        return cup_stream_of_thread(context, stream);
    if (cup_unlikely(cup_call_hooks_load() & CUP_HOOK_CAPTURE) && !cup_context_is_green(context)) {
        result = cup_stream_upcalls.check_legacy(context);
        if (result != CUDA_SUCCESS)
            return result;
    }
    *stream = context->legacy;
    cup_stream_ref(*stream);
    return CUDA_SUCCESS;
}

CUresult cup_stream_find(CUstream handle, struct CUstream_st **stream)
{
    struct cup_object *object;

    if (handle == NULL || handle == CU_STREAM_LEGACY)
        return find_default(false, stream);
    if (handle == CU_STREAM_PER_THREAD)
        return find_default(true, stream);
    CUresult result = cup_object_find(CUP_OBJECT_STREAM, handle, &object);
    if (cup_unlikely(result != CUDA_SUCCESS))
        return cup_error(result, "%p is %s", (void *)handle,
                         result == CUDA_ERROR_STREAM_DETACHED
                             ? "a stream of a destroyed green context: destroy it, too"
                             : "not a stream");
    struct CUstream_st *found = (struct CUstream_st *)object;
    result = cup_context_usable(found->context);
    if (cup_unlikely(result != CUDA_SUCCESS)) {
        cup_stream_unref(found);
        return result;
    }
    *stream = found;
    return CUDA_SUCCESS;
}
