/* SPDX-License-Identifier: MIT */
/* Products against a plain loop in double: random shapes, types, operations, orders, batches and
 * epilogues. The seeds are fixed. CUPIPE_CPU chooses the instruction set, so that each is tried. */
#include "product/product.h"
#include "product/src/types.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 400, ELEMENTS = 1 << 17 };

static uint64_t state = 1;
static int failures;

static int between(int low, int high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (int)((state >> 33) % (uint64_t)(high - low + 1));
}

struct kind {
    cudaDataType_t a, b, c, d, scale;
    int compute;
    double tolerance;
};

static const struct kind kinds[] = {
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 68, 1e-6},
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 77, 2e-3},
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 75, 1e-2},
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 74, 2e-3},
    {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, 70, 1e-14},
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, 68, 1e-6},
    {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, 70, 1e-14},
    {CUDA_C_8I, CUDA_C_8I, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, 68, 1e-6},
    {CUDA_C_16F, CUDA_C_16F, CUDA_C_16F, CUDA_C_16F, CUDA_C_32F, 68, 2e-3},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, 68, 1e-3},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 68, 1e-6},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, 64, 1e-3},
    {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, 68, 8e-3},
    {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 68, 1e-6},
    {CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUDA_R_32I, 72, 0},
    {CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 68, 1e-6},
    {CUDA_R_8I, CUDA_R_8I, CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, 72, 0.51},
    {CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, 68, 8e-3},
    {CUDA_R_8F_E4M3, CUDA_R_8F_E5M2, CUDA_R_16F, CUDA_R_8F_E4M3, CUDA_R_32F, 68, 0.07},
};

static struct product_number at(const struct product_matrix *matrix, int64_t batch, int64_t row,
                                int64_t column)
{
    bool rows = matrix->order == PRODUCT_ROWS;
    int64_t i = matrix->op == PRODUCT_N ? row : column, j = matrix->op == PRODUCT_N ? column : row;
    struct product_number value =
        product_load(matrix->type, product_at(matrix->address,
                                              batch * matrix->stride +
                                                  (rows ? i * matrix->ld + j : j * matrix->ld + i),
                                              product_type_bytes(matrix->type)));

    if (matrix->op == PRODUCT_C)
        value.im = -value.im;
    return value;
}

static struct product_number add_product(struct product_number sum, struct product_number a,
                                         struct product_number b)
{
    sum.re += a.re * b.re - a.im * b.im;
    sum.im += a.re * b.im + a.im * b.re;
    return sum;
}

/* Fills a matrix with small numbers, and makes its batch lie with gaps. */
static void make(struct product_matrix *matrix, cudaDataType_t type, int64_t rows, int64_t columns,
                 int op)
{
    int64_t i = op == PRODUCT_N ? rows : columns, j = op == PRODUCT_N ? columns : rows;
    int64_t most = type == CUDA_R_8I || type == CUDA_C_8I ? 9 : 16;
    size_t bytes = product_type_bytes(type);

    matrix->type = type;
    matrix->op = (enum product_op)op;
    matrix->order = between(0, 2) == 0 ? PRODUCT_ROWS : PRODUCT_COLUMNS;
    matrix->ld = (matrix->order == PRODUCT_ROWS ? j : i) + between(0, 1) * between(0, 9);
    if (matrix->ld == 0)
        matrix->ld = 1;
    matrix->stride = matrix->ld * (matrix->order == PRODUCT_ROWS ? i : j) + between(0, 3);
    matrix->address = malloc(ELEMENTS * 16);
    for (size_t e = 0; e < ELEMENTS; e++) {
        double re = between(-(int)most, (int)most), im = between(-(int)most, (int)most);

        if (most == 16)
            re /= 8, im /= 8;
        product_store(type, (char *)matrix->address + e * bytes, (struct product_number){re, im});
    }
}

static double limited(cudaDataType_t type, double x)
{
    double most = type == CUDA_R_8I ? 127 : type == CUDA_R_8F_E4M3 ? 448 : INFINITY;

    return x > most ? most : x < -most - (type == CUDA_R_8I) ? -most - (type == CUDA_R_8I) : x;
}

static double activated(const struct product *product, double x)
{
    double cube = 0.79788456 * (x + 0.044715 * x * x * x);

    if (product->epilogue.activation == PRODUCT_RELU)
        return x < 0 ? 0 : x;
    return product->epilogue.activation == PRODUCT_GELU ? 0.5 * x * (1 + tanh(cube)) : x;
}

