/* SPDX-License-Identifier: MIT */
/* Layers of f32, which have loops of their own, give what f64 gives: pooling and softmax, forward
 * and backward, in both layouts. */
#include "dnn_test.h"

enum { N = 2, C = 37, H = 9, W = 21, COUNT = N * C * H * W };

/* Both precisions of an array. */
struct pair {
    struct array wide;
    float *device;
};

#define DATA(pair) (single ? (void *)(pair).device : (void *)(pair).wide.device)

static struct pair pair_of(int64_t count, unsigned seed)
{
    struct pair pair = {.wide = array_of(count, seed)};
    float *singles = malloc((size_t)count * sizeof(*singles));

    check(singles != NULL);
    for (int64_t i = 0; i < count; i++) {
        singles[i] = (float)pair.wide.host[i];
        pair.wide.host[i] = singles[i];
    }
    upload(&pair.wide);
    pair.device = device_memory((size_t)count * sizeof(*singles));
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)pair.device, singles,
                               (size_t)count * sizeof(*singles)));
    free(singles);
    return pair;
}

static void check_agrees(struct pair *pair, int64_t count)
{
    float *singles = malloc((size_t)count * sizeof(*singles));

    check(singles != NULL);
    download(&pair->wide);
    check_success(cuMemcpyDtoH(singles, (CUdeviceptr)(uintptr_t)pair->device,
                               (size_t)count * sizeof(*singles)));
    for (int64_t i = 0; i < count; i++)
        check(fabs(singles[i] - pair->wide.host[i]) <= 1e-5 * (1 + fabs(pair->wide.host[i])));
    free(singles);
}

static cudnnTensorDescriptor_t tensor(cudnnDataType_t type, cudnnTensorFormat_t format, int h,
                                      int w)
{
    cudnnTensorDescriptor_t made;

    check_done(cudnnCreateTensorDescriptor(&made));
    check_done(cudnnSetTensor4dDescriptor(made, format, type, N, C, h, w));
    return made;
}

/* more: rows and columns of results beyond those that the padding behind the image makes. */
static void compare_pooling(cudnnPoolingMode_t mode, cudnnTensorFormat_t format, int window,
                            int pad, int stride, int more)
{
    const float one_single = 1, zero_single = 0;
    int h = (H + 2 * pad - window) / stride + 1 + more;
    int w = (W + 2 * pad - window) / stride + 1 + more;
    struct pair x = pair_of(COUNT, 1), dx = pair_of(COUNT, 2);
    struct pair y = pair_of((int64_t)N * C * h * w, 3), dy = pair_of((int64_t)N * C * h * w, 4);
    cudnnPoolingDescriptor_t pooling;
    cudnnHandle_t handle = handle_of();

    check_done(cudnnCreatePoolingDescriptor(&pooling));
    check_done(cudnnSetPooling2dDescriptor(pooling, mode, CUDNN_PROPAGATE_NAN, window, window, pad,
                                           pad, stride, stride));
    for (int single = 0; single < 2; single++) {
        cudnnDataType_t type = single ? CUDNN_DATA_FLOAT : CUDNN_DATA_DOUBLE;
        cudnnTensorDescriptor_t in = tensor(type, format, H, W), out = tensor(type, format, h, w);
        const void *alpha = single ? (const void *)&one_single : &one;
        const void *beta = single ? (const void *)&zero_single : &zero;

        check_done(cudnnPoolingForward(handle, pooling, alpha, in, DATA(x), beta, out, DATA(y)));
        check_done(cudnnPoolingBackward(handle, pooling, alpha, out, DATA(y), out, DATA(dy), in,
                                        DATA(x), beta, in, DATA(dx)));
    }
    check_agrees(&y, (int64_t)N * C * h * w);
    check_agrees(&dx, COUNT);
}

TEST(pooling_agrees_with_double)
{
    with_context();
    for (int mode = CUDNN_POOLING_MAX; mode <= CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING; mode++)
        for (int format = CUDNN_TENSOR_NCHW; format <= CUDNN_TENSOR_NHWC; format++) {
            compare_pooling((cudnnPoolingMode_t)mode, (cudnnTensorFormat_t)format, 3, 1, 2, 0);
            compare_pooling((cudnnPoolingMode_t)mode, (cudnnTensorFormat_t)format, 2, 0, 1, 0);
            compare_pooling((cudnnPoolingMode_t)mode, (cudnnTensorFormat_t)format, 3, 0, 3, 0);
            compare_pooling((cudnnPoolingMode_t)mode, (cudnnTensorFormat_t)format, 2, 0, 2, 1);
            compare_pooling((cudnnPoolingMode_t)mode, (cudnnTensorFormat_t)format, 4, 1, 3, 1);
        }
}

/* A row of numbers 1, 2, ... pooled to `results` numbers. */
static cudnnStatus_t pool_row(cudnnPoolingMode_t mode, int count, int window, int pad, int stride,
                              int results, float *got)
{
    enum { MOST = 9 };
    const float one_single = 1, zero_single = 0;
    float numbers[MOST], *in = device_memory(sizeof(numbers)),
                         *out = device_memory(sizeof(numbers));
    cudnnTensorDescriptor_t x, y;
    cudnnPoolingDescriptor_t pooling;
    cudnnStatus_t status;

    for (int i = 0; i < MOST; i++)
        numbers[i] = (float)(i + 1);
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)in, numbers, sizeof(numbers)));
    check_done(cudnnCreateTensorDescriptor(&x));
    check_done(cudnnCreateTensorDescriptor(&y));
    check_done(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, count));
    check_done(
        cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, results));
    check_done(cudnnCreatePoolingDescriptor(&pooling));
    check_done(cudnnSetPooling2dDescriptor(pooling, mode, CUDNN_PROPAGATE_NAN, 1, window, 0, pad, 1,
                                           stride));
    status = cudnnPoolingForward(handle_of(), pooling, &one_single, x, in, &zero_single, y, out);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, (CUdeviceptr)(uintptr_t)out, (size_t)results * sizeof(*got)));
    return status;
}

