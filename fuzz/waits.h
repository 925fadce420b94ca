/* SPDX-License-Identifier: MIT */
/* Waits that a program may make, and that end. A wait for a value looks at a word of its own in
 * memory of the fuzzer's, and a semaphore waited for lies in a file the fuzzer has open. A helper
 * thread goes over all of them again and again and gives each what it waits for. So whatever hangs
 * is a defect. */
#ifndef WAITS_H
#define WAITS_H

#include "draw.h"

/* Starts the helper, in the process that runs a program. */
void waits_start(void);
/* Makes the words known to the driver, again if it has forgotten them. */
CUresult waits_register(void);

/* A word that will satisfy a wait of that kind for that value, of 4 or 8 bytes; and soon, not now.
 */
CUdeviceptr waits_word(uint64_t value, unsigned flags, unsigned bytes);

/* A semaphore file of the library's form, a descriptor of which is the caller's; -1 when there are
 * too many. */
int waits_semaphore(bool timeline);

#endif
