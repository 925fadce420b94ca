/* SPDX-License-Identifier: MIT */
/* What lies in a pool is written by several processes, any of which may die at any time: every
 * change is one atomic operation on one word, and nothing is ever locked there.
 *
 * A slot is used again when nobody has it any more, the one that has been free longest first, so
 * that the handle of an event that is gone still opens for a while, as it does with NVIDIA's
 * driver. The slot's generation tells an old handle from a new one. */
#include "stream/ipc_event.h"

#include "core/error.h"
#include "core/lock.h"
#include "os/futex.h"
#include "os/memory_file.h"
#include "os/reserve.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PROCESS_COUNT = 1024,
    SLOT_COUNT = 4096,
    NUMBER_BITS = 48,
    USERS_BITS = 32,
    WAIT_NS = 20000000, /* how long before one who waits asks whether the recorder lives */
};
#define NUMBER_MASK ((UINT64_C(1) << NUMBER_BITS) - 1)
#define USERS_MASK ((UINT64_C(1) << USERS_BITS) - 1)
#define GENERATION_ONE (UINT64_C(1) << USERS_BITS)

struct slot {
    _Atomic(uint64_t) state;     /* generation, and how many events of all processes use it */
    _Atomic(uint64_t) recording; /* the index of the process that recorded last, and the number */
    _Atomic(uint64_t) completed;
    _Atomic(uint32_t) progress; /* futex: moves when a recording completes and somebody sleeps */
    _Atomic(uint32_t) sleepers;
} __attribute__((aligned(64)));

struct shared_pool {
    _Atomic(uint64_t) processes[PROCESS_COUNT]; /* cup_peer_process; 0: free */
    struct slot slots[SLOT_COUNT];
};

struct label {
    char magic[8];
    struct cup_peer_key key;
};

static const char label_magic[8] = {'c', 'u', 'p', ' ', 'e', 'v', 't', 1}; /* the 1 is a version */

/* A pool as this process has it. */
struct pool {
    struct pool *next;       /* guarded by lock */
    unsigned users;          /* events; guarded by lock */
    int fd;                  /* -1: another process's */
    uint64_t process, inode; /* another's: which file it is */
    uint32_t device;
    uint64_t self;      /* our index in it, shifted to its place in a recording */
    uint32_t next_slot; /* of our own: where to look for a free one; guarded by lock */
    struct cup_peer_key key;
    struct shared_pool *shared;
};

struct cup_ipc_event {
    struct pool *pool;
    struct slot *slot;
};

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_IPC_EVENT);
static struct pool *pools;

_Static_assert(sizeof(struct shared_pool) % 4096 == 0, "whole pages");

static void slot_complete(struct slot *slot, uint64_t number)
{
    uint64_t completed = atomic_load(&slot->completed);

    while (completed < number &&
           !atomic_compare_exchange_weak(&slot->completed, &completed, number))
        ;
    atomic_fetch_add(&slot->progress, 1);
    if (atomic_load(&slot->sleepers) != 0)
        cup_futex_wake_shared(&slot->progress, INT_MAX);
}

/* What a process recorded before it died, and which nobody is going to complete. From now on its
 * index means this process, which lives: so it has to be done before that records anything. */
static void complete_for(struct pool *pool, uint64_t index)
{
    for (uint32_t i = 0; i < SLOT_COUNT; i++) {
        struct slot *slot = &pool->shared->slots[i];
        uint64_t recording = atomic_load(&slot->recording), number = recording & NUMBER_MASK;

        if (recording >> NUMBER_BITS == index && atomic_load(&slot->completed) < number)
            slot_complete(slot, number);
    }
}

/* Enters this process in the pool's table, in the place of a dead one if there is no other. */
static bool enter_process(struct pool *pool)
{
    _Atomic(uint64_t) *processes = pool->shared->processes;
    uint64_t self = cup_peer_self();

    for (uint64_t index = 0; self && index < PROCESS_COUNT; index++) {
        uint64_t found = 0;
        if (atomic_compare_exchange_strong(&processes[index], &found, self) || found == self) {
            pool->self = index << NUMBER_BITS;
            return true;
        }
    }
    for (uint64_t index = 0; self && index < PROCESS_COUNT; index++) {
        uint64_t found = atomic_load(&processes[index]);
        if (!cup_peer_is_alive(found) &&
            atomic_compare_exchange_strong(&processes[index], &found, self)) {
            pool->self = index << NUMBER_BITS;
            complete_for(pool, index);
            return true;
        }
    }
    return false;
}

static void pool_free(struct pool *pool)
{
    if (pool->shared)
        cup_reserve_release(pool->shared, sizeof(*pool->shared));
    if (pool->fd >= 0)
        close(pool->fd);
    free(pool);
}

