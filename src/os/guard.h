/* SPDX-License-Identifier: MIT */
/* The fault guard: touching a user's bad pointer becomes `false` instead of a crash.
 *
 *     if (!cup_guard_run(copy_bytes, &job))
 *         return CUDA_ERROR_INVALID_VALUE;
 *
 * One handler for the process and each of SIGSEGV, SIGBUS, SIGFPE and SIGILL, installed by
 * cup_guard_install. A fault that happens outside a guarded call, or in another thread, is passed
 * on to whatever handler the application had, as if ours were not there.
 *
 * The same handler lets memory be moved under those who use it: see cup_guard_hold. */
#ifndef CUP_OS_GUARD_H
#define CUP_OS_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void cup_guard_install(void);

/* Runs action(argument); false if it touched memory that is not there. The action must not take
 * locks or own anything: it is abandoned where it faulted. */
bool cup_guard_run(void (*action)(void *argument), void *argument);

/* What went wrong in a guarded call. */
struct cup_guard_fault {
    int signal;
    uint64_t address; /* that was touched */
    uint64_t pc;      /* of the instruction */
    enum { CUP_FAULT_UNKNOWN, CUP_FAULT_READ, CUP_FAULT_WRITE } access;
};

/* "read", "wrote to" or "touched". */
const char *cup_guard_access_word(const struct cup_guard_fault *fault);

/* The fault that this thread's last guarded call ended with, right after it; false when there was
 * none. */
bool cup_guard_last(struct cup_guard_fault *fault);

/* The same for an action that runs on stacks of its own: `caught` is called where it faulted, in
 * the signal handler, before the stack is left. It must not do more than a signal handler may. */
bool cup_guard_run_caught(void (*action)(void *argument),
                          void (*caught)(void *argument, const struct cup_guard_fault *fault),
                          void *argument);

/* Ends the guarded call this thread is in as a fault does, without calling `caught`. */
_Noreturn void cup_guard_abandon(void);

/* From here to the release the memory can be read; who writes to it sleeps and then writes again,
 * to whatever is mapped there by then. In whole pages, one piece at a time in the process: the
 * caller sees to that. False when the system does not allow it. */
bool cup_guard_hold(void *address, size_t size_bytes);
void cup_guard_release(void);

#endif
