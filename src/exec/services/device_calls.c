/* SPDX-License-Identifier: MIT */
/* The device runtime: the functions of ptx/device_calls.def. Each works for the lanes of a warp
 * that are set in `mask`. A launch takes two calls: the first returns a buffer, which the kernel
 * fills with the parameters, and the second launches. The buffer is in the heap of kernels, behind
 * a description of the launch. */
#include "exec/sched/nested.h"

#include "core/checks.h"
#include "core/error.h"
#include "device/context.h"
#include "device/device.h"
#include "exec/sched/grid.h"
#include "exec/services/device_runtime.h"
#include "exec/services/malloc_heap.h"
#include "exec/upcalls.h"
#include "ptx/device_call.h"

#include <stdlib.h>
#include <string.h>

/* Values of cudaError_t. */
enum runtime_error {
    RUNTIME_SUCCESS = 0,
    RUNTIME_INVALID_VALUE = 1,
    RUNTIME_MEMORY_ALLOCATION = 2,
    RUNTIME_INVALID_CONFIGURATION = 9,
    RUNTIME_MAX_DEPTH_EXCEEDED = 65,
    RUNTIME_PENDING_COUNT_EXCEEDED = 69,
    RUNTIME_INVALID_DEVICE_FUNCTION = 98,
};

enum {
    DEPTH_MAX = 24,
    TAIL_LAUNCH = 3, /* cudaStreamTailLaunch */
    NEW_STREAM = 16, /* the handle of every stream that a kernel creates: all work is in order */
    SHARED_BYTES_MAX = 227 * 1024,
};

static const uint64_t pending_mark = UINT64_C(0x6775617263644c4b);

struct pending_launch {
    uint64_t mark;
    uint32_t function, grid[3], block[3], shared_bytes;
    _Alignas(16) uint8_t params[];
};

/* The arrays of a call: parameters, then the result. */
struct device_call {
    struct cup_grid *grid;
    struct cup_malloc_heap *heap;
    void **areas;
};

static uint32_t word(const struct device_call *call, unsigned area, unsigned lane)
{
    return ((const uint32_t *)call->areas[area])[lane];
}

static uint64_t wide(const struct device_call *call, unsigned area, unsigned lane)
{
    return ((const uint64_t *)call->areas[area])[lane];
}

static uint32_t note(const struct device_call *call, uint32_t error)
{
    if (error != RUNTIME_SUCCESS)
        atomic_store_explicit(&call->grid->runtime_error, error, memory_order_relaxed);
    return error;
}

static bool is_shape(const uint32_t *grid, const uint32_t *block)
{
    static const uint32_t grid_max[] = {INT32_MAX, 65535, 65535}, block_max[] = {1024, 1024, 64};

    for (int i = 0; i < 3; i++)
        if (grid[i] == 0 || grid[i] > grid_max[i] || block[i] == 0 || block[i] > block_max[i])
            return false;
    return (uint64_t)block[0] * block[1] * block[2] <= 1024;
}

/* The address of a function is its index plus one. */
static const struct ptx_function *kernel_at(const struct device_call *call, uint64_t address)
{
    const struct ptx_program *program = call->grid->program;
    const struct ptx_function *function =
        address && address <= program->function_count ? &program->functions[address - 1] : NULL;

    return function && function->is_kernel && !function->is_prototype ? function : NULL;
}

static uint64_t parameter_buffer(const struct device_call *call, unsigned lane)
{
    const uint32_t *grid = (const uint32_t *)call->areas[1] + 3 * lane;
    const uint32_t *block = (const uint32_t *)call->areas[2] + 3 * lane;
    const struct ptx_function *kernel = kernel_at(call, wide(call, 0, lane));
    uint32_t shared_bytes = word(call, 3, lane), error = RUNTIME_SUCCESS;
    struct pending_launch *pending = NULL;

    if (!kernel)
        error = RUNTIME_INVALID_DEVICE_FUNCTION;
    else if (!is_shape(grid, block))
        error = RUNTIME_INVALID_CONFIGURATION;
    else if (shared_bytes > SHARED_BYTES_MAX)
        error = RUNTIME_INVALID_VALUE;
    else if (call->grid->depth >= DEPTH_MAX)
        error = RUNTIME_MAX_DEPTH_EXCEEDED;
    else
        pending = (struct pending_launch *)(uintptr_t)cup_malloc_heap_alloc(
            call->heap, sizeof(*pending) + kernel->parameter_bytes);
    if (!pending) {
        note(call, error ? error : RUNTIME_PENDING_COUNT_EXCEEDED);
        return 0;
    }
    pending->mark = pending_mark;
    pending->function = (uint32_t)(wide(call, 0, lane) - 1);
    memcpy(pending->grid, grid, sizeof(pending->grid));
    memcpy(pending->block, block, sizeof(pending->block));
    pending->shared_bytes = shared_bytes;
    return (uint64_t)(uintptr_t)pending->params;
}

