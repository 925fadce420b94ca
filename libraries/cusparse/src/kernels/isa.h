/* SPDX-License-Identifier: MIT */
/* The loops over nonzeros that are compiled for each instruction set, by pairs of types: that of
 * stored elements, and that of the sums. Vectors and matrices that they read have the type of the
 * sums; the matrices have their rows in one piece. */
#ifndef CUSPARSE_ISA_H
#define CUSPARSE_ISA_H

#include "blocks.h"
#include "view.h"

/* How a product becomes y: alpha and beta have the type of the sums. */
struct sparse_scaling {
    const void *alpha, *beta;
    bool conjugates; /* the elements of the matrix */
};

/* Elements of a COO matrix that may be in order of rows, and the rows that are theirs. */
struct sparse_lines {
    int64_t first, last; /* elements */
    int64_t row, end;    /* rows; those before the first element have none */
    int64_t low;         /* no element is of an earlier row */
};

struct sparse_row_loops {
    /* row_tiles() for one column, with x and y in one piece. */
    void (*row_sums)(const struct sparse_view *view, int64_t first, int64_t last, const void *x,
                     void *y, const struct sparse_scaling *scaling);
    /* The same for a part of a COO matrix, whose view has the rows of elements for offsets. It
     * writes rows row to end - 1 of y, which is that of row 0, and does not read them. False: the
     * elements are in another order, or of other rows. */
    bool (*line_sums)(const struct sparse_view *view, struct sparse_lines part, const void *x,
                      void *y, const struct sparse_scaling *scaling);
    /* y[r][j] = alpha * row r times column j of x + beta * y[r][j], for `columns` columns. y has
     * the type of the sums and begins with row `first`; it is not read if beta is 0. */
    void (*row_tiles)(const struct sparse_view *view, int64_t first, int64_t last, const void *x,
                      int64_t ldx, int64_t columns, void *y, int64_t ldy,
                      const struct sparse_scaling *scaling);
    /* out[c][j] += alpha * element (r, c) * x[r][j], for all elements of the rows. */
    void (*scatter)(const struct sparse_view *view, int64_t first, int64_t last, const void *x,
                    int64_t ldx, int64_t columns, void *out, int64_t ldo,
                    const struct sparse_scaling *scaling);
    /* The sums of all rows of some slices of `height` rows: the view's rows are slices, which
     * stand by columns and are padded with negative indices. */
    void (*slice_sums)(const struct sparse_view *view, int64_t first, int64_t last, int64_t height,
                       const void *x, void *sums, bool conjugates);
};

struct sparse_pair {
    cudaDataType stored, computed;
    struct sparse_row_loops rows[WIDTHS];
    /* Stored elements, `step` apart, into a line of sums' type. */
    void (*load)(void *to, int64_t to_step, const void *from, int64_t from_step, int64_t count,
                 bool conjugates);
    /* y = alpha * sum + beta * y; y is not read if beta is 0. */
    void (*finish)(void *y, int64_t y_step, const void *sums, int64_t sum_step, int64_t count,
                   const void *alpha, const void *beta);
    /* sum of x[i] * y[i], of the sums' type. */
    void (*dot)(const void *x, const void *y, int64_t count, void *result);
    /* to[i] += from[i], of the sums' type. */
    void (*add)(void *to, const void *from, int64_t count);
    /* A line of blocks: out[i][j] += row i of the line times column j of x; or transposed,
     * out[c][j] += element (i, c) of the line * x[i][j]. */
    void (*block_line)(const struct sparse_block_line *line, bool transposed, const void *x,
                       int64_t ldx, int64_t columns, void *out, int64_t ldo, bool conjugates);
};

enum { SPARSE_PAIRS = 14 };

/* The loops for a pair of types, for this processor; NULL: there are none. */
const struct sparse_pair *sparse_pair(cudaDataType stored, cudaDataType computed);

extern const struct sparse_pair sparse_pairs_baseline[SPARSE_PAIRS],
    sparse_pairs_avx2[SPARSE_PAIRS], sparse_pairs_avx512[SPARSE_PAIRS];

#endif
