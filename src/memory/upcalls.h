/* SPDX-License-Identifier: MIT */
/* What src/memory asks of the parts above it. api/upcalls.c has
 * the table. */
#ifndef CUP_MEMORY_UPCALLS_H
#define CUP_MEMORY_UPCALLS_H

#include "memory/physical.h"

struct cup_memory_upcalls {
    /* The form of a file for export of the device's memory; NULL is the host. */
    enum cup_physical_form (*export_form)(const struct cup_device *device);
};

extern const struct cup_memory_upcalls cup_memory_upcalls;

#endif
