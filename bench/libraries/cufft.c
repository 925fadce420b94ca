/* SPDX-License-Identifier: MIT */
/* Transforms of cuFFT beside the same transforms of DUCC0, called directly: the best times of
 * several runs, taken in turn, and their ratio. Arguments: the seconds for a case (1). */
#include "engine.h"
#include "turns.h"

#include <cuda.h>
#include <cufft.h>

static const struct bench_case {
    const char *name;
    cufftType type;
    int rank, n[3], batch;
} cases[] = {
    {"C2C 64", CUFFT_C2C, 1, {64}, 1},
    {"C2C 1024", CUFFT_C2C, 1, {1024}, 1},
    {"C2C 64 x 16384", CUFFT_C2C, 1, {64}, 16384},
    {"C2C 256 x 4096", CUFFT_C2C, 1, {256}, 4096},
    {"C2C 1024 x 1024", CUFFT_C2C, 1, {1024}, 1024},
    {"C2C 1009 x 1024", CUFFT_C2C, 1, {1009}, 1024},
    {"C2C 1048576", CUFFT_C2C, 1, {1048576}, 1},
    {"R2C 1024 x 1024", CUFFT_R2C, 1, {1024}, 1024},
    {"C2R 1024 x 1024", CUFFT_C2R, 1, {1024}, 1024},
    {"Z2Z 1024 x 512", CUFFT_Z2Z, 1, {1024}, 512},
    {"C2C 1024^2", CUFFT_C2C, 2, {1024, 1024}, 1},
    {"R2C 1024^2", CUFFT_R2C, 2, {1024, 1024}, 1},
    {"C2C 128^3", CUFFT_C2C, 3, {128, 128, 128}, 1},
    {"D2Z 100^3", CUFFT_D2Z, 3, {100, 100, 100}, 1},
};

/* The same transform for DUCC0: dense arrays. */
static struct fft_transform describe(const struct bench_case *c, CUdeviceptr in, CUdeviceptr out)
{
    struct fft_transform t = {.dimensions = c->rank + 1, .transformed = c->rank, .forward = true};
    size_t in_step = 1, out_step = 1;

    t.kind = c->type == CUFFT_R2C || c->type == CUFFT_D2Z   ? FFT_REAL_TO_COMPLEX
             : c->type == CUFFT_C2R || c->type == CUFFT_Z2D ? FFT_COMPLEX_TO_REAL
                                                            : FFT_COMPLEX;
    t.precision = c->type == CUFFT_Z2Z || c->type == CUFFT_D2Z ? FFT_DOUBLE : FFT_FLOAT;
    t.shape[0] = (size_t)c->batch;
    for (int i = 0; i < c->rank; i++)
        t.shape[i + 1] = (size_t)c->n[i];
    for (int i = c->rank; i >= 0; i--) {
        t.in_stride[i] = (ptrdiff_t)in_step;
        t.out_stride[i] = (ptrdiff_t)out_step;
        in_step *= fft_in_length(&t, i);
        out_step *= fft_out_length(&t, i);
    }
    t.in = (void *)in;
    t.out = (void *)out;
    return t;
}

struct planned {
    cufftHandle plan;
    CUdeviceptr in, out;
    int direction;
};

static void planned_run(void *argument)
{
    const struct planned *p = argument;

    bench_must(cufftExecC2C(p->plan, (void *)p->in, (void *)p->out, p->direction), "cufftExecC2C");
    bench_must(cuCtxSynchronize(), "cuCtxSynchronize");
}

static void direct_run(void *argument)
{
    bench_must(!fft_engine_run(argument), "DUCC0");
}

static void measure(const struct bench_case *c, double seconds)
{
    size_t bytes = 16 * (size_t)c->batch;
    struct fft_transform transform;
    struct planned p;
    struct bench_side ours = {.run = planned_run, .argument = &p};
    struct bench_side direct = {.run = direct_run, .argument = &transform};

    for (int i = 0; i < c->rank; i++)
        bytes *= (size_t)c->n[i] + 2;
    bench_must(cuMemAlloc_v2(&p.in, bytes), "cuMemAlloc");
    bench_must(cuMemAlloc_v2(&p.out, bytes), "cuMemAlloc");
    bench_must(cuMemsetD8_v2(p.in, 0, bytes), "cuMemsetD8");
    bench_must(cuMemsetD8_v2(p.out, 0, bytes), "cuMemsetD8");
    bench_must(
        cufftPlanMany(&p.plan, c->rank, (int *)c->n, NULL, 1, 0, NULL, 1, 0, c->type, c->batch),
        "cufftPlanMany");
    transform = describe(c, p.in, p.out);
    p.direction = transform.kind == FFT_COMPLEX_TO_REAL ? CUFFT_INVERSE : CUFFT_FORWARD;
    bench_turns(&ours, &direct, seconds);
    printf("%-18s %12.1f %12.1f %8.3f\n", c->name, ours.best_us, direct.best_us,
           ours.best_us / direct.best_us);
    cufftDestroy(p.plan);
    cuMemFree_v2(p.in);
    cuMemFree_v2(p.out);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    CUcontext context;

    bench_must(cuInit(0), "cuInit");
    bench_must(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    bench_must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    printf("%-18s %12s %12s %8s\n", "", "cuFFT us", "DUCC0 us", "ratio");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        measure(&cases[i], seconds);
    return 0;
}
