/* SPDX-License-Identifier: MIT */
/* Plans: strides of orders and operations, addresses of a batch, and vectors as f32. */
#include "plan.h"

#include "scratch.h"
#include "work.h"

#include <string.h>

static struct view view_of(const struct product_matrix *matrix, int64_t batch)
{
    size_t bytes = product_type_bytes(matrix->type);
    bool planar = matrix->plane_offset != 0;
    bool rows = (matrix->order == PRODUCT_ROWS) != (matrix->op != PRODUCT_N);
    struct view view = {.type = matrix->type,
                        .row_stride = rows ? matrix->ld : 1,
                        .column_stride = rows ? 1 : matrix->ld,
                        .conjugate =
                            matrix->op == PRODUCT_C && product_type_is_complex(matrix->type),
                        .plane_offset = matrix->plane_offset};

    if (planar)
        bytes /= 2;
    view.base = matrix->pointers
                    ? matrix->pointers[batch]
                    : (void *)product_at(matrix->address, batch * matrix->stride, bytes);
    return view;
}

static struct view transposed(struct view view)
{
    int64_t stride = view.row_stride;

    view.row_stride = view.column_stride;
    view.column_stride = stride;
    return view;
}

static struct product_number scalar_value(const struct product_scalar *scalar, cudaDataType_t type)
{
    if (scalar->vector)
        return (struct product_number){.re = 1};
    if (scalar->memory)
        return product_load(type, scalar->memory);
    return (struct product_number){scalar->re, scalar->im};
}

static float scale_of(const struct product_scales *scales)
{
    return scales->memory && !scales->vector && !scales->block_lines ? *scales->memory : 1.0f;
}

/* Multiplies a vector of factors, which begins as ones, by another. */
static float *take_factors(float **next, float **vector, int64_t count)
{
    if (!*vector) {
        *vector = *next;
        *next += count;
        for (int64_t i = 0; i < count; i++)
            (*vector)[i] = 1.0f;
    }
    return *vector;
}

static void take_scales(float **next, float **vector, const struct product_scales *scales,
                        int64_t count)
{
    float *factors;

    if (!scales->memory || !scales->vector)
        return;
    factors = take_factors(next, vector, count);
    for (int64_t i = 0; i < count; i++)
        factors[i] *= scales->memory[i];
}

static void take_vectors(struct plan *plan, float *next)
{
    const struct product *product = plan->product;
    const struct product_epilogue *epilogue = &product->epilogue;
    int64_t m = product->m, n = product->n;
    float **rows = plan->transposed ? &plan->column_factor : &plan->row_factor;
    float **columns = plan->transposed ? &plan->row_factor : &plan->column_factor;

    if (product->alpha.vector) {
        const void *first =
            product_at(product->alpha.memory, plan->batch * product->alpha.vector_stride,
                       product_type_bytes(product->scale_type));

        take_factors(&next, rows, m);
        product_to_f32(plan->isa, *rows, product->scale_type, first, 1, (size_t)m);
    }
    take_scales(&next, rows, &product->a_scale, m);
    take_scales(&next, columns, &product->b_scale, n);
    if (epilogue->bias == PRODUCT_BIAS && epilogue->bias_memory) {
        float *bias = next;
        size_t bytes = product_type_bytes(epilogue->bias_type);

        next += m;
        product_to_f32(
            plan->isa, bias, epilogue->bias_type,
            product_at(epilogue->bias_memory, plan->batch * epilogue->bias_stride, bytes), 1,
            (size_t)m);
        *(plan->transposed ? &plan->column_bias : &plan->row_bias) = bias;
    }
}

static void take_sums(struct plan *plan, double *sums)
{
    if (plan->product->epilogue.bias != PRODUCT_BIAS_SUM_D)
        return;
    memset(sums, 0, (size_t)plan->product->m * sizeof(*sums));
    *(plan->transposed ? &plan->column_sums : &plan->row_sums) = sums;
}

static void take_aux(struct plan *plan)
{
    const struct product_epilogue *epilogue = &plan->product->epilogue;
    int64_t distance = plan->batch * epilogue->aux_stride;
    bool bits =
        epilogue->activation == PRODUCT_RELU || epilogue->activation == PRODUCT_RELU_GRADIENT;

    if (epilogue->aux)
        plan->aux =
            (char *)epilogue->aux +
            (bits ? distance / 8 : distance * (int64_t)product_type_bytes(epilogue->aux_type));
}

CUresult plan_init(struct plan *plan, const struct product *product, int64_t batch)
{
    struct view a = view_of(&product->a, batch), b = view_of(&product->b, batch);
    size_t count = (size_t)product->m, other = (size_t)product->n;

    *plan = (struct plan){.product = product,
                          .isa = product_isa(),
                          .batch = batch,
                          .m = product->m,
                          .n = product->n,
                          .k = product->k,
                          .a = a,
                          .b = b,
                          .d = view_of(&product->d, batch),
                          .alpha = scalar_value(&product->alpha, product->scale_type),
                          .beta = scalar_value(&product->beta, product->scale_type),
                          .c_factor = scale_of(&product->c_scale),
                          .d_factor = scale_of(&product->d_scale),
                          .aux_factor = scale_of(&product->epilogue.aux_scale)};
    if (plan->beta.re != 0 || plan->beta.im != 0)
        plan->c = view_of(&product->c, batch);
    if (!product_type_is_complex(product->a.type))
        plan->alpha.re *= (double)scale_of(&product->a_scale) * scale_of(&product->b_scale);
    if (product->d.order == PRODUCT_ROWS) {
        plan->transposed = true;
        plan->m = product->n;
        plan->n = product->m;
        plan->a = transposed(b);
        plan->b = transposed(a);
        plan->c = transposed(plan->c);
        plan->d = transposed(plan->d);
    }
    if (product->alpha.vector || product->a_scale.vector || product->b_scale.vector ||
        product->epilogue.bias == PRODUCT_BIAS || product->epilogue.bias == PRODUCT_BIAS_SUM_D) {
        plan->vectors = scratch_take((count * 4 + other) * sizeof(float));
        if (!plan->vectors)
            return CUDA_ERROR_OUT_OF_MEMORY;
        take_sums(plan, (double *)plan->vectors);
        take_vectors(plan, plan->vectors + 2 * count);
    }
    take_aux(plan);
    pthread_mutex_init(&plan->lock, NULL);
    return CUDA_SUCCESS;
}

