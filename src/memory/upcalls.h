/* SPDX-License-Identifier: MIT */
/* The functions of higher layers that src/memory calls. api/upcalls.c defines the table. */
#ifndef CUP_MEMORY_UPCALLS_H
#define CUP_MEMORY_UPCALLS_H

#include "memory/physical.h"

struct cup_memory_upcalls {
    /* The layout of a file that exports the device's memory; NULL means host memory. */
    enum cup_physical_form (*export_form)(const struct cup_device *device);
};

extern const struct cup_memory_upcalls cup_memory_upcalls;

#endif
