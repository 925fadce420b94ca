/* SPDX-License-Identifier: MIT */
/* Mipmapped arrays: number and shape of levels, and lifetimes. */
#include "images.h"

static const CUarray_format U8 = CU_AD_FORMAT_UNSIGNED_INT8;
static const CUarray_format F32 = CU_AD_FORMAT_FLOAT;

static unsigned count_levels(CUmipmappedArray mipmap)
{
    CUarray level;
    unsigned count = 0;

    while (cuMipmappedArrayGetLevel(&level, mipmap, count) == CUDA_SUCCESS)
        count++;
    return count;
}

TEST(levels_halve_down_to_one)
{
    static const size_t widths[] = {100, 50, 25, 12, 6, 3, 1}, heights[] = {30, 15, 7, 3, 1, 1, 1};
    CUarray level;

    with_context();
    CUmipmappedArray mipmap = new_mipmap(describe(100, 30, 0, U8, 4, 0), 7);
    for (unsigned i = 0; i < 7; i++) {
        check_success(cuMipmappedArrayGetLevel(&level, mipmap, i));
        check_described(level, describe(widths[i], heights[i], 0, U8, 4, 0));
    }
    check_result(cuMipmappedArrayGetLevel(&level, mipmap, 7), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMipmappedArrayGetLevel(&level, mipmap, UINT32_MAX), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMipmappedArrayDestroy(mipmap));
}

TEST(depth_halves_and_layers_do_not)
{
    CUarray level;

    with_context();
    CUmipmappedArray deep = new_mipmap(describe(16, 16, 64, U8, 4, 0), 20);
    check(count_levels(deep) == 7);
    check_success(cuMipmappedArrayGetLevel(&level, deep, 2));
    check_described(level, describe(4, 4, 16, U8, 4, 0));
    CUmipmappedArray layered = new_mipmap(describe(16, 16, 64, U8, 4, CUDA_ARRAY3D_LAYERED), 20);
    check(count_levels(layered) == 5);
    check_success(cuMipmappedArrayGetLevel(&level, layered, 2));
    check_described(level, describe(4, 4, 64, U8, 4, CUDA_ARRAY3D_LAYERED));
    CUmipmappedArray line = new_mipmap(describe(64, 0, 0, U8, 4, 0), 20);
    check_success(cuMipmappedArrayGetLevel(&level, line, 6));
    check_described(level, describe(1, 0, 0, U8, 4, 0));
}

TEST(there_are_as_many_levels_as_there_can_be)
{
    static const struct {
        unsigned asked, got;
    } rows[] = {{0, 1}, {1, 1}, {2, 2}, {7, 7}, {8, 7}, {64, 7}, {UINT32_MAX, 7}};

    with_context();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CUmipmappedArray mipmap = new_mipmap(describe(64, 64, 0, U8, 1, 0), rows[i].asked);
        check(count_levels(mipmap) == rows[i].got);
        check_success(cuMipmappedArrayDestroy(mipmap));
    }
}

