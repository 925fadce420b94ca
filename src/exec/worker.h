/* SPDX-License-Identifier: MIT */
/* What a thread that runs kernels keeps: a number, and a stack for signal handlers, since a kernel
 * may run out of its own. */
#ifndef CUP_EXEC_WORKER_H
#define CUP_EXEC_WORKER_H

#include <stdint.h>

/* A small number of the calling thread. */
uint32_t cup_worker_number(void);

/* Sees to it that the calling thread has a stack for signal handlers. */
void cup_worker_need_signal_stack(void);

/* The floating-point control word: round to nearest, nothing flushed, no traps, whatever the
 * application's thread has set; and back. */
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
