/* SPDX-License-Identifier: MIT */
/* Look-ups in a heap that another thread may end.
 *
 * Look-ups take no lock, so one may be at work in a heap while another thread ends it. The map
 * therefore knows such a heap by a small record that is never freed, only reused for another such
 * heap. A look-up publishes that it is inside and then reads the map again; the thread that ends
 * the heap takes the record out of the map and then waits until no look-up is inside. So one of the
 * two sees the other (hazard pointers).
 *
 * Publishing is a plain store: the thread that ends a heap makes all threads pass a barrier, which
 * costs look-ups nothing (os/membarrier.h). Threads beyond the first few hundred, and all threads
 * where the system has no such barrier, count themselves in the record instead. Look-ups in other
 * heaps do not come here. */
#include "memory/heap_file.h"

#include "core/compiler.h"
#include "core/lock.h"
#include "core/thread.h"
#include "memory/heap.h"
#include "os/clock.h"
#include "os/membarrier.h"
#include "os/memfd.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES = 256, YIELDS = 100, NAP_NS = 100000 };

/* The record that a thread's look-up is inside. */
struct note {
    _Atomic(struct cup_heap_file *) inside;
} __attribute__((aligned(CUP_CACHE_LINE)));

struct cup_heap_file {
    struct cup_region region; /* first: the map knows it by that; its functions never change */
    struct cup_heap *heap;    /* valid for threads that noted the record and found it in the map */
    struct cup_heap_file *next; /* list of unused records; guarded by lock */
    _Atomic(uint32_t) counted;  /* threads inside it that have no note */
};

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_SPACE);
static struct cup_heap_file *unused; /* guarded by lock */
static bool has_asked;               /* has tested for the barrier; guarded by lock */
static _Atomic(bool) has_barrier;    /* settled before the first record is in the map */
static struct note notes[NOTES];     /* by the threads' numbers */

/* The calling thread's note; NULL: the thread counts itself in the record. */
static struct note *own_note(void)
{
    uint32_t id = cup_thread_id();

    if (cup_unlikely(id >= NOTES || !atomic_load_explicit(&has_barrier, memory_order_relaxed)))
        return NULL;
    return &notes[id];
}

static void leave(struct cup_heap_file *file, struct note *note)
{
    if (cup_likely(note != NULL))
        atomic_store_explicit(&note->inside, NULL, memory_order_release);
    else
        atomic_fetch_sub(&file->counted, 1);
}

/* False: the heap has ended, or is about to. */
static bool enter(struct cup_heap_file *file, struct note *note, uint64_t address)
{
    if (cup_likely(note != NULL)) {
        atomic_store_explicit(&note->inside, file, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
    } else {
        atomic_fetch_add(&file->counted, 1);
    }
    if (cup_likely(cup_map_has(&file->region, address)))
        return true;
    leave(file, note);
    return false;
}

static bool file_find(struct cup_region *region, uint64_t address, struct cup_span *span)
{
    struct cup_heap_file *file = (struct cup_heap_file *)region;
    struct note *note = own_note();

    if (!enter(file, note, address))
        return false;
    bool found = cup_heap_find(&file->heap->region, address, span);
    leave(file, note);
    return found;
}

static bool file_describe(struct cup_region *region, uint64_t address, struct cup_range *range)
{
    struct cup_heap_file *file = (struct cup_heap_file *)region;
    struct note *note = own_note();

    if (!enter(file, note, address))
        return false;
    bool found = cup_heap_describe(&file->heap->region, address, range);
    leave(file, note);
    return found;
}

static bool file_set_flag(struct cup_region *region, uint64_t address, unsigned flag, bool on)
{
    struct cup_heap_file *file = (struct cup_heap_file *)region;
    struct note *note = own_note();

    if (!enter(file, note, address))
        return false;
    bool found = cup_heap_set_flag(&file->heap->region, address, flag, on);
    leave(file, note);
    return found;
}

static struct cup_heap_file *file_at(uint64_t address)
{
    struct cup_region *region = cup_map_region(address);

    return region && region->find == file_find ? (struct cup_heap_file *)region : NULL;
}

uint32_t cup_heap_file_owner(uint64_t address)
{
    struct cup_heap_file *file = file_at(address);
    struct note *note = own_note();

    if (!file || !enter(file, note, address))
        return CUP_OWNER_NONE;
    uint32_t owner = cup_heap_owner(file->heap, address);
    leave(file, note);
    return owner;
}

static bool place(uint64_t address, bool duplicates, int *fd, uint64_t *offset)
{
    struct cup_heap_file *file = file_at(address);
    struct note *note = own_note();

    if (!file || !enter(file, note, address))
        return false;
    *offset = address - file->heap->region.base;
    *fd = duplicates ? cup_memfd_share(file->heap->fd) : file->heap->fd;
    leave(file, note);
    return true;
}

bool cup_heap_file_share(uint64_t address, int *fd, uint64_t *offset)
{
    return place(address, true, fd, offset);
}

bool cup_heap_file_place(uint64_t address, int *fd, uint64_t *offset)
{
    return place(address, false, fd, offset);
}

static struct cup_heap_file *unused_take(void)
{
    cup_lock_acquire(&lock);
    struct cup_heap_file *file = unused;
    if (file)
        unused = file->next;
    if (!has_asked)
        atomic_store(&has_barrier, cup_membarrier_init());
    has_asked = true;
    cup_lock_release(&lock);
    return file;
}

static struct cup_heap_file *file_new(void)
{
    struct cup_heap_file *file = unused_take();

    if (file)
        return file;
    file = calloc(1, sizeof(*file));
    if (!file)
        return NULL;
    file->region.find = file_find;
    file->region.describe = file_describe;
    file->region.set_flag = file_set_flag;
    return file;
}

struct cup_heap_file *cup_heap_file_add(struct cup_heap *heap)
{
    struct cup_heap_file *file = file_new();

    if (!file)
        return NULL;
    file->heap = heap;
    file->region.base = heap->region.base;
    file->region.size_bytes = heap->region.size_bytes;
    cup_map_add(&file->region);
    return file;
}

static bool anybody_inside(struct cup_heap_file *file)
{
    for (int id = 0; id < NOTES; id++) {
        if (atomic_load(&notes[id].inside) == file)
            return true;
    }
    return atomic_load(&file->counted) != 0;
}

/* A thread inside leaves soon, unless it is descheduled; a thread that enters now leaves at
 * once. */
static void wait_until_left(struct cup_heap_file *file)
{
    int saved = errno;

    for (int i = 0; anybody_inside(file); i++) {
        if (i < YIELDS)
            sched_yield();
        else
            cup_clock_sleep_ns(NAP_NS);
    }
    errno = saved;
}

bool cup_heap_file_remove(struct cup_heap_file *file)
{
    cup_map_remove(&file->region);
    if (atomic_load(&has_barrier) && !cup_membarrier_all_threads())
        return false;
    wait_until_left(file);
    cup_lock_acquire(&lock);
    file->next = unused;
    unused = file;
    cup_lock_release(&lock);
    return true;
}
