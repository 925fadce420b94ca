/* SPDX-License-Identifier: MIT */
/* The quadratics of the special function unit, P of sfu_tables.h. A segment's coefficients
 * are one entry of 64 bits in a constant of the module, so each lane loads once.
 *
 * Where the result has a known binade, all arithmetic is in 32 bits. c1 * x has 34 and is split: c1
 * less a multiple of 2^15 is a signed number of 16 bits, x less half of its range one of 17 bits,
 * and their product fits. The multiple of 2^15 times x is x itself, shifted: adding the argument
 * instead, exponent and all, makes the result's exponent as well. What the upper bits of the
 * argument add to its digits that way, and what half of x's range adds, is taken from c0. */
#include "jit/lower/sfu.h"

#include <stdio.h>

enum { SQUARE_BITS = 11, LARGE_SQUARE = 1 << SQUARE_BITS };

/* A function with a known binade. Its result is four times the digits, with `base` over all. */
struct narrow {
    int offset;      /* multiple of 2^15 in c1 */
    unsigned x_bits; /* of the argument; the 6 or 7 bits above them name the segment */
    unsigned index_bits;
    int slope;     /* times the argument in four times the result */
    int centre;    /* roots: exponents less this one fit four times the result */
    uint32_t base; /* the result less its digits, of argument 0 */
};

static const struct narrow narrow_functions[SFU_FUNCTIONS] = {
    [SFU_RCP] = {-1, 16, 7, -4, 0, 252u << 23},
    [SFU_RSQRT] = {-1, 17, 7, -2, 62, (189u - 62) << 23},
    [SFU_SQRT] = {2, 17, 7, 2, -65, (62u + 65) << 23},
    [SFU_EXP2] = {1, 17, 6, 4, 0, 126u << 23},
};

static bool is_root(const struct narrow *n)
{
    return n->slope == 2 || n->slope == -2;
}

/* The upper half of an entry is c0 less what the other terms have too much, the lower one are the
 * factors of x and of the square, both negated. */
static uint64_t narrow_entry(enum jit_sfu_name name, unsigned index)
{
    const struct jit_sfu_function *f = &jit_sfu_functions[name];
    const struct cup_quadratic *segment = &f->segments[index];
    const struct narrow *n = &narrow_functions[name];
    int32_t factor = segment->c1 - n->offset * (1 << 15);
    int64_t upper = segment->c0 + factor * (INT64_C(1) << (n->x_bits - 1 - f->shift));
    uint32_t square = (uint32_t) - (segment->c2 * (1 << f->square_shift));

    upper -= (int64_t)n->slope * index * (1 << n->x_bits);
    if (is_root(n)) /* the argument's lowest exponent bit is halved up */
        upper += (n->slope / 2 * (int64_t)(index >> 6) + n->centre) * (1 << 25);
    return (uint64_t)(uint32_t)upper << 32 | (uint32_t)-factor << 16 | (square & 0xffff);
}

/* The upper half of an entry is c0, the lower one c1 and the magnitude of c2, whose bits beyond 11
 * are above c0. */
static uint64_t wide_entry(enum jit_sfu_name name, unsigned index)
{
    const struct cup_quadratic *segment = &jit_sfu_functions[name].segments[index];
    uint32_t square = (uint32_t)(segment->c2 < 0 ? -segment->c2 : segment->c2);
    uint32_t upper = (uint32_t)segment->c0 | square >> SQUARE_BITS << 27;
    uint32_t lower = (uint32_t)segment->c1 << SQUARE_BITS | (square & (LARGE_SQUARE - 1));

    return (uint64_t)upper << 32 | lower;
}

static LLVMValueRef scalar(const struct jit_lower *l, unsigned value)
{
    return LLVMConstInt(LLVMInt32TypeInContext(l->context), value, false);
}

static LLVMValueRef constant_table(struct jit_lower *l, const char *name, const uint64_t *values,
                                   unsigned count)
{
    LLVMTypeRef element = LLVMInt64TypeInContext(l->context);
    LLVMValueRef table = LLVMGetNamedGlobal(l->module, name), constants[128];

    if (table)
        return table;
    for (unsigned k = 0; k < count; k++)
        constants[k] = LLVMConstInt(element, values[k], false);
    table = LLVMAddGlobal(l->module, LLVMArrayType2(element, count), name);
    LLVMSetInitializer(table, LLVMConstArray2(element, constants, count));
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    LLVMSetAlignment(table, 64);
    return table;
}

static low_value gather(struct jit_lower *l, LLVMValueRef table, low_value index)
{
    LLVMTypeRef entry = LLVMInt64TypeInContext(l->context), types[2];
    low_value pointers;

    index = low_resize(l, index, 64, false);
    pointers = LLVMBuildGEP2(l->builder, entry, table, &index, 1, "");
    if (l->lanes == 1)
        return LLVMBuildLoad2(l->builder, entry, pointers, "");
    types[0] = low_int_type(l, 64);
    types[1] = LLVMTypeOf(pointers);
    return low_call(
        l, "llvm.masked.gather", types, 2,
        (low_value[]){pointers, scalar(l, 8), low_int(l, 1, 1), LLVMGetPoison(types[0])}, 4);
}

