/* SPDX-License-Identifier: MIT */
/* Launch attributes. Clusters, cooperative launches and the modes of cluster sizes and shared
 * memory have an effect; the others tune a GPU and are only validated. Events that a launch records
 * are in api/launch_event.c: they need the stream.
 */
#include "core/driver_version.h"
#include "core/error.h"
#include "module/launch.h"
#include "os/guard.h"
#include "stream/attribute.h"

#include <string.h>

enum { CLUSTER_PORTABLE = 8, CLUSTER_MAX = 16, DOMAINS = 4 };

static CUresult in_range(const CUlaunchAttribute *attribute, int64_t value, int64_t least,
                         int64_t most)
{
    if (value >= least && value <= most)
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid value for launch attribute %d: %lld",
                     (int)attribute->id, (long long)value);
}

/* All zero means no cluster; otherwise no extent may be zero. */
static CUresult set_cluster(struct cup_launch_shape *shape, uint32_t x, uint32_t y, uint32_t z,
                            bool preferred)
{
    if (x == 0 && y == 0 && z == 0)
        return CUDA_SUCCESS;
    if (x == 0 || y == 0 || z == 0)
        return cup_error(CUDA_ERROR_INVALID_CLUSTER_SIZE, "invalid cluster of %u x %u x %u blocks",
                         x, y, z);
    const uint32_t extents[3] = {x, y, z};
    memcpy(preferred ? shape->preferred_cluster : shape->cluster, extents, sizeof extents);
    if (!preferred)
        shape->cluster_set = true;
    return CUDA_SUCCESS;
}

CUresult cup_launch_check_cluster_mode(CUlaunchAttributePortableClusterMode mode)
{
    if ((unsigned)mode <= CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE)
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "there is no mode %d of cluster sizes", (int)mode);
}

/* Modes for more memory than a block of other kernels can have came with CUDA 13.4. */
CUresult cup_launch_check_shared_mode(CUsharedMemoryMode mode)
{
    CUsharedMemoryMode last = cup_driver_has(13040)
                                  ? CU_SHARED_MEMORY_MODE_PREFER_OVERSIZED_SHARED_MEMORY
                                  : CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE;

    if ((unsigned)mode <= (unsigned)last)
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "there is no mode %d of shared memory", (int)mode);
}

static CUresult apply(const CUlaunchAttribute *attribute, struct cup_launch_shape *shape)
{
    const CUlaunchAttributeValue *value = &attribute->value;

    switch (attribute->id) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        shape->window_set = true;
        shape->window = value->accessPolicyWindow;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        shape->programmatic = value->programmaticStreamSerializationAllowed != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        shape->cooperative = value->cooperative != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        return set_cluster(shape, value->clusterDim.x, value->clusterDim.y, value->clusterDim.z,
                           false);
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
        return set_cluster(shape, value->preferredClusterDim.x, value->preferredClusterDim.y,
                           value->preferredClusterDim.z, true);
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        return cup_function_policy_is_valid((int)value->clusterSchedulingPolicyPreference)
                   ? CUDA_SUCCESS
                   : cup_error(CUDA_ERROR_INVALID_VALUE, "invalid cluster policy %d",
                               (int)value->clusterSchedulingPolicyPreference);
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        return in_range(attribute,
                        value->memSyncDomainMap.default_ > value->memSyncDomainMap.remote
                            ? value->memSyncDomainMap.default_
                            : value->memSyncDomainMap.remote,
                        0, DOMAINS - 1);
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        return in_range(attribute, (int)value->memSyncDomain, 0, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        return in_range(attribute, value->sharedMemCarveout, 0, CU_SHAREDMEM_CARVEOUT_MAX_SHARED);
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
        return in_range(attribute, value->nvlinkUtilCentricScheduling, 0, 1);
    case CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE:
        shape->cluster_mode = value->portableClusterSizeMode;
        return cup_launch_check_cluster_mode(shape->cluster_mode);
    case CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE:
        shape->shared_mode = value->sharedMemoryMode;
        return cup_launch_check_shared_mode(shape->shared_mode);
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
        shape->updatable_set = true;
        shape->updatable = value->deviceUpdatableKernelNode.deviceUpdatable;
        return CUDA_SUCCESS;
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid launch attribute %d",
                         (int)attribute->id);
    }
}

struct attribute_copy {
    const CUlaunchAttribute *from;
    CUlaunchAttribute to;
};

