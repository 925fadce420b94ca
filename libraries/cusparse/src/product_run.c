/* SPDX-License-Identifier: MIT */
/* The products. Rows of the matrix (as CSR, or rows of blocks) are cut into parts of equal numbers
 * of nonzeros for the driver's worker threads. A product with the matrix itself gathers: each part
 * computes the sums of its rows, into y where y has their type and their order, or else tile by
 * tile. One with the transposed matrix scatters: each part adds into sums of its own for all of y,
 * or for some columns of y, and the sums of the parts are added. The first part adds to y itself
 * where y can hold sums. */
#include "product_run.h"

#include "coo.h"
#include "isa.h"

#include <stdlib.h>
#include <string.h>

enum { TILE_ELEMENTS = 4096, PACK_ROWS = 64, COLUMNS_EACH = 16 };

struct run {
    const struct sparse_product *product;
    /* One of three; the rows of blocks or of slices are cut in place of rows. */
    const struct sparse_view *view;            /* of the matrix as CSR, or of its slices */
    const struct sparse_coo *coo;              /* in order of rows */
    const struct sparse_blocks *blocks;        /* BSR and blocked ELL */
    int64_t slice;                             /* the rows of a slice; 0: it has none */
    const struct sparse_pair *matrix, *result; /* loops for the elements of a, and of y */
    struct sparse_packed x;
    double alpha[2], beta[2], one[2], zero[2]; /* in the type of sums */
    char *y;
    int64_t columns, row_step, column_step; /* of y */
    int64_t nnz, parts, column_parts;
    size_t bytes; /* of a sum */
    bool conjugates, failed;
    bool adds_to_y; /* scatter: the first part has y for its sums */
    char *sums;     /* scatter: one matrix for each other part of the rows */
};

struct pack {
    const struct sparse_pair *pair;
    const char *from;
    char *to;
    int64_t rows, columns, row_step, column_step, parts;
    size_t from_bytes, to_bytes;
    bool conjugates;
};

static void pack_part(void *arguments, size_t index)
{
    const struct pack *pack = arguments;
    int64_t blocks = (pack->rows + PACK_ROWS - 1) / PACK_ROWS;
    int64_t block = blocks * (int64_t)index / pack->parts;
    int64_t end = blocks * ((int64_t)index + 1) / pack->parts;

    for (; block < end; block++) {
        int64_t first = block * PACK_ROWS, count = pack->rows - first;

        if (count > PACK_ROWS)
            count = PACK_ROWS;
        for (int64_t j = 0; j < pack->columns; j++)
            pack->pair->load(sparse_at(pack->to, first * pack->columns + j, pack->to_bytes),
                             pack->columns,
                             sparse_at(pack->from, first * pack->row_step + j * pack->column_step,
                                       pack->from_bytes),
                             pack->row_step, count, pack->conjugates);
    }
}

CUresult sparse_pack(struct sparse_packed *packed, const struct cusparseDnMatDescr *matrix,
                     int batch, cusparseOperation_t operation, cudaDataType computed)
{
    bool by_rows = matrix->order == CUSPARSE_ORDER_ROW, flips = operation != 0;
    int64_t row_step = by_rows ? matrix->ld : 1, column_step = by_rows ? 1 : matrix->ld;
    struct pack pack = {.pair = sparse_pair(matrix->type, computed),
                        .from = sparse_batch_values(matrix, batch),
                        .rows = flips ? matrix->cols : matrix->rows,
                        .columns = flips ? matrix->rows : matrix->cols,
                        .row_step = flips ? column_step : row_step,
                        .column_step = flips ? row_step : column_step,
                        .from_bytes = sparse_bytes(matrix->type),
                        .to_bytes = sparse_bytes(computed),
                        .conjugates = operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};

    if (!pack.pair)
        return CUDA_ERROR_NOT_SUPPORTED;
    *packed = (struct sparse_packed){.values = pack.from, .ld = pack.row_step};
    if (matrix->type == computed && (pack.column_step == 1 || pack.columns <= 1) &&
        !(pack.conjugates && sparse_is_complex(computed)))
        return CUDA_SUCCESS;
    packed->ld = pack.columns;
    packed->values = packed->owned = pack.to =
        malloc((size_t)(pack.rows * pack.columns) * pack.to_bytes + 1);
    if (!packed->owned)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pack.parts = sparse_parts(pack.rows * pack.columns);
    lib_parallel((size_t)pack.parts, pack_part, &pack);
    return CUDA_SUCCESS;
}

