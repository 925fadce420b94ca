/* SPDX-License-Identifier: MIT */
/* Factors of fp8 matrices: one for all, one for each row of A and column of B, or one for each
 * block of 128 elements along k, of one row or of 128. Where the factors of blocks lie, and which
 * modes go together, is as an H200 answered. */
#include "lt.h"

enum {
    ONE = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F,
    MICRO = CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0, /* of GPUs after the H200 */
    LINES = CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F,
    ROW_BLOCKS = CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F,
    SQUARE_BLOCKS = CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F,
    END = CUBLASLT_MATMUL_MATRIX_SCALE_END,
};

enum { FACTORS_TOGETHER = 4 }; /* they are read by 16 bytes */

static bool is_fp8(int type)
{
    return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

static bool has_blocks(const struct lt_desc *desc)
{
    return desc->a_scale_mode >= ROW_BLOCKS || desc->b_scale_mode >= ROW_BLOCKS;
}

bool lt_scales_fit(const struct lt_problem *problem)
{
    const struct lt_desc *desc = problem->desc;
    bool fp8 = is_fp8(problem->a->type), d_fp8 = fp8 && is_fp8(problem->d->type);
    int a = desc->a_scale_mode, b = desc->b_scale_mode;

    if (!fp8 && (desc->a_scale || desc->b_scale || desc->c_scale || desc->d_scale || desc->amax))
        return false;
    if (!d_fp8 && (desc->d_scale || desc->amax))
        return false;
    if (a == b && a == ONE)
        return true;
    if (!fp8 || d_fp8)
        return false;
    if (has_blocks(desc) && (!desc->a_scale || !desc->b_scale || desc->c_scale))
        return false;
    return (a == MICRO && b == MICRO) || (a > MICRO && b > MICRO && a < END && b < END);
}

static bool modes_go_together(int a, int b)
{
    switch (a) {
    case ONE:
        return b == ONE;
    case LINES:
        return b == LINES || b == SQUARE_BLOCKS;
    case ROW_BLOCKS:
        return b == ROW_BLOCKS || b == SQUARE_BLOCKS;
    case SQUARE_BLOCKS:
        return b == ROW_BLOCKS;
    default:
        return false;
    }
}

static bool epilogue_has_blocks(const struct lt_desc *desc)
{
    switch (desc->epilogue) {
    case CUBLASLT_EPILOGUE_GELU_AUX:
        return desc->a_scale_mode == SQUARE_BLOCKS;
    case CUBLASLT_EPILOGUE_RELU_AUX_BIAS:
        return desc->a_scale_mode != SQUARE_BLOCKS;
    default:
        return desc->epilogue != CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    }
}

static bool misaligned(const void *address)
{
    return (uintptr_t)address % (FACTORS_TOGETHER * sizeof(float)) != 0;
}

bool lt_scales_exist(const struct lt_problem *problem)
{
    const struct lt_desc *desc = problem->desc;

    if (!modes_go_together(desc->a_scale_mode, desc->b_scale_mode))
        return false;
    if (desc->a_scale_mode != ONE && problem->d->batch_count > 1)
        return false;
    if (!has_blocks(desc))
        return true;
    if ((desc->a_scale_mode == ROW_BLOCKS && problem->d->rows % FACTORS_TOGETHER) ||
        (desc->b_scale_mode == ROW_BLOCKS && problem->d->cols % FACTORS_TOGETHER))
        return false;
    return !desc->fast_accum && !misaligned(desc->a_scale) && !misaligned(desc->b_scale) &&
           epilogue_has_blocks(desc);
}

/* `lines` is how many rows A has, or columns B. */
static struct product_scales scales_of(int mode, const void *memory, int64_t lines, int64_t k)
{
    int64_t blocks = (k + PRODUCT_BLOCK - 1) / PRODUCT_BLOCK;
    struct product_scales scales = {.memory = memory};

    switch (mode) {
    case LINES:
        scales.vector = true;
        break;
    case ROW_BLOCKS: /* the factors of neighbouring rows are neighbours */
        scales.block_lines = 1;
        scales.line_stride = 1;
        scales.k_stride = lines;
        break;
    case SQUARE_BLOCKS: /* those along k are, in lines of whole fours */
        scales.block_lines = PRODUCT_BLOCK;
        scales.line_stride = (blocks + FACTORS_TOGETHER - 1) / FACTORS_TOGETHER * FACTORS_TOGETHER;
        scales.k_stride = 1;
        break;
    default:
        break;
    }
    return scales;
}

void lt_scales_describe(const struct lt_problem *problem, struct product *product)
{
    const struct lt_desc *desc = problem->desc;

    product->a_scale = scales_of(desc->a_scale_mode, desc->a_scale, product->m, product->k);
    product->b_scale = scales_of(desc->b_scale_mode, desc->b_scale, product->n, product->k);
}
