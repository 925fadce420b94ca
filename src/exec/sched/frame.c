/* SPDX-License-Identifier: MIT */
/* A frame is one mapping, inaccessible at first; making the parts accessible leaves the guard pages
 * between them. Each thread keeps the frame it used last. Other frames are in one bounded pool; a
 * frame that is returned to a full pool is unmapped. */
#include "exec/sched/frame.h"

#include "core/align.h"
#include "core/compiler.h"
#include "core/lock.h"
#include "core/thread.h"
#include "os/page.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Limit of the pool's address space; touched pages stay committed. */
#define POOL_BYTES_MAX ((size_t)512 << 20)

/* Wider than a page: an out-of-bounds access may skip one. */
enum { GUARD_BYTES = 64 << 10 };

/* Cache colouring: stacks at the same page offset compete for the same cache lines, so each starts
 * slightly lower than the one before. */
enum { COLOUR_BYTES = 1024 + 64, COLOURS = 32 };

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_FRAME);
static struct cup_frame *pool; /* guarded by lock */
static size_t pool_bytes;      /* guarded by lock */

static size_t whole_pages(size_t bytes)
{
    return cup_align_up(bytes, cup_page_bytes());
}

static bool fits(const struct cup_frame *frame, const struct cup_frame_needs *needs)
{
    bool shared = needs->shared_align ? frame->has.shared_bytes == needs->shared_bytes
                                      : frame->has.shared_bytes >= needs->shared_bytes;

    return shared && frame->has.shared_align == needs->shared_align &&
           frame->has.local_bytes >= needs->local_bytes &&
           frame->has.kept_bytes >= needs->kept_bytes && frame->has.stacks >= needs->stacks &&
           (needs->stacks == 0 || frame->has.stack_bytes >= needs->stack_bytes);
}

static void frame_free(struct cup_frame *frame)
{
    for (uint32_t i = 0; i < frame->has.stacks; i++)
        cup_fiber_finish(&frame->fibers[i]);
    if (frame->mapping)
        munmap(frame->mapping, frame->mapping_bytes);
    if (frame->release_user)
        frame->release_user(frame->user);
    else
        free(frame->user);
    free(frame->fibers);
    free(frame);
}

/* Makes the next `bytes` accessible and leaves a guard behind them. */
static uint8_t *open_piece(uint8_t **at, size_t bytes)
{
    uint8_t *piece = *at;

    *at += bytes + GUARD_BYTES;
    return bytes == 0 || mprotect(piece, bytes, PROT_READ | PROT_WRITE) == 0 ? piece : NULL;
}

static bool open_pieces(struct cup_frame *frame)
{
    uint8_t *at = frame->mapping + GUARD_BYTES, *shared;

    if (frame->has.shared_align)
        at += -(uintptr_t)at % frame->has.shared_align;
    shared = open_piece(&at, frame->has.shared_bytes);
    at += frame->window_bytes;
    frame->shared_end = shared + frame->has.shared_bytes;
    frame->local = open_piece(&at, frame->has.local_bytes);
    frame->kept = open_piece(&at, frame->has.kept_bytes);
    if (!shared || !frame->local || !frame->kept)
        return false;
    for (uint32_t i = 0; i < frame->has.stacks; i++) {
        frame->fibers[i].stack_bytes = frame->has.stack_bytes - i % COLOURS * COLOUR_BYTES;
        frame->fibers[i].stack = open_piece(&at, frame->has.stack_bytes);
        if (!frame->fibers[i].stack)
            return false;
    }
    return true;
}

