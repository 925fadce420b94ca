/* SPDX-License-Identifier: MIT */
/*
 * Arrays: which formats, extents and flags can be created, and their descriptors.
 */
#include "arrays.h"

/* Creates an array, describes it and destroys it. */
static void check_array(const char *name, size_t width, size_t height, size_t depth, int format_id,
                        unsigned channels, unsigned flags)
{
    CUarray array = (CUarray)UNTOUCHED;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {width,    height, depth, (CUarray_format)format_id,
                                          channels, flags};
    const char *text, *text2d;
    CUresult failed =
        CHECK_THEN(name, cuda.cuArray3DCreate(&array, &descriptor),
                   text = result ? out_state(array) : describe3d(array);
                   text2d = result ? "-" : describe2d(array), "desc=%s desc2=%s", text, text2d);
    if (!failed)
        cuda.cuArrayDestroy(array);
}

static void check_array2d(const char *name, size_t width, size_t height, int format_id,
                          unsigned channels)
{
    CUarray array = (CUarray)UNTOUCHED;
    CUDA_ARRAY_DESCRIPTOR descriptor = {width, height, (CUarray_format)format_id, channels};
    if (!CHECK(name, cuda.cuArrayCreate(&array, &descriptor), "desc=%s",
               result ? out_state(array) : describe3d(array)))
        cuda.cuArrayDestroy(array);
}

/* The number of channels that suits a format. */
static int usual_channels(int format_id)
{
    if (format_id >= 0x91 && format_id <= 0x9e) {
        if (format_id <= 0x96 || format_id >= 0x9d)
            return 4;
        if (format_id <= 0x98)
            return 1;
        return format_id <= 0x9a ? 2 : 3;
    }

    if (format_id < 0x40)
        return 1;

    if (format_id >= 0xc0)
        return (int[]){1, 2, 4}[(format_id - 0xc0) % 3];

    return 3;
}

static void format_channels(void)
{
    static const int channels[] = {0, 1, 2, 3, 4, 8};

    for (const struct named_value *row = format_names; row->name; row++)
        for (size_t i = 0; i < COUNT_OF(channels); i++) {
            check_array2d(format("create-%s-c%d", row->name, channels[i]), 64, 64, row->value,
                          channels[i]);
            check_array(format("create3d-%s-c%d", row->name, channels[i]), 64, 64, 0, row->value,
                        channels[i], 0);
            check_array(format("surf-%s-c%d", row->name, channels[i]), 64, 64, 0, row->value,
                        channels[i], CUDA_ARRAY3D_SURFACE_LDST);
        }
}

static void format_bad(void)
{
    static const int bad[] = {0,    4,    5,    6,    7,    0xb,   0xf,   0x11,       0x12,
                              0x1f, 0x21, 0x30, 0x40, 0x51, 0x80,  0x90,  0xa0,       0xaa,
                              0xaf, 0xb6, 0xbf, 0xcc, 0xff, 0x100, 0x101, 0x7fffffff, -1};

    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        CUarray array = (CUarray)UNTOUCHED;
        CUDA_ARRAY_DESCRIPTOR descriptor = {64, 64, bad[i], 1};
        CHECK(format("badformat-0x%x", bad[i]), cuda.cuArrayCreate(&array, &descriptor), "out=%s",
              out_state(array));
        check_array(format("badformat3d-0x%x", bad[i]), 64, 64, 0, bad[i], 1, 0);
    }

    static const unsigned bad_channels[] = {5, 6, 7, 9, 16, 0x80000001u, UINT_MAX};
    for (size_t i = 0; i < COUNT_OF(bad_channels); i++)
        check_array(format("badchannels-%u", bad_channels[i]), 64, 64, 0, 1, bad_channels[i], 0);
}

