/* SPDX-License-Identifier: MIT */
/* Lanes of a warp that meet while they are apart: those that wait for the same exchange with the
 * same members get their results when all members that are still there have come. */
#include "kernel_model.h"

#include <string.h>

static uint32_t members_of(const struct thread *thread, const struct instruction *one)
{
    return one->table[0] ? thread->r[one->table[0]] : UINT32_MAX;
}

static unsigned mode_of(const struct instruction *one)
{
    return one->op == OP_SPLIT ? APART_BALLOT : one->mode;
}

static const struct instruction *at(const struct run *run, const struct thread *thread)
{
    return &run->kernel->body.list[thread->at];
}

static uint32_t value_of(const struct run *run, const struct thread *thread)
{
    const struct instruction *one = at(run, thread);
    uint32_t value = (uint32_t)get(thread, 'r', &one->sources[0]);

    if (one->table[1])
        value = run->kernel->input[value & (INPUT_WORDS - 1)];
    return one->mode == APART_SAME || one->mode == APART_EQUAL ? value & 3 : value;
}

/* The lane that a shuffle reads; the lane itself if that is outside of its segment. */
static unsigned source_lane(const struct thread *thread, const struct instruction *one,
                            unsigned lane, bool *inside)
{
    uint32_t by = (uint32_t)get(thread, 'r', &one->sources[1]) & 31,
             segment = 32 - (uint32_t)one->sources[2].immediate, least = lane & segment,
             most = least | (31 & ~segment);
    int from = one->mode == APART_UP     ? (int)lane - (int)by
               : one->mode == APART_DOWN ? (int)(lane + by)
               : one->mode == APART_BFLY ? (int)(lane ^ by)
                                         : (int)(least | (by & ~segment));

    *inside = one->table[2] || (one->mode == APART_UP ? from >= (int)least : from <= (int)most);
    if (one->table[2])
        return (unsigned)__builtin_ctz(members_of(thread, one));
    return *inside ? (unsigned)from : lane;
}

struct exchange {
    const struct run *run;
    struct thread before[32];
    uint32_t group;
};

static uint32_t yes_of(const struct exchange *x)
{
    uint32_t yes = 0;

    for (unsigned i = 0; i < 32; i++)
        if (x->group >> i & 1)
            yes |= (uint32_t)get(&x->before[i], 'p', &at(x->run, &x->before[i])->sources[0]) << i;
    return yes;
}

static uint32_t reduced(const struct exchange *x, unsigned mode)
{
    uint32_t result = 0;

    for (unsigned i = 0; i < 32; i++) {
        uint32_t value = x->group >> i & 1 ? value_of(x->run, &x->before[i]) : 0;

        result = mode == APART_SUM   ? result + value
                 : mode == APART_ODD ? result ^ value
                 : result > value    ? result
                                     : value;
    }
    return result;
}

static uint32_t same_as(const struct exchange *x, unsigned lane)
{
    uint32_t same = 0;

    for (unsigned i = 0; i < 32; i++)
        if (x->group >> i & 1 &&
            value_of(x->run, &x->before[i]) == value_of(x->run, &x->before[lane]))
            same |= 1u << i;
    return same;
}

static void give(const struct exchange *x, struct thread *after, unsigned lane)
{
    const struct thread *before = &x->before[lane];
    const struct instruction *one = at(x->run, before);
    uint32_t result = 0, yes;
    unsigned from;
    bool answer = false;

    switch (mode_of(one)) {
    case APART_ALL:
        answer = yes_of(x) == x->group;
        break;
    case APART_ANY:
        answer = yes_of(x) != 0;
        break;
    case APART_BALLOT:
        yes = yes_of(x);
        result = one->op == OP_APART || yes >> lane & 1 ? yes : ~yes & members_of(before, one);
        break;
    case APART_SUM:
    case APART_MOST:
    case APART_ODD:
        result = reduced(x, one->mode);
        break;
    case APART_SAME:
        result = same_as(x, lane);
        break;
    case APART_EQUAL:
        answer = same_as(x, lane) == x->group;
        result = answer ? x->group : 0;
        break;
    case APART_BARRIER:
        break;
    default:
        from = source_lane(before, one, lane, &answer);
        if (x->group >> from & 1) /* others give 0 */
            result = value_of(x->run, &x->before[from]);
    }
    if (kernel_apart_has_result(one) && (one->op == OP_SPLIT || one->result != REGISTERS))
        after->r[one->result] = result;
    if (kernel_apart_has_answer(one) && one->target != PREDICATES)
        after->p[one->target] = answer;
    after->at++;
}

/* The lanes that wait as this one does. */
static uint32_t group_of(const struct run *run, const struct thread *warp, unsigned count,
                         unsigned lane)
{
    const struct instruction *mine = at(run, &warp[lane]);
    uint32_t group = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct instruction *one = at(run, &warp[i]);

        if ((one->op == OP_APART || one->op == OP_SPLIT) && mode_of(one) == mode_of(mine) &&
            members_of(&warp[i], one) == members_of(&warp[lane], mine))
            group |= 1u << i;
    }
    return group;
}

bool kernel_model_apart(const struct run *run, struct thread *warp, unsigned count)
{
    uint32_t live = 0;

    for (unsigned i = 0; i < count; i++)
        live |= (uint32_t)(at(run, &warp[i])->op != OP_RETURN && at(run, &warp[i])->op != OP_LEAVE)
                << i;
    for (unsigned i = 0; i < count; i++) {
        const struct instruction *one = at(run, &warp[i]);
        struct exchange x = {.run = run};

        if (one->op != OP_APART && one->op != OP_SPLIT)
            continue;
        x.group = group_of(run, warp, count, i);
        if (members_of(&warp[i], one) & live & ~x.group)
            continue;
        memcpy(x.before, warp, count * sizeof(*warp));
        for (unsigned k = 0; k < count; k++)
            if (x.group >> k & 1)
                give(&x, &warp[k], k);
        return true;
    }
    return false;
}
