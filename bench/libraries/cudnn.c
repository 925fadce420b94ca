/* SPDX-License-Identifier: MIT */
/* Convolutions of cuDNN beside the same convolutions of oneDNN, called directly with primitives
 * that are made once: the best times of several runs, taken in turn, and their ratio. Data lies in
 * planes (NCHW) or with channels last (NHWC); oneDNN reorders it as it does for cuDNN. Arguments:
 * the seconds for a case (1). */
#include "turns.h"

#include <cuda.h>
#include <cudnn.h>
#include <dnnl.h>
#include <string.h>

static const struct bench_case {
    const char *name;
    int last; /* channels last */
    int n, c, size, k, window, stride;
} cases[] = {
    {"3x3 64 56^2 NCHW", 0, 4, 64, 56, 64, 3, 1},
    {"3x3 64 56^2 NHWC", 1, 4, 64, 56, 64, 3, 1},
    {"1x1 256 56^2 NCHW", 0, 4, 256, 56, 64, 1, 1},
    {"1x1 256 56^2 NHWC", 1, 4, 256, 56, 64, 1, 1},
    {"3x3 256 14^2 NCHW", 0, 4, 256, 14, 256, 3, 1},
    {"7x7 3 224^2 /2 NCHW", 0, 2, 3, 224, 64, 7, 2},
};

struct direct {
    dnnl_stream_t stream;
    dnnl_primitive_t steps[4]; /* two reorders, the convolution, a reorder; NULL: not needed */
    dnnl_exec_arg_t arguments[4][3];
    int counts[4];
};

static dnnl_memory_t memory_of(const dnnl_memory_desc_t *desc, dnnl_engine_t engine, void *address)
{
    dnnl_memory_t memory;

    bench_must(dnnl_memory_create(&memory, desc, engine, address), "memory");
    return memory;
}

/* The memory that the convolution uses for an operand, and the reorder between the two. */
static dnnl_memory_t adapt(struct direct *direct, int step, dnnl_engine_t engine,
                           const dnnl_memory_desc_t *own, const dnnl_memory_desc_t *wanted,
                           void *address, int out)
{
    dnnl_memory_t outer = memory_of(own, engine, address), inner;
    dnnl_primitive_desc_t plan;

    if (dnnl_memory_desc_equal(own, wanted))
        return outer;
    inner = memory_of(wanted, engine, DNNL_MEMORY_ALLOCATE);
    bench_must(dnnl_reorder_primitive_desc_create(&plan, out ? wanted : own, engine,
                                                  out ? own : wanted, engine, NULL),
               "reorder");
    bench_must(dnnl_primitive_create(&direct->steps[step], plan), "reorder");
    direct->arguments[step][0] = (dnnl_exec_arg_t){DNNL_ARG_FROM, out ? inner : outer};
    direct->arguments[step][1] = (dnnl_exec_arg_t){DNNL_ARG_TO, out ? outer : inner};
    direct->counts[step] = 2;
    return inner;
}

static void direct_init(struct direct *direct, const struct bench_case *c, int out, void *x,
                        void *w, void *y)
{
    const dnnl_dims_t x_dims = {c->n, c->c, c->size, c->size};
    const dnnl_dims_t w_dims = {c->k, c->c, c->window, c->window}, y_dims = {c->n, c->k, out, out};
    const dnnl_dims_t strides = {c->stride, c->stride}, pads = {c->window / 2, c->window / 2};
    const dnnl_dim_t *dims[] = {x_dims, w_dims, y_dims};
    dnnl_memory_desc_t own[3], any[3];
    dnnl_format_tag_t tag = c->last ? dnnl_nhwc : dnnl_nchw;
    dnnl_convolution_desc_t conv;
    dnnl_primitive_desc_t plan;
    dnnl_engine_t engine;
    dnnl_memory_t memory[3];

    memset(direct, 0, sizeof(*direct));
    bench_must(dnnl_engine_create(&engine, dnnl_cpu, 0), "engine");
    bench_must(dnnl_stream_create(&direct->stream, engine, dnnl_stream_default_flags), "stream");
    for (int i = 0; i < 3; i++) {
        bench_must(dnnl_memory_desc_init_by_tag(&own[i], 4, dims[i], dnnl_f32, tag), "desc");
        bench_must(dnnl_memory_desc_init_by_tag(&any[i], 4, dims[i], dnnl_f32, dnnl_format_tag_any),
                   "desc");
    }
    bench_must(dnnl_convolution_forward_desc_init(&conv, dnnl_forward_training,
                                                  dnnl_convolution_direct, &any[0], &any[1], NULL,
                                                  &any[2], strides, pads, pads),
               "convolution");
    bench_must(dnnl_primitive_desc_create(&plan, &conv, NULL, engine, NULL), "plan");
    memory[0] = adapt(direct, 0, engine, &own[0],
                      dnnl_primitive_desc_query_md(plan, dnnl_query_src_md, 0), x, 0);
    memory[1] = adapt(direct, 1, engine, &own[1],
                      dnnl_primitive_desc_query_md(plan, dnnl_query_weights_md, 0), w, 0);
    memory[2] = adapt(direct, 3, engine, &own[2],
                      dnnl_primitive_desc_query_md(plan, dnnl_query_dst_md, 0), y, 1);
    bench_must(dnnl_primitive_create(&direct->steps[2], plan), "primitive");
    direct->arguments[2][0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, memory[0]};
    direct->arguments[2][1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, memory[1]};
    direct->arguments[2][2] = (dnnl_exec_arg_t){DNNL_ARG_DST, memory[2]};
    direct->counts[2] = 3;
}

