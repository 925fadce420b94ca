/* SPDX-License-Identifier: MIT */
/* Uniformity analysis: a fixpoint over all definitions, which ignores control flow, in the lattice
 * uniform < affine < varying.
 *
 * In the uniform variant all lanes run together, so an instruction on uniform values has a uniform
 * result. In the divergent variant lanes execute a definition at different times; there a register
 * is a scalar only if it keeps one value while the warp runs: it has a single definition, from such
 * values.
 *
 * Where instructions are outlined (outlined_operations.h), nothing is affine: the fewer kinds of
 * registers there are, the more instructions share a function. What would be affine is varying
 * from the start, so that nothing uniform is computed from it: the difference of two indices would
 * be taken from lane 0, where an outlined operation leaves the operands of an inactive lane as they
 * were. */
#include "jit/analysis/uniformity.h"

#include "jit/analysis/function.h"
#include "jit/analysis/instruction.h"
#include "jit/unit.h"

#include <stdlib.h>

static const struct jit_uniformity uniform = {JIT_UNIFORM, false, 0, 0};
static const struct jit_uniformity varying = {JIT_VARYING, false, 0, 0};

static struct jit_uniformity affine(int64_t stride, int64_t jump)
{
    if (stride == 0 && jump == 0)
        return uniform;
    return (struct jit_uniformity){JIT_AFFINE, false, stride, jump};
}

static struct jit_uniformity join(struct jit_uniformity a, struct jit_uniformity b)
{
    if (a.kind == JIT_UNIFORMITY_NONE)
        return b;
    if (b.kind == JIT_UNIFORMITY_NONE)
        return a;
    if (a.kind == JIT_VARYING || b.kind == JIT_VARYING || a.stride != b.stride || a.jump != b.jump)
        return varying;
    a.aligned = a.aligned && b.aligned;
    return a;
}

bool jit_type_is_integer(uint8_t type, unsigned bits)
{
    return ptx_type_bits(type) == bits && !ptx_type_is_float(type) && type != PTX_PRED &&
           type != PTX_U16X2 && type != PTX_S16X2;
}

bool jit_type_is_word(uint8_t type)
{
    return jit_type_is_integer(type, 32) || jit_type_is_integer(type, 64);
}

/* Wraps a stride to the width of the type, as the lanes' registers wrap. */
static int64_t wrap(uint8_t type, int64_t stride)
{
    return ptx_type_bits(type) == 32 ? (int32_t)stride : stride;
}

/* The uniformity of a value that is not in a register. */
static struct jit_uniformity uniformity_of_leaf(const struct jit_function *function,
                                                struct jit_uniformity uniformity)
{
    if (function->unit->width == 1)
        return uniform;
    return uniformity.kind == JIT_AFFINE && function->unit->outlines ? varying : uniformity;
}

static struct jit_uniformity uniformity_of_variable(const struct jit_function *function,
                                                    uint32_t index, bool local)
{
    const struct ptx_variable *variable =
        local ? &function->ptx->variables[index] : &function->unit->program->variables[index];

    if (variable->space == PTX_LOCAL)
        return uniformity_of_leaf(function, affine(function->is_kernel
                                                       ? function->unit->local_bytes
                                                       : (int64_t)jit_variable_stride(variable),
                                                   0));
    if (variable->space == PTX_PARAM && local) {
        if (function->is_kernel)
            for (uint32_t p = 0; p < function->ptx->parameter_count; p++)
                if (function->ptx->parameters[p].variable == index)
                    return uniform;
        return uniformity_of_leaf(function, affine((int64_t)jit_variable_stride(variable), 0));
    }
    return uniform;
}

static struct jit_uniformity uniformity_of_special(const struct jit_function *function,
                                                   uint32_t special, bool divergent)
{
    static const struct jit_uniformity index = {JIT_AFFINE, true, 1, 0};
    static const struct jit_uniformity column = {JIT_AFFINE, false, 1, -16};
    static const struct jit_uniformity row = {JIT_AFFINE, false, 0, 1};
    bool two_rows = function->unit->shape == CUP_SHAPE_SIXTEEN;

    switch (special) {
    case PTX_SR_TID_X:
        if (two_rows)
            return column;
        return function->unit->shape == CUP_SHAPE_ANY ? varying : index;
    case PTX_SR_TID_Y:
        if (two_rows)
            return row;
        return function->unit->shape == CUP_SHAPE_ANY ? varying : uniform;
    case PTX_SR_TID_Z:
        return function->unit->shape == CUP_SHAPE_ANY ? varying : uniform;
    case PTX_SR_LANEID:
        return index;
    case PTX_SR_LANEMASK_EQ:
    case PTX_SR_LANEMASK_LE:
    case PTX_SR_LANEMASK_LT:
    case PTX_SR_LANEMASK_GE:
    case PTX_SR_LANEMASK_GT:
        return varying;
    case PTX_SR_CLOCK:
    case PTX_SR_CLOCK_HI:
    case PTX_SR_CLOCK64:
    case PTX_SR_GLOBALTIMER:
    case PTX_SR_GLOBALTIMER_LO:
    case PTX_SR_GLOBALTIMER_HI:
        return divergent ? varying : uniform;
    default:
        return uniform;
    }
}

