/* SPDX-License-Identifier: MIT */
/* SpMV and SpMM of matrices with rows of all lengths, equal and different ones, in CSR, COO and
 * sliced ELL, against plain loops. There are enough elements for several threads. */
#include "matrices.h"

enum { ROWS = 3001, COLS = 997, EACH_MOST = 40, LONG_ROW_ELEMENTS = 2500, COLUMNS_MOST = 7 };

/* How many elements rows have. */
enum lengths { EQUAL, SHORT, MIXED, ONE_LONG, ONLY_LAST, LENGTHS };

struct rows {
    int64_t offsets[ROWS + 1], *row, *column;
    double complex *values;
    int64_t nnz;
};

static int length_of(enum lengths lengths, int each, int row)
{
    switch (lengths) {
    case EQUAL:
        return each;
    case SHORT:
        return number_from(0, 5);
    case MIXED:
        return number_from(0, 3) ? number_from(0, EACH_MOST) : 0;
    case ONE_LONG:
        return row == ROWS / 2 ? LONG_ROW_ELEMENTS : number_from(0, 4);
    default:
        return row == ROWS - 1 ? 3 : 0;
    }
}

static struct rows *random_rows(cudaDataType type, enum lengths lengths, int each)
{
    struct rows *rows = calloc(1, sizeof(*rows));
    const size_t most = (size_t)ROWS * EACH_MOST + LONG_ROW_ELEMENTS;

    rows->row = calloc(most, sizeof(*rows->row));
    rows->column = calloc(most, sizeof(*rows->column));
    rows->values = calloc(most, sizeof(*rows->values));
    for (int r = 0; r < ROWS; r++) {
        for (int i = length_of(lengths, each, r); i > 0; i--) {
            rows->row[rows->nnz] = r;
            rows->column[rows->nnz] = number_from(0, COLS - 1);
            rows->values[rows->nnz++] = random_value(type);
        }
        rows->offsets[r + 1] = rows->nnz;
    }
    return rows;
}

static void free_rows(struct rows *rows)
{
    free(rows->row);
    free(rows->column);
    free(rows->values);
    free(rows);
}

static void add_base(int64_t *array, int64_t count, int base)
{
    for (int64_t i = 0; i < count; i++)
        array[i] += base;
}

static void swap_elements(struct rows *rows, int64_t i, int64_t j)
{
    int64_t row = rows->row[i], column = rows->column[i];
    double complex value = rows->values[i];

    rows->row[i] = rows->row[j];
    rows->column[i] = rows->column[j];
    rows->values[i] = rows->values[j];
    rows->row[j] = row;
    rows->column[j] = column;
    rows->values[j] = value;
}

static cusparseSpMatDescr_t compressed(struct rows *rows, cudaDataType type,
                                       cusparseIndexType_t index_type, int base)
{
    cusparseSpMatDescr_t matrix;

    add_base(rows->offsets, ROWS + 1, base);
    add_base(rows->column, rows->nnz, base);
    check_done(cusparseCreateCsr(&matrix, ROWS, COLS, rows->nnz,
                                 upload_indices(index_type, rows->offsets, ROWS + 1),
                                 upload_indices(index_type, rows->column, (size_t)rows->nnz),
                                 upload(type, rows->values, (size_t)rows->nnz), index_type,
                                 index_type, (cusparseIndexBase_t)base, type));
    return matrix;
}

static cusparseSpMatDescr_t coordinates(struct rows *rows, cudaDataType type,
                                        cusparseIndexType_t index_type, int base)
{
    cusparseSpMatDescr_t matrix;

    add_base(rows->row, rows->nnz, base);
    add_base(rows->column, rows->nnz, base);
    check_done(cusparseCreateCoo(&matrix, ROWS, COLS, rows->nnz,
                                 upload_indices(index_type, rows->row, (size_t)rows->nnz),
                                 upload_indices(index_type, rows->column, (size_t)rows->nnz),
                                 upload(type, rows->values, (size_t)rows->nnz), index_type,
                                 (cusparseIndexBase_t)base, type));
    return matrix;
}

