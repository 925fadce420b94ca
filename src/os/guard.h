/* SPDX-License-Identifier: MIT */
/* The fault guard: touching a user's bad pointer becomes `false` instead of a crash.
 *
 *     if (!cup_guard_run(copy_bytes, &job))
 *         return CUDA_ERROR_INVALID_VALUE;
 *
 * One SIGSEGV and one SIGBUS handler for the process, installed by cup_guard_install. A fault that
 * happens outside a guarded call, or in another thread, is passed on to whatever handler the
 * application had, as if ours were not there.
 *
 * The same handler lets memory be moved under those who use it: see cup_guard_hold. */
#ifndef CUP_OS_GUARD_H
#define CUP_OS_GUARD_H

#include <stdbool.h>
#include <stddef.h>

void cup_guard_install(void);

/* Runs action(argument); false if it touched memory that is not there. The action must not take
 * locks or own anything: it is abandoned where it faulted. */
bool cup_guard_run(void (*action)(void *argument), void *argument);

/* From here to the release the memory can be read; who writes to it sleeps and then writes again,
 * to whatever is mapped there by then. In whole pages, one piece at a time in the process: the
 * caller sees to that. False when the system does not allow it. */
bool cup_guard_hold(void *address, size_t size_bytes);
void cup_guard_release(void);

#endif
