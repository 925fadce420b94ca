/* SPDX-License-Identifier: MIT */
/* A launch as a program asks for it: validated and its parameters laid out, then handed to
 * src/exec.
 */
#ifndef CUP_MODULE_LAUNCH_H
#define CUP_MODULE_LAUNCH_H

#include "module/function.h"
#include "stream/stream.h"

struct cup_launch_shape {
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared_bytes;
    bool cooperative;
    bool cluster_set;                    /* by an attribute */
    bool programmatic;                   /* it may begin before the kernel before it has ended */
    const CUlaunchAttribute *attributes; /* as the application gave them, for a node */
    unsigned attribute_count;
};

/* The parameters come as an array of pointers, or in a buffer behind `extra`, or are laid out
 * already.
 */
struct cup_launch_arguments {
    void **pointers;
    void **extra;
    const void *laid_out;
    size_t laid_out_bytes;
};

/* The steps of a launch: validate it, in the order NVIDIA's driver complains, and complete its
 * shape; lay its arguments out in a buffer of CUP_PARAMETER_BYTES_MAX + 4 bytes; describe it to
 * src/exec. What is described holds a reference on the module, which goes with the launch. */
CUresult cup_launch_check(const struct CUfunc_st *function, struct cup_launch_shape *shape);
CUresult cup_launch_gather(const struct CUfunc_st *function,
                           const struct cup_launch_arguments *arguments, uint8_t *buffer);
CUresult cup_launch_describe(struct CUfunc_st *function, struct cup_launch_shape *shape,
                             const void *params, struct cup_exec_request *request);

/* All of them, and into the stream. Of a function in the stream's context. */
CUresult cup_launch_kernel(struct CUfunc_st *function, struct cup_launch_shape *shape,
                           struct CUstream_st *stream,
                           const struct cup_launch_arguments *arguments);

/* Takes an attribute into account. */
CUresult cup_launch_attribute(const CUlaunchAttribute *attribute, struct cup_launch_shape *shape);

/* Validates the cluster of a launch, and completes it: 1 x 1 x 1, or what the kernel says, where
 * nothing was set. INVALID_CLUSTER_SIZE. */
CUresult cup_launch_cluster(const struct CUfunc_st *function, struct cup_launch_shape *shape);
uint32_t cup_launch_cluster_max(const struct CUfunc_st *function);

/* How many blocks of the function one multiprocessor holds at once. INVALID_VALUE for blocks that
 * no launch would take. `clustered`: blocks that come in clusters. */
CUresult cup_occupancy_blocks(const struct CUfunc_st *function, uint64_t block_threads,
                              uint64_t dynamic_shared_bytes, bool clustered, unsigned *blocks);

#endif
