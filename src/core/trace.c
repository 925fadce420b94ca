/* SPDX-License-Identifier: MIT */
/* Writes the trace. An event is formatted on the caller's stack and appended to a buffer under a
 * lock. The buffer is written in blocks, and after a time limit, so that a killed process leaves
 * most of its trace. Only whole events are written. The file is a JSON array; viewers accept a
 * missing end. */
#include "core/trace.h"

#include "core/error.h"
#include "core/strbuf.h"
#include "core/thread.h"
#include "core/type.h"
#include "os/clock.h"
#include "os/mutex.h"
#include "os/system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define BUFFER_BYTES (256u << 10)
#define EVENT_BYTES (8u << 10)
#define NAME_BYTES (2u << 10)
#define FLUSH_INTERVAL_NS UINT64_C(200000000)
#define PATH_BYTES 4096

/* Devices are shown as processes and streams as their threads. Linux has no pids this large. */
#define DEVICE_PROCESS 10000000u
#define MAX_ROWS 4096

struct trace_row {
    unsigned device;
    unsigned branch; /* of a graph; 0: the stream itself */
    uint64_t stream_id;
    uint64_t end_ns; /* of its last span */
};

static struct {
    int file;            /* -1: no trace; guarded by lock, like all fields */
    unsigned generation; /* identifies the file, so that threads know whether it has their name */
    size_t used;
    uint64_t flushed_ns;
    unsigned row_count;
    /* the streams whose names are in the file, in order of first use */
    struct trace_row rows[MAX_ROWS];
    char buffer[BUFFER_BYTES];
} trace = {.file = -1};

static _Atomic int process_id; /* of the process that opened the trace */

/* Leaf mutex: guards the trace file. */
static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;

static void stop_locked(void)
{
    cup_mutex_assert_held(&trace_lock);
    cup_call_hook_clear(CUP_HOOK_TRACE);
    close(trace.file);
    trace.file = -1;
    trace.used = 0;
}

