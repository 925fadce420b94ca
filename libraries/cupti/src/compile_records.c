/* SPDX-License-Identifier: MIT */
/* Records of kernels that are compiled: JIT for each step, and the time as overhead. Kernels are
 * compiled when they are first needed, so a step belongs to a launch, or to none if a worker
 * compiles ahead. */
#include "tool.h"

#include <stdatomic.h>
#include <unistd.h>

static void record_step(const struct cupipe_activity *work)
{
    static const CUpti_ActivityJitOperationType types[] = {
        [CUPIPE_COMPILE_LOADED] = CUPTI_ACTIVITY_JIT_OPERATION_CACHE_LOAD,
        [CUPIPE_COMPILE_STORED] = CUPTI_ACTIVITY_JIT_OPERATION_CACHE_STORE,
        [CUPIPE_COMPILE_MADE] = CUPTI_ACTIVITY_JIT_OPERATION_COMPILE,
    };
    static _Atomic uint64_t last_number;
    static __thread uint64_t number; /* that the steps of one compilation share */

    if (work->compile.step != CUPIPE_COMPILE_STORED)
        number = atomic_fetch_add(&last_number, 1) + 1;
    CUpti_ActivityJit2 record = {
        .kind = CUPTI_ACTIVITY_KIND_JIT,
        .jitEntryType = CUPTI_ACTIVITY_JIT_ENTRY_PTX_TO_CUBIN,
        .jitOperationType = types[work->compile.step],
        .deviceId = work->device,
        .start = tool_time(work->start_ns),
        .end = tool_time(work->end_ns),
        .correlationId = work->correlation,
        .jitOperationCorrelationId = number,
        .processId = (uint32_t)getpid(),
        .threadId = tool_thread_id(),
    };

    tool_record(&record, sizeof(record));
}

void tool_record_overhead(CUpti_ActivityOverheadKind kind, uint32_t correlation, uint64_t start_ns,
                          uint64_t end_ns)
{
    CUpti_ActivityOverhead3 record = {
        .kind = CUPTI_ACTIVITY_KIND_OVERHEAD,
        .overheadKind = kind,
        .objectKind = CUPTI_ACTIVITY_OBJECT_THREAD,
        .objectId.pt = {.processId = (uint32_t)getpid(), .threadId = tool_thread_id()},
        .start = tool_time(start_ns),
        .end = tool_time(end_ns),
        .correlationId = correlation,
    };

    if (tool_records(CUPTI_ACTIVITY_KIND_OVERHEAD))
        tool_record(&record, sizeof(record));
}

/* A function whose code is taken from the cache is loaded lazily; one that is not there, compiled.
 */
void tool_record_compile(const struct cupipe_activity *work)
{
    if (tool_records(CUPTI_ACTIVITY_KIND_JIT))
        record_step(work);
    if (work->compile.step != CUPIPE_COMPILE_STORED)
        tool_record_overhead(work->compile.step == CUPIPE_COMPILE_LOADED
                                 ? CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING
                                 : CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER,
                             work->correlation, work->start_ns, work->end_ns);
}
