/* SPDX-License-Identifier: MIT */
/* Batch normalisation over several devices, all with as many elements of a channel. Gradients of
 * scale and bias are a device's own, which programs add up as they do all gradients. */
#include "array.h"
#include "channel.h"
#include "peers.h"
#include "operation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OPERAND(name) graph_operand(frame, operation, CUDNN_ATTR_OPERATION_##name, 0)

/* Two numbers for each channel and device. */
struct shared {
    int64_t channels, devices;
    float *numbers;
    double *local; /* of this device: two arrays */
    double count;  /* elements of a channel on a device */
};

static bool shared_init(struct shared *shared, const struct graph_content *operation,
                        const struct dnn_tensor *x)
{
    shared->channels = dnn_channels(x);
    shared->devices = graph_count(operation, graph_peers_attribute(operation));
    shared->count = shared->channels ? (double)(dnn_count(x) / shared->channels) : 1;
    shared->numbers = calloc((size_t)(2 * shared->channels * shared->devices) + 1, sizeof(float));
    shared->local = calloc((size_t)(2 * shared->channels) + 1, sizeof(double));
    return shared->numbers && shared->local;
}

static void shared_finish(struct shared *shared)
{
    free(shared->local);
    free(shared->numbers);
}

/* Array `which` of this device as a tensor of x's rank. */
static struct dnn_tensor local_tensor(const struct shared *shared, const struct dnn_tensor *x,
                                      int which)
{
    int64_t dims[DNN_RANK_MOST];

    for (int i = 0; i < x->rank; i++)
        dims[i] = i == 1 ? shared->channels : 1;
    return dnn_packed(shared->local + which * shared->channels, CUDNN_DATA_DOUBLE, x->rank, dims);
}

static void exchange(const struct graph_frame *frame, const struct graph_content *operation,
                     const struct shared *shared)
{
    struct dnn_tensor *buffers = calloc((size_t)shared->devices, sizeof(*buffers));

    for (int64_t i = 0; i < 2 * shared->channels; i++)
        shared->numbers[i] = (float)shared->local[i];
    for (int64_t d = 0; d < shared->devices && buffers; d++)
        buffers[d] = graph_operand(frame, operation, graph_peers_attribute(operation), d);
    if (buffers)
        graph_peers_exchange(buffers, shared->devices, shared->numbers, 2 * shared->channels);
    free(buffers);
}

/* Number `which` of a channel on a device. */
static double number(const struct shared *shared, int64_t device, int which, int64_t channel)
{
    return (double)shared->numbers[(device * 2 + which) * shared->channels + channel];
}

/* The statistics of all devices take the place of this device's: mean and variance. */
static void join_statistics(const struct shared *shared)
{
    double *means = shared->local, *variances = shared->local + shared->channels;

    for (int64_t c = 0; c < shared->channels; c++) {
        double mean = 0, variance = 0;

        for (int64_t d = 0; d < shared->devices; d++)
            mean += number(shared, d, 0, c) / (double)shared->devices;
        for (int64_t d = 0; d < shared->devices; d++) {
            double apart = number(shared, d, 0, c) - mean;

            variance += (number(shared, d, 1, c) + apart * apart) / (double)shared->devices;
        }
        means[c] = mean;
        variances[c] = variance;
    }
}

static CUresult measure(const struct shared *shared, const struct dnn_tensor *x)
{
    const struct dnn_genstats sums = {
        .x = *x, .sum = local_tensor(shared, x, 0), .sqsum = local_tensor(shared, x, 1)};
    CUresult result = dnn_genstats_run(&sums);

    for (int64_t c = 0; c < shared->channels; c++) {
        double *mean = shared->local + c, *variance = shared->local + shared->channels + c;

        *mean /= shared->count;
        *variance = fmax(*variance / shared->count - *mean * *mean, 0);
    }
    return result;
}

static void write_statistics(const struct graph_frame *frame, const struct graph_content *operation,
                             const struct shared *shared, double epsilon)
{
    struct dnn_tensor mean = OPERAND(NORM_FWD_MEAN_DESC);
    struct dnn_tensor inverse = OPERAND(NORM_FWD_INV_VARIANCE_DESC);
    struct dnn_tensor old_mean = OPERAND(NORM_FWD_INPUT_RUNNING_MEAN_DESC);
    struct dnn_tensor old_variance = OPERAND(NORM_FWD_INPUT_RUNNING_VAR_DESC);
    struct dnn_tensor next_mean = OPERAND(NORM_FWD_OUTPUT_RUNNING_MEAN_DESC);
    struct dnn_tensor next_variance = OPERAND(NORM_FWD_OUTPUT_RUNNING_VAR_DESC);
    double factor =
        graph_scalar(frame, operation, CUDNN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC, 1);
    double count = shared->count * (double)shared->devices;
    double unbiased = count > 1 ? count / (count - 1) : 1;

    for (int64_t c = 0; c < shared->channels; c++) {
        double m = shared->local[c], v = shared->local[shared->channels + c];

        dnn_channel_set(&mean, c, m);
        dnn_channel_set(&inverse, c, 1 / sqrt(v + epsilon));
        dnn_channel_set(&next_mean, c, (1 - factor) * dnn_channel_get(&old_mean, c) + factor * m);
        dnn_channel_set(&next_variance, c,
                        (1 - factor) * dnn_channel_get(&old_variance, c) + factor * v * unbiased);
    }
}

