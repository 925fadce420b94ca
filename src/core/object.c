/* SPDX-License-Identifier: MIT */
/* One reserved arena of address space for all slabs, divided into chunks of 64 KiB that each belong
 * to one type. A chunk's free slots are reused in FIFO order, so that a stale handle stays
 * recognisable for as long as possible.
 *
 * Empty chunks, except for a few per type, are returned to the system. The retire reasons of their
 * slots are kept outside the chunk, because a stale handle then reads zeros. */
#include "core/object.h"

#include "core/align.h"
#include "core/compiler.h"
#include "core/list.h"
#include "core/lock.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    CHUNK_SHIFT = 16,
    CHUNK_BYTES = 1 << CHUNK_SHIFT,
    SLOT_ALIGN = 64,
    EMPTY_CHUNKS_KEPT = 4,
    FREE_SLOTS_MIN = 32, /* free slots that are kept before one is reused */
};

static const size_t arena_bytes_wanted = (size_t)4 << 30;
static const size_t arena_bytes_min = (size_t)16 << 20;
enum { CHUNK_COUNT_MAX = 1 << 16 };

/* Guarded by the lock of its type, except for `reasons`. */
struct chunk {
    struct cup_list link; /* in the list of open or vacant chunks */
    /* slots that were used before; those from `fresh` on never were */
    struct cup_object *free_head;
    struct cup_object *free_tail;
    _Atomic(uint8_t *) reasons; /* one byte per slot, once the chunk was vacated; never freed */
    uint16_t fresh;
    uint16_t used;
};

struct object_type {
    struct cup_lock lock;
    size_t slot_bytes;
    uint16_t slot_count; /* per chunk */
    bool keeps_chunks;
    void (*finish)(struct cup_object *object);
    struct cup_list open;   /* chunks with a free slot; guarded by lock */
    struct cup_list vacant; /* chunks returned to the system; guarded by lock */
    unsigned empty_count;   /* empty chunks in `open`; guarded by lock */
    uint32_t free_count;    /* free slots in `open`; guarded by lock */
};

static struct object_type types[CUP_OBJECT_TYPE_COUNT];

static struct cup_lock arena_lock = CUP_LOCK_INITIALIZER(CUP_RANK_ARENA);
static _Atomic(char *) arena;
static size_t arena_bytes;                  /* guarded by arena_lock */
static _Atomic(size_t) arena_used;          /* bytes assigned to chunks */
static uint8_t chunk_type[CHUNK_COUNT_MAX]; /* type + 1; written before arena_used covers it */
static struct chunk chunks[CHUNK_COUNT_MAX];

static uint64_t live_stamp(const struct cup_object *object, uint32_t type)
{
    return (uint64_t)(uintptr_t)object ^ ((uint64_t)(type + 1) << 56) ^ 0x00c0de0000000000u;
}

void cup_object_register(enum cup_object_type type, size_t size_bytes,
                         void (*finish)(struct cup_object *object))
{
    cup_lock_init(&types[type].lock, CUP_RANK_OBJECT);
    types[type].slot_bytes = cup_align_up(size_bytes, SLOT_ALIGN);
    types[type].slot_count = (uint16_t)(CHUNK_BYTES / types[type].slot_bytes);
    types[type].finish = finish;
    cup_list_init(&types[type].open);
    cup_list_init(&types[type].vacant);
    /* Look-ups of memory read its owner without a reference, possibly just after the owner
     * ended. */
    types[type].keeps_chunks = type == CUP_OBJECT_CONTEXT || type == CUP_OBJECT_POOL;
}

