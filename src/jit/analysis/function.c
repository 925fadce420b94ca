/* SPDX-License-Identifier: MIT */
/* Makes the description of a PTX function. */
#include "jit/analysis/function.h"

#include "jit/analysis/constants.h"
#include "jit/analysis/uniformity.h"
#include "jit/lower/lower.h"
#include "jit/unit.h"
#include "ptx/matrix.h"

/* Finds where a kernel's own parameters and local variables lie; a device function's parameters
 * have offsets in the same way. */
static void place_variables(struct jit_function *function)
{
    const struct ptx_function *ptx = function->ptx;

    for (uint32_t p = 0; p < ptx->parameter_count; p++)
        function->variable_offsets[ptx->parameters[p].variable] = ptx->parameters[p].offset;
    for (uint32_t v = 0; function->is_kernel && v < ptx->variable_count; v++)
        if (ptx->variables[v].space == PTX_LOCAL)
            function->variable_offsets[v] = function->unit->own_local[v];
}

struct jit_function *jit_function_make(struct jit_unit *unit, uint32_t index)
{
    struct jit_workspace *workspace = &unit->workspace;
    struct jit_function *function = jit_workspace_zeros(workspace, 1, sizeof(*function));
    const struct ptx_function *ptx = &unit->program->functions[index];
    uint32_t registers = unit->graphs[index].register_count;

    *function = (struct jit_function){.unit = unit,
                                      .ptx = ptx,
                                      .cfg = unit->graphs[index],
                                      .index = index,
                                      .is_kernel = index == unit->request->function,
                                      .has_matrices = ptx_matrix_is_used(ptx)};
    for (uint32_t f = 0; f < index; f++)
        function->first_site += unit->request->program->functions[f].instruction_count;
    for (unsigned s = 0; s < 2; s++)
        function->uniformity[s] =
            jit_workspace_zeros(workspace, registers, sizeof(struct jit_uniformity));
    function->raw = jit_workspace_zeros(workspace, registers, sizeof(bool));
    if (!unit->outlines)
        jit_lower_raw_registers(
            ptx, !unit->arm || unit->request->fast_math, function->raw,
            jit_workspace_zeros(workspace, ptx->instruction_count + 2u, sizeof(int)),
            jit_workspace_zeros(workspace, registers, sizeof(bool)));
    function->variable_offsets =
        jit_workspace_zeros(workspace, ptx->variable_count + 1u, sizeof(uint64_t));
    place_variables(function);
    jit_constants_find(function);
    return function;
}
