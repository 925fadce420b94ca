/* SPDX-License-Identifier: MIT */
/* Kernel launches: validates a launch, lays out its parameters and passes it to src/exec. */
#ifndef CUP_MODULE_LAUNCH_H
#define CUP_MODULE_LAUNCH_H

#include "module/function.h"
#include "stream/stream.h"

struct cup_launch_shape {
    uint32_t grid[3], block[3], cluster[3];
    uint32_t preferred_cluster[3]; /* validated, no effect; 0: no preference */
    uint32_t shared_bytes;
    bool cooperative;
    unsigned sm_count; /* multiprocessors of the green context that it runs in; 0: all */
    bool cluster_set;  /* set by an attribute */
    /* Whether the cluster and the dynamic shared memory may be larger than every device of the
     * architecture has them; the defaults leave it to the function's attributes. */
    CUlaunchAttributePortableClusterMode cluster_mode;
    CUsharedMemoryMode shared_mode;
    bool programmatic;  /* may begin before the preceding kernel has ended */
    bool updatable_set; /* an attribute for captured launches only; its value */
    int updatable;
    bool window_set; /* an attribute gives an access policy window */
    CUaccessPolicyWindow window;
    const CUlaunchAttribute *attributes; /* as the application passed them, for a graph node */
    unsigned attribute_count;
};

/* The parameters: an array of pointers, a buffer in `extra`, or a buffer that is laid out
 * already. */
struct cup_launch_arguments {
    void **pointers;
    void **extra;
    const void *laid_out;
    size_t laid_out_bytes;
};

/* The steps of a launch, in the order of NVIDIA's driver: lay out its arguments in a buffer of
 * CUP_PARAMETER_BYTES_MAX + 4 bytes; validate and complete its shape; fill in the request for
 * src/exec. The request holds a reference on the module, which the launch releases. */
CUresult cup_launch_gather(const struct CUfunc_st *function,
                           const struct cup_launch_arguments *arguments, uint8_t *buffer);
CUresult cup_launch_check(const struct CUfunc_st *function, struct cup_launch_shape *shape);
CUresult cup_launch_describe(struct CUfunc_st *function, struct cup_launch_shape *shape,
                             const void *params, struct cup_exec_request *request);

/* Performs all steps and submits the launch. The function must be in the stream's context. */
CUresult cup_launch_kernel(struct CUfunc_st *function, struct cup_launch_shape *shape,
                           struct CUstream_st *stream,
                           const struct cup_launch_arguments *arguments);

/* Applies the attributes of a launch configuration. What depends on the device is checked by
 * cup_launch_check_attributes(); a launch that this refuses leaves a capture valid. */
CUresult cup_launch_attributes(const CUlaunchConfig *config, struct cup_launch_shape *shape);
CUresult cup_launch_check_attributes(const struct CUfunc_st *function,
                                     const struct cup_launch_shape *shape);

/* Validates the cluster of a launch. Without an attribute it is the kernel's required cluster, or 1
 * x 1 x 1. Returns INVALID_CLUSTER_SIZE. */
CUresult cup_launch_cluster(const struct CUfunc_st *function, struct cup_launch_shape *shape);
uint32_t cup_launch_cluster_max(const struct CUfunc_st *function,
                                CUlaunchAttributePortableClusterMode mode);

/* The two modes as attributes of launches and kernel nodes: INVALID_VALUE for what is none. */
CUresult cup_launch_check_cluster_mode(CUlaunchAttributePortableClusterMode mode);
CUresult cup_launch_check_shared_mode(CUsharedMemoryMode mode);

/* The most bytes of dynamic shared memory that a block may have. */
uint32_t cup_launch_shared_max(const struct CUfunc_st *function, CUsharedMemoryMode mode);

/* Returns the number of blocks that a multiprocessor can run concurrently. INVALID_VALUE for a
 * block size that no launch accepts. `clustered`: the blocks are launched in clusters. */
CUresult cup_occupancy_blocks(const struct CUfunc_st *function, uint64_t block_threads,
                              uint64_t dynamic_shared_bytes, CUsharedMemoryMode mode,
                              bool clustered, unsigned *blocks);

#endif
