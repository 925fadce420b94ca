/* SPDX-License-Identifier: MIT */
/* How calls behave as work of a stream: capture, order, pointer modes; bad arguments; handles. */
#include "matrices.h"

#include <cublasXt.h>

enum { N = 16 };

static float *device_floats(size_t count, float value)
{
    CUdeviceptr memory;
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    check_success(cuMemAlloc(&memory, count * sizeof(float)));
    check_success(cuMemsetD32(memory, bits, count));
    check_success(cuCtxSynchronize()); /* streams of the tests do not wait for the default one */
    return (float *)(uintptr_t)memory;
}

static float float_at(const float *device)
{
    float value = NAN;

    check_success(cuMemcpyDtoH(&value, (CUdeviceptr)(uintptr_t)device, sizeof(value)));
    return value;
}

TEST(capture_replays_the_call)
{
    cublasHandle_t handle = new_handle();
    float *x = device_floats(N, 1), *y = device_floats(N, 0), two = 2;
    CUgraphExec executable;
    CUstream stream;
    CUgraph graph;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_blas(cublasSetStream(handle, (cudaStream_t)stream));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    check_blas(cublasSaxpy(handle, N, &two, x, 1, y, 1));
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphInstantiate(&executable, graph, 0));
    check(float_at(y) == 0);
    for (int launch = 1; launch <= 3; launch++) {
        check_success(cuGraphLaunch(executable, stream));
        check_success(cuStreamSynchronize(stream));
        check(float_at(y + N - 1) == 2 * launch);
    }
    check_blas(cublasDestroy(handle));
}

TEST(a_result_for_the_host_ends_a_capture)
{
    cublasHandle_t handle = new_handle();
    float *x = device_floats(N, 1), result = -1;
    CUstream stream;
    CUgraph graph;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_blas(cublasSetStream(handle, (cudaStream_t)stream));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    check(cublasSdot(handle, N, x, 1, x, 1, &result) == CUBLAS_STATUS_INTERNAL_ERROR);
    check_result(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    check_blas(cublasSdot(handle, N, x, 1, x, 1, &result));
    check(result == N);
    check_blas(cublasDestroy(handle));
}

/* Scalars in device memory are read when the work runs, not when it is submitted. */
TEST(device_scalars_are_read_in_stream_order)
{
    cublasHandle_t handle = new_handle();
    float *x = device_floats(N, 1), *y = device_floats(N, 0), *alpha = device_floats(1, 5),
          *result = device_floats(1, 0);
    CUgraphExec executable;
    CUstream stream;
    CUgraph graph;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_blas(cublasSetStream(handle, (cudaStream_t)stream));
    check_blas(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    check_blas(cublasSaxpy(handle, N, alpha, x, 1, y, 1));
    check_blas(cublasSasum(handle, N, y, 1, result));
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphInstantiate(&executable, graph, 0));
    check_success(cuMemsetD32((CUdeviceptr)(uintptr_t)alpha, 0x40400000, 1)); /* 3.0 */
    check_success(cuCtxSynchronize());
    check_success(cuGraphLaunch(executable, stream));
    check_success(cuStreamSynchronize(stream));
    check(float_at(y) == 3);
    check(float_at(result) == 3 * N);
    check_blas(cublasDestroy(handle));
}

TEST(two_streams_at_once)
{
    enum { ORDER = 96, ROUNDS = 20 };
    cublasHandle_t handles[2];
    float *a[2], *b[2], *c[2], one = 1, zero = 0;
    CUstream streams[2];

    for (int s = 0; s < 2; s++) {
        handles[s] = new_handle();
        check_success(cuStreamCreate(&streams[s], CU_STREAM_NON_BLOCKING));
        check_blas(cublasSetStream(handles[s], (cudaStream_t)streams[s]));
        a[s] = device_floats(ORDER * ORDER, (float)(s + 1));
        b[s] = device_floats(ORDER * ORDER, 1);
        c[s] = device_floats(ORDER * ORDER, -1);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int s = 0; s < 2; s++)
            check_blas(cublasSgemm(handles[s], CUBLAS_OP_N, CUBLAS_OP_N, ORDER, ORDER, ORDER, &one,
                                   a[s], ORDER, b[s], ORDER, &zero, c[s], ORDER));
    for (int s = 0; s < 2; s++) {
        check_success(cuStreamSynchronize(streams[s]));
        check(float_at(c[s]) == (float)(ORDER * (s + 1)));
        check(float_at(c[s] + ORDER * ORDER - 1) == (float)(ORDER * (s + 1)));
        check_blas(cublasDestroy(handles[s]));
    }
}

/* beta = 0 writes C without reading it; alpha = 0 does not read A and B. */
TEST(zero_scalars_read_nothing)
{
    cublasHandle_t handle = new_handle();
    float *nan = device_floats(N * N, NAN), *a = device_floats(N * N, 1),
          *c = device_floats(N * N, NAN), one = 1, zero = 0;

    check_blas(
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, a, N, &zero, c, N));
    check(float_at(c) == N);
    check_blas(
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &zero, nan, N, nan, N, &one, c, N));
    check(float_at(c) == N);
    check_success(cuMemsetD32((CUdeviceptr)(uintptr_t)c, 0x7fc00000, N));
    check_blas(cublasSgemv(handle, CUBLAS_OP_N, N, N, &one, a, N, a, 1, &zero, c, 1));
    check(float_at(c) == N);
    check_blas(cublasDestroy(handle));
}

