/* SPDX-License-Identifier: MIT */
/* The trace's file. The buffer is written in blocks, and after a time limit, so that a killed
 * process leaves most of its trace. Only whole events are written. The file is a JSON array;
 * viewers accept a missing end. While the trace is paused the file is open, and only names go into
 * it. */
#include "core/trace_file.h"

#include "core/thread.h"
#include "core/trace.h"
#include "os/clock.h"
#include "os/mutex.h"
#include "os/system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_BYTES (256u << 10)
#define NAME_BYTES (2u << 10)
#define FLUSH_INTERVAL_NS UINT64_C(200000000)
#define PATH_BYTES 4096

static struct {
    int file;            /* -1: no trace; guarded by lock, like all fields */
    unsigned generation; /* identifies the file */
    size_t used;
    uint64_t flushed_ns;
    char buffer[BUFFER_BYTES];
} trace = {.file = -1};

static atomic_bool is_open;
static _Atomic int process_id; /* of the process that opened the trace */

/* Leaf mutex: guards the trace file. */
pthread_mutex_t cup_trace_mutex = PTHREAD_MUTEX_INITIALIZER;

bool cup_trace_lock(void)
{
    pthread_mutex_lock(&cup_trace_mutex);
    if (trace.file >= 0)
        return true;
    pthread_mutex_unlock(&cup_trace_mutex);
    return false;
}

void cup_trace_unlock(void)
{
    pthread_mutex_unlock(&cup_trace_mutex);
}

unsigned cup_trace_generation_locked(void)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    return trace.generation;
}

static void stop_locked(void)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    cup_call_hook_clear(CUP_HOOK_TRACE);
    close(trace.file);
    trace.file = -1;
    trace.used = 0;
    atomic_store_explicit(&is_open, false, memory_order_relaxed);
}

static void flush_locked(uint64_t now_ns)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    size_t done = 0;

    while (done < trace.used) {
        ssize_t count = write(trace.file, trace.buffer + done, trace.used - done);

        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            fprintf(stderr, "cupipe: the trace ends here: %s\n", strerror(errno));
            stop_locked();
            return;
        }
        done += (size_t)count;
    }
    trace.used = 0;
    trace.flushed_ns = now_ns;
}

void cup_trace_append_locked(const struct cup_strbuf *text)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    if (trace.used + text->used > BUFFER_BYTES)
        flush_locked(cup_clock_ns());
    if (trace.file < 0)
        return;
    memcpy(trace.buffer + trace.used, text->start, text->used);
    trace.used += text->used;
}

unsigned cup_trace_process(void)
{
    return (unsigned)atomic_load_explicit(&process_id, memory_order_relaxed);
}

void cup_trace_append_event_locked(const struct cup_strbuf *text, uint64_t now_ns)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    cup_trace_append_locked(text);
    if (trace.file >= 0 && now_ns > trace.flushed_ns + FLUSH_INTERVAL_NS)
        flush_locked(now_ns);
}

void cup_trace_put_head(struct cup_strbuf *text, const char *name, char phase, unsigned process,
                        uint64_t row)
{
    cup_strbuf_put(text, ",\n{\"name\":");
    cup_strbuf_put_string(text, name);
    cup_strbuf_put(text, ",\"ph\":\"");
    cup_strbuf_put_bytes(text, &phase, 1);
    cup_strbuf_put(text, "\",\"pid\":");
    cup_strbuf_put_unsigned(text, process);
    cup_strbuf_put(text, ",\"tid\":");
    cup_strbuf_put_unsigned(text, row);
}

void cup_trace_put_span(struct cup_strbuf *text, uint64_t start_ns, uint64_t end_ns)
{
    cup_strbuf_put(text, ",\"ts\":");
    cup_strbuf_put_microseconds(text, start_ns);
    cup_strbuf_put(text, ",\"dur\":");
    cup_strbuf_put_microseconds(text, end_ns > start_ns ? end_ns - start_ns : 0);
}

