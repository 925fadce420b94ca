/* SPDX-License-Identifier: MIT */
/* Calls in the trace. An event is formatted on the caller's stack, and appended under the lock. */
#include "core/trace.h"

#include "core/error.h"
#include "core/strbuf.h"
#include "core/thread.h"
#include "core/trace_file.h"
#include "core/trace_names.h"
#include "core/type.h"

#include <string.h>

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
    char bytes[CUP_TRACE_EVENT_BYTES];
    struct cup_strbuf text = CUP_TEXT(bytes);
    size_t without_arguments;

    cup_trace_put_head(&text, site->name, 'X', cup_trace_process(), cup_trace_thread());
    cup_trace_put_span(&text, start_ns, end_ns);
    without_arguments = text.used;
    put_arguments(&text, site, values, result);
    cup_strbuf_put(&text, "}");
    if (text.overflow) {
        cup_strbuf_cut(&text, without_arguments);
        cup_strbuf_put(&text, "}");
    }

    if (!cup_trace_lock())
        return;
    cup_trace_name_thread_locked();
    cup_trace_append_event_locked(&text, end_ns);
    cup_trace_unlock();
}
