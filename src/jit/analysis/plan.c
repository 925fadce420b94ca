/* SPDX-License-Identifier: MIT */
/* Decisions made before code is emitted: the functions that the kernel reaches, whether its warps
 * wait, the width of a vector, and the layout of its shared and local variables. */
#include "jit/analysis/plan.h"

#include "abi/check.h"
#include "core/align.h"
#include "jit/analysis/cfg.h"
#include "jit/analysis/convergence.h"
#include "jit/analysis/instruction.h"
#include "jit/emit/calls.h"
#include "jit/unit.h"
#include "jit/workspace.h"
#include "ptx/matrix.h"

/* In instructions: kernels of which the optimised tier makes one variant, as two take long to
 * compile, and those of which the hot tier does, too. */
enum { LARGE = 400, LARGE_WITH_MATRICES = 2000, HUGE = 10000 };

/* The same for code of one thread. */
enum { HUGE_SCALAR = 100000 };

enum { LOCAL_ALIGN = 16, SHARED_ALIGN = 16 };

static const struct ptx_function *function_at(const struct jit_unit *unit, uint32_t index)
{
    return &unit->program->functions[index];
}

static bool is_indirect(const struct ptx_instruction *i)
{
    return i->op == PTX_OP_call && i->call && i->call->target.kind != PTX_OPERAND_FUNCTION;
}

/* Finds the functions that may be called through a pointer: their address is taken by reached code
 * or is in a variable. Returns whether reached code has indirect calls. */
static bool find_taken(struct jit_unit *unit)
{
    const struct ptx_program *program = unit->program;
    bool indirect = false;

    for (uint32_t f = 0; f < program->function_count; f++) {
        const struct ptx_function *function = function_at(unit, f);

        for (uint32_t i = 0; unit->reached[f] && i < function->instruction_count; i++) {
            const struct ptx_instruction *instruction = &function->instructions[i];

            indirect |= is_indirect(instruction);
            for (unsigned s = 0; s < instruction->source_count; s++)
                if (instruction->src[s].kind == PTX_OPERAND_FUNCTION)
                    unit->taken[instruction->src[s].index] = true;
        }
    }
    if (!indirect)
        return false;
    for (uint32_t v = 0; v < program->variable_count; v++)
        for (uint32_t r = 0; r < program->variables[v].relocation_count; r++)
            if (program->variables[v].relocations[r].is_function)
                unit->taken[program->variables[v].relocations[r].index] = true;
    return true;
}

static bool reach(struct jit_unit *unit, uint32_t index)
{
    const struct ptx_function *function = function_at(unit, index);

    if (unit->reached[index] || function->is_prototype || function->is_kernel ||
        jit_call_is_builtin(function))
        return false;
    unit->reached[index] = true;
    return true;
}

static bool reach_callees(struct jit_unit *unit, uint32_t index)
{
    const struct ptx_function *function = function_at(unit, index);
    bool more = false;

    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];

        if (instruction->op == PTX_OP_call && instruction->call && !is_indirect(instruction))
            more |= reach(unit, instruction->call->target.index);
    }
    return more;
}

static void find_reached(struct jit_unit *unit)
{
    bool more = true;

    unit->reached[unit->request->function] = true;
    while (more) {
        bool indirect = find_taken(unit);

        more = false;
        for (uint32_t f = 0; f < unit->program->function_count; f++) {
            if (unit->reached[f])
                more |= reach_callees(unit, f);
            if (indirect && unit->taken[f])
                more |= reach(unit, f);
        }
        unit->recursive |= indirect;
    }
}

/* Finds recursion by depth-first search. state: 1 on the current path, 2 done. */
static void find_recursion(struct jit_unit *unit, uint32_t index, uint8_t *state)
{
    const struct ptx_function *function = function_at(unit, index);

    state[index] = 1;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        uint32_t callee;

        if (instruction->op != PTX_OP_call || !instruction->call || is_indirect(instruction))
            continue;
        callee = instruction->call->target.index;
        if (state[callee] == 1)
            unit->recursive = true;
        else if (state[callee] == 0 && unit->reached[callee])
            find_recursion(unit, callee, state);
    }
    state[index] = 2;
}

