/* SPDX-License-Identifier: MIT */
/* Matrices of a batch: at a distance from each other, or behind an array of pointers in device
 * memory, which is read when the work runs. */
#ifndef CUBLAS_BATCH_H
#define CUBLAS_BATCH_H

#include "blas.h"

struct blas_batch {
    void *address;         /* of the first; NULL with pointers */
    void *const *pointers; /* an array in device memory */
    int64_t stride;        /* in elements */
};

static inline struct blas_batch blas_strided(const void *address, int64_t stride)
{
    return (struct blas_batch){.address = (void *)address, .stride = stride};
}

static inline struct blas_batch blas_pointers(const void *pointers)
{
    return (struct blas_batch){.pointers = pointers};
}

/* Matrix `index`, when the work runs. */
static inline void *blas_batch_at(const struct blas_batch *batch, int64_t index, size_t bytes)
{
    return batch->pointers ? batch->pointers[index]
                           : blas_at(batch->address, index * batch->stride, bytes);
}

/* True if neither memory nor an array was given. */
static inline bool blas_batch_is_null(const struct blas_batch *batch)
{
    return !batch->pointers && !batch->address;
}

/* The memory of `count` matrices with columns of `rows` elements; of pointers, the array alone. */
struct cupipe_range blas_batch_range(const struct blas_batch *batch, int64_t count, int64_t rows,
                                     int64_t columns, int64_t ld, size_t bytes);

/* Calls part(arguments, i) for each matrix. `operations` are those of one matrix: many matrices, or
 * small ones, are spread over all cores; few large ones come one after the other, each on all. */
void blas_for_batch(int64_t count, uint64_t operations, void (*part)(void *, size_t),
                    void *arguments);

#endif
