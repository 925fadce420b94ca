/* SPDX-License-Identifier: MIT */
/* The table of cupipe.h: work of the host as stream work, where memory is, and ranges of the trace.
 * Functions that submit work are entry points without an exported name: around each body stands
 * what entrypoints.c puts around that of an exported one. */
#include "api/entrypoint.h"
#include "api/export_table.h"
#include "core/config.h"
#include "core/error.h"
#include "core/fail.h"
#include "core/observer.h"
#include "core/precondition.h"
#include "core/trace.h"
#include "exec/tools/profiler.h"
#include "graph/host_work.h"
#include "graph/work_submit.h"
#include "memory/map.h"
#include "memory/share.h"
#include "memory/virtual.h"
#include "ptx/program.h"
#include "stream/engine.h"
#include "stream/host_work.h"
#include "stream/host_work_guard.h"
#include "stream/pending_work.h"
#include "stream/stream.h"

struct launch {
    const struct cupipe_work *work;
    struct CUuserObject_st *captured; /* with a count; NULL: the work was not described */
    bool is_submitted;
};

static CUresult launch_describe(struct CUstream_st *stream, void *work,
                                struct cup_captured_work *captured)
{
    struct launch *launch = work;
    CUresult result = cup_graph_host_work_create(launch->work, &launch->captured);

    (void)stream;
    return result == CUDA_SUCCESS ? cup_work_node_host_work(launch->captured, captured) : result;
}

static CUresult launch_run(struct CUstream_st *stream, void *work)
{
    struct launch *launch = work;

    launch->is_submitted = true;
    if (!launch->work->run)
        return cup_pending_work_submit(stream, (const struct cupipe_pending_work *)launch->work);
    return cup_host_work_submit(stream, launch->work);
}

static const struct cup_work_type launch_type = {launch_describe, launch_run};

/* A stream that stopped capturing meanwhile, or refused the node, has not taken the work. */
static void settle(const struct launch *launch, CUresult result)
{
    if (!launch->captured)
        return;
    if (launch->is_submitted || result != CUDA_SUCCESS)
        cup_graph_host_work_disown(launch->captured);
    cup_user_object_release(launch->captured, 1);
}

static CUresult check_work(const struct cupipe_work *work, bool has_function)
{
    CUresult precondition = cup_precondition_handle();

    if (cup_unlikely(precondition != CUDA_SUCCESS))
        return precondition;
    if (cup_unlikely(!work || !has_function || (work->range_count && !work->ranges)))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the work, its function or its %zu ranges are NULL",
                         work ? work->range_count : 0);
    return CUDA_SUCCESS;
}

static CUresult submit(CUstream handle, const struct cupipe_work *work)
{
    struct launch launch = {.work = work};
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_work_submit(stream, &launch_type, &launch);
    settle(&launch, result);
    /* Work that ends later waits for others, which this thread may have yet to submit. This call
     * has taken the work; an error of it is that of the next call. */
    if (result == CUDA_SUCCESS && launch.is_submitted && work->run &&
        cup_config_get()->launch_blocking)
        cup_stream_synchronize(stream);
    cup_stream_unref(stream);
    return result;
}

static CUresult launch_body(CUstream handle, const struct cupipe_work *work)
{
    CUresult result = check_work(work, work && work->run);

    return result == CUDA_SUCCESS ? submit(handle, work) : result;
}

static CUresult launch_pending_body(CUstream handle, const struct cupipe_work *work)
{
    const struct cupipe_pending_work *pending = (const struct cupipe_pending_work *)work;
    CUresult result = check_work(work, work && !work->run && pending->begin);

    return result == CUDA_SUCCESS ? submit(handle, work) : result;
}

static CUresult run_body(CUstream handle, const struct cupipe_work *work)
{
    struct CUstream_st *stream;
    CUresult result = check_work(work, work && work->run);

    if (cup_likely(result == CUDA_SUCCESS))
        result = cup_stream_find(handle, &stream);
    if (cup_unlikely(result != CUDA_SUCCESS))
        return result;
    result = cup_host_work_run_now(stream, work);
    cup_stream_unref(stream);
    return result;
}

/* The parameters of cudaLaunchKernel, which an observer takes the call for: the work does what a
 * kernel does elsewhere. */
struct launch_params {
    const void *function;
    unsigned grid[3], block[3];
    void **arguments;
    size_t shared_bytes;
    CUstream stream;
};

typedef CUresult work_body(CUstream stream, const struct cupipe_work *work);

static CUP_COLD CUresult call_hooked(const struct cup_call_site *site, work_body *body,
                                     CUstream stream, const struct cupipe_work *work)
{
    const uint64_t values[] = {(uintptr_t)stream, (uintptr_t)work};
    const struct launch_params params = {NULL, {1, 1, 1}, {1, 1, 1}, NULL, 0, stream};
    const struct cupipe_call told = {.name = "cudaLaunchKernel",
                                     .is_runtime = 1,
                                     .params = &params,
                                     .kernel = work ? work->name : NULL};
    struct cup_entrypoint_call call = cup_entrypoint_enter_as(site, values, &told);

    return cup_entrypoint_leave(site, values, &call,
                                call.refused ? call.result : body(stream, work));
}

