/* SPDX-License-Identifier: MIT */
/* Validates launches, in the order of NVIDIA's driver, and lays out their parameters. */
#include "module/launch.h"

#include "core/error.h"
#include "module/references.h"
#include "os/guard.h"

#include <string.h>

static CUresult check_grid(const struct CUfunc_st *function, const struct cup_launch_shape *shape)
{
    for (unsigned i = 0; i < 3; i++) {
        uint32_t most =
            cup_profile_value(cup_function_profile(function),
                              CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + (CUdevice_attribute)i);
        if (shape->grid[i] == 0 || shape->grid[i] > most)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid grid of %u x %u x %u blocks",
                             shape->grid[0], shape->grid[1], shape->grid[2]);
    }
    return CUDA_SUCCESS;
}

/* A kernel with .reqntid runs only in blocks of that shape. A launch with one thread per block
 * selects that shape: it leaves the choice to the kernel. */
static CUresult check_required(const struct ptx_function *kernel, struct cup_launch_shape *shape)
{
    const uint32_t *required = kernel->required_threads;
    bool same = true, left_open = true;

    if (required[0] == 0)
        return CUDA_SUCCESS;
    for (unsigned i = 0; i < 3; i++) {
        same = same && shape->block[i] == required[i];
        left_open = left_open && shape->block[i] == 1;
    }
    if (!same && !left_open)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid block of %u x %u x %u threads; .reqntid requires %u x %u x %u",
                         shape->block[0], shape->block[1], shape->block[2], required[0],
                         required[1], required[2]);
    memcpy(shape->block, required, sizeof shape->block);
    return CUDA_SUCCESS;
}

static CUresult check_block(const struct CUfunc_st *function, struct cup_launch_shape *shape)
{
    uint64_t threads = 1;

    for (unsigned i = 0; i < 3; i++) {
        uint32_t most =
            cup_profile_value(cup_function_profile(function),
                              CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + (CUdevice_attribute)i);
        if (shape->block[i] == 0 || shape->block[i] > most)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid block of %u x %u x %u threads",
                             shape->block[0], shape->block[1], shape->block[2]);
    }
    CUresult result = check_required(cup_function_ptx(function), shape);
    if (result != CUDA_SUCCESS)
        return result;
    for (unsigned i = 0; i < 3; i++)
        threads *= shape->block[i];
    if (threads > function->resources.allowed_threads)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid block of %llu threads; the maximum is %u",
                         (unsigned long long)threads, function->resources.allowed_threads);
    return CUDA_SUCCESS;
}

static CUresult check_shared(const struct CUfunc_st *function, const struct cup_launch_shape *shape)
{
    uint32_t most = cup_launch_shared_max(function, shape->shared_mode);

    if (shape->shared_bytes > most)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "%u bytes of dynamic shared memory exceed the limit of %u",
                         shape->shared_bytes, most);
    return CUDA_SUCCESS;
}

static CUresult check_cooperative(const struct CUfunc_st *function,
                                  const struct cup_launch_shape *shape)
{
    uint64_t threads = (uint64_t)shape->block[0] * shape->block[1] * shape->block[2];
    uint64_t blocks = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
    unsigned multiprocessors = shape->sm_count
                                   ? shape->sm_count
                                   : cup_profile_value(cup_function_profile(function),
                                                       CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    unsigned per_multiprocessor = 0;
    uint64_t own = function->resources.shared_bytes +
                   cup_profile_value(cup_function_profile(function),
                                     CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);

    /* NVIDIA's driver counts in 32 bits here: a sum beyond them fits, and is refused later. */
    if (shape->shared_bytes > UINT32_MAX - own)
        return CUDA_SUCCESS;
    CUresult result = cup_occupancy_blocks(function, threads, shape->shared_bytes,
                                           shape->shared_mode, false, &per_multiprocessor);

    if (result != CUDA_SUCCESS)
        return result;
    if (blocks > (uint64_t)per_multiprocessor * multiprocessors)
        return cup_error(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                         "a cooperative launch of %llu blocks exceeds what can run at once",
                         (unsigned long long)blocks);
    return CUDA_SUCCESS;
}

/* Copies the parameters into one buffer. The application's pointers may be invalid. */
struct gather {
    const struct ptx_function *kernel;
    void **pointers;
    void **extra;
    uint8_t *buffer;
    CUresult result; /* of reading; a fault is another matter */
};

static void gather_pointers(void *argument)
{
    struct gather *gather = argument;

    gather->result = CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < gather->kernel->parameter_count; i++) {
        const struct ptx_parameter *parameter = &gather->kernel->parameters[i];

        if (parameter->size_bytes == 0)
            continue;
        if (!gather->pointers[i]) /* memcpy() from NULL is undefined, not only a fault */
            return;
        memcpy(gather->buffer + parameter->offset, gather->pointers[i], parameter->size_bytes);
    }
    gather->result = CUDA_SUCCESS;
}

