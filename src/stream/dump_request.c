/* SPDX-License-Identifier: MIT */
/* A thread waits for the first byte in the pipe. Without a pipe or a thread nothing can be
 * requested, which the log says. */
#include "stream/dump_request.h"

#include "core/error.h"
#include "core/object.h"
#include "device/context.h"
#include "device/coredump.h"
#include "device/device.h"
#include "os/thread.h"
#include "stream/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_MODE = 0640, TEXT_BYTES = 1 << 16, LINE_BYTES = 512 };

static _Atomic(bool) was_made;
static char pipe_name[CUP_COREDUMP_NAME_BYTES]; /* written before the thread starts */
static char text[TEXT_BYTES];                   /* used by the thread */
static size_t text_length;
static bool of_faulted_only; /* used by the thread */
static CUdevice device;      /* the first that has a context; used by the thread */

/* Remembers the device of a context; keeps the search going. */
static bool note_device(struct cup_object *object)
{
    CUdevice ordinal = ((struct CUctx_st *)object)->device->ordinal;

    if (ordinal < device)
        device = ordinal;
    return false;
}

/* Adds a line for a stream that has work; keeps the search going. */
static bool add_stream(struct cup_object *object)
{
    static const char *const states[] = {"idle", "ready", "running", "waiting"};
    struct CUstream_st *stream = (struct CUstream_st *)object;
    char line[LINE_BYTES];
    int length = 0;

    if (of_faulted_only && atomic_load(&stream->context->device->sticky) == CUDA_SUCCESS)
        return false;
    cup_lock_acquire(&stream->lock);
    if (stream->head)
        length = snprintf(line, sizeof(line),
                          "stream:  %p of device %d: %s, %s, %llu of %llu done\n", (void *)stream,
                          stream->context->device->ordinal, states[cup_stream_get_state(stream)],
                          stream->head->name ? stream->head->name : "work",
                          (unsigned long long)atomic_load(&stream->completed),
                          (unsigned long long)cup_stream_submitted(stream));
    cup_lock_release(&stream->lock);
    if (length > 0 && text_length + (size_t)length < sizeof(text)) {
        memcpy(text + text_length, line, (size_t)length + 1);
        text_length += (size_t)length;
    }
    return false;
}

static bool fail_context(struct cup_object *object)
{
    cup_context_fail((struct CUctx_st *)object, CUDA_ERROR_LAUNCH_FAILED, false);
    return false;
}

static void write_dump(void)
{
    device = CUP_MAX_DEVICES - 1;
    cup_object_any(CUP_OBJECT_CONTEXT, note_device);
    of_faulted_only = cup_coredump_of_faulted_only();
    cup_coredump_begin(NULL, device);
    text_length =
        (size_t)snprintf(text, sizeof(text), "result:  %s\nwhat:    requested through %s\n",
                         cup_result_name(CUDA_ERROR_LAUNCH_FAILED), pipe_name);
    cup_object_any(CUP_OBJECT_STREAM, add_stream);
    cup_coredump_write(NULL, device, text);
    cup_object_any(CUP_OBJECT_CONTEXT, fail_context);
}

static void *await_request(void *argument)
{
    int fd = (int)(intptr_t)argument;
    char byte;
    ssize_t count;

    do
        count = read(fd, &byte, 1);
    while (count < 0 && errno == EINTR);
    if (count == 1) {
        unlink(pipe_name);
        write_dump();
    }
    close(fd);
    return NULL;
}

/* Opened for writing, too, so that the pipe does not end with its writers. */
static int open_pipe(void)
{
    struct stat status;
    int saved = errno, fd = -1;

    if (mkfifo(pipe_name, PIPE_MODE) == 0 || errno == EEXIST)
        fd = open(pipe_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode))) {
        close(fd);
        fd = -1;
    }
    errno = saved;
    return fd;
}

void cup_dump_request_accept(void)
{
    char name[CUP_COREDUMP_NAME_BYTES];

    if (!cup_coredump_pipe(name) || atomic_exchange(&was_made, true))
        return;
    memcpy(pipe_name, name, sizeof(name));
    int fd = open_pipe();
    if (fd >= 0 && cup_os_thread_start(await_request, (void *)(intptr_t)fd, "cupipe dumps"))
        return;
    cup_log(CUP_LOG_ERROR, "core dumps cannot be requested through %s", pipe_name);
    if (fd >= 0)
        close(fd);
}
