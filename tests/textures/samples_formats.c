/* SPDX-License-Identifier: MIT */
/* Cases about formats: every format, read as it is, normalised, as sRGB; borders; compressed
 * blocks; planes; linear and pitched memory; views of another format. */
#include "textures.h"
#include <stdio.h>
#include <string.h>

static const CUarray_format plain[] = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_UNSIGNED_INT16,
                                       CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT8,
                                       CU_AD_FORMAT_SIGNED_INT16,   CU_AD_FORMAT_SIGNED_INT32,
                                       CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};

static const struct {
    CUarray_format format;
    unsigned channels;
} fixed[] = {{CU_AD_FORMAT_UNORM_INT_101010_2, 4}, {CU_AD_FORMAT_UNORM_INT8X1, 1},
             {CU_AD_FORMAT_UNORM_INT8X2, 2},       {CU_AD_FORMAT_UNORM_INT8X4, 4},
             {CU_AD_FORMAT_UNORM_INT16X1, 1},      {CU_AD_FORMAT_UNORM_INT16X2, 2},
             {CU_AD_FORMAT_UNORM_INT16X4, 4},      {CU_AD_FORMAT_SNORM_INT8X1, 1},
             {CU_AD_FORMAT_SNORM_INT8X2, 2},       {CU_AD_FORMAT_SNORM_INT8X4, 4},
             {CU_AD_FORMAT_SNORM_INT16X1, 1},      {CU_AD_FORMAT_SNORM_INT16X2, 2},
             {CU_AD_FORMAT_SNORM_INT16X4, 4}};

static const struct {
    CUarray_format format;
    unsigned channels;
} blocks[] = {{CU_AD_FORMAT_BC1_UNORM, 4}, {CU_AD_FORMAT_BC1_UNORM_SRGB, 4},
              {CU_AD_FORMAT_BC2_UNORM, 4}, {CU_AD_FORMAT_BC2_UNORM_SRGB, 4},
              {CU_AD_FORMAT_BC3_UNORM, 4}, {CU_AD_FORMAT_BC3_UNORM_SRGB, 4},
              {CU_AD_FORMAT_BC4_UNORM, 1}, {CU_AD_FORMAT_BC4_SNORM, 1},
              {CU_AD_FORMAT_BC5_UNORM, 2}, {CU_AD_FORMAT_BC5_SNORM, 2},
              {CU_AD_FORMAT_BC6H_UF16, 3}, {CU_AD_FORMAT_BC6H_SF16, 3},
              {CU_AD_FORMAT_BC7_UNORM, 4}, {CU_AD_FORMAT_BC7_UNORM_SRGB, 4}};

/* Point and linear, in normalised coordinates, at the border of which the border's colour is. */
static void read_cases(struct sample s, const char *how)
{
    const float border[4] = {0.3f, -0.7f, 300, 2};

    s.lanes = 144;
    s.texture.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    sample_add(&s, "format/%s%u-%s-point", format_name(s.format), s.channels, how);
    struct sample b = s;
    memcpy(b.texture.borderColor, border, sizeof border);
    for (int i = 0; i < 3; i++)
        b.texture.addressMode[i] = CU_TR_ADDRESS_MODE_BORDER;
    b.lanes = 64;
    sample_add(&b, "format/%s%u-%s-border", format_name(s.format), s.channels, how);
    s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    sample_add(&s, "format/%s%u-%s-linear", format_name(s.format), s.channels, how);
    b.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    sample_add(&b, "format/%s%u-%s-border-linear", format_name(s.format), s.channels, how);
}

static void plain_cases(void)
{
    for (unsigned i = 0; i < 8; i++)
        for (unsigned channels = 1; channels <= 4; channels *= 2) {
            struct sample s = sample_of(plain[i], channels, G_2D, 16, 8, 0);
            bool is_float = i >= 6, is_signed = i >= 3;
            read_cases(s, "float");
            if (!is_float) {
                s.result = is_signed ? 's' : 'u';
                s.texture.flags = CU_TRSF_READ_AS_INTEGER;
                read_cases(s, "integer");
            } else {
                s.content = CONTENT_BITS;
                read_cases(s, "bits");
            }
            if (channels != 2)
                continue;
            s.result = is_float ? 'u' : 'f';
            read_cases(s, "mismatch"); /* the instruction takes it for another type */
            s.texture.flags ^= CU_TRSF_READ_AS_INTEGER;
            s.result = is_float ? 'f' : 'u';
            read_cases(s, "mismatch-flag");
        }
    for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        struct sample s = sample_of(fixed[i].format, fixed[i].channels, G_2D, 16, 8, 0);
        read_cases(s, "float");
        s.texture.flags = CU_TRSF_READ_AS_INTEGER;
        s.result = 'u';
        sample_add(&s, "format/%s%u-integer-point", format_name(s.format), s.channels);
    }
}

