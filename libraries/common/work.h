/* SPDX-License-Identifier: MIT */
/* A call of a library as work of a stream. The call checks its arguments, describes what it will
 * do in a structure of its own, and submits a function that does it:
 *
 *     struct scale scale = {.count = n, .factor = *alpha, .x = x};
 *     const struct cupipe_range operands[] = {lib_written(x, n * sizeof(*x))};
 *     const struct lib_call call = {"cublasSscal_v2", handle->stream, .nanoseconds = n / 4,
 *                                   operands, 1};
 *
 *     result = lib_submit(&call, scale_run, &scale, sizeof(scale));
 *
 * The stream orders, captures, traces and checks it as it does a kernel. */
#ifndef LIBRARIES_WORK_H
#define LIBRARIES_WORK_H

#include <cuda.h>
#include <cupipe.h>
#include <stddef.h>
#include <stdint.h>

/* Device memory that a call reads; that it writes. Memory that it reads and writes is named twice.
 * Operands of 0 bytes are ignored. */
static inline struct cupipe_range lib_read(const void *address, size_t bytes)
{
    return (struct cupipe_range){.address = (uintptr_t)address, .bytes = bytes};
}

static inline struct cupipe_range lib_written(const void *address, size_t bytes)
{
    return (struct cupipe_range){.address = (uintptr_t)address, .bytes = bytes, .written = 1};
}

/* The same for the columns of a matrix, or elements with a stride: `count` pieces. */
static inline struct cupipe_range lib_read_pieces(const void *address, size_t bytes, size_t count,
                                                  size_t pitch_bytes)
{
    return (struct cupipe_range){.address = (uintptr_t)address,
                                 .bytes = count ? bytes : 0,
                                 .rows = count,
                                 .pitch = pitch_bytes};
}

static inline struct cupipe_range lib_written_pieces(const void *address, size_t bytes,
                                                     size_t count, size_t pitch_bytes)
{
    struct cupipe_range range = lib_read_pieces(address, bytes, count, pitch_bytes);

    range.written = 1;
    return range;
}

/* The same memory at each of `count` addresses, which stand in an array in device memory. */
static inline struct cupipe_range lib_through(const void *pointers, size_t count,
                                              struct cupipe_range range)
{
    range.address = (uintptr_t)pointers;
    range.pointers = count;
    return count ? range : lib_read(pointers, 0);
}

/* The range with bytes that the call may leave out: half of a triangular matrix, unused bands. */
static inline struct cupipe_range lib_partly(struct cupipe_range range)
{
    range.partly = 1;
    return range;
}

struct lib_call {
    const char *name; /* the exported function; stays valid as long as the process */
    CUstream stream;
    uint64_t nanoseconds; /* a guess at the time on one processor; short work on an idle stream runs
                             in the calling thread */
    const struct cupipe_range *operands; /* copied */
    size_t operand_count;
};

/* Does the call's work. The arguments are a copy of the caller's, which the function may change; it
 * may not call CUDA. If the stream is captured, it runs once a launch, each time with the arguments
 * as they were after the last run: a function that runs more than once leaves them as they were. An
 * error becomes the context's sticky error. */
typedef CUresult lib_work(void *arguments);

/* Submits work with a copy of its arguments. If the device cannot access an operand, the work
 * does not run, and the context has the sticky error CUDA_ERROR_ILLEGAL_ADDRESS. */
CUresult lib_submit(const struct lib_call *call, lib_work *run, const void *arguments,
                    size_t bytes);

/* The same for arguments that own memory: they are allocated by malloc(), and `release` frees them
 * and what they own, once, also if the submission fails. */
CUresult lib_submit_owned(const struct lib_call *call, lib_work *run, void (*release)(void *),
                          void *arguments);

/* Submits work and waits for it, for calls that return a result to the host. A stream that captures
 * refuses: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED. The arguments are not copied. */
CUresult lib_submit_and_wait(const struct lib_call *call, lib_work *run, void *arguments);

/* Calls part(arguments, i) for each i below `count` on the calling thread and on idle worker
 * threads of the driver, and returns when all have returned. For use in work. */
void lib_parallel(size_t count, void (*part)(void *arguments, size_t index), void *arguments);

/* Calls action(arguments), then finally(arguments), which is also called if the action touches
 * memory that is not there. The work ends after it in that case. For work that holds a lock. */
void lib_finally(void (*action)(void *arguments), void (*finally)(void *arguments),
                 void *arguments);

/* The number of threads that lib_parallel() can use. */
unsigned lib_parallel_width(void);

#endif
