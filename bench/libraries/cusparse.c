/* SPDX-License-Identifier: MIT */
/* SpMV and SpMM of CSR beside the loops of scipy.sparse, and beside the time in which memcpy moves
 * the bytes that the product must touch: the matrix, the vectors or dense matrices once each.
 * Prints milliseconds, gigabytes a second, and both ratios. memcpy and the plain loop have one
 * thread. The matrix has a few bands of elements near the diagonal, as matrices of meshes do, and
 * does not fit into the caches. */
#include "bench.h"

#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1 << 20, EACH = 16, SPREAD = 512, ROUNDS = 15, COLUMNS = 32 };

static void *allocate(size_t bytes)
{
    void *memory = NULL;

    if (cudaMalloc(&memory, bytes) != cudaSuccess)
        exit(1);
    return memory;
}

struct matrix {
    int *offsets, *indices;
    void *values;
    size_t element;
};

/* The memory of the device is the host's, so that the plain loops read the same arrays. */
static struct matrix make_matrix(size_t element)
{
    struct matrix matrix = {.element = element};
    unsigned state = 1;
    int64_t place = 0;

    matrix.offsets = allocate((ROWS + 1) * sizeof(int));
    matrix.indices = allocate((size_t)ROWS * EACH * sizeof(int));
    matrix.values = allocate((size_t)ROWS * EACH * element);
    for (int row = 0; row < ROWS; row++) {
        int column = row > SPREAD ? row - SPREAD : 0;

        matrix.offsets[row] = (int)place;
        for (int i = 0; i < EACH; i++, place++) {
            state = state * 1664525u + 1013904223u;
            column += 1 + (int)(state >> 8) % (2 * SPREAD / EACH);
            matrix.indices[place] = column < ROWS ? column : ROWS - EACH + i;
            if (element == sizeof(float))
                ((float *)matrix.values)[place] = (float)(state >> 20) / 4096;
            else
                ((double *)matrix.values)[place] = (double)(state >> 20) / 4096;
        }
    }
    matrix.offsets[ROWS] = (int)place;
    return matrix;
}

/* The loops of scipy.sparse for vectors and for matrices: the latter adds multiples of whole rows.
 */
#define PLAIN(name, type)                                                                          \
    static void name(const struct matrix *matrix, const void *x, void *y, int columns)             \
    {                                                                                              \
        const type *values = matrix->values, *in = x;                                              \
        type *out = y;                                                                             \
                                                                                                   \
        for (int row = 0; row < ROWS; row++, out += columns) {                                     \
            type sum = 0;                                                                          \
                                                                                                   \
            for (int k = matrix->offsets[row]; columns == 1 && k < matrix->offsets[row + 1]; k++)  \
                sum += values[k] * in[matrix->indices[k]];                                         \
            if (columns == 1)                                                                      \
                out[0] = sum;                                                                      \
            else                                                                                   \
                memset(out, 0, (size_t)columns * sizeof(type));                                    \
            for (int k = matrix->offsets[row]; columns > 1 && k < matrix->offsets[row + 1]; k++)   \
                for (int j = 0; j < columns; j++)                                                  \
                    out[j] += values[k] * in[(int64_t)matrix->indices[k] * columns + j];           \
        }                                                                                          \
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

static double product(cusparseHandle_t handle, const struct matrix *matrix, void *x, void *y,
                      int columns, cudaDataType type)
{
    const float one = 1, zero = 0;
    const double one_double = 1, zero_double = 0;
    const void *alpha = type == CUDA_R_32F ? (const void *)&one : &one_double;
    const void *beta = type == CUDA_R_32F ? (const void *)&zero : &zero_double;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t vx, vy;
    cusparseDnMatDescr_t mx, my;
    double best = 1e9;

    cusparseCreateCsr(&a, ROWS, ROWS, (int64_t)ROWS * EACH, matrix->offsets, matrix->indices,
                      matrix->values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, type);
    cusparseCreateDnVec(&vx, ROWS, x, type);
    cusparseCreateDnVec(&vy, ROWS, y, type);
    cusparseCreateDnMat(&mx, ROWS, columns, columns, x, type, CUSPARSE_ORDER_ROW);
    cusparseCreateDnMat(&my, ROWS, columns, columns, y, type, CUSPARSE_ORDER_ROW);
    for (int i = 0; i < ROUNDS; i++) {
        double start = bench_now();

        if (columns == 1)
            cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a, vx, beta, vy, type,
                         CUSPARSE_SPMV_ALG_DEFAULT, NULL);
        else
            cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                         alpha, a, mx, beta, my, type, CUSPARSE_SPMM_ALG_DEFAULT, NULL);
        cudaDeviceSynchronize();
        if (bench_now() - start < best)
            best = bench_now() - start;
    }
    cusparseDestroySpMat(a);
    cusparseDestroyDnVec(vx);
    cusparseDestroyDnVec(vy);
    cusparseDestroyDnMat(mx);
    cusparseDestroyDnMat(my);
    return best;
}

static void compare(cusparseHandle_t handle, cudaDataType type, int columns, double rate)
{
    size_t element = type == CUDA_R_32F ? sizeof(float) : sizeof(double);
    struct matrix matrix = make_matrix(element);
    void *x = allocate((size_t)ROWS * (size_t)columns * element);
    void *y = allocate((size_t)ROWS * (size_t)columns * element);
    double bytes =
        (double)ROWS * (EACH * (4.0 + (double)element) + 4 + 2.0 * columns * (double)element);
    double ours, plain = 1e9;

    memset(x, 0, (size_t)ROWS * (size_t)columns * element);
    for (int i = 0; i < 3; i++) {
        double start = bench_now();

        (type == CUDA_R_32F ? plain_float : plain_double)(&matrix, x, y, columns);
        if (bench_now() - start < plain)
            plain = bench_now() - start;
    }
    ours = product(handle, &matrix, x, y, columns, type);
    printf(
        "%s %s %3d columns %8.2f ms %6.1f GB/s, %4.2f of memcpy; scipy's loop %8.2f ms, %4.1f x\n",
        columns == 1 ? "SpMV" : "SpMM", type == CUDA_R_32F ? "f32" : "f64", columns, ours * 1e3,
        bytes / ours * 1e-9, bytes / ours / rate, plain * 1e3, plain / ours);
    cudaFree(matrix.offsets);
    cudaFree(matrix.indices);
    cudaFree(matrix.values);
    cudaFree(x);
    cudaFree(y);
}

int main(void)
{
    cusparseHandle_t handle;
    double rate = copy_rate();

    if (cusparseCreate(&handle) != CUSPARSE_STATUS_SUCCESS)
        return 1;
    printf("memcpy %6.1f GB/s, read and written\n", rate * 1e-9);
    compare(handle, CUDA_R_32F, 1, rate);
    compare(handle, CUDA_R_64F, 1, rate);
    compare(handle, CUDA_R_32F, 8, rate);
    compare(handle, CUDA_R_32F, COLUMNS, rate);
    compare(handle, CUDA_R_64F, COLUMNS, rate);
    cusparseDestroy(handle);
    return 0;
}