/* Writes rows [first, first + rows) of y from sums, row after row. */
static void finish_tile(const struct run *run, int64_t first, int64_t rows, const void *sums,
                        int64_t ld)
{
    size_t bytes = sparse_bytes(run->product->y.type);

    /* Rows that follow each other without gaps are one line. */
    if (run->column_step == 1 && run->row_step == run->columns && ld == run->columns) {
        run->result->finish(sparse_at(run->y, first * run->row_step, bytes), 1, sums, 1,
                            rows * run->columns, run->alpha, run->beta);
        return;
    }
    if (run->column_step == 1) {
        for (int64_t r = 0; r < rows; r++)
            run->result->finish(sparse_at(run->y, (first + r) * run->row_step, bytes), 1,
                                sparse_at(sums, r * ld, run->bytes), 1, run->columns, run->alpha,
                                run->beta);
        return;
    }
    for (int64_t j = 0; j < run->columns; j++)
        run->result->finish(sparse_at(run->y, first * run->row_step + j * run->column_step, bytes),
                            run->row_step, sparse_at(sums, j, run->bytes), ld, rows, run->alpha,
                            run->beta);
}

/* Rows of a view become rows of y from `to` on, by sums that stay in the caches until they are
 * finished. */
static void gather_tiles(struct run *run, const struct sparse_view *view, int64_t row, int64_t end,
                         int64_t to)
{
    const struct sparse_row_loops *loops = &run->matrix->rows[view->widths];
    const struct sparse_scaling unscaled = {run->one, run->zero, run->conjugates};
    int64_t most = TILE_ELEMENTS / run->columns + 1;
    void *tile = malloc((size_t)(most * run->columns) * run->bytes);

    if (!tile) {
        run->failed = true;
        return;
    }
    for (; row < end; row += most, to += most) {
        int64_t rows = end - row < most ? end - row : most;

        if (run->columns == 1 && run->x.ld == 1)
            loops->row_sums(view, row, row + rows, run->x.values, tile, &unscaled);
        else
            loops->row_tiles(view, row, row + rows, run->x.values, run->x.ld, run->columns, tile,
                             run->columns, &unscaled);
        finish_tile(run, to, rows, tile, run->columns);
    }
    free(tile);
}

static void gather_rows(struct run *run, const struct sparse_view *view, int64_t row, int64_t end,
                        int64_t to)
{
    const struct sparse_scaling scaling = {run->alpha, run->beta, run->conjugates};
    const struct sparse_row_loops *loops = &run->matrix->rows[view->widths];
    void *y = sparse_at(run->y, to * run->row_step, run->bytes);

    if (run->product->y.type != run->product->computed)
        gather_tiles(run, view, row, end, to);
    else if (run->columns == 1 && run->x.ld == 1 && run->row_step == 1)
        loops->row_sums(view, row, end, run->x.values, y, &scaling);
    else if (run->column_step == 1 || run->columns == 1)
        loops->row_tiles(view, row, end, run->x.values, run->x.ld, run->columns, y, run->row_step,
                         &scaling);
    else
        gather_tiles(run, view, row, end, to);
}

static void gather_coo(struct run *run, int64_t part)
{
    struct sparse_coo_part rest = sparse_coo_part(run->coo, part, run->parts);
    struct sparse_coo_piece piece;

    while (rest.row < rest.end) {
        int64_t row = rest.row;

        sparse_coo_take(run->coo, &rest, &piece);
        gather_rows(run, &piece.view, 0, piece.view.rows, row);
    }
}

/* Slices have one column of x. */
static void gather_slices(struct run *run, int64_t slice, int64_t end)
{
    int64_t most = TILE_ELEMENTS / run->slice + 1;
    char *tile = malloc((size_t)(most * run->slice) * run->bytes);

    if (!tile) {
        run->failed = true;
        return;
    }
    for (; slice < end; slice += most) {
        int64_t last = slice + most < end ? slice + most : end, first = slice * run->slice;
        int64_t left = run->product->y.rows - first, rows = (last - slice) * run->slice;

        run->matrix->rows[run->view->widths].slice_sums(run->view, slice, last, run->slice,
                                                        run->x.values, tile, run->conjugates);
        finish_tile(run, first, rows < left ? rows : left, tile, 1);
    }
    free(tile);
}