struct jit_uniformity jit_uniformity_of_operand(const struct jit_function *function,
                                                const struct jit_uniformity *uniformities,
                                                const struct ptx_operand *operand)
{
    struct jit_uniformity all = {JIT_UNIFORMITY_NONE, false, 0, 0};

    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        return uniformities[operand->index];
    case PTX_OPERAND_SPECIAL:
        return uniformity_of_leaf(function,
                                  uniformity_of_special(function, operand->index,
                                                        uniformities == function->uniformity[1]));
    case PTX_OPERAND_SYMBOL:
        return uniformity_of_variable(function, operand->index, operand->local);
    case PTX_OPERAND_ADDRESS:
        return jit_uniformity_of_address(function, uniformities, operand);
    case PTX_OPERAND_VECTOR:
        for (unsigned e = 0; e < operand->count; e++)
            all =
                join(all, jit_uniformity_of_operand(function, uniformities,
                                                    &function->ptx->elements[operand->index + e]));
        return all.kind == JIT_AFFINE ? varying : all;
    default:
        return uniform;
    }
}

struct jit_uniformity jit_uniformity_of_address(const struct jit_function *function,
                                                const struct jit_uniformity *uniformities,
                                                const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_REGISTER)
        return uniformities[operand->index];
    if (operand->kind != PTX_OPERAND_ADDRESS)
        return jit_uniformity_of_operand(function, uniformities, operand);
    if (operand->base == PTX_BASE_REGISTER)
        return uniformities[operand->index];
    if (operand->base == PTX_BASE_VARIABLE)
        return uniformity_of_variable(function, operand->index, operand->local);
    return uniform;
}

static bool immediate(const struct ptx_operand *operand, uint8_t type, int64_t *value)
{
    if (operand->kind != PTX_OPERAND_IMMEDIATE)
        return false;
    *value = ptx_type_bits(type) == 32
                 ? (ptx_type_is_signed(type) ? (int64_t)(int32_t)operand->value
                                             : (int64_t)(uint32_t)operand->value)
                 : (int64_t)operand->value;
    return true;
}

/* The uniformity of a * b if one factor is an immediate: the strides are scaled by it. */
static struct jit_uniformity uniformity_of_product(const struct ptx_instruction *i,
                                                   struct jit_uniformity a, struct jit_uniformity b)
{
    int64_t factor;

    if (a.kind == JIT_UNIFORM && b.kind == JIT_UNIFORM)
        return uniform;
    if (b.kind == JIT_UNIFORM && immediate(&i->src[1], i->types[0], &factor))
        return affine(a.stride * factor, a.jump * factor);
    if (a.kind == JIT_UNIFORM && immediate(&i->src[0], i->types[0], &factor))
        return affine(b.stride * factor, b.jump * factor);
    return varying;
}

/* The uniformity of masks and shifts of an aligned value, such as a thread index: the lane number
 * occupies exactly its low bits. */
static struct jit_uniformity uniformity_of_bits(const struct jit_function *function,
                                                const struct ptx_instruction *i,
                                                struct jit_uniformity a)
{
    uint64_t number = i->src[1].value, low = function->unit->width - 1;

    if (!a.aligned || i->src[1].kind != PTX_OPERAND_IMMEDIATE)
        return varying;
    if (i->op == PTX_OP_and) {
        if ((number & low) == low)
            return a;
        return (number & low) == 0 ? uniform : varying;
    }
    if (i->op == PTX_OP_shr && number < 32 && (UINT64_C(1) << number) >= function->unit->width)
        return uniform;
    return varying;
}

