/* SPDX-License-Identifier: MIT */
/* The table of checked calls. tests/entrypoints compares it with the headers: a call that returns a
 * handle is in the table, or in the test's list of calls that return existing objects. */
#include "check/calls/call_table.h"

#include "check/report/records.h"
#include "core/thread.h"

#include <stdint.h>
#include <string.h>

#define MAKES(base, kind)                                                                          \
    {                                                                                              \
        base, CUP_CALLCHECK_MAKES, kind, 0, false                                                  \
    }
#define MAKES_AT(base, kind, argument)                                                             \
    {                                                                                              \
        base, CUP_CALLCHECK_MAKES, kind, argument, false                                           \
    }
#define MAKES_OF(base, kind)                                                                       \
    {                                                                                              \
        base, CUP_CALLCHECK_MAKES, kind, 0, true                                                   \
    }
#define RETAINS(base, kind)                                                                        \
    {                                                                                              \
        base, CUP_CALLCHECK_RETAINS, kind, 0, false                                                \
    }
#define RETAINS_AT(base, kind, argument)                                                           \
    {                                                                                              \
        base, CUP_CALLCHECK_RETAINS, kind, argument, false                                         \
    }
#define ENDS(base, kind)                                                                           \
    {                                                                                              \
        base, CUP_CALLCHECK_ENDS, kind, 0, true                                                    \
    }
#define ENDS_AT(base, kind, argument)                                                              \
    {                                                                                              \
        base, CUP_CALLCHECK_ENDS, kind, argument, true                                             \
    }
#define OTHER(base, role)                                                                          \
    {                                                                                              \
        base, role, 0, 0, false                                                                    \
    }

