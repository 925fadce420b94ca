/* SPDX-License-Identifier: MIT */
/* Streams that wait for a value in memory. Any thread or process may write that value without
 * notice, so one thread polls while a stream waits, at short intervals at first. */
#ifndef CUP_STREAM_WATCH_H
#define CUP_STREAM_WATCH_H

#include <stdbool.h>

struct CUstream_st;

/* Adds a stream that is parked on a value. It is unparked when its head job's test no longer
 * returns NOT_READY. Returns false if no thread is available. */
bool cup_watch_add(struct CUstream_st *stream);

#endif
