/* SPDX-License-Identifier: MIT */
#include "graph/host_work.h"

#include "core/error.h"
#include "core/log.h"
#include "stream/host_work.h"
#include "stream/host_work_guard.h"

#include <stdlib.h>

static void CUDA_CB work_end(void *pointer)
{
    struct cupipe_work *work = pointer;

    if (work->release)
        work->release(work->data);
    free(work);
}

CUresult cup_graph_host_work_create(const struct cupipe_work *work, struct CUuserObject_st **object)
{
    struct cupipe_work *copy = cup_host_work_copy(work);

    if (!copy)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    CUresult result = cup_user_object_create(copy, work_end, 1, object);
    if (result != CUDA_SUCCESS)
        free(copy);
    return result;
}

/* False if the last count is gone. */
static bool try_retain(struct CUuserObject_st *object)
{
    int64_t count = atomic_load(&object->count);

    while (count > 0 && !atomic_compare_exchange_weak(&object->count, &count, count + 1))
        ;
    return count > 0;
}

CUresult cup_graph_host_work_retain(void *data, struct CUuserObject_st **object)
{
    struct CUuserObject_st *found;
    CUresult result = cup_user_object_find(data, &found);

    if (result != CUDA_SUCCESS)
        return result;
    if (found->destructor != work_end || !try_retain(found))
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not the work of a host node", data);
    else
        *object = found;
    cup_object_unref(&found->base);
    return result;
}

void cup_graph_host_work_disown(struct CUuserObject_st *object)
{
    ((struct cupipe_work *)object->pointer)->release = NULL;
}

void CUDA_CB cup_graph_host_work_call(void *data)
{
    struct CUuserObject_st *object;

    if (cup_graph_host_work_retain(data, &object) != CUDA_SUCCESS)
        return;
    const struct cupipe_work *work = cup_graph_host_work_of(object);
    CUresult result = work->run ? cup_host_work_call(work) : CUDA_ERROR_NOT_SUPPORTED;
    if (result != CUDA_SUCCESS)
        cup_log(CUP_LOG_ERROR, "the work %s, called as a host function, failed with %s",
                work->name ? work->name : "of a host node", cup_result_name(result));
    cup_user_object_release(object, 1);
}