static void copy_attribute(void *argument)
{
    struct attribute_copy *copy = argument;

    copy->to = *copy->from;
    copy->to.id =
        (CUlaunchAttributeID)cup_driver_enumerator(CUP_ENUM_LAUNCH_ATTRIBUTE, (int)copy->to.id);
}

CUresult cup_launch_attributes(const CUlaunchConfig *config, struct cup_launch_shape *shape)
{
    if (config->numAttrs > 0 && !config->attrs)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the array of %u attributes is NULL",
                         config->numAttrs);
    for (unsigned i = 0; i < config->numAttrs; i++) {
        struct attribute_copy copy = {.from = &config->attrs[i]};
        CUresult result =
            cup_guard_run(copy_attribute, &copy)
                ? apply(&copy.to, shape)
                : cup_error(CUDA_ERROR_INVALID_VALUE, "launch attribute %u of %u is not readable",
                            i, config->numAttrs);

        if (result != CUDA_SUCCESS)
            return result;
    }
    return CUDA_SUCCESS;
}

CUresult cup_launch_check_attributes(const struct CUfunc_st *function,
                                     const struct cup_launch_shape *shape)
{
    if (!shape->window_set ||
        cup_stream_window_is_valid(function->module->context->device, &shape->window))
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid access policy window of %zu bytes",
                     shape->window.num_bytes);
}

/* No device here has oversized shared memory: its modes allow what the device has. */
uint32_t cup_launch_shared_max(const struct CUfunc_st *function, CUsharedMemoryMode mode)
{
    int most;

    if (mode == CU_SHARED_MEMORY_MODE_DEFAULT)
        most = cup_function_dynamic_shared(function);
    else
        most = (int)cup_profile_value(cup_function_profile(function),
                                      mode == CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE
                                          ? CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK
                                          : CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) -
               (int)function->resources.shared_bytes;
    return (uint32_t)(most > 0 ? most : 0);
}

uint32_t cup_launch_cluster_max(const struct CUfunc_st *function,
                                CUlaunchAttributePortableClusterMode mode)
{
    bool any = mode == CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT
                   ? cup_setting_get(&function->settings, CUP_SETTING_NON_PORTABLE_CLUSTER) != 0
                   : mode == CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE;
    uint32_t rank = cup_function_ptx(function)->max_cluster_rank,
             most = any ? CLUSTER_MAX : CLUSTER_PORTABLE;

    return rank != 0 && rank < most ? rank : most;
}

/* A preferred cluster is a multiple of the launch's cluster, and the grid consists of whole ones.
 */
static bool fits_preferred(const struct cup_launch_shape *shape, bool known)
{
    for (unsigned i = 0; i < 3; i++)
        if (shape->preferred_cluster[i] % shape->cluster[i] != 0 ||
            shape->grid[i] % shape->preferred_cluster[i] != 0)
            return false;
    return known;
}

static CUresult refuse(const struct cup_launch_shape *shape)
{
    return cup_error(CUDA_ERROR_INVALID_CLUSTER_SIZE,
                     "invalid clusters of %u x %u x %u blocks in a grid of %u x %u x %u",
                     shape->cluster[0], shape->cluster[1], shape->cluster[2], shape->grid[0],
                     shape->grid[1], shape->grid[2]);
}

CUresult cup_launch_cluster(const struct CUfunc_st *function, struct cup_launch_shape *shape)
{
    bool must = cup_function_needs_cluster(cup_function_ptx(function)), known = true;

    for (unsigned i = 0; i < 3; i++) {
        uint32_t required =
            (uint32_t)cup_setting_get(&function->settings, CUP_SETTING_CLUSTER_X + i);
        if (required == 0 && !shape->cluster_set)
            known = false;
        if (shape->cluster_set && required != 0 && shape->cluster[i] != required)
            return refuse(shape);
        if (!shape->cluster_set)
            shape->cluster[i] = required ? required : 1;
    }
    if (must && !known)
        return refuse(shape);
    if ((uint64_t)shape->cluster[0] * shape->cluster[1] * shape->cluster[2] >
        cup_launch_cluster_max(function, shape->cluster_mode))
        return refuse(shape);
    for (unsigned i = 0; i < 3; i++)
        if (shape->grid[i] % shape->cluster[i] != 0)
            return refuse(shape);
    return shape->preferred_cluster[0] == 0 || fits_preferred(shape, known) ? CUDA_SUCCESS
                                                                            : refuse(shape);
}
