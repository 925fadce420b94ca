/* SPDX-License-Identifier: MIT */
/* A matrix of dense blocks, BSR or blocked ELL, as products read it: line after line of blocks. */
#ifndef CUSPARSE_BLOCKS_H
#define CUSPARSE_BLOCKS_H

#include "sparse.h"

struct sparse_blocks {
    int64_t rows, cols;            /* of the matrix */
    int64_t lines;                 /* rows of blocks */
    int64_t height, width;         /* of a block */
    int64_t row_step, column_step; /* between elements of a block; one of them is 1 */
    int64_t block_step;            /* between blocks of a line */
    int64_t line_blocks;           /* blocked ELL: blocks of each line */
    int64_t index_base;
    const void *offsets, *indices, *values; /* blocked ELL has no offsets */
    cusparseIndexType_t offset_type, index_type;
    size_t bytes; /* of a value */
};

/* One line. Blocks of blocked ELL with an index below 0 are padding. */
struct sparse_block_line {
    const struct sparse_blocks *blocks;
    const void *indices, *values; /* of its first block */
    int64_t count, height;        /* blocks; rows, which are fewer in the last line */
};

static inline bool sparse_has_blocks(const struct cusparseSpMatDescr *matrix)
{
    return matrix->format == CUSPARSE_FORMAT_BSR || matrix->format == CUSPARSE_FORMAT_BLOCKED_ELL;
}

/* Matrix `batch` of a batch. */
struct sparse_blocks sparse_blocks(const struct cusparseSpMatDescr *matrix, int batch);

struct sparse_block_line sparse_block_line(const struct sparse_blocks *blocks, int64_t line);

/* The first line of part `part` of `parts`, which have about the same number of blocks. */
int64_t sparse_blocks_cut(const struct sparse_blocks *blocks, int64_t part, int64_t parts);

#endif
