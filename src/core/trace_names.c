/* SPDX-License-Identifier: MIT */
/* The names that the program gave stay as long as the process: a row may appear long after its name
 * was given. The last name of a row in the file is the one that viewers show. */
#include "core/trace_names.h"

#include "core/strbuf.h"
#include "core/thread.h"
#include "core/trace.h"
#include "core/trace_file.h"
#include "os/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define LABEL_BYTES 320

struct given_name {
    struct given_name *next;
    enum cupipe_object_kind kind;
    uint64_t key;
    char *name;
};

static struct given_name *given; /* guarded by the trace's lock */

static struct given_name *find_locked(enum cupipe_object_kind kind, uint64_t key)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    struct given_name *each = given;

    while (each && (each->kind != kind || each->key != key))
        each = each->next;
    return each;
}

static const char *name_locked(enum cupipe_object_kind kind, uint64_t key)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    const struct given_name *found = find_locked(kind, key);

    return found ? found->name : NULL;
}

/* Without memory the object keeps the name that it has. */
static void set_name_locked(enum cupipe_object_kind kind, uint64_t key, const char *name)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    struct given_name *found = find_locked(kind, key);
    char *copy = strdup(name);

    if (copy && !found) {
        found = calloc(1, sizeof(*found));
        if (found) {
            *found = (struct given_name){.next = given, .kind = kind, .key = key};
            given = found;
        }
    }
    if (!copy || !found) {
        free(copy);
        return;
    }
    free(found->name);
    found->name = copy;
}

uint64_t cup_trace_thread(void)
{
    struct cup_thread *self = cup_thread_self();

    if (!self->trace_id)
        self->trace_id = gettid();
    return (uint64_t)self->trace_id;
}

void cup_trace_name_thread_locked(void)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    struct cup_thread *self = cup_thread_self();
    const char *name = name_locked(CUPIPE_OBJECT_THREAD, cup_trace_thread());
    char system_name[17] = "";

    if (self->trace_generation == cup_trace_generation_locked())
        return;
    self->trace_generation = cup_trace_generation_locked();
    if (!name && prctl(PR_GET_NAME, system_name) == 0)
        name = system_name;
    if (name)
        cup_trace_append_name_locked("thread_name", cup_trace_process(), cup_trace_thread(), name);
}

uint64_t cup_trace_stream_row(unsigned device, uint64_t stream_id)
{
    return (uint64_t)CUP_TRACE_DEVICE_PROCESS * (device + 1) + 1 +
           stream_id % (CUP_TRACE_DEVICE_PROCESS - 1);
}

void cup_trace_append_device_name_locked(unsigned device)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    const char *name = name_locked(CUPIPE_OBJECT_DEVICE, device);
    char label[LABEL_BYTES];

    snprintf(label, sizeof label, name ? "cupipe device %u: %.200s" : "cupipe device %u", device,
             name);
    cup_trace_append_name_locked("process_name", CUP_TRACE_DEVICE_PROCESS + device, 0, label);
}

void cup_trace_append_stream_name_locked(unsigned device, uint64_t stream_id)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    const char *name = name_locked(CUPIPE_OBJECT_STREAM, stream_id);
    char label[LABEL_BYTES];

    snprintf(label, sizeof label, name ? "stream %llu: %.200s" : "stream %llu",
             (unsigned long long)stream_id, name);
    cup_trace_append_name_locked("thread_name", CUP_TRACE_DEVICE_PROCESS + device,
                                 cup_trace_stream_row(device, stream_id), label);
}

/* Which object has a name: calls show it by its handle. Viewers ignore metadata that they do not
 * know. */
static void append_object_locked(const struct cupipe_name *name, uint64_t now_ns)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    static const char *const kinds[] = {
        [CUPIPE_OBJECT_THREAD] = "thread",   [CUPIPE_OBJECT_DEVICE] = "device",
        [CUPIPE_OBJECT_CONTEXT] = "context", [CUPIPE_OBJECT_STREAM] = "stream",
        [CUPIPE_OBJECT_EVENT] = "event",     [CUPIPE_OBJECT_OTHER] = "resource"};
    char bytes[CUP_TRACE_EVENT_BYTES];
    struct cup_strbuf text = CUP_TEXT(bytes);

    cup_trace_put_head(&text, "name", 'M', cup_trace_process(), 0);
    cup_strbuf_put(&text, ",\"args\":{\"kind\":\"");
    cup_strbuf_put(&text, kinds[name->kind]);
    cup_strbuf_put(&text, "\",\"handle\":");
    cup_strbuf_put_hex(&text, name->object);
    cup_strbuf_put(&text, ",\"name\":");
    cup_strbuf_put_string(&text, name->name);
    if (name->domain) {
        cup_strbuf_put(&text, ",\"domain\":");
        cup_strbuf_put_string(&text, name->domain);
    }
    cup_strbuf_put(&text, "}}");
    cup_trace_append_event_locked(&text, now_ns);
}

void cup_trace_name(const struct cupipe_name *name, unsigned device, uint64_t stream_id)
{
    uint64_t key = name->kind == CUPIPE_OBJECT_STREAM ? stream_id : name->object;

    if (!name->name || name->kind < CUPIPE_OBJECT_THREAD || name->kind > CUPIPE_OBJECT_OTHER ||
        !cup_trace_lock())
        return;
    set_name_locked(name->kind, key, name->name);
    append_object_locked(name, cup_clock_ns());
    switch (name->kind) {
    case CUPIPE_OBJECT_THREAD:
        cup_trace_append_name_locked("thread_name", cup_trace_process(), key, name->name);
        break;
    case CUPIPE_OBJECT_DEVICE:
        cup_trace_append_device_name_locked((unsigned)key);
        break;
    case CUPIPE_OBJECT_STREAM:
        cup_trace_append_stream_name_locked(device, stream_id);
        break;
    default:
        break;
    }
    cup_trace_unlock();
}

void cup_trace_stream(uint64_t stream_id, const void *handle)
{
    char bytes[CUP_TRACE_EVENT_BYTES];
    struct cup_strbuf text = CUP_TEXT(bytes);
    uint64_t now_ns;

    if (!cup_trace_is_open())
        return;
    now_ns = cup_clock_ns();
    cup_trace_put_head(&text, "stream", 'M', cup_trace_process(), 0);
    cup_strbuf_put(&text, ",\"ts\":");
    cup_strbuf_put_microseconds(&text, now_ns);
    cup_strbuf_put(&text, ",\"args\":{\"name\":\"stream ");
    cup_strbuf_put_unsigned(&text, stream_id);
    cup_strbuf_put(&text, "\",\"handle\":");
    cup_strbuf_put_hex(&text, (uintptr_t)handle);
    cup_strbuf_put(&text, "}}");
    if (!cup_trace_lock())
        return;
    cup_trace_append_event_locked(&text, now_ns);
    cup_trace_unlock();
}