static uint32_t add_child(const struct device_call *call, struct cup_nested *child, bool is_tail)
{
    struct cup_grid *grid = call->grid;

    if (!child)
        return RUNTIME_MEMORY_ALLOCATION;
    child->next = NULL;
    child->depth = is_tail ? grid->depth : grid->depth + 1;
    cup_lock_acquire(&grid->lock);
    struct cup_nested **first = is_tail ? &grid->children.tail_first : &grid->children.first;
    struct cup_nested **last = is_tail ? &grid->children.tail_last : &grid->children.last;
    if (*first)
        (*last)->next = child;
    else
        *first = child;
    *last = child;
    cup_lock_release(&grid->lock);
    return RUNTIME_SUCCESS;
}

/* Reads the buffer before anything is owned: the kernel may have passed any address. */
static uint32_t launch(const struct device_call *call, unsigned lane)
{
    uint64_t address = wide(call, 0, lane) - sizeof(struct pending_launch);
    const struct pending_launch *pending = (const struct pending_launch *)(uintptr_t)address;
    const struct ptx_function *kernel;

    if (wide(call, 0, lane) == 0 || pending->mark != pending_mark)
        return RUNTIME_INVALID_VALUE;
    kernel = kernel_at(call, pending->function + UINT64_C(1));
    if (!kernel)
        return RUNTIME_INVALID_DEVICE_FUNCTION;
    struct cup_nested *child = malloc(sizeof(*child) + kernel->parameter_bytes);
    if (child) {
        *child = (struct cup_nested){.kind = CUP_NESTED_KERNEL,
                                     .function = pending->function,
                                     .shared_bytes = pending->shared_bytes};
        memcpy(child->grid, pending->grid, sizeof(child->grid));
        memcpy(child->block, pending->block, sizeof(child->block));
        memcpy(child->params, pending->params, kernel->parameter_bytes);
    }
    if (cup_malloc_heap_free(call->heap, address) != CUP_MALLOC_HEAP_FREED) {
        free(child);
        return RUNTIME_INVALID_VALUE;
    }
    return add_child(call, child, wide(call, 1, lane) == TAIL_LAUNCH);
}

/* cudaMemcpyAsync and cudaMemsetAsync: in order with the launches. */
static uint32_t move(const struct device_call *call, unsigned lane, bool is_copy)
{
    struct cup_nested *child = malloc(sizeof(*child));

    if (child)
        *child = (struct cup_nested){
            .kind = is_copy ? CUP_NESTED_COPY : CUP_NESTED_FILL,
            .target = wide(call, 0, lane),
            .source = is_copy ? wide(call, 1, lane) : 0,
            .value = is_copy ? 0 : (uint8_t)word(call, 1, lane),
            .size_bytes = wide(call, 2, lane),
        };
    return add_child(call, child, wide(call, is_copy ? 4 : 3, lane) == TAIL_LAUNCH);
}

static uint32_t allocate(const struct device_call *call, unsigned lane)
{
    uint64_t memory = cup_malloc_heap_alloc(call->heap, wide(call, 1, lane));

    *(uint64_t *)(uintptr_t)wide(call, 0, lane) = memory;
    return memory ? RUNTIME_SUCCESS : RUNTIME_MEMORY_ALLOCATION;
}

static uint32_t release(const struct device_call *call, unsigned lane)
{
    uint64_t memory = wide(call, 0, lane);

    return !memory || cup_malloc_heap_free(call->heap, memory) == CUP_MALLOC_HEAP_FREED
               ? RUNTIME_SUCCESS
               : RUNTIME_INVALID_VALUE;
}

