/* SPDX-License-Identifier: MIT */
/* A closed gate is an odd number, on which the calls that wait sleep. */
#include "core/gate.h"

#include "core/call.h"
#include "os/clock.h"
#include "os/futex.h"
#include "os/membarrier.h"

#include <errno.h>
#include <stdint.h>

enum { SETTLE_NS = 1000000 };

static _Atomic(uint32_t) turns; /* futex; odd: closed */

void cup_gate_wait(void)
{
    struct cup_thread *self = cup_thread_self();
    int saved = errno;

    if (self->in_host_function || atomic_load_explicit(&self->calls, memory_order_relaxed) != 1)
        return;
    for (;;) {
        uint32_t turn = atomic_load(&turns);
        if (turn % 2 == 0)
            break;
        cup_gate_leave(self);
        cup_futex_wait(&turns, turn, -1);
        cup_gate_enter();
        atomic_thread_fence(memory_order_seq_cst);
    }
    errno = saved;
}

void cup_gate_close(void)
{
    atomic_fetch_add(&turns, 1);
    cup_call_hook_set(CUP_HOOK_LOCKED);
    /* Without the barrier the stores of other threads become visible by themselves, soon. */
    if (!cup_membarrier_init() || !cup_membarrier_all_threads())
        cup_clock_sleep_ns(SETTLE_NS);
}

void cup_gate_open(void)
{
    cup_call_hook_clear(CUP_HOOK_LOCKED);
    atomic_fetch_add(&turns, 1);
    cup_futex_wake(&turns, INT32_MAX);
}

static bool is_inside(const struct cup_thread *thread)
{
    return atomic_load_explicit(&thread->calls, memory_order_acquire) > 0;
}

bool cup_gate_is_quiet(void)
{
    return !cup_thread_any(is_inside);
}
