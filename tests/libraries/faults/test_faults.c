/* SPDX-License-Identifier: MIT */
/* Work of the libraries that touches memory which is not there: the device is lost with
 * CUDA_ERROR_ILLEGAL_ADDRESS, as by a kernel, the process goes on, and no later call waits for
 * ever. Three kinds of memory: addresses without any; memory with a hole between its ends; and the
 * end of memory, beyond which a filter or an index leads. */
#include "test.h"

#include <cublas_v2.h>
#include <cudnn.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <npp.h>
#include <nvjpeg.h>

enum { N = 1024, STEPS = 3 };
static const size_t STEP = (size_t)2 << 20; /* a multiple of the granularity */

static int number_of_device(void)
{
    CUdevice device;

    check_success(cuCtxGetDevice(&device));
    return device;
}

/* 6 MiB of addresses. Memory has those thirds whose letter is 'm'. */
static void *addresses(const char thirds[STEPS])
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, {number_of_device()}}};
    CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle memory;
    CUdeviceptr base;

    check_success(cuMemAddressReserve(&base, STEPS * STEP, 0, 0, 0));
    for (int i = 0; i < STEPS; i++) {
        if (thirds[i] != 'm')
            continue;
        check_success(cuMemCreate(&memory, STEP, &prop, 0));
        check_success(cuMemMap(base + (size_t)i * STEP, STEP, 0, memory, 0));
        check_success(cuMemSetAccess(base + (size_t)i * STEP, STEP, &access, 1));
        check_success(cuMemsetD8(base + (size_t)i * STEP, 0, STEP));
    }
    return (void *)(uintptr_t)base;
}

static void *wild(void)
{
    return addresses("---");
}

static void *holed(void)
{
    return addresses("m-m");
}

/* The middle third of 6 MiB. */
static char *island(void)
{
    return (char *)addresses("-m-") + STEP;
}

static void *good(size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes));
    check_success(cuMemsetD8(memory, 0, bytes));
    return (void *)(uintptr_t)memory;
}

/* The work that was submitted has lost the device, which stays so. */
static void check_lost(void)
{
    CUdeviceptr memory;

    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    check_result(cuMemcpyDtoH(&(int){0}, 0x1000, sizeof(int)), CUDA_ERROR_ILLEGAL_ADDRESS);
    (void)cuMemAlloc(&memory, 1 << 20);
}

/* cuBLAS */

static cublasHandle_t blas(void)
{
    cublasHandle_t handle;

    with_context();
    check(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    return handle;
}

TEST(cublas_axpy_of_no_memory)
{
    cublasHandle_t handle = blas();
    const float one = 1;

    (void)cublasSaxpy(handle, N, &one, wild(), 1, good(N * sizeof(float)), 1);
    check_lost();
    (void)cublasDestroy(handle);
}

/* A factor and sums of 6 MiB; threads of OpenBLAS or of the driver read and write them. */
static void multiply(void *a, void *c, int m)
{
    cublasHandle_t handle = blas();
    const float one = 1, zero = 0;
    void *b = good((size_t)m * N * sizeof(float));

    (void)cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, N, N, &one, a, m, b, N, &zero, c, m);
    check_lost();
    (void)cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, N, N, &one, b, m, b, N, &zero, b, m);
    (void)cublasDestroy(handle);
}

enum { LONG = 1536 }; /* N columns of so many floats are 6 MiB */

TEST(cublas_product_of_a_factor_with_a_hole)
{
    with_context();
    multiply(holed(), good(STEPS * STEP), LONG);
}

TEST(cublas_product_into_memory_with_a_hole)
{
    with_context();
    multiply(good(STEPS * STEP), holed(), LONG);
}

TEST(cublas_product_of_a_batch_with_a_wild_address)
{
    cublasHandle_t handle = blas();
    const double one = 1, zero = 0;
    double *a = good(16 * sizeof(*a)), *addresses_of[3] = {a, wild(), a};
    double **list = good(sizeof(addresses_of)), **same = good(sizeof(addresses_of));

    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)list, addresses_of, sizeof(addresses_of)));
    addresses_of[1] = a;
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)same, addresses_of, sizeof(addresses_of)));
    (void)cublasDgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one,
                             (const double *const *)list, 4, (const double *const *)same, 4, &zero,
                             same, 4, 3);
    check_lost();
}

