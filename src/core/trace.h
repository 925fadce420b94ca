/* SPDX-License-Identifier: MIT */
/* The trace: every call of the API and every piece of device work, as trace events in JSON that
 * ui.perfetto.dev and chrome://tracing open. The program is one process with a row a thread; each
 * device is a process of its own with a row a stream. */
#ifndef CUP_CORE_TRACE_H
#define CUP_CORE_TRACE_H

#include "core/call.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool cup_trace_enabled(void)
{
    return cup_unlikely((cup_call_hooks_load() & CUP_HOOK_TRACE) != 0);
}

/* Starts the trace; `%p` in the path becomes the process id. INVALID_VALUE, and a line on stderr,
 * when the file cannot be made. Does nothing when a trace is already being written. */
CUresult cup_trace_open(const char *path);

/* Completes the file. The end of the process does it too; what comes later is dropped. */
void cup_trace_close(void);

/* A call that went from start_ns to end_ns (of cup_clock_ns). Outputs and strings are read only
 * when `result` is CUDA_SUCCESS. */
void cup_trace_call(const struct cup_call_site *site, const uint64_t *values, uint64_t start_ns,
                    uint64_t end_ns, CUresult result);

/* A moment in the calling thread, for all of the process to see. */
void cup_trace_mark(const char *name);

/* A piece of work on a stream of a device. `bytes` is shown when it is not 0. */
void cup_trace_work(unsigned device, uint64_t stream_id, const char *name, uint64_t start_ns,
                    uint64_t end_ns, uint64_t bytes);

#endif
