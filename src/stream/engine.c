/* SPDX-License-Identifier: MIT */
/* One lock guards the lists of what workers do: ready streams, a list per priority, queues of tasks
 * and offers. A worker that looks for work reads counts first, so it takes the lock only if there
 * is something on a list; teams need no lock at all. The lock is held for a moment at a time, so
 * workers try for a while before they sleep (an adaptive mutex). */
#include "stream/engine.h"

#include "core/compiler.h"
#include "core/config.h"
#include "core/log.h"
#include "os/futex.h"
#include "os/mutex.h"
#include "os/thread.h"
#include "stream/arrivals.h"
#include "stream/deferred.h"
#include "stream/engine_team.h"
#include "stream/stream.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { PRIORITY_COUNT = CUP_PRIORITY_LEAST - CUP_PRIORITY_GREATEST + 1 };

/* Leaf mutex: guards the ready lists of streams and the workers. */
static pthread_mutex_t lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
#define EMPTY(i) CUP_LIST_INITIALIZER(ready[i])
static struct cup_list ready[] = {EMPTY(0), EMPTY(1), EMPTY(2), EMPTY(3), EMPTY(4), EMPTY(5)};
#undef EMPTY
_Static_assert(CUP_ARRAY_COUNT(ready) == PRIORITY_COUNT, "a list for each priority");
static _Atomic(unsigned) ready_count;                         /* written under lock */
static struct cup_list queues = CUP_LIST_INITIALIZER(queues); /* open ones, the latest first */
static _Atomic(unsigned) queue_count;                         /* written under lock */
static struct cup_list offers = CUP_LIST_INITIALIZER(offers);
static _Atomic(unsigned) offer_count;  /* written under lock */
static unsigned offers_running;        /* guarded by lock */
static _Atomic(unsigned) worker_count; /* written under lock */
static _Atomic(unsigned) idle_count;   /* workers that sleep, or are about to; written under lock */
static _Atomic(unsigned) woken_count;  /* of those, how many were woken for a task */
static _Atomic(bool) started;
static _Atomic(bool) stopping;

static void ready_append_locked(struct CUstream_st *stream)
{
    cup_mutex_assert_held(&lock);
    unsigned bucket = (unsigned)(CUP_PRIORITY_LEAST - atomic_load(&stream->priority));

    cup_list_append(&ready[bucket], &stream->ready_link);
    stream->ready_linked = true;
    if (atomic_load(&stream->completed) >= stream->overdue)
        stream->ready_tick = atomic_load_explicit(&cup_watchdog_ticks, memory_order_relaxed);
    ready_count++;
}

static void ready_unlink_locked(struct CUstream_st *stream)
{
    cup_mutex_assert_held(&lock);
    cup_list_remove(&stream->ready_link);
    stream->ready_linked = false;
    ready_count--;
}

static struct CUstream_st *ready_first_locked(void)
{
    cup_mutex_assert_held(&lock);
    for (int bucket = PRIORITY_COUNT - 1; bucket >= 0; bucket--) {
        if (!cup_list_is_empty(&ready[bucket]))
            return cup_list_entry(ready[bucket].next, struct CUstream_st, ready_link);
    }
    return NULL;
}

static struct CUstream_st *ready_at_locked(unsigned index)
{
    cup_mutex_assert_held(&lock);
    for (int bucket = PRIORITY_COUNT - 1; bucket >= 0; bucket--) {
        cup_list_each (s, &ready[bucket], struct CUstream_st, ready_link) {
            if (index-- == 0)
                return s;
        }
    }
    return NULL;
}

static struct CUstream_st *ready_oldest_locked(void)
{
    cup_mutex_assert_held(&lock);
    struct CUstream_st *oldest = NULL;

    for (int bucket = PRIORITY_COUNT - 1; bucket >= 0; bucket--) {
        cup_list_each (s, &ready[bucket], struct CUstream_st, ready_link) {
            if (!oldest || (int32_t)(s->ready_tick - oldest->ready_tick) < 0)
                oldest = s;
        }
    }
    return oldest;
}

/* True if a ready stream needs a worker, which takes precedence over helping a team. */
static bool stream_waits(void)
{
    return atomic_load_explicit(&ready_count, memory_order_relaxed) && !cup_schedule_deferred();
}

/* Waking a thread takes microseconds, so each thread wakes at most two, which wake two others each
 * before they begin: the owner of a team soon starts to work itself. */
