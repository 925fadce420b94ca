/* SPDX-License-Identifier: MIT */
/* The lock of the structure of all graphs. It has a file of its own because every file that asserts
 * it would otherwise depend on graph.c. */
#include "graph/graph.h"

struct cup_lock cup_graph_lock = CUP_LOCK_INITIALIZER(CUP_RANK_GRAPH);