static void gather_extra(void *argument)
{
    struct gather *gather = argument;
    size_t wanted = gather->kernel->parameter_bytes, size;
    const void *source = NULL;
    size_t *bytes = NULL;

    gather->result = CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; gather->extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        if (gather->extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            source = gather->extra[i + 1];
        else if (gather->extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            bytes = gather->extra[i + 1];
        else
            return;
    }
    /* a kernel without parameters takes an empty buffer, which may be NULL */
    if (wanted == 0 && ((!source && !bytes) || (bytes && *bytes == 0)))
        gather->result = CUDA_SUCCESS;
    if (!source || !bytes)
        return;
    size = *bytes;
    if (size == 0 || size > CUP_PARAMETER_BYTES_MAX)
        return;
    gather->result = size > wanted ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : CUDA_SUCCESS;
    if (size <= wanted) /* missing bytes are zero */
        memcpy(gather->buffer, source, size);
}

/* Whether both ways of passing parameters are used. An `extra` that lists nothing is ignored. */
static bool passes_both(const struct cup_launch_arguments *arguments)
{
    void *first;

    return arguments->pointers && arguments->extra &&
           (!cup_guard_copy(&first, arguments->extra, sizeof(first)) ||
            first != CU_LAUNCH_PARAM_END);
}

CUresult cup_launch_gather(const struct CUfunc_st *function,
                           const struct cup_launch_arguments *arguments, uint8_t *buffer)
{
    struct gather gather = {.kernel = cup_function_ptx(function),
                            .pointers = arguments->pointers,
                            .extra = arguments->extra,
                            .buffer = buffer};
    size_t bytes = gather.kernel->parameter_bytes;

    memset(buffer, 0, bytes);
    if (passes_both(arguments))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "kernelParams and extra are both given");
    if (arguments->extra && !arguments->pointers) {
        if (!cup_guard_run(gather_extra, &gather))
            gather.result = CUDA_ERROR_INVALID_VALUE;
        if (gather.result != CUDA_SUCCESS)
            return cup_error(gather.result, "extra has no parameter buffer of %zu bytes", bytes);
        return CUDA_SUCCESS;
    }
    if (gather.kernel->parameter_count == 0 || !gather.kernel->is_kernel)
        return CUDA_SUCCESS;
    if (arguments->laid_out) {
        memcpy(buffer, arguments->laid_out,
               arguments->laid_out_bytes < bytes ? arguments->laid_out_bytes : bytes);
        return CUDA_SUCCESS;
    }
    if (!arguments->pointers || !cup_guard_run(gather_pointers, &gather) ||
        gather.result != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "kernel %s: its %u parameters are not all readable", gather.kernel->name,
                         gather.kernel->parameter_count);
    return CUDA_SUCCESS;
}

static void release_module(void *owner)
{
    cup_module_unref(owner);
}

CUresult cup_launch_check(const struct CUfunc_st *function, struct cup_launch_shape *shape)
{
    CUresult result = check_grid(function, shape);

    if (result == CUDA_SUCCESS)
        result = check_block(function, shape);
    if (result == CUDA_SUCCESS)
        result = cup_launch_cluster(function, shape);
    if (result == CUDA_SUCCESS && shape->cooperative)
        result = check_cooperative(function, shape);
    if (result == CUDA_SUCCESS)
        result = check_shared(function, shape);
    if (result == CUDA_SUCCESS && !cup_function_ptx(function)->is_kernel)
        result = cup_error(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "%s is a device function",
                           cup_function_ptx(function)->name);
    return result;
}

CUresult cup_launch_describe(struct CUfunc_st *function, struct cup_launch_shape *shape,
                             const void *params, struct cup_exec_request *request)
{
    struct CUmod_st *module = function->module;
    const struct ptx_function *kernel = cup_function_ptx(function);

    if (function->resources.lacks_query)
        return cup_error(CUDA_ERROR_UNKNOWN, "%s has an unsupported texture query", kernel->name);
    *request = (struct cup_exec_request){
        .image = &module->image,
        .function = module->program->kernels[function->kernel],
        .grid = {shape->grid[0], shape->grid[1], shape->grid[2]},
        .block = {shape->block[0], shape->block[1], shape->block[2]},
        .shared_dynamic_bytes = shape->shared_bytes,
        .params = params,
        .params_bytes = kernel->parameter_bytes,
        .cooperative = shape->cooperative,
        .fixes_limits = function->resources.fixes_limits,
        .registers = function->resources.registers,
        .local_bytes = function->resources.local_bytes,
        .kernel_name = kernel->name,
        .release = release_module,
        .owner = module,
    };
    /* Zeros say that nobody asked for clusters: %is_explicit_cluster is false. */
    if (shape->cluster_set || cup_setting_get(&function->settings, CUP_SETTING_CLUSTER_X) != 0)
        memcpy(request->cluster, shape->cluster, sizeof(request->cluster));
    CUresult result = cup_module_references_bind(module, request);
    if (result == CUDA_SUCCESS)
        cup_object_ref(&module->base);
    return result;
}

CUresult cup_launch_kernel(struct CUfunc_st *function, struct cup_launch_shape *shape,
                           struct CUstream_st *stream, const struct cup_launch_arguments *arguments)
{
    uint8_t buffer[CUP_PARAMETER_BYTES_MAX + 4] __attribute__((aligned(16)));
    struct cup_exec_request request;

    if (function->module->context != stream->context)
        return cup_error(CUDA_ERROR_INVALID_HANDLE,
                         "the function belongs to another context than the stream");
    CUresult result = cup_launch_gather(function, arguments, buffer);
    if (result == CUDA_SUCCESS)
        result = cup_launch_check(function, shape);
    if (result == CUDA_SUCCESS)
        result = cup_launch_describe(function, shape, buffer, &request);
    if (result != CUDA_SUCCESS)
        return result;
    request.sms = stream->green ? stream->green->sms : NULL;
    return cup_exec_launch(stream, &request);
}