static struct product_number expected(const struct product *product, int64_t batch, int64_t i,
                                      int64_t j, double *scale)
{
    struct product_number sum = {0}, c = at(&product->c, batch, i, j), d = {0};

    *scale = 1;
    for (int64_t p = 0; p < product->k; p++) {
        struct product_number a = at(&product->a, batch, i, p), b = at(&product->b, batch, p, j);

        sum = add_product(sum, a, b);
        *scale += (fabs(a.re) + fabs(a.im)) * (fabs(b.re) + fabs(b.im));
    }
    d = add_product(d, sum, (struct product_number){product->alpha.re, product->alpha.im});
    d = add_product(d, c, (struct product_number){product->beta.re, product->beta.im});
    if (product->d.type == CUDA_R_8I && product->epilogue.activation == PRODUCT_GELU)
        d.re = nearbyint(limited(CUDA_R_8I, d.re));
    if (product->epilogue.bias == PRODUCT_BIAS)
        d.re += product_load(product->epilogue.bias_type,
                             (char *)product->epilogue.bias_memory +
                                 (size_t)i * product_type_bytes(product->epilogue.bias_type))
                    .re;
    d.re = activated(product, d.re);
    return d;
}

static void compare(int number, const struct kind *kind, const struct product *product)
{
    for (int64_t batch = 0; batch < product->batch_count; batch++)
        for (int64_t j = 0; j < product->n; j++)
            for (int64_t i = 0; i < product->m; i++) {
                double scale;
                struct product_number want = expected(product, batch, i, j, &scale);
                struct product_number is = at(&product->d, batch, i, j);
                double allowed = kind->tolerance * (kind->a == CUDA_R_8I ? 1 : scale);

                allowed += kind->tolerance * fabs(want.re);
                if (fabs(limited(kind->d, want.re) - is.re) <= allowed &&
                    (!product_type_is_complex(kind->d) ||
                     fabs(want.im - is.im) <= allowed + kind->tolerance * fabs(want.im)))
                    continue;
                printf("not ok %d - %ld x %ld x %ld types %d %d %d compute %d at %ld %ld: %g %g, "
                       "not %g %g\n",
                       number, (long)product->m, (long)product->n, (long)product->k, kind->a,
                       kind->b, kind->d, kind->compute, (long)i, (long)j, is.re, is.im, want.re,
                       want.im);
                failures++;
                return;
            }
    printf("ok %d\n", number);
}

static void try_one(int number)
{
    const struct kind *kind = &kinds[number % (int)(sizeof(kinds) / sizeof(*kinds))];
    struct product product = {.compute = kind->compute,
                              .scale_type = kind->scale,
                              .m = between(1, 5) == 1 ? between(1, 8) : between(1, 150),
                              .n = between(1, 5) == 1 ? between(1, 8) : between(1, 150),
                              .k = between(1, 5) == 1 ? between(0, 8) : between(1, 150),
                              .batch_count = between(1, 3)};
    bool complex = product_type_is_complex(kind->d), whole = kind->scale == CUDA_R_32I;

    product.alpha.re = whole ? between(1, 2) : between(1, 4) / 2.0;
    product.beta.re = between(-1, 1);
    if (complex)
        product.alpha.im = between(-1, 1), product.beta.im = between(-1, 1);
    make(&product.a, kind->a, product.m, product.k, between(0, 2));
    make(&product.b, kind->b, product.k, product.n, between(0, 2));
    make(&product.c, kind->c, product.m, product.n, 0);
    make(&product.d, kind->d, product.m, product.n, 0);
    if (!complex && !whole) {
        struct product_matrix bias = {0};

        product.epilogue.activation = (enum product_activation)between(0, 2);
        make(&bias, kind->d == CUDA_R_8F_E4M3 || kind->d == CUDA_R_8I ? CUDA_R_32F : kind->d, 1, 1,
             0);
        product.epilogue.bias = between(0, 1) ? PRODUCT_BIAS : PRODUCT_NO_BIAS;
        product.epilogue.bias_memory = bias.address;
        product.epilogue.bias_type = bias.type;
    }
    if (product_run(&product) != CUDA_SUCCESS) {
        printf("not ok %d - product_run\n", number);
        failures++;
    } else {
        compare(number, kind, &product);
    }
    free(product.a.address);
    free(product.b.address);
    free(product.c.address);
    free(product.d.address);
    free(product.epilogue.bias_memory);
}

int main(void)
{
    printf("1..%d\n", CASES);
    for (int i = 1; i <= CASES; i++)
        try_one(i);
    return failures != 0;
}
