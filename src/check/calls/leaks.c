/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=leaks: the report at exit of what was created and not released. */
#include "check/calls/calls.h"

#include "check/calls/object_kinds.h"
#include "check/memory/redzone.h"
#include "check/report/records.h"
#include "check/report/report.h"
#include "core/config.h"
#include "device/context.h"
#include "device/device.h"
#include "exec/services/device_runtime.h"
#include "interop/resource.h"

#include <inttypes.h>
#include <stdio.h>

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

    if (cup_callcheck_kind_is_memory(leak->kind))
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
