/* SPDX-License-Identifier: MIT */
/* Fibers: stacks that are switched in user space. A warp that waits leaves its stack as it is, and
 * another warp continues. A switch saves the callee-saved registers and the floating-point control
 * word and takes a few nanoseconds. A fiber may continue in another thread than the one it stopped
 * in. */
#ifndef CUP_EXEC_SCHED_FIBER_H
#define CUP_EXEC_SCHED_FIBER_H

#include <stdint.h>
#include <stddef.h>

/* Marks every function that stays on a fiber's stack while the fiber does not run. TSan tracks
 * calls and returns per thread and supports only a few hundred fibers, so it must not instrument
 * these. The locks under which a fiber moves between threads give TSan all the ordering it
 * needs. */
#if defined(__clang__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CUP_ON_FIBER __attribute__((disable_sanitizer_instrumentation))
#endif
#elif defined(__SANITIZE_THREAD__)
#define CUP_ON_FIBER __attribute__((no_sanitize_thread))
#endif
#ifndef CUP_ON_FIBER
#define CUP_ON_FIBER
#endif

struct cup_fiber {
    void *pointer; /* the stack pointer while the fiber does not run */
    uint8_t *stack;
    size_t stack_bytes; /* 0: a thread's own stack */
    void (*entry)(void *argument);
    void *argument;
    void *asan_stack; /* ASan's fake stack while the fiber does not run */
};

/* Prepares a fiber to call entry(argument), which never returns, at the first switch. May be called
 * again for an abandoned fiber. */
void cup_fiber_prepare(struct cup_fiber *fiber, void (*entry)(void *argument), void *argument);

/* Frees the sanitizers' state of the fiber. The caller owns the stack. */
void cup_fiber_finish(struct cup_fiber *fiber);

/* Makes the fiber represent the calling thread's own stack. */
void cup_fiber_adopt_thread(struct cup_fiber *fiber);

/* Switches from the running fiber `from` to `to`. Returns when another fiber switches back,
 * possibly in another thread: the caller must not hold addresses of thread-local data. */
void cup_fiber_switch(struct cup_fiber *from, struct cup_fiber *to);

/* Call these before and after a longjmp from the running fiber to the thread's own stack. */
void cup_fiber_before_jump(struct cup_fiber *thread);
void cup_fiber_after_jump(struct cup_fiber *thread);

#endif
