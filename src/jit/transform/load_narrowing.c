/* SPDX-License-Identifier: MIT */
/* Narrows loads of vectors. What an H200 does was seen from which misaligned loads fault: of four
 * words it loads one, or an aligned pair; if three are used, all. Of shorter elements it loads the
 * word that has them, or one element. Two words that are no pair are two loads there; here the load
 * stays whole. */
#include "jit/transform/load_narrowing.h"

#include "jit/analysis/cfg.h"
#include "jit/analysis/instruction.h"
#include "jit/unit.h"

#include <string.h>

static bool is_vector_load(const struct ptx_instruction *i)
{
    return i->op == PTX_OP_ld && i->dst[0].kind == PTX_OPERAND_VECTOR &&
           i->src[0].kind == PTX_OPERAND_ADDRESS && !ptx_has(i, PTX_MOD_VOLATILE) &&
           !ptx_has(i, PTX_MOD_ACQUIRE) && !ptx_has(i, PTX_MOD_MMIO);
}

static void count_use(void *context, uint32_t reg)
{
    ((uint32_t *)context)[reg]++;
}

/* The elements that some instruction uses, a bit for each. */
static unsigned used_elements(const struct ptx_function *function, const struct ptx_instruction *i,
                              const uint32_t *uses)
{
    const struct ptx_operand *elements = function->elements + i->dst[0].index;
    unsigned used = 0;

    for (unsigned e = 0; e < i->dst[0].count; e++)
        if (elements[e].kind == PTX_OPERAND_REGISTER && uses[elements[e].index])
            used |= 1u << e;
    return used;
}

/* The elements to load, from *first on: all of them, one, or a pair that is aligned. */
static unsigned loaded_elements(const struct ptx_instruction *i, unsigned used, unsigned *first)
{
    unsigned count = i->dst[0].count, bits = ptx_type_bits(i->types[i->type_count - 1]), last;

    *first = 0;
    if (!used || bits < 16)
        return count;
    last = 31 - (unsigned)__builtin_clz(used);
    *first = (unsigned)__builtin_ctz(used);
    if (last == *first)
        return 1;
    if (count == 4 && last == *first + 1 && *first % 2 == 0)
        return 2;
    *first = 0;
    return count;
}

static bool narrow(const struct ptx_function *function, struct ptx_instruction *i,
                   const uint32_t *uses)
{
    unsigned bytes = ptx_type_bits(i->types[i->type_count - 1]) / 8, first;
    unsigned count = loaded_elements(i, used_elements(function, i, uses), &first);

    if (count == i->dst[0].count)
        return false;
    i->src[0].value += (uint64_t)first * bytes;
    i->width = (uint8_t)count;
    if (count == 1) {
        i->dst[0] = function->elements[i->dst[0].index + first];
        return true;
    }
    i->dst[0].index += first;
    i->dst[0].count = count;
    return true;
}

/* Changes a copy of the instructions; false: nothing changed. */
static bool narrow_function(struct jit_unit *unit, struct ptx_function *function)
{
    struct jit_workspace *workspace = &unit->workspace;
    uint32_t count = function->instruction_count;
    struct jit_cfg cfg = {.workspace = workspace,
                          .program = unit->program,
                          .function = function,
                          .register_count = function->register_count + 1,
                          .carry = function->register_count};
    uint32_t *uses = jit_workspace_zeros(workspace, cfg.register_count, sizeof(*uses));
    struct ptx_instruction *copy = jit_workspace_zeros(workspace, count, sizeof(*copy));
    bool changed = false;

    memcpy(copy, function->instructions, count * sizeof(*copy));
    for (uint32_t k = 0; k < count; k++)
        jit_instruction_uses(&cfg, &copy[k], count_use, uses);
    for (uint32_t k = 0; k < count; k++)
        if (is_vector_load(&copy[k]) && narrow(function, &copy[k], uses))
            changed = true;
    if (changed)
        function->instructions = copy;
    return changed;
}

static bool has_vector_loads(const struct ptx_function *function)
{
    for (uint32_t k = 0; k < function->instruction_count; k++)
        if (is_vector_load(&function->instructions[k]))
            return true;
    return false;
}

void jit_unit_narrow_loads(struct jit_unit *unit)
{
    const struct ptx_program *program = unit->program;
    struct ptx_function *functions;
    struct ptx_program *own;
    bool any = false, changed = false;

    for (uint32_t f = 0; f < program->function_count; f++)
        any |= has_vector_loads(&program->functions[f]);
    if (!any)
        return;
    own = jit_workspace_zeros(&unit->workspace, 1, sizeof(*own));
    functions = jit_workspace_zeros(&unit->workspace, program->function_count, sizeof(*functions));
    memcpy(functions, program->functions, program->function_count * sizeof(*functions));
    *own = *program;
    own->functions = functions;
    for (uint32_t f = 0; f < program->function_count; f++)
        if (has_vector_loads(&functions[f]))
            changed |= narrow_function(unit, &functions[f]);
    if (changed)
        unit->program = own;
}
