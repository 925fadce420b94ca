/* SPDX-License-Identifier: MIT */
/* SpMV and SpMM beside the loops of scipy.sparse, and beside the time in which memcpy moves the
 * bytes that the product must touch: the matrix, the vectors or dense matrices once each. Prints
 * milliseconds, gigabytes a second and their ratio to memcpy's, and the processor time of all
 * threads beside that of the plain loop. memcpy and the plain loop have one thread. The elements
 * of a matrix stand near the diagonal, as those of meshes do, or anywhere. */
#include "bench.h"

#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPREAD = 512, ROUNDS = 15, SLICE = 32 };

/* One row of the table. ANYWHERE: the lengths of rows differ, too. */
struct product {
    const char *name;
    cusparseFormat_t format;
    cudaDataType type;
    int rows, each, columns;
    bool anywhere;
};

/* Elements in order of rows; for CSC, of columns. The memory of the device is the host's, so that
 * the plain loops read the same arrays. */
struct matrix {
    int *offsets, *lines, *indices;
    void *values;
    int64_t nnz;
};

static void *allocate(size_t bytes)
{
    void *memory = NULL;

    if (cudaMalloc(&memory, bytes) != cudaSuccess)
        exit(1);
    return memory;
}

static unsigned next_number(void)
{
    static unsigned state = 1;

    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static size_t element_of(cudaDataType type)
{
    return type == CUDA_R_32F ? sizeof(float) : sizeof(double);
}

static struct matrix make_matrix(const struct product *product)
{
    struct matrix matrix = {0};
    const int rows = product->rows, each = product->each;
    const size_t most = (size_t)rows * (size_t)each * 2 + SLICE;

    matrix.offsets = allocate(((size_t)rows + 1) * sizeof(int));
    matrix.lines = allocate(most * sizeof(int));
    matrix.indices = allocate(most * sizeof(int));
    matrix.values = allocate(most * element_of(product->type));
    for (int row = 0; row < rows; row++) {
        int column = row > SPREAD ? row - SPREAD : 0;
        int count = product->anywhere ? (int)(next_number() % (unsigned)(2 * each + 1)) : each;

        matrix.offsets[row] = (int)matrix.nnz;
        for (int i = 0; i < count; i++, matrix.nnz++) {
            column += 1 + (int)(next_number() % (unsigned)(2 * SPREAD / each));
            matrix.lines[matrix.nnz] = row;
            matrix.indices[matrix.nnz] = product->anywhere ? (int)(next_number() % (unsigned)rows)
                                         : column < rows   ? column
                                                           : rows - each + i;
            if (product->type == CUDA_R_32F)
                ((float *)matrix.values)[matrix.nnz] = (float)(next_number() % 4096) / 4096;
            else
                ((double *)matrix.values)[matrix.nnz] = (double)(next_number() % 4096) / 4096;
        }
    }
    matrix.offsets[rows] = (int)matrix.nnz;
    return matrix;
}

/* The loops of scipy.sparse. Those for matrices add multiples of whole rows. */
#define PLAIN(name, type)                                                                          \
    static void name##_csr(const struct matrix *matrix, int rows, const type *x, type *y)          \
    {                                                                                              \
        const type *values = matrix->values;                                                       \
                                                                                                   \
        for (int row = 0; row < rows; row++) {                                                     \
            type sum = y[row];                                                                     \
                                                                                                   \
            for (int k = matrix->offsets[row]; k < matrix->offsets[row + 1]; k++)                  \
                sum += values[k] * x[matrix->indices[k]];                                          \
            y[row] = sum;                                                                          \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void name##_coo(const struct matrix *matrix, const type *x, type *y)                    \
    {                                                                                              \
        const type *values = matrix->values;                                                       \
                                                                                                   \
        for (int64_t k = 0; k < matrix->nnz; k++)                                                  \
            y[matrix->lines[k]] += values[k] * x[matrix->indices[k]];                              \
    }                                                                                              \
                                                                                                   \
    static void name##_rows(const struct matrix *matrix, int rows, bool transposed, int columns,   \
                            const type *x, type *y)                                                \
    {                                                                                              \
        const type *values = matrix->values;                                                       \
                                                                                                   \
        for (int row = 0; row < rows; row++)                                                       \
            for (int k = matrix->offsets[row]; k < matrix->offsets[row + 1]; k++) {                \
                int64_t to = transposed ? matrix->indices[k] : row;                                \
                int64_t from = transposed ? row : matrix->indices[k];                              \
                                                                                                   \
                for (int j = 0; j < columns; j++)                                                  \
                    y[to * columns + j] += values[k] * x[from * columns + j];                      \
            }                                                                                      \
    }                                                                                              \
                                                                                                   \
    static void name(const struct product *product, const struct matrix *matrix, const type *x,    \
                     type *y)                                                                      \
    {                                                                                              \
        memset(y, 0, (size_t)product->rows *(size_t)product->columns * sizeof(*y));                \
        if (product->columns > 1 || product->format == CUSPARSE_FORMAT_CSC)                        \
            name##_rows(matrix, product->rows, product->format == CUSPARSE_FORMAT_CSC,             \
                        product->columns, x, y);                                                   \
        else if (product->format == CUSPARSE_FORMAT_COO)                                           \
            name##_coo(matrix, x, y);                                                              \
        else                                                                                       \
            name##_csr(matrix, product->rows, x, y);                                               \
    }

PLAIN(plain_float, float)
PLAIN(plain_double, double)

static double copy_rate(void)
{
    size_t bytes = 256 << 20;
    char *from = malloc(bytes), *to = malloc(bytes);
    double best = 1e9;

    if (!from || !to)
        exit(1);
    memset(from, 1, bytes);
    memset(to, 2, bytes);
    for (int i = 0; i < ROUNDS; i++) {
        double start = bench_now();

        memcpy(to, from, bytes);
        if (bench_now() - start < best)
            best = bench_now() - start;
    }
    free(from);
    free(to);
    return 2 * (double)bytes / best;
}

/* Slices of rows of equal lengths: by columns. */
static cusparseSpMatDescr_t make_slices(const struct product *product, const struct matrix *matrix)
{
    const int rows = product->rows, each = product->each;
    int *offsets = allocate(((size_t)rows / SLICE + 1) * sizeof(int));
    int *indices = allocate((size_t)matrix->nnz * sizeof(int));
    cusparseSpMatDescr_t a;

    for (int row = 0; row <= rows; row += SLICE)
        offsets[row / SLICE] = row * each;
    for (int64_t k = 0; k < matrix->nnz; k++)
        indices[k] = matrix->indices[k / (SLICE * each) * (SLICE * each) + k % SLICE * each +
                                     k / SLICE % each];
    bench_must(cusparseCreateSlicedEll(&a, rows, rows, matrix->nnz, matrix->nnz, SLICE, offsets,
                                       indices, matrix->values, CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, product->type),
               "cusparseCreateSlicedEll");
    return a;
}

static cusparseSpMatDescr_t describe(const struct product *product, const struct matrix *matrix)
{
    const int rows = product->rows;
    cusparseSpMatDescr_t a = NULL;

    if (product->format == CUSPARSE_FORMAT_SLICED_ELLPACK)
        return make_slices(product, matrix);
    if (product->format == CUSPARSE_FORMAT_COO)
        bench_must(cusparseCreateCoo(&a, rows, rows, matrix->nnz, matrix->lines, matrix->indices,
                                     matrix->values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                     product->type),
                   "cusparseCreateCoo");
    else
        bench_must((product->format == CUSPARSE_FORMAT_CSC ? cusparseCreateCsc : cusparseCreateCsr)(
                       &a, rows, rows, matrix->nnz, matrix->offsets, matrix->indices,
                       matrix->values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                       CUSPARSE_INDEX_BASE_ZERO, product->type),
                   "cusparseCreateCsr");
    return a;
}

struct times {
    double wall, processor;
};

static void keep_best(struct times *best, struct times start)
{
    double wall = bench_now() - start.wall, processor = bench_processor_time() - start.processor;

    best->wall = wall < best->wall ? wall : best->wall;
    best->processor = processor < best->processor ? processor : best->processor;
}

static struct times run_product(cusparseHandle_t handle, const struct product *product,
                                const struct matrix *matrix, void *x, void *y)
{
    const float one = 1, zero = 0;
    const double one_double = 1, zero_double = 0;
    const void *alpha = product->type == CUDA_R_32F ? (const void *)&one : &one_double;
    const void *beta = product->type == CUDA_R_32F ? (const void *)&zero : &zero_double;
    const int rows = product->rows, columns = product->columns;
    cusparseSpMatDescr_t a = describe(product, matrix);
    struct times best = {1e9, 1e9};
    cusparseDnVecDescr_t vx, vy;
    cusparseDnMatDescr_t mx, my;

    cusparseCreateDnVec(&vx, rows, x, product->type);
    cusparseCreateDnVec(&vy, rows, y, product->type);
    cusparseCreateDnMat(&mx, rows, columns, columns, x, product->type, CUSPARSE_ORDER_ROW);
    cusparseCreateDnMat(&my, rows, columns, columns, y, product->type, CUSPARSE_ORDER_ROW);
    for (int i = 0; i < ROUNDS; i++) {
        struct times start = {bench_now(), bench_processor_time()};

        if (columns == 1)
            bench_must(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a, vx, beta,
                                    vy, product->type, CUSPARSE_SPMV_ALG_DEFAULT, NULL),
                       "cusparseSpMV");
        else
            bench_must(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                    CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a, mx, beta, my,
                                    product->type, CUSPARSE_SPMM_ALG_DEFAULT, NULL),
                       "cusparseSpMM");
        cudaDeviceSynchronize();
        keep_best(&best, start);
    }
    cusparseDestroySpMat(a);
    cusparseDestroyDnVec(vx);
    cusparseDestroyDnVec(vy);
    cusparseDestroyDnMat(mx);
    cusparseDestroyDnMat(my);
    return best;
}

