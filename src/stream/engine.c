/* SPDX-License-Identifier: MIT */
/* One lock, one list of ready streams per priority, one list of teams. A team is work that splits
 * into parts. Its owner works on it too, so it completes even if no worker is free. Idle workers
 * sleep on one condition variable. The lock is held for a moment at a time, and many workers want
 * it when a team begins or ends, so they try for a while before they sleep (an adaptive mutex). */
#include "stream/engine.h"

#include "core/compiler.h"
#include "core/config.h"
#include "core/log.h"
#include "os/clock.h"
#include "os/futex.h"
#include "os/mutex.h"
#include "os/thread.h"
#include "stream/deferred.h"
#include "stream/stream.h"

#include <limits.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>

enum { PRIORITY_COUNT = CUP_PRIORITY_LEAST - CUP_PRIORITY_GREATEST + 1 };

struct team {
    struct team *next;
    void (*action)(void *argument, size_t part);
    void *argument;
    size_t parts;
    unsigned helpers, helpers_max; /* workers inside; guarded by lock */
    _Atomic(uint32_t) finished;    /* futex: no helper is inside any more */
    /* All threads write it, so it has a cache line of its own. */
    alignas(CUP_CACHE_LINE) _Atomic(size_t) next_part;
};

/* Leaf mutex: guards the ready lists of streams and the workers. */
static pthread_mutex_t lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t work_arrived = PTHREAD_COND_INITIALIZER;
#define EMPTY(i) CUP_LIST_INITIALIZER(ready[i])
static struct cup_list ready[] = {EMPTY(0), EMPTY(1), EMPTY(2), EMPTY(3), EMPTY(4), EMPTY(5)};
#undef EMPTY
_Static_assert(CUP_ARRAY_COUNT(ready) == PRIORITY_COUNT, "a list for each priority");
static _Atomic(unsigned) ready_count; /* written under lock */
static struct team *teams;
static struct cup_list queues = CUP_LIST_INITIALIZER(queues); /* open ones, the latest first */
static struct cup_list offers = CUP_LIST_INITIALIZER(offers);
static unsigned offers_running; /* guarded by lock */
static unsigned worker_count;
static _Atomic(unsigned) idle_count;  /* workers that sleep, or are about to; written under lock */
static _Atomic(unsigned) woken_count; /* of those, how many were woken for a task */
static _Atomic(uint32_t) arrivals;    /* of streams, teams and queues; written under lock */
static unsigned spinning_count;       /* workers in spin_for_work; guarded by lock */
static bool started, stopping;

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

static bool team_work_once(struct team *team)
{
    size_t part = atomic_fetch_add(&team->next_part, 1);

    if (part >= team->parts)
        return false;
    team->action(team->argument, part);
    return true;
}

static struct team *team_open_locked(void)
{
    cup_mutex_assert_held(&lock);
    for (struct team *team = teams; team; team = team->next) {
        if (atomic_load(&team->next_part) < team->parts && team->helpers < team->helpers_max)
            return team;
    }
    return NULL;
}

/* Waking a thread takes microseconds, so each thread wakes at most two, which wake two others each
 * when they begin to help: the owner of a team soon starts to work itself. */
static unsigned helpers_to_wake_locked(const struct team *team)
{
    cup_mutex_assert_held(&lock);
    size_t next = atomic_load(&team->next_part) + 1; /* the caller takes one part itself */
    size_t left = next < team->parts ? team->parts - next : 0;
    unsigned wanted = team->helpers_max - team->helpers, most = 2;

    most = wanted < most ? wanted : most;
    most = left < most ? (unsigned)left : most;
    return idle_count < most ? idle_count : most;
}

/* Without the lock, which a woken thread needs at once. */
static void wake_workers(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        pthread_cond_signal(&work_arrived);
}

