/* SPDX-License-Identifier: MIT */
/* The threads that run the application's host functions. A host function may block for ever, so
 * each runs on a thread of its own: an idle one if there is one, else a new one. */
#ifndef CUP_STREAM_HOST_FUNCTION_H
#define CUP_STREAM_HOST_FUNCTION_H

#include <stdbool.h>

struct CUstream_st;

/* The stream is parked on a host function, its head job: run it elsewhere, then let the stream go
 * on. The parked stream's own reference keeps it alive. False when no thread could be had. */
bool cup_host_function_dispatch(struct CUstream_st *stream);

#endif
