/* SPDX-License-Identifier: MIT */
/* From sums to D, a column of a block at a time: factors, C, bias, what the gradient needs, the
 * activation, the largest magnitude, the output's factor and type. */
#include "plan.h"

#include <string.h>

enum { PIECE = 512 }; /* rows at a time, for buffers on the stack */

/* Where a piece of a column is. */
struct piece {
    int64_t row, column;
    size_t rows;
};

/* What threads gather before they tell the plan. */
struct gathered {
    float amax, aux_amax;
};

static void *element(const struct view *view, int64_t row, int64_t column)
{
    return (void *)product_at(view->base, row * view->row_stride + column * view->column_stride,
                              product_type_bytes(view->type));
}

/* s32 scale and output: arithmetic of 32 bits, which wraps. */
static void integers(const struct plan *plan, const struct piece *piece, const uint32_t *sums)
{
    uint32_t alpha = (uint32_t)(int64_t)plan->alpha.re, beta = (uint32_t)(int64_t)plan->beta.re;
    uint32_t *d = element(&plan->d, piece->row, piece->column);
    const uint32_t *c = beta ? element(&plan->c, piece->row, piece->column) : NULL;
    int64_t c_step = plan->c.row_stride, d_step = plan->d.row_stride;

    if (!beta && d_step == 1) {
        plan->isa->multiply_s32(d, sums, alpha, piece->rows);
        return;
    }
    for (int64_t i = 0; i < (int64_t)piece->rows; i++)
        d[i * d_step] = sums[i] * alpha + (beta ? beta * c[i * c_step] : 0);
}

static void add_c(const struct plan *plan, const struct piece *piece, float *x)
{
    float line[PIECE];

    if (plan->beta.re == 0)
        return;
    product_to_f32(plan->isa, line, plan->c.type, element(&plan->c, piece->row, piece->column),
                   plan->c.row_stride, piece->rows);
    plan->isa->add_scaled(x, line, (float)plan->beta.re * plan->c_factor, piece->rows);
}

/* The bit of an element of RELU's mask: zeros of both signs count as positive, NaN in products of
 * floats, too, as on a card. A column begins at a byte. */
static void relu_with_mask(const struct plan *plan, const struct piece *piece, float *x)
{
    uint8_t *bytes = (uint8_t *)plan->aux + piece->column * plan->product->epilogue.aux_ld / 8;
    const bool nan_is_positive = plan->a.type == CUDA_R_32F;

    for (size_t i = 0; i < piece->rows; i += 8) {
        unsigned mask = 0;

        for (size_t j = i; j < i + 8 && j < piece->rows; j++)
            mask |= (unsigned)(nan_is_positive ? !(x[j] < 0) : x[j] >= 0) << (j - i);
        bytes[(size_t)(piece->row) / 8 + i / 8] = (uint8_t)mask;
    }
    plan->isa->relu(x, piece->rows);
}

static void relu_gradient(const struct plan *plan, const struct piece *piece, float *x)
{
    const uint8_t *bytes =
        (const uint8_t *)plan->aux + piece->column * plan->product->epilogue.aux_ld / 8;

    for (size_t i = 0; i < piece->rows; i++) {
        size_t row = (size_t)piece->row + i;

        if (!(bytes[row / 8] >> (row % 8) & 1))
            x[i] = 0;
    }
}

static void *aux_line(const struct plan *plan, const struct piece *piece)
{
    const struct product_epilogue *epilogue = &plan->product->epilogue;

    return (void *)product_at(plan->aux, piece->column * epilogue->aux_ld + piece->row,
                              product_type_bytes(epilogue->aux_type));
}

static void store_aux(const struct plan *plan, const struct piece *piece, const float *x,
                      struct gathered *gathered)
{
    const struct product_epilogue *epilogue = &plan->product->epilogue;
    float line[PIECE];

    if (epilogue->aux_amax)
        gathered->aux_amax = plan->isa->largest(x, gathered->aux_amax, piece->rows);
    memcpy(line, x, piece->rows * sizeof(*line));
    if (plan->aux_factor != 1)
        plan->isa->scale(line, plan->aux_factor, piece->rows);
    product_from_f32(plan->isa, aux_line(plan, piece), epilogue->aux_type, line, 1, piece->rows);
}

static void activate(const struct plan *plan, const struct piece *piece, float *x,
                     struct gathered *gathered)
{
    float line[PIECE];

    switch (plan->product->epilogue.activation) {
    case PRODUCT_NO_ACTIVATION:
        break;
    case PRODUCT_RELU:
        if (plan->aux)
            relu_with_mask(plan, piece, x);
        else
            plan->isa->relu(x, piece->rows);
        break;
    case PRODUCT_GELU:
        if (plan->aux)
            store_aux(plan, piece, x, gathered);
        plan->isa->gelu(x, piece->rows);
        break;
    case PRODUCT_RELU_GRADIENT:
        relu_gradient(plan, piece, x);
        break;
    case PRODUCT_GELU_GRADIENT:
        product_to_f32(plan->isa, line, plan->product->epilogue.aux_type, aux_line(plan, piece), 1,
                       piece->rows);
        plan->isa->gelu_gradient(x, line, piece->rows);
        break;
    }
}

