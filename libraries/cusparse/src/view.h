/* SPDX-License-Identifier: MIT */
/* A sparse matrix of any format as CSR, when work runs. CSR and CSC are taken as they are, CSC as
 * the CSR of the transposed matrix; sorted COO gets offsets; the others are expanded. */
#ifndef CUSPARSE_VIEW_H
#define CUSPARSE_VIEW_H

#include "sparse.h"

/* The pairs of index types that loops are made for. */
enum sparse_widths { OFFSETS_32_INDICES_32, OFFSETS_64_INDICES_32, OFFSETS_64_INDICES_64, WIDTHS };

struct sparse_view {
    int64_t rows, cols, nnz;
    const void *offsets, *indices, *values;
    enum sparse_widths widths;
    int64_t index_base; /* of offsets and indices */
    cudaDataType type;
    bool transposed; /* the matrix is the transpose of this CSR */
    void *owned[3];
};

/* Makes the view of matrix `batch` of a batch. CUDA_ERROR_OUT_OF_MEMORY: nothing to close. */
CUresult sparse_view_open(struct sparse_view *view, const struct cusparseSpMatDescr *matrix,
                          int batch);
void sparse_view_close(struct sparse_view *view);

/* The arrays of matrix `batch` as they are stored; CSC as the CSR of the transposed matrix. Nothing
 * to close. */
struct sparse_view sparse_view_as_stored(const struct cusparseSpMatDescr *matrix, int batch);

/* The slices of sliced ELL as rows of all their elements, with the padding. */
CUresult sparse_view_open_slices(struct sparse_view *view, const struct cusparseSpMatDescr *matrix,
                                 int batch);

/* Where each nonzero of the view stands among the values of the matrix, for writing values back:
 * index `i` for CSR, CSC and sorted COO. NULL in *places: all in order. The caller frees them. */
CUresult sparse_view_places(const struct cusparseSpMatDescr *matrix, int batch, int64_t **places);

static inline int64_t sparse_view_offset(const struct sparse_view *view, int64_t row)
{
    if (view->widths == OFFSETS_32_INDICES_32)
        return ((const int32_t *)view->offsets)[row] - view->index_base;
    return ((const int64_t *)view->offsets)[row] - view->index_base;
}

static inline int64_t sparse_view_index(const struct sparse_view *view, int64_t i)
{
    if (view->widths == OFFSETS_64_INDICES_64)
        return ((const int64_t *)view->indices)[i] - view->index_base;
    return ((const int32_t *)view->indices)[i] - view->index_base;
}

/* The first row of part `part` of `parts`, which have about the same number of nonzeros. */
int64_t sparse_view_cut(const struct sparse_view *view, int64_t part, int64_t parts);

/* The number of parts for work of so many elements. */
int64_t sparse_parts(int64_t elements);

#endif
