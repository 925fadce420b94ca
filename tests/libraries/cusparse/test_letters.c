/* SPDX-License-Identifier: MIT */
/* Functions with a letter for the type: factorisations, blocks, sums, pruning, sorting, banded
 * systems. */
#include "matrices.h"

enum { N = 8 };

static cusparseMatDescr_t new_descr(int base)
{
    cusparseMatDescr_t descr;

    check_done(cusparseCreateMatDescr(&descr));
    check_done(cusparseSetMatIndexBase(descr, (cusparseIndexBase_t)base));
    return descr;
}

/* A full matrix as CSR; element (i, i) is large. */
static struct dense full_dense(cudaDataType type)
{
    struct dense dense = {.rows = N, .cols = N};

    for (int i = 0; i < N * N; i++)
        dense.values[i] = random_value(type) / 8 + (i % (N + 1) == 0 ? 10 : 0);
    return dense;
}

struct arrays {
    int *offsets, *indices;
    void *values;
    int64_t nnz;
};

static struct arrays arrays_of(const struct dense *dense, cudaDataType type, int base)
{
    struct arrays arrays;
    int64_t rows, cols;
    void *o, *i;
    cusparseIndexType_t ot, it;
    cusparseIndexBase_t ib;
    cudaDataType t;

    check_done(cusparseCsrGet(sparse_of(dense, CUSPARSE_FORMAT_CSR, type, CUSPARSE_INDEX_32I, base),
                              &rows, &cols, &arrays.nnz, &o, &i, &arrays.values, &ot, &it, &ib,
                              &t));
    arrays.offsets = o;
    arrays.indices = i;
    return arrays;
}

