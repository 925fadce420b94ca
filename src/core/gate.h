/* SPDX-License-Identifier: MIT */
/* The gate that every API call passes. It is closed while the process is locked for a checkpoint:
 * calls that arrive wait until it opens, and whoever closes it can tell when those that were inside
 * have left.
 *
 * A thread counts its calls in its own state, with plain stores, before it reads the word of hooks
 * (core/call.h). Closing the gate sets a hook and makes all threads pass a barrier: a call then
 * either sees the hook or is counted. */
#ifndef CUP_CORE_GATE_H
#define CUP_CORE_GATE_H

#include "core/thread.h"

#include <stdatomic.h>
#include <stdbool.h>

static inline void cup_gate_count(struct cup_thread *self, int32_t change)
{
    int32_t calls = atomic_load_explicit(&self->calls, memory_order_relaxed);

    atomic_store_explicit(&self->calls, calls + change, memory_order_release);
}

/* Around every call. */
static inline struct cup_thread *cup_gate_enter(void)
{
    struct cup_thread *self = cup_thread_self();

    cup_gate_count(self, 1);
    atomic_signal_fence(memory_order_seq_cst);
    return self;
}

static inline void cup_gate_leave(struct cup_thread *self)
{
    cup_gate_count(self, -1);
}

/* Waits while the gate is closed; for calls that have seen the hook. A call within a call or a host
 * function goes on, because those inside must be able to finish. */
void cup_gate_wait(void);

/* Called when the gate is open; and when it is closed. */
void cup_gate_close(void);
void cup_gate_open(void);

/* True if no call is inside that did not wait at the closed gate. */
bool cup_gate_is_quiet(void);

#endif
