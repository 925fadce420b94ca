/* SPDX-License-Identifier: MIT */
/* A pool of a few windows: consecutive clusters of a launch need the same. */
#include "exec/sched/cluster_window.h"

#include "core/align.h"
#include "core/lock.h"
#include "exec/sched/frame.h"
#include "os/page.h"

#include <sys/mman.h>

enum { GUARD_BYTES = 64 << 10, POOL_MAX = 8 };

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_FRAME);
static struct cup_cluster_window pool[POOL_MAX]; /* guarded by lock */

static bool pool_take(struct cup_cluster_window *wanted)
{
    bool found = false;

    cup_lock_acquire(&lock);
    for (unsigned i = 0; i < POOL_MAX && !found; i++) {
        if (pool[i].mapping && pool[i].blocks == wanted->blocks &&
            pool[i].open_bytes == wanted->open_bytes) {
            *wanted = pool[i];
            pool[i].mapping = NULL;
            found = true;
        }
    }
    cup_lock_release(&lock);
    return found;
}

static void *reserve(size_t bytes)
{
    return mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* The block's accessible pages. */
static uint8_t *pages_of(const struct cup_cluster_window *window, uint32_t rank)
{
    uint8_t *first = window->mapping + GUARD_BYTES;

    first += -(uintptr_t)first % CUP_CLUSTER_STRIDE;
    return first + (size_t)rank * CUP_CLUSTER_STRIDE;
}

static bool window_map(struct cup_cluster_window *window)
{
    size_t bytes = GUARD_BYTES + ((size_t)window->blocks + 1) * CUP_CLUSTER_STRIDE;
    void *mapping;

    window->mapping_bytes = bytes + CUP_FRAME_WINDOW_BYTES;
    mapping = reserve(window->mapping_bytes);
    if (mapping == MAP_FAILED) { /* limited address space: as frames have it */
        window->mapping_bytes = bytes;
        mapping = reserve(bytes);
    }
    if (mapping == MAP_FAILED)
        return false;
    window->mapping = mapping;
    for (uint32_t rank = 0; rank < window->blocks; rank++) {
        if (mprotect(pages_of(window, rank), window->open_bytes, PROT_READ | PROT_WRITE) != 0) {
            munmap(mapping, window->mapping_bytes);
            window->mapping = NULL;
            return false;
        }
    }
    return true;
}

uint8_t *cup_cluster_window_get(struct cup_cluster_window *window, uint32_t blocks, uint32_t bytes)
{
    *window = (struct cup_cluster_window){
        .blocks = blocks, .open_bytes = (uint32_t)cup_align_up(bytes, cup_page_bytes())};
    if (!pool_take(window) && !window_map(window))
        return NULL;
    return pages_of(window, 0) + window->open_bytes - bytes;
}

void cup_cluster_window_put(struct cup_cluster_window *window)
{
    bool kept = !window->mapping;

    cup_lock_acquire(&lock);
    for (unsigned i = 0; i < POOL_MAX && !kept; i++) {
        if (!pool[i].mapping) {
            pool[i] = *window;
            kept = true;
        }
    }
    cup_lock_release(&lock);
    if (!kept)
        munmap(window->mapping, window->mapping_bytes);
    window->mapping = NULL;
}
