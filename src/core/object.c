/* SPDX-License-Identifier: MIT */
/* One arena of address space for all slabs, cut into chunks of 64 KiB that belong to one type each.
 * The arena is reserved once and filled as objects are made; free slots are reused oldest first, so
 * that a stale handle stays recognisable for as long as possible. */
#include "core/object.h"

#include "core/compiler.h"
#include "core/lock.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

enum {
    CHUNK_SHIFT = 16,
    CHUNK_BYTES = 1 << CHUNK_SHIFT,
    SLOT_ALIGN = 64,
};

static const size_t arena_bytes_wanted = (size_t)4 << 30;
static const size_t arena_bytes_least = (size_t)16 << 20;
enum { CHUNK_COUNT_MAX = 1 << 16 };

struct object_type {
    struct cup_lock lock;
    size_t slot_bytes;
    void (*finish)(struct cup_object *object);
    struct cup_object *free_head; /* guarded by lock */
    struct cup_object *free_tail; /* guarded by lock */
};

static struct object_type types[CUP_OBJECT_TYPE_COUNT];

static struct cup_lock arena_lock = CUP_LOCK_INITIALIZER(CUP_RANK_ARENA);
static _Atomic(char *) arena;
static size_t arena_bytes;                  /* guarded by arena_lock */
static _Atomic(size_t) arena_used;          /* bytes handed out as chunks */
static uint8_t chunk_type[CHUNK_COUNT_MAX]; /* type + 1; written before arena_used covers it */

static uint64_t live_stamp(const struct cup_object *object, uint32_t type)
{
    return (uint64_t)(uintptr_t)object ^ ((uint64_t)(type + 1) << 56) ^ 0x00c0de0000000000u;
}

void cup_object_register(enum cup_object_type type, size_t size_bytes,
                         void (*finish)(struct cup_object *object))
{
    cup_lock_init(&types[type].lock, CUP_RANK_OBJECT);
    types[type].slot_bytes = (size_bytes + SLOT_ALIGN - 1) & ~(size_t)(SLOT_ALIGN - 1);
    types[type].finish = finish;
}

static bool arena_reserve_locked(void)
{
    for (size_t bytes = arena_bytes_wanted; bytes >= arena_bytes_least; bytes /= 2) {
        void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base != MAP_FAILED) {
            arena_bytes = bytes;
            atomic_store(&arena, base);
            return true;
        }
    }
    return false;
}

/* A fresh chunk for the type, or NULL. */
static char *chunk_take(enum cup_object_type type)
{
    char *chunk = NULL;

    cup_lock_acquire(&arena_lock);
    size_t used = atomic_load(&arena_used);
    if ((atomic_load(&arena) || arena_reserve_locked()) && used + CHUNK_BYTES <= arena_bytes) {
        chunk = atomic_load(&arena) + used;
        chunk_type[used >> CHUNK_SHIFT] = (uint8_t)(type + 1);
        atomic_store_explicit(&arena_used, used + CHUNK_BYTES, memory_order_release);
    }
    cup_lock_release(&arena_lock);
    return chunk;
}

static void free_list_append_locked(struct object_type *kind, struct cup_object *object)
{
    object->next_free = NULL;
    if (kind->free_tail)
        kind->free_tail->next_free = object;
    else
        kind->free_head = object;
    kind->free_tail = object;
}

static bool free_list_refill(enum cup_object_type type)
{
    struct object_type *kind = &types[type];
    char *chunk = chunk_take(type);

    if (!chunk)
        return false;
    cup_lock_acquire(&kind->lock);
    for (size_t at = 0; at + kind->slot_bytes <= CHUNK_BYTES; at += kind->slot_bytes)
        free_list_append_locked(kind, (struct cup_object *)(chunk + at));
    cup_lock_release(&kind->lock);
    return true;
}

static struct cup_object *free_list_take(struct object_type *kind)
{
    cup_lock_acquire(&kind->lock);
    struct cup_object *object = kind->free_head;
    if (object) {
        kind->free_head = object->next_free;
        if (!kind->free_head)
            kind->free_tail = NULL;
    }
    cup_lock_release(&kind->lock);
    return object;
}

