/* SPDX-License-Identifier: MIT */
/* Activation, softmax, pooling, normalisation: each backward pass is the gradient of its forward
 * pass. Operands that are not packed are covered too. */
#include "dnn_test.h"

enum { N = 3, C = 4, H = 5, W = 6, COUNT = N * C * H * W };

struct op {
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t t, y_tensor;
    int mode;
    struct array x, y;
    cudnnActivationDescriptor_t activation;
    cudnnPoolingDescriptor_t pooling;
    cudnnLRNDescriptor_t lrn;
    cudnnTensorDescriptor_t stats;
    struct array scale, bias;
};

static struct op create(cudnnTensorFormat_t format)
{
    struct op op = {.handle = handle_of()};

    op.t = op.y_tensor = tensor_of(format, N, C, H, W);
    op.x = array_of(COUNT, 1);
    op.y = array_of(COUNT, 2);
    return op;
}

static void activate(void *argument)
{
    struct op *op = argument;

    check_done(cudnnActivationForward(op->handle, op->activation, &one, op->t, op->x.device, &zero,
                                      op->t, op->y.device));
}

TEST(activations_have_their_gradients)
{
    static const cudnnActivationMode_t modes[] = {CUDNN_ACTIVATION_SIGMOID, CUDNN_ACTIVATION_TANH,
                                                  CUDNN_ACTIVATION_ELU, CUDNN_ACTIVATION_SWISH,
                                                  CUDNN_ACTIVATION_RELU};
    struct op op;
    struct array dy, dx;

    with_context();
    op = create(CUDNN_TENSOR_NCHW);
    dy = array_of(COUNT, 3);
    dx = array_of(COUNT, 4);
    check_done(cudnnCreateActivationDescriptor(&op.activation));
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        check_done(cudnnSetActivationDescriptor(op.activation, modes[i], CUDNN_PROPAGATE_NAN, 1));
        activate(&op);
        check_done(cudnnActivationBackward(op.handle, op.activation, &one, op.t, op.y.device, op.t,
                                           dy.device, op.t, op.x.device, &zero, op.t, dx.device));
        check_gradient(activate, &op, &op.x, &op.y, &dy, &dx);
    }
}

static void soften(void *argument)
{
    struct op *op = argument;

    check_done(cudnnSoftmaxForward(op->handle, (cudnnSoftmaxAlgorithm_t)(op->mode / 2),
                                   (cudnnSoftmaxMode_t)(op->mode % 2), &one, op->t, op->x.device,
                                   &zero, op->t, op->y.device));
}

TEST(softmax_has_its_gradient)
{
    with_context();
    for (int mode = 0; mode < 6; mode++) {
        struct op op = create(mode & 1 ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW);
        struct array dy = array_of(COUNT, 3), dx = array_of(COUNT, 4);

        op.mode = mode;
        soften(&op);
        check_done(cudnnSoftmaxBackward(op.handle, (cudnnSoftmaxAlgorithm_t)(mode / 2),
                                        (cudnnSoftmaxMode_t)(mode % 2), &one, op.t, op.y.device,
                                        op.t, dy.device, &zero, op.t, dx.device));
        check_gradient(soften, &op, &op.x, &op.y, &dy, &dx);
    }
}

static void pool(void *argument)
{
    struct op *op = argument;

    check_done(cudnnPoolingForward(op->handle, op->pooling, &one, op->t, op->x.device, &zero,
                                   op->y_tensor, op->y.device));
}

TEST(pooling_has_its_gradient)
{
    with_context();
    for (int mode = 0; mode < 4; mode++) {
        struct op op = create(CUDNN_TENSOR_NCHW);
        struct array dy, dx = array_of(COUNT, 4);
        int n, c, h, w;

        check_done(cudnnCreatePoolingDescriptor(&op.pooling));
        check_done(cudnnSetPooling2dDescriptor(op.pooling, (cudnnPoolingMode_t)mode,
                                               CUDNN_PROPAGATE_NAN, 3, 2, 1, 0, 2, 1));
        check_done(cudnnGetPooling2dForwardOutputDim(op.pooling, op.t, &n, &c, &h, &w));
        op.y_tensor = tensor_of(CUDNN_TENSOR_NCHW, n, c, h, w);
        op.y = array_of((int64_t)n * c * h * w, 2);
        dy = array_of(op.y.count, 3);
        pool(&op);
        check_done(cudnnPoolingBackward(op.handle, op.pooling, &one, op.y_tensor, op.y.device,
                                        op.y_tensor, dy.device, op.t, op.x.device, &zero, op.t,
                                        dx.device));
        check_gradient(pool, &op, &op.x, &op.y, &dy, &dx);
    }
}

