/* SPDX-License-Identifier: MIT */
/* Requests a private table, as NVIDIA's runtime library does; with an argument it continues and
 * creates a context. */
#include <cuda.h>

int main(int argc, char **argv)
{
    const void *table;
    CUuuid id = {{1, 2, 3}};
    CUcontext context;

    (void)argv;
    if (cuInit(0) != CUDA_SUCCESS || cuGetExportTable(&table, &id) != CUDA_ERROR_INVALID_VALUE)
        return 1;
    if (argc > 1 && (cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
                     cuDevicePrimaryCtxRelease(0) != CUDA_SUCCESS))
        return 1;
    return 0;
}
