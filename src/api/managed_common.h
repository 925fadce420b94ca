/* SPDX-License-Identifier: MIT */
/* What the calls on managed memory have in common. */
#ifndef CUP_API_MANAGED_COMMON_H
#define CUP_API_MANAGED_COMMON_H

#include "memory/migration.h"

#include <cuda.h>

struct CUstream_st;

/* INVALID_DEVICE when there is no such device, INVALID_VALUE for any other place that is not there.
 */
CUresult cup_api_managed_check_location(CUmemLocation location);

/* Takes a reference. The library must be ready, and the current context usable if there is one. */
CUresult cup_api_managed_find_stream(CUstream handle, struct CUstream_st **stream);

#endif
