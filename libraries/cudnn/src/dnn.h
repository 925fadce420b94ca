/* SPDX-License-Identifier: MIT */
/* What all functions of the library share: the handle, errors, and the way of a call to its stream.
 */
#ifndef DNN_H
#define DNN_H

#include "engine.h"
#include "object.h"
#include "work.h"

#include <cudnn.h>

struct cudnnContext {
    struct lib_object base;
    CUstream stream;
};

extern const struct lib_object_type dnn_handle_type;

static inline bool dnn_is_handle(const void *handle)
{
    return lib_object_is(handle, &dnn_handle_type);
}

/* Remembers a message for cudnnGetLastErrorString() of this thread, passes it to the program's
 * callback, and returns the status. */
cudnnStatus_t dnn_error(cudnnStatus_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Submits work of the exported function `name` with a copy of its arguments; `nanoseconds` guesses
 * its time on one processor. Ranges of 0 bytes are ignored. */
cudnnStatus_t dnn_submit(cudnnHandle_t handle, const char *name, uint64_t nanoseconds,
                         const struct cupipe_range *ranges, size_t range_count, lib_work *run,
                         const void *arguments, size_t bytes);

/* The same for arguments that own memory: see lib_submit_owned(). */
cudnnStatus_t dnn_submit_owned(cudnnHandle_t handle, const char *name, uint64_t nanoseconds,
                               const struct cupipe_range *ranges, size_t range_count, lib_work *run,
                               void (*release)(void *), void *arguments);

#endif
