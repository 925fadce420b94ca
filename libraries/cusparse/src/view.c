/* SPDX-License-Identifier: MIT */
/* Views of sparse matrices. Expanded ones have offsets and indices of 64 bits from 0 on. */
#include "view.h"

#include <stdlib.h>
#include <string.h>

enum { PART_ELEMENTS = 16384, PARTS_EACH = 4 };

int64_t sparse_parts(int64_t elements)
{
    int64_t most = lib_parallel_width(), parts = elements / PART_ELEMENTS;

    most = most > 1 ? most * PARTS_EACH : 1;
    return parts < 1 ? 1 : parts > most ? most : parts;
}

int64_t sparse_view_cut(const struct sparse_view *view, int64_t part, int64_t parts)
{
    int64_t low = 0, high = view->rows, wanted;

    if (part <= 0 || part >= parts)
        return part <= 0 ? 0 : view->rows;
    /* A row counts as one element more, so that empty rows are cut too. */
    wanted = (int64_t)((double)(view->nnz + view->rows) / (double)parts * (double)part);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if (sparse_view_offset(view, middle) + middle < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sparse_view_close(struct sparse_view *view)
{
    for (int i = 0; i < 3; i++)
        free(view->owned[i]);
}

static void *allocate(int64_t count, size_t bytes)
{
    return malloc(count > 0 ? (size_t)count * bytes : 1);
}

static int64_t *widened(cusparseIndexType_t type, const void *array, int64_t count)
{
    int64_t *wide = allocate(count, sizeof(*wide));

    for (int64_t i = 0; wide && i < count; i++)
        wide[i] = sparse_index(type, array, i);
    return wide;
}

/* CSR and CSC. Pairs of index types without loops are widened to 64 bits. */
static CUresult open_compressed(struct sparse_view *view, cusparseIndexType_t offset_type,
                                cusparseIndexType_t index_type)
{
    if (offset_type == CUSPARSE_INDEX_32I && index_type == CUSPARSE_INDEX_32I) {
        view->widths = OFFSETS_32_INDICES_32;
        return CUDA_SUCCESS;
    }
    if (offset_type != CUSPARSE_INDEX_64I) {
        view->offsets = view->owned[0] = widened(offset_type, view->offsets, view->rows + 1);
        if (!view->offsets)
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    view->widths = OFFSETS_64_INDICES_32;
    if (index_type != CUSPARSE_INDEX_32I)
        view->widths = OFFSETS_64_INDICES_64;
    if (index_type == CUSPARSE_INDEX_16U) {
        view->indices = view->owned[1] = widened(index_type, view->indices, view->nnz);
        if (!view->indices)
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

/* The nonzeros of COO, and what is found about them by all threads. */
struct coo {
    const void *rows;
    cusparseIndexType_t type;
    int64_t nnz, base, lines, parts;
    int64_t *offsets;
    bool is_unsorted;
};

/* Writes where each row ends, if the rows of the part are in order: then the last element of a row
 * is the last that writes. A part begins and ends with whole rows; only where the rows are not in
 * order, several threads write the end of one, and what they write is not used. */
static inline __attribute__((always_inline)) void
find_ends_of(struct coo *coo, cusparseIndexType_t type, int64_t part)
{
    int64_t limits[2], last;
    bool found = false;

    for (int side = 0; side < 2; side++) {
        int64_t i = coo->nnz * (part + side) / coo->parts;

        while (i > 0 && i < coo->nnz &&
               sparse_index(type, coo->rows, i) == sparse_index(type, coo->rows, i - 1))
            i++;
        limits[side] = i;
    }
    last = limits[0] > 0 ? sparse_index(type, coo->rows, limits[0] - 1) - coo->base : 0;
    for (int64_t i = limits[0]; i < limits[1]; i++) {
        int64_t row = sparse_index(type, coo->rows, i) - coo->base;

        found |= row < last || row >= coo->lines;
        if (found)
            break;
        last = row;
        __atomic_store_n(&coo->offsets[row + 1], i + 1, __ATOMIC_RELAXED);
    }
    if (found)
        __atomic_store_n(&coo->is_unsorted, true, __ATOMIC_RELAXED);
}

static void find_ends(void *arguments, size_t index)
{
    struct coo *coo = arguments;

    if (coo->type == CUSPARSE_INDEX_32I)
        find_ends_of(coo, CUSPARSE_INDEX_32I, (int64_t)index);
    else
        find_ends_of(coo, coo->type, (int64_t)index);
}

/* Offsets of the rows of COO; true in *sorted if the nonzeros stand in order of rows. Otherwise
 * they are counted, without those in rows that the matrix has not. */
static int64_t *count_rows(const struct sparse_view *view, cusparseIndexType_t type,
                           const void *rows, bool *sorted)
{
    int64_t *offsets = calloc((size_t)view->rows + 2, sizeof(*offsets));
    struct coo coo = {
        rows,    type, view->nnz, view->index_base, view->rows, sparse_parts(view->nnz),
        offsets, false};

    if (!offsets)
        return NULL;
    lib_parallel((size_t)coo.parts, find_ends, &coo);
    *sorted = !coo.is_unsorted;
    if (*sorted) {
        for (int64_t i = 0; i < view->rows; i++)
            offsets[i + 1] = offsets[i + 1] > offsets[i] ? offsets[i + 1] : offsets[i];
        return offsets;
    }
    memset(offsets, 0, ((size_t)view->rows + 2) * sizeof(*offsets));
    for (int64_t i = 0; i < view->nnz; i++) {
        int64_t row = sparse_index(type, rows, i) - view->index_base;

        if (row >= 0 && row < view->rows)
            offsets[row + 1]++;
    }
    for (int64_t i = 0; i < view->rows; i++)
        offsets[i + 1] += offsets[i];
    return offsets;
}

/* Where the nonzeros of COO stand in order of rows; `offsets` are those of count_rows(). */
static int64_t *row_order(const struct sparse_view *view, cusparseIndexType_t type,
                          const void *rows, const int64_t *offsets)
{
    int64_t *places = allocate(view->nnz, sizeof(*places));
    int64_t *next = allocate(view->rows + 1, sizeof(*next));

    if (places && next) {
        memcpy(next, offsets, ((size_t)view->rows + 1) * sizeof(*next));
        for (int64_t i = 0; i < view->nnz; i++) {
            int64_t row = sparse_index(type, rows, i) - view->index_base;

            if (row >= 0 && row < view->rows)
                places[next[row]++] = i;
        }
    } else {
        free(places);
        places = NULL;
    }
    free(next);
    return places;
}

/* Copies indices and values into the order of `places`. */
static CUresult take_places(struct sparse_view *view, const int64_t *places,
                            cusparseIndexType_t type)
{
    size_t bytes = sparse_bytes(view->type);
    int64_t *indices = allocate(view->nnz, sizeof(*indices));
    char *values = allocate(view->nnz, bytes);

    view->owned[1] = indices;
    view->owned[2] = values;
    if (!indices || !values)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (int64_t i = 0; i < view->nnz; i++) {
        indices[i] = sparse_index(type, view->indices, places[i]);
        memcpy(values + (size_t)i * bytes, sparse_at(view->values, places[i], bytes), bytes);
    }
    view->indices = indices;
    view->values = values;
    view->widths = OFFSETS_64_INDICES_64;
    return CUDA_SUCCESS;
}

static CUresult open_coo(struct sparse_view *view, const struct cusparseSpMatDescr *matrix)
{
    const void *rows = view->offsets;
    int64_t *offsets, *places = NULL;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    bool sorted;

    view->offsets = view->owned[0] = offsets = count_rows(view, matrix->offset_type, rows, &sorted);
    if (!offsets)
        return result;
    if (!sorted) {
        places = row_order(view, matrix->offset_type, rows, offsets);
        view->nnz = offsets[view->rows];
        result = places ? take_places(view, places, matrix->index_type) : result;
    } else {
        result = open_compressed(view, CUSPARSE_INDEX_64I, matrix->index_type);
    }
    /* The offsets count from 0, as the indices do not: the base is taken off by all. */
    for (int64_t i = 0; i <= view->rows; i++)
        offsets[i] += view->index_base;
    free(places);
    return result;
}

/* Blocks of BSR and blocked ELL: the number in block row `row`, and the place and column of one. */
static int64_t first_block(const struct sparse_view *view, const struct cusparseSpMatDescr *matrix,
                           int64_t row)
{
    if (matrix->format == CUSPARSE_FORMAT_BLOCKED_ELL)
        return row * (matrix->ell_cols / matrix->block_cols);
    return sparse_index(matrix->offset_type, view->offsets, row) - view->index_base;
}

static int64_t block_column(const struct sparse_view *view, const struct cusparseSpMatDescr *matrix,
                            int64_t place)
{
    int64_t column = sparse_index(matrix->index_type, view->indices, place);

    /* Blocked ELL pads rows with the column -1, in either base. */
    if (matrix->format == CUSPARSE_FORMAT_BLOCKED_ELL && column < 0)
        return -1;
    return column - view->index_base;
}

/* The place of element (i, j) of block `place` among the values. Blocked ELL keeps a block row as a
 * dense matrix of its own, by rows. */
static int64_t block_element(const struct cusparseSpMatDescr *matrix, int64_t place, int64_t i,
                             int64_t j)
{
    int64_t rows = matrix->block_rows, cols = matrix->block_cols, width;

    if (matrix->format == CUSPARSE_FORMAT_BSR)
        return place * rows * cols +
               (matrix->block_order == CUSPARSE_ORDER_ROW ? i * cols + j : j * rows + i);
    width = matrix->ell_cols / cols;
    return place / width * rows * matrix->ell_cols + i * matrix->ell_cols + place % width * cols +
           j;
}

/* Counts the elements of each row, or with `places` says where they are, and in which column. */
static void walk_blocks(const struct sparse_view *view, const struct cusparseSpMatDescr *matrix,
                        int64_t *offsets, int64_t *places, int64_t *indices)
{
    int64_t count = 0;

    for (int64_t row = 0; row < matrix->rows; row++) {
        int64_t block_row = row / matrix->block_rows,
                end = first_block(view, matrix, block_row + 1);

        offsets[row] = count;
        for (int64_t place = first_block(view, matrix, block_row); place < end; place++) {
            int64_t column = block_column(view, matrix, place) * matrix->block_cols;

            for (int64_t j = 0; column >= 0 && j < matrix->block_cols; j++) {
                if (column + j >= matrix->cols)
                    break;
                if (places) {
                    places[count] = block_element(matrix, place, row % matrix->block_rows, j);
                    indices[count] = column + j;
                }
                count++;
            }
        }
    }
    offsets[matrix->rows] = count;
}

/* The same for sliced ELL: the elements of a slice stand by columns, padded with the index -1. */
static void walk_slices(const struct sparse_view *view, const struct cusparseSpMatDescr *matrix,
                        int64_t *offsets, int64_t *places, int64_t *indices)
{
    int64_t count = 0;

    for (int64_t row = 0; row < matrix->rows; row++) {
        int64_t slice = row / matrix->slice;
        int64_t place = sparse_index(matrix->offset_type, view->offsets, slice) - view->index_base;
        int64_t end =
            sparse_index(matrix->offset_type, view->offsets, slice + 1) - view->index_base;

        offsets[row] = count;
        for (place += row % matrix->slice; place < end; place += matrix->slice) {
            int64_t column = sparse_index(matrix->index_type, view->indices, place);

            if (column < 0)
                continue;
            if (places) {
                places[count] = place;
                indices[count] = column - view->index_base;
            }
            count++;
        }
    }
    offsets[matrix->rows] = count;
}

static CUresult open_expanded(struct sparse_view *view, const struct cusparseSpMatDescr *matrix,
                              int64_t **kept_places)
{
    bool sliced = matrix->format == CUSPARSE_FORMAT_SLICED_ELLPACK;
    size_t bytes = sparse_bytes(view->type);
    int64_t *offsets = allocate(matrix->rows + 1, sizeof(*offsets)), *places = NULL;
    int64_t *indices = NULL;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    char *values = NULL;

    view->owned[0] = offsets;
    if (!offsets)
        return result;
    (sliced ? walk_slices : walk_blocks)(view, matrix, offsets, NULL, NULL);
    view->nnz = offsets[matrix->rows];
    places = allocate(view->nnz, sizeof(*places));
    view->owned[1] = indices = allocate(view->nnz, sizeof(*indices));
    view->owned[2] = values = allocate(view->nnz, bytes);
    if (places && indices && values) {
        (sliced ? walk_slices : walk_blocks)(view, matrix, offsets, places, indices);
        for (int64_t i = 0; !kept_places && matrix->values && i < view->nnz; i++)
            memcpy(values + (size_t)i * bytes, sparse_at(view->values, places[i], bytes), bytes);
        result = CUDA_SUCCESS;
    }
    view->offsets = offsets;
    view->indices = indices;
    view->values = values;
    view->index_base = 0;
    view->widths = OFFSETS_64_INDICES_64;
    if (kept_places && result == CUDA_SUCCESS)
        *kept_places = places;
    else
        free(places);
    return result;
}

struct sparse_view sparse_view_as_stored(const struct cusparseSpMatDescr *matrix, int batch)
{
    bool transposed = matrix->format == CUSPARSE_FORMAT_CSC;

    return (struct sparse_view){
        .rows = transposed ? matrix->cols : matrix->rows,
        .cols = transposed ? matrix->rows : matrix->cols,
        .nnz = matrix->nnz,
        .offsets = sparse_at(matrix->offsets, batch * matrix->offsets_stride,
                             sparse_index_bytes(matrix->offset_type)),
        .indices = sparse_at(matrix->indices, batch * matrix->indices_stride,
                             sparse_index_bytes(matrix->index_type)),
        .values =
            sparse_at(matrix->values, batch * matrix->values_stride, sparse_bytes(matrix->type)),
        .index_base = matrix->index_base,
        .type = matrix->type,
        .transposed = transposed};
}

CUresult sparse_view_open(struct sparse_view *view, const struct cusparseSpMatDescr *matrix,
                          int batch)
{
    CUresult result;

    *view = sparse_view_as_stored(matrix, batch);
    if (matrix->format == CUSPARSE_FORMAT_CSR || matrix->format == CUSPARSE_FORMAT_CSC)
        result = open_compressed(view, matrix->offset_type, matrix->index_type);
    else if (matrix->format == CUSPARSE_FORMAT_COO)
        result = open_coo(view, matrix);
    else
        result = open_expanded(view, matrix, NULL);
    if (result != CUDA_SUCCESS)
        sparse_view_close(view);
    return result;
}

CUresult sparse_view_open_slices(struct sparse_view *view, const struct cusparseSpMatDescr *matrix,
                                 int batch)
{
    *view = sparse_view_as_stored(matrix, batch);
    view->rows = (matrix->rows + matrix->slice - 1) / matrix->slice;
    view->nnz = matrix->stored;
    return open_compressed(view, matrix->offset_type, matrix->index_type);
}

CUresult sparse_view_places(const struct cusparseSpMatDescr *matrix, int batch, int64_t **places)
{
    struct sparse_view view = sparse_view_as_stored(matrix, batch);
    CUresult result = CUDA_SUCCESS;
    int64_t *offsets;
    bool sorted;

    *places = NULL;
    if (matrix->format == CUSPARSE_FORMAT_CSR || matrix->format == CUSPARSE_FORMAT_CSC)
        return result;
    if (matrix->format == CUSPARSE_FORMAT_COO) {
        offsets = count_rows(&view, matrix->offset_type, view.offsets, &sorted);
        if (offsets && !sorted)
            *places = row_order(&view, matrix->offset_type, view.offsets, offsets);
        if (!offsets || (!sorted && !*places))
            result = CUDA_ERROR_OUT_OF_MEMORY;
        free(offsets);
        return result;
    }
    result = open_expanded(&view, matrix, places);
    sparse_view_close(&view);
    return result;
}
