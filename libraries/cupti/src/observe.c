/* SPDX-License-Identifier: MIT */
/* What the driver tells, and when it has to. */
#include "profiler/sampling.h"
#include "profiler/session.h"
#include "lock.h"
#include "tool.h"

#include <stdatomic.h>
#include <time.h>

/* A reading of both clocks at the same moment. */
struct reading {
    uint64_t monotonic_ns, tool;
};

TOOL_LOCK(lock)
static bool is_observing, is_counting; /* guarded by lock */
static _Atomic int64_t clock_offset;
static CUpti_TimestampCallbackFunc _Atomic tool_clock;
static struct reading first_reading; /* of the tool's clock, before tool_clock is set */
static __thread bool is_inside;

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t tool_now(void)
{
    CUpti_TimestampCallbackFunc clock = atomic_load(&tool_clock);

    return clock ? clock() : read_clock(CLOCK_REALTIME);
}

static struct reading read_both(void)
{
    return (struct reading){.monotonic_ns = read_clock(CLOCK_MONOTONIC), .tool = tool_now()};
}

/* Ticks of the tool's clock in a nanosecond, since the first reading. The clock may count cycles.
 */
static double rate_since(struct reading first, struct reading now)
{
    return (double)(now.tool - first.tool) / (double)(now.monotonic_ns - first.monotonic_ns);
}

uint64_t tool_time(uint64_t monotonic_ns)
{
    if (!atomic_load_explicit(&tool_clock, memory_order_relaxed))
        return monotonic_ns + (uint64_t)atomic_load_explicit(&clock_offset, memory_order_relaxed);
    struct reading now = read_both();
    double rate = rate_since(first_reading, now);
    return now.tool - (uint64_t)((double)(int64_t)(now.monotonic_ns - monotonic_ns) * rate);
}

static void measure_offset(void)
{
    struct reading now = read_both();

    atomic_store(&clock_offset, (int64_t)(now.tool - now.monotonic_ns));
}

/* Readings that are some time apart are needed before the first time is converted. */
CUptiResult tool_set_clock(CUpti_TimestampCallbackFunc clock)
{
    const struct timespec apart = {.tv_nsec = 2000000};

    if (!clock)
        return CUPTI_ERROR_INVALID_PARAMETER;
    first_reading = (struct reading){.monotonic_ns = read_clock(CLOCK_MONOTONIC), .tool = clock()};
    nanosleep(&apart, NULL);
    atomic_store(&tool_clock, clock);
    return CUPTI_SUCCESS;
}

bool tool_enter(void)
{
    bool was_inside = is_inside;

    is_inside = true;
    return !was_inside;
}

void tool_leave(bool entered)
{
    if (entered)
        is_inside = false;
}

static void call_back(struct cupipe_call *call, uint32_t id)
{
    CUpti_CallbackDomain domain = tool_api(call->is_runtime);
    CUcontext context = NULL;

    if (!tool_wants_callback(domain, id))
        return;
    lib_driver()->context_get_current(&context);
    CUpti_CallbackData data = {
        .callbackSite = call->has_ended ? CUPTI_API_EXIT : CUPTI_API_ENTER,
        .functionName = call->name,
        .functionParams = call->params,
        .functionReturnValue = &call->result,
        .symbolName = call->kernel,
        .context = context,
        .contextUid = tool_context_id(context),
        .correlationData = &call->tool_data,
        .correlationId = call->correlation,
    };
    tool_call_back(domain, id, &data);
}

/* The kernel of a launch, which the runtime's calls name themselves. */
static void name_kernel(struct cupipe_call *call, uint32_t id)
{
    /* cuLaunchKernel and cuLaunchCooperativeKernel begin with the function; the Ex form has it
     * second. */
    const void *const *params = call->params;
    CUfunction function;
    const char *name;

    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
        function = (CUfunction)params[0];
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
        function = (CUfunction)params[1];
        break;
    default:
        return;
    }
    if (lib_driver()->function_get_name(&name, function) == CUDA_SUCCESS)
        call->kernel = name;
}

static void on_call(struct cupipe_call *call)
{
    uint32_t id;

    if (!tool_enter())
        return;
    id = tool_callback_id(call->name, tool_api(call->is_runtime));
    if (!call->is_runtime && !call->has_ended && tool_wants_callbacks())
        name_kernel(call, id);
    if (!call->has_ended && id != 0)
        call_back(call, id);
    if (!call->is_runtime)
        tool_resource_call(call, id);
    if (!call->is_runtime && !call->has_ended)
        tool_record_pool_destruction(call, id);
    if (id != 0 && !call->has_ended && !call->is_nested)
        tool_record_external(call);
    if (call->has_ended) {
        tool_record_call(call, id);
        if (id != 0)
            call_back(call, id);
    }
    tool_leave(true);
}

static void on_activity(const struct cupipe_activity *work)
{
    bool entered = tool_enter();

    session_count_kernel(work);
    sampling_count_kernel(work);
    tool_record_work(work);
    tool_leave(entered);
}

static void on_marker(const struct cupipe_marker *marker)
{
    bool entered = tool_enter();

    tool_record_marker(marker);
    tool_leave(entered);
}

static void on_name(const struct cupipe_name *name)
{
    bool entered = tool_enter();

    tool_record_name(name);
    tool_leave(entered);
}

/* The tool's own calls of NVTX are not told. */
static void on_nvtx_call(const struct cupipe_nvtx_call *call)
{
    CUpti_NvtxData data = {.functionName = call->name,
                           .functionParams = call->params,
                           .functionReturnValue = call->result};
    uint32_t id;

    if (!tool_enter())
        return;
    id = tool_callback_id(call->name, CUPTI_CB_DOMAIN_NVTX);
    if (id != 0 && tool_wants_callback(CUPTI_CB_DOMAIN_NVTX, id))
        tool_call_back(CUPTI_CB_DOMAIN_NVTX, id, &data);
    tool_leave(true);
}

static const struct cupipe_observer observer = {.call = on_call,
                                                .activity = on_activity,
                                                .marker = on_marker,
                                                .name = on_name,
                                                .nvtx_call = on_nvtx_call};

void tool_stop_in_child(void)
{
    if (is_observing)
        lib_driver()->cupipe->observe(NULL);
    is_observing = false;
}

CUptiResult tool_update(void)
{
    const struct lib_driver *cuda = tool_is_child() ? NULL : lib_driver();
    bool counts = session_any_started() || sampling_is_on();
    bool wanted = tool_wants_callbacks() || tool_records_any() || counts;

    if (!cuda)
        return CUPTI_ERROR_NOT_INITIALIZED;
    pthread_mutex_lock(&lock);
    if (wanted && !is_observing && !atomic_load(&tool_clock))
        measure_offset();
    if (wanted != is_observing)
        cuda->cupipe->observe(wanted ? &observer : NULL);
    if (counts != is_counting)
        cuda->cupipe->count_kernels(counts);
    is_observing = wanted;
    is_counting = counts;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}