/* Which shapes, extents and flags do packed, planar and block formats accept? */
static void format_shapes(void)
{
    for (const struct named_value *row = format_names; row->name; row++) {
        int channels = usual_channels(row->value);
        for (int k = 0; k < 2; k++) {
            int count = k ? 4 : channels;
            if (k && channels == 4)
                continue;
            check_array(format("1d-%s-c%d", row->name, count), 64, 0, 0, row->value, count, 0);
            check_array(format("3d-%s-c%d", row->name, count), 64, 64, 8, row->value, count, 0);
            check_array(format("2dl-%s-c%d", row->name, count), 64, 64, 8, row->value, count, 1);
            check_array(format("cube-%s-c%d", row->name, count), 64, 64, 6, row->value, count, 4);
            check_array(format("odd-%s-c%d", row->name, count), 65, 63, 0, row->value, count, 0);
            check_array(format("gather-%s-c%d", row->name, count), 64, 64, 0, row->value, count, 8);
            check_array(format("sparse-%s-c%d", row->name, count), 1024, 1024, 0, row->value, count,
                        0x40);
            check_array(format("video-%s-c%d", row->name, count), 64, 64, 0, row->value, count,
                        0x100);
        }
    }
}

GROUP(800, arrayformat, "arrayformat")
{
    use_primary_context();
    format_channels();
    format_bad();
    format_shapes();
}

/* The largest extent that the device has, by its attribute. */
#define LIMIT(extent) (size_t) device_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_##extent)

static int largest_of(const size_t extent[3])
{
    if (extent[0] >= extent[1])
        return extent[0] >= extent[2] ? 0 : 2;

    return extent[1] >= extent[2] ? 1 : 2;
}

static void extent_limits(void)
{
    struct shape shapes[] = {{"1d", LIMIT(TEXTURE1D_WIDTH), 0, 0, 0},
                             {"1d-surf", LIMIT(SURFACE1D_WIDTH), 0, 0, 2},
                             {"2d-w", LIMIT(TEXTURE2D_WIDTH), 1, 0, 0},
                             {"2d-h", 1, LIMIT(TEXTURE2D_HEIGHT), 0, 0},
                             {"2d-surf-w", LIMIT(SURFACE2D_WIDTH), 1, 0, 2},
                             {"2d-surf-h", 1, LIMIT(SURFACE2D_HEIGHT), 0, 2},
                             {"3d-w", LIMIT(TEXTURE3D_WIDTH), 1, 1, 0},
                             {"3d-h", 1, LIMIT(TEXTURE3D_HEIGHT), 1, 0},
                             {"3d-d", 1, 1, LIMIT(TEXTURE3D_DEPTH), 0},
                             {"3dalt-w", LIMIT(TEXTURE3D_WIDTH_ALTERNATE), 1, 1, 0},
                             {"3dalt-h", 1, LIMIT(TEXTURE3D_HEIGHT_ALTERNATE), 1, 0},
                             {"3dalt-d", 1, 1, LIMIT(TEXTURE3D_DEPTH_ALTERNATE), 0},
                             {"3d-surf-w", LIMIT(SURFACE3D_WIDTH), 1, 1, 2},
                             {"3d-surf-h", 1, LIMIT(SURFACE3D_HEIGHT), 1, 2},
                             {"3d-surf-d", 1, 1, LIMIT(SURFACE3D_DEPTH), 2},
                             {"1dl-w", LIMIT(TEXTURE1D_LAYERED_WIDTH), 0, 1, 1},
                             {"1dl-l", 1, 0, LIMIT(TEXTURE1D_LAYERED_LAYERS), 1},
                             {"1dl-surf-w", LIMIT(SURFACE1D_LAYERED_WIDTH), 0, 1, 3},
                             {"1dl-surf-l", 1, 0, LIMIT(SURFACE1D_LAYERED_LAYERS), 3},
                             {"2dl-w", LIMIT(TEXTURE2D_LAYERED_WIDTH), 1, 1, 1},
                             {"2dl-h", 1, LIMIT(TEXTURE2D_LAYERED_HEIGHT), 1, 1},
                             {"2dl-l", 1, 1, LIMIT(TEXTURE2D_LAYERED_LAYERS), 1},
                             {"2dl-surf-w", LIMIT(SURFACE2D_LAYERED_WIDTH), 1, 1, 3},
                             {"2dl-surf-h", 1, LIMIT(SURFACE2D_LAYERED_HEIGHT), 1, 3},
                             {"2dl-surf-l", 1, 1, LIMIT(SURFACE2D_LAYERED_LAYERS), 3},
                             {"gather-w", LIMIT(TEXTURE2D_GATHER_WIDTH), 1, 0, 8},
                             {"gather-h", 1, LIMIT(TEXTURE2D_GATHER_HEIGHT), 0, 8}};

    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (int k = -1; k <= 1; k++) {
            size_t extent[3] = {shapes[i].width, shapes[i].height, shapes[i].depth};
            extent[largest_of(extent)] += k;
            for (int f = 0; f < 2; f++)
                check_array(format("%s-limit%+d-%s", shapes[i].name, k, f ? "f32x4" : "u8x1"),
                            extent[0], extent[1], extent[2], f ? 0x20 : 1, f ? 4 : 1,
                            shapes[i].flags);
        }
}

