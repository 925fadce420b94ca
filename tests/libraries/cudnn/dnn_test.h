/* SPDX-License-Identifier: MIT */
/* What tests of cuDNN share: arrays on both sides, descriptors, and a check of gradients. */
#ifndef DNN_TEST_H
#define DNN_TEST_H

#include "test.h"

#include <cudnn.h>
#include <math.h>

#define check_status(call, expected) check((call) == (expected))
#define check_done(call) check((call) == CUDNN_STATUS_SUCCESS)

/* Numbers on the host and in device memory. */
struct array {
    int64_t count;
    double *host;
    double *device;
};

static inline void upload(struct array *array)
{
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)array->device, array->host,
                               (size_t)array->count * sizeof(double)));
}

static inline void download(struct array *array)
{
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(array->host, (CUdeviceptr)(uintptr_t)array->device,
                               (size_t)array->count * sizeof(double)));
}

/* Different numbers between -1 and 1. */
static inline struct array array_of(int64_t count, unsigned seed)
{
    struct array array = {.count = count, .host = malloc((size_t)count * sizeof(double))};
    CUdeviceptr memory;
    uint32_t state = seed * 2654435761u + 12345;

    check(array.host != NULL);
    for (int64_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        array.host[i] = (double)(state >> 8) / (1 << 23) - 1;
    }
    check_success(cuMemAlloc(&memory, (size_t)count * sizeof(double)));
    array.device = (double *)(uintptr_t)memory;
    upload(&array);
    return array;
}

static inline void *device_memory(size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes ? bytes : 1));
    check_success(cuMemsetD8(memory, 0, bytes ? bytes : 1));
    return (void *)(uintptr_t)memory;
}

static inline cudnnHandle_t handle_of(void)
{
    cudnnHandle_t handle;

    check_done(cudnnCreate(&handle));
    return handle;
}

static inline cudnnTensorDescriptor_t tensor_of(cudnnTensorFormat_t format, int n, int c, int h,
                                                int w)
{
    cudnnTensorDescriptor_t tensor;

    check_done(cudnnCreateTensorDescriptor(&tensor));
    check_done(cudnnSetTensor4dDescriptor(tensor, format, CUDNN_DATA_DOUBLE, n, c, h, w));
    return tensor;
}

/* Checks the gradient dx of sum(dy * y) with respect to x: forward() computes y from x. Some
 * elements are tried, by central differences. */
static inline void check_gradient(void (*forward)(void *), void *arguments, struct array *x,
                                  struct array *y, const struct array *dy, struct array *dx)
{
    const double step = 1e-5;

    download(dx);
    for (int64_t i = 0; i < x->count; i += 1 + x->count / 16) {
        double original = x->host[i], sums[2] = {0, 0}, slope;

        for (int side = 0; side < 2; side++) {
            x->host[i] = original + (side ? step : -step);
            upload(x);
            forward(arguments);
            download(y);
            for (int64_t j = 0; j < y->count; j++)
                sums[side] += y->host[j] * dy->host[j];
        }
        x->host[i] = original;
        upload(x);
        slope = (sums[1] - sums[0]) / (2 * step);
        if (fabs(slope - dx->host[i]) > 1e-6 * (1 + fabs(slope)))
            printf("# element %lld: %g, by differences %g\n", (long long)i, dx->host[i], slope);
        check(fabs(slope - dx->host[i]) <= 1e-6 * (1 + fabs(slope)));
    }
    forward(arguments);
}

static const double one = 1, zero = 0;

#endif
