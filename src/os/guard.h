/* SPDX-License-Identifier: MIT */
/* The fault guard: turns an access to an invalid pointer into a return value instead of a crash.
 *
 *     if (!cup_guard_run(copy_bytes, &job))
 *         return CUDA_ERROR_INVALID_VALUE;
 *
 * The process has one handler for SIGSEGV, SIGBUS, SIGFPE and SIGILL, installed by
 * cup_guard_install(). A fault outside a guarded call of the same thread is passed on to the
 * handler that the application had installed.
 *
 * The same handler implements cup_guard_hold(), which lets memory move while it is in use. */
#ifndef CUP_OS_GUARD_H
#define CUP_OS_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_registers;

void cup_guard_install(void);

/* Runs action(argument). Returns false if it accessed invalid memory. The action must not take
 * locks or own resources: it is abandoned at the fault. */
bool cup_guard_run(void (*action)(void *argument), void *argument);

/* Copies bytes of a pointer that the application passed. Returns false if they are not readable. */
bool cup_guard_copy(void *to, const void *from, size_t size_bytes);

/* The fault that ended a guarded call. */
struct cup_guard_fault {
    int signal;
    uint64_t address; /* the accessed address */
    uint64_t pc;      /* of the faulting instruction */
    enum { CUP_FAULT_UNKNOWN, CUP_FAULT_READ, CUP_FAULT_WRITE } access;
};

/* Returns "read", "wrote to" or "touched". */
const char *cup_guard_access_word(const struct cup_guard_fault *fault);

/* Call this directly after a guarded call: returns the fault that ended it, or false if there was
 * none. */
bool cup_guard_last(struct cup_guard_fault *fault);

/* The same for an action that runs on stacks of its own: `caught` is called in the signal handler,
 * on the faulting stack, before the stack is abandoned. It must be async-signal-safe. */
bool cup_guard_run_caught(void (*action)(void *argument),
                          void (*caught)(void *argument, const struct cup_guard_fault *fault),
                          void *argument);

/* The registers at the last fault of a guarded call of this thread. */
const struct cup_registers *cup_guard_fault_registers(void);

/* True if this thread is inside a guarded call. */
bool cup_guard_is_open(void);

/* Ends this thread's current guarded call like a fault, without calling `caught`. */
_Noreturn void cup_guard_abandon(void);

/* The same, as if this fault had been the thread's: another thread had it on behalf of the call. */
_Noreturn void cup_guard_abandon_for(const struct cup_guard_fault *fault);

/* Until cup_guard_release(), the memory is readable, and a thread that writes to it sleeps and then
 * repeats the write to whatever is mapped there. The range consists of whole pages. The caller
 * ensures that the process holds one range at a time. Returns false if the system does not allow
 * it. */
bool cup_guard_hold(void *address, size_t size_bytes);
void cup_guard_release(void);

#endif
