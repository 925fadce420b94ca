/* SPDX-License-Identifier: MIT */
/* A picture computed by a CUDA kernel: loads PTX, launches it over the pixels and writes a PNG.
 *
 *     julia julia.ptx julia.png [WIDTH HEIGHT] */
#include "png.h"

#include <cuda.h>
#include <time.h>

static void check_result(CUresult result, const char *call)
{
    const char *name = "an unknown error";

    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "julia: %s failed: %s\n", call, name);
    exit(1);
}

#define check(call) check_result((call), #call)

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);

    if (!file || !text || fread(text, 1, (1 << 20) - 1, file) == 0) {
        fprintf(stderr, "julia: cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int count, char **arguments)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr pixels;
    char name[256], *text;
    int width = 1280, height = 800, limit = 300;
    float cx = -0.7269f, cy = 0.1889f;

    if (count != 3 && count != 5) {
        fprintf(stderr, "usage: julia KERNEL.ptx PICTURE.png [WIDTH HEIGHT]\n");
        return 2;
    }
    if (count == 5) {
        width = atoi(arguments[3]);
        height = atoi(arguments[4]);
    }
    if (width <= 0 || height <= 0 || width > 16384 || height > 16384) {
        fprintf(stderr, "julia: a picture is 1 to 16384 pixels wide and high\n");
        return 2;
    }
    check(cuInit(0));
    check(cuDeviceGet(&device, 0));
    check(cuDeviceGetName(name, sizeof name, device));
    check(cuDevicePrimaryCtxRetain(&context, device));
    check(cuCtxSetCurrent(context));
    text = read_file(arguments[1]);
    check(cuModuleLoadData(&module, text));
    free(text);
    check(cuModuleGetFunction(&kernel, module, "julia"));

    size_t bytes = (size_t)width * (size_t)height * 4;
    void *parameters[] = {&pixels, &width, &height, &cx, &cy, &limit};
    unsigned blocks_x = ((unsigned)width + 31) / 32, blocks_y = ((unsigned)height + 7) / 8;
    check(cuMemAlloc(&pixels, bytes));
    double start = now_ms();
    check(cuLaunchKernel(kernel, blocks_x, blocks_y, 1, 32, 8, 1, 0, NULL, parameters, NULL));
    check(cuCtxSynchronize());
    double first = now_ms();
    check(cuLaunchKernel(kernel, blocks_x, blocks_y, 1, 32, 8, 1, 0, NULL, parameters, NULL));
    check(cuCtxSynchronize());
    double second = now_ms();

    uint8_t *picture = malloc(bytes);
    if (!picture) {
        fprintf(stderr, "julia: no memory for a picture of %zu bytes\n", bytes);
        return 1;
    }
    check(cuMemcpyDtoH(picture, pixels, bytes));
    if (!png_write(arguments[2], picture, (unsigned)width, (unsigned)height)) {
        fprintf(stderr, "julia: cannot write %s\n", arguments[2]);
        return 1;
    }
    printf("a CUDA kernel on %s: %u x %u blocks of 32 x 8 threads\n", name, blocks_x, blocks_y);
    printf("  first launch, with compiling %8.2f ms\n  second launch               %8.2f ms\n",
           first - start, second - first);
    printf("  the picture: %s\n", arguments[2]);
    free(picture);
    return 0;
}
