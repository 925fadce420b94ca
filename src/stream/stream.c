/* SPDX-License-Identifier: MIT */
/* Creation and destruction of stream objects. stream_find.c has their look-up, queue.c their
 * execution. */
#include "stream/stream.h"

#include "core/checks.h"
#include "core/error.h"
#include "core/trace.h"
#include "stream/attribute.h"
#include "stream/context_streams.h"
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
    made->operations = &cup_stream_operations;
    made->kind = kind;
    made->flags = flags;
    cup_stream_set_priority(made, priority);
    cup_stream_attributes_init(made);
    made->blocking = !(flags & CU_STREAM_NON_BLOCKING);
    made->id = made->trace_id = atomic_fetch_add(&next_id, 1);
    cup_lock_init(&made->lock, CUP_RANK_STREAM);
    link_to_context(made, context);
    CUresult result = cup_stream_hold(made);
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
