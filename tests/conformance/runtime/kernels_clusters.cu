/* SPDX-License-Identifier: MIT */
/* Kernels that need compute_90: clusters; in a translation unit (and fat binary) of their own. */
#include <cooperative_groups.h>
#include "recorder.hpp"

namespace cg = cooperative_groups;
extern "C" {
__global__ void __cluster_dims__(2, 1, 1) k_cluster2(int *out)
{
    cg::cluster_group c = cg::this_cluster();
    atomicAdd(out, 1);
    c.sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out[1] = (int)c.num_blocks();
        out[2] = (int)c.dim_blocks().x;
    }
    atomicMax(out + 3, (int)c.block_rank());
}

__global__ void k_cluster_any(int *out)
{
    cg::cluster_group c = cg::this_cluster();
    atomicAdd(out, 1);
    c.sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out[1] = (int)c.num_blocks();
        out[2] = (int)c.dim_blocks().x;
    }
    atomicMax(out + 3, (int)c.block_rank());
}
}