static void extent_cube_limits(void)
{
    size_t cube = LIMIT(TEXTURECUBEMAP_WIDTH), cube_layered = LIMIT(TEXTURECUBEMAP_LAYERED_WIDTH),
           cube_layers = LIMIT(TEXTURECUBEMAP_LAYERED_LAYERS),
           surface_cube = LIMIT(SURFACECUBEMAP_WIDTH),
           surface_cube_layered = LIMIT(SURFACECUBEMAP_LAYERED_WIDTH),
           surface_cube_layers = LIMIT(SURFACECUBEMAP_LAYERED_LAYERS);

    for (int k = -1; k <= 1; k++) {
        check_array(format("cube-w%+d", k), cube + k, cube + k, 6, 1, 1, 4);
        check_array(format("cubesurf-w%+d", k), surface_cube + k, surface_cube + k, 6, 1, 1, 6);
        check_array(format("cubel-w%+d", k), cube_layered + k, cube_layered + k, 6, 1, 1, 5);
        check_array(format("cubel-l%+d", k), 1, 1, cube_layers + k, 1, 1, 5);
        check_array(format("cubelsurf-w%+d", k), surface_cube_layered + k, surface_cube_layered + k,
                    6, 1, 1, 7);
        check_array(format("cubelsurf-l%+d", k), 1, 1, surface_cube_layers + k, 1, 1, 7);
        check_array(format("cubel-l%+d-x6", k * 6), 1, 1, cube_layers / 6 * 6 + k * 6, 1, 1, 5);
    }
}

static void extent_zero_and_huge(void)
{
    struct shape shapes[] = {{"0x0x0", 0, 0, 0, 0},
                             {"0x1x0", 0, 1, 0, 0},
                             {"0x1x1", 0, 1, 1, 0},
                             {"0x0x1", 0, 0, 1, 0},
                             {"1x0x0", 1, 0, 0, 0},
                             {"1x0x1", 1, 0, 1, 0},
                             {"1x1x0", 1, 1, 0, 0},
                             {"1x1x1", 1, 1, 1, 0},
                             {"8x0x4", 8, 0, 4, 0},
                             {"8x0x4-layered", 8, 0, 4, 1},
                             {"8x0x0-layered", 8, 0, 0, 1},
                             {"8x8x0-layered", 8, 8, 0, 1},
                             {"8x8x1-layered", 8, 8, 1, 1},
                             {"0x8x4-layered", 0, 8, 4, 1},
                             {"cube-8x8x0", 8, 8, 0, 4},
                             {"cube-8x8x1", 8, 8, 1, 4},
                             {"cube-8x8x5", 8, 8, 5, 4},
                             {"cube-8x8x7", 8, 8, 7, 4},
                             {"cube-8x8x12", 8, 8, 12, 4},
                             {"cube-8x4x6", 8, 4, 6, 4},
                             {"cube-8x0x6", 8, 0, 6, 4},
                             {"cubel-8x8x6", 8, 8, 6, 5},
                             {"cubel-8x8x12", 8, 8, 12, 5},
                             {"cubel-8x8x13", 8, 8, 13, 5},
                             {"cubel-8x8x0", 8, 8, 0, 5},
                             {"cubel-8x4x6", 8, 4, 6, 5},
                             {"w-max", SIZE_MAX, 0, 0, 0},
                             {"h-max", 1, SIZE_MAX, 0, 0},
                             {"d-max", 1, 1, SIZE_MAX, 0},
                             {"w-2^32+1", (1ull << 32) + 1, 0, 0, 0},
                             {"h-2^32+1", 1, (1ull << 32) + 1, 0, 0},
                             {"gather-1d", 8, 0, 0, 8},
                             {"gather-3d", 8, 8, 8, 8},
                             {"gather-layered", 8, 8, 4, 9},
                             {"gather-cube", 8, 8, 6, 12},
                             {"gather-surf", 8, 8, 0, 10}};

    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        check_array(format("x-%s", shapes[i].name), shapes[i].width, shapes[i].height,
                    shapes[i].depth, 1, 1, shapes[i].flags);
}

