/* SPDX-License-Identifier: MIT */
/* A test such as continuous integration runs: a kernel in PTX, y = a x + y, checked on the host. It
 * needs a C compiler and cuda.h, no toolkit. With an argument it forgets to wait, which `cupipe run
 * --schedule lazy` shows.
 *
 *     saxpy [forget] */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 16, THREADS = 256 };

static const char *const ptx =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 count)\n"
    "{\n"
    "    .reg .pred %p;\n    .reg .b32 %r<5>;\n    .reg .f32 %f<4>;\n    .reg .b64 %rd<6>;\n"
    "    mov.u32 %r1, %ctaid.x;\n    mov.u32 %r2, %ntid.x;\n    mov.u32 %r3, %tid.x;\n"
    "    mad.lo.u32 %r1, %r1, %r2, %r3;\n"
    "    ld.param.u32 %r4, [count];\n    setp.ge.u32 %p, %r1, %r4;\n    @%p ret;\n"
    "    mul.wide.u32 %rd1, %r1, 4;\n"
    "    ld.param.u64 %rd2, [x];\n    ld.param.u64 %rd3, [y];\n"
    "    add.u64 %rd4, %rd2, %rd1;\n    add.u64 %rd5, %rd3, %rd1;\n"
    "    ld.global.f32 %f1, [%rd4];\n    ld.global.f32 %f2, [%rd5];\n    ld.param.f32 %f3, [a];\n"
    "    fma.rn.f32 %f2, %f1, %f3, %f2;\n    st.global.f32 [%rd5], %f2;\n    ret;\n"
    "}\n";

static void check_result(CUresult result, const char *call)
{
    const char *name = "an unknown error";

    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "saxpy: %s failed: %s\n", call, name);
    exit(1);
}

#define check(call) check_result((call), #call)

static int compare(const float *y)
{
    for (int i = 0; i < COUNT; i++)
        if (y[i] != 2 * (float)i + 1) {
            fprintf(stderr, "saxpy: y[%d] is %g, not %g\n", i, y[i], 2 * (double)i + 1);
            return 1;
        }
    puts("saxpy: all values are right");
    return 0;
}

int main(int count, char **arguments)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUstream stream;
    CUdeviceptr x, y;
    float *host, a = 2;
    unsigned n = COUNT;
    int wrong;

    (void)arguments;
    check(cuInit(0));
    check(cuDeviceGet(&device, 0));
    check(cuDevicePrimaryCtxRetain(&context, device));
    check(cuCtxSetCurrent(context));
    check(cuModuleLoadData(&module, ptx));
    check(cuModuleGetFunction(&kernel, module, "saxpy"));
    check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check(cuMemAlloc(&x, COUNT * sizeof(float)));
    check(cuMemAlloc(&y, COUNT * sizeof(float)));
    check(cuMemHostAlloc((void **)&host, COUNT * sizeof(float), 0));
    for (int i = 0; i < COUNT; i++)
        host[i] = (float)i;
    check(cuMemcpyHtoD(x, host, COUNT * sizeof(float)));
    for (int i = 0; i < COUNT; i++)
        host[i] = 1;
    check(cuMemcpyHtoD(y, host, COUNT * sizeof(float)));

    check(cuLaunchKernel(kernel, COUNT / THREADS, 1, 1, THREADS, 1, 1, 0, stream,
                         (void *[]){&x, &y, &a, &n}, NULL));
    check(cuMemcpyDtoHAsync(host, y, COUNT * sizeof(float), stream));
    if (count == 1)
        check(cuStreamSynchronize(stream));
    wrong = compare(host);

    check(cuMemFreeHost(host));
    check(cuMemFree(x));
    check(cuMemFree(y));
    check(cuStreamDestroy(stream));
    check(cuModuleUnload(module));
    check(cuDevicePrimaryCtxRelease(device));
    return wrong;
}
