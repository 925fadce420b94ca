/* SPDX-License-Identifier: MIT */
/* What programs say of themselves in the trace: ranges, marks and counters. */
#include "core/strbuf.h"
#include "core/trace.h"
#include "core/trace_file.h"
#include "core/trace_names.h"
#include "os/clock.h"

#include <math.h>
#include <stdio.h>

#define FIELDS_BYTES 256 /* what comes behind a payload takes less */

static void append(const struct cup_strbuf *text)
{
    if (!cup_trace_lock())
        return;
    cup_trace_name_thread_locked();
    cup_trace_append_event_locked(text, cup_clock_ns());
    cup_trace_unlock();
}

void cup_trace_mark(const char *name)
{
    char bytes[CUP_TRACE_EVENT_BYTES];
    struct cup_strbuf text = CUP_TEXT(bytes);

    if (!cup_trace_enabled())
        return;
    cup_trace_put_head(&text, name, 'i', cup_trace_process(), cup_trace_thread());
    cup_strbuf_put(&text, ",\"s\":\"p\",\"ts\":");
    cup_strbuf_put_microseconds(&text, cup_clock_ns());
    cup_strbuf_put(&text, "}");
    append(&text);
}

static void put_key(struct cup_strbuf *text, const char *key)
{
    cup_strbuf_put(text, ",\"");
    cup_strbuf_put(text, key);
    cup_strbuf_put(text, "\":");
}

static void put_text_field(struct cup_strbuf *text, const char *key, const char *value)
{
    if (!value)
        return;
    put_key(text, key);
    cup_strbuf_put_string(text, value);
}

/* A payload with a layout is JSON already. One that does not fit is left out. */
static void put_payload(struct cup_strbuf *text, const struct cupipe_trace_range *range)
{
    size_t without = text->used;

    if (!range->payload)
        return;
    put_key(text, "payload");
    if (range->payload_is_json)
        cup_strbuf_put_json(text, range->payload);
    else
        cup_strbuf_put_string(text, range->payload);
    if (text->overflow || text->size - text->used < FIELDS_BYTES)
        cup_strbuf_cut(text, without);
}

/* Writes the fields behind the head. The category tells ranges from calls. */
static void put_range_fields(struct cup_strbuf *text, const struct cupipe_trace_range *range)
{
    char color[8];

    snprintf(color, sizeof color, "#%06x", range->color & 0xffffffu);
    cup_strbuf_put(text, ",\"cat\":\"nvtx\",\"args\":{\"kind\":\"range\"");
    put_text_field(text, "domain", range->domain);
    put_text_field(text, "category", range->category);
    put_payload(text, range);
    put_text_field(text, "color", range->has_color ? color : NULL);
    cup_strbuf_put(text, "}");
}

/* Begin or end of a range with an identifier, which viewers show in a row of its own. */
static void put_range_edge(struct cup_strbuf *text, const struct cupipe_trace_range *range,
                           const char *name, char phase, uint64_t time_ns)
{
    cup_trace_put_head(text, name, phase, cup_trace_process(), cup_trace_thread());
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
    cup_trace_put_head(text, name, range->end_ns > range->start_ns ? 'X' : 'i', cup_trace_process(),
                       cup_trace_thread());
    if (range->end_ns > range->start_ns) {
        cup_trace_put_span(text, range->start_ns, range->end_ns);
    } else {
        cup_strbuf_put(text, ",\"s\":\"t\",\"ts\":");
        cup_strbuf_put_microseconds(text, range->start_ns);
    }
    put_range_fields(text, range);
    cup_strbuf_put(text, "}");
}

void cup_trace_range(const struct cupipe_trace_range *range)
{
    char bytes[CUP_TRACE_EVENT_BYTES];
    struct cup_strbuf text = CUP_TEXT(bytes);

    if (!cup_trace_enabled())
        return;
    put_range(&text, range);
    if (!text.overflow)
        append(&text);
}

/* Viewers draw a curve for each value. JSON has no word for what is not finite. */
void cup_trace_counter(const struct cupipe_trace_counter *counter)
{
    char bytes[CUP_TRACE_EVENT_BYTES], name[512];
    struct cup_strbuf text = CUP_TEXT(bytes);
    size_t written = 0;

    if (!cup_trace_enabled())
        return;
    snprintf(name, sizeof name, "%s%s%s", counter->domain ? counter->domain : "",
             counter->domain ? ": " : "", counter->name);
    cup_trace_put_head(&text, name, 'C', cup_trace_process(), cup_trace_thread());
    cup_strbuf_put(&text, ",\"ts\":");
    cup_strbuf_put_microseconds(&text, counter->time_ns);
    cup_strbuf_put(&text, ",\"cat\":\"nvtx\",\"args\":{");
    for (size_t i = 0; i < counter->count; i++) {
        if (!isfinite(counter->values[i].value))
            continue;
        cup_strbuf_put(&text, written++ ? "," : "");
        cup_strbuf_put_string(&text, counter->values[i].name);
        cup_strbuf_print(&text, ":%.17g", counter->values[i].value);
    }
    cup_strbuf_put(&text, "}}");
    if (written && !text.overflow)
        append(&text);
}
