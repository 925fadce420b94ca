/* SPDX-License-Identifier: MIT */
/* The parameters of nodes. A parameter block is immutable and reference-counted: the node, its
 * clones and executable graphs share it, and setting parameters replaces it by another block.
 *
 * Each type of node has a table of functions to validate and copy its parameters, to turn them into
 * work, and to decide which of them may change in an executable graph. */
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
struct CUuserObject_st;
struct cup_exec_wanted;
struct cup_launch_shape;
struct cup_plan;
struct cup_plan_node;

enum { CUP_NODE_TYPE_COUNT = CU_GRAPH_NODE_TYPE_CONDITIONAL + 1 };

/* The attributes that cuGraphKernelNodeSetAttribute sets. */
struct cup_node_kernel_attributes {
    CUaccessPolicyWindow window;
    int cooperative;
    uint32_t cluster[3];
    int cluster_policy;
    int priority;
    CUlaunchMemSyncDomainMap domain_map;
    int domain;
    int updatable;        /* by kernels of the device */
    uint64_t device_node; /* its handle there; 0: none */
    unsigned carveout;
    int nvlink_scheduling;
    CUlaunchAttributePortableClusterMode cluster_mode;
    CUsharedMemoryMode shared_mode;
};

struct cup_node_params {
    _Atomic(uint32_t) refs;
    bool is_lent; /* the application has pointers into it; guarded by cup_graph_lock */
    const struct cup_node_type *type;
    /* As the application gave them, except that pointers point into this block. */
    CUgraphNodeParams given;
    struct cup_node_kernel_attributes attributes; /* of kernel nodes */
    struct CUuserObject_st *work; /* of host nodes that own their work: a count of it; or NULL */
    struct cup_object *object;    /* the function, event or graph, with a reference, or NULL */
    struct CUctx_st *context; /* context of the work, with a reference; NULL: no particular one */
    bool is_extra;            /* the kernel's arguments were given by `extra` */
    void *arguments;          /* of kernel nodes: laid out, in this block */
    size_t arguments_bytes;
    size_t data_bytes;
    /* The arrays that `given` points to. */
    _Alignas(16) unsigned char data[];
};

struct cup_node_type {
    CUgraphNodeType id;
    const char *name;    /* in DOT files */
    size_t params_bytes; /* of its member of CUgraphNodeParams; the bytes after it must be zero */
    /* Fields of that member that came later: with a driver older than `since`, the bytes from
     * `offset` on are reserved. The newest first; `since` 0: none. */
    struct cup_node_field {
        unsigned since;
        size_t offset;
    } later[2];
    /* Validates parameters and makes a block of them; on failure *params is unchanged. */
    CUresult (*make)(const CUgraphNodeParams *given, struct cup_node_params **params);
    bool is_fixed; /* parameters cannot be set again: NOT_SUPPORTED */
    /* State of a node besides its parameters. All run under cup_graph_lock and may be NULL. */
    /* The parameters are the node's from now on; a node that has others keeps them until this has
     * succeeded, so that graphs which have the node can be cloned. */
    CUresult (*attach_locked)(struct CUgraphNode_st *node, struct cup_node_params *params);
    void (*detach_locked)(struct CUgraphNode_st *node, struct cup_node_params *params);
    CUresult (*clone_locked)(const struct cup_node_params *params, struct cup_node_params **clone);
    /* In an executable graph: makes the node's job from its parameters, and frees it. NULL: no
     * job. */
    CUresult (*plan)(struct cup_plan_node *node);
    void (*unplan)(struct cup_plan_node *node);
    /* Says which code `plan` will compile; false: none. NULL: the same. */
    bool (*wants_code)(const struct cup_plan_node *node, struct cup_exec_wanted *wanted);
    /* The size of the job that `plan` makes, if it takes its memory from cup_plan_job_place();
     * NULL: `plan` allocates the job. */
    size_t (*job_bytes)(const struct cup_node_params *params);
    /* Called before and after each run of the job; may be NULL. `before` returns false if there is
     * nothing to do in this run. */
    bool (*before)(struct cup_plan_node *node);
    void (*after)(struct cup_plan_node *node);
    /* Whether the graph can be launched now; may be NULL. Called if `plan` has set the plan's
     * checks_launches. */
    CUresult (*check_launch)(const struct cup_node_params *params);
    /* Whether the node of an executable graph may get these parameters; NULL: always. */
    CUgraphExecUpdateResult (*update)(const struct cup_node_params *old,
                                      const struct cup_node_params *made);
    bool runs_in_bodies;   /* may be in the graph of a conditional node */
    bool runs_from_device; /* may be in a graph that a device launches */
    bool can_be_disabled;
};

