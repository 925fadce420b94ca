/* SPDX-License-Identifier: MIT */
/* Turns a request into a grid, and the grid into a stream job. A grid that takes less time than
 * waking a worker and cannot wait for anything runs in the calling thread.
 *
 * The launch of a kernel that is not compiled yet is submitted without its code. Until the stream
 * comes to it, an idle worker may compile it; otherwise the thread that runs the stream does. So
 * kernels that are launched one after the other are compiled at the same time. */
#include "exec/exec.h"

#include "abi/kernel.h"
#include "abi/launch.h"
#include "core/checks.h"
#include "core/compiler.h"
#include "core/error.h"
#include "core/thread.h"
#include "device/access.h"
#include "device/context.h"
#include "device/limits.h"
#include "exec/code/code.h"
#include "exec/sched/frame.h"
#include "exec/sched/grid.h"
#include "exec/services/device_runtime.h"
#include "exec/services/texture.h"
#include "exec/tools/profiler.h"
#include "stream/schedule.h"
#include "stream/stream.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum {
    INLINE_NS_MAX = 8000,
    INLINE_PARAMS_MAX = 1024,
    TIMED_EVERY = 16, /* every so many runs of a reusable launch are measured */
    THREADS_PER_SM = 2048,
    BLOCKS_PER_SM = 32,
};

/* The address of a function is its index plus one, so one table serves all programs. The table only
 * grows; old versions are kept, because a kernel may be reading them. */
static const uint64_t *function_numbers(uint32_t count)
{
    static _Atomic(uint64_t *) table; /* the first element is its length */
    uint64_t *present = atomic_load(&table);

    if (cup_likely(present && present[0] >= count))
        return present + 1;
    uint64_t length = 256;
    while (length < count)
        length *= 2;
    uint64_t *made = malloc((length + 1) * sizeof(*made));
    if (!made)
        return NULL;
    made[0] = length;
    for (uint64_t i = 0; i < length; i++)
        made[i + 1] = i + 1;
    while (!present || present[0] < length) {
        if (atomic_compare_exchange_weak(&table, &present, made))
            return made + 1;
    }
    free(made);
    return present + 1;
}

/* The number of blocks that a device would run concurrently; a program may rely on it. */
static uint32_t residents_of(const struct cup_grid *grid)
{
    const struct cup_abi_launch *launch = &grid->launch;
    uint32_t an_sm = THREADS_PER_SM / (launch->block_warps * CUP_ABI_WARP_LANES);

    an_sm = an_sm > BLOCKS_PER_SM ? BLOCKS_PER_SM : an_sm ? an_sm : 1;
    an_sm *= grid->sms ? grid->sms->count : launch->device_sm_count;
    return grid->cluster_blocks > 1 ? an_sm / grid->cluster_blocks : an_sm;
}

/* Access rights are fixed at launch. */
static CUresult set_access(struct cup_grid *grid)
{
    const struct cup_access_rights *rights = cup_access_rights_of(grid->context);

    if (!rights)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the table of access rights");
    grid->launch.access_classes = (const uint8_t *)cup_access_classes;
    grid->launch.access_rights = rights->of_class;
    return CUDA_SUCCESS;
}

CUP_THREAD_STATE(last_grid_id, uint64_t);

/* A thread takes several numbers at once: an atomic addition waits until everything written before
 * has reached the cache, which is all of a grid. */
static uint64_t next_grid_id(void)
{
    enum { TAKEN_AT_ONCE = 64 };
    static _Atomic(uint64_t) last;
    uint64_t *last_own = cup_thread_last_grid_id(cup_thread_self());

    if (*last_own % TAKEN_AT_ONCE == 0)
        *last_own = atomic_fetch_add_explicit(&last, TAKEN_AT_ONCE, memory_order_relaxed);
    return ++*last_own;
}

