/* SPDX-License-Identifier: MIT */
/* Plans of fused operations: convolutions of a normalised and activated image, gradients of their
 * filters, and the factors of a batch normalisation from sums. */
#include "dnn_test.h"

enum { N = 2, C = 32, SIDE = 4, COUNT = N * C * SIDE * SIDE, TAPS = C * C * 9 };
static const float one_single = 1, zero_single = 0;

static float *numbers(int count, unsigned seed, float shift, float *host)
{
    float *memory = device_memory((size_t)count * sizeof(float));
    uint32_t state = seed * 2654435761u + 12345;

    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        host[i] = (float)(state >> 8) / (1 << 23) - 1 + shift;
    }
    check_success(
        cuMemcpyHtoD((CUdeviceptr)(uintptr_t)memory, host, (size_t)count * sizeof(float)));
    return memory;
}

static void fetch(float *host, const float *memory, int count)
{
    check_success(cuCtxSynchronize());
    check_success(
        cuMemcpyDtoH(host, (CUdeviceptr)(uintptr_t)memory, (size_t)count * sizeof(float)));
}

/* A plan with its packs. */
struct fused {
    cudnnHandle_t handle;
    cudnnFusedOpsConstParamPack_t pack;
    cudnnFusedOpsVariantParamPack_t variant;
    cudnnFusedOpsPlan_t plan;
};

static struct fused open_fused(cudnnFusedOps_t operation)
{
    struct fused fused = {.handle = handle_of()};

    check_done(cudnnCreateFusedOpsConstParamPack(&fused.pack, operation));
    check_done(cudnnCreateFusedOpsVariantParamPack(&fused.variant, operation));
    check_done(cudnnCreateFusedOpsPlan(&fused.plan, operation));
    return fused;
}

static void hold(struct fused *fused, cudnnFusedOpsConstParamLabel_t holder,
                 cudnnFusedOpsVariantParamLabel_t pointer, void *memory)
{
    const cudnnFusedOpsPointerPlaceHolder_t aligned = CUDNN_PTR_16B_ALIGNED;

    check_done(cudnnSetFusedOpsConstParamPackAttribute(fused->pack, holder, &aligned));
    check_done(cudnnSetFusedOpsVariantParamPackAttribute(fused->variant, pointer, memory));
}

static void set(struct fused *fused, cudnnFusedOpsConstParamLabel_t label, const void *descriptor)
{
    check_done(cudnnSetFusedOpsConstParamPackAttribute(fused->pack, label, descriptor));
}

static void run(struct fused *fused)
{
    size_t bytes = 0;

    check_done(cudnnMakeFusedOpsPlan(fused->handle, fused->plan, fused->pack, &bytes));
    check_done(cudnnSetFusedOpsVariantParamPackAttribute(fused->variant, CUDNN_PTR_WORKSPACE,
                                                         device_memory(bytes)));
    check_done(cudnnSetFusedOpsVariantParamPackAttribute(
        fused->variant, CUDNN_SCALAR_SIZE_T_WORKSPACE_SIZE_IN_BYTES, &bytes));
    check_done(cudnnFusedOpsExecute(fused->handle, fused->plan, fused->variant));
}

static cudnnTensorDescriptor_t tensor(int n, int side)
{
    cudnnTensorDescriptor_t made;

    check_done(cudnnCreateTensorDescriptor(&made));
    check_done(
        cudnnSetTensor4dDescriptor(made, CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, n, C, side, side));
    return made;
}

/* Descriptors and numbers of a convolution of relu(x * scale + bias), which `ready` has. */
struct conv {
    cudnnTensorDescriptor_t x, channels;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    cudnnActivationDescriptor_t relu;
    float *in, *filter, *scale, *bias, *ready;
};

static struct conv create_conv(void)
{
    static float x[COUNT], scale[C], bias[C], w[TAPS];
    struct conv t = {.x = tensor(N, SIDE), .channels = tensor(1, 1)};

