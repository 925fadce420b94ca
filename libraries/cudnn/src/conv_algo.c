/* SPDX-License-Identifier: MIT */
/* The algorithms that cuDNN offers for a convolution. Here all compute alike and need no workspace;
 * a program is offered and refused the same ones, in the order of their numbers. */
#include "conv.h"

#include <string.h>

/* What an algorithm demands of windows and steps. */
enum family { ANY, FFT, FFT_TILING, WINOGRAD, UNDILATED };

static const enum family forward_families[] = {
    [CUDNN_CONVOLUTION_FWD_ALGO_FFT] = FFT,
    [CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING] = FFT_TILING,
    [CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED] = WINOGRAD,
};
static const enum family data_families[] = {
    [CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT] = FFT,
    [CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING] = FFT_TILING,
    [CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED] = WINOGRAD,
};
static const enum family filter_families[] = {
    [CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT] = FFT,
    [CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3] = UNDILATED,
    [CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED] = WINOGRAD,
    [CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING] = ANY,
};

static const struct {
    const enum family *families;
    int count, most; /* most: what the functions for the largest count of algorithms say */
} directions[] = {
    [DNN_CONV_FORWARD] = {forward_families, CUDNN_CONVOLUTION_FWD_ALGO_COUNT, 10},
    [DNN_CONV_DATA] = {data_families, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT, 8},
    [DNN_CONV_FILTER] = {filter_families, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT, 9},
};

/* The algorithms that a card has for a type and a layout: forward, data and filter, a character for
 * each number. Without a row, a type has none. */
static const struct offer {
    cudnnDataType_t type, compute;
    const char *planes[3], *last[3];                   /* two spatial dimensions */
    const char *planes_of_three[3], *last_of_three[3]; /* three */
} offers[] = {
    {CUDNN_DATA_FLOAT,
     CUDNN_DATA_FLOAT,
     {"+++-++-+", "++++-+", "++++-+-"},
     {"++------", "++----", "++-----"},
     {"++---+--", "++-+--", "++-+---"},
     {"-+------", "-+----", "-+-----"}},
    {CUDNN_DATA_HALF,
     CUDNN_DATA_FLOAT,
     {"+++-++-+", "++++-+", "++++-+-"},
     {"++------", "++----", "++-----"},
     {"++---+--", "++-+--", "++-+---"},
     {"-+------", "-+----", "-+-----"}},
    {CUDNN_DATA_BFLOAT16,
     CUDNN_DATA_FLOAT,
     {"+++----+", "++---+", "++-+-+-"},
     {"++------", "++----", "++-----"},
     {"++------", "++----", "++-+---"},
     {"-+------", "-+----", "-+-----"}},
    {CUDNN_DATA_HALF,
     CUDNN_DATA_HALF,
     {"++-----+", "++---+", "-+---+-"},
     {"++------", "++----", "-------"},
     {"++------", "++----", "-+-----"},
     {"-+------", "-+----", "-------"}},
    {CUDNN_DATA_DOUBLE,
     CUDNN_DATA_DOUBLE,
     {"+++--+--", "++-+--", "++-+---"},
     {"++------", "------", "-------"},
     {"++---+--", "++-+--", "++-+---"},
     {"--------", "------", "-------"}},
    {CUDNN_DATA_INT8,
     CUDNN_DATA_INT32,
     {"--------", "------", "-------"},
     {"++------", "------", "-------"},
     {"--------", "------", "-------"},
     {"++------", "------", "-------"}},
};

static const struct offer *offer_of(const struct dnn_conv *op)
{
    for (size_t i = 0; i < sizeof(offers) / sizeof(*offers); i++)
        if (offers[i].type == op->x.type && offers[i].compute == op->compute)
            return &offers[i];
    return NULL;
}

static bool all_are(const int64_t *values, int count, int64_t value)
{
    for (int i = 0; i < count; i++)
        if (values[i] != value)
            return false;
    return true;
}

/* A window of one row or one column, of which tiles take frequencies in one dimension. */
static bool is_flat(const struct dnn_conv *op)
{
    return op->w.dims[2] == 1 || op->w.dims[3] == 1;
}

/* Frequencies need a window that is larger than the padding, and steps of 1. The gradient of the
 * data does not mind dilations of a window of 1. */
