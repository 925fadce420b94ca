/* SPDX-License-Identifier: MIT */
/* Transforms of layouts: folding, columns of windows, orders of filters; and the normalisation by
 * the elements around one, which has windows, too. */
#include "dnn_test.h"

enum { N = 2, C = 4, H = 4, W = 6, COUNT = N * C * H * W };

static cudnnTensorTransformDescriptor_t transform_of(cudnnFoldingDirection_t direction,
                                                     const int32_t before[4], uint32_t fold)
{
    cudnnTensorTransformDescriptor_t transform;
    const uint32_t folds[2] = {fold, fold};
    const int32_t after[4] = {0};

    check_done(cudnnCreateTensorTransformDescriptor(&transform));
    check_done(cudnnSetTensorTransformDescriptor(transform, 4, CUDNN_TENSOR_NCHW, before, after,
                                                 folds, direction));
    return transform;
}

TEST(unfolding_undoes_folding)
{
    const int32_t none[4] = {0};
    cudnnTensorDescriptor_t x_desc, folded_desc, back_desc;
    struct array x, folded, back;
    cudnnHandle_t handle;
    size_t bytes = 0;

    with_context();
    handle = handle_of();
    x_desc = tensor_of(CUDNN_TENSOR_NCHW, N, C, H, W);
    x = array_of(COUNT, 1), folded = array_of(COUNT, 2), back = array_of(COUNT, 3);
    check_done(cudnnCreateTensorDescriptor(&folded_desc));
    check_done(cudnnCreateTensorDescriptor(&back_desc));
    check_done(cudnnInitTransformDest(transform_of(CUDNN_TRANSFORM_FOLD, none, 2), x_desc,
                                      folded_desc, &bytes));
    check(bytes == COUNT * sizeof(double));
    check_done(cudnnTransformTensorEx(handle, transform_of(CUDNN_TRANSFORM_FOLD, none, 2), &one,
                                      x_desc, x.device, &zero, folded_desc, folded.device));
    check_done(cudnnInitTransformDest(transform_of(CUDNN_TRANSFORM_UNFOLD, none, 2), folded_desc,
                                      back_desc, &bytes));
    check_done(cudnnTransformTensorEx(handle, transform_of(CUDNN_TRANSFORM_UNFOLD, none, 2), &one,
                                      folded_desc, folded.device, &zero, back_desc, back.device));
    download(&folded);
    download(&back);
    check(folded.host[0] == x.host[0] && folded.host[1] == x.host[2]);
    for (int i = 0; i < COUNT; i++)
        check(back.host[i] == x.host[i]);
}

TEST(padding_is_zero_and_cannot_be_blended)
{
    const int32_t before[4] = {0, 1, 0, 0};
    cudnnTensorTransformDescriptor_t transform;
    cudnnTensorDescriptor_t x_desc, y_desc;
    struct array x, y;
    cudnnHandle_t handle;
    size_t bytes = 0;

    with_context();
    handle = handle_of();
    transform = transform_of(CUDNN_TRANSFORM_FOLD, before, 1);
    x_desc = tensor_of(CUDNN_TENSOR_NCHW, N, C, H, W);
    x = array_of(COUNT, 1), y = array_of(N * (C + 1) * H * W, 2);
    check_done(cudnnCreateTensorDescriptor(&y_desc));
    check_done(cudnnInitTransformDest(transform, x_desc, y_desc, &bytes));
    check(bytes == (size_t)y.count * sizeof(double));
    check_status(
        cudnnTransformTensorEx(handle, transform, &one, x_desc, x.device, &one, y_desc, y.device),
        CUDNN_STATUS_NOT_SUPPORTED);
    check_done(
        cudnnTransformTensorEx(handle, transform, &one, x_desc, x.device, &zero, y_desc, y.device));
    download(&y);
    for (int64_t i = 0; i < y.count; i++) {
        int64_t image = i / ((C + 1) * H * W), rest = i % ((C + 1) * H * W) - H * W;

        check(y.host[i] == (rest < 0 ? 0 : x.host[image * C * H * W + rest]));
    }
}

