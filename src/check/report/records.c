/* SPDX-License-Identifier: MIT */
/* A hash table from kind and handle to records, under one leaf lock. Call stacks are return
 * addresses, resolved to names only when they are printed. They are captured at the start of a
 * call, before the library takes any lock, because walking the stack may need locks of the
 * loader; for a call that records nothing, only when something about it is reported. */
#include "check/report/records.h"

#include "check/report/report.h"
#include "core/hashmap.h"
#include "core/thread.h"
#include "os/guard.h"
#include "os/mutex.h"
#include "os/symbol.h"

#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* OWN_FRAMES: a report may come from deep inside the library. */
enum { LINE_BYTES = 1024, OWN_FRAMES = 16 };

const char *const cup_report_check_names[CUP_REPORT_CHECK_COUNT] = {
    [CUP_REPORT_MEMORY] = "memory", [CUP_REPORT_LEAKS] = "leaks", [CUP_REPORT_INIT] = "init",
    [CUP_REPORT_RACES] = "races",   [CUP_REPORT_SYNC] = "sync",   [CUP_REPORT_STREAMS] = "streams",
};

/* Leaf mutex: guards the records of live and freed objects. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Found by their handles; guarded by lock, as all below. */
static CUP_HASHMAP(struct cup_tracked, slots) records;
static uint64_t orders;

/* The address range of the library, whose own frames are skipped. */
static struct cup_symbol_module own_module;

bool cup_tracked_lock_is_free(void)
{
    if (pthread_mutex_trylock(&lock) != 0)
        return false;
    pthread_mutex_unlock(&lock);
    return true;
}

void cup_tracked_start(void)
{
    void *frames[2];

    cup_symbol_find_module((const void *)&lock, &own_module);
    backtrace(frames, 2); /* loads its dependencies now, not under an application's lock */
    cup_call_hook_set(CUP_HOOK_CHECK);
}

static bool is_own(const void *frame)
{
    return (uint64_t)(uintptr_t)frame - own_module.base < own_module.size_bytes;
}

static struct cup_tracked_thread *state_of_thread(void)
{
    return cup_thread_check(cup_thread_self());
}

void cup_tracked_walk_stack(void)
{
    void *frames[CUP_TRACKED_FRAMES + 8 + OWN_FRAMES];
    struct cup_tracked_site *here = &state_of_thread()->site;
    int saved = errno, count = 0, first = 0;

    if (here->call && here->count == 0)
        count = backtrace(frames, CUP_TRACKED_FRAMES + 8 + OWN_FRAMES);
    while (first < count && !is_own(frames[first])) /* ASan has a backtrace() of its own */
        first++;
    while (first < count && is_own(frames[first]))
        first++;
    for (; first < count && here->count < CUP_TRACKED_FRAMES; first++)
        here->frames[here->count++] = frames[first];
    errno = saved;
}

void cup_tracked_call(const char *call, bool deeply)
{
    struct cup_tracked_thread *self = state_of_thread();

    self->site.call = call;
    self->site.count = 0;
    self->is_reported = false;
    if (deeply)
        cup_tracked_walk_stack();
}

const char *cup_tracked_call_name(void)
{
    return state_of_thread()->site.call;
}

const void *cup_tracked_caller(void)
{
    const struct cup_tracked_site *here = &state_of_thread()->site;

    return here->count ? here->frames[0] : NULL;
}

void cup_tracked_mark_reported(void)
{
    state_of_thread()->is_reported = true;
}

bool cup_tracked_was_reported(void)
{
    return state_of_thread()->is_reported;
}

/* Returns NULL if there is no record. */
static struct cup_tracked *known_locked(int kind, uint64_t handle)
{
    struct cup_tracked *record = cup_hashmap_find(&records.map, handle, sizeof(*record));

    cup_mutex_assert_held(&lock);
    while (record && record->kind != kind)
        record = cup_hashmap_next(&records.map, record, sizeof(*record));
    return record;
}

void cup_tracked_made(const struct cup_tracked *info)
{
    int saved = errno;

    pthread_mutex_lock(&lock);
    struct cup_tracked *record = known_locked(info->kind, info->handle);
    if (!record && info->handle)
        record = cup_hashmap_add(&records.map, info->handle, sizeof(*record));
    if (record) {
        *record = *info;
        record->made = state_of_thread()->site;
        record->order = ++orders;
    }
    pthread_mutex_unlock(&lock);
    errno = saved;
}