static void compare(cusparseHandle_t handle, const struct product *product, double rate)
{
    const size_t element = element_of(product->type);
    const size_t dense = (size_t)product->rows * (size_t)product->columns * element;
    struct matrix matrix = make_matrix(product);
    void *x = allocate(dense), *y = allocate(dense);
    const double index_bytes = product->format == CUSPARSE_FORMAT_COO ? 8 : 4;
    const double bytes = (double)matrix.nnz * (index_bytes + (double)element) +
                         (product->format == CUSPARSE_FORMAT_COO ? 0 : 4.0 * product->rows) +
                         2 * (double)dense;
    struct times ours, plain = {1e9, 1e9};

    memset(x, 0, dense);
    for (int i = 0; i < ROUNDS / 3; i++) {
        struct times start = {bench_now(), bench_processor_time()};

        if (product->type == CUDA_R_32F)
            plain_float(product, &matrix, x, y);
        else
            plain_double(product, &matrix, x, y);
        keep_best(&plain, start);
    }
    ours = run_product(handle, product, &matrix, x, y);
    printf("%-4s %s %7d rows of %2d%s, %2d columns %7.2f ms %6.1f GB/s, %4.2f of memcpy; processor "
           "%7.2f ms, scipy's loop %7.2f ms, %4.2f x\n",
           product->name, product->type == CUDA_R_32F ? "f32" : "f64", product->rows, product->each,
           product->anywhere ? " anywhere" : "", product->columns, ours.wall * 1e3,
           bytes / ours.wall * 1e-9, bytes / ours.wall / rate, ours.processor * 1e3,
           plain.processor * 1e3, plain.processor / ours.processor);
    cudaFree(matrix.offsets);
    cudaFree(matrix.lines);
    cudaFree(matrix.indices);
    cudaFree(matrix.values);
    cudaFree(x);
    cudaFree(y);
}