static void add_to_sums(struct plan *plan, const struct piece *piece, const float *x)
{
    double sum = 0;

    if (!plan->row_sums && !plan->column_sums)
        return;
    pthread_mutex_lock(&plan->lock);
    for (size_t i = 0; i < piece->rows; i++) {
        sum += x[i];
        if (plan->row_sums)
            plan->row_sums[(size_t)piece->row + i] += x[i];
    }
    if (plan->column_sums)
        plan->column_sums[piece->column] += sum;
    pthread_mutex_unlock(&plan->lock);
}

/* GELU of s8 is a step of its own after the product: it begins with what D would be without it. */
static void round_to_output(const struct plan *plan, const struct piece *piece, float *x)
{
    int8_t line[PIECE];

    plan->isa->to_s8(line, x, piece->rows);
    plan->isa->from_s8(x, line, piece->rows);
}

static void piece_run(struct plan *plan, const struct piece *piece, float *x,
                      struct gathered *gathered)
{
    const struct product_isa *isa = plan->isa;
    float factor = (float)plan->alpha.re;

    if (plan->column_factor)
        factor *= plan->column_factor[piece->column];
    if (plan->row_factor)
        isa->multiply(x, plan->row_factor + piece->row, factor, piece->rows);
    else if (factor != 1)
        isa->scale(x, factor, piece->rows);
    add_c(plan, piece, x);
    if (plan->d.type == CUDA_R_8I && plan->product->epilogue.activation == PRODUCT_GELU)
        round_to_output(plan, piece, x);
    if (plan->row_bias)
        isa->add_scaled(x, plan->row_bias + piece->row, 1, piece->rows);
    if (plan->column_bias)
        for (size_t i = 0; i < piece->rows; i++)
            x[i] += plan->column_bias[piece->column];
    activate(plan, piece, x, gathered);
    add_to_sums(plan, piece, x);
    if (plan->product->amax)
        gathered->amax = isa->largest(x, gathered->amax, piece->rows);
    if (plan->d_factor != 1)
        isa->scale(x, plan->d_factor, piece->rows);
    product_from_f32(isa, element(&plan->d, piece->row, piece->column), plan->d.type, x,
                     plan->d.row_stride, piece->rows);
}

static void tell(struct plan *plan, const struct gathered *gathered)
{
    pthread_mutex_lock(&plan->lock);
    plan->amax = plan->isa->largest(&gathered->amax, plan->amax, 1);
    plan->aux_amax = plan->isa->largest(&gathered->aux_amax, plan->aux_amax, 1);
    pthread_mutex_unlock(&plan->lock);
}

/* The product as it is: only the type changes. */
static void run_plain(const struct plan *plan, const struct block *block)
{
    const struct view *d = &plan->d;

    for (size_t j = 0; j < block->columns; j++)
        product_from_f32(plan->isa, element(d, block->row, block->column + (int64_t)j), d->type,
                         (const float *)block->sums + j * block->ld, d->row_stride, block->rows);
}

static void run_integers(const struct plan *plan, const struct block *block)
{
    for (size_t j = 0; j < block->columns; j++) {
        const struct piece column = {block->row, block->column + (int64_t)j, block->rows};

        integers(plan, &column, (const uint32_t *)block->sums + j * block->ld);
    }
}

static void run_pieces(struct plan *plan, const struct block *block)
{
    struct gathered gathered = {0};

    for (size_t j = 0; j < block->columns; j++) {
        for (size_t i = 0; i < block->rows; i += PIECE) {
            float *x = (float *)block->sums + j * block->ld + i, line[PIECE];
            struct piece piece = {block->row + (int64_t)i, block->column + (int64_t)j,
                                  block->rows - i < PIECE ? block->rows - i : PIECE};

            if (block->integers)
                plan->isa->from_s32(line, (const int32_t *)x, piece.rows);
            piece_run(plan, &piece, block->integers ? line : x, &gathered);
        }
    }
    if (plan->product->amax || plan->product->epilogue.aux_amax)
        tell(plan, &gathered);
}

void epilogue_run(struct plan *plan, const struct block *block)
{
    bool plain = plan_is_plain(plan) && plan->alpha.re == 1 && plan->beta.re == 0;

    if (block->integers && plan->product->scale_type == CUDA_R_32I)
        run_integers(plan, block);
    else if (plain && !block->integers)
        run_plain(plan, block);
    else
        run_pieces(plan, block);
}
