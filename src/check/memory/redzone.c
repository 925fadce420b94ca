/* SPDX-License-Identifier: MIT */
/* A hash table holds the live allocations by address, a queue the freed ones; one leaf lock guards
 * both. Freed memory is released when no lock of the library is held, because its owner takes
 * locks. */
#include "check/memory/redzone.h"

#include "check/report/records.h"
#include "check/report/report.h"
#include "core/align.h"
#include "core/hashmap.h"
#include "memory/arena.h"
#include "os/mutex.h"
#include "os/page.h"
#include "os/reserve.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PATTERN = 0xfb, KEPT_MAX = 4096 };

static uint64_t page = 4096, quarantined_bytes_max;
static size_t guarded_max; /* allocations with redzones: each may split into two mappings */

/* An allocation, its pages and its redzones. */
struct guarded {
    uint64_t address; /* first member: its key in the table */
    uint64_t size_bytes;
    uint64_t begin, end;
    bool is_protected;
    bool is_reported; /* the slack was written, and the writer was reported */
};

/* Leaf mutex: guards the redzones and the quarantine. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUP_HASHMAP(struct guarded, slots) table; /* the live allocations, by address */
static struct cup_quarantined *quarantined_first, **quarantined_last = &quarantined_first;
static uint64_t quarantined_count, quarantined_bytes;

static uint64_t in_pages(uint64_t size_bytes)
{
    return cup_align_up(size_bytes, page);
}

static uint64_t in_granules(uint64_t size_bytes)
{
    return cup_align_up(size_bytes, CUP_GRANULE_BYTES);
}

/* How many mappings the system allows a process. */
static size_t mappings_max(void)
{
    FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
    unsigned long count;

    if (!file || fscanf(file, "%lu", &count) != 1)
        count = 65530;
    if (file)
        fclose(file);
    return count;
}

void cup_redzone_start(uint64_t bytes_max)
{
    guarded_max = mappings_max() / 8 * 3;
    page = cup_page_bytes();
    quarantined_bytes_max = bytes_max;
    cup_arena_padding = (struct cup_arena_padding){.unit_bytes = page, .redzone_bytes = page};
}

static bool protect(uint64_t from, uint64_t to, int access)
{
    int saved = errno;
    bool done = to <= from || mprotect((void *)(uintptr_t)from, to - from, access) == 0;

    errno = saved;
    return done;
}

static struct guarded *known_locked(uint64_t address)
{
    cup_mutex_assert_held(&lock);
    return cup_hashmap_find(&table.map, address, sizeof(struct guarded));
}

static struct guarded *each_locked(const struct guarded *memory)
{
    cup_mutex_assert_held(&lock);
    return cup_hashmap_each(&table.map, memory, sizeof(*memory));
}

/* Without memory for the entry the allocation has no slack that is looked at. */
static void add_locked(const struct guarded *memory)
{
    struct guarded *entry = known_locked(memory->address);

    cup_mutex_assert_held(&lock);
    if (!entry)
        entry = cup_hashmap_add(&table.map, memory->address, sizeof(*entry));
    if (entry)
        *entry = *memory;
}

static void remove_locked(struct guarded *gone)
{
    cup_mutex_assert_held(&lock);
    cup_hashmap_remove(&table.map, gone, sizeof(*gone));
}

/* Slack. */

static uint64_t pages_of(const struct guarded *memory)
{
    return cup_align_down(memory->address, page);
}

static uint64_t pages_end(const struct guarded *memory)
{
    return in_pages(memory->address + memory->size_bytes);
}

static void fill_slack(const struct guarded *memory)
{
    uint64_t data_end = memory->address + memory->size_bytes;

    memset((void *)(uintptr_t)pages_of(memory), PATTERN, memory->address - pages_of(memory));
    memset((void *)(uintptr_t)data_end, PATTERN, pages_end(memory) - data_end);
}

/* Returns the length from the first to the last changed byte, and where it begins. Usually none is
 * changed: then each byte equals its neighbour and the first is right. */
