/* SPDX-License-Identifier: MIT */
/* Prints exchanges of lanes that are apart. Results that are not used have registers of their own.
 */
#include "kernel_text.h"

static const char *const opcodes[APARTS] = {
    "shfl.sync.up.b32",   "shfl.sync.down.b32", "shfl.sync.bfly.b32",   "shfl.sync.idx.b32",
    "vote.sync.all.pred", "vote.sync.any.pred", "vote.sync.ballot.b32", "redux.sync.add.s32",
    "redux.sync.max.u32", "redux.sync.xor.b32", "match.any.sync.b32",   "match.all.sync.b32",
    "bar.warp.sync"};

static void put_split(struct text *text, const struct instruction *one, const char *members)
{
    unsigned predicate = one->sources[0].index, mask = one->result;

    put(text, "{\n.reg .b32 %%s<2>;\nmov.b32 %%s0, %s;\n", members);
    put(text, "vote.sync.ballot.b32 %%s1, %%p%u, %%s0;\n", predicate);
    put(text, "@!%%p%u not.b32 %%s1, %%s1;\nand.b32 %%r%u, %%s1, %%s0;\n}\n", predicate, mask);
}

/* The value, in a register that it gets before. */
static void put_value(struct text *text, const struct instruction *one)
{
    char buffer[32];

    put(text, "mov.b32 %%s0, %s;\n", name(buffer, 'r', &one->sources[0]));
    if (one->table[1]) {
        put(text, "and.b32 %%s0, %%s0, %u;\nmul.wide.u32 %%w, %%s0, 4;\n", INPUT_WORDS - 1);
        put(text, "add.s64 %%w, %%w, %%input;\nld.global.u32 %%s0, [%%w];\n");
    }
    if (one->mode == APART_SAME || one->mode == APART_EQUAL)
        put(text, "and.b32 %%s0, %%s0, 3;\n");
}

static void put_results_of(struct text *text, const struct instruction *one)
{
    bool both = kernel_apart_has_result(one) && kernel_apart_has_answer(one);

    if (kernel_apart_has_result(one) && one->result == REGISTERS)
        put(text, " %%s1");
    else if (kernel_apart_has_result(one))
        put(text, " %%r%u", one->result);
    if (kernel_apart_has_answer(one) && one->target == PREDICATES)
        put(text, "%s%%z", both ? "|" : " ");
    else if (kernel_apart_has_answer(one))
        put(text, "%s%%p%u", both ? "|" : " ", one->target);
}

static void put_lanes(struct text *text, const struct instruction *one)
{
    unsigned width = (unsigned)one->sources[2].immediate;
    char buffer[32];

    if (one->table[2])
        put(text, ", %%s2, 31");
    else
        put(text, ", %s, %u", name(buffer, 'r', &one->sources[1]),
            (32 - width) << 8 | (one->mode == APART_UP ? 0 : 31));
}

void kernel_put_apart(struct text *text, const struct instruction *one)
{
    bool shuffles = one->mode <= APART_IDX;
    char members[16] = "-1";

    if (one->table[0])
        snprintf(members, sizeof(members), "%%r%u", one->table[0]);
    if (one->op == OP_SPLIT) {
        put_split(text, one, members);
        return;
    }
    put(text, "{\n.reg .b32 %%s<3>;\n.reg .b64 %%w;\n.reg .pred %%z;\n");
    put_value(text, one);
    if (one->table[2])
        put(text, "brev.b32 %%s2, %s;\nclz.b32 %%s2, %%s2;\n", members);
    put(text, "%s", opcodes[one->mode]);
    put_results_of(text, one);
    if (one->mode >= APART_ALL && one->mode <= APART_BALLOT)
        put(text, ", %%p%u", one->sources[0].index);
    else if (one->mode != APART_BARRIER)
        put(text, ", %%s0");
    if (shuffles)
        put_lanes(text, one);
    put(text, "%s %s;\n}\n", one->mode == APART_BARRIER ? "" : ",", members);
}
