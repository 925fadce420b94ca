/* SPDX-License-Identifier: MIT */
/* Occupancy of a kernel's blocks on the emulated device. */
#include "core/align.h"
#include "core/error.h"
#include "core/precondition.h"
#include "impl.h"
#include "module/launch.h"
#include "module/library.h"

enum { WARP = 32, SHARED_PIECE = 128 };

static CUresult find(CUfunction handle, struct CUfunc_st **function)
{
    CUresult result = cup_precondition_context();

    return result == CUDA_SUCCESS ? cup_function_find_any(handle, cup_context_current(), function)
                                  : result;
}

CUresult impl_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func,
                                                                   int blockSize,
                                                                   size_t dynamicSMemSize,
                                                                   unsigned int flags)
{
    struct CUfunc_st *function;
    unsigned blocks = 0;

    if (!numBlocks || blockSize <= 0 || (flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid block of %d threads or flags 0x%x",
                         blockSize, flags);
    CUresult result = find(func, &function);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_occupancy_blocks(function, (uint64_t)blockSize, dynamicSMemSize,
                                  CU_SHARED_MEMORY_MODE_DEFAULT, false, &blocks);
    if (result == CUDA_SUCCESS)
        *numBlocks = (int)blocks;
    cup_function_unref(function);
    return result;
}

CUresult impl_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func,
                                                          int blockSize, size_t dynamicSMemSize)
{
    return impl_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize,
                                                                     dynamicSMemSize, 0);
}

/* The multiprocessors that the current context has. */
static int current_multiprocessors(void)
{
    const struct CUctx_st *context = cup_context_current_exact();

    return cup_context_is_green(context)
               ? (int)context->sms->count
               : cup_device_property(context->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
}

/* The block size with the highest occupancy; among equals, the largest. */
static CUresult best_size(const struct CUfunc_st *function, CUoccupancyB2DSize shared_of,
                          size_t shared, int limit, int *grid, int *block)
{
    int most = (int)function->resources.max_threads;
    unsigned best_threads = 0, best_blocks = 0;

    if (limit > 0 && limit < most)
        most = limit;
    for (int size = (int)cup_align_to_step((uint64_t)most, WARP); size > 0; size -= WARP) {
        int threads = size < most ? size : most;
        unsigned blocks = 0;
        CUresult result = cup_occupancy_blocks(function, (uint64_t)threads,
                                               shared_of ? shared_of(threads) : shared,
                                               CU_SHARED_MEMORY_MODE_DEFAULT, false, &blocks);
        if (result != CUDA_SUCCESS)
            return result;
        if (blocks * (unsigned)threads > best_threads) {
            best_threads = blocks * (unsigned)threads;
            best_blocks = blocks;
            *block = threads;
        }
        if (best_threads ==
            (unsigned)cup_device_property(function->module->context->device,
                                          CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR))
            break;
    }
    if (best_threads == 0)
        *block = 0;
    *grid = (int)best_blocks * current_multiprocessors();
    return CUDA_SUCCESS;
}

CUresult
impl_cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
                                               CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                               size_t dynamicSMemSize, int blockSizeLimit,
                                               unsigned int flags)
{
    struct CUfunc_st *function;

    if (!minGridSize || !blockSize || blockSizeLimit < 0 ||
        (flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "a pointer for the sizes is NULL, or invalid flags 0x%x", flags);
    CUresult result = find(func, &function);
    if (result != CUDA_SUCCESS)
        return result;
    result = best_size(function, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit,
                       minGridSize, blockSize);
    cup_function_unref(function);
    return result;
}

CUresult impl_cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                               CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                               size_t dynamicSMemSize, int blockSizeLimit)
{
    return impl_cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func,
                                                          blockSizeToDynamicSMemSize,
                                                          dynamicSMemSize, blockSizeLimit, 0);
}