static uint64_t changed(uint64_t from, uint64_t to, uint64_t *first)
{
    const unsigned char *bytes = (const unsigned char *)(uintptr_t)from;
    uint64_t count = 0;

    if (to <= from || (*bytes == PATTERN && memcmp(bytes, bytes + 1, to - from - 1) == 0))
        return 0;
    for (uint64_t at = from; at < to; at++) {
        if (*(const unsigned char *)(uintptr_t)at == PATTERN)
            continue;
        *first = count ? *first : at;
        count = at - *first + 1;
    }
    return count;
}

static void look_at(struct guarded *memory)
{
    uint64_t data_end = memory->address + memory->size_bytes, first = 0;
    uint64_t count = changed(pages_of(memory), memory->address, &first);

    if (!count)
        count = changed(data_end, pages_end(memory), &first);
    if (!count)
        return;
    static const struct cup_report_place unknown;
    char what[64];

    snprintf(what, sizeof(what), "something wrote %llu bytes from", (unsigned long long)count);
    if (!memory->is_reported)
        cup_explain_range(what, first, count, &unknown);
    memory->is_reported = false;
    fill_slack(memory); /* so that it is reported once */
}

void cup_redzone_reported(uint64_t address)
{
    pthread_mutex_lock(&lock);
    for (struct guarded *each = NULL; (each = each_locked(each));) {
        if (address - each->begin < each->end - each->begin)
            each->is_reported = true;
    }
    pthread_mutex_unlock(&lock);
}

void cup_redzone_check(void)
{
    pthread_mutex_lock(&lock);
    for (struct guarded *each = NULL; (each = each_locked(each));) {
        if (!each->is_protected)
            look_at(each);
    }
    pthread_mutex_unlock(&lock);
}

/* Placing redzones. */

static void protect_guards(const struct guarded *memory)
{
    protect(memory->begin, pages_of(memory), PROT_NONE);
    protect(pages_end(memory), memory->end, PROT_NONE);
}

static void close_around(const struct guarded *memory, const char *what)
{
    struct cup_tracked record = {.handle = memory->address,
                                 .kind = CUP_TRACKED_STORAGE,
                                 .what = what,
                                 .base = memory->address,
                                 .size_bytes = memory->size_bytes};
    int saved = errno;

    fill_slack(memory);
    cup_tracked_made(&record);
    pthread_mutex_lock(&lock);
    if (table.count < guarded_max)
        protect_guards(memory);
    add_locked(memory);
    pthread_mutex_unlock(&lock);
    errno = saved;
}

void cup_redzone_add(uint64_t address, uint64_t size_bytes, const char *what)
{
    uint64_t held_bytes = cup_arena_held_bytes(size_bytes),
             begin = cup_arena_held_begin(address, held_bytes);
    struct guarded memory = {address, size_bytes, begin, begin + held_bytes, false, false};

    close_around(&memory, what);
}

void cup_redzone_reprotect(uint64_t address, uint64_t size_bytes)
{
    uint64_t end = address + size_bytes;

    pthread_mutex_lock(&lock);
    for (struct guarded *each = NULL; (each = each_locked(each));) {
        if (each->begin < end && address < each->end)
            protect_guards(each);
    }
    for (const struct cup_quarantined *quarantined = quarantined_first; quarantined;
         quarantined = quarantined->next) {
        if (quarantined->begin < end && address < quarantined->end)
            protect(quarantined->begin, quarantined->end, PROT_NONE);
    }
    pthread_mutex_unlock(&lock);
}

/* Freed memory. */

/* False: the system has no mapping for it, and the memory is lost. */
static void give_back(struct cup_quarantined *quarantined)
{
    cup_tracked_forget(quarantined->address);
    if (protect(quarantined->begin, quarantined->end, PROT_READ | PROT_WRITE))
        quarantined->release(quarantined);
    free(quarantined);
}