static void normalise(void *argument)
{
    struct op *op = argument;

    check_done(cudnnBatchNormalizationForwardTraining(
        op->handle, (cudnnBatchNormMode_t)op->mode, &one, &zero, op->t, op->x.device, op->t,
        op->y.device, op->stats, op->scale.device, op->bias.device, 1, NULL, NULL, 1e-5, NULL,
        NULL));
}

TEST(batch_normalisation_has_its_gradients)
{
    with_context();
    for (int mode = 0; mode < 2; mode++) {
        struct op op = create(CUDNN_TENSOR_NCHW);
        int64_t stats = mode ? C : C * H * W;
        struct array dy = array_of(COUNT, 3), dx = array_of(COUNT, 4);
        struct array dscale = array_of(stats, 5), dbias = array_of(stats, 6);

        op.mode = mode;
        op.scale = array_of(stats, 7);
        op.bias = array_of(stats, 8);
        check_done(cudnnCreateTensorDescriptor(&op.stats));
        check_done(cudnnDeriveBNTensorDescriptor(op.stats, op.t, (cudnnBatchNormMode_t)mode));
        check_done(cudnnBatchNormalizationBackward(
            op.handle, (cudnnBatchNormMode_t)mode, &one, &zero, &one, &zero, op.t, op.x.device,
            op.t, dy.device, op.t, dx.device, op.stats, op.scale.device, dscale.device,
            dbias.device, 1e-5, NULL, NULL));
        check_gradient(normalise, &op, &op.x, &op.y, &dy, &dx);
        check_gradient(normalise, &op, &op.scale, &op.y, &dy, &dscale);
        check_gradient(normalise, &op, &op.bias, &op.y, &dy, &dbias);
    }
}

TEST(batch_normalisation_keeps_running_statistics)
{
    struct op op;
    struct array mean, variance;
    double sum = 0, squares = 0;

    with_context();
    op = create(CUDNN_TENSOR_NCHW);
    op.scale = array_of(C, 7);
    op.bias = array_of(C, 8);
    mean = array_of(C, 9);
    variance = array_of(C, 10);
    check_done(cudnnCreateTensorDescriptor(&op.stats));
    check_done(cudnnDeriveBNTensorDescriptor(op.stats, op.t, CUDNN_BATCHNORM_SPATIAL));
    for (int i = 0; i < N * H * W; i++)
        sum += op.x.host[(i / (H * W) * C + 1) * H * W + i % (H * W)];
    sum /= N * H * W;
    for (int i = 0; i < N * H * W; i++)
        squares += pow(op.x.host[(i / (H * W) * C + 1) * H * W + i % (H * W)] - sum, 2);
    sum = 0.75 * mean.host[1] + 0.25 * sum;
    squares = 0.75 * variance.host[1] + 0.25 * squares / (N * H * W - 1);
    check_done(cudnnBatchNormalizationForwardTraining(
        op.handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero, op.t, op.x.device, op.t, op.y.device,
        op.stats, op.scale.device, op.bias.device, 0.25, mean.device, variance.device, 1e-5, NULL,
        NULL));
    download(&mean);
    download(&variance);
    check(fabs(mean.host[1] - sum) < 1e-12 && fabs(variance.host[1] - squares) < 1e-12);
}

static void lrn(void *argument)
{
    struct op *op = argument;

    check_done(cudnnLRNCrossChannelForward(op->handle, op->lrn, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one,
                                           op->t, op->x.device, &zero, op->t, op->y.device));
}

