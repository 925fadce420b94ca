/* SPDX-License-Identifier: MIT */
/* The names that profilers have for the chips of devices. */
#ifndef PROFILING_CHIPS_H
#define PROFILING_CHIPS_H

#include <stdbool.h>
#include <stddef.h>

bool chip_is_supported(const char *name);
const char *const *chip_names(size_t *count);

#endif
