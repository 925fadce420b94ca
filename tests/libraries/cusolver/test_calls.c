/* SPDX-License-Identifier: MIT */
/* How calls behave: batches, streams, capture, bad arguments, handles. */
#include "solver_test.h"

enum { N = 12 };

TEST(handles_are_told_from_garbage)
{
    cusolverDnHandle_t handle = new_solver(), gone = new_solver();
    CUstream stream, found = NULL;
    int lwork = -1;

    only_cupipe(); /* NVIDIA's does not look at what it is given */
    check_solver(cusolverDnDestroy(gone));
    check(cusolverDnDestroy(gone) == CUSOLVER_STATUS_NOT_INITIALIZED);
    check(cusolverDnSetStream(NULL, NULL) == CUSOLVER_STATUS_NOT_INITIALIZED);
    check(cusolverDnDpotrf_bufferSize((cusolverDnHandle_t)&lwork, CUBLAS_FILL_MODE_LOWER, 4, NULL,
                                      4, &lwork) == CUSOLVER_STATUS_NOT_INITIALIZED);
    check(lwork == -1);
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_solver(cusolverDnSetStream(handle, (cudaStream_t)stream));
    check_solver(cusolverDnGetStream(handle, (cudaStream_t *)&found));
    check(found == stream);
}

TEST(wrong_arguments_are_numbered_and_write_nothing)
{
    cusolverDnHandle_t handle = new_solver();
    struct array a = hermitian(D, 4, 60), w = array_new(D, 4), info = integers(1),
                 work = bytes_of_work(1 << 16);

    check(cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, 4, array_address(&a), 3,
                           array_address(&work), 64,
                           array_address(&info)) == CUSOLVER_STATUS_INVALID_VALUE);
    check(integer_at(&info, 0) == -4);
    check(cusolverDnDsyevd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 4,
                           array_address(&a), 3, array_address(&w), array_address(&work), 4096,
                           array_address(&info)) == CUSOLVER_STATUS_INVALID_VALUE);
    check(integer_at(&info, 0) == -5);
    check(cusolverDnDgeqrf(handle, -1, 4, array_address(&a), 4, array_address(&w),
                           array_address(&work), 4096,
                           array_address(&info)) == CUSOLVER_STATUS_INVALID_VALUE);
    check(cusolverDnDgesvd(handle, 'A', 'A', 2, 4, array_address(&a), 4, array_address(&w), NULL, 4,
                           NULL, 4, array_address(&work), 4096, NULL,
                           array_address(&info)) == CUSOLVER_STATUS_INVALID_VALUE);
    array_check(&a, 1);
    array_check(&w, 1);
}

TEST(factors_in_a_captured_stream)
{
    cusolverDnHandle_t handle = new_solver();
    struct array a = hermitian(D, N, 60), kept = hermitian(D, N, 60), info = integers(1),
                 work = bytes_of_work(1 << 16);
    CUgraphExec executable;
    CUstream stream;
    CUgraph graph;

    memcpy(kept.values, a.values, N * N * sizeof(*a.values));
    array_upload(&kept);
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_solver(cusolverDnSetStream(handle, (cudaStream_t)stream));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_success(cuMemcpyDtoDAsync(a.memory, kept.memory, N * N * sizeof(double), stream));
    check_solver(cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, N, array_address(&a), N,
                                  array_address(&work), 256, array_address(&info)));
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphInstantiate(&executable, graph, 0));
    check(integer_at(&info, 0) == (int)0xffffff85);
    for (int launch = 0; launch < 3; launch++) {
        check_success(cuGraphLaunch(executable, stream));
        check_success(cuStreamSynchronize(stream));
        check(integer_at(&info, 0) == 0);
        array_download(&a);
        check(fabs(creal(a.values[0]) - sqrt(creal(kept.values[0]))) < 1e-13);
    }
}

/* syevd and gesvd compute partly on the host: they wait. */
TEST(eigenvalues_refuse_a_capture)
{
    cusolverDnHandle_t handle = new_solver();
    struct array a = hermitian(D, N, 0), w = array_new(D, N), info = integers(1),
                 work = bytes_of_work(1 << 18);
    CUstream stream;
    CUgraph graph;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_solver(cusolverDnSetStream(handle, (cudaStream_t)stream));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    check(cusolverDnDsyevd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N,
                           array_address(&a), N, array_address(&w), array_address(&work), 1 << 14,
                           array_address(&info)) == CUSOLVER_STATUS_INTERNAL_ERROR);
    check_result(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    array_check(&a, 1);
}

TEST(memory_that_the_device_cannot_reach)
{
    cusolverDnHandle_t handle = new_solver();
    struct array info = integers(1), work = bytes_of_work(1 << 12);

    check_solver(cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, N, NULL, N, array_address(&work),
                                  64, array_address(&info)));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* The upper factor of a batch stands in both triangles. */