static struct pool *pool_new(int fd)
{
    struct pool *pool = calloc(1, sizeof(*pool));

    if (!pool)
        return NULL;
    pool->fd = fd;
    pool->shared = cup_memory_file_map(fd, sizeof(*pool->shared));
    if (pool->shared && enter_process(pool))
        return pool;
    pool->fd = -1; /* stays the caller's */
    pool_free(pool);
    return NULL;
}

static void pool_add_locked(struct pool *pool)
{
    pool->next = pools;
    pools = pool;
}

static struct pool *pool_create_locked(void)
{
    struct label label = {.magic = {0}};

    memcpy(label.magic, label_magic, sizeof(label.magic));
    if (!cup_peer_key_make(&label.key))
        return NULL;
    int fd =
        cup_memory_file_create("cupipe events", sizeof(struct shared_pool), &label, sizeof(label));
    if (fd < 0)
        return NULL;
    struct pool *pool = pool_new(fd);
    if (!pool) {
        close(fd);
        return NULL;
    }
    pool->key = label.key;
    pool_add_locked(pool);
    return pool;
}

/* A slot nobody uses, as new. */
static bool slot_take(struct slot *slot)
{
    uint64_t state = atomic_load(&slot->state);

    if ((state & USERS_MASK) != 0 ||
        !atomic_compare_exchange_strong(&slot->state, &state, state + GENERATION_ONE + 1))
        return false;
    atomic_store(&slot->completed, atomic_load(&slot->recording) & NUMBER_MASK);
    return true;
}

static struct slot *slot_take_locked(struct pool *pool)
{
    for (uint32_t tried = 0; tried < SLOT_COUNT; tried++) {
        struct slot *slot = &pool->shared->slots[pool->next_slot];
        pool->next_slot = (pool->next_slot + 1) % SLOT_COUNT;
        if (slot_take(slot))
            return slot;
    }
    return NULL;
}

static struct slot *own_slot_locked(struct pool **pool)
{
    struct slot *slot = NULL;

    for (*pool = pools; *pool; *pool = (*pool)->next) {
        if ((*pool)->fd >= 0 && (slot = slot_take_locked(*pool)))
            return slot;
    }
    *pool = pool_create_locked();
    return *pool ? slot_take_locked(*pool) : NULL;
}

CUresult cup_ipc_event_create(struct cup_ipc_event **event)
{
    struct cup_ipc_event *made = calloc(1, sizeof(*made));

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an event");
    cup_lock_acquire(&lock);
    made->slot = own_slot_locked(&made->pool);
    if (made->slot)
        made->pool->users++;
    cup_lock_release(&lock);
    if (!made->slot) {
        free(made);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory file for events");
    }
    *event = made;
    return CUDA_SUCCESS;
}

/* One more user of what a handle names; false when it is not that any more. */
static bool slot_join(struct slot *slot, uint64_t generation)
{
    uint64_t state = atomic_load(&slot->state);

    do {
        if (state >> USERS_BITS != generation || (state & USERS_MASK) == USERS_MASK)
            return false;
    } while (!atomic_compare_exchange_weak(&slot->state, &state, state + 1));
    return true;
}

static bool is_pool_of(const struct pool *pool, const struct cup_peer_handle *handle)
{
    return pool->fd < 0 && pool->process == handle->process && pool->inode == handle->inode &&
           pool->device == handle->device;
}

static CUresult pool_map(const struct cup_peer_handle *handle, int fd, struct pool **pool)
{
    struct label label;
    uint64_t size_bytes;

    if (!cup_memory_file_read(fd, &size_bytes, &label, sizeof(label)) ||
        size_bytes != sizeof(struct shared_pool) ||
        memcmp(label.magic, label_magic, sizeof(label.magic)) != 0 ||
        !cup_peer_verify(handle, CUP_PEER_EVENT, &label.key))
        return cup_error(CUDA_ERROR_MAP_FAILED, "the handle is damaged or invented");
    if (handle->process == cup_peer_self())
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "the event is this process's own");
    *pool = pool_new(fd);
    if (!*pool)
        return cup_error(CUDA_ERROR_MAP_FAILED, "the events cannot be mapped");
    (*pool)->fd = -1;
    (*pool)->key = label.key;
    (*pool)->process = handle->process;
    (*pool)->inode = handle->inode;
    (*pool)->device = handle->device;
    return CUDA_SUCCESS;
}

