/* SPDX-License-Identifier: MIT */
/*
 * Arrays as text. Structs are filled with a byte that is no answer before the driver writes them,
 * so that a field it leaves alone shows.
 */
#include "arrays.h"

enum { NO_ANSWER = 0xA5 };

const struct shape usual_shapes[] = {
    {"1d-1", 1, 0, 0, 0},
    {"1d-64", 64, 0, 0, 0},
    {"1d-1000", 1000, 0, 0, 0},
    {"1d-65536", 65536, 0, 0, 0},
    {"2d-1x1", 1, 1, 0, 0},
    {"2d-16x16", 16, 16, 0, 0},
    {"2d-64x64", 64, 64, 0, 0},
    {"2d-100x30", 100, 30, 0, 0},
    {"2d-512x512", 512, 512, 0, 0},
    {"2d-1000x1000", 1000, 1000, 0, 0},
    {"2d-4096x16", 4096, 16, 0, 0},
    {"2d-16x4096", 16, 4096, 0, 0},
    {"2d-4096x4096", 4096, 4096, 0, 0},
    {"3d-16x16x16", 16, 16, 16, 0},
    {"3d-64x64x64", 64, 64, 64, 0},
    {"3d-100x50x25", 100, 50, 25, 0},
    {"3d-256x256x256", 256, 256, 256, 0},
    {"1dl-64x8", 64, 0, 8, 1},
    {"2dl-64x64x8", 64, 64, 8, 1},
    {"2dl-512x512x4", 512, 512, 4, 1},
    {"2dl-100x30x5", 100, 30, 5, 1},
    {"cube-64", 64, 64, 6, 4},
    {"cube-512", 512, 512, 6, 4},
    {"cubel-64x12", 64, 64, 12, 5},
    {NULL, 0, 0, 0, 0},
};

const char *describe3d(CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR out;

    memset(&out, NO_ANSWER, sizeof out);
    CUresult failed = cuda.cuArray3DGetDescriptor(&out, array);
    if (failed)
        return result_name(failed);
    return format("%zux%zux%zu,f%x,c%u,fl%x", out.Width, out.Height, out.Depth, out.Format,
                  out.NumChannels, out.Flags);
}

const char *describe2d(CUarray array)
{
    CUDA_ARRAY_DESCRIPTOR out;

    memset(&out, NO_ANSWER, sizeof out);
    CUresult failed = cuda.cuArrayGetDescriptor(&out, array);
    if (failed)
        return result_name(failed);
    return format("%zux%zu,f%x,c%u", out.Width, out.Height, out.Format, out.NumChannels);
}

const char *requirements(CUarray array)
{
    CUDA_ARRAY_MEMORY_REQUIREMENTS out;

    memset(&out, NO_ANSWER, sizeof out);
    CUresult failed = cuda.cuArrayGetMemoryRequirements(&out, array, device);
    if (failed)
        return result_name(failed);
    return format("size:%zu,align:%zu,res:%x", out.size, out.alignment, out.reserved[0]);
}

const char *mip_requirements(CUmipmappedArray mip)
{
    CUDA_ARRAY_MEMORY_REQUIREMENTS out;

    memset(&out, NO_ANSWER, sizeof out);
    CUresult failed = cuda.cuMipmappedArrayGetMemoryRequirements(&out, mip, device);
    if (failed)
        return result_name(failed);
    return format("size:%zu,align:%zu", out.size, out.alignment);
}

static const char *sparse_text(const CUDA_ARRAY_SPARSE_PROPERTIES *out)
{
    return format("tile:%ux%ux%u,tailfirst:%u,tailsize:%llu,fl:%x,res:%x", out->tileExtent.width,
                  out->tileExtent.height, out->tileExtent.depth, out->miptailFirstLevel,
                  out->miptailSize, out->flags, out->reserved[0]);
}

const char *sparse_properties(CUarray array)
{
    CUDA_ARRAY_SPARSE_PROPERTIES out;

    memset(&out, NO_ANSWER, sizeof out);
    CUresult failed = cuda.cuArrayGetSparseProperties(&out, array);
    return failed ? result_name(failed) : sparse_text(&out);
}

const char *mip_sparse_properties(CUmipmappedArray mip)
{
    CUDA_ARRAY_SPARSE_PROPERTIES out;

    memset(&out, NO_ANSWER, sizeof out);
    CUresult failed = cuda.cuMipmappedArrayGetSparseProperties(&out, mip);
    return failed ? result_name(failed) : sparse_text(&out);
}
