/* SPDX-License-Identifier: MIT */
/* External correlation: a thread pushes numbers of its own, and each call that it makes is recorded
 * with the last number of each kind. */
#include "tool.h"

#include <stdlib.h>

enum { KINDS = CUPTI_EXTERNAL_CORRELATION_KIND_SIZE };

struct stack {
    uint64_t *ids;
    size_t count, room;
};

static __thread struct stack stacks[KINDS];

static bool is_kind(CUpti_ExternalCorrelationKind kind)
{
    return (int)kind > CUPTI_EXTERNAL_CORRELATION_KIND_INVALID && (int)kind < KINDS;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id)
{
    if (!is_kind(kind))
        return CUPTI_ERROR_INVALID_PARAMETER;
    struct stack *stack = &stacks[kind];
    if (stack->count == stack->room) {
        size_t room = stack->room ? 2 * stack->room : 16;
        uint64_t *ids = realloc(stack->ids, room * sizeof(*ids));

        if (!ids)
            return CUPTI_ERROR_OUT_OF_MEMORY;
        stack->ids = ids;
        stack->room = room;
    }
    stack->ids[stack->count++] = id;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                  uint64_t *lastId)
{
    if (!is_kind(kind))
        return CUPTI_ERROR_INVALID_PARAMETER;
    struct stack *stack = &stacks[kind];
    if (stack->count == 0)
        return CUPTI_ERROR_QUEUE_EMPTY;
    uint64_t id = stack->ids[--stack->count];
    if (lastId)
        *lastId = id;
    if (stack->count == 0) { /* so that a thread that ends leaves nothing behind */
        free(stack->ids);
        *stack = (struct stack){0};
    }
    return CUPTI_SUCCESS;
}

/* Calls that are not recorded themselves are left out, unless none are recorded. */
static bool is_wanted(const struct cupipe_call *call)
{
    bool driver = tool_records(CUPTI_ACTIVITY_KIND_DRIVER);
    bool runtime = tool_records(CUPTI_ACTIVITY_KIND_RUNTIME);

    if (!tool_records(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION))
        return false;
    return (!driver && !runtime) || (call->is_runtime ? runtime : driver);
}

void tool_record_external(const struct cupipe_call *call)
{
    if (!is_wanted(call))
        return;
    for (int kind = 1; kind < KINDS; kind++) {
        const struct stack *stack = &stacks[kind];

        if (stack->count == 0)
            continue;
        CUpti_ActivityExternalCorrelation record = {
            .kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
            .externalKind = (CUpti_ExternalCorrelationKind)kind,
            .externalId = stack->ids[stack->count - 1],
            .correlationId = call->correlation,
        };
        tool_record(&record, sizeof(record));
    }
}
