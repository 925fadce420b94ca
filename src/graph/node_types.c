/* SPDX-License-Identifier: MIT */
/* All types of nodes, making parameters of any of them, and empty nodes, which have none. */
#include "core/driver_version.h"
#include "core/error.h"
#include "graph/node.h"

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

/* Returns NULL for an unknown type. */
static const struct cup_node_type *get_type(CUgraphNodeType id)
{
    id = (CUgraphNodeType)cup_driver_enumerator(CUP_ENUM_GRAPH_NODE, (int)id);
    return (unsigned)id < CUP_NODE_TYPE_COUNT ? types[id] : NULL;
}

/* Whether the bytes after the type's member are zero. */
static bool rest_is_zero(const CUgraphNodeParams *given, size_t used_bytes)
{
    const unsigned char *at = (const unsigned char *)given->reserved1;

    for (size_t i = used_bytes; i < sizeof(given->reserved1); i++) {
        if (at[i])
            return false;
    }
    return true;
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

/* A structure for one type has no reserved fields. Made into a CUgraphNodeParams, what lies behind
 * its member is what the compiler leaves there: C does not clear the rest of a union. */
static CUresult check_form(const CUgraphNodeParams *given, enum cup_node_form form)
{
    const struct cup_node_type *type = get_type(given->type);
    const int *reserved = given->reserved0;

    if (!type ||
        (form == CUP_NODE_GENERIC && (reserved[0] || reserved[1] || reserved[2] ||
                                      given->reserved2 || !rest_is_zero(given, used_bytes(type)))))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid node type %d, or reserved fields are not zero", (int)given->type);
    return CUDA_SUCCESS;
}

CUresult cup_node_params_make(const CUgraphNodeParams *given, enum cup_node_form form,
                              struct cup_node_params **params)
{
    CUresult result = check_form(given, form);

    return result == CUDA_SUCCESS ? get_type(given->type)->make(given, params) : result;
}

CUresult cup_node_params_remake(const CUgraphNodeParams *given, enum cup_node_form form,
                                const struct cup_node_kernel_attributes *attributes,
                                struct cup_node_params **params)
{
    CUresult result;

    if (given->type != CU_GRAPH_NODE_TYPE_KERNEL)
        return cup_node_params_make(given, form, params);
    result = check_form(given, form);
    if (result == CUDA_SUCCESS)
        result = cup_node_kernel_make(given, attributes->shared_mode, params);
    if (result == CUDA_SUCCESS)
        (*params)->attributes = *attributes;
    return result;
}
