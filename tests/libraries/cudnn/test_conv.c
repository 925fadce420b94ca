/* SPDX-License-Identifier: MIT */
/* Convolutions, held against sums that follow the definition, and their gradients. */
#include "dnn_test.h"

struct conv {
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t x, y;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    int n, c, h, width, k, groups, r, s, pad, stride, dilation, flip, p, q;
    struct array in, filter, out;
};

static void forward(void *argument)
{
    struct conv *t = argument;

    check_done(cudnnConvolutionForward(t->handle, &one, t->x, t->in.device, t->w, t->filter.device,
                                       t->conv, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0,
                                       &zero, t->y, t->out.device));
}

static void create(struct conv *t, cudnnTensorFormat_t format)
{
    int n, k;

    t->handle = handle_of();
    t->x = tensor_of(format, t->n, t->c, t->h, t->width);
    check_done(cudnnCreateFilterDescriptor(&t->w));
    check_done(cudnnSetFilter4dDescriptor(t->w, CUDNN_DATA_DOUBLE, format, t->k, t->c / t->groups,
                                          t->r, t->s));
    check_done(cudnnCreateConvolutionDescriptor(&t->conv));
    check_done(cudnnSetConvolution2dDescriptor(
        t->conv, t->pad, t->pad, t->stride, t->stride, t->dilation, t->dilation,
        t->flip ? CUDNN_CONVOLUTION : CUDNN_CROSS_CORRELATION, CUDNN_DATA_DOUBLE));
    check_done(cudnnSetConvolutionGroupCount(t->conv, t->groups));
    check_done(cudnnGetConvolution2dForwardOutputDim(t->conv, t->x, t->w, &n, &k, &t->p, &t->q));
    check(n == t->n && k == t->k);
    t->y = tensor_of(format, n, k, t->p, t->q);
    t->in = array_of((int64_t)t->n * t->c * t->h * t->width, 1);
    t->filter = array_of((int64_t)t->k * (t->c / t->groups) * t->r * t->s, 2);
    t->out = array_of((int64_t)n * k * t->p * t->q, 3);
}

static double input_at(const struct conv *t, int n, int c, int y, int x)
{
    if (y < 0 || y >= t->h || x < 0 || x >= t->width)
        return 0;
    return t->in.host[((n * t->c + c) * t->h + y) * t->width + x];
}

static double expected_at(const struct conv *t, int n, int k, int p, int q)
{
    int channels = t->c / t->groups, group = k / (t->k / t->groups);
    double sum = 0;

    for (int c = 0; c < channels; c++)
        for (int r = 0; r < t->r; r++)
            for (int s = 0; s < t->s; s++) {
                int row = t->flip ? t->r - 1 - r : r, column = t->flip ? t->s - 1 - s : s;

                sum +=
                    t->filter.host[((k * channels + c) * t->r + row) * t->s + column] *
                    input_at(t, n, group * channels + c, p * t->stride - t->pad + r * t->dilation,
                             q * t->stride - t->pad + s * t->dilation);
            }
    return sum;
}

static const struct conv shapes[] = {
    {.n = 2,
     .c = 3,
     .h = 7,
     .width = 6,
     .k = 4,
     .groups = 1,
     .r = 3,
     .s = 2,
     .pad = 1,
     .stride = 1,
     .dilation = 1},
    {.n = 1,
     .c = 4,
     .h = 9,
     .width = 8,
     .k = 6,
     .groups = 2,
     .r = 3,
     .s = 3,
     .pad = 0,
     .stride = 2,
     .dilation = 1,
     .flip = 1},
    {.n = 2,
     .c = 2,
     .h = 8,
     .width = 8,
     .k = 2,
     .groups = 1,
     .r = 2,
     .s = 2,
     .pad = 2,
     .stride = 1,
     .dilation = 2},
    {.n = 1,
     .c = 5,
     .h = 4,
     .width = 5,
     .k = 3,
     .groups = 1,
     .r = 1,
     .s = 1,
     .pad = 0,
     .stride = 1,
     .dilation = 1},
};

TEST(forward_follows_the_definition)
{
    with_context();
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
        struct conv t = shapes[i];

        create(&t, CUDNN_TENSOR_NCHW);
        forward(&t);
        download(&t.out);
        for (int j = 0; j < t.out.count; j++) {
            int q = j % t.q, p = j / t.q % t.p, k = j / (t.q * t.p) % t.k,
                n = j / (t.q * t.p * t.k);

            check(fabs(t.out.host[j] - expected_at(&t, n, k, p, q)) < 1e-12);
        }
    }
}

TEST(backward_passes_are_gradients)
{
    with_context();
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
        struct conv t = shapes[i];
        struct array dy, dx, dw;

        create(&t, CUDNN_TENSOR_NCHW);
        dy = array_of(t.out.count, 4);
        dx = array_of(t.in.count, 5);
        dw = array_of(t.filter.count, 6);
        check_done(cudnnConvolutionBackwardData(
            t.handle, &one, t.w, t.filter.device, t.y, dy.device, t.conv,
            CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, NULL, 0, &zero, t.x, dx.device));
        check_done(cudnnConvolutionBackwardFilter(t.handle, &one, t.x, t.in.device, t.y, dy.device,
                                                  t.conv, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, NULL,
                                                  0, &zero, t.w, dw.device));
        check_gradient(forward, &t, &t.in, &t.out, &dy, &dx);
        check_gradient(forward, &t, &t.filter, &t.out, &dy, &dw);
    }
}

