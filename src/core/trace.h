/* SPDX-License-Identifier: MIT */
/* The trace: API calls and device work as JSON trace events for ui.perfetto.dev and
 * chrome://tracing. The program is one process with a row per thread; each device is a process with
 * a row per stream. */
#ifndef CUP_CORE_TRACE_H
#define CUP_CORE_TRACE_H

#include "core/call.h"

#include <cuda.h>
#include <cupipe.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool cup_trace_enabled(void)
{
    return cup_unlikely((cup_call_hooks_load() & CUP_HOOK_TRACE) != 0);
}

/* True if there is a trace, also while it is paused. */
bool cup_trace_is_open(void);

/* Starts the trace; `%p` in the path is replaced by the process id. Returns INVALID_VALUE, with a
 * message on stderr, if the file cannot be created. Does nothing if a trace is already being
 * written. */
CUresult cup_trace_open(const char *path);

/* Completes the file; later events are dropped. Also called at process exit. */
void cup_trace_close(void);

/* Leaves out everything but names from now on, or no more. */
void cup_trace_pause(bool paused);

/* Records a call from start_ns to end_ns (cup_clock_ns()). Outputs and strings are read only if
 * `result` is CUDA_SUCCESS. */
void cup_trace_call(const struct cup_call_site *site, const uint64_t *values, uint64_t start_ns,
                    uint64_t end_ns, CUresult result);

/* Records an instant event of the calling thread with process scope. */
void cup_trace_mark(const char *name);

/* Records a range or a mark of the calling thread that the program has described. */
void cup_trace_range(const struct cupipe_trace_range *range);

/* Records values of a counter of the program's. */
void cup_trace_counter(const struct cupipe_trace_counter *counter);

/* Records the name that the program gives an object. `device` and `stream_id` are those of a
 * stream. */
void cup_trace_name(const struct cupipe_name *name, unsigned device, uint64_t stream_id);

/* Records which number a stream has in the names of rows; calls name it by its handle. */
void cup_trace_stream(uint64_t stream_id, const void *handle);

/* Records work on a stream of a device. `bytes` is shown if it is not 0. Nodes of a graph that run
 * at the same time get rows of their own beside the stream's. */
void cup_trace_work(unsigned device, uint64_t stream_id, const char *name, uint64_t start_ns,
                    uint64_t end_ns, uint64_t bytes);

/* Records the launch of a graph, in whose span those of its nodes lie. */
void cup_trace_graph(unsigned device, uint64_t stream_id, uint64_t start_ns, uint64_t end_ns,
                     uint64_t nodes);

#endif
