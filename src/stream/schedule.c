/* SPDX-License-Identifier: MIT */
/* The deferred schedules, lazy and random. Both run one job at a time in the calling thread.
 *
 * To wait for a point, lazy follows the chain from the point's stream to whatever it is parked on
 * and runs the one stream at its end. If the chain ends in something that no schedule can run (a
 * running host function, a value in memory), other ready streams run too, because the chain may
 * depend on them: a legal program never hangs, it only runs late. */
#include "stream/schedule.h"

#include "core/config.h"
#include "core/lock.h"
#include "os/clock.h"
#include "os/futex.h"
#include "stream/engine.h"
#include "stream/stream.h"

static bool is_random;
static struct cup_lock random_lock = CUP_LOCK_INITIALIZER(CUP_RANK_RANDOM);
static uint64_t random_state; /* guarded by random_lock */

void cup_schedule_init(void)
{
    const struct cup_config *config = cup_config_get();

    is_random = config->schedule == CUP_CONFIG_SCHEDULE_RANDOM;
    random_state = config->schedule_seed;
    if (config->schedule != CUP_CONFIG_SCHEDULE_EAGER)
        cup_schedule_defer();
}

/* splitmix64: every seed is usable. */
static uint64_t draw(void)
{
    cup_lock_acquire(&random_lock);
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    cup_lock_release(&random_lock);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static unsigned choose_random(unsigned count)
{
    return (unsigned)(draw() % count);
}

static unsigned choose_first(unsigned count)
{
    (void)count;
    return 0;
}

enum {
    PATIENCE_NS = 50000000, /* time that a host function gets before other work is tried */
    NAP_NS = 1000000,
};

/* The same for a kernel without a visible wait in its code, and for work of the host. */
static const uint64_t kernel_patience_ns = 2000000000;

/* Sleeps until the point is reached or `timeout_ns` has passed. */
static void wait_for_progress(struct cup_point point, uint64_t timeout_ns)
{
    struct CUstream_st *stream = point.stream;
    uint64_t deadline_ns = cup_clock_ns() + timeout_ns, now_ns;

    atomic_fetch_add(&stream->sleepers, 1);
    for (;;) {
        uint32_t progress = atomic_load(&stream->progress);
        if (cup_point_reached(point) || (now_ns = cup_clock_ns()) >= deadline_ns)
            break;
        cup_futex_wait(&stream->progress, progress, (int64_t)(deadline_ns - now_ns));
    }
    atomic_fetch_sub(&stream->sleepers, 1);
}

/* Waits, within a limit, until a host function or kernel that runs in another thread is over and
 * its stream is released, so that the choice of the next job does not depend on how long it
 * takes. */
static void wait_for_host_function(struct CUstream_st *stream, uint32_t before,
                                   uint64_t patience_ns)
{
    uint64_t deadline_ns = cup_clock_ns() + patience_ns, now_ns;

    while (atomic_load(&stream->host_functions) == before &&
           (now_ns = cup_clock_ns()) < deadline_ns)
        cup_futex_wait(&stream->host_functions, before, (int64_t)(deadline_ns - now_ns));
}

/* How long to wait for a job that runs in another thread; 0 if it runs in this one. */
static uint64_t patience_for(const struct cup_job *job)
{
    if (job && job->kind == CUP_JOB_HOST_FUNCTION)
        return PATIENCE_NS;
    return job && (job->is_kernel || job->kind == CUP_JOB_HOST_WORK) ? kernel_patience_ns : 0;
}

/* Runs one job of a stream that was just claimed. */
static void run_one(struct CUstream_st *stream)
{
    uint32_t host_functions = atomic_load(&stream->host_functions);
    uint64_t patience_ns = patience_for(stream->head);

    cup_stream_ref(stream);
    cup_stream_run(stream, atomic_load(&stream->completed) + 1);
    if (patience_ns)
        wait_for_host_function(stream, host_functions, patience_ns);
    cup_stream_unref(stream);
}

/* Runs one job of a stream that the engine returned. */
static bool step_taken(struct CUstream_st *stream)
{
    if (!stream)
        return false;
    if (cup_stream_claim(stream))
        run_one(stream);
    cup_stream_unref(stream);
    return true;
}

bool cup_schedule_run_any(void)
{
    return step_taken(cup_engine_take(is_random ? choose_random : choose_first));
}

bool cup_schedule_run_older(uint32_t tick)
{
    return step_taken(cup_engine_take_older(tick));
}

/* Returns the stream at the end of the chain of waits from `stream`, with a reference. */
static struct CUstream_st *end_of_chain(struct CUstream_st *stream)
{
    cup_stream_ref(stream);
    for (;;) {
        struct CUstream_st *next = NULL;
        cup_lock_acquire(&stream->lock);
        if (cup_stream_get_state(stream) == CUP_STREAM_PARKED && stream->parked_on.stream) {
            next = stream->parked_on.stream;
            cup_stream_ref(next);
        }
        cup_lock_release(&stream->lock);
        if (!next)
            return stream;
        cup_stream_unref(stream);
        stream = next;
    }
}

/* Runs one job of the stream that delays the point; false if there is nothing to run there. */
static bool step_needed(struct cup_point point)
{
    struct CUstream_st *stream = end_of_chain(point.stream);
    bool ran = cup_stream_claim(stream);

    if (ran) {
        cup_engine_remove(stream);
        run_one(stream);
    }
    cup_stream_unref(stream);
    return ran;
}

/* Runs one job that the point depends on; after a while without such a job, any job. */
static bool step_towards(struct cup_point point)
{
    _Atomic(uint64_t) *stuck_since_ns = &point.stream->stuck_since_ns;

    if (is_random)
        return cup_schedule_run_any();
    if (step_needed(point)) {
        atomic_store(stuck_since_ns, 0);
        return true;
    }
    uint64_t now_ns = cup_clock_ns(), since_ns = 0;
    if (atomic_compare_exchange_strong(stuck_since_ns, &since_ns, now_ns))
        return false;
    return now_ns > since_ns + PATIENCE_NS && cup_schedule_run_any();
}

void cup_schedule_wait(struct cup_point point)
{
    while (!cup_point_reached(point)) {
        if (!step_towards(point))
            wait_for_progress(point,
                              NAP_NS); /* a host function or a value in memory must make progress */
    }
    atomic_store(&point.stream->stuck_since_ns, 0); /* the next wait starts its own timeout */
}

void cup_schedule_submitted(void)
{
    if (!is_random)
        return;
    while (draw() % 2 == 0 && cup_schedule_run_any())
        ;
}

void cup_schedule_asked(struct cup_point point)
{
    if (cup_point_reached(point))
        return;
    if (is_random)
        cup_schedule_submitted();
    else
        step_towards(point);
}