static void extent_2d(void)
{
    size_t width1d = LIMIT(TEXTURE1D_WIDTH), width2d = LIMIT(TEXTURE2D_WIDTH),
           height2d = LIMIT(TEXTURE2D_HEIGHT), width3d = LIMIT(TEXTURE3D_WIDTH),
           height3d = LIMIT(TEXTURE3D_HEIGHT), depth3d = LIMIT(TEXTURE3D_DEPTH);

    struct {
        const char *name;
        size_t width, height;
    } shapes[] = {{"0x0", 0, 0},
                  {"0x1", 0, 1},
                  {"1x0", 1, 0},
                  {"1x1", 1, 1},
                  {"t1", width1d, 0},
                  {"t1+1", width1d + 1, 0},
                  {"t2wx1", width2d, 1},
                  {"t2w+1x1", width2d + 1, 1},
                  {"1xt2h", 1, height2d},
                  {"1xt2h+1", 1, height2d + 1},
                  {"maxxmax", SIZE_MAX, SIZE_MAX}};

    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        check_array2d(format("create2-%s", shapes[i].name), shapes[i].width, shapes[i].height, 1,
                      1);
    }

    check_array("too-big-for-card-2d-f32x4", width2d, height2d, 0, 0x20, 4, 0);
    check_array("too-big-for-card-3d-f32x4", width3d, height3d, depth3d, 0x20, 4, 0);
}

GROUP(801, arrayextent, "arrayextent")
{
    use_primary_context();
    extent_limits();
    extent_cube_limits();
    extent_zero_and_huge();
    extent_2d();
}

GROUP(802, arrayflags, "arrayflags")
{
    use_primary_context();
    static const struct {
        const char *name;
        size_t width, height, depth;
    } shapes[] = {{"1d", 64, 0, 0},       {"2d", 64, 64, 0},  {"3d", 64, 64, 4},
                  {"64x64x6", 64, 64, 6}, {"1dx6", 64, 0, 6}, {"sparse2d", 1024, 1024, 0}};

    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (int bit = 0; bit < 32; bit++)
            check_array(format("%s-bit%d", shapes[i].name, bit), shapes[i].width, shapes[i].height,
                        shapes[i].depth, CU_AD_FORMAT_FLOAT, 1, 1u << bit);

    for (int first = 0; first < 9; first++)
        for (int bit = first + 1; bit < 9; bit++) {
            check_array(format("2d-bits%d+%d", first, bit), 64, 64, 0, 0x20, 1,
                        1u << first | 1u << bit);
            check_array(format("x6-bits%d+%d", first, bit), 64, 64, 6, 0x20, 1,
                        1u << first | 1u << bit);
        }

    for (int bit = 0; bit < 9; bit++) {
        check_array(format("layered-surf-bit%d", bit), 64, 64, 4, 0x20, 1, 3u | 1u << bit);
        check_array(format("depth-u16-bit%d", bit), 64, 64, 0, CU_AD_FORMAT_UNSIGNED_INT16, 1,
                    0x10 | 1u << bit);
    }

    static const int depth_formats[] = {1, 2, 3, 8, 0x10, 0x20};
    for (size_t i = 0; i < COUNT_OF(depth_formats); i++)
        for (int channels = 1; channels <= 4; channels *= 2)
            check_array(format("depth-texture-f%x-c%d", depth_formats[i], channels), 64, 64, 0,
                        depth_formats[i], channels, 0x10);
}

