/* SPDX-License-Identifier: MIT */
/*
 * Cases about where a coordinate leads and what weights it has: address modes, filters, edges,
 * cubes, gathers, offsets.
 */
#include "textures.h"
#include <string.h>

static const char *const geometries[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
static const char *const modes[] = {"wrap", "clamp", "mirror", "border"};
static const char *const filters[] = {"point", "linear"};

static void address_set(struct sample *s, int x, int y, int z)
{
    s->texture.addressMode[0] = (CUaddress_mode)x;
    s->texture.addressMode[1] = (CUaddress_mode)y;
    s->texture.addressMode[2] = (CUaddress_mode)z;
}

static void border_set(struct sample *s)
{
    const float border[4] = {0.25f, -2.5f, 7, 0.3f};

    memcpy(s->texture.borderColor, border, sizeof border);
}

static void address_cases(struct sample s, const char *kind)
{
    border_set(&s);
    for (int filter = 0; filter < 2; filter++)
        for (int mode = 0; mode < 4; mode++)
            for (int normalized = 0; normalized < 2; normalized++) {
                if (filter && (s.texture.flags & CU_TRSF_READ_AS_INTEGER))
                    continue;
                struct sample c = s;
                c.texture.filterMode = (CUfilter_mode)filter;
                c.texture.flags |= normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0;
                address_set(&c, mode, mode, mode);
                sample_add(&c, "address/%s-%s-%s-%s-%s", kind, geometries[s.geometry],
                           filters[filter], modes[mode], normalized ? "normalized" : "texels");
            }
}

static void address_all(void)
{
    for (int g = G_1D; g <= G_2D_LAYERED; g++) {
        struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, (enum geometry)g, 13, 7, 5);
        address_cases(s, "r32f");
        s = sample_of(CU_AD_FORMAT_UNSIGNED_INT8, 4, (enum geometry)g, 16, 8, 4);
        address_cases(s, "rgba8");
        s = sample_of(CU_AD_FORMAT_UNSIGNED_INT8, 1, (enum geometry)g, 13, 7, 5);
        s.texture.flags = CU_TRSF_READ_AS_INTEGER;
        s.result = 'u';
        address_cases(s, "r8ui");
    }
    for (int i = 0; i < 16; i++) {
        struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, G_2D, 12, 9, 0);
        border_set(&s);
        address_set(&s, i / 4, i % 4, 1);
        s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
        s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
        sample_add(&s, "address/mixed-%s-%s", modes[i / 4], modes[i % 4]);
    }
}

static void edge_cases(void)
{
    static const unsigned widths[] = {1,     2,     3,     7,     16,    100,    1000,  1024,
                                      4095,  30000, 8191,  8193,  12000, 16383,  16384, 16385,
                                      20000, 32767, 32769, 65535, 65537, 100000, 131071};

    for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++)
        for (int normalized = 0; normalized < 2; normalized++)
            for (int filter = 0; filter < 2; filter++) {
                struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, G_1D, widths[i], 0, 0);
                s.content = CONTENT_COUNT;
                s.places = PLACES_EDGES;
                s.texture.filterMode = (CUfilter_mode)filter;
                s.texture.flags = normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0;
                for (int mode = 0; mode < (normalized ? 3 : 1); mode++) {
                    address_set(&s, (mode + 1) % 3, 1, 1);
                    sample_add(&s, "edges/%u-%s-%s-%s", widths[i], filters[filter],
                               normalized ? "normalized" : "texels", modes[(mode + 1) % 3]);
                }
            }
}

/* The extents of more axes than one. */
static void tall_cases(void)
{
    static const unsigned heights[] = {100, 4095, 16383, 30000, 65000};

    for (unsigned i = 0; i < 5; i++)
        for (int filter = 0; filter < 2; filter++) {
            struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, G_2D, 3, heights[i], 0);
            s.content = CONTENT_COUNT;
            s.places = PLACES_EDGES;
            s.texture.filterMode = (CUfilter_mode)filter;
            s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
            sample_add(&s, "edges/tall-%u-%s", heights[i], filters[filter]);
        }
    struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, G_2D, 30000, 3, 0);
    s.content = CONTENT_COUNT;
    s.places = PLACES_EDGES;
    s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
    sample_add(&s, "edges/wide-2d");
    s = sample_of(CU_AD_FORMAT_FLOAT, 1, G_3D, 5, 3, 1000);
    s.content = CONTENT_COUNT;
    s.places = PLACES_EDGES;
    s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
    sample_add(&s, "edges/deep-3d");
}

