/* SPDX-License-Identifier: MIT */
/* The part of an event that other processes see. A process keeps its events in pools; each pool is
 * a memory file with one slot per event, and a process that opens an event maps the pool. A slot
 * stores the number of the latest recording, the process that made it, and the number up to which
 * recordings are complete.
 *
 * A recording of a process that died never runs. It counts as complete once a waiter detects that
 * the process is dead. */
#ifndef CUP_STREAM_IPC_EVENT_H
#define CUP_STREAM_IPC_EVENT_H

#include "os/ipc_file.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_ipc_event;

CUresult cup_ipc_event_create(struct cup_ipc_event **event);

/* Opens an event of another process. Returns CUDA_ERROR_MAP_FAILED if the handle names no event,
 * and CUDA_ERROR_INVALID_CONTEXT if the event is this process's own. */
CUresult cup_ipc_event_open(const struct cup_ipcfile_handle *handle, struct cup_ipc_event **event);

void cup_ipc_event_release(struct cup_ipc_event *event);

/* Writes the handle of an event that this process created. Returns CUDA_ERROR_INVALID_HANDLE for
 * NULL and for an event that was opened from a handle. */
CUresult cup_ipc_event_name(struct cup_ipc_event *event, struct cup_ipcfile_handle *handle);

/* Begin starts a recording and returns its number. Complete marks that recording as complete. */
uint64_t cup_ipc_event_begin(struct cup_ipc_event *event);
void cup_ipc_event_complete(struct cup_ipc_event *event, uint64_t number);

/* The number of the latest recording by any process; 0: never recorded. */
uint64_t cup_ipc_event_latest(struct cup_ipc_event *event);

bool cup_ipc_event_is_complete(struct cup_ipc_event *event, uint64_t number);
void cup_ipc_event_wait(struct cup_ipc_event *event, uint64_t number);

/* Marks the recordings as complete if the process that recorded last is dead. */
void cup_ipc_event_check_recorder(struct cup_ipc_event *event);

#endif