static void wake_workers(unsigned wanted)
{
    enum { WAKES_MAX = 2 };
    unsigned sleeping = atomic_load(&idle_count);
    unsigned count = wanted < sleeping ? wanted : sleeping;

    cup_arrivals_wake(count < WAKES_MAX ? count : WAKES_MAX);
}

/* Tells workers of work for up to `wanted` threads. */
static void announce(unsigned wanted)
{
    wake_workers(cup_arrivals_add(wanted));
}

/* A thread that was woken wakes others before it joins: the owner of the team does not wait for
 * that. */
static bool help_team(bool *was_woken)
{
    unsigned wanted = *was_woken ? cup_engine_team_wanted() : 0;

    if (wanted > 1)
        wake_workers(wanted - 1);
    struct cup_engine_team *team = cup_engine_team_join();
    if (!team)
        return false;
    *was_woken = false;
    while (cup_engine_team_work_once(team) && !stream_waits())
        ;
    cup_engine_team_leave(team);
    return true;
}

static bool task_is_ready(struct cup_task_queue *queue)
{
    for (uint32_t i = 0; i < queue->ring_count; i++) {
        if (atomic_load(&queue->rings[i].head) < atomic_load(&queue->rings[i].tail))
            return true;
    }
    return false;
}

static struct cup_task_queue *queue_ready_locked(void)
{
    cup_mutex_assert_held(&lock);
    cup_list_each (queue, &queues, struct cup_task_queue, link) {
        if (task_is_ready(queue))
            return queue;
    }
    return NULL;
}

/* The pusher reserves the slot first and fills it a moment later. */
static bool ring_take(struct cup_task_ring *ring, uint32_t *task)
{
    uint32_t head = atomic_load(&ring->head), slot;

    do {
        if (head >= atomic_load(&ring->tail))
            return false;
    } while (!atomic_compare_exchange_weak(&ring->head, &head, head + 1));
    while ((slot = atomic_load_explicit(&ring->slots[head], memory_order_acquire)) == 0)
        cup_relax();
    atomic_store_explicit(&ring->slots[head], 0, memory_order_relaxed);
    *task = slot - 1;
    return true;
}

static bool task_take(struct cup_task_queue *queue, uint32_t *task)
{
    for (uint32_t i = 0; i < queue->ring_count; i++) {
        if (ring_take(&queue->rings[i], task))
            return true;
    }
    return false;
}

void cup_engine_work(struct cup_task_queue *queue)
{
    uint32_t task;

    while (task_take(queue, &task))
        queue->run(queue, task);
}

/* Takes a hold on a queue whose run is not over. A queue whose run is over stays listed until its
 * `finish` has the lock; a hold on it would finish the run a second time. */
static bool queue_hold_locked(struct cup_task_queue *queue)
{
    cup_mutex_assert_held(&lock);
    uint64_t pending = atomic_load(&queue->pending);

    while (pending != 0) {
        if (atomic_compare_exchange_weak(&queue->pending, &pending, pending + 1))
            return true;
    }
    return false;
}

/* Called and returns with the lock held; released while helping. A stream that waits for a worker
 * comes first: the thread that opened the queue continues with it. */
static void help_queue(struct cup_task_queue *queue)
{
    uint32_t task;

    if (!queue_hold_locked(queue))
        return;
    pthread_mutex_unlock(&lock);
    while (task_take(queue, &task)) {
        queue->run(queue, task);
        if (stream_waits())
            break;
    }
    cup_engine_settle(queue, 1);
    pthread_mutex_lock(&lock);
}

enum { OFFER_NONE, OFFER_MADE, OFFER_RUNNING };

static struct cup_offer *offer_first_locked(void)
{
    cup_mutex_assert_held(&lock);
    if (cup_list_is_empty(&offers) || offers_running + 1 >= worker_count)
        return NULL;
    return cup_list_entry(offers.next, struct cup_offer, link);
}

/* Called and returns with the lock held; released while the offer runs. */
static void run_offer(struct cup_offer *offer)
{
    cup_list_remove(&offer->link);
    offer_count--;
    atomic_store(&offer->state, OFFER_RUNNING);
    offers_running++;
    pthread_mutex_unlock(&lock);
    offer->run(offer);
    pthread_mutex_lock(&lock);
    offers_running--;
    /* Once the owner sees this it may free the offer: touch nothing afterwards. */
    _Atomic(uint32_t) *state = &offer->state;
    atomic_store(state, OFFER_NONE);
    cup_futex_wake(state, INT_MAX);
}

