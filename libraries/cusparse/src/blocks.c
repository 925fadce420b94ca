/* SPDX-License-Identifier: MIT */
/* Lines of blocks. BSR has offsets of blocks and keeps each block in one piece; blocked ELL has as
 * many blocks in each line, and keeps a line as a dense matrix by rows. */
#include "blocks.h"

struct sparse_blocks sparse_blocks(const struct cusparseSpMatDescr *matrix, int batch)
{
    bool ell = matrix->format == CUSPARSE_FORMAT_BLOCKED_ELL;
    bool by_rows = ell || matrix->block_order == CUSPARSE_ORDER_ROW;

    return (struct sparse_blocks){
        .rows = matrix->rows,
        .cols = matrix->cols,
        .lines = (matrix->rows + matrix->block_rows - 1) / matrix->block_rows,
        .height = matrix->block_rows,
        .width = matrix->block_cols,
        .row_step = ell       ? matrix->ell_cols
                    : by_rows ? matrix->block_cols
                              : 1,
        .column_step = by_rows ? 1 : matrix->block_rows,
        .block_step = ell ? matrix->block_cols : matrix->block_rows * matrix->block_cols,
        .line_blocks = ell ? matrix->ell_cols / matrix->block_cols : 0,
        .index_base = matrix->index_base,
        .offsets = ell ? NULL
                       : sparse_at(matrix->offsets, batch * matrix->offsets_stride,
                                   sparse_index_bytes(matrix->offset_type)),
        .indices = sparse_at(matrix->indices, batch * matrix->indices_stride,
                             sparse_index_bytes(matrix->index_type)),
        .values =
            sparse_at(matrix->values, batch * matrix->values_stride, sparse_bytes(matrix->type)),
        .offset_type = matrix->offset_type,
        .index_type = matrix->index_type,
        .bytes = sparse_bytes(matrix->type)};
}

static int64_t first_block(const struct sparse_blocks *blocks, int64_t line)
{
    if (!blocks->offsets)
        return line * blocks->line_blocks;
    return sparse_index(blocks->offset_type, blocks->offsets, line) - blocks->index_base;
}

struct sparse_block_line sparse_block_line(const struct sparse_blocks *blocks, int64_t line)
{
    int64_t first = first_block(blocks, line), left = blocks->rows - line * blocks->height;

    /* What a block row of blocked ELL takes is what its blocks take, as in BSR. */
    return (struct sparse_block_line){
        .blocks = blocks,
        .indices = sparse_at(blocks->indices, first, sparse_index_bytes(blocks->index_type)),
        .values = sparse_at(blocks->values, first * blocks->height * blocks->width, blocks->bytes),
        .count = first_block(blocks, line + 1) - first,
        .height = left < blocks->height ? left : blocks->height};
}

int64_t sparse_blocks_cut(const struct sparse_blocks *blocks, int64_t part, int64_t parts)
{
    int64_t low = 0, high = blocks->lines, begin = first_block(blocks, 0), wanted;

    if (part <= 0 || part >= parts)
        return part <= 0 ? 0 : blocks->lines;
    /* A line counts as one block more, so that empty lines are cut too. */
    wanted = (int64_t)((double)(first_block(blocks, high) - begin + high) / (double)parts *
                       (double)part);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if (first_block(blocks, middle) - begin + middle < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
