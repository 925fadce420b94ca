/* SPDX-License-Identifier: MIT */
/* The trace's file: appending events to it. What is in them is left to the files that use this. */
#ifndef CUP_CORE_TRACE_FILE_H
#define CUP_CORE_TRACE_FILE_H

#include "core/strbuf.h"
#include "os/mutex.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define CUP_TRACE_EVENT_BYTES (8u << 10)

extern pthread_mutex_t cup_trace_mutex; /* guards the file */

/* Takes the lock if a trace is open; otherwise returns false, without the lock. */
bool cup_trace_lock(void);
void cup_trace_unlock(void);
/* Changes with each file. */
unsigned cup_trace_generation_locked(void);

/* The process whose calls the trace has. */
unsigned cup_trace_process(void);

/* Writes the fields that every event has; `phase` is the event's type. */
void cup_trace_put_head(struct cup_strbuf *text, const char *name, char phase, unsigned process,
                        uint64_t row);
void cup_trace_put_span(struct cup_strbuf *text, uint64_t start_ns, uint64_t end_ns);

void cup_trace_append_locked(const struct cup_strbuf *text);
/* The same, and writes the buffer to the file now and then. */
void cup_trace_append_event_locked(const struct cup_strbuf *text, uint64_t now_ns);
/* Names a process or a row: `what` is "process_name" or "thread_name". */
void cup_trace_append_name_locked(const char *what, unsigned process, uint64_t row,
                                  const char *name);

#endif
