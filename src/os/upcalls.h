/* SPDX-License-Identifier: MIT */
/* What src/os asks of the parts above it. api/upcalls.c has the table. */
#ifndef CUP_OS_UPCALLS_H
#define CUP_OS_UPCALLS_H

#include <stdint.h>

struct cup_os_upcalls {
    /* A fault outside guarded calls, before it is passed on: the address that was touched. Called
     * in the signal handler. */
    void (*foreign_fault)(uint64_t address);
};

extern const struct cup_os_upcalls cup_os_upcalls;

#endif
