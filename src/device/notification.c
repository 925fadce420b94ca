/* SPDX-License-Identifier: MIT */
/* Reporting an event only stores a number and wakes the thread, because the reporter may be inside
 * an allocation. The thread starts with the first registration. It marks the entry that it calls,
 * so that a removal can wait for it. */
#include "device/notification.h"

#include "core/error.h"
#include "core/object.h"
#include "core/thread.h"
#include "os/futex.h"
#include "os/thread.h"

#include <pthread.h>

struct CUasyncCallbackEntry_st {
    struct cup_object base;
    struct CUasyncCallbackEntry_st *next; /* guarded by lock */
    struct cup_device *device;
    CUasyncCallback function;
    void *data;
    uint64_t number; /* entries are called in the order of registration */
};

/* Leaf mutex: guards the list of callbacks. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static struct CUasyncCallbackEntry_st *entries; /* oldest last; guarded by lock */
static struct CUasyncCallbackEntry_st *running; /* guarded by lock */
static uint64_t last_number;                    /* guarded by lock */
static bool started;                            /* guarded by lock */

static _Atomic(uint32_t) entry_count;
static _Atomic(uint32_t) event_word; /* futex: changes when there is an event */
static _Atomic(uint64_t) over_bytes[CUP_MAX_DEVICES];

static void entry_finish(struct cup_object *object)
{
    (void)object;
}

void cup_notification_register(void)
{
    cup_object_register(CUP_OBJECT_NOTIFICATION, sizeof(struct CUasyncCallbackEntry_st),
                        entry_finish);
}

/* Returns the device's next entry after this number, marked as running, or NULL. */
static struct CUasyncCallbackEntry_st *begin_next(const struct cup_device *device, uint64_t after)
{
    struct CUasyncCallbackEntry_st *next = NULL;

    pthread_mutex_lock(&lock);
    for (struct CUasyncCallbackEntry_st *each = entries; each; each = each->next) {
        if (each->device == device && each->number > after)
            next = each;
    }
    running = next;
    pthread_mutex_unlock(&lock);
    return next;
}

static void end_running(void)
{
    pthread_mutex_lock(&lock);
    running = NULL;
    pthread_cond_broadcast(&called);
    pthread_mutex_unlock(&lock);
}

static void call_entries(const struct cup_device *device, uint64_t bytes_over)
{
    struct CUasyncCallbackEntry_st *entry;

    for (uint64_t number = 0; (entry = begin_next(device, number));) {
        CUasyncNotificationInfo info = {.type = CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET};
        info.info.overBudget.bytesOverBudget = bytes_over;
        number = entry->number;
        entry->function(&info, entry->data, entry);
        end_running();
    }
}

static void *notification_main(void *argument)
{
    (void)argument;
    cup_thread_self()->in_host_function = true; /* callbacks must not call CUDA */
    for (;;) {
        uint32_t word = atomic_load(&event_word);
        for (unsigned i = 0; i < cup_device_count(); i++) {
            uint64_t bytes = atomic_exchange(&over_bytes[i], 0);
            if (bytes)
                call_entries(cup_device_get((CUdevice)i), bytes);
        }
        cup_futex_wait(&event_word, word, -1);
    }
    return NULL;
}

/* Returns false if the thread cannot be started. */
static bool link_entry(struct CUasyncCallbackEntry_st *entry)
{
    pthread_mutex_lock(&lock);
    if (!started)
        started = cup_os_thread_start(notification_main, NULL, "cupipe notify");
    bool linked = started;
    if (linked) {
        entry->number = ++last_number;
        entry->next = entries;
        entries = entry;
        atomic_fetch_add(&entry_count, 1);
    }
    pthread_mutex_unlock(&lock);
    return linked;
}

CUresult cup_notification_add(struct cup_device *device, CUasyncCallback function, void *data,
                              CUasyncCallbackHandle *handle)
{
    struct cup_object *object = cup_object_create(CUP_OBJECT_NOTIFICATION);

    if (!object)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a notification");
    struct CUasyncCallbackEntry_st *entry = (struct CUasyncCallbackEntry_st *)object;
    entry->device = device;
    entry->function = function;
    entry->data = data;
    cup_object_publish(object);
    *handle = entry; /* before linking: the callback may run before this call returns */
    if (link_entry(entry))
        return CUDA_SUCCESS;
    cup_object_retire(object, CUP_RETIRED_DESTROYED);
    cup_object_unref(object);
    *handle = NULL;
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no thread for notifications");
}

static void unlink_entry(struct CUasyncCallbackEntry_st *entry)
{
    struct CUasyncCallbackEntry_st **link = &entries;

    pthread_mutex_lock(&lock);
    while (*link && *link != entry)
        link = &(*link)->next;
    if (*link)
        *link = entry->next;
    while (running == entry)
        pthread_cond_wait(&called, &lock);
    pthread_mutex_unlock(&lock);
    atomic_fetch_sub(&entry_count, 1);
}

CUresult cup_notification_remove(struct cup_device *device, CUasyncCallbackHandle handle)
{
    struct cup_object *object;

    if (cup_object_find(CUP_OBJECT_NOTIFICATION, handle, &object) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not a notification", (void *)handle);
    struct CUasyncCallbackEntry_st *entry = (struct CUasyncCallbackEntry_st *)object;
    CUresult result = CUDA_SUCCESS;
    if (entry->device != device || !cup_object_retire(object, CUP_RETIRED_DESTROYED)) {
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the notification belongs to another device");
    } else {
        unlink_entry(entry);
        cup_object_unref(object); /* the handle's reference */
    }
    cup_object_unref(object);
    return result;
}

void cup_notification_over_budget(struct cup_device *device, uint64_t bytes_over)
{
    if (atomic_load(&entry_count) == 0)
        return;
    atomic_store(&over_bytes[device->ordinal], bytes_over);
    atomic_fetch_add(&event_word, 1);
    cup_futex_wake(&event_word, 1);
}
