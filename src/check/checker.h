/* SPDX-License-Identifier: MIT */
/* Starts CUPIPE_CHECK. Each check has a folder or a file in src/check:
 *
 *   memory   redzones and quarantine of allocations (memory/redzone.h), accesses of kernels
 *            (kernel/memory.h, kernel/bounds.c), textures (kernel/texture.h)
 *   init     a shadow of what was written (memory/uninitialised.h, kernel/uninitialised.h)
 *   streams  the order of work in streams and the bytes that it touches (stream/order.h)
 *   races    accesses of a kernel's threads without an order (race/)
 *   sync     barriers, mbarriers and asynchronous copies of kernels (sync/)
 *   leaks    what was created and not released (calls/leaks.c)
 *
 * report/ records which call made what, and writes what the checks find. The other parts of the
 * library reach the checks through the table in core/checks.h. */
#ifndef CUP_CHECK_CHECKER_H
#define CUP_CHECK_CHECKER_H

#include <cuda.h>

/* Sets the operations of the checks that the configuration selects. Called before the first
 * allocation. */
void cup_checker_init(void);

/* Starts records and reports. Called once, if the configuration selects a check. INVALID_VALUE: the
 * files of suppressions or reports cannot be used. */
CUresult cup_checker_start(void);

#endif
