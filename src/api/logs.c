/* SPDX-License-Identifier: MIT */
/* Access to the log of failed calls. All of it works before cuInit. Flags are ignored. */
#include "impl.h"
#include "core/call_log.h"
#include "core/error.h"
#include "os/guard.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* A shorter buffer is refused, because not even one line would fit. */
enum { BUFFER_BYTES_MIN = 100 };

CUresult impl_cuLogsRegisterCallback(CUlogsCallback callbackFunc, void *userData,
                                     CUlogsCallbackHandle *callback_out)
{
    if (!callbackFunc)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no callback");
    CUlogsCallbackHandle handle = cup_call_log_register(callbackFunc, userData);
    if (!handle)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a callback");
    if (callback_out)
        *callback_out = handle;
    return CUDA_SUCCESS;
}

CUresult impl_cuLogsUnregisterCallback(CUlogsCallbackHandle callback)
{
    if (!callback || !cup_call_log_unregister(callback))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is no registered callback",
                         (void *)callback);
    return CUDA_SUCCESS;
}

CUresult impl_cuLogsCurrent(CUlogIterator *iterator_out, unsigned int flags)
{
    (void)flags;
    if (!iterator_out)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no place for the iterator");
    *iterator_out = cup_call_log_position();
    return CUDA_SUCCESS;
}

struct read_iterator {
    const CUlogIterator *iterator;
    uint32_t value;
};

static void read_position(void *argument)
{
    struct read_iterator *read = argument;

    read->value = *read->iterator;
}

/* Reads from the iterator on, or everything if there is none. An empty log is read without it. */
static CUresult read_log(CUlogIterator *iterator, char *buffer, size_t size_bytes, size_t *length)
{
    struct read_iterator read = {.iterator = iterator};

    if (cup_call_log_position() == 0)
        iterator = NULL;
    if (iterator && !cup_guard_run(read_position, &read))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the iterator at %p cannot be read",
                         (void *)iterator);
    uint32_t position = read.value;
    if (!cup_call_log_read(&position, buffer, size_bytes, length))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the iterator is beyond the end of the log");
    if (iterator)
        *iterator = position;
    return CUDA_SUCCESS;
}

CUresult impl_cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size,
                                 unsigned int flags)
{
    (void)flags;
    if (!buffer || !size)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no buffer, or no size");
    if (*size < BUFFER_BYTES_MIN) {
        *size = 0;
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the buffer is too small for a line");
    }
    return read_log(iterator, buffer, *size, size);
}

CUresult impl_cuLogsDumpToFile(CUlogIterator *iterator, const char *pathToFile, unsigned int flags)
{
    char buffer[CUP_CALL_LOG_BYTES];
    size_t length;

    (void)flags;
    if (!pathToFile)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no path");
    CUresult result = read_log(iterator, buffer, sizeof(buffer), &length);
    if (result != CUDA_SUCCESS)
        return result;
    FILE *file = fopen(pathToFile, "we");
    if (!file)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%s cannot be written", pathToFile);
    bool complete = fwrite(buffer, 1, length, file) == length;
    if (fclose(file) != 0 || !complete)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "%s could not be written", pathToFile);
    return CUDA_SUCCESS;
}
