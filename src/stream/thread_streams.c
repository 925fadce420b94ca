/* SPDX-License-Identifier: MIT */
/* Each thread has a short list of its streams, released when the thread ends. Pending work still
 * runs, because a stream lives until its queue is empty. */
#include "stream/thread_streams.h"

#include "core/error.h"
#include "core/thread.h"
#include "stream/stream.h"

#include <stdlib.h>

struct cup_thread_stream {
    struct cup_thread_stream *next;
    struct CUstream_st *stream; /* a reference is held, and with it one on its context */
};

CUP_THREAD_STATE(streams, struct cup_thread_stream *); /* the first of the list */

static void drop(struct cup_thread_stream *entry)
{
    cup_stream_destroy(entry->stream, CUP_RETIRED_DESTROYED);
    cup_stream_unref(entry->stream);
    free(entry);
}

static void thread_ends(struct cup_thread *self)
{
    struct cup_thread_stream **first = cup_thread_streams(self);

    while (*first) {
        struct cup_thread_stream *entry = *first;
        *first = entry->next;
        drop(entry);
    }
}

/* Drops streams whose context has ended, so that the list stays short in a thread that uses many
 * contexts. */
static void drop_ended(void)
{
    struct cup_thread_stream **link = cup_thread_streams(cup_thread_self());

    while (*link) {
        struct cup_thread_stream *entry = *link;
        if (atomic_load(&entry->stream->base.stamp) <= CUP_RETIRED_LAST) {
            *link = entry->next;
            drop(entry);
        } else {
            link = &entry->next;
        }
    }
}

static struct cup_thread_stream *lookup(struct CUctx_st *context)
{
    for (struct cup_thread_stream *entry = *cup_thread_streams(cup_thread_self()); entry;
         entry = entry->next) {
        if (entry->stream->context == context &&
            atomic_load(&entry->stream->base.stamp) > CUP_RETIRED_LAST)
            return entry;
    }
    return NULL;
}

CUresult cup_stream_of_thread(struct CUctx_st *context, struct CUstream_st **stream)
{
    struct cup_thread_stream *entry = lookup(context);

    if (!entry) {
        drop_ended();
        entry = calloc(1, sizeof(*entry));
        if (!entry)
            return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a per-thread stream");
        CUresult result =
            cup_stream_create(context, CUP_STREAM_PER_THREAD, CU_STREAM_DEFAULT, 0, &entry->stream);
        if (result != CUDA_SUCCESS) {
            free(entry);
            return result;
        }
        struct cup_thread_stream **first = cup_thread_streams(cup_thread_self());
        cup_thread_at_end(CUP_SLOT_streams, thread_ends);
        entry->next = *first;
        *first = entry;
    }
    cup_stream_ref(entry->stream);
    *stream = entry->stream;
    return CUDA_SUCCESS;
}
