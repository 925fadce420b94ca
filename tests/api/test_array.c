/* SPDX-License-Identifier: MIT */
/* Arrays: valid descriptors, queries, and lifetimes. */
#include "images.h"

static const CUarray_format U8 = CU_AD_FORMAT_UNSIGNED_INT8;
static const CUarray_format F32 = CU_AD_FORMAT_FLOAT;
static const unsigned VIDEO = CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
static const unsigned DEFERRED = CUDA_ARRAY3D_DEFERRED_MAPPING;
static const unsigned SPARSE = CUDA_ARRAY3D_SPARSE;

TEST(both_descriptors_tell_what_was_asked_for)
{
    CUDA_ARRAY3D_DESCRIPTOR asked = describe(64, 32, 0, F32, 2, CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_ARRAY_DESCRIPTOR flat;

    with_context();
    CUarray array = new_array(asked);
    check_described(array, asked);
    check_success(cuArrayGetDescriptor(&flat, array));
    check(flat.Width == 64 && flat.Height == 32 && flat.Format == F32 && flat.NumChannels == 2);
    check_success(cuArrayDestroy(array));
}

TEST(flat_arrays_have_no_flags)
{
    CUDA_ARRAY_DESCRIPTOR asked = {16, 8, U8, 4};
    CUarray array;

    with_context();
    check_success(cuArrayCreate(&array, &asked));
    check_described(array, describe(16, 8, 0, U8, 4, 0));
    check_success(cuArrayDestroy(array));
}

TEST(null_arguments_are_refused)
{
    CUDA_ARRAY3D_DESCRIPTOR asked = describe(64, 32, 0, F32, 2, 0);
    CUDA_ARRAY_DESCRIPTOR flat;
    CUarray array = NULL;

    check_result(cuArrayGetDescriptor(&flat, NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuArrayDestroy(NULL), CUDA_ERROR_NOT_INITIALIZED);
    with_context();
    check_result(cuArray3DCreate(NULL, &asked), CUDA_ERROR_INVALID_VALUE);
    check_result(cuArray3DCreate(&array, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuArrayCreate(&array, NULL), CUDA_ERROR_INVALID_VALUE);
    array = new_array(asked);
    check_result(cuArrayGetDescriptor(NULL, array), CUDA_ERROR_INVALID_VALUE);
    check_result(cuArray3DGetDescriptor(NULL, array), CUDA_ERROR_INVALID_VALUE);
    check_result(cuArrayGetPlane(NULL, array, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuArrayGetPlane(&array, NULL, 0), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuArrayDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuArrayGetSparseProperties(NULL, array), CUDA_ERROR_INVALID_VALUE);
    check_result(cuArrayGetMemoryRequirements(NULL, array, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_failed_call_leaves_the_handle_alone)
{
    CUDA_ARRAY3D_DESCRIPTOR asked = describe(0, 0, 0, F32, 2, 0);
    CUarray array = (CUarray)&asked;

    with_context();
    check_result(cuArray3DCreate(&array, &asked), CUDA_ERROR_INVALID_VALUE);
    check(array == (CUarray)&asked);
}

TEST(extents_and_flags_make_the_dimensions)
{
    static const struct {
        size_t width, height, depth;
        unsigned flags;
        bool valid;
    } rows[] = {
        {8, 0, 0, 0, true},
        {8, 8, 0, 0, true},
        {8, 8, 8, 0, true},
        {0, 8, 8, 0, false},
        {8, 0, 8, 0, false},
        {8, 0, 4, CUDA_ARRAY3D_LAYERED, true},
        {8, 8, 4, CUDA_ARRAY3D_LAYERED, true},
        {8, 8, 0, CUDA_ARRAY3D_LAYERED, false},
        {8, 8, 6, CUDA_ARRAY3D_CUBEMAP, true},
        {8, 4, 6, CUDA_ARRAY3D_CUBEMAP, false},
        {8, 8, 12, CUDA_ARRAY3D_CUBEMAP, false},
        {8, 8, 12, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED, true},
        {8, 8, 13, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED, false},
        {8, 8, 0, CUDA_ARRAY3D_TEXTURE_GATHER, true},
        {8, 8, 8, CUDA_ARRAY3D_TEXTURE_GATHER, false},
        {8, 8, 0, CUDA_ARRAY3D_DEPTH_TEXTURE, false},
        {8, 8, 0, CUDA_ARRAY3D_COLOR_ATTACHMENT, false},
        {8, 8, 0, CUDA_ARRAY3D_SPARSE, true},
        {8, 0, 0, CUDA_ARRAY3D_SPARSE, false},
        {8, 8, 6, CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_CUBEMAP, false},
        {8, 8, 0, CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_SURFACE_LDST, false},
        {8, 8, 0, CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING, false},
        {8, 8, 0, 0x200, false},
    };

    with_context();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CUresult expected = rows[i].valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        check_result(
            try_array(describe(rows[i].width, rows[i].height, rows[i].depth, U8, 1, rows[i].flags)),
            expected);
    }
}

TEST(extents_end_where_the_device_says)
{
    int width, alternate;

    with_context();
    check_success(cuDeviceGetAttribute(&width, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH, 0));
    check_success(try_array(describe((size_t)width, 0, 0, U8, 1, CUDA_ARRAY3D_SURFACE_LDST)));
    check_result(try_array(describe((size_t)width + 1, 0, 0, U8, 1, CUDA_ARRAY3D_SURFACE_LDST)),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(
        cuDeviceGetAttribute(&alternate, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE, 0));
    check_success(try_array(describe(1, 1, (size_t)alternate, U8, 1, 0)));
    check_result(try_array(describe(1, 1, (size_t)alternate + 1, U8, 1, 0)),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(try_array(describe(1, 1, (size_t)alternate, U8, 1, CUDA_ARRAY3D_SURFACE_LDST)),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(only_the_lower_halves_of_extents_count)
{
    CUDA_ARRAY3D_DESCRIPTOR asked = describe(((size_t)1 << 32) + 8, 8, 0, U8, 1, 0);

    with_context();
    CUarray array = new_array(asked);
    asked.Width = 8;
    check_described(array, asked);
    check_success(cuArrayDestroy(array));
}

TEST(formats_have_their_channels)
{
    static const struct {
        CUarray_format format;
        unsigned channels; /* a bit for each number */
    } rows[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, 0x16},
        {CU_AD_FORMAT_HALF, 0x16},
        {CU_AD_FORMAT_FLOAT, 0x16},
        {CU_AD_FORMAT_UNORM_INT8X1, 0x02},
        {CU_AD_FORMAT_SNORM_INT16X2, 0x04},
        {CU_AD_FORMAT_UNORM_INT16X4, 0x10},
        {CU_AD_FORMAT_UNORM_INT_101010_2, 0x10},
        {CU_AD_FORMAT_BC1_UNORM, 0x10},
        {CU_AD_FORMAT_BC4_SNORM, 0x02},
        {CU_AD_FORMAT_BC5_UNORM, 0x04},
        {CU_AD_FORMAT_BC6H_SF16, 0x08},
        {(CUarray_format)4, 0},
    };

    with_context();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (unsigned channels = 0; channels < 40; channels++) {
            bool valid = channels < 32 && (rows[i].channels >> channels & 1);
            check_result(try_array(describe(8, 8, 0, rows[i].format, channels, 0)),
                         valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
        }
    }
}

TEST(compressed_formats_are_no_surfaces_and_not_1d)
{
    with_context();
    check_result(
        try_array(describe(64, 64, 0, CU_AD_FORMAT_BC7_UNORM, 4, CUDA_ARRAY3D_SURFACE_LDST)),
        CUDA_ERROR_NOT_SUPPORTED);
    check_result(try_array(describe(64, 0, 0, CU_AD_FORMAT_BC7_UNORM, 4, 0)),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(try_array(describe(65, 63, 0, CU_AD_FORMAT_BC7_UNORM, 4, 0)));
}

TEST(video_formats_are_for_frames)
{
    static const CUarray_format nv12 = CU_AD_FORMAT_NV12;

    with_context();
    check_success(try_array(describe(66, 34, 0, nv12, 3, VIDEO)));
    check_success(try_array(describe(66, 34, 4, nv12, 3, VIDEO | CUDA_ARRAY3D_LAYERED)));
    check_result(try_array(describe(66, 34, 0, nv12, 3, 0)), CUDA_ERROR_INVALID_VALUE);
    check_result(try_array(describe(66, 34, 4, nv12, 3, VIDEO)), CUDA_ERROR_INVALID_VALUE);
    check_result(try_array(describe(65, 34, 0, nv12, 3, VIDEO)), CUDA_ERROR_INVALID_VALUE);
    check_result(try_array(describe(66, 33, 0, nv12, 3, VIDEO)), CUDA_ERROR_INVALID_VALUE);
    check_result(try_array(describe(66, 0, 0, nv12, 3, VIDEO)), CUDA_ERROR_INVALID_VALUE);
    check_result(try_array(describe(66, 34, 0, nv12, 1, VIDEO)), CUDA_ERROR_INVALID_VALUE);
}

struct planes {
    CUarray_format format, plane;
    unsigned count, channels; /* of the last plane */
    size_t width, height;     /* of the last plane */
};

static void check_planes(const struct planes *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CUarray array = new_array(describe(66, 34, 0, rows[i].format, 3, VIDEO)), plane, again;
        check_success(cuArrayGetPlane(&plane, array, 0));
        check_described(plane, describe(66, 34, 0, rows[i].plane, 1, VIDEO));
        check_success(cuArrayGetPlane(&plane, array, rows[i].count - 1));
        check_described(plane, describe(rows[i].width, rows[i].height, 0, rows[i].plane,
                                        rows[i].channels, VIDEO));
        check_result(cuArrayGetPlane(&again, array, rows[i].count), CUDA_ERROR_INVALID_VALUE);
        check_result(cuArrayGetPlane(&again, plane, 0), CUDA_ERROR_INVALID_VALUE);
        check_success(cuArrayDestroy(plane)); /* does nothing */
        check_success(cuArrayGetPlane(&again, array, rows[i].count - 1));
        check(plane == again);
        check_success(cuArrayDestroy(array));
    }
}

TEST(planes_are_arrays_in_the_whole)
{
    static const struct planes rows[] = {
        {CU_AD_FORMAT_NV12, CU_AD_FORMAT_UNSIGNED_INT8, 2, 2, 33, 17},
        {CU_AD_FORMAT_P010, CU_AD_FORMAT_UNSIGNED_INT16, 2, 2, 33, 17},
        {CU_AD_FORMAT_NV16, CU_AD_FORMAT_UNSIGNED_INT8, 2, 2, 33, 34},
        {CU_AD_FORMAT_P216, CU_AD_FORMAT_UNSIGNED_INT16, 2, 2, 33, 34},
        {CU_AD_FORMAT_YUV444_8bit_SemiPlanar, CU_AD_FORMAT_UNSIGNED_INT8, 2, 2, 66, 34},
        {CU_AD_FORMAT_Y444_PLANAR10, CU_AD_FORMAT_UNSIGNED_INT16, 3, 1, 66, 34},
    };

    with_context();
    check_planes(rows, sizeof(rows) / sizeof(rows[0]));
}

TEST(newer_formats_have_planes)
{
    static const struct planes rows[] = {
        {CU_AD_FORMAT_UINT8_SEMIPLANAR_420, CU_AD_FORMAT_UNSIGNED_INT8, 2, 2, 33, 17},
        {CU_AD_FORMAT_UINT16_SEMIPLANAR_420, CU_AD_FORMAT_UNSIGNED_INT16, 2, 2, 33, 17},
        {CU_AD_FORMAT_UINT8_SEMIPLANAR_422, CU_AD_FORMAT_UNSIGNED_INT8, 2, 2, 33, 34},
        {CU_AD_FORMAT_UINT16_SEMIPLANAR_422, CU_AD_FORMAT_UNSIGNED_INT16, 2, 2, 33, 34},
        {CU_AD_FORMAT_UINT8_SEMIPLANAR_444, CU_AD_FORMAT_UNSIGNED_INT8, 2, 2, 66, 34},
        {CU_AD_FORMAT_UINT16_SEMIPLANAR_444, CU_AD_FORMAT_UNSIGNED_INT16, 2, 2, 66, 34},
        {CU_AD_FORMAT_UINT8_PLANAR_420, CU_AD_FORMAT_UNSIGNED_INT8, 3, 1, 33, 17},
        {CU_AD_FORMAT_UINT16_PLANAR_420, CU_AD_FORMAT_UNSIGNED_INT16, 3, 1, 33, 17},
        {CU_AD_FORMAT_UINT8_PLANAR_422, CU_AD_FORMAT_UNSIGNED_INT8, 3, 1, 33, 34},
        {CU_AD_FORMAT_UINT16_PLANAR_422, CU_AD_FORMAT_UNSIGNED_INT16, 3, 1, 33, 34},
        {CU_AD_FORMAT_UINT8_PLANAR_444, CU_AD_FORMAT_UNSIGNED_INT8, 3, 1, 66, 34},
        {CU_AD_FORMAT_UINT16_PLANAR_444, CU_AD_FORMAT_UNSIGNED_INT16, 3, 1, 66, 34},
    };

    with_context();
    only_cupipe();
    check_planes(rows, sizeof(rows) / sizeof(rows[0]));
}

/* A plane holds what was copied to it, whatever the others hold. */
TEST(planes_of_newer_formats_have_bytes_of_their_own)
{
    unsigned char bytes[3][32 * 16], back[32 * 16];
    CUarray array, planes[3];

    with_context();
    only_cupipe();
    array = new_array(describe(64, 32, 0, CU_AD_FORMAT_UINT8_PLANAR_420, 3, VIDEO));
    for (unsigned i = 0; i < 3; i++) {
        CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                              .srcHost = bytes[i],
                              .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                              .WidthInBytes = 32,
                              .Height = 16};
        memset(bytes[i], (int)i + 1, sizeof(bytes[i]));
        check_success(cuArrayGetPlane(&planes[i], array, i));
        copy.dstArray = planes[i];
        check_success(cuMemcpy2D(&copy));
    }
    for (unsigned i = 0; i < 3; i++) {
        CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                              .srcArray = planes[i],
                              .dstMemoryType = CU_MEMORYTYPE_HOST,
                              .dstHost = back,
                              .WidthInBytes = 32,
                              .Height = 16};
        check_success(cuMemcpy2D(&copy));
        check(memcmp(back, bytes[i], sizeof(back)) == 0);
    }
}

TEST(newer_packed_formats_are_for_frames)
{
    static const CUarray_format packed[] = {CU_AD_FORMAT_UINT8_PACKED_422,
                                            CU_AD_FORMAT_UINT8_PACKED_444};
    CUarray plane;

    with_context();
    only_cupipe();
    for (size_t i = 0; i < 2; i++) {
        CUarray array = new_array(describe(64, 32, 0, packed[i], 4, VIDEO));
        check_result(cuArrayGetPlane(&plane, array, 0), CUDA_ERROR_INVALID_VALUE);
        check_result(try_array(describe(64, 32, 0, packed[i], 4, 0)), CUDA_ERROR_INVALID_VALUE);
        check_result(try_array(describe(64, 32, 0, packed[i], 3, VIDEO)), CUDA_ERROR_INVALID_VALUE);
    }
}

TEST(an_older_driver_does_not_know_newer_formats)
{
    setenv("CUPIPE_DRIVER", "13.0", 1);
    with_context();
    only_cupipe();
    check_success(try_array(describe(64, 32, 0, CU_AD_FORMAT_NV12, 3, VIDEO)));
    check_success(try_array(describe(64, 32, 0, CU_AD_FORMAT_UNORM_INT_101010_2, 4, 0)));
    for (int format = CU_AD_FORMAT_UINT8_PACKED_422; format <= CU_AD_FORMAT_UINT16_PLANAR_444;
         format++) {
        check_result(try_array(describe(64, 32, 0, (CUarray_format)format, 3, VIDEO)),
                     CUDA_ERROR_INVALID_VALUE);
        check_result(try_array(describe(64, 32, 0, (CUarray_format)format, 4, VIDEO)),
                     CUDA_ERROR_INVALID_VALUE);
    }
}

TEST(plain_arrays_have_no_planes)
{
    CUarray array, plane;

    with_context();
    array = new_array(describe(64, 32, 0, U8, 4, VIDEO));
    check_result(cuArrayGetPlane(&plane, array, 0), CUDA_ERROR_INVALID_VALUE);
    array = new_array(describe(64, 32, 0, CU_AD_FORMAT_YUY2, 4, VIDEO));
    check_result(cuArrayGetPlane(&plane, array, 0), CUDA_ERROR_INVALID_VALUE);
}

static size_t required(CUDA_ARRAY3D_DESCRIPTOR descriptor)
{
    CUDA_ARRAY_MEMORY_REQUIREMENTS requirements;
    CUarray array = new_array(descriptor);

    check_success(cuArrayGetMemoryRequirements(&requirements, array, 0));
    check(requirements.alignment == 65536);
    check_success(cuArrayDestroy(array));
    return requirements.size;
}

TEST(deferred_arrays_say_what_they_need)
{
    with_context();
    check(required(describe(1, 0, 0, U8, 1, DEFERRED)) == 65536);
    check(required(describe(1000, 1000, 0, U8, 4, DEFERRED)) == (size_t)4032 * 1024);
    check(required(describe(8192, 129, 0, U8, 1, DEFERRED)) == (size_t)8192 * 256);
    check(required(describe(8192, 50, 25, U8, 1, DEFERRED)) == (size_t)8192 * 56 * 32);
    check(required(describe(1000, 400, 0, CU_AD_FORMAT_BC1_UNORM, 4, DEFERRED)) ==
          (size_t)2048 * 128);
    check(required(describe(1920, 1080, 0, CU_AD_FORMAT_NV12, 3, DEFERRED | VIDEO)) ==
          (size_t)(34 + 19) * 65536);
}

TEST(only_deferred_arrays_say_what_they_need)
{
    CUDA_ARRAY_MEMORY_REQUIREMENTS requirements;

    with_context();
    CUarray plain = new_array(describe(64, 64, 0, U8, 1, 0));
    CUarray sparse = new_array(describe(64, 64, 0, U8, 1, SPARSE));
    check_result(cuArrayGetMemoryRequirements(&requirements, plain, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuArrayGetMemoryRequirements(&requirements, sparse, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuArrayGetMemoryRequirements(&requirements, NULL, 0), CUDA_ERROR_INVALID_VALUE);
}

static void check_sparse(CUDA_ARRAY3D_DESCRIPTOR descriptor, unsigned width, unsigned height,
                         unsigned depth, unsigned long long tail_bytes, unsigned flags)
{
    CUDA_ARRAY_SPARSE_PROPERTIES properties;
    CUarray array = new_array(descriptor);

    check_success(cuArrayGetSparseProperties(&properties, array));
    check(properties.tileExtent.width == width && properties.tileExtent.height == height);
    check(properties.tileExtent.depth == depth && properties.miptailFirstLevel == 0);
    check(properties.miptailSize == tail_bytes && properties.flags == flags);
    check_success(cuArrayDestroy(array));
}

TEST(tiles_follow_the_element)
{
    with_context();
    check_sparse(describe(2048, 2048, 0, U8, 1, SPARSE), 256, 256, 1, 0, 0);
    check_sparse(describe(2048, 2048, 0, F32, 4, SPARSE), 64, 64, 1, 0, 0);
    check_sparse(describe(256, 256, 256, F32, 1, SPARSE), 32, 32, 16, 0, 0);
    check_sparse(describe(2048, 2048, 0, CU_AD_FORMAT_BC4_UNORM, 1, SPARSE), 512, 256, 1, 0, 0);
    check_sparse(describe(64, 64, 8, U8, 4, SPARSE | CUDA_ARRAY3D_LAYERED), 128, 128, 1, 131072,
                 CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL);
}

TEST(only_sparse_arrays_have_tiles)
{
    CUDA_ARRAY_SPARSE_PROPERTIES properties;

    with_context();
    CUarray array = new_array(describe(64, 64, 0, U8, 1, DEFERRED));
    check_result(cuArrayGetSparseProperties(&properties, array), CUDA_ERROR_INVALID_VALUE);
    check_result(cuArrayGetSparseProperties(&properties, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(arrays_take_memory_and_give_it_back)
{
    with_context();
    size_t before = memory_free();
    CUarray array = new_array(describe(4096, 4096, 0, F32, 1, 0));
    check(before - memory_free() == (size_t)64 << 20);
    check_success(cuArrayDestroy(array));
    check(memory_free() == before);
    new_array(describe(4096, 4096, 0, F32, 1, SPARSE));
    new_array(describe(4096, 4096, 0, F32, 1, DEFERRED));
    check(memory_free() == before);
}

TEST(too_large_an_array_is_out_of_memory)
{
    CUDA_ARRAY3D_DESCRIPTOR asked = describe(16384, 16384, 16384, F32, 4, 0);
    CUarray array = NULL;

    with_context();
    size_t before = memory_free();
    check_result(cuArray3DCreate(&array, &asked), CUDA_ERROR_OUT_OF_MEMORY);
    check(array == NULL && memory_free() == before);
}

TEST(arrays_are_no_linear_memory)
{
    CUdeviceptr first, second, base;
    size_t size;

    with_context();
    only_cupipe(); /* where arrays lie is nobody's business */
    check_success(cuMemAlloc(&first, 512));
    CUarray array = new_array(describe(2048, 2048, 0, U8, 1, 0));
    check_success(cuMemAlloc(&second, 4 << 20));
    for (CUdeviceptr at = first & ~(CUdeviceptr)0x3fffff; at < second; at += 512) {
        if (cuMemGetAddressRange(&base, &size, at) == CUDA_SUCCESS)
            check(base == first || base == second);
    }
    check_success(cuArrayDestroy(array));
}

TEST(stale_and_invented_handles_are_errors)
{
    static char zeros[4096];
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUmipmappedArray mipmap;
    CUarray level;

    with_context();
    only_cupipe(); /* NVIDIA's driver dies */
    CUarray array = new_array(describe(64, 64, 0, U8, 1, 0));
    check_success(cuArrayDestroy(array));
    check_result(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuArray3DGetDescriptor(&descriptor, array), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuArrayDestroy((CUarray)zeros), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuArrayDestroy((CUarray)1), CUDA_ERROR_INVALID_CONTEXT);
    mipmap = new_mipmap(describe(64, 64, 0, U8, 1, 0), 2);
    check(cuArrayDestroy((CUarray)mipmap) != CUDA_SUCCESS);
    check_success(cuMipmappedArrayGetLevel(&level, mipmap, 0));
    check(cuMipmappedArrayDestroy((CUmipmappedArray)level) != CUDA_SUCCESS);
}

TEST(any_context_and_none_can_ask_and_destroy)
{
    CUDA_ARRAY3D_DESCRIPTOR asked = describe(64, 64, 0, U8, 1, 0);
    CUarray array;

    with_context();
    array = new_array(asked);
    new_context();
    check_described(array, asked);
    check_success(cuCtxPopCurrent(NULL));
    check_success(cuCtxSetCurrent(NULL));
    check_described(array, asked);
    check_result(cuArray3DCreate(&array, &asked), CUDA_ERROR_INVALID_CONTEXT);
    check_success(cuArrayDestroy(array));
}

TEST(arrays_end_with_their_context)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;

    with_context();
    only_cupipe(); /* NVIDIA's driver has freed what it is asked about */
    size_t before = memory_free();
    CUcontext context = new_context();
    CUarray array = new_array(describe(4096, 4096, 0, U8, 1, 0));
    CUarray video = new_array(describe(64, 64, 0, CU_AD_FORMAT_NV12, 3, VIDEO)), plane;
    check_success(cuArrayGetPlane(&plane, video, 1));
    check_success(cuCtxDestroy(context));
    check(memory_free() == before);
    check_result(cuArray3DGetDescriptor(&descriptor, array), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuArray3DGetDescriptor(&descriptor, plane), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuArrayDestroy(array), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(arrays_end_when_the_primary_context_is_reset)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;

    with_context();
    only_cupipe();
    CUarray array = new_array(describe(64, 64, 0, U8, 1, 0));
    check_success(cuDevicePrimaryCtxReset(0));
    check_result(cuArray3DGetDescriptor(&descriptor, array), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuArrayDestroy(array), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

static void *create_and_destroy(void *context)
{
    CUDA_ARRAY3D_DESCRIPTOR plain = describe(64, 64, 0, U8, 1, 0);
    CUDA_ARRAY3D_DESCRIPTOR video = describe(64, 64, 0, CU_AD_FORMAT_NV12, 3, VIDEO);

    check_success(cuCtxSetCurrent(context));
    for (int i = 0; i < 300; i++) {
        check_success(try_array(plain));
        check_success(try_array(video));
    }
    return NULL;
}

TEST(threads_create_and_destroy)
{
    pthread_t threads[4];
    CUcontext context = with_context();
    size_t before = memory_free();

    for (int i = 0; i < 4; i++)
        check(pthread_create(&threads[i], NULL, create_and_destroy, context) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    check(memory_free() == before);
}

static CUarray contested;
static atomic_int destroyed;

static void *destroy_contested(void *context)
{
    check_success(cuCtxSetCurrent(context));
    if (cuArrayDestroy(contested) == CUDA_SUCCESS)
        atomic_fetch_add(&destroyed, 1);
    return NULL;
}

TEST(one_of_two_threads_destroys)
{
    pthread_t threads[2];
    CUcontext context = with_context();

    only_cupipe();
    for (int round = 0; round < 50; round++) {
        contested = new_array(describe(64, 64, 0, U8, 1, 0));
        atomic_store(&destroyed, 0);
        for (int i = 0; i < 2; i++)
            check(pthread_create(&threads[i], NULL, destroy_contested, context) == 0);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        check(atomic_load(&destroyed) == 1);
    }
}

static struct flag gone;

static void *destroy_and_tell(void *array)
{
    check_success(cuArrayDestroy(array));
    flag_raise(&gone);
    return NULL;
}

TEST(destroying_waits_for_work)
{
    pthread_t thread;

    with_context();
    only_cupipe();
    atomic_uint *word = pinned_words(1);
    CUarray array = new_array(describe(64, 64, 0, U8, 1, 0));
    hold_until(new_stream(CU_STREAM_NON_BLOCKING), word);
    check(pthread_create(&thread, NULL, destroy_and_tell, array) == 0);
    for (int i = 0; i < 100; i++)
        nap();
    check(!flag_is_raised(&gone));
    atomic_store(word, 1);
    pthread_join(thread, NULL);
    check(flag_is_raised(&gone));
}
