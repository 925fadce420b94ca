/* SPDX-License-Identifier: MIT */
/*
 * Cases about levels: given, by gradients, by nothing; bias, clamps, views, anisotropy.
 */
#include "textures.h"
#include <math.h>
#include <string.h>

static const char *const geometries[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
static const char *const filters[] = {"point", "linear"};
static const char *const level_modes[] = {"base", "level", "gradient"};

static struct sample mipmap_of(enum geometry geometry, unsigned width)
{
    bool cube = geometry == G_CUBE || geometry == G_CUBE_LAYERED;
    struct sample s =
        sample_of(CU_AD_FORMAT_FLOAT, 1, geometry, width, cube ? width : width / 2 + 1,
                  geometry == G_CUBE_LAYERED ? 12
                  : cube                     ? 6
                  : geometry == G_3D         ? 8
                                             : 3);

    s.resource = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    s.levels = 5;
    s.texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
    s.texture.maxMipmapLevelClamp = 20;
    return s;
}

static void level_cases(void)
{
    for (int g = G_1D; g <= G_CUBE_LAYERED; g++)
        for (int filter = 0; filter < 2; filter++)
            for (int between = 0; between < 2; between++)
                for (int mode = 0; mode < 3; mode++) {
                    struct sample s = mipmap_of((enum geometry)g, 16);
                    s.level_mode = (enum level_mode)mode;
                    s.texture.filterMode = (CUfilter_mode)filter;
                    s.texture.mipmapFilterMode = (CUfilter_mode)between;
                    s.lanes = mode == 0 ? 64 : 224;
                    sample_add(&s, "mipmap/%s-%s-%s-%s", geometries[g], filters[filter],
                               filters[between], level_modes[mode]);
                }
}

static void lod_cases(void)
{
    static const float biases[] = {0.5f, -1, 0.1f, 100, -100, 1.00390625f, NAN};
    static const float clamps[][2] = {{0, 0},  {1, 3},   {0.5f, 1.75f}, {3, 1},
                                      {-2, 2}, {0, 100}, {0.3f, 0.3f}};

    for (int mode = 0; mode < 3; mode++)
        for (int between = 0; between < 2; between++) {
            struct sample s = mipmap_of(G_2D, 32);
            s.content = CONTENT_INDEX;
            s.level_mode = (enum level_mode)mode;
            s.texture.mipmapFilterMode = (CUfilter_mode)between;
            s.places = PLACES_INSIDE;
            s.lanes = mode ? 160 : 32;
            for (int i = 0; i < 7; i++) {
                struct sample b = s;
                b.texture.mipmapLevelBias = biases[i];
                sample_add(&b, "lod/bias%d-%s-%s", i, filters[between], level_modes[mode]);
                b = s;
                b.texture.minMipmapLevelClamp = clamps[i][0];
                b.texture.maxMipmapLevelClamp = clamps[i][1];
                sample_add(&b, "lod/clamp%d-%s-%s", i, filters[between], level_modes[mode]);
            }
            struct sample b = s;
            b.texture.mipmapLevelBias = 0.75f;
            b.texture.minMipmapLevelClamp = 0.5f;
            b.texture.maxMipmapLevelClamp = 2.25f;
            sample_add(&b, "lod/bias-and-clamp-%s-%s", filters[between], level_modes[mode]);
            for (unsigned aniso = 1; aniso <= 16; aniso *= 4) {
                b = s;
                b.texture.maxAnisotropy = aniso;
                b.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
                sample_add(&b, "lod/aniso%u-%s-%s", aniso, filters[between], level_modes[mode]);
                b.texture.flags |= CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
                sample_add(&b, "lod/aniso%u-%s-%s-full", aniso, filters[between],
                           level_modes[mode]);
            }
            b = s;
            b.has_view = true;
            b.view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
            b.view.width = 32;
            b.view.height = 17;
            b.view.firstMipmapLevel = 1;
            b.view.lastMipmapLevel = 3;
            sample_add(&b, "lod/view13-%s-%s", filters[between], level_modes[mode]);
            b.view.width = 16;
            b.view.height = 8;
            sample_add(&b, "lod/view13-halved-%s-%s", filters[between], level_modes[mode]);
        }
    struct sample s = mipmap_of(G_2D, 32);
    s.content = CONTENT_INDEX;
    s.places = PLACES_INSIDE;
    s.texture.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
    s.level_mode = LEVEL_GRADIENT;
    s.lanes = 2048;
    sample_add(&s, "lod/gradients");
    s.level_mode = LEVEL_GIVEN;
    sample_add(&s, "lod/levels");
    for (unsigned aniso = 2; aniso <= 16; aniso *= 2) {
        struct sample steep = s;
        steep.texture.maxAnisotropy = aniso;
        steep.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
        sample_add(&steep, "lod/aniso%u-levels", aniso);
    }
    s.texture.flags = 0;
    s.level_mode = LEVEL_GRADIENT;
    sample_add(&s, "lod/gradients-texels");
    for (int i = 0; i < 3; i++) {
        static const enum geometry spaces[] = {G_3D, G_CUBE, G_1D};
        s = mipmap_of(spaces[i], 32);
        s.content = CONTENT_INDEX;
        s.places = PLACES_INSIDE;
        s.texture.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
        s.level_mode = LEVEL_GRADIENT;
        s.lanes = 2048;
        sample_add(&s, "lod/gradients-%s", geometries[spaces[i]]);
    }
    s = mipmap_of(G_2D, 16);
    s.format = CU_AD_FORMAT_UNSIGNED_INT8;
    s.channels = 4;
    s.texture.mipmapFilterMode = s.texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    s.level_mode = LEVEL_GIVEN;
    s.lanes = 512;
    sample_add(&s, "mipmap/rgba8-trilinear");
    s.format = CU_AD_FORMAT_BC1_UNORM;
    s.width = s.height = 64;
    sample_add(&s, "mipmap/bc1-trilinear");
    s = sample_of(CU_AD_FORMAT_FLOAT, 1, G_2D, 16, 8, 0);
    s.level_mode = LEVEL_GIVEN;
    s.levels = 5;
    sample_add(&s, "mipmap/array-level");
    s.level_mode = LEVEL_GRADIENT;
    sample_add(&s, "mipmap/array-gradient");
}

void samples_mipmaps(void)
{
    level_cases();
    lod_cases();
}