    check_done(cudnnCreateFilterDescriptor(&t.w));
    check_done(cudnnSetFilter4dDescriptor(t.w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NHWC, C, C, 3, 3));
    check_done(cudnnCreateConvolutionDescriptor(&t.conv));
    check_done(cudnnSetConvolution2dDescriptor(t.conv, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                               CUDNN_DATA_FLOAT));
    check_done(cudnnCreateActivationDescriptor(&t.relu));
    check_done(
        cudnnSetActivationDescriptor(t.relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0));
    t.in = numbers(COUNT, 1, 0, x);
    t.filter = numbers(TAPS, 2, 0, w);
    t.scale = numbers(C, 3, 0, scale);
    t.bias = numbers(C, 4, 0, bias);
    for (int i = 0; i < COUNT; i++) {
        x[i] = x[i] * scale[i % C] + bias[i % C];
        x[i] = x[i] > 0 ? x[i] : 0;
    }
    t.ready = device_memory(sizeof(x));
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)t.ready, x, sizeof(x)));
    return t;
}

static void set_conv(struct fused *fused, const struct conv *t)
{
    const cudnnBatchNormMode_t mode = CUDNN_BATCHNORM_SPATIAL_PERSISTENT;

    set(fused, CUDNN_PARAM_BN_MODE, &mode);
    set(fused, CUDNN_PARAM_XDESC, t->x);
    set(fused, CUDNN_PARAM_BN_EQSCALEBIAS_DESC, t->channels);
    set(fused, CUDNN_PARAM_ACTIVATION_DESC, t->relu);
    set(fused, CUDNN_PARAM_CONV_DESC, t->conv);
    hold(fused, CUDNN_PARAM_XDATA_PLACEHOLDER, CUDNN_PTR_XDATA, t->in);
    hold(fused, CUDNN_PARAM_BN_EQSCALE_PLACEHOLDER, CUDNN_PTR_BN_EQSCALE, t->scale);
    hold(fused, CUDNN_PARAM_BN_EQBIAS_PLACEHOLDER, CUDNN_PTR_BN_EQBIAS, t->bias);
}

static void check_agree(const float *one_memory, const float *other, int count, float tolerance)
{
    float *a = malloc((size_t)count * sizeof(float)), *b = malloc((size_t)count * sizeof(float));

    check(a && b);
    fetch(a, one_memory, count);
    fetch(b, other, count);
    for (int i = 0; i < count; i++)
        check(fabsf(a[i] - b[i]) <= tolerance * (1 + fabsf(b[i])));
    free(a);
    free(b);
}

TEST(a_normalised_image_is_convolved)
{
    struct fused fused;
    struct conv t;
    float *y, *expected;

    with_context();
    fused = open_fused(CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS);
    t = create_conv();
    y = device_memory(COUNT * sizeof(float));
    expected = device_memory(COUNT * sizeof(float));
    set_conv(&fused, &t);
    set(&fused, CUDNN_PARAM_WDESC, t.w);
    set(&fused, CUDNN_PARAM_YDESC, t.x);
    hold(&fused, CUDNN_PARAM_WDATA_PLACEHOLDER, CUDNN_PTR_WDATA, t.filter);
    hold(&fused, CUDNN_PARAM_YDATA_PLACEHOLDER, CUDNN_PTR_YDATA, y);
    run(&fused);
    check_done(cudnnConvolutionForward(fused.handle, &one_single, t.x, t.ready, t.w, t.filter,
                                       t.conv, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0,
                                       &zero_single, t.x, expected));
    check_agree(y, expected, COUNT, 5e-3F);
}

TEST(sums_of_the_result_are_taken)
{
    static float y[COUNT], sums[C], squares[C];
    struct fused fused;
    struct conv t;
    float *memory[3];

    with_context();
    only_cupipe(); /* not every card has such a plan */
    fused = open_fused(CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS);
    t = create_conv();
    for (int i = 0; i < 3; i++)
        memory[i] = device_memory(COUNT * sizeof(float));
    set_conv(&fused, &t);
    set(&fused, CUDNN_PARAM_WDESC, t.w);
    set(&fused, CUDNN_PARAM_YDESC, t.x);
    set(&fused, CUDNN_PARAM_YSTATS_DESC, t.channels);
    hold(&fused, CUDNN_PARAM_WDATA_PLACEHOLDER, CUDNN_PTR_WDATA, t.filter);
    hold(&fused, CUDNN_PARAM_YDATA_PLACEHOLDER, CUDNN_PTR_YDATA, memory[0]);
    hold(&fused, CUDNN_PARAM_YSUM_PLACEHOLDER, CUDNN_PTR_YSUM, memory[1]);
    hold(&fused, CUDNN_PARAM_YSQSUM_PLACEHOLDER, CUDNN_PTR_YSQSUM, memory[2]);
    run(&fused);
    fetch(y, memory[0], COUNT);
    fetch(sums, memory[1], C);
    fetch(squares, memory[2], C);
    for (int i = 0; i < COUNT; i++) {
        sums[i % C] -= y[i];
        squares[i % C] -= y[i] * y[i];
    }
    for (int c = 0; c < C; c++)
        check(fabsf(sums[c]) < 1e-3F && fabsf(squares[c]) < 1e-2F);
}

