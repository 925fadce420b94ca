/* SPDX-License-Identifier: MIT */
/* Triangular systems. The right-hand sides are packed row by row, and solved in place, some columns
 * in each part. */
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
};

static void solve_part(void *arguments, size_t index)
{
    const struct run *run = arguments;
    int64_t first = run->columns * (int64_t)index / run->parts;
    int64_t last = run->columns * ((int64_t)index + 1) / run->parts;

    run->typed->solve(run->view, &run->triangle, sparse_at(run->x, first, run->bytes), run->columns,
                      last - first);
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
    run.triangle = (struct sparse_triangle){
        .upper = (solve->a.fill == CUSPARSE_FILL_MODE_UPPER) != view.transposed,
        .unit = solve->a.diagonal == CUSPARSE_DIAG_TYPE_UNIT,
        .transposed = (solve->op_a != CUSPARSE_OPERATION_NON_TRANSPOSE) != view.transposed,
        .conjugates = solve->op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
    result = sparse_pack(&packed, &solve->x, batch, solve->op_x, solve->computed);
    run.x = malloc((size_t)(rows * columns) * run.bytes + 1);
    if (result == CUDA_SUCCESS && !run.x)
        result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS) {
        for (int64_t i = 0; i < rows; i++)
            memcpy(sparse_at(run.x, i * columns, run.bytes),
                   sparse_at(packed.values, i * packed.ld, run.bytes), (size_t)columns * run.bytes);
        run.typed->scale(run.x, sparse_scalar_address(&solve->alpha), rows * columns);
        run.parts = columns / COLUMNS_EACH > 1 ? columns / COLUMNS_EACH : 1;
        if (view.nnz * columns < 1 << 14)
            run.parts = 1;
        lib_parallel((size_t)run.parts, solve_part, &run);
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