/* Slices of `height` rows by columns, padded with -1; the last one is padded with rows, too. */
static cusparseSpMatDescr_t slices(const struct rows *rows, cudaDataType type,
                                   cusparseIndexType_t index_type, int base, int height)
{
    const int count = (ROWS + height - 1) / height;
    const size_t most = (size_t)(ROWS + height) * (EACH_MOST + 1);
    int64_t *offsets = calloc((size_t)count + 1, sizeof(*offsets)), stored = 0;
    int64_t *columns = malloc(most * sizeof(*columns));
    double complex *values = malloc(most * sizeof(*values));
    cusparseSpMatDescr_t matrix;

    for (int slice = 0; slice < count; slice++) {
        int64_t width = 0;

        offsets[slice] = stored + base;
        for (int r = slice * height; r < ROWS && r < (slice + 1) * height; r++)
            if (rows->offsets[r + 1] - rows->offsets[r] > width)
                width = rows->offsets[r + 1] - rows->offsets[r];
        for (int64_t j = 0; j < width; j++)
            for (int r = slice * height; r < (slice + 1) * height; r++, stored++) {
                bool there = r < ROWS && j < rows->offsets[r + 1] - rows->offsets[r];

                columns[stored] = there ? rows->column[rows->offsets[r] + j] + base : -1;
                values[stored] = there ? rows->values[rows->offsets[r] + j] : 1;
            }
    }
    offsets[count] = stored + base;
    check_done(cusparseCreateSlicedEll(&matrix, ROWS, COLS, rows->nnz, stored, height,
                                       upload_indices(index_type, offsets, (size_t)count + 1),
                                       upload_indices(index_type, columns, (size_t)stored),
                                       upload(type, values, (size_t)stored), index_type, index_type,
                                       (cusparseIndexBase_t)base, type));
    free(offsets);
    free(columns);
    free(values);
    return matrix;
}

/* y = alpha * op(rows) * x + beta * y, of `columns` columns by rows. */
static void multiply_plainly(const struct rows *rows, cusparseOperation_t op, int columns,
                             double complex alpha, const double complex *x, double complex beta,
                             double complex *y)
{
    for (int64_t i = 0; i < (int64_t)(op ? COLS : ROWS) * columns; i++)
        y[i] *= beta;
    for (int64_t k = 0; k < rows->nnz; k++) {
        int64_t to = op ? rows->column[k] : rows->row[k];
        int64_t from = op ? rows->row[k] : rows->column[k];
        double complex value =
            op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conj(rows->values[k]) : rows->values[k];

        for (int j = 0; j < columns; j++)
            y[to * columns + j] += alpha * value * x[from * columns + j];
    }
}

struct types {
    cudaDataType a, x, y, computed;
};

/* Multiplies a matrix that has the elements of `rows`, which is not freed. */
static void check_product(cusparseHandle_t handle, cusparseSpMatDescr_t matrix,
                          const struct rows *rows, const struct types *types,
                          cusparseOperation_t op, int columns, bool has_beta)
{
    static double complex x[ROWS * COLUMNS_MOST], y[ROWS * COLUMNS_MOST];
    const int to = op ? COLS : ROWS, from = op ? ROWS : COLS;
    double complex turn = is_complex(types->computed) ? 0.5 * I : 0;
    double complex alpha = 2 + turn, beta = has_beta ? 1 - turn : 0;
    double scalars[4] = {0};
    void *device_x, *device_y;

    for (int i = 0; i < from * columns; i++)
        x[i] = random_value(types->x);
    for (int i = 0; i < to * columns; i++)
        y[i] = random_value(types->y == CUDA_R_32I ? CUDA_R_8I : types->y);
    pack(types->computed, scalars, 0, alpha);
    pack(types->computed, scalars + 2, 0, beta);
    device_x = upload(types->x, x, (size_t)(from * columns));
    device_y = upload(types->y, y, (size_t)(to * columns));
    multiply_plainly(rows, op, columns, alpha, x, beta, y);
    if (columns == 1) {
        cusparseDnVecDescr_t vx, vy;

        check_done(cusparseCreateDnVec(&vx, from, device_x, types->x));
        check_done(cusparseCreateDnVec(&vy, to, device_y, types->y));
        check_done(cusparseSpMV(handle, op, scalars, matrix, vx, scalars + 2, vy, types->computed,
                                CUSPARSE_SPMV_ALG_DEFAULT, NULL));
    } else {
        cusparseDnMatDescr_t mx, my;

        check_done(cusparseCreateDnMat(&mx, from, columns, columns, device_x, types->x,
                                       CUSPARSE_ORDER_ROW));
        check_done(
            cusparseCreateDnMat(&my, to, columns, columns, device_y, types->y, CUSPARSE_ORDER_ROW));
        check_done(cusparseSpMM(handle, op, CUSPARSE_OPERATION_NON_TRANSPOSE, scalars, matrix, mx,
                                scalars + 2, my, types->computed, CUSPARSE_SPMM_ALG_DEFAULT, NULL));
    }
    check_success(cuCtxSynchronize());
    check_values(types->y, device_y, y, (size_t)(to * columns), tolerance_of(types->y));
    check_done(cusparseDestroySpMat(matrix));
    cuMemFree((CUdeviceptr)(uintptr_t)device_x);
    cuMemFree((CUdeviceptr)(uintptr_t)device_y);
}

