/* SPDX-License-Identifier: MIT */
/* Triangular systems. The right-hand sides are packed row by row, and solved in place: many of them
 * some columns in each part, few of them level by level. */
#include "solve.h"

#include "isa.h"
#include "product_run.h"
#include "typed/typed.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_EACH = 8 };

struct run {
    const struct sparse_view *view;
    const struct sparse_typed *typed;
    struct sparse_triangle triangle;
    char *x;
    int64_t columns, parts;
    size_t bytes;
    const int64_t *order; /* of the level that is solved */
    int64_t count;
};

static void solve_part(void *arguments, size_t index)
{
    const struct run *run = arguments;
    int64_t first = run->columns * (int64_t)index / run->parts;
    int64_t last = run->columns * ((int64_t)index + 1) / run->parts;

    run->typed->solve_rows(run->view, &run->triangle, NULL, run->view->rows,
                           sparse_at(run->x, first, run->bytes), run->columns, last - first);
}

/* Some rows of a level. */
static void level_part(void *arguments, size_t index)
{
    const struct run *run = arguments;
    int64_t first = run->count * (int64_t)index / run->parts;
    int64_t last = run->count * ((int64_t)index + 1) / run->parts;

    run->typed->solve_rows(run->view, &run->triangle, run->order + first, last - first, run->x,
                           run->columns, run->columns);
}

static void solve_levels(struct run *run, const struct sparse_level_group *groups, int64_t count,
                         const int64_t *order)
{
    for (int64_t i = 0; i < count; i++) {
        run->order = order + groups[i].begin;
        run->count = groups[i].end - groups[i].begin;
        run->parts = groups[i].wide ? lib_parallel_width() : 1;
        lib_parallel((size_t)run->parts, level_part, run);
    }
}

static void solve_packed(struct run *run, const struct sparse_solve *solve)
{
    const struct sparse_level_group *groups;
    const int64_t *order;
    int64_t count = sparse_levels_of(solve->levels, &solve->a, &run->triangle, &groups, &order);

    run->parts = run->columns / COLUMNS_EACH;
    if (run->parts < 2 || run->view->nnz * run->columns < 1 << 14)
        run->parts = 1;
    if (run->parts == 1 && count)
        solve_levels(run, groups, count, order);
    else
        lib_parallel((size_t)run->parts, solve_part, run);
}

static struct sparse_triangle triangle_of(const struct sparse_solve *solve,
                                          const struct sparse_view *view)
{
    return (struct sparse_triangle){
        .upper = (solve->a.fill == CUSPARSE_FILL_MODE_UPPER) != view->transposed,
        .unit = solve->a.diagonal == CUSPARSE_DIAG_TYPE_UNIT,
        .transposed = (solve->op_a != CUSPARSE_OPERATION_NON_TRANSPOSE) != view->transposed,
        .conjugates = solve->op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
}

CUresult sparse_solve_analyse(const struct sparse_solve *solve)
{
    struct sparse_triangle triangle;
    struct sparse_view view;
    CUresult result = sparse_view_open(&view, &solve->a, 0);

    if (result != CUDA_SUCCESS)
        return result;
    triangle = triangle_of(solve, &view);
    result = sparse_levels_make(solve->levels, &solve->a, &view, &triangle);
    sparse_view_close(&view);
    return result;
}

/* Writes the solution, by rows in `x`, to y. */
static void store(const struct sparse_solve *solve, int batch, const char *x, int64_t rows,
                  int64_t columns)
{
    bool by_rows = solve->y.order == CUSPARSE_ORDER_ROW;
    int64_t row_step = by_rows ? solve->y.ld : 1, column_step = by_rows ? 1 : solve->y.ld;
    size_t bytes = sparse_bytes(solve->computed);
    char *y = sparse_batch_values(&solve->y, batch);

    if (solve->writes_transposed) {
        int64_t step = row_step;

        row_step = column_step;
        column_step = step;
    }
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            memcpy(sparse_at(y, i * row_step + j * column_step, bytes),
                   sparse_at(x, i * columns + j, bytes), bytes);
}

static CUresult solve_batch(const struct sparse_solve *solve, int batch)
{
    int64_t rows = solve->a.rows, columns = solve->op_x ? solve->x.rows : solve->x.cols;
    struct run run = {.typed = sparse_typed(solve->computed),
                      .columns = columns,
                      .bytes = sparse_bytes(solve->computed)};
    struct sparse_packed packed = {0};
    struct sparse_view view;
    CUresult result = CUDA_ERROR_NOT_SUPPORTED;

    if (run.typed)
        result = sparse_view_open(&view, &solve->a, batch);
    if (result != CUDA_SUCCESS)
        return result;
    run.view = &view;
    run.triangle = triangle_of(solve, &view);
    result = sparse_pack(&packed, &solve->x, batch, solve->op_x, solve->computed);
    run.x = malloc((size_t)(rows * columns) * run.bytes + 1);
    if (result == CUDA_SUCCESS && !run.x)
        result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS) {
        for (int64_t i = 0; i < rows; i++)
            memcpy(sparse_at(run.x, i * columns, run.bytes),
                   sparse_at(packed.values, i * packed.ld, run.bytes), (size_t)columns * run.bytes);
        run.typed->scale(run.x, sparse_scalar_address(&solve->alpha), rows * columns);
        solve_packed(&run, solve);
        store(solve, batch, run.x, rows, columns);
    }
    free(run.x);
    free(packed.owned);
    sparse_view_close(&view);
    return result;
}

CUresult sparse_solve_run(void *arguments)
{
    const struct sparse_solve *solve = arguments;
    CUresult result = CUDA_SUCCESS;

    for (int batch = 0; batch < solve->y.batch_count && result == CUDA_SUCCESS; batch++)
        if (solve->a.rows && solve->y.rows && solve->y.cols)
            result = solve_batch(solve, batch);
    return result;
}
