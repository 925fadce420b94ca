/* SPDX-License-Identifier: MIT */
/* Products that several threads share, against plain loops: rows without elements, one row with a
 * third of them, COO in and out of order, and a result that holds NaN where beta is 0. */
#include "matrices.h"

enum { ROWS = 9000, COLS = 7000, EACH = 7, LONG = ROWS / 3, MOST = ROWS * EACH + COLS };

/* Triples in order of rows, or of columns. */
struct triples {
    int count;
    int32_t major[MOST], minor[MOST], start[ROWS + COLS + 1];
    double value[MOST];
};

/* Every third line is empty; line LONG has an element in each place. */
static struct triples *triples_new(int lines, int places)
{
    struct triples *t = calloc(1, sizeof(*t));

    for (int line = 0; line < lines; line++) {
        int count = line == LONG ? places : line % 3 == 1 ? 0 : EACH;

        for (int i = 0; i < count; i++) {
            t->major[t->count] = line;
            t->minor[t->count] = line == LONG ? i : number_from(0, places - 1);
            t->value[t->count++] = number_from(-8, 8) / 8.0;
        }
        t->start[line + 1] = t->count;
    }
    return t;
}

static void swap(struct triples *t, int a, int b)
{
    int32_t major = t->major[a], minor = t->minor[a];
    double value = t->value[a];

    t->major[a] = t->major[b];
    t->minor[a] = t->minor[b];
    t->value[a] = t->value[b];
    t->major[b] = major;
    t->minor[b] = minor;
    t->value[b] = value;
}

/* y = 2 A x + beta y with `columns` columns by rows; `ld` leaves gaps. */
static void check_large(cusparseSpMatDescr_t matrix, const struct triples *t, bool is_csc,
                        int columns, double beta)
{
    const int ld = columns + (columns > 1), rows = ROWS;
    cusparseHandle_t handle = new_handle();
    double *x = malloc(sizeof(double) * COLS * (size_t)ld),
           *y = malloc(sizeof(double) * ROWS * (size_t)ld),
           *expected = calloc((size_t)(rows * ld), sizeof(double)), alpha = 2;
    void *device_x, *device_y, *buffer;
    cusparseDnMatDescr_t mx, my;
    size_t size = 0;

    for (int i = 0; i < COLS * ld; i++)
        x[i] = number_from(-8, 8) / 8.0;
    for (int i = 0; i < rows * ld; i++)
        y[i] = beta ? number_from(-8, 8) / 8.0 : NAN;
    for (int k = 0; k < t->count; k++) {
        int row = is_csc ? t->minor[k] : t->major[k], column = is_csc ? t->major[k] : t->minor[k];

        for (int j = 0; j < columns; j++)
            expected[row * ld + j] += t->value[k] * x[column * ld + j];
    }
    device_x = device_copy(x, sizeof(double) * COLS * (size_t)ld);
    device_y = device_copy(y, sizeof(double) * ROWS * (size_t)ld);
    check_done(
        cusparseCreateDnMat(&mx, COLS, columns, ld, device_x, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    check_done(
        cusparseCreateDnMat(&my, ROWS, columns, ld, device_y, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    check_done(cusparseSpMM_bufferSize(handle, 0, 0, &alpha, matrix, mx, &beta, my, CUDA_R_64F,
                                       CUSPARSE_SPMM_ALG_DEFAULT, &size));
    buffer = device_copy(calloc(size + 1, 1), size);
    check_done(cusparseSpMM(handle, 0, 0, &alpha, matrix, mx, &beta, my, CUDA_R_64F,
                            CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    check_success(cuCtxSynchronize());
    for (int i = 0; i < rows * ld; i++)
        expected[i] = 2 * expected[i] + (beta ? beta * y[i] : 0);
    check_success(
        cuMemcpyDtoH(y, (CUdeviceptr)(uintptr_t)device_y, sizeof(double) * ROWS * (size_t)ld));
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            check(fabs(y[i * ld + j] - expected[i * ld + j]) < 1e-9);
    for (int i = 0; i < rows && ld > columns && !beta; i++)
        check(isnan(y[i * ld + columns]));
    check_done(cusparseDestroyDnMat(mx));
    check_done(cusparseDestroyDnMat(my));
    check_done(cusparseDestroy(handle));
    free(x), free(y), free(expected);
}

static void check_all(cusparseSpMatDescr_t matrix, const struct triples *t, bool is_csc)
{
    for (int beta = 0; beta < 2; beta++) {
        check_large(matrix, t, is_csc, 1, beta);
        check_large(matrix, t, is_csc, 3, beta);
        check_large(matrix, t, is_csc, 37, beta);
    }
    check_done(cusparseDestroySpMat(matrix));
}

static void *indices(const int32_t *from, int count)
{
    return device_copy(from, (size_t)count * sizeof(*from));
}

static void *values(const struct triples *t)
{
    return device_copy(t->value, (size_t)t->count * sizeof(double));
}

TEST(compressed_rows)
{
    struct triples *t = triples_new(ROWS, COLS);
    cusparseSpMatDescr_t matrix;

    with_context();
    check_done(cusparseCreateCsr(&matrix, ROWS, COLS, t->count, indices(t->start, ROWS + 1),
                                 indices(t->minor, t->count), values(t), CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    check_all(matrix, t, false);
}

TEST(compressed_columns)
{
    struct triples *t = triples_new(COLS, ROWS);
    cusparseSpMatDescr_t matrix;

    with_context();
    check_done(cusparseCreateCsc(&matrix, ROWS, COLS, t->count, indices(t->start, COLS + 1),
                                 indices(t->minor, t->count), values(t), CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    check_all(matrix, t, true);
}

static cusparseSpMatDescr_t coordinates(const struct triples *t)
{
    cusparseSpMatDescr_t matrix;

    check_done(cusparseCreateCoo(&matrix, ROWS, COLS, t->count, indices(t->major, t->count),
                                 indices(t->minor, t->count), values(t), CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    return matrix;
}

TEST(coordinates_in_order)
{
    struct triples *t = triples_new(ROWS, COLS);

    with_context();
    check_all(coordinates(t), t, false);
}

/* cuSPARSE asks for sorted rows. */
TEST(coordinates_out_of_order)
{
    struct triples *t = triples_new(ROWS, COLS);

    with_context();
    only_cupipe();
    for (int i = 0; i < t->count; i++)
        swap(t, i, number_from(0, t->count - 1));
    check_all(coordinates(t), t, false);
}

/* Elements in rows that the matrix has not are no part of it, and nothing is read for them. */
TEST(coordinates_outside)
{
    struct triples *t = triples_new(ROWS, COLS);
    cusparseSpMatDescr_t matrix;

    with_context();
    only_cupipe();
    t->major[t->count - 1] = ROWS + 5;
    t->major[0] = -3;
    matrix = coordinates(t);
    t->value[0] = t->value[t->count - 1] = 0;
    t->major[0] = t->major[t->count - 1] = 0;
    check_all(matrix, t, false);
}
