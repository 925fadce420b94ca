/* SPDX-License-Identifier: MIT */
/* One product of a batch in a form that the loops understand: D has columns, orders and operations
 * are strides, factors and biases are f32 vectors. If D has rows, the plan is that of the
 * transposed product: A and B, rows and columns change places. */
#ifndef PRODUCT_PLAN_H
#define PRODUCT_PLAN_H

#include "types.h"

#include <pthread.h>

/* An element (i, j) lies at base + i * row_stride + j * column_stride elements. */
struct view {
    void *base;
    cudaDataType_t type;
    int64_t row_stride, column_stride;
    bool conjugate;
    int64_t plane_offset;
};

struct plan {
    const struct product *product;
    const struct product_isa *isa;
    bool transposed;
    int64_t m, n, k;
    int64_t batch;
    struct view a, b, c, d; /* a: m x k, b: k x n */
    struct product_number alpha, beta;
    /* Vectors of f32 that scale or are added to rows (m) and columns (n); NULL: none. */
    float *row_factor, *column_factor, *row_bias, *column_bias;
    float c_factor, d_factor, aux_factor;
    void *aux;      /* of this matrix */
    float *vectors; /* what the vectors above lie in */
    pthread_mutex_t lock;
    double *row_sums, *column_sums; /* of D, for the gradient of a bias; guarded by lock */
    float amax, aux_amax;           /* guarded by lock */
};

/* Prepares the product of a batch's index; plan_finish() writes the results that belong to all of D
 * and frees. CUDA_ERROR_OUT_OF_MEMORY on failure, with nothing to finish. */
CUresult plan_init(struct plan *plan, const struct product *product, int64_t batch);
void plan_finish(struct plan *plan);

/* Part of D whose sums are known: columns of f32, or s32 if `integers`. */
struct block {
    int64_t row, column;
    size_t rows, columns;
    void *sums;
    size_t ld;
    bool integers;
};

/* Computes D from sums, which it changes. Blocks of a plan may be finished by several threads. */
void epilogue_run(struct plan *plan, const struct block *block);

/* True if D is alpha * sums + beta * C and nothing more. */
bool plan_is_plain(const struct plan *plan);

/* Sums of op(A)'s rows, or op(B)'s columns, into the bias' memory. */
void plan_sum_operand(const struct plan *plan);

/* The product of small types, in panels. */
CUresult panels_run(struct plan *plan);
bool panels_can(const struct product *product);
double panels_estimate_ns(const struct product *product);

/* The products of OpenBLAS' types. */
CUresult blas_run(struct plan *plan);
bool blas_can(const struct product *product);

#endif
