/* SPDX-License-Identifier: MIT */
/* What the groups about green contexts share. */
#ifndef GREEN_RECORDER_H
#define GREEN_RECORDER_H

#include "rest.h"

/* A resource as text: all of it, or the numbers that tell resources apart. */
const char *resource_text_full(const CUdevResource *resource);
const char *resource_text(const CUdevResource *resource);
CUdevResource device_resource(void);

/* Splits the device's processors into wanted groups of count; how many there are, 0 on failure. */
extern CUdevResource split_groups[256], split_rest;
unsigned resource_split(unsigned wanted, unsigned count, unsigned flags);

/* Green contexts, NULL on failure: of resources, of count processors; what one converts to. */
CUgreenCtx green_of_resources(CUdevResource *resources, unsigned count);
CUgreenCtx green_new(unsigned count);
CUcontext green_converted(CUgreenCtx green);
#define NOTE_WITHOUT_GREEN(green)                                                                  \
    if (!(green))                                                                                  \
    setup_note("setup-green-context-unavailable")

/* Whether work in a stream has run, asked with marks in pinned memory: the driver may run all host
 * functions in one thread. marks is NULL until a group makes it. */
extern unsigned char *marks;
CUresult mark_in_stream(CUstream stream, int *index);
int mark_is_set(int index);

/* Records the flags of the primary context and whether it is active. */
void record_primary(const char *name);

#endif
