/* SPDX-License-Identifier: MIT */
/* `group_first` has an entry per instruction: of one that is reported with an earlier
 * one, the index of the earlier one plus 1; FIRST for those earlier ones. A node may be emitted
 * twice, with groups the first time only: the first read of a group decides each time. */
#include "jit/instrument/grouped_reads.h"

#include "abi/check.h"
#include "jit/analysis/instruction.h"
#include "jit/emit/emitter.h"
#include "jit/instrument/site.h"

#include <string.h>

enum { GROUP_MIN = 4, DISTANCE_MAX = 1024 /* of instructions */ };

#define FIRST UINT32_MAX

static uint32_t index_of(const struct jit_emitter *e, const struct ptx_instruction *i)
{
    return (uint32_t)(i - e->function->ptx->instructions);
}

/* Where the search for reads that follow one ends. */
static uint32_t end_of(const struct jit_emitter *e, uint32_t head)
{
    uint32_t end = e->function->cfg.nodes[e->node].end;

    return end - head > DISTANCE_MAX && end > head ? head + DISTANCE_MAX : end;
}

static bool is_read(const struct ptx_instruction *i)
{
    return i->op == PTX_OP_ld && i->src[0].kind == PTX_OPERAND_ADDRESS;
}

/* Whether both read in the same way, relative to the same register or variable. */
static bool is_alike(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    const struct ptx_operand *x = &a->src[0], *y = &b->src[0];

    return is_read(b) && b->guard == PTX_NO_REGISTER && a->space == b->space &&
           a->width == b->width && a->type_count == b->type_count &&
           memcmp(a->types, b->types, sizeof(a->types)) == 0 &&
           memcmp(a->modifiers, b->modifiers, sizeof(a->modifiers)) == 0 && x->base == y->base &&
           x->index == y->index && x->local == y->local;
}

/* Whether the address of later reads is another, or they might read something else. */
static bool ends_group(const struct jit_emitter *e, const struct ptx_instruction *first,
                       const struct ptx_instruction *i)
{
    if (!jit_instruction_is_pure(i) &&
        (i->op != PTX_OP_ld || jit_check_order(i) != CUP_ABI_ORDER_WEAK))
        return true;
    return first->src[0].base == PTX_BASE_REGISTER &&
           jit_instruction_defines_register(&e->function->cfg, i, first->src[0].index);
}

static bool fits(const struct jit_check_group *group, int64_t distance)
{
    if (group->count == 1)
        return distance != 0 && distance == (int32_t)distance;
    return group->count < JIT_CHECK_GROUP_MAX && distance == group->count * group->step;
}

void jit_check_group_make(struct jit_emitter *e, const struct ptx_instruction *first,
                          struct jit_check_group *group)
{
    const struct jit_node *node = &e->function->cfg.nodes[e->node];
    const struct ptx_instruction *all = e->function->ptx->instructions;
    uint32_t head = index_of(e, first), end = end_of(e, head);

    group->count = 0;
    if (!is_read(first) || first->guard != PTX_NO_REGISTER || head < node->first || head >= end ||
        ends_group(e, first, first))
        return;
    if (!e->instrument->group_first)
        e->instrument->group_first =
            jit_workspace_zeros(&e->unit->workspace, e->function->ptx->instruction_count,
                                sizeof(*e->instrument->group_first));
    group->sites[group->count++] = jit_check_site(e, first);
    e->instrument->group_first[head] = FIRST;
    for (uint32_t at = head + 1; at < end; at++) {
        int64_t distance = (int64_t)(all[at].src[0].value - first->src[0].value);

        if (is_alike(first, &all[at]) && !e->function->cfg.undemanded[at] &&
            !e->function->cfg.undemanded_parts[at] && !e->instrument->group_first[at] &&
            fits(group, distance)) {
            group->step = group->count == 1 ? distance : group->step;
            group->sites[group->count++] = jit_check_site(e, &all[at]);
            e->instrument->group_first[at] = head + 1;
        }
        if (ends_group(e, first, &all[at]))
            break;
    }
    if (group->count < GROUP_MIN) {
        jit_check_group_drop(e, first);
        group->count = 0;
    }
}

void jit_check_group_drop(struct jit_emitter *e, const struct ptx_instruction *first)
{
    uint32_t head = index_of(e, first), end = end_of(e, head);

    if (!e->instrument->group_first || e->instrument->group_first[head] != FIRST)
        return;
    e->instrument->group_first[head] = 0;
    for (uint32_t at = head + 1; at < end; at++)
        if (e->instrument->group_first[at] == head + 1)
            e->instrument->group_first[at] = 0;
}

bool jit_check_group_has(const struct jit_emitter *e, const struct ptx_instruction *i)
{
    uint32_t first = e->instrument->group_first ? e->instrument->group_first[index_of(e, i)] : 0;

    return first && first != FIRST;
}
