/* SPDX-License-Identifier: MIT */
/* Per-thread state: what core keeps itself, and slots for the state of other parts, which only they
 * know the types of.
 *
 * Thread-local storage holds only a pointer to it. A library that is loaded late uses the static
 * TLS space that is left (about 1,600 bytes in glibc, for all libraries) and cannot be loaded if
 * that is exhausted. Dynamic TLS is allocated on a thread's first access, which must not happen in
 * a signal handler, and costs a call per access. */
#ifndef CUP_CORE_THREAD_H
#define CUP_CORE_THREAD_H

#include "core/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_lock;

enum { CUP_THREAD_REASON_BYTES = 160, CUP_THREAD_LOCKS = 64 /* ranks of lock.h */ };

enum cup_thread_slot {
#define CUP_THREAD_SLOT(name, bytes) CUP_SLOT_##name,
#include "core/thread_slots.def"
#undef CUP_THREAD_SLOT
    CUP_SLOT_COUNT,
};

struct cup_thread {
    _Atomic(int32_t) calls; /* gate.h: API calls this thread is in; written by it alone */
    bool in_host_function;
    bool end_is_observed; /* the end of this thread is reported to thread.c */

    /* zero until a part writes to its own */
    struct {
#define CUP_THREAD_SLOT(name, bytes) _Alignas(8) unsigned char name[bytes];
#include "core/thread_slots.def"
#undef CUP_THREAD_SLOT
    } slots;

    uint32_t id; /* small and unique in the process; 0 until first used */

#ifndef NDEBUG
    /* lock.c: one bit per rank held, and the lock of each rank */
    uint64_t held_ranks;
    const struct cup_lock *held_locks[CUP_THREAD_LOCKS];
#endif

    /* error.c: why the current call fails; empty: it does not say */
    char reason[CUP_THREAD_REASON_BYTES];

    /* trace.c */
    unsigned trace_generation; /* generation of the file that has this thread's name */
    int trace_id;              /* the kernel's thread id; 0 until first used */
} __attribute__((aligned(CUP_CACHE_LINE)));

/* Gives a slot of thread_slots.def its type: defines cup_thread_<slot>(self), which returns the
 * state of a thread. It costs an addition. */
#define CUP_THREAD_STATE(slot, type)                                                               \
    _Static_assert(sizeof(type) <= sizeof(((struct cup_thread *)0)->slots.slot),                   \
                   "the slot " #slot " of thread_slots.def is too small");                         \
    static inline type *cup_thread_##slot(struct cup_thread *self)                                 \
    {                                                                                              \
        return (type *)(void *)self->slots.slot;                                                   \
    }                                                                                              \
    _Static_assert(_Alignof(type) <= 8, "slots are aligned to 8 bytes")

/* NULL until the thread needs it. Signal handlers read this and must accept NULL. */
extern CUP_THREAD_LOCAL struct cup_thread *cup_thread_or_null;

struct cup_thread *cup_thread_create(void);

/* Never returns NULL. Not for signal handlers. */
static inline struct cup_thread *cup_thread_self(void)
{
    struct cup_thread *self = cup_thread_or_null;

    return cup_likely(self != NULL) ? self : cup_thread_create();
}

/* Registers a function that ends the state in a slot: it is called, in the thread, when this thread
 * or any other ends, in the order of the slots. Returns false if the end of this thread cannot be
 * observed. */
bool cup_thread_at_end(enum cup_thread_slot slot, void (*function)(struct cup_thread *self));

/* True if the test holds for the state of some thread, which may be running. */
bool cup_thread_any(bool (*test)(const struct cup_thread *thread));

/* Returns a small number that is unique among live threads. */
uint32_t cup_thread_id(void);

#endif
