/* SPDX-License-Identifier: MIT */
/* Parameter blocks of nodes, and empty nodes, which have no parameters. */
#include "graph/node.h"

#include "core/driver_version.h"
#include "core/error.h"
#include "device/context.h"
#include "device/device.h"
#include "memory/graph_memory.h"
#include "memory/map.h"

#include <stdlib.h>

static const struct cup_node_type *const types[CUP_NODE_TYPE_COUNT] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = &cup_node_kernel,
    [CU_GRAPH_NODE_TYPE_MEMCPY] = &cup_node_memcpy,
    [CU_GRAPH_NODE_TYPE_MEMSET] = &cup_node_memset,
    [CU_GRAPH_NODE_TYPE_HOST] = &cup_node_host,
    [CU_GRAPH_NODE_TYPE_GRAPH] = &cup_node_child,
    [CU_GRAPH_NODE_TYPE_EMPTY] = &cup_node_empty,
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = &cup_node_event_wait,
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = &cup_node_event_record,
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL] = &cup_node_semaphore_signal,
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT] = &cup_node_semaphore_wait,
    [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = &cup_node_alloc,
    [CU_GRAPH_NODE_TYPE_MEM_FREE] = &cup_node_free,
    [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = &cup_node_batch,
    [CU_GRAPH_NODE_TYPE_CONDITIONAL] = &cup_node_conditional,
};

const struct cup_node_type *cup_node_get_type(CUgraphNodeType id)
{
    id = (CUgraphNodeType)cup_driver_enumerator(CUP_ENUM_GRAPH_NODE, (int)id);
    return (unsigned)id < CUP_NODE_TYPE_COUNT ? types[id] : NULL;
}

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
    if (params->object)
        cup_object_unref(params->object);
    if (params->context)
        cup_context_unref(params->context);
    free(params);
}

/* The bytes of the type's member that the driver knows. */
static size_t used_bytes(const struct cup_node_type *type)
{
    size_t bytes = type->params_bytes;

    for (size_t i = 0; i < CUP_ARRAY_COUNT(type->later) && type->later[i].since; i++) {
        if (!cup_driver_has(type->later[i].since))
            bytes = type->later[i].offset;
    }
    return bytes;
}

static CUresult check_form(const CUgraphNodeParams *given)
{
    const struct cup_node_type *type = cup_node_get_type(given->type);
    const int *reserved = given->reserved0;

    if (!type || reserved[0] || reserved[1] || reserved[2] || given->reserved2 ||
        !cup_node_rest_is_zero(given, used_bytes(type)))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid node type %d, or reserved fields are not zero", (int)given->type);
    return CUDA_SUCCESS;
}

CUresult cup_node_params_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    CUresult result = check_form(given);

    return result == CUDA_SUCCESS ? cup_node_get_type(given->type)->make(given, params) : result;
}

CUresult cup_node_params_remake(const CUgraphNodeParams *given,
                                const struct cup_node_kernel_attributes *attributes,
                                struct cup_node_params **params)
{
    CUresult result;

    if (given->type != CU_GRAPH_NODE_TYPE_KERNEL)
        return cup_node_params_make(given, params);
    result = check_form(given);
    if (result == CUDA_SUCCESS)
        result = cup_node_kernel_make(given, attributes->shared_mode, params);
    if (result == CUDA_SUCCESS)
        (*params)->attributes = *attributes;
    return result;
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

CUresult cup_node_params_of(struct CUgraphNode_st *node, CUgraphNodeType id,
                            struct cup_node_params **params)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&cup_graph_lock);
    if (node->graph && node->params->type->id == id) {
        *params = node->params;
        cup_node_params_ref(*params);
    } else {
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the node has another type");
    }
    cup_lock_release(&cup_graph_lock);
    return result;
}

CUresult cup_node_lend(struct CUgraphNode_st *node, CUgraphNodeParams *params)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&cup_graph_lock);
    if (node->graph) {
        node->params->is_lent = true;
        *params = node->params->given;
    } else {
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the node has just been destroyed");
    }
    cup_lock_release(&cup_graph_lock);
    return result;
}

