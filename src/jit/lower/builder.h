/* SPDX-License-Identifier: MIT */
/* Short names for building LLVM IR that is the same for scalars and vectors of lanes: constants
 * are splat over the lanes, types have as many elements as there are lanes. And the functions that
 * lower instructions, one for each opcode, in files by subject. */
#ifndef CUP_JIT_LOWER_BUILDER_H
#define CUP_JIT_LOWER_BUILDER_H

#include "jit/lower/lower.h"

typedef LLVMValueRef low_value;

enum low_rounding { LOW_RN, LOW_RZ, LOW_RM, LOW_RP };

/* Types and constants, over the lanes. */
unsigned low_bits(enum ptx_type type);
bool low_is_signed(enum ptx_type type);
bool low_is_half(enum ptx_type type);   /* f16, bf16 and their pairs */
bool low_is_packed(enum ptx_type type); /* two 16-bit elements in 32 bits */
LLVMTypeRef low_over_lanes(struct jit_lower *l, LLVMTypeRef element);
LLVMTypeRef low_int_type(struct jit_lower *l, unsigned bits);
LLVMTypeRef low_float_type(struct jit_lower *l, unsigned bits); /* 16 half, 32 float, 64 double */
low_value low_int(struct jit_lower *l, unsigned bits, uint64_t value);
low_value low_float(struct jit_lower *l, unsigned bits, double value);
unsigned low_width(low_value value); /* bits of an element, of an integer or a float */

/* Integers. */
low_value low_add(struct jit_lower *l, low_value a, low_value b);
low_value low_sub(struct jit_lower *l, low_value a, low_value b);
low_value low_mul(struct jit_lower *l, low_value a, low_value b);
low_value low_and(struct jit_lower *l, low_value a, low_value b);
low_value low_or(struct jit_lower *l, low_value a, low_value b);
low_value low_xor(struct jit_lower *l, low_value a, low_value b);
low_value low_not(struct jit_lower *l, low_value a);
low_value low_andi(struct jit_lower *l, low_value a, uint64_t b);
low_value low_ori(struct jit_lower *l, low_value a, uint64_t b);
low_value low_addi(struct jit_lower *l, low_value a, int64_t b);
low_value low_shli(struct jit_lower *l, low_value a, unsigned by);
low_value low_lshri(struct jit_lower *l, low_value a, unsigned by);
low_value low_ashri(struct jit_lower *l, low_value a, unsigned by);
/* Shifts by a value of the same type; one of the width or more shifts all bits out. */
low_value low_shl_clamp(struct jit_lower *l, low_value a, low_value by);
low_value low_shr_clamp(struct jit_lower *l, low_value a, low_value by, bool arithmetic);
low_value low_icmp(struct jit_lower *l, LLVMIntPredicate predicate, low_value a, low_value b);
low_value low_icmpi(struct jit_lower *l, LLVMIntPredicate predicate, low_value a, uint64_t b);
low_value low_resize(struct jit_lower *l, low_value a, unsigned bits, bool is_signed);
low_value low_select(struct jit_lower *l, low_value condition, low_value a, low_value b);
low_value low_int_min(struct jit_lower *l, low_value a, low_value b, bool is_signed);
low_value low_int_max(struct jit_lower *l, low_value a, low_value b, bool is_signed);

/* Floats. */
low_value low_fcmp(struct jit_lower *l, LLVMRealPredicate predicate, low_value a, low_value b);
low_value low_is_nan(struct jit_lower *l, low_value a);
low_value low_to_bits(struct jit_lower *l, low_value a);
low_value low_from_bits(struct jit_lower *l, low_value a);
low_value low_fabs(struct jit_lower *l, low_value a);
low_value low_fma(struct jit_lower *l, low_value a, low_value b, low_value c);

/* An intrinsic overloaded on the type of its first argument alone. */
low_value low_call1(struct jit_lower *l, const char *name, low_value a);
low_value low_call2(struct jit_lower *l, const char *name, low_value a, low_value b);
low_value low_call3(struct jit_lower *l, const char *name, low_value a, low_value b, low_value c);
low_value low_call(struct jit_lower *l, const char *name, LLVMTypeRef *overloads,
                   unsigned overload_count, low_value *arguments, unsigned argument_count);

/* The same bits seen as more and narrower lanes, and back: a pair is two lanes of 16 bits. `narrow`
 * becomes a lowering over those lanes. */
low_value low_split(struct jit_lower *l, low_value a, unsigned element_bits,
                    struct jit_lower *narrow);
low_value low_join(struct jit_lower *l, low_value a, unsigned bits);
/* Every `step`-th element from `first`: lanes of one of the parts. l is over the result's lanes. */
low_value low_every(struct jit_lower *l, low_value a, unsigned first, unsigned step);

/* Arithmetic of floats that several files use (arithmetic.c). */
enum low_operation { LOW_ADD, LOW_SUB, LOW_MUL, LOW_DIV, LOW_FMA, LOW_SQRT, LOW_NARROW };

