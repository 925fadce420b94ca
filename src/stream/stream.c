/* SPDX-License-Identifier: MIT */
/* Creation, lookup and destruction of stream objects. queue.c has submission and execution. */
#include "stream/stream.h"

#include "core/checks.h"
#include "core/call.h"
#include "core/error.h"
#include "core/thread.h"
#include "core/trace.h"
#include "stream/attribute.h"
#include "stream/context_event.h"
#include "stream/thread_streams.h"
#include "stream/upcalls.h"

static _Atomic(uint64_t) next_id = 1;

static void stream_finish(struct cup_object *object)
{
    struct CUstream_st *stream = (struct CUstream_st *)object;
    struct CUctx_st *context = stream->context;

    cup_check_stream_destroyed(stream);
    cup_lock_finish(&stream->lock);
    if (!context)
        return;
    cup_lock_acquire(&context->lock);
    cup_list_remove(&stream->context_link);
    cup_lock_release(&context->lock);
    if (stream->green && stream->kind != CUP_STREAM_GREEN)
        cup_context_unref(stream->green);
    if (stream->kind != CUP_STREAM_LEGACY)
        cup_context_unref(context);
}

void cup_stream_register(void)
{
    cup_object_register(CUP_OBJECT_STREAM, sizeof(struct CUstream_st), stream_finish);
}

static void link_to_context(struct CUstream_st *stream, struct CUctx_st *context)
{
    if (cup_context_is_green(context)) {
        stream->green = context;
        if (stream->kind != CUP_STREAM_GREEN)
            cup_context_ref(context);
        context = context->owner;
    }
    stream->context = context;
    /* The legacy stream lives exactly as long as its context, and the default stream of a green
     * context as long as that; a reference would be a cycle. */
    if (stream->kind != CUP_STREAM_LEGACY)
        cup_context_ref(context);
    cup_lock_acquire(&context->lock);
    cup_list_insert(&context->streams, &stream->context_link);
    cup_lock_release(&context->lock);
}

void cup_stream_set_priority(struct CUstream_st *stream, int priority)
{
    if (priority < CUP_PRIORITY_GREATEST)
        priority = CUP_PRIORITY_GREATEST;
    if (priority > CUP_PRIORITY_LEAST)
        priority = CUP_PRIORITY_LEAST;
    atomic_store(&stream->priority, priority);
}

uint64_t cup_stream_newest_id(void)
{
    return atomic_load(&next_id) - 1;
}

CUresult cup_stream_create(struct CUctx_st *context, enum cup_stream_kind kind, unsigned flags,
                           int priority, struct CUstream_st **stream)
{
    struct cup_object *object = cup_object_create(CUP_OBJECT_STREAM);

    if (!object)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a stream");
    struct CUstream_st *made = (struct CUstream_st *)object;
    if (cup_context_is_green(context))
        flags |= CU_STREAM_NON_BLOCKING;
    made->kind = kind;
    made->flags = flags;
    cup_stream_set_priority(made, priority);
    cup_stream_attributes_init(made);
    made->blocking = !(flags & CU_STREAM_NON_BLOCKING);
    made->id = made->trace_id = atomic_fetch_add(&next_id, 1);
    cup_lock_init(&made->lock, CUP_RANK_STREAM);
    link_to_context(made, context);
    CUresult result = cup_event_context_hold(made);
    if (result != CUDA_SUCCESS) {
        cup_stream_unref(made);
        return result;
    }
    if (kind == CUP_STREAM_CREATED || kind == CUP_STREAM_GREEN)
        cup_trace_stream(made->id, made);
    /* From here on the context may destroy the stream, in another thread. */
    if (kind != CUP_STREAM_CREATED && kind != CUP_STREAM_LEGACY && kind != CUP_STREAM_GREEN)
        cup_stream_ref(made);
    cup_object_publish(object);
    *stream = made;
    return CUDA_SUCCESS;
}

void cup_stream_destroy(struct CUstream_st *stream, enum cup_retire_reason reason)
{
    if (!cup_object_retire(&stream->base, reason))
        return;
    if (cup_stream_is_capturing(stream))
        cup_stream_upcalls.end_capture(stream);
    if (reason != CUP_RETIRED_DETACHED)
        cup_stream_unref(stream); /* the handle's */
}

bool cup_stream_destroy_detached(CUstream handle)
{
    struct cup_object *object = cup_object_retire_again(
        CUP_OBJECT_STREAM, handle, CUP_RETIRED_DETACHED, CUP_RETIRED_DESTROYED);

    if (object)
        cup_object_unref(object); /* the handle's */
    return object != NULL;
}

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
