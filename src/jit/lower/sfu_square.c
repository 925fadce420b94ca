/* SPDX-License-Identifier: MIT */
/* The squarer of the special function unit. It leaves out the partial products of the columns below
 * 2^19 before it adds. With h the upper 7 of 17 bits, what remains is
 *
 *   2 h * h + (2 x9 + x8) * h + x7 * (h >> 1) + x6 * (h >> 2) + ... + x2 * (h >> 6)
 *
 * for the bits below 2 meet no bit that reaches the column. Processors with AVX-512 for bytes and
 * dot products (VBMI, VNNI) take the eight factors on each side from their places in x, and add
 * four products at once. */
#include "jit/lower/sfu.h"

enum { VECTOR = 16 /* lanes of a register */ };

bool low_sfu_has_byte_products(const struct jit_lower *l)
{
    return l->byte_products && !l->first_tier && l->lanes % VECTOR == 0;
}

static low_value consecutive(struct jit_lower *l, low_value a, low_value b, unsigned first,
                             unsigned count)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMValueRef elements[256];

    for (unsigned k = 0; k < count; k++)
        elements[k] = LLVMConstInt(i32, first + k, false);
    return LLVMBuildShuffleVector(l->builder, a, b, LLVMConstVector(elements, count), "");
}

low_value low_sfu_by_registers(struct jit_lower *l, low_sfu_part *compute, enum jit_sfu_name name,
                               low_value a, low_value b)
{
    struct jit_lower half = *l;
    low_value parts[2];

    if (!low_sfu_has_byte_products(l) || l->lanes == VECTOR)
        return compute(l, name, a, b);
    half.lanes = l->lanes / 2;
    for (unsigned k = 0; k < 2; k++)
        parts[k] = low_sfu_by_registers(&half, compute, name,
                                        consecutive(l, a, a, k * half.lanes, half.lanes),
                                        consecutive(l, b, b, k * half.lanes, half.lanes));
    return consecutive(l, parts[0], parts[1], 0, l->lanes);
}

/* A register of bytes: four to a lane, the same in every lane, or in every even and odd one. */
static low_value bytes(struct jit_lower *l, const unsigned char *lane, unsigned odd)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(l->context);
    LLVMValueRef elements[4 * VECTOR];

    for (unsigned k = 0; k < 4 * VECTOR; k++)
        elements[k] = LLVMConstInt(byte, lane[k % 4] + (k & 4 ? odd : 0), false);
    return LLVMConstVector(elements, 4 * VECTOR);
}

/* The 8 bits of x from each of four places, as the bytes of the lane. */
static low_value fields(struct jit_lower *l, low_value x, const unsigned char *places)
{
    struct jit_lower narrow;
    low_value seen = low_split(l, x, 8, &narrow), result;

    result = low_call(l, "llvm.x86.avx512.pmultishift.qb.512", NULL, 0,
                      (low_value[]){bytes(l, places, 32), seen}, 2);
    return low_join(l, result, 32);
}

static low_value kept(struct jit_lower *l, low_value a, const unsigned char *masks)
{
    struct jit_lower narrow;
    low_value seen = low_split(l, a, 8, &narrow);

    return low_join(l, low_and(&narrow, seen, bytes(l, masks, 0)), 32);
}

/* sum + four products: bytes of a, unsigned, times bytes of b, signed. */
static low_value add_products(struct jit_lower *l, low_value sum, low_value a, low_value b)
{
    return low_call(l, "llvm.x86.avx512.vpdpbusd.512", NULL, 0, (low_value[]){sum, a, b}, 3);
}

static low_value square_by_bytes(struct jit_lower *l, low_value x)
{
    static const unsigned char places[2][4] = {{8, 7, 6, 5}, {4, 3, 2, 9}};
    static const unsigned char masks[2][4] = {{3, 1, 1, 1}, {1, 1, 1, 0xfe}};
    static const unsigned char upper[2][4] = {{10, 11, 12, 13}, {14, 15, 16, 10}};
    low_value sum = low_int(l, 32, 0);

    for (unsigned k = 0; k < 2; k++)
        sum = add_products(l, sum, kept(l, fields(l, x, places[k]), masks[k]),
                           fields(l, x, upper[k]));
    return sum;
}

low_value low_sfu_square(struct jit_lower *l, low_value x)
{
    low_value upper, sum;

    if (low_sfu_has_byte_products(l))
        return square_by_bytes(l, x);
    upper = low_lshri(l, x, 9); /* 2 h + x9: half of its square has the first two terms but x8's */
    sum = low_lshri(l, low_mul(l, upper, upper), 1);
    for (unsigned bit = 2; bit < 9; bit++) {
        low_value clear = low_icmpi(l, LLVMIntEQ, low_andi(l, x, 1u << bit), 0);
        low_value more = low_add(l, sum, low_lshri(l, x, 18 - bit));

        sum = low_select(l, clear, sum, more);
    }
    return low_andi(l, sum, 0x7fff);
}

low_value low_sfu_times_square(struct jit_lower *l, low_value pair, low_value square)
{
    struct jit_lower narrow;

    if (!low_sfu_has_byte_products(l))
        return low_mul(l, low_ashri(l, low_shli(l, pair, 16), 16), square);
    /* Two products of 16 bits and their sum; the upper half of the square is 0. */
    return low_call(
        l, "llvm.x86.avx512.pmaddw.d.512", NULL, 0,
        (low_value[]){low_split(l, pair, 16, &narrow), low_split(l, square, 16, &narrow)}, 2);
}

/* All classes of floats but the normal ones above 0. */
static low_value classes_of_register(struct jit_lower *l, low_value a)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);

    return low_call(l, "llvm.x86.avx512.fpclass.ps.512", NULL, 0,
                    (low_value[]){a, LLVMConstInt(i32, 0xff, false)}, 2);
}

low_value low_sfu_not_positive(struct jit_lower *l, low_value a)
{
    struct jit_lower half = *l;
    low_value parts[2];

    if (!low_sfu_has_byte_products(l))
        return low_icmpi(l, LLVMIntUGE, low_addi(l, low_to_bits(l, a), -0x00800000), 0x7f000000);
    if (l->lanes == VECTOR)
        return classes_of_register(l, a);
    half.lanes = l->lanes / 2;
    for (unsigned k = 0; k < 2; k++)
        parts[k] = low_sfu_not_positive(&half, consecutive(l, a, a, k * half.lanes, half.lanes));
    return low_or(l, parts[0], parts[1]);
}
