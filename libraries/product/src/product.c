/* SPDX-License-Identifier: MIT */
/* The entry: which way a product goes, batches, and what it touches. */
#include "product/product.h"

#include "openblas.h"
#include "plan.h"
#include "work.h"

enum product_answer product_check(const struct product *product)
{
    const struct product_epilogue *epilogue = &product->epilogue;

    if (epilogue->bias != PRODUCT_NO_BIAS && !product_type_bytes(epilogue->bias_type))
        return PRODUCT_UNSUPPORTED;
    if (!product_type_bytes(product->c.type) || !product_type_bytes(product->scale_type))
        return PRODUCT_UNSUPPORTED;
    return panels_can(product) || blas_can(product) ? PRODUCT_OK : PRODUCT_UNSUPPORTED;
}

static int64_t batches_of(const struct product *product)
{
    return product->batch_count > 0 ? product->batch_count : 1;
}

static CUresult run_one(const struct product *product, int64_t batch)
{
    enum product_bias bias = product->epilogue.bias;
    struct plan plan;
    CUresult result = plan_init(&plan, product, batch);

    if (result != CUDA_SUCCESS)
        return result;
    result = panels_can(product) ? panels_run(&plan) : blas_run(&plan);
    if (result == CUDA_SUCCESS && (bias == PRODUCT_BIAS_SUM_A || bias == PRODUCT_BIAS_SUM_B))
        plan_sum_operand(&plan);
    plan_finish(&plan);
    return result;
}

struct batch {
    const struct product *product;
    int64_t per_part;
    CUresult result; /* of a part that failed */
};

static void run_some(void *argument, size_t part)
{
    struct batch *batch = argument;
    int64_t first = (int64_t)part * batch->per_part, count = batches_of(batch->product);

    for (int64_t i = first; i < first + batch->per_part && i < count; i++) {
        CUresult result = run_one(batch->product, i);

        if (result != CUDA_SUCCESS)
            __atomic_store_n(&batch->result, result, __ATOMIC_RELAXED);
    }
}

/* Many small products are shared among threads; large ones are, each by itself. */
static CUresult run_batch(const struct product *product)
{
    struct batch batch = {.product = product, .per_part = 1};
    double work = (double)product->m * (double)product->n * (double)product->k;
    int64_t count = batches_of(product);

    if (work <= OPENBLAS_SERIAL_PRODUCT && !product->amax && !product->epilogue.aux_amax) {
        double wanted = work < 1 ? 1024 : (1 << 16) / work + 1;

        batch.per_part = wanted < (double)count ? (int64_t)wanted : count;
        lib_parallel((size_t)((count + batch.per_part - 1) / batch.per_part), run_some, &batch);
        return batch.result;
    }
    for (int64_t i = 0; i < count && batch.result == CUDA_SUCCESS; i++)
        batch.result = run_one(product, i);
    return batch.result;
}

CUresult product_run(const struct product *product)
{
    if (product_check(product) != PRODUCT_OK)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (product->m <= 0 || product->n <= 0)
        return CUDA_SUCCESS;
    return batches_of(product) == 1 ? run_one(product, 0) : run_batch(product);
}

uint64_t product_estimate_ns(const struct product *product)
{
    double work = (double)product->m * (double)product->n * ((double)product->k + 16);
    double one = panels_can(product) ? panels_estimate_ns(product)
                                     : work / (product->a.type == CUDA_R_32F   ? 32
                                               : product->a.type == CUDA_R_64F ? 16
                                                                               : 4);

    return (uint64_t)(one * (double)batches_of(product)) + 500;
}

/* The memory of a matrix with `rows` rows as it lies: pieces of contiguous elements. */
static size_t matrix_range(const struct product *product, const struct product_matrix *matrix,
                           int64_t rows, int64_t columns, bool written, struct cupipe_range *range)
{
    size_t bytes = product_type_bytes(matrix->type) / (matrix->plane_offset ? 2 : 1);
    int64_t line = matrix->order == PRODUCT_ROWS ? columns : rows;
    int64_t lines = matrix->order == PRODUCT_ROWS ? rows : columns;
    int64_t batches = matrix->stride || matrix->pointers ? batches_of(product) : 1;

    if (line <= 0 || lines <= 0)
        return 0;
    *range = written ? lib_written_pieces(matrix->address, (size_t)line * bytes, (size_t)lines,
                                          (size_t)matrix->ld * bytes)
                     : lib_read_pieces(matrix->address, (size_t)line * bytes, (size_t)lines,
                                       (size_t)matrix->ld * bytes);
    if (matrix->pointers) {
        *range = lib_through(matrix->pointers, (size_t)batches, *range);
        return 1;
    }
    if (batches > 1 && matrix->stride == matrix->ld * lines) {
        range->rows = (uint64_t)(lines * batches);
    } else if (batches > 1) {
        int64_t whole = matrix->ld * (lines - 1) + line + matrix->stride * (batches - 1);

        *range = lib_partly(written ? lib_written(matrix->address, (size_t)whole * bytes)
                                    : lib_read(matrix->address, (size_t)whole * bytes));
    }
    if (matrix->plane_offset) {
        range[1] = range[0];
        range[1].address += (uint64_t)matrix->plane_offset;
        return 2;
    }
    return 1;
}

