/* SPDX-License-Identifier: MIT */
/* Parameter blocks of nodes, and what the types of nodes share. */
#include "core/error.h"
#include "device/context.h"
#include "device/device.h"
#include "graph/node.h"
#include "graph/user_object.h"
#include "memory/graph_memory.h"
#include "memory/map.h"

#include <stdlib.h>

struct cup_node_params *cup_node_params_create(const struct cup_node_type *type,
                                               const CUgraphNodeParams *given, size_t data_bytes)
{
    struct cup_node_params *params = calloc(1, sizeof(*params) + data_bytes);

    if (!params)
        return NULL;
    atomic_store_explicit(&params->refs, 1, memory_order_relaxed);
    params->type = type;
    params->given = *given;
    params->data_bytes = data_bytes;
    return params;
}

void cup_node_params_ref(struct cup_node_params *params)
{
    atomic_fetch_add_explicit(&params->refs, 1, memory_order_relaxed);
}

void cup_node_params_unref(struct cup_node_params *params)
{
    if (atomic_fetch_sub(&params->refs, 1) != 1)
        return;
    if (params->work)
        cup_user_object_release(params->work, 1);
    if (params->object)
        cup_object_unref(params->object);
    if (params->context)
        cup_context_unref(params->context);
    free(params);
}

CUresult cup_node_context(CUcontext handle, struct CUctx_st **context)
{
    if (handle && cup_context_find(handle, context) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context %p has been destroyed",
                         (void *)handle);
    if (handle)
        return CUDA_SUCCESS;
    *context = cup_context_current();
    if (*context)
        cup_context_ref(*context);
    return CUDA_SUCCESS;
}

CUresult cup_node_params_prefer(struct cup_node_params *params, CUcontext handle)
{
    return handle ? cup_node_context(handle, &params->context) : CUDA_SUCCESS;
}

CUgraphExecUpdateResult cup_node_update_context(const struct cup_node_params *old,
                                                const struct cup_node_params *made)
{
    return old->context == made->context ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                                         : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

static bool describe(CUdeviceptr address, struct cup_range *range)
{
    cup_graphmem_reveal();
    bool found = cup_map_describe(address, range);
    cup_graphmem_conceal();
    return found && range->device && range->kind != CUP_RANGE_MANAGED &&
           cup_range_on_device(range->kind, range->flags);
}

bool cup_node_same_device(CUdeviceptr old, CUdeviceptr made)
{
    struct cup_range before, after;

    return cup_device_count() == 1 || !describe(old, &before) || !describe(made, &after) ||
           before.device == after.device;
}

/* Memory of pools and virtual memory belong to no context. */
static bool has_owner(CUdeviceptr address, struct cup_range *range)
{
    return describe(address, range) && range->kind == CUP_RANGE_DEVICE &&
           !(range->flags & CUP_RANGE_POOL) && range->owner != CUP_OWNER_NONE;
}

bool cup_node_same_owner(CUdeviceptr old, CUdeviceptr made)
{
    struct cup_range before, after;

    return !has_owner(old, &before) || !has_owner(made, &after) || before.owner == after.owner;
}
