/* SPDX-License-Identifier: MIT */
/* Batch normalisation of f32 in both layouts, and for each activation, held against sums in f64
 * that follow the definition; and in f16. */
#include "dnn_test.h"

enum { N = 5, C = 67, H = 6, W = 13, COUNT = N * C * H * W };
static const double epsilon = 1e-3;
static const float one_single = 1, zero_single = 0;

struct norm {
    cudnnBatchNormMode_t mode;
    cudnnTensorFormat_t format;
    cudnnTensorDescriptor_t shape, stats;
    int count; /* of statistics */
    float x[COUNT], dy[COUNT], scale[C * H * W], bias[C * H * W];
    double mean[C * H * W], inverse[C * H * W];
};

/* The statistic to which element i of memory belongs. */
static int statistic_of(const struct norm *norm, int i)
{
    bool last = norm->format == CUDNN_TENSOR_NHWC;

    if (norm->mode == CUDNN_BATCHNORM_PER_ACTIVATION)
        return i % (C * H * W);
    return last ? i % C : i / (H * W) % C;
}

static void fill(float *numbers, int count, unsigned seed, float shift)
{
    uint32_t state = seed * 2654435761u + 12345;

    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        numbers[i] = (float)(state >> 8) / (1 << 23) - 1 + shift;
    }
}

static void measure(struct norm *norm)
{
    int elements = COUNT / norm->count;

    memset(norm->mean, 0, sizeof(norm->mean));
    memset(norm->inverse, 0, sizeof(norm->inverse));
    for (int i = 0; i < COUNT; i++)
        norm->mean[statistic_of(norm, i)] += (double)norm->x[i] / elements;
    for (int i = 0; i < COUNT; i++) {
        int s = statistic_of(norm, i);

        norm->inverse[s] += pow((double)norm->x[i] - norm->mean[s], 2) / elements;
    }
    for (int s = 0; s < norm->count; s++)
        norm->inverse[s] = 1 / sqrt(norm->inverse[s] + epsilon);
}

static void create(struct norm *norm, cudnnBatchNormMode_t mode, cudnnTensorFormat_t format)
{
    norm->mode = mode;
    norm->format = format;
    norm->count = mode == CUDNN_BATCHNORM_PER_ACTIVATION ? C * H * W : C;
    check_done(cudnnCreateTensorDescriptor(&norm->shape));
    check_done(cudnnSetTensor4dDescriptor(norm->shape, format, CUDNN_DATA_FLOAT, N, C, H, W));
    check_done(cudnnCreateTensorDescriptor(&norm->stats));
    check_done(cudnnDeriveBNTensorDescriptor(norm->stats, norm->shape, mode));
    fill(norm->x, COUNT, 1, 3); /* away from 0, where squares alone would lose digits */
    fill(norm->dy, COUNT, 2, 0);
    fill(norm->scale, norm->count, 3, 2);
    fill(norm->bias, norm->count, 4, 0);
    measure(norm);
}

static float *on_device(const float *numbers, int count)
{
    float *memory = device_memory((size_t)count * sizeof(float));

    if (numbers)
        check_success(
            cuMemcpyHtoD((CUdeviceptr)(uintptr_t)memory, numbers, (size_t)count * sizeof(float)));
    return memory;
}

static float *on_host(const float *numbers, int count)
{
    float *host = malloc((size_t)count * sizeof(float));

    check(host != NULL);
    check_success(cuCtxSynchronize());
    check_success(
        cuMemcpyDtoH(host, (CUdeviceptr)(uintptr_t)numbers, (size_t)count * sizeof(float)));
    return host;
}

static void check_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance * (1 + fabs(expected))))
        printf("# %g, expected %g\n", got, expected);
    check(fabs(got - expected) <= tolerance * (1 + fabs(expected)));
}

static void check_results(const struct norm *norm, const float *device_y)
{
    float *y = on_host(device_y, COUNT);

    for (int i = 0; i < COUNT; i++) {
        int s = statistic_of(norm, i);

        check_near(y[i],
                   ((double)norm->x[i] - norm->mean[s]) * norm->inverse[s] *
                           (double)norm->scale[s] +
                       (double)norm->bias[s],
                   2e-5);
    }
    free(y);
}

static void check_forward(struct norm *norm)
{
    float *x = on_device(norm->x, COUNT), *y = on_device(NULL, COUNT);
    float *scale = on_device(norm->scale, norm->count), *bias = on_device(norm->bias, norm->count);
    float *mean = on_device(NULL, norm->count), *inverse = on_device(NULL, norm->count);
    float *variance = on_device(NULL, norm->count), *means, *inverses, *variances;
    cudnnHandle_t handle = handle_of();

    check_done(cudnnBatchNormalizationForwardTraining(
        handle, norm->mode, &one_single, &zero_single, norm->shape, x, norm->shape, y, norm->stats,
        scale, bias, 1, mean, variance, epsilon, mean, inverse));
    check_results(norm, y);
    means = on_host(mean, norm->count);
    inverses = on_host(inverse, norm->count);
    variances = on_host(variance, norm->count);
    for (int s = 0; s < norm->count; s++) {
        double elements = COUNT / norm->count;

        check_near(means[s], norm->mean[s], 1e-6);
        check_near(inverses[s], norm->inverse[s], 1e-5);
        variances[s] *= (float)((elements - 1) / elements);
    }
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)variance, variances,
                               (size_t)norm->count * sizeof(float)));
    check_success(cuMemsetD8((CUdeviceptr)(uintptr_t)y, 0, COUNT * sizeof(float)));
    check_done(cudnnBatchNormalizationForwardInference(
        handle, norm->mode, &one_single, &zero_single, norm->shape, x, norm->shape, y, norm->stats,
        scale, bias, mean, variance, epsilon));
    check_results(norm, y);
}

