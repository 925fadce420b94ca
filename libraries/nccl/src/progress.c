/* SPDX-License-Identifier: MIT */
/* One thread, one epoll instance. A watch that is removed is freed by the thread itself between two
 * rounds, because events of the round may still name it. */
#include "progress.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { EVENTS_AT_ONCE = 64 };

struct nccl_watch {
    struct nccl_watch *next; /* guarded by lock */
    int descriptor;
    nccl_watch_ready *ready;
    nccl_watch_prepare *prepare;
    void *context;
    bool is_removed; /* guarded by lock */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t round_over = PTHREAD_COND_INITIALIZER;
static struct nccl_watch *watches; /* guarded by lock */
static bool is_started;            /* guarded by lock */
static bool is_calling;            /* the thread is inside functions of watches; guarded by lock */
static uint64_t rounds;            /* guarded by lock */
static pthread_t thread;
static int events_fd = -1, wake_fd = -1;

static bool is_live(const struct nccl_watch *watch)
{
    bool is_removed;

    pthread_mutex_lock(&lock);
    is_removed = watch->is_removed;
    pthread_mutex_unlock(&lock);
    return !is_removed;
}

/* Calls every `prepare`. The list only changes at its head, and watches are freed by this thread.
 */
static bool prepare_all(void)
{
    struct nccl_watch *first;
    bool has_more = false;

    pthread_mutex_lock(&lock);
    first = watches;
    pthread_mutex_unlock(&lock);
    for (struct nccl_watch *watch = first; watch; watch = watch->next)
        if (watch->prepare && is_live(watch) && watch->prepare(watch->context))
            has_more = true;
    return has_more;
}

static void call_ready(const struct epoll_event *events, int count)
{
    uint64_t value;

    for (int i = 0; i < count; i++) {
        struct nccl_watch *watch = events[i].data.ptr;

        if (!watch)
            (void)!read(wake_fd, &value, sizeof(value));
        else if (is_live(watch))
            watch->ready(watch->context, events[i].events);
    }
}

static void begin_round(void)
{
    pthread_mutex_lock(&lock);
    is_calling = true;
    pthread_mutex_unlock(&lock);
}

static void end_round(void)
{
    struct nccl_watch **place = &watches;

    pthread_mutex_lock(&lock);
    is_calling = false;
    rounds++;
    while (*place) {
        struct nccl_watch *watch = *place;

        if (watch->is_removed) {
            *place = watch->next;
            free(watch);
        } else {
            place = &watch->next;
        }
    }
    pthread_cond_broadcast(&round_over);
    pthread_mutex_unlock(&lock);
}

static void *progress_main(void *argument)
{
    struct epoll_event events[EVENTS_AT_ONCE];

    (void)argument;
    for (;;) {
        begin_round();
        bool has_more = prepare_all();
        end_round();
        int count = epoll_wait(events_fd, events, EVENTS_AT_ONCE, has_more ? 0 : -1);
        begin_round();
        call_ready(events, count);
        end_round();
    }
    return NULL;
}

/* The thread takes no signals: they are the program's. Faults are its own (fault.h); one that is
 * blocked would end the process. */
static bool start_thread_locked(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct epoll_event wake = {.events = EPOLLIN};
    sigset_t all, before;
    bool started = false;

    if (is_started)
        return true;
    if (events_fd < 0)
        events_fd = epoll_create1(EPOLL_CLOEXEC);
    if (wake_fd < 0) {
        wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (events_fd >= 0 && wake_fd >= 0)
            epoll_ctl(events_fd, EPOLL_CTL_ADD, wake_fd, &wake);
    }
    if (events_fd < 0 || wake_fd < 0)
        return false;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    started = pthread_create(&thread, NULL, progress_main, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_detach(thread);
    is_started = started;
    return started;
}

ncclResult_t nccl_progress_add(int descriptor, uint32_t events, nccl_watch_ready *ready,
                               nccl_watch_prepare *prepare, void *context,
                               struct nccl_watch **watch)
{
    struct nccl_watch *made = calloc(1, sizeof(*made));
    struct epoll_event event = {.events = events, .data.ptr = made};
    ncclResult_t result = ncclSystemError;

    if (!made)
        return ncclSystemError;
    *made = (struct nccl_watch){
        .descriptor = descriptor, .ready = ready, .prepare = prepare, .context = context};
    pthread_mutex_lock(&lock);
    if (start_thread_locked()) {
        *watch = made; /* first: its functions may be called from now on */
        if (epoll_ctl(events_fd, EPOLL_CTL_ADD, descriptor, &event) == 0) {
            made->next = watches;
            watches = made;
            result = ncclSuccess;
        }
    }
    pthread_mutex_unlock(&lock);
    if (result != ncclSuccess)
        free(made);
    else if (prepare)
        nccl_progress_wake();
    return result;
}

static void remove_locked(struct nccl_watch *watch)
{
    epoll_ctl(events_fd, EPOLL_CTL_DEL, watch->descriptor, NULL);
    watch->is_removed = true;
}

void nccl_progress_remove(struct nccl_watch *watch)
{
    pthread_mutex_lock(&lock);
    remove_locked(watch);
    if (!pthread_equal(pthread_self(), thread)) {
        uint64_t now = rounds;

        while (is_calling && rounds == now)
            pthread_cond_wait(&round_over, &lock);
    }
    pthread_mutex_unlock(&lock);
    nccl_progress_wake(); /* the thread frees it */
}

void nccl_progress_remove_later(struct nccl_watch *watch)
{
    pthread_mutex_lock(&lock);
    remove_locked(watch);
    pthread_mutex_unlock(&lock);
    nccl_progress_wake();
}

void nccl_progress_wake(void)
{
    uint64_t one = 1;

    if (wake_fd >= 0)
        (void)!write(wake_fd, &one, sizeof(one));
}
