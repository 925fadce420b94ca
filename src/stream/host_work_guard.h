/* SPDX-License-Identifier: MIT */
/* The fault guard of host work: work that touches memory which is not there ends with
 * CUDA_ERROR_ILLEGAL_ADDRESS, as a kernel does, and the process goes on. It is abandoned where it
 * was: memory that it had allocated is lost. */
#ifndef CUP_STREAM_HOST_WORK_GUARD_H
#define CUP_STREAM_HOST_WORK_GUARD_H

#include <cuda.h>
#include <cupipe.h>

/* Runs the work under the guard, and returns its result. */
CUresult cup_host_work_call(const struct cupipe_work *work);

/* cup_engine_parallel() for work. A part that faults, in whatever thread, ends the work when the
 * parts that run have returned; others do not begin. */
void cup_host_work_parallel(size_t count, void (*part)(void *data, size_t index), void *data);

/* Calls action(data), then finally(data), which also runs if a fault ends the action; the work ends
 * after it. */
void cup_host_work_finally(void (*action)(void *data), void (*finally)(void *data), void *data);

/* Calls action(data). An error: a fault has ended it, at *address if that is known. */
CUresult cup_host_work_guarded(void (*action)(void *data), void *data, uint64_t *address);

#endif
