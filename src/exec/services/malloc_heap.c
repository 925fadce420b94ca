/* SPDX-License-Identifier: MIT */
/* The memory is divided into slabs of 64 KiB. A slab holds objects of one size class, or is part of
 * a large allocation. Metadata is kept outside the heap, because kernels write past their
 * allocations. */
#include "exec/services/malloc_heap.h"

#include "abi/launch.h"
#include "core/align.h"
#include "core/lock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SLAB_BYTES = 64 << 10,
    PIECE_BYTES_MIN = 16,
    PIECES_MAX = SLAB_BYTES / PIECE_BYTES_MIN,
    CLASS_COUNT = 22, /* 16, 32, 48, 64, 96, 128 ... 32 KiB: two per doubling */
    NO_SLAB = -1,
};

enum slab_kind { SLAB_FREE, SLAB_PIECES, SLAB_LARGE, SLAB_LARGE_REST };

struct slab {
    uint8_t kind;
    uint8_t class_index;
    uint16_t used;                 /* allocated objects */
    uint32_t length;               /* of SLAB_LARGE, in slabs */
    int32_t next;                  /* next slab of the class with free objects */
    uint16_t hint;                 /* no word of the map before this one has a free bit */
    uint64_t map[PIECES_MAX / 64]; /* one bit per allocated object */
};

struct cup_malloc_heap {
    struct cup_lock lock;
    uint8_t *memory;
    struct slab *slabs;
    uint32_t slab_count;
    uint32_t first_free;                /* no slab before it is free */
    int32_t partial_slabs[CLASS_COUNT]; /* per class: list of slabs with free objects */
};

static uint32_t class_bytes(unsigned class_index)
{
    if (class_index < 3)
        return 16 * (class_index + 1);
    uint32_t power = 64u << ((class_index - 3) / 2);
    return (class_index - 3) % 2 ? power + power / 2 : power;
}

static int class_of(uint64_t size)
{
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        if (size <= class_bytes(i))
            return (int)i;
    }
    return -1;
}

static void *map_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

struct cup_malloc_heap *cup_malloc_heap_create(size_t size_bytes)
{
    struct cup_malloc_heap *heap = calloc(1, sizeof(*heap));

    if (!heap)
        return NULL;
    cup_lock_init(&heap->lock, CUP_RANK_MALLOC_HEAP);
    heap->slab_count = (uint32_t)(size_bytes / SLAB_BYTES);
    heap->memory = map_memory((size_t)heap->slab_count * SLAB_BYTES);
    heap->slabs = map_memory(heap->slab_count * sizeof(*heap->slabs));
    for (unsigned i = 0; i < CLASS_COUNT; i++)
        heap->partial_slabs[i] = NO_SLAB;
    if (heap->memory && heap->slabs)
        return heap;
    cup_malloc_heap_destroy(heap);
    return NULL;
}

void cup_malloc_heap_destroy(struct cup_malloc_heap *heap)
{
    if (!heap)
        return;
    if (heap->memory)
        munmap(heap->memory, (size_t)heap->slab_count * SLAB_BYTES);
    if (heap->slabs)
        munmap(heap->slabs, heap->slab_count * sizeof(*heap->slabs));
    cup_lock_finish(&heap->lock);
    free(heap);
}

/* Returns the first of `count` contiguous free slabs, or NO_SLAB. */
static int32_t find_free_locked(struct cup_malloc_heap *heap, uint64_t count)
{
    cup_lock_assert_held(&heap->lock);
    uint64_t run = 0;

    while (heap->first_free < heap->slab_count && heap->slabs[heap->first_free].kind != SLAB_FREE)
        heap->first_free++;
    for (uint32_t i = heap->first_free; i < heap->slab_count; i++) {
        run = heap->slabs[i].kind == SLAB_FREE ? run + 1 : 0;
        if (run == count)
            return (int32_t)(i + 1 - count);
    }
    return NO_SLAB;
}

static uint64_t alloc_large_locked(struct cup_malloc_heap *heap, uint64_t size)
{
    cup_lock_assert_held(&heap->lock);
    if (size > (uint64_t)heap->slab_count * SLAB_BYTES)
        return 0;
    uint64_t count = (size + SLAB_BYTES - 1) / SLAB_BYTES;
    int32_t first = find_free_locked(heap, count);
    if (first == NO_SLAB)
        return 0;
    for (uint64_t i = 0; i < count; i++)
        heap->slabs[(uint64_t)first + i].kind = i ? SLAB_LARGE_REST : SLAB_LARGE;
    heap->slabs[first].length = (uint32_t)count;
    return (uint64_t)(uintptr_t)heap->memory + (uint64_t)first * SLAB_BYTES;
}

static bool open_slab_locked(struct cup_malloc_heap *heap, int class_index)
{
    cup_lock_assert_held(&heap->lock);
    int32_t index = find_free_locked(heap, 1);

    if (index == NO_SLAB)
        return false;
    struct slab *slab = &heap->slabs[index];
    memset(slab, 0, sizeof(*slab));
    slab->kind = SLAB_PIECES;
    slab->class_index = (uint8_t)class_index;
    slab->next = heap->partial_slabs[class_index];
    heap->partial_slabs[class_index] = index;
    return true;
}

