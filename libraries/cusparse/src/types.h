/* SPDX-License-Identifier: MIT */
/* Element and index types: sizes, and elements one at a time as complex numbers of doubles, for
 * work where the time does not matter. The loops of kernels/ and typed/ know their types. */
#ifndef CUSPARSE_TYPES_H
#define CUSPARSE_TYPES_H

#include <cusparse.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sparse_number {
    double re, im;
};

/* Bytes of an element; 0: not a type of cuSPARSE. */
size_t sparse_bytes(cudaDataType type);
bool sparse_is_complex(cudaDataType type);

/* The type of scalars for elements of a type: 16 bits compute with 32. */
cudaDataType sparse_compute_type(cudaDataType type);

struct sparse_number sparse_load(cudaDataType type, const void *array, int64_t index);
void sparse_store(cudaDataType type, void *array, int64_t index, struct sparse_number value);

/* Converts a line of elements. */
void sparse_convert(cudaDataType to_type, void *to, cudaDataType from_type, const void *from,
                    int64_t count);

static inline bool sparse_is_index_type(cusparseIndexType_t type)
{
    return type >= CUSPARSE_INDEX_16U && type <= CUSPARSE_INDEX_64I;
}

static inline size_t sparse_index_bytes(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_16U ? 2 : type == CUSPARSE_INDEX_32I ? 4 : 8;
}

static inline int64_t sparse_index(cusparseIndexType_t type, const void *array, int64_t i)
{
    if (type == CUSPARSE_INDEX_32I)
        return ((const int32_t *)array)[i];
    return type == CUSPARSE_INDEX_64I ? ((const int64_t *)array)[i] : ((const uint16_t *)array)[i];
}

static inline void sparse_set_index(cusparseIndexType_t type, void *array, int64_t i, int64_t value)
{
    if (type == CUSPARSE_INDEX_32I)
        ((int32_t *)array)[i] = (int32_t)value;
    else if (type == CUSPARSE_INDEX_64I)
        ((int64_t *)array)[i] = value;
    else
        ((uint16_t *)array)[i] = (uint16_t)value;
}

/* The address of element `index`. */
static inline void *sparse_at(const void *array, int64_t index, size_t bytes)
{
    return (char *)array + index * (int64_t)bytes;
}

static inline struct sparse_number sparse_times(struct sparse_number a, struct sparse_number b)
{
    return (struct sparse_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline struct sparse_number sparse_plus(struct sparse_number a, struct sparse_number b)
{
    return (struct sparse_number){a.re + b.re, a.im + b.im};
}

static inline bool sparse_is_zero(struct sparse_number a)
{
    return a.re == 0 && a.im == 0;
}

#endif
