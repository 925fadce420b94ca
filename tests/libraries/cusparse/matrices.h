/* SPDX-License-Identifier: MIT */
/* Random matrices as dense arrays of complex doubles, with which the plain loops of the tests
 * compute, and the same in the formats and types of cuSPARSE. Values are multiples of 1/8 and
 * small, so that every type has them. */
#ifndef MATRICES_H
#define MATRICES_H

#include "test.h"

#include <complex.h>
#include <cusparse.h>
#include <math.h>

#define check_done(call) check((call) == CUSPARSE_STATUS_SUCCESS)
#define check_status(call, expected) check((call) == (expected))

enum { SIDE = 24, SLICE = 4, BLOCK = 2 };

static inline unsigned next_number(void)
{
    static unsigned state = 4711;

    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static inline int number_from(int low, int high)
{
    return low + (int)(next_number() % (unsigned)(high - low + 1));
}

static inline bool is_complex(cudaDataType type)
{
    return type == CUDA_C_32F || type == CUDA_C_64F || type == CUDA_C_16F || type == CUDA_C_16BF;
}

static inline double complex random_value(cudaDataType type)
{
    double re = number_from(-16, 16), im = is_complex(type) ? number_from(-16, 16) : 0;

    return type == CUDA_R_8I ? re : (re + im * I) / 8;
}

static inline size_t bytes_of(cudaDataType type)
{
    switch (type) {
    case CUDA_R_8I:
        return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_64F:
    case CUDA_C_32F:
        return 8;
    case CUDA_C_64F:
        return 16;
    default:
        return 4;
    }
}

/* Small multiples of 1/8 have the same bits in f16 and bf16 as the upper bits of a float, but for
 * the exponent. */
static inline uint16_t to_16(cudaDataType type, double value)
{
    float number = (float)value;
    uint32_t bits;

    memcpy(&bits, &number, sizeof(bits));
    if (type == CUDA_R_16BF || !value)
        return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10) |
                      (bits >> 13 & 1023));
}

static inline double from_16(cudaDataType type, uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float number;

    if (type != CUDA_R_16BF) {
        int exponent = half >> 10 & 31;
        double value =
            exponent ? ldexp(1024 + (half & 1023), exponent - 25) : ldexp(half & 1023, -24);

        return half & 0x8000 ? -value : value;
    }
    memcpy(&number, &bits, sizeof(number));
    return number;
}

static inline void pack(cudaDataType type, void *to, size_t i, double complex value)
{
    if (type == CUDA_R_8I)
        ((int8_t *)to)[i] = (int8_t)creal(value);
    else if (type == CUDA_R_32I)
        ((int32_t *)to)[i] = (int32_t)creal(value);
    else if (type == CUDA_R_16F || type == CUDA_R_16BF)
        ((uint16_t *)to)[i] = to_16(type, creal(value));
    else if (type == CUDA_R_32F)
        ((float *)to)[i] = (float)creal(value);
    else if (type == CUDA_R_64F)
        ((double *)to)[i] = creal(value);
    else if (type == CUDA_C_32F)
        ((float complex *)to)[i] = (float complex)value;
    else
        ((double complex *)to)[i] = value;
}

static inline double complex unpack(cudaDataType type, const void *from, size_t i)
{
    if (type == CUDA_R_8I)
        return ((const int8_t *)from)[i];
    if (type == CUDA_R_32I)
        return ((const int32_t *)from)[i];
    if (type == CUDA_R_16F || type == CUDA_R_16BF)
        return from_16(type, ((const uint16_t *)from)[i]);
    if (type == CUDA_R_32F)
        return ((const float *)from)[i];
    if (type == CUDA_R_64F)
        return ((const double *)from)[i];
    if (type == CUDA_C_32F)
        return ((const float complex *)from)[i];
    return ((const double complex *)from)[i];
}

static inline void *device_copy(const void *host, size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes ? bytes : 1));
    check_success(cuMemcpyHtoD(memory, host, bytes));
    return (void *)(uintptr_t)memory;
}

static inline void *upload(cudaDataType type, const double complex *values, size_t count)
{
    char *packed = calloc(count + 1, bytes_of(type));
    void *memory;

    for (size_t i = 0; i < count; i++)
        pack(type, packed, i, values[i]);
    memory = device_copy(packed, count * bytes_of(type));
    free(packed);
    return memory;
}

static inline void *upload_indices(cusparseIndexType_t type, const int64_t *indices, size_t count)
{
    int32_t *narrow = calloc(count + 1, sizeof(*narrow));
    void *memory;

    for (size_t i = 0; i < count; i++)
        narrow[i] = (int32_t)indices[i];
    memory = type == CUSPARSE_INDEX_64I ? device_copy(indices, count * sizeof(*indices))
                                        : device_copy(narrow, count * sizeof(*narrow));
    free(narrow);
    return memory;
}

/* The memory of the device has the values, within `tolerance`. */
static inline void check_values(cudaDataType type, const void *memory,
                                const double complex *expected, size_t count, double tolerance)
{
    char *host = calloc(count + 1, bytes_of(type));

    check_success(cuMemcpyDtoH(host, (CUdeviceptr)(uintptr_t)memory, count * bytes_of(type)));
    for (size_t i = 0; i < count; i++)
        check(cabs(unpack(type, host, i) - expected[i]) <= tolerance * (1 + cabs(expected[i])));
    free(host);
}

