/* SPDX-License-Identifier: MIT */
/* A call that destroys an object marks its record before the call, so that accesses to its memory
 * meanwhile can be explained; after the call a look-up shows whether the object was destroyed. */
#include "api/check.h"

#include "api/check_calls.h"
#include "api/check_kinds.h"
#include "api/gl_legacy.h"
#include "core/check.h"
#include "core/config.h"
#include "device/context.h"
#include "exec/device_runtime.h"
#include "exec/texture_validate.h"
#include "image/array.h"
#include "image/mipmap.h"
#include "interop/resource.h"
#include "memory/redzone.h"
#include "memory/map.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *cup_api_check_why_protected(uint64_t address)
{
    struct cup_span span;

    if (!cup_map_find(address, &span) || span.kind != CUP_RANGE_VIRTUAL)
        return NULL;
    if (span.flags & CUP_RANGE_NO_READ)
        return ", to which no device has access (cuMemSetAccess)";
    return span.flags & CUP_RANGE_NO_WRITE ? ", which may be read only (cuMemSetAccess)" : NULL;
}

/* Levels and planes are parts of the resource's array. */
bool cup_api_check_is_unmapped(const struct cup_object *image)
{
    while (image && image->type != CUP_OBJECT_GRAPHICS)
        image = image->type == CUP_OBJECT_ARRAY ? ((const struct CUarray_st *)image)->parent
                : image->type == CUP_OBJECT_MIPMAP
                    ? ((const struct CUmipmappedArray_st *)image)->owner
                    : NULL;
    return image && !cup_resource_is_mapped((struct CUgraphicsResource_st *)image);
}

void cup_api_check_begin(void)
{
    cup_check_start();
}

void cup_api_check_enter(const struct cup_call_site *site, const uint64_t *values)
{
    const struct cup_api_checked_call *known = cup_api_checked_call_find(site->base);

    cup_check_call(site->name,
                   known->role != CUP_API_CHECKED_OTHER && known->role != CUP_API_CHECKED_SYNCS);
    if (known->role == CUP_API_CHECKED_ENDS) {
        struct cup_check_record resources = {.kind = known->kind,
                                             .handle = values[known->argument]};

        if (cup_api_check_kind_is_alive(&resources))
            cup_check_freed(known->kind, resources.handle);
    }
}

/* Arrays have memory in a heap, which keeps records of it. */
static bool is_memory(int kind)
{
    return kind == CUP_CHECK_MEMORY || kind == CUP_CHECK_ADDRESSES;
}

static void note_made(const struct cup_api_checked_call *known, const uint64_t *values)
{
    struct cup_check_record resources = {.kind = known->kind, .handle = values[known->argument]},
                            before;

    if (!known->by_value && !resources.handle)
        return; /* the call permits a NULL output */
    if (!known->by_value)
        memcpy(&resources.handle, (const void *)(uintptr_t)resources.handle,
               sizeof(resources.handle));
    if (known->role == CUP_API_CHECKED_RETAINS &&
        cup_check_find(resources.kind, resources.handle, &before) && !before.freed.call)
        return;
    if (!cup_api_check_kind_is_alive(&resources))
        return;
    if (!is_memory(resources.kind))
        resources.base = resources.size_bytes = 0;
    cup_check_made(&resources);
}

static void note_named(uint64_t buffer)
{
    struct cup_check_record resources = {.kind = CUP_OBJECT_GRAPHICS};

    resources.handle = (uint64_t)(uintptr_t)cup_api_gl_legacy_resource((unsigned)buffer);
    cup_check_made(&resources);
}

static void note_mapped(const uint64_t *values)
{
    for (uint64_t i = 0; i < (unsigned)values[0]; i++) {
        uint64_t handle;

        memcpy(&handle, (const char *)(uintptr_t)values[1] + i * sizeof(handle), sizeof(handle));
        cup_check_mapped(CUP_OBJECT_GRAPHICS, handle);
    }
}

static void note_success(const struct cup_api_checked_call *known, const uint64_t *values)
{
    switch (known->role) {
    case CUP_API_CHECKED_MAKES:
    case CUP_API_CHECKED_RETAINS:
        note_made(known, values);
        break;
    case CUP_API_CHECKED_NAMES:
        note_named(values[0]);
        break;
    case CUP_API_CHECKED_MAPS:
        note_mapped(values);
        break;
    default:
        break;
    }
}

/* Explains a handle that was valid once. */
static bool explain_handle(const struct cup_call_site *site, uint64_t handle)
{
    struct cup_check_record record;

    for (int kind = 0; kind < CUP_OBJECT_TYPE_COUNT; kind++) {
        if (!cup_check_find(kind, handle, &record) || cup_api_check_kind_is_alive(&record))
            continue;
        cup_check_mark_reported();
        cup_check_print("cupipe: CUPIPE_CHECK: %s was given the %s 0x%" PRIx64 ", which %s%s",
                        site->name, cup_api_check_kind_name(&record), handle,
                        record.freed.call ? "was " : "ended with its context",
                        record.freed.call ? cup_api_check_kind_verb(&record) : "");
        cup_check_print_call_site("made", &record.made);
        if (record.freed.call)
            cup_check_print_call_site(cup_api_check_kind_verb(&record), &record.freed);
        return true;
    }
    return false;
}

