/* SPDX-License-Identifier: MIT */
/* Which activities are recorded. */
#include "tool.h"

#include <stdatomic.h>

static atomic_bool enabled[CUPTI_ACTIVITY_KIND_COUNT];
static _Atomic unsigned enabled_count;
static atomic_bool is_unified_memory_configured;

bool tool_records(CUpti_ActivityKind kind)
{
    return atomic_load_explicit(&enabled[kind], memory_order_relaxed);
}

bool tool_records_any(void)
{
    return atomic_load(&enabled_count) != 0;
}

/* What NVIDIA's library for an H200 answers to enabling a kind, where it refuses. Kinds that are
 * permitted and never happen here, such as those of NVLink, stay without records. */
static CUptiResult check_kind(CUpti_ActivityKind kind)
{
    switch ((int)kind) {
    case CUPTI_ACTIVITY_KIND_EVENT:
    case CUPTI_ACTIVITY_KIND_METRIC:
    case CUPTI_ACTIVITY_KIND_SOURCE_LOCATOR:
    case CUPTI_ACTIVITY_KIND_GLOBAL_ACCESS:
    case CUPTI_ACTIVITY_KIND_BRANCH:
    case CUPTI_ACTIVITY_KIND_EVENT_INSTANCE:
    case CUPTI_ACTIVITY_KIND_METRIC_INSTANCE:
    case CUPTI_ACTIVITY_KIND_INSTRUCTION_EXECUTION:
    case CUPTI_ACTIVITY_KIND_SHARED_ACCESS:
    case CUPTI_ACTIVITY_KIND_PC_SAMPLING:
    case CUPTI_ACTIVITY_KIND_PC_SAMPLING_RECORD_INFO:
    case CUPTI_ACTIVITY_KIND_INSTRUCTION_CORRELATION:
    case CUPTI_ACTIVITY_KIND_INSTANTANEOUS_EVENT:
    case CUPTI_ACTIVITY_KIND_INSTANTANEOUS_EVENT_INSTANCE:
    case CUPTI_ACTIVITY_KIND_INSTANTANEOUS_METRIC:
    case CUPTI_ACTIVITY_KIND_INSTANTANEOUS_METRIC_INSTANCE:
        return CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED;
    case CUPTI_ACTIVITY_KIND_MODULE:
    case CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE:
        return CUPTI_ERROR_INVALID_KIND;
    case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
        return atomic_load(&is_unified_memory_configured) ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_READY;
    case CUPTI_ACTIVITY_KIND_CDP_KERNEL:
    case CUPTI_ACTIVITY_KIND_ENVIRONMENT:
    case CUPTI_ACTIVITY_KIND_DEVICE_ATTRIBUTE:
        return CUPTI_ERROR_NOT_COMPATIBLE;
    default:
        return (int)kind > CUPTI_ACTIVITY_KIND_INVALID && (int)kind < CUPTI_ACTIVITY_KIND_COUNT
                   ? CUPTI_SUCCESS
                   : CUPTI_ERROR_NOT_COMPATIBLE;
    }
}

static void set(CUpti_ActivityKind kind, bool on)
{
    if (atomic_exchange(&enabled[kind], on) != on)
        atomic_fetch_add(&enabled_count, on ? 1u : -1u);
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    CUptiResult result = check_kind(kind);

    if (result != CUPTI_SUCCESS)
        return result;
    set(kind, true);
    result = tool_update();
    if (result != CUPTI_SUCCESS)
        set(kind, false);
    return result;
}

/* Disabling what could not be enabled succeeds, with the exceptions that were recorded. */
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    CUptiResult result = check_kind(kind);

    if (result == CUPTI_ERROR_NOT_READY || result == CUPTI_ERROR_INVALID_KIND)
        return result;
    if (result != CUPTI_SUCCESS)
        return CUPTI_SUCCESS;
    set(kind, false);
    return tool_update();
}

/* Managed memory is where the processor and kernels both reach it: nothing migrates and no access
 * faults, so there is never a record. */
CUptiResult
cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig *config,
                                           uint32_t count)
{
    if (!config || count == 0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!lib_driver())
        return CUPTI_ERROR_NOT_INITIALIZED;
    atomic_store(&is_unified_memory_configured, true);
    return CUPTI_SUCCESS;
}

/* Also records the devices and contexts that exist already. */
CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind)
{
    CUptiResult result = cuptiActivityEnable(kind);
    CUcontext context = NULL;

    if (result != CUPTI_SUCCESS)
        return result;
    bool entered = tool_enter();
    if (kind == CUPTI_ACTIVITY_KIND_DEVICE)
        tool_record_devices();
    if (kind == CUPTI_ACTIVITY_KIND_CONTEXT &&
        lib_driver()->context_get_current(&context) == CUDA_SUCCESS && context)
        tool_record_context(context);
    tool_leave(entered);
    return CUPTI_SUCCESS;
}

/* Kinds are enabled for all contexts at once. */
CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind)
{
    return context ? cuptiActivityEnable(kind) : CUPTI_ERROR_INVALID_CONTEXT;
}

CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind)
{
    return context ? cuptiActivityDisable(kind) : CUPTI_ERROR_INVALID_CONTEXT;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                                           CUpti_BuffersCallbackCompleteFunc funcBufferCompleted)
{
    if (!funcBufferRequested || !funcBufferCompleted)
        return CUPTI_ERROR_INVALID_PARAMETER;
    tool_set_buffers(funcBufferRequested, funcBufferCompleted);
    return CUPTI_SUCCESS;
}

static CUptiResult flush(void)
{
    bool entered = tool_enter();

    tool_flush();
    tool_leave(entered);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlush(CUcontext context, uint32_t streamId, uint32_t flag)
{
    (void)context, (void)streamId, (void)flag;
    return flush();
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    return flush();
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t streamId, size_t *count)
{
    (void)context, (void)streamId;
    if (!count)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *count = tool_take_dropped();
    return CUPTI_SUCCESS;
}

/* Ends all that the tool has enabled, and its subscription. It may begin again afterwards. */
CUptiResult cuptiFinalize(void)
{
    for (int kind = 1; kind < CUPTI_ACTIVITY_KIND_COUNT; kind++)
        set((CUpti_ActivityKind)kind, false);
    tool_end_subscription();
    flush();
    (void)tool_update(); /* without a driver nothing was enabled */
    return CUPTI_SUCCESS;
}
