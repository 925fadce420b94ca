/* SPDX-License-Identifier: MIT */
/* What src/core asks of the parts above it. api/upcalls.c has
 * the table. */
#ifndef CUP_CORE_UPCALLS_H
#define CUP_CORE_UPCALLS_H

#include <stdbool.h>
#include <stdint.h>

struct cup_core_upcalls {
    /* Is this the name of an entry point, or, ending in *, the beginning of one? */
    bool (*is_entry_point)(const char *name);
    /* Why the memory may not be touched, as the end of a sentence (", which ..."); NULL: it may. */
    const char *(*why_protected)(uint64_t address);
};

extern const struct cup_core_upcalls cup_core_upcalls;

#endif