static void direct_run(void *argument)
{
    const struct direct *direct = argument;

    for (int i = 0; i < 4; i++)
        if (direct->steps[i])
            bench_must(dnnl_primitive_execute(direct->steps[i], direct->stream, direct->counts[i],
                                              direct->arguments[i]),
                       "execute");
    bench_must(dnnl_stream_wait(direct->stream), "wait");
}

static float *numbers(size_t count)
{
    CUdeviceptr memory;

    bench_must(cuMemAlloc(&memory, count * sizeof(float)), "memory");
    bench_must(cuMemsetD32(memory, 0x3f000000, count), "memory");
    return (float *)(uintptr_t)memory;
}

/* A convolution as cuDNN describes it. */
struct described {
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t x_desc, y_desc;
    cudnnFilterDescriptor_t w_desc;
    cudnnConvolutionDescriptor_t convolution;
    float *x, *w, *y;
};

static void described_run(void *argument)
{
    const struct described *d = argument;
    const float one = 1, zero = 0;

    bench_must(cudnnConvolutionForward(d->handle, &one, d->x_desc, d->x, d->w_desc, d->w,
                                       d->convolution, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                       NULL, 0, &zero, d->y_desc, d->y),
               "cudnnConvolutionForward");
    bench_must(cuCtxSynchronize(), "wait");
}

static void run(cudnnHandle_t handle, const struct bench_case *c, double seconds)
{
    cudnnTensorFormat_t format = c->last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    int out = (c->size + 2 * (c->window / 2) - c->window) / c->stride + 1;
    struct described d = {.handle = handle,
                          .x = numbers((size_t)c->n * c->c * c->size * c->size),
                          .w = numbers((size_t)c->k * c->c * c->window * c->window),
                          .y = numbers((size_t)c->n * c->k * out * out)};
    struct direct direct;
    struct bench_side ours = {.run = described_run, .argument = &d};
    struct bench_side theirs = {.run = direct_run, .argument = &direct};

    cudnnCreateTensorDescriptor(&d.x_desc);
    cudnnCreateTensorDescriptor(&d.y_desc);
    cudnnCreateFilterDescriptor(&d.w_desc);
    cudnnCreateConvolutionDescriptor(&d.convolution);
    bench_must(cudnnSetTensor4dDescriptor(d.x_desc, format, CUDNN_DATA_FLOAT, c->n, c->c, c->size,
                                          c->size),
               "x");
    bench_must(cudnnSetTensor4dDescriptor(d.y_desc, format, CUDNN_DATA_FLOAT, c->n, c->k, out, out),
               "y");
    bench_must(cudnnSetFilter4dDescriptor(d.w_desc, CUDNN_DATA_FLOAT, format, c->k, c->c, c->window,
                                          c->window),
               "w");
    bench_must(cudnnSetConvolution2dDescriptor(d.convolution, c->window / 2, c->window / 2,
                                               c->stride, c->stride, 1, 1, CUDNN_CROSS_CORRELATION,
                                               CUDNN_DATA_FLOAT),
               "convolution");
    direct_init(&direct, c, out, d.x, d.w, d.y);
    bench_turns(&ours, &theirs, seconds);
    printf("%-22s %9.3f ms %9.3f ms %6.2f\n", c->name, ours.best_us / 1e3, theirs.best_us / 1e3,
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
    printf("%-22s %12s %12s %6s\n", "convolution", "cuDNN", "oneDNN", "ratio");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        run(handle, &cases[i], seconds);
    return 0;
}