struct cup_object *cup_object_create(enum cup_object_type type)
{
    struct object_type *kind = &types[type];
    struct cup_object *object;

    while (!(object = free_list_take(kind))) {
        if (!free_list_refill(type))
            return NULL;
    }
    /* The head stays as it is: another thread may be judging this slot as a stale handle. */
    memset((char *)object + sizeof(*object), 0, kind->slot_bytes - sizeof(*object));
    object->type = type;
    atomic_store_explicit(&object->refs, 1, memory_order_release);
    return object;
}

void cup_object_publish(struct cup_object *object)
{
    atomic_store_explicit(&object->stamp, live_stamp(object, object->type), memory_order_release);
}

bool cup_object_retire(struct cup_object *object, enum cup_object_fate fate)
{
    uint64_t expected = live_stamp(object, object->type);

    return atomic_compare_exchange_strong(&object->stamp, &expected, (uint64_t)fate);
}

static CUresult fate_result(uint64_t stamp)
{
    switch (stamp) {
    case CUP_FATE_CONTEXT_GONE:
        return CUDA_ERROR_INVALID_CONTEXT;
    case CUP_FATE_CONTEXT_RESET:
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    default:
        return CUDA_ERROR_INVALID_HANDLE;
    }
}

/* True when the handle is the start of a slot of this type: then reading it is safe for ever. */
static bool is_slot(enum cup_object_type type, const void *handle)
{
    size_t offset =
        (size_t)((uintptr_t)handle - (uintptr_t)atomic_load_explicit(&arena, memory_order_relaxed));

    if (offset >= atomic_load_explicit(&arena_used, memory_order_acquire))
        return false;
    if (chunk_type[offset >> CHUNK_SHIFT] != type + 1)
        return false;
    return (offset & (CHUNK_BYTES - 1)) % types[type].slot_bytes == 0;
}

CUresult cup_object_find(enum cup_object_type type, const void *handle, struct cup_object **object)
{
    struct cup_object *slot = (struct cup_object *)handle;
    uint64_t live = live_stamp(slot, type);

    if (!is_slot(type, handle))
        return CUDA_ERROR_INVALID_HANDLE;
    uint32_t refs = atomic_load_explicit(&slot->refs, memory_order_relaxed);
    do {
        uint64_t stamp = atomic_load_explicit(&slot->stamp, memory_order_acquire);
        if (stamp != live || refs == 0)
            return fate_result(stamp);
    } while (!atomic_compare_exchange_weak_explicit(&slot->refs, &refs, refs + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    /* The slot may have been retired, or freed and reused, between the two reads. */
    uint64_t stamp = atomic_load_explicit(&slot->stamp, memory_order_acquire);
    if (cup_unlikely(stamp != live)) {
        cup_object_unref(slot);
        return fate_result(stamp);
    }
    *object = slot;
    return CUDA_SUCCESS;
}

bool cup_object_was(enum cup_object_type type, const void *handle)
{
    const struct cup_object *slot = handle;

    return is_slot(type, handle) && atomic_load_explicit(&slot->stamp, memory_order_relaxed) != 0;
}

void cup_object_ref(struct cup_object *object)
{
    uint32_t before = atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);

    assert(before != 0);
    (void)before;
}

bool cup_object_try_ref(struct cup_object *object)
{
    uint32_t refs = atomic_load_explicit(&object->refs, memory_order_relaxed);

    do {
        if (refs == 0)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&object->refs, &refs, refs + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    return true;
}

void cup_object_unref(struct cup_object *object)
{
    struct object_type *kind = &types[object->type];

    if (atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (kind->finish)
        kind->finish(object);
    cup_lock_acquire(&kind->lock);
    free_list_append_locked(kind, object);
    cup_lock_release(&kind->lock);
}

uint32_t cup_object_index(const struct cup_object *object)
{
    return (uint32_t)(((const char *)object - atomic_load(&arena)) / SLOT_ALIGN);
}

struct cup_object *cup_object_at(uint32_t index)
{
    return (struct cup_object *)(atomic_load(&arena) + (size_t)index * SLOT_ALIGN);
}
