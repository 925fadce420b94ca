// SPDX-License-Identifier: MIT
// Arrays of the formats that video has: what was asked for comes back, and so do their planes.
#include "check.h"
#include <cuda_runtime.h>

static void check_format(cudaChannelFormatDesc desc, unsigned planes)
{
    const unsigned for_video = 0x100; // CUDA_ARRAY3D_VIDEO_ENCODE_DECODE of the driver
    cudaChannelFormatDesc found, plain = desc;
    cudaArray_t array, plane;
    cudaExtent extent;
    unsigned flags;

    CHECK_CUDA(cudaMalloc3DArray(&array, &desc, make_cudaExtent(64, 32, 0), for_video));
    CHECK_CUDA(cudaArrayGetInfo(&found, &extent, &flags, array));
    CHECK(found.f == desc.f && extent.width == 64 && extent.height == 32);
    CHECK(found.x == desc.x && found.y == desc.y && found.z == desc.z && found.w == desc.w);
    for (unsigned i = 0; i < planes; i++) {
        CHECK_CUDA(cudaArrayGetPlane(&plane, array, i));
        CHECK_CUDA(cudaArrayGetInfo(&found, &extent, &flags, plane));
        CHECK(found.x == desc.x && found.f == cudaChannelFormatKindUnsigned);
    }
    CHECK(cudaArrayGetPlane(&plane, array, planes) == cudaErrorInvalidValue);
    CHECK_CUDA(cudaFreeArray(array));
    plain.x += 8;
    CHECK(cudaMalloc3DArray(&array, &plain, make_cudaExtent(64, 32, 0), for_video) ==
          cudaErrorInvalidChannelDescriptor);
}

#define PACKED(kind) check_format(cudaCreateChannelDesc<cudaChannelFormatKindUnsigned##kind>(), 0)
#define SEMI_PLANAR(kind)                                                                          \
    check_format(cudaCreateChannelDesc<cudaChannelFormatKindUnsigned##kind>(), 2)
#define PLANAR(kind) check_format(cudaCreateChannelDesc<cudaChannelFormatKindUnsigned##kind>(), 3)

int main()
{
    PACKED(8Packed422), PACKED(8Packed444);
    SEMI_PLANAR(8SemiPlanar420), SEMI_PLANAR(16SemiPlanar420);
    SEMI_PLANAR(8SemiPlanar422), SEMI_PLANAR(16SemiPlanar422);
    SEMI_PLANAR(8SemiPlanar444), SEMI_PLANAR(16SemiPlanar444);
    PLANAR(8Planar420), PLANAR(16Planar420), PLANAR(8Planar422), PLANAR(16Planar422);
    PLANAR(8Planar444), PLANAR(16Planar444);
    return 0;
}