static CUresult set_launch(struct cup_grid *grid, const struct cup_exec_request *request)
{
    struct cup_abi_launch *launch = &grid->launch;

    launch->services = &cup_exec_services;
    launch->params = request->params;
    launch->symbols = request->symbols ? request->symbols : request->image->symbols;
    launch->functions = function_numbers(request->image->program->function_count);
    if (!launch->functions)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the table of functions");
    memcpy(launch->grid, request->grid, sizeof(launch->grid));
    memcpy(launch->block, request->block, sizeof(launch->block));
    memcpy(launch->cluster, request->cluster, sizeof(launch->cluster));
    launch->block_threads = request->block[0] * request->block[1] * request->block[2];
    launch->block_warps = (launch->block_threads + CUP_ABI_WARP_LANES - 1) / CUP_ABI_WARP_LANES;
    launch->shared_dynamic_bytes = request->shared_dynamic_bytes;
    launch->device_sm_count = (uint32_t)cup_device_property(
        grid->context->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    launch->grid_id = next_grid_id();
    launch->owner = grid;
    launch->written_slots = cup_check_init_slots();
    return cup_access_is_limited() ? set_access(grid) : CUDA_SUCCESS;
}

static cup_nested_run run_nested;

static CUresult grid_run(struct cup_job *job, CUresult failed)
{
    struct cup_grid *grid = (struct cup_grid *)job;

    if (failed != CUDA_SUCCESS)
        return failed;
    if (cup_observer_counts_kernels())
        cup_grid_set_counts(grid);
    return cup_grid_run(grid);
}

/* Releases what grid_init() acquired. */
static void grid_cleanup(struct cup_grid *grid)
{
    if (grid->devrt)
        cup_devrt_unref(grid->devrt);
    cup_lock_finish(&grid->lock);
}

static void grid_finish(struct cup_grid *grid)
{
    cup_engine_withdraw(&grid->compilation);
    cup_texcall_release(grid);
    if (cup_unlikely(grid->counts != NULL))
        cup_profiler_run_release(grid->counts);
    if (grid->release)
        grid->release(grid->owner);
    grid_cleanup(grid);
}

static void grid_release(struct cup_job *job)
{
    grid_finish((struct cup_grid *)job);
    free(job);
}

/* A kernel without instructions of clusters cannot tell whether its blocks run together. */
static void set_clusters(struct cup_grid *grid)
{
    const uint32_t *cluster = grid->launch.cluster;

    if (!grid->code->info.clusters)
        return;
    grid->cluster_blocks = 1;
    for (unsigned axis = 0; axis < 3; axis++)
        if (cluster[axis])
            grid->cluster_blocks *= cluster[axis];
    grid->blocks /= grid->cluster_blocks;
}

/* Sets all that depends on the code. The limits that it depends on are fixed from here on. */
static CUresult set_code(struct cup_grid *grid, struct cup_code *code)
{
    /* A kernel that may wait for another stream's kernel or the host must not occupy a worker. */
    grid->base.kind = code->info.spins || grid->cooperative ? CUP_JOB_HOST_FUNCTION : CUP_JOB_WORK;
    grid->code = code;
    grid->launch.shared_static_bytes = code->info.shared_bytes;
    set_clusters(grid);
    if (code->info.uses_printf)
        cup_limit_fix(grid->context, CU_LIMIT_PRINTF_FIFO_SIZE);
    if (code->info.uses_malloc)
        cup_limit_fix(grid->context, CU_LIMIT_MALLOC_HEAP_SIZE);
    if (code->info.uses_printf || code->info.uses_malloc) {
        grid->devrt = cup_devrt_ref(grid->context);
        if (!grid->devrt)
            return cup_context_is_live(grid->context) ? CUDA_ERROR_OUT_OF_MEMORY
                                                      : CUDA_ERROR_CONTEXT_IS_DESTROYED;
    }
    cup_frame_needs_set(&grid->needs, &grid->launch, &code->info, grid->context);
    grid->residents_max = residents_of(grid);
    return CUDA_SUCCESS;
}

static void grid_describe(const struct cup_job *base, struct cupipe_activity *activity)
{
    const struct cup_grid *grid = (const struct cup_grid *)base;
    const struct cup_abi_launch *launch = &grid->launch;

    activity->kind = CUPIPE_ACTIVITY_KERNEL;
    for (unsigned axis = 0; axis < 3; axis++) {
        activity->kernel.grid[axis] = launch->grid[axis];
        activity->kernel.block[axis] = launch->block[axis];
        activity->kernel.cluster[axis] = launch->cluster[axis];
    }
    activity->kernel.registers = grid->registers;
    activity->kernel.shared_static_bytes = launch->shared_static_bytes;
    activity->kernel.shared_dynamic_bytes = launch->shared_dynamic_bytes;
    activity->kernel.local_bytes = grid->local_bytes;
    activity->kernel.is_cooperative = grid->cooperative;
    activity->kernel.grid_id = launch->grid_id;
    activity->kernel.counts = grid->counts;
    if (grid->counts)
        activity->start_ns = grid->start_ns; /* not of its compilation */
}

/* Without a code, which set_code() sets later. The grid must be at its final address, because
 * compiled code refers to it. */
static CUresult grid_init(struct cup_grid *grid, struct CUctx_st *context,
                          const struct cup_exec_request *request, struct cup_code *code)
{
    memset(grid, 0, sizeof(*grid));
    grid->run_nested = run_nested;
    grid->base.is_kernel = true;
    grid->base.name = request->kernel_name;
    grid->base.run = grid_run;
    grid->base.release = grid_release;
    grid->base.describe = grid_describe;
    grid->context = context;
    grid->kernel_name = request->kernel_name;
    grid->image = request->image;
    grid->program = request->image->program;
    grid->function = request->function;
    grid->owner = request->owner;
    grid->release = request->release;
    grid->cooperative = request->cooperative;
    grid->registers = request->registers;
    grid->local_bytes = request->local_bytes;
    grid->sms = request->sms;
    grid->blocks = (uint64_t)request->grid[0] * request->grid[1] * request->grid[2];
    cup_lock_init(&grid->lock, CUP_RANK_GRID);
    CUresult result = set_launch(grid, request);
    if (result == CUDA_SUCCESS && code)
        result = set_code(grid, code);
    if (result == CUDA_SUCCESS && request->cooperative) {
        /* Cooperative groups read the two halves of this address from %envreg1 and %envreg2. */
        uint64_t workspace = (uint64_t)(uintptr_t)grid->workspace;
        grid->workspace[0] = sizeof(grid->workspace);
        grid->launch.grid_workspace = grid->workspace;
        grid->launch.envreg[1] = workspace >> 32;
        grid->launch.envreg[2] = workspace & UINT32_MAX;
    }
    return result;
}

/* A kernel that spins may wait for what its launching thread does next. */
static bool runs_inline(const struct cup_code *code, const struct cup_exec_request *request)
{
    uint64_t block_ns16 = atomic_load_explicit(&code->block_ns, memory_order_relaxed);
    uint64_t blocks = (uint64_t)request->grid[0] * request->grid[1] * request->grid[2];

    return !code->info.spins && !request->cooperative && block_ns16 &&
           request->params_bytes <= INLINE_PARAMS_MAX && blocks <= INLINE_NS_MAX * 16u / block_ns16;
}

size_t cup_exec_job_create_bytes(size_t params_bytes)
{
    return (sizeof(struct cup_grid) + params_bytes + 63) & ~(size_t)63;
}

/* Initialises a grid with its parameters behind it; without memory for it `made` is NULL. On
 * failure the request's owner is released. */
static CUresult grid_init_with_params(struct cup_grid *made, struct CUctx_st *context,
                                      const struct cup_exec_request *request, struct cup_code *code)
{
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (made)
        result = grid_init(made, context, request, code);
    if (result != CUDA_SUCCESS) {
        if (request->release)
            request->release(request->owner);
        return cup_error(result, result == CUDA_ERROR_CONTEXT_IS_DESTROYED
                                     ? "another thread has just destroyed the context"
                                     : "no memory for a launch");
    }
    made->launch.params = made + 1;
    if (request->params_bytes)
        memcpy(made + 1, request->params, request->params_bytes);
    return CUDA_SUCCESS;
}

/* Runs the grid here if it is small and the stream is idle. Returns false if it must be
 * submitted. */
static bool try_inline(struct CUstream_st *stream, const struct cup_exec_request *request,
                       struct cup_code *code)
{
    struct cup_grid grid;

    if (!runs_inline(code, request) ||
        grid_init(&grid, stream->context, request, code) != CUDA_SUCCESS)
        return false;
    if (!cup_stream_enter(stream)) {
        grid_cleanup(&grid);
        return false;
    }
    alignas(64) uint8_t params[INLINE_PARAMS_MAX];
    if (request->params_bytes)
        memcpy(params, request->params, request->params_bytes);
    grid.launch.params = params;
    cup_stream_run_now(stream, &grid.base);
    grid_finish(&grid);
    return true;
}

typedef CUresult code_function(struct cup_code_image *image, uint32_t function,
                               enum jit_block_shape shape, struct cup_code **code);

/* Calls cup_code_get() or cup_code_find(). On failure the request's owner is released. */
static CUresult get_code_by(code_function *get, const struct cup_exec_request *request,
                            struct cup_code **code)
{
    CUresult result = get(request->image, request->function, cup_code_shape(request->block), code);

    if (result != CUDA_SUCCESS && request->release)
        request->release(request->owner);
    return result;
}

/* A launch that fixes limits does so before it returns, if its kernel turns out to use them. Where
 * address space is limited, compilations fail for want of memory, and the launch should say so. */
static bool may_compile_later(const struct cup_exec_request *request)
{
    struct rlimit space;

    return cup_engine_width() > 1 && !cup_schedule_deferred() && !request->fixes_limits &&
           getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur == RLIM_INFINITY;
}

static CUresult failed_run(struct cup_job *job, CUresult failed)
{
    return failed != CUDA_SUCCESS ? failed : atomic_load(&((struct cup_grid *)job)->error);
}

/* The launch was accepted, so what the system refuses for a moment must not end it. */
static CUresult get_code_patiently(const struct cup_grid *grid, struct cup_code **code)
{
    enum { TRIES = 4, PAUSE_NS = 20000000 };
    enum jit_block_shape shape = cup_code_shape(grid->launch.block);
    CUresult result = cup_code_get(grid->image, grid->function, shape, code);

    for (int i = 1; i < TRIES && result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_PTX; i++) {
        nanosleep(&(struct timespec){0, i * PAUSE_NS}, NULL);
        result = cup_code_get(grid->image, grid->function, shape, code);
    }
    return result;
}

/* When the stream comes to the launch: takes the code that an idle worker has made, or makes it. */
static void take_code(struct cup_job *job)
{
    struct cup_grid *grid = (struct cup_grid *)job;
    struct cup_code *code;

    cup_engine_withdraw(&grid->compilation);
    CUresult result = get_code_patiently(grid, &code);
    if (result == CUDA_SUCCESS)
        result = set_code(grid, code);
    if (result != CUDA_SUCCESS) {
        cup_grid_fail(grid, result);
        job->run = failed_run;
    }
}

static void compile_ahead(struct cup_offer *offer)
{
    const struct cup_grid *grid = cup_list_entry(offer, struct cup_grid, compilation);

    cup_code_prepare(grid->image, grid->function, cup_code_shape(grid->launch.block));
}

/* The stream owns the grid once it is submitted, so it is offered before. */
static void set_no_code(struct CUstream_st *stream, struct cup_grid *grid)
{
    grid->base.prepare = take_code;
    grid->compilation.run = compile_ahead;
    if (cup_stream_is_busy(stream) || cup_stream_must_follow_others(stream))
        cup_engine_offer(&grid->compilation);
}

CUresult cup_exec_launch(struct CUstream_st *stream, const struct cup_exec_request *request)
{
    struct cup_code *code =
        cup_code_ready(request->image, request->function, cup_code_shape(request->block));
    CUresult result = CUDA_SUCCESS;

    if (cup_unlikely(!code))
        result =
            get_code_by(may_compile_later(request) ? cup_code_find : cup_code_get, request, &code);
    if (result != CUDA_SUCCESS)
        return result;
    if (code && try_inline(stream, request, code))
        return CUDA_SUCCESS;
    struct cup_grid *grid = aligned_alloc(64, cup_exec_job_create_bytes(request->params_bytes));
    result = grid_init_with_params(grid, stream->context, request, code);
    if (result == CUDA_SUCCESS) {
        if (cup_unlikely(!code))
            set_no_code(stream, grid);
        return cup_stream_submit(stream, &grid->base, NULL);
    }
    free(grid);
    return result;
}

static CUresult run_nested(struct cup_grid *parent, const struct cup_nested *child,
                           struct cup_nested_list *after)
{
    const struct ptx_function *kernel = &parent->program->functions[child->function];
    struct cup_exec_request request = {
        .sms = parent->sms,
        .image = parent->image,
        .function = child->function,
        .symbols = parent->launch.symbols,
        .grid = {child->grid[0], child->grid[1], child->grid[2]},
        .block = {child->block[0], child->block[1], child->block[2]},
        .shared_dynamic_bytes = child->shared_bytes,
        .params = child->params,
        .params_bytes = kernel->parameter_bytes,
        .kernel_name = kernel->name,
    };
    struct cup_code *code;
    CUresult result = get_code_by(cup_code_get, &request, &code);

    if (result != CUDA_SUCCESS)
        return result;
    struct cup_grid *grid = aligned_alloc(64, cup_exec_job_create_bytes(request.params_bytes));
    result = grid_init_with_params(grid, parent->context, &request, code);
    if (result == CUDA_SUCCESS) {
        grid->depth = child->depth;
        grid->base.task = parent->base.task;
        result = cup_grid_run(grid);
        *after = grid->children;
        grid_finish(grid);
    }
    free(grid);
    return result;
}

/* Resets everything that the previous run changed in the grid. */
static CUresult reusable_run(struct cup_job *job, CUresult failed)
{
    struct cup_grid *grid = (struct cup_grid *)job;
    CUresult result = failed;

    if (failed != CUDA_SUCCESS)
        return failed;
    atomic_store_explicit(&grid->next_block, 0, memory_order_relaxed);
    atomic_store_explicit(&grid->timed_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&grid->timed_blocks, 0, memory_order_relaxed);
    atomic_store_explicit(&grid->error, CUDA_SUCCESS, memory_order_relaxed);
    grid->is_untimed = grid->runs++ % TIMED_EVERY != 0; /* a few measurements suffice */
    atomic_store_explicit(&grid->begun, 0, memory_order_relaxed);
    atomic_store_explicit(&grid->done, 0, memory_order_relaxed);
    if (cup_access_is_limited())
        result = set_access(grid);
    if (grid->counts || cup_observer_counts_kernels())
        cup_grid_set_counts(grid);
    if (result == CUDA_SUCCESS)
        result = cup_grid_run(grid);
    cup_texcall_release(grid);
    if (grid->cooperative)
        memset(&grid->workspace[1], 0, sizeof(grid->workspace) - sizeof(grid->workspace[0]));
    return result;
}

CUresult cup_exec_job_create(struct CUctx_st *context, const struct cup_exec_request *request,
                             void *place, struct cup_job **job)
{
    struct cup_code *code;
    struct cup_grid *grid = place;
    CUresult result = get_code_by(cup_code_get, request, &code);

    if (result == CUDA_SUCCESS)
        result = grid_init_with_params(grid, context, request, code);
    if (result != CUDA_SUCCESS)
        return result;
    grid->base.run = reusable_run;
    *job = &grid->base;
    return CUDA_SUCCESS;
}

void cup_exec_job_destroy(struct cup_job *job)
{
    grid_finish((struct cup_grid *)job);
}

void cup_exec_job_in_graph(struct cup_job *job, void *graph_launch, uint64_t graph_exec)
{
    struct cup_grid *grid = (struct cup_grid *)job;

    grid->graph_launch = graph_launch;
    grid->launch.graph_exec = graph_exec;
}

/* The block shape that a kernel without a launch is compiled for. */
static enum jit_block_shape likely_shape(const struct cup_code_image *image, uint32_t function)
{
    const uint32_t *required = image->program->functions[function].required_threads;

    return required[0] ? cup_code_shape(required) : CUP_SHAPE_ROWS;
}

CUresult cup_exec_prepare(struct cup_code_image *image, uint32_t function)
{
    struct cup_code *code;

    return cup_code_get(image, function, likely_shape(image, function), &code);
}

static void prepare_one(void *argument, size_t part)
{
    const struct cup_exec_wanted *wanted = (struct cup_exec_wanted *)argument + part;
    const uint32_t *block = wanted->block;

    cup_code_prepare(wanted->image, wanted->function,
                     block[0] ? cup_code_shape(block)
                              : likely_shape(wanted->image, wanted->function));
}

void cup_exec_prepare_all(struct cup_exec_wanted *wanted, size_t count)
{
    if (count)
        cup_engine_parallel_within(cup_engine_width(), prepare_one, wanted, count);
}

bool cup_exec_is_prepared(const struct cup_exec_wanted *wanted)
{
    return cup_code_ready(wanted->image, wanted->function, cup_code_shape(wanted->block)) != NULL;
}
