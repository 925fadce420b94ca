/* SPDX-License-Identifier: MIT */
/* Convolutions of f32, f16 and bf16 that are large enough for fast paths, in both layouts: all
 * directions give what f64 gives, which has no backward directions with channels last. */
#include "dnn_test.h"

enum { IMAGES = 2, CHANNELS = 16, HEIGHT = 14, WIDTH = 12, FILTERS = 24, SIZE = 3 };

struct problem {
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t x, y;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    int64_t dims[3][4], counts[3]; /* of x, w, y */
    bool last;                     /* channels come last */
};

static struct problem create(cudnnDataType_t type, cudnnTensorFormat_t format, int groups,
                             int stride)
{
    struct problem p = {.handle = handle_of()};
    int n, k, h, w;

    check_done(cudnnCreateTensorDescriptor(&p.x));
    check_done(cudnnCreateTensorDescriptor(&p.y));
    check_done(cudnnCreateFilterDescriptor(&p.w));
    check_done(cudnnCreateConvolutionDescriptor(&p.conv));
    check_done(cudnnSetTensor4dDescriptor(p.x, format, type, IMAGES, CHANNELS, HEIGHT, WIDTH));
    check_done(
        cudnnSetFilter4dDescriptor(p.w, type, format, FILTERS, CHANNELS / groups, SIZE, SIZE));
    check_done(cudnnSetConvolution2dDescriptor(
        p.conv, 1, 1, stride, stride, 1, 1, CUDNN_CROSS_CORRELATION,
        type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT));
    check_done(cudnnSetConvolutionMathType(p.conv, CUDNN_FMA_MATH));
    check_done(cudnnSetConvolutionGroupCount(p.conv, groups));
    check_done(cudnnGetConvolution2dForwardOutputDim(p.conv, p.x, p.w, &n, &k, &h, &w));
    check_done(cudnnSetTensor4dDescriptor(p.y, format, type, n, k, h, w));
    p.last = format == CUDNN_TENSOR_NHWC;
    memcpy(p.dims[0], (int64_t[]){IMAGES, CHANNELS, HEIGHT, WIDTH}, sizeof(p.dims[0]));
    memcpy(p.dims[1], (int64_t[]){FILTERS, CHANNELS / groups, SIZE, SIZE}, sizeof(p.dims[1]));
    memcpy(p.dims[2], (int64_t[]){n, k, h, w}, sizeof(p.dims[2]));
    for (int i = 0; i < 3; i++)
        p.counts[i] = p.dims[i][0] * p.dims[i][1] * p.dims[i][2] * p.dims[i][3];
    return p;
}

/* Where element j of a tensor, counted with channels second, lies. */
static int64_t place_of(const struct problem *p, int tensor, int64_t j)
{
    const int64_t *dims = p->dims[tensor];
    int64_t plane = dims[2] * dims[3], channel = j / plane % dims[1];

    return p->last ? (j / (plane * dims[1]) * plane + j % plane) * dims[1] + channel : j;
}

/* Converts by the library itself. */
static void *converted(struct problem *p, const double *from, int64_t count, cudnnDataType_t type,
                       size_t bytes, bool back, void *data)
{
    cudnnTensorDescriptor_t wide, narrow;
    const float one_single = 1, zero_single = 0;
    void *memory = back ? data : device_memory((size_t)count * bytes);

    check_done(cudnnCreateTensorDescriptor(&wide));
    check_done(cudnnCreateTensorDescriptor(&narrow));
    check_done(
        cudnnSetTensor4dDescriptor(wide, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, (int)count));
    check_done(cudnnSetTensor4dDescriptor(narrow, CUDNN_TENSOR_NCHW, type, 1, 1, 1, (int)count));
    if (back)
        check_done(cudnnTransformTensor(p->handle, &one_single, narrow, memory, &zero_single, wide,
                                        (void *)from));
    else
        check_done(
            cudnnTransformTensor(p->handle, &one_single, wide, from, &zero_single, narrow, memory));
    return memory;
}

/* The memory that the algorithm of a direction asks for. */
static size_t workspace_of(const struct problem *p, int direction)
{
    size_t bytes = 0;

    if (direction == 0)
        check_done(cudnnGetConvolutionForwardWorkspaceSize(p->handle, p->x, p->w, p->conv, p->y,
                                                           CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                                           &bytes));
    else if (direction == 1)
        check_done(cudnnGetConvolutionBackwardDataWorkspaceSize(
            p->handle, p->w, p->y, p->conv, p->x, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, &bytes));
    else
        check_done(cudnnGetConvolutionBackwardFilterWorkspaceSize(
            p->handle, p->x, p->y, p->conv, p->w, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, &bytes));
    return bytes;
}

