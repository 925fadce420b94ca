/* SPDX-License-Identifier: MIT */
/* COO in order of rows, as products read it: piece after piece of its rows as CSR, whose offsets
 * stay in the caches. */
#ifndef CUSPARSE_COO_H
#define CUSPARSE_COO_H

#include "isa.h"
#include "view.h"

enum { SPARSE_PIECE_ROWS = 256 };

struct sparse_coo {
    struct sparse_view view; /* offsets: the row of each element */
    cusparseIndexType_t type;
};

/* Describes matrix `batch` of a batch. False: it has indices that the loops do not have. Nothing
 * is known about its elements then. */
bool sparse_coo_describe(struct sparse_coo *coo, const struct cusparseSpMatDescr *matrix,
                         int batch);

/* True if its elements are in order of rows, which the matrix has. Looks at all of them. */
bool sparse_coo_is_sorted(const struct sparse_coo *coo);

/* Part `part` of `parts` of elements that may be in order: the rows of the parts are all rows. If
 * they are not in order, the rows may not be those of the matrix. */
struct sparse_lines sparse_coo_lines(const struct sparse_coo *coo, int64_t part, int64_t parts);

/* Rows and elements that follow each other: rows from `row`, elements from `place`. */
struct sparse_coo_part {
    int64_t row, end, place;
};

/* Part `part` of `parts`, which have about the same number of elements. */
struct sparse_coo_part sparse_coo_part(const struct sparse_coo *coo, int64_t part, int64_t parts);

/* The first rows of a part as CSR, and the part without them. Row 0 of `piece` is row part->row
 * before the call. */
struct sparse_coo_piece {
    struct sparse_view view;
    int64_t offsets[SPARSE_PIECE_ROWS + 1];
};

void sparse_coo_take(const struct sparse_coo *coo, struct sparse_coo_part *part,
                     struct sparse_coo_piece *piece);

#endif
