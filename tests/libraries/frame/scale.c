/* SPDX-License-Identifier: MIT */
/* Scales a vector by cublasSscal, right or with a mistake that the first argument names. Prints the
 * first element, or the error that a wait answers. Exit status 77: the mathematical library is
 * missing. */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 1 << 20 };

static const char *mistake = "";

static int is(const char *name)
{
    return strcmp(mistake, name) == 0;
}

static int report(cudaError_t error)
{
    printf("%s\n", cudaGetErrorName(error));
    return 1;
}

int main(int argc, char **argv)
{
    const float two = 2;
    cudaStream_t first, second;
    cublasHandle_t handle;
    float *x, result = 0;

    if (argc > 1)
        mistake = argv[1];
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS || cudaMalloc((void **)&x, COUNT * 4) ||
        cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) ||
        cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking))
        return 2;
    if (!is("unwritten"))
        cudaMemset(x, 0x3f, COUNT * 4);
    cudaDeviceSynchronize();
    cublasSetStream(handle, first);
    cublasStatus_t status = cublasSscal(handle, is("beyond") ? COUNT + 128 : COUNT, &two,
                                        is("wild") ? (float *)64 : x, 1);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED)
        return 77;
    if (is("two streams"))
        cublasSetStream(handle, second);
    cublasSscal(handle, COUNT, &two, x, 1);
    cudaError_t error = is("no wait") ? cudaSuccess : cudaDeviceSynchronize();
    if (error != cudaSuccess)
        return report(error);
    error = cudaMemcpyAsync(&result, x, sizeof(result), cudaMemcpyDeviceToHost, second);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(second);
    if (error != cudaSuccess)
        return report(error);
    printf("%.4f\n", (double)result);
    cublasDestroy(handle);
    return 0;
}
