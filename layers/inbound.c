/* SPDX-License-Identifier: MIT */
/* From the file to the driver: one thread per semaphore that submissions wait for. It sleeps on the
 * file's futex word and signals the ticket of every satisfied wait. A wait that can no longer be
 * satisfied, because the semaphore is destroyed or a process died, is released too. */
#include "layer.h"

#include "os/futex.h"
#include "os/mutex.h"
#include "os/thread.h"

#include <stdio.h>
#include <stdlib.h>

enum { PEER_CHECK_NS = 20000000 /* interval of checks for dead peers */ };

struct wait {
    struct wait *next;
    struct cup_semaphore_file *file; /* owns an opening */
    uint64_t value;
    struct layer_ticket *ticket;
};

struct layer_inbound {
    struct layer_device *device;
    pthread_mutex_t lock; /* a leaf lock, except for the device's lock */
    pthread_cond_t changed;
    struct wait *waits; /* oldest first; guarded by lock */
    bool stop, stopped; /* guarded by lock */
};

struct layer_ticket *layer_ticket_acquire(struct layer_device *device)
{
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};

    pthread_mutex_lock(&device->lock);
    struct layer_ticket *ticket = device->tickets;
    if (ticket)
        device->tickets = ticket->next;
    pthread_mutex_unlock(&device->lock);
    if (!ticket) {
        ticket = calloc(1, sizeof(*ticket));
        if (!ticket || device->CreateSemaphore(device->handle, &info, NULL, &ticket->semaphore)) {
            free(ticket);
            return NULL;
        }
    }
    ticket->value++;
    return ticket;
}

void layer_ticket_release(struct layer_device *device, struct layer_ticket *ticket)
{
    pthread_mutex_lock(&device->lock);
    ticket->next = device->tickets;
    device->tickets = ticket;
    pthread_mutex_unlock(&device->lock);
}

static void release_wait(struct layer_device *device, struct wait *wait)
{
    VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                  .semaphore = wait->ticket->semaphore,
                                  .value = wait->ticket->value};

    device->SignalSemaphore(device->handle, &info);
    layer_ticket_release(device, wait->ticket);
    cup_semaphore_file_leave(wait->file);
    cup_semaphore_file_close(wait->file);
}

/* The oldest wait gets the signal of a binary semaphore, even if the signal arrives while others
 * are checked. */
static bool may_acquire(const struct layer_inbound *inbound, const struct wait *wait)
{
    const struct wait *each = inbound->waits;

    if (wait->file->kind == CUP_SEMAPHORE_TIMELINE)
        return true;
    while (each->file != wait->file)
        each = each->next;
    return each == wait;
}

static bool is_over(struct layer_inbound *inbound, struct wait *wait, bool check_peers)
{
    if (inbound->stop ||
        (may_acquire(inbound, wait) && cup_semaphore_file_acquire(wait->file, wait->value)))
        return true;
    if (!check_peers || !cup_semaphore_file_is_abandoned(wait->file))
        return false;
    fprintf(stderr, "cupipe layer: a process died with a semaphore that a queue waits for\n");
    return true;
}

static void check_locked(struct layer_inbound *inbound, bool check_peers)
{
    cup_mutex_assert_held(&inbound->lock);
    struct wait **link = &inbound->waits;

    while (*link) {
        struct wait *wait = *link;
        if (is_over(inbound, wait, check_peers)) {
            *link = wait->next;
            release_wait(inbound->device, wait);
            free(wait);
        } else {
            link = &wait->next;
        }
    }
}

/* Several files at once are rare: a temporary import while an older wait is pending. The thread
 * then sleeps on the oldest and checks the others when it wakes. */
