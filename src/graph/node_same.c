/* SPDX-License-Identifier: MIT */
/* Compares the parameters of two nodes of one type. Fields are compared one by one, since the bytes
 * between them may be anything; fields that the work does not use are left out. */
#include "graph/node.h"
#include "memory/value_op.h"
#include "module/function.h"

#include <string.h>

static bool same_window(const CUaccessPolicyWindow *first, const CUaccessPolicyWindow *second)
{
    return first->base_ptr == second->base_ptr && first->num_bytes == second->num_bytes &&
           first->hitRatio == second->hitRatio && first->hitProp == second->hitProp &&
           first->missProp == second->missProp;
}

/* The handle of a node that devices update is an answer, not a parameter. */
static bool same_attributes(const struct cup_node_kernel_attributes *first,
                            const struct cup_node_kernel_attributes *second)
{
    return same_window(&first->window, &second->window) &&
           first->cooperative == second->cooperative &&
           memcmp(first->cluster, second->cluster, sizeof(first->cluster)) == 0 &&
           first->cluster_policy == second->cluster_policy && first->priority == second->priority &&
           first->domain_map.default_ == second->domain_map.default_ &&
           first->domain_map.remote == second->domain_map.remote &&
           first->domain == second->domain && first->updatable == second->updatable &&
           first->carveout == second->carveout &&
           first->nvlink_scheduling == second->nvlink_scheduling &&
           first->cluster_mode == second->cluster_mode && first->shared_mode == second->shared_mode;
}

static bool same_arguments(const struct cup_node_params *first,
                           const struct cup_node_params *second)
{
    const struct ptx_function *kernel = cup_function_ptx((const struct CUfunc_st *)first->object);

    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct ptx_parameter *each = &kernel->parameters[i];
        if (memcmp((const char *)first->arguments + each->offset,
                   (const char *)second->arguments + each->offset, each->size_bytes) != 0)
            return false;
    }
    return true;
}

static bool same_kernel(const struct cup_node_params *first, const struct cup_node_params *second)
{
    const CUDA_KERNEL_NODE_PARAMS_v3 *a = &first->given.kernel, *b = &second->given.kernel;

    return first->object == second->object && a->gridDimX == b->gridDimX &&
           a->gridDimY == b->gridDimY && a->gridDimZ == b->gridDimZ &&
           a->blockDimX == b->blockDimX && a->blockDimY == b->blockDimY &&
           a->blockDimZ == b->blockDimZ && a->sharedMemBytes == b->sharedMemBytes &&
           same_attributes(&first->attributes, &second->attributes) &&
           same_arguments(first, second);
}

static bool same_memory(CUmemorytype type, CUdeviceptr device, const void *host, CUarray array,
                        CUdeviceptr other_device, const void *other_host, CUarray other_array)
{
    return type == CU_MEMORYTYPE_HOST    ? host == other_host
           : type == CU_MEMORYTYPE_ARRAY ? array == other_array
                                         : device == other_device;
}

static bool same_memcpy(const struct cup_node_params *first, const struct cup_node_params *second)
{
    const CUDA_MEMCPY3D *a = &first->given.memcpy.copyParams, *b = &second->given.memcpy.copyParams;

    return first->given.memcpy.copyCtx == second->given.memcpy.copyCtx &&
           a->WidthInBytes == b->WidthInBytes && a->Height == b->Height && a->Depth == b->Depth &&
           a->srcMemoryType == b->srcMemoryType && a->dstMemoryType == b->dstMemoryType &&
           same_memory(a->srcMemoryType, a->srcDevice, a->srcHost, a->srcArray, b->srcDevice,
                       b->srcHost, b->srcArray) &&
           same_memory(a->dstMemoryType, a->dstDevice, a->dstHost, a->dstArray, b->dstDevice,
                       b->dstHost, b->dstArray) &&
           a->srcXInBytes == b->srcXInBytes && a->srcY == b->srcY && a->srcZ == b->srcZ &&
           a->srcLOD == b->srcLOD && a->srcPitch == b->srcPitch && a->srcHeight == b->srcHeight &&
           a->dstXInBytes == b->dstXInBytes && a->dstY == b->dstY && a->dstZ == b->dstZ &&
           a->dstLOD == b->dstLOD && a->dstPitch == b->dstPitch && a->dstHeight == b->dstHeight;
}

static bool same_memset(const struct cup_node_params *first, const struct cup_node_params *second)
{
    const CUDA_MEMSET_NODE_PARAMS_v2 *a = &first->given.memset, *b = &second->given.memset;

    return a->dst == b->dst && a->pitch == b->pitch && a->value == b->value &&
           a->elementSize == b->elementSize && a->width == b->width && a->height == b->height &&
           a->ctx == b->ctx;
}

