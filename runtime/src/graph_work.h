/* SPDX-License-Identifier: MIT */
/* Converts parameters of kernel, copy and memset nodes between the runtime and the driver. */
#ifndef RT_GRAPH_WORK_H
#define RT_GRAPH_WORK_H

#include "driver.h"
#include "driver_types.h"

cudaError_t rt_node_kernel(const struct cudaKernelNodeParams *from, CUDA_KERNEL_NODE_PARAMS *to);
void rt_node_kernel_back(const CUDA_KERNEL_NODE_PARAMS *from, struct cudaKernelNodeParams *to);
cudaError_t rt_node_copy(const struct cudaMemcpy3DParms *from, CUDA_MEMCPY3D *to);
void rt_node_copy_back(const CUDA_MEMCPY3D *from, struct cudaMemcpy3DParms *to);
void rt_node_memset(const struct cudaMemsetParams *from, CUDA_MEMSET_NODE_PARAMS *to);
void rt_node_memset_back(const CUDA_MEMSET_NODE_PARAMS *from, struct cudaMemsetParams *to);

/* Parameters of a node of any type (graph_params.c). cudaErrorNotSupported if the runtime has no
 * such type, cudaErrorVersionTranslation if the type is newer than the runtime. */
cudaError_t rt_node_params_back(const CUgraphNodeParams *from, struct cudaGraphNodeParams *to);

#endif