static size_t epilogue_ranges(const struct product *product, struct cupipe_range *ranges)
{
    const struct product_epilogue *epilogue = &product->epilogue;
    int64_t count = epilogue->bias == PRODUCT_BIAS_SUM_B ? product->n : product->m;
    bool bits =
        epilogue->activation == PRODUCT_RELU || epilogue->activation == PRODUCT_RELU_GRADIENT;
    bool reads = epilogue->activation == PRODUCT_RELU_GRADIENT ||
                 epilogue->activation == PRODUCT_GELU_GRADIENT;
    size_t size = product_type_bytes(epilogue->bias_type), used = 0;

    count += (batches_of(product) - 1) * epilogue->bias_stride;
    if (epilogue->bias == PRODUCT_BIAS)
        ranges[used++] = lib_read(epilogue->bias_memory, (size_t)count * size);
    else if (epilogue->bias != PRODUCT_NO_BIAS)
        ranges[used++] = lib_written(epilogue->bias_memory, (size_t)count * size);
    if (epilogue->aux && epilogue->activation != PRODUCT_NO_ACTIVATION) {
        bool rows = product->d.order == PRODUCT_ROWS;
        int64_t line = rows ? product->n : product->m, lines = rows ? product->m : product->n;
        size_t unit = product_type_bytes(epilogue->aux_type);
        size_t bytes = bits ? (size_t)(line + 7) / 8 : (size_t)line * unit;
        size_t pitch = bits ? (size_t)epilogue->aux_ld / 8 : (size_t)epilogue->aux_ld * unit;

        ranges[used++] = reads ? lib_read_pieces(epilogue->aux, bytes, (size_t)lines, pitch)
                               : lib_written_pieces(epilogue->aux, bytes, (size_t)lines, pitch);
    }
    return used;
}

/* How many factors there are for `lines` rows or columns. */
static size_t count_scales(const struct product_scales *scales, int64_t lines, int64_t k)
{
    if (scales->block_lines)
        return (size_t)((lines - 1) / scales->block_lines * scales->line_stride +
                        (k - 1) / PRODUCT_BLOCK * scales->k_stride + 1);
    return scales->vector ? (size_t)lines : 1;
}

static size_t scale_ranges(const struct product *product, struct cupipe_range *ranges)
{
    const struct product_scales *all[] = {&product->a_scale, &product->b_scale, &product->c_scale,
                                          &product->d_scale, &product->epilogue.aux_scale};
    size_t used = 0;

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (all[i]->memory)
            ranges[used++] = lib_read(
                all[i]->memory,
                sizeof(float) * count_scales(all[i], i == 1 ? product->n : product->m, product->k));
    if (product->amax)
        ranges[used++] = lib_written(product->amax, sizeof(float));
    if (product->epilogue.aux_amax)
        ranges[used++] = lib_written(product->epilogue.aux_amax, sizeof(float));
    return used;
}

size_t product_ranges(const struct product *product, struct cupipe_range ranges[])
{
    bool ta = product->a.op != PRODUCT_N, tb = product->b.op != PRODUCT_N;
    int64_t m = product->m, n = product->n, k = product->k;
    size_t used = 0;

    used += matrix_range(product, &product->a, ta ? k : m, ta ? m : k, false, ranges + used);
    used += matrix_range(product, &product->b, tb ? n : k, tb ? k : n, false, ranges + used);
    if (product->beta.memory || product->beta.re != 0 || product->beta.im != 0)
        used += matrix_range(product, &product->c, m, n, false, ranges + used);
    used += matrix_range(product, &product->d, m, n, true, ranges + used);
    used += epilogue_ranges(product, ranges + used);
    return used + scale_ranges(product, ranges + used);
}
