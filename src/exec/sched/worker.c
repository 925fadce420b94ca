/* SPDX-License-Identifier: MIT */
/* Thread numbers, and alternate signal stacks of threads that run kernels. */
#include "exec/sched/worker.h"

#include "core/compiler.h"
#include "core/thread.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

enum { SIGNAL_STACK_BYTES = 64 << 10 };

uint32_t cup_worker_number(void)
{
    static _Atomic(uint32_t) last;

    struct cup_worker_thread *self = cup_thread_worker(cup_thread_self());

    if (cup_unlikely(self->number == 0))
        self->number = atomic_fetch_add(&last, 1) + 1;
    return self->number - 1;
}

static void thread_ends(struct cup_thread *self)
{
    void *stack = cup_thread_worker(self)->signal_stack;
    stack_t present;

    if (!stack)
        return;
    /* The application may have replaced it. */
    if (sigaltstack(NULL, &present) == 0 && present.ss_sp == stack) {
        stack_t none = {.ss_flags = SS_DISABLE};
        sigaltstack(&none, NULL);
    }
    munmap(stack, SIGNAL_STACK_BYTES);
    cup_thread_worker(self)->signal_stack = NULL;
}

void cup_worker_need_signal_stack(void)
{
    struct cup_worker_thread *self = cup_thread_worker(cup_thread_self());
    stack_t present;

    if (cup_likely(self->has_signal_stack))
        return;
    self->has_signal_stack = true;
    if (sigaltstack(NULL, &present) != 0 || !(present.ss_flags & SS_DISABLE))
        return; /* the application's own signal stack is sufficient */
    if (!cup_thread_at_end(CUP_SLOT_worker, thread_ends))
        return;
    void *stack =
        mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        return;
    self->signal_stack = stack;
    stack_t ours = {.ss_sp = stack, .ss_size = SIGNAL_STACK_BYTES};
    sigaltstack(&ours, NULL);
}
