/* SPDX-License-Identifier: MIT */
/* COO in order of rows. */
#include "coo.h"

#include <string.h>

struct check {
    const struct sparse_coo *coo;
    int64_t parts;
    bool is_unsorted;
};

static inline int64_t row_at(const struct sparse_coo *coo, cusparseIndexType_t type, int64_t place)
{
    return sparse_index(type, coo->view.offsets, place) - coo->view.index_base;
}

/* Looks at all elements from `first` to `last`, so that the loops have no branch. */
static bool falls_32(const int32_t *rows, int64_t first, int64_t last)
{
    int32_t falls = 0;

    for (int64_t i = first; i + 1 < last; i++)
        falls |= rows[i] > rows[i + 1];
    return falls;
}

static bool falls_64(const int64_t *rows, int64_t first, int64_t last)
{
    int64_t falls = 0;

    for (int64_t i = first; i + 1 < last; i++)
        falls |= rows[i] > rows[i + 1];
    return falls;
}

static void check_part(void *arguments, size_t index)
{
    struct check *check = arguments;
    const struct sparse_coo *coo = check->coo;
    int64_t first = coo->view.nnz * (int64_t)index / check->parts;
    int64_t last = coo->view.nnz * ((int64_t)index + 1) / check->parts;

    last += last < coo->view.nnz;
    if (coo->type == CUSPARSE_INDEX_32I ? falls_32(coo->view.offsets, first, last)
                                        : falls_64(coo->view.offsets, first, last))
        __atomic_store_n(&check->is_unsorted, true, __ATOMIC_RELAXED);
}

bool sparse_coo_describe(struct sparse_coo *coo, const struct cusparseSpMatDescr *matrix, int batch)
{
    coo->view = sparse_view_as_stored(matrix, batch);
    coo->type = matrix->offset_type;
    if (matrix->offset_type == CUSPARSE_INDEX_16U || matrix->index_type == CUSPARSE_INDEX_16U)
        return false;
    coo->view.widths =
        matrix->index_type == CUSPARSE_INDEX_64I ? OFFSETS_64_INDICES_64 : OFFSETS_64_INDICES_32;
    return true;
}

bool sparse_coo_is_sorted(const struct sparse_coo *coo)
{
    struct check check = {.coo = coo, .parts = sparse_parts(coo->view.nnz)};

    if (coo->view.nnz == 0)
        return true;
    lib_parallel((size_t)check.parts, check_part, &check);
    return !check.is_unsorted && row_at(coo, coo->type, 0) >= 0 &&
           row_at(coo, coo->type, coo->view.nnz - 1) < coo->view.rows;
}

/* Where the elements of a part begin: with a row, if they are in order. */
static int64_t part_begin(const struct sparse_coo *coo, int64_t part, int64_t parts)
{
    int64_t place = coo->view.nnz * part / parts;

    while (place > 0 && place < coo->view.nnz &&
           row_at(coo, coo->type, place) == row_at(coo, coo->type, place - 1))
        place++;
    return place;
}

struct sparse_lines sparse_coo_lines(const struct sparse_coo *coo, int64_t part, int64_t parts)
{
    struct sparse_lines lines = {.first = part_begin(coo, part, parts),
                                 .last = part_begin(coo, part + 1, parts),
                                 .end = coo->view.rows};

    if (part > 0 && lines.first < coo->view.nnz)
        lines.row = row_at(coo, coo->type, lines.first);
    else if (part > 0)
        lines.row = coo->view.rows;
    if (part + 1 < parts && lines.last < coo->view.nnz)
        lines.end = row_at(coo, coo->type, lines.last);
    lines.low = lines.row;
    return lines;
}

/* The first element of row `row` or behind it. */
static int64_t first_of_row(const struct sparse_coo *coo, int64_t row)
{
    int64_t low = 0, high = coo->view.nnz;

    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if (row_at(coo, coo->type, middle) < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first row of a part. */
static int64_t cut(const struct sparse_coo *coo, int64_t part, int64_t parts)
{
    int64_t place = coo->view.nnz * part / parts;

    if (part <= 0)
        return 0;
    return part >= parts || place >= coo->view.nnz ? coo->view.rows : row_at(coo, coo->type, place);
}

struct sparse_coo_part sparse_coo_part(const struct sparse_coo *coo, int64_t part, int64_t parts)
{
    int64_t row = cut(coo, part, parts);

    return (struct sparse_coo_part){
        .row = row, .end = cut(coo, part + 1, parts), .place = first_of_row(coo, row)};
}

/* Writes where each of `count` rows from `row` ends: the last element of a row is the last that
 * writes, and rows without elements end where the row before them does. */
static inline __attribute__((always_inline)) int64_t find_ends(const struct sparse_coo *coo,
                                                               cusparseIndexType_t type,
                                                               int64_t place, int64_t row,
                                                               int64_t count, int64_t *offsets)
{
    const int64_t nnz = coo->view.nnz, base = coo->view.index_base;
    const void *rows = coo->view.offsets;
    int64_t end = place + base;

    memset(offsets, 0, (size_t)(count + 1) * sizeof(*offsets));
    for (; place < nnz; place++) {
        int64_t at = sparse_index(type, rows, place) - base - row;

        if (at >= count)
            break;
        offsets[at + 1] = place + 1 + base;
    }
    for (int64_t i = 0; i <= count; i++) {
        end = offsets[i] > end ? offsets[i] : end;
        offsets[i] = end;
    }
    return place;
}

void sparse_coo_take(const struct sparse_coo *coo, struct sparse_coo_part *part,
                     struct sparse_coo_piece *piece)
{
    int64_t rows = part->end - part->row;

    rows = rows < SPARSE_PIECE_ROWS ? rows : SPARSE_PIECE_ROWS;
    piece->view = coo->view;
    piece->view.rows = rows;
    piece->view.offsets = piece->offsets;
    part->place =
        coo->type == CUSPARSE_INDEX_32I
            ? find_ends(coo, CUSPARSE_INDEX_32I, part->place, part->row, rows, piece->offsets)
            : find_ends(coo, CUSPARSE_INDEX_64I, part->place, part->row, rows, piece->offsets);
    part->row += rows;
}