static const struct cup_callcheck calls[] = {
    MAKES("cuMemAlloc", CUP_TRACKED_MEMORY),
    MAKES("cuMemAllocPitch", CUP_TRACKED_MEMORY),
    MAKES("cuMemAllocManaged", CUP_TRACKED_MEMORY),
    MAKES("cuMemAllocHost", CUP_TRACKED_MEMORY),
    MAKES("cuMemHostAlloc", CUP_TRACKED_MEMORY),
    MAKES_OF("cuMemHostRegister", CUP_TRACKED_MEMORY),
    MAKES("cuMemAllocAsync", CUP_TRACKED_MEMORY),
    MAKES("cuMemAllocFromPoolAsync", CUP_TRACKED_MEMORY),
    MAKES_OF("cuMemMap", CUP_TRACKED_MEMORY),
    MAKES("cuIpcOpenMemHandle", CUP_TRACKED_MEMORY),
    MAKES("cuMemPoolImportPointer", CUP_TRACKED_MEMORY),
    MAKES("cuExternalMemoryGetMappedBuffer", CUP_TRACKED_MEMORY),
    ENDS("cuMemFree", CUP_TRACKED_MEMORY),
    ENDS("cuMemFreeHost", CUP_TRACKED_MEMORY),
    ENDS("cuMemFreeAsync", CUP_TRACKED_MEMORY),
    ENDS("cuMemHostUnregister", CUP_TRACKED_MEMORY),
    ENDS("cuMemUnmap", CUP_TRACKED_MEMORY),
    ENDS("cuIpcCloseMemHandle", CUP_TRACKED_MEMORY),

    MAKES("cuMemAddressReserve", CUP_TRACKED_ADDRESSES),
    ENDS("cuMemAddressFree", CUP_TRACKED_ADDRESSES),
    MAKES("cuMemCreate", CUP_OBJECT_PHYSICAL),
    MAKES("cuMulticastCreate", CUP_OBJECT_PHYSICAL),
    MAKES("cuMemImportFromShareableHandle", CUP_OBJECT_PHYSICAL),
    RETAINS("cuMemRetainAllocationHandle", CUP_OBJECT_PHYSICAL),
    ENDS("cuMemRelease", CUP_OBJECT_PHYSICAL),
    MAKES("cuMemPoolCreate", CUP_OBJECT_POOL),
    MAKES("cuMemPoolImportFromShareableHandle", CUP_OBJECT_POOL),
    ENDS("cuMemPoolDestroy", CUP_OBJECT_POOL),

    MAKES("cuArrayCreate", CUP_OBJECT_ARRAY),
    MAKES("cuArray3DCreate", CUP_OBJECT_ARRAY),
    ENDS("cuArrayDestroy", CUP_OBJECT_ARRAY),
    MAKES("cuMipmappedArrayCreate", CUP_OBJECT_MIPMAP),
    MAKES("cuExternalMemoryGetMappedMipmappedArray", CUP_OBJECT_MIPMAP),
    ENDS("cuMipmappedArrayDestroy", CUP_OBJECT_MIPMAP),
    MAKES("cuTexObjectCreate", CUP_OBJECT_TEXTURE),
    ENDS("cuTexObjectDestroy", CUP_OBJECT_TEXTURE),
    MAKES("cuSurfObjectCreate", CUP_OBJECT_SURFACE),
    ENDS("cuSurfObjectDestroy", CUP_OBJECT_SURFACE),
    MAKES("cuTexRefCreate", CUP_OBJECT_TEXTURE_REFERENCE),
    ENDS("cuTexRefDestroy", CUP_OBJECT_TEXTURE_REFERENCE),

    MAKES("cuStreamCreate", CUP_OBJECT_STREAM),
    MAKES("cuStreamCreateWithPriority", CUP_OBJECT_STREAM),
    MAKES("cuGreenCtxStreamCreate", CUP_OBJECT_STREAM),
    ENDS("cuStreamDestroy", CUP_OBJECT_STREAM),
    MAKES("cuEventCreate", CUP_OBJECT_EVENT),
    MAKES("cuIpcOpenEventHandle", CUP_OBJECT_EVENT),
    ENDS("cuEventDestroy", CUP_OBJECT_EVENT),
    MAKES("cuCtxCreate", CUP_OBJECT_CONTEXT),
    MAKES("cuGLCtxCreate", CUP_OBJECT_CONTEXT),
    RETAINS("cuDevicePrimaryCtxRetain", CUP_OBJECT_CONTEXT),
    OTHER("cuDevicePrimaryCtxRelease", CUP_CALLCHECK_RELEASES),
    ENDS("cuCtxDestroy", CUP_OBJECT_CONTEXT),
    MAKES("cuGreenCtxCreate", CUP_OBJECT_CONTEXT),
    ENDS("cuGreenCtxDestroy", CUP_OBJECT_CONTEXT),
    MAKES_AT("cuDeviceRegisterAsyncNotification", CUP_OBJECT_NOTIFICATION, 3),
    ENDS_AT("cuDeviceUnregisterAsyncNotification", CUP_OBJECT_NOTIFICATION, 1),

    MAKES("cuModuleLoad", CUP_OBJECT_MODULE),
    MAKES("cuModuleLoadData", CUP_OBJECT_MODULE),
    MAKES("cuModuleLoadDataEx", CUP_OBJECT_MODULE),
    MAKES("cuModuleLoadFatBinary", CUP_OBJECT_MODULE),
    ENDS("cuModuleUnload", CUP_OBJECT_MODULE),
    MAKES("cuLibraryLoadData", CUP_OBJECT_LIBRARY),
    MAKES("cuLibraryLoadFromFile", CUP_OBJECT_LIBRARY),
    ENDS("cuLibraryUnload", CUP_OBJECT_LIBRARY),
    MAKES_AT("cuLinkCreate", CUP_OBJECT_LINK, 3),
    ENDS("cuLinkDestroy", CUP_OBJECT_LINK),

    MAKES("cuGraphCreate", CUP_OBJECT_GRAPH),
    MAKES("cuGraphClone", CUP_OBJECT_GRAPH),
    RETAINS_AT("cuStreamEndCapture", CUP_OBJECT_GRAPH, 1),
    ENDS("cuGraphDestroy", CUP_OBJECT_GRAPH),
    MAKES("cuGraphInstantiate", CUP_OBJECT_GRAPH_EXEC),
    MAKES("cuGraphInstantiateWithFlags", CUP_OBJECT_GRAPH_EXEC),
    MAKES("cuGraphInstantiateWithParams", CUP_OBJECT_GRAPH_EXEC),
    ENDS("cuGraphExecDestroy", CUP_OBJECT_GRAPH_EXEC),

    MAKES("cuImportExternalMemory", CUP_OBJECT_EXTERNAL_MEMORY),
    ENDS("cuDestroyExternalMemory", CUP_OBJECT_EXTERNAL_MEMORY),
    MAKES("cuImportExternalSemaphore", CUP_OBJECT_EXTERNAL_SEMAPHORE),
    ENDS("cuDestroyExternalSemaphore", CUP_OBJECT_EXTERNAL_SEMAPHORE),
    MAKES("cuGraphicsGLRegisterBuffer", CUP_OBJECT_GRAPHICS),
    MAKES("cuGraphicsGLRegisterImage", CUP_OBJECT_GRAPHICS),
    MAKES("cuGraphicsEGLRegisterImage", CUP_OBJECT_GRAPHICS),
    ENDS("cuGraphicsUnregisterResource", CUP_OBJECT_GRAPHICS),
    OTHER("cuGLRegisterBufferObject", CUP_CALLCHECK_NAMES),
    OTHER("cuGraphicsMapResources", CUP_CALLCHECK_MAPS),
    OTHER("cuGraphicsUnmapResources", CUP_CALLCHECK_UNMAPS),
    OTHER("cuGLMapBufferObject*", CUP_CALLCHECK_UNMAPS),
    OTHER("cuGLUnmapBufferObject*", CUP_CALLCHECK_UNMAPS),

    OTHER("cuCtxSynchronize*", CUP_CALLCHECK_SYNCS),
    OTHER("cuStreamSynchronize", CUP_CALLCHECK_SYNCS),
    OTHER("cuEventSynchronize", CUP_CALLCHECK_SYNCS),
};

static bool fits(const char *pattern, const char *base)
{
    size_t length = strlen(pattern);

    if (pattern[length - 1] == '*')
        return strncmp(pattern, base, length - 1) == 0;
    return strcmp(pattern, base) == 0;
}

static const struct cup_callcheck *search(const char *base)
{
    static const struct cup_callcheck other = {"", CUP_CALLCHECK_OTHER, 0, 0, false};

    for (size_t i = 0; i < CUP_ARRAY_COUNT(calls); i++) {
        if (fits(calls[i].base, base))
            return &calls[i];
    }
    return &other;
}

enum { RECENT_CALLS = 32 };

struct recent_calls {
    struct {
        const char *base;
        const struct cup_callcheck *call;
    } calls[RECENT_CALLS];
};

CUP_THREAD_STATE(checked_calls, struct recent_calls);

/* The name is a constant of the entry point, so equal pointers mean the same call. */
const struct cup_callcheck *cup_callcheck_find(const char *base)
{
    struct recent_calls *recent = cup_thread_checked_calls(cup_thread_self());
    size_t place = ((uintptr_t)base >> 3) % RECENT_CALLS;

    if (recent->calls[place].base != base) {
        recent->calls[place].call = search(base);
        recent->calls[place].base = base;
    }
    return recent->calls[place].call;
}
