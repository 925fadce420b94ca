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
#include "exec/services/device_runtime.h"
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
                                             "cuMemBatchDecompress"};

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

/* Arrays have memory in a heap, which keeps records of it. */
static bool is_memory(int kind)
{
    return kind == CUP_TRACKED_MEMORY || kind == CUP_TRACKED_ADDRESSES;
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
    if (!is_memory(resources.kind))
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
    if (known->role == CUP_CALLCHECK_ENDS && is_memory(known->kind)) {
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

/* The report at exit. */

static bool describe_kernels(const struct cup_tracked *record, char *text, size_t size)
{
    size_t pieces, bytes;

    if (record->kind != CUP_OBJECT_CONTEXT ||
        !cup_devrt_count((struct CUctx_st *)(uintptr_t)record->handle, &pieces, &bytes))
        return false;
    snprintf(text, size, "%zu pieces, %zu bytes, were allocated by its kernels and never freed",
             pieces, bytes);
    return true;
}

/* What kernels allocated in a primary context that is not a leak itself: a runtime holds it. */
static bool report_kernels(struct cup_device *device)
{
    struct CUctx_st *context = atomic_load(&device->primary);
    struct cup_tracked record = {.kind = CUP_OBJECT_CONTEXT,
                                 .handle = (uint64_t)(uintptr_t)context};
    struct cup_tracked known;
    char text[160];
    size_t pieces, bytes;
    struct cup_report report = {.check = CUP_REPORT_LEAKS, .fault = "leak", .text = text};

    if (!context || (cup_tracked_find(record.kind, record.handle, &known) && !known.freed.call) ||
        !cup_callcheck_kind_is_alive(&record) || !cup_devrt_count(context, &pieces, &bytes))
        return false;
    snprintf(text, sizeof(text),
             "%zu pieces, %zu bytes, were allocated by kernels of device %d and never freed",
             pieces, bytes, device->ordinal);
    report.size_bytes = bytes;
    return cup_report_write(&report);
}

static bool is_mapped(const struct cup_tracked *record)
{
    return record->kind == CUP_OBJECT_GRAPHICS && record->mapped.call &&
           cup_resource_is_mapped((struct CUgraphicsResource_st *)(uintptr_t)record->handle);
}

/* "stream 0x1234 was never destroyed" */
static void describe_leak(const struct cup_tracked *leak, char *text, size_t size)
{
    const char *name = cup_callcheck_kind_name(leak), *verb = cup_callcheck_kind_verb(leak);

    if (is_memory(leak->kind))
        snprintf(text, size, "%" PRIu64 " bytes of %s at 0x%" PRIx64 " were never %s",
                 leak->size_bytes, name, leak->handle, verb);
    else if (leak->size_bytes)
        snprintf(text, size, "%s 0x%" PRIx64 ", %" PRIu64 " bytes, was never %s", name,
                 leak->handle, leak->size_bytes, verb);
    else
        snprintf(text, size, "%s 0x%" PRIx64 " was never %s", name, leak->handle, verb);
}

static void report_one(const struct cup_tracked *record, void *argument)
{
    struct cup_tracked now = *record;
    unsigned *count = argument;
    char text[256], note[128];
    struct cup_report report = {
        .check = CUP_REPORT_LEAKS,
        .fault = "leak",
        .text = text,
        .places = {{.role = "made", .call = &record->made},
                   {.role = "still mapped", .call = &record->mapped}},
        .place_count = 1 + is_mapped(record),
    };

    if (!cup_callcheck_kind_is_alive(&now))
        return;
    describe_leak(&now, text, sizeof(text));
    if (describe_kernels(record, note, sizeof(note)))
        report.note = note;
    report.address = now.handle;
    report.size_bytes = now.size_bytes;
    *count += cup_report_write(&report);
}

int cup_callcheck_report(void)
{
    unsigned count = 0;

    if (!cup_tracked_enabled())
        return 0;
    cup_tracked_call(NULL, false);
    if (cup_config_get()->check_memory)
        cup_redzone_check();
    if (cup_config_get()->check_leaks) {
        cup_tracked_visit(report_one, &count);
        for (unsigned i = 0; i < cup_device_count(); i++)
            count += report_kernels(cup_device_get((CUdevice)i));
        cup_report_print("cupipe: CUPIPE_CHECK: %u left behind", count);
    }
    return cup_report_finish();
}
