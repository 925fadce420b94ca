/* SPDX-License-Identifier: MIT */
/* What a CUDA runtime holds for itself. libcudart retains primary contexts and loads the code of
 * the program, and never gives either back; neither is a leak of the program. */
#ifndef CUP_CHECK_CALLS_RUNTIME_NOTE_H
#define CUP_CHECK_CALLS_RUNTIME_NOTE_H

#include <stdbool.h>

/* True if a runtime makes the thread's current call for itself, and not for the program. */
bool cup_callcheck_is_for_runtime(void);

#endif