static CUresult pool_open_locked(const struct cup_peer_handle *handle, struct pool **pool)
{
    for (*pool = pools; *pool && !is_pool_of(*pool, handle); *pool = (*pool)->next)
        ;
    if (*pool)
        return cup_peer_verify(handle, CUP_PEER_EVENT, &(*pool)->key)
                   ? CUDA_SUCCESS
                   : cup_error(CUDA_ERROR_MAP_FAILED, "the handle is damaged or invented");
    int fd = cup_peer_open(handle, CUP_PEER_EVENT);
    if (fd < 0)
        return cup_error(CUDA_ERROR_MAP_FAILED, "the handle names nothing that is there");
    CUresult result = pool_map(handle, fd, pool);
    close(fd);
    if (result == CUDA_SUCCESS)
        pool_add_locked(*pool);
    return result;
}

/* A pool of another process is let go with its last event; our own stay, for their handles. */
static void pool_leave_locked(struct pool *pool)
{
    struct pool **link = &pools;

    if (pool->users > 0 || pool->fd >= 0)
        return;
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    pool_free(pool);
}

static CUresult open_locked(const struct cup_peer_handle *handle, struct cup_ipc_event *event)
{
    CUresult result = pool_open_locked(handle, &event->pool);

    if (result != CUDA_SUCCESS)
        return result;
    if (handle->offset < SLOT_COUNT) {
        event->slot = &event->pool->shared->slots[handle->offset];
        if (slot_join(event->slot, handle->extra)) {
            event->pool->users++;
            return CUDA_SUCCESS;
        }
    }
    pool_leave_locked(event->pool);
    return cup_error(CUDA_ERROR_MAP_FAILED, "the event has been destroyed");
}

CUresult cup_ipc_event_open(const struct cup_peer_handle *handle, struct cup_ipc_event **event)
{
    struct cup_ipc_event *made = calloc(1, sizeof(*made));

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an event");
    cup_lock_acquire(&lock);
    CUresult result = open_locked(handle, made);
    cup_lock_release(&lock);
    if (result == CUDA_SUCCESS)
        *event = made;
    else
        free(made);
    return result;
}

void cup_ipc_event_release(struct cup_ipc_event *event)
{
    cup_lock_acquire(&lock);
    atomic_fetch_sub(&event->slot->state, 1);
    event->pool->users--;
    pool_leave_locked(event->pool);
    cup_lock_release(&lock);
    free(event);
}

CUresult cup_ipc_event_name(struct cup_ipc_event *event, struct cup_peer_handle *handle)
{
    if (!event || event->pool->fd < 0)
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "not made here with CU_EVENT_INTERPROCESS");
    *handle = (struct cup_peer_handle){
        .kind = CUP_PEER_EVENT,
        .fd = event->pool->fd,
        .offset = (uint64_t)(event->slot - event->pool->shared->slots),
        .extra = atomic_load(&event->slot->state) >> USERS_BITS,
    };
    if (!cup_peer_seal(handle, &event->pool->key))
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "/proc does not tell of this process");
    return CUDA_SUCCESS;
}

uint64_t cup_ipc_event_begin(struct cup_ipc_event *event)
{
    uint64_t recording = atomic_load(&event->slot->recording), next;

    do {
        next = ((recording & NUMBER_MASK) + 1) & NUMBER_MASK;
    } while (!atomic_compare_exchange_weak(&event->slot->recording, &recording,
                                           event->pool->self | next));
    return next;
}

void cup_ipc_event_complete(struct cup_ipc_event *event, uint64_t number)
{
    slot_complete(event->slot, number);
}

uint64_t cup_ipc_event_latest(struct cup_ipc_event *event)
{
    return atomic_load(&event->slot->recording) & NUMBER_MASK;
}

bool cup_ipc_event_is_complete(struct cup_ipc_event *event, uint64_t number)
{
    return atomic_load(&event->slot->completed) >= number;
}

void cup_ipc_event_check_recorder(struct cup_ipc_event *event)
{
    uint64_t recording = atomic_load(&event->slot->recording), number = recording & NUMBER_MASK;
    uint64_t index = (recording >> NUMBER_BITS) % PROCESS_COUNT;

    if (cup_ipc_event_is_complete(event, number) || recording - number == event->pool->self ||
        cup_peer_is_alive(atomic_load(&event->pool->shared->processes[index])))
        return;
    cup_log(CUP_LOG_WARNING, "a process died with an event recorded and not complete");
    cup_ipc_event_complete(event, number);
}

void cup_ipc_event_wait(struct cup_ipc_event *event, uint64_t number)
{
    struct slot *slot = event->slot;

    atomic_fetch_add(&slot->sleepers, 1);
    for (;;) {
        uint32_t progress = atomic_load(&slot->progress);
        if (cup_ipc_event_is_complete(event, number))
            break;
        cup_futex_wait_shared(&slot->progress, progress, WAIT_NS);
        cup_ipc_event_check_recorder(event);
    }
    atomic_fetch_sub(&slot->sleepers, 1);
}
