/* SPDX-License-Identifier: MIT */
/* Kernel nodes. Arguments are laid out when they are given, as for a launch, and returned from that
 * copy. */
#include "core/error.h"
#include "device/context.h"
#include "exec/exec.h"
#include "graph/node.h"
#include "graph/plan.h"
#include "module/launch.h"
#include "module/library.h"
#include "os/guard.h"

#include <string.h>

/* Resolves a function, or a library's kernel in a context. A CUkernel cast to a CUfunction is not
 * accepted here. */
static CUresult find_function(const CUDA_KERNEL_NODE_PARAMS_v3 *given, struct CUfunc_st **function)
{
    struct CUkern_st *kernel;
    struct CUctx_st *context;

    if (given->func)
        return cup_function_find(given->func, function);
    if (!given->kern)
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "neither a function nor a kernel is given");
    CUresult result = cup_kernel_find(given->kern, &kernel);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_node_context(given->ctx, &context);
    if (result == CUDA_SUCCESS && !context)
        result = cup_error(CUDA_ERROR_INVALID_CONTEXT,
                           "a kernel needs a context, and none is given or current");
    if (result == CUDA_SUCCESS) {
        result = cup_kernel_function(kernel, context, function);
        cup_context_unref(context);
    }
    cup_kernel_unref(kernel);
    return result;
}

/* The size of the argument buffer in `extra`. */
struct extra_size {
    void **extra;
    size_t bytes;
};

static void extra_size_read(void *argument)
{
    struct extra_size *size = argument;

    for (unsigned i = 0; size->extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        if (size->extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size->bytes = *(const size_t *)size->extra[i + 1];
    }
}

static CUresult lay_out(const CUDA_KERNEL_NODE_PARAMS_v3 *given, const struct CUfunc_st *function,
                        uint8_t *buffer)
{
    struct cup_launch_arguments arguments = {.pointers = given->kernelParams,
                                             .extra = given->extra};

    if (cup_function_ptx(function)->parameter_bytes == 0)
        return CUDA_SUCCESS;
    CUresult result = cup_launch_gather(function, &arguments, buffer);
    return result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ? CUDA_ERROR_INVALID_VALUE : result;
}

/* Makes the array pointers of the parameters point into the block. */
static void keep_arguments(struct cup_node_params *params, const struct ptx_function *kernel,
                           size_t extra_bytes)
{
    CUDA_KERNEL_NODE_PARAMS_v3 *given = &params->given.kernel;
    void **list = (void **)(params->data + ((params->arguments_bytes + 15) & ~(size_t)15));

    given->kernelParams = given->extra = NULL;
    if (params->arguments_bytes == 0)
        return;
    if (params->is_extra) {
        size_t *size = (size_t *)(list + 5);
        *size = extra_bytes;
        list[0] = CU_LAUNCH_PARAM_BUFFER_POINTER;
        list[1] = params->arguments;
        list[2] = CU_LAUNCH_PARAM_BUFFER_SIZE;
        list[3] = size;
        list[4] = CU_LAUNCH_PARAM_END;
        given->extra = list;
        return;
    }
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        list[i] = (unsigned char *)params->arguments + kernel->parameters[i].offset;
    given->kernelParams = list;
}

static struct cup_node_params *block_create(const CUgraphNodeParams *given,
                                            const struct CUfunc_st *function,
                                            const uint8_t *arguments)
{
    const struct ptx_function *kernel = cup_function_ptx(function);
    size_t bytes = kernel->parameter_bytes;
    struct extra_size extra = {.extra = given->kernel.extra};
    struct cup_node_params *params = cup_node_params_create(
        &cup_node_kernel, given,
        ((bytes + 15) & ~(size_t)15) + (kernel->parameter_count + 6) * sizeof(void *));

    if (!params)
        return NULL;
    params->is_extra = bytes && given->kernel.extra && !given->kernel.kernelParams;
    if (params->is_extra && !cup_guard_run(extra_size_read, &extra))
        extra.bytes = bytes;
    params->arguments = params->data;
    params->arguments_bytes = bytes;
    memcpy(params->data, arguments, bytes);
    keep_arguments(params, kernel, extra.bytes);
    return params;
}

CUresult cup_node_kernel_make(const CUgraphNodeParams *given, CUsharedMemoryMode mode,
                              struct cup_node_params **params)
{
    const CUDA_KERNEL_NODE_PARAMS_v3 *kernel = &given->kernel;
    struct cup_launch_shape shape = {
        .grid = {kernel->gridDimX, kernel->gridDimY, kernel->gridDimZ},
        .block = {kernel->blockDimX, kernel->blockDimY, kernel->blockDimZ},
        .shared_bytes = kernel->sharedMemBytes,
        .shared_mode = mode,
    };
    uint8_t arguments[CUP_PARAMETER_BYTES_MAX + 4] __attribute__((aligned(16)));
    struct CUfunc_st *function;
    CUresult result = find_function(&given->kernel, &function);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_launch_check(function, &shape);
    if (result == CUDA_SUCCESS)
        result = lay_out(&given->kernel, function, arguments);
    if (result == CUDA_SUCCESS) {
        *params = block_create(given, function, arguments);
        if (!*params)
            result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    }
    if (result != CUDA_SUCCESS) {
        cup_function_unref(function);
        return result;
    }
    (*params)->attributes.domain_map = (CUlaunchMemSyncDomainMap){0, 1};
    (*params)->object = &function->base;
    (*params)->context = function->module->context;
    cup_context_ref((*params)->context);
    (*params)->given.kernel.kern = given->kernel.func ? NULL : given->kernel.kern;
    (*params)->given.kernel.func = function;
    (*params)->given.kernel.ctx = function->module->context;
    return CUDA_SUCCESS;
}

static CUresult kernel_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    return cup_node_kernel_make(given, CU_SHARED_MEMORY_MODE_DEFAULT, params);
}

