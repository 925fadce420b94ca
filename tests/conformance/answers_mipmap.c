/* SPDX-License-Identifier: MIT */
/*
 * Mipmapped arrays: levels, flags, formats, limits and data.
 */
#include "arrays.h"

static CUmipmappedArray mip;

static const char *level_text(CUmipmappedArray of, unsigned index)
{
    CUarray level = 0;
    cuda.cuMipmappedArrayGetLevel(&level, of, index);
    return describe3d(level);
}

static void mip_levels(void)
{
    for (size_t i = 0; usual_shapes[i].name; i++) {
        size_t largest = usual_shapes[i].width;
        if (usual_shapes[i].height > largest)
            largest = usual_shapes[i].height;
        if (!(usual_shapes[i].flags & 5) && usual_shapes[i].depth > largest)
            largest = usual_shapes[i].depth;
        unsigned max_levels = 1;
        while (largest >>= 1)
            max_levels++;
        const unsigned level_counts[] = {
            0, 1, 2, max_levels - 1, max_levels, max_levels + 1, max_levels + 2, 64, UINT_MAX};
        for (size_t k = 0; k < COUNT_OF(level_counts); k++) {
            CUmipmappedArray created = (CUmipmappedArray)UNTOUCHED;
            CUDA_ARRAY3D_DESCRIPTOR descriptor = {
                usual_shapes[i].width, usual_shapes[i].height, usual_shapes[i].depth, 1, 4,
                usual_shapes[i].flags};
            CUarray level = (CUarray)UNTOUCHED;
            if (CHECK(format("%s-levels%s", usual_shapes[i].name,
                             (const char *[]){"0", "1", "2", "max-1", "max", "max+1", "max+2", "64",
                                              "UINT_MAX"}[k]),
                      cuda.cuMipmappedArrayCreate(&created, &descriptor, level_counts[k]),
                      "n=%u out=%s", level_counts[k], out_state(created)))
                continue;
            if (k == 4)
                for (unsigned l = 0; l < max_levels + 2; l++) {
                    level = (CUarray)UNTOUCHED;
                    CHECK(format("%s-level%u-of-max", usual_shapes[i].name, l),
                          cuda.cuMipmappedArrayGetLevel(&level, created, l), "desc=%s",
                          result ? out_state(level) : describe3d(level));
                }
            else if (k == 5 || k == 0 || k == 7) {
                unsigned count = 0;
                char last[200] = "-";
                for (unsigned l = 0; l < 70; l++) {
                    level = 0;
                    if (cuda.cuMipmappedArrayGetLevel(&level, created, l))
                        break;
                    count++;
                    snprintf(last, sizeof last, "%s", describe3d(level));
                }
                RECORD(format("%s-clamped%zu", usual_shapes[i].name, k), "levels=%u last=%s", count,
                       last);
            }
            cuda.cuMipmappedArrayDestroy(created);
        }
    }
}

static void mip_arguments(void)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {64, 64, 0, 1, 4, 0};
    CUarray level = 0, again = 0;
    CHECK("null-out", cuda.cuMipmappedArrayCreate(NULL, &descriptor, 1));
    CHECK("null-desc", cuda.cuMipmappedArrayCreate(&mip, NULL, 1));
    cuda.cuMipmappedArrayCreate(&mip, &descriptor, 4);
    CHECK("level-null-out", cuda.cuMipmappedArrayGetLevel(NULL, mip, 0));
    CHECK("level-null-mip", cuda.cuMipmappedArrayGetLevel(&level, NULL, 0));
    CHECK("level-4", cuda.cuMipmappedArrayGetLevel(&level, mip, 4));
    CHECK("level-max", cuda.cuMipmappedArrayGetLevel(&level, mip, UINT_MAX));
    cuda.cuMipmappedArrayGetLevel(&level, mip, 1);
    cuda.cuMipmappedArrayGetLevel(&again, mip, 1);
    RECORD("level-handle-stable", "equal=%d", level == again);
}