/* The words of the entry at `offset` bytes, by indices of 32 bits: LLVM would widen those. */
static low_value gather_words(struct jit_lower *l, LLVMValueRef table, unsigned offset,
                              low_value index)
{
    LLVMValueRef from = scalar(l, offset);

    table = LLVMConstGEP2(LLVMInt8TypeInContext(l->context), table, &from, 1);
    return low_call(l, "llvm.x86.avx512.mask.gather.dpi.512", NULL, 0,
                    (low_value[]){low_int(l, 32, 0), table, index, low_int(l, 1, 1), scalar(l, 8)},
                    5);
}

void low_sfu_look_up(struct jit_lower *l, const char *name, const uint64_t *values, unsigned count,
                     low_value index, low_value halves[2])
{
    LLVMValueRef table = constant_table(l, name, values, count);
    struct jit_lower narrow;
    low_value words;

    if (low_sfu_has_byte_products(l)) { /* loads are cheaper than taking the halves apart */
        halves[0] = gather_words(l, table, 0, index);
        halves[1] = gather_words(l, table, 4, index);
        return;
    }
    words = low_split(l, gather(l, table, index), 32, &narrow);
    halves[0] = low_every(l, words, 0, 2);
    halves[1] = low_every(l, words, 1, 2);
}

static void coefficients(struct jit_lower *l, enum jit_sfu_name name, low_value index,
                         low_value halves[2])
{
    unsigned count = jit_sfu_functions[name].count;
    uint64_t entries[128];
    char text[32];

    for (unsigned k = 0; k < count; k++)
        entries[k] = narrow_functions[name].x_bits ? narrow_entry(name, k) : wide_entry(name, k);
    snprintf(text, sizeof text, "cup.sfu.%d", (int)name);
    low_sfu_look_up(l, text, entries, count, index, halves);
}

/* P >> shift is c0 less the negated rest, which was cut off upwards: the constant makes it so. */
static low_value narrow_sum(struct jit_lower *l, enum jit_sfu_name name, low_value index,
                            low_value x)
{
    const struct jit_sfu_function *f = &jit_sfu_functions[name];
    unsigned bits = narrow_functions[name].x_bits;
    low_value halves[2], sum, squares;

    coefficients(l, name, index, halves);
    squares = low_sfu_square(l, bits < 17 ? low_shli(l, x, 17 - bits) : x);
    squares = low_sfu_times_square(l, halves[0], squares);
    sum = low_mul(l, low_ashri(l, halves[0], 16), low_addi(l, x, -(1 << (bits - 1))));
    sum = low_addi(l, low_add(l, sum, squares), (1 << f->shift) - 1 - f->constant);
    return low_sub(l, halves[1], low_ashri(l, sum, f->shift));
}

/* The unit is exact for a power of four, the sum is below. */
static low_value exact_at_powers(struct jit_lower *l, const struct narrow *n, low_value bits,
                                 low_value sum)
{
    low_value is_power = low_icmpi(l, LLVMIntEQ, low_shli(l, bits, 8), 0x80000000);
    int64_t exact = (1 << 26) - (int64_t)n->slope * 64 * (1 << n->x_bits) +
                    (n->slope / 2 + n->centre) * (INT64_C(1) << 25);

    return low_select(l, is_power, low_int(l, 32, (uint32_t)exact), sum);
}

static low_value narrow_part(struct jit_lower *l, enum jit_sfu_name name, low_value bits,
                             low_value same)
{
    const struct narrow *n = &narrow_functions[name];
    low_value x = low_andi(l, bits, (1u << n->x_bits) - 1);
    low_value index =
        low_lshri(l, low_shli(l, bits, 32 - n->x_bits - n->index_bits), 32 - n->index_bits);
    low_value sum = narrow_sum(l, name, index, x), term = same;

    if (name == SFU_RSQRT)
        sum = exact_at_powers(l, n, bits, sum);
    if (is_root(n))
        term = low_shli(l, bits, 1);
    else
        sum = low_ashri(l, sum, 2);
    sum = n->slope < 0 ? low_sub(l, sum, term) : low_add(l, sum, term);
    return low_addi(l, is_root(n) ? low_ashri(l, sum, 2) : sum, n->base);
}

low_value low_sfu_narrow(struct jit_lower *l, enum jit_sfu_name name, low_value bits)
{
    return low_sfu_by_registers(l, narrow_part, name, bits, bits);
}

static low_value wide_part(struct jit_lower *l, enum jit_sfu_name name, low_value index,
                           low_value x)
{
    const struct jit_sfu_function *f = &jit_sfu_functions[name];
    low_value halves[2], c0, c1, c2, term, sum;

    coefficients(l, name, index, halves);
    c0 = halves[1];
    c1 = low_ashri(l, halves[0], SQUARE_BITS);
    c2 = low_andi(l, halves[0], LARGE_SQUARE - 1);
    if (name == SFU_TANH) {
        c0 = low_andi(l, halves[1], (1 << 27) - 1);
        c2 = low_or(l, c2, low_shli(l, low_lshri(l, halves[1], 27), SQUARE_BITS));
    }
    term = low_resize(l, low_mul(l, c2, low_sfu_square(l, x)), 64, false);
    sum = low_shli(l, low_resize(l, c0, 64, false), f->shift);
    sum = low_addi(l, sum, f->constant);
    sum = low_add(l, sum, low_mul(l, low_resize(l, c1, 64, true), low_resize(l, x, 64, false)));
    return low_sub(l, sum, low_shli(l, term, f->square_shift));
}

low_value low_sfu_wide(struct jit_lower *l, enum jit_sfu_name name, low_value index, low_value x)
{
    return low_sfu_by_registers(l, wide_part, name, index, x);
}
