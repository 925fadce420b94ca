/* SPDX-License-Identifier: MIT */
/* Where lanes of a warp may be diverged, over all functions of a kernel: a function that only some
 * lanes call is diverged from its first instruction on, and lanes return one after the other from
 * a function in which they may wait. */
#include "jit/analysis/convergence.h"

#include "jit/analysis/cfg.h"
#include "jit/analysis/instruction.h"
#include "jit/unit.h"
#include "jit/workspace.h"

#include <string.h>

static const struct ptx_function *function_at(const struct jit_unit *unit, uint32_t f)
{
    return &unit->program->functions[f];
}

static bool is_indirect(const struct ptx_instruction *i)
{
    return i->call->target.kind != PTX_OPERAND_FUNCTION;
}

static bool waits_itself(const struct jit_unit *unit, uint32_t f)
{
    const struct ptx_function *function = function_at(unit, f);

    for (uint32_t c = 0; c < unit->graphs[f].component_count; c++)
        if (unit->graphs[f].components[c].spins)
            return true;
    for (uint32_t i = 0; i < function->instruction_count; i++)
        if (jit_instruction_syncs(&function->instructions[i]) ||
            jit_instruction_waits(&function->instructions[i]))
            return true;
    return false;
}

/* Finds the functions that may wait, directly or through calls. */
static void find_waiting(const struct jit_unit *unit, struct jit_convergence_summary *summary)
{
    bool changed = true, *could_wait = summary->could_wait;

    for (uint32_t f = 0; f < unit->program->function_count; f++)
        could_wait[f] = unit->reached[f] && waits_itself(unit, f);
    while (changed) {
        changed = false;
        summary->any_taken = false;
        for (uint32_t f = 0; f < unit->program->function_count; f++)
            summary->any_taken |= unit->reached[f] && unit->taken[f] && could_wait[f];
        for (uint32_t f = 0; f < unit->program->function_count; f++) {
            const struct ptx_function *function = function_at(unit, f);

            for (uint32_t i = 0;
                 unit->reached[f] && !could_wait[f] && i < function->instruction_count; i++) {
                const struct ptx_instruction *one = &function->instructions[i];

                if (one->op != PTX_OP_call || !one->call)
                    continue;
                if (is_indirect(one) ? summary->any_taken : could_wait[one->call->target.index])
                    could_wait[f] = changed = true;
            }
        }
    }
}

/* Notes that only some lanes may call the target; an indirect call may reach any function whose
 * address is taken. */
static void call_some(struct jit_unit *unit, const struct ptx_call *call,
                      struct jit_convergence_summary *summary)
{
    bool indirect = call->target.kind != PTX_OPERAND_FUNCTION;

    for (uint32_t g = 0; g < unit->program->function_count; g++)
        if (indirect ? unit->taken[g] : g == call->target.index)
            summary->converged[g] = false;
}

/* Finds the instructions of a function at which lanes may have to wait for other lanes of their
 * warp. */
static bool find_parking(struct jit_unit *unit, uint32_t f, struct jit_convergence_summary *summary,
                         const bool *diverged, bool *parking)
{
    const struct jit_cfg *cfg = &unit->graphs[f];
    const struct ptx_instruction *instructions = cfg->function->instructions;
    bool any = false, splits = false;

    memset(parking, 0, cfg->function->instruction_count * sizeof(*parking));
    for (uint32_t k = 0; k < cfg->component_count; k++)
        splits |= cfg->components[k].spins;
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        uint32_t n = cfg->order[p];
        const struct jit_node *node = &cfg->nodes[n];
        const struct ptx_call *call;
        bool indirect;

        for (uint32_t i = node->first; diverged[n] && i < node->end; i++)
            if (jit_instruction_syncs(&instructions[i]))
                parking[i] = any = true;
        splits |= diverged[n] && node->kind == JIT_END_BARRIER;
        if (node->kind != JIT_END_CALL)
            continue;
        call = instructions[node->last].call;
        indirect = call->target.kind != PTX_OPERAND_FUNCTION;
        if (indirect || diverged[n])
            call_some(unit, call, summary);
        if (indirect ? summary->any_taken
                     : summary->splits[call->target.index] ||
                           (diverged[n] && summary->could_wait[call->target.index]))
            parking[node->last] = any = true;
    }
    summary->splits[f] = splits || any;
    return any;
}

static uint32_t most_nodes(const struct jit_unit *unit)
{
    uint32_t most = 0;

    for (uint32_t f = 0; f < unit->program->function_count; f++)
        if (unit->reached[f] && unit->graphs[f].node_count > most)
            most = unit->graphs[f].node_count;
    return most;
}

/* Analyses one function. last: the analysis has converged, so the graph is built again with nodes
 * that end at the parking instructions. */
static void settle_function(struct jit_unit *unit, uint32_t f,
                            struct jit_convergence_summary *summary, bool *diverged, bool last)
{
    const struct ptx_function *function = function_at(unit, f);

    if (!summary->parking[f])
        summary->parking[f] =
            jit_workspace_zeros(&unit->workspace, function->instruction_count, sizeof(bool));
    jit_convergence_find_diverged(unit, f, summary, diverged);
    if (!find_parking(unit, f, summary, diverged, summary->parking[f]) || !last)
        return;
    jit_cfg_make(&unit->graphs[f], &unit->workspace, unit->program, function, summary->parking[f]);
    unit->waiting |= unit->graphs[f].waits;
}

/* Iterates over the functions until nothing changes, then once more to rebuild their graphs. One
 * comparison covers summary->converged and summary->splits, which are adjacent in memory. */
static void settle(struct jit_unit *unit, struct jit_convergence_summary *summary, bool *diverged)
{
    uint32_t count = unit->program->function_count;
    bool last = false, *before = jit_workspace_zeros(&unit->workspace, 2u * count, sizeof(bool));

    find_waiting(unit, summary);
    memset(summary->converged, true, count * sizeof(bool));
    for (;;) {
        memcpy(before, summary->converged, 2u * count * sizeof(bool));
        for (uint32_t f = 0; f < count; f++)
            if (unit->reached[f] && (summary->could_wait[f] || !function_at(unit, f)->is_kernel))
                settle_function(unit, f, summary, diverged, last);
        if (last)
            break;
        last = memcmp(before, summary->converged, 2u * count * sizeof(bool)) == 0;
    }
}

void jit_unit_analyse_convergence(struct jit_unit *unit)
{
    struct jit_workspace *workspace = &unit->workspace;
    uint32_t count = unit->program->function_count;
    bool *memory = jit_workspace_zeros(workspace, 3u * count, sizeof(bool)),
         *diverged = jit_workspace_zeros(workspace, most_nodes(unit), sizeof(bool));
    struct jit_convergence_summary summary = {
        .converged = memory,
        .splits = memory + count,
        .could_wait = memory + 2u * count,
        .parking = jit_workspace_zeros(workspace, count, sizeof(*summary.parking)),
        .functions = jit_workspace_zeros(workspace, count, sizeof(*summary.functions))};

    settle(unit, &summary, diverged);
}