static void *reserve(size_t bytes)
{
    return mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* The size that the pool counts: without the window, which is never used. */
static size_t used_bytes(const struct cup_frame *frame)
{
    return frame->mapping_bytes - frame->window_bytes;
}

static struct cup_frame *frame_create(const struct cup_frame_needs *needs)
{
    struct cup_frame *frame = calloc(1, sizeof(*frame));

    if (!frame)
        return NULL;
    frame->has.shared_bytes = (uint32_t)whole_pages(needs->shared_bytes);
    frame->has.shared_align = needs->shared_align;
    frame->has.local_bytes = whole_pages(needs->local_bytes);
    frame->has.kept_bytes = (uint32_t)whole_pages(needs->kept_bytes);
    if (needs->stacks)
        frame->has.stack_bytes = (uint32_t)whole_pages(needs->stack_bytes + COLOURS * COLOUR_BYTES);
    frame->fibers = needs->stacks ? calloc(needs->stacks, sizeof(*frame->fibers)) : NULL;
    size_t bytes = frame->has.shared_bytes + frame->has.local_bytes + frame->has.kept_bytes +
                   (size_t)needs->stacks * frame->has.stack_bytes +
                   (size_t)GUARD_BYTES * (needs->stacks + 4) + needs->shared_align;
    frame->window_bytes = CUP_FRAME_WINDOW_BYTES;
    void *mapping = reserve(bytes + frame->window_bytes);
    if (mapping == MAP_FAILED) { /* limited address space: the guards still catch near accesses */
        frame->window_bytes = 0;
        mapping = reserve(bytes);
    }
    if (mapping != MAP_FAILED) {
        frame->mapping = mapping;
        frame->mapping_bytes = bytes + frame->window_bytes;
    }
    if (frame->mapping && (frame->fibers || !needs->stacks)) {
        frame->has.stacks = needs->stacks;
        if (open_pieces(frame))
            return frame;
        for (uint32_t i = 0; i < needs->stacks; i++) {
            if (!frame->fibers[i].stack)
                frame->fibers[i].stack_bytes = 0;
        }
    }
    frame_free(frame);
    return NULL;
}

static struct cup_frame *pool_get(const struct cup_frame_needs *needs)
{
    struct cup_frame *found = NULL;

    cup_lock_acquire(&lock);
    for (struct cup_frame **link = &pool; *link && !found; link = found ? link : &(*link)->next) {
        if (fits(*link, needs)) {
            found = *link;
            *link = found->next;
            pool_bytes -= used_bytes(found);
            break;
        }
    }
    cup_lock_release(&lock);
    return found;
}

static void pool_put(struct cup_frame *frame)
{
    cup_lock_acquire(&lock);
    bool has_room = pool_bytes + used_bytes(frame) <= POOL_BYTES_MAX;
    if (has_room) {
        frame->next = pool;
        pool = frame;
        pool_bytes += used_bytes(frame);
    }
    cup_lock_release(&lock);
    if (!has_room)
        frame_free(frame);
}

/* Frees all unused frames when memory is out. */
static void pool_drain(void)
{
    cup_lock_acquire(&lock);
    struct cup_frame *frame = pool, *next;
    pool = NULL;
    pool_bytes = 0;
    cup_lock_release(&lock);
    for (; frame; frame = next) {
        next = frame->next;
        frame_free(frame);
    }
}

CUP_THREAD_STATE(frame, struct cup_frame *); /* the most recent one, which is not in use */

struct cup_frame *cup_frame_get(const struct cup_frame_needs *needs)
{
    struct cup_frame **recent = cup_thread_frame(cup_thread_self()), *frame = *recent;

    if (cup_likely(frame && fits(frame, needs))) {
        *recent = NULL;
        return frame;
    }
    frame = pool_get(needs);
    if (!frame)
        frame = frame_create(needs);
    if (!frame) {
        pool_drain();
        frame = frame_create(needs);
    }
    return frame;
}

static void thread_ends(struct cup_thread *self)
{
    struct cup_frame **recent = cup_thread_frame(self);

    if (*recent)
        pool_put(*recent);
    *recent = NULL;
}

void cup_frame_put(struct cup_frame *frame)
{
    struct cup_frame **recent = cup_thread_frame(cup_thread_self());

    if (cup_unlikely(!cup_thread_at_end(CUP_SLOT_frame, thread_ends))) {
        pool_put(frame);
        return;
    }
    /* The most recent frame is the most likely to fit next. */
    struct cup_frame *before = *recent;
    *recent = frame;
    if (before)
        pool_put(before);
}

bool cup_frame_is_stack_end(const struct cup_frame *frame, uint64_t address)
{
    for (uint32_t i = 0; i < frame->has.stacks; i++) {
        uint64_t stack = (uint64_t)(uintptr_t)frame->fibers[i].stack;
        if (address < stack && address >= stack - GUARD_BYTES)
            return true;
    }
    return false;
}
