/* SPDX-License-Identifier: MIT */
/* The control-flow graph. A node ends where lanes may diverge, wait or exit. A guarded instruction
 * whose effect cannot be discarded (a load, a store, a barrier) becomes a branch around a node of
 * its own, so later passes see guards on pure instructions only. */
#include "jit/analysis/cfg.h"

#include "jit/analysis/instruction.h"
#include "jit/workspace.h"

enum { MAX_INSTRUCTIONS = 300000 };

bool jit_node_is_exit(const struct jit_cfg *cfg, uint32_t node)
{
    const struct jit_node *n = &cfg->nodes[node];

    return n->first == n->end &&
           (n->kind == JIT_END_EXIT || (n->kind == JIT_END_RETURN && cfg->function->is_kernel));
}

static enum jit_end end_kind(const struct jit_cfg *cfg, uint32_t at)
{
    const struct ptx_instruction *instruction = &cfg->function->instructions[at];

    switch (instruction->op) {
    case PTX_OP_bra:
        return JIT_END_BRANCH;
    case PTX_OP_brx:
        return JIT_END_TABLE;
    case PTX_OP_ret:
        return JIT_END_RETURN;
    case PTX_OP_exit:
        return JIT_END_EXIT;
    case PTX_OP_call:
        return JIT_END_CALL;
    case PTX_OP_trap:
        return JIT_END_TRAP;
    default:
        if (cfg->parking && cfg->parking[at] && jit_instruction_syncs(instruction))
            return JIT_END_SYNC;
        return jit_instruction_waits(instruction) ? JIT_END_BARRIER : JIT_END_JUMP;
    }
}

/* Whether the guard becomes a branch around the instruction. */
static bool is_split(const struct ptx_instruction *instruction)
{
    return instruction->guard != PTX_NO_REGISTER && instruction->op != PTX_OP_bra &&
           !jit_instruction_is_pure(instruction);
}

static void mark_target(uint8_t *leaders, uint32_t count, uint32_t target)
{
    if (target <= count)
        leaders[target] = 1;
}

static void mark_leaders(const struct jit_cfg *cfg, uint8_t *leaders)
{
    const struct ptx_function *function = cfg->function;
    uint32_t count = function->instruction_count;

    leaders[0] = leaders[count] = 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];

        if (end_kind(cfg, i) != JIT_END_JUMP || is_split(instruction))
            leaders[i + 1] = 1;
        if (is_split(instruction))
            leaders[i] = 1;
        if (instruction->op == PTX_OP_bra)
            mark_target(leaders, count, instruction->src[0].index);
        if (instruction->op == PTX_OP_brx && instruction->call)
            for (uint32_t t = 0; t < instruction->call->target_count; t++)
                mark_target(leaders, count, instruction->call->targets[t]);
    }
}

/* Sets the kind and the successors of a node from its last instruction. entries: the node that
 * begins at each instruction. */
static void finish_node(struct jit_cfg *cfg, struct jit_node *node, const uint32_t *entries)
{
    const struct ptx_instruction *last;

    if (node->kind == JIT_END_BRANCH && node->last == JIT_NO_BLOCK)
        return; /* a branch that replaces a guard has its successors already */
    node->next[0] = node->next[1] = JIT_NO_BLOCK;
    if (node->last == JIT_NO_BLOCK) {
        node->kind = JIT_END_JUMP;
        node->next[0] = entries[node->end];
        return;
    }
    last = &cfg->function->instructions[node->last];
    node->kind = end_kind(cfg, node->last);
    switch (node->kind) {
    case JIT_END_BRANCH:
        node->next[0] = entries[last->src[0].index];
        if (last->guard == PTX_NO_REGISTER) {
            node->kind = JIT_END_JUMP;
            break;
        }
        node->predicate = last->guard;
        node->negated = last->guard_negated;
        node->next[1] = entries[node->last + 1];
        if (node->next[0] == node->next[1])
            node->kind = JIT_END_JUMP;
        break;
    case JIT_END_TABLE:
        node->table_count = last->call ? last->call->target_count : 0;
        node->table = jit_workspace_zeros(cfg->workspace, node->table_count, sizeof(*node->table));
        for (uint32_t t = 0; t < node->table_count; t++)
            node->table[t] = entries[last->call->targets[t]];
        break;
    case JIT_END_BARRIER:
    case JIT_END_CALL:
    case JIT_END_SYNC:
        node->next[0] = entries[node->last + 1];
        break;
    default:
        break;
    }
}

static void add_node(struct jit_cfg *cfg, uint32_t first, uint32_t end, uint32_t *entries)
{
    const struct ptx_instruction *instructions = cfg->function->instructions;
    struct jit_node *node = &cfg->nodes[cfg->node_count];

    entries[first] = cfg->node_count;
    if (first < end && is_split(&instructions[first])) {
        node->first = node->end = first;
        node->kind = JIT_END_BRANCH;
        node->last = JIT_NO_BLOCK;
        node->predicate = instructions[first].guard;
        node->negated = instructions[first].guard_negated;
        node->next[0] = cfg->node_count + 1;
        node->next[1] = cfg->node_count + 2; /* a node always begins after a split instruction */
        node = &cfg->nodes[++cfg->node_count];
    }
    cfg->node_count++;
    node->first = first;
    node->end = end;
    node->last = JIT_NO_BLOCK;
    if (first < end && end_kind(cfg, end - 1) != JIT_END_JUMP) {
        node->last = end - 1;
        node->end = end - 1;
    }
}

static void make_nodes(struct jit_cfg *cfg)
{
    uint32_t count = cfg->function->instruction_count, first = 0;
    uint8_t *leaders = jit_workspace_zeros(cfg->workspace, count + 2u, 1);
    uint32_t *entries = jit_workspace_zeros(cfg->workspace, count + 2u, sizeof(*entries));

    cfg->nodes = jit_workspace_zeros(cfg->workspace, 2u * count + 4, sizeof(*cfg->nodes));
    mark_leaders(cfg, leaders);
    for (uint32_t i = 1; i <= count; i++) {
        if (!leaders[i])
            continue;
        add_node(cfg, first, i, entries);
        first = i;
    }
    /* Control that runs past the last instruction returns from the function. */
    entries[count] = cfg->node_count;
    cfg->nodes[cfg->node_count].first = cfg->nodes[cfg->node_count].end = count;
    cfg->nodes[cfg->node_count].last = JIT_NO_BLOCK;
    cfg->node_count++;
    for (uint32_t n = 0; n + 1 < cfg->node_count; n++)
        finish_node(cfg, &cfg->nodes[n], entries);
    cfg->nodes[cfg->node_count - 1].kind = JIT_END_RETURN;
    cfg->nodes[cfg->node_count - 1].next[0] = cfg->nodes[cfg->node_count - 1].next[1] =
        JIT_NO_BLOCK;
}

bool jit_cfg_make(struct jit_cfg *cfg, struct jit_workspace *workspace,
                  const struct ptx_program *program, const struct ptx_function *function,
                  const bool *parking)
{
    if (function->instruction_count > MAX_INSTRUCTIONS)
        return false;
    *cfg = (struct jit_cfg){.workspace = workspace,
                            .program = program,
                            .function = function,
                            .carry = function->register_count,
                            .register_count = function->register_count + 1,
                            .words = (function->register_count + 64) / 64,
                            .parking = parking};
    make_nodes(cfg);
    jit_cfg_make_order(cfg);
    jit_dataflow_analyse(cfg);
    jit_demanded_loads_find(cfg);
    return true;
}