struct cup_node_params *cup_node_kernel_params_copy(const struct cup_node_params *params)
{
    const struct CUfunc_st *function = (const struct CUfunc_st *)params->object;
    struct cup_node_params *copy =
        cup_node_params_create(&cup_node_kernel, &params->given, params->data_bytes);

    if (!copy)
        return NULL;
    memcpy(copy->data, params->data, params->data_bytes);
    copy->is_extra = params->is_extra;
    copy->arguments = copy->data;
    copy->arguments_bytes = params->arguments_bytes;
    copy->attributes = params->attributes;
    keep_arguments(copy, cup_function_ptx(function),
                   params->is_extra ? *(const size_t *)params->given.kernel.extra[3] : 0);
    copy->object = params->object;
    cup_object_ref(copy->object);
    copy->context = params->context;
    cup_context_ref(copy->context);
    return copy;
}

struct cup_launch_shape cup_node_kernel_shape(const struct cup_node_params *params,
                                              const struct cup_node_kernel_attributes *attributes)
{
    const CUDA_KERNEL_NODE_PARAMS_v3 *given = &params->given.kernel;
    struct cup_launch_shape shape = {
        .grid = {given->gridDimX, given->gridDimY, given->gridDimZ},
        .block = {given->blockDimX, given->blockDimY, given->blockDimZ},
        .shared_bytes = given->sharedMemBytes,
        .cooperative = attributes->cooperative != 0,
        .cluster_set = attributes->cluster[0] != 0,
        .cluster_mode = attributes->cluster_mode,
        .shared_mode = attributes->shared_mode,
    };

    memcpy(shape.cluster, attributes->cluster, sizeof(shape.cluster));
    return shape;
}

/* A kernel with .reqntid has blocks of that shape (cup_launch_check). */
static bool kernel_wants_code(const struct cup_plan_node *node, struct cup_exec_wanted *wanted)
{
    const struct CUfunc_st *function = (const struct CUfunc_st *)node->params->object;
    const uint32_t *required = cup_function_ptx(function)->required_threads;
    const CUDA_KERNEL_NODE_PARAMS_v3 *given = &node->params->given.kernel;

    *wanted = (struct cup_exec_wanted){
        .image = &function->module->image,
        .function = function->module->program->kernels[function->kernel],
        .block = {given->blockDimX, given->blockDimY, given->blockDimZ},
    };
    if (required[0])
        memcpy(wanted->block, required, sizeof(wanted->block));
    return !cup_exec_is_prepared(wanted);
}

static CUresult kernel_plan(struct cup_plan_node *node)
{
    struct CUfunc_st *function = (struct CUfunc_st *)node->params->object;
    struct cup_launch_shape shape = cup_node_kernel_shape(node->params, &node->params->attributes);
    struct cup_exec_request request;
    CUresult result = cup_context_usable(node->params->context);

    if (result == CUDA_SUCCESS)
        result = cup_launch_check(function, &shape);
    if (result == CUDA_SUCCESS)
        result = cup_launch_describe(function, &shape, node->params->arguments, &request);
    if (result != CUDA_SUCCESS)
        return result;
    void *place = cup_plan_job_place(node, cup_exec_job_create_bytes(request.params_bytes));
    result = cup_exec_job_create(node->params->context, &request, place, &node->job);
    if (result == CUDA_SUCCESS)
        node->may_wait = node->job->kind != CUP_JOB_WORK;
    else
        cup_plan_job_free(node, place);
    return result;
}

/* Tells the kernel which graph it runs in. */
static bool kernel_before(struct cup_plan_node *node)
{
    struct cup_graph_launch *launch = node->plan->launch;

    cup_exec_job_in_graph(node->job, launch, (uintptr_t)launch->running);
    return true;
}

static void kernel_unplan(struct cup_plan_node *node)
{
    cup_exec_job_destroy(node->job);
    cup_plan_job_free(node, node->job);
}

static size_t kernel_job_bytes(const struct cup_node_params *params)
{
    return cup_exec_job_create_bytes(params->arguments_bytes);
}

static CUgraphExecUpdateResult kernel_update(const struct cup_node_params *old,
                                             const struct cup_node_params *made)
{
    const struct cup_node_kernel_attributes *from = &old->attributes, *to = &made->attributes;

    if (old->context != made->context)
        return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
    if ((from->cooperative != 0) != (to->cooperative != 0) ||
        from->nvlink_scheduling != to->nvlink_scheduling)
        return CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

const struct cup_node_type cup_node_kernel = {
    .id = CU_GRAPH_NODE_TYPE_KERNEL,
    .name = "KERNEL",
    .params_bytes = sizeof(CUDA_KERNEL_NODE_PARAMS_v3),
    .make = kernel_make,
    .plan = kernel_plan,
    .unplan = kernel_unplan,
    .before = kernel_before,
    .wants_code = kernel_wants_code,
    .job_bytes = kernel_job_bytes,
    .update = kernel_update,
    .runs_in_bodies = true,
    .runs_from_device = true,
    .can_be_disabled = true,
};