static void half_result_cases(void)
{
    for (unsigned i = 0; i < 8; i++) {
        struct sample s = sample_of(plain[i], 4, G_2D, 16, 8, 0);
        s.result = 'h';
        s.texture.flags = i == 2 || i == 5 ? CU_TRSF_READ_AS_INTEGER : 0;
        s.texture.filterMode =
            i == 2 || i == 5 ? CU_TR_FILTER_MODE_POINT : CU_TR_FILTER_MODE_LINEAR;
        s.lanes = 96;
        sample_add(&s, "format/%s4-half-result", format_name(s.format));
        s.texture.filterMode = CU_TR_FILTER_MODE_POINT;
        sample_add(&s, "format/%s4-half-result-point", format_name(s.format));
    }
}

static void srgb_cases(void)
{
    for (unsigned channels = 1; channels <= 4; channels *= 2) {
        struct sample s = sample_of(CU_AD_FORMAT_UNSIGNED_INT8, channels, G_2D, 256, 1, 0);
        s.content = CONTENT_COUNT;
        s.places = PLACES_TEXELS;
        s.lanes = 256;
        sample_add(&s, "srgb/plain%u", channels);
        s.texture.flags = CU_TRSF_SRGB;
        sample_add(&s, "srgb/table%u", channels);
        s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
        s.places = PLACES_INSIDE;
        sample_add(&s, "srgb/linear%u", channels);
        s = sample_of(CU_AD_FORMAT_SIGNED_INT8, channels, G_2D, 256, 1, 0);
        s.content = CONTENT_COUNT;
        s.places = PLACES_TEXELS;
        s.lanes = 256;
        sample_add(&s, "srgb/signed-plain%u", channels);
        s.texture.flags = CU_TRSF_SRGB;
        sample_add(&s, "srgb/signed%u", channels);
    }
    struct sample s = sample_of(CU_AD_FORMAT_UNSIGNED_INT16, 4, G_2D, 16, 8, 0);
    s.texture.flags = CU_TRSF_SRGB;
    sample_add(&s, "srgb/u16");
    s = sample_of(CU_AD_FORMAT_FLOAT, 4, G_2D, 16, 8, 0);
    s.texture.flags = CU_TRSF_SRGB;
    sample_add(&s, "srgb/f32");
    s = sample_of(CU_AD_FORMAT_BC1_UNORM, 4, G_2D, 16, 8, 0);
    s.texture.flags = CU_TRSF_SRGB;
    sample_add(&s, "srgb/bc1-flag");
    s = sample_of(CU_AD_FORMAT_UNORM_INT8X4, 4, G_2D, 16, 8, 0);
    s.texture.flags = CU_TRSF_SRGB;
    sample_add(&s, "srgb/unorm8-flag");
}

static bool is_srgb(CUarray_format format)
{
    return format == CU_AD_FORMAT_BC1_UNORM_SRGB || format == CU_AD_FORMAT_BC2_UNORM_SRGB ||
           format == CU_AD_FORMAT_BC3_UNORM_SRGB || format == CU_AD_FORMAT_BC7_UNORM_SRGB;
}

static void block_cases(void)
{
    for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        unsigned side = i < 10 ? 64 : 128;
        struct sample s = sample_of(blocks[i].format, blocks[i].channels, G_2D, side, side, 0);
        s.places = PLACES_TEXELS;
        s.lanes = side * side;
        s.texture.flags = is_srgb(s.format) ? CU_TRSF_SRGB : 0;
        sample_add(&s, "block/%s-texels", format_name(s.format));
        if (is_srgb(s.format)) { /* filtered, but with the whole weight on one texel */
            s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
            sample_add(&s, "block/%s-texels-linear", format_name(s.format));
        }
        s = sample_of(blocks[i].format, blocks[i].channels, G_2D, 16, 8, 0);
        s.texture.flags = is_srgb(s.format) ? CU_TRSF_SRGB : 0;
        read_cases(s, "float");
        s = sample_of(blocks[i].format, blocks[i].channels, G_2D, 13, 7, 0);
        s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES | (is_srgb(s.format) ? CU_TRSF_SRGB : 0);
        sample_add(&s, "block/%s-odd", format_name(s.format));
    }
}