/* TensorFlow's padding "SAME" gives the lower half as the padding and asks for all results. */
TEST(windows_of_pooling_may_end_behind_the_padding)
{
    const cudnnPoolingMode_t with = CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING;
    const cudnnPoolingMode_t without = CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
    float got[4];

    with_context();
    for (int i = 0; i < 2; i++) {
        check_done(pool_row(i ? with : without, 9, 7, 0, 3, 3, got));
        check(got[0] == 4 && got[1] == 6.5f && got[2] == 8);
    }
    check_done(pool_row(CUDNN_POOLING_MAX, 4, 2, 0, 1, 4, got));
    check(got[0] == 2 && got[1] == 3 && got[2] == 4 && got[3] == 4);
    /* The padding behind the image counts, what follows it does not. */
    check_done(pool_row(with, 4, 3, 1, 2, 3, got));
    check(got[0] == 1 && got[1] == 3 && got[2] == 2);
    check_done(pool_row(without, 4, 3, 1, 2, 3, got));
    check(got[0] == 1.5f && got[1] == 3 && got[2] == 4);
    only_cupipe(); /* no card was asked about a window that is wider than the image */
    check_done(pool_row(without, 1, 2, 0, 2, 1, got));
    check(got[0] == 1);
}

static void compare_softmax(cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
                            cudnnTensorFormat_t format)
{
    const float one_single = 1, zero_single = 0;
    struct pair x = pair_of(COUNT, 1), y = pair_of(COUNT, 2);
    struct pair dy = pair_of(COUNT, 3), dx = pair_of(COUNT, 4);
    cudnnHandle_t handle = handle_of();

    for (int single = 0; single < 2; single++) {
        cudnnTensorDescriptor_t shape =
            tensor(single ? CUDNN_DATA_FLOAT : CUDNN_DATA_DOUBLE, format, H, W);
        const void *alpha = single ? (const void *)&one_single : &one;
        const void *beta = single ? (const void *)&zero_single : &zero;

        check_done(cudnnSoftmaxForward(handle, algorithm, mode, alpha, shape, DATA(x), beta, shape,
                                       DATA(y)));
        check_done(cudnnSoftmaxBackward(handle, algorithm, mode, alpha, shape, DATA(y), shape,
                                        DATA(dy), beta, shape, DATA(dx)));
    }
    check_agrees(&y, COUNT);
    check_agrees(&dx, COUNT);
}

TEST(softmax_agrees_with_double)
{
    with_context();
    for (int algorithm = CUDNN_SOFTMAX_FAST; algorithm <= CUDNN_SOFTMAX_LOG; algorithm++)
        for (int mode = CUDNN_SOFTMAX_MODE_INSTANCE; mode <= CUDNN_SOFTMAX_MODE_CHANNEL; mode++)
            for (int format = CUDNN_TENSOR_NCHW; format <= CUDNN_TENSOR_NHWC; format++)
                compare_softmax((cudnnSoftmaxAlgorithm_t)algorithm, (cudnnSoftmaxMode_t)mode,
                                (cudnnTensorFormat_t)format);
}

/* The places that a maximum's gradient goes to, of one row of windows of 2 x 2. NaN loses, and of
 * equal numbers the first in the order of memory wins. */
TEST(gradients_of_maxima_go_to_the_first_largest_number)
{
    enum { COLUMNS = 8 };
    const float in[2 * COLUMNS] = {1, 1, 3, 2, NAN, 4,   -INFINITY, -INFINITY,
                                   1, 0, 3, 5, 6,   NAN, -INFINITY, -INFINITY};
    const float gradients[COLUMNS / 2] = {1, 2, 3, 4};
    const float expected[2 * COLUMNS] = {1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 2, 3, 0, 0, 0};
    const float one_single = 1, zero_single = 0;
    float got[2 * COLUMNS];
    cudnnTensorDescriptor_t x, y;
    cudnnPoolingDescriptor_t pooling;
    cudnnHandle_t handle;
    float *memory[4];

    with_context();
    handle = handle_of();
    for (int i = 0; i < 4; i++)
        memory[i] = device_memory(sizeof(in));
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)memory[0], in, sizeof(in)));
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)memory[2], gradients, sizeof(gradients)));
    check_done(cudnnCreateTensorDescriptor(&x));
    check_done(cudnnCreateTensorDescriptor(&y));
    check_done(
        cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 2, COLUMNS));
    check_done(
        cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, COLUMNS / 2));
    check_done(cudnnCreatePoolingDescriptor(&pooling));
    check_done(cudnnSetPooling2dDescriptor(pooling, CUDNN_POOLING_MAX_DETERMINISTIC,
                                           CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
    check_done(cudnnPoolingForward(handle, pooling, &one_single, x, memory[0], &zero_single, y,
                                   memory[1]));
    only_cupipe(); /* a card has its own order of equal numbers */
    check_done(cudnnPoolingBackward(handle, pooling, &one_single, y, memory[1], y, memory[2], x,
                                    memory[0], &zero_single, x, memory[3]));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, (CUdeviceptr)(uintptr_t)memory[3], sizeof(got)));
    for (int i = 0; i < 2 * COLUMNS; i++)
        check(got[i] == expected[i]);
}
