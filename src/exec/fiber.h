/* SPDX-License-Identifier: MIT */
/* Stacks that are switched by hand: a warp that waits leaves its stack as it is and another warp
 * goes on. A switch saves the registers a call preserves and the floating-point control word, and
 * takes a few nanoseconds. A fiber may go on in another thread than the one it stopped in. */
#ifndef CUP_EXEC_FIBER_H
#define CUP_EXEC_FIBER_H

#include <stdint.h>
#include <stddef.h>

/* For every function that is on a fiber's stack while it does not run. TSan counts calls and
 * returns on one stack a thread, and its own fibers are a few hundred at most: so it is not to
 * count these. All it has to know is in the locks under which a fiber goes from one thread to
 * another. */
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
    void *asan_stack; /* ASan's shadow frames while the fiber does not run */
};

/* A fiber that will call entry(argument), which never returns, when it is switched to first. May be
 * called again for a fiber that was abandoned somewhere. */
void cup_fiber_prepare(struct cup_fiber *fiber, void (*entry)(void *argument), void *argument);

/* Gives back what the sanitizers hold for it; the stack is the caller's. */
void cup_fiber_finish(struct cup_fiber *fiber);

/* Makes the fiber stand for the calling thread's own stack. */
void cup_fiber_adopt_thread(struct cup_fiber *fiber);

/* Leaves `from`, which is the running one, and goes on in `to`. Returns when somebody switches
 * back, perhaps in another thread: whoever calls this holds no address of per-thread data. */
void cup_fiber_switch(struct cup_fiber *from, struct cup_fiber *to);

/* Before a jump from the running fiber to the thread's own stack that is no switch, and after it.
 */
void cup_fiber_before_jump(struct cup_fiber *thread);
void cup_fiber_after_jump(struct cup_fiber *thread);

#endif