static void plane_cases(void)
{
    static const struct {
        CUarray_format format;
        int planes;
        unsigned channels;
    } video[] = {{CU_AD_FORMAT_NV12, 2, 3},
                 {CU_AD_FORMAT_P010, 2, 3},
                 {CU_AD_FORMAT_P016, 2, 3},
                 {CU_AD_FORMAT_NV16, 2, 3},
                 {CU_AD_FORMAT_P210, 2, 3},
                 {CU_AD_FORMAT_P216, 2, 3},
                 {CU_AD_FORMAT_YUV444_8bit_SemiPlanar, 2, 3},
                 {CU_AD_FORMAT_YUV444_16bit_SemiPlanar, 2, 3},
                 {CU_AD_FORMAT_Y444_PLANAR8, 3, 3},
                 {CU_AD_FORMAT_Y444_PLANAR10, 3, 3},
                 {CU_AD_FORMAT_YUY2, 0, 4},
                 {CU_AD_FORMAT_Y210, 0, 2},
                 {CU_AD_FORMAT_Y216, 0, 2},
                 {CU_AD_FORMAT_AYUV, 0, 4},
                 {CU_AD_FORMAT_Y410, 0, 1},
                 {CU_AD_FORMAT_Y416, 0, 4}};

    for (unsigned i = 0; i < sizeof video / sizeof *video; i++) {
        struct sample s = sample_of(video[i].format, video[i].channels, G_2D, 16, 8, 0);
        s.lanes = 96;
        for (s.plane = video[i].planes ? 0 : -1; s.plane < video[i].planes; s.plane++) {
            s.texture.filterMode = CU_TR_FILTER_MODE_POINT;
            sample_add(&s, "plane/%s%d-point", format_name(s.format), s.plane);
            s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
            sample_add(&s, "plane/%s%d-linear", format_name(s.format), s.plane);
        }
        s.plane = -1;
        sample_add(&s, "plane/%s-whole", format_name(s.format));
    }
}

static void memory_cases(void)
{
    for (unsigned i = 0; i < 8; i++)
        for (unsigned channels = 1; channels <= 4; channels *= 2) {
            struct sample s = sample_of(plain[i], channels, G_1D, 37, 0, 0);
            s.resource = CU_RESOURCE_TYPE_LINEAR;
            s.height = 1;
            s.integer_coordinates = true;
            s.lanes = 64;
            sample_add(&s, "memory/linear-%s%u", format_name(plain[i]), channels);
            s.texture.addressMode[0] = CU_TR_ADDRESS_MODE_BORDER;
            s.texture.borderColor[0] = 0.5f;
            sample_add(&s, "memory/linear-%s%u-border", format_name(plain[i]), channels);
            s = sample_of(plain[i], channels, G_2D, 13, 7, 0);
            s.resource = CU_RESOURCE_TYPE_PITCH2D;
            s.lanes = 96;
            for (int filter = 0; filter < 2; filter++) {
                s.texture.filterMode = (CUfilter_mode)filter;
                sample_add(&s, "memory/pitch-%s%u-%s", format_name(plain[i]), channels,
                           filter ? "linear" : "point");
            }
        }
    struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, G_1D, 37, 0, 0);
    s.resource = CU_RESOURCE_TYPE_LINEAR;
    s.height = 1;
    sample_add(&s, "memory/linear-float-coordinates");
    s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    sample_add(&s, "memory/linear-float-coordinates-linear");
    s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
    sample_add(&s, "memory/linear-float-coordinates-normalized");
}

static void asked_otherwise_cases(void)
{
    for (int is = G_1D; is <= G_CUBE_LAYERED; is++)
        for (int asked = G_1D; asked <= G_CUBE_LAYERED; asked++) {
            if (is == asked)
                continue;
            struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, (enum geometry)is, 8, 8,
                                        is == G_CUBE_LAYERED ? 12 : 6);
            s.asked = (enum geometry)asked;
            s.content = CONTENT_INDEX;
            s.lanes = 64;
            sample_add(&s, "asked/%d-as-%d", is, asked);
        }
}

