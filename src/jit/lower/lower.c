/* SPDX-License-Identifier: MIT */
/* The table of pure instructions: for each opcode the types of its operands and the function that
 * emits it.
 *
 * A shape is written "results=sources", with a letter for each operand:
 *   T, U  the first and the second type of the instruction
 *   C     as T, but .b32 for cvt.pack
 *   D     .u32 if T and U are .u32, else .s32
 *   b, p  .b32, .pred
 *   q     .pred, if the instruction has a second result
 * and for sources that the instruction may lack:
 *   t     as T
 *   u     as U, but .b32 for a third source
 *   x, c  .b32, .pred
 * adjust() does the rest: products of twice the width, mixed precision, carries. */
#include "jit/lower/builder.h"

struct lower_row {
    const char *shape;
    low_emit *emit;
};

static const struct lower_row rows[PTX_OPCODE_COUNT] = {
    [PTX_OP_mov] = {"T=T", low_emit_mov},
    [PTX_OP_add] = {"T=TT", low_emit_add},
    [PTX_OP_addc] = {"T=TT", low_emit_add},
    [PTX_OP_sub] = {"T=TT", low_emit_sub},
    [PTX_OP_subc] = {"T=TT", low_emit_sub},
    [PTX_OP_mul] = {"T=TT", low_emit_mul},
    [PTX_OP_mad] = {"T=TTT", low_emit_mad},
    [PTX_OP_madc] = {"T=TTT", low_emit_mad},
    [PTX_OP_clmad] = {"T=TTT", low_emit_clmad},
    [PTX_OP_mul24] = {"T=TT", low_emit_mul24},
    [PTX_OP_mad24] = {"T=TTT", low_emit_mad24},
    [PTX_OP_fma] = {"T=TTT", low_emit_mad},
    [PTX_OP_div] = {"T=TT", low_emit_div},
    [PTX_OP_rem] = {"T=TT", low_emit_rem},
    [PTX_OP_neg] = {"T=T", low_emit_neg},
    [PTX_OP_abs] = {"T=T", low_emit_abs},
    [PTX_OP_min] = {"T=TTt", low_emit_min},
    [PTX_OP_max] = {"T=TTt", low_emit_max},
    [PTX_OP_sad] = {"T=TTT", low_emit_sad},
    [PTX_OP_dp4a] = {"D=TUD", low_emit_dp4a},
    [PTX_OP_dp2a] = {"D=TUD", low_emit_dp2a},
    [PTX_OP_rcp] = {"T=T", low_emit_float_unary},
    [PTX_OP_sqrt] = {"T=T", low_emit_float_unary},
    [PTX_OP_rsqrt] = {"T=T", low_emit_approximate},
    [PTX_OP_sin] = {"T=T", low_emit_approximate},
    [PTX_OP_cos] = {"T=T", low_emit_approximate},
    [PTX_OP_lg2] = {"T=T", low_emit_approximate},
    [PTX_OP_ex2] = {"T=T", low_emit_approximate},
    [PTX_OP_tanh] = {"T=T", low_emit_approximate},
    [PTX_OP_and] = {"T=TT", low_emit_and},
    [PTX_OP_or] = {"T=TT", low_emit_or},
    [PTX_OP_xor] = {"T=TT", low_emit_xor},
    [PTX_OP_not] = {"T=T", low_emit_not},
    [PTX_OP_cnot] = {"T=T", low_emit_cnot},
    [PTX_OP_shl] = {"T=Tb", low_emit_shl},
    [PTX_OP_shr] = {"T=Tb", low_emit_shr},
    [PTX_OP_shf] = {"T=TTb", low_emit_shf},
    [PTX_OP_lop3] = {"Tq=TTTbc", low_emit_lop3},
    [PTX_OP_prmt] = {"T=TTT", low_emit_prmt},
    [PTX_OP_bfe] = {"T=Tbb", low_emit_bfe},
    [PTX_OP_bfi] = {"T=TTbb", low_emit_bfi},
    [PTX_OP_bfind] = {"b=T", low_emit_bfind},
    [PTX_OP_bmsk] = {"T=bb", low_emit_bmsk},
    [PTX_OP_brev] = {"T=T", low_emit_brev},
    [PTX_OP_clz] = {"b=T", low_emit_clz},
    [PTX_OP_popc] = {"b=T", low_emit_popc},
    [PTX_OP_fns] = {"b=bbb", low_emit_fns},
    [PTX_OP_szext] = {"T=Tb", low_emit_szext},
    [PTX_OP_set] = {"T=UUc", low_emit_set},
    [PTX_OP_setp] = {"pq=TTc", low_emit_setp},
    [PTX_OP_selp] = {"T=TTp", low_emit_selp},
    [PTX_OP_slct] = {"T=TTU", low_emit_slct},
    [PTX_OP_copysign] = {"T=TT", low_emit_copysign},
    [PTX_OP_testp] = {"p=T", low_emit_testp},
    [PTX_OP_cvt] = {"C=Uuu", low_emit_cvt},
    [PTX_OP_vadd] = {"b=bbx", low_emit_video},
    [PTX_OP_vsub] = {"b=bbx", low_emit_video},
    [PTX_OP_vabsdiff] = {"b=bbx", low_emit_video},
    [PTX_OP_vmin] = {"b=bbx", low_emit_video},
    [PTX_OP_vmax] = {"b=bbx", low_emit_video},
    [PTX_OP_vset] = {"b=bbx", low_emit_video},
    [PTX_OP_vshl] = {"b=bbx", low_emit_video},
    [PTX_OP_vshr] = {"b=bbx", low_emit_video},
    [PTX_OP_vmad] = {"b=bbx", low_emit_video},
    [PTX_OP_vadd2] = {"b=bbx", low_emit_simd_video},
    [PTX_OP_vadd4] = {"b=bbx", low_emit_simd_video},
    [PTX_OP_vsub2] = {"b=bbx", low_emit_simd_video},
    [PTX_OP_vsub4] = {"b=bbx", low_emit_simd_video},
    [PTX_OP_vavrg2] = {"b=bbx", low_emit_simd_video},
    [PTX_OP_vavrg4] = {"b=bbx", low_emit_simd_video},
    [PTX_OP_vabsdiff2] = {"b=bbx", low_emit_simd_video},
    [PTX_OP_vabsdiff4] = {"b=bbx", low_emit_simd_video},
    [PTX_OP_vmin2] = {"b=bbx", low_emit_simd_video},
    [PTX_OP_vmin4] = {"b=bbx", low_emit_simd_video},
    [PTX_OP_vmax2] = {"b=bbx", low_emit_simd_video},
    [PTX_OP_vmax4] = {"b=bbx", low_emit_simd_video},
    [PTX_OP_vset2] = {"b=bbx", low_emit_simd_video},
    [PTX_OP_vset4] = {"b=bbx", low_emit_simd_video},
};

