/* SPDX-License-Identifier: MIT */
/* Functions that src/os calls in the parts above it. api/upcalls.c has the table. */
#ifndef CUP_OS_UPCALLS_H
#define CUP_OS_UPCALLS_H

#include <stdint.h>

struct cup_os_upcalls {
    /* Called in the signal handler for a fault outside guarded calls, before it is passed on. */
    void (*foreign_fault)(uint64_t address);
};

extern const struct cup_os_upcalls cup_os_upcalls;

#endif