static inline CUresult call_body(const struct cup_call_site *site, work_body *body, CUstream stream,
                                 const struct cupipe_work *work)
{
    struct cup_thread *self = cup_gate_enter();
    CUresult result = cup_likely(!cup_entrypoint_hooked()) ? body(stream, work)
                                                           : call_hooked(site, body, stream, work);

    cup_gate_leave(self);
    return cup_likely(result == CUDA_SUCCESS) ? result : cup_entrypoint_failed(site->name, result);
}

static const struct cup_call_argument arguments[] = {
    {.name = "stream", .kind = CUP_ARGUMENT_POINTER},
    {.name = "work", .kind = CUP_ARGUMENT_POINTER},
};

static CUresult launch_work(CUstream stream, const struct cupipe_work *work)
{
    static const struct cup_call_site site = {.name = "cupipe launch_work",
                                              .base = "cupipe launch_work",
                                              .arguments = arguments,
                                              .count = CUP_ARRAY_COUNT(arguments)};

    return call_body(&site, launch_body, stream, work);
}

/* An observer is told of each piece of work once: by the call that takes it in any case. */
static CUresult run_work(CUstream stream, const struct cupipe_work *work)
{
    static const struct cup_call_site site = {.name = "cupipe run_work",
                                              .base = "cupipe run_work",
                                              .arguments = arguments,
                                              .count = CUP_ARRAY_COUNT(arguments)};

    if (cup_observed())
        return CUDA_ERROR_NOT_READY;
    return call_body(&site, run_body, stream, work);
}

static CUresult launch_pending_work(CUstream stream, const struct cupipe_pending_work *work)
{
    static const struct cup_call_site site = {.name = "cupipe launch_pending_work",
                                              .base = "cupipe launch_pending_work",
                                              .arguments = arguments,
                                              .count = CUP_ARRAY_COUNT(arguments)};

    return call_body(&site, launch_pending_body, stream, (const struct cupipe_work *)work);
}

static CUresult locate_memory(uint64_t address, struct cupipe_memory_file *file)
{
    struct cup_range range;
    struct cupipe_memory_file found = {0};
    CUresult result = CUDA_ERROR_NOT_SUPPORTED;

    if (!cup_map_describe(address, &range))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (range.kind == CUP_RANGE_DEVICE) {
        found.bytes = range.base + range.size_bytes - address;
        result = cup_share_place(&range, address, found.bytes, &found.fd, &found.offset);
    } else if (range.kind == CUP_RANGE_VIRTUAL) {
        result = cup_virtual_place(address, &found.fd, &found.offset, &found.bytes);
    }
    if (result == CUDA_SUCCESS)
        *file = found;
    return result;
}

static CUresult fail_operation(const char *name, int rank)
{
    return cup_fail_enabled() ? cup_fail_operation(name, rank) : CUDA_SUCCESS;
}

static int wants_ranges(void)
{
    return cup_host_work_wants_ranges();
}

static void run_parts(size_t count, void (*part)(void *data, size_t index), void *data)
{
    cup_host_work_parallel(count, part, data);
}

static int is_traced(void)
{
    return cup_trace_enabled() || cup_observed();
}

/* Modules that are loaded from now on keep their texts, which tell the lines of instructions. */
static void count_kernels(int on)
{
    if (on)
        ptx_keep_texts(true);
    atomic_store(&cup_observer_counts, on != 0);
}

/* A handle that is none, or no longer, names nothing. */
static void tell_name(const struct cupipe_name *name)
{
    CUstream handle = (CUstream)(uintptr_t)name->object;
    struct CUstream_st *stream = NULL;
    bool is_stream = name->kind == CUPIPE_OBJECT_STREAM;

    if (is_stream && cup_stream_find(handle, &stream) != CUDA_SUCCESS)
        return;
    cup_trace_name(name, stream ? (unsigned)stream->context->device->ordinal : 0,
                   stream ? stream->id : 0);
    if (stream)
        cup_stream_unref(stream);
    if (cup_observed())
        cup_observer_tell_name(name);
}

static const struct cupipe_driver_table table = {
    .head = {.bytes = sizeof(table), .interface = CUPIPE_INTERFACE, .version = CUPIPE_VERSION},
    .launch_work = launch_work,
    .run_work = run_work,
    .wants_ranges = wants_ranges,
    .run_parts = run_parts,
    .parallel_width = cup_engine_width,
    .is_traced = is_traced,
    .trace_range = cup_trace_range,
    .observe = cup_observer_set,
    .observed = &cup_observer_active,
    .begin_call = cup_observer_begin,
    .end_call = cup_observer_end,
    .launch_pending_work = launch_pending_work,
    .finish_work = cup_pending_work_finish,
    .locate_memory = locate_memory,
    .fail_operation = fail_operation,
    .help_waits = cup_stream_set_wait_help,
    .count_kernels = count_kernels,
    .count_instructions = cup_profiler_count_instructions,
    .read_instruction = cup_profiler_read_instruction,
    .name_object = tell_name,
    .trace_counter = cup_trace_counter,
    .tell_marker = cup_observer_tell_marker,
    .tell_nvtx_call = cup_observer_tell_nvtx_call,
    .run_finally = cup_host_work_finally,
    .run_guarded = cup_host_work_guarded,
};

const struct cup_api_private_table cup_api_host_work_table = {CUPIPE_DRIVER_TABLE_ID, &table};
