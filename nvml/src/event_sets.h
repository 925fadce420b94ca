/* SPDX-License-Identifier: MIT */
/* The handles of event sets. A handle is the number of a slot and of the slot's use, so a stale or
 * garbage one is recognised and no memory is touched. */
#ifndef NVML_EVENT_SETS_H
#define NVML_EVENT_SETS_H

#include <stdbool.h>

enum event_set_kind { EVENT_SET_NONE, EVENT_SET_OF_DEVICES, EVENT_SET_OF_SYSTEM };

/* Returns a new handle; NULL if there is no memory. */
void *event_set_create(enum event_set_kind kind);

bool event_set_is_live(enum event_set_kind kind, const void *handle);

/* Returns whether it was live. */
bool event_set_free(enum event_set_kind kind, const void *handle);

/* In the child of fork: whatever lock another thread held is free again. */
void event_sets_after_fork(void);

#endif
