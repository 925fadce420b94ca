/* SPDX-License-Identifier: MIT */
/* A register is constant if one instruction writes it, which moves a number there, and no path
 * reads it before: NVIDIA's compiler moves the numbers of shuffles into registers. */
#include "jit/analysis/constants.h"

#include "jit/analysis/instruction.h"
#include "jit/unit.h"

struct writer_search {
    uint32_t *writers; /* per register: 1 + the instruction; 0: none */
    uint32_t at;
};

enum { SEVERAL_WRITERS = UINT32_MAX };

static void note(void *context, uint32_t reg)
{
    struct writer_search *search = context;

    search->writers[reg] = search->writers[reg] ? SEVERAL_WRITERS : search->at + 1;
}

void jit_constants_find(struct jit_function *function)
{
    struct writer_search search = {.at = 0};

    search.writers = jit_workspace_zeros(&function->unit->workspace, function->cfg.register_count,
                                         sizeof(*search.writers));
    for (; search.at < function->ptx->instruction_count; search.at++)
        jit_instruction_defines(&function->cfg, &function->ptx->instructions[search.at], note,
                                &search);
    function->writers = search.writers;
}

static bool is_read_first(const struct jit_function *function, uint32_t reg)
{
    return jit_set_has(function->cfg.nodes[0].live_in, reg);
}

bool jit_operand_is_constant(const struct jit_function *function, const struct ptx_operand *operand,
                             uint32_t *value)
{
    const struct ptx_instruction *writer;
    uint32_t at;

    if (operand->kind == PTX_OPERAND_IMMEDIATE) {
        *value = (uint32_t)operand->value;
        return true;
    }
    if (operand->kind != PTX_OPERAND_REGISTER)
        return false;
    at = function->writers[operand->index];
    if (at == 0 || at == SEVERAL_WRITERS || is_read_first(function, operand->index))
        return false;
    writer = &function->ptx->instructions[at - 1];
    if (writer->op != PTX_OP_mov || writer->guard != PTX_NO_REGISTER ||
        writer->src[0].kind != PTX_OPERAND_IMMEDIATE || ptx_type_bits(writer->types[0]) != 32)
        return false;
    *value = (uint32_t)writer->src[0].value;
    return true;
}