static bool needs_warp(const struct jit_unit *unit, const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_shfl:
    case PTX_OP_vote:
    case PTX_OP_match:
    case PTX_OP_redux:
    case PTX_OP_elect:
    case PTX_OP_activemask:
    case PTX_OP_bar:
    case PTX_OP_barrier:
    case PTX_OP_tex: /* one runtime call for a whole warp costs hardly more than for a part of it */
    case PTX_OP_tld4:
    case PTX_OP_mma:
    case PTX_OP_wgmma:
    case PTX_OP_wmma:
    case PTX_OP_ldmatrix:
    case PTX_OP_stmatrix:
    case PTX_OP_movmatrix:
    case PTX_OP_mbarrier:
    case PTX_OP_alloca: /* every lane of the warp has a stack */
    case PTX_OP_stacksave:
    case PTX_OP_stackrestore:
        return true;
    case PTX_OP_call:
        return i->call && i->call->target.kind == PTX_OPERAND_FUNCTION &&
               (function_at(unit, i->call->target.index)->is_prototype ||
                jit_call_is_builtin(function_at(unit, i->call->target.index)));
    default:
        return false;
    }
}

/* Whether all threads of the block take part in the barrier and its number is an immediate. */
static bool is_plain_barrier(const struct ptx_instruction *i, uint64_t *id)
{
    unsigned plain = i->source_count - (ptx_has(i, PTX_MOD_RED) && i->source_count ? 1u : 0u);

    if (ptx_has(i, PTX_MOD_SCOPE_CLUSTER) || plain != 1 || i->src[0].kind != PTX_OPERAND_IMMEDIATE)
        return false;
    *id = i->src[0].value;
    return true;
}

/* Whether the kernel is looped: its warps wait at one barrier, in the kernel itself, and nowhere
 * else. */
static bool is_looped(const struct jit_unit *unit)
{
    uint64_t id = 0, first = UINT64_MAX;

    if (!unit->waiting || unit->clusters || unit->one_variant || unit->info.spins)
        return false;
    for (uint32_t f = 0; f < unit->program->function_count; f++) {
        const struct ptx_function *function = function_at(unit, f);

        if (!unit->reached[f])
            continue;
        if (f != unit->request->function && unit->graphs[f].waits)
            return false;
        for (uint32_t k = 0; k < function->instruction_count; k++) {
            const struct ptx_instruction *i = &function->instructions[k];

            if (i->op == PTX_OP_call && unit->graphs[f].parking && unit->graphs[f].parking[k])
                return false;
            if (i->op == PTX_OP_wgmma && jit_instruction_waits(i))
                return false;
            if ((i->op != PTX_OP_bar && i->op != PTX_OP_barrier) || ptx_has(i, PTX_MOD_WARP))
                continue;
            if (!jit_instruction_waits(i) || !is_plain_barrier(i, &id) ||
                (first != UINT64_MAX && id != first))
                return false;
            first = id;
        }
    }
    return true;
}

/* Whether the kernel is small and is a loop that streams through memory. Its warps are interleaved
 * in that loop (barrier_regions.c). */
static bool is_streaming(const struct jit_unit *unit)
{
    enum { SMALL = 100 };
    const struct jit_cfg *cfg = &unit->graphs[unit->request->function];

    return !unit->waiting && !unit->one_variant && unit->instruction_count <= SMALL &&
           cfg->component_count == 1 &&
           (unit->shape == CUP_SHAPE_ROWS || unit->shape == CUP_SHAPE_LINE) &&
           jit_node_is_streaming_loop(cfg, cfg->components[0].head);
}

static void inspect(struct jit_unit *unit, const struct ptx_instruction *i, bool *warp, bool *calls)
{
    *warp |= needs_warp(unit, i);
    *calls |= i->op == PTX_OP_call;
    unit->clusters |= jit_instruction_uses_clusters(i);
    unit->info.descriptors |= i->op == PTX_OP_wgmma;
    unit->info.ordered |= i->op == PTX_OP_atom || i->op == PTX_OP_red || i->op == PTX_OP_sured ||
                          i->op == PTX_OP_call;
}

/* Whether a block is one thread whose code needs no lanes: the uniform variant of one lane, in
 * which all values are scalars and which nothing leaves. That is compiled as fast as C is, so that
 * kernels may be larger. */
static bool is_scalar(const struct jit_unit *unit, bool warp, bool calls)
{
    const struct jit_request *request = unit->request;

    return unit->shape == CUP_SHAPE_ONE && request->tier != JIT_TIER_FIRST && !warp && !calls &&
           !unit->waiting && !unit->checks && !request->counted && !request->debugger &&
           !request->limited && unit->instruction_count <= HUGE_SCALAR;
}