TEST(beta_adds_to_what_is_there)
{
    struct conv t = shapes[0];
    const double half = 0.5, two = 2;
    struct array before;

    with_context();
    create(&t, CUDNN_TENSOR_NCHW);
    before = array_of(t.out.count, 3);
    check_done(cudnnConvolutionForward(t.handle, &half, t.x, t.in.device, t.w, t.filter.device,
                                       t.conv, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0,
                                       &two, t.y, t.out.device));
    download(&t.out);
    check(fabs(t.out.host[5] - (0.5 * expected_at(&t, 0, 0, 0, 5) + 2 * before.host[5])) < 1e-12);
}

TEST(wrong_shapes_are_refused)
{
    struct conv t = shapes[0];
    cudnnTensorDescriptor_t wrong;
    size_t bytes;

    with_context();
    create(&t, CUDNN_TENSOR_NCHW);
    wrong = tensor_of(CUDNN_TENSOR_NCHW, t.n, t.k, t.p + 1, t.q);
    check_status(cudnnGetConvolutionForwardWorkspaceSize(t.handle, t.x, t.w, t.conv, wrong,
                                                         CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                                         &bytes),
                 CUDNN_STATUS_BAD_PARAM);
    check_status(cudnnGetConvolutionForwardWorkspaceSize(t.handle, t.x, t.w, t.conv, t.y,
                                                         (cudnnConvolutionFwdAlgo_t)99, &bytes),
                 CUDNN_STATUS_NOT_SUPPORTED);
    check_status(cudnnGetConvolutionForwardWorkspaceSize(
                     NULL, t.x, t.w, t.conv, t.y, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, &bytes),
                 CUDNN_STATUS_BAD_PARAM);
}

TEST(algorithms_that_work_come_first)
{
    struct conv t = shapes[0];
    cudnnConvolutionFwdAlgoPerf_t found[16];
    int count, i = 0;

    with_context();
    create(&t, CUDNN_TENSOR_NCHW);
    check_done(
        cudnnGetConvolutionForwardAlgorithm_v7(t.handle, t.x, t.w, t.conv, t.y, 16, &count, found));
    check(count > 1 && found[0].status == CUDNN_STATUS_SUCCESS);
    while (i < count && found[i].status == CUDNN_STATUS_SUCCESS)
        i++;
    for (; i < count; i++)
        check(found[i].status != CUDNN_STATUS_SUCCESS);
}

/* Tiles of frequencies take f64 only in one dimension: the window has one row or one column. */
TEST(tiles_take_flat_windows_of_f64)
{
    struct conv flat = shapes[3], square = shapes[0];
    size_t bytes = 0;
    struct array work;

    with_context();
    flat.s = 3;
    create(&flat, CUDNN_TENSOR_NCHW);
    check_done(
        cudnnGetConvolutionForwardWorkspaceSize(flat.handle, flat.x, flat.w, flat.conv, flat.y,
                                                CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING, &bytes));
    work = array_of((int64_t)(bytes / sizeof(double) + 1), 7);
    check_done(cudnnConvolutionForward(
        flat.handle, &one, flat.x, flat.in.device, flat.w, flat.filter.device, flat.conv,
        CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING, work.device, bytes, &zero, flat.y, flat.out.device));
    download(&flat.out);
    check(fabs(flat.out.host[0] - expected_at(&flat, 0, 0, 0, 0)) < 1e-12);
    create(&square, CUDNN_TENSOR_NCHW);
    check_status(cudnnGetConvolutionForwardWorkspaceSize(
                     square.handle, square.x, square.w, square.conv, square.y,
                     CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING, &bytes),
                 CUDNN_STATUS_NOT_SUPPORTED);
}

/* A card has products of f64 with channels last, but not their gradients. */
TEST(channels_last_of_f64_go_forward_only)
{
    struct conv t = shapes[0];
    size_t bytes;

    with_context();
    create(&t, CUDNN_TENSOR_NHWC);
    check_done(cudnnGetConvolutionForwardWorkspaceSize(
        t.handle, t.x, t.w, t.conv, t.y, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, &bytes));
    for (int algo = 0; algo < CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT; algo++)
        check_status(
            cudnnGetConvolutionBackwardDataWorkspaceSize(
                t.handle, t.w, t.y, t.conv, t.x, (cudnnConvolutionBwdDataAlgo_t)algo, &bytes),
            CUDNN_STATUS_NOT_SUPPORTED);
    for (int algo = 0; algo < CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT; algo++)
        check_status(
            cudnnGetConvolutionBackwardFilterWorkspaceSize(
                t.handle, t.x, t.y, t.conv, t.w, (cudnnConvolutionBwdFilterAlgo_t)algo, &bytes),
            CUDNN_STATUS_NOT_SUPPORTED);
}
