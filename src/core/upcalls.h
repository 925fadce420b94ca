/* SPDX-License-Identifier: MIT */
/* Functions that src/core calls in the parts above it. api/upcalls.c has the table. */
#ifndef CUP_CORE_UPCALLS_H
#define CUP_CORE_UPCALLS_H

#include <stdbool.h>
#include <stdint.h>

struct cup_core_upcalls {
    /* True if this is the name of an entry point or, if it ends in *, a prefix of one. */
    bool (*is_entry_point)(const char *name);
};

extern const struct cup_core_upcalls cup_core_upcalls;

#endif