/* The same for lines of blocks. */
static void gather_blocks(struct run *run, int64_t line, int64_t end)
{
    int64_t height = run->blocks->height, most = TILE_ELEMENTS / (height * run->columns) + 1;
    size_t line_bytes = (size_t)(height * run->columns) * run->bytes;
    char *tile = malloc((size_t)most * line_bytes);

    if (!tile) {
        run->failed = true;
        return;
    }
    while (line < end) {
        int64_t first = line * height, last;

        memset(tile, 0, (size_t)most * line_bytes);
        for (char *sums = tile; line < end && sums < tile + (size_t)most * line_bytes;
             sums += line_bytes) {
            struct sparse_block_line blocks = sparse_block_line(run->blocks, line++);

            run->matrix->block_line(&blocks, false, run->x.values, run->x.ld, run->columns, sums,
                                    run->columns, run->conjugates);
        }
        last = line * height < run->blocks->rows ? line * height : run->blocks->rows;
        finish_tile(run, first, last - first, tile, run->columns);
    }
    free(tile);
}

/* The first row or line of a part. */
static int64_t cut(const struct run *run, int64_t part)
{
    return run->blocks ? sparse_blocks_cut(run->blocks, part, run->parts)
                       : sparse_view_cut(run->view, part, run->parts);
}

static void gather_part(void *arguments, size_t index)
{
    struct run *run = arguments;
    int64_t part = (int64_t)index, row, end;

    if (run->coo) {
        gather_coo(run, part);
        return;
    }
    row = cut(run, part);
    end = cut(run, part + 1);
    if (run->blocks)
        gather_blocks(run, row, end);
    else if (run->slice)
        gather_slices(run, row, end);
    else
        gather_rows(run, run->view, row, end, row);
}

/* y = beta * y for some columns; they are not read if beta is 0. Rows without gaps are one line. */
static void scale_result(const struct run *run, int64_t first, int64_t last)
{
    const struct sparse_number beta = sparse_load(run->product->computed, run->beta, 0);
    const bool is_whole = last - first == run->row_step;
    const int64_t rows = run->product->y.rows, lines = is_whole ? 1 : rows;
    const int64_t count = is_whole ? rows * (last - first) : last - first;

    for (int64_t line = 0; line < lines; line++) {
        void *row = sparse_at(run->y, line * run->row_step + first, run->bytes);

        if (beta.re == 0 && beta.im == 0)
            memset(row, 0, (size_t)count * run->bytes);
        else
            run->result->finish(row, 1, row, 1, count, run->beta, run->zero);
    }
}

/* The sums of a part of the rows, and the distance of their rows. */
static void *sums_of(const struct run *run, int64_t part, int64_t *ld)
{
    if (run->adds_to_y && part == 0) {
        *ld = run->row_step;
        return run->y;
    }
    *ld = run->columns;
    return sparse_at(run->sums, (part - run->adds_to_y) * run->product->y.rows * run->columns,
                     run->bytes);
}

/* Rows of a view, for some columns. */
static void scatter_rows(const struct run *run, const struct sparse_view *view, int64_t row,
                         int64_t end, const void *x, int64_t columns, void *sums, int64_t ld)
{
    const struct sparse_scaling scaling = {run->adds_to_y ? run->alpha : run->one, run->zero,
                                           run->conjugates};

    run->matrix->rows[view->widths].scatter(view, row, end, x, run->x.ld, columns, sums, ld,
                                            &scaling);
}

static void scatter_coo(const struct run *run, int64_t part, const char *x, int64_t columns,
                        void *sums, int64_t ld)
{
    struct sparse_coo_part rest = sparse_coo_part(run->coo, part, run->parts);
    struct sparse_coo_piece piece;

    while (rest.row < rest.end) {
        const void *from = sparse_at(x, rest.row * run->x.ld, run->bytes);

        sparse_coo_take(run->coo, &rest, &piece);
        scatter_rows(run, &piece.view, 0, piece.view.rows, from, columns, sums, ld);
    }
}

static void scatter_blocks(const struct run *run, int64_t part, const char *x, int64_t columns,
                           void *sums, int64_t ld)
{
    int64_t line = cut(run, part), end = cut(run, part + 1);

    for (; line < end; line++) {
        struct sparse_block_line blocks = sparse_block_line(run->blocks, line);

        run->matrix->block_line(&blocks, true,
                                sparse_at(x, line * run->blocks->height * run->x.ld, run->bytes),
                                run->x.ld, columns, sums, ld, run->conjugates);
    }
}

