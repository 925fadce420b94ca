/* SPDX-License-Identifier: MIT */
/* A hash table from handles to records, under one leaf lock. Places are return addresses, named
 * only when they are printed: dladdr knows exported names, and for others file and offset are what
 * addr2line wants. */
#include "core/check.h"

#include "os/guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_SLOTS = 1024 };

#define NEAR_BYTES (UINT64_C(4) << 20) /* how far from memory an address may be to be about it */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cup_check_record *records; /* guarded by lock, as all below */
static size_t slots, used;

/* Where the library itself lies, whose frames are of no interest. */
static const void *own_base;

static const void *base_of(const void *address)
{
    Dl_info info;

    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The program touched memory it may not: it will most likely end now, so locks are no worry. */
static void explain_foreign(uint64_t address)
{
    static _Atomic(int) explained;

    if (explained++ == 0 && pthread_mutex_trylock(&lock) == 0) {
        pthread_mutex_unlock(&lock);
        cup_check_explain("the program touched", address, 1);
    }
}

void cup_check_start(void)
{
    void *frames[2];

    cup_guard_foreign = explain_foreign;
    own_base = base_of(&lock);
    backtrace(frames, 2); /* loads what it needs now, and not under a program's lock */
    cup_call_hook_set(CUP_HOOK_CHECK);
}

static struct cup_check_place place_here(const char *call)
{
    struct cup_check_place place = {.call = call};
    void *frames[CUP_CHECK_FRAMES + 8];
    int count = backtrace(frames, CUP_CHECK_FRAMES + 8), first = 0;

    while (first < count && base_of(frames[first]) == own_base)
        first++;
    for (; first < count && place.count < CUP_CHECK_FRAMES; first++)
        place.frames[place.count++] = frames[first];
    return place;
}

static size_t slot_of(uint64_t handle)
{
    return (size_t)((handle * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (slots - 1);
}

/* The record of the handle, or the free one it would get. */
static struct cup_check_record *find_locked(uint64_t handle)
{
    size_t slot = slot_of(handle);

    while (records[slot].handle && records[slot].handle != handle)
        slot = (slot + 1) & (slots - 1);
    return &records[slot];
}

static bool grow_locked(void)
{
    struct cup_check_record *before = records, *more;
    size_t count = slots;

    more = calloc(slots ? slots * 2 : FIRST_SLOTS, sizeof(*records));
    if (!more)
        return false;
    records = more;
    slots = slots ? slots * 2 : FIRST_SLOTS;
    for (size_t i = 0; i < count; i++) {
        if (before[i].handle)
            *find_locked(before[i].handle) = before[i];
    }
    free(before);
    return true;
}

void cup_check_made(int kind, uint64_t handle, uint64_t size_bytes, const char *call)
{
    struct cup_check_record record = {.handle = handle, .kind = kind, .size_bytes = size_bytes};
    int saved = errno;

    record.made = place_here(call);
    pthread_mutex_lock(&lock);
    if (handle && (used * 2 < slots || grow_locked())) {
        struct cup_check_record *place = find_locked(handle);

        used += place->handle == 0;
        *place = record;
    }
    pthread_mutex_unlock(&lock);
    errno = saved;
}

static void set_freed(uint64_t handle, const struct cup_check_place *place)
{
    pthread_mutex_lock(&lock);
    struct cup_check_record *record = slots && handle ? find_locked(handle) : NULL;
    if (record && record->handle)
        record->freed = *place;
    pthread_mutex_unlock(&lock);
}

void cup_check_freed(uint64_t handle, const char *call)
{
    int saved = errno;
    struct cup_check_place place = place_here(call);

    set_freed(handle, &place);
    errno = saved;
}

void cup_check_not_freed(uint64_t handle)
{
    static const struct cup_check_place none;

    set_freed(handle, &none);
}

void cup_check_visit(void (*visit)(const struct cup_check_record *record, void *argument),
                     void *argument)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < slots; i++) {
        if (records[i].handle)
            visit(&records[i], argument);
    }
    pthread_mutex_unlock(&lock);
}

void cup_check_print(const char *format, ...)
{
    char line[1024];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(line, sizeof(line) - 1, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    length = length > (int)sizeof(line) - 2 ? (int)sizeof(line) - 2 : length;
    line[length] = '\n';
    if (write(STDERR_FILENO, line, (size_t)length + 1) < 0)
        return;
}

void cup_check_print_place(const char *verb, const struct cup_check_place *place)
{
    cup_check_print("  %s by %s, called from", verb, place->call);
    for (unsigned i = 0; i < place->count; i++) {
        const char *address = place->frames[i];
        Dl_info info = {0};

        if (!dladdr(address, &info))
            cup_check_print("    %p", (const void *)address);
        else if (info.dli_sname)
            cup_check_print("    %s+0x%tx (%s+0x%tx)", info.dli_sname,
                            address - (const char *)info.dli_saddr, info.dli_fname,
                            address - (const char *)info.dli_fbase);
        else
            cup_check_print("    %s+0x%tx", info.dli_fname, address - (const char *)info.dli_fbase);
    }
}

/* How far the bytes are from the record's: 0 when they begin inside. */
static uint64_t distance(const struct cup_check_record *record, uint64_t address)
{
    if (address < record->handle)
        return record->handle - address;
    if (address - record->handle < record->size_bytes)
        return 0;
    return address - record->handle - record->size_bytes + 1;
}

/* Memory that is there is preferred to what was freed. */
static bool nearest_locked(uint64_t address, struct cup_check_record *found)
{
    uint64_t least = NEAR_BYTES;
    bool any = false;

    for (size_t i = 0; i < slots; i++) {
        struct cup_check_record *record = &records[i];
        uint64_t far = distance(record, address);

        if (!record->handle || !record->size_bytes || far > least)
            continue;
        if (far == least && any && record->freed.call)
            continue;
        least = far;
        *found = *record;
        any = true;
    }
    return any;
}

bool cup_check_explain(const char *what, uint64_t address, uint64_t size_bytes)
{
    struct cup_check_record record;
    uint64_t end;

    pthread_mutex_lock(&lock);
    bool found = nearest_locked(address, &record);
    pthread_mutex_unlock(&lock);
    if (!found)
        return false;
    end = record.handle + record.size_bytes;
    if (record.freed.call && distance(&record, address) == 0)
        cup_check_print("cupipe: CUPIPE_CHECK: %s 0x%" PRIx64 ", %" PRIu64
                        " bytes into the %" PRIu64 " bytes at 0x%" PRIx64 ", which were freed",
                        what, address, address - record.handle, record.size_bytes, record.handle);
    else if (address < record.handle)
        cup_check_print("cupipe: CUPIPE_CHECK: %s 0x%" PRIx64 ", %" PRIu64
                        " bytes before the %" PRIu64 " bytes at 0x%" PRIx64,
                        what, address, record.handle - address, record.size_bytes, record.handle);
    else if (address >= end || size_bytes > end - address)
        cup_check_print("cupipe: CUPIPE_CHECK: %s 0x%" PRIx64 ", up to %" PRIu64
                        " bytes behind the end of the %" PRIu64 " bytes at 0x%" PRIx64,
                        what, address, address + (size_bytes ? size_bytes : 1) - end,
                        record.size_bytes, record.handle);
    else
        return false;
    cup_check_print_place("made", &record.made);
    if (record.freed.call)
        cup_check_print_place("freed", &record.freed);
    return true;
}
