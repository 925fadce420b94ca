/* SPDX-License-Identifier: MIT */
/* Draws code in which lanes of a warp meet while they are apart: the same exchanges at several
 * places, in arms of branches and in loops, with results that are used or not. A plan is the order
 * of exchanges; all lanes that name each other follow one plan, each in code of its own. */
#include "kernel_make.h"

enum { STEPS = 3, ROUNDS = 4 };

struct plan {
    uint8_t modes[STEPS];
    unsigned steps, rounds;
    unsigned members; /* the register with the member mask; 0: all lanes */
    bool leaves;      /* its lanes exit behind it */
};

static struct plan draw_plan(struct maker *maker, unsigned members)
{
    struct plan plan = {.members = members};

    plan.steps = 1 + below(maker, STEPS);
    plan.rounds = 1 + below(maker, ROUNDS);
    for (unsigned i = 0; i < plan.steps; i++)
        plan.modes[i] = (uint8_t)below(maker, APARTS);
    return plan;
}

static void make_exchange(struct maker *maker, unsigned mode, unsigned members)
{
    struct instruction *one = emit(maker, OP_APART);
    bool votes = mode >= APART_ALL && mode <= APART_BALLOT;

    one->mode = (uint8_t)mode;
    one->result = (uint8_t)(below(maker, 2) ? REGISTERS : below(maker, REGISTERS));
    one->sources[0] = draw_source(maker, votes ? 'p' : 'r');
    one->sources[1] = below(maker, 2) ? immediate(below(maker, 32)) : draw_source(maker, 'r');
    one->sources[2] = immediate(8u << below(maker, 3));
    one->target = (uint16_t)(below(maker, 2) ? PREDICATES : below(maker, PREDICATES));
    one->table[0] = (uint16_t)members;
    one->table[1] = (uint16_t)(!votes && below(maker, 3) == 0);
    one->table[2] = (uint16_t)(members && mode == APART_IDX && below(maker, 2));
}

static void make_steps(struct maker *maker, const struct plan *plan)
{
    for (unsigned i = 0; i < plan->steps; i++) {
        if (below(maker, 4) == 0)
            kernel_make_branch(maker);
        else if (below(maker, 2))
            kernel_make_straight(maker, 2);
        make_exchange(maker, plan->modes[i], plan->members);
    }
}

/* Follows the plan in a loop or without one. */
static void follow(struct maker *maker, const struct plan *plan)
{
    unsigned top = new_label(maker);
    bool unrolled = plan->rounds <= 2 && below(maker, 2);

    if (!unrolled) {
        struct instruction *one = emit(maker, OP_MOV);

        one->result = APART_ROUNDS;
        one->sources[0] = immediate(plan->rounds);
        put_label(maker, top);
    }
    for (unsigned i = 0; i < (unrolled ? plan->rounds : 1); i++)
        make_steps(maker, plan);
    if (unrolled && plan->leaves)
        emit(maker, OP_KEEP);
    else if (!unrolled)
        kernel_count_down(maker, APART_ROUNDS, top, plan->leaves);
    if (plan->leaves)
        emit(maker, OP_LEAVE);
}

/* Two or three arms that follow one plan. */
static void make_arms(struct maker *maker, const struct plan *plan)
{
    unsigned end = new_label(maker), arms = 2 + below(maker, 2);

    for (unsigned i = 1; i < arms; i++) {
        unsigned other = new_label(maker);

        kernel_make_condition(maker);
        jump_if(maker, other);
        follow(maker, plan);
        jump(maker, end);
        put_label(maker, other);
    }
    follow(maker, plan);
    put_label(maker, end);
}

static void split(struct maker *maker, unsigned members, unsigned mask, unsigned predicate)
{
    struct instruction *one = emit(maker, OP_SPLIT);

    one->result = (uint8_t)mask;
    one->sources[0] = fixed(predicate);
    one->table[0] = (uint16_t)members;
}

static void make_pieces(struct maker *maker, unsigned members, unsigned depth, bool leaves);

/* Lanes that divide into two groups, each with members of its own. */
static void make_groups(struct maker *maker, unsigned members, unsigned depth, bool leaves)
{
    unsigned other = new_label(maker), end = new_label(maker), mask = APART_MASKS + depth,
             predicate = below(maker, PREDICATES);
    struct instruction *one;

    kernel_make_condition(maker);
    split(maker, members, mask, predicate);
    one = jump(maker, other);
    one->guard = (int8_t)predicate;
    make_pieces(maker, mask, depth + 1, leaves);
    if (!leaves)
        jump(maker, end);
    put_label(maker, other);
    if (leaves || below(maker, 2))
        make_pieces(maker, mask, depth + 1, leaves);
    put_label(maker, end);
}

/* A loop that lanes leave one after the other; those that stay name each other. */
static void make_fewer(struct maker *maker, unsigned members, unsigned depth)
{
    unsigned top = new_label(maker), out = new_label(maker), mask = APART_MASKS + depth,
             predicate = below(maker, PREDICATES);
    struct plan plan = draw_plan(maker, mask);
    struct instruction *one = emit(maker, OP_MOV);

    one->result = (uint8_t)mask;
    one->sources[0] = members ? fixed(members) : immediate(UINT32_MAX);
    one = emit(maker, OP_AND);
    one->result = APART_ROUNDS;
    one->sources[0] = draw_source(maker, 'r');
    one->sources[1] = immediate(3);
    put_label(maker, top);
    one = emit(maker, OP_GES);
    one->result = (uint8_t)predicate;
    one->sources[0] = fixed(APART_ROUNDS);
    one->sources[1] = immediate(1);
    split(maker, mask, mask, predicate);
    one = jump(maker, out);
    one->guard = (int8_t)predicate;
    one->guard_negated = true;
    make_steps(maker, &plan);
    one = emit(maker, OP_SUB);
    one->result = APART_ROUNDS;
    one->sources[0] = fixed(APART_ROUNDS);
    one->sources[1] = immediate(1);
    jump(maker, top);
    put_label(maker, out);
}

/* leaves: all lanes exit at the end. */
static void make_pieces(struct maker *maker, unsigned members, unsigned depth, bool leaves)
{
    struct plan plan = draw_plan(maker, members);
    unsigned kind = below(maker, 4);

    plan.leaves = leaves;
    if (kind == 0 && depth + 1 < APART_DEPTH)
        make_groups(maker, members, depth, leaves);
    else if (kind == 1 && !leaves)
        make_fewer(maker, members, depth);
    else if (kind == 2 && depth > 0)
        follow(maker, &plan);
    else
        make_arms(maker, &plan);
}

void kernel_make_apart(struct maker *maker, bool last)
{
    make_pieces(maker, 0, 0, last && below(maker, 2));
}