/* Without zeros, the incomplete factors are the complete ones: L * U is the matrix. */
TEST(ilu_of_a_full_matrix_is_lu)
{
    cusparseHandle_t handle = new_handle();
    struct dense dense = full_dense(CUDA_C_64F);
    struct arrays a = arrays_of(&dense, CUDA_C_64F, 1);
    cusparseMatDescr_t descr = new_descr(1);
    double complex factors[N * N];
    csrilu02Info_t info;
    int size, position = 7;
    void *buffer;

    check_done(cusparseCreateCsrilu02Info(&info));
    check_done(cusparseZcsrilu02_bufferSize(handle, N, N * N, descr, a.values, a.offsets, a.indices,
                                            info, &size));
    buffer = device_memory((size_t)size);
    check_done(cusparseZcsrilu02_analysis(handle, N, N * N, descr, a.values, a.offsets, a.indices,
                                          info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
    check_done(cusparseZcsrilu02(handle, N, N * N, descr, a.values, a.offsets, a.indices, info,
                                 CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
    check_done(cusparseXcsrilu02_zeroPivot(handle, info, &position));
    check(position == -1);
    check_success(cuMemcpyDtoH(factors, (CUdeviceptr)(uintptr_t)a.values, sizeof(factors)));
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double complex sum = 0;

            for (int k = 0; k <= i && k <= j; k++)
                sum += (k == i ? 1 : factors[i * N + k]) * factors[k * N + j];
            check(cabs(sum - dense.values[i * N + j]) < 1e-10);
        }
    }
    check_done(cusparseDestroyCsrilu02Info(info));
}

TEST(a_zero_pivot_has_a_position)
{
    cusparseHandle_t handle = new_handle();
    struct dense dense = {.rows = 3, .cols = 3, .values = {1, 2, 0, 0, 3, 0, 0, 0, 4}};
    struct arrays a;
    cusparseMatDescr_t descr = new_descr(0);
    csric02Info_t info;
    int position = 7, size;
    void *buffer;

    dense.values[8] = -1;
    a = arrays_of(&dense, CUDA_R_64F, 0);
    check_done(cusparseCreateCsric02Info(&info));
    check_done(cusparseDcsric02_bufferSize(handle, 3, 4, descr, a.values, a.offsets, a.indices,
                                           info, &size));
    buffer = device_memory((size_t)size);
    check_done(cusparseDcsric02_analysis(handle, 3, 4, descr, a.values, a.offsets, a.indices, info,
                                         CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer));
    check_done(cusparseDcsric02(handle, 3, 4, descr, a.values, a.offsets, a.indices, info,
                                CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer));
    check_status(cusparseXcsric02_zeroPivot(handle, info, &position), CUSPARSE_STATUS_ZERO_PIVOT);
    check(position == 2);
}

/* CSR to blocks and back is the same matrix; the zeros of blocks become elements. */
TEST(blocks_have_the_elements)
{
    cusparseHandle_t handle = new_handle();
    struct dense dense = random_dense(CUDA_R_32F, N, N);
    struct arrays a = arrays_of(&dense, CUDA_R_32F, 1);
    cusparseMatDescr_t from = new_descr(1), to = new_descr(0);
    int *offsets = device_memory(4 * (N + 1)), *indices = device_memory(4 * N * N), total = 0;
    float *values = device_memory(4 * N * N), host[N * N];
    int *csr_offsets = device_memory(4 * (N + 1)), *csr_indices = device_memory(4 * N * N);
    float *csr_values = device_memory(4 * N * N), sums[N * N] = {0};
    int host_offsets[N + 1], host_indices[N * N];

    check_done(cusparseXcsr2bsrNnz(handle, CUSPARSE_DIRECTION_COLUMN, N, N, from, a.offsets,
                                   a.indices, 2, to, offsets, &total));
    check_done(cusparseScsr2bsr(handle, CUSPARSE_DIRECTION_COLUMN, N, N, from, a.values, a.offsets,
                                a.indices, 2, to, values, offsets, indices));
    check_done(cusparseSbsr2csr(handle, CUSPARSE_DIRECTION_COLUMN, N / 2, N / 2, to, values,
                                offsets, indices, 2, to, csr_values, csr_offsets, csr_indices));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(host_offsets, (CUdeviceptr)(uintptr_t)csr_offsets, 4 * (N + 1)));
    check(host_offsets[N] == total * 4);
    check_success(cuMemcpyDtoH(host, (CUdeviceptr)(uintptr_t)csr_values, 16 * (size_t)total));
    check_success(
        cuMemcpyDtoH(host_indices, (CUdeviceptr)(uintptr_t)csr_indices, 16 * (size_t)total));
    for (int i = 0; i < N; i++)
        for (int k = host_offsets[i]; k < host_offsets[i + 1]; k++)
            sums[i * N + host_indices[k]] = host[k];
    for (int i = 0; i < N * N; i++)
        check(sums[i] == (float)creal(dense.values[i]));
}

static void add_matrices(int base_b)
{
    cusparseHandle_t handle = new_handle();
    struct dense a = random_dense(CUDA_R_64F, N, N), b = random_dense(CUDA_R_64F, N, N);
    struct arrays x = arrays_of(&a, CUDA_R_64F, 0), y = arrays_of(&b, CUDA_R_64F, base_b);
    cusparseMatDescr_t zero = new_descr(0), one = new_descr(base_b);
    double alpha = 2, beta = 3, values[N * N], *out = device_memory(8 * N * N);
    int *offsets = device_memory(4 * (N + 1)), *indices = device_memory(4 * N * N);
    int host_offsets[N + 1], host_indices[N * N], total = 0;
    void *buffer;
    size_t size;

    check_done(cusparseDcsrgeam2_bufferSizeExt(
        handle, N, N, &alpha, zero, (int)x.nnz, x.values, x.offsets, x.indices, &beta, one,
        (int)y.nnz, y.values, y.offsets, y.indices, zero, out, offsets, indices, &size));
    buffer = device_memory(size + 1);
    check_done(cusparseXcsrgeam2Nnz(handle, N, N, zero, (int)x.nnz, x.offsets, x.indices, one,
                                    (int)y.nnz, y.offsets, y.indices, zero, offsets, &total,
                                    buffer));
    check_done(cusparseDcsrgeam2(handle, N, N, &alpha, zero, (int)x.nnz, x.values, x.offsets,
                                 x.indices, &beta, one, (int)y.nnz, y.values, y.offsets, y.indices,
                                 zero, out, offsets, indices, buffer));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(host_offsets, (CUdeviceptr)(uintptr_t)offsets, 4 * (N + 1)));
    check(host_offsets[N] == total);
    check_success(cuMemcpyDtoH(host_indices, (CUdeviceptr)(uintptr_t)indices, 4 * (size_t)total));
    check_success(cuMemcpyDtoH(values, (CUdeviceptr)(uintptr_t)out, 8 * (size_t)total));
    for (int i = 0, k = 0; i < N * N; i++)
        if (a.values[i] != 0 || b.values[i] != 0) {
            check(host_indices[k] == i % N);
            check(fabs(values[k++] - creal(2 * a.values[i] + 3 * b.values[i])) < 1e-12);
        }
}

