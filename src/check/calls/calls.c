/* SPDX-License-Identifier: MIT */
/* A call that destroys an object marks its record before the call, so that accesses to its memory
 * meanwhile can be explained; after the call a look-up shows whether the object was destroyed. */
#include "check/calls/calls.h"

#include "check/calls/call_table.h"
#include "check/calls/object_kinds.h"
#include "check/memory/redzone.h"
#include "check/report/records.h"
#include "check/report/report.h"
#include "check/stream/order.h"
#include "core/checks.h"
#include "core/config.h"
#include "device/context.h"
#include "interop/gl_buffer_names.h"
#include "interop/resource.h"
#include "memory/map.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Calls whose work CUPIPE_CHECK=streams may name. */
static bool submits_work(const char *base)
{
    static const char *const beginnings[] = {"cuLaunch",
                                             "cuMemcpy",
                                             "cuMemset",
                                             "cuGraphLaunch",
                                             "cuStreamWriteValue",
                                             "cuStreamBatchMemOp",
                                             "cuMemBatchDecompress",
                                             "cupipe launch_work",
                                             "cupipe run_work"};

    for (size_t i = 0; i < CUP_ARRAY_COUNT(beginnings); i++) {
        if (strncmp(base, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    }
    return false;
}

void cup_callcheck_enter(const struct cup_call_site *site, const uint64_t *values)
{
    const struct cup_callcheck *known = cup_callcheck_find(site->base);

    cup_tracked_call(site->name,
                     (known->role != CUP_CALLCHECK_OTHER && known->role != CUP_CALLCHECK_SYNCS) ||
                         (cup_checks.streams && submits_work(site->base)));
    if (known->role == CUP_CALLCHECK_ENDS) {
        struct cup_tracked resources = {.kind = known->kind, .handle = values[known->argument]};

        if (cup_callcheck_kind_is_alive(&resources))
            cup_tracked_freed(known->kind, resources.handle);
    }
}

static void note_made(const struct cup_callcheck *known, const uint64_t *values)
{
    struct cup_tracked resources = {.kind = known->kind, .handle = values[known->argument]}, before;

    if (!known->by_value && !resources.handle)
        return; /* the call permits a NULL output */
    if (!known->by_value)
        memcpy(&resources.handle, (const void *)(uintptr_t)resources.handle,
               sizeof(resources.handle));
    if ((resources.kind == CUP_OBJECT_CONTEXT || resources.kind == CUP_OBJECT_LIBRARY) &&
        cup_callcheck_is_for_runtime())
        return;
    if (known->role == CUP_CALLCHECK_RETAINS &&
        cup_tracked_find(resources.kind, resources.handle, &before) && !before.freed.call) {
        cup_tracked_retained(resources.kind, resources.handle);
        return;
    }
    if (!cup_callcheck_kind_is_alive(&resources))
        return;
    if (!cup_callcheck_kind_is_memory(resources.kind))
        resources.base = resources.size_bytes = 0;
    cup_tracked_made(&resources);
    if (resources.size_bytes && !strstr(known->base, "Async"))
        cup_order_forget(resources.base, resources.size_bytes);
}

static void note_named(uint64_t buffer)
{
    struct cup_tracked resources = {.kind = CUP_OBJECT_GRAPHICS};

    resources.handle = (uint64_t)(uintptr_t)cup_gl_name_find((unsigned)buffer);
    cup_tracked_made(&resources);
}

static void note_mapped(const uint64_t *values)
{
    for (uint64_t i = 0; i < (unsigned)values[0]; i++) {
        uint64_t handle;

        memcpy(&handle, (const char *)(uintptr_t)values[1] + i * sizeof(handle), sizeof(handle));
        cup_tracked_mapped(CUP_OBJECT_GRAPHICS, handle);
    }
}

/* The context itself may live on: others retain it, too. */
static void note_released(CUdevice ordinal)
{
    struct cup_device *device = cup_device_get(ordinal);

    if (device && !cup_callcheck_is_for_runtime())
        cup_tracked_released(CUP_OBJECT_CONTEXT,
                             (uint64_t)(uintptr_t)atomic_load(&device->primary));
}

static void note_success(const struct cup_callcheck *known, const uint64_t *values)
{
    switch (known->role) {
    case CUP_CALLCHECK_MAKES:
    case CUP_CALLCHECK_RETAINS:
        note_made(known, values);
        break;
    case CUP_CALLCHECK_RELEASES:
        note_released((CUdevice)values[0]);
        break;
    case CUP_CALLCHECK_NAMES:
        note_named(values[0]);
        break;
    case CUP_CALLCHECK_MAPS:
        note_mapped(values);
        break;
    default:
        break;
    }
}

static void report_handle(const struct cup_call_site *site, struct cup_tracked *record)
{
    struct cup_tracked_site here;
    char text[256];
    struct cup_report report = {.check = CUP_REPORT_MEMORY,
                                .fault = "bad-handle",
                                .text = text,
                                .places = {cup_report_place_here(&here)},
                                .place_count = 1,
                                .memory = record,
                                .ended = cup_callcheck_kind_verb(record)};

    record->what = cup_callcheck_kind_name(record);
    snprintf(text, sizeof(text), "%s was given the %s 0x%" PRIx64 ", which %s%s", site->name,
             record->what, record->handle, record->freed.call ? "was " : "ended with its context",
             record->freed.call ? cup_callcheck_kind_verb(record) : "");
    cup_tracked_mark_reported();
    cup_report_write(&report);
}

/* Explains a handle that was valid once. */
static bool explain_handle(const struct cup_call_site *site, uint64_t handle)
{
    struct cup_tracked record;

    for (int kind = 0; kind < CUP_OBJECT_TYPE_COUNT; kind++) {
        if (!cup_tracked_find(kind, handle, &record) || cup_callcheck_kind_is_alive(&record))
            continue;
        report_handle(site, &record);
        return true;
    }
    return false;
}

/* Explains a failed call: was it passed a destroyed object, or an address inside an allocation? */
static void explain(const struct cup_call_site *site, const struct cup_callcheck *known,
                    const uint64_t *values)
{
    char what[96];

    snprintf(what, sizeof(what), "%s was given", site->name);
    if (known->role == CUP_CALLCHECK_ENDS && cup_callcheck_kind_is_memory(known->kind)) {
        struct cup_span span;
        bool inside = cup_map_find(values[0], &span) && span.base != values[0];

        cup_explain_refused(what, values[0], 1,
                            inside ? ", of which only the beginning can be named"
                                   : ", which this call does not free");
        return;
    }
    for (unsigned i = 0; i < site->count; i++) {
        enum cup_argument_kind kind = site->arguments[i].kind;

        if (kind == CUP_ARGUMENT_ADDRESS && cup_explain_range(what, values[i], 1, NULL))
            return;
        if ((kind == CUP_ARGUMENT_POINTER || kind == CUP_ARGUMENT_UNSIGNED) && values[i] &&
            site->arguments[i].pointee == CUP_ARGUMENT_NONE &&
            (kind == CUP_ARGUMENT_POINTER || known->role == CUP_CALLCHECK_ENDS) &&
            explain_handle(site, values[i]))
            return;
    }
}

static bool is_refusal(CUresult result)
{
    return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_INVALID_HANDLE ||
           result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_CONTEXT_IS_DESTROYED ||
           result == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

void cup_callcheck_leave(const struct cup_call_site *site, const uint64_t *values, CUresult result)
{
    const struct cup_callcheck *known = cup_callcheck_find(site->base);

    if (known->role == CUP_CALLCHECK_ENDS) {
        struct cup_tracked resources = {.kind = known->kind, .handle = values[known->argument]};

        if (cup_callcheck_kind_is_alive(&resources))
            cup_tracked_not_freed(known->kind, resources.handle);
    }
    if (result == CUDA_SUCCESS)
        note_success(known, values);
    if (cup_config_get()->check_memory) {
        if (is_refusal(result) && !cup_tracked_was_reported())
            explain(site, known, values);
        if (known->role == CUP_CALLCHECK_SYNCS)
            cup_redzone_check();
        cup_redzone_evict();
    }
    cup_tracked_call(NULL, false);
}
