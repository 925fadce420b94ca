/* SPDX-License-Identifier: MIT */
/* Tools that observe calls, such as libcupti: cupipe's driver says whether there is one, and tells
 * it of the runtime's calls (include/cupipe.h). Another driver does neither. */
#ifndef RT_OBSERVE_H
#define RT_OBSERVE_H

#include "driver.h"

#include <cupipe.h>

/* Points to a word that is not 0 if calls must take the slow path. Until the driver is loaded that
 * is a 1, because nothing is known yet. */
extern const volatile unsigned *_Atomic rt_observed_word;

static inline bool rt_is_observed(void)
{
    const volatile unsigned *word = atomic_load_explicit(&rt_observed_word, memory_order_relaxed);

    return __atomic_load_n(word, __ATOMIC_RELAXED) != 0;
}

/* Called once, when the driver is loaded and before it is ready. */
void rt_observe_start(void);

/* True if a tool must be told. False before the driver is loaded. */
RT_COLD bool rt_calls_are_told(void);
RT_COLD void rt_call_begins(struct cupipe_call *call);
RT_COLD cudaError_t rt_call_ends(struct cupipe_call *call, cudaError_t result);

/* The name of the kernel that a host function or a handle stands for; NULL: unknown. */
RT_COLD const char *rt_function_name(const void *function);
RT_COLD const char *rt_kernel_name(cudaKernel_t kernel);

#endif