static enum ptx_type twice(enum ptx_type type)
{
    switch (type) {
    case PTX_U16:
        return PTX_U32;
    case PTX_S16:
        return PTX_S32;
    case PTX_U32:
        return PTX_U64;
    case PTX_S32:
        return PTX_S64;
    default:
        return type;
    }
}

/* .tf32, .e4m3x2 and .e5m2x2 have no register type: they are bits of their width. */
static enum ptx_type as_bits(enum ptx_type type)
{
    if (type == PTX_E4M3X2 || type == PTX_E5M2X2)
        return PTX_B16;
    return type == PTX_TF32 ? PTX_B32 : type;
}

static enum ptx_type type_at(const struct ptx_instruction *i, unsigned index)
{
    if (i->type_count == 0)
        return PTX_B32;
    return as_bits(i->types[index < i->type_count ? index : i->type_count - 1u]);
}

/* The type of one operand of a shape, or PTX_TYPE_NONE if this instruction does not have it. `at`:
 * the number of sources before it. */
static enum ptx_type operand(const struct ptx_instruction *i, char letter, unsigned at)
{
    bool written = at < i->source_count;

    switch (letter) {
    case 'T':
        return type_at(i, 0);
    case 'C': /* cvt.pack fills 32 bits */
        return ptx_has(i, PTX_MOD_PACK) ? PTX_B32 : type_at(i, 0);
    case 'U':
        return type_at(i, 1);
    case 'D': /* dp4a: signed unless both are unsigned */
        return type_at(i, 0) == PTX_U32 && type_at(i, 1) == PTX_U32 ? PTX_U32 : PTX_S32;
    case 't':
        return written ? type_at(i, 0) : PTX_TYPE_NONE;
    case 'u':
        return written ? (at == 2 ? PTX_B32 : type_at(i, 1)) : PTX_TYPE_NONE;
    case 'x':
        return written ? PTX_B32 : PTX_TYPE_NONE;
    case 'c':
        return written ? PTX_PRED : PTX_TYPE_NONE;
    case 'p':
        return PTX_PRED;
    case 'q':
        return i->dst[1].kind != PTX_OPERAND_NONE ? PTX_PRED : PTX_TYPE_NONE;
    default:
        return PTX_B32;
    }
}