/* Explains a failed call: was it passed a destroyed object, or an address inside an allocation? */
static void explain(const struct cup_call_site *site, const struct cup_api_checked_call *known,
                    const uint64_t *values)
{
    char what[96];

    snprintf(what, sizeof(what), "%s was given", site->name);
    if (known->role == CUP_API_CHECKED_ENDS && is_memory(known->kind)) {
        struct cup_span span;
        bool inside = cup_map_find(values[0], &span) && span.base != values[0];

        cup_check_explain_refused(what, values[0], 1,
                                  inside ? ", of which only the beginning can be named"
                                         : ", which this call does not free");
        return;
    }
    for (unsigned i = 0; i < site->count; i++) {
        enum cup_argument_kind kind = site->arguments[i].kind;

        if (kind == CUP_ARGUMENT_ADDRESS && cup_check_explain(what, values[i], 1))
            return;
        if ((kind == CUP_ARGUMENT_POINTER || kind == CUP_ARGUMENT_UNSIGNED) && values[i] &&
            site->arguments[i].pointee == CUP_ARGUMENT_NONE &&
            (kind == CUP_ARGUMENT_POINTER || known->role == CUP_API_CHECKED_ENDS) &&
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

void cup_api_check_leave(const struct cup_call_site *site, const uint64_t *values, CUresult result)
{
    const struct cup_api_checked_call *known = cup_api_checked_call_find(site->base);

    if (known->role == CUP_API_CHECKED_ENDS) {
        struct cup_check_record resources = {.kind = known->kind,
                                             .handle = values[known->argument]};

        if (cup_api_check_kind_is_alive(&resources))
            cup_check_not_freed(known->kind, resources.handle);
    }
    if (result == CUDA_SUCCESS)
        note_success(known, values);
    if (cup_config_get()->check_memory) {
        if (is_refusal(result) && !cup_check_was_reported())
            explain(site, known, values);
        if (known->role == CUP_API_CHECKED_SYNCS)
            cup_redzone_check();
        cup_redzone_evict();
    }
    cup_check_call(NULL, false);
}

/* The report at exit. */

static void report_kernels(const struct cup_check_record *record)
{
    size_t pieces, bytes;

    if (record->kind != CUP_OBJECT_CONTEXT ||
        !cup_devrt_count((struct CUctx_st *)(uintptr_t)record->handle, &pieces, &bytes))
        return;
    cup_check_print("  %zu pieces, %zu bytes, were allocated by its kernels and never freed",
                    pieces, bytes);
}

static void report_mapping(const struct cup_check_record *record)
{
    if (record->kind == CUP_OBJECT_GRAPHICS && record->mapped.call &&
        cup_resource_is_mapped((struct CUgraphicsResource_st *)(uintptr_t)record->handle))
        cup_check_print_call_site("still mapped", &record->mapped);
}

static void report_one(const struct cup_check_record *record, void *argument)
{
    struct cup_check_record now = *record;
    unsigned *count = argument;

    if (!cup_api_check_kind_is_alive(&now))
        return;
    ++*count;
    if (is_memory(record->kind))
        cup_check_print("cupipe: CUPIPE_CHECK: %" PRIu64 " bytes of %s at 0x%" PRIx64
                        " were never %s",
                        now.size_bytes, cup_api_check_kind_name(&now), record->handle,
                        cup_api_check_kind_verb(&now));
    else if (now.size_bytes)
        cup_check_print("cupipe: CUPIPE_CHECK: %s 0x%" PRIx64 ", %" PRIu64 " bytes, was never %s",
                        cup_api_check_kind_name(&now), record->handle, now.size_bytes,
                        cup_api_check_kind_verb(&now));
    else
        cup_check_print("cupipe: CUPIPE_CHECK: %s 0x%" PRIx64 " was never %s",
                        cup_api_check_kind_name(&now), record->handle,
                        cup_api_check_kind_verb(&now));
    cup_check_print_call_site("made", &record->made);
    report_mapping(record);
    report_kernels(record);
}

void cup_api_check_report(void)
{
    unsigned count = 0;

    if (!cup_check_enabled())
        return;
    cup_check_call(NULL, false);
    if (cup_config_get()->check_memory)
        cup_redzone_check();
    if (!cup_config_get()->check_leaks)
        return;
    cup_check_visit(report_one, &count);
    cup_check_print("cupipe: CUPIPE_CHECK: %u left behind", count);
}