static bool same_host(const struct cup_node_params *first, const struct cup_node_params *second)
{
    const CUDA_HOST_NODE_PARAMS_v2 *a = &first->given.host, *b = &second->given.host;

    return a->fn == b->fn && a->userData == b->userData && a->syncMode == b->syncMode &&
           a->ctx == b->ctx;
}

/* Of both kinds; nodes that wait have no context. */
static bool same_event(const struct cup_node_params *first, const struct cup_node_params *second)
{
    return first->object == second->object && first->context == second->context &&
           first->given.eventRecord.event == second->given.eventRecord.event;
}

static bool same_signal(const struct cup_node_params *first, const struct cup_node_params *second)
{
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 *a = &first->given.extSemSignal,
                                             *b = &second->given.extSemSignal;
    bool same = a->numExtSems == b->numExtSems && a->ctx == b->ctx;

    for (unsigned i = 0; i < a->numExtSems && same; i++) {
        const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *from = &a->paramsArray[i],
                                                    *to = &b->paramsArray[i];
        same = a->extSemArray[i] == b->extSemArray[i] && from->flags == to->flags &&
               from->params.fence.value == to->params.fence.value &&
               from->params.keyedMutex.key == to->params.keyedMutex.key;
    }
    return same;
}

static bool same_wait(const struct cup_node_params *first, const struct cup_node_params *second)
{
    const CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 *a = &first->given.extSemWait,
                                           *b = &second->given.extSemWait;
    bool same = a->numExtSems == b->numExtSems && a->ctx == b->ctx;

    for (unsigned i = 0; i < a->numExtSems && same; i++) {
        const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *from = &a->paramsArray[i],
                                                  *to = &b->paramsArray[i];
        same = a->extSemArray[i] == b->extSemArray[i] && from->flags == to->flags &&
               from->params.fence.value == to->params.fence.value &&
               from->params.keyedMutex.key == to->params.keyedMutex.key &&
               from->params.keyedMutex.timeoutMs == to->params.keyedMutex.timeoutMs;
    }
    return same;
}

static bool same_operation(const CUstreamBatchMemOpParams *first,
                           const CUstreamBatchMemOpParams *second)
{
    struct cup_memop a, b;

    return first->operation == second->operation && cup_value_op_parse(first, &a) == CUDA_SUCCESS &&
           cup_value_op_parse(second, &b) == CUDA_SUCCESS && a.kind == b.kind &&
           a.size_bytes == b.size_bytes && a.address == b.address && a.value == b.value;
}

static bool same_batch(const struct cup_node_params *first, const struct cup_node_params *second)
{
    const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *a = &first->given.memOp, *b = &second->given.memOp;
    bool same = a->ctx == b->ctx && a->count == b->count && a->flags == b->flags;

    for (unsigned i = 0; i < a->count && same; i++)
        same = same_operation(&a->paramArray[i], &b->paramArray[i]);
    return same;
}

static bool same_location(CUmemLocation first, CUmemLocation second)
{
    return first.type == second.type && first.id == second.id;
}

/* The address is an answer. */
static bool same_alloc(const struct cup_node_params *first, const struct cup_node_params *second)
{
    const CUDA_MEM_ALLOC_NODE_PARAMS_v2 *a = &first->given.alloc, *b = &second->given.alloc;
    bool same = a->bytesize == b->bytesize && a->accessDescCount == b->accessDescCount &&
                a->poolProps.allocType == b->poolProps.allocType &&
                a->poolProps.handleTypes == b->poolProps.handleTypes &&
                same_location(a->poolProps.location, b->poolProps.location);

    for (size_t i = 0; i < a->accessDescCount && same; i++)
        same = same_location(a->accessDescs[i].location, b->accessDescs[i].location) &&
               a->accessDescs[i].flags == b->accessDescs[i].flags;
    return same;
}

static bool same_free(const struct cup_node_params *first, const struct cup_node_params *second)
{
    return first->given.free.dptr == second->given.free.dptr;
}

/* Types that no work of a stream has are missing: their nodes are never the same. */
bool cup_node_params_are_same(const struct cup_node_params *first,
                              const struct cup_node_params *second)
{
    static bool (*const compare[CUP_NODE_TYPE_COUNT])(const struct cup_node_params *first,
                                                      const struct cup_node_params *second) = {
        [CU_GRAPH_NODE_TYPE_KERNEL] = same_kernel,
        [CU_GRAPH_NODE_TYPE_MEMCPY] = same_memcpy,
        [CU_GRAPH_NODE_TYPE_MEMSET] = same_memset,
        [CU_GRAPH_NODE_TYPE_HOST] = same_host,
        [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = same_event,
        [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = same_event,
        [CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL] = same_signal,
        [CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT] = same_wait,
        [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = same_alloc,
        [CU_GRAPH_NODE_TYPE_MEM_FREE] = same_free,
        [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = same_batch,
    };
    CUgraphNodeType type = first->type->id;

    return type == second->type->id && compare[type] && compare[type](first, second);
}
