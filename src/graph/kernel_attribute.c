/* SPDX-License-Identifier: MIT */
/* Attributes of kernel nodes. Those for cooperative launches, clusters and shared memory change the
 * launch; the others tune a GPU and are only validated, stored and returned. */
#include "core/error.h"
#include "device/context.h"
#include "graph/node.h"
#include "module/launch.h"
#include "stream/attribute.h"

#include <stdatomic.h>

enum { DOMAINS = 4, CARVEOUT_MAX = 100 };

CUresult cup_node_kernel_attribute_get(const struct cup_node_kernel_attributes *attributes,
                                       CUkernelNodeAttrID id, CUkernelNodeAttrValue *value)
{
    switch (id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        value->accessPolicyWindow = attributes->window;
        break;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        value->cooperative = attributes->cooperative;
        break;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        value->clusterDim.x = attributes->cluster[0];
        value->clusterDim.y = attributes->cluster[1];
        value->clusterDim.z = attributes->cluster[2];
        break;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        value->clusterSchedulingPolicyPreference = attributes->cluster_policy;
        break;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        value->priority = attributes->priority;
        break;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        value->memSyncDomainMap = attributes->domain_map;
        break;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        value->memSyncDomain = attributes->domain;
        break;
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
        value->deviceUpdatableKernelNode.deviceUpdatable = attributes->updatable;
        value->deviceUpdatableKernelNode.devNode =
            (CUgraphDeviceNode)(uintptr_t)attributes->device_node;
        break;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        value->sharedMemCarveout = attributes->carveout;
        break;
    case CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE:
        value->portableClusterSizeMode = attributes->cluster_mode;
        break;
    case CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE:
        value->sharedMemoryMode = attributes->shared_mode;
        break;
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a kernel node has no attribute %d", (int)id);
    }
    return CUDA_SUCCESS;
}

static CUresult check_launch(const struct cup_node_params *params,
                             const struct cup_node_kernel_attributes *attributes)
{
    struct cup_launch_shape shape = cup_node_kernel_shape(params, attributes);

    return cup_launch_check((const struct CUfunc_st *)params->object, &shape);
}

static CUresult set_cluster(const struct cup_node_params *params,
                            struct cup_node_kernel_attributes *attributes, uint32_t x, uint32_t y,
                            uint32_t z)
{
    bool none = x == 0 && y == 0 && z == 0;

    if (!none && (x == 0 || y == 0 || z == 0))
        return cup_error(CUDA_ERROR_INVALID_CLUSTER_SIZE, "invalid cluster of %u x %u x %u blocks",
                         x, y, z);
    attributes->cluster[0] = x;
    attributes->cluster[1] = y;
    attributes->cluster[2] = z;
    return none ? CUDA_SUCCESS : check_launch(params, attributes);
}

static CUresult in_range(CUkernelNodeAttrID id, int64_t value, int64_t least, int64_t most)
{
    if (value >= least && value <= most)
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid value for attribute %d: %lld", (int)id,
                     (long long)value);
}

static CUresult set_window(const struct cup_node_params *params,
                           struct cup_node_kernel_attributes *attributes,
                           const CUaccessPolicyWindow *window)
{
    const struct CUfunc_st *function = (const struct CUfunc_st *)params->object;

    if (!cup_stream_window_is_valid(function->module->context->device, window))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid access policy window of %zu bytes",
                         window->num_bytes);
    attributes->window = *window;
    return CUDA_SUCCESS;
}

/* What is updatable stays so. The handle is an output: the application may not have one. */
static CUresult set_updatable(struct cup_node_kernel_attributes *attributes, int updatable,
                              CUgraphDeviceNode handle)
{
    static _Atomic(uint64_t) last;

    if (updatable < 0 || updatable > 1 || (updatable && handle))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid value %d, handle %p", updatable,
                         (void *)handle);
    if (attributes->updatable && !updatable)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "the node stays updatable");
    if (updatable && !attributes->updatable)
        attributes->device_node = atomic_fetch_add(&last, 16) + 16;
    attributes->updatable = updatable;
    return CUDA_SUCCESS;
}