extern const struct cup_node_type cup_node_kernel, cup_node_memcpy, cup_node_memset, cup_node_host,
    cup_node_child, cup_node_empty, cup_node_event_wait, cup_node_event_record,
    cup_node_semaphore_signal, cup_node_semaphore_wait, cup_node_alloc, cup_node_free,
    cup_node_batch, cup_node_conditional;

/* node_params.c. Creates a block with data_bytes bytes of data and one reference; NULL if out of
 * memory. */
struct cup_node_params *cup_node_params_create(const struct cup_node_type *type,
                                               const CUgraphNodeParams *given, size_t data_bytes);
void cup_node_params_ref(struct cup_node_params *params);
void cup_node_params_unref(struct cup_node_params *params);

/* Holds the context that the application prefers for the node, if it gives one. A green context
 * counts as its owner. */
CUresult cup_node_params_prefer(struct cup_node_params *params, CUcontext handle);

/* An `update` of types whose nodes keep the context that they prefer. */
CUgraphExecUpdateResult cup_node_update_context(const struct cup_node_params *old,
                                                const struct cup_node_params *made);

/* Resolves the context that a node names: without one, the current context or none. */
CUresult cup_node_context(CUcontext handle, struct CUctx_st **context);

/* False if both addresses are memory of devices, but of different ones. The operands of an
 * executable graph's node stay on their devices. Same_owner: the same for contexts, where memory
 * belongs to one. */
bool cup_node_same_device(CUdeviceptr old, CUdeviceptr made);
bool cup_node_same_owner(CUdeviceptr old, CUdeviceptr made);

/* Forms of parameters: all fields of CUgraphNodeParams, or a structure for one type of node that
 * lacks the reserved fields and those that came later, which keep their values when it is set. */
enum cup_node_form { CUP_NODE_GENERIC, CUP_NODE_SPECIFIC };

/* node_types.c. Makes a block from parameters: checks the type and, of the generic form, reserved
 * fields, then calls the type's make(). */
CUresult cup_node_params_make(const CUgraphNodeParams *given, enum cup_node_form form,
                              struct cup_node_params **params);

/* The same for a node that has attributes: they stay, and allow more or less shared memory. */
CUresult cup_node_params_remake(const CUgraphNodeParams *given, enum cup_node_form form,
                                const struct cup_node_kernel_attributes *attributes,
                                struct cup_node_params **params);

/* node.c. The parameters of a node of that type, with a reference; INVALID_VALUE if the node has
 * another type. */
CUresult cup_node_params_of(struct CUgraphNode_st *node, CUgraphNodeType id,
                            struct cup_node_params **params);

/* The parameters of a node of any type. What they point to stays as long as the node. */
CUresult cup_node_lend(struct CUgraphNode_st *node, CUgraphNodeParams *params);

/* Adds to the specific form what it lacks. */
void cup_node_complete(CUgraphNodeParams *given, enum cup_node_form form,
                       const struct cup_node_params *old);

/* Sets a node's parameters, which must be of its type. */
CUresult cup_node_set(struct CUgraphNode_st *node, const CUgraphNodeParams *given,
                      enum cup_node_form form);

/* The same with an existing block; on success the node owns the reference. _locked: the caller
 * drops the reference on the former block *old, without the lock. */
CUresult cup_node_set_params(struct CUgraphNode_st *node, struct cup_node_params *params);
CUresult cup_node_set_params_locked(struct CUgraphNode_st *node, struct cup_node_params *params,
                                    struct cup_node_params **old);

/* node_same.c: whether two blocks describe the same work. They have one type. */
bool cup_node_params_are_same(const struct cup_node_params *first,
                              const struct cup_node_params *second);

/* kernel_attribute.c. The setters return a changed block. */
CUresult cup_node_kernel_attribute_get(const struct cup_node_kernel_attributes *attributes,
                                       CUkernelNodeAttrID id, CUkernelNodeAttrValue *value);
CUresult cup_node_kernel_attribute_set(const struct cup_node_params *params, CUkernelNodeAttrID id,
                                       const CUkernelNodeAttrValue *value,
                                       struct cup_node_params **changed);
CUresult cup_node_kernel_attributes_copy(const struct cup_node_params *params,
                                         const struct cup_node_params *from,
                                         struct cup_node_params **changed);

/* node_kernel.c: makes a block for a launch with this mode of shared memory. */
CUresult cup_node_kernel_make(const CUgraphNodeParams *given, CUsharedMemoryMode mode,
                              struct cup_node_params **params);

/* The shape of the block's launch with these attributes. */
struct cup_launch_shape cup_node_kernel_shape(const struct cup_node_params *params,
                                              const struct cup_node_kernel_attributes *attributes);

/* Copies a block; NULL if out of memory. */
struct cup_node_params *cup_node_kernel_params_copy(const struct cup_node_params *params);

#endif