static void view_cases(void)
{
    static const struct {
        CUarray_format format;
        unsigned channels;
        CUresourceViewFormat as;
        const char *name;
        char result;
        unsigned scale;
    } views[] = {
        {CU_AD_FORMAT_UNSIGNED_INT32, 1, CU_RES_VIEW_FORMAT_UINT_4X8, "u32-4x8", 'f', 1},
        {CU_AD_FORMAT_UNSIGNED_INT32, 1, CU_RES_VIEW_FORMAT_FLOAT_1X32, "u32-f32", 'f', 1},
        {CU_AD_FORMAT_UNSIGNED_INT32, 1, CU_RES_VIEW_FORMAT_FLOAT_2X16, "u32-2xf16", 'f', 1},
        {CU_AD_FORMAT_UNSIGNED_INT8, 4, CU_RES_VIEW_FORMAT_SINT_4X8, "u8-s8", 'f', 1},
        {CU_AD_FORMAT_UNSIGNED_INT8, 4, CU_RES_VIEW_FORMAT_UINT_1X32, "u8-u32", 'u', 1},
        {CU_AD_FORMAT_FLOAT, 4, CU_RES_VIEW_FORMAT_UINT_4X32, "f32-u32", 'u', 1},
        {CU_AD_FORMAT_UNSIGNED_INT32, 2, CU_RES_VIEW_FORMAT_UNSIGNED_BC1, "bc1", 'f', 4},
        {CU_AD_FORMAT_UNSIGNED_INT32, 4, CU_RES_VIEW_FORMAT_UNSIGNED_BC2, "bc2", 'f', 4},
        {CU_AD_FORMAT_UNSIGNED_INT32, 4, CU_RES_VIEW_FORMAT_UNSIGNED_BC3, "bc3", 'f', 4},
        {CU_AD_FORMAT_UNSIGNED_INT32, 2, CU_RES_VIEW_FORMAT_UNSIGNED_BC4, "bc4", 'f', 4},
        {CU_AD_FORMAT_UNSIGNED_INT32, 2, CU_RES_VIEW_FORMAT_SIGNED_BC4, "bc4s", 'f', 4},
        {CU_AD_FORMAT_UNSIGNED_INT32, 4, CU_RES_VIEW_FORMAT_UNSIGNED_BC5, "bc5", 'f', 4},
        {CU_AD_FORMAT_UNSIGNED_INT32, 4, CU_RES_VIEW_FORMAT_SIGNED_BC5, "bc5s", 'f', 4},
        {CU_AD_FORMAT_UNSIGNED_INT32, 4, CU_RES_VIEW_FORMAT_UNSIGNED_BC6H, "bc6h", 'f', 4},
        {CU_AD_FORMAT_UNSIGNED_INT32, 4, CU_RES_VIEW_FORMAT_SIGNED_BC6H, "bc6hs", 'f', 4},
        {CU_AD_FORMAT_UNSIGNED_INT32, 4, CU_RES_VIEW_FORMAT_UNSIGNED_BC7, "bc7", 'f', 4}};

    for (unsigned i = 0; i < sizeof views / sizeof *views; i++) {
        struct sample s = sample_of(views[i].format, views[i].channels, G_2D, 16, 8, 0);
        s.has_view = true;
        s.content = CONTENT_BITS;
        s.view.format = views[i].as;
        s.view.width = 16 * views[i].scale;
        s.view.height = 8 * views[i].scale;
        s.result = views[i].result;
        s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
        sample_add(&s, "view/%s", views[i].name);
        if (views[i].scale == 4) {
            s.texture.flags |= CU_TRSF_SRGB;
            sample_add(&s, "view/%s-srgb", views[i].name);
        }
    }
    struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, G_2D_LAYERED, 8, 8, 5);
    s.has_view = true;
    s.view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
    s.view.width = s.view.height = 8;
    s.view.depth = 5;
    s.view.firstLayer = 1;
    s.view.lastLayer = 3;
    sample_add(&s, "view/layers-1-3-depth-5");
    s.view.depth = 3;
    sample_add(&s, "view/layers-1-3-depth-3");
    s = sample_of(CU_AD_FORMAT_FLOAT, 1, G_2D, 8, 8, 5);
    s.has_view = true;
    s.view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
    s.view.width = s.view.height = 4;
    sample_add(&s, "view/smaller");
    s.view.width = s.view.height = 8;
    s.view.format = CU_RES_VIEW_FORMAT_NONE;
    sample_add(&s, "view/none");
}

void samples_formats(void)
{
    plain_cases();
    half_result_cases();
    srgb_cases();
    block_cases();
    plane_cases();
    memory_cases();
    view_cases();
    asked_otherwise_cases();
}