static void flush_locked(uint64_t now_ns)
{
    cup_mutex_assert_held(&trace_lock);
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

static void append_locked(const struct cup_strbuf *text)
{
    cup_mutex_assert_held(&trace_lock);
    if (trace.used + text->used > BUFFER_BYTES)
        flush_locked(cup_clock_ns());
    if (trace.file < 0)
        return;
    memcpy(trace.buffer + trace.used, text->start, text->used);
    trace.used += text->used;
}

static unsigned current_process(void)
{
    return (unsigned)atomic_load_explicit(&process_id, memory_order_relaxed);
}

/* Viewers require row ids that are unique across processes. */
static uint64_t stream_row(unsigned device, uint64_t stream_id)
{
    return (uint64_t)DEVICE_PROCESS * (device + 1) + 1 + stream_id % (DEVICE_PROCESS - 1);
}

static void append_event_locked(const struct cup_strbuf *text, uint64_t now_ns)
{
    cup_mutex_assert_held(&trace_lock);
    append_locked(text);
    if (trace.file >= 0 && now_ns > trace.flushed_ns + FLUSH_INTERVAL_NS)
        flush_locked(now_ns);
}

/* Writes the fields that every event has; `phase` is the event's type. */
static void put_head(struct cup_strbuf *text, const char *name, char phase, unsigned process,
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

static void put_span(struct cup_strbuf *text, uint64_t start_ns, uint64_t end_ns)
{
    cup_strbuf_put(text, ",\"ts\":");
    cup_strbuf_put_microseconds(text, start_ns);
    cup_strbuf_put(text, ",\"dur\":");
    cup_strbuf_put_microseconds(text, end_ns > start_ns ? end_ns - start_ns : 0);
}

static void append_name_locked(const char *what, unsigned process, uint64_t row, const char *name)
{
    cup_mutex_assert_held(&trace_lock);
    char bytes[NAME_BYTES];
    struct cup_strbuf text = CUP_TEXT(bytes);

    put_head(&text, what, 'M', process, row);
    cup_strbuf_put(&text, ",\"args\":{\"name\":");
    cup_strbuf_put_string(&text, name);
    cup_strbuf_put(&text, "}}");
    append_locked(&text);
}

static void append_thread_name_locked(void)
{
    cup_mutex_assert_held(&trace_lock);
    char name[17] = "";

    if (prctl(PR_GET_NAME, name) == 0)
        append_name_locked("thread_name", current_process(), (uint64_t)cup_thread_self()->trace_id,
                           name);
}

static void put_value(struct cup_strbuf *text, enum cup_argument_kind kind, uint64_t value,
                      uint32_t size_bytes)
{
    const char *name;

    switch (kind) {
    case CUP_ARGUMENT_SIGNED:
        cup_strbuf_put_signed(text, (int64_t)value);
        break;
    case CUP_ARGUMENT_UNSIGNED:
        cup_strbuf_put_unsigned(text, value);
        break;
    case CUP_ARGUMENT_FLOAT:
        cup_strbuf_put_float(text, (uint32_t)value);
        break;
    case CUP_ARGUMENT_RESULT:
        name = cup_result_name((CUresult)value);
        if (name)
            cup_strbuf_put_string(text, name);
        else
            cup_strbuf_put_signed(text, (int64_t)value);
        break;
    case CUP_ARGUMENT_STRING:
        cup_strbuf_put_string(text, (const char *)(uintptr_t)value);
        break;
    case CUP_ARGUMENT_BYTES:
        cup_strbuf_put_hex_bytes(text, (const void *)(uintptr_t)value, size_bytes);
        break;
    default:
        cup_strbuf_put_hex(text, value);
        break;
    }
}

/* Reads what a successful call has written to an output pointer. */
static uint64_t read_output(const struct cup_call_argument *argument, uint64_t address)
{
    const void *pointer = (const void *)(uintptr_t)address;
    uint64_t wide = 0;
    uint32_t narrow = 0;

    if (argument->size_bytes == sizeof wide) {
        memcpy(&wide, pointer, sizeof wide);
        return wide;
    }
    memcpy(&narrow, pointer,
           argument->size_bytes < sizeof narrow ? argument->size_bytes : sizeof narrow);
    return argument->pointee == CUP_ARGUMENT_SIGNED ? (uint64_t)(int64_t)(int32_t)narrow : narrow;
}

static void put_key(struct cup_strbuf *text, const char *prefix, const char *name)
{
    cup_strbuf_put(text, ",\"");
    cup_strbuf_put(text, prefix);
    cup_strbuf_put(text, name);
    cup_strbuf_put(text, "\":");
}

/* Shows the structures that an argument points to. Those that do not fit the event are left out. */
static void put_structure(struct cup_strbuf *text, const struct cup_call_argument *argument,
                          const uint64_t *values, uint64_t address)
{
    size_t without = text->used;
    bool overflow = text->overflow;

    put_key(text, "*", argument->name);
    if (argument->key > 0)
        cup_type_put_array(text, argument->type, address, values[argument->key - 1]);
    else
        cup_type_put(text, argument->type, address,
                     argument->key ? (int64_t)values[-argument->key - 1] : 0);
    if (text->overflow && !overflow)
        cup_strbuf_cut(text, without);
}

static void put_argument(struct cup_strbuf *text, const struct cup_call_argument *argument,
                         const uint64_t *values, uint64_t value, bool succeeded)
{
    enum cup_argument_kind kind = argument->kind;

    /* Only a successful call implies a valid pointer. */
    if (kind == CUP_ARGUMENT_STRING && (!succeeded || !value))
        kind = CUP_ARGUMENT_POINTER;
    put_key(text, "", argument->name);
    if (kind == CUP_ARGUMENT_ENUM)
        cup_type_put_enum(text, argument->type, (int64_t)value);
    else if (kind == CUP_ARGUMENT_STRUCT)
        cup_type_put(text, argument->type, value, 0);
    else
        put_value(text, kind, value, argument->size_bytes);
    if (argument->pointee == CUP_ARGUMENT_STRUCT) {
        if (value && (succeeded || argument->is_input))
            put_structure(text, argument, values, value);
    } else if (argument->pointee != CUP_ARGUMENT_NONE && succeeded && value) {
        uint64_t output = read_output(argument, value);
        bool is_null_string = argument->pointee == CUP_ARGUMENT_STRING && !output;

        put_key(text, "*", argument->name);
        if (argument->pointee == CUP_ARGUMENT_ENUM) {
            cup_type_put_enum(text, argument->type, (int32_t)output);
            return;
        }
        put_value(text, is_null_string ? CUP_ARGUMENT_POINTER : argument->pointee, output, 0);
    }
}

static void put_arguments(struct cup_strbuf *text, const struct cup_call_site *site,
                          const uint64_t *values, CUresult result)
{
    cup_strbuf_put(text, ",\"args\":{\"result\":");
    put_value(text, CUP_ARGUMENT_RESULT, (uint64_t)(int64_t)result, 0);
    for (unsigned i = 0; i < site->count; i++)
        put_argument(text, &site->arguments[i], values, values[i], result == CUDA_SUCCESS);
    cup_strbuf_put(text, "}");
}

void cup_trace_call(const struct cup_call_site *site, const uint64_t *values, uint64_t start_ns,
                    uint64_t end_ns, CUresult result)
{
    char bytes[EVENT_BYTES];
    struct cup_strbuf text = CUP_TEXT(bytes);
    size_t without_arguments;

    if (!cup_thread_self()->trace_id)
        cup_thread_self()->trace_id = gettid();
    put_head(&text, site->name, 'X', current_process(), (uint64_t)cup_thread_self()->trace_id);
    put_span(&text, start_ns, end_ns);
    without_arguments = text.used;
    put_arguments(&text, site, values, result);
    cup_strbuf_put(&text, "}");
    if (text.overflow) {
        cup_strbuf_cut(&text, without_arguments);
        cup_strbuf_put(&text, "}");
    }

    pthread_mutex_lock(&trace_lock);
    if (trace.file >= 0 && cup_thread_self()->trace_generation != trace.generation) {
        cup_thread_self()->trace_generation = trace.generation;
        append_thread_name_locked();
    }
    if (trace.file >= 0)
        append_event_locked(&text, end_ns);
    pthread_mutex_unlock(&trace_lock);
}

void cup_trace_mark(const char *name)
{
    char bytes[EVENT_BYTES];
    struct cup_strbuf text = CUP_TEXT(bytes);
    uint64_t now_ns = cup_clock_ns();
    struct cup_thread *self = cup_thread_self();

    if (!cup_trace_enabled())
        return;
    if (!self->trace_id)
        self->trace_id = gettid();
    put_head(&text, name, 'i', current_process(), (uint64_t)self->trace_id);
    cup_strbuf_put(&text, ",\"s\":\"p\",\"ts\":");
    cup_strbuf_put_microseconds(&text, now_ns);
    cup_strbuf_put(&text, "}");
    pthread_mutex_lock(&trace_lock);
    if (trace.file >= 0)
        append_event_locked(&text, now_ns);
    pthread_mutex_unlock(&trace_lock);
}

static void put_text_field(struct cup_strbuf *text, const char *key, const char *value)
{
    if (!value)
        return;
    put_key(text, "", key);
    cup_strbuf_put_string(text, value);
}

/* Writes the fields behind the head. The category tells ranges from calls. */
static void put_range_fields(struct cup_strbuf *text, const struct cupipe_trace_range *range)
{
    char color[8];

    snprintf(color, sizeof color, "#%06x", range->color & 0xffffffu);
    cup_strbuf_put(text, ",\"cat\":\"nvtx\",\"args\":{\"kind\":\"range\"");
    put_text_field(text, "domain", range->domain);
    put_text_field(text, "category", range->category);
    put_text_field(text, "payload", range->payload);
    put_text_field(text, "color", range->has_color ? color : NULL);
    cup_strbuf_put(text, "}");
}

/* Begin or end of a range with an identifier, which viewers show in a row of its own. */
static void put_range_edge(struct cup_strbuf *text, const struct cupipe_trace_range *range,
                           const char *name, char phase, uint64_t time_ns)
{
    put_head(text, name, phase, current_process(), (uint64_t)cup_thread_self()->trace_id);
    cup_strbuf_put(text, ",\"ts\":");
    cup_strbuf_put_microseconds(text, time_ns);
    cup_strbuf_put(text, ",\"id\":");
    cup_strbuf_put_hex(text, range->id);
    put_range_fields(text, range);
    cup_strbuf_put(text, "}");
}

static void put_range(struct cup_strbuf *text, const struct cupipe_trace_range *range)
{
    const char *name = range->name ? range->name : "";

    if (range->id) {
        put_range_edge(text, range, name, 'b', range->start_ns);
        put_range_edge(text, range, name, 'e', range->end_ns);
        return;
    }
    put_head(text, name, range->end_ns > range->start_ns ? 'X' : 'i', current_process(),
             (uint64_t)cup_thread_self()->trace_id);
    if (range->end_ns > range->start_ns) {
        put_span(text, range->start_ns, range->end_ns);
    } else {
        cup_strbuf_put(text, ",\"s\":\"t\",\"ts\":");
        cup_strbuf_put_microseconds(text, range->start_ns);
    }
    put_range_fields(text, range);
    cup_strbuf_put(text, "}");
}

void cup_trace_range(const struct cupipe_trace_range *range)
{
    char bytes[EVENT_BYTES];
    struct cup_strbuf text = CUP_TEXT(bytes);
    struct cup_thread *self = cup_thread_self();

    if (!cup_trace_enabled())
        return;
    if (!self->trace_id)
        self->trace_id = gettid();
    put_range(&text, range);
    if (text.overflow)
        return;
    pthread_mutex_lock(&trace_lock);
    if (trace.file >= 0 && self->trace_generation != trace.generation) {
        self->trace_generation = trace.generation;
        append_thread_name_locked();
    }
    if (trace.file >= 0)
        append_event_locked(&text, cup_clock_ns());
    pthread_mutex_unlock(&trace_lock);
}

/* Viewers ignore metadata that they do not know. */
void cup_trace_stream(uint64_t stream_id, const void *handle)
{
    char bytes[EVENT_BYTES];
    struct cup_strbuf text = CUP_TEXT(bytes);
    uint64_t now_ns;

    if (!cup_trace_enabled())
        return;
    now_ns = cup_clock_ns();
    put_head(&text, "stream", 'M', current_process(), 0);
    cup_strbuf_put(&text, ",\"ts\":");
    cup_strbuf_put_microseconds(&text, now_ns);
    cup_strbuf_put(&text, ",\"args\":{\"name\":\"stream ");
    cup_strbuf_put_unsigned(&text, stream_id);
    cup_strbuf_put(&text, "\",\"handle\":");
    cup_strbuf_put_hex(&text, (uintptr_t)handle);
    cup_strbuf_put(&text, "}}");
    pthread_mutex_lock(&trace_lock);
    if (trace.file >= 0)
        append_event_locked(&text, now_ns);
    pthread_mutex_unlock(&trace_lock);
}

static uint64_t row_id(const struct trace_row *row)
{
    if (row->branch == 0)
        return stream_row(row->device, row->stream_id);
    return stream_row(row->device, DEVICE_PROCESS / 2 + (uint64_t)(row - trace.rows));
}

static void append_row_name_locked(const struct trace_row *row, bool device_known)
{
    cup_mutex_assert_held(&trace_lock);
    char name[64];

    if (!device_known) {
        snprintf(name, sizeof name, "cupipe device %u", row->device);
        append_name_locked("process_name", DEVICE_PROCESS + row->device, 0, name);
    }
    snprintf(name, sizeof name, row->branch ? "stream %llu, branch %u" : "stream %llu",
             (unsigned long long)row->stream_id, row->branch);
    append_name_locked("thread_name", DEVICE_PROCESS + row->device, row_id(row), name);
}

/* The row for work of a stream that started then: the stream's own, or that of a branch if other
 * nodes of the same graph were still at work. Spans of one row must not overlap, except that a
 * graph contains its nodes. The first work of a row names it, the first work of a device names the
 * device. Beyond MAX_ROWS rows, all work of a stream is in one row, which has a number only. */
static uint64_t find_row_locked(unsigned device, uint64_t stream_id, uint64_t start_ns,
                                uint64_t end_ns)
{
    cup_mutex_assert_held(&trace_lock);
    bool device_known = false;
    unsigned branch = 0;

    for (unsigned i = 0; i < trace.row_count; i++) {
        struct trace_row *row = &trace.rows[i];
        device_known = device_known || row->device == device;
        if (row->device != device || row->stream_id != stream_id)
            continue;
        if (row->end_ns <= start_ns) {
            row->end_ns = end_ns;
            return row_id(row);
        }
        branch++;
    }
    if (trace.row_count == MAX_ROWS)
        return stream_row(device, stream_id);
    struct trace_row *row = &trace.rows[trace.row_count++];
    *row = (struct trace_row){device, branch, stream_id, end_ns};
    append_row_name_locked(row, device_known);
    return row_id(row);
}

static void append_work_locked(unsigned device, uint64_t row, const char *name, uint64_t start_ns,
                               uint64_t end_ns, const char *what, uint64_t count)
{
    cup_mutex_assert_held(&trace_lock);
    char event[EVENT_BYTES];
    struct cup_strbuf text = CUP_TEXT(event);

    put_head(&text, name, 'X', DEVICE_PROCESS + device, row);
    put_span(&text, start_ns, end_ns);
    if (count) {
        cup_strbuf_put(&text, ",\"args\":{\"");
        cup_strbuf_put(&text, what);
        cup_strbuf_put(&text, "\":");
        cup_strbuf_put_unsigned(&text, count);
        cup_strbuf_put(&text, "}");
    }
    cup_strbuf_put(&text, "}");
    append_event_locked(&text, end_ns);
}

void cup_trace_work(unsigned device, uint64_t stream_id, const char *name, uint64_t start_ns,
                    uint64_t end_ns, uint64_t bytes)
{
    if (!cup_trace_enabled())
        return;
    pthread_mutex_lock(&trace_lock);
    if (trace.file >= 0)
        append_work_locked(device, find_row_locked(device, stream_id, start_ns, end_ns), name,
                           start_ns, end_ns, "bytes", bytes);
    pthread_mutex_unlock(&trace_lock);
}

void cup_trace_graph(unsigned device, uint64_t stream_id, uint64_t start_ns, uint64_t end_ns,
                     uint64_t nodes)
{
    if (!cup_trace_enabled())
        return;
    pthread_mutex_lock(&trace_lock);
    if (trace.file >= 0)
        append_work_locked(device, find_row_locked(device, stream_id, UINT64_MAX, end_ns), "graph",
                           start_ns, end_ns, "nodes", nodes);
    pthread_mutex_unlock(&trace_lock);
}

/* A forked child does not write the parent's file. Its only thread starts with a fresh lock. */
static void forget_in_child(void)
{
    pthread_mutex_init(&trace_lock, NULL);
    if (trace.file >= 0)
        stop_locked();
    cup_thread_self()->trace_id = 0;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_in_child);
}

static void start_locked(int file)
{
    cup_mutex_assert_held(&trace_lock);
    trace.file = file;
    trace.generation++;
    atomic_store_explicit(&process_id, getpid(), memory_order_relaxed);
    trace.row_count = 0;
    trace.flushed_ns = cup_clock_ns();
    trace.buffer[0] = '[';
    trace.used = 1;
    append_name_locked("process_name", current_process(), 0, program_invocation_short_name);
    trace.buffer[1] = ' '; /* no comma before the first event */
    flush_locked(trace.flushed_ns);
    cup_call_hook_set(CUP_HOOK_TRACE);
}

CUresult cup_trace_open(const char *path)
{
    static pthread_once_t forks_watched = PTHREAD_ONCE_INIT;
    char expanded[PATH_BYTES];
    int file;

    if (cup_trace_enabled())
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
    pthread_mutex_lock(&trace_lock);
    if (trace.file >= 0)
        close(file); /* another thread was first */
    else
        start_locked(file);
    pthread_mutex_unlock(&trace_lock);
    return CUDA_SUCCESS;
}

__attribute__((destructor)) void cup_trace_close(void)
{
    static const char closing[] = "\n]\n";

    pthread_mutex_lock(&trace_lock);
    if (trace.file >= 0)
        flush_locked(0);
    if (trace.file >= 0) {
        memcpy(trace.buffer, closing, sizeof closing - 1);
        trace.used = sizeof closing - 1;
        flush_locked(0);
    }
    if (trace.file >= 0)
        stop_locked();
    pthread_mutex_unlock(&trace_lock);
}
