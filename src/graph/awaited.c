/* SPDX-License-Identifier: MIT */
#include "graph/awaited.h"

#include "stream/stream.h"

#include <stdlib.h>

static bool runs(const struct cup_plan_node *node)
{
    return node->bodies || (node->job && node->is_enabled);
}

static bool is_awaited(const struct cup_plan_node *node)
{
    return node->is_awaited && runs(node);
}

static uint32_t count_awaited(const struct cup_plan *plan)
{
    uint32_t count = 0;

    for (uint32_t i = 0; plan->has_awaited && i < plan->count; i++)
        count += is_awaited(&plan->nodes[i]);
    return count;
}

static bool has_awaited_successor(const struct cup_plan *plan, uint32_t index, const bool *precedes)
{
    const struct cup_plan_node *node = &plan->nodes[index];
    bool found = false;

    for (uint32_t i = 0; i < node->successor_count && !found; i++) {
        uint32_t successor = plan->successors[node->successors + i];
        found = precedes[successor] || is_awaited(&plan->nodes[successor]);
    }
    return found;
}

/* Whether each node that runs is awaited or comes before an awaited one. Most edges lead to later
 * nodes, so that one pass from the last node to the first finds most of them. */
static bool awaits_all(const struct cup_plan *plan)
{
    bool *precedes = calloc(plan->count, sizeof(*precedes));
    bool changes = true, all = true;

    if (!precedes)
        return false;
    while (changes) {
        changes = false;
        for (uint32_t i = plan->count; i-- > 0;) {
            if (!precedes[i] && has_awaited_successor(plan, i, precedes))
                precedes[i] = changes = true;
        }
    }
    for (uint32_t i = 0; i < plan->count && all; i++)
        all = precedes[i] || is_awaited(&plan->nodes[i]) || !runs(&plan->nodes[i]);
    free(precedes);
    return all;
}

CUresult cup_awaited_begin(struct cup_awaited *awaited, const struct cup_plan *plan,
                           struct cup_graph_launch *launch)
{
    struct cup_point behind = {launch->stream, UINT64_MAX};
    uint32_t count = count_awaited(plan);

    awaited->all = count && awaits_all(plan);
    if (count == 0 || awaited->all)
        return CUDA_SUCCESS;
    CUresult result = cup_stream_create(launch->stream->context, CUP_STREAM_LANE,
                                        CU_STREAM_NON_BLOCKING, CUP_PRIORITY_LEAST, &awaited->some);
    for (uint32_t i = 0; result == CUDA_SUCCESS && i < count; i++)
        cup_stream_promise(awaited->some, behind);
    launch->awaited = awaited->some;
    return result;
}

void cup_awaited_break(struct cup_awaited *awaited)
{
    while (awaited->some && !cup_point_reached(cup_stream_tail(awaited->some)))
        cup_stream_fulfil(awaited->some);
}

void cup_awaited_wait(struct cup_awaited *awaited)
{
    if (awaited->some)
        cup_point_wait(cup_stream_tail(awaited->some));
    else if (awaited->all)
        cup_point_wait(awaited->end);
    cup_plan_lane_end(awaited->some);
}