static bool fits_frequencies(const struct dnn_conv *op, bool tiles)
{
    for (int i = 0; i < op->spatial; i++) {
        bool dilated = op->dilation[i] != 1 &&
                       (tiles || op->direction != DNN_CONV_DATA || op->w.dims[2 + i] != 1);

        if (dilated || op->pre[i] >= op->w.dims[2 + i])
            return false;
    }
    return true;
}

/* Whole images of up to 256 with their padding. */
static bool fits_fft(const struct dnn_conv *op)
{
    for (int i = 0; i < op->spatial; i++)
        if (op->stride[i] != 1 || op->x.dims[2 + i] + 2 * op->pre[i] > 256)
            return false;
    return fits_frequencies(op, false);
}

/* Tiles of images may step by 2 if no side of the window is 1, and of f64 they are flat. */
static bool fits_tiles(const struct dnn_conv *op)
{
    bool flat = op->spatial == 2 && is_flat(op), steps = op->spatial == 2 && !flat;

    for (int i = 0; i < op->spatial; i++)
        if (op->w.dims[2 + i] > (flat ? 256 : 32) || op->stride[i] > (steps ? 2 : 1))
            return false;
    return fits_frequencies(op, true) &&
           (op->x.type != CUDNN_DATA_DOUBLE || op->spatial == 3 || flat);
}

static bool fits_winograd(const struct dnn_conv *op)
{
    return op->spatial == 2 && op->w.dims[2] == op->w.dims[3] &&
           (op->w.dims[2] == 3 || (op->w.dims[2] == 5 && op->compute != CUDNN_DATA_HALF)) &&
           all_are(op->stride, 2, 1) && all_are(op->dilation, 2, 1);
}

static bool fits(const struct dnn_conv *op, enum family family)
{
    switch (family) {
    case FFT:
        return fits_fft(op);
    case FFT_TILING:
        return fits_tiles(op);
    case WINOGRAD:
        return fits_winograd(op);
    case UNDILATED:
        return op->spatial == 3 || all_are(op->dilation, op->spatial, 1);
    default:
        return op->x.type != CUDNN_DATA_INT8 || all_are(op->dilation, op->spatial, 1);
    }
}

bool dnn_conv_has_algo(const struct dnn_conv *op, int algo)
{
    bool planes = dnn_is_packed(&op->x) && dnn_is_packed(&op->w) && dnn_is_packed(&op->y);
    const struct offer *offer = offer_of(op);
    const char *const *offered;

    if (algo < 0 || algo >= directions[op->direction].count)
        return false;
    if (!offer || op->x.vector > 1) /* by products, as far as the engine knows the types */
        return algo < 2;
    if (op->spatial == 3)
        offered = planes ? offer->planes_of_three : offer->last_of_three;
    else
        offered = planes ? offer->planes : offer->last;
    return offered[op->direction][algo] == '+' &&
           fits(op, directions[op->direction].families[algo]);
}

static cudnnStatus_t describe(struct dnn_conv *op, cudnnHandle_t handle,
                              enum dnn_conv_direction direction, cudnnConvolutionDescriptor_t conv,
                              cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                              cudnnTensorDescriptor_t y)
{
    if (!dnn_is_handle(handle) || !lib_object_is(conv, &dnn_convolution_type) ||
        !dnn_is_tensor(x) || !dnn_is_tensor(y) || !dnn_is_filter(w))
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "convolution: not a handle or a descriptor");
    return dnn_conv_describe(op, direction, conv, &x->shape, &w->shape, &y->shape);
}