TEST(sums_of_matrices_merge_rows)
{
    add_matrices(0);
}

TEST(sums_take_matrices_of_different_bases)
{
    check_success(cuInit(0));
    only_cupipe(); /* NVIDIA's takes the base of the first for the columns of both */
    add_matrices(1);
}

TEST(pruning_keeps_what_is_larger)
{
    cusparseHandle_t handle = new_handle();
    const float a[] = {1, -3, 0, 2, 0.5f, -4, 7, 0, 6};
    float *device = device_copy(a, sizeof(a)), threshold = 1, values[5];
    float *out = device_memory(sizeof(a));
    cusparseMatDescr_t descr = new_descr(0);
    int *offsets = device_memory(16), *indices = device_memory(36), total = 0, host[5];
    void *buffer = device_memory(4096);

    check_done(cusparseSpruneDense2csrNnz(handle, 3, 3, device, 3, &threshold, descr, offsets,
                                          &total, buffer));
    check(total == 5);
    check_done(cusparseSpruneDense2csr(handle, 3, 3, device, 3, &threshold, descr, out, offsets,
                                       indices, buffer));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(values, (CUdeviceptr)(uintptr_t)out, sizeof(values)));
    check_success(cuMemcpyDtoH(host, (CUdeviceptr)(uintptr_t)indices, sizeof(host)));
    check(values[0] == 2 && values[1] == 7 && values[2] == -3 && values[3] == -4 && values[4] == 6);
    check(host[0] == 1 && host[1] == 2 && host[2] == 0 && host[3] == 1 && host[4] == 2);
}

/* The pivot of the first row is 0: only pivoting solves it. */
TEST(tridiagonal_systems_pivot)
{
    cusparseHandle_t handle = new_handle();
    const double dl[] = {0, 2, 1, 1}, d[] = {0, 1, 5, 3}, du[] = {1, 1, 1, 0};
    const double x[] = {1, 2, 3, 4};
    double b[4], *device;
    size_t size;

    for (int i = 0; i < 4; i++)
        b[i] = (i ? dl[i] * x[i - 1] : 0) + d[i] * x[i] + (i < 3 ? du[i] * x[i + 1] : 0);
    device = device_copy(b, sizeof(b));
    check_done(cusparseDgtsv2_bufferSizeExt(handle, 4, 1, NULL, NULL, NULL, NULL, 4, &size));
    check_done(cusparseDgtsv2(handle, 4, 1, device_copy(dl, sizeof(dl)), device_copy(d, sizeof(d)),
                              device_copy(du, sizeof(du)), device, 4, device_memory(size)));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(b, (CUdeviceptr)(uintptr_t)device, sizeof(b)));
    for (int i = 0; i < 4; i++)
        check(fabs(b[i] - x[i]) < 1e-12);
    only_cupipe();
    check_status(cusparseDgtsv2_bufferSizeExt(handle, 2, 1, NULL, NULL, NULL, NULL, 4, &size),
                 CUSPARSE_STATUS_INVALID_VALUE);
}
