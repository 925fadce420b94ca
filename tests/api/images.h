/* SPDX-License-Identifier: MIT */
/* Arrays in one line, for the tests of images. */
#ifndef IMAGES_H
#define IMAGES_H

#include "hold.h"

static inline CUDA_ARRAY3D_DESCRIPTOR describe(size_t width, size_t height, size_t depth,
                                               CUarray_format format, unsigned channels,
                                               unsigned flags)
{
    return (CUDA_ARRAY3D_DESCRIPTOR){width, height, depth, format, channels, flags};
}

static inline CUarray new_array(CUDA_ARRAY3D_DESCRIPTOR descriptor)
{
    CUarray array;

    check_success(cuArray3DCreate(&array, &descriptor));
    return array;
}

static inline CUmipmappedArray new_mipmap(CUDA_ARRAY3D_DESCRIPTOR descriptor, unsigned levels)
{
    CUmipmappedArray mipmap;

    check_success(cuMipmappedArrayCreate(&mipmap, &descriptor, levels));
    return mipmap;
}

/* Creates and destroys. */
static inline CUresult try_array(CUDA_ARRAY3D_DESCRIPTOR descriptor)
{
    CUarray array;
    CUresult result = cuArray3DCreate(&array, &descriptor);

    if (result == CUDA_SUCCESS)
        check_success(cuArrayDestroy(array));
    return result;
}

static inline void check_described(CUarray array, CUDA_ARRAY3D_DESCRIPTOR expected)
{
    CUDA_ARRAY3D_DESCRIPTOR got;

    check_success(cuArray3DGetDescriptor(&got, array));
    check(got.Width == expected.Width && got.Height == expected.Height);
    check(got.Depth == expected.Depth && got.Format == expected.Format);
    check(got.NumChannels == expected.NumChannels && got.Flags == expected.Flags);
}

static inline size_t memory_free(void)
{
    size_t free_bytes, total_bytes;

    check_success(cuMemGetInfo(&free_bytes, &total_bytes));
    return free_bytes;
}

static inline CUcontext new_context(void)
{
    CUcontext context;

    check_success(cuCtxCreate(&context, NULL, 0, 0));
    return context;
}

#endif
