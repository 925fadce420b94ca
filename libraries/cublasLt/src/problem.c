/* SPDX-License-Identifier: MIT */
/* Which products there are. First the arguments are held against each other, then against what an
 * H200's algorithms do: types, orders, epilogues, alignment. The answers are recorded ones. */
#include "lt.h"

#include <string.h>

static bool is_fp8(int type)
{
    return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

static bool is_complex(int type)
{
    return type == CUDA_C_32F || type == CUDA_C_64F || type == CUDA_C_8I || type == CUDA_C_16F ||
           type == CUDA_C_16BF;
}

static bool is_epilogue(int epilogue)
{
    switch (epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT:
    case CUBLASLT_EPILOGUE_RELU:
    case CUBLASLT_EPILOGUE_RELU_AUX:
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
    case CUBLASLT_EPILOGUE_RELU_AUX_BIAS:
    case CUBLASLT_EPILOGUE_DRELU:
    case CUBLASLT_EPILOGUE_DRELU_BGRAD:
    case CUBLASLT_EPILOGUE_GELU:
    case CUBLASLT_EPILOGUE_GELU_AUX:
    case CUBLASLT_EPILOGUE_GELU_BIAS:
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
    case CUBLASLT_EPILOGUE_DGELU:
    case CUBLASLT_EPILOGUE_DGELU_BGRAD:
    case CUBLASLT_EPILOGUE_BGRADA:
    case CUBLASLT_EPILOGUE_BGRADB:
        return true;
    default:
        return false;
    }
}

/* Bits of cublasLtEpilogue_t. */
enum {
    BIT_RELU = 2,
    BIT_BIAS = 4,
    BIT_DRELU = 8,
    BIT_BGRAD = 16,
    BIT_GELU = 32,
    BIT_DGELU = 64,
    BIT_AUX = 128,
};

static bool layout_is_sound(const struct lt_layout *layout)
{
    int64_t least = (int64_t)(layout->order == CUBLASLT_ORDER_ROW ? layout->cols : layout->rows);

    if (layout->batch_count < 0 || layout->order < CUBLASLT_ORDER_COL ||
        layout->order > CUBLASLT_ORDER_COL32_2R_4R4)
        return false;
    return layout->order > CUBLASLT_ORDER_ROW || layout->ld >= least;
}

static bool shapes_fit(const struct lt_problem *problem)
{
    const struct lt_layout *a = problem->a, *b = problem->b, *c = problem->c, *d = problem->d;
    bool ta = problem->desc->transa != CUBLAS_OP_N, tb = problem->desc->transb != CUBLAS_OP_N;
    uint64_t m = ta ? a->cols : a->rows, k = ta ? a->rows : a->cols;
    uint64_t n = tb ? b->rows : b->cols;

    return (tb ? b->cols : b->rows) == k && d->rows == m && d->cols == n && c->rows == m &&
           c->cols == n && a->batch_count == d->batch_count && b->batch_count == d->batch_count &&
           c->batch_count == d->batch_count;
}

/* The element type of a bias. */
static int bias_type(const struct lt_problem *problem)
{
    int d = problem->d->type;

    if (is_fp8(problem->a->type))
        return d == CUDA_R_32F ? CUDA_R_16BF : is_fp8(d) ? problem->c->type : d;
    return d == CUDA_R_8I ? CUDA_R_32F : d;
}

static int aux_type(const struct lt_problem *problem)
{
    return is_fp8(problem->d->type) ? problem->c->type : problem->d->type;
}

enum { MASK_LINE_BITS = 128 }; /* a line of RELU's mask is a multiple of this */

static bool aux_fits(const struct lt_problem *problem)
{
    const struct lt_desc *desc = problem->desc;
    int64_t rows = (int64_t)problem->d->rows;

    if (!(desc->epilogue & BIT_AUX))
        return true;
    if (!desc->aux && !desc->aux_ld && (desc->epilogue & (BIT_RELU | BIT_GELU)))
        return true; /* no algorithm does without */
    if (desc->aux_ld < rows || desc->aux_ld <= 0)
        return false;
    if (desc->epilogue & (BIT_RELU | BIT_DRELU))
        return desc->aux_ld % MASK_LINE_BITS == 0;
    return desc->aux_type == -1 || desc->aux_type == aux_type(problem);
}

/* f64 has alpha and beta of its own type. */
static bool scale_type_fits(const struct lt_problem *problem)
{
    int d = problem->d->type;

    return (d != CUDA_R_64F && d != CUDA_C_64F) || problem->a->type != d ||
           problem->desc->scale_type == d;
}

static bool bias_is_used(const struct lt_desc *desc)
{
    return !desc->bias || (desc->epilogue & (BIT_BIAS | BIT_BGRAD)) ||
           desc->epilogue == CUBLASLT_EPILOGUE_BGRADA || desc->epilogue == CUBLASLT_EPILOGUE_BGRADB;
}

/* What is wrong with the arguments alone. */
static cublasStatus_t check_arguments(const struct lt_problem *problem)
{
    const struct lt_desc *desc = problem->desc;
    bool rows = problem->d->order == CUBLASLT_ORDER_ROW;

    if (!is_epilogue(desc->epilogue) || desc->transa < CUBLAS_OP_N || desc->transa > CUBLAS_OP_C ||
        desc->transb < CUBLAS_OP_N || desc->transb > CUBLAS_OP_C || desc->pointer_mode < 0 ||
        desc->pointer_mode > CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!layout_is_sound(problem->a) || !layout_is_sound(problem->b) ||
        !layout_is_sound(problem->c) || !layout_is_sound(problem->d) || !shapes_fit(problem))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (rows && desc->epilogue != CUBLASLT_EPILOGUE_DEFAULT &&
        desc->epilogue != CUBLASLT_EPILOGUE_RELU && desc->epilogue != CUBLASLT_EPILOGUE_GELU)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!aux_fits(problem) || !lt_scales_fit(problem) || !scale_type_fits(problem) ||
        !bias_is_used(desc))
        return CUBLAS_STATUS_INVALID_VALUE;
    if ((desc->epilogue & BIT_BIAS) && desc->bias_type != -1 &&
        desc->bias_type != bias_type(problem))
        return is_fp8(problem->a->type) ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

/* Types of a row: compute types as a set, then scale, A and B, C, D. */
enum {
    HALF = 1 << 0,     /* 16F */
    SINGLE = 1 << 1,   /* 32F */
    PEDANTIC = 1 << 2, /* 32F_PEDANTIC */
    FAST = 1 << 3,     /* 32F_FAST_*, 32F_EMULATED_* */
    DOUBLE = 1 << 4,   /* 64F */
    INTEGER = 1 << 5,  /* 32I */
    ANY_SINGLE = SINGLE | PEDANTIC | FAST,
};

static const struct {
    int computes;
    cudaDataType_t scale, a, c, d;
} combinations[] = {
    {HALF, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},
    {ANY_SINGLE, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
    {ANY_SINGLE, CUDA_R_32F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
    {ANY_SINGLE, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},
    {ANY_SINGLE, CUDA_R_32F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F},
    {ANY_SINGLE, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF},
    {ANY_SINGLE, CUDA_R_32F, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F},
    {ANY_SINGLE, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
    {ANY_SINGLE, CUDA_C_32F, CUDA_C_8I, CUDA_C_32F, CUDA_C_32F},
    {DOUBLE, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
    {DOUBLE, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
    {INTEGER, CUDA_R_32F, CUDA_R_8I, CUDA_R_8I, CUDA_R_8I},
    {INTEGER, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},
};

static int compute_set(int compute)
{
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return HALF;
    case CUBLAS_COMPUTE_32F:
        return SINGLE;
    case CUBLAS_COMPUTE_32F_PEDANTIC:
        return PEDANTIC;
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
        return FAST;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT: /* by f64, which is never less precise */
        return DOUBLE;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return INTEGER;
    default:
        return 0;
    }
}

/* fp8: not both operands e5m2; e5m2 as output needs it as input. */
static bool fp8_types_exist(const struct lt_problem *problem, int computes)
{
    int a = problem->a->type, b = problem->b->type, c = problem->c->type, d = problem->d->type;
    bool mixed = a != b;

    if (!is_fp8(a) || !is_fp8(b) || (a == CUDA_R_8F_E5M2 && b == CUDA_R_8F_E5M2) ||
        problem->desc->scale_type != CUDA_R_32F || !(computes & (SINGLE | (mixed ? 0 : FAST))))
        return false;
    if (c != CUDA_R_32F && c != CUDA_R_16F && c != CUDA_R_16BF)
        return false;
    if (is_fp8(d))
        return c != CUDA_R_32F && (d == CUDA_R_8F_E4M3 || mixed);
    return c == d;
}

/* Complex f16 and bf16 exist in planes: the real parts of a matrix, then the imaginary ones. */
static bool planar_types_exist(const struct lt_problem *problem, int computes)
{
    int a = problem->a->type, c = problem->c->type;

    return (computes & ANY_SINGLE) && problem->desc->scale_type == CUDA_C_32F &&
           (a == CUDA_C_16F || a == CUDA_C_16BF) && problem->b->type == a &&
           (c == a || c == CUDA_C_32F) && problem->d->type == c && problem->a->plane_offset &&
           problem->b->plane_offset && problem->c->plane_offset && problem->d->plane_offset;
}

static bool types_exist(const struct lt_problem *problem)
{
    int computes = compute_set(problem->desc->compute_type);

    if (planar_types_exist(problem, computes))
        return true;
    if (fp8_types_exist(problem, computes))
        return true;
    for (size_t i = 0; i < sizeof(combinations) / sizeof(*combinations); i++)
        if ((combinations[i].computes & computes) &&
            problem->desc->scale_type == (int)combinations[i].scale &&
            problem->a->type == (int)combinations[i].a &&
            problem->b->type == (int)combinations[i].a &&
            problem->c->type == (int)combinations[i].c &&
            problem->d->type == (int)combinations[i].d)
            return true;
    return false;
}

/* True if elements along k are neighbours in memory. */
static bool along_k(const struct lt_layout *layout, int op, bool left)
{
    bool rows = (layout->order == CUBLASLT_ORDER_ROW) != (op != CUBLAS_OP_N);

    return left == rows;
}

static bool lines_aligned(const struct lt_layout *layout, size_t alignment)
{
    return (uint64_t)layout->ld * product_type_bytes((cudaDataType_t)layout->type) % alignment == 0;
}

static bool aligned(const struct lt_problem *problem, size_t alignment)
{
    return lines_aligned(problem->a, alignment) && lines_aligned(problem->b, alignment) &&
           lines_aligned(problem->c, alignment) && lines_aligned(problem->d, alignment);
}

enum { FP8_ALIGNMENT = 16, INTEGER_ALIGNMENT = 4, SMALL_TILE = 32, LARGE_TILE = 128 };

/* s8 from s8: the fast algorithms want k contiguous. Without an epilogue there are others, for
 * products of few rows and for large ones. */
static bool integer_orders_exist(const struct lt_problem *problem)
{
    const struct lt_desc *desc = problem->desc;
    bool rows = problem->d->order == CUBLASLT_ORDER_ROW;
    uint64_t m = rows ? problem->d->cols : problem->d->rows;
    uint64_t n = rows ? problem->d->rows : problem->d->cols;

    if (problem->d->type != CUDA_R_8I ||
        (along_k(problem->a, desc->transa, true) && along_k(problem->b, desc->transb, false)))
        return true;
    return desc->epilogue == CUBLASLT_EPILOGUE_DEFAULT &&
           (m < SMALL_TILE || (m >= LARGE_TILE && n >= LARGE_TILE));
}

static bool orders_exist(const struct lt_problem *problem)
{
    const struct lt_desc *desc = problem->desc;

    if (problem->a->order > CUBLASLT_ORDER_ROW || problem->b->order > CUBLASLT_ORDER_ROW ||
        problem->c->order > CUBLASLT_ORDER_ROW || problem->d->order > CUBLASLT_ORDER_ROW)
        return false;
    if (is_fp8(problem->a->type))
        return along_k(problem->a, desc->transa, true) &&
               along_k(problem->b, desc->transb, false) && aligned(problem, FP8_ALIGNMENT);
    if (problem->a->type == CUDA_R_8I)
        return aligned(problem, INTEGER_ALIGNMENT) && integer_orders_exist(problem);
    return true;
}

static bool epilogue_exists(const struct lt_problem *problem)
{
    const struct lt_desc *desc = problem->desc;
    int epilogue = desc->epilogue;

    if (epilogue == CUBLASLT_EPILOGUE_DEFAULT)
        return true;
    if (is_complex(problem->a->type) || desc->scale_type == CUDA_R_32I)
        return false;
    if (epilogue == CUBLASLT_EPILOGUE_BGRADA)
        return desc->transa == CUBLAS_OP_N;
    if (epilogue == CUBLASLT_EPILOGUE_BGRADB)
        return desc->transb != CUBLAS_OP_N;
    if (is_fp8(problem->d->type))
        return !(epilogue & (BIT_DRELU | BIT_DGELU));
    if (is_fp8(problem->a->type) && problem->d->type == CUDA_R_32F)
        return !(epilogue & BIT_BGRAD) && epilogue != CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    return true;
}

static bool modes_exist(const struct lt_problem *problem)
{
    const struct lt_desc *desc = problem->desc;
    bool vector = desc->pointer_mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST &&
                  problem->d->type == CUDA_R_8I;

    return (desc->pointer_mode <= CUBLASLT_POINTER_MODE_DEVICE || vector) &&
           lt_scales_exist(problem);
}

static struct product_matrix matrix_of(const struct lt_layout *layout, int op)
{
    return (struct product_matrix){
        .type = (cudaDataType_t)layout->type,
        .order = layout->order == CUBLASLT_ORDER_ROW ? PRODUCT_ROWS : PRODUCT_COLUMNS,
        .op = (enum product_op)op,
        .ld = layout->ld,
        .stride = layout->stride,
        .plane_offset = layout->plane_offset,
    };
}

static void describe_epilogue(const struct lt_problem *problem, struct product_epilogue *epilogue)
{
    const struct lt_desc *desc = problem->desc;
    int bits = desc->epilogue;

    if (bits & (BIT_RELU | BIT_GELU))
        epilogue->activation = bits & BIT_RELU ? PRODUCT_RELU : PRODUCT_GELU;
    else if (bits & (BIT_DRELU | BIT_DGELU))
        epilogue->activation = bits & BIT_DRELU ? PRODUCT_RELU_GRADIENT : PRODUCT_GELU_GRADIENT;
    epilogue->bias = bits & BIT_BIAS                    ? PRODUCT_BIAS
                     : bits & BIT_BGRAD                 ? PRODUCT_BIAS_SUM_D
                     : bits == CUBLASLT_EPILOGUE_BGRADA ? PRODUCT_BIAS_SUM_A
                     : bits == CUBLASLT_EPILOGUE_BGRADB ? PRODUCT_BIAS_SUM_B
                                                        : PRODUCT_NO_BIAS;
    epilogue->bias_memory = desc->bias;
    epilogue->bias_type = (cudaDataType_t)bias_type(problem);
    epilogue->bias_stride = desc->bias_stride;
    if (!(bits & BIT_AUX))
        return;
    epilogue->aux = desc->aux;
    epilogue->aux_type = (cudaDataType_t)aux_type(problem);
    epilogue->aux_ld = desc->aux_ld;
    epilogue->aux_stride = desc->aux_stride;
    epilogue->aux_scale.memory = desc->aux_scale;
    epilogue->aux_amax = desc->aux_amax;
}

static void describe(const struct lt_problem *problem, struct product *product)
{
    const struct lt_desc *desc = problem->desc;

    *product = (struct product){
        .m = (int64_t)problem->d->rows,
        .n = (int64_t)problem->d->cols,
        .k = (int64_t)(desc->transa == CUBLAS_OP_N ? problem->a->cols : problem->a->rows),
        .compute = desc->compute_type,
        .scale_type = (cudaDataType_t)desc->scale_type,
        .a = matrix_of(problem->a, desc->transa),
        .b = matrix_of(problem->b, desc->transb),
        .c = matrix_of(problem->c, CUBLAS_OP_N),
        .d = matrix_of(problem->d, CUBLAS_OP_N),
        .batch_count = problem->d->batch_count,
        .c_scale = {.memory = desc->c_scale},
        .d_scale = {.memory = desc->d_scale},
        .amax = desc->amax,
    };
    lt_scales_describe(problem, product);
    describe_epilogue(problem, &product->epilogue);
}

cublasStatus_t lt_problem_check(const struct lt_problem *problem, struct product *product,
                                bool *searched)
{
    cublasStatus_t status = check_arguments(problem);

    *searched = false;
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    *searched = true;
    if (!types_exist(problem) || !orders_exist(problem) || !epilogue_exists(problem) ||
        !modes_exist(problem) || problem->desc->fill_mode != CUBLAS_FILL_MODE_FULL ||
        problem->desc->transc != CUBLAS_OP_N)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    describe(problem, product);
    return product_check(product) == PRODUCT_OK ? CUBLAS_STATUS_SUCCESS
                                                : CUBLAS_STATUS_NOT_SUPPORTED;
}
