/* SPDX-License-Identifier: MIT */
/* Layers of cuDNN that are no convolutions beside the same layers of oneDNN, called directly with
 * primitives that are made once: the best times of several runs, taken in turn, and their ratio.
 * Arguments: the seconds for a case (1). */
#include "turns.h"

#include <cuda.h>
#include <cudnn.h>
#include <dnnl.h>
#include <string.h>

enum layer { SOFTMAX, SOFTMAX_GRADIENT, MAX_POOL, AVERAGE_POOL, MAX_POOL_GRADIENT, BATCH_NORM };

static const struct bench_case {
    const char *name;
    enum layer layer;
    int last; /* channels last */
    int n, c, size;
} cases[] = {
    {"softmax 1024 x 1000", SOFTMAX, 0, 1024, 1000, 1},
    {"softmax 8 x 64 x 64^2", SOFTMAX, 0, 8, 64, 64},
    {"its gradient 1024 x 1000", SOFTMAX_GRADIENT, 0, 1024, 1000, 1},
    {"max 3x3/2 64 112^2 NCHW", MAX_POOL, 0, 4, 64, 112},
    {"max 3x3/2 64 112^2 NHWC", MAX_POOL, 1, 4, 64, 112},
    {"average 3x3/2 64 112^2 NCHW", AVERAGE_POOL, 0, 4, 64, 112},
    {"average 3x3/2 64 112^2 NHWC", AVERAGE_POOL, 1, 4, 64, 112},
    {"max gradient 64 112^2 NCHW", MAX_POOL_GRADIENT, 0, 4, 64, 112},
    {"batch norm 64 56^2 NCHW", BATCH_NORM, 0, 4, 64, 56},
    {"batch norm 64 56^2 NHWC", BATCH_NORM, 1, 4, 64, 56},
};

static float *numbers(size_t count)
{
    float *host = malloc(count * sizeof(*host));
    CUdeviceptr memory;

    bench_must(!host, "memory");
    for (size_t i = 0; i < count; i++)
        host[i] = (float)(i * 2654435761u % 1000) / 250 - 2;
    bench_must(cuMemAlloc(&memory, count * sizeof(float)), "memory");
    bench_must(cuMemcpyHtoD(memory, host, count * sizeof(float)), "copy");
    free(host);
    return (float *)(uintptr_t)memory;
}

/* Descriptors and data of a case, for both libraries. */
struct layer_case {
    const struct bench_case *c;
    int out;
    float *x, *y, *dx, *dy, *scale, *mean, *variance;
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t x_desc, y_desc, scale_desc;
    cudnnPoolingDescriptor_t pooling;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t x_md, y_md;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t arguments[6];
    int argument_count;
};

static void run_ours(void *argument)
{
    const struct layer_case *l = argument;
    const float one = 1, zero = 0;
    const cudnnSoftmaxMode_t mode = CUDNN_SOFTMAX_MODE_CHANNEL;
    int status = 0;

    switch (l->c->layer) {
    case SOFTMAX:
        status = (int)cudnnSoftmaxForward(l->handle, CUDNN_SOFTMAX_ACCURATE, mode, &one, l->x_desc,
                                          l->x, &zero, l->y_desc, l->y);
        break;
    case SOFTMAX_GRADIENT:
        status = (int)cudnnSoftmaxBackward(l->handle, CUDNN_SOFTMAX_ACCURATE, mode, &one, l->y_desc,
                                           l->y, l->y_desc, l->dy, &zero, l->x_desc, l->dx);
        break;
    case MAX_POOL:
    case AVERAGE_POOL:
        status = (int)cudnnPoolingForward(l->handle, l->pooling, &one, l->x_desc, l->x, &zero,
                                          l->y_desc, l->y);
        break;
    case MAX_POOL_GRADIENT:
        status = (int)cudnnPoolingBackward(l->handle, l->pooling, &one, l->y_desc, l->y, l->y_desc,
                                           l->dy, l->x_desc, l->x, &zero, l->x_desc, l->dx);
        break;
    case BATCH_NORM:
        status = (int)cudnnBatchNormalizationForwardTraining(
            l->handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero, l->x_desc, l->x, l->y_desc, l->y,
            l->scale_desc, l->scale, l->scale, 0.1, NULL, NULL, 1e-5, l->mean, l->variance);
        break;
    }
    bench_must(status, l->c->name);
    bench_must(cuCtxSynchronize(), "wait");
}

