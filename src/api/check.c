/* SPDX-License-Identifier: MIT */
/* Which calls make something, and which free memory. Whether a thing is still there is not kept but
 * asked, of the handles and of the address map: so what ended with its context, or by any other
 * way, is never taken for a leak. */
#include "api/check.h"

#include "core/check.h"
#include "core/config.h"
#include "core/object.h"
#include "interop/resource.h"
#include "memory/map.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Objects are kinds by their type; memory is one more. */
enum { MEMORY = CUP_OBJECT_TYPE_COUNT };

/* `argument` is where the call leaves the handle, or, where it is the program's own memory, the
 * argument that names it. */
static const struct maker {
    const char *base;
    int kind;
    unsigned argument;
    bool by_value;
} makers[] = {
    {"cuMemAlloc", MEMORY, 0, false},
    {"cuMemAllocPitch", MEMORY, 0, false},
    {"cuMemAllocManaged", MEMORY, 0, false},
    {"cuMemAllocHost", MEMORY, 0, false},
    {"cuMemHostAlloc", MEMORY, 0, false},
    {"cuMemHostRegister", MEMORY, 0, true},
    {"cuMemAllocAsync", MEMORY, 0, false},
    {"cuMemAllocFromPoolAsync", MEMORY, 0, false},
    {"cuMemMap", MEMORY, 0, true},
    {"cuIpcOpenMemHandle", MEMORY, 0, false},
    {"cuMemPoolImportPointer", MEMORY, 0, false},
    {"cuExternalMemoryGetMappedBuffer", MEMORY, 0, false},
    {"cuMemCreate", CUP_OBJECT_PHYSICAL, 0, false},
    {"cuMemImportFromShareableHandle", CUP_OBJECT_PHYSICAL, 0, false},
    {"cuArrayCreate", CUP_OBJECT_ARRAY, 0, false},
    {"cuArray3DCreate", CUP_OBJECT_ARRAY, 0, false},
    {"cuMipmappedArrayCreate", CUP_OBJECT_MIPMAP, 0, false},
    {"cuExternalMemoryGetMappedMipmappedArray", CUP_OBJECT_MIPMAP, 0, false},
    {"cuStreamCreate", CUP_OBJECT_STREAM, 0, false},
    {"cuStreamCreateWithPriority", CUP_OBJECT_STREAM, 0, false},
    {"cuEventCreate", CUP_OBJECT_EVENT, 0, false},
    {"cuIpcOpenEventHandle", CUP_OBJECT_EVENT, 0, false},
    {"cuModuleLoad", CUP_OBJECT_MODULE, 0, false},
    {"cuModuleLoadData", CUP_OBJECT_MODULE, 0, false},
    {"cuModuleLoadDataEx", CUP_OBJECT_MODULE, 0, false},
    {"cuModuleLoadFatBinary", CUP_OBJECT_MODULE, 0, false},
    {"cuLibraryLoadData", CUP_OBJECT_LIBRARY, 0, false},
    {"cuLibraryLoadFromFile", CUP_OBJECT_LIBRARY, 0, false},
    {"cuLinkCreate", CUP_OBJECT_LINK, 3, false},
    {"cuMemPoolCreate", CUP_OBJECT_POOL, 0, false},
    {"cuMemPoolImportFromShareableHandle", CUP_OBJECT_POOL, 0, false},
    {"cuImportExternalMemory", CUP_OBJECT_EXTERNAL_MEMORY, 0, false},
    {"cuImportExternalSemaphore", CUP_OBJECT_EXTERNAL_SEMAPHORE, 0, false},
    {"cuGraphicsGLRegisterBuffer", CUP_OBJECT_GRAPHICS, 0, false},
    {"cuGraphicsGLRegisterImage", CUP_OBJECT_GRAPHICS, 0, false},
    {"cuGraphicsEGLRegisterImage", CUP_OBJECT_GRAPHICS, 0, false},
    {"cuCtxCreate", CUP_OBJECT_CONTEXT, 0, false},
    {"cuDeviceRegisterAsyncNotification", CUP_OBJECT_NOTIFICATION, 3, false},
};

/* Those whose first argument is memory that ends with them. */
static const char *const enders[] = {
    "cuMemFree",           "cuMemFreeHost", "cuMemFreeAsync",
    "cuMemHostUnregister", "cuMemUnmap",    "cuIpcCloseMemHandle",
};

static bool is_ender(const char *base)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(enders); i++) {
        if (strcmp(enders[i], base) == 0)
            return true;
    }
    return false;
}

void cup_check_enter(const struct cup_call_site *site, const uint64_t *values)
{
    struct cup_span span;

    if (is_ender(site->base) && cup_map_find(values[0], &span) && span.base == values[0])
        cup_check_freed(values[0], site->name);
}