/* Outlined operations have no lines, counters and checks of their own, and know the shared memory
 * of one block. */
static bool may_outline(const struct jit_unit *unit)
{
    const struct jit_request *request = unit->request;

    return !unit->clusters && !request->debugger && !request->lines && !request->counted &&
           !unit->checks;
}

static bool make_graphs(struct jit_unit *unit)
{
    bool warp = false, calls = false;
    uint32_t large = LARGE;

    for (uint32_t f = 0; f < unit->program->function_count; f++) {
        const struct ptx_function *function = function_at(unit, f);
        struct jit_cfg *cfg = &unit->graphs[f];

        if (!unit->reached[f])
            continue;
        if (!jit_cfg_make(cfg, &unit->workspace, unit->program, function, NULL)) {
            jit_unit_fail(unit, NULL, "function %s is too large", function->name);
            return false;
        }
        unit->waiting |= cfg->waits;
        for (uint32_t c = 0; c < cfg->component_count; c++)
            unit->info.spins |= cfg->components[c].spins;
        unit->instruction_count += function->instruction_count;
        if (ptx_matrix_is_used(function))
            large = LARGE_WITH_MATRICES;
        for (uint32_t i = 0; i < function->instruction_count; i++)
            inspect(unit, &function->instructions[i], &warp, &calls);
    }
    unit->checks = unit->request->checks;
    unit->waiting |= unit->clusters;
    jit_unit_analyse_convergence(unit);
    const bool scalar = is_scalar(unit, warp, calls);
    if (unit->request->tier == JIT_TIER_HOT)
        large = HUGE;
    if (scalar)
        large = HUGE_SCALAR;
    unit->one_variant = unit->request->tier == JIT_TIER_FIRST || unit->instruction_count > large;
    unit->info.is_large = unit->instruction_count > large && unit->instruction_count <= HUGE;
    unit->outlines = unit->request->tier == JIT_TIER_FIRST && may_outline(unit);
    unit->outlines_accesses = unit->request->tier != JIT_TIER_FIRST && may_outline(unit) &&
                              !scalar && unit->instruction_count > LARGE;
    if (scalar)
        unit->width = 1;
    else if (warp || unit->waiting || unit->request->counted || unit->checks || unit->outlines)
        unit->width = 32;
    else if (unit->one_variant || unit->shape == CUP_SHAPE_SHORT)
        unit->width = 8;
    unit->single_lane = unit->request->debugger && unit->width < 32;
    if (is_streaming(unit)) {
        unit->looped = true;
        unit->width = 32;
    } else if (is_looped(unit)) {
        unit->looped = true;
        unit->waiting = false;
    }
    /* Short rows consist of whole vectors if these are narrower than a warp. For whole warps only
     * rows of 16 have special code. */
    if (unit->width < 32 && (unit->shape == CUP_SHAPE_SHORT || unit->shape == CUP_SHAPE_SIXTEEN))
        unit->shape = CUP_SHAPE_ROWS;
    else if (unit->shape == CUP_SHAPE_SHORT)
        unit->shape = CUP_SHAPE_ANY;
    else if (unit->shape == CUP_SHAPE_ONE && unit->width > 1)
        unit->shape = CUP_SHAPE_LINE;
    return true;
}

static void use_variable(struct jit_unit *unit, bool *used, const struct ptx_operand *operand)
{
    bool variable = operand->kind == PTX_OPERAND_SYMBOL ||
                    (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_VARIABLE);

    if (variable && !operand->local && operand->index < unit->program->variable_count)
        used[operand->index] = true;
}

static void find_used(struct jit_unit *unit, bool *used)
{
    for (uint32_t f = 0; f < unit->program->function_count; f++) {
        const struct ptx_function *function = function_at(unit, f);

        for (uint32_t i = 0; unit->reached[f] && i < function->instruction_count; i++)
            for (unsigned s = 0; s < function->instructions[i].source_count; s++)
                use_variable(unit, used, &function->instructions[i].src[s]);
    }
}

static uint64_t place(uint64_t *end, const struct ptx_variable *variable)
{
    uint64_t at = cup_align_up(*end, variable->align);

    *end = at + variable->size_bytes;
    return at;
}