static void argument(struct layer_case *l, int kind, const dnnl_memory_desc_t *desc, void *address)
{
    dnnl_memory_t memory;

    bench_must(dnnl_memory_create(&memory, desc, l->engine, address), "memory");
    l->arguments[l->argument_count++] = (dnnl_exec_arg_t){kind, memory};
}

static dnnl_primitive_desc_t plan_of(struct layer_case *l, const_dnnl_op_desc_t desc,
                                     const_dnnl_primitive_desc_t hint)
{
    dnnl_primitive_desc_t plan;

    bench_must(dnnl_primitive_desc_create(&plan, desc, NULL, l->engine, hint), "plan");
    return plan;
}

static dnnl_primitive_desc_t softmax_plan(struct layer_case *l)
{
    dnnl_softmax_desc_t desc;

    if (l->c->layer == SOFTMAX)
        bench_must(dnnl_softmax_forward_desc_init(&desc, dnnl_forward_inference, &l->x_md, 1),
                   "softmax");
    else
        bench_must(dnnl_softmax_backward_desc_init(&desc, &l->x_md, &l->x_md, 1), "softmax");
    if (l->c->layer == SOFTMAX) {
        argument(l, DNNL_ARG_SRC, &l->x_md, l->x);
        argument(l, DNNL_ARG_DST, &l->y_md, l->y);
        return plan_of(l, &desc, NULL);
    }
    argument(l, DNNL_ARG_DST, &l->y_md, l->y);
    argument(l, DNNL_ARG_DIFF_DST, &l->y_md, l->dy);
    argument(l, DNNL_ARG_DIFF_SRC, &l->x_md, l->dx);
    {
        dnnl_softmax_desc_t forward;

        bench_must(dnnl_softmax_forward_desc_init(&forward, dnnl_forward_training, &l->x_md, 1),
                   "softmax");
        return plan_of(l, &desc, plan_of(l, &forward, NULL));
    }
}

static dnnl_primitive_desc_t pooling_plan(struct layer_case *l)
{
    const dnnl_dims_t strides = {2, 2}, window = {3, 3}, pads = {1, 1};
    dnnl_alg_kind_t kind =
        l->c->layer == AVERAGE_POOL ? dnnl_pooling_avg_exclude_padding : dnnl_pooling_max;
    bool gradient = l->c->layer == MAX_POOL_GRADIENT;
    dnnl_pooling_desc_t desc, back;
    dnnl_primitive_desc_t plan;

    bench_must(dnnl_pooling_forward_desc_init(
                   &desc, gradient ? dnnl_forward_training : dnnl_forward_inference, kind, &l->x_md,
                   &l->y_md, strides, window, pads, pads),
               "pooling");
    plan = plan_of(l, &desc, NULL);
    argument(l, DNNL_ARG_SRC, &l->x_md, l->x);
    argument(l, DNNL_ARG_DST, &l->y_md, l->y);
    if (!gradient)
        return plan;
    {
        const dnnl_memory_desc_t *space =
            dnnl_primitive_desc_query_md(plan, dnnl_query_workspace_md, 0);
        dnnl_primitive_t forward;

        argument(l, DNNL_ARG_WORKSPACE, space, DNNL_MEMORY_ALLOCATE);
        bench_must(dnnl_primitive_create(&forward, plan), "pooling");
        bench_must(dnnl_primitive_execute(forward, l->stream, l->argument_count, l->arguments),
                   "run");
    }
    argument(l, DNNL_ARG_DIFF_DST, &l->y_md, l->dy);
    argument(l, DNNL_ARG_DIFF_SRC, &l->x_md, l->dx);
    bench_must(dnnl_pooling_backward_desc_init(&back, kind, &l->x_md, &l->y_md, strides, window,
                                               pads, pads),
               "pooling");
    return plan_of(l, &back, plan);
}

static dnnl_primitive_desc_t norm_plan(struct layer_case *l)
{
    const dnnl_dims_t dims = {l->c->c};
    dnnl_batch_normalization_desc_t desc;
    dnnl_memory_desc_t one;

    bench_must(dnnl_memory_desc_init_by_tag(&one, 1, dims, dnnl_f32, dnnl_a), "desc");
    bench_must(dnnl_batch_normalization_forward_desc_init(&desc, dnnl_forward_training, &l->x_md,
                                                          1e-5F, dnnl_use_scale | dnnl_use_shift),
               "norm");
    argument(l, DNNL_ARG_SRC, &l->x_md, l->x);
    argument(l, DNNL_ARG_DST, &l->y_md, l->y);
    argument(l, DNNL_ARG_SCALE, &one, l->scale);
    argument(l, DNNL_ARG_SHIFT, &one, l->scale);
    argument(l, DNNL_ARG_MEAN, &one, l->mean);
    argument(l, DNNL_ARG_VARIANCE, &one, l->variance);
    return plan_of(l, &desc, NULL);
}