/* Keeps parameters to which the application has pointers. */
static CUresult keep_lent_locked(struct CUgraphNode_st *node, struct cup_node_params *params)
{
    struct cup_node_params **kept;

    if (!params->is_lent || params->data_bytes == 0)
        return CUDA_SUCCESS;
    kept = cup_dynarray_add(&node->lent.array, sizeof(*kept));
    if (!kept)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the parameters of a node");
    cup_node_params_ref(params);
    *kept = params;
    return CUDA_SUCCESS;
}

CUresult cup_node_set_params_locked(struct CUgraphNode_st *node, struct cup_node_params *params,
                                    struct cup_node_params **old)
{
    const struct cup_node_type *type = params->type;
    CUresult result = CUDA_SUCCESS;

    if (!node->graph || node->params->type != type)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the node has another type");
    else
        result = keep_lent_locked(node, node->params);
    if (result != CUDA_SUCCESS)
        return result;
    *old = node->params;
    node->params = params;
    if (type->attach_locked)
        result = type->attach_locked(node);
    if (result != CUDA_SUCCESS)
        node->params = *old;
    else if (type->detach_locked)
        type->detach_locked(node, *old);
    return result;
}

CUresult cup_node_set_params(struct CUgraphNode_st *node, struct cup_node_params *params)
{
    struct cup_node_params *old;

    cup_lock_acquire(&cup_graph_lock);
    CUresult result = cup_node_set_params_locked(node, params, &old);
    cup_lock_release(&cup_graph_lock);
    if (result == CUDA_SUCCESS)
        cup_node_params_unref(old);
    return result;
}

void cup_node_complete(CUgraphNodeParams *given, enum cup_node_form form,
                       const struct cup_node_params *old)
{
    if (form == CUP_NODE_GENERIC || given->type != old->given.type)
        return;
    switch (given->type) {
    case CU_GRAPH_NODE_TYPE_HOST:
        given->host.syncMode = old->given.host.syncMode;
        given->host.ctx = old->given.host.ctx;
        break;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        given->eventRecord.ctx = old->given.eventRecord.ctx;
        break;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        given->extSemSignal.ctx = old->given.extSemSignal.ctx;
        break;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        given->extSemWait.ctx = old->given.extSemWait.ctx;
        break;
    default:
        break;
    }
}

CUresult cup_node_set(struct CUgraphNode_st *node, const CUgraphNodeParams *given,
                      enum cup_node_form form)
{
    struct cup_node_params *params;
    CUgraphNodeParams whole = *given;
    struct cup_node_kernel_attributes attributes = {0};

    cup_lock_acquire(&cup_graph_lock);
    const struct cup_node_type *type = node->graph ? node->params->type : NULL;
    if (type) {
        attributes = node->params->attributes;
        cup_node_complete(&whole, form, node->params);
    }
    cup_lock_release(&cup_graph_lock);
    if (!type || type->id != given->type)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the node is not of type %d", (int)given->type);
    if (type->is_fixed)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                         "the parameters of such a node cannot be changed");
    CUresult result = cup_node_params_remake(&whole, &attributes, &params);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_node_set_params(node, params);
    if (result != CUDA_SUCCESS)
        cup_node_params_unref(params);
    return result;
}

bool cup_node_rest_is_zero(const CUgraphNodeParams *given, size_t used_bytes)
{
    const unsigned char *at = (const unsigned char *)given->reserved1;

    for (size_t i = used_bytes; i < sizeof(given->reserved1); i++) {
        if (at[i])
            return false;
    }
    return true;
}

static CUresult empty_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    *params = cup_node_params_create(&cup_node_empty, given, 0);
    return *params ? CUDA_SUCCESS : cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
}

const struct cup_node_type cup_node_empty = {
    .id = CU_GRAPH_NODE_TYPE_EMPTY,
    .name = "EMPTY",
    .make = empty_make,
    .runs_in_bodies = true,
};

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
