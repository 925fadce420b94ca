/* SPDX-License-Identifier: MIT */
/* Kernel launches. */
#include "api/launch_event.h"
#include "core/config.h"
#include "core/error.h"
#include "core/precondition.h"
#include "graph/work_submit.h"
#include "impl.h"
#include "module/launch.h"
#include "module/library.h"

struct launch_work {
    struct CUfunc_st *function;
    CUkernel kernel; /* the handle by which a library's kernel was launched; or NULL */
    struct cup_launch_shape *shape;
    const struct cup_launch_arguments *arguments;
    bool was_captured;
};

static CUresult launch_describe(struct CUstream_st *stream, void *work,
                                struct cup_captured_work *captured)
{
    struct launch_work *launch = work;
    const struct cup_launch_shape *shape = launch->shape;

    if (shape->updatable_set && (shape->updatable < 0 || shape->updatable > 1))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid value %d", shape->updatable);
    CUresult result = cup_record_events_check(shape, stream, true);
    if (result != CUDA_SUCCESS)
        return result;
    launch->was_captured = true;
    return cup_work_node_launch(stream, launch->function, launch->kernel, shape, launch->arguments,
                                captured);
}

static CUresult launch_run(struct CUstream_st *stream, void *work)
{
    struct launch_work *launch = work;

    launch->was_captured = false;
    if (launch->shape->updatable_set)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                         "only the node of a captured launch can be updated by a device");
    CUresult result = cup_record_events_check(launch->shape, stream, false);
    if (result != CUDA_SUCCESS)
        return result;
    return cup_launch_kernel(launch->function, launch->shape, stream, launch->arguments);
}

static const struct cup_work_type launch_type = {launch_describe, launch_run};

static CUresult launch_on_stream(struct CUstream_st *stream, struct CUfunc_st *function,
                                 CUkernel kernel, struct cup_launch_shape *shape,
                                 const struct cup_launch_arguments *arguments)
{
    struct launch_work work = {function, kernel, shape, arguments, false};
    CUresult result = cup_launch_check_attributes(function, shape);

    shape->sm_count = stream->green ? stream->green->sms->count : 0;
    if (result == CUDA_SUCCESS)
        result = cup_work_submit(stream, &launch_type, &work);
    if (result == CUDA_SUCCESS)
        result = cup_record_events(shape, stream);
    return result == CUDA_SUCCESS && cup_config_get()->launch_blocking && !work.was_captured
               ? cup_stream_synchronize(stream)
               : result;
}

/* Launches a function. Without a current context it uses the function's own. */
static CUresult launch_found_function(struct CUfunc_st *function, struct cup_launch_shape *shape,
                                      CUstream stream_handle,
                                      const struct cup_launch_arguments *arguments)
{
    struct CUstream_st *stream;
    struct CUctx_st *popped;
    bool push = !cup_context_current();
    CUresult result = push ? cup_context_push(function->module->context) : CUDA_SUCCESS;

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_stream_find(stream_handle, &stream);
    if (result == CUDA_SUCCESS) {
        result = launch_on_stream(stream, function, NULL, shape, arguments);
        cup_stream_unref(stream);
    }
    if (push && cup_context_pop(&popped) == CUDA_SUCCESS)
        cup_context_unref(popped);
    return result;
}

static CUresult launch_function(CUfunction handle, struct cup_launch_shape *shape, CUstream stream,
                                const struct cup_launch_arguments *arguments)
{
    struct CUctx_st *current = cup_context_current();
    struct CUfunc_st *function;
    CUresult result = current ? cup_context_usable(current) : CUDA_SUCCESS;

    if (result == CUDA_SUCCESS)
        result = cup_function_find(handle, &function);
    if (result != CUDA_SUCCESS)
        return result;
    result = launch_found_function(function, shape, stream, arguments);
    cup_function_unref(function);
    return result;
}

/* A library's kernel runs in the context of its stream; a default stream is the current context's.
 */
static CUresult launch_found_kernel(struct CUkern_st *kernel, struct cup_launch_shape *shape,
                                    CUstream stream_handle,
                                    const struct cup_launch_arguments *arguments)
{
    struct CUfunc_st *function;
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(stream_handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_kernel_function(kernel, stream->context, &function);
    if (result == CUDA_SUCCESS) {
        result = launch_on_stream(stream, function, kernel, shape, arguments);
        cup_function_unref(function);
    }
    cup_stream_unref(stream);
    return result;
}

static CUresult launch_kernel(CUkernel handle, struct cup_launch_shape *shape, CUstream stream,
                              const struct cup_launch_arguments *arguments)
{
    struct CUkern_st *kernel;
    CUresult result = cup_precondition_context();

    if (result == CUDA_SUCCESS)
        result = cup_kernel_find(handle, &kernel);
    if (result != CUDA_SUCCESS)
        return result;
    result = launch_found_kernel(kernel, shape, stream, arguments);
    cup_kernel_unref(kernel);
    return result;
}

static CUresult launch(CUfunction handle, struct cup_launch_shape *shape, CUstream stream,
                       const struct cup_launch_arguments *arguments)
{
    if (cup_object_was(CUP_OBJECT_KERNEL, handle))
        return launch_kernel((CUkernel)handle, shape, stream, arguments);
    return launch_function(handle, shape, stream, arguments);
}

CUresult impl_cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                             unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                             unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                             void **kernelParams, void **extra)
{
    struct cup_launch_shape shape = {.grid = {gridDimX, gridDimY, gridDimZ},
                                     .block = {blockDimX, blockDimY, blockDimZ},
                                     .shared_bytes = sharedMemBytes};
    struct cup_launch_arguments arguments = {.pointers = kernelParams, .extra = extra};

    return launch(f, &shape, hStream, &arguments);
}

CUresult impl_cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                        unsigned int gridDimZ, unsigned int blockDimX,
                                        unsigned int blockDimY, unsigned int blockDimZ,
                                        unsigned int sharedMemBytes, CUstream hStream,
                                        void **kernelParams)
{
    struct cup_launch_shape shape = {.grid = {gridDimX, gridDimY, gridDimZ},
                                     .block = {blockDimX, blockDimY, blockDimZ},
                                     .shared_bytes = sharedMemBytes,
                                     .cooperative = true};
    struct cup_launch_arguments arguments = {.pointers = kernelParams};

    return launch(f, &shape, hStream, &arguments);
}

CUresult impl_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
                               void **extra, CUstream default_stream)
{
    if (!config)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the launch configuration is NULL");
    struct cup_launch_shape shape = {
        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .shared_bytes = config->sharedMemBytes,
        .attributes = config->attrs,
        .attribute_count = config->numAttrs};
    struct cup_launch_arguments arguments = {.pointers = kernelParams, .extra = extra};
    CUresult result = cup_launch_attributes(config, &shape);
    if (result != CUDA_SUCCESS)
        return result;
    return launch(f, &shape, config->hStream ? config->hStream : default_stream, &arguments);
}
