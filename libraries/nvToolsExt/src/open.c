/* SPDX-License-Identifier: MIT */
/* The listing that a debugger reads. A thread changes its own stack without a lock; everything else
 * changes under the library's. */
#include "open.h"

#include "report.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct nvtx_listing cupipe_nvtx_listing = {.version = NVTX_LISTING_VERSION,
                                           .bucket_count = NVTX_BUCKETS};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static __thread struct nvtx_thread *self;

void nvtx_lock(void)
{
    pthread_mutex_lock(&lock);
}

void nvtx_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void nvtx_range_free(struct nvtx_range *range)
{
    if (!range)
        return;
    free(range->own_name);
    free(range->own_payload);
    free(range);
}

static void free_thread(struct nvtx_thread *thread)
{
    while (thread->pushed) {
        struct nvtx_range *next = thread->pushed->next;

        nvtx_range_free(thread->pushed);
        thread->pushed = next;
    }
    free(thread);
}

static void unlink_locked(struct nvtx_thread *thread)
{
    struct nvtx_thread **link = &cupipe_nvtx_listing.threads;

    while (*link && *link != thread)
        link = &(*link)->next;
    if (*link)
        *link = thread->next;
}

static void end_thread(void *thread)
{
    self = NULL;
    nvtx_lock();
    unlink_locked(thread);
    nvtx_unlock();
    free_thread(thread);
}

/* Only the thread that forks goes on in the child, with another id. */
static void after_fork_in_child(void)
{
    struct nvtx_thread *thread = cupipe_nvtx_listing.threads;

    while (thread) {
        struct nvtx_thread *next = thread->next;

        if (thread != self)
            free_thread(thread);
        thread = next;
    }
    cupipe_nvtx_listing.threads = self;
    if (self) {
        self->next = NULL;
        self->id = (uint64_t)gettid();
    }
    nvtx_unlock();
}

static void prepare(void)
{
    pthread_key_create(&key, end_thread);
    pthread_atfork(nvtx_lock, nvtx_unlock, after_fork_in_child);
}

struct nvtx_thread *nvtx_thread_self(void)
{
    if (self)
        return self;
    pthread_once(&once, prepare);
    self = calloc(1, sizeof(*self));
    if (!self)
        return NULL;
    self->id = (uint64_t)gettid();
    pthread_setspecific(key, self);
    nvtx_lock();
    self->next = cupipe_nvtx_listing.threads;
    cupipe_nvtx_listing.threads = self;
    nvtx_unlock();
    return self;
}

void nvtx_add_started(struct nvtx_range *range)
{
    struct nvtx_range **bucket = &cupipe_nvtx_listing.started[range->id % NVTX_BUCKETS];

    nvtx_lock();
    range->next = *bucket;
    *bucket = range;
    nvtx_unlock();
}

struct nvtx_range *nvtx_take_started(uint64_t id)
{
    struct nvtx_range **link = &cupipe_nvtx_listing.started[id % NVTX_BUCKETS], *range;

    nvtx_lock();
    while (*link && (*link)->id != id)
        link = &(*link)->next;
    range = *link;
    if (range)
        *link = range->next;
    nvtx_unlock();
    return range;
}

static struct nvtx_name **find_name_locked(uint64_t kind, uint64_t object)
{
    struct nvtx_name **link = &cupipe_nvtx_listing.names;

    while (*link && ((*link)->kind != kind || (*link)->object != object))
        link = &(*link)->next;
    return link;
}

/* Entries stay: a debugger may be reading, and a handle that is used again gets a name again. */
struct nvtx_name *nvtx_name_object(uint64_t kind, uint64_t object, const char *domain,
                                   const char *name)
{
    const char *kept = nvtx_keep(name);
    struct nvtx_name **link, *entry;

    if (name && !kept)
        return NULL;
    nvtx_thread_self(); /* prepares for forks */
    nvtx_lock();
    link = find_name_locked(kind, object);
    entry = *link;
    if (!entry && kept) {
        entry = calloc(1, sizeof(*entry));
        if (entry)
            *link = entry;
    }
    if (entry) {
        entry->kind = kind;
        entry->object = object;
        entry->domain = domain;
        entry->name = kept;
        entry->is_told = kept == NULL;
    }
    nvtx_unlock();
    nvtx_report_names();
    return entry;
}
