/* SPDX-License-Identifier: MIT */
/* The forms of matrix instructions that random kernels have. */
#include "kernel_matrix.h"

#include <string.h>

#define FORM(family, wmma, m, n, k, d, a, b, c, flags)                                             \
    {                                                                                              \
        FAMILY_##family, wmma, m, n, k, {ELEMENT_##a, ELEMENT_##b, ELEMENT_##c, ELEMENT_##d},      \
            flags                                                                                  \
    }
#define HALF(wmma, m, n, k, d, c) FORM(HALF, wmma, m, n, k, d, F16, F16, c, 0)
#define BF16(wmma, m, n, k) FORM(BF16, wmma, m, n, k, F32, BF16, BF16, F32, 0)
#define TF32(wmma, m, n, k) FORM(TF32, wmma, m, n, k, F32, TF32, TF32, F32, 0)
#define INTEGER(wmma, m, n, k, a, b, flags) FORM(INTEGER, wmma, m, n, k, S32, a, b, S32, flags)

const struct matrix_form matrix_forms[] = {
    HALF(false, 16, 8, 8, F32, F32),
    HALF(false, 16, 8, 8, F16, F16),
    HALF(false, 16, 8, 16, F32, F32),
    HALF(false, 16, 8, 16, F32, F32), /* those that tiles are kept for are more frequent */
    HALF(false, 16, 8, 16, F16, F16),
    HALF(true, 16, 16, 16, F32, F32),
    HALF(true, 16, 16, 16, F32, F32),
    HALF(true, 16, 16, 16, F16, F16),
    HALF(true, 16, 16, 16, F16, F32),
    HALF(true, 16, 16, 16, F32, F16),
    HALF(true, 32, 8, 16, F32, F32),
    HALF(true, 32, 8, 16, F16, F32),
    HALF(true, 8, 32, 16, F32, F32),
    HALF(true, 8, 32, 16, F16, F16),
    BF16(false, 16, 8, 8),
    BF16(false, 16, 8, 16),
    BF16(true, 16, 16, 16),
    BF16(true, 32, 8, 16),
    BF16(true, 8, 32, 16),
    TF32(false, 16, 8, 4),
    TF32(false, 16, 8, 8),
    TF32(true, 16, 16, 8),
    INTEGER(false, 8, 8, 16, S8, S8, 0),
    INTEGER(false, 8, 8, 16, U8, S8, FORM_SATURATES),
    INTEGER(false, 16, 8, 16, S8, U8, 0),
    INTEGER(false, 16, 8, 32, U8, U8, 0),
    INTEGER(false, 16, 8, 32, S8, U8, FORM_SATURATES),
    INTEGER(false, 8, 8, 32, S4, U4, 0),
    INTEGER(false, 16, 8, 32, U4, U4, FORM_SATURATES),
    INTEGER(false, 16, 8, 64, S4, S4, 0),
    INTEGER(false, 8, 8, 128, B1, B1, FORM_XOR),
    INTEGER(false, 16, 8, 128, B1, B1, FORM_AND),
    INTEGER(false, 16, 8, 256, B1, B1, FORM_XOR),
    INTEGER(true, 16, 16, 16, S8, S8, 0),
    INTEGER(true, 16, 16, 16, U8, U8, FORM_SATURATES),
    INTEGER(true, 32, 8, 16, S8, S8, FORM_SATURATES),
    INTEGER(true, 32, 8, 16, U8, U8, 0),
    INTEGER(true, 8, 32, 16, S8, S8, 0),
    INTEGER(true, 8, 8, 32, S4, S4, 0),
    INTEGER(true, 8, 8, 32, U4, U4, FORM_SATURATES),
    INTEGER(true, 8, 8, 128, B1, B1, FORM_XOR),
    INTEGER(true, 8, 8, 128, B1, B1, FORM_AND),
};

const unsigned matrix_form_count = sizeof(matrix_forms) / sizeof(matrix_forms[0]);

const char *const matrix_element_names[] = {"s8",  "u8",   "s4",   "u4",  "b1",
                                            "f16", "bf16", "tf32", "f32", "s32"};
const unsigned matrix_element_bits[] = {8, 8, 4, 4, 1, 16, 16, 32, 32, 32};

enum matrix_kind matrix_kind_of(enum matrix_family family, unsigned reg)
{
    static const enum matrix_kind factors[] = {KIND_F16, KIND_BF16, KIND_F32, KIND_WORD};

    if (reg < MATRIX_FACTORS || family == FAMILY_INTEGER)
        return factors[family];
    return reg < MATRIX_FACTORS + MATRIX_SUMS ? KIND_F32 : KIND_F16;
}

unsigned matrix_rows(const struct matrix_form *form, enum matrix_part_name part)
{
    return part == PART_B ? form->k : form->m;
}

unsigned matrix_columns(const struct matrix_form *form, enum matrix_part_name part)
{
    return part == PART_A ? form->k : form->n;
}

unsigned matrix_distinct(const struct matrix_form *form, enum matrix_part_name part)
{
    return matrix_rows(form, part) * matrix_columns(form, part) *
           matrix_element_bits[form->types[part]] / (32 * 32);
}

unsigned matrix_listed(const struct matrix_form *form, enum matrix_part_name part)
{
    if (form->wmma && part <= PART_B && form->types[part] == ELEMENT_F16)
        return 8;
    return matrix_distinct(form, part);
}

uint32_t matrix_f32_of(int64_t value)
{
    float number = (float)value;
    uint32_t bits;

    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

/* The exponent has another bias; whole numbers are no subnormals. */
uint32_t matrix_f16_of(int64_t value)
{
    uint32_t bits = matrix_f32_of(value);

    return value ? (bits >> 16 & 0x8000) | ((bits & 0x7fffffff) - (112u << 23)) >> 13 : 0;
}