TEST(bad_arguments_write_nothing)
{
    cublasHandle_t handle = new_handle();
    float *a = device_floats(N * N, 1), *c = device_floats(N * N, 7), one = 1;
    cublasOperation_t n = CUBLAS_OP_N;

    check(cublasSgemm(handle, n, n, N, N, N, &one, a, N - 1, a, N, &one, c, N) ==
          CUBLAS_STATUS_INVALID_VALUE);
    check(cublasSgemm(handle, (cublasOperation_t)9, n, N, N, N, &one, a, N, a, N, &one, c, N) ==
          CUBLAS_STATUS_INVALID_VALUE);
    check(cublasSgemm(handle, n, n, N, N, -1, &one, a, N, a, N, &one, c, N) ==
          CUBLAS_STATUS_INVALID_VALUE);
    check(cublasGemmEx(handle, n, n, N, N, N, &one, a, CUDA_R_32F, N, a, CUDA_R_16F, N, &one, c,
                       CUDA_R_32F, N, CUBLAS_COMPUTE_32F,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
    check(float_at(c) == 7);
    check_blas(cublasDestroy(handle));
}

/* NVIDIA's library reads some of these. */
TEST(missing_arguments_write_nothing)
{
    cublasHandle_t handle = new_handle();
    float *a = device_floats(N * N, 1), *c = device_floats(N * N, 7), one = 1;
    cublasOperation_t n = CUBLAS_OP_N;

    only_cupipe();
    check(cublasSgemm(handle, n, n, N, N, N, NULL, a, N, a, N, &one, c, N) ==
          CUBLAS_STATUS_INVALID_VALUE);
    check(cublasSgemm(handle, n, n, N, N, N, &one, NULL, N, a, N, &one, c, N) ==
          CUBLAS_STATUS_INVALID_VALUE);
    check(cublasSaxpy(handle, N, NULL, a, 1, c, 1) == CUBLAS_STATUS_INVALID_VALUE);
    check(cublasSnrm2(handle, N, a, 1, NULL) == CUBLAS_STATUS_INVALID_VALUE);
    check(float_at(c) == 7);
    check_blas(cublasDestroy(handle));
}

/* An operand that the device cannot reach is an error of the work, as a kernel's would be. */
TEST(an_operand_out_of_reach_is_a_sticky_error)
{
    cublasHandle_t handle = new_handle();
    float *x = device_floats(N, 1), one = 1, result = 0;

    check_blas(cublasSaxpy(handle, N, &one, x, 1, NULL, 1));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    check(cublasSdot(handle, N, x, 1, x, 1, &result) != CUBLAS_STATUS_SUCCESS);
}

TEST(a_wild_address_in_a_batch_is_a_sticky_error)
{
    cublasHandle_t handle = new_handle();
    float *x = device_floats(N * N, 1), one = 1, zero = 0;
    float *addresses[] = {x, (float *)64};
    CUdeviceptr array;

    check_success(cuMemAlloc(&array, sizeof(addresses)));
    check_success(cuMemcpyHtoD(array, addresses, sizeof(addresses)));
    const float *const *in = (const float *const *)(uintptr_t)array;
    float *const *out = (float *const *)(uintptr_t)array;
    check_blas(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, in, 4, in, 4,
                                  &zero, out, 4, 2));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(handles_that_are_none_are_refused)
{
    cublasHandle_t handle = new_handle(), stale = handle;
    float *x = device_floats(N, 1), one = 1;
    int garbage[64] = {0};

    check(cublasSscal(NULL, N, &one, x, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
    check_blas(cublasDestroy(handle));
    only_cupipe();
    check(cublasSscal(stale, N, &one, x, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
    check(cublasSscal((cublasHandle_t)garbage, N, &one, x, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
    check(cublasDestroy(stale) == CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST(indices_count_from_one_and_take_the_first)
{
    cublasHandle_t handle = new_handle();
    const float values[] = {1, -3, 3, 0.5f, -0.5f};
    float *x = device_floats(5, 0);
    int64_t wide = -1;
    int index = -1;

    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)x, values, sizeof(values)));
    check_blas(cublasIsamax(handle, 5, x, 1, &index));
    check(index == 2);
    check_blas(cublasIsamin_64(handle, 5, x, 1, &wide));
    check(wide == 4);
    check_blas(cublasIsamax(handle, 5, x, -1, &index));
    check(index == 0);
    check_blas(cublasIsamax(handle, 0, x, 1, &index));
    check(index == 0);
    check_blas(cublasDestroy(handle));
}

TEST(complex_dot_products_go_backwards)
{
    cublasHandle_t handle = new_handle();
    CUdeviceptr memory;
    cuComplex *x, result;

    check_success(cuMemAlloc(&memory, 4 * N * sizeof(*x)));
    check_success(cuMemsetD32(memory, 0x3f800000, 8 * N)); /* each is 1 + i */
    x = (cuComplex *)(uintptr_t)memory;
    for (int step = -2; step <= 2; step += 4) {
        check_blas(cublasCdotu(handle, 2 * N, x, step, x, -1, &result));
        check(result.x == 0 && result.y == 4 * N);
        check_blas(cublasCdotc(handle, 2 * N, x, step, x, 1, &result));
        check(result.x == 4 * N && result.y == 0);
    }
    check_blas(cublasDestroy(handle));
}

static void *use_in_thread(void *argument)
{
    const int rounds = 200;
    float *x, factor = 1.01f, sum = 0;
    cublasHandle_t handle;
    CUstream stream;

    (void)argument;
    handle = new_handle();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_blas(cublasSetStream(handle, (cudaStream_t)stream));
    x = device_floats(N, 1);
    for (int i = 0; i < rounds; i++)
        check_blas(cublasSscal(handle, N, &factor, x, 1));
    check_blas(cublasSasum(handle, N, x, 1, &sum));
    check(fabs(sum - N * pow(1.01, rounds)) < 1);
    check_blas(cublasDestroy(handle));
    return NULL;
}

TEST(threads_with_handles_of_their_own)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        check(pthread_create(&threads[i], NULL, use_in_thread, NULL) == 0);
    for (int i = 0; i < 4; i++)
        check(pthread_join(threads[i], NULL) == 0);
}

TEST(copies_with_increments)
{
    float host[3 * N], back[2 * N], *x;
    cublasHandle_t handle = new_handle();

    x = device_floats(2 * N, -1);
    for (int i = 0; i < 3 * N; i++)
        host[i] = (float)i;
    check_blas(cublasSetVector(N, sizeof(float), host, 3, x, 2));
    check_blas(cublasGetVector(N, sizeof(float), x, 2, back, 1));
    for (int i = 0; i < N; i++)
        check(back[i] == (float)(3 * i));
    check(float_at(x + 1) == -1);
    check(cublasSetVector(N, 0, host, 1, x, 1) == CUBLAS_STATUS_INVALID_VALUE);
    check(cublasSetMatrix(4, 4, sizeof(float), host, 0, x, 4) == CUBLAS_STATUS_INVALID_VALUE);
    check(cublasSetMatrix(4, 4, sizeof(float), host, 3, x, 4) == CUBLAS_STATUS_MAPPING_ERROR);
    check(cublasGetMatrix(4, 4, sizeof(float), x, 4, back, 3) == CUBLAS_STATUS_MAPPING_ERROR);
    check_blas(cublasSetMatrix(3, 4, sizeof(float), host, 4, x, 5));
    check(float_at(x + 5) == 4 && float_at(x + 17) == 14);
    check_blas(cublasDestroy(handle));
}

TEST(xt_computes_in_host_memory)
{
    float a[9], b[9], c[9], one = 1, zero = 0;
    int device = 0, block = 0;
    cublasXtHandle_t handle;

    with_context();
    check_blas(cublasXtCreate(&handle));
    check_blas(cublasXtGetBlockDim(handle, &block));
    check(block == 1024);
    for (int i = 0; i < 9; i++)
        a[i] = b[i] = (float)i, c[i] = -1;
    check(cublasXtSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 3, 3, &one, a, 3, b, 3, &zero, c, 3) ==
          CUBLAS_STATUS_NOT_INITIALIZED);
    check_blas(cublasXtDeviceSelect(handle, 1, &device));
    check_blas(
        cublasXtSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 3, 3, &one, a, 3, b, 3, &zero, c, 3));
    check(c[0] == 15 && c[8] == 111);
    check(cublasXtSsymm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, 3, 3, &one, NULL, 3, b, 3,
                        &zero, c, 3) == CUBLAS_STATUS_MAPPING_ERROR);
    check_blas(cublasXtDestroy(handle));
}

static char logged[256];

static void log_line(const char *line)
{
    size_t used = strlen(logged);

    snprintf(logged + used, sizeof(logged) - used, "%s", line);
}

TEST(the_log_names_the_function)
{
    cublasHandle_t handle = new_handle();
    float *x = device_floats(N, 1), one = 1;

    check_blas(cublasSetLoggerCallback(log_line));
    check_blas(cublasSscal(handle, N, &one, x, 1));
    check(strstr(logged, "cublasSscal_v2"));
    check_blas(cublasSetLoggerCallback(NULL));
    logged[0] = '\0';
    check_blas(cublasSscal(handle, N, &one, x, 1));
    check(!logged[0]);
    check_blas(cublasDestroy(handle));
}
