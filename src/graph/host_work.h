/* SPDX-License-Identifier: MIT */
/* Work of the host (cupipe.h) that host nodes own. It is a user object, of which each parameter
 * block of such a node holds a count: the work is released when the last graph or executable graph
 * that has the node ends, by the rules of user objects. To the application such a node calls
 * cup_graph_host_work_call() with the user object as its data; a node that is given the same shares
 * the work. */
#ifndef CUP_GRAPH_HOST_WORK_H
#define CUP_GRAPH_HOST_WORK_H

#include "graph/user_object.h"

#include <cuda.h>
#include <cupipe.h>

/* Copies the work. The caller has the first count. */
CUresult cup_graph_host_work_create(const struct cupipe_work *work,
                                    struct CUuserObject_st **object);

/* Counts one more owner; INVALID_VALUE if `data` is not such an object. */
CUresult cup_graph_host_work_retain(void *data, struct CUuserObject_st **object);

/* The work stays with the application: it is not released with the object. */
void cup_graph_host_work_disown(struct CUuserObject_st *object);

static inline const struct cupipe_work *cup_graph_host_work_of(const struct CUuserObject_st *object)
{
    return object->pointer;
}

/* The function of the nodes: runs the work, also where the application calls it as a function of
 * its own. */
void CUDA_CB cup_graph_host_work_call(void *data);

#endif