/* Called and returns with the lock held; released while helping. */
static void help_team(struct team *team)
{
    team->helpers++;
    atomic_store(&team->finished, 0);
    unsigned woken = helpers_to_wake_locked(team);
    pthread_mutex_unlock(&lock);
    wake_workers(woken);
    while (team_work_once(team) && !stream_waits())
        ;
    pthread_mutex_lock(&lock);
    if (--team->helpers == 0) {
        /* Once the owner sees this it may return and free the team: touch nothing afterwards. */
        _Atomic(uint32_t) *finished = &team->finished;
        atomic_store(finished, 1);
        cup_futex_wake(finished, 1);
    }
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

/* Nobody spins on a machine of few processors. */
enum { SPINNERS_MIN = 4, SPIN_NS = 20000 };

static void spin_while(_Atomic(uint32_t) *word, uint32_t value)
{
    uint64_t end_ns = cup_clock_ns() + SPIN_NS;

    while (atomic_load_explicit(word, memory_order_relaxed) == value && cup_clock_ns() < end_ns)
        cup_relax();
}

/* Work often follows work: it then finds workers that are awake. At most half of the workers spin,
 * so that processors are left for the program. Tasks are pushed to an open queue without the lock,
 * so workers sleep then, where the pusher sees them. */
static bool may_spin_locked(void)
{
    cup_mutex_assert_held(&lock);
    return worker_count >= SPINNERS_MIN && spinning_count < worker_count / 2 &&
           cup_list_is_empty(&queues);
}

/* Called and returns with the lock held; released while spinning. Returns true if work arrived. */
static bool spin_for_work(void)
{
    uint32_t seen = arrivals;

    spinning_count++;
    pthread_mutex_unlock(&lock);
    spin_while(&arrivals, seen);
    pthread_mutex_lock(&lock);
    spinning_count--;
    return arrivals != seen;
}

static void *worker_main(void *argument)
{
    bool has_spun = false;

    (void)argument;
    pthread_mutex_lock(&lock);
    while (!stopping) {
        struct CUstream_st *stream = stream_waits() ? ready_first_locked() : NULL;
        struct cup_task_queue *queue;
        struct cup_offer *offer;
        struct team *team;
        if (stream) {
            ready_unlink_locked(stream);
            pthread_mutex_unlock(&lock);
            stream->operations->run(stream);
            cup_stream_unref(stream);
            pthread_mutex_lock(&lock);
        } else if ((team = team_open_locked())) {
            help_team(team);
        } else if ((queue = queue_ready_locked())) {
            help_queue(queue);
        } else if ((offer = offer_first_locked())) {
            run_offer(offer);
        } else if (!has_spun && may_spin_locked()) {
            has_spun = !spin_for_work();
        } else {
            has_spun = false;
            /* Tasks are pushed without the lock: either this check sees the task, or the pusher
             * sees the sleeper. */
            idle_count++;
            if (!queue_ready_locked())
                pthread_cond_wait(&work_arrived, &lock);
            idle_count--;
            if (woken_count)
                woken_count--;
        }
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void start_locked(void)
{
    cup_mutex_assert_held(&lock);
    unsigned wanted = cup_config_get()->threads;

    started = true;
    while (worker_count < wanted) {
        char name[16];
        snprintf(name, sizeof(name), "cupipe work %u", worker_count % 1000);
        if (!cup_os_thread_start(worker_main, NULL, name))
            break;
        worker_count++;
    }
    if (worker_count == 0)
        cup_schedule_defer(); /* threads that wait then run the work */
    if (worker_count < wanted)
        cup_log(CUP_LOG_WARNING, "only %u of %u worker threads could be started", worker_count,
                wanted);
}

/* A stream that a waiting thread claimed and released may still be on the list; the worker that
 * removes it finds it READY. */
void cup_engine_add(struct CUstream_st *stream)
{
    pthread_mutex_lock(&lock);
    if (!started)
        start_locked();
    if (!stream->ready_linked) {
        cup_stream_ref(stream);
        ready_append_locked(stream);
        arrivals++;
    }
    if (idle_count)
        pthread_cond_signal(&work_arrived);
    pthread_mutex_unlock(&lock);
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

static void team_unlink_locked(struct team *team)
{
    cup_mutex_assert_held(&lock);
    struct team **link = &teams;

    while (*link != team)
        link = &(*link)->next;
    *link = team->next;
}

/* The helpers are at their last parts, which are short: sleeping would take longer. */
static void team_wait(struct team *team, bool spins)
{
    if (spins)
        spin_while(&team->finished, 0);
    while (atomic_load(&team->finished) == 0)
        cup_futex_wait(&team->finished, 0, -1);
}

void cup_engine_parallel(void (*action)(void *argument, size_t part), void *argument, size_t parts)
{
    cup_engine_parallel_within(UINT_MAX, action, argument, parts);
}

void cup_engine_parallel_within(unsigned width, void (*action)(void *argument, size_t part),
                                void *argument, size_t parts)
{
    struct team team = {
        .action = action, .argument = argument, .parts = parts, .helpers_max = width - 1};

    pthread_mutex_lock(&lock);
    if (!started)
        start_locked();
    team.next = teams;
    teams = &team;
    arrivals++;
    unsigned woken = helpers_to_wake_locked(&team);
    pthread_mutex_unlock(&lock);
    wake_workers(woken);

    while (team_work_once(&team))
        ;

    pthread_mutex_lock(&lock);
    team_unlink_locked(&team);
    bool alone = team.helpers == 0, spins = worker_count >= SPINNERS_MIN;
    pthread_mutex_unlock(&lock);
    if (!alone)
        team_wait(&team, spins);
}

void cup_engine_open(struct cup_task_queue *queue, uint32_t tasks)
{
    for (uint32_t i = 0; i < queue->ring_count; i++) {
        atomic_store(&queue->rings[i].head, 0);
        atomic_store(&queue->rings[i].tail, 0);
    }
    atomic_store(&queue->pending, tasks * CUP_TASK_ONE + 1);
    pthread_mutex_lock(&lock);
    if (!started)
        start_locked();
    cup_list_insert(&queues, &queue->link);
    arrivals++;
    pthread_mutex_unlock(&lock);
}

void cup_engine_close(struct cup_task_queue *queue)
{
    pthread_mutex_lock(&lock);
    cup_list_remove(&queue->link);
    pthread_mutex_unlock(&lock);
}

void cup_engine_push(struct cup_task_queue *queue, uint32_t ring, uint32_t task)
{
    uint32_t place = atomic_fetch_add(&queue->rings[ring].tail, 1);

    atomic_store_explicit(&queue->rings[ring].slots[place], task + 1, memory_order_release);
    if (cup_likely(atomic_load(&idle_count) <= atomic_load(&woken_count)))
        return;
    pthread_mutex_lock(&lock);
    if (idle_count > woken_count) {
        woken_count++;
        pthread_cond_signal(&work_arrived);
    }
    pthread_mutex_unlock(&lock);
}

void cup_engine_offer(struct cup_offer *offer)
{
    pthread_mutex_lock(&lock);
    if (!started)
        start_locked();
    atomic_store(&offer->state, OFFER_MADE);
    cup_list_append(&offers, &offer->link);
    arrivals++;
    if (idle_count)
        pthread_cond_signal(&work_arrived);
    pthread_mutex_unlock(&lock);
}

void cup_engine_withdraw(struct cup_offer *offer)
{
    if (cup_likely(atomic_load(&offer->state) == OFFER_NONE))
        return;
    pthread_mutex_lock(&lock);
    if (atomic_load(&offer->state) == OFFER_MADE) {
        cup_list_remove(&offer->link);
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
    stopping = true;
    pthread_cond_broadcast(&work_arrived);
    pthread_mutex_unlock(&lock);
}