static void make_own(struct jit_unit *unit, uint32_t f, uint64_t *end)
{
    const struct ptx_function *function = function_at(unit, f);

    unit->own_shared[f] =
        jit_workspace_zeros(&unit->workspace, function->variable_count, sizeof(uint64_t));
    for (uint32_t v = 0; v < function->variable_count; v++)
        if (function->variables[v].space == PTX_SHARED && !function->variables[v].unsized)
            unit->own_shared[f][v] = place(end, &function->variables[v]);
}

static void lay_out_shared(struct jit_unit *unit)
{
    const struct ptx_program *program = unit->program;
    bool *used = jit_workspace_zeros(&unit->workspace, program->variable_count, sizeof(*used));
    uint64_t end = 0;

    for (uint32_t f = 0; f < program->function_count; f++)
        if (unit->reached[f])
            make_own(unit, f, &end);
    find_used(unit, used);
    for (uint32_t v = 0; v < program->variable_count; v++)
        if (program->variables[v].space == PTX_SHARED && used[v] && !program->variables[v].unsized)
            unit->shared_offsets[v] = place(&end, &program->variables[v]);
    /* Dynamic shared memory begins after all static variables, and all unsized variables are there.
     * A declaration is enough to need it, as in kernel_resources.c. */
    uint64_t align = SHARED_ALIGN;
    bool dynamic = false;
    for (uint32_t v = 0; v < program->variable_count; v++) {
        if (program->variables[v].space == PTX_SHARED && program->variables[v].unsized) {
            dynamic = true;
            if (program->variables[v].align > align)
                align = program->variables[v].align;
        }
    }
    if (dynamic)
        end = cup_align_up(end, align);
    for (uint32_t v = 0; v < program->variable_count; v++)
        if (program->variables[v].space == PTX_SHARED && program->variables[v].unsized)
            unit->shared_offsets[v] = end;
    for (uint32_t f = 0; f < program->function_count; f++)
        for (uint32_t v = 0; unit->reached[f] && v < function_at(unit, f)->variable_count; v++)
            if (function_at(unit, f)->variables[v].space == PTX_SHARED &&
                function_at(unit, f)->variables[v].unsized)
                unit->own_shared[f][v] = end;
    unit->shared_static = (uint32_t)end;
}

static void lay_out_local(struct jit_unit *unit)
{
    const struct ptx_function *kernel = function_at(unit, unit->request->function);
    uint64_t end = 0;

    unit->own_local =
        jit_workspace_zeros(&unit->workspace, kernel->variable_count, sizeof(uint64_t));
    for (uint32_t v = 0; v < kernel->variable_count; v++)
        if (kernel->variables[v].space == PTX_LOCAL)
            unit->own_local[v] = place(&end, &kernel->variables[v]);
    end = cup_align_up(end, LOCAL_ALIGN);
    if (end > UINT32_C(1) << 24)
        jit_unit_fail(unit, NULL, "%s needs more than 16 MiB of local memory a thread",
                      kernel->name);
    unit->local_bytes = (uint32_t)end;
}

bool jit_unit_plan(struct jit_unit *unit)
{
    struct jit_workspace *workspace = &unit->workspace;
    uint32_t functions = unit->program->function_count, variables = unit->program->variable_count;

    unit->reached = jit_workspace_zeros(workspace, functions, sizeof(*unit->reached));
    unit->taken = jit_workspace_zeros(workspace, functions, sizeof(*unit->taken));
    unit->graphs = jit_workspace_zeros(workspace, functions, sizeof(*unit->graphs));
    unit->functions = jit_workspace_zeros(workspace, functions, sizeof(*unit->functions));
    unit->thunks = jit_workspace_zeros(workspace, functions, sizeof(*unit->thunks));
    unit->function_types = jit_workspace_zeros(workspace, functions, sizeof(*unit->function_types));
    unit->own_shared = jit_workspace_zeros(workspace, functions, sizeof(*unit->own_shared));
    unit->shared_offsets = jit_workspace_zeros(workspace, variables, sizeof(uint64_t));
    find_reached(unit);
    find_recursion(unit, unit->request->function, jit_workspace_zeros(workspace, functions, 1));
    if (!make_graphs(unit))
        return false;
    lay_out_shared(unit);
    lay_out_local(unit);
    if (jit_width_is_warp(unit))
        unit->width = 32;
    return !unit->failed;
}
