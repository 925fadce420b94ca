/* SPDX-License-Identifier: MIT */
/* COO in order of rows, as products read it: piece after piece of its rows as CSR, whose offsets
 * stay in the caches. */
#ifndef CUSPARSE_COO_H
#define CUSPARSE_COO_H

#include "view.h"

enum { SPARSE_PIECE_ROWS = 256 };

struct sparse_coo {
    struct sparse_view view; /* offsets: the row of each element */
    cusparseIndexType_t type;
};

/* True if matrix `batch` of a batch is one: its elements are in order of rows, which the matrix
 * has. */
bool sparse_coo_open(struct sparse_coo *coo, const struct cusparseSpMatDescr *matrix, int batch);

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