/* What one texel contributes. */
static void weight_cases(void)
{
    for (unsigned hot = 0; hot < 9; hot++) {
        struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, G_3D, 2, 2, 2);
        s.content = CONTENT_HOT;
        s.hot = hot;
        s.places = PLACES_INSIDE;
        s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
        s.lanes = 512;
        if (hot < 8)
            sample_add(&s, "weights/3d-%u", hot);
        s.resource = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        s.levels = 2;
        s.level_mode = LEVEL_GIVEN;
        s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
        s.texture.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
        s.texture.maxMipmapLevelClamp = 9;
        sample_add(&s, "weights/3d-mipmap-%u", hot);
        s.geometry = s.asked = G_2D;
        s.depth = 0;
        if (hot < 5)
            sample_add(&s, "weights/2d-mipmap-%u", hot);
    }
}

static void sweep_cases(void)
{
    static const struct {
        CUarray_format format;
        unsigned channels;
        enum content content;
        const char *name;
    } kinds[] = {{CU_AD_FORMAT_FLOAT, 1, CONTENT_COUNT, "f32"},
                 {CU_AD_FORMAT_UNSIGNED_INT8, 1, CONTENT_STEPS, "u8"},
                 {CU_AD_FORMAT_UNSIGNED_INT16, 1, CONTENT_STEPS, "u16"},
                 {CU_AD_FORMAT_SIGNED_INT8, 1, CONTENT_STEPS, "s8"},
                 {CU_AD_FORMAT_SIGNED_INT16, 1, CONTENT_STEPS, "s16"},
                 {CU_AD_FORMAT_HALF, 1, CONTENT_COUNT, "f16"},
                 {CU_AD_FORMAT_UNSIGNED_INT8, 4, CONTENT_FINITE, "u8x4"},
                 {CU_AD_FORMAT_FLOAT, 4, CONTENT_FINITE, "f32x4"}};

    struct sample bytes = sample_of(CU_AD_FORMAT_SIGNED_INT8, 4, G_1D, 256, 0, 0);
    bytes.places = PLACES_INSIDE;
    bytes.lanes = 2048;
    bytes.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    sample_add(&bytes, "sweep/1d-s8x4-random");
    for (int i = 0; i < 8; i++) {
        struct sample s = sample_of(kinds[i].format, kinds[i].channels, G_1D, 16, 0, 0);
        s.content = kinds[i].content;
        s.places = PLACES_SWEEP;
        s.lanes = i == 0 ? 8192 : i < 6 ? 4096 : 1024;
        s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
        sample_add(&s, "sweep/1d-%s", kinds[i].name);
        s.lanes = i == 0 ? 4096 : 512;
        s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
        sample_add(&s, "sweep/1d-%s-normalized", kinds[i].name);
        for (int g = G_2D; g <= G_3D; g++) {
            s = sample_of(kinds[i].format, kinds[i].channels, (enum geometry)g, 16, 16, 4);
            s.content = kinds[i].content == CONTENT_COUNT ? CONTENT_FINITE : kinds[i].content;
            s.places = PLACES_INSIDE;
            s.lanes = 512;
            s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
            sample_add(&s, "sweep/%s-%s", geometries[g], kinds[i].name);
        }
    }
}

