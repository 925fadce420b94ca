/* SPDX-License-Identifier: MIT */
/* Transforms of cuFFT beside the same transforms of DUCC0, called directly: the best times of
 * several runs, taken in turn, and their ratio. Arguments: the seconds for a case (1). */
#include "engine.h"

#include <cuda.h>
#include <cufft.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void must(int failed, const char *what)
{
    if (failed) {
        fprintf(stderr, "%s: %d\n", what, failed);
        exit(1);
    }
}

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

static void measure(const struct bench_case *c, double seconds)
{
    size_t bytes = 16 * (size_t)c->batch;
    double ours = 1e9, direct = 1e9, end;
    struct fft_transform transform;
    CUdeviceptr in, out;
    cufftHandle plan;
    int direction;

    for (int i = 0; i < c->rank; i++)
        bytes *= (size_t)c->n[i] + 2;
    must(cuMemAlloc_v2(&in, bytes), "cuMemAlloc");
    must(cuMemAlloc_v2(&out, bytes), "cuMemAlloc");
    must(cuMemsetD8_v2(in, 0, bytes), "cuMemsetD8");
    must(cuMemsetD8_v2(out, 0, bytes), "cuMemsetD8");
    must(cufftPlanMany(&plan, c->rank, (int *)c->n, NULL, 1, 0, NULL, 1, 0, c->type, c->batch),
         "cufftPlanMany");
    transform = describe(c, in, out);
    direction = transform.kind == FFT_COMPLEX_TO_REAL ? CUFFT_INVERSE : CUFFT_FORWARD;
    end = now() + seconds;
    for (int turn = 0; now() < end || turn < 4; turn++) {
        double start = now(), time;

        if (turn % 2) { /* each comes second as often as first */
            must(!fft_engine_run(&transform), "DUCC0");
            time = now() - start;
            direct = time < direct ? time : direct;
            start = now();
        }
        must(cufftExecC2C(plan, (void *)in, (void *)out, direction), "cufftExecC2C");
        must(cuCtxSynchronize(), "cuCtxSynchronize");
        time = now() - start;
        ours = time < ours ? time : ours;
        if (turn % 2 == 0) {
            start = now();
            must(!fft_engine_run(&transform), "DUCC0");
            time = now() - start;
            direct = time < direct ? time : direct;
        }
    }
    printf("%-18s %12.1f %12.1f %8.3f\n", c->name, ours * 1e6, direct * 1e6, ours / direct);
    cufftDestroy(plan);
    cuMemFree_v2(in);
    cuMemFree_v2(out);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    CUcontext context;

    must(cuInit(0), "cuInit");
    must(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    printf("%-18s %12s %12s %8s\n", "", "cuFFT us", "DUCC0 us", "ratio");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        measure(&cases[i], seconds);
    return 0;
}
