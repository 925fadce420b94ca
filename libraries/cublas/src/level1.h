/* SPDX-License-Identifier: MIT */
/* Level 1, of any types. The functions with a letter for the type call these, and so do the Ex
 * forms, after they have checked the combination of types. */
#ifndef CUBLAS_LEVEL1_H
#define CUBLAS_LEVEL1_H

#include "blas.h"
#include "element.h"

#include <limits.h>

struct blas_vector {
    void *address;
    int64_t step; /* the increment, in elements */
    cudaDataType_t type;
};

/* A pointer to a number in host or device memory, with its type. */
struct blas_number {
    void *address;
    cudaDataType_t type;
};

/* True if OpenBLAS can take the increment. */
static inline bool blas_step_is_usable(int64_t step)
{
    return step != 0 && step >= -INT_MAX && step <= INT_MAX;
}

/* The index in memory of element i of n. */
BLAS_INLINE int64_t blas_place(const struct blas_vector *vector, int64_t n, int64_t i)
{
    return (vector->step < 0 ? (1 - n) * vector->step : 0) + i * vector->step;
}

BLAS_INLINE struct blas_complex blas_vector_load(const struct blas_vector *vector, int64_t n,
                                                 int64_t i)
{
    return blas_load(vector->type, vector->address, blas_place(vector, n, i));
}

BLAS_INLINE void blas_vector_store(const struct blas_vector *vector, int64_t n, int64_t i,
                                   struct blas_complex value)
{
    blas_store(vector->type, vector->address, blas_place(vector, n, i), value);
}

/* The lowest address of the elements begin ... begin + length - 1, which is where BLAS wants a
 * vector to begin. */
static inline void *blas_vector_piece(const struct blas_vector *vector, int64_t n, int64_t begin,
                                      int64_t length)
{
    int64_t first = blas_place(vector, n, vector->step < 0 ? begin + length - 1 : begin);

    return blas_at(vector->address, first, blas_element_bytes(vector->type));
}

/* OpenBLAS takes as many elements at once. */
enum { BLAS_PIECE_MOST = 1 << 30 };

cublasStatus_t blas_axpy(cublasHandle_t handle, const char *name, int64_t n,
                         struct blas_number alpha, struct blas_vector x, struct blas_vector y);
cublasStatus_t blas_scal(cublasHandle_t handle, const char *name, int64_t n,
                         struct blas_number alpha, struct blas_vector x);
cublasStatus_t blas_copy(cublasHandle_t handle, const char *name, int64_t n, struct blas_vector x,
                         struct blas_vector y);
cublasStatus_t blas_swap(cublasHandle_t handle, const char *name, int64_t n, struct blas_vector x,
                         struct blas_vector y);
cublasStatus_t blas_dot(cublasHandle_t handle, const char *name, bool conjugated, int64_t n,
                        struct blas_vector x, struct blas_vector y, struct blas_number result);
cublasStatus_t blas_nrm2(cublasHandle_t handle, const char *name, int64_t n, struct blas_vector x,
                         struct blas_number result);
cublasStatus_t blas_asum(cublasHandle_t handle, const char *name, int64_t n, struct blas_vector x,
                         struct blas_number result);

/* The index, from 1, of the first element of the largest or the smallest magnitude; `wide`: the
 * result is an int64_t, otherwise an int. */
cublasStatus_t blas_iamax(cublasHandle_t handle, const char *name, bool smallest, int64_t n,
                          struct blas_vector x, void *result, bool wide);

cublasStatus_t blas_rot(cublasHandle_t handle, const char *name, int64_t n, struct blas_vector x,
                        struct blas_vector y, struct blas_number c, struct blas_number s);
cublasStatus_t blas_rotm(cublasHandle_t handle, const char *name, int64_t n, struct blas_vector x,
                         struct blas_vector y, struct blas_number parameters);
cublasStatus_t blas_rotg(cublasHandle_t handle, const char *name, struct blas_number a,
                         struct blas_number b, struct blas_number c, struct blas_number s);
cublasStatus_t blas_rotmg(cublasHandle_t handle, const char *name, struct blas_number d1,
                          struct blas_number d2, struct blas_number x1, struct blas_number y1,
                          struct blas_number parameters);

#endif