/* The uniformity of arithmetic whose sources are all uniform or affine. */
static struct jit_uniformity uniformity_of_arithmetic(const struct jit_function *function,
                                                      const struct jit_uniformity *uniformities,
                                                      bool divergent,
                                                      const struct ptx_instruction *i)
{
    struct jit_uniformity s[3] = {uniform, uniform, uniform}, result;
    uint8_t type = i->types[0];

    for (unsigned k = 0; k < i->source_count && k < 3; k++)
        s[k] = jit_uniformity_of_operand(function, uniformities, &i->src[k]);
    if (divergent && jit_uniformity_widened_source(function, uniformities, i) >= 0)
        return varying;
    switch (i->op) {
    case PTX_OP_add:
        return jit_type_is_word(type) && !ptx_has(i, PTX_MOD_CC) && !ptx_has(i, PTX_MOD_SAT)
                   ? affine(wrap(type, s[0].stride + s[1].stride),
                            wrap(type, s[0].jump + s[1].jump))
                   : varying;
    case PTX_OP_sub:
        return jit_type_is_word(type) && !ptx_has(i, PTX_MOD_CC) && !ptx_has(i, PTX_MOD_SAT)
                   ? affine(wrap(type, s[0].stride - s[1].stride),
                            wrap(type, s[0].jump - s[1].jump))
                   : varying;
    case PTX_OP_neg:
        return jit_type_is_word(type) ? affine(wrap(type, -s[0].stride), wrap(type, -s[0].jump))
                                      : varying;
    case PTX_OP_mul:
    case PTX_OP_mad:
        if (!jit_type_is_word(type) || ptx_has(i, PTX_MOD_HI) || ptx_has(i, PTX_MOD_CC) ||
            ptx_has(i, PTX_MOD_SAT))
            return varying;
        result = uniformity_of_product(i, s[0], s[1]);
        if (result.kind == JIT_VARYING)
            return varying;
        if (i->op == PTX_OP_mad)
            result = affine(result.stride + s[2].stride, result.jump + s[2].jump);
        return ptx_has(i, PTX_MOD_WIDE)
                   ? result
                   : affine(wrap(type, result.stride), wrap(type, result.jump));
    case PTX_OP_shl:
        if (!jit_type_is_word(type) || i->src[1].kind != PTX_OPERAND_IMMEDIATE ||
            i->src[1].value >= ptx_type_bits(type))
            return varying;
        return affine(wrap(type, (int64_t)((uint64_t)s[0].stride << i->src[1].value)),
                      wrap(type, (int64_t)((uint64_t)s[0].jump << i->src[1].value)));
    case PTX_OP_and:
    case PTX_OP_shr:
        return jit_type_is_word(type) ? uniformity_of_bits(function, i, s[0]) : varying;
    case PTX_OP_mov:
        /* Of the halves of a number only the lower one has its stride. */
        return jit_type_is_word(type) && i->src[0].kind != PTX_OPERAND_VECTOR &&
                       i->dst[0].kind != PTX_OPERAND_VECTOR
                   ? s[0]
                   : varying;
    case PTX_OP_cvt:
        if (!jit_type_is_word(i->types[0]) || !jit_type_is_word(i->types[1]) ||
            ptx_has(i, PTX_MOD_SAT))
            return varying;
        result = affine(wrap(i->types[0], s[0].stride), wrap(i->types[0], s[0].jump));
        result.aligned = s[0].aligned;
        return result;
    case PTX_OP_cvta:
        return s[0];
    case PTX_OP_selp:
        return jit_type_is_word(type) && s[2].kind == JIT_UNIFORM ? join(s[0], s[1]) : varying;
    default:
        return varying;
    }
}

int jit_uniformity_widened_source(const struct jit_function *function,
                                  const struct jit_uniformity *uniformities,
                                  const struct ptx_instruction *i)
{
    unsigned candidates = 0;

    if (i->op == PTX_OP_cvt && i->type_count == 2 && jit_type_is_integer(i->types[1], 32) &&
        jit_type_is_integer(i->types[0], 64))
        candidates = 1;
    if ((i->op == PTX_OP_mul || i->op == PTX_OP_mad) && ptx_has(i, PTX_MOD_WIDE) &&
        jit_type_is_integer(i->types[0], 32))
        candidates = 2;
    for (unsigned k = 0; k < candidates; k++) {
        struct jit_uniformity uniformity =
            jit_uniformity_of_operand(function, uniformities, &i->src[k]);

        if (uniformity.kind == JIT_AFFINE && !uniformity.aligned)
            return (int)k;
    }
    return -1;
}

/* A load is uniform if all lanes read one address at the same time. */
static struct jit_uniformity uniformity_of_load(const struct jit_function *function,
                                                const struct jit_uniformity *uniformities,
                                                bool divergent, const struct ptx_instruction *i)
{
    struct jit_uniformity address = jit_uniformity_of_address(function, uniformities, &i->src[0]);
    bool constant = i->space == PTX_CONST || i->space == PTX_PARAM || ptx_has(i, PTX_MOD_NC) ||
                    i->op == PTX_OP_ldu;

    if (address.kind != JIT_UNIFORM)
        return address.kind == JIT_UNIFORMITY_NONE ? address : varying;
    return divergent && !constant ? varying : uniform;
}