/* A mode that forbids the cluster or the memory that the node has is refused. */
static CUresult set_cluster_mode(const struct cup_node_params *params,
                                 struct cup_node_kernel_attributes *attributes,
                                 CUlaunchAttributePortableClusterMode mode)
{
    CUresult result = cup_launch_check_cluster_mode(mode);

    attributes->cluster_mode = mode;
    return result == CUDA_SUCCESS ? check_launch(params, attributes) : result;
}

static CUresult set_shared_mode(const struct cup_node_params *params,
                                struct cup_node_kernel_attributes *attributes,
                                CUsharedMemoryMode mode)
{
    CUresult result = cup_launch_check_shared_mode(mode);

    attributes->shared_mode = mode;
    return result == CUDA_SUCCESS ? check_launch(params, attributes) : result;
}

static int nearest_priority(int priority)
{
    return priority > CUP_PRIORITY_LEAST      ? CUP_PRIORITY_LEAST
           : priority < CUP_PRIORITY_GREATEST ? CUP_PRIORITY_GREATEST
                                              : priority;
}

static CUresult set_one(const struct cup_node_params *params,
                        struct cup_node_kernel_attributes *attributes, CUkernelNodeAttrID id,
                        const CUkernelNodeAttrValue *value)
{
    switch (id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        return set_window(params, attributes, &value->accessPolicyWindow);
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        attributes->cooperative = value->cooperative;
        return check_launch(params, attributes);
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        return set_cluster(params, attributes, value->clusterDim.x, value->clusterDim.y,
                           value->clusterDim.z);
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        attributes->cluster_policy = value->clusterSchedulingPolicyPreference;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        attributes->priority = nearest_priority(value->priority);
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        attributes->domain_map = value->memSyncDomainMap;
        return in_range(id,
                        attributes->domain_map.default_ > attributes->domain_map.remote
                            ? attributes->domain_map.default_
                            : attributes->domain_map.remote,
                        0, DOMAINS - 1);
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        attributes->domain = (int)value->memSyncDomain;
        return in_range(id, attributes->domain, 0, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
        return set_updatable(attributes, value->deviceUpdatableKernelNode.deviceUpdatable,
                             value->deviceUpdatableKernelNode.devNode);
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        attributes->carveout = value->sharedMemCarveout;
        return in_range(id, attributes->carveout, 0, CARVEOUT_MAX);
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
        attributes->nvlink_scheduling = value->nvlinkUtilCentricScheduling;
        return in_range(id, attributes->nvlink_scheduling, 0, 1);
    case CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE:
        return set_cluster_mode(params, attributes, value->portableClusterSizeMode);
    case CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE:
        return set_shared_mode(params, attributes, value->sharedMemoryMode);
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a kernel node has no attribute %d", (int)id);
    }
}

static CUresult with_attributes(const struct cup_node_params *params,
                                const struct cup_node_kernel_attributes *attributes,
                                struct cup_node_params **changed)
{
    *changed = cup_node_kernel_params_copy(params);
    if (!*changed)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the attributes of a node");
    (*changed)->attributes = *attributes;
    return CUDA_SUCCESS;
}

CUresult cup_node_kernel_attribute_set(const struct cup_node_params *params, CUkernelNodeAttrID id,
                                       const CUkernelNodeAttrValue *value,
                                       struct cup_node_params **changed)
{
    struct cup_node_kernel_attributes attributes = params->attributes;
    CUresult result = set_one(params, &attributes, id, value);

    return result == CUDA_SUCCESS ? with_attributes(params, &attributes, changed) : result;
}

CUresult cup_node_kernel_attributes_copy(const struct cup_node_params *params,
                                         const struct cup_node_params *from,
                                         struct cup_node_params **changed)
{
    if (params->attributes.updatable || from->attributes.updatable)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "a device updates one of the nodes");
    return with_attributes(params, &from->attributes, changed);
}