static void check_backward(struct norm *norm)
{
    float *x = on_device(norm->x, COUNT), *dy = on_device(norm->dy, COUNT);
    float *dx = on_device(NULL, COUNT), *scale = on_device(norm->scale, norm->count);
    float *dscale = on_device(NULL, norm->count), *dbias = on_device(NULL, norm->count);
    double *sums = calloc((size_t)norm->count, sizeof(double)), elements = COUNT / norm->count;
    double *products = calloc((size_t)norm->count, sizeof(double));

    check(sums && products);
    check_done(cudnnBatchNormalizationBackward(handle_of(), norm->mode, &one_single, &zero_single,
                                               &one_single, &zero_single, norm->shape, x,
                                               norm->shape, dy, norm->shape, dx, norm->stats, scale,
                                               dscale, dbias, epsilon, NULL, NULL));
    dx = on_host(dx, COUNT);
    dscale = on_host(dscale, norm->count);
    dbias = on_host(dbias, norm->count);
    for (int i = 0; i < COUNT; i++) {
        int s = statistic_of(norm, i);

        sums[s] += (double)norm->dy[i];
        products[s] +=
            (double)norm->dy[i] * ((double)norm->x[i] - norm->mean[s]) * norm->inverse[s];
    }
    for (int i = 0; i < COUNT; i++) {
        int s = statistic_of(norm, i);
        double normal = ((double)norm->x[i] - norm->mean[s]) * norm->inverse[s];

        check_near(dx[i],
                   (double)norm->scale[s] * norm->inverse[s] *
                       ((double)norm->dy[i] - sums[s] / elements - normal * products[s] / elements),
                   5e-5);
    }
    for (int s = 0; s < norm->count; s++) {
        check_near(dbias[s], sums[s], 2e-5);
        check_near(dscale[s], products[s], 5e-5);
    }
}

static struct norm norm;

static void check_all(void (*check_one)(struct norm *))
{
    with_context();
    create(&norm, CUDNN_BATCHNORM_PER_ACTIVATION, CUDNN_TENSOR_NCHW);
    check_one(&norm);
    create(&norm, CUDNN_BATCHNORM_SPATIAL, CUDNN_TENSOR_NCHW);
    check_one(&norm);
    create(&norm, CUDNN_BATCHNORM_SPATIAL, CUDNN_TENSOR_NHWC);
    check_one(&norm);
}

TEST(batch_normalisation_follows_the_definition)
{
    check_all(check_forward);
}

TEST(its_gradients_follow_the_definition)
{
    check_all(check_backward);
}

/* The loops see numbers of a tile only after they were converted, and must write them back. */
TEST(half_precision_is_normalised_in_both_layouts)
{
    static uint16_t x[COUNT], y[COUNT];
    void *in, *out;

    with_context();
    for (int format = CUDNN_TENSOR_NCHW; format <= CUDNN_TENSOR_NHWC; format++) {
        create(&norm, CUDNN_BATCHNORM_SPATIAL, (cudnnTensorFormat_t)format);
        check_done(
            cudnnSetTensor4dDescriptor(norm.shape, norm.format, CUDNN_DATA_HALF, N, C, H, W));
        for (int i = 0; i < COUNT; i++) { /* 1, 1.5, 2 or 3 */
            static const uint16_t halves[] = {0x3c00, 0x3e00, 0x4000, 0x4200};
            static const float numbers[] = {1, 1.5F, 2, 3};
            unsigned choice = (unsigned)i * 2654435761u >> 30;

            x[i] = halves[choice];
            norm.x[i] = numbers[choice];
        }
        measure(&norm);
        in = device_memory(sizeof(x));
        out = device_memory(sizeof(y));
        check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)in, x, sizeof(x)));
        check_done(cudnnBatchNormalizationForwardTraining(
            handle_of(), norm.mode, &one_single, &zero_single, norm.shape, in, norm.shape, out,
            norm.stats, on_device(norm.scale, C), on_device(norm.bias, C), 1, NULL, NULL, epsilon,
            NULL, NULL));
        check_success(cuCtxSynchronize());
        check_success(cuMemcpyDtoH(y, (CUdeviceptr)(uintptr_t)out, sizeof(y)));
        for (int i = 0; i < COUNT; i++) {
            int s = statistic_of(&norm, i), exponent = (y[i] >> 10 & 31) - 25;
            double value = ldexp((y[i] & 1023) + 1024, exponent) * (y[i] >> 15 ? -1 : 1);

            check_near(value,
                       ((double)norm.x[i] - norm.mean[s]) * norm.inverse[s] *
                               (double)norm.scale[s] +
                           (double)norm.bias[s],
                       2e-3);
        }
    }
}

TEST(results_may_take_the_place_of_numbers)
{
    float *x;

    with_context();
    only_cupipe();
    create(&norm, CUDNN_BATCHNORM_SPATIAL, CUDNN_TENSOR_NHWC);
    x = on_device(norm.x, COUNT);
    check_done(cudnnBatchNormalizationForwardTraining(
        handle_of(), norm.mode, &one_single, &zero_single, norm.shape, x, norm.shape, x, norm.stats,
        on_device(norm.scale, C), on_device(norm.bias, C), 1, NULL, NULL, epsilon, NULL, NULL));
    check_results(&norm, x);
}