/* Removes the oldest entry from the queue; NULL if there is none or the limit is not exceeded. */
static struct cup_quarantined *take_oldest(bool only_if_full)
{
    struct cup_quarantined *quarantined = NULL;

    pthread_mutex_lock(&lock);
    if (quarantined_first && (!only_if_full || quarantined_count > KEPT_MAX ||
                              quarantined_bytes > quarantined_bytes_max)) {
        quarantined = quarantined_first;
        quarantined_first = quarantined->next;
        if (!quarantined_first)
            quarantined_last = &quarantined_first;
        quarantined_count--;
        quarantined_bytes -= quarantined->end - quarantined->begin;
    }
    pthread_mutex_unlock(&lock);
    return quarantined;
}

void cup_redzone_quarantine(const struct cup_quarantined *freed)
{
    struct cup_quarantined *quarantined = malloc(sizeof(*quarantined));
    int saved = errno;

    cup_tracked_freed(CUP_TRACKED_STORAGE, freed->address);
    cup_tracked_freed(CUP_TRACKED_MEMORY, freed->address);
    pthread_mutex_lock(&lock);
    struct guarded *memory = known_locked(freed->address);
    if (memory && freed->begin != freed->end) {
        if (!memory->is_protected)
            look_at(memory);
        remove_locked(memory);
    }
    protect(freed->begin, freed->end, PROT_NONE);
    if (quarantined) {
        *quarantined = *freed;
        quarantined->next = NULL;
        *quarantined_last = quarantined;
        quarantined_last = &quarantined->next;
        quarantined_count++;
        quarantined_bytes += quarantined->end - quarantined->begin;
    } /* else it is lost: no lock may be taken here */
    pthread_mutex_unlock(&lock);
    errno = saved;
}

void cup_redzone_evict(void)
{
    struct cup_quarantined *quarantined;

    while ((quarantined = take_oldest(true)))
        give_back(quarantined);
}

bool cup_redzone_evict_all(void)
{
    struct cup_quarantined *quarantined;
    bool any = false;

    for (; (quarantined = take_oldest(false)); any = true)
        give_back(quarantined);
    return any;
}

/* Memory outside heaps. */

void *cup_redzone_alloc(uint64_t size_bytes)
{
    uint64_t bytes = in_pages(size_bytes) + 2 * page;
    void *space = cup_reserve_private(bytes, page);

    if (!space)
        return NULL;
    uint64_t begin = (uint64_t)(uintptr_t)space;
    struct guarded memory = {begin + bytes - page - in_granules(size_bytes),
                             size_bytes,
                             begin,
                             begin + bytes,
                             false,
                             false};
    close_around(&memory, "memory of a graphics buffer");
    return (void *)(uintptr_t)memory.address;
}

void cup_redzone_free(void *pointer)
{
    pthread_mutex_lock(&lock);
    struct guarded *found = known_locked((uint64_t)(uintptr_t)pointer);
    struct guarded memory = found ? *found : (struct guarded){0};
    if (found)
        remove_locked(found);
    pthread_mutex_unlock(&lock);
    cup_tracked_freed(CUP_TRACKED_STORAGE, memory.address);
    if (found)
        cup_reserve_release((void *)(uintptr_t)memory.begin, memory.end - memory.begin);
}

static void set_protected(void *pointer, bool protected)
{
    pthread_mutex_lock(&lock);
    struct guarded *memory = known_locked((uint64_t)(uintptr_t)pointer);
    if (memory && memory->is_protected != protected) {
        if (protected)
            look_at(memory);
        memory->is_protected = protect(pages_of(memory), pages_end(memory),
                                       protected ? PROT_NONE : PROT_READ | PROT_WRITE)
                                   ? protected
                                   : memory->is_protected;
    }
    pthread_mutex_unlock(&lock);
}

void cup_redzone_protect(void *memory)
{
    set_protected(memory, true);
}

void cup_redzone_unprotect(void *memory)
{
    set_protected(memory, false);
}
