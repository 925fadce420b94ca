/* SPDX-License-Identifier: MIT */
/* The part of an event that other processes see. A process has its events in pools, each a memory
 * file with a slot an event; whoever opens an event maps the pool. A slot counts recordings: the
 * number of the latest, whose it is, and up to which they are complete.
 *
 * A recording of a process that died will never run; it counts as complete when somebody who waits
 * for it finds out. */
#ifndef CUP_STREAM_IPC_EVENT_H
#define CUP_STREAM_IPC_EVENT_H

#include "os/ipc_file.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_ipc_event;

CUresult cup_ipc_event_create(struct cup_ipc_event **event);

/* Another process's, by its handle. MAP_FAILED when it names none, INVALID_CONTEXT when it is this
 * process's own. */
CUresult cup_ipc_event_open(const struct cup_ipcfile_handle *handle, struct cup_ipc_event **event);

void cup_ipc_event_release(struct cup_ipc_event *event);

/* A handle of an event made here. INVALID_HANDLE for NULL, or one that was opened. */
CUresult cup_ipc_event_name(struct cup_ipc_event *event, struct cup_ipcfile_handle *handle);

/* A recording begins, and gets a number; it is complete. */
uint64_t cup_ipc_event_begin(struct cup_ipc_event *event);
void cup_ipc_event_complete(struct cup_ipc_event *event, uint64_t number);

/* The number of the latest recording, in whatever process; 0: never recorded. */
uint64_t cup_ipc_event_latest(struct cup_ipc_event *event);

bool cup_ipc_event_is_complete(struct cup_ipc_event *event, uint64_t number);
void cup_ipc_event_wait(struct cup_ipc_event *event, uint64_t number);

/* If the process that has recorded last is dead, what it has recorded is complete. */
void cup_ipc_event_check_recorder(struct cup_ipc_event *event);

#endif
