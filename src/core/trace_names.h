/* SPDX-License-Identifier: MIT */
/* Names of threads, devices and streams in the trace. A row has the system's name, or a number,
 * until the program names it. */
#ifndef CUP_CORE_TRACE_NAMES_H
#define CUP_CORE_TRACE_NAMES_H

#include <cupipe.h>
#include <stdint.h>

/* Devices are shown as processes and streams as their threads. Linux has no pids this large. */
#define CUP_TRACE_DEVICE_PROCESS 10000000u

/* The row of the calling thread, and its name, which is written once for each file. */
uint64_t cup_trace_thread(void);
void cup_trace_name_thread_locked(void);

/* The row of a stream. Viewers require row ids that are unique across processes. */
uint64_t cup_trace_stream_row(unsigned device, uint64_t stream_id);
void cup_trace_append_device_name_locked(unsigned device);
void cup_trace_append_stream_name_locked(unsigned device, uint64_t stream_id);

#endif
