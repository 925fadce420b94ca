/* SPDX-License-Identifier: MIT */
/*
 * Planes of arrays, memory requirements and sparse properties.
 */
#include "arrays.h"

static int rows_equal(const unsigned char *sent, const unsigned char *got, size_t width,
                      size_t height)
{
    int equal = 1;
    for (size_t y = 0; y < height && y < 64; y++)
        equal &= !memcmp(sent + 64 * y, got + 64 * y, width > 64 ? 64 : width);
    return equal;
}

static void plane_formats(void)
{
    for (const struct named_value *row = format_names; row->name; row++)
        for (int channels = 1; channels <= 4; channels++)
            for (int flags = 0; flags <= 2; flags += 2) {
                CUarray array = 0, plane;
                CUDA_ARRAY3D_DESCRIPTOR descriptor = {64, 32, 0, row->value, channels, flags};
                if (cuda.cuArray3DCreate(&array, &descriptor))
                    continue;
                for (unsigned i = 0; i < 5; i++) {
                    plane = (CUarray)UNTOUCHED;
                    CHECK(format("%s-c%d-fl%d-plane%u", row->name, channels, flags, i),
                          cuda.cuArrayGetPlane(&plane, array, i), "desc=%s",
                          result ? out_state(plane) : describe3d(plane));
                    if (row->value < 0x40 && i)
                        break;
                    if (row->value >= 0xc0 && i)
                        break;
                }
                if (row->value >= 0x9f && row->value < 0xc0) {
                    CUarray again = 0;
                    cuda.cuArrayGetPlane(&plane, array, 0);
                    cuda.cuArrayGetPlane(&again, array, 0);
                    CHECK(format("%s-c%d-fl%d-destroy-plane", row->name, channels, flags),
                          cuda.cuArrayDestroy(plane), "same_handle_twice=%d parent=%s",
                          plane == again, describe3d(array));
                }
                cuda.cuArrayDestroy(array);
            }
}

static void plane_data(void)
{
    CUarray array = 0, plane;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {64, 32, 0, CU_AD_FORMAT_NV12, 3, 0};
    cuda.cuArray3DCreate(&array, &descriptor);
    CHECK("null-out", cuda.cuArrayGetPlane(NULL, array, 0));
    CHECK("null-array", cuda.cuArrayGetPlane(&plane, NULL, 0));
    CHECK("plane-max", cuda.cuArrayGetPlane(&plane, array, UINT_MAX));

    /* Plane data through 2D copies. */
    for (int i = 0; i < 2; i++) {
        plane = 0;
        cuda.cuArrayGetPlane(&plane, array, i);
        CUDA_ARRAY_DESCRIPTOR plane_descriptor;
        memset(&plane_descriptor, 0, sizeof plane_descriptor);
        cuda.cuArrayGetDescriptor(&plane_descriptor, plane);
        unsigned char sent[64 * 64], got[64 * 64];
        pattern_fill(sent, sizeof sent, i + 1);
        memset(got, 0, sizeof got);
        size_t width = plane_descriptor.Width *
                       (plane_descriptor.NumChannels ? plane_descriptor.NumChannels : 1);
        CUDA_MEMCPY2D copy;
        memset(&copy, 0, sizeof copy);
        copy.srcMemoryType = 1;
        copy.srcHost = sent;
        copy.srcPitch = 64;
        copy.dstMemoryType = 3;
        copy.dstArray = plane;
        copy.WidthInBytes = width;
        copy.Height = plane_descriptor.Height;
        CHECK(format("nv12-plane%d-put", i), cuda.cuMemcpy2D(&copy));
        memset(&copy, 0, sizeof copy);
        copy.dstMemoryType = 1;
        copy.dstHost = got;
        copy.dstPitch = 64;
        copy.srcMemoryType = 3;
        copy.srcArray = plane;
        copy.WidthInBytes = width;
        copy.Height = plane_descriptor.Height;
        CHECK(format("nv12-plane%d-get", i), cuda.cuMemcpy2D(&copy), "w=%zu h=%zu equal=%d", width,
              plane_descriptor.Height, rows_equal(sent, got, width, plane_descriptor.Height));
    }

    unsigned char whole[64 * 64];
    CUDA_MEMCPY2D copy;
    memset(&copy, 0, sizeof copy);
    copy.dstMemoryType = 1;
    copy.dstHost = whole;
    copy.dstPitch = 64;
    copy.srcMemoryType = 3;
    copy.srcArray = array;
    copy.WidthInBytes = 64;
    copy.Height = 32;
    CHECK("nv12-whole-get", cuda.cuMemcpy2D(&copy));
    copy.Height = 48;
    CHECK("nv12-whole-get-h48", cuda.cuMemcpy2D(&copy));
}

GROUP(804, arrayplane, "arrayplane")
{
    use_primary_context();
    plane_formats();
    plane_data();
}

static const struct {
    const char *name;
    int format_id, channels;
} formats[] = {
    {"u8x1", 1, 1}, {"u8x4", 1, 4}, {"u16x2", 2, 2}, {"f32x1", 0x20, 1}, {"f32x4", 0x20, 4}};