/* cuFFT */

static void transform(void *in, void *out)
{
    cufftHandle plan;

    check(cufftPlan1d(&plan, (int)(STEPS * STEP / sizeof(cufftComplex)), CUFFT_C2C, 1) ==
          CUFFT_SUCCESS);
    (void)cufftExecC2C(plan, in, out, CUFFT_FORWARD);
    check_lost();
    (void)cufftExecC2C(plan, in, out, CUFFT_FORWARD);
    (void)cufftDestroy(plan);
}

TEST(cufft_of_no_memory)
{
    with_context();
    transform(wild(), good(STEPS * STEP));
}

TEST(cufft_into_memory_with_a_hole)
{
    with_context();
    transform(good(STEPS * STEP), holed());
}

/* cuRAND: the generator is not left locked. */

static void draw(void *out, curandRngType_t type)
{
    curandGenerator_t generator;

    check(curandCreateGenerator(&generator, type) == CURAND_STATUS_SUCCESS);
    (void)curandGenerateUniform(generator, out, STEPS * STEP / sizeof(float));
    check_lost();
    (void)curandGenerateUniform(generator, out, N);
    (void)curandSetPseudoRandomGeneratorSeed(generator, 7);
    (void)curandDestroyGenerator(generator);
}

TEST(curand_into_no_memory)
{
    with_context();
    draw(wild(), CURAND_RNG_PSEUDO_PHILOX4_32_10);
}

TEST(curand_into_memory_with_a_hole)
{
    with_context();
    draw(holed(), CURAND_RNG_PSEUDO_XORWOW);
}

/* cuSOLVER */

static void factor(void *matrix, int rows, int columns)
{
    cusolverDnHandle_t handle;
    int bytes = 0;

    check(cusolverDnCreate(&handle) == CUSOLVER_STATUS_SUCCESS);
    check(cusolverDnSgetrf_bufferSize(handle, rows, columns, matrix, rows, &bytes) ==
          CUSOLVER_STATUS_SUCCESS);
    (void)cusolverDnSgetrf(handle, rows, columns, matrix, rows,
                           good((size_t)bytes * sizeof(float) + 4),
                           good((size_t)columns * sizeof(int)), good(sizeof(int)));
    check_lost();
    (void)cusolverDnDestroy(handle);
}

TEST(cusolver_factors_of_no_memory)
{
    with_context();
    factor(wild(), 64, 64);
}

TEST(cusolver_factors_of_memory_with_a_hole)
{
    with_context();
    factor(holed(), LONG, N);
}

/* cuSPARSE: one element in each row, in the column that the caller says. */

static void multiply_sparse(void *x, int rows, int columns, int column)
{
    const float one = 1, zero = 0;
    size_t count = (size_t)rows, bytes = 0;
    int *offsets = malloc((count + 1) * sizeof(int)), *places = malloc(count * sizeof(int));
    int *device_offsets = good((count + 1) * sizeof(int)),
        *device_places = good(count * sizeof(int));
    void *y = good(count * sizeof(float));
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t of_x, of_y;
    cusparseHandle_t handle;

    for (int i = 0; i <= rows; i++)
        offsets[i] = i;
    for (int i = 0; i < rows; i++)
        places[i] = column;
    check_success(
        cuMemcpyHtoD((CUdeviceptr)(uintptr_t)device_offsets, offsets, (count + 1) * sizeof(int)));
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)device_places, places, count * sizeof(int)));
    check(cusparseCreate(&handle) == CUSPARSE_STATUS_SUCCESS);
    check(cusparseCreateCsr(&matrix, rows, columns, rows, device_offsets, device_places,
                            good(count * sizeof(float)), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F) == CUSPARSE_STATUS_SUCCESS);
    check(cusparseCreateDnVec(&of_x, columns, x, CUDA_R_32F) == CUSPARSE_STATUS_SUCCESS);
    check(cusparseCreateDnVec(&of_y, rows, y, CUDA_R_32F) == CUSPARSE_STATUS_SUCCESS);
    check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, of_x,
                                  &zero, of_y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                                  &bytes) == CUSPARSE_STATUS_SUCCESS);
    (void)cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, of_x, &zero, of_y,
                       CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, good(bytes + 4));
    check_lost();
    (void)cusparseDestroy(handle);
    free(offsets);
    free(places);
}