static void mark_freed_locked(struct cup_tracked *record)
{
    cup_mutex_assert_held(&lock);
    if (!record || record->freed.call)
        return;
    record->freed = state_of_thread()->site;
    if (!record->freed.call)
        record->freed.call = "work in a stream";
    record->order = ++orders;
}

void cup_tracked_freed(int kind, uint64_t handle)
{
    pthread_mutex_lock(&lock);
    mark_freed_locked(known_locked(kind, handle));
    pthread_mutex_unlock(&lock);
}

void cup_tracked_retained(int kind, uint64_t handle)
{
    pthread_mutex_lock(&lock);
    struct cup_tracked *record = known_locked(kind, handle);
    if (record)
        record->retains++;
    pthread_mutex_unlock(&lock);
}

void cup_tracked_released(int kind, uint64_t handle)
{
    pthread_mutex_lock(&lock);
    struct cup_tracked *record = known_locked(kind, handle);
    if (record && record->retains)
        record->retains--;
    else
        mark_freed_locked(record);
    pthread_mutex_unlock(&lock);
}

void cup_tracked_not_freed(int kind, uint64_t handle)
{
    pthread_mutex_lock(&lock);
    struct cup_tracked *record = known_locked(kind, handle);
    if (record)
        record->freed.call = NULL;
    pthread_mutex_unlock(&lock);
}

void cup_tracked_mapped(int kind, uint64_t handle)
{
    pthread_mutex_lock(&lock);
    struct cup_tracked *record = known_locked(kind, handle);
    if (record)
        record->mapped = state_of_thread()->site;
    pthread_mutex_unlock(&lock);
}

void cup_tracked_forget(uint64_t base)
{
    static const int kinds[] = {CUP_TRACKED_MEMORY, CUP_TRACKED_STORAGE, CUP_TRACKED_ADDRESSES};

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < CUP_ARRAY_COUNT(kinds); i++) {
        struct cup_tracked *record = known_locked(kinds[i], base);
        if (record && record->freed.call)
            record->size_bytes = 0;
    }
    pthread_mutex_unlock(&lock);
}

bool cup_tracked_find(int kind, uint64_t handle, struct cup_tracked *found)
{
    pthread_mutex_lock(&lock);
    struct cup_tracked *record = known_locked(kind, handle);
    if (record)
        *found = *record;
    pthread_mutex_unlock(&lock);
    return record != NULL;
}

static int by_order(const void *a, const void *b)
{
    const struct cup_tracked *first = a, *second = b;

    return first->order < second->order ? -1 : first->order > second->order;
}

void cup_tracked_visit(void (*visit)(const struct cup_tracked *record, void *argument),
                       void *argument)
{
    size_t count = 0;

    pthread_mutex_lock(&lock);
    struct cup_tracked *copies = malloc((records.count + 1) * sizeof(*copies)), *each = NULL;
    while (copies && (each = cup_hashmap_each(&records.map, each, sizeof(*each)))) {
        if (!each->freed.call)
            copies[count++] = *each;
    }
    pthread_mutex_unlock(&lock);
    if (!copies)
        return;
    qsort(copies, count, sizeof(*copies), by_order);
    for (size_t i = 0; i < count; i++)
        visit(&copies[i], argument);
    free(copies);
}

void cup_tracked_search(void (*look)(const struct cup_tracked *record, void *argument),
                        void *argument)
{
    struct cup_tracked *each = NULL;

    pthread_mutex_lock(&lock);
    while ((each = cup_hashmap_each(&records.map, each, sizeof(*each)))) {
        if (each->size_bytes)
            look(each, argument);
    }
    pthread_mutex_unlock(&lock);
}

const char *cup_tracked_ended_word(const struct cup_tracked_site *freed)
{
    static const char *const words[][2] = {
        {"Unmap", "unmapped"}, {"Unregister", "unregistered"}, {"Close", "closed"},
        {"Destroy", "freed"},  {"Unload", "unloaded"},
    };

    for (size_t i = 0; i < CUP_ARRAY_COUNT(words); i++) {
        if (strstr(freed->call, words[i][0]))
            return words[i][1];
    }
    return "freed";
}

void cup_report_print(const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    int saved = errno;

    va_start(arguments, format);
    int length = vsnprintf(line, sizeof(line) - 1, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        length = length > LINE_BYTES - 2 ? LINE_BYTES - 2 : length;
        line[length] = '\n';
        if (write(STDERR_FILENO, line, (size_t)length + 1) < 0)
            length = 0; /* stderr is not writable: nothing to do */
    }
    errno = saved;
}