static uint32_t last_error(const struct device_call *call, bool keep)
{
    _Atomic(uint32_t) *error = &call->grid->runtime_error;

    return keep ? atomic_load(error) : atomic_exchange(error, RUNTIME_SUCCESS);
}

/* The runtime's errors have the driver's numbers and texts. */
static uint64_t error_string(const struct device_call *call, unsigned lane)
{
    const char *text = cup_result_text((CUresult)word(call, 0, lane));

    return (uint64_t)(uintptr_t)(text ? text : "unrecognized error code");
}

static uint32_t call_one(const struct device_call *call, enum ptx_device_call which, unsigned lane)
{
    switch (which) {
    case PTX_CALL_LAUNCH:
        return note(call, launch(call, lane));
    case PTX_CALL_MEMCPY:
    case PTX_CALL_MEMSET:
        return note(call, move(call, lane, which == PTX_CALL_MEMCPY));
    case PTX_CALL_GRAPH_LAUNCH: /* the runtime's errors have the driver's numbers */
        return note(call, cup_exec_upcalls.launch_graph(call->grid->graph_launch,
                                                        wide(call, 0, lane), wide(call, 1, lane)));
    case PTX_CALL_STREAM_CREATE:
        *(uint64_t *)(uintptr_t)wide(call, 0, lane) = NEW_STREAM;
        return RUNTIME_SUCCESS;
    case PTX_CALL_MALLOC:
        return note(call, allocate(call, lane));
    case PTX_CALL_FREE:
        return note(call, release(call, lane));
    case PTX_CALL_GET_DEVICE:
        *(int32_t *)(uintptr_t)wide(call, 0, lane) = call->grid->context->device->ordinal;
        return RUNTIME_SUCCESS;
    case PTX_CALL_GET_LAST_ERROR:
    case PTX_CALL_PEEK_AT_LAST_ERROR:
        return last_error(call, which == PTX_CALL_PEEK_AT_LAST_ERROR);
    default:
        return RUNTIME_SUCCESS;
    }
}

/* Where the result of a call is among its arrays. */
static const uint8_t result_areas[] = {
    [PTX_CALL_GET_PARAMETER_BUFFER] = 4,
    [PTX_CALL_LAUNCH] = 2,
    [PTX_CALL_GET_LAST_ERROR] = 0,
    [PTX_CALL_PEEK_AT_LAST_ERROR] = 0,
    [PTX_CALL_GET_ERROR_STRING] = 1,
    [PTX_CALL_STREAM_CREATE] = 2,
    [PTX_CALL_STREAM_DESTROY] = 1,
    [PTX_CALL_MEMCPY] = 5,
    [PTX_CALL_MEMSET] = 4,
    [PTX_CALL_MALLOC] = 2,
    [PTX_CALL_FREE] = 1,
    [PTX_CALL_GET_DEVICE] = 1,
    [PTX_CALL_GRAPH_LAUNCH] = 2,
};

void cup_devrt_call(struct cup_abi_block *block, uint32_t mask, uint32_t which, void **areas)
{
    struct cup_grid *grid = cup_grid_of(block);
    struct cup_malloc_heap *heap = grid->devrt ? cup_devrt_heap(grid->devrt) : NULL;
    struct device_call call = {grid, heap, areas};
    void *results = areas[result_areas[which]];

    if (!heap) {
        if (cup_grid_fail(grid, CUDA_ERROR_OUT_OF_MEMORY))
            cup_log(CUP_LOG_ERROR, "kernel %s: no memory for its heap", grid->kernel_name);
        cup_grid_abandon(block);
    }
    cup_check_device_heap_used(block);
    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);

        if (which == PTX_CALL_GET_PARAMETER_BUFFER)
            ((uint64_t *)results)[lane] = parameter_buffer(&call, lane);
        else if (which == PTX_CALL_GET_ERROR_STRING)
            ((uint64_t *)results)[lane] = error_string(&call, lane);
        else
            ((uint32_t *)results)[lane] = call_one(&call, (enum ptx_device_call)which, lane);
    }
}