TEST(cusparse_product_with_no_memory)
{
    with_context();
    multiply_sparse(wild(), 16, 16, 0);
}

TEST(cusparse_product_with_a_wrong_column)
{
    with_context();
    multiply_sparse(island(), 64, 16, (int)(STEP / sizeof(float)));
}

/* Enough rows for several threads. */
TEST(cusparse_product_with_a_wrong_column_in_parts)
{
    with_context();
    multiply_sparse(island(), 1 << 20, 16, (int)(STEP / sizeof(float)));
}

/* cuDNN */

static cudnnTensorDescriptor_t tensor(int n, int c, int h, int w)
{
    cudnnTensorDescriptor_t created;

    check(cudnnCreateTensorDescriptor(&created) == CUDNN_STATUS_SUCCESS);
    check(cudnnSetTensor4dDescriptor(created, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, h, w) ==
          CUDNN_STATUS_SUCCESS);
    return created;
}

static void activate(void *x, void *y, int count)
{
    const float one = 1, zero = 0;
    cudnnActivationDescriptor_t how;
    cudnnHandle_t handle;

    check(cudnnCreate(&handle) == CUDNN_STATUS_SUCCESS);
    check(cudnnCreateActivationDescriptor(&how) == CUDNN_STATUS_SUCCESS);
    check(cudnnSetActivationDescriptor(how, CUDNN_ACTIVATION_TANH, CUDNN_NOT_PROPAGATE_NAN, 0) ==
          CUDNN_STATUS_SUCCESS);
    (void)cudnnActivationForward(handle, how, &one, tensor(1, 1, 1, count), x, &zero,
                                 tensor(1, 1, 1, count), y);
    check_lost();
    (void)cudnnDestroy(handle);
}

TEST(cudnn_activation_of_no_memory)
{
    with_context();
    activate(wild(), good(N * sizeof(float)), N);
}

TEST(cudnn_activation_into_memory_with_a_hole)
{
    with_context();
    activate(good(STEPS * STEP), holed(), (int)(STEPS * STEP / sizeof(float)));
}

/* 24 channels of 256 x 256 floats are 6 MiB. oneDNN's threads read them. */
TEST(cudnn_convolution_of_memory_with_a_hole)
{
    enum { CHANNELS = 24, SIDE = 256 };
    const float one = 1, zero = 0;
    cudnnConvolutionDescriptor_t how;
    cudnnFilterDescriptor_t filter;
    cudnnHandle_t handle;

    with_context();
    check(cudnnCreate(&handle) == CUDNN_STATUS_SUCCESS);
    check(cudnnCreateFilterDescriptor(&filter) == CUDNN_STATUS_SUCCESS);
    check(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, CHANNELS,
                                     CHANNELS, 3, 3) == CUDNN_STATUS_SUCCESS);
    check(cudnnCreateConvolutionDescriptor(&how) == CUDNN_STATUS_SUCCESS);
    check(cudnnSetConvolution2dDescriptor(how, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                          CUDNN_DATA_FLOAT) == CUDNN_STATUS_SUCCESS);
    (void)cudnnConvolutionForward(handle, &one, tensor(1, CHANNELS, SIDE, SIDE), holed(), filter,
                                  good(CHANNELS * CHANNELS * 9 * sizeof(float)), how,
                                  CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, good(64 << 20),
                                  64 << 20, &zero, tensor(1, CHANNELS, SIDE, SIDE),
                                  good(STEPS * STEP));
    check_lost();
    (void)cudnnDestroy(handle);
}

/* NPP */

static NppStreamContext npp(void)
{
    NppStreamContext context;

    with_context();
    check(nppGetStreamContext(&context) == NPP_SUCCESS);
    return context;
}

TEST(npp_sum_of_no_memory)
{
    NppStreamContext context = npp();

    (void)nppiAdd_32f_C1R_Ctx(wild(), 64, good(1024), 64, good(1024), 64, (NppiSize){16, 16},
                              context);
    check_lost();
}

/* The first rows of the window lie before the memory. */
static void blur(NppStreamContext context, int side)
{
    const NppiSize mask = {5, 5}, region = {side, side};

    (void)nppiFilterBox_8u_C1R_Ctx((const Npp8u *)island(), side, good((size_t)side * side), side,
                                   region, mask, (NppiPoint){2, 2}, context);
    check_lost();
}