GROUP(805, arrayreq, "arrayreq")
{
    use_primary_context();

    for (size_t i = 0; usual_shapes[i].name; i++)
        for (size_t k = 0; k < COUNT_OF(formats); k++)
            for (int e = 0; e < 3; e++) {
                static const unsigned extra[] = {0, CUDA_ARRAY3D_DEFERRED_MAPPING,
                                                 CUDA_ARRAY3D_DEFERRED_MAPPING |
                                                     CUDA_ARRAY3D_SURFACE_LDST};
                static const char *extra_names[] = {"plain", "deferred", "deferred+surf"};
                if (!e && k)
                    continue;
                CUarray array = 0;
                CUDA_ARRAY3D_DESCRIPTOR descriptor = {
                    usual_shapes[i].width, usual_shapes[i].height,
                    usual_shapes[i].depth, formats[k].format_id,
                    formats[k].channels,   usual_shapes[i].flags | extra[e]};
                const char *required, *description;
                CHECK_THEN(
                    format("%s-%s-%s", usual_shapes[i].name, formats[k].name, extra_names[e]),
                    cuda.cuArray3DCreate(&array, &descriptor),
                    required = result ? "-" : requirements(array);
                    description = result ? "-" : describe3d(array), "req=%s desc=%s", required,
                    description);
                if (array)
                    cuda.cuArrayDestroy(array);
                if (usual_shapes[i].height || e) {
                    CUmipmappedArray mip = 0;
                    unsigned levels = 1;
                    size_t largest = usual_shapes[i].width > usual_shapes[i].height
                                         ? usual_shapes[i].width
                                         : usual_shapes[i].height;
                    while (largest >>= 1)
                        levels++;
                    CHECK(format("mip-%s-%s-%s", usual_shapes[i].name, formats[k].name,
                                 extra_names[e]),
                          cuda.cuMipmappedArrayCreate(&mip, &descriptor, levels),
                          "levels=%u req=%s", levels, result ? "-" : mip_requirements(mip));
                    if (mip)
                        cuda.cuMipmappedArrayDestroy(mip);
                }
            }

    /* An unmapped deferred array. */
    CUarray array = 0;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {512, 512, 0, 0x20, 1, CUDA_ARRAY3D_DEFERRED_MAPPING};
    cuda.cuArray3DCreate(&array, &descriptor);
    CUDA_MEMCPY2D copy;
    memset(&copy, 0, sizeof copy);
    static char host[65536];
    copy.srcMemoryType = 1;
    copy.srcHost = host;
    copy.srcPitch = 256;
    copy.dstMemoryType = 3;
    copy.dstArray = array;
    copy.WidthInBytes = 64;
    copy.Height = 4;
    CHECK("copy-to-unmapped-deferred", cuda.cuMemcpy2D(&copy));
    CHECK("sync", cuda.cuCtxSynchronize());
    CHECK("destroy-deferred", cuda.cuArrayDestroy(array));

    CHECK("map-array-null-count0", cuda.cuMemMapArrayAsync(NULL, 0, 0));
    CHECK("map-array-null-count1", cuda.cuMemMapArrayAsync(NULL, 1, 0));
}

GROUP(806, arraysparse, "arraysparse")
{
    use_primary_context();
    static const int sparse_formats[][2] = {{1, 1},    {1, 2},    {1, 4},   {2, 1}, {2, 2},
                                            {2, 4},    {3, 1},    {3, 2},   {3, 4}, {0x10, 4},
                                            {0x20, 1}, {0x20, 2}, {0x20, 4}};

    for (size_t i = 0; usual_shapes[i].name; i++)
        for (size_t k = 0; k < COUNT_OF(sparse_formats); k++) {
            if (k > 3 && i % 4)
                continue;
            CUarray array = 0;
            CUDA_ARRAY3D_DESCRIPTOR descriptor = {
                usual_shapes[i].width, usual_shapes[i].height,
                usual_shapes[i].depth, sparse_formats[k][0],
                sparse_formats[k][1],  usual_shapes[i].flags | CUDA_ARRAY3D_SPARSE};
            const char *sparse, *required;
            CHECK_THEN(format("%s-f%x-c%d", usual_shapes[i].name, sparse_formats[k][0],
                              sparse_formats[k][1]),
                       cuda.cuArray3DCreate(&array, &descriptor),
                       sparse = result ? "-" : sparse_properties(array);
                       required = result ? "-" : requirements(array), "sp=%s req=%s", sparse,
                       required);
            if (array)
                cuda.cuArrayDestroy(array);
            for (int levels = 1; levels < 13; levels += 5) {
                CUmipmappedArray mip = 0;
                CHECK_THEN(format("mip%d-%s-f%x-c%d", levels, usual_shapes[i].name,
                                  sparse_formats[k][0], sparse_formats[k][1]),
                           cuda.cuMipmappedArrayCreate(&mip, &descriptor, levels),
                           sparse = result ? "-" : mip_sparse_properties(mip);
                           required = result ? "-" : mip_requirements(mip), "sp=%s req=%s", sparse,
                           required);
                if (mip)
                    cuda.cuMipmappedArrayDestroy(mip);
            }
        }

    for (const struct named_value *row = format_names; row->name; row++)
        for (int channels = 1; channels <= 4; channels++) {
            CUarray array = 0;
            CUDA_ARRAY3D_DESCRIPTOR descriptor = {2048,       2048,     0,
                                                  row->value, channels, CUDA_ARRAY3D_SPARSE};
            if (channels == 3 && row->value < 0x40)
                continue;
            CHECK(format("fmt-%s-c%d", row->name, channels),
                  cuda.cuArray3DCreate(&array, &descriptor), "sp=%s",
                  result ? "-" : sparse_properties(array));
            if (array)
                cuda.cuArrayDestroy(array);
        }
}