static inline double tolerance_of(cudaDataType type)
{
    if (type == CUDA_R_16BF)
        return 2e-2;
    return type == CUDA_R_16F ? 2e-3 : bytes_of(type) == 16 || type == CUDA_R_64F ? 1e-12 : 1e-5;
}

/* A matrix by rows. A third of its elements are not zero, and its middle row is empty. */
struct dense {
    int rows, cols;
    double complex values[SIDE * SIDE];
};

static inline struct dense random_dense(cudaDataType type, int rows, int cols)
{
    struct dense dense = {.rows = rows, .cols = cols};

    for (int i = 0; i < rows * cols; i++)
        if (number_from(0, 2) == 0 && i / cols != rows / 2)
            dense.values[i] = random_value(type);
    return dense;
}

/* The matrix in a format; blocks and slices are those that are not empty. */
static inline cusparseSpMatDescr_t sparse_of(const struct dense *dense, cusparseFormat_t format,
                                             cudaDataType type, cusparseIndexType_t index_type,
                                             int base)
{
    int64_t offsets[SIDE * SIDE + 1], indices[SIDE * SIDE], n = 0;
    double complex values[SIDE * SIDE];
    bool by_columns = format == CUSPARSE_FORMAT_CSC, coo = format == CUSPARSE_FORMAT_COO;
    int lines = by_columns ? dense->cols : dense->rows;
    int count = by_columns ? dense->rows : dense->cols;
    cusparseSpMatDescr_t matrix = NULL;
    void *o, *x, *v;

    for (int i = 0; i < lines; i++) {
        if (!coo)
            offsets[i] = n + base;
        for (int j = 0; j < count; j++) {
            double complex value =
                dense->values[by_columns ? j * dense->cols + i : i * dense->cols + j];

            if (value == 0)
                continue;
            if (coo)
                offsets[n] = i + base;
            indices[n] = j + base;
            values[n++] = value;
        }
    }
    if (!coo)
        offsets[lines] = n + base;
    o = upload_indices(index_type, offsets, (size_t)(coo ? n : lines + 1));
    x = upload_indices(index_type, indices, (size_t)n);
    v = upload(type, values, (size_t)n);
    if (coo)
        check_done(cusparseCreateCoo(&matrix, dense->rows, dense->cols, n, o, x, v, index_type,
                                     (cusparseIndexBase_t)base, type));
    else
        check_done((by_columns ? cusparseCreateCsc : cusparseCreateCsr)(
            &matrix, dense->rows, dense->cols, n, o, x, v, index_type, index_type,
            (cusparseIndexBase_t)base, type));
    return matrix;
}

/* The same in blocks of BLOCK x BLOCK, by rows or columns. */
static inline cusparseSpMatDescr_t blocks_of(const struct dense *dense, cudaDataType type,
                                             cusparseOrder_t order, int base)
{
    int64_t offsets[SIDE + 1], indices[SIDE * SIDE], n = 0;
    double complex values[SIDE * SIDE];
    cusparseSpMatDescr_t matrix = NULL;
    int rows = dense->rows / BLOCK, cols = dense->cols / BLOCK;

    for (int i = 0; i < rows; i++) {
        offsets[i] = n + base;
        for (int j = i % 2; j < cols; j++) {
            indices[n] = j + base;
            for (int k = 0; k < BLOCK * BLOCK; k++) {
                int r = order == CUSPARSE_ORDER_ROW ? k / BLOCK : k % BLOCK;
                int c = order == CUSPARSE_ORDER_ROW ? k % BLOCK : k / BLOCK;

                values[n * BLOCK * BLOCK + k] =
                    dense->values[(i * BLOCK + r) * dense->cols + j * BLOCK + c];
            }
            n++;
        }
    }
    offsets[rows] = n + base;
    check_done(cusparseCreateBsr(&matrix, rows, cols, n, BLOCK, BLOCK,
                                 upload_indices(CUSPARSE_INDEX_32I, offsets, (size_t)rows + 1),
                                 upload_indices(CUSPARSE_INDEX_32I, indices, (size_t)n),
                                 upload(type, values, (size_t)(n * BLOCK * BLOCK)),
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, (cusparseIndexBase_t)base,
                                 type, order));
    return matrix;
}

/* What blocks_of() leaves out: the first blocks of odd block rows. */
static inline void drop_blocks(struct dense *dense)
{
    for (int i = 0; i < dense->rows; i++)
        for (int j = 0; j < BLOCK && i / BLOCK % 2; j++)
            dense->values[i * dense->cols + j] = 0;
}

static inline double complex element(const struct dense *dense, cusparseOperation_t op, int i,
                                     int j)
{
    double complex value =
        op ? dense->values[j * dense->cols + i] : dense->values[i * dense->cols + j];

    return op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conj(value) : value;
}

static inline cusparseHandle_t new_handle(void)
{
    cusparseHandle_t handle = NULL;

    with_context();
    check_done(cusparseCreate(&handle));
    return handle;
}

static inline void *device_memory(size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes));
    return (void *)(uintptr_t)memory;
}

#endif