static void scatter_part(void *arguments, size_t index)
{
    struct run *run = arguments;
    int64_t part = (int64_t)index / run->column_parts;
    int64_t column_part = (int64_t)index % run->column_parts;
    int64_t first = run->columns * column_part / run->column_parts;
    int64_t last = run->columns * (column_part + 1) / run->column_parts;
    int64_t ld;
    const char *x = sparse_at(run->x.values, first, run->bytes);
    void *sums = sparse_at(sums_of(run, part, &ld), first, run->bytes);

    if (run->adds_to_y && part == 0)
        scale_result(run, first, last);
    if (run->coo)
        scatter_coo(run, part, x, last - first, sums, ld);
    else if (run->blocks)
        scatter_blocks(run, part, x, last - first, sums, ld);
    else
        scatter_rows(run, run->view, cut(run, part), cut(run, part + 1), x, last - first, sums, ld);
}

/* Adds the sums of the parts for some rows, and makes them y. */
static void reduce_part(void *arguments, size_t index)
{
    struct run *run = arguments;
    int64_t jobs = run->parts * run->column_parts, rows = run->product->y.rows;
    int64_t first = rows * (int64_t)index / jobs, last = rows * ((int64_t)index + 1) / jobs;
    void *sums = sparse_at(run->sums, first * run->columns, run->bytes);

    for (int64_t part = 1; part < run->parts - run->adds_to_y; part++)
        run->matrix->add(sums, sparse_at(sums, part * rows * run->columns, run->bytes),
                         (last - first) * run->columns);
    finish_tile(run, first, last - first, sums, run->columns);
}

/* More parts than threads would only cost memory. */
static void cut_scatter(struct run *run)
{
    int64_t jobs = sparse_parts(run->nnz * run->columns), width = lib_parallel_width();

    run->column_parts = run->columns / COLUMNS_EACH;
    if (run->column_parts > jobs)
        run->column_parts = jobs;
    if (run->column_parts < 1)
        run->column_parts = 1;
    run->parts = (jobs < width ? jobs : width) / run->column_parts;
    if (run->parts < 1)
        run->parts = 1;
    run->adds_to_y = !run->blocks && (run->column_step == 1 || run->columns == 1) &&
                     run->product->y.type == run->product->computed;
}

static CUresult scatter(struct run *run)
{
    int64_t owned;

    cut_scatter(run);
    owned = run->parts - run->adds_to_y;
    run->sums = calloc((size_t)(owned * run->product->y.rows * run->columns) + 1, run->bytes);
    if (!run->sums)
        return CUDA_ERROR_OUT_OF_MEMORY;
    lib_parallel((size_t)(run->parts * run->column_parts), scatter_part, run);
    if (run->adds_to_y) { /* the sums are scaled, and y is */
        memcpy(run->alpha, run->one, sizeof(run->alpha));
        memcpy(run->beta, run->one, sizeof(run->beta));
    }
    if (owned > 0)
        lib_parallel((size_t)(run->parts * run->column_parts), reduce_part, run);
    free(run->sums);
    return CUDA_SUCCESS;
}