TEST(lrn_has_its_gradient)
{
    struct op op;
    struct array dy, dx;

    with_context();
    only_cupipe(); /* a card computes this in f32 */
    op = create(CUDNN_TENSOR_NCHW);
    dy = array_of(COUNT, 3);
    dx = array_of(COUNT, 4);
    check_done(cudnnCreateLRNDescriptor(&op.lrn));
    check_done(cudnnSetLRNDescriptor(op.lrn, 3, 0.5, 0.75, 2));
    lrn(&op);
    check_done(cudnnLRNCrossChannelBackward(op.handle, op.lrn, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one,
                                            op.t, op.y.device, op.t, dy.device, op.t, op.x.device,
                                            &zero, op.t, dx.device));
    check_gradient(lrn, &op, &op.x, &op.y, &dy, &dx);
}

TEST(dropout_keeps_a_part_and_its_mask)
{
    struct op op;
    struct array dx;
    cudnnDropoutDescriptor_t dropout;
    size_t states, reserve;
    void *memory, *mask;
    int kept = 0;

    with_context();
    op = create(CUDNN_TENSOR_NCHW);
    dx = array_of(COUNT, 4);
    check_done(cudnnDropoutGetStatesSize(op.handle, &states));
    check_done(cudnnDropoutGetReserveSpaceSize(op.t, &reserve));
    memory = device_memory(states);
    mask = device_memory(reserve);
    check_done(cudnnCreateDropoutDescriptor(&dropout));
    check_done(cudnnSetDropoutDescriptor(dropout, op.handle, 0.5f, memory, states, 7));
    check_done(cudnnDropoutForward(op.handle, dropout, op.t, op.x.device, op.t, op.y.device, mask,
                                   reserve));
    check_done(cudnnDropoutBackward(op.handle, dropout, op.t, op.x.device, op.t, dx.device, mask,
                                    reserve));
    download(&op.y);
    download(&dx);
    for (int i = 0; i < COUNT; i++) {
        kept += op.y.host[i] != 0;
        check(op.y.host[i] == 0 || fabs(op.y.host[i] - 2 * op.x.host[i]) < 1e-6);
        check(op.y.host[i] == dx.host[i]);
    }
    check(kept > COUNT / 3 && kept < 2 * COUNT / 3);
}

TEST(captured_calls_run_at_each_launch)
{
    struct op op;
    const double half = 0.5;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;

    with_context();
    op = create(CUDNN_TENSOR_NCHW);
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_done(cudnnSetStream(op.handle, (cudaStream_t)stream));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    check_done(cudnnScaleTensor(op.handle, op.t, op.x.device, &half));
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        check_success(cuGraphLaunch(exec, stream));
    check_success(cuStreamSynchronize(stream));
    memcpy(op.y.host, op.x.host, sizeof(double) * COUNT);
    download(&op.x);
    for (int i = 0; i < COUNT; i++)
        check(op.x.host[i] == op.y.host[i] / 8);
}

TEST(destroyed_descriptors_are_refused)
{
    cudnnTensorDescriptor_t tensor;
    size_t bytes;

    with_context();
    only_cupipe();
    tensor = tensor_of(CUDNN_TENSOR_NCHW, 1, 2, 3, 4);
    check_done(cudnnDestroyTensorDescriptor(tensor));
    check_status(cudnnGetTensorSizeInBytes(tensor, &bytes), CUDNN_STATUS_BAD_PARAM);
    check_status(cudnnDestroyTensorDescriptor(tensor), CUDNN_STATUS_BAD_PARAM);
    check_status(cudnnGetTensorSizeInBytes((cudnnTensorDescriptor_t)8, &bytes),
                 CUDNN_STATUS_BAD_PARAM);
}

TEST(the_version_is_what_the_variable_says)
{
    int minor = -1;

    with_context();
    only_cupipe();
    check(cudnnGetVersion() == CUDNN_VERSION);
    check(setenv("CUPIPE_CUDNN_VERSION", "91905", 1) == 0);
    check(cudnnGetVersion() == 91905);
    check_done(cudnnGetProperty(MINOR_VERSION, &minor));
    check(minor == 19);
    check(setenv("CUPIPE_CUDNN_VERSION", "80900", 1) == 0);
    check(cudnnGetVersion() == CUDNN_VERSION);
}
