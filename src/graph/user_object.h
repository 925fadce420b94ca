/* SPDX-License-Identifier: MIT */
/* A user object: something of the application's that lives as long as graphs need it. Its
 * references are counted by the application and by graphs; when the last goes, its destructor is
 * called, on a thread of ours, as nobody may be kept waiting for it. */
#ifndef CUP_GRAPH_USER_OBJECT_H
#define CUP_GRAPH_USER_OBJECT_H

#include "core/object.h"
#include "graph/graph.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdint.h>

struct CUuserObject_st {
    struct cup_object base;
    struct CUuserObject_st *next; /* among those whose destructor is to be called */
    void *pointer;
    CUhostFn destructor;
    _Atomic(int64_t) count;
};

void cup_user_object_register(void);
CUresult cup_user_object_create(void *pointer, CUhostFn destructor, unsigned count,
                                struct CUuserObject_st **object);

/* Takes a reference on the memory of it; INVALID_VALUE for whatever is none. */
CUresult cup_user_object_find(CUuserObject handle, struct CUuserObject_st **object);

void cup_user_object_retain(struct CUuserObject_st *object, unsigned count);
void cup_user_object_release(struct CUuserObject_st *object, unsigned count);

/* References that the graph holds. Moved ones are the application's own until now. */
CUresult cup_graph_retain_user(struct CUgraph_st *graph, struct CUuserObject_st *object,
                               unsigned count, bool moved);
void cup_graph_release_user(struct CUgraph_st *graph, struct CUuserObject_st *object,
                            unsigned count);

#endif