/* A product of the filter and the columns is the convolution. */
TEST(columns_have_what_windows_see)
{
    enum { K = 3, R = 3, ROWS = C * R * R };
    cudnnConvolutionDescriptor_t conv;
    cudnnFilterDescriptor_t w_desc;
    cudnnTensorDescriptor_t x_desc;
    struct array x, w, columns, y;
    cudnnHandle_t handle;
    int n, k, h, width;

    with_context();
    handle = handle_of();
    x_desc = tensor_of(CUDNN_TENSOR_NCHW, N, C, H, W);
    check_done(cudnnCreateFilterDescriptor(&w_desc));
    check_done(cudnnCreateConvolutionDescriptor(&conv));
    check_done(
        cudnnSetFilter4dDescriptor(w_desc, CUDNN_DATA_DOUBLE, CUDNN_TENSOR_NCHW, K, C, R, R));
    check_done(cudnnSetConvolution2dDescriptor(conv, 1, 1, 2, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                               CUDNN_DATA_DOUBLE));
    check_done(cudnnGetConvolution2dForwardOutputDim(conv, x_desc, w_desc, &n, &k, &h, &width));
    x = array_of(COUNT, 1), w = array_of(K * ROWS, 2);
    y = array_of((int64_t)n * k * h * width, 3),
    columns = array_of((int64_t)ROWS * n * h * width, 4);
    check_done(cudnnIm2Col(handle, x_desc, x.device, w_desc, conv, columns.device));
    check_done(cudnnConvolutionForward(handle, &one, x_desc, x.device, w_desc, w.device, conv,
                                       CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0, &zero,
                                       tensor_of(CUDNN_TENSOR_NCHW, n, k, h, width), y.device));
    download(&columns);
    download(&y);
    for (int64_t i = 0; i < y.count; i++) {
        int64_t positions = (int64_t)h * width, image = i / (positions * k);
        int64_t filter = i / positions % k, place = i % positions;
        double sum = 0;

        for (int64_t r = 0; r < ROWS; r++)
            sum += w.host[filter * ROWS + r] * columns.host[(r * n + image) * positions + place];
        check(fabs(sum - y.host[i]) < 1e-12);
    }
}

TEST(filters_are_reordered_in_groups_of_eight)
{
    enum { K = 32, CHANNELS = 32, BYTES = K * CHANNELS };
    unsigned char host[BYTES], got[BYTES];
    cudnnFilterDescriptor_t filter;
    void *from, *to;
    cudnnHandle_t handle;

    with_context();
    handle = handle_of();
    for (int i = 0; i < BYTES; i++)
        host[i] = (unsigned char)(i / CHANNELS);
    from = device_memory(BYTES), to = device_memory(BYTES);
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)from, host, BYTES));
    check_done(cudnnCreateFilterDescriptor(&filter));
    check_done(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_INT8x32, CUDNN_TENSOR_NCHW_VECT_C, K,
                                          CHANNELS, 1, 1));
    check_done(
        cudnnReorderFilterAndBias(handle, filter, CUDNN_DEFAULT_REORDER, from, to, 0, NULL, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, (CUdeviceptr)(uintptr_t)to, BYTES));
    for (int i = 0; i < BYTES; i++)
        check(got[i] == i / 256 * 8 + i / 128 % 2 + i / 4 % 4 * 2);
}

struct divisive {
    cudnnHandle_t handle;
    cudnnLRNDescriptor_t norm;
    cudnnTensorDescriptor_t desc;
    struct array x, means, y, temporary, other;
};

static void run_divisive(void *arguments)
{
    struct divisive *d = arguments;

    check_done(cudnnDivisiveNormalizationForward(
        d->handle, d->norm, CUDNN_DIVNORM_PRECOMPUTED_MEANS, &one, d->desc, d->x.device,
        d->means.device, d->temporary.device, d->other.device, &zero, d->desc, d->y.device));
}

TEST(divisive_normalisation_has_its_gradients)
{
    struct divisive d;
    struct array dy, dx, dmeans;

    with_context();
    d.handle = handle_of();
    d.desc = tensor_of(CUDNN_TENSOR_NCHW, N, C, H, W);
    check_done(cudnnCreateLRNDescriptor(&d.norm));
    check_done(cudnnSetLRNDescriptor(d.norm, 3, 0.5, 0.75, 1));
    d.x = array_of(COUNT, 1), d.means = array_of(COUNT, 2), d.y = array_of(COUNT, 3);
    d.temporary = array_of(COUNT, 4), d.other = array_of(COUNT, 5);
    dy = array_of(COUNT, 6), dx = array_of(COUNT, 7), dmeans = array_of(COUNT, 8);
    run_divisive(&d);
    check_done(cudnnDivisiveNormalizationBackward(
        d.handle, d.norm, CUDNN_DIVNORM_PRECOMPUTED_MEANS, &one, d.desc, d.x.device, d.means.device,
        dy.device, d.temporary.device, d.other.device, &zero, d.desc, dx.device, dmeans.device));
    check_gradient(run_divisive, &d, &d.x, &d.y, &dy, &dx);
    check_gradient(run_divisive, &d, &d.means, &d.y, &dy, &dmeans);
}