enum low_rounding low_rounding_of(const struct ptx_instruction *i);
low_value low_zero_like(struct jit_lower *l, low_value a); /* zero with the sign of a */
low_value low_flush(struct jit_lower *l, low_value a);     /* subnormals to zero, with their sign */
low_value low_saturate(struct jit_lower *l, low_value a);  /* to [0, 1], NaN to 0 */
/* Replaces a NaN by the one that NVIDIA's arithmetic gives; operands in the order of precedence. */
low_value low_settle_nan(struct jit_lower *l, low_value result, const low_value *operands,
                         unsigned count);
low_value low_float_min_max(struct jit_lower *l, low_value a, low_value b, bool max, bool nan);
/* One correctly rounded operation; LOW_NARROW is double to float. */
low_value low_arithmetic(struct jit_lower *l, enum low_operation operation,
                         enum low_rounding rounding, low_value a, low_value b, low_value c);
/* Rounds double to float, to odd, so that a further rounding is correct. */
low_value low_narrow_to_odd(struct jit_lower *l, low_value a);
/* a + b in the type of both, to odd. */
low_value low_add_to_odd(struct jit_lower *l, low_value a, low_value b);

/* 16-bit floats (half.c): bits to float, and float to bits with a rounding; to odd before. */
low_value low_half_to_float(struct jit_lower *l, low_value bits, bool bf16);
low_value low_float_to_half(struct jit_lower *l, low_value a, enum low_rounding rounding,
                            bool bf16);

low_value low_nan_to_half(struct jit_lower *l, low_value a, bool bf16); /* with sign and payload */

/* Whether a NaN that cvt to .f32 gives is the canonical one (convert.c). */
bool low_convert_makes_nan(const struct ptx_instruction *i);

/* Comparisons (compare.c): by the modifiers of set and setp; values in their types. */
low_value low_compare(struct jit_lower *l, const struct ptx_instruction *i, enum ptx_type type,
                      low_value a, low_value b);

/* Approximate functions of floats (polynomials.c). */
low_value low_exp2(struct jit_lower *l, low_value a);
low_value low_log2(struct jit_lower *l, low_value a);
low_value low_sine(struct jit_lower *l, low_value a, bool cosine);
low_value low_tanh(struct jit_lower *l, low_value a);

/* The special function unit (sfu.c): rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh of .f32. And
 * the digits of 1.m's reciprocal and reciprocal root; bit 23 of the latter's argument says that the
 * exponent is even, and that 1.m is not doubled. Their result for a power of two is 2^24. */
low_value low_sfu(struct jit_lower *l, unsigned op, low_value a);
/* rcp, sqrt and rsqrt of arguments that need no special treatment, with or without .ftz; and which
 * arguments do. */
low_value low_sfu_plain(struct jit_lower *l, unsigned op, low_value a, low_value *special);
low_value low_sfu_reciprocal_digits(struct jit_lower *l, low_value bits);
low_value low_sfu_rsqrt_digits(struct jit_lower *l, low_value bits);
/* Approximate instructions by that unit (exact.c); b is div's. And the unit alone, as a call.
 */
low_value low_exact(struct jit_lower *l, const struct ptx_instruction *i, low_value a, low_value b);
low_value low_exact_unit(struct jit_lower *l, unsigned op, low_value a);

/* One for each row of the table in lower.c. */
typedef bool low_emit(struct jit_lower *l, const struct ptx_instruction *i, const low_value *s,
                      low_value *r);

low_emit low_emit_mov, low_emit_add, low_emit_sub, low_emit_mul, low_emit_mad, low_emit_mul24,
    low_emit_mad24, low_emit_div, low_emit_rem, low_emit_neg, low_emit_abs, low_emit_min,
    low_emit_max, low_emit_sad, low_emit_clmad, low_emit_dp4a, low_emit_dp2a; /* integer */
low_emit low_emit_float_binary, low_emit_float_fma, low_emit_float_unary,
    low_emit_float_min_max; /* float */
low_emit low_emit_half;     /* half */
low_emit low_emit_setp, low_emit_set, low_emit_selp, low_emit_slct, low_emit_copysign,
    low_emit_testp; /* compare */
low_emit low_emit_and, low_emit_or, low_emit_xor, low_emit_not, low_emit_cnot, low_emit_shl,
    low_emit_shr, low_emit_shf, low_emit_lop3, low_emit_prmt, low_emit_bfe, low_emit_bfi,
    low_emit_bfind, low_emit_bmsk, low_emit_brev, low_emit_clz, low_emit_popc, low_emit_fns,
    low_emit_szext;                           /* bits */
low_emit low_emit_cvt, low_emit_pack;         /* convert */
low_emit low_emit_approximate;                /* rcp.approx, sin and so on */
low_emit low_emit_video, low_emit_simd_video; /* video */

#endif