static void note_made(const struct maker *maker, const struct cup_call_site *site,
                      const uint64_t *values)
{
    uint64_t handle = values[maker->argument];
    struct cup_span span = {0};

    if (!maker->by_value)
        memcpy(&handle, (const void *)(uintptr_t)handle, sizeof(handle));
    if (maker->kind == MEMORY && !cup_map_find(handle, &span))
        return;
    cup_check_made(maker->kind, handle, span.size_bytes, site->name);
}

/* A call that was refused: was it given memory that is too small, or gone? Bytes are counted by the
 * next argument that is a plain number, if there is one. */
static void explain(const struct cup_call_site *site, const uint64_t *values)
{
    char what[96];

    for (unsigned i = 0; i < site->count; i++) {
        uint64_t bytes = 1;

        if (site->arguments[i].kind != CUP_ARGUMENT_ADDRESS)
            continue;
        for (unsigned k = i + 1; k < site->count; k++) {
            const char *name = site->arguments[k].name;

            if (strcmp(name, "ByteCount") == 0 || strcmp(name, "N") == 0)
                bytes = values[k];
        }
        if (strncmp(site->base, "cuMemsetD32", 11) == 0)
            bytes *= 4;
        else if (strncmp(site->base, "cuMemsetD16", 11) == 0)
            bytes *= 2;
        snprintf(what, sizeof(what), "%s was given", site->name);
        if (cup_check_explain(what, values[i], bytes))
            return;
    }
}

void cup_check_leave(const struct cup_call_site *site, const uint64_t *values, CUresult result)
{
    if (result == CUDA_SUCCESS) {
        for (size_t i = 0; i < CUP_ARRAY_COUNT(makers); i++) {
            if (strcmp(makers[i].base, site->base) == 0)
                note_made(&makers[i], site, values);
        }
        return;
    }
    struct cup_span span;
    if (is_ender(site->base)) {
        if (cup_map_find(values[0], &span) && span.base == values[0])
            cup_check_not_freed(values[0]);
    }
    if (cup_config()->check_memory && result == CUDA_ERROR_INVALID_VALUE)
        explain(site, values);
}

/* Is it still there, and does its handle still mean it? A mapped graphics resource says so. */
static bool is_alive(const struct cup_check_record *record, const char **what)
{
    static const char *const names[CUP_OBJECT_TYPE_COUNT + 1] = {
        [CUP_OBJECT_CONTEXT] = "context",
        [CUP_OBJECT_STREAM] = "stream",
        [CUP_OBJECT_EVENT] = "event",
        [CUP_OBJECT_PHYSICAL] = "memory handle",
        [CUP_OBJECT_ARRAY] = "array",
        [CUP_OBJECT_MIPMAP] = "mipmapped array",
        [CUP_OBJECT_POOL] = "memory pool",
        [CUP_OBJECT_NOTIFICATION] = "notification",
        [CUP_OBJECT_EXTERNAL_MEMORY] = "external memory",
        [CUP_OBJECT_EXTERNAL_SEMAPHORE] = "external semaphore",
        [CUP_OBJECT_GRAPHICS] = "graphics resource",
        [CUP_OBJECT_MODULE] = "module",
        [CUP_OBJECT_LIBRARY] = "library",
        [CUP_OBJECT_LINK] = "link",
        [MEMORY] = "memory",
    };
    struct cup_object *object;
    struct cup_span span;

    *what = names[record->kind] ? names[record->kind] : "object";
    if (record->freed.call)
        return false;
    if (record->kind == MEMORY)
        return cup_map_find(record->handle, &span) && span.base == record->handle;
    if (cup_object_find((enum cup_object_type)record->kind, (const void *)(uintptr_t)record->handle,
                        &object) != CUDA_SUCCESS)
        return false;
    if (record->kind == CUP_OBJECT_GRAPHICS &&
        cup_resource_is_mapped((struct CUgraphicsResource_st *)object))
        *what = "mapped graphics resource";
    cup_object_unref(object);
    return true;
}

static void report_one(const struct cup_check_record *record, void *argument)
{
    unsigned *count = argument;
    const char *what;

    if (!is_alive(record, &what))
        return;
    ++*count;
    if (record->kind == MEMORY)
        cup_check_print("cupipe: CUPIPE_CHECK: %" PRIu64 " bytes of memory at 0x%" PRIx64
                        " were never freed",
                        record->size_bytes, record->handle);
    else
        cup_check_print("cupipe: CUPIPE_CHECK: %s 0x%" PRIx64 " was never destroyed", what,
                        record->handle);
    cup_check_print_place("made", &record->made);
}

void cup_check_report_leaks(void)
{
    unsigned count = 0;

    if (!cup_check_enabled() || !cup_config()->check_leaks)
        return;
    cup_check_visit(report_one, &count);
    cup_check_print("cupipe: CUPIPE_CHECK: %u left behind", count);
}