static uint64_t alloc_piece_locked(struct cup_malloc_heap *heap, int class_index)
{
    cup_lock_assert_held(&heap->lock);
    if (heap->partial_slabs[class_index] == NO_SLAB && !open_slab_locked(heap, class_index))
        return 0;
    int32_t index = heap->partial_slabs[class_index];
    struct slab *slab = &heap->slabs[index];
    uint32_t bytes = class_bytes((unsigned)class_index);
    while (slab->map[slab->hint] == UINT64_MAX)
        slab->hint++;
    uint32_t bit = (uint32_t)__builtin_ctzll(~slab->map[slab->hint]);
    slab->map[slab->hint] |= UINT64_C(1) << bit;
    if (++slab->used == SLAB_BYTES / bytes)
        heap->partial_slabs[class_index] = slab->next;
    return (uint64_t)(uintptr_t)heap->memory + (uint64_t)index * SLAB_BYTES +
           (uint64_t)(slab->hint * 64u + bit) * bytes;
}

uint64_t cup_malloc_heap_alloc(struct cup_malloc_heap *heap, uint64_t size_bytes)
{
    uint64_t rounded = cup_align_up(size_bytes, PIECE_BYTES_MIN);
    int class_index = class_of(rounded);

    cup_lock_acquire(&heap->lock);
    uint64_t address = class_index >= 0 ? alloc_piece_locked(heap, class_index)
                                        : alloc_large_locked(heap, rounded);
    cup_lock_release(&heap->lock);
    return address;
}

static void free_slab_locked(struct cup_malloc_heap *heap, uint32_t index, uint32_t count)
{
    cup_lock_assert_held(&heap->lock);
    for (uint32_t i = 0; i < count; i++)
        heap->slabs[index + i].kind = SLAB_FREE;
    if (index < heap->first_free)
        heap->first_free = index;
}

static void unlink_locked(struct cup_malloc_heap *heap, struct slab *slab)
{
    cup_lock_assert_held(&heap->lock);
    int32_t *link = &heap->partial_slabs[slab->class_index];
    int32_t index = (int32_t)(slab - heap->slabs);

    while (*link != index)
        link = &heap->slabs[*link].next;
    *link = slab->next;
}

static bool free_piece_locked(struct cup_malloc_heap *heap, uint32_t index, uint32_t offset)
{
    cup_lock_assert_held(&heap->lock);
    struct slab *slab = &heap->slabs[index];
    uint32_t bytes = class_bytes(slab->class_index), piece = offset / bytes;
    uint64_t bit = UINT64_C(1) << (piece % 64);

    if (offset % bytes || !(slab->map[piece / 64] & bit))
        return false;
    slab->map[piece / 64] &= ~bit;
    if (piece / 64 < slab->hint)
        slab->hint = (uint16_t)(piece / 64);
    if (slab->used-- == SLAB_BYTES / bytes) {
        slab->next = heap->partial_slabs[slab->class_index];
        heap->partial_slabs[slab->class_index] = (int32_t)index;
    }
    if (slab->used == 0) {
        unlink_locked(heap, slab);
        free_slab_locked(heap, index, 1);
    }
    return true;
}

static bool free_locked(struct cup_malloc_heap *heap, uint64_t offset)
{
    cup_lock_assert_held(&heap->lock);
    uint32_t index = (uint32_t)(offset / SLAB_BYTES);
    struct slab *slab = &heap->slabs[index];

    if (slab->kind == SLAB_PIECES)
        return free_piece_locked(heap, index, (uint32_t)(offset % SLAB_BYTES));
    if (slab->kind != SLAB_LARGE || offset % SLAB_BYTES)
        return false;
    free_slab_locked(heap, index, slab->length);
    return true;
}

enum cup_malloc_heap_result cup_malloc_heap_free(struct cup_malloc_heap *heap, uint64_t address)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)heap->memory;

    if (offset >= (uint64_t)heap->slab_count * SLAB_BYTES)
        return CUP_MALLOC_HEAP_ELSEWHERE;
    cup_lock_acquire(&heap->lock);
    bool given = free_locked(heap, offset);
    cup_lock_release(&heap->lock);
    return given ? CUP_MALLOC_HEAP_FREED : CUP_MALLOC_HEAP_NOT_ALLOCATED;
}

void cup_malloc_heap_count(struct cup_malloc_heap *heap, size_t *pieces, size_t *bytes)
{
    *pieces = *bytes = 0;
    cup_lock_acquire(&heap->lock);
    for (uint32_t i = 0; i < heap->slab_count; i++) {
        const struct slab *slab = &heap->slabs[i];

        if (slab->kind == SLAB_PIECES) {
            *pieces += slab->used;
            *bytes += (size_t)slab->used * class_bytes(slab->class_index);
        } else if (slab->kind == SLAB_LARGE) {
            *pieces += 1;
            *bytes += (size_t)slab->length * SLAB_BYTES;
        }
    }
    cup_lock_release(&heap->lock);
}
