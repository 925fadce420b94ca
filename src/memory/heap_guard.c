/* SPDX-License-Identifier: MIT */
/* A queue of what was freed, at most so many pieces and bytes. Where the system has no mapping left
 * for one more guard, the allocation goes without. */
#include "memory/heap_guard.h"

#include "core/check.h"
#include "memory/heap.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, PATTERN = 0xfb, KEPT_MAX = 4096, PAGE_CELLS = PAGE / CUP_CELL_BYTES };

#define KEPT_BYTES_MAX (UINT64_C(256) << 20)

bool cup_heap_guarded;

struct kept {
    struct cup_heap *heap;
    uint64_t address, size_bytes;
    bool large;
};

/* A leaf. guarded by kept_lock: all of it */
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept kept[KEPT_MAX];
static unsigned kept_first, kept_count;
static uint64_t kept_bytes;

static uint64_t in_pages(uint64_t size_bytes)
{
    return (size_bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static uint64_t in_cells(uint64_t size_bytes)
{
    return (size_bytes + CUP_CELL_BYTES - 1) & ~(uint64_t)(CUP_CELL_BYTES - 1);
}

uint32_t cup_guard_small_cells(uint64_t size_bytes)
{
    return (uint32_t)(in_pages(size_bytes) >> CUP_CELL_SHIFT) + 2 * PAGE_CELLS;
}

uint32_t cup_guard_small_lead(uint64_t size_bytes)
{
    return PAGE_CELLS + (uint32_t)((in_pages(size_bytes) - in_cells(size_bytes)) >> CUP_CELL_SHIFT);
}

uint64_t cup_guard_large_bytes(uint64_t size_bytes)
{
    uint64_t wanted = in_pages(size_bytes) + PAGE;

    return wanted < size_bytes ? UINT64_MAX
                               : (wanted + CUP_UNIT_BYTES - 1) & ~(uint64_t)(CUP_UNIT_BYTES - 1);
}

static void protect(uint64_t from, uint64_t to, int access)
{
    int saved = errno;

    if (to > from)
        mprotect((void *)(uintptr_t)from, to - from, access);
    errno = saved;
}

/* Where the pages of the data begin and end, and where the guards around them do. */
struct layout {
    uint64_t guard, pages, data, data_end, pages_end, guard_end;
};

static struct layout layout_of(uint64_t address, uint64_t size_bytes, bool large)
{
    struct layout layout = {.data = address, .data_end = address + size_bytes};

    layout.pages = address & ~(uint64_t)(PAGE - 1);
    layout.pages_end = layout.pages + in_pages(layout.data_end - layout.pages);
    layout.guard = large ? layout.pages : layout.pages - PAGE;
    layout.guard_end =
        large ? address + cup_guard_large_bytes(size_bytes) : layout.pages_end + PAGE;
    return layout;
}

void cup_guard_close(uint64_t address, uint64_t size_bytes, bool large)
{
    struct layout layout = layout_of(address, size_bytes, large);

    memset((void *)(uintptr_t)layout.pages, PATTERN, layout.data - layout.pages);
    memset((void *)(uintptr_t)layout.data_end, PATTERN, layout.pages_end - layout.data_end);
    protect(layout.guard, layout.pages, PROT_NONE);
    protect(layout.pages_end, layout.guard_end, PROT_NONE);
}

/* The first byte that is not as it was left, or 0. */
static uint64_t changed(uint64_t from, uint64_t to)
{
    for (; from < to; from++) {
        if (*(const unsigned char *)(uintptr_t)from != PATTERN)
            return from;
    }
    return 0;
}

static void look_at_slack(const struct layout *layout)
{
    uint64_t before = changed(layout->pages, layout->data);
    uint64_t behind = changed(layout->data_end, layout->pages_end);

    if (before || behind)
        cup_check_explain("somebody wrote to", before ? before : behind, 1);
}

static void give_back(const struct kept *piece)
{
    struct layout layout = layout_of(piece->address, piece->size_bytes, piece->large);

    protect(layout.guard, layout.guard_end, PROT_READ | PROT_WRITE);
    cup_heap_release(piece->heap, piece->address, piece->size_bytes, piece->large);
}

static bool take_oldest(struct kept *piece, bool only_if_full)
{
    pthread_mutex_lock(&kept_lock);
    bool take =
        kept_count && (!only_if_full || kept_count == KEPT_MAX || kept_bytes > KEPT_BYTES_MAX);
    if (take) {
        *piece = kept[kept_first];
        kept_first = (kept_first + 1) % KEPT_MAX;
        kept_count--;
        kept_bytes -= piece->size_bytes;
    }
    pthread_mutex_unlock(&kept_lock);
    return take;
}

void cup_guard_keep(struct cup_heap *heap, uint64_t address, uint64_t size_bytes, bool large)
{
    struct layout layout = layout_of(address, size_bytes, large);
    struct kept piece = {heap, address, size_bytes, large}, oldest;

    look_at_slack(&layout);
    protect(layout.guard, layout.guard_end, PROT_NONE);
    while (take_oldest(&oldest, true))
        give_back(&oldest);
    pthread_mutex_lock(&kept_lock);
    bool room = kept_count < KEPT_MAX;
    if (room) {
        kept[(kept_first + kept_count++) % KEPT_MAX] = piece;
        kept_bytes += size_bytes;
    }
    pthread_mutex_unlock(&kept_lock);
    if (!room)
        give_back(&piece);
}

bool cup_guard_give_up(void)
{
    struct kept piece;
    bool any = false;

    while (take_oldest(&piece, false)) {
        give_back(&piece);
        any = true;
    }
    return any;
}
