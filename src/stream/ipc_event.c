/* SPDX-License-Identifier: MIT */
/* Several processes write to a pool, and any of them may die at any time. So every change is one
 * atomic operation on one word, and there are no locks in a pool.
 *
 * A slot is reused when no process holds it. The slot that has been free longest is reused first,
 * so that the handle of a destroyed event still opens for a while, as it does with NVIDIA's driver.
 * The slot's generation distinguishes an old handle from a new one.
 *
 * `holders` has one bit per process that holds the slot. A process that opens an event sets its bit
 * and then reads the generation; a process that reuses the slot increments the generation and then
 * reads the bits. So one of them sees the other. The bits of processes that died with events open
 * are cleared when their place in the process table is reused, or when the owner searches for free
 * slots. */
#include "stream/ipc_event.h"

#include "core/error.h"
#include "core/lock.h"
#include "os/futex.h"
#include "os/memfd.h"
#include "os/reserve.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PROCESS_COUNT = 1024,
    SLOT_COUNT = 4096,
    HOLDER_WORDS = PROCESS_COUNT / 64,
    NUMBER_BITS = 48,
    WAIT_NS = 20000000, /* interval at which a waiter checks whether the recorder is alive */
};
#define NUMBER_MASK ((UINT64_C(1) << NUMBER_BITS) - 1)

struct event_slot {
    _Atomic(uint64_t) generation;
    _Atomic(uint64_t) recording; /* the index of the process that recorded last, and the number */
    _Atomic(uint64_t) completed;
    _Atomic(uint32_t) progress; /* futex: changes when a recording completes and a thread sleeps */
    _Atomic(uint32_t) sleepers;
} __attribute__((aligned(64)));

struct shared_pool {
    _Atomic(uint64_t) processes[PROCESS_COUNT]; /* cup_ipcfile_process; 0: free */
    struct event_slot slots[SLOT_COUNT];
    _Atomic(uint64_t) holders[SLOT_COUNT][HOLDER_WORDS]; /* one bit per process */
};

struct ipc_event_label {
    char magic[8];
    struct cup_ipcfile_key key;
};

static const char label_magic[8] = {'c', 'u', 'p', ' ', 'e', 'v', 't', 2}; /* the 2 is a version */

/* This process's view of a pool. */
struct pool {
    struct pool *next;       /* guarded by lock */
    unsigned users;          /* events; guarded by lock */
    int fd;                  /* -1: another process's */
    uint64_t process, inode; /* identify the file of another process's pool */
    uint32_t device;
    uint64_t self;      /* this process's index in it */
    uint32_t next_slot; /* own pool: where the search for a free slot starts; guarded by lock */
    uint32_t *held;     /* number of this process's events that hold the slot; guarded by lock */
    struct cup_ipcfile_key key;
    struct shared_pool *shared;
};

struct cup_ipc_event {
    struct pool *pool;
    struct event_slot *slot;
};

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_IPC_EVENT);
static struct pool *pools;

_Static_assert(sizeof(struct shared_pool) % 4096 == 0, "whole pages");

static void slot_complete(struct event_slot *slot, uint64_t number)
{
    uint64_t completed = atomic_load(&slot->completed);

    while (completed < number &&
           !atomic_compare_exchange_weak(&slot->completed, &completed, number))
        ;
    atomic_fetch_add(&slot->progress, 1);
    if (atomic_load(&slot->sleepers) != 0)
        cup_futex_wake_shared(&slot->progress, INT_MAX);
}

static _Atomic(uint64_t) *holder_word(struct pool *pool, uint32_t slot, uint64_t index)
{
    return &pool->shared->holders[slot][index / 64];
}

static uint64_t holder_bit(uint64_t index)
{
    return UINT64_C(1) << index % 64;
}

/* Releases the slots of a process that died and completes its recordings. This process takes over
 * the index, so this must happen before it uses the index. */
static void clean_up_after(struct pool *pool, uint64_t index)
{
    for (uint32_t i = 0; i < SLOT_COUNT; i++) {
        struct event_slot *slot = &pool->shared->slots[i];
        uint64_t recording = atomic_load(&slot->recording), number = recording & NUMBER_MASK;

        if (recording >> NUMBER_BITS == index && atomic_load(&slot->completed) < number)
            slot_complete(slot, number);
        if (atomic_load(holder_word(pool, i, index)) & holder_bit(index))
            atomic_fetch_and(holder_word(pool, i, index), ~holder_bit(index));
    }
}

/* Takes the table entry of a process that died. Returns false if it is alive or another process was
 * faster. */
static bool take_place(struct pool *pool, uint64_t index, uint64_t self)
{
    uint64_t found = atomic_load(&pool->shared->processes[index]);

    if (found == 0 || found == self || cup_ipcfile_is_alive(found) ||
        !atomic_compare_exchange_strong(&pool->shared->processes[index], &found, self))
        return false;
    clean_up_after(pool, index);
    return true;
}

/* Frees the table entries and slots of all processes that died. */
static void sweep(struct pool *pool)
{
    uint64_t self = cup_ipcfile_self();

    for (uint64_t index = 0; self && index < PROCESS_COUNT; index++) {
        if (take_place(pool, index, self))
            atomic_store(&pool->shared->processes[index], 0);
    }
}