/* Runs a ready stream, if there is one. */
static bool run_stream(void)
{
    pthread_mutex_lock(&lock);
    struct CUstream_st *stream = stream_waits() ? ready_first_locked() : NULL;
    if (stream)
        ready_unlink_locked(stream);
    pthread_mutex_unlock(&lock);
    if (!stream)
        return false;
    stream->operations->run(stream);
    cup_stream_unref(stream);
    return true;
}

/* Works on what is on the other two lists. */
static bool run_listed(void)
{
    struct cup_task_queue *queue;
    struct cup_offer *offer = NULL;

    pthread_mutex_lock(&lock);
    if ((queue = queue_ready_locked()))
        help_queue(queue);
    else if ((offer = offer_first_locked()))
        run_offer(offer);
    pthread_mutex_unlock(&lock);
    return queue || offer;
}

static bool work_once(bool *was_woken)
{
    return (stream_waits() && run_stream()) || help_team(was_woken) ||
           ((atomic_load(&queue_count) || atomic_load(&offer_count)) && run_listed());
}

/* Nobody spins on a machine of few processors. One worker at least does not spin, so that a
 * processor is left for the program. Tasks are pushed to an open queue without an arrival, so
 * workers sleep then, where the pusher sees them. */
static bool spin(uint32_t seen, uint32_t *spin_ns)
{
    return cup_engine_spins() && !atomic_load(&queue_count) &&
           cup_arrivals_spin(seen, worker_count - 1, spin_ns);
}

/* Tasks are pushed without the lock: either this check sees the task, or the pusher sees the
 * sleeper. */
static void sleep_until_work(uint32_t seen)
{
    pthread_mutex_lock(&lock);
    idle_count++;
    bool sleeps = !queue_ready_locked() && !atomic_load(&stopping);
    pthread_mutex_unlock(&lock);
    if (sleeps)
        cup_arrivals_sleep(seen);
    pthread_mutex_lock(&lock);
    idle_count--;
    if (woken_count)
        woken_count--;
    pthread_mutex_unlock(&lock);
}

static void *worker_main(void *argument)
{
    bool was_woken = true;
    uint32_t spin_ns = 0;

    (void)argument;
    while (!atomic_load_explicit(&stopping, memory_order_relaxed)) {
        uint32_t seen = cup_arrivals_seen();

        if (work_once(&was_woken))
            continue;
        was_woken = !spin(seen, &spin_ns);
        if (was_woken)
            sleep_until_work(seen);
    }
    return NULL;
}

static void start_locked(void)
{
    cup_mutex_assert_held(&lock);
    unsigned wanted = cup_config_get()->threads;

    while (worker_count < wanted) {
        char name[16];
        snprintf(name, sizeof(name), "cupipe work %u", worker_count % 1000);
        if (!cup_os_thread_start(worker_main, NULL, name))
            break;
        worker_count++;
    }
    atomic_store(&started, true);
    if (worker_count == 0)
        cup_schedule_defer(); /* threads that wait then run the work */
    if (worker_count < wanted)
        cup_log(CUP_LOG_WARNING, "only %u of %u worker threads could be started", worker_count,
                wanted);
}

static void start(void)
{
    if (cup_likely(atomic_load_explicit(&started, memory_order_acquire)))
        return;
    pthread_mutex_lock(&lock);
    if (!started)
        start_locked();
    pthread_mutex_unlock(&lock);
}

/* A stream that a waiting thread claimed and released may still be on the list; the worker that
 * removes it finds it READY. */
void cup_engine_add(struct CUstream_st *stream)
{
    start();
    pthread_mutex_lock(&lock);
    if (!stream->ready_linked) {
        cup_stream_ref(stream);
        ready_append_locked(stream);
    }
    pthread_mutex_unlock(&lock);
    announce(1);
    if (cup_unlikely(cup_schedule_deferred()))
        cup_watchdog_wake();
}

bool cup_engine_remove(struct CUstream_st *stream)
{
    pthread_mutex_lock(&lock);
    bool linked = stream->ready_linked;
    if (linked)
        ready_unlink_locked(stream);
    pthread_mutex_unlock(&lock);
    if (linked)
        cup_stream_unref(stream);
    return linked;
}

struct CUstream_st *cup_engine_take(unsigned (*choose)(unsigned count))
{
    struct CUstream_st *stream = NULL;

    pthread_mutex_lock(&lock);
    if (ready_count) {
        stream = ready_at_locked(choose(ready_count));
        ready_unlink_locked(stream);
    }
    pthread_mutex_unlock(&lock);
    return stream;
}

