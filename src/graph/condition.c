/* SPDX-License-Identifier: MIT */
/* A handle is a slot of one table and a number that differs from those of all earlier handles of
 * the slot, so any 64 bits can be validated. Kernels look values up without a lock; slots are never
 * freed. */
#include "graph/condition.h"

#include "core/error.h"
#include "core/lock.h"
#include "device/context.h"

#include <stdlib.h>

enum { SLOT_BITS = 20, SLOT_COUNT = 1 << SLOT_BITS };

/* Guarded by cup_graph_lock; a kernel reads entries without it. */
static _Atomic(struct cup_condition *) *slots;
static uint32_t slot_hint;
static uint64_t last_number;

static _Atomic(struct cup_condition *) *slot_of(CUgraphConditionalHandle handle)
{
    _Atomic(struct cup_condition *) *table = __atomic_load_n(&slots, __ATOMIC_ACQUIRE);

    return table ? &table[handle & (SLOT_COUNT - 1)] : NULL;
}

static bool slot_take_locked(struct cup_condition *condition)
{
    cup_lock_assert_held(&cup_graph_lock);
    if (!slots) {
        _Atomic(struct cup_condition *) *table = calloc(SLOT_COUNT, sizeof(*table));
        if (!table)
            return false;
        __atomic_store_n(&slots, table, __ATOMIC_RELEASE);
    }
    for (uint32_t tried = 0; tried < SLOT_COUNT; tried++) {
        uint32_t slot = (slot_hint + tried) & (SLOT_COUNT - 1);
        if (atomic_load(&slots[slot]))
            continue;
        slot_hint = slot + 1;
        condition->handle = ++last_number << SLOT_BITS | slot;
        atomic_store(&slots[slot], condition);
        return true;
    }
    return false;
}

CUresult cup_condition_create(struct CUgraph_st *graph, struct CUctx_st *context,
                              unsigned default_value, bool assigns_default,
                              CUgraphConditionalHandle *handle)
{
    struct cup_condition *made = calloc(1, sizeof(*made));

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a conditional handle");
    made->default_value = default_value;
    made->assigns_default = assigns_default;
    atomic_store(&made->refs, 1);
    cup_lock_acquire(&cup_graph_lock);
    bool placed = !graph->is_gone && slot_take_locked(made);
    if (placed) {
        cup_context_ref(context);
        made->context = context;
        made->graph = graph;
        made->next = graph->conditions;
        graph->conditions = made;
        *handle = made->handle;
    }
    cup_lock_release(&cup_graph_lock);
    if (placed)
        return CUDA_SUCCESS;
    free(made);
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no room for another conditional handle");
}

struct cup_condition *cup_condition_find_locked(struct CUgraph_st *graph,
                                                CUgraphConditionalHandle handle)
{
    cup_lock_assert_held(&cup_graph_lock);
    for (;;) {
        for (struct cup_condition *each = graph->conditions; each; each = each->next) {
            if (each->handle == handle)
                return each;
        }
        if (!graph->owner || !graph->owner->graph)
            return NULL;
        graph = graph->owner->graph;
    }
}

void cup_condition_ref(struct cup_condition *condition)
{
    atomic_fetch_add(&condition->refs, 1);
}

void cup_condition_unref(struct cup_condition *condition)
{
    if (atomic_fetch_sub(&condition->refs, 1) != 1)
        return;
    atomic_store(slot_of(condition->handle), NULL);
    cup_context_unref(condition->context);
    free(condition);
}

void cup_conditions_end_locked(struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_condition *next;

    for (struct cup_condition *each = graph->conditions; each; each = next) {
        next = each->next;
        each->graph = NULL;
        cup_condition_unref(each);
    }
    graph->conditions = NULL;
}

bool cup_conditions_are_used_locked(const struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    for (const struct cup_condition *each = graph->conditions; each; each = each->next) {
        if (!each->node)
            return false;
    }
    return true;
}

/* Called by a kernel, whose launch holds a reference on the condition. */
void cup_condition_set(CUgraphConditionalHandle handle, unsigned value)
{
    _Atomic(struct cup_condition *) *slot = slot_of(handle);
    struct cup_condition *condition = slot ? atomic_load(slot) : NULL;

    if (condition && condition->handle == handle)
        atomic_store(&condition->value, value);
}
