/* SPDX-License-Identifier: MIT */
/* Waiting for points, streams and contexts, and asking whether a stream has reached its end. A
 * thread that waits runs the stream itself if no other thread does. */
#include "core/checks.h"
#include "core/compiler.h"
#include "os/futex.h"
#include "stream/spin.h"
#include "stream/engine.h"
#include "stream/schedule.h"
#include "stream/stream.h"

static _Atomic(cup_wait_help *) wait_help; /* NULL: nobody helps */

void cup_stream_set_wait_help(cup_wait_help *help)
{
    atomic_store(&wait_help, help);
}

static int is_reached(const void *point)
{
    return cup_point_reached(*(const struct cup_point *)point);
}

/* Most waits are short, and waking a thread takes longer than they do. Help comes first: the time
 * before it would be lost to what it brings about. */
static void sleep_until(struct cup_point point)
{
    enum { SPIN_NS = 50000, SPIN_NS_SHORT = 5000 };
    struct CUstream_st *stream = point.stream;
    cup_wait_help *help = atomic_load_explicit(&wait_help, memory_order_acquire);

    if (cup_unlikely(help != NULL))
        help(is_reached, &point);
    if (cup_spin_until(is_reached, &point, cup_engine_spins() && !help ? SPIN_NS : SPIN_NS_SHORT))
        return;
    atomic_fetch_add(&stream->sleepers, 1);
    for (;;) {
        uint32_t progress = atomic_load(&stream->progress);
        if (cup_point_reached(point))
            break;
        cup_futex_wait(&stream->progress, progress, -1);
    }
    atomic_fetch_sub(&stream->sleepers, 1);
}

void cup_point_wait(struct cup_point point)
{
    if (cup_point_reached(point))
        return;
    if (cup_schedule_deferred()) {
        cup_schedule_wait(point);
        return;
    }
    /* No thread runs the stream: running it here is cheaper than waking a worker. */
    if (cup_stream_claim(point.stream)) {
        cup_engine_remove(point.stream);
        cup_stream_run(point.stream, point.sequence);
    }
    sleep_until(point);
}

/* Finds the busy stream with the smallest id above *after and up to `last`. Writes its end, with a
 * reference, and its id in *after. The point's stream is NULL if the stream has just become idle.
 * Returns false if no stream is busy. */
static bool next_busy(struct CUctx_st *context, bool blocking_only, uint64_t *after, uint64_t last,
                      struct cup_point *end)
{
    struct CUstream_st *found = NULL;

    cup_lock_acquire(&context->owner->lock);
    cup_list_each (each, &context->owner->streams, struct CUstream_st, context_link) {
        if (each->id > *after && each->id <= last && (!found || each->id < found->id) &&
            (each->blocking || !blocking_only) && cup_stream_is_of(each, context) &&
            cup_stream_is_busy(each))
            found = each;
    }
    if (found) {
        *after = found->id;
        *end = cup_stream_tail(found);
        if (!cup_object_try_ref(&found->base))
            end->stream = NULL;
    }
    cup_lock_release(&context->owner->lock);
    return found != NULL;
}

/* Waits for each stream once, so that threads that keep submitting cannot block the caller for
 * ever. */
void cup_stream_wait_all(struct CUctx_st *context, bool blocking_only)
{
    uint64_t busy_least = blocking_only ? CUP_BUSY_BLOCKING : CUP_BUSY_ANY;
    uint64_t last = cup_stream_newest_id(), after = 0;
    struct cup_point end;

    while (atomic_load(&context->owner->busy_streams) >= busy_least &&
           next_busy(context, blocking_only, &after, last, &end)) {
        if (!end.stream)
            continue;
        cup_point_wait(end);
        cup_stream_unref(end.stream);
    }
    cup_check_host_waited_context(context, blocking_only);
}

CUresult cup_stream_synchronize(struct CUstream_st *stream)
{
    if (cup_stream_is_legacy(stream))
        cup_stream_wait_all(stream->context, true); /* the work that its next job would wait for */
    cup_point_wait(cup_stream_tail(stream));
    cup_check_host_waited_stream(stream);
    cup_context_show_output(stream->context);
    return cup_device_look(stream->context->device);
}

/* Tells a deferred schedule that the caller asks for the work that the legacy stream waits for. */
static void ask_for_others(struct CUctx_st *context)
{
    uint64_t after = 0;
    struct cup_point end;

    if (!next_busy(context, true, &after, UINT64_MAX, &end) || !end.stream)
        return;
    cup_schedule_asked(end);
    cup_stream_unref(end.stream);
}

/* True if all blocking streams are done. A worker counts a stream as busy for a moment after its
 * last job, when a thread that waited for the job may already have continued. */
static bool others_reached_end(struct CUctx_st *context)
{
    bool reached = true;

    cup_lock_acquire(&context->lock);
    cup_list_each (each, &context->streams, struct CUstream_st, context_link) {
        reached = !each->blocking || cup_point_reached(cup_stream_tail(each));
        if (!reached)
            break;
    }
    cup_lock_release(&context->lock);
    return reached;
}

bool cup_stream_reached_end(struct CUstream_st *stream)
{
    struct cup_point tail = cup_stream_tail(stream);
    bool reached = cup_point_reached(tail);

    if (reached && (!cup_stream_is_legacy(stream) || !cup_stream_must_follow_others(stream) ||
                    others_reached_end(stream->context)))
        return true;
    if (cup_unlikely(cup_schedule_deferred())) {
        if (reached)
            ask_for_others(stream->context);
        else
            cup_schedule_asked(tail);
    }
    return false;
}
