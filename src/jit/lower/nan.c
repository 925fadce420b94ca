/* SPDX-License-Identifier: MIT */
/* The registers whose NaNs may keep the CPU's bits.
 *
 * Canonicalising every NaN where it is made costs more than the arithmetic itself. But arithmetic
 * and comparisons do not observe the bits of a NaN. So a register that is only written by
 * arithmetic may hold any NaN, and its other readers (a store, a move to another kind of register,
 * an operation on bits) canonicalise it. Registers that are also loaded are excluded: a loaded NaN
 * keeps its bits.
 *
 * A NaN of .f64 takes its bits from an operand, so it cannot be canonicalised later. On x86_64 its
 * bits are NVIDIA's where something other than arithmetic observes them, except in values that
 * loops carry: those have the CPU's, which differ in which of two NaNs is kept. On aarch64 a NaN
 * that comes from no operand has the other sign, so every NaN of .f64 gets NVIDIA's bits where it
 * is made. */
#include "jit/lower/builder.h"

#include <string.h>

static unsigned width_of(const struct ptx_function *f, uint32_t reg)
{
    return low_bits(f->registers[reg].type);
}

/* Whether the bits, as a float, are not a NaN. */
static bool harmless(uint64_t bits, unsigned width)
{
    return width == 32 ? (bits & 0x7fffffff) <= 0x7f800000
                       : (bits & UINT64_MAX >> 1) <= UINT64_C(0x7ff) << 52;
}

static bool source_is_raw(const struct ptx_function *f, const struct ptx_operand *source,
                          unsigned width, const bool *raw)
{
    if (source->kind == PTX_OPERAND_IMMEDIATE)
        return harmless(source->value, width);
    return source->kind == PTX_OPERAND_REGISTER && width_of(f, source->index) == width &&
           raw[source->index];
}

static bool moves(const struct ptx_instruction *i)
{
    return (i->op == PTX_OP_mov || i->op == PTX_OP_selp) && i->width <= 1 && i->type_count == 1 &&
           (low_bits(i->types[0]) == 32 || low_bits(i->types[0]) == 64);
}

/* Whether this instruction allows the register that it writes to hold any NaN. */
static bool writes_raw(const struct ptx_function *f, const struct ptx_instruction *i,
                       const bool *raw)
{
    unsigned width = width_of(f, i->dst[0].index);

    if (i->type_count == 0 || low_bits(i->types[0]) != width)
        return false;
    if (moves(i))
        return source_is_raw(f, &i->src[0], width, raw) &&
               (i->op == PTX_OP_mov || source_is_raw(f, &i->src[1], width, raw));
    return jit_lower_makes_nan(i);
}

static bool visit(const struct ptx_function *f, const struct ptx_operand *o, bool *raw, bool value)
{
    bool changed = false;

    if (o->kind == PTX_OPERAND_VECTOR) {
        for (unsigned k = 0; k < o->count; k++)
            changed |= visit(f, &f->elements[o->index + k], raw, value);
        return changed;
    }
    if (o->kind != PTX_OPERAND_REGISTER || o->index >= f->register_count || raw[o->index] == value)
        return false;
    raw[o->index] = value;
    return true;
}

static bool narrow_down(const struct ptx_function *f, bool *raw)
{
    bool changed = false;

    for (uint32_t k = 0; k < f->instruction_count; k++) {
        const struct ptx_instruction *i = &f->instructions[k];

        if (i->dst[0].kind != PTX_OPERAND_REGISTER || !writes_raw(f, i, raw))
            changed |= visit(f, &i->dst[0], raw, false);
        for (unsigned d = 1; d < PTX_MAX_DESTINATIONS; d++)
            changed |= visit(f, &i->dst[d], raw, false);
        for (uint32_t n = 0; i->call && n < i->call->result_count; n++)
            changed |= visit(f, &i->call->results[n], raw, false);
    }
    return changed;
}

/* Adds one to the depth of every instruction in a loop: from the target of a backward branch to the
 * branch. `depth` holds differences. */
static void add_loop(int *depth, uint32_t target, uint32_t jump)
{
    if (target > jump)
        return;
    depth[target]++;
    depth[jump + 1]--;
}