#define LARGE (1 << 20)
#define SMALL (1 << 16)
#define CSR "CSR", CUSPARSE_FORMAT_CSR
#define COO "COO", CUSPARSE_FORMAT_COO
#define CSC "CSC", CUSPARSE_FORMAT_CSC
#define SELL "SELL", CUSPARSE_FORMAT_SLICED_ELLPACK

static const struct product products[] = {
    {CSR, CUDA_R_32F, LARGE, 16, 1, false},  {CSR, CUDA_R_64F, LARGE, 16, 1, false},
    {CSR, CUDA_R_32F, LARGE, 16, 8, false},  {CSR, CUDA_R_32F, LARGE, 16, 32, false},
    {CSR, CUDA_R_64F, LARGE, 16, 32, false}, {COO, CUDA_R_32F, LARGE, 16, 1, false},
    {SELL, CUDA_R_32F, LARGE, 16, 1, false}, {CSR, CUDA_R_32F, SMALL, 3, 1, false},
    {CSR, CUDA_R_32F, SMALL, 3, 1, true},    {CSR, CUDA_R_64F, SMALL, 3, 1, false},
    {CSR, CUDA_R_64F, SMALL, 3, 1, true},    {CSR, CUDA_R_32F, SMALL, 16, 1, true},
    {COO, CUDA_R_32F, SMALL, 3, 1, false},   {COO, CUDA_R_32F, SMALL, 3, 1, true},
    {COO, CUDA_R_32F, SMALL, 16, 1, false},  {COO, CUDA_R_64F, SMALL, 16, 1, true},
    {CSC, CUDA_R_32F, SMALL, 16, 1, true},   {CSC, CUDA_R_32F, SMALL, 16, 2, true},
    {CSC, CUDA_R_32F, SMALL, 16, 4, true},   {CSC, CUDA_R_32F, SMALL, 16, 8, true},
    {CSR, CUDA_R_32F, SMALL, 3, 8, true},    {CSR, CUDA_R_32F, SMALL, 16, 8, true},
    {CSR, CUDA_R_32F, SMALL, 2, 2, true},    {CSR, CUDA_R_32F, SMALL, 2, 3, true},
    {CSR, CUDA_R_32F, SMALL, 2, 5, true},    {CSR, CUDA_R_32F, SMALL, 2, 7, true},
    {CSR, CUDA_R_32F, SMALL, 5, 7, true},    {CSR, CUDA_R_32F, SMALL, 16, 7, true},
    {CSR, CUDA_R_64F, SMALL, 2, 2, true},    {CSR, CUDA_R_64F, SMALL, 2, 3, true},
    {CSR, CUDA_R_64F, SMALL, 2, 5, true},    {CSR, CUDA_R_64F, SMALL, 2, 7, true},
    {CSR, CUDA_R_64F, SMALL, 5, 7, true},    {CSR, CUDA_R_64F, SMALL, 16, 7, true},
    {COO, CUDA_R_32F, SMALL, 1, 1, true},    {COO, CUDA_R_64F, SMALL, 3, 1, true},
    {COO, CUDA_R_64F, LARGE, 16, 1, false},  {COO, CUDA_R_32F, SMALL, 40, 1, true},
    {SELL, CUDA_R_32F, SMALL, 16, 1, false}, {SELL, CUDA_R_64F, SMALL, 16, 1, false},
};

int main(void)
{
    cusparseHandle_t handle;
    double rate = copy_rate();

    if (cusparseCreate(&handle) != CUSPARSE_STATUS_SUCCESS)
        return 1;
    printf("memcpy %6.1f GB/s, read and written\n", rate * 1e-9);
    for (size_t i = 0; i < sizeof(products) / sizeof(*products); i++)
        compare(handle, &products[i], rate);
    cusparseDestroy(handle);
    return 0;
}
