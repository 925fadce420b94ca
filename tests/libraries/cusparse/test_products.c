/* SPDX-License-Identifier: MIT */
/* SpMV, SpMM, SDDMM and SpGEMM against plain loops, over formats, operations, types and bases. */
#include "matrices.h"

/* Some of all vectors that the loops over columns have, of any type. */
enum { COLUMNS_MOST = 64 + 32 + 8 + 4 + 3 };

static const struct types {
    cudaDataType a, x, y, computed;
} types[] = {{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
             {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
             {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
             {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
             {CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F},
             {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F},
             {CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},
             {CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F},
             {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
             {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F}};

static const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC,
                                           CUSPARSE_FORMAT_COO, CUSPARSE_FORMAT_BSR};

static cusparseSpMatDescr_t random_sparse(struct dense *dense, cusparseFormat_t format,
                                          cudaDataType type, int variant)
{
    *dense = random_dense(type, 2 * number_from(1, SIDE / 2), 2 * number_from(1, SIDE / 2));
    if (format != CUSPARSE_FORMAT_BSR)
        return sparse_of(dense, format, type, variant & 1 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I,
                         variant >> 1 & 1);
    drop_blocks(dense);
    return blocks_of(dense, type, variant & 1 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL,
                     variant >> 1 & 1);
}

/* One product of `columns` columns, which are by rows or by columns in memory. */
static void check_product(cusparseHandle_t handle, const struct types *type,
                          cusparseFormat_t format, cusparseOperation_t op, int columns, int variant)
{
    struct dense a;
    cusparseSpMatDescr_t matrix = random_sparse(&a, format, type->a, variant);
    bool x_by_rows = variant >> 2 & 1, y_by_rows = variant >> 3 & 1;
    int m = op ? a.cols : a.rows, k = op ? a.rows : a.cols, x_ld, y_ld;
    double complex x[SIDE * COLUMNS_MOST], y[SIDE * COLUMNS_MOST];
    double complex turn = is_complex(type->computed) ? 0.5 * I : 0;
    double complex alpha = 2 + turn, beta = variant & 16 ? 1 - turn : 0;
    double scalars[4] = {0};
    void *device_x, *device_y;
    cusparseDnMatDescr_t mx, my;

    pack(type->computed, scalars, 0, alpha);
    pack(type->computed, scalars + 2, 0, beta);
    for (int i = 0; i < k * columns; i++)
        x[i] = random_value(type->x);
    for (int i = 0; i < m * columns; i++)
        y[i] = random_value(type->y == CUDA_R_32I ? CUDA_R_8I : type->y);
    device_x = upload(type->x, x, (size_t)(k * columns));
    device_y = upload(type->y, y, (size_t)(m * columns));
    x_ld = x_by_rows ? columns : k;
    y_ld = y_by_rows ? columns : m;
    check_done(cusparseCreateDnMat(&mx, k, columns, x_ld, device_x, type->x,
                                   x_by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
    check_done(cusparseCreateDnMat(&my, m, columns, y_ld, device_y, type->y,
                                   y_by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < columns; j++) {
            double complex sum = 0, *out = &y[y_by_rows ? i * y_ld + j : j * y_ld + i];

            for (int l = 0; l < k; l++)
                sum += element(&a, op, i, l) * x[x_by_rows ? l * x_ld + j : j * x_ld + l];
            *out = alpha * sum + beta * *out;
        }
    }
    if (columns == 1) {
        cusparseDnVecDescr_t vx, vy;

        check_done(cusparseCreateDnVec(&vx, k, device_x, type->x));
        check_done(cusparseCreateDnVec(&vy, m, device_y, type->y));
        check_done(cusparseSpMV(handle, op, scalars, matrix, vx, scalars + 2, vy, type->computed,
                                CUSPARSE_SPMV_ALG_DEFAULT, NULL));
        check_done(cusparseDestroyDnVec(vx));
        check_done(cusparseDestroyDnVec(vy));
    } else {
        check_done(cusparseSpMM(handle, op, CUSPARSE_OPERATION_NON_TRANSPOSE, scalars, matrix, mx,
                                scalars + 2, my, type->computed, CUSPARSE_SPMM_ALG_DEFAULT, NULL));
    }
    check_success(cuCtxSynchronize());
    check_values(type->y, device_y, y, (size_t)(m * columns), 8 * tolerance_of(type->y));
    check_done(cusparseDestroySpMat(matrix));
    check_done(cusparseDestroyDnMat(mx));
    check_done(cusparseDestroyDnMat(my));
    cuMemFree((CUdeviceptr)(uintptr_t)device_x);
    cuMemFree((CUdeviceptr)(uintptr_t)device_y);
}

static void check_products(int columns, int ops)
{
    cusparseHandle_t handle = new_handle();

    only_cupipe(); /* NVIDIA's needs a buffer, and has no transposed products of BSR */
    for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++)
        for (size_t f = 0; f < sizeof(formats) / sizeof(*formats); f++)
            for (int op = 0; op < ops; op++)
                for (int variant = 0; variant < 32; variant++) {
                    if (formats[f] == CUSPARSE_FORMAT_BSR && types[t].a != types[t].x)
                        continue;
                    check_product(handle, &types[t], formats[f], (cusparseOperation_t)op, columns,
                                  variant);
                }
    check_done(cusparseDestroy(handle));
}

TEST(spmv_is_the_plain_loop)
{
    check_products(1, 3);
}

TEST(spmm_is_the_plain_loop)
{
    check_products(5, 3);
}

TEST(spmm_of_many_columns_is_the_plain_loop)
{
    check_products(COLUMNS_MOST, 2);
}

TEST(sddmm_fills_the_places_of_the_matrix)
{
    cusparseHandle_t handle = new_handle();
    struct dense c = random_dense(CUDA_R_64F, 9, 11);
    cusparseSpMatDescr_t matrix =
        sparse_of(&c, CUSPARSE_FORMAT_CSR, CUDA_R_64F, CUSPARSE_INDEX_32I, 1);
    double complex a[9 * 6], b[6 * 11], expected[99];
    double alpha = 2, beta = -1;
    cusparseDnMatDescr_t ma, mb;
    void *values, *buffer;
    int64_t n = 0;

    for (int i = 0; i < 54; i++)
        a[i] = random_value(CUDA_R_64F);
    for (int i = 0; i < 66; i++)
        b[i] = random_value(CUDA_R_64F);
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 11; j++) {
            double complex sum = 0;

            for (int k = 0; k < 6; k++)
                sum += a[i * 6 + k] * b[j * 6 + k];
            if (c.values[i * 11 + j] != 0)
                expected[n++] = alpha * sum + beta * c.values[i * 11 + j];
        }
    }
    check_done(cusparseCreateDnMat(&ma, 9, 6, 6, upload(CUDA_R_64F, a, 54), CUDA_R_64F,
                                   CUSPARSE_ORDER_ROW));
    check_done(cusparseCreateDnMat(&mb, 6, 11, 6, upload(CUDA_R_64F, b, 66), CUDA_R_64F,
                                   CUSPARSE_ORDER_COL));
    buffer = device_copy(a, 4096 < sizeof(a) ? 4096 : sizeof(a));
    check_done(cusparseSDDMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                             CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, ma, mb, &beta, matrix,
                             CUDA_R_64F, CUSPARSE_SDDMM_ALG_DEFAULT, buffer));
    check_done(cusparseSpMatGetValues(matrix, &values));
    check_success(cuCtxSynchronize());
    check_values(CUDA_R_64F, values, expected, (size_t)n, 1e-12);
}

TEST(spgemm_is_the_dense_product)
{
    cusparseHandle_t handle = new_handle();
    struct dense a = random_dense(CUDA_C_64F, 13, 17), b = random_dense(CUDA_C_64F, 17, 12);
    cusparseSpMatDescr_t ma = sparse_of(&a, CUSPARSE_FORMAT_CSR, CUDA_C_64F, CUSPARSE_INDEX_32I, 0);
    cusparseSpMatDescr_t mb = sparse_of(&b, CUSPARSE_FORMAT_CSR, CUDA_C_64F, CUSPARSE_INDEX_32I, 0);
    double complex one = 1, zero = 0, dense[13 * 12];
    int64_t zeros[SIDE] = {0}, rows, cols, nnz;
    cusparseSpMatDescr_t mc;
    cusparseSpGEMMDescr_t descr;
    cusparseDnMatDescr_t md;
    size_t size = 0;
    void *buffer, *out, *offsets = upload_indices(CUSPARSE_INDEX_32I, zeros, 14);

    for (int i = 0; i < 13; i++)
        for (int j = 0; j < 12; j++) {
            dense[i * 12 + j] = 0;
            for (int k = 0; k < 17; k++)
                dense[i * 12 + j] += a.values[i * 17 + k] * b.values[k * 12 + j];
        }
    buffer = upload(CUDA_C_64F, dense, 156);
    out = upload(CUDA_C_64F, dense, 156);
    check_done(cusparseCreateCsr(&mc, 13, 12, 0, offsets, NULL, NULL, CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_C_64F));
    check_done(cusparseSpGEMM_createDescr(&descr));
    only_cupipe(); /* NVIDIA's needs larger buffers */
    check_done(cusparseSpGEMM_workEstimation(handle, 0, 0, &one, ma, mb, &zero, mc, CUDA_C_64F, 0,
                                             descr, &size, buffer));
    check_done(cusparseSpGEMM_compute(handle, 0, 0, &one, ma, mb, &zero, mc, CUDA_C_64F, 0, descr,
                                      &size, buffer));
    check_done(cusparseSpMatGetSize(mc, &rows, &cols, &nnz));
    check_done(cusparseCsrSetPointers(mc, offsets, upload(CUDA_C_64F, dense, 156),
                                      upload(CUDA_C_64F, dense, 156)));
    check_done(cusparseSpGEMM_copy(handle, 0, 0, &one, ma, mb, &zero, mc, CUDA_C_64F, 0, descr));
    check_done(cusparseSpGEMM_destroyDescr(descr));
    check_done(cusparseCreateDnMat(&md, 13, 12, 12, out, CUDA_C_64F, CUSPARSE_ORDER_ROW));
    check_done(cusparseSparseToDense(handle, mc, md, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer));
    check_success(cuCtxSynchronize());
    check_values(CUDA_C_64F, out, dense, 156, 1e-12);
}

/* Sliced ELL: rows of a slice beside each other, padded with -1. */
TEST(sliced_ell_skips_its_padding)
{
    cusparseHandle_t handle = new_handle();
    const int64_t offsets[] = {0, 6}, indices[] = {0, 2, 1, -1, -1, 2};
    const double complex values[] = {1, 2, 3, 99, 99, 4}, x[] = {1, 10, 100};
    const double complex expected[] = {31, 200 + 400};
    float one = 1, zero = 0;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t vx, vy;
    void *y = upload(CUDA_R_32F, x, 2);

    check_done(cusparseCreateSlicedEll(
        &matrix, 2, 3, 4, 6, 2, upload_indices(CUSPARSE_INDEX_32I, offsets, 2),
        upload_indices(CUSPARSE_INDEX_32I, indices, 6), upload(CUDA_R_32F, values, 6),
        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    check_done(cusparseCreateDnVec(&vx, 3, upload(CUDA_R_32F, x, 3), CUDA_R_32F));
    check_done(cusparseCreateDnVec(&vy, 2, y, CUDA_R_32F));
    only_cupipe();
    check_done(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vx, &zero, vy,
                            CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL));
    check_success(cuCtxSynchronize());
    check_values(CUDA_R_32F, y, expected, 2, 1e-6);
}

/* Blocked ELL: as many blocks in each row of blocks, padded with -1. */
TEST(blocked_ell_skips_its_padding)
{
    enum { ROWS = 4, COLS = 6, STORED = 4, WIDE = 5 };
    cusparseHandle_t handle = new_handle();
    const int64_t indices[] = {2, 0, 1, -1};
    const double complex values[] = {1, 2, 3, 4, 5, 6, 7, 8, 1, -1, 99, 99, 2, -2, 99, 99};
    double complex x[COLS * WIDE] = {0}, expected[ROWS * WIDE];
    float one = 1, zero = 0;
    cusparseSpMatDescr_t matrix;
    cusparseDnMatDescr_t mx, my;
    void *y = upload(CUDA_R_32F, x, ROWS * WIDE), *buffer;
    int64_t rows, cols, nnz;
    size_t size;

    for (int i = 0; i < COLS * WIDE; i++)
        x[i] = i % 7 - 3;
    for (int i = 0; i < ROWS * WIDE; i++) {
        int row = i / WIDE, j = i % WIDE;

        expected[i] = 0;
        for (int k = 0; k < STORED; k++) {
            int64_t block = indices[row / BLOCK * 2 + k / BLOCK];

            if (block >= 0)
                expected[i] += values[row * STORED + k] * x[(block * BLOCK + k % BLOCK) * WIDE + j];
        }
    }
    check_done(cusparseCreateBlockedEll(&matrix, ROWS, COLS, BLOCK, STORED,
                                        upload_indices(CUSPARSE_INDEX_32I, indices, 4),
                                        upload(CUDA_R_32F, values, ROWS * STORED),
                                        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    check_done(cusparseSpMatGetSize(matrix, &rows, &cols, &nnz));
    check(rows == ROWS && cols == COLS && nnz == ROWS * COLS * BLOCK);
    check_done(cusparseCreateDnMat(&mx, COLS, WIDE, WIDE, upload(CUDA_R_32F, x, COLS * WIDE),
                                   CUDA_R_32F, CUSPARSE_ORDER_ROW));
    check_done(cusparseCreateDnMat(&my, ROWS, WIDE, WIDE, y, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    check_done(cusparseSpMM_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                       CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, mx, &zero,
                                       my, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &size));
    buffer = device_memory(size + 1);
    only_cupipe(); /* NVIDIA's product is another: padding that is not zero may count there */
    check_done(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                            CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, mx, &zero, my,
                            CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    check_success(cuCtxSynchronize());
    check_values(CUDA_R_32F, y, expected, ROWS * WIDE, 1e-6);
}

TEST(blocks_that_do_not_fit_are_refused)
{
    cusparseSpMatDescr_t matrix;
    void *memory;

    new_handle();
    memory = device_memory(1024);
    check_status(cusparseCreateBlockedEll(&matrix, 8, 8, 3, 3, memory, memory, CUSPARSE_INDEX_32I,
                                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
                 CUSPARSE_STATUS_INVALID_VALUE);
    check_status(cusparseCreateBlockedEll(&matrix, 8, 6, 4, 4, memory, memory, CUSPARSE_INDEX_32I,
                                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
                 CUSPARSE_STATUS_INVALID_VALUE);
    check_status(cusparseCreateBlockedEll(&matrix, 8, 8, 2, 3, memory, memory, CUSPARSE_INDEX_32I,
                                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
                 CUSPARSE_STATUS_INVALID_VALUE);
    check_status(cusparseCreateBsr(&matrix, 3, 2, 4, 2, 3, memory, memory, memory,
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                   CUDA_R_32F, CUSPARSE_ORDER_ROW),
                 CUSPARSE_STATUS_INVALID_VALUE);
}

/* Half of the rows need none but their own number, the others rows of the first half: two levels
 * that are worth several threads. */
TEST(wide_levels_are_solved_together)
{
    enum { COUNT = 40000, EACH = 3 };
    cusparseHandle_t handle = new_handle();
    int64_t *offsets = malloc((COUNT + 1) * sizeof(*offsets)), place = 0;
    int64_t *indices = malloc(COUNT * (EACH + 1) * sizeof(*indices));
    double complex *values = malloc(COUNT * (EACH + 1) * sizeof(*values));
    double complex *x = malloc(COUNT * sizeof(*x)), *expected = malloc(COUNT * sizeof(*expected));
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t vx, vy;
    cusparseSpSVDescr_t descr;
    double one = 1;
    void *y = device_memory(COUNT * 8);
    size_t size;

    for (int row = 0; row < COUNT; row++) {
        offsets[row] = place;
        x[row] = expected[row] = row % 5 + 1;
        for (int k = 0; row >= COUNT / 2 && k < EACH; k++, place++) {
            indices[place] = number_from(0, COUNT / 2 - 1);
            values[place] = 0.5;
            expected[row] -= 0.5 * expected[indices[place]];
        }
        indices[place] = row;
        values[place++] = 4;
        expected[row] /= 4;
    }
    offsets[COUNT] = place;
    check_done(cusparseCreateCsr(&matrix, COUNT, COUNT, place,
                                 upload_indices(CUSPARSE_INDEX_32I, offsets, COUNT + 1),
                                 upload_indices(CUSPARSE_INDEX_32I, indices, (size_t)place),
                                 upload(CUDA_R_64F, values, (size_t)place), CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    check_done(cusparseCreateDnVec(&vx, COUNT, upload(CUDA_R_64F, x, COUNT), CUDA_R_64F));
    check_done(cusparseCreateDnVec(&vy, COUNT, y, CUDA_R_64F));
    check_done(cusparseSpSV_createDescr(&descr));
    check_done(cusparseSpSV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vx,
                                       vy, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, descr, &size));
    check_done(cusparseSpSV_analysis(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vx, vy,
                                     CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, descr,
                                     device_memory(size)));
    check_done(cusparseSpSV_solve(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vx, vy,
                                  CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, descr));
    check_success(cuCtxSynchronize());
    check_done(cusparseSpSV_destroyDescr(descr));
    check_values(CUDA_R_64F, y, expected, COUNT, 1e-12);
}
