/* SPDX-License-Identifier: MIT */
/* The runtime beside what draws arguments: handles of both APIs are the same. */
#ifndef RUNTIME_CALLS_H
#define RUNTIME_CALLS_H

#include "calls.h"

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

/* A host function or variable: registered, a kernel of a library, or none. */
void *draw_symbol(struct draw *draw);

#endif
