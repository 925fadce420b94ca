/* SPDX-License-Identifier: MIT */
/* Launches as before CUDA 4: the function stores parameters that are set call by call. */
#include "impl.h"
#include "core/error.h"
#include "graph/work_submit.h"
#include "module/launch.h"

#include <stdlib.h>
#include <string.h>

CUresult impl_cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z)
{
    struct CUfunc_st *function;
    CUresult result = cup_function_find(hfunc, &function);

    if (result != CUDA_SUCCESS)
        return result;
    if (x <= 0 || y <= 0 || z <= 0 || (int64_t)x * y * z > function->resources.allowed_threads) {
        result =
            cup_error(CUDA_ERROR_INVALID_VALUE, "invalid block of %d x %d x %d threads", x, y, z);
    } else {
        cup_lock_acquire(&function->lock);
        function->legacy.block[0] = (uint32_t)x;
        function->legacy.block[1] = (uint32_t)y;
        function->legacy.block[2] = (uint32_t)z;
        cup_lock_release(&function->lock);
    }
    cup_function_unref(function);
    return result;
}

CUresult impl_cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes)
{
    struct CUfunc_st *function;
    CUresult result = cup_function_find(hfunc, &function);

    if (result != CUDA_SUCCESS)
        return result;
    if (bytes > (unsigned)cup_function_dynamic_shared(function)) {
        result = cup_error(CUDA_ERROR_INVALID_VALUE,
                           "%u bytes of dynamic shared memory exceed the limit", bytes);
    } else {
        cup_lock_acquire(&function->lock);
        function->legacy.shared_bytes = bytes;
        cup_lock_release(&function->lock);
    }
    cup_function_unref(function);
    return result;
}

CUresult impl_cuParamSetSize(CUfunction hfunc, unsigned int numbytes)
{
    struct CUfunc_st *function;
    CUresult result = cup_function_find(hfunc, &function);

    if (result != CUDA_SUCCESS)
        return result;
    if (numbytes > CUP_PARAMETER_BYTES_MAX) {
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "%u bytes of parameters exceed the limit",
                           numbytes);
    } else {
        cup_lock_acquire(&function->lock);
        function->legacy.parameter_bytes = numbytes;
        cup_lock_release(&function->lock);
    }
    cup_function_unref(function);
    return result;
}

CUresult impl_cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes)
{
    struct CUfunc_st *function;
    CUresult result = cup_function_find(hfunc, &function);

    if (result != CUDA_SUCCESS)
        return result;
    if (!ptr || offset < 0 || numbytes > CUP_PARAMETER_BYTES_MAX ||
        (unsigned)offset > CUP_PARAMETER_BYTES_MAX - numbytes) {
        cup_function_unref(function);
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid parameter of %u bytes at offset %d",
                         numbytes, offset);
    }
    cup_lock_acquire(&function->lock);
    if (!function->legacy.parameters)
        function->legacy.parameters = calloc(1, CUP_PARAMETER_BYTES_MAX);
    if (!function->legacy.parameters)
        result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for parameters");
    else
        memcpy(function->legacy.parameters + offset, ptr, numbytes);
    cup_lock_release(&function->lock);
    cup_function_unref(function);
    return result;
}

CUresult impl_cuParamSeti(CUfunction hfunc, int offset, unsigned int value)
{
    return impl_cuParamSetv(hfunc, offset, &value, sizeof value);
}

CUresult impl_cuParamSetf(CUfunction hfunc, int offset, float value)
{
    return impl_cuParamSetv(hfunc, offset, &value, sizeof value);
}

struct legacy_work {
    struct CUfunc_st *function;
    struct cup_launch_shape *shape;
    const struct cup_launch_arguments *arguments;
};

static CUresult legacy_describe(struct CUstream_st *stream, void *work,
                                struct cup_captured_work *captured)
{
    const struct legacy_work *launch = work;

    return cup_work_node_launch(stream, launch->function, NULL, launch->shape, launch->arguments,
                                captured);
}

static CUresult legacy_run(struct CUstream_st *stream, void *work)
{
    const struct legacy_work *launch = work;

    return cup_launch_kernel(launch->function, launch->shape, stream, launch->arguments);
}

static const struct cup_work_type legacy_type = {legacy_describe, legacy_run};

CUresult impl_cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream)
{
    struct CUfunc_st *function;
    struct CUstream_st *stream;
    uint8_t parameters[CUP_PARAMETER_BYTES_MAX] = {0};
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_function_find(f, &function);
    if (result != CUDA_SUCCESS) {
        cup_stream_unref(stream);
        return result;
    }
    struct cup_launch_shape shape = {.grid = {(uint32_t)grid_width, (uint32_t)grid_height, 1}};
    cup_lock_acquire(&function->lock);
    memcpy(shape.block, function->legacy.block, sizeof shape.block);
    shape.shared_bytes = function->legacy.shared_bytes;
    struct cup_launch_arguments arguments = {.laid_out = parameters,
                                             .laid_out_bytes = function->legacy.parameter_bytes};
    if (function->legacy.parameters)
        memcpy(parameters, function->legacy.parameters, function->legacy.parameter_bytes);
    cup_lock_release(&function->lock);
    struct legacy_work work = {function, &shape, &arguments};
    result = cup_work_submit(stream, &legacy_type, &work);
    cup_function_unref(function);
    cup_stream_unref(stream);
    return result;
}

CUresult impl_cuLaunchGrid(CUfunction f, int grid_width, int grid_height)
{
    return impl_cuLaunchGridAsync(f, grid_width, grid_height, NULL);
}

CUresult impl_cuLaunch(CUfunction f)
{
    return impl_cuLaunchGridAsync(f, 1, 1, NULL);
}
