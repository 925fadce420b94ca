/* SPDX-License-Identifier: MIT */
/* A short list per thread, given back when the thread ends: work still pending runs on, for the
 * stream lives until its queue is empty. */
#include "stream/thread_streams.h"

#include "core/compiler.h"
#include "core/error.h"
#include "stream/stream.h"

#include <pthread.h>
#include <stdlib.h>

struct thread_stream {
    struct thread_stream *next;
    struct CUstream_st *stream; /* a reference is held, and with it one on its context */
};

static CUP_THREAD_LOCAL struct thread_stream *streams;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void drop(struct thread_stream *entry)
{
    cup_stream_destroy(entry->stream, CUP_FATE_DESTROYED);
    cup_stream_unref(entry->stream);
    free(entry);
}

static void thread_ends(void *unused)
{
    (void)unused;
    while (streams) {
        struct thread_stream *entry = streams;
        streams = entry->next;
        drop(entry);
    }
}

static void make_key(void)
{
    pthread_key_create(&key, thread_ends);
}

/* Forgets streams whose context has ended, so that a thread that sees many contexts keeps few. */
static void drop_ended(void)
{
    struct thread_stream **link = &streams;

    while (*link) {
        struct thread_stream *entry = *link;
        if (atomic_load(&entry->stream->base.stamp) <= CUP_FATE_CONTEXT_RESET) {
            *link = entry->next;
            drop(entry);
        } else {
            link = &entry->next;
        }
    }
}

static struct thread_stream *lookup(struct CUctx_st *context)
{
    for (struct thread_stream *entry = streams; entry; entry = entry->next) {
        if (entry->stream->context == context &&
            atomic_load(&entry->stream->base.stamp) > CUP_FATE_CONTEXT_RESET)
            return entry;
    }
    return NULL;
}

CUresult cup_thread_stream(struct CUctx_st *context, struct CUstream_st **stream)
{
    struct thread_stream *entry = lookup(context);

    if (!entry) {
        pthread_once(&key_once, make_key);
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
        entry->next = streams;
        streams = entry;
        pthread_setspecific(key, entry); /* any value but NULL: thread_ends is called */
    }
    cup_stream_ref(entry->stream);
    *stream = entry->stream;
    return CUDA_SUCCESS;
}
