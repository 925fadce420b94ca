/* SPDX-License-Identifier: MIT */
/* The checkpoint states of this process, and requests to it from other processes. */
#ifndef CUP_API_CHECKPOINT_PROCESS_H
#define CUP_API_CHECKPOINT_PROCESS_H

#include "device/monitor.h"

/* Starts the thread that serves requests of other processes; called once, by cuInit. Without a
 * thread, other processes cannot lock this one. */
void cup_api_checkpoint_start(void);

/* Carries out a request in this process; `reply` is filled in if it has an answer but its result.
 * Callers in API calls are not waited for. */
CUresult cup_api_checkpoint_perform(const struct cup_monitor_request *request,
                                    struct cup_monitor_reply *reply);

#endif
