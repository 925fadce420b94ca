/* SPDX-License-Identifier: MIT */
/* User objects. */
#include "graph/user_object.h"

#include "impl.h"
#include "core/error.h"

#include <limits.h>

CUresult impl_cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy,
                                 unsigned int initialRefcount, unsigned int flags)
{
    if (!object_out || !destroy || initialRefcount == 0 ||
        flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid user object with %u references, flags 0x%x", initialRefcount,
                         flags);
    return cup_user_object_create(ptr, destroy, initialRefcount, object_out);
}

static CUresult find(CUuserObject handle, unsigned count, struct CUuserObject_st **object)
{
    if (count == 0 || count > INT_MAX)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%u references", count);
    return cup_user_object_find(handle, object);
}

CUresult impl_cuUserObjectRetain(CUuserObject object, unsigned int count)
{
    struct CUuserObject_st *found;
    CUresult result = find(object, count, &found);

    if (result != CUDA_SUCCESS)
        return result;
    cup_user_object_retain(found, count);
    cup_object_unref(&found->base);
    return CUDA_SUCCESS;
}

CUresult impl_cuUserObjectRelease(CUuserObject object, unsigned int count)
{
    struct CUuserObject_st *found;
    CUresult result = find(object, count, &found);

    if (result != CUDA_SUCCESS)
        return result;
    cup_user_objects_begin();
    cup_user_object_release(found, count);
    cup_object_unref(&found->base);
    cup_user_objects_end();
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                      unsigned int flags)
{
    struct CUuserObject_st *found;
    struct CUgraph_st *holder;

    if (flags & ~(unsigned)CU_GRAPH_USER_OBJECT_MOVE)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid flags 0x%x", flags);
    CUresult result = cup_graph_find(graph, &holder);
    if (result != CUDA_SUCCESS)
        return result;
    result = find(object, count, &found);
    if (result == CUDA_SUCCESS) {
        result = cup_graph_retain_user(holder, found, count, flags & CU_GRAPH_USER_OBJECT_MOVE);
        cup_object_unref(&found->base);
    }
    cup_graph_unref(holder);
    return result;
}

CUresult impl_cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
    struct CUuserObject_st *found;
    struct CUgraph_st *holder;
    CUresult result = cup_graph_find(graph, &holder);

    if (result != CUDA_SUCCESS)
        return result;
    result = find(object, count, &found);
    if (result == CUDA_SUCCESS) {
        cup_user_objects_begin();
        cup_graph_release_user(holder, found, count);
        cup_object_unref(&found->base);
        cup_user_objects_end();
    }
    cup_graph_unref(holder);
    return result;
}
