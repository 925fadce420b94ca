/* SPDX-License-Identifier: MIT */
/* The threads that run the application's host functions. A host function may block for ever, so
 * each one runs on a thread of its own: an idle thread if there is one, else a new one. */
#ifndef CUP_STREAM_HOST_FUNCTION_H
#define CUP_STREAM_HOST_FUNCTION_H

#include <stdbool.h>

struct CUstream_st;

/* Runs the head job of a stream that is parked on a host function, on another thread, and then
 * unparks the stream. The parked stream's own reference keeps it alive. Returns false if no thread
 * is available. */
bool cup_host_function_dispatch(struct CUstream_st *stream);

#endif