TEST(null_arguments_are_refused)
{
    CUDA_ARRAY3D_DESCRIPTOR asked = describe(64, 64, 0, U8, 1, 0);
    CUmipmappedArray mipmap;
    CUarray level;

    check_result(cuMipmappedArrayGetLevel(&level, NULL, 0), CUDA_ERROR_INVALID_HANDLE);
    with_context();
    check_result(cuMipmappedArrayCreate(NULL, &asked, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMipmappedArrayCreate(&mipmap, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMipmappedArrayGetLevel(&level, NULL, 0), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuMipmappedArrayDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
    mipmap = new_mipmap(asked, 1);
    check_result(cuMipmappedArrayGetLevel(NULL, mipmap, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(mipmaps_have_limits_of_their_own)
{
    CUDA_ARRAY3D_DESCRIPTOR asked;
    CUmipmappedArray mipmap;
    int width;

    with_context();
    check_success(
        cuDeviceGetAttribute(&width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, 0));
    asked = describe((size_t)width + 1, 0, 0, U8, 1, 0);
    check_success(try_array(asked));
    check_result(cuMipmappedArrayCreate(&mipmap, &asked, 1), CUDA_ERROR_INVALID_VALUE);
    asked = describe(64, 64, 0, CU_AD_FORMAT_NV12, 3, CUDA_ARRAY3D_VIDEO_ENCODE_DECODE);
    check_success(try_array(asked));
    check_result(cuMipmappedArrayCreate(&mipmap, &asked, 2), CUDA_ERROR_INVALID_VALUE);
}

/* A frame of video is a mipmap of one level, which has the planes. */
TEST(a_frame_is_a_mipmap_of_one_level)
{
    CUDA_ARRAY3D_DESCRIPTOR asked =
        describe(64, 32, 0, CU_AD_FORMAT_NV12, 3, CUDA_ARRAY3D_VIDEO_ENCODE_DECODE);
    CUDA_ARRAY_DESCRIPTOR colours;
    CUmipmappedArray mipmap;
    CUarray level, planes[2], none;

    with_context();
    check_success(cuMipmappedArrayCreate(&mipmap, &asked, 1));
    check_success(cuMipmappedArrayGetLevel(&level, mipmap, 0));
    check_result(cuMipmappedArrayGetLevel(&none, mipmap, 1), CUDA_ERROR_INVALID_VALUE);
    check_success(cuArrayGetPlane(&planes[0], level, 0));
    check_success(cuArrayGetPlane(&planes[1], level, 1));
    check_success(cuArrayGetDescriptor(&colours, planes[1]));
    check(colours.Width == 32 && colours.Height == 16);
    for (unsigned i = 0; i < 2; i++) {
        unsigned char bytes[64], back[64] = {0};
        CUDA_MEMCPY2D put = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                             .srcHost = bytes,
                             .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                             .dstArray = planes[i],
                             .WidthInBytes = 64,
                             .Height = 1,
                             .dstY = 15};
        CUDA_MEMCPY2D get = {.dstMemoryType = CU_MEMORYTYPE_HOST,
                             .dstHost = back,
                             .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                             .srcArray = planes[i],
                             .WidthInBytes = 64,
                             .Height = 1,
                             .srcY = 15};
        memset(bytes, 7 + (int)i, sizeof(bytes));
        check_success(cuMemcpy2D(&put));
        check_success(cuMemcpy2D(&get));
        check(memcmp(bytes, back, sizeof(bytes)) == 0);
    }
    check_success(cuMipmappedArrayDestroy(mipmap));
}

TEST(destroying_a_level_does_nothing)
{
    CUarray level, again;

    with_context();
    CUmipmappedArray mipmap = new_mipmap(describe(64, 64, 0, U8, 4, 0), 4);
    check_success(cuMipmappedArrayGetLevel(&level, mipmap, 1));
    check_success(cuArrayDestroy(level));
    check_success(cuMipmappedArrayGetLevel(&again, mipmap, 1));
    check(level == again);
    check_described(again, describe(32, 32, 0, U8, 4, 0));
    check_success(cuMipmappedArrayDestroy(mipmap));
}

static size_t required(CUDA_ARRAY3D_DESCRIPTOR descriptor, unsigned levels)
{
    CUDA_ARRAY_MEMORY_REQUIREMENTS requirements;

    descriptor.Flags |= CUDA_ARRAY3D_DEFERRED_MAPPING;
    CUmipmappedArray mipmap = new_mipmap(descriptor, levels);
    check_success(cuMipmappedArrayGetMemoryRequirements(&requirements, mipmap, 0));
    check(requirements.alignment == 65536);
    check_success(cuMipmappedArrayDestroy(mipmap));
    return requirements.size;
}

/* 2048 layers make 32 bytes of a layer visible in whole pages. */
TEST(layers_begin_at_blocks_of_level_0)
{
    static const struct {
        size_t height, layer;
    } rows[] = {{8, 2048},  {10, 2560}, {11, 3072},  {16, 3072},
                {21, 5120}, {22, 6144}, {42, 10240}, {43, 12288}};

    with_context();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check(required(describe(1, rows[i].height, 2048, U8, 1, CUDA_ARRAY3D_LAYERED), 9) ==
              rows[i].layer * 2048);
    check(required(describe(23, 167, 2048, CU_AD_FORMAT_BC2_UNORM, 4, CUDA_ARRAY3D_LAYERED), 2) ==
          (size_t)12288 * 2048);
}

TEST(deferred_mipmaps_say_what_they_need)
{
    CUDA_ARRAY_MEMORY_REQUIREMENTS requirements;
    CUarray level;

    with_context();
    check(required(describe(512, 512, 0, F32, 4, 0), 10) == 5636096);
    check(required(describe(100, 50, 25, F32, 4, 0), 7) == 3407872);
    CUmipmappedArray mipmap = new_mipmap(describe(64, 64, 0, U8, 1, 0), 3);
    check_result(cuMipmappedArrayGetMemoryRequirements(&requirements, mipmap, 0),
                 CUDA_ERROR_INVALID_VALUE);
    mipmap = new_mipmap(describe(64, 64, 0, U8, 1, CUDA_ARRAY3D_DEFERRED_MAPPING), 3);
    check_success(cuMipmappedArrayGetLevel(&level, mipmap, 1));
    check_result(cuArrayGetMemoryRequirements(&requirements, level, 0), CUDA_ERROR_INVALID_VALUE);
}

static void check_tail(CUDA_ARRAY3D_DESCRIPTOR descriptor, unsigned levels, unsigned first,
                       unsigned long long bytes, unsigned flags)
{
    CUDA_ARRAY_SPARSE_PROPERTIES properties;

    descriptor.Flags |= CUDA_ARRAY3D_SPARSE;
    CUmipmappedArray mipmap = new_mipmap(descriptor, levels);
    check_success(cuMipmappedArrayGetSparseProperties(&properties, mipmap));
    check(properties.miptailFirstLevel == first);
    check(properties.miptailSize == bytes);
    check(properties.flags == flags);
    check_success(cuMipmappedArrayDestroy(mipmap));
}

TEST(levels_smaller_than_a_tile_are_in_the_tail)
{
    with_context();
    check_tail(describe(512, 512, 4, U8, 1, CUDA_ARRAY3D_LAYERED), 1, 1, 0, 0);
    check_tail(describe(512, 512, 4, U8, 1, CUDA_ARRAY3D_LAYERED), 10, 2, 65536, 0);
    check_tail(describe(64, 64, 8, U8, 4, CUDA_ARRAY3D_LAYERED), 6, 0, 196608,
               CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL);
    check_tail(describe(256, 256, 256, F32, 4, 0), 9, 5, 65536, 0);
    check_tail(describe(733, 71, 22, F32, 4, 0), 7, 1, 5373952, 0);
    check_tail(describe(1020, 1368, 0, CU_AD_FORMAT_BC2_UNORM, 4, 0), 12, 3, 65536, 0);
}

TEST(mipmaps_take_memory_and_give_it_back)
{
    with_context();
    size_t before = memory_free();
    CUmipmappedArray mipmap = new_mipmap(describe(4096, 4096, 0, U8, 4, 0), 13);
    check(before - memory_free() == 90177536);
    check_success(cuMipmappedArrayDestroy(mipmap));
    check(memory_free() == before);
}

TEST(stale_handles_are_errors)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUarray level;

    with_context();
    only_cupipe(); /* NVIDIA's driver dies */
    CUmipmappedArray mipmap = new_mipmap(describe(64, 64, 0, U8, 4, 0), 4);
    check_success(cuMipmappedArrayGetLevel(&level, mipmap, 1));
    check_success(cuMipmappedArrayDestroy(mipmap));
    check_result(cuMipmappedArrayDestroy(mipmap), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuArray3DGetDescriptor(&descriptor, level), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuArrayDestroy(level), CUDA_ERROR_INVALID_HANDLE);
}

TEST(mipmaps_end_with_their_context)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUarray level;

    with_context();
    only_cupipe(); /* NVIDIA's driver has freed what it is asked about */
    size_t before = memory_free();
    CUcontext context = new_context();
    CUmipmappedArray mipmap = new_mipmap(describe(2048, 2048, 0, U8, 4, 0), 4);
    check_success(cuMipmappedArrayGetLevel(&level, mipmap, 1));
    check_success(cuCtxDestroy(context));
    check(memory_free() == before);
    check_result(cuArray3DGetDescriptor(&descriptor, level), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuMipmappedArrayGetLevel(&level, mipmap, 0), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuMipmappedArrayDestroy(mipmap), CUDA_ERROR_INVALID_CONTEXT);
}
