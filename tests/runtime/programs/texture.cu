// SPDX-License-Identifier: MIT
// A texture object over an array, with linear filtering, and a surface that a kernel writes.
#include "check.h"

__global__ void sample(cudaTextureObject_t texture, float *out)
{
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 1.0f, 0.5f);
}

__global__ void draw(cudaSurfaceObject_t surface)
{
    surf2Dwrite((float)(10 * threadIdx.x), surface, threadIdx.x * sizeof(float), 0);
}

// A surface needs an array.
static void check_surfaces_of_nothing()
{
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface;

    resource.resType = cudaResourceTypeArray;
    CHECK(cudaCreateSurfaceObject(&surface, &resource) == cudaErrorInvalidResourceHandle);
    resource.resType = cudaResourceTypeMipmappedArray;
    CHECK(cudaCreateSurfaceObject(&surface, &resource) == cudaErrorInvalidResourceHandle);
    resource.resType = (cudaResourceType)77;
    CHECK(cudaCreateSurfaceObject(&surface, &resource) == cudaErrorInvalidValue);
    cudaGetLastError();
}

int main()
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaResourceDesc resource = {};
    cudaTextureDesc settings = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    float texels[8] = {0, 1, 2, 3, 4, 5, 6, 7}, got[8], *out;

    CHECK_CUDA(cudaMallocArray(&array, &desc, 8, 1, cudaArraySurfaceLoadStore));
    CHECK_CUDA(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof(texels), sizeof(texels), 1,
                                   cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    settings.filterMode = cudaFilterModeLinear;
    settings.addressMode[0] = settings.addressMode[1] = cudaAddressModeClamp;
    CHECK_CUDA(cudaCreateTextureObject(&texture, &resource, &settings, nullptr));
    CHECK_CUDA(cudaMalloc(&out, sizeof(got)));
    sample<<<1, 8>>>(texture, out);
    CHECK_CUDA(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 7; i++)
        CHECK(got[i] == i + 0.5f);
    CHECK(got[7] == 7);

    CHECK_CUDA(cudaCreateSurfaceObject(&surface, &resource));
    draw<<<1, 8>>>(surface);
    sample<<<1, 8>>>(texture, out);
    CHECK_CUDA(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
    CHECK(got[0] == 5 && got[7] == 70);
    CHECK_CUDA(cudaDestroySurfaceObject(surface));
    CHECK_CUDA(cudaDestroyTextureObject(texture));
    CHECK_CUDA(cudaFreeArray(array));
    check_surfaces_of_nothing();
    return 0;
}