TEST(npp_filter_whose_window_leaves_the_memory)
{
    blur(npp(), 32);
}

TEST(npp_filter_whose_window_leaves_the_memory_in_parts)
{
    blur(npp(), N);
}

TEST(npp_filter_of_memory_with_a_hole)
{
    NppStreamContext context = npp();
    const NppiSize region = {2048, 3072};

    (void)nppiFilterBox_8u_C1R_Ctx((const Npp8u *)holed() + 4 * 2048, 2048, good(STEPS * STEP),
                                   2048, (NppiSize){region.width, region.height - 8},
                                   (NppiSize){3, 3}, (NppiPoint){1, 1}, context);
    check_lost();
}

/* nvJPEG */

static nvjpegStatus_t encode(nvjpegHandle_t handle, nvjpegEncoderState_t state, void *picture)
{
    nvjpegEncoderParams_t params;
    nvjpegImage_t image = {{picture}, {3 * 64}};

    check(nvjpegEncoderParamsCreate(handle, &params, NULL) == NVJPEG_STATUS_SUCCESS);
    check(nvjpegEncoderParamsSetSamplingFactors(params, NVJPEG_CSS_444, NULL) ==
          NVJPEG_STATUS_SUCCESS);
    return nvjpegEncodeImage(handle, state, params, &image, NVJPEG_INPUT_RGBI, 64, 64, NULL);
}

static nvjpegHandle_t jpeg(nvjpegEncoderState_t *state)
{
    nvjpegHandle_t handle;

    with_context();
    check(nvjpegCreateSimple(&handle) == NVJPEG_STATUS_SUCCESS);
    check(nvjpegEncoderStateCreate(handle, state, NULL) == NVJPEG_STATUS_SUCCESS);
    if (encode(handle, *state, good(3 * 64 * 64)) == NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED)
        skip("libjpeg-turbo is not installed");
    return handle;
}

TEST(nvjpeg_encodes_no_memory)
{
    nvjpegEncoderState_t state;
    nvjpegHandle_t handle = jpeg(&state);

    check(encode(handle, state, wild()) != NVJPEG_STATUS_SUCCESS);
    check_lost();
}

TEST(nvjpeg_decodes_into_no_memory)
{
    nvjpegEncoderState_t encoder;
    nvjpegJpegState_t state;
    nvjpegHandle_t handle = jpeg(&encoder);
    nvjpegImage_t image = {{wild()}, {3 * 64}};
    unsigned char file[16 << 10];
    size_t bytes = sizeof(file);

    check(nvjpegEncodeRetrieveBitstream(handle, encoder, file, &bytes, NULL) ==
          NVJPEG_STATUS_SUCCESS);
    check(nvjpegJpegStateCreate(handle, &state) == NVJPEG_STATUS_SUCCESS);
    (void)nvjpegDecode(handle, state, file, bytes, NVJPEG_OUTPUT_RGBI, &image, NULL);
    check_lost();
}

/* The same where the work is queued behind other work, and where it is a node of a graph. */

static void blur_in(CUstream stream, NppStreamContext context, const Npp8u *from, Npp8u *to)
{
    context.hStream = (cudaStream_t)stream;
    (void)nppiFilterBox_8u_C1R_Ctx(from, N, to, N, (NppiSize){N, N}, (NppiSize){5, 5},
                                   (NppiPoint){2, 2}, context);
}

static void CUDA_CB wait_for(void *flag)
{
    flag_wait(flag);
}

TEST(a_fault_in_queued_work)
{
    NppStreamContext context = npp();
    struct flag flag = {0};
    const Npp8u *from = (const Npp8u *)island();
    Npp8u *to = good((size_t)N * N);
    CUstream stream;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuLaunchHostFunc(stream, wait_for, &flag));
    blur_in(stream, context, from, to);
    flag_raise(&flag);
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    check_lost();
}

TEST(a_fault_in_a_node_of_a_graph)
{
    NppStreamContext context = npp();
    const Npp8u *from = (const Npp8u *)island();
    Npp8u *to = good((size_t)N * N);
    CUgraphExec exec;
    CUstream stream;
    CUgraph graph;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    blur_in(stream, context, from, to);
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphInstantiate(&exec, graph, 0));
    check_success(cuGraphLaunch(exec, stream));
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    check_lost();
}