TEST(the_gradient_of_a_filter_sees_a_normalised_image)
{
    static float gradients[COUNT];
    struct fused fused;
    struct conv t;
    float *dy, *dw, *expected;

    with_context();
    fused = open_fused(CUDNN_FUSED_SCALE_BIAS_ACTIVATION_WGRAD);
    t = create_conv();
    dy = numbers(COUNT, 5, 0, gradients);
    dw = device_memory(TAPS * sizeof(float));
    expected = device_memory(TAPS * sizeof(float));
    set_conv(&fused, &t);
    set(&fused, CUDNN_PARAM_DWDESC, t.w);
    set(&fused, CUDNN_PARAM_DYDESC, t.x);
    hold(&fused, CUDNN_PARAM_DWDATA_PLACEHOLDER, CUDNN_PTR_DWDATA, dw);
    hold(&fused, CUDNN_PARAM_DYDATA_PLACEHOLDER, CUDNN_PTR_DYDATA, dy);
    run(&fused);
    check_done(cudnnConvolutionBackwardFilter(fused.handle, &one_single, t.x, t.ready, t.x, dy,
                                              t.conv, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, NULL, 0,
                                              &zero_single, t.w, expected));
    check_agree(dw, expected, TAPS, 5e-3F);
}

TEST(sums_become_the_factors_of_a_normalisation)
{
    enum {
        SUM,
        SQUARES,
        SCALE,
        BIAS,
        MEAN,
        VARIANCE,
        SAVED_MEAN,
        SAVED_INVERSE,
        EQ_SCALE,
        EQ_BIAS
    };
    static const struct {
        cudnnFusedOpsConstParamLabel_t holder;
        cudnnFusedOpsVariantParamLabel_t pointer;
    } parts[] = {
        [SUM] = {CUDNN_PARAM_YSUM_PLACEHOLDER, CUDNN_PTR_YSUM},
        [SQUARES] = {CUDNN_PARAM_YSQSUM_PLACEHOLDER, CUDNN_PTR_YSQSUM},
        [SCALE] = {CUDNN_PARAM_BN_SCALE_PLACEHOLDER, CUDNN_PTR_BN_SCALE},
        [BIAS] = {CUDNN_PARAM_BN_BIAS_PLACEHOLDER, CUDNN_PTR_BN_BIAS},
        [MEAN] = {CUDNN_PARAM_BN_RUNNING_MEAN_PLACEHOLDER, CUDNN_PTR_BN_RUNNING_MEAN},
        [VARIANCE] = {CUDNN_PARAM_BN_RUNNING_VAR_PLACEHOLDER, CUDNN_PTR_BN_RUNNING_VAR},
        [SAVED_MEAN] = {CUDNN_PARAM_BN_SAVED_MEAN_PLACEHOLDER, CUDNN_PTR_BN_SAVED_MEAN},
        [SAVED_INVERSE] = {CUDNN_PARAM_BN_SAVED_INVSTD_PLACEHOLDER, CUDNN_PTR_BN_SAVED_INVSTD},
        [EQ_SCALE] = {CUDNN_PARAM_BN_EQSCALE_PLACEHOLDER, CUDNN_PTR_BN_EQSCALE},
        [EQ_BIAS] = {CUDNN_PARAM_BN_EQBIAS_PLACEHOLDER, CUDNN_PTR_BN_EQBIAS},
    };
    static const float shifts[] = {1, 40, 1, 0, 0, 1, 0, 0, 0, 0};
    const cudnnBatchNormMode_t mode = CUDNN_BATCHNORM_SPATIAL_PERSISTENT;
    int64_t count = 32;
    double factor = 0.25, epsilon = 0.01;
    float before[10][C], after[10][C], *memory[10];
    struct fused fused;

    with_context();
    fused = open_fused(CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING);
    set(&fused, CUDNN_PARAM_BN_MODE, &mode);
    set(&fused, CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC, tensor(1, 1));
    set(&fused, CUDNN_PARAM_BN_EQSCALEBIAS_DESC, tensor(1, 1));
    set(&fused, CUDNN_PARAM_YSTATS_DESC, tensor(1, 1));
    for (int i = 0; i < 10; i++) {
        memory[i] = numbers(C, (unsigned)i + 1, shifts[i], before[i]);
        hold(&fused, parts[i].holder, parts[i].pointer, memory[i]);
    }
    check_done(cudnnSetFusedOpsVariantParamPackAttribute(
        fused.variant, CUDNN_SCALAR_INT64_T_BN_ACCUMULATION_COUNT, &count));
    check_done(cudnnSetFusedOpsVariantParamPackAttribute(
        fused.variant, CUDNN_SCALAR_DOUBLE_BN_EXP_AVG_FACTOR, &factor));
    check_done(cudnnSetFusedOpsVariantParamPackAttribute(fused.variant,
                                                         CUDNN_SCALAR_DOUBLE_BN_EPSILON, &epsilon));
    run(&fused);
    for (int i = 0; i < 10; i++)
        fetch(after[i], memory[i], C);
    for (int c = 0; c < C; c++) {
        double mean = (double)before[SUM][c] / 32;
        double variance = (double)before[SQUARES][c] / 32 - mean * mean;
        double inverse = 1 / sqrt(variance + epsilon), slope = (double)before[SCALE][c] * inverse;

        check(fabs((double)after[SAVED_MEAN][c] - mean) < 1e-5);
        check(fabs((double)after[SAVED_INVERSE][c] - inverse) < 1e-5);
        check(fabs((double)after[MEAN][c] - 0.75 * (double)before[MEAN][c] - 0.25 * mean) < 1e-5);
        check(fabs((double)after[VARIANCE][c] - 0.75 * (double)before[VARIANCE][c] -
                   0.25 * variance * 32 / 31) < 1e-5);
        check(fabs((double)after[EQ_SCALE][c] - slope) < 1e-5);
        check(fabs((double)after[EQ_BIAS][c] - (double)before[BIAS][c] + mean * slope) < 1e-5);
    }
}