static cudnnStatus_t workspace(cudnnStatus_t status, const struct dnn_conv *op, int algo,
                               size_t *bytes)
{
    if (status == CUDNN_STATUS_SUCCESS && !bytes)
        status = CUDNN_STATUS_BAD_PARAM;
    if (status == CUDNN_STATUS_SUCCESS && !dnn_conv_has_algo(op, algo))
        status = CUDNN_STATUS_NOT_SUPPORTED;
    if (status != CUDNN_STATUS_SUCCESS)
        return dnn_error(status, "convolution: no workspace for algorithm %d", algo);
    *bytes = 0;
    return status;
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t xDesc, const cudnnFilterDescriptor_t wDesc,
    const cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t yDesc,
    cudnnConvolutionFwdAlgo_t algo, size_t *sizeInBytes)
{
    struct dnn_conv op;

    return workspace(describe(&op, handle, DNN_CONV_FORWARD, convDesc, xDesc, wDesc, yDesc), &op,
                     (int)algo, sizeInBytes);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t wDesc, const cudnnTensorDescriptor_t dyDesc,
    const cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t dxDesc,
    cudnnConvolutionBwdDataAlgo_t algo, size_t *sizeInBytes)
{
    struct dnn_conv op;

    return workspace(describe(&op, handle, DNN_CONV_DATA, convDesc, dxDesc, wDesc, dyDesc), &op,
                     (int)algo, sizeInBytes);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t dyDesc,
    const cudnnConvolutionDescriptor_t convDesc, const cudnnFilterDescriptor_t gradDesc,
    cudnnConvolutionBwdFilterAlgo_t algo, size_t *sizeInBytes)
{
    struct dnn_conv op;

    return workspace(describe(&op, handle, DNN_CONV_FILTER, convDesc, xDesc, gradDesc, dyDesc), &op,
                     (int)algo, sizeInBytes);
}

static cudnnStatus_t most_algos(cudnnHandle_t handle, int *count, enum dnn_conv_direction direction)
{
    if (!dnn_is_handle(handle) || !count)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "convolution: no handle, or no place for a count");
    *count = directions[direction].most;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithmMaxCount(cudnnHandle_t handle, int *count)
{
    return most_algos(handle, count, DNN_CONV_FORWARD);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithmMaxCount(cudnnHandle_t handle, int *count)
{
    return most_algos(handle, count, DNN_CONV_DATA);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(cudnnHandle_t handle, int *count)
{
    return most_algos(handle, count, DNN_CONV_FILTER);
}

/* Results of the three directions have the same fields in the same places. */
_Static_assert(sizeof(cudnnConvolutionFwdAlgoPerf_t) == sizeof(cudnnConvolutionBwdDataAlgoPerf_t) &&
                   sizeof(cudnnConvolutionFwdAlgoPerf_t) ==
                       sizeof(cudnnConvolutionBwdFilterAlgoPerf_t),
               "one structure serves all");

/* Lists algorithms, those that can be used first. The precomputed implicit product leads, as it
 * mostly does on a card. */
static cudnnStatus_t list(cudnnStatus_t status, const struct dnn_conv *op, int requested,
                          int *returned, void *results)
{
    cudnnConvolutionFwdAlgoPerf_t *perf = results;
    int count, found = 0;

    if (status == CUDNN_STATUS_SUCCESS && (requested < 1 || !returned || !results))
        status = CUDNN_STATUS_BAD_PARAM;
    if (status != CUDNN_STATUS_SUCCESS)
        return dnn_error(status, "convolution: no algorithms");
    count = directions[op->direction].count;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count && found < requested; i++) {
            int algo = i < 2 ? 1 - i : i;
            bool has = dnn_conv_has_algo(op, algo);

            if (has == (pass == 1))
                continue;
            memset(&perf[found], 0, sizeof(*perf));
            perf[found].algo = (cudnnConvolutionFwdAlgo_t)algo;
            perf[found].status = has ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
            perf[found].time = -1;
            perf[found].determinism = CUDNN_DETERMINISTIC;
            perf[found++].mathType = CUDNN_DEFAULT_MATH;
        }
    *returned = found;
    return CUDNN_STATUS_SUCCESS;
}

/* The functions that list algorithms differ in the order of their descriptors. */
cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t srcDesc,
    const cudnnFilterDescriptor_t filterDesc, const cudnnConvolutionDescriptor_t convDesc,
    const cudnnTensorDescriptor_t destDesc, const int requestedAlgoCount, int *returnedAlgoCount,
    cudnnConvolutionFwdAlgoPerf_t *perfResults)
{
    struct dnn_conv op;

    return list(describe(&op, handle, DNN_CONV_FORWARD, convDesc, srcDesc, filterDesc, destDesc),
                &op, requestedAlgoCount, returnedAlgoCount, perfResults);
}

cudnnStatus_t cudnnFindConvolutionForwardAlgorithm(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t xDesc, const cudnnFilterDescriptor_t wDesc,
    const cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t yDesc,
    const int requestedAlgoCount, int *returnedAlgoCount,
    cudnnConvolutionFwdAlgoPerf_t *perfResults)
{
    return cudnnGetConvolutionForwardAlgorithm_v7(
        handle, xDesc, wDesc, convDesc, yDesc, requestedAlgoCount, returnedAlgoCount, perfResults);
}

cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t xDesc, const void *x,
    const cudnnFilterDescriptor_t wDesc, const void *w, const cudnnConvolutionDescriptor_t convDesc,
    const cudnnTensorDescriptor_t yDesc, void *y, const int requestedAlgoCount,
    int *returnedAlgoCount, cudnnConvolutionFwdAlgoPerf_t *perfResults, void *workSpace,
    size_t workSpaceSizeInBytes)
{
    (void)workSpace, (void)workSpaceSizeInBytes;
    if (!x || !w || !y)
        return DNN_BAD_PARAM();
    return cudnnGetConvolutionForwardAlgorithm_v7(
        handle, xDesc, wDesc, convDesc, yDesc, requestedAlgoCount, returnedAlgoCount, perfResults);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t filterDesc,
    const cudnnTensorDescriptor_t diffDesc, const cudnnConvolutionDescriptor_t convDesc,
    const cudnnTensorDescriptor_t gradDesc, const int requestedAlgoCount, int *returnedAlgoCount,
    cudnnConvolutionBwdDataAlgoPerf_t *perfResults)
{
    struct dnn_conv op;

    return list(describe(&op, handle, DNN_CONV_DATA, convDesc, gradDesc, filterDesc, diffDesc), &op,
                requestedAlgoCount, returnedAlgoCount, perfResults);
}

cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithm(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t wDesc, const cudnnTensorDescriptor_t dyDesc,
    const cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t dxDesc,
    const int requestedAlgoCount, int *returnedAlgoCount,
    cudnnConvolutionBwdDataAlgoPerf_t *perfResults)
{
    return cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, wDesc, dyDesc, convDesc, dxDesc,
                                                       requestedAlgoCount, returnedAlgoCount,
                                                       perfResults);
}

cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t wDesc, const void *w,
    const cudnnTensorDescriptor_t dyDesc, const void *dy,
    const cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t dxDesc, void *dx,
    const int requestedAlgoCount, int *returnedAlgoCount,
    cudnnConvolutionBwdDataAlgoPerf_t *perfResults, void *workSpace, size_t workSpaceSizeInBytes)
{
    (void)workSpace, (void)workSpaceSizeInBytes;
    if (!w || !dy || !dx)
        return DNN_BAD_PARAM();
    return cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, wDesc, dyDesc, convDesc, dxDesc,
                                                       requestedAlgoCount, returnedAlgoCount,
                                                       perfResults);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t srcDesc,
    const cudnnTensorDescriptor_t diffDesc, const cudnnConvolutionDescriptor_t convDesc,
    const cudnnFilterDescriptor_t gradDesc, const int requestedAlgoCount, int *returnedAlgoCount,
    cudnnConvolutionBwdFilterAlgoPerf_t *perfResults)
{
    struct dnn_conv op;

    return list(describe(&op, handle, DNN_CONV_FILTER, convDesc, srcDesc, gradDesc, diffDesc), &op,
                requestedAlgoCount, returnedAlgoCount, perfResults);
}

cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithm(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t dyDesc,
    const cudnnConvolutionDescriptor_t convDesc, const cudnnFilterDescriptor_t dwDesc,
    const int requestedAlgoCount, int *returnedAlgoCount,
    cudnnConvolutionBwdFilterAlgoPerf_t *perfResults)
{
    return cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, xDesc, dyDesc, convDesc, dwDesc,
                                                         requestedAlgoCount, returnedAlgoCount,
                                                         perfResults);
}

cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t xDesc, const void *x,
    const cudnnTensorDescriptor_t dyDesc, const void *y,
    const cudnnConvolutionDescriptor_t convDesc, const cudnnFilterDescriptor_t dwDesc, void *dw,
    const int requestedAlgoCount, int *returnedAlgoCount,
    cudnnConvolutionBwdFilterAlgoPerf_t *perfResults, void *workSpace, size_t workSpaceSizeInBytes)
{
    (void)workSpace, (void)workSpaceSizeInBytes;
    if (!x || !y || !dw)
        return DNN_BAD_PARAM();
    return cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, xDesc, dyDesc, convDesc, dwDesc,
                                                         requestedAlgoCount, returnedAlgoCount,
                                                         perfResults);
}
