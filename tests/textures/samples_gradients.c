/* SPDX-License-Identifier: MIT */
/*
 * Cases about gradients: extents that are no powers of two, anisotropy, and what it does to
 * formats.
 */
#include "textures.h"
#include <string.h>

static const char *const filters[] = {"point", "linear"};

static struct sample gradient_of(enum geometry geometry, unsigned width, unsigned height,
                                 unsigned depth, unsigned levels)
{
    struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, geometry, width, height, depth);

    s.resource = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    s.levels = levels;
    s.content = CONTENT_INDEX;
    s.places = PLACES_INSIDE;
    s.level_mode = LEVEL_GRADIENT;
    s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
    s.texture.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
    s.texture.maxMipmapLevelClamp = 20;
    s.lanes = 512;
    return s;
}

static void extent_cases(void)
{
    static const unsigned extents[][2] = {{1000, 700}, {2047, 3}, {4099, 5}, {12345, 7}};
    struct sample s;

    for (unsigned i = 0; i < sizeof extents / sizeof *extents; i++) {
        s = gradient_of(G_2D, extents[i][0], extents[i][1], 0, 6);
        sample_add(&s, "gradient/2d-%ux%u", extents[i][0], extents[i][1]);
    }
    s = gradient_of(G_3D, 50, 37, 11, 5);
    sample_add(&s, "gradient/3d-odd");
    s = gradient_of(G_CUBE, 75, 75, 6, 5);
    sample_add(&s, "gradient/cube-odd");
    s.texture.maxAnisotropy = 8;
    s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    sample_add(&s, "gradient/cube-anisotropic");
    s = gradient_of(G_2D, 64, 48, 0, 6);
    s.view = (CUDA_RESOURCE_VIEW_DESC){.format = CU_RES_VIEW_FORMAT_FLOAT_1X32,
                                       .width = 64,
                                       .height = 48,
                                       .firstMipmapLevel = 2,
                                       .lastMipmapLevel = 4};
    s.has_view = true;
    sample_add(&s, "gradient/view-of-levels");
}

static void anisotropy_cases(void)
{
    static const unsigned most[] = {2, 3, 5, 6, 7, 8, 10, 12, 14, 16, 40};

    for (unsigned i = 0; i < sizeof most / sizeof *most; i++)
        for (int between = 0; between < 2; between++) {
            struct sample s = gradient_of(G_2D, 64, 61, 0, 6);
            s.texture.maxAnisotropy = most[i];
            s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
            s.texture.mipmapFilterMode = (CUfilter_mode)between;
            sample_add(&s, "anisotropy/%u-%s", most[i], filters[between]);
            s.texture.mipmapLevelBias = 0.6f;
            sample_add(&s, "anisotropy/%u-%s-bias", most[i], filters[between]);
            s.texture.mipmapLevelBias = 0;
            s.texture.minMipmapLevelClamp = 1.3f;
            s.texture.maxMipmapLevelClamp = 2.6f;
            sample_add(&s, "anisotropy/%u-%s-clamp", most[i], filters[between]);
        }
}

static void anisotropic_format_cases(void)
{
    static const CUarray_format formats[] = {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8,
                                             CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_HALF,
                                             CU_AD_FORMAT_FLOAT};

    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct sample s = gradient_of(G_2D, 64, 61, 0, 6);
        s.format = formats[i];
        s.channels = 4;
        s.content = CONTENT_FINITE;
        s.texture.maxAnisotropy = 16;
        s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
        sample_add(&s, "anisotropy/format-%s", format_name(formats[i]));
        s.texture.addressMode[0] = s.texture.addressMode[1] = CU_TR_ADDRESS_MODE_WRAP;
        s.level_mode = LEVEL_GIVEN;
        sample_add(&s, "anisotropy/format-%s-level", format_name(formats[i]));
    }
    for (int g = G_1D; g <= G_2D_LAYERED; g++) {
        struct sample s = gradient_of((enum geometry)g, 64, g == G_3D ? 16 : 61, 8, 5);
        s.texture.maxAnisotropy = 16;
        s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
        sample_add(&s, "anisotropy/geometry-%d", g);
        s.texture.filterMode = CU_TR_FILTER_MODE_POINT;
        sample_add(&s, "anisotropy/geometry-%d-point", g);
    }
}

/* Colours of the border that a format does not hold. */
static void border_cases(void)
{
    static const CUarray_format formats[] = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,
                                             CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
                                             CU_AD_FORMAT_SIGNED_INT32,   CU_AD_FORMAT_HALF,
                                             CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_FLOAT};
    static const uint32_t colours[][4] = {
        {0x3f000000, 0xbf000000, 0x40000000, 0x7f800000}, /* 1/2, -1/2, 2, infinity */
        {0x7fc00000, 0x00000001, 0x33800000, 0xff800000}, /* NaN, subnormal, tiny, -infinity */
        {0x000000ff, 0x00012345, 0xffffff80, 0x80000001}, /* integers */
    };

    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
        for (unsigned colour = 0; colour < 3; colour++)
            for (unsigned raw = 0; raw < 2; raw++) {
                struct sample s = sample_of(formats[i], 4, G_2D, 8, 8, 0);
                memcpy(s.texture.borderColor, colours[colour], sizeof colours[colour]);
                for (int axis = 0; axis < 3; axis++)
                    s.texture.addressMode[axis] = CU_TR_ADDRESS_MODE_BORDER;
                s.texture.flags = raw ? CU_TRSF_READ_AS_INTEGER : 0;
                bool real = formats[i] == CU_AD_FORMAT_HALF || formats[i] == CU_AD_FORMAT_FLOAT;
                bool wide = formats[i] == CU_AD_FORMAT_SIGNED_INT32 ||
                            formats[i] == CU_AD_FORMAT_UNSIGNED_INT32;
                bool is_signed = formats[i] == CU_AD_FORMAT_SIGNED_INT8 ||
                                 formats[i] == CU_AD_FORMAT_SIGNED_INT16 ||
                                 formats[i] == CU_AD_FORMAT_SIGNED_INT32;
                if (raw ? real : wide)
                    continue;
                s.result = raw ? is_signed ? 's' : 'u' : 'f';
                s.lanes = 96;
                sample_add(&s, "border/%s-%u%s", format_name(formats[i]), colour,
                           raw ? "-integer" : "");
            }
}

void samples_gradients(void)
{
    extent_cases();
    anisotropy_cases();
    anisotropic_format_cases();
    border_cases();
}