static void store_bias(const struct plan *plan, const double *sums, int64_t count)
{
    const struct product_epilogue *epilogue = &plan->product->epilogue;
    size_t bytes = product_type_bytes(epilogue->bias_type);
    char *first =
        (char *)epilogue->bias_memory + plan->batch * epilogue->bias_stride * (int64_t)bytes;

    for (int64_t i = 0; i < count; i++)
        product_store(epilogue->bias_type, first + (size_t)i * bytes,
                      (struct product_number){.re = sums[i]});
}

void plan_finish(struct plan *plan)
{
    double *sums = plan->row_sums ? plan->row_sums : plan->column_sums;

    if (sums)
        store_bias(plan, sums, plan->product->m);
    if (plan->product->amax && (plan->batch == 0 || plan->amax > *plan->product->amax))
        *plan->product->amax = plan->amax;
    if (plan->product->epilogue.aux_amax &&
        (plan->batch == 0 || plan->aux_amax > *plan->product->epilogue.aux_amax))
        *plan->product->epilogue.aux_amax = plan->aux_amax;
    scratch_give(plan->vectors);
    pthread_mutex_destroy(&plan->lock);
}

bool plan_is_plain(const struct plan *plan)
{
    const struct product *product = plan->product;

    return !plan->row_factor && !plan->column_factor && !plan->row_bias && !plan->column_bias &&
           !plan->row_sums && !plan->column_sums && !product->amax && plan->c_factor == 1 &&
           plan->d_factor == 1 && product->epilogue.activation == PRODUCT_NO_ACTIVATION;
}

enum { SUMS = 64, LINE = 512 }; /* of a part; elements that are converted at a time */

/* Sums of an operand's rows or columns. */
struct summing {
    const struct plan *plan;
    struct view view;
    int64_t count, along, across;
};

static double sum_line(const struct summing *summing, int64_t index)
{
    const struct view *view = &summing->view;
    int64_t k = summing->plan->product->k, along = summing->along;
    size_t bytes = product_type_bytes(view->type);
    float line[LINE];
    double sum = 0;

    for (int64_t p = 0; p < k; p += LINE) {
        const void *first = product_at(view->base, index * summing->across + p * along, bytes);
        int64_t some = k - p < LINE ? k - p : LINE;

        if (view->type == CUDA_R_64F) {
            for (int64_t i = 0; i < some; i++)
                sum += ((const double *)first)[i * along];
            continue;
        }
        product_to_f32(summing->plan->isa, line, view->type, first, along, (size_t)some);
        for (int64_t i = 0; i < some; i++)
            sum += line[i];
    }
    return sum;
}

/* Neighbours in memory are added line by line. */
static void sum_across(const struct summing *summing, int64_t first, int64_t count, double *sums)
{
    size_t bytes = product_type_bytes(summing->view.type);
    float line[SUMS];

    for (int64_t p = 0; p < summing->plan->product->k; p++) {
        product_to_f32(summing->plan->isa, line, summing->view.type,
                       product_at(summing->view.base, first + p * summing->along, bytes), 1,
                       (size_t)count);
        for (int64_t i = 0; i < count; i++)
            sums[i] += line[i];
    }
}

static void sum_part(void *argument, size_t part)
{
    const struct summing *summing = argument;
    const struct product_epilogue *epilogue = &summing->plan->product->epilogue;
    size_t bytes = product_type_bytes(epilogue->bias_type);
    int64_t first = (int64_t)part * SUMS, rest = summing->count - first;
    int64_t count = rest < SUMS ? rest : SUMS;
    double sums[SUMS] = {0};

    if (summing->across == 1 && summing->view.type != CUDA_R_64F)
        sum_across(summing, first, count, sums);
    else
        for (int64_t i = 0; i < count; i++)
            sums[i] = sum_line(summing, first + i);
    for (int64_t i = 0; i < count; i++)
        product_store(epilogue->bias_type,
                      (void *)product_at(epilogue->bias_memory,
                                         summing->plan->batch * epilogue->bias_stride + first + i,
                                         bytes),
                      (struct product_number){.re = sums[i]});
}

void plan_sum_operand(const struct plan *plan)
{
    const struct product *product = plan->product;
    bool of_a = product->epilogue.bias == PRODUCT_BIAS_SUM_A;
    struct summing summing = {.plan = plan,
                              .view = view_of(of_a ? &product->a : &product->b, plan->batch),
                              .count = of_a ? product->m : product->n};

    summing.along = of_a ? summing.view.column_stride : summing.view.row_stride;
    summing.across = of_a ? summing.view.row_stride : summing.view.column_stride;
    lib_parallel((size_t)((summing.count + SUMS - 1) / SUMS), sum_part, &summing);
}