static void find_loops(const struct ptx_function *f, int *depth)
{
    for (uint32_t k = 0; k < f->instruction_count; k++) {
        const struct ptx_instruction *i = &f->instructions[k];

        if (i->op == PTX_OP_bra && i->src[0].kind == PTX_OPERAND_LABEL)
            add_loop(depth, i->src[0].index, k);
        for (uint32_t t = 0; i->op == PTX_OP_brx && i->call && t < i->call->target_count; t++)
            add_loop(depth, i->call->targets[t], k);
    }
    for (uint32_t k = 1; k <= f->instruction_count; k++)
        depth[k] += depth[k - 1];
}

static bool is_double_arithmetic(const struct ptx_instruction *i)
{
    struct ptx_instruction single = *i;

    if (i->type_count == 0 || i->types[0] != PTX_F64 || i->op == PTX_OP_cvt)
        return false;
    single.types[0] = PTX_F32;
    return jit_lower_makes_nan(&single);
}

/* Finds the registers that are read by anything but arithmetic and comparisons of .f64. */
static void find_seen(const struct ptx_function *f, bool *seen)
{
    for (uint32_t k = 0; k < f->instruction_count; k++) {
        const struct ptx_instruction *i = &f->instructions[k];
        bool compares = (i->op == PTX_OP_setp || i->op == PTX_OP_set || i->op == PTX_OP_testp) &&
                        i->type_count && i->types[i->type_count - 1] == PTX_F64;

        if (compares || is_double_arithmetic(i))
            continue;
        for (unsigned n = 0; n < i->source_count && n < PTX_MAX_SOURCES; n++)
            visit(f, &i->src[n], seen, true);
        for (uint32_t n = 0; i->call && n < i->call->argument_count; n++)
            visit(f, &i->call->arguments[n], seen, true);
    }
}

void jit_lower_raw_registers(const struct ptx_function *f, bool doubles, bool *raw, int *depth,
                             bool *seen)
{
    memset(raw, 0, f->register_count * sizeof(*raw));
    for (uint32_t k = 0; k < f->instruction_count; k++)
        visit(f, &f->instructions[k].dst[0], raw, true);
    while (narrow_down(f, raw))
        ;
    if (!doubles)
        return;
    find_loops(f, depth);
    find_seen(f, seen);
    for (uint32_t k = 0; k < f->instruction_count; k++) {
        const struct ptx_operand *to = &f->instructions[k].dst[0];

        if (to->kind == PTX_OPERAND_REGISTER && is_double_arithmetic(&f->instructions[k]) &&
            (depth[k] > 0 || !seen[to->index]))
            raw[to->index] = true;
    }
}

bool jit_lower_sees_nan(const struct ptx_instruction *i, unsigned source, const bool *raw)
{
    if (moves(i))
        return i->dst[0].kind != PTX_OPERAND_REGISTER || !raw[i->dst[0].index];
    switch (i->op) {
    case PTX_OP_setp:
    case PTX_OP_testp:
        return i->types[0] != PTX_F32 && i->types[0] != PTX_F64;
    case PTX_OP_set:
        return i->type_count < 2 || (i->types[1] != PTX_F32 && i->types[1] != PTX_F64);
    case PTX_OP_cvt: /* conversions to .f64, .tf32 and the same type keep the bits of a NaN */
        return i->types[0] == PTX_F64 || i->types[0] == PTX_TF32 ||
               (i->types[0] == PTX_F32 && !jit_lower_makes_nan(i));
    case PTX_OP_slct:
        return source != 2;
    default:
        return !jit_lower_makes_nan(i);
    }
}

bool jit_lower_makes_nan(const struct ptx_instruction *i)
{
    if (i->type_count == 0 || i->types[0] != PTX_F32 || ptx_has(i, PTX_MOD_SAT))
        return false;
    switch (i->op) {
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_mad:
    case PTX_OP_fma:
    case PTX_OP_div:
    case PTX_OP_rcp:
    case PTX_OP_sqrt:
    case PTX_OP_rsqrt:
    case PTX_OP_sin:
    case PTX_OP_cos:
    case PTX_OP_lg2:
    case PTX_OP_ex2:
    case PTX_OP_tanh:
    case PTX_OP_min:
    case PTX_OP_max:
    case PTX_OP_neg:
    case PTX_OP_abs:
        return true;
    case PTX_OP_cvt:
        return low_convert_makes_nan(i);
    default:
        return false;
    }
}
