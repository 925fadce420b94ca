// SPDX-License-Identifier: MIT
// A plain CUDA C++ program of the runtime API: the Mandelbrot set as text, computed by a kernel.
// Nothing in it knows of cupipe; docs/RUNTIME.md says how nvcc, CMake and clang build it.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int Width = 78, Height = 24, Steps = 200;

__constant__ char shades[] = " .:-=+*#%@";

__global__ void mandelbrot(char *picture, float left, float top, float step)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float x = 0, y = 0;
    int n = 0;

    if (column >= Width || row >= Height)
        return;
    for (; n < Steps && x * x + y * y < 4; n++) {
        float next = x * x - y * y + left + column * step;
        y = 2 * x * y + top + row * 2 * step;
        x = next;
    }
    picture[row * (Width + 1) + column] = shades[n == Steps ? 9 : n < 18 ? n / 2 : 8];
    if (column == Width - 1)
        picture[row * (Width + 1) + Width] = '\n';
}

int main()
{
    cudaDeviceProp device;
    char *picture;
    static char text[Height * (Width + 1)];
    dim3 block(16, 8), grid((Width + block.x - 1) / block.x, (Height + block.y - 1) / block.y);
    cudaError_t error = cudaGetDeviceProperties(&device, 0);

    if (error == cudaSuccess)
        error = cudaMalloc(&picture, sizeof(text));
    if (error == cudaSuccess) {
        mandelbrot<<<grid, block>>>(picture, -2.3f, -1.2f, 0.05f);
        error = cudaMemcpy(text, picture, sizeof(text), cudaMemcpyDeviceToHost);
    }
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
        return 1;
    }
    std::fwrite(text, 1, sizeof(text), stdout);
    std::printf("%d x %d points by a plain .cu program on %s\n", Width, Height, device.name);
    cudaFree(picture);
    return 0;
}
