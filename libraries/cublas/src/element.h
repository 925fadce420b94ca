/* SPDX-License-Identifier: MIT */
/* Elements of vectors of any type, one at a time, as complex numbers of doubles. It is the slow
 * way, for types and increments that OpenBLAS does not have. */
#ifndef CUBLAS_ELEMENT_H
#define CUBLAS_ELEMENT_H

#include "small_floats.h"

#include <library_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLAS_INLINE static inline __attribute__((always_inline))

struct blas_complex {
    double re, im;
};

/* Bytes of an element; 0: the type is not one of vectors. */
static inline size_t blas_element_bytes(cudaDataType_t type)
{
    switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_32F:
    case CUDA_C_16F:
    case CUDA_C_16BF:
        return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
        return 8;
    case CUDA_C_64F:
        return 16;
    default:
        return 0;
    }
}

static inline bool blas_element_is_complex(cudaDataType_t type)
{
    return type == CUDA_C_16F || type == CUDA_C_16BF || type == CUDA_C_32F || type == CUDA_C_64F;
}

/* The type of the parts of a complex type. */
BLAS_INLINE cudaDataType_t blas_part_type(cudaDataType_t type)
{
    switch (type) {
    case CUDA_C_16F:
        return CUDA_R_16F;
    case CUDA_C_16BF:
        return CUDA_R_16BF;
    case CUDA_C_32F:
        return CUDA_R_32F;
    case CUDA_C_64F:
        return CUDA_R_64F;
    default:
        return type;
    }
}

BLAS_INLINE double blas_load_part(cudaDataType_t type, const void *array, int64_t index)
{
    switch (type) {
    case CUDA_R_16F:
        return lib_f16_value(((const uint16_t *)array)[index]);
    case CUDA_R_16BF:
        return lib_bf16_value(((const uint16_t *)array)[index]);
    case CUDA_R_32F:
        return ((const float *)array)[index];
    case CUDA_R_32I:
        return ((const int32_t *)array)[index];
    default:
        return ((const double *)array)[index];
    }
}

BLAS_INLINE void blas_store_part(cudaDataType_t type, void *array, int64_t index, double value)
{
    switch (type) {
    case CUDA_R_16F:
        ((uint16_t *)array)[index] = lib_f16_bits_of_double(value);
        break;
    case CUDA_R_16BF:
        ((uint16_t *)array)[index] = lib_bf16_bits((float)value);
        break;
    case CUDA_R_32F:
        ((float *)array)[index] = (float)value;
        break;
    default:
        ((double *)array)[index] = value;
    }
}

/* Reads and writes element `index` of an array. A real element ignores the imaginary part. */
BLAS_INLINE struct blas_complex blas_load(cudaDataType_t type, const void *array, int64_t index)
{
    cudaDataType_t part = blas_part_type(type);

    if (part == type)
        return (struct blas_complex){blas_load_part(type, array, index), 0};
    return (struct blas_complex){blas_load_part(part, array, 2 * index),
                                 blas_load_part(part, array, 2 * index + 1)};
}

BLAS_INLINE void blas_store(cudaDataType_t type, void *array, int64_t index,
                            struct blas_complex value)
{
    cudaDataType_t part = blas_part_type(type);

    if (part == type) {
        blas_store_part(type, array, index, value.re);
        return;
    }
    blas_store_part(part, array, 2 * index, value.re);
    blas_store_part(part, array, 2 * index + 1, value.im);
}

static inline struct blas_complex blas_multiply(struct blas_complex a, struct blas_complex b)
{
    return (struct blas_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline struct blas_complex blas_plus(struct blas_complex a, struct blas_complex b)
{
    return (struct blas_complex){a.re + b.re, a.im + b.im};
}

static inline struct blas_complex blas_conjugate(struct blas_complex a)
{
    return (struct blas_complex){a.re, -a.im};
}

#endif
