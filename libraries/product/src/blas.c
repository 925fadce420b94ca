/* SPDX-License-Identifier: MIT */
/* Products of f32, f64 and complex numbers, by OpenBLAS. Plain products are computed in place.
 * Others leave sums, in D if C is not in the way, and an epilogue follows: epilogue.c's for f32,
 * and one in double for the rest. Small complex types are converted to complex f32 first. */
#include "plan.h"

#include "openblas_gemm.h"
#include "scratch.h"
#include "wide.h"
#include "work.h"

#include <string.h>

enum { EPILOGUE_COLUMNS = 16 };

/* The type that OpenBLAS computes a product in; OPENBLAS_TYPES: none. */
static enum openblas_type type_of(cudaDataType_t type)
{
    switch ((int)type) {
    case CUDA_R_32F:
        return OPENBLAS_S;
    case CUDA_R_64F:
        return OPENBLAS_D;
    case CUDA_C_32F:
    case CUDA_C_8I:
    case CUDA_C_16F:
    case CUDA_C_16BF:
        return OPENBLAS_C;
    case CUDA_C_64F:
        return OPENBLAS_Z;
    default:
        return OPENBLAS_TYPES;
    }
}

static const size_t type_bytes[] = {4, 8, 8, 16};
static const cudaDataType_t own_type[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};

bool blas_can(const struct product *product)
{
    enum openblas_type type = type_of(product->a.type);
    bool complex = type == OPENBLAS_C || type == OPENBLAS_Z;

    return type != OPENBLAS_TYPES && type_of(product->b.type) == type &&
           type_of(product->d.type) == type &&
           (!complex || (product->epilogue.activation == PRODUCT_NO_ACTIVATION &&
                         product->epilogue.bias == PRODUCT_NO_BIAS));
}

/* A matrix as OpenBLAS takes it. */
struct operand {
    const void *base;
    int64_t ld;
    char trans;
    void *owned;
};

/* Takes a matrix as it lies, or copies it if its type or its conjugation demand so. */
static bool operand_init(struct operand *operand, const struct view *view, int64_t rows,
                         int64_t columns, enum openblas_type type)
{
    bool normal = view->row_stride == 1 && view->column_stride >= rows;
    bool copies = view->type != own_type[type] || view->plane_offset || (normal && view->conjugate);

    *operand = (struct operand){.base = view->base,
                                .ld = normal ? view->column_stride : view->row_stride,
                                .trans = normal            ? 'N'
                                         : view->conjugate ? 'C'
                                                           : 'T'};
    if (!copies)
        return true;
    operand->owned = scratch_take((size_t)rows * (size_t)columns * type_bytes[type]);
    if (!operand->owned)
        return false;
    wide_copy(operand->owned, own_type[type], view, rows, columns);
    operand->base = operand->owned;
    operand->ld = rows ? rows : 1;
    operand->trans = 'N';
    return true;
}

static void number_bytes(enum openblas_type type, struct product_number number, void *out)
{
    product_store(own_type[type], out, number);
}

static bool same_place(const struct view *a, const struct view *b)
{
    return a->base == b->base && a->row_stride == b->row_stride &&
           a->column_stride == b->column_stride && a->type == b->type;
}

static CUresult multiply(const struct plan *plan, enum openblas_type type,
                         struct product_number alpha, struct product_number beta, void *out,
                         int64_t ld)
{
    struct operand a = {0}, b = {0};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    double factor[2], addend[2];

    if (!openblas())
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!operand_init(&a, &plan->a, plan->m, plan->k, type) ||
        !operand_init(&b, &plan->b, plan->k, plan->n, type))
        goto release;
    number_bytes(type, alpha, factor);
    number_bytes(type, beta, addend);
    lib_gemm(type, a.trans, b.trans, plan->m, plan->n, plan->k, factor, a.base, a.ld, b.base, b.ld,
             addend, out, ld);
    result = CUDA_SUCCESS;
release:
    scratch_give(b.owned);
    scratch_give(a.owned);
    return result;
}

/* D = alpha * A * B + beta * C, all of one type. */
static CUresult plain(struct plan *plan, enum openblas_type type)
{
    bool adds = plan->beta.re != 0 || plan->beta.im != 0;

    if (adds && !same_place(&plan->c, &plan->d))
        wide_move(&plan->d, &plan->c, plan->m, plan->n);
    return multiply(plan, type, plan->alpha, plan->beta, plan->d.base, plan->d.column_stride);
}

struct finishing {
    struct plan *plan;
    enum openblas_type type;
    void *sums;
    size_t ld;
};

static void finish_part(void *argument, size_t part)
{
    const struct finishing *finishing = argument;
    struct plan *plan = finishing->plan;
    size_t first = part * EPILOGUE_COLUMNS, columns = (size_t)plan->n - first;
    struct block block = {.column = (int64_t)first,
                          .rows = (size_t)plan->m,
                          .columns = columns < EPILOGUE_COLUMNS ? columns : EPILOGUE_COLUMNS,
                          .sums = (char *)finishing->sums +
                                  first * finishing->ld * type_bytes[finishing->type],
                          .ld = finishing->ld};

    if (finishing->type == OPENBLAS_S)
        epilogue_run(plan, &block);
    else
        wide_epilogue(plan, &block, own_type[finishing->type]);
}

static CUresult with_epilogue(struct plan *plan, enum openblas_type type)
{
    bool adds = plan->beta.re != 0 || plan->beta.im != 0;
    bool in_place = plan->d.type == own_type[type] && !adds && !plan->d.plane_offset;
    struct finishing finishing = {.plan = plan, .type = type};
    void *owned = NULL;
    CUresult result;

    finishing.sums = plan->d.base;
    finishing.ld = (size_t)plan->d.column_stride;
    if (!in_place) {
        finishing.ld = (size_t)plan->m;
        owned = scratch_take((size_t)plan->m * (size_t)plan->n * type_bytes[type]);
        if (!owned)
            return CUDA_ERROR_OUT_OF_MEMORY;
        finishing.sums = owned;
    }
    result = multiply(plan, type, (struct product_number){.re = 1}, (struct product_number){0},
                      finishing.sums, (int64_t)finishing.ld);
    if (result == CUDA_SUCCESS)
        lib_parallel(((size_t)plan->n + EPILOGUE_COLUMNS - 1) / EPILOGUE_COLUMNS, finish_part,
                     &finishing);
    scratch_give(owned);
    return result;
}

CUresult blas_run(struct plan *plan)
{
    enum openblas_type type = type_of(plan->a.type);
    bool adds = plan->beta.re != 0 || plan->beta.im != 0;
    bool uniform = plan->d.type == own_type[type] && !plan->d.plane_offset &&
                   (!adds || (plan->c.type == plan->d.type && !plan->c.plane_offset));

    return uniform && plan_is_plain(plan) ? plain(plan, type) : with_epilogue(plan, type);
}
