/* SPDX-License-Identifier: MIT */
/* Checkpoints to storage of the caller, and restores from it. The memory of the other process's
 * devices is a file of it that is mapped here as memory of the same devices; the caller copies it
 * to or from wherever it likes, and says when it is done. */
#ifndef CUP_API_CHECKPOINT_STORAGE_H
#define CUP_API_CHECKPOINT_STORAGE_H

#include "device/monitor.h"

/* Begins an operation, CUP_MONITOR_STORE or CUP_MONITOR_LOAD, on another process. The primary
 * contexts of all devices that the process has memory of must be active here. */
CUresult cup_checkpoint_storage_begin(int pid, enum cup_monitor_action action,
                                      CUcheckpointCustomStorageInfo **info);

/* Waits for the streams of the operation, unmaps the memory, and lets the process go on. The handle
 * stays valid if a stream is capturing or its work has failed. */
CUresult cup_checkpoint_storage_complete(CUcheckpointOperationHandle handle);

#endif