static bool arena_reserve_locked(void)
{
    cup_lock_assert_held(&arena_lock);
    for (size_t bytes = arena_bytes_wanted; bytes >= arena_bytes_min; bytes /= 2) {
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

static char *chunk_base(const struct chunk *chunk)
{
    return atomic_load_explicit(&arena, memory_order_relaxed) +
           ((size_t)(chunk - chunks) << CHUNK_SHIFT);
}

static struct chunk *chunk_of(const struct cup_object *object)
{
    return &chunks[((uintptr_t)object -
                    (uintptr_t)atomic_load_explicit(&arena, memory_order_relaxed)) >>
                   CHUNK_SHIFT];
}

/* Assigns a new chunk to the type, or returns NULL. */
static struct chunk *chunk_create(enum cup_object_type type)
{
    struct chunk *chunk = NULL;

    cup_lock_acquire(&arena_lock);
    size_t used = atomic_load(&arena_used);
    if ((atomic_load(&arena) || arena_reserve_locked()) && used + CHUNK_BYTES <= arena_bytes) {
        chunk = &chunks[used >> CHUNK_SHIFT];
        chunk_type[used >> CHUNK_SHIFT] = (uint8_t)(type + 1);
        cup_tell_root(chunk_base(chunk), CHUNK_BYTES);
        atomic_store_explicit(&arena_used, used + CHUNK_BYTES, memory_order_release);
    }
    cup_lock_release(&arena_lock);
    return chunk;
}

/* Adds a chunk with free slots, if there is space. */
static void add_chunk_locked(enum cup_object_type type)
{
    struct object_type *kind = &types[type];
    cup_lock_assert_held(&kind->lock);
    struct chunk *chunk = cup_list_first(&kind->vacant, struct chunk, link);

    if (chunk)
        cup_list_remove(&chunk->link);
    else if (!(chunk = chunk_create(type)))
        return;
    cup_list_append(&kind->open, &chunk->link);
    kind->empty_count++;
    kind->free_count += kind->slot_count;
}

static struct cup_object *slot_alloc_locked(struct object_type *kind)
{
    cup_lock_assert_held(&kind->lock);
    struct chunk *chunk = cup_list_entry(kind->open.next, struct chunk, link);
    struct cup_object *object;

    if (chunk->fresh < kind->slot_count) {
        object = (struct cup_object *)(chunk_base(chunk) + chunk->fresh++ * kind->slot_bytes);
    } else {
        object = chunk->free_head;
        chunk->free_head = object->next_free;
    }
    kind->empty_count -= chunk->used == 0;
    kind->free_count--;
    unsigned left = kind->slot_count - ++chunk->used;
    if (left < FREE_SLOTS_MIN) {
        cup_list_remove(&chunk->link);
        if (left)
            cup_list_append(&kind->open, &chunk->link);
    }
    return object;
}

/* Stores the retire reasons of an empty chunk, one byte per slot. Slots that were not used since
 * the chunk was last vacated keep their stored reason. */
static bool record_reasons_locked(struct object_type *kind, struct chunk *chunk)
{
    cup_lock_assert_held(&kind->lock);
    uint8_t *reasons = atomic_load_explicit(&chunk->reasons, memory_order_relaxed);

    if (!reasons)
        /* the remainder of a chunk may look like a slot */
        reasons = calloc(kind->slot_count + 1u, 1);
    if (!reasons)
        return false;
    for (uint16_t slot = 0; slot < chunk->fresh; slot++) {
        const struct cup_object *object =
            (const struct cup_object *)(chunk_base(chunk) + slot * kind->slot_bytes);
        uint64_t reason = atomic_load_explicit(&object->stamp, memory_order_relaxed);
        if (reason > CUP_RETIRED_LAST) /* it was freed before its handle was published */
            reason = CUP_RETIRED_DESTROYED;
        if (reason)
            __atomic_store_n(&reasons[slot], (uint8_t)reason, __ATOMIC_RELAXED);
    }
    atomic_store_explicit(&chunk->reasons, reasons, memory_order_release);
    return true;
}

/* Returns an empty chunk to the system, if its retire reasons can be stored. */
static void vacate_locked(struct object_type *kind, struct chunk *chunk)
{
    cup_lock_assert_held(&kind->lock);
    int saved = errno;

    if (!record_reasons_locked(kind, chunk))
        return;
    cup_list_remove(&chunk->link);
    cup_list_append(&kind->vacant, &chunk->link);
    kind->empty_count--;
    kind->free_count -= kind->slot_count;
    chunk->fresh = 0;
    chunk->free_head = chunk->free_tail = NULL;
    madvise(chunk_base(chunk), CHUNK_BYTES, MADV_DONTNEED);
    errno = saved;
}

static void slot_free_locked(struct object_type *kind, struct cup_object *object)
{
    cup_lock_assert_held(&kind->lock);
    struct chunk *chunk = chunk_of(object);

    object->next_free = NULL;
    if (chunk->free_head)
        chunk->free_tail->next_free = object;
    else
        chunk->free_head = object;
    chunk->free_tail = object;
    kind->free_count++;
    if (chunk->used-- == kind->slot_count)
        cup_list_append(&kind->open, &chunk->link);
    if (chunk->used == 0 && ++kind->empty_count > EMPTY_CHUNKS_KEPT &&
        cup_likely(!kind->keeps_chunks))
        vacate_locked(kind, chunk);
}

struct cup_object *cup_object_create(enum cup_object_type type)
{
    struct object_type *kind = &types[type];
    struct cup_object *object = NULL;

    cup_lock_acquire(&kind->lock);
    if (cup_unlikely(kind->free_count < FREE_SLOTS_MIN))
        add_chunk_locked(type);
    if (cup_likely(!cup_list_is_empty(&kind->open)))
        object = slot_alloc_locked(kind);
    cup_lock_release(&kind->lock);
    if (!object)
        return NULL;
    /* The header is not cleared: another thread may be validating a stale handle to this slot. */
    memset((char *)object + sizeof(*object), 0, kind->slot_bytes - sizeof(*object));
    object->type = type;
    atomic_store_explicit(&object->refs, 1, memory_order_release);
    return object;
}

void cup_object_publish(struct cup_object *object)
{
    atomic_store_explicit(&object->stamp, live_stamp(object, object->type), memory_order_release);
}

bool cup_object_retire(struct cup_object *object, enum cup_retire_reason reason)
{
    uint64_t expected = live_stamp(object, object->type);

    return atomic_compare_exchange_strong(&object->stamp, &expected, (uint64_t)reason);
}

/* Returns the stored reason of a slot in a vacated chunk; 0: it never was a handle. */
static uint64_t recorded_reason(enum cup_object_type type, const struct cup_object *slot)
{
    const struct chunk *chunk = chunk_of(slot);
    const uint8_t *reasons = atomic_load_explicit(&chunk->reasons, memory_order_acquire);
    size_t index = (size_t)((const char *)slot - chunk_base(chunk)) / types[type].slot_bytes;

    return reasons ? __atomic_load_n(&reasons[index], __ATOMIC_RELAXED) : 0;
}

static CUresult retired_result(enum cup_object_type type, const struct cup_object *slot,
                               uint64_t stamp)
{
    switch (stamp ? stamp : recorded_reason(type, slot)) {
    case CUP_RETIRED_CONTEXT_GONE:
        return CUDA_ERROR_INVALID_CONTEXT;
    case CUP_RETIRED_CONTEXT_RESET:
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    case CUP_RETIRED_DETACHED:
        return CUDA_ERROR_STREAM_DETACHED;
    default:
        return CUDA_ERROR_INVALID_HANDLE;
    }
}

/* True if the handle is the start of a slot of this type: reading it is then always safe. */
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

struct cup_object *cup_object_retire_again(enum cup_object_type type, const void *handle,
                                           enum cup_retire_reason from, enum cup_retire_reason to)
{
    struct cup_object *slot = (struct cup_object *)handle;
    uint64_t expected = (uint64_t)from;

    if (!is_slot(type, handle) ||
        !atomic_compare_exchange_strong(&slot->stamp, &expected, (uint64_t)to))
        return NULL;
    return slot;
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
            return retired_result(type, slot, stamp);
    } while (!atomic_compare_exchange_weak_explicit(&slot->refs, &refs, refs + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    /* The slot may have been retired, or freed and reused, between the two reads. */
    uint64_t stamp = atomic_load_explicit(&slot->stamp, memory_order_acquire);
    if (cup_unlikely(stamp != live)) {
        cup_object_unref(slot);
        return retired_result(type, slot, stamp);
    }
    *object = slot;
    return CUDA_SUCCESS;
}

bool cup_object_was(enum cup_object_type type, const void *handle)
{
    const struct cup_object *slot = handle;

    return is_slot(type, handle) && (atomic_load_explicit(&slot->stamp, memory_order_acquire) ||
                                     recorded_reason(type, slot));
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
    slot_free_locked(kind, object);
    cup_lock_release(&kind->lock);
}

uint32_t cup_object_index(const struct cup_object *object)
{
    return (uint32_t)(((const char *)object - atomic_load_explicit(&arena, memory_order_relaxed)) /
                      SLOT_ALIGN);
}

uint32_t cup_object_ordinal(uint32_t index)
{
    size_t offset = (size_t)index * SLOT_ALIGN, chunk = offset >> CHUNK_SHIFT;

    if (offset >= atomic_load_explicit(&arena_used, memory_order_acquire))
        return index;
    const struct object_type *type = &types[chunk_type[chunk] - 1];
    return (uint32_t)(chunk * type->slot_count + (offset & (CHUNK_BYTES - 1)) / type->slot_bytes);
}

struct cup_object *cup_object_at(uint32_t index)
{
    return (struct cup_object *)(atomic_load_explicit(&arena, memory_order_relaxed) +
                                 (size_t)index * SLOT_ALIGN);
}

bool cup_object_any(enum cup_object_type type, bool (*test)(struct cup_object *object))
{
    size_t used = atomic_load_explicit(&arena_used, memory_order_acquire);
    struct cup_object *object = NULL;
    bool found = false;

    for (size_t at = 0; at < used && !found; at += CHUNK_BYTES) {
        const char *base = atomic_load_explicit(&arena, memory_order_relaxed) + at;

        for (size_t i = 0;
             chunk_type[at >> CHUNK_SHIFT] == type + 1 && !found && i < types[type].slot_count;
             i++) {
            if (cup_object_find(type, base + i * types[type].slot_bytes, &object) != CUDA_SUCCESS)
                continue;
            found = test(object);
            cup_object_unref(object);
        }
    }
    return found;
}