static void *inbound_main(void *argument)
{
    struct layer_inbound *inbound = argument;
    uint32_t last = 0;

    pthread_mutex_lock(&inbound->lock);
    while (!inbound->stop) {
        if (!inbound->waits) {
            pthread_cond_wait(&inbound->changed, &inbound->lock);
            continue;
        }
        struct cup_semaphore_file *file = inbound->waits->file;
        bool several = false;
        for (struct wait *each = inbound->waits; each; each = each->next)
            several = several || each->file != file;
        cup_semaphore_file_ref(file);
        uint32_t futex_word = atomic_load(&file->page->futex_word);
        check_locked(inbound, futex_word == last);
        last = futex_word;
        bool sleeps = inbound->waits && !inbound->stop;
        pthread_mutex_unlock(&inbound->lock);
        if (sleeps)
            cup_futex_wait_shared(&file->page->futex_word, futex_word,
                                  several ? PEER_CHECK_NS / 100 : PEER_CHECK_NS);
        cup_semaphore_file_close(file);
        pthread_mutex_lock(&inbound->lock);
    }
    check_locked(inbound, false);
    inbound->stopped = true;
    pthread_cond_broadcast(&inbound->changed);
    pthread_mutex_unlock(&inbound->lock);
    return NULL;
}

static struct layer_inbound *inbound_create(struct layer_device *device)
{
    struct layer_inbound *inbound = calloc(1, sizeof(*inbound));

    if (!inbound)
        return NULL;
    inbound->device = device;
    pthread_mutex_init(&inbound->lock, NULL);
    pthread_cond_init(&inbound->changed, NULL);
    if (cup_os_thread_start(inbound_main, inbound, "cupipe inbound"))
        return inbound;
    pthread_cond_destroy(&inbound->changed);
    pthread_mutex_destroy(&inbound->lock);
    free(inbound);
    return NULL;
}

/* The signal may have arrived since the submission checked; a sleeping thread would miss it. */
static void add_locked(struct layer_inbound *inbound, struct wait *wait)
{
    cup_mutex_assert_held(&inbound->lock);
    struct wait **link = &inbound->waits;

    if (!inbound->waits && cup_semaphore_file_acquire(wait->file, wait->value)) {
        release_wait(inbound->device, wait);
        free(wait);
        return;
    }
    if (inbound->waits)
        cup_semaphore_file_wake(wait->file);
    while (*link)
        link = &(*link)->next;
    *link = wait;
    pthread_cond_signal(&inbound->changed);
}

void layer_inbound_begin(struct layer_semaphore *semaphore, struct cup_semaphore_file *file,
                         uint64_t value, struct layer_ticket *ticket)
{
    struct layer_device *device = semaphore->device;
    struct wait *wait = calloc(1, sizeof(*wait));

    pthread_mutex_lock(&device->lock);
    if (!semaphore->inbound)
        semaphore->inbound = inbound_create(device);
    struct layer_inbound *inbound = semaphore->inbound;
    pthread_mutex_unlock(&device->lock);
    struct wait spare, *kept = wait ? wait : &spare;
    *kept = (struct wait){NULL, file, value, ticket};
    cup_semaphore_file_enter(file);
    if (!wait || !inbound) {
        /* Without a watcher, losing the order is better than a queue that waits forever. */
        fprintf(stderr, "cupipe layer: no memory or thread to wait for a semaphore\n");
        release_wait(device, kept);
    } else {
        pthread_mutex_lock(&inbound->lock);
        add_locked(inbound, wait);
        pthread_mutex_unlock(&inbound->lock);
    }
    if (!inbound)
        free(wait);
}

bool layer_inbound_is_waiting(struct layer_semaphore *semaphore)
{
    pthread_mutex_lock(&semaphore->device->lock);
    struct layer_inbound *inbound = semaphore->inbound;
    pthread_mutex_unlock(&semaphore->device->lock);
    if (!inbound)
        return false;
    pthread_mutex_lock(&inbound->lock);
    bool waiting = inbound->waits != NULL;
    pthread_mutex_unlock(&inbound->lock);
    return waiting;
}

void layer_inbound_end(struct layer_inbound *inbound)
{
    pthread_mutex_lock(&inbound->lock);
    inbound->stop = true;
    pthread_cond_broadcast(&inbound->changed);
    for (struct wait *each = inbound->waits; each; each = each->next)
        cup_semaphore_file_wake(each->file);
    while (!inbound->stopped)
        pthread_cond_wait(&inbound->changed, &inbound->lock);
    pthread_mutex_unlock(&inbound->lock);
    pthread_cond_destroy(&inbound->changed);
    pthread_mutex_destroy(&inbound->lock);
    free(inbound);
}
