/* SPDX-License-Identifier: MIT */
/* Nodes that allocate and free. An allocation has its address from the moment it is added; after
 * the free of an earlier allocation of the graph it may reuse that address. */
#include "core/error.h"
#include "core/lock.h"
#include "device/device.h"
#include "graph/graph_allocation.h"
#include "graph/node.h"
#include "memory/graph_memory.h"
#include "memory/pool.h"
#include "os/guard.h"

#include <string.h>

/* The application's list of devices with access. */
struct access_list {
    const CUmemAccessDesc *from;
    CUmemAccessDesc *to;
    size_t count;
};

static void access_read(void *argument)
{
    struct access_list *list = argument;

    memcpy(list->to, list->from, list->count * sizeof(*list->to));
}

static CUresult check_call_site(const CUmemPoolProps *pool)
{
    const unsigned handles = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_WIN32 |
                             CU_MEM_HANDLE_TYPE_WIN32_KMT | CU_MEM_HANDLE_TYPE_FABRIC;

    if ((pool->allocType != CU_MEM_ALLOCATION_TYPE_PINNED &&
         pool->allocType != CU_MEM_ALLOCATION_TYPE_MANAGED) ||
        ((unsigned)pool->handleTypes & ~handles) || !cup_pool_reserved_is_zero(pool))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "memory of type %d cannot be allocated",
                         (int)pool->allocType);
    if (pool->location.type == CU_MEM_LOCATION_TYPE_HOST ||
        pool->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA || pool->handleTypes)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "a graph can allocate device memory only");
    if (pool->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !cup_device_get(pool->location.id))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid location %d of type %d",
                         pool->location.id, (int)pool->location.type);
    return CUDA_SUCCESS;
}

static CUresult check_access(const CUmemAccessDesc *access, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool on_device = access[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE;
        for (size_t j = 0; j < i; j++) {
            if (memcmp(&access[i].location, &access[j].location, sizeof(access->location)) == 0)
                return cup_error(CUDA_ERROR_INVALID_VALUE, "a device is listed twice");
        }
        if (access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
            access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
            return cup_error(CUDA_ERROR_NOT_SUPPORTED, "read-only access is not supported");
        if (access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid access flags 0x%x",
                             (unsigned)access[i].flags);
        if (on_device && !cup_device_get(access[i].location.id))
            return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist",
                             access[i].location.id);
    }
    return CUDA_SUCCESS;
}

enum { ACCESS_COUNT_MAX = 1024 };

static CUresult alloc_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    const CUDA_MEM_ALLOC_NODE_PARAMS_v2 *from = &given->alloc;
    CUresult result = check_call_site(&from->poolProps);

    if (result != CUDA_SUCCESS)
        return result;
    if (from->bytesize == 0 || from->accessDescCount > ACCESS_COUNT_MAX ||
        (from->accessDescCount && !from->accessDescs))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid size of %zu bytes or list of %zu devices", from->bytesize,
                         from->accessDescCount);
    struct cup_node_params *made = cup_node_params_create(
        &cup_node_alloc, given, (from->accessDescCount + 1) * sizeof(CUmemAccessDesc));
    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    struct access_list list = {from->accessDescs, (CUmemAccessDesc *)made->data,
                               from->accessDescCount};
    if (list.count && !cup_guard_run(access_read, &list))
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "a list of devices is not readable");
    if (result == CUDA_SUCCESS)
        result = check_access(list.to, list.count);
    if (result != CUDA_SUCCESS) {
        cup_node_params_unref(made);
        return result;
    }
    made->given.alloc.accessDescs = list.to;
    *params = made;
    return CUDA_SUCCESS;
}

static CUresult alloc_attach_locked(struct CUgraphNode_st *node, struct cup_node_params *params)
{
    cup_lock_assert_held(&cup_graph_lock);
    CUDA_MEM_ALLOC_NODE_PARAMS_v2 *alloc = &params->given.alloc;
    CUresult result = cup_graph_allocation_add_locked(
        node, cup_device_get(alloc->poolProps.location.id), alloc->bytesize, &alloc->dptr);

    if (result == CUDA_SUCCESS)
        node->graph->memory_node_count++;
    return result;
}

static void memory_detach_locked(struct CUgraphNode_st *node, struct cup_node_params *params)
{
    cup_lock_assert_held(&cup_graph_lock);
    (void)params;
    node->graph->memory_node_count--;
}

static CUresult free_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    if (!given->free.dptr)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the address to free is 0");
    *params = cup_node_params_create(&cup_node_free, given, 0);
    return *params ? CUDA_SUCCESS : cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
}

static CUresult free_attach_locked(struct CUgraphNode_st *node, struct cup_node_params *params)
{
    cup_lock_assert_held(&cup_graph_lock);
    CUresult result = cup_graph_allocation_free_locked(node, params->given.free.dptr);

    if (result == CUDA_SUCCESS)
        node->graph->memory_node_count++;
    return result;
}

const struct cup_node_type cup_node_alloc = {
    .id = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
    .name = "MEM_ALLOC",
    .params_bytes = sizeof(CUDA_MEM_ALLOC_NODE_PARAMS_v2),
    .make = alloc_make,
    .is_fixed = true,
    .attach_locked = alloc_attach_locked,
    .detach_locked = memory_detach_locked,
};

const struct cup_node_type cup_node_free = {
    .id = CU_GRAPH_NODE_TYPE_MEM_FREE,
    .name = "MEM_FREE",
    .params_bytes = sizeof(CUDA_MEM_FREE_NODE_PARAMS),
    .make = free_make,
    .is_fixed = true,
    .attach_locked = free_attach_locked,
    .detach_locked = memory_detach_locked,
};
