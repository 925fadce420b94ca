/* SPDX-License-Identifier: MIT */
/* Nodes for which the call that launches a graph waits: copies to pageable memory, for example. The
 * call returns when all of them have run, while other nodes may still run. If no other node is left
 * then, the call waits for the whole launch, so that the stream is idle when it returns. */
#ifndef CUP_GRAPH_AWAITED_H
#define CUP_GRAPH_AWAITED_H

#include "graph/plan.h"

/* Zero-initialised: nothing is awaited. */
struct cup_awaited {
    bool all;                 /* the whole launch */
    struct cup_point end;     /* of the launch; valid after it is submitted */
    struct CUstream_st *some; /* a hidden stream with as many points as there are awaited nodes:
                                 each node that has run fulfils one, so the last one is reached when
                                 all have run; NULL: none */
};

/* Decides what the launch of the plan waits for. Called before the launch is submitted. */
CUresult cup_awaited_begin(struct cup_awaited *awaited, const struct cup_plan *plan,
                           struct cup_graph_launch *launch);

/* The launch was not submitted: none of the nodes will run. */
void cup_awaited_break(struct cup_awaited *awaited);

/* Waits. Called in any case, without locks. */
void cup_awaited_wait(struct cup_awaited *awaited);

#endif
