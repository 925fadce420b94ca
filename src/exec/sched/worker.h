/* SPDX-License-Identifier: MIT */
/* Per-thread state for running kernels: a thread number, and an alternate signal stack, because a
 * kernel may overflow its own stack. */
#ifndef CUP_EXEC_SCHED_WORKER_H
#define CUP_EXEC_SCHED_WORKER_H

#include "core/thread.h"

#include <stdbool.h>
#include <stdint.h>

struct cup_worker_thread {
    uint32_t number; /* from 1 on; 0: none yet */
    bool has_signal_stack;
    /* Since the thread has been running blocks it has set shapes of its own (mma_amx.c); the
     * program may have others. */
    bool has_matrix_shapes;
    void *signal_stack; /* allocated by the library; NULL: none */
};

CUP_THREAD_STATE(worker, struct cup_worker_thread);

/* Returns a small number that identifies the calling thread. */
uint32_t cup_worker_number(void);

/* Ensures that the calling thread has an alternate signal stack. */
void cup_worker_need_signal_stack(void);

/* Set the floating-point control word to round to nearest, no flush to zero and no traps, whatever
 * the application's thread has set; and restore it. */
static inline uint64_t cup_worker_enter_float(void)
{
#if defined(__aarch64__)
    uint64_t control;

    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    if (control)
        __asm__ volatile("msr fpcr, xzr" ::: "memory");
    return control;
#elif defined(__x86_64__)
    uint32_t control, standard = 0x1f80;

    __asm__ volatile("stmxcsr %0" : "=m"(control));
    if ((control & 0xffc0) != standard)
        __asm__ volatile("ldmxcsr %0" ::"m"(standard) : "memory");
    return control;
#endif
}

static inline void cup_worker_leave_float(uint64_t saved)
{
#if defined(__aarch64__)
    uint64_t control;

    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    if (control != saved)
        __asm__ volatile("msr fpcr, %0" ::"r"(saved) : "memory");
#elif defined(__x86_64__)
    uint32_t control, before = (uint32_t)saved;

    __asm__ volatile("stmxcsr %0" : "=m"(control));
    if (control != before)
        __asm__ volatile("ldmxcsr %0" ::"m"(before) : "memory");
#endif
}

#endif