static CUresult run_forward(struct graph_frame *frame, const struct graph_content *operation,
                            struct shared *shared)
{
    struct dnn_norm norm = {
        .pass = DNN_NORM_INFERENCE,
        .x = OPERAND(NORM_FWD_XDESC),
        .y = OPERAND(NORM_FWD_YDESC),
        .scale = OPERAND(NORM_FWD_SCALE_DESC),
        .bias = OPERAND(NORM_FWD_BIAS_DESC),
        .epsilon = graph_scalar(frame, operation, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, 0),
    };
    CUresult result = measure(shared, &norm.x);

    if (result != CUDA_SUCCESS)
        return result;
    exchange(frame, operation, shared);
    join_statistics(shared);
    norm.mean = local_tensor(shared, &norm.x, 0);
    norm.variance = local_tensor(shared, &norm.x, 1);
    result = dnn_norm_run(&norm);
    if (result == CUDA_SUCCESS)
        write_statistics(frame, operation, shared, norm.epsilon);
    return result;
}

/* dx = dy * slope + x * by_x + offset for each channel, by the sums of dy and of dy * normal x. */
static void combine(const struct dnn_norm *norm, const struct shared *shared,
                    const struct dnn_array *x, const struct dnn_array *dy,
                    const struct dnn_array *dx)
{
    int64_t images = norm->x.dims[0], count = dnn_count(&norm->x);
    int64_t plane = count ? count / images / shared->channels : 0;
    double all = shared->count * (double)shared->devices;

    for (int64_t row = 0; plane && row < images * shared->channels; row++) {
        int64_t c = row % shared->channels;
        double inverse = dnn_channel_get(&norm->inv_variance, c), scaled = 0, sum = 0;
        double mean = dnn_channel_get(&norm->mean, c);
        double slope = inverse * (norm->scale.address ? dnn_channel_get(&norm->scale, c) : 1);

        for (int64_t d = 0; d < shared->devices; d++) {
            scaled += number(shared, d, 0, c) / all;
            sum += number(shared, d, 1, c) / all;
        }
        for (int64_t i = row * plane; i < (row + 1) * plane; i++)
            dnn_put(dx, i,
                    slope *
                        (dnn_number(dy, i) - sum - (dnn_number(x, i) - mean) * inverse * scaled));
    }
}

static CUresult combine_arrays(const struct dnn_norm *norm, const struct shared *shared,
                               const struct dnn_tensor *to)
{
    struct dnn_array x = {0}, dy = {0}, dx = {0};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (dnn_array_load(&x, &norm->x, false) && dnn_array_load(&dy, &norm->dy, false) &&
        dnn_array_new(&dx, dnn_count(to), false)) {
        combine(norm, shared, &x, &dy, &dx);
        dnn_array_store(to, &dx, (struct dnn_blend){.alpha = 1});
        result = CUDA_SUCCESS;
    }
    dnn_array_free(&dx);
    dnn_array_free(&dy);
    dnn_array_free(&x);
    return result;
}

/* A gradient without dx has the sums of this device. */
static CUresult run_backward(struct graph_frame *frame, const struct graph_content *operation,
                             struct shared *shared)
{
    struct dnn_norm norm = {
        .pass = DNN_NORM_BACKWARD,
        .x = OPERAND(NORM_BWD_XDESC),
        .dy = OPERAND(NORM_BWD_DYDESC),
        .scale = OPERAND(NORM_BWD_SCALE_DESC),
        .mean = OPERAND(NORM_BWD_MEAN_DESC),
        .inv_variance = OPERAND(NORM_BWD_INV_VARIANCE_DESC),
    };
    struct dnn_tensor dx = OPERAND(NORM_BWD_DXDESC), dscale = OPERAND(NORM_BWD_DSCALE_DESC);
    struct dnn_tensor dbias = OPERAND(NORM_BWD_DBIAS_DESC);
    CUresult result;

    norm.dscale = local_tensor(shared, &norm.x, 0);
    norm.dbias = local_tensor(shared, &norm.x, 1);
    result = dnn_norm_run(&norm);
    if (result != CUDA_SUCCESS)
        return result;
    for (int64_t c = 0; c < shared->channels; c++) {
        dnn_channel_set(&dscale, c, shared->local[c]);
        dnn_channel_set(&dbias, c, shared->local[shared->channels + c]);
    }
    exchange(frame, operation, shared);
    return combine_arrays(&norm, shared, &dx);
}

CUresult graph_run_norm_of_devices(struct graph_frame *frame, const struct graph_content *operation)
{
    bool forward = operation->kind->type == CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR;
    struct dnn_tensor x = forward ? OPERAND(NORM_FWD_XDESC) : OPERAND(NORM_BWD_XDESC);
    struct shared shared = {0};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (shared_init(&shared, operation, &x))
        result = (forward ? run_forward : run_backward)(frame, operation, &shared);
    shared_finish(&shared);
    return result;
}