struct jit_uniformity jit_uniformity_of_result(const struct jit_function *function,
                                               const struct jit_uniformity *uniformities,
                                               bool divergent, const struct ptx_instruction *i)
{
    struct jit_uniformity all = uniform;

    if (function->unit->width == 1)
        return uniform;
    switch (i->op) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
        return uniformity_of_load(function, uniformities, divergent, i);
    case PTX_OP_vote:
    case PTX_OP_activemask:
    case PTX_OP_redux:
    case PTX_OP_bar:
    case PTX_OP_barrier:
        return divergent ? varying : uniform;
    default:
        if (!jit_instruction_is_pure(i))
            return varying;
    }
    if (i->op == PTX_OP_mov && i->width > 1 && i->src[0].kind == PTX_OPERAND_SPECIAL &&
        i->src[0].index <= PTX_SR_TID_Z)
        return varying;
    if (i->op == PTX_OP_addc || i->op == PTX_OP_subc || i->op == PTX_OP_madc)
        all = uniformities[function->cfg.carry];
    if (i->guard != PTX_NO_REGISTER)
        all = join(all, uniformities[i->guard]);
    for (unsigned k = 0; k < i->source_count; k++) {
        struct jit_uniformity one = jit_uniformity_of_operand(function, uniformities, &i->src[k]);

        if (one.kind == JIT_UNIFORMITY_NONE || one.kind == JIT_VARYING)
            return one;
        if (one.kind == JIT_AFFINE && all.kind == JIT_UNIFORM)
            all.kind = JIT_AFFINE;
    }
    if (all.kind != JIT_AFFINE)
        return all;
    if (i->guard != PTX_NO_REGISTER && uniformities[i->guard].kind != JIT_UNIFORM)
        return varying;
    return uniformity_of_arithmetic(function, uniformities, divergent, i);
}

struct result {
    struct jit_uniformity *uniformities;
    const struct jit_function *function;
    struct jit_uniformity uniformity;
    bool divergent, changed, guarded;
};

static void add_result(void *context, uint32_t reg)
{
    struct result *r = context;
    struct jit_uniformity uniformity = r->uniformity, *now = &r->uniformities[reg];
    uint8_t type = reg == r->function->cfg.carry ? PTX_PRED : r->function->ptx->registers[reg].type;

    if (uniformity.kind == JIT_AFFINE && !jit_type_is_word(type))
        uniformity = varying;
    if (r->divergent && (r->function->cfg.definitions[reg] != 1 || r->guarded))
        uniformity = varying;
    uniformity = join(*now, uniformity);
    if (uniformity.kind != now->kind || uniformity.stride != now->stride ||
        uniformity.jump != now->jump || uniformity.aligned != now->aligned) {
        *now = uniformity;
        r->changed = true;
    }
}

static bool settle(struct result *r)
{
    const struct jit_function *function = r->function;

    r->changed = true;
    while (r->changed) {
        r->changed = false;
        for (uint32_t i = 0; i < function->ptx->instruction_count; i++) {
            const struct ptx_instruction *instruction = &function->ptx->instructions[i];

            r->uniformity =
                jit_uniformity_of_result(function, r->uniformities, r->divergent, instruction);
            r->guarded = instruction->guard != PTX_NO_REGISTER;
            if (r->uniformity.kind != JIT_UNIFORMITY_NONE)
                jit_instruction_defines(&function->cfg, instruction, add_result, r);
        }
    }
    /* A register that is never written, or depends only on itself, has an arbitrary value: treat it
     * as uniform. In the divergent variant it is varying. One at a time, because that may determine
     * others. */
    for (uint32_t reg = 0; reg < function->cfg.register_count; reg++) {
        if (r->uniformities[reg].kind == JIT_UNIFORMITY_NONE) {
            r->uniformities[reg] = r->divergent ? varying : uniform;
            return true;
        }
    }
    return false;
}

void jit_uniformity_analyse(const struct jit_function *function,
                            struct jit_uniformity *uniformities, bool divergent)
{
    struct result r = {.uniformities = uniformities, .function = function, .divergent = divergent};

    for (uint32_t reg = 0; reg < function->cfg.register_count; reg++)
        if (function->unit->width == 1)
            uniformities[reg] = uniform; /* also what atomics return */
        else if (function->unit->request->debugger)
            uniformities[reg] = varying; /* debuggers find every register the same way */
        else if (function->cfg.definitions[reg] == 0)
            uniformities[reg] = divergent ? varying : uniform;
    while (function->unit->width > 1 && settle(&r))
        ;
}
