/* SPDX-License-Identifier: MIT */
/* Records of NVTX's marks and ranges. libnvToolsExt.so.1 takes NVTX's calls, and the driver tells
 * of the ranges when they have ended; both records of a range are made then. */
#include "tool.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <unistd.h>

static void record(const struct cupipe_trace_range *range, CUpti_ActivityFlag flag, uint32_t id,
                   uint64_t time_ns)
{
    CUpti_ActivityMarker2 marker = {
        .kind = CUPTI_ACTIVITY_KIND_MARKER,
        .flags = flag,
        .timestamp = tool_time(time_ns),
        .id = id,
        .objectKind = CUPTI_ACTIVITY_OBJECT_THREAD,
        .objectId.pt = {.processId = (uint32_t)getpid(), .threadId = tool_thread_id()},
        .name =
            flag != CUPTI_ACTIVITY_FLAG_MARKER_END && range->name ? tool_text(range->name) : NULL,
        .domain = range->domain ? tool_text(range->domain) : NULL,
    };

    tool_record(&marker, sizeof(marker));
}

void tool_record_range(const struct cupipe_trace_range *range)
{
    static _Atomic uint32_t last_id;

    if (!tool_records(CUPTI_ACTIVITY_KIND_MARKER))
        return;
    uint32_t id = atomic_fetch_add(&last_id, 1) + 1;
    if (range->start_ns == range->end_ns) {
        record(range, CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, id, range->start_ns);
        return;
    }
    record(range, CUPTI_ACTIVITY_FLAG_MARKER_START, id, range->start_ns);
    record(range, CUPTI_ACTIVITY_FLAG_MARKER_END, id, range->end_ns);
}

int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t id));

/* NVTX calls this in the library that NVTX_INJECTION64_PATH names, which may be this one. */
int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t id))
{
    void *library = dlopen("libnvToolsExt.so.1", RTLD_NOW | RTLD_LOCAL);
    __typeof__(InitializeInjectionNvtx2) *initialize =
        library ? (__typeof__(initialize))dlsym(library, "InitializeInjectionNvtx2") : NULL;

    return initialize ? initialize(get_table) : 0;
}