static void run(struct problem *p, int direction, void *data[3], const void *alpha,
                const void *beta)
{
    size_t bytes = workspace_of(p, direction);
    void *space = device_memory(bytes);

    if (direction == 0)
        check_done(cudnnConvolutionForward(p->handle, alpha, p->x, data[0], p->w, data[1], p->conv,
                                           CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, space, bytes,
                                           beta, p->y, data[2]));
    else if (direction == 1)
        check_done(cudnnConvolutionBackwardData(p->handle, alpha, p->w, data[1], p->y, data[2],
                                                p->conv, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, space,
                                                bytes, beta, p->x, data[0]));
    else
        check_done(cudnnConvolutionBackwardFilter(p->handle, alpha, p->x, data[0], p->y, data[2],
                                                  p->conv, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0,
                                                  space, bytes, beta, p->w, data[1]));
}

/* Runs a direction in f64 and in the type, and compares. Inputs are halves of small integers, which
 * all types have. */
static void compare(cudnnDataType_t type, size_t bytes, double tolerance, int groups, int stride,
                    cudnnTensorFormat_t format)
{
    static const int written[] = {2, 0, 1};
    const float one_single = 1, zero_single = 0;

    for (int direction = 0; direction < 3; direction++) {
        struct problem wide = create(CUDNN_DATA_DOUBLE, CUDNN_TENSOR_NCHW, groups, stride);
        struct problem narrow = create(type, format, groups, stride);
        void *wide_data[3], *narrow_data[3];
        struct array arrays[3];
        float *results;
        int out = written[direction];

        for (int i = 0; i < 3; i++) {
            float *singles = malloc((size_t)wide.counts[i] * sizeof(float));
            void *memory = device_memory((size_t)wide.counts[i] * sizeof(float));

            arrays[i] = array_of(wide.counts[i], (unsigned)i + 1);
            for (int64_t j = 0; j < wide.counts[i]; j++) {
                arrays[i].host[j] = rint(arrays[i].host[j] * 4) / 4;
                singles[place_of(&narrow, i, j)] = (float)arrays[i].host[j];
            }
            upload(&arrays[i]);
            check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)memory, singles,
                                       (size_t)wide.counts[i] * sizeof(float)));
            free(singles);
            wide_data[i] = arrays[i].device;
            narrow_data[i] = converted(&narrow, memory, wide.counts[i], type, bytes, false, NULL);
        }
        run(&wide, direction, wide_data, &one, &zero);
        run(&narrow, direction, narrow_data, &one_single, &zero_single);
        download(&arrays[out]);
        results = malloc((size_t)wide.counts[out] * sizeof(float));
        wide_data[out] = device_memory((size_t)wide.counts[out] * sizeof(float));
        converted(&narrow, wide_data[out], wide.counts[out], type, bytes, true, narrow_data[out]);
        check_success(cuCtxSynchronize());
        check_success(cuMemcpyDtoH(results, (CUdeviceptr)(uintptr_t)wide_data[out],
                                   (size_t)wide.counts[out] * sizeof(float)));
        for (int64_t j = 0; j < wide.counts[out]; j++)
            check(fabs(results[place_of(&narrow, out, j)] - arrays[out].host[j]) <=
                  tolerance * (1 + fabs(arrays[out].host[j])));
        free(results);
    }
}

TEST(single_precision_agrees_with_double)
{
    with_context();
    compare(CUDNN_DATA_FLOAT, 4, 1e-5, 1, 1, CUDNN_TENSOR_NCHW);
    compare(CUDNN_DATA_FLOAT, 4, 1e-5, 1, 2, CUDNN_TENSOR_NHWC);
    compare(CUDNN_DATA_FLOAT, 4, 1e-5, 4, 1, CUDNN_TENSOR_NCHW);
}

TEST(half_precision_agrees_with_double)
{
    with_context();
    compare(CUDNN_DATA_HALF, 2, 1e-3, 1, 1, CUDNN_TENSOR_NHWC);
}

TEST(bfloat16_agrees_with_double)
{
    with_context();
    compare(CUDNN_DATA_BFLOAT16, 2, 8e-3, 1, 2, CUDNN_TENSOR_NHWC);
}