void cup_trace_append_name_locked(const char *what, unsigned process, uint64_t row,
                                  const char *name)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    char bytes[NAME_BYTES];
    struct cup_strbuf text = CUP_TEXT(bytes);

    cup_trace_put_head(&text, what, 'M', process, row);
    cup_strbuf_put(&text, ",\"args\":{\"name\":");
    cup_strbuf_put_string(&text, name);
    cup_strbuf_put(&text, "}}");
    cup_trace_append_locked(&text);
}

/* A forked child does not write the parent's file. Its only thread starts with a fresh lock. */
static void forget_in_child(void)
{
    pthread_mutex_init(&cup_trace_mutex, NULL);
    pthread_mutex_lock(&cup_trace_mutex);
    if (trace.file >= 0)
        stop_locked();
    pthread_mutex_unlock(&cup_trace_mutex);
    cup_thread_self()->trace_id = 0;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_in_child);
}

/* Times are of CLOCK_MONOTONIC. What must be added for those of CLOCK_REALTIME, which other tools
 * write, is a text, because readers of JSON may not have so long numbers. */
static void append_clock_locked(void)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    char bytes[NAME_BYTES];
    struct cup_strbuf text = CUP_TEXT(bytes);
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    int64_t offset_ns =
        (int64_t)now.tv_sec * 1000000000 + (int64_t)now.tv_nsec - (int64_t)cup_clock_ns();
    cup_trace_put_head(&text, "clock", 'M', cup_trace_process(), 0);
    cup_strbuf_print(&text, ",\"args\":{\"realtime_minus_monotonic_ns\":\"%lld\"}}",
                     (long long)offset_ns);
    cup_trace_append_locked(&text);
}

static void start_locked(int file)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    trace.file = file;
    atomic_store_explicit(&is_open, true, memory_order_relaxed);
    trace.generation++;
    atomic_store_explicit(&process_id, getpid(), memory_order_relaxed);
    trace.flushed_ns = cup_clock_ns();
    trace.buffer[0] = '[';
    trace.used = 1;
    cup_trace_append_name_locked("process_name", cup_trace_process(), 0,
                                 program_invocation_short_name);
    trace.buffer[1] = ' '; /* no comma before the first event */
    append_clock_locked();
    flush_locked(trace.flushed_ns);
    cup_call_hook_set(CUP_HOOK_TRACE);
}

bool cup_trace_is_open(void)
{
    return atomic_load_explicit(&is_open, memory_order_relaxed);
}

CUresult cup_trace_open(const char *path)
{
    static pthread_once_t forks_watched = PTHREAD_ONCE_INIT;
    char expanded[PATH_BYTES];
    int file;

    if (cup_trace_is_open())
        return CUDA_SUCCESS;
    if (!cup_system_expand_path(path, expanded, sizeof expanded)) {
        fprintf(stderr, "cupipe: CUPIPE_TRACE is empty or too long\n");
        return CUDA_ERROR_INVALID_VALUE;
    }
    file = open(expanded, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        fprintf(stderr, "cupipe: cannot write the trace to %s: %s\n", expanded, strerror(errno));
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_once(&forks_watched, watch_forks);
    pthread_mutex_lock(&cup_trace_mutex);
    if (trace.file >= 0)
        close(file); /* another thread was first */
    else
        start_locked(file);
    pthread_mutex_unlock(&cup_trace_mutex);
    return CUDA_SUCCESS;
}

void cup_trace_pause(bool paused)
{
    if (!cup_trace_lock())
        return;
    if (paused)
        cup_call_hook_clear(CUP_HOOK_TRACE);
    else
        cup_call_hook_set(CUP_HOOK_TRACE);
    cup_trace_unlock();
}

__attribute__((destructor)) void cup_trace_close(void)
{
    static const char closing[] = "\n]\n";

    pthread_mutex_lock(&cup_trace_mutex);
    if (trace.file >= 0)
        flush_locked(0);
    if (trace.file >= 0) {
        memcpy(trace.buffer, closing, sizeof closing - 1);
        trace.used = sizeof closing - 1;
        flush_locked(0);
    }
    if (trace.file >= 0)
        stop_locked();
    pthread_mutex_unlock(&cup_trace_mutex);
}
