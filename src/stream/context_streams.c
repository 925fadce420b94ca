/* SPDX-License-Identifier: MIT */
#include "stream/context_streams.h"

#include "core/checks.h"
#include "core/error.h"
#include "stream/stream.h"

#include <stdlib.h>

/* The number of hold streams ever created. While it is 0, new streams need not look for one. */
static _Atomic(unsigned) hold_streams;

static bool is_visible(const struct CUstream_st *stream)
{
    return stream->kind != CUP_STREAM_JOIN && stream->kind != CUP_STREAM_HOLD &&
           stream->kind != CUP_STREAM_PEER;
}

/* What new work of a stream of the context waits for: the hold streams of the whole context and,
 * for a stream of a green context, those of that. */
static bool is_hold_of(const struct CUstream_st *stream, const struct CUctx_st *context)
{
    return stream->kind == CUP_STREAM_HOLD && (!stream->green || stream->green == context);
}

static bool is_visible_of(const struct CUstream_st *stream, const struct CUctx_st *context)
{
    return is_visible(stream) && cup_stream_is_of(stream, context);
}

static size_t count_locked(const struct CUctx_st *context)
{
    size_t count = 0;

    cup_lock_assert_held(&context->lock);
    for (const struct cup_list *each = context->streams.next; each != &context->streams;
         each = each->next)
        count++;
    return count;
}

/* Lists all such streams of the context, which may be a green one; NULL if out of memory. */
static struct cup_stream_list *list_streams(const struct CUctx_st *context,
                                            bool (*wanted)(const struct CUstream_st *stream,
                                                           const struct CUctx_st *context))
{
    struct CUctx_st *owner = context->owner;

    cup_lock_acquire(&owner->lock);
    struct cup_stream_list *list =
        malloc(sizeof(*list) + count_locked(owner) * sizeof(list->streams[0]));
    if (list) {
        list->count = 0;
        cup_list_each (each, &owner->streams, struct CUstream_st, context_link) {
            if (wanted(each, context) && cup_object_try_ref(&each->base))
                list->streams[list->count++] = each;
        }
    }
    cup_lock_release(&owner->lock);
    return list;
}

void cup_stream_list_free(struct cup_stream_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        cup_stream_unref(list->streams[i]);
    free(list);
}

struct cup_stream_list *cup_stream_list_visible(const struct CUctx_st *context)
{
    return list_streams(context, is_visible_of);
}

void cup_stream_note_hold(void)
{
    atomic_fetch_add(&hold_streams, 1);
}

CUresult cup_stream_wait_stream(struct CUstream_st *stream, struct CUstream_st *first)
{
    cup_check_stream_waits_stream(stream, first);
    return cup_stream_wait_point(stream, cup_stream_tail(first));
}

CUresult cup_stream_hold(struct CUstream_st *stream)
{
    CUresult result = CUDA_SUCCESS;

    if (cup_likely(atomic_load(&hold_streams) == 0) || !is_visible(stream))
        return CUDA_SUCCESS;
    struct cup_stream_list *list =
        list_streams(stream->green ? stream->green : stream->context, is_hold_of);
    if (!list)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to list a context's streams");
    for (size_t i = 0; i < list->count && result == CUDA_SUCCESS; i++)
        result = cup_stream_wait_stream(stream, list->streams[i]);
    cup_stream_list_free(list);
    return result;
}