TEST(batches_of_cholesky_factors)
{
    enum { COUNT = 9 };
    cusolverDnHandle_t handle = new_solver();
    CUdeviceptr addresses[COUNT], sides[COUNT], pointers, side_pointers;
    struct array a[COUNT], b[COUNT], info = integers(COUNT);

    for (int i = 0; i < COUNT; i++) {
        a[i] = hermitian(Z, N, 60);
        b[i] = array_new(Z, N);
        if (i == 4)
            a[i].values[0] = -1;
        array_upload(&a[i]);
        addresses[i] = a[i].memory;
        sides[i] = b[i].memory;
    }
    check_success(cuMemAlloc(&pointers, sizeof(addresses)));
    check_success(cuMemAlloc(&side_pointers, sizeof(sides)));
    check_success(cuMemcpyHtoD(pointers, addresses, sizeof(addresses)));
    check_success(cuMemcpyHtoD(side_pointers, sides, sizeof(sides)));
    check_solver(cusolverDnZpotrfBatched(handle, CUBLAS_FILL_MODE_UPPER, N,
                                         (cuDoubleComplex **)(uintptr_t)pointers, N,
                                         array_address(&info), COUNT));
    for (int i = 0; i < COUNT; i++)
        check(integer_at(&info, (size_t)i) == (i == 4));
    check_solver(cusolverDnZpotrsBatched(
        handle, CUBLAS_FILL_MODE_UPPER, N, 1, (cuDoubleComplex **)(uintptr_t)pointers, N,
        (cuDoubleComplex **)(uintptr_t)side_pointers, N, array_address(&info), COUNT));
    for (int i = 0; i < COUNT; i++) {
        struct array x = b[i];
        double complex right[N], *factors = malloc(N * N * sizeof(*factors));

        if (i == 4)
            continue;
        memcpy(right, b[i].values, sizeof(right));
        memcpy(factors, a[i].values, N * N * sizeof(*factors));
        array_download(&x);
        check(product_error(right, N, factors, N, x.values, N, N, N, 1) < 1e-12);
        array_download(&a[i]);
        check(cabs(a[i].values[1] - conj(a[i].values[N])) < 1e-14);
    }
}

TEST(batches_of_eigenvalues)
{
    enum { COUNT = 5 };
    cusolverDnHandle_t handle = new_solver();
    struct array a = array_new(S, N * N * COUNT), w = array_new(S, N * COUNT),
                 info = integers(COUNT), work = bytes_of_work(1 << 20);
    double traces[COUNT];
    syevjInfo_t params;

    for (size_t k = 0; k < COUNT; k++) {
        traces[k] = 0;
        for (size_t j = 0; j < N; j++) {
            for (size_t i = 0; i < j; i++)
                a.values[k * N * N + j + i * N] = a.values[k * N * N + i + j * N];
            traces[k] += creal(a.values[k * N * N + j * (N + 1)]);
        }
    }
    array_upload(&a);
    check_solver(cusolverDnCreateSyevjInfo(&params));
    check_solver(cusolverDnSsyevjBatched(
        handle, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_UPPER, N, array_address(&a), N,
        array_address(&w), array_address(&work), 1 << 16, array_address(&info), params, COUNT));
    array_download(&w);
    for (size_t k = 0; k < COUNT; k++) {
        check(integer_at(&info, k) == 0);
        for (size_t i = 0; i < N; i++)
            traces[k] -= creal(w.values[k * N + i]);
        check(fabs(traces[k]) < 1e-4);
        check(creal(w.values[k * N]) <= creal(w.values[k * N + N - 1]));
    }
}

TEST(numbers_that_are_not_finite_do_not_converge)
{
    cusolverDnHandle_t handle = new_solver();
    struct array a = hermitian(D, 4, 0), w = array_new(D, 4), u = array_new(D, 16),
                 v = array_new(D, 16), info = integers(1), work;
    gesvdjInfo_t params;
    int count;

    a.values[5] = NAN;
    array_upload(&a);
    check_solver(cusolverDnCreateGesvdjInfo(&params));
    check_solver(cusolverDnDgesvdj_bufferSize(
        handle, CUSOLVER_EIG_MODE_VECTOR, 0, 4, 4, array_address(&a), 4, array_address(&w),
        array_address(&u), 4, array_address(&v), 4, &count, params));
    work = bytes_of_work((size_t)count * 8);
    check_solver(cusolverDnDgesvdj(handle, CUSOLVER_EIG_MODE_VECTOR, 0, 4, 4, array_address(&a), 4,
                                   array_address(&w), array_address(&u), 4, array_address(&v), 4,
                                   array_address(&work), count, array_address(&info), params));
    check(integer_at(&info, 0) == 5);
    array_download(&w);
    check(isnan(creal(w.values[0])));
    array_upload(&a);
    check_solver(cusolverDnDsyevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR,
                                             CUBLAS_FILL_MODE_LOWER, 4, array_address(&a), 4,
                                             array_address(&w), &count));
    work = bytes_of_work((size_t)count * 8);
    check_solver(cusolverDnDsyevd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 4,
                                  array_address(&a), 4, array_address(&w), array_address(&work),
                                  count, array_address(&info)));
    check(integer_at(&info, 0) == 1);
}