TEST(what_a_pack_or_a_plan_lacks_is_said)
{
    struct fused fused;
    cudnnFusedOpsPointerPlaceHolder_t holder = CUDNN_PTR_16B_ALIGNED;
    size_t bytes = 77;
    int is_null = 7;

    with_context();
    fused = open_fused(CUDNN_FUSED_SCALE_BIAS_ACTIVATION_WGRAD);
    check_status(
        cudnnSetFusedOpsConstParamPackAttribute(fused.pack, CUDNN_PARAM_WDATA_PLACEHOLDER, &holder),
        CUDNN_STATUS_BAD_PARAM);
    check_status(cudnnSetFusedOpsVariantParamPackAttribute(fused.variant, CUDNN_PTR_YDATA, &bytes),
                 CUDNN_STATUS_BAD_PARAM);
    check_done(cudnnGetFusedOpsConstParamPackAttribute(fused.pack, CUDNN_PARAM_XDESC, tensor(1, 1),
                                                       &is_null));
    check(is_null == 1);
    check_status(cudnnMakeFusedOpsPlan(fused.handle, fused.plan, fused.pack, &bytes),
                 CUDNN_STATUS_BAD_PARAM);
    check(bytes == 77);
    check_status(cudnnFusedOpsExecute(fused.handle, fused.plan, fused.variant),
                 CUDNN_STATUS_NOT_INITIALIZED);
    check_done(cudnnDestroyFusedOpsPlan(fused.plan));
    check_done(cudnnDestroyFusedOpsVariantParamPack(fused.variant));
    check_done(cudnnDestroyFusedOpsConstParamPack(fused.pack));
    only_cupipe();
    check_status(cudnnDestroyFusedOpsPlan(fused.plan), CUDNN_STATUS_BAD_PARAM);
}