/* The equal share of a multiprocessor's shared memory for each of that many blocks. */
static size_t available_share(const struct CUfunc_st *function, int blocks)
{
    int whole = cup_device_property(function->module->context->device,
                                    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    int share =
        whole / blocks / SHARED_PIECE * SHARED_PIECE - (int)function->resources.shared_bytes;
    int allowed = cup_function_dynamic_shared(function);

    if (share > allowed)
        share = allowed;
    return share > 0 ? (size_t)share : 0;
}

CUresult impl_cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func,
                                                      int numBlocks, int blockSize)
{
    struct CUfunc_st *function;
    unsigned possible = 0;
    CUresult result = find(func, &function);

    if (result != CUDA_SUCCESS)
        return result;
    if (!dynamicSmemSize || numBlocks <= 0 || blockSize <= 0)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "invalid request for %d blocks of %d threads",
                           numBlocks, blockSize);
    else
        result = cup_occupancy_blocks(function, (uint64_t)blockSize, 0,
                                      CU_SHARED_MEMORY_MODE_DEFAULT, false, &possible);
    if (result == CUDA_SUCCESS && possible < (unsigned)numBlocks)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "only %u blocks of %d threads fit", possible,
                           blockSize);
    if (result == CUDA_SUCCESS)
        *dynamicSmemSize = available_share(function, numBlocks);
    cup_function_unref(function);
    return result;
}

/* Reads the launch shape from a configuration and finds the function, which the caller unrefs. */
static CUresult read_config(const CUlaunchConfig *config, CUfunction handle,
                            struct cup_launch_shape *shape, struct CUfunc_st **function)
{
    *shape = (struct cup_launch_shape){
        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .shared_bytes = config->sharedMemBytes};
    CUresult result = cup_launch_attributes(config, shape);
    if (result == CUDA_SUCCESS)
        result = find(handle, function);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_launch_check_attributes(*function, shape);
    if (result != CUDA_SUCCESS)
        cup_function_unref(*function);
    return result;
}

CUresult impl_cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func,
                                                 const CUlaunchConfig *config)
{
    struct CUfunc_st *function;
    struct cup_launch_shape shape;

    if (!clusterSize || !func || !config)
        return cup_error(
            CUDA_ERROR_INVALID_VALUE,
            "the function, the launch configuration or the pointer for the size is NULL");
    CUresult result = read_config(config, func, &shape, &function);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_launch_cluster(function, &shape);
    if (result == CUDA_SUCCESS)
        *clusterSize = (int)cup_launch_cluster_max(function, shape.cluster_mode);
    cup_function_unref(function);
    return result;
}

/* Clusters of more than two blocks do not span groups of multiprocessors. The recorded device loses
 * some multiprocessors to that: 124 of 132 are usable. Those of a green context are whole groups.
 */
static unsigned usable_multiprocessors(const struct cup_device *device, CUstream handle,
                                       unsigned cluster_blocks)
{
    unsigned all = (unsigned)cup_device_property(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    struct CUstream_st *stream;
    unsigned green = 0;

    if (cup_stream_find(handle, &stream) == CUDA_SUCCESS) {
        green = stream->green ? stream->green->sms->count : 0;
        cup_stream_unref(stream);
    }
    if (green)
        return green;
    return cluster_blocks <= 2 || all < 31 ? all : all / 31 * 31;
}

CUresult impl_cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func,
                                           const CUlaunchConfig *config)
{
    struct CUfunc_st *function;
    struct cup_launch_shape shape;
    unsigned blocks = 0;

    if (!numClusters || !func || !config)
        return cup_error(
            CUDA_ERROR_INVALID_VALUE,
            "the function, the launch configuration or the pointer for the count is NULL");
    CUresult result = read_config(config, func, &shape, &function);
    if (result != CUDA_SUCCESS)
        return result;
    bool asked = shape.cluster_set;
    result = cup_launch_cluster(function, &shape);
    unsigned size = shape.cluster[0] * shape.cluster[1] * shape.cluster[2];
    if (result == CUDA_SUCCESS)
        result = cup_occupancy_blocks(function,
                                      (uint64_t)shape.block[0] * shape.block[1] * shape.block[2],
                                      shape.shared_bytes, shape.shared_mode, true, &blocks);
    if (result == CUDA_SUCCESS && (asked || size > 1))
        *numClusters =
            (int)(usable_multiprocessors(function->module->context->device, config->hStream, size) *
                  blocks / size);
    else if (result == CUDA_SUCCESS)
        *numClusters = 0;
    cup_function_unref(function);
    return result;
}