static void mip_flags_and_formats(void)
{
    for (int bit = 0; bit < 9; bit++) {
        CUDA_ARRAY3D_DESCRIPTOR descriptor = {64,   64, bit == 0 ? 4 : bit == 2 ? 6 : 0,
                                              0x20, 1,  1u << bit};
        CUmipmappedArray mip_of_kind = 0;
        CHECK(format("flagbit%d", bit), cuda.cuMipmappedArrayCreate(&mip_of_kind, &descriptor, 3),
              "level1=%s", result ? "-" : level_text(mip_of_kind, 1));
        if (mip_of_kind)
            cuda.cuMipmappedArrayDestroy(mip_of_kind);
    }

    for (const struct named_value *row = format_names; row->name; row++)
        for (int channels = 1; channels <= 4; channels++) {
            CUDA_ARRAY3D_DESCRIPTOR descriptor = {64, 64, 0, row->value, channels, 0};
            CUmipmappedArray mip_of_kind = 0;
            CHECK(format("fmt-%s-c%d", row->name, channels),
                  cuda.cuMipmappedArrayCreate(&mip_of_kind, &descriptor, 7), "level6=%s",
                  result ? "-" : level_text(mip_of_kind, 6));
            if (mip_of_kind)
                cuda.cuMipmappedArrayDestroy(mip_of_kind);
        }
}

static void mip_limits(void)
{
    int max_width = device_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH),
        max_height = device_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT),
        max_width1d = device_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH);
    for (int k = 0; k < 2; k++) {
        CUDA_ARRAY3D_DESCRIPTOR descriptor[] = {{max_width + k, 1, 0, 1, 1, 0},
                                                {1, max_height + k, 0, 1, 1, 0},
                                                {max_width1d + k, 0, 0, 1, 1, 0}};
        for (int i = 0; i < 3; i++) {
            CUmipmappedArray mip_of_kind = 0;
            CHECK(format("limit-%s%+d", (const char *[]){"2dw", "2dh", "1dw"}[i], k),
                  cuda.cuMipmappedArrayCreate(&mip_of_kind, &descriptor[i], 2));
            if (mip_of_kind)
                cuda.cuMipmappedArrayDestroy(mip_of_kind);
        }
    }
}

static void mip_data(void)
{
    CUarray level = 0;

    /* Levels hold data of their own. */
    unsigned char sent[64 * 64 * 4], got[64 * 64 * 4];
    for (int l = 0; l < 4; l++) {
        cuda.cuMipmappedArrayGetLevel(&level, mip, l);
        pattern_fill(sent, sizeof sent, l);
        CUDA_MEMCPY2D copy;
        memset(&copy, 0, sizeof copy);
        copy.srcMemoryType = 1;
        copy.srcHost = sent;
        copy.srcPitch = 256 >> l;
        copy.dstMemoryType = 3;
        copy.dstArray = level;
        copy.WidthInBytes = 256 >> l;
        copy.Height = 64 >> l;
        CHECK(format("data-put-level%d", l), cuda.cuMemcpy2D(&copy));
    }

    for (int l = 0; l < 4; l++) {
        cuda.cuMipmappedArrayGetLevel(&level, mip, l);
        memset(got, 0, sizeof got);
        CUDA_MEMCPY2D copy;
        memset(&copy, 0, sizeof copy);
        copy.dstMemoryType = 1;
        copy.dstHost = got;
        copy.dstPitch = 256 >> l;
        copy.srcMemoryType = 3;
        copy.srcArray = level;
        copy.WidthInBytes = 256 >> l;
        copy.Height = 64 >> l;
        CHECK(format("data-get-level%d", l), cuda.cuMemcpy2D(&copy), "data=%s",
              pattern_check(got, (256 >> l) * (64 >> l), l));
    }
}

GROUP(807, mipmap, "mipmap")
{
    use_primary_context();
    mip_levels();
    mip_arguments();
    mip_flags_and_formats();
    mip_limits();
    mip_data();
}
