/* SPDX-License-Identifier: MIT */
/* Matrix products of all element types, as cuBLAS' Ex forms and cuBLASLt need them:
 *
 *     D = epilogue(alpha * scales * op(A) * op(B) + beta * C)
 *
 * m x n, over k, for each matrix of a batch. f32, f64 and complex products are OpenBLAS'; the
 * others are computed here: f16, tf32 in f32; bf16 and fp8 as bf16 into f32; s8 into s32.
 *
 *     struct product product = {.m = m, .n = n, .k = k, .compute = CUBLAS_COMPUTE_32F,
 *                               .scale_type = CUDA_R_32F,
 *                               .alpha = {.re = 1},
 *                               .a = {.address = a, .type = CUDA_R_16F, .ld = lda}, ...};
 *
 *     if (product_check(&product) == PRODUCT_OK) ... submit a work that calls product_run()
 *
 * Structures are zero-initialised; zero means absent, or the ordinary. */
#ifndef LIBRARIES_PRODUCT_H
#define LIBRARIES_PRODUCT_H

#include <cupipe.h>
#include <library_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum product_op { PRODUCT_N, PRODUCT_T, PRODUCT_C }; /* the values of cublasOperation_t */

/* Where the elements of a matrix lie. */
enum product_order { PRODUCT_COLUMNS, PRODUCT_ROWS };

struct product_matrix {
    void *address;         /* of the first matrix; or, with `pointers`, not used */
    void *const *pointers; /* an array in device memory: one address for each matrix */
    cudaDataType_t type;
    enum product_order order;
    enum product_op op;   /* of A and B */
    int64_t ld;           /* elements between columns, or rows if the order is rows */
    int64_t stride;       /* elements between the matrices of a batch; 0: all are the same */
    int64_t plane_offset; /* bytes from the real to the imaginary plane; 0: interleaved */
};

/* A factor: a value, or where it lies in memory when the product runs. Every scale type is exact in
 * double. */
struct product_scalar {
    double re, im;
    const void *memory;    /* not NULL: one element of the scale type */
    bool vector;           /* memory has one element for each row of D */
    int64_t vector_stride; /* elements between the vectors of a batch */
};

/* Factors of a matrix in device memory, all f32. */
struct product_scales {
    const float *memory;
    bool vector; /* one for each row of A, D; column of B. Otherwise one for all, or: */
    /* Of fp8, not 0: one for each `block_lines` rows of A, columns of B, and PRODUCT_BLOCK of k. */
    int64_t block_lines;
    int64_t line_stride, k_stride; /* from one factor to the next */
};
enum { PRODUCT_BLOCK = 128 };

enum product_activation {
    PRODUCT_NO_ACTIVATION,
    PRODUCT_RELU,
    PRODUCT_GELU,          /* by tanh */
    PRODUCT_RELU_GRADIENT, /* D = product where the auxiliary bit is set, otherwise 0 */
    PRODUCT_GELU_GRADIENT, /* D = product * gelu'(aux) */
};

enum product_bias {
    PRODUCT_NO_BIAS,
    PRODUCT_BIAS,       /* added to each column of D: one element for each row */
    PRODUCT_BIAS_SUM_D, /* receives the sums of D's rows: the gradient of a bias */
    PRODUCT_BIAS_SUM_A, /* receives the sums of op(A)'s rows, m elements */
    PRODUCT_BIAS_SUM_B, /* receives the sums of op(B)'s columns, n elements */
};

struct product_epilogue {
    enum product_activation activation;
    enum product_bias bias;
    void *bias_memory;
    cudaDataType_t bias_type;
    int64_t bias_stride; /* elements between the vectors of a batch */
    /* What the activation's gradient needs: written by RELU and GELU if not NULL, read by the
     * gradients. RELU has a bit for each element, GELU the value before it. */
    void *aux;
    cudaDataType_t aux_type;
    int64_t aux_ld;     /* bits for RELU, elements for GELU */
    int64_t aux_stride; /* the same units, between the matrices of a batch */
    struct product_scales aux_scale;
    float *aux_amax; /* receives the largest magnitude of what aux has, before its scale */
};

struct product {
    int64_t m, n, k;
    int compute; /* a cublasComputeType_t */
    cudaDataType_t scale_type;
    struct product_scalar alpha, beta;
    struct product_matrix a, b, c, d; /* C is not read if beta is 0 */
    int64_t batch_count;              /* 0 is taken as 1 */
    struct product_scales a_scale, b_scale, c_scale, d_scale;
    float *amax; /* receives the largest magnitude of D, before its scale */
    struct product_epilogue epilogue;
};

enum product_answer { PRODUCT_OK, PRODUCT_UNSUPPORTED };

/* Tells whether product_run() has a way to compute this: its types, orders and epilogue. It looks
 * at no address and no dimension. */
enum product_answer product_check(const struct product *product);

/* Computes it on the calling thread and what lib_parallel() gives. It does not change `product`.
 * CUDA_ERROR_OUT_OF_MEMORY without memory; CUDA_ERROR_NOT_SUPPORTED without OpenBLAS, after the
 * message of backend.h, or if product_check() refuses. */
CUresult product_run(const struct product *product);

/* A guess at the time of product_run() on one processor. */
uint64_t product_estimate_ns(const struct product *product);

/* The device memory that the product touches, for lib_submit(). Matrices behind arrays of pointers
 * are not known before it runs and are left out. Returns how many there are. */
enum { PRODUCT_RANGES_MOST = 16 };
size_t product_ranges(const struct product *product, struct cupipe_range ranges[]);

/* Bytes of an element; 0: the type is not known. Types of less than a byte count as 0. */
size_t product_type_bytes(cudaDataType_t type);

/* One element, as a pair of doubles. Stores round to nearest even; s8, s32 and fp8 saturate. */
struct product_number {
    double re, im;
};
struct product_number product_load(cudaDataType_t type, const void *address);
void product_store(cudaDataType_t type, void *address, struct product_number value);

#endif
