/* SPDX-License-Identifier: MIT */
/* The shared memory of a cluster's blocks: one mapping in which the blocks' memories lie
 * CUP_CLUSTER_STRIDE bytes apart. Each begins after a guard and ends at an inaccessible page, like
 * the shared memory of a frame; one of whole pages begins at a multiple of CUP_CLUSTER_STRIDE.
 * Mappings are pooled. */
#ifndef CUP_EXEC_SCHED_CLUSTER_WINDOW_H
#define CUP_EXEC_SCHED_CLUSTER_WINDOW_H

#include "abi/launch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUP_CLUSTER_STRIDE = 1 << CUP_ABI_CLUSTER_SHIFT };

struct cup_cluster_window {
    uint8_t *mapping; /* NULL: none */
    size_t mapping_bytes;
    uint32_t blocks;
    uint32_t open_bytes; /* whole pages that are accessible, of each block */
};

/* Maps shared memory of `bytes` bytes, a multiple of 1024, for each of the blocks. Returns the
 * address of the first block's, or NULL if memory is out. */
uint8_t *cup_cluster_window_get(struct cup_cluster_window *window, uint32_t blocks, uint32_t bytes);
/* Returns a window to the pool; one without mapping is ignored. */
void cup_cluster_window_put(struct cup_cluster_window *window);

#endif