/* Adjusts the types for what shapes cannot express: double-width products, mixed precision,
 * carries. */
static void adjust(const struct ptx_instruction *i, enum ptx_type *sources, unsigned *source_count,
                   enum ptx_type *results, unsigned *result_count)
{
    bool is_product = i->op == PTX_OP_mul || i->op == PTX_OP_mad;
    bool is_sum = i->op == PTX_OP_add || i->op == PTX_OP_sub || i->op == PTX_OP_fma;

    if (is_product && ptx_has(i, PTX_MOD_WIDE)) {
        results[0] = twice(results[0]);
        if (*source_count == 3)
            sources[2] = results[0];
    }
    if (is_sum && i->type_count == 2 && i->types[0] == PTX_F32) {
        sources[0] = i->types[1];
        if (i->op == PTX_OP_fma)
            sources[1] = i->types[1];
    }
    if (i->op == PTX_OP_addc || i->op == PTX_OP_subc || i->op == PTX_OP_madc)
        sources[(*source_count)++] = PTX_PRED;
    if (ptx_has(i, PTX_MOD_CC))
        results[(*result_count)++] = PTX_PRED;
}

bool jit_lower_shape(const struct ptx_instruction *i, enum ptx_type *source_types,
                     unsigned *source_count, enum ptx_type *result_types, unsigned *result_count)
{
    const struct lower_row *row = i->op < PTX_OPCODE_COUNT ? &rows[i->op] : NULL;
    const char *letter;

    if (!row || !row->emit)
        return false;
    if (i->op == PTX_OP_mov && (i->dst[0].kind == PTX_OPERAND_VECTOR ||
                                i->src[0].kind == PTX_OPERAND_VECTOR || i->width > 1))
        return false;
    for (unsigned k = 0; k < JIT_LOWER_MAX_OPERANDS; k++)
        source_types[k] = result_types[k] = PTX_TYPE_NONE;
    *source_count = *result_count = 0;
    for (letter = row->shape; *letter != '='; letter++) {
        enum ptx_type type = operand(i, *letter, 0);

        if (type != PTX_TYPE_NONE)
            result_types[(*result_count)++] = type;
    }
    for (letter++; *letter; letter++) {
        enum ptx_type type = operand(i, *letter, *source_count);

        if (type != PTX_TYPE_NONE)
            source_types[(*source_count)++] = type;
    }
    adjust(i, source_types, source_count, result_types, result_count);
    return true;
}

bool jit_lower_emit(struct jit_lower *lower, const struct ptx_instruction *i,
                    const LLVMValueRef *sources, LLVMValueRef *results)
{
    const struct lower_row *row = i->op < PTX_OPCODE_COUNT ? &rows[i->op] : NULL;

    return row && row->emit && row->emit(lower, i, sources, results);
}
