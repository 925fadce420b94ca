/* SPDX-License-Identifier: MIT */
/* What a node does. Its parameters are one immutable, counted block: the node, clones of it and
 * executable graphs share it, and setting parameters puts another block in its place.
 *
 * A table of functions for each type of node says how parameters are judged and kept, how they
 * become work, and what of them may change in an executable graph. */
#ifndef CUP_GRAPH_NODE_H
#define CUP_GRAPH_NODE_H

#include "core/object.h"
#include "graph/graph.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUctx_st;
struct CUevent_st;
struct CUfunc_st;
struct cup_launch_shape;
struct cup_plan;
struct cup_plan_node;

enum { CUP_NODE_TYPE_COUNT = CU_GRAPH_NODE_TYPE_CONDITIONAL + 1 };

/* What cuGraphKernelNodeSetAttribute sets. */
struct cup_node_kernel_attributes {
    CUaccessPolicyWindow window;
    int cooperative;
    uint32_t cluster[3];
    int cluster_policy;
    int priority;
    CUlaunchMemSyncDomainMap domain_map;
    int domain;
    int updatable;
    unsigned carveout;
};

struct cup_node_params {
    _Atomic(uint32_t) refs;
    const struct cup_node_type *type;
    /* As the application gave them, but that pointers are to memory of this block. */
    CUgraphNodeParams given;
    struct cup_node_kernel_attributes attributes; /* of kernel nodes */
    struct cup_object *object; /* the function or event; a reference is held. NULL: none */
    struct CUctx_st *context;  /* where the work belongs; a reference is held. NULL: anywhere */
    bool is_extra;             /* the arguments of the kernel were given behind `extra` */
    void *arguments;           /* laid out, of kernel nodes; in this block */
    size_t arguments_bytes;
    size_t data_bytes;
    /* Arrays that `given` points to follow. */
    _Alignas(16) unsigned char data[];
};

struct cup_node_type {
    CUgraphNodeType id;
    const char *name;    /* in DOT files */
    size_t params_bytes; /* of its member of CUgraphNodeParams; what is behind must be zero */
    /* Judges parameters and keeps them; INVALID_VALUE and the like leave *params alone. */
    CUresult (*make)(const CUgraphNodeParams *given, struct cup_node_params **params);
    bool is_fixed; /* parameters cannot be set again: NOT_SUPPORTED */
    /* What more a node is than its parameters. All under cup_graph_lock, all may be NULL. */
    CUresult (*attach_locked)(struct CUgraphNode_st *node);
    void (*detach_locked)(struct CUgraphNode_st *node, struct cup_node_params *params);
    CUresult (*clone_locked)(const struct cup_node_params *params, struct cup_node_params **clone);
    /* In an executable graph: makes the work of the node out of its parameters, and frees it. NULL:
     * there is none. */
    CUresult (*plan)(struct cup_plan_node *node);
    void (*unplan)(struct cup_plan_node *node);
    /* The size of the job that `plan` makes, if it takes its memory from cup_plan_job_place();
     * NULL: `plan` allocates the job. */
    size_t (*job_bytes)(const struct cup_node_params *params);
    /* Around each run of the work; may be NULL. Before: false when there is nothing to do now. */
    bool (*before)(struct cup_plan_node *node);
    void (*after)(struct cup_plan_node *node);
    /* May the work of an executable graph become this? NULL: always. */
    CUgraphExecUpdateResult (*update)(const struct cup_node_params *old,
                                      const struct cup_node_params *made);
    bool runs_in_bodies;   /* may be in the graph of a conditional node */
    bool runs_from_device; /* may be in a graph that a device launches */
    bool can_be_disabled;
};

/* NULL: there is no such type. */
const struct cup_node_type *cup_node_get_type(CUgraphNodeType id);

extern const struct cup_node_type cup_node_kernel, cup_node_memcpy, cup_node_memset, cup_node_host,
    cup_node_child, cup_node_empty, cup_node_event_wait, cup_node_event_record,
    cup_node_semaphore_signal, cup_node_semaphore_wait, cup_node_alloc, cup_node_free,
    cup_node_batch, cup_node_conditional;

/* A block with room for so many bytes behind it, with one reference; NULL: memory is out. */
struct cup_node_params *cup_node_params_create(const struct cup_node_type *type,
                                               const CUgraphNodeParams *given, size_t data_bytes);
void cup_node_params_ref(struct cup_node_params *params);
void cup_node_params_unref(struct cup_node_params *params);

/* The generic form: judges reserved fields and the type, then asks the type. */
CUresult cup_node_params_make(const CUgraphNodeParams *given, struct cup_node_params **params);

/* Is what lies behind the member that the type uses zero? */
bool cup_node_rest_is_zero(const CUgraphNodeParams *given, size_t used_bytes);

/* The context that a node names; without one, the current one or none. */
CUresult cup_node_context(CUcontext handle, struct CUctx_st **context);

/* The parameters of a node of that type, with a reference; INVALID_VALUE if it is of another. */
CUresult cup_node_params_of(struct CUgraphNode_st *node, CUgraphNodeType id,
                            struct cup_node_params **params);

/* Sets a node's parameters, which must be of its type. */
CUresult cup_node_set(struct CUgraphNode_st *node, const CUgraphNodeParams *given);

/* The same with parameters that were made: takes the reference over when it succeeds. */
CUresult cup_node_set_params(struct CUgraphNode_st *node, struct cup_node_params *params);

/* kernel_attribute.c. The two that set answer a changed block. */
struct cup_launch_shape cup_node_kernel_shape(const struct cup_node_params *params);
CUresult cup_node_kernel_attribute_get(const struct cup_node_kernel_attributes *attributes,
                                       CUkernelNodeAttrID id, CUkernelNodeAttrValue *value);
CUresult cup_node_kernel_attribute_set(const struct cup_node_params *params, CUkernelNodeAttrID id,
                                       const CUkernelNodeAttrValue *value,
                                       struct cup_node_params **changed);
CUresult cup_node_kernel_attributes_copy(const struct cup_node_params *params,
                                         const struct cup_node_params *from,
                                         struct cup_node_params **changed);

/* node_batch_op.c: are the addresses memory now? */
CUresult cup_node_batch_check(const struct cup_node_params *params);

/* node_kernel.c: another block with the same contents; NULL: memory is out. */
struct cup_node_params *cup_node_kernel_params_copy(const struct cup_node_params *params);

#endif