static void prepare(struct layer_case *l)
{
    const struct bench_case *c = l->c;
    bool pools = c->layer >= MAX_POOL && c->layer <= MAX_POOL_GRADIENT;
    cudnnTensorFormat_t format = c->last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    size_t count = (size_t)c->n * (size_t)c->c * (size_t)c->size * (size_t)c->size;
    dnnl_dims_t in = {c->n, c->c, c->size, c->size}, out;
    dnnl_format_tag_t tag = c->last ? dnnl_nhwc : dnnl_nchw;
    dnnl_primitive_desc_t plan;

    l->out = pools ? (c->size - 1) / 2 + 1 : c->size;
    memcpy(out, in, sizeof(out));
    out[2] = out[3] = l->out;
    l->x = numbers(count), l->y = numbers(count), l->dx = numbers(count), l->dy = numbers(count);
    l->scale = numbers((size_t)c->c), l->mean = numbers((size_t)c->c);
    l->variance = numbers((size_t)c->c);
    cudnnCreateTensorDescriptor(&l->x_desc);
    cudnnCreateTensorDescriptor(&l->y_desc);
    cudnnCreateTensorDescriptor(&l->scale_desc);
    cudnnCreatePoolingDescriptor(&l->pooling);
    bench_must(cudnnSetTensor4dDescriptor(l->x_desc, format, CUDNN_DATA_FLOAT, c->n, c->c, c->size,
                                          c->size),
               "x");
    bench_must(
        cudnnSetTensor4dDescriptor(l->y_desc, format, CUDNN_DATA_FLOAT, c->n, c->c, l->out, l->out),
        "y");
    bench_must(cudnnSetTensor4dDescriptor(l->scale_desc, format, CUDNN_DATA_FLOAT, 1, c->c, 1, 1),
               "s");
    bench_must(cudnnSetPooling2dDescriptor(l->pooling,
                                           c->layer == AVERAGE_POOL
                                               ? CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING
                                               : CUDNN_POOLING_MAX,
                                           CUDNN_NOT_PROPAGATE_NAN, 3, 3, 1, 1, 2, 2),
               "pooling");
    bench_must(dnnl_engine_create(&l->engine, dnnl_cpu, 0), "engine");
    bench_must(dnnl_stream_create(&l->stream, l->engine, dnnl_stream_default_flags), "stream");
    bench_must(dnnl_memory_desc_init_by_tag(&l->x_md, 4, in, dnnl_f32, tag), "desc");
    bench_must(dnnl_memory_desc_init_by_tag(&l->y_md, 4, out, dnnl_f32, tag), "desc");
    plan = pools ? pooling_plan(l) : c->layer == BATCH_NORM ? norm_plan(l) : softmax_plan(l);
    bench_must(dnnl_primitive_create(&l->primitive, plan), "primitive");
}

static void run_theirs(void *argument)
{
    const struct layer_case *l = argument;

    bench_must(dnnl_primitive_execute(l->primitive, l->stream, l->argument_count, l->arguments),
               "run");
    bench_must(dnnl_stream_wait(l->stream), "wait");
}

static void run(cudnnHandle_t handle, const struct bench_case *c, double seconds)
{
    struct layer_case l = {.c = c, .handle = handle};
    struct bench_side ours = {.run = run_ours, .argument = &l};
    struct bench_side theirs = {.run = run_theirs, .argument = &l};

    prepare(&l);
    bench_turns(&ours, &theirs, seconds);
    printf("%-28s %9.3f ms %9.3f ms %6.2f\n", c->name, ours.best_us / 1e3, theirs.best_us / 1e3,
           ours.best_us / theirs.best_us);
}

int main(int count, char **arguments)
{
    double seconds = count > 1 ? atof(arguments[1]) : 1;
    cudnnHandle_t handle;
    CUcontext context;
    CUdevice device;

    bench_must(cuInit(0), "cuInit");
    bench_must(cuDeviceGet(&device, 0), "device");
    bench_must(cuDevicePrimaryCtxRetain(&context, device), "context");
    bench_must(cuCtxSetCurrent(context), "context");
    bench_must(cudnnCreate(&handle), "cudnnCreate");
    printf("%-28s %12s %12s %6s\n", "layer", "cuDNN", "oneDNN", "ratio");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        run(handle, &cases[i], seconds);
    return 0;
}
