/* SPDX-License-Identifier: MIT */
/* The epilogue of epilogue.c in double, and copies. Not fast: the product costs more. */
#include "wide.h"

#include <math.h>
#include <string.h>

static char *address(const struct view *view, int64_t row, int64_t column)
{
    cudaDataType_t type = view->plane_offset ? product_real_type(view->type) : view->type;

    return (char *)product_at(view->base, row * view->row_stride + column * view->column_stride,
                              product_type_bytes(type));
}

static struct product_number load(const struct view *view, int64_t row, int64_t column)
{
    char *at = address(view, row, column);
    struct product_number number;

    if (view->plane_offset) {
        cudaDataType_t real = product_real_type(view->type);

        number.re = product_load(real, at).re;
        number.im = product_load(real, at + view->plane_offset).re;
    } else {
        number = product_load(view->type, at);
    }
    if (view->conjugate)
        number.im = -number.im;
    return number;
}

static void store(const struct view *view, int64_t row, int64_t column,
                  struct product_number number)
{
    char *at = address(view, row, column);

    if (view->plane_offset) {
        cudaDataType_t real = product_real_type(view->type);

        product_store(real, at, (struct product_number){.re = number.re});
        product_store(real, at + view->plane_offset, (struct product_number){.re = number.im});
    } else {
        product_store(view->type, at, number);
    }
}

void wide_copy(void *out, cudaDataType_t type, const struct view *view, int64_t rows,
               int64_t columns)
{
    size_t bytes = product_type_bytes(type);

    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            product_store(type, (char *)out + (size_t)(j * rows + i) * bytes, load(view, i, j));
}

void wide_move(const struct view *to, const struct view *from, int64_t rows, int64_t columns)
{
    size_t bytes = product_type_bytes(to->type);

    for (int64_t j = 0; j < columns; j++) {
        if (to->row_stride == 1 && from->row_stride == 1) {
            memmove(address(to, 0, j), address(from, 0, j), (size_t)rows * bytes);
            continue;
        }
        for (int64_t i = 0; i < rows; i++)
            memcpy(address(to, i, j), address(from, i, j), bytes);
    }
}

static struct product_number multiply(struct product_number a, struct product_number b)
{
    return (struct product_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* sqrt(2 / pi), with the digits that NVIDIA's library has. */
static const double GELU_SCALE = 0.79788456, GELU_CUBE = 0.044715;

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(GELU_SCALE * (x + GELU_CUBE * x * x * x)));
}

static double gelu_slope(double x)
{
    double t = tanh(GELU_SCALE * (x + GELU_CUBE * x * x * x));

    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * GELU_SCALE * (1 + 3 * GELU_CUBE * x * x);
}

static double aux_value(const struct plan *plan, int64_t row, int64_t column)
{
    const struct product_epilogue *epilogue = &plan->product->epilogue;

    return product_load(epilogue->aux_type, product_at(plan->aux, column * epilogue->aux_ld + row,
                                                       product_type_bytes(epilogue->aux_type)))
        .re;
}

/* Blocks hold whole columns, so that no other thread writes to the byte. */
static void set_mask(const struct plan *plan, int64_t row, int64_t column, bool value)
{
    uint8_t *byte = (uint8_t *)plan->aux + (column * plan->product->epilogue.aux_ld + row) / 8;
    uint8_t bit = (uint8_t)(1u << (row % 8));

    *byte = (uint8_t)(value ? *byte | bit : *byte & ~bit);
}

static bool mask(const struct plan *plan, int64_t row, int64_t column)
{
    int64_t bit = column * plan->product->epilogue.aux_ld + row;

    return ((const uint8_t *)plan->aux)[bit / 8] >> (bit % 8) & 1;
}

static double activate(const struct plan *plan, int64_t row, int64_t column, double x)
{
    const struct product_epilogue *epilogue = &plan->product->epilogue;

    switch (epilogue->activation) {
    case PRODUCT_RELU:
        if (plan->aux)
            set_mask(plan, row, column, !(x < 0));
        return x < 0 ? 0 : x;
    case PRODUCT_GELU:
        if (plan->aux)
            product_store(epilogue->aux_type,
                          (void *)product_at(plan->aux, column * epilogue->aux_ld + row,
                                             product_type_bytes(epilogue->aux_type)),
                          (struct product_number){.re = x});
        return gelu(x);
    case PRODUCT_RELU_GRADIENT:
        return mask(plan, row, column) ? x : 0;
    case PRODUCT_GELU_GRADIENT:
        return x * gelu_slope(aux_value(plan, row, column));
    default:
        return x;
    }
}

static double vector_value(const void *memory, cudaDataType_t type, int64_t stride, int64_t batch,
                           int64_t index)
{
    return product_load(type, product_at(memory, batch * stride + index, product_type_bytes(type)))
        .re;
}

static struct product_number finish(const struct plan *plan, int64_t row, int64_t column,
                                    struct product_number x)
{
    const struct product *product = plan->product;
    const struct product_epilogue *epilogue = &product->epilogue;
    int64_t of_bias = plan->transposed ? column : row;

    x = multiply(x, plan->alpha);
    if (product->alpha.vector) {
        double factor = vector_value(product->alpha.memory, product->scale_type,
                                     product->alpha.vector_stride, plan->batch, of_bias);

        x = (struct product_number){x.re * factor, x.im * factor};
    }
    if (plan->beta.re != 0 || plan->beta.im != 0) {
        struct product_number c = multiply(plan->beta, load(&plan->c, row, column));

        x = (struct product_number){x.re + c.re, x.im + c.im};
    }
    if (epilogue->bias == PRODUCT_BIAS && epilogue->bias_memory)
        x.re += vector_value(epilogue->bias_memory, epilogue->bias_type, epilogue->bias_stride,
                             plan->batch, of_bias);
    x.re = activate(plan, row, column, x.re);
    return x;
}

void wide_epilogue(struct plan *plan, const struct block *block, cudaDataType_t type)
{
    size_t bytes = product_type_bytes(type);
    double *sums = plan->row_sums ? plan->row_sums : plan->column_sums;

    for (size_t j = 0; j < block->columns; j++) {
        for (size_t i = 0; i < block->rows; i++) {
            int64_t row = block->row + (int64_t)i, column = block->column + (int64_t)j;
            const char *sum = (const char *)block->sums + (j * block->ld + i) * bytes;
            struct product_number x = finish(plan, row, column, product_load(type, sum));

            if (sums) {
                pthread_mutex_lock(&plan->lock);
                sums[plan->row_sums ? row : column] += x.re;
                pthread_mutex_unlock(&plan->lock);
            }
            store(&plan->d, row, column, x);
        }
    }
}
