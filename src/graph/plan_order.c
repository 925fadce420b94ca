/* SPDX-License-Identifier: MIT */
/* Which nodes of a plan come before which, for CUPIPE_CHECK=streams. */
#include "graph/plan.h"

#include <stdlib.h>

enum { NODES_MAX = 4096 };

static size_t row_words(const struct cup_plan *plan)
{
    return (plan->count + 63) / 64;
}

/* Sets the bits of all nodes that come after one, from its successors, whose rows are made first.
 * The depth of the recursion is limited by NODES_MAX. */
static void fill_row(const struct cup_plan *plan, uint64_t *after, bool *done, uint32_t index)
{
    const struct cup_plan_node *node = &plan->nodes[index];
    size_t words = row_words(plan);

    if (done[index])
        return;
    done[index] = true;
    for (uint32_t i = 0; i < node->successor_count; i++) {
        uint32_t next = plan->successors[node->successors + i];

        fill_row(plan, after, done, next);
        after[index * words + next / 64] |= UINT64_C(1) << next % 64;
        for (size_t w = 0; w < words; w++)
            after[index * words + w] |= after[next * words + w];
    }
}

static uint64_t *make_rows(const struct cup_plan *plan)
{
    uint64_t *after = calloc(plan->count, row_words(plan) * sizeof(*after));
    bool *done = calloc(plan->count, sizeof(*done));

    for (uint32_t i = 0; after && done && i < plan->count; i++)
        fill_row(plan, after, done, i);
    if (!done) {
        free(after);
        after = NULL;
    }
    free(done);
    return after;
}

bool cup_plan_precedes(const void *of, uint32_t first, uint32_t second)
{
    struct cup_plan *plan = (struct cup_plan *)of;
    uint64_t *after = atomic_load(&plan->after), *made;

    if (plan->count > NODES_MAX)
        return true;
    if (!after && (made = make_rows(plan))) {
        if (atomic_compare_exchange_strong(&plan->after, &after, made))
            after = made;
        else
            free(made);
    }
    return !after || (after[first * row_words(plan) + second / 64] >> second % 64 & 1);
}