/* Enters this process in the pool's table, reusing the entry of a dead process if no other is
 * free. */
static bool enter_process(struct pool *pool)
{
    _Atomic(uint64_t) *processes = pool->shared->processes;
    uint64_t self = cup_ipcfile_self();

    for (uint64_t index = 0; self && index < PROCESS_COUNT; index++) {
        uint64_t found = 0;
        if (atomic_compare_exchange_strong(&processes[index], &found, self) || found == self) {
            pool->self = index;
            return true;
        }
    }
    for (uint64_t index = 0; self && index < PROCESS_COUNT; index++) {
        if (take_place(pool, index, self)) {
            pool->self = index;
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
    free(pool->held);
    free(pool);
}

static struct pool *pool_new(int fd)
{
    struct pool *pool = calloc(1, sizeof(*pool));

    if (!pool)
        return NULL;
    pool->fd = fd;
    pool->held = calloc(SLOT_COUNT, sizeof(*pool->held));
    pool->shared = cup_memfd_map(fd, sizeof(*pool->shared));
    if (pool->held && pool->shared && enter_process(pool))
        return pool;
    pool->fd = -1; /* the caller keeps the descriptor */
    pool_free(pool);
    return NULL;
}

static void pool_add_locked(struct pool *pool)
{
    cup_lock_assert_held(&lock);
    pool->next = pools;
    pools = pool;
}

static struct pool *pool_create_locked(void)
{
    cup_lock_assert_held(&lock);
    struct ipc_event_label label = {.magic = {0}};

    memcpy(label.magic, label_magic, sizeof(label.magic));
    if (!cup_ipcfile_key_make(&label.key))
        return NULL;
    int fd = cup_memfd_create("cupipe events", sizeof(struct shared_pool), &label, sizeof(label));
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

static uint32_t number_of(const struct cup_ipc_event *event)
{
    return (uint32_t)(event->slot - event->pool->shared->slots);
}

/* Adjust the number of this process's events that hold the slot. */
static void hold_locked(const struct cup_ipc_event *event)
{
    cup_lock_assert_held(&lock);
    struct pool *pool = event->pool;
    uint32_t slot = number_of(event);

    if (pool->held[slot]++ == 0)
        atomic_fetch_or(holder_word(pool, slot, pool->self), holder_bit(pool->self));
    pool->users++;
}

static void let_go_locked(const struct cup_ipc_event *event)
{
    cup_lock_assert_held(&lock);
    struct pool *pool = event->pool;
    uint32_t slot = number_of(event);

    if (--pool->held[slot] == 0)
        atomic_fetch_and(holder_word(pool, slot, pool->self), ~holder_bit(pool->self));
    pool->users--;
}

static bool is_held(struct pool *pool, uint32_t slot)
{
    uint64_t held = 0;

    for (uint32_t word = 0; word < HOLDER_WORDS; word++)
        held |= atomic_load(&pool->shared->holders[slot][word]);
    return held != 0;
}

/* Takes a slot that no process holds and resets it. Only this process increments generations. */
static bool slot_take_locked(struct pool *pool, uint32_t number)
{
    cup_lock_assert_held(&lock);
    struct event_slot *slot = &pool->shared->slots[number];

    if (is_held(pool, number))
        return false;
    atomic_fetch_add(&slot->generation, 1);
    if (is_held(pool, number))
        return false; /* another process is opening the previous event */
    atomic_store(&slot->completed, atomic_load(&slot->recording) & NUMBER_MASK);
    return true;
}

static bool take_from_locked(struct pool *pool, struct cup_ipc_event *event)
{
    cup_lock_assert_held(&lock);
    for (uint32_t tried = 0; tried < SLOT_COUNT; tried++) {
        uint32_t number = pool->next_slot;

        pool->next_slot = (number + 1) % SLOT_COUNT;
        if (slot_take_locked(pool, number)) {
            *event = (struct cup_ipc_event){pool, &pool->shared->slots[number]};
            hold_locked(event);
            return true;
        }
    }
    return false;
}

/* Takes a free slot from this process's own pools. */
static bool take_free_locked(struct cup_ipc_event *event)
{
    cup_lock_assert_held(&lock);
    struct pool *pool = pools;

    while (pool && (pool->fd < 0 || !take_from_locked(pool, event)))
        pool = pool->next;
    return pool != NULL;
}

/* If no slot is free, reclaims the slots of dead processes before it creates another pool. */
static bool take_slot_locked(struct cup_ipc_event *event)
{
    cup_lock_assert_held(&lock);
    if (take_free_locked(event))
        return true;
    for (struct pool *pool = pools; pool; pool = pool->next) {
        if (pool->fd >= 0)
            sweep(pool);
    }
    if (take_free_locked(event))
        return true;
    struct pool *made = pool_create_locked();
    return made && take_from_locked(made, event);
}

CUresult cup_ipc_event_create(struct cup_ipc_event **event)
{
    struct cup_ipc_event *made = calloc(1, sizeof(*made));

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an event");
    cup_lock_acquire(&lock);
    bool taken = take_slot_locked(made);
    cup_lock_release(&lock);
    if (!taken) {
        free(made);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no shared memory file for events");
    }
    *event = made;
    return CUDA_SUCCESS;
}

static bool is_pool_of(const struct pool *pool, const struct cup_ipcfile_handle *handle)
{
    return pool->fd < 0 && pool->process == handle->process && pool->inode == handle->inode &&
           pool->device == handle->device;
}

static CUresult pool_map(const struct cup_ipcfile_handle *handle, int fd, uint64_t file_bytes,
                         struct pool **pool)
{
    struct ipc_event_label label;
    uint64_t size_bytes;

    if (!cup_memfd_read_opened(fd, file_bytes, &size_bytes, &label, sizeof(label)) ||
        size_bytes != sizeof(struct shared_pool) ||
        memcmp(label.magic, label_magic, sizeof(label.magic)) != 0 ||
        !cup_ipcfile_verify(handle, CUP_IPCFILE_EVENT, &label.key))
        return cup_error(CUDA_ERROR_MAP_FAILED, "the handle is not valid");
    if (handle->process == cup_ipcfile_self())
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "the event was created by this process");
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

static CUresult pool_open_locked(const struct cup_ipcfile_handle *handle, struct pool **pool)
{
    cup_lock_assert_held(&lock);
    for (*pool = pools; *pool && !is_pool_of(*pool, handle); *pool = (*pool)->next)
        ;
    if (*pool)
        return cup_ipcfile_verify(handle, CUP_IPCFILE_EVENT, &(*pool)->key)
                   ? CUDA_SUCCESS
                   : cup_error(CUDA_ERROR_MAP_FAILED, "the handle is not valid");
    uint64_t file_bytes;
    int fd = cup_ipcfile_open(handle, CUP_IPCFILE_EVENT, &file_bytes);
    if (fd < 0)
        return cup_error(CUDA_ERROR_MAP_FAILED, "the object of the handle does not exist any more");
    CUresult result = pool_map(handle, fd, file_bytes, pool);
    close(fd);
    if (result == CUDA_SUCCESS)
        pool_add_locked(*pool);
    return result;
}

/* Unmaps a pool of another process with its last event. Own pools stay, for their handles. */
static void pool_leave_locked(struct pool *pool)
{
    cup_lock_assert_held(&lock);
    struct pool **link = &pools;

    if (pool->users > 0 || pool->fd >= 0)
        return;
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    atomic_store(&pool->shared->processes[pool->self],
                 0); /* all recordings of this process are complete */
    pool_free(pool);
}

static CUresult open_locked(const struct cup_ipcfile_handle *handle, struct cup_ipc_event *event)
{
    cup_lock_assert_held(&lock);
    CUresult result = pool_open_locked(handle, &event->pool);

    if (result != CUDA_SUCCESS)
        return result;
    if (handle->offset < SLOT_COUNT) {
        event->slot = &event->pool->shared->slots[handle->offset];
        hold_locked(event);
        if (atomic_load(&event->slot->generation) == handle->extra)
            return CUDA_SUCCESS;
        let_go_locked(event);
    }
    pool_leave_locked(event->pool);
    return cup_error(CUDA_ERROR_MAP_FAILED, "the event has been destroyed");
}

CUresult cup_ipc_event_open(const struct cup_ipcfile_handle *handle, struct cup_ipc_event **event)
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
    let_go_locked(event);
    pool_leave_locked(event->pool);
    cup_lock_release(&lock);
    free(event);
}

CUresult cup_ipc_event_name(struct cup_ipc_event *event, struct cup_ipcfile_handle *handle)
{
    if (!event || event->pool->fd < 0)
        return cup_error(CUDA_ERROR_INVALID_HANDLE,
                         "the event was not created by this process with CU_EVENT_INTERPROCESS");
    *handle = (struct cup_ipcfile_handle){
        .kind = CUP_IPCFILE_EVENT,
        .fd = event->pool->fd,
        .offset = number_of(event),
        .extra = atomic_load(&event->slot->generation),
    };
    if (!cup_ipcfile_seal(handle, &event->pool->key))
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "/proc has no entry for this process");
    return CUDA_SUCCESS;
}

uint64_t cup_ipc_event_begin(struct cup_ipc_event *event)
{
    uint64_t recording = atomic_load(&event->slot->recording), next;

    do {
        next = ((recording & NUMBER_MASK) + 1) & NUMBER_MASK;
    } while (!atomic_compare_exchange_weak(&event->slot->recording, &recording,
                                           event->pool->self << NUMBER_BITS | next));
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

    if (cup_ipc_event_is_complete(event, number) || recording >> NUMBER_BITS == event->pool->self ||
        cup_ipcfile_is_alive(atomic_load(&event->pool->shared->processes[index])))
        return;
    cup_log(CUP_LOG_WARNING, "a process died with an event recorded and not complete");
    cup_ipc_event_complete(event, number);
}

void cup_ipc_event_wait(struct cup_ipc_event *event, uint64_t number)
{
    struct event_slot *slot = event->slot;

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
