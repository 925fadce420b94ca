/* SPDX-License-Identifier: MIT */
/* Cases about surfaces: loads, stores and reductions, and queries about objects. */
#include "textures.h"

static const char *const geometries[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
static const CUarray_format plain[] = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_UNSIGNED_INT16,
                                       CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT8,
                                       CU_AD_FORMAT_SIGNED_INT16,   CU_AD_FORMAT_SIGNED_INT32,
                                       CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};

static struct sample surface_of(CUarray_format format, unsigned channels, enum geometry geometry,
                                enum operation operation, const char *boundary)
{
    bool cube = geometry == G_CUBE || geometry == G_CUBE_LAYERED;
    struct sample s = sample_of(format, channels, geometry, 8, 8,
                                geometry == G_CUBE_LAYERED ? 12
                                : cube                     ? 6
                                                           : 4);

    s.operation = operation;
    s.boundary = boundary;
    s.content = CONTENT_BITS;
    s.element_bits = element_bytes(format, 1) * 8;
    s.components = channels;
    s.lanes = operation == OP_LOAD ? 96 : 80;
    if (cube)
        s.asked = G_2D_LAYERED;
    return s;
}

static void access_cases(void)
{
    static const char *const boundaries[] = {"clamp", "zero"};

    for (int g = G_1D; g <= G_CUBE_LAYERED; g++)
        for (int b = 0; b < 2; b++)
            for (unsigned channels = 1; channels <= 4; channels *= 2) {
                struct sample s = surface_of(CU_AD_FORMAT_UNSIGNED_INT8, channels, (enum geometry)g,
                                             OP_LOAD, boundaries[b]);
                sample_add(&s, "surface/load-%s-%s-u8x%u", geometries[g], boundaries[b], channels);
                s.operation = OP_STORE;
                sample_add(&s, "surface/store-%s-%s-u8x%u", geometries[g], boundaries[b], channels);
            }
    for (int f = 0; f < 8; f++)
        for (unsigned channels = 1; channels <= 4; channels *= 2) {
            struct sample s = surface_of(plain[f], channels, G_2D, OP_LOAD, "clamp");
            sample_add(&s, "surface/format-load-clamp-%sx%u", format_name(plain[f]), channels);
            s.boundary = "zero";
            sample_add(&s, "surface/format-load-zero-%sx%u", format_name(plain[f]), channels);
            s.boundary = "trap";
            s.places = PLACES_INSIDE;
            sample_add(&s, "surface/format-load-inside-%sx%u", format_name(plain[f]), channels);
            s.places = PLACES_MIXED;
            s.boundary = "clamp";
            s.operation = OP_STORE;
            sample_add(&s, "surface/format-store-clamp-%sx%u", format_name(plain[f]), channels);
            s.formatted = true;
            s.element_bits = 32;
            sample_add(&s, "surface/store-p-2d-clamp-%sx%u", format_name(plain[f]), channels);
            s.components = 4;
            sample_add(&s, "surface/store-p-2d-clamp-%sx%u-v4", format_name(plain[f]), channels);
        }
}

/* Wider and narrower than the element, and at addresses in the middle of one. */
static void width_cases(void)
{
    for (unsigned bits = 8; bits <= 64; bits *= 2)
        for (unsigned components = 1; components <= (bits == 64 ? 2 : 4); components *= 2)
            for (int b = 0; b < 2; b++) {
                const char *boundary = b ? "zero" : "clamp";
                struct sample s =
                    surface_of(CU_AD_FORMAT_UNSIGNED_INT8, 4, G_2D, OP_LOAD, boundary);
                s.element_bits = bits;
                s.components = components;
                sample_add(&s, "surface/width-load-%ux%u-%s", bits, components, boundary);
                s.operation = OP_STORE;
                sample_add(&s, "surface/width-store-%ux%u-%s", bits, components, boundary);
                s = surface_of(CU_AD_FORMAT_UNSIGNED_INT32, 4, G_2D, OP_LOAD, boundary);
                s.element_bits = bits;
                s.components = components;
                sample_add(&s, "surface/width-load-%ux%u-of-16-%s", bits, components, boundary);
            }
}

static void reduction_cases(void)
{
    static const char *const operations[] = {"add", "min", "max", "and", "or"};

    for (int i = 0; i < 5; i++)
        for (int is_signed = 0; is_signed < 2; is_signed++)
            for (int formatted = 0; formatted < 2; formatted++) {
                struct sample s =
                    surface_of(is_signed ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32,
                               1, G_2D, OP_REDUCE, "clamp");
                s.formatted = formatted;
                s.reduction = operations[i];
                s.result = formatted || i >= 3 ? 'b' : is_signed ? 's' : 'u';
                sample_add(&s, "surface/reduce-%s-%s%s", operations[i], is_signed ? "s32" : "u32",
                           formatted ? "-p" : "");
                s.boundary = "zero";
                sample_add(&s, "surface/reduce-%s-%s%s-zero", operations[i],
                           is_signed ? "s32" : "u32", formatted ? "-p" : "");
            }
}

/* Extents alone: NVIDIA's driver refuses kernels that ask an object anything else. */
static void query_cases(void)
{
    for (int g = G_1D; g <= G_CUBE_LAYERED; g++) {
        struct sample s = surface_of(CU_AD_FORMAT_UNSIGNED_INT8, 4, (enum geometry)g, OP_QUERY, "");
        s.lanes = 32;
        s.reduction = "suq.width suq.height suq.depth";
        sample_add(&s, "query/surface-%s-0", geometries[g]);
        for (int level = 0; level < 2; level++) {
            s = surface_of(CU_AD_FORMAT_UNSIGNED_INT8, 4, (enum geometry)g, OP_QUERY, "");
            s.lanes = 32;
            s.reduction = level ? "txq.level.width txq.level.height txq.level.depth"
                                : "txq.width txq.height txq.depth";
            sample_add(&s, "query/texture-%s-%d", geometries[g], level * 3);
            s.resource = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
            s.levels = 3;
            s.texture.maxMipmapLevelClamp = 9;
            s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
            s.formatted = true;
            sample_add(&s, "query/mipmap-%s-%d", geometries[g], level * 3);
        }
    }
}

void samples_surfaces(void)
{
    access_cases();
    width_cases();
    reduction_cases();
    query_cases();
}