GROUP(803, arraydesc, "arraydesc")
{
    use_primary_context();
    CUarray array = 0;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {64, 32, 0, 0x20, 2, 2}, out3d;
    CUDA_ARRAY_DESCRIPTOR out2d;
    CHECK("create3d-null-out", cuda.cuArray3DCreate(NULL, &descriptor));
    CHECK("create3d-null-desc", cuda.cuArray3DCreate(&array, NULL));
    CHECK("create3d-null-both", cuda.cuArray3DCreate(NULL, NULL));
    CUDA_ARRAY_DESCRIPTOR descriptor2d = {64, 32, 0x20, 2};
    CHECK("create-null-out", cuda.cuArrayCreate(NULL, &descriptor2d));
    CHECK("create-null-desc", cuda.cuArrayCreate(&array, NULL));

    CHECK("ok", cuda.cuArray3DCreate(&array, &descriptor), "d3=%s d2=%s", describe3d(array),
          describe2d(array));
    CHECK("get-null-out", cuda.cuArrayGetDescriptor(NULL, array));
    CHECK("get3-null-out", cuda.cuArray3DGetDescriptor(NULL, array));
    CHECK("get-null-array", cuda.cuArrayGetDescriptor(&out2d, NULL));
    CHECK("get3-null-array", cuda.cuArray3DGetDescriptor(&out3d, NULL));
    CHECK("destroy-null", cuda.cuArrayDestroy(NULL));

    context_new();
    CHECK("get3-other-context", cuda.cuArray3DGetDescriptor(&out3d, array));
    CHECK("destroy-other-context", cuda.cuArrayDestroy(array));
    cuda.cuCtxSetCurrent(context);
    array = 0;
    cuda.cuArray3DCreate(&array, &descriptor);
    CHECK("destroy", cuda.cuArrayDestroy(array));

    CUDA_ARRAY3D_DESCRIPTOR mip_descriptor = {64, 64, 0, 1, 4, 0};
    CUmipmappedArray mip = 0;
    cuda.cuMipmappedArrayCreate(&mip, &mip_descriptor, 4);
    CUarray level = 0, again = 0;
    cuda.cuMipmappedArrayGetLevel(&level, mip, 1);
    CHECK("destroy-mip-level", cuda.cuArrayDestroy(level));
    CHECK("mip-level-after-destroy", cuda.cuMipmappedArrayGetLevel(&again, mip, 1),
          "same_handle=%d desc=%s", level == again, describe3d(again));
    CHECK("mip-destroy", cuda.cuMipmappedArrayDestroy(mip));
    CHECK("mip-destroy-null", cuda.cuMipmappedArrayDestroy(NULL));

    CUDA_ARRAY_MEMORY_REQUIREMENTS requirements_out;
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    cuda.cuArray3DCreate(&array, &descriptor);
    CHECK("req-plain", cuda.cuArrayGetMemoryRequirements(&requirements_out, array, device));
    CHECK("req-null-out", cuda.cuArrayGetMemoryRequirements(NULL, array, device));
    CHECK("req-null-array", cuda.cuArrayGetMemoryRequirements(&requirements_out, NULL, device));
    CHECK("req-bad-device", cuda.cuArrayGetMemoryRequirements(&requirements_out, array, 99));
    CHECK("req-device--1", cuda.cuArrayGetMemoryRequirements(&requirements_out, array, -1));
    CHECK("sparse-plain", cuda.cuArrayGetSparseProperties(&sparse, array));
    CHECK("sparse-null-out", cuda.cuArrayGetSparseProperties(NULL, array));
    CHECK("sparse-null-array", cuda.cuArrayGetSparseProperties(&sparse, NULL));
    CHECK("mipreq-null",
          cuda.cuMipmappedArrayGetMemoryRequirements(&requirements_out, NULL, device));
    CHECK("mipsparse-null", cuda.cuMipmappedArrayGetSparseProperties(&sparse, NULL));
}
