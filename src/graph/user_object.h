/* SPDX-License-Identifier: MIT */
/* A user object: a resource of the application that lives as long as graphs need it. The
 * application and graphs hold references on it. The call that releases the last one calls its
 * destructor before it returns. A reference that ends with a launch is released by nobody's call; a
 * thread of the library then calls the destructor. */
#ifndef CUP_GRAPH_USER_OBJECT_H
#define CUP_GRAPH_USER_OBJECT_H

#include "core/object.h"
#include "graph/graph.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdint.h>

struct CUuserObject_st {
    struct cup_object base;
    struct CUuserObject_st *next; /* in the list of destructors to call */
    void *pointer;
    CUhostFn destructor;
    _Atomic(int64_t) count;
};

void cup_user_object_register(void);
CUresult cup_user_object_create(void *pointer, CUhostFn destructor, unsigned count,
                                struct CUuserObject_st **object);

/* Takes a reference on its memory; INVALID_VALUE if the handle is not that of a user object. */
CUresult cup_user_object_find(CUuserObject handle, struct CUuserObject_st **object);

/* The destructors of objects that this thread releases between the two calls are called by the
 * second one. No lock is held then. */
void cup_user_objects_begin(void);
void cup_user_objects_end(void);

void cup_user_object_retain(struct CUuserObject_st *object, unsigned count);
void cup_user_object_release(struct CUuserObject_st *object, unsigned count);

/* Changes the references that the graph holds. moved: the application's own references become the
 * graph's. */
CUresult cup_graph_retain_user(struct CUgraph_st *graph, struct CUuserObject_st *object,
                               unsigned count, bool moved);
void cup_graph_release_user(struct CUgraph_st *graph, struct CUuserObject_st *object,
                            unsigned count);

#endif
