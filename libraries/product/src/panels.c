/* SPDX-License-Identifier: MIT */
/* Products of f16, bf16, tf32, fp8 and s8. Both operands are packed into panels, once, by all
 * threads; then each thread takes blocks of D, whose sums stay in its cache while it walks along k,
 * and finishes them. Operands too large to be packed at once are taken in slices of rows and
 * columns. */
#include "plan.h"

#include "pack.h"
#include "scratch.h"
#include "work.h"

#include <string.h>

/* K_UNITS: how far a tile kernel walks along k before the next tile has its turn. */
enum { K_UNITS = 256, BLOCK_ROWS = 256, BLOCK_COLUMNS = 256 };
static const size_t SLICE_BYTES_MOST = (size_t)256 << 20;

struct slice {
    struct plan *plan;
    const struct product_tile *tile;
    enum product_form form;
    struct packing left, right;
    size_t left_parts;   /* of the packing in progress */
    int64_t row, column; /* where the slice begins */
    size_t rows, columns;
    size_t block_rows, block_columns, row_blocks;
    bool integers, failed;
};

static size_t minimum(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static bool is_fp8(cudaDataType_t type)
{
    return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

static bool fits_bf16(cudaDataType_t type)
{
    return type == CUDA_R_16BF || is_fp8(type);
}

enum { FAST_16F = 74, FAST_16BF = 75, FAST_TF32 = 77, COMPUTE_32F = 68 }; /* cublasComputeType_t */

/* The form of panels for types and a way to compute; FORMS: none. */
static enum product_form form_of(const struct product *product)
{
    const struct product_isa *isa = product_isa();
    cudaDataType_t a = product->a.type, b = product->b.type;
    bool bf16 = isa->tiles[FORM_BF16].run != NULL;

    if (product->a_scale.block_lines || product->b_scale.block_lines)
        return is_fp8(a) && is_fp8(b) ? FORM_F32 : FORMS;
    if (a == CUDA_R_8I && b == CUDA_R_8I)
        return isa->tiles[FORM_S8].run ? FORM_S8 : FORM_S16;
    if (fits_bf16(a) && fits_bf16(b))
        return bf16 ? FORM_BF16 : FORM_F32;
    if (a == CUDA_R_32F && b == CUDA_R_32F) {
        if (product->compute == FAST_16BF)
            return bf16 ? FORM_BF16 : FORM_F32;
        return product->compute == FAST_16F || product->compute == FAST_TF32 ? FORM_F32 : FORMS;
    }
    if ((a == CUDA_R_16F || fits_bf16(a)) && (b == CUDA_R_16F || fits_bf16(b)))
        return FORM_F32;
    return FORMS;
}

bool panels_can(const struct product *product)
{
    cudaDataType_t d = product->d.type;
    bool type = d == CUDA_R_16F || d == CUDA_R_16BF || d == CUDA_R_32F || d == CUDA_R_8I ||
                d == CUDA_R_32I || is_fp8(d);

    return form_of(product) != FORMS && type && product->scale_type != CUDA_R_64F &&
           (product->scale_type != CUDA_R_32I || (d == CUDA_R_32I && product->c.type == d));
}

static enum product_rounding rounding_of(const struct product *product)
{
    if (product->a.type != CUDA_R_32F)
        return ROUND_NOT;
    return product->compute == FAST_TF32   ? ROUND_TF32
           : product->compute == FAST_16BF ? ROUND_BF16
                                           : ROUND_F16;
}

/* Walks along k for one block of D. */
static void multiply_block(const struct slice *slice, const struct block *block, size_t row,
                           size_t column)
{
    const struct product_tile *tile = slice->tile;
    size_t units = slice->left.units;

    for (size_t u = 0; u < units; u += K_UNITS) {
        size_t some = minimum(K_UNITS, units - u);

        for (size_t j = 0; j < block->columns; j += tile->columns)
            for (size_t i = 0; i < block->rows; i += tile->rows)
                tile->run(some, packed_at(&slice->left, (row + i) / tile->rows, u),
                          packed_at(&slice->right, (column + j) / tile->columns, u),
                          (float *)block->sums + j * block->ld + i, block->ld, u > 0);
    }
}

static void run_block(void *argument, size_t index)
{
    struct slice *slice = argument;
    const struct product_tile *tile = slice->tile;
    size_t row = index % slice->row_blocks * slice->block_rows;
    size_t column = index / slice->row_blocks * slice->block_columns;
    struct block block = {.row = slice->row + (int64_t)row,
                          .column = slice->column + (int64_t)column,
                          .rows = minimum(slice->block_rows, slice->rows - row),
                          .columns = minimum(slice->block_columns, slice->columns - column),
                          .integers = slice->integers};

    block.ld = round_up(block.rows, tile->rows);
    block.sums = scratch_take(block.ld * round_up(block.columns, tile->columns) * sizeof(float));
    if (!block.sums) {
        slice->failed = true;
        return;
    }
    if (slice->left.units == 0)
        memset(block.sums, 0, block.ld * round_up(block.columns, tile->columns) * sizeof(float));
    if (tile->begin)
        tile->begin();
    multiply_block(slice, &block, row, column);
    if (tile->end)
        tile->end();
    epilogue_run(slice->plan, &block);
    scratch_give(block.sums);
}

/* Blocks are large enough for the cache and small enough that every thread gets some. */
static void choose_blocks(struct slice *slice, bool serial)
{
    const struct product_tile *tile = slice->tile;
    size_t rows = round_up(minimum(BLOCK_ROWS, slice->rows), tile->rows);
    size_t columns = round_up(minimum(BLOCK_COLUMNS, slice->columns), tile->columns);
    size_t wanted = serial ? 1 : 3 * (size_t)lib_parallel_width();

    while ((slice->rows + rows - 1) / rows * ((slice->columns + columns - 1) / columns) < wanted &&
           (rows > 2 * tile->rows || columns > 2 * tile->columns)) {
        if (rows >= columns && rows > 2 * tile->rows)
            rows = round_up(rows / 2, tile->rows);
        else if (columns > 2 * tile->columns)
            columns = round_up(columns / 2, tile->columns);
        else
            rows = round_up(rows / 2, tile->rows);
    }
    slice->block_rows = rows;
    slice->block_columns = columns;
    slice->row_blocks = (slice->rows + rows - 1) / rows;
}

/* True if work is worth more threads than one. Where there are many processors, workers spin for a
 * while after work, and soon help. */
static bool is_long(double nanoseconds)
{
    return nanoseconds > (lib_parallel_width() < 4 ? 20000 : 6000);
}

static void run_parts(size_t count, void (*part)(void *, size_t), void *argument,
                      double nanoseconds)
{
    if (count > 1 && is_long(nanoseconds)) {
        lib_parallel(count, part, argument);
        return;
    }
    for (size_t i = 0; i < count; i++)
        part(argument, i);
}

/* Multiplications of a form in a nanosecond, about. */
static double speed_of(enum product_form form)
{
    bool tiles = product_isa()->tiles[FORM_S8].run != NULL;

    return form == FORM_S8 ? 800 : form == FORM_BF16 ? (tiles ? 400 : 100) : 40;
}

double panels_estimate_ns(const struct product *product)
{
    double m = (double)product->m, n = (double)product->n, k = (double)product->k;

    double ns = m * n * k / speed_of(form_of(product)) + (m + n) * k / 4 + m * n / 2;

    return is_long(ns) ? ns / lib_parallel_width() : ns;
}

/* The parts of the left operand's packing come before those of the right one's. */
static void pack_part(void *argument, size_t index)
{
    struct slice *slice = argument;

    if (index < slice->left_parts)
        packing_run(&slice->left, index);
    else
        packing_run(&slice->right, index - slice->left_parts);
}

static CUresult run_slice(struct slice *slice, bool pack_left)
{
    double k = (double)slice->plan->k;
    double work = k * slice->rows * slice->columns / speed_of(slice->form);

    slice->left_parts = pack_left ? packing_parts(&slice->left) : 0;
    run_parts(slice->left_parts + packing_parts(&slice->right), pack_part, slice,
              k * (slice->columns + (pack_left ? slice->rows : 0)) / 4);
    choose_blocks(slice, !is_long(work));
    run_parts(slice->row_blocks *
                  ((slice->columns + slice->block_columns - 1) / slice->block_columns),
              run_block, slice, work);
    return slice->failed ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

/* The packing of `count` rows of A, or columns of B, from `first`. */
static void set_packing(struct slice *slice, bool left, int64_t first, size_t count)
{
    const struct plan *plan = slice->plan;
    const struct view *view = left ? &plan->a : &plan->b;
    struct packing *packing = left ? &slice->left : &slice->right;
    int64_t across = left ? view->row_stride : view->column_stride;

    packing->source = product_at(view->base, first * across, product_type_bytes(view->type));
    packing->count = count;
    packing->across = across;
    packing->along = left ? view->column_stride : view->row_stride;
    packing->panels = (count + packing->width - 1) / packing->width;
    packing->first_line = first;
}

static void describe(struct packing *packing, const struct slice *slice, bool left)
{
    const struct plan *plan = slice->plan;
    const struct product_scales *scales =
        left == plan->transposed ? &plan->product->b_scale : &plan->product->a_scale;

    *packing = (struct packing){.isa = plan->isa,
                                .form = slice->form,
                                .rounding = rounding_of(plan->product),
                                .type = left ? plan->a.type : plan->b.type,
                                .left = left,
                                .width = left ? slice->tile->rows : slice->tile->columns,
                                .k = (size_t)plan->k,
                                .scales = scales->block_lines ? scales : NULL};
    packing_finish(packing);
}

/* How many rows or columns are packed at a time. */
static size_t slice_length(const struct packing *packing, int64_t count)
{
    size_t bytes = packing->panel_bytes, panels = SLICE_BYTES_MOST / (bytes ? bytes : 1);

    return minimum((panels ? panels : 1) * packing->width, (size_t)count);
}

CUresult panels_run(struct plan *plan)
{
    struct slice slice = {.plan = plan, .form = form_of(plan->product)};
    size_t rows, columns;
    CUresult result = CUDA_SUCCESS;

    slice.tile = &plan->isa->tiles[slice.form];
    slice.integers = slice.form == FORM_S8 || slice.form == FORM_S16;
    describe(&slice.left, &slice, true);
    describe(&slice.right, &slice, false);
    rows = slice_length(&slice.left, plan->m);
    columns = slice_length(&slice.right, plan->n);
    slice.left.packed =
        scratch_take(round_up(rows, slice.left.width) / slice.left.width * slice.left.panel_bytes);
    slice.right.packed = scratch_take(round_up(columns, slice.right.width) / slice.right.width *
                                      slice.right.panel_bytes);
    if (!slice.left.packed || !slice.right.packed)
        result = CUDA_ERROR_OUT_OF_MEMORY;
    for (int64_t i = 0; result == CUDA_SUCCESS && i < plan->m; i += (int64_t)rows) {
        slice.row = i;
        slice.rows = minimum(rows, (size_t)(plan->m - i));
        set_packing(&slice, true, i, slice.rows);
        for (int64_t j = 0; result == CUDA_SUCCESS && j < plan->n; j += (int64_t)columns) {
            slice.column = j;
            slice.columns = minimum(columns, (size_t)(plan->n - j));
            set_packing(&slice, false, j, slice.columns);
            result = run_slice(&slice, j == 0);
        }
    }
    scratch_give(slice.right.packed);
    scratch_give(slice.left.packed);
    return result;
}
