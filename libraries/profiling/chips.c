/* SPDX-License-Identifier: MIT */
#include "profiling/chips.h"

#include <string.h>

/* Those that CUPTI 13.0 names. */
static const char *const names[] = {
    "GV100", "GV11B", "TU102", "TU104", "TU106", "TU116", "TU117", "GA100", "GA102", "GA103",
    "GA104", "GA106", "GA107", "GA10B", "GH100", "AD102", "AD103", "AD104", "AD106", "AD107",
    "GB100", "GB102", "GB110", "GB10B", "GB202", "GB203", "GB205", "GB206", "GB207", "GB20B"};

bool chip_is_supported(const char *name)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

const char *const *chip_names(size_t *count)
{
    *count = sizeof(names) / sizeof(*names);
    return names;
}
