/* SPDX-License-Identifier: MIT */
/* Whether the trace and the profile collect now. They do so all the time, or, with
 * CUPIPE_CAPTURE_RANGE=profiler, from cuProfilerStart to cuProfilerStop. */
#ifndef CUP_CORE_COLLECTION_H
#define CUP_CORE_COLLECTION_H

#include <stdbool.h>

/* True if the program's calls turn collecting on and off. */
bool cup_collection_is_ranged(void);
/* Called once the configuration and the trace are there. */
void cup_collection_init(void);
bool cup_collection_is_on(void);
void cup_collection_set(bool on);

#endif