static const struct types types[] = {{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
                                     {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
                                     {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
                                     {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
                                     {CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I}};
enum { TYPES = sizeof(types) / sizeof(*types) };

typedef cusparseSpMatDescr_t make_matrix(struct rows *rows, cudaDataType type,
                                         cusparseIndexType_t index_type, int base);

static void check_lengths(make_matrix *make, int columns)
{
    cusparseHandle_t handle = new_handle();
    int variant = 0;

    only_cupipe(); /* NVIDIA's needs a buffer */
    for (int t = 0; t < TYPES; t++)
        for (int lengths = 0; lengths < LENGTHS; lengths++)
            for (int op = 0; op < 3; op++, variant++) {
                struct rows *rows = random_rows(types[t].a, (enum lengths)lengths, 16);
                struct rows plain = *rows;
                cusparseIndexType_t index = variant & 1 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
                int base = variant >> 1 & 1;
                cusparseSpMatDescr_t matrix = make(rows, types[t].a, index, base);

                add_base(plain.column, plain.nnz, -base);
                if (make == coordinates)
                    add_base(plain.row, plain.nnz, -base);
                check_product(handle, matrix, &plain, &types[t], (cusparseOperation_t)op, columns,
                              variant >> 2 & 1);
                free_rows(rows);
            }
    check_done(cusparseDestroy(handle));
}

TEST(spmv_of_csr_adds_rows_of_all_lengths)
{
    check_lengths(compressed, 1);
}

TEST(spmm_of_csr_adds_rows_of_all_lengths)
{
    check_lengths(compressed, COLUMNS_MOST);
}

TEST(spmv_of_coo_adds_rows_of_all_lengths)
{
    check_lengths(coordinates, 1);
}

TEST(spmm_of_coo_adds_rows_of_all_lengths)
{
    check_lengths(coordinates, 3);
}

TEST(spmv_adds_rows_of_equal_lengths)
{
    cusparseHandle_t handle = new_handle();

    only_cupipe();
    for (int each = 0; each <= 20; each++) {
        struct rows *rows = random_rows(CUDA_R_32F, EQUAL, each);
        cusparseSpMatDescr_t matrix = compressed(rows, CUDA_R_32F, CUSPARSE_INDEX_32I, 0);

        check_product(handle, matrix, rows, &types[0], CUSPARSE_OPERATION_NON_TRANSPOSE, 1, false);
        free_rows(rows);
    }
}

/* Fewer than a vector holds. */
TEST(spmm_of_csr_takes_few_columns)
{
    for (int columns = 2; columns < 8; columns++)
        check_lengths(compressed, columns);
}

/* Elements in any order, and one whose neighbours alone are out of order. */
TEST(spmv_of_coo_takes_elements_in_any_order)
{
    cusparseHandle_t handle = new_handle();

    only_cupipe();
    for (int variant = 0; variant < 8; variant++) {
        bool shuffles = variant & 1, is_double = variant & 2, has_beta = variant & 4;
        cudaDataType type = is_double ? CUDA_R_64F : CUDA_R_32F;
        struct rows *rows = random_rows(type, EQUAL, 16);
        cusparseSpMatDescr_t matrix;

        if (shuffles)
            for (int64_t i = 0; i < rows->nnz; i++)
                swap_elements(rows, i, number_from(0, (int)rows->nnz - 1));
        else
            swap_elements(rows, rows->nnz - 20, rows->nnz - 1);
        matrix = coordinates(rows, type, CUSPARSE_INDEX_32I, 0);
        check_product(handle, matrix, rows, &types[is_double], CUSPARSE_OPERATION_NON_TRANSPOSE, 1,
                      has_beta);
        free_rows(rows);
    }
}

TEST(spmv_of_sliced_ell_takes_slices_of_all_heights)
{
    static const int heights[] = {1, 2, 3, 8, 32, 1000, 4096};
    cusparseHandle_t handle = new_handle();

    only_cupipe();
    for (size_t h = 0; h < sizeof(heights) / sizeof(*heights); h++)
        for (int t = 0; t < TYPES; t++)
            for (int op = 0; op < 2; op++) {
                struct rows *rows = random_rows(types[t].a, h & 1 ? SHORT : MIXED, 0);
                cusparseSpMatDescr_t matrix =
                    slices(rows, types[t].a, h & 1 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I, t & 1,
                           heights[h]);

                check_product(handle, matrix, rows, &types[t], (cusparseOperation_t)op, 1, h & 2);
                free_rows(rows);
            }
}