static CUresult gather(struct run *run)
{
    run->parts = sparse_parts(run->nnz * run->columns + run->product->y.rows);
    lib_parallel((size_t)run->parts, gather_part, run);
    return run->failed ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

/* Packs x and multiplies; the matrix is there. */
static CUresult multiply(struct run *run, int batch, bool scatters)
{
    const struct sparse_product *product = run->product;
    CUresult result = sparse_pack(&run->x, &product->x, batch, product->op_x, product->computed);

    if (result == CUDA_SUCCESS)
        result = (scatters ? scatter : gather)(run);
    free(run->x.owned);
    return result;
}

static void lines_part(void *arguments, size_t index)
{
    struct run *run = arguments;
    const struct sparse_view *view = &run->coo->view;
    const struct sparse_lines lines = sparse_coo_lines(run->coo, (int64_t)index, run->parts);
    const struct sparse_scaling scaling = {run->alpha, run->zero, run->conjugates};
    const int widths =
        run->coo->type == CUSPARSE_INDEX_64I ? OFFSETS_64_INDICES_64 : OFFSETS_32_INDICES_32;

    if (lines.row < 0 || lines.row > lines.end || lines.end > view->rows ||
        !run->matrix->rows[widths].line_sums(view, lines, run->x.values, run->y, &scaling))
        run->failed = true;
}

/* A vector y that need not be read is written in one pass, which finds out whether the elements
 * are in order. False: they are not, or y is another one; it is as if nothing had been done. */
static bool multiply_lines(struct run *run, int batch)
{
    const struct sparse_product *product = run->product;
    const struct sparse_number beta = sparse_load(product->computed, run->beta, 0);
    const bool is_vector = run->columns == 1 && run->row_step == 1 && product->op_a == 0;

    if (!is_vector || !sparse_is_zero(beta) || product->y.type != product->computed ||
        product->a.index_type != product->a.offset_type || run->nnz == 0 ||
        sparse_pack(&run->x, &product->x, batch, product->op_x, product->computed) != CUDA_SUCCESS)
        return false;
    run->parts = sparse_parts(run->nnz + product->y.rows);
    run->failed = run->x.ld != 1;
    if (!run->failed)
        lib_parallel((size_t)run->parts, lines_part, run);
    free(run->x.owned);
    return !run->failed;
}

/* Slices as they are, and what has no loops of its own as CSR. */
static CUresult run_view(struct run *run, int batch)
{
    const struct sparse_product *product = run->product;
    bool has_slices = product->a.format == CUSPARSE_FORMAT_SLICED_ELLPACK && product->op_a == 0;
    struct sparse_view view;
    CUresult result =
        (has_slices ? sparse_view_open_slices : sparse_view_open)(&view, &product->a, batch);

    if (result != CUDA_SUCCESS)
        return result;
    run->slice = has_slices ? product->a.slice : 0;
    run->view = &view;
    run->nnz = view.nnz;
    result = multiply(run, batch, view.transposed != (product->op_a != 0));
    sparse_view_close(&view);
    return result;
}

static CUresult run_coo(struct run *run, const struct sparse_coo *coo, int batch)
{
    run->coo = coo;
    if (multiply_lines(run, batch))
        return CUDA_SUCCESS;
    run->failed = false;
    if (sparse_coo_is_sorted(coo))
        return multiply(run, batch, run->product->op_a != 0);
    run->coo = NULL;
    return run_view(run, batch);
}

static CUresult run_format(struct run *run, int batch)
{
    const struct sparse_product *product = run->product;
    struct sparse_blocks blocks;
    struct sparse_coo coo;

    if (sparse_has_blocks(&product->a)) {
        blocks = sparse_blocks(&product->a, batch);
        run->blocks = &blocks;
        return multiply(run, batch, product->op_a != 0);
    }
    if (product->a.format == CUSPARSE_FORMAT_COO && sparse_coo_describe(&coo, &product->a, batch))
        return run_coo(run, &coo, batch);
    return run_view(run, batch);
}

static CUresult run_one(const struct sparse_product *product, int batch)
{
    bool by_rows = product->y.order == CUSPARSE_ORDER_ROW;
    struct run run = {.product = product,
                      .matrix = sparse_pair(product->a.type, product->computed),
                      .result = sparse_pair(product->y.type, product->computed),
                      .y = sparse_batch_values(&product->y, batch),
                      .columns = product->y.cols,
                      .nnz = product->a.nnz,
                      .row_step = by_rows ? product->y.ld : 1,
                      .column_step = by_rows ? 1 : product->y.ld,
                      .bytes = sparse_bytes(product->computed),
                      .conjugates = product->op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};

    if (!run.matrix || !run.result)
        return CUDA_ERROR_NOT_SUPPORTED;
    sparse_convert(product->computed, run.alpha, product->scalars,
                   sparse_scalar_address(&product->alpha), 1);
    sparse_convert(product->computed, run.beta, product->scalars,
                   sparse_scalar_address(&product->beta), 1);
    sparse_store(product->computed, run.one, 0, (struct sparse_number){1, 0});
    return run_format(&run, batch);
}

CUresult sparse_product_run(void *arguments)
{
    const struct sparse_product *product = arguments;
    CUresult result = CUDA_SUCCESS;

    for (int batch = 0; batch < product->y.batch_count && result == CUDA_SUCCESS; batch++)
        if (product->y.rows && product->y.cols)
            result = run_one(product, batch);
    return result;
}