struct CUstream_st *cup_engine_take_older(uint32_t tick)
{
    pthread_mutex_lock(&lock);
    struct CUstream_st *stream = stopping ? NULL : ready_oldest_locked();
    if (stream && (int32_t)(stream->ready_tick - tick) > 0)
        stream = NULL;
    if (stream) {
        stream->overdue = cup_stream_submitted(stream);
        ready_unlink_locked(stream);
    }
    pthread_mutex_unlock(&lock);
    return stream;
}

bool cup_engine_has_ready(void)
{
    pthread_mutex_lock(&lock);
    bool has_ready = ready_count != 0 && !stopping;
    pthread_mutex_unlock(&lock);
    return has_ready;
}

void cup_engine_parallel(void (*action)(void *argument, size_t part), void *argument, size_t parts)
{
    cup_engine_parallel_within(UINT_MAX, action, argument, parts);
}

void cup_engine_parallel_within(unsigned width, void (*action)(void *argument, size_t part),
                                void *argument, size_t parts)
{
    if (parts == 0)
        return;
    start();
    struct cup_engine_team *team = cup_engine_team_open(action, argument, parts, width - 1);
    if (cup_unlikely(!team)) {
        for (size_t part = 0; part < parts; part++)
            action(argument, part);
        return;
    }
    announce(cup_engine_team_wanted());
    action(argument, 0);
    while (cup_engine_team_work_once(team))
        ;
    cup_engine_team_close(team, cup_engine_spins());
}

bool cup_engine_spins(void)
{
    enum { SPINNERS_MIN = 4 };

    return cup_config_get()->threads >= SPINNERS_MIN;
}

void cup_engine_open(struct cup_task_queue *queue, uint32_t tasks)
{
    for (uint32_t i = 0; i < queue->ring_count; i++) {
        atomic_store(&queue->rings[i].head, 0);
        atomic_store(&queue->rings[i].tail, 0);
    }
    atomic_store(&queue->pending, tasks * CUP_TASK_ONE + 1);
    start();
    pthread_mutex_lock(&lock);
    cup_list_insert(&queues, &queue->link);
    queue_count++;
    pthread_mutex_unlock(&lock);
    cup_arrivals_add(0); /* for those who spin */
}

void cup_engine_close(struct cup_task_queue *queue)
{
    pthread_mutex_lock(&lock);
    cup_list_remove(&queue->link);
    queue_count--;
    pthread_mutex_unlock(&lock);
}

void cup_engine_push(struct cup_task_queue *queue, uint32_t ring, uint32_t task)
{
    uint32_t place = atomic_fetch_add(&queue->rings[ring].tail, 1);

    atomic_store_explicit(&queue->rings[ring].slots[place], task + 1, memory_order_release);
    if (cup_likely(atomic_load(&idle_count) <= atomic_load(&woken_count)))
        return;
    pthread_mutex_lock(&lock);
    bool wakes = idle_count > woken_count;
    if (wakes)
        woken_count++;
    pthread_mutex_unlock(&lock);
    if (wakes) {
        cup_arrivals_add(0);
        cup_arrivals_wake(1);
    }
}

void cup_engine_offer(struct cup_offer *offer)
{
    start();
    pthread_mutex_lock(&lock);
    atomic_store(&offer->state, OFFER_MADE);
    cup_list_append(&offers, &offer->link);
    offer_count++;
    pthread_mutex_unlock(&lock);
    announce(1);
}

void cup_engine_withdraw(struct cup_offer *offer)
{
    if (cup_likely(atomic_load(&offer->state) == OFFER_NONE))
        return;
    pthread_mutex_lock(&lock);
    if (atomic_load(&offer->state) == OFFER_MADE) {
        cup_list_remove(&offer->link);
        offer_count--;
        atomic_store(&offer->state, OFFER_NONE);
    }
    pthread_mutex_unlock(&lock);
    while (atomic_load(&offer->state) == OFFER_RUNNING)
        cup_futex_wait(&offer->state, OFFER_RUNNING, -1);
}

bool cup_engine_is_wanted(void)
{
    return stream_waits();
}

unsigned cup_engine_width(void)
{
    return cup_config_get()->threads;
}

void cup_engine_stop(void)
{
    pthread_mutex_lock(&lock);
    atomic_store(&stopping, true);
    pthread_mutex_unlock(&lock);
    cup_arrivals_add(0);
    cup_arrivals_wake(INT_MAX);
}
