/* SPDX-License-Identifier: MIT */
/* Streams that wait for a value in memory. Anybody may write that value at any time without
 * telling, so one thread looks again and again, quickly at first, while there is anything to look
 * at. */
#ifndef CUP_STREAM_WATCH_H
#define CUP_STREAM_WATCH_H

#include <stdbool.h>

struct CUstream_st;

/* The stream is parked on a value: unpark it when its head job's test no longer says NOT_READY. */
bool cup_watch_add(struct CUstream_st *stream);

#endif
