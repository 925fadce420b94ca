/* SPDX-License-Identifier: MIT */
/* Work of devices in the trace: a row for each stream, and more for branches of graphs. */
#include "core/strbuf.h"
#include "core/trace.h"
#include "core/trace_file.h"
#include "core/trace_names.h"

#include <stdio.h>

#define MAX_ROWS 4096

struct trace_row {
    unsigned device;
    unsigned branch; /* of a graph; 0: the stream itself */
    uint64_t stream_id;
    uint64_t end_ns; /* of its last span */
};

/* The streams whose names are in the file, in order of first use. Guarded by the trace's lock. */
static struct trace_row rows[MAX_ROWS];
static unsigned row_count;
static unsigned rows_generation; /* of the file that has these rows */

static uint64_t row_id(const struct trace_row *row)
{
    if (row->branch == 0)
        return cup_trace_stream_row(row->device, row->stream_id);
    return cup_trace_stream_row(row->device, CUP_TRACE_DEVICE_PROCESS / 2 + (uint64_t)(row - rows));
}

static void append_row_name_locked(const struct trace_row *row, bool device_known)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    char name[64];

    if (!device_known)
        cup_trace_append_device_name_locked(row->device);
    if (row->branch == 0) {
        cup_trace_append_stream_name_locked(row->device, row->stream_id);
        return;
    }
    snprintf(name, sizeof name, "stream %llu, branch %u", (unsigned long long)row->stream_id,
             row->branch);
    cup_trace_append_name_locked("thread_name", CUP_TRACE_DEVICE_PROCESS + row->device, row_id(row),
                                 name);
}

/* A new file has no rows yet. */
static void forget_old_rows_locked(void)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    if (rows_generation != cup_trace_generation_locked())
        row_count = 0;
    rows_generation = cup_trace_generation_locked();
}

/* The row for work of a stream that started then: the stream's own, or that of a branch if other
 * nodes of the same graph were still at work. Spans of one row must not overlap, except that a
 * graph contains its nodes. The first work of a row names it, the first work of a device names the
 * device. Beyond MAX_ROWS rows, all work of a stream is in one row, which has a number only. */
static uint64_t find_row_locked(unsigned device, uint64_t stream_id, uint64_t start_ns,
                                uint64_t end_ns)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    bool device_known = false;
    unsigned branch = 0;

    forget_old_rows_locked();
    for (unsigned i = 0; i < row_count; i++) {
        struct trace_row *row = &rows[i];
        device_known = device_known || row->device == device;
        if (row->device != device || row->stream_id != stream_id)
            continue;
        if (row->end_ns <= start_ns) {
            row->end_ns = end_ns;
            return row_id(row);
        }
        branch++;
    }
    if (row_count == MAX_ROWS)
        return cup_trace_stream_row(device, stream_id);
    struct trace_row *row = &rows[row_count++];
    *row = (struct trace_row){device, branch, stream_id, end_ns};
    append_row_name_locked(row, device_known);
    return row_id(row);
}

static void append_work_locked(unsigned device, uint64_t row, const char *name, uint64_t start_ns,
                               uint64_t end_ns, const char *what, uint64_t count)
{
    cup_mutex_assert_held(&cup_trace_mutex);
    char event[CUP_TRACE_EVENT_BYTES];
    struct cup_strbuf text = CUP_TEXT(event);

    cup_trace_put_head(&text, name, 'X', CUP_TRACE_DEVICE_PROCESS + device, row);
    cup_trace_put_span(&text, start_ns, end_ns);
    if (count) {
        cup_strbuf_put(&text, ",\"args\":{\"");
        cup_strbuf_put(&text, what);
        cup_strbuf_put(&text, "\":");
        cup_strbuf_put_unsigned(&text, count);
        cup_strbuf_put(&text, "}");
    }
    cup_strbuf_put(&text, "}");
    cup_trace_append_event_locked(&text, end_ns);
}

void cup_trace_work(unsigned device, uint64_t stream_id, const char *name, uint64_t start_ns,
                    uint64_t end_ns, uint64_t bytes)
{
    if (!cup_trace_enabled())
        return;
    if (!cup_trace_lock())
        return;
    append_work_locked(device, find_row_locked(device, stream_id, start_ns, end_ns), name, start_ns,
                       end_ns, "bytes", bytes);
    cup_trace_unlock();
}

void cup_trace_graph(unsigned device, uint64_t stream_id, uint64_t start_ns, uint64_t end_ns,
                     uint64_t nodes)
{
    if (!cup_trace_enabled())
        return;
    if (!cup_trace_lock())
        return;
    append_work_locked(device, find_row_locked(device, stream_id, UINT64_MAX, end_ns), "graph",
                       start_ns, end_ns, "nodes", nodes);
    cup_trace_unlock();
}