static void cube_cases(void)
{
    for (int i = 0; i < 2; i++)
        for (int filter = 0; filter < 2; filter++)
            for (int seamless = 0; seamless < 2; seamless++)
                for (int kind = 0; kind < 3; kind++) {
                    struct sample s =
                        sample_of(kind == 1 ? CU_AD_FORMAT_UNSIGNED_INT8 : CU_AD_FORMAT_FLOAT,
                                  kind == 1 ? 4 : 1, i ? G_CUBE_LAYERED : G_CUBE, 8, 8, i ? 12 : 6);
                    s.content = kind == 2 ? CONTENT_INDEX : CONTENT_FINITE;
                    s.lanes = 512;
                    s.texture.filterMode = (CUfilter_mode)filter;
                    s.texture.flags =
                        CU_TRSF_NORMALIZED_COORDINATES | (seamless ? CU_TRSF_SEAMLESS_CUBEMAP : 0);
                    sample_add(&s, "cube/%s-%s-%s%s", geometries[s.geometry],
                               kind == 0   ? "r32f"
                               : kind == 1 ? "rgba8"
                                           : "index",
                               filters[filter], seamless ? "-seamless" : "");
                    if (kind == 0 && !i) {
                        address_set(&s, 0, 0, 0);
                        sample_add(&s, "cube/wrap-%s%s", filters[filter],
                                   seamless ? "-seamless" : "");
                        address_set(&s, 3, 3, 3);
                        border_set(&s);
                        sample_add(&s, "cube/border-%s%s", filters[filter],
                                   seamless ? "-seamless" : "");
                    }
                }
}

static void gather_cases(void)
{
    for (int component = 1; component <= 4; component++)
        for (int kind = 0; kind < 4; kind++) {
            static const CUarray_format formats[] = {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_FLOAT,
                                                     CU_AD_FORMAT_HALF, CU_AD_FORMAT_SIGNED_INT32};
            struct sample s = sample_of(formats[kind], 4, G_2D, 13, 7, 0);
            s.gather = component;
            s.result = kind == 3 ? 's' : 'f';
            s.texture.flags = kind == 3 ? CU_TRSF_READ_AS_INTEGER : 0;
            sample_add(&s, "gather/%s-%d", format_name(s.format), component);
        }
    for (int mode = 0; mode < 4; mode++)
        for (int filter = 0; filter < 2; filter++) {
            struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, G_2D, 13, 7, 0);
            s.gather = 1;
            s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
            s.texture.filterMode = (CUfilter_mode)filter;
            border_set(&s);
            address_set(&s, mode, mode, mode);
            sample_add(&s, "gather/%s-%s", modes[mode], filters[filter]);
            s.places = PLACES_EDGES;
            sample_add(&s, "gather/%s-%s-edges", modes[mode], filters[filter]);
            s.has_offset = true;
            s.offset[0] = 2;
            s.offset[1] = -3;
            sample_add(&s, "gather/%s-%s-offset", modes[mode], filters[filter]);
        }
    struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, G_2D_LAYERED, 13, 7, 3);
    s.gather = 1;
    sample_add(&s, "gather/layered");
    s = sample_of(CU_AD_FORMAT_FLOAT, 1, G_CUBE, 8, 8, 6);
    s.gather = 1;
    s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
    sample_add(&s, "gather/cube");
}

static void offset_cases(void)
{
    for (int g = G_1D; g <= G_2D_LAYERED; g++)
        for (int mode = 0; mode < 4; mode++)
            for (int filter = 0; filter < 2; filter++) {
                struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, (enum geometry)g, 13, 7, 5);
                s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
                s.texture.filterMode = (CUfilter_mode)filter;
                address_set(&s, mode, mode, mode);
                s.has_offset = true;
                s.offset[0] = 3;
                s.offset[1] = -8;
                s.offset[2] = 1;
                s.lanes = 96;
                sample_add(&s, "offset/%s-%s-%s", geometries[g], modes[mode], filters[filter]);
            }
}

static void integer_cases(void)
{
    for (int g = G_1D; g <= G_2D_LAYERED; g++)
        for (int mode = 0; mode < 4; mode++)
            for (int kind = 0; kind < 4; kind++) {
                struct sample s = sample_of(CU_AD_FORMAT_FLOAT, 1, (enum geometry)g, 13, 7, 5);
                s.integer_coordinates = true;
                border_set(&s);
                address_set(&s, mode, mode, mode);
                s.texture.flags = kind & 1 ? CU_TRSF_NORMALIZED_COORDINATES : 0;
                s.texture.filterMode =
                    kind & 2 ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
                s.lanes = 96;
                sample_add(&s, "integer/%s-%s%s%s", geometries[g], modes[mode],
                           kind & 1 ? "-normalized" : "", kind & 2 ? "-linear" : "");
            }
}

void samples_filtering(void)
{
    address_all();
    edge_cases();
    tall_cases();
    weight_cases();
    sweep_cases();
    cube_cases();
    gather_cases();
    offset_cases();
    integer_cases();
}
