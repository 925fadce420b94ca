/* SPDX-License-Identifier: MIT */
/*
 * OpenGL textures: formats, flags, targets, layers and levels.
 */
#include "gl_image.h"

/* GL alone: does each format survive upload and glGetTexImage (baseline for the comparisons below)
 */
GROUP(2190, gltex_selftest, "gltex-selftest")
{
    use_gl();
    static const GLenum tt[] = {GL_TEXTURE_2D,       GL_TEXTURE_RECTANGLE,     GL_TEXTURE_CUBE_MAP,
                                GL_TEXTURE_3D,       GL_TEXTURE_2D_ARRAY,      GL_TEXTURE_1D,
                                GL_TEXTURE_1D_ARRAY, GL_TEXTURE_CUBE_MAP_ARRAY};
    static const char *tn[] = {"2D",       "RECT", "CUBE",     "3D",
                               "2D_ARRAY", "1D",   "1D_ARRAY", "CUBE_ARRAY"};
    for (int i = 0; i < texel_format_count && strcmp(texel_formats[i].n, "LUMINANCE8"); i++)
        for (int how = 0; how < 2; how++) {
            if (how && strstr(texel_formats[i].n, "unsized"))
                continue;
            gl_error();
            struct texture t = texture_new(GL_TEXTURE_2D, &texel_formats[i], 37, 21, 1, 1, how, 1);
            char e1[40];
            snprintf(e1, sizeof e1, "%s", gl_error());
            RECORD(format("%s-%s", texel_formats[i].n, how ? "storage" : "image"),
                   "upload=%s data=%s", e1, with_gl_error(texture_check(&t, 0, 0, 1)));
            gl.DeleteTextures(1, &t.gl_name);
        }
    for (int i = 0; i < 8; i++)
        for (int how = 0; how < 2; how++) {
            struct texture t =
                texture_new(tt[i], texel_format_find("RGBA8"), 32, 32, 6, i == 1 ? 1 : 3, how, 1);
            char e1[40];
            snprintf(e1, sizeof e1, "%s", gl_error());
            RECORD(format("target-%s-%s", tn[i], how ? "storage" : "image"),
                   "setup=%s level0=%s level2=%s face5=%s", e1, texture_check(&t, 0, 0, 1),
                   i == 1 ? "-" : texture_check(&t, 0, 2, 33),
                   tt[i] == GL_TEXTURE_CUBE_MAP ? texture_check(&t, 5, 1, 22) : "-");
        }
}

static const unsigned main_flags[] = {0, 1, 2, 4, 8};
static void check_formats(int from, int to, int how)
{
    for (int i = from; i < to; i++)
        for (size_t k = 0; k < COUNT_OF(main_flags); k++) {
            struct texture t = texture_new(GL_TEXTURE_2D, &texel_formats[i], 37, 21, 1, 1, how, 1);
            check_image(format("%s-f%u", texel_formats[i].n, main_flags[k]), &t, GL_TEXTURE_2D,
                        main_flags[k],
                        main_flags[k] == 0 || main_flags[k] == 4 || main_flags[k] == 2);
            texture_delete(&t);
        }
}

static int core_format_count(void)
{
    int i = 0;
    while (i < texel_format_count && strcmp(texel_formats[i].n, "LUMINANCE8"))
        i++;
    return i;
}

GROUP(2200, glimg_2d_r_rg, "glimg-2d-r-rg")
{
    use_cuda_and_gl();
    check_formats(0, 24, TEX_IMAGE);
}

GROUP(2201, glimg_2d_rgba, "glimg-2d-rgba")
{
    use_cuda_and_gl();
    check_formats(24, 36, TEX_IMAGE);
}

GROUP(2202, glimg_2d_other, "glimg-2d-other")
{
    use_cuda_and_gl();
    check_formats(36, core_format_count(), TEX_IMAGE);
}

GROUP(2203, glimg_2d_storage, "glimg-2d-storage")
{
    use_cuda_and_gl();
    static const char *n[] = {"R8",   "RG8",          "RGBA8",    "RGBA16F",
                              "R32F", "RGBA32F",      "RGBA8UI",  "RGBA32UI",
                              "RGB8", "SRGB8_ALPHA8", "RGB10_A2", "DEPTH24"};
    for (size_t i = 0; i < COUNT_OF(n); i++) {
        int k = (int)(texel_format_find(n[i]) - texel_formats);
        check_formats(k, k + 1, TEX_STORAGE);
    }
}

GROUP(2204, glimg_compat, "glimg-compat")
{
    use_cuda();
    use_gl_compat();
    RECORD("version", "%s", (const char *)gl.GetString(GL_VERSION));
    check_formats(core_format_count(), texel_format_count, TEX_IMAGE);
    int k = (int)(texel_format_find("RGBA8") - texel_formats);
    check_formats(k, k + 1, TEX_IMAGE);
    k = (int)(texel_format_find("RGB8") - texel_formats);
    check_formats(k, k + 1, TEX_IMAGE);
}

GROUP(2205, glimg_flags, "glimg-flags")
{
    use_cuda_and_gl();
    static const char *n[] = {"RGBA8", "R32F", "RGBA8UI"};
    for (size_t i = 0; i < COUNT_OF(n); i++)
        for (unsigned f = 0; f < 20; f++) {
            struct texture t =
                texture_new(GL_TEXTURE_2D, texel_format_find(n[i]), 37, 21, 1, 1, 0, 1);
            check_image(format("%s-f0x%x", n[i], f), &t, GL_TEXTURE_2D, f, 1);
            texture_delete(&t);
        }
    static const unsigned hi[] = {0x20, 0x40, 0x80, 0x100, 0x8000, 0x80000000u, 0xffffffffu};
    for (size_t i = 0; i < COUNT_OF(hi); i++) {
        struct texture t =
            texture_new(GL_TEXTURE_2D, texel_format_find("RGBA8"), 37, 21, 1, 1, 0, 1);
        check_image(format("RGBA8-f0x%x", hi[i]), &t, GL_TEXTURE_2D, hi[i], 1);
        texture_delete(&t);
    }
}

static const struct {
    GLenum t;
    const char *n;
} tg[] = {{GL_TEXTURE_1D, "1D"},
          {GL_TEXTURE_1D_ARRAY, "1D_ARRAY"},
          {GL_TEXTURE_2D, "2D"},
          {GL_TEXTURE_RECTANGLE, "RECTANGLE"},
          {GL_TEXTURE_CUBE_MAP, "CUBE_MAP"},
          {GL_TEXTURE_3D, "3D"},
          {GL_TEXTURE_2D_ARRAY, "2D_ARRAY"},
          {GL_TEXTURE_CUBE_MAP_ARRAY, "CUBE_MAP_ARRAY"},
          {GL_TEXTURE_BUFFER, "BUFFER"},
          {GL_TEXTURE_2D_MULTISAMPLE, "2D_MULTISAMPLE"},
          {GL_TEXTURE_2D_MULTISAMPLE_ARRAY, "2D_MULTISAMPLE_ARRAY"}};
GROUP(2210, glimg_targets, "glimg-targets")
{
    use_cuda_and_gl();
    static const char *fn[] = {"RGBA8", "R32F", "RGBA32F", "RG16UI", "RGB8", "R8"};
    static const unsigned fl[] = {0, 1, 2, 4, 8, 12};
    for (size_t j = 0; j < COUNT_OF(fn); j++)
        for (size_t i = 0; i < COUNT_OF(tg); i++)
            for (size_t k = 0; k < COUNT_OF(fl); k++) {
                const struct texel_format *f = texel_format_find(fn[j]);
                GLenum g = tg[i].t;
                struct texture t = {0, g, 32, 32, 6, 1, f, 1};
                gl_error();
                if (g == GL_TEXTURE_BUFFER) {
                    GLuint b = gl_buffer_new(65536, GL_DYNAMIC_DRAW, 1);
                    gl.GenTextures(1, &t.gl_name);
                    gl.BindTexture(g, t.gl_name);
                    gl.TexBuffer(g, f->internal, b);
                } else if (g == GL_TEXTURE_2D_MULTISAMPLE) {
                    gl.GenTextures(1, &t.gl_name);
                    gl.BindTexture(g, t.gl_name);
                    gl.TexImage2DMultisample(g, 4, f->internal, 32, 32, GL_TRUE);
                } else if (g == GL_TEXTURE_2D_MULTISAMPLE_ARRAY) {
                    gl.GenTextures(1, &t.gl_name);
                    gl.BindTexture(g, t.gl_name);
                    gl.TexImage3DMultisample(g, 4, f->internal, 32, 32, 3, GL_TRUE);
                } else
                    t = texture_new(g, f, 32, 32, 6, 1, TEX_IMAGE, 1);
                int dat = g == GL_TEXTURE_2D || g == GL_TEXTURE_RECTANGLE ||
                          g == GL_TEXTURE_CUBE_MAP || g == GL_TEXTURE_3D ||
                          g == GL_TEXTURE_2D_ARRAY;
                if (dat)
                    check_image(format("%s-%s-f%u", tg[i].n, fn[j], fl[k]), &t, g, fl[k],
                                j < 2 || k == 0);
                else {
                    CUgraphicsResource r = UNTOUCHED_RESOURCE;
                    char pe[40];
                    snprintf(pe, sizeof pe, "%s", gl_error());
                    if (!CHECK(format("%s-%s-f%u", tg[i].n, fn[j], fl[k]),
                               more.cuGraphicsGLRegisterImage(&r, t.gl_name, g, fl[k]),
                               "out=%s gl_setup=%s", out_state_of(AS_BITS(r)), pe)) {
                        if (!CHECK(format("%s-%s-f%u-map", tg[i].n, fn[j], fl[k]),
                                   resource_map(r))) {
                            for (unsigned q = 0; q < 3; q++) {
                                CUarray a = UNTOUCHED_ARRAY;
                                CHECK(format("%s-%s-f%u-array%u", tg[i].n, fn[j], fl[k], q),
                                      cuda.cuGraphicsSubResourceGetMappedArray(&a, r, q, 0), "%s",
                                      a == UNTOUCHED_ARRAY ? "kept" : array_text(a));
                            }
                            CHECK(format("%s-%s-f%u-unmap", tg[i].n, fn[j], fl[k]),
                                  resource_unmap(r));
                        }
                        CHECK(format("%s-%s-f%u-unregister", tg[i].n, fn[j], fl[k]),
                              resource_unregister(r));
                    }
                }
                texture_delete(&t);
            }
}

GROUP(2211, glimg_wrong, "glimg-wrong")
{
    use_cuda_and_gl();
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    struct texture t = texture_new(GL_TEXTURE_2D, texel_format_find("RGBA8"), 37, 21, 1, 1, 0, 1),
                   t3 = texture_new(GL_TEXTURE_3D, texel_format_find("RGBA8"), 16, 16, 4, 1, 0, 1);
    gl_error();
#define CHECK_REGISTER(nm, o, n, g, f)                                                             \
    do {                                                                                           \
        r = UNTOUCHED_RESOURCE;                                                                    \
        if (!CHECK(nm, more.cuGraphicsGLRegisterImage(o, n, g, f), "out=%s glerr=%s",              \
                   out_state_of(AS_BITS(r)), gl_error()) &&                                        \
            r != UNTOUCHED_RESOURCE)                                                               \
            CHECK(format("%s-unregister", nm), resource_unregister(r));                            \
    } while (0)
    for (size_t i = 0; i < COUNT_OF(tg); i++) {
        CHECK_REGISTER(format("2dtex-as-%s", tg[i].n), &r, t.gl_name, tg[i].t, 0);
        CHECK_REGISTER(format("3dtex-as-%s", tg[i].n), &r, t3.gl_name, tg[i].t, 0);
    }
    CHECK_REGISTER("2dtex-as-RENDERBUFFER", &r, t.gl_name, GL_RENDERBUFFER, 0);
    CHECK_REGISTER("2dtex-as-target0", &r, t.gl_name, 0, 0);
    CHECK_REGISTER("2dtex-as-garbage", &r, t.gl_name, 0x1234, 0);
    CHECK_REGISTER("2dtex-as-POSITIVE_X", &r, t.gl_name, GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0);
    CHECK_REGISTER("2dtex-as-PROXY", &r, t.gl_name, GL_PROXY_TEXTURE_2D, 0);
    CHECK_REGISTER("2dtex-as-ARRAY_BUFFER", &r, t.gl_name, GL_ARRAY_BUFFER, 0);
    CHECK_REGISTER("2dtex-as-FRAMEBUFFER", &r, t.gl_name, GL_FRAMEBUFFER, 0);
    for (size_t i = 0; i < COUNT_OF(tg); i++) {
        CHECK_REGISTER(format("name0-%s", tg[i].n), &r, 0, tg[i].t, 0);
        CHECK_REGISTER(format("nonexistent-%s", tg[i].n), &r, 0x7ffff0, tg[i].t, 0);
    }
    CHECK_REGISTER("name0-RENDERBUFFER", &r, 0, GL_RENDERBUFFER, 0);
    CHECK_REGISTER("nonexistent-RENDERBUFFER", &r, 0x7ffff0, GL_RENDERBUFFER, 0);
    GLuint n;
    gl.GenTextures(1, &n);
    CHECK_REGISTER("never-bound", &r, n, GL_TEXTURE_2D, 0);
    gl.BindTexture(GL_TEXTURE_2D, n);
    CHECK_REGISTER("bound-no-image", &r, n, GL_TEXTURE_2D, 0);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 0, 0, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    CHECK_REGISTER("zero-size", &r, n, GL_TEXTURE_2D, 0);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    CHECK_REGISTER("currently-bound-default-filter-incomplete", &r, n, GL_TEXTURE_2D, 0);
    GLuint n2;
    gl.GenTextures(1, &n2);
    gl.BindTexture(GL_TEXTURE_2D, n2);
    gl.TexImage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    CHECK_REGISTER("only-level1", &r, n2, GL_TEXTURE_2D, 0);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1);
    CHECK_REGISTER("only-level1-base1", &r, n2, GL_TEXTURE_2D, 0);
    GLuint cm;
    gl.GenTextures(1, &cm);
    gl.BindTexture(GL_TEXTURE_CUBE_MAP, cm);
    gl.TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                  NULL);
    CHECK_REGISTER("cube-one-face", &r, cm, GL_TEXTURE_CUBE_MAP, 0);
    struct texture del = texture_new(GL_TEXTURE_2D, texel_format_find("RGBA8"), 16, 16, 1, 1, 0, 1);
    texture_delete(&del);
    CHECK_REGISTER("deleted", &r, del.gl_name, GL_TEXTURE_2D, 0);
    CHECK_REGISTER("null-out", NULL, t.gl_name, GL_TEXTURE_2D, 0);
    CHECK_REGISTER("null-out-badflags", NULL, t.gl_name, GL_TEXTURE_2D, 0x80);
    CHECK_REGISTER("null-out-badtarget", NULL, t.gl_name, 0, 0);
    CHECK_REGISTER("badflags-badtarget", &r, t.gl_name, 0, 0x80);
    CHECK_REGISTER("badflags-name0", &r, 0, GL_TEXTURE_2D, 0x80);
    static const struct {
        GLenum f;
        const char *n;
        int sz;
    } cf[] = {{0x83F1, "DXT1", 8},
              {0x83F3, "DXT5", 16},
              {GL_COMPRESSED_RED_RGTC1, "RGTC1", 8},
              {GL_COMPRESSED_RG_RGTC2, "RGTC2", 16},
              {GL_COMPRESSED_RGBA_BPTC_UNORM, "BPTC", 16},
              {0x8E8F, "BPTC_UF16", 16}};
    unsigned char z[1024] = {0};
    for (size_t i = 0; i < COUNT_OF(cf); i++) {
        GLuint c;
        gl.GenTextures(1, &c);
        gl.BindTexture(GL_TEXTURE_2D, c);
        gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
        gl.CompressedTexImage2D(GL_TEXTURE_2D, 0, cf[i].f, 16, 16, 0, 16 * cf[i].sz, z);
        char pe[40];
        snprintf(pe, sizeof pe, "%s", gl_error());
        RECORD(format("compressed-%s-gl", cf[i].n), "glerr=%s", pe);
        CHECK_REGISTER(format("compressed-%s", cf[i].n), &r, c, GL_TEXTURE_2D, 0);
        CHECK_REGISTER(format("compressed-%s-f1", cf[i].n), &r, c, GL_TEXTURE_2D, 1);
    }
    GLuint v;
    struct texture ts =
        texture_new(GL_TEXTURE_2D, texel_format_find("RGBA8"), 32, 32, 1, 3, TEX_STORAGE, 1);
    gl.GenTextures(1, &v);
    gl.TextureView(v, GL_TEXTURE_2D, ts.gl_name, GL_RGBA8UI, 1, 1, 0, 1);
    RECORD("view-gl", "glerr=%s", gl_error());
    r = UNTOUCHED_RESOURCE;
    if (!CHECK("view", more.cuGraphicsGLRegisterImage(&r, v, GL_TEXTURE_2D, 0), "out=%s",
               out_state_of(AS_BITS(r)))) {
        CHECK("view-map", resource_map(r));
        CUarray a = UNTOUCHED_ARRAY;
        CHECK("view-array", cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0), "%s",
              a == UNTOUCHED_ARRAY ? "" : array_text(a));
        if (a != UNTOUCHED_ARRAY)
            RECORD("view-data", "level1=%s", array_check(a, 16 * 4, 16, 1, ts.texels, 17));
        CHECK("view-unmap", resource_unmap(r));
    }
    static const int dim[][2] = {{1, 1},     {1, 64},    {64, 1},    {3, 5},      {16384, 4},
                                 {4, 16384}, {32768, 2}, {2, 32768}, {8192, 8192}};
    for (size_t i = 0; i < COUNT_OF(dim); i++) {
        GLuint q;
        gl.GenTextures(1, &q);
        gl.BindTexture(GL_TEXTURE_2D, q);
        gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
        gl.TexImage2D(GL_TEXTURE_2D, 0, GL_R8, dim[i][0], dim[i][1], 0, GL_RED, GL_UNSIGNED_BYTE,
                      NULL);
        char pe[40];
        snprintf(pe, sizeof pe, "%s", gl_error());
        r = UNTOUCHED_RESOURCE;
        if (!CHECK(format("dim-%dx%d", dim[i][0], dim[i][1]),
                   more.cuGraphicsGLRegisterImage(&r, q, GL_TEXTURE_2D, 0), "gl_setup=%s", pe)) {
            resource_map(r);
            CUarray a = mapped_array(r, 0, 0);
            RECORD(format("dim-%dx%d-desc", dim[i][0], dim[i][1]), "%s", array_text(a));
            resource_unmap(r);
            resource_unregister(r);
        }
        gl.DeleteTextures(1, &q);
    }
}

/* layers, faces, levels */
static void check_subresources(const char *pfx, struct texture *t, unsigned fl, int full)
{
    char nm[100];
    snprintf(nm, sizeof nm, "%s", pfx);
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    CUarray a;
    CUmipmappedArray m = UNTOUCHED_MIPMAP;
    gl_error();
    CUresult x = CHECK(format("%s-register", nm),
                       more.cuGraphicsGLRegisterImage(&r, t->gl_name, t->target, fl),
                       "out=%s glerr=%s", out_state_of(AS_BITS(r)), gl_error());
    if (x && 1)
        return;
    a = UNTOUCHED_ARRAY;
    CHECK(format("%s-array-unmapped", nm), cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0),
          "out=%s", out_state_of(AS_BITS(a)));
    CHECK(format("%s-mip-unmapped", nm), cuda.cuGraphicsResourceGetMappedMipmappedArray(&m, r),
          "out=%s", out_state_of(AS_BITS(m)));
    CUdeviceptr p = UNTOUCHED;
    size_t z = 777;
    CHECK(format("%s-ptr-unmapped", nm), cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r),
          "out=%s", out_state_of(p));
    CHECK(format("%s-map", nm), resource_map(r));
    p = UNTOUCHED;
    CHECK(format("%s-ptr-of-image", nm), cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r),
          "out=%s", out_state_of(p));
    int faces = t->target == GL_TEXTURE_CUBE_MAP   ? 6
                : t->target == GL_TEXTURE_2D_ARRAY ? t->depth
                                                   : 1;
    static const unsigned big[] = {100, 0x7fffffff, 0x80000000u, 0xffffffffu};
    for (int l = 0; l <= t->levels + 1; l++)
        for (int i = 0; i <= faces; i++) {
            a = UNTOUCHED_ARRAY;
            CUresult y =
                CHECK(format("%s-i%d-l%d", nm, i, l),
                      cuda.cuGraphicsSubResourceGetMappedArray(&a, r, i, l), "out=%s %s",
                      out_state_of(AS_BITS(a)), a == UNTOUCHED_ARRAY || !a ? "" : array_text(a));
            if (!y && full) {
                CUDA_ARRAY3D_DESCRIPTOR q;
                memset(&q, 0, sizeof q);
                cuda.cuArray3DGetDescriptor(&q, a);
                int W = level_extent(t->width, l), H = level_extent(t->height, l),
                    D = q.Depth > 1 ? (int)q.Depth : 1;
                unsigned char *b = malloc((size_t)W * H * t->texels->texel_bytes * D + 64),
                              *e = malloc((size_t)W * H * t->texels->texel_bytes * t->depth + 64);
                size_t ln = (size_t)W * H * t->texels->texel_bytes;
                CUresult c = array_read(a, b, (size_t)W * t->texels->texel_bytes, H, D);
                const char *o = result_name(c);
                if (!c) { /* which face or layer does this array start at */
                    o = "none";
                    for (int k = 0; k < faces; k++) {
                        if (t->target == GL_TEXTURE_2D_ARRAY) {
                            texels_fill(e, ln * t->depth, t->texels, t->seed + 16 * l);
                            if (!memcmp(b, e + k * ln, ln))
                                o = format("layer%d", k);
                        } else {
                            texels_fill(e, t->target == GL_TEXTURE_3D ? ln * D : ln, t->texels,
                                        t->seed + 16 * l + k);
                            if (!memcmp(b, e, t->target == GL_TEXTURE_3D ? ln * D : ln))
                                o = format("face%d", k);
                        }
                    }
                }
                RECORD(format("%s-i%d-l%d-data", nm, i, l), "is=%s", o);
                free(b);
                free(e);
            }
        }
    for (size_t k = 0; k < COUNT_OF(big); k++) {
        a = UNTOUCHED_ARRAY;
        CHECK(format("%s-i0x%x-l0", nm, big[k]),
              cuda.cuGraphicsSubResourceGetMappedArray(&a, r, big[k], 0), "out=%s",
              out_state_of(AS_BITS(a)));
        a = UNTOUCHED_ARRAY;
        CHECK(format("%s-i0-l0x%x", nm, big[k]),
              cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, big[k]), "out=%s",
              out_state_of(AS_BITS(a)));
    }
    CUarray a2 = UNTOUCHED_ARRAY;
    a = UNTOUCHED_ARRAY;
    cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0);
    CHECK(format("%s-same-again", nm), cuda.cuGraphicsSubResourceGetMappedArray(&a2, r, 0, 0),
          "same=%d", a == a2);
    CHECK(format("%s-null-array-out", nm), cuda.cuGraphicsSubResourceGetMappedArray(NULL, r, 0, 0));
    CHECK(format("%s-null-mip-out", nm), cuda.cuGraphicsResourceGetMappedMipmappedArray(NULL, r));
    m = UNTOUCHED_MIPMAP;
    CUresult y = CHECK(format("%s-mip", nm), cuda.cuGraphicsResourceGetMappedMipmappedArray(&m, r),
                       "out=%s", out_state_of(AS_BITS(m)));
    CUmipmappedArray m2 = UNTOUCHED_MIPMAP;
    CHECK(format("%s-mip-again", nm), cuda.cuGraphicsResourceGetMappedMipmappedArray(&m2, r),
          "same=%d", m == m2);
    if (!y)
        for (int l = 0; l <= t->levels + 1; l++) {
            a2 = UNTOUCHED_ARRAY;
            CUresult w =
                CHECK(format("%s-mip-level%d", nm, l), cuda.cuMipmappedArrayGetLevel(&a2, m, l),
                      "out=%s %s", out_state_of(AS_BITS(a2)),
                      a2 == UNTOUCHED_ARRAY || !a2 ? "" : array_text(a2));
            if (l == 0)
                RECORD(format("%s-mip-level0-handle", nm), "same_as_subresource=%d", a == a2);
            if (!w && (t->target == GL_TEXTURE_2D || t->target == GL_TEXTURE_3D))
                RECORD(format("%s-mip-level%d-data", nm, l), "data=%s",
                       array_check(a2, (size_t)level_extent(t->width, l) * t->texels->texel_bytes,
                                   level_extent(t->height, l),
                                   t->target == GL_TEXTURE_3D ? level_extent(t->depth, l) : 1,
                                   t->texels, t->seed + 16 * l));
        }
    CUarray sv = a;
    if (full && t->target == GL_TEXTURE_2D)
        for (int l = 0; l < t->levels; l++) {
            CUarray q = mapped_array(r, 0, l);
            CHECK(format("%s-write-l%d", nm, l),
                  array_fill(q, (size_t)level_extent(t->width, l) * t->texels->texel_bytes,
                             level_extent(t->height, l), 1, t->texels, t->seed + 100 + l));
        }
    if (full && t->target == GL_TEXTURE_CUBE_MAP)
        for (int k = 0; k < 6; k++) {
            CUarray q = mapped_array(r, k, 0);
            CHECK(format("%s-write-face%d", nm, k),
                  array_fill(q, (size_t)t->width * t->texels->texel_bytes, t->height, 1, t->texels,
                             t->seed + 100 + k));
        }
    CHECK(format("%s-unmap", nm), resource_unmap(r));
    if (full && t->target == GL_TEXTURE_2D)
        for (int l = 0; l < t->levels; l++)
            RECORD(format("%s-gl-l%d", nm, l), "data=%s",
                   texture_check(t, 0, l, t->seed + 100 + l));
    if (full && t->target == GL_TEXTURE_CUBE_MAP)
        for (int k = 0; k < 6; k++)
            RECORD(format("%s-gl-face%d", nm, k), "data=%s",
                   texture_check(t, k, 0, t->seed + 100 + k));
    CHECK(format("%s-map-again", nm), resource_map(r));
    a2 = UNTOUCHED_ARRAY;
    CHECK(format("%s-array-again", nm), cuda.cuGraphicsSubResourceGetMappedArray(&a2, r, 0, 0),
          "same_handle=%d", a2 == sv);
    CHECK(format("%s-unmap-again", nm), resource_unmap(r));
    CHECK(format("%s-unregister", nm), resource_unregister(r));
}

GROUP(2220, glimg_sub_2d, "glimg-sub-2d")
{
    use_cuda_and_gl();
    struct texture t = texture_new(GL_TEXTURE_2D, RGBA8_FORMAT, 37, 21, 1, 1, 0, 1);
    check_subresources("one", &t, 0, 1);
    t = texture_new(GL_TEXTURE_2D, RGBA8_FORMAT, 64, 32, 1, 7, 0, 1);
    check_subresources("full", &t, 0, 1);
    t = texture_new(GL_TEXTURE_2D, RGBA8_FORMAT, 64, 32, 1, 7, TEX_STORAGE, 1);
    check_subresources("full-storage", &t, 0, 1);
    t = texture_new(GL_TEXTURE_2D, RGBA8_FORMAT, 64, 32, 1, 3, 0, 1);
    check_subresources("three", &t, 0, 1);
    t = texture_new(GL_TEXTURE_2D, RGBA8_FORMAT, 37, 21, 1, 6, 0, 1);
    check_subresources("npot", &t, 0, 1);
    t = texture_new(GL_TEXTURE_2D, texel_format_find("R32F"), 64, 32, 1, 7, 0, 1);
    check_subresources("full-R32F-ldst", &t, 4, 1);
    t = texture_new(GL_TEXTURE_2D, RGBA8_FORMAT, 64, 32, 1, 3, 0, 1);
    check_subresources("three-readonly", &t, 1, 1);
    t = texture_new(GL_TEXTURE_2D, RGBA8_FORMAT, 64, 32, 1, 3, 0, 1);
    check_subresources("three-discard", &t, 2, 1);
    t = texture_new(GL_TEXTURE_2D, RGBA8_FORMAT, 64, 32, 1, 3, 0, 1);
    check_subresources("three-gather", &t, 8, 1);
}

GROUP(2221, glimg_sub_incomplete, "glimg-sub-incomplete")
{
    use_cuda_and_gl();
    const struct texel_format *f = RGBA8_FORMAT;
    struct texture t = texture_new(GL_TEXTURE_2D, f, 64, 32, 1, 7, 0, 1);
    gl.BindTexture(GL_TEXTURE_2D, t.gl_name);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1000);
    gl.TexImage2D(GL_TEXTURE_2D, 2, GL_RGBA8, 5, 5, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    check_subresources("bad-level2", &t, 0, 0);
    t = texture_new(GL_TEXTURE_2D, f, 64, 32, 1, 1, 0, 1);
    gl.BindTexture(GL_TEXTURE_2D, t.gl_name);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1000);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    check_subresources("only-level0-mipfilter", &t, 0, 0);
    unsigned char *b = calloc(1, 65536);
    gl.BindTexture(GL_TEXTURE_2D, t.gl_name);
    gl.TexImage2D(GL_TEXTURE_2D, 2, GL_RGBA8, 16, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, b);
    check_subresources("levels-0-2", &t, 0, 0);
    t = texture_new(GL_TEXTURE_2D, f, 64, 32, 1, 1, 0, 1);
    gl.BindTexture(GL_TEXTURE_2D, t.gl_name);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1000);
    gl.GenerateMipmap(GL_TEXTURE_2D);
    t.levels = 7;
    check_subresources("generated", &t, 0, 0);
    t = texture_new(GL_TEXTURE_2D, f, 64, 32, 1, 7, 0, 1);
    gl.BindTexture(GL_TEXTURE_2D, t.gl_name);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 2);
    check_subresources("full-maxlevel2", &t, 0, 0);
    t = texture_new(GL_TEXTURE_2D, f, 64, 32, 1, 7, 0, 1);
    gl.BindTexture(GL_TEXTURE_2D, t.gl_name);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 2);
    check_subresources("full-baselevel2", &t, 0, 0);
    t = texture_new(GL_TEXTURE_2D, f, 64, 32, 1, 1, 0, 1);
    gl.BindTexture(GL_TEXTURE_2D, t.gl_name);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1000);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    check_subresources("only-level0-linear-maxlevel1000", &t, 0, 1);
    free(b);
}

GROUP(2222, glimg_sub_cube, "glimg-sub-cube")
{
    use_cuda_and_gl();
    struct texture t = texture_new(GL_TEXTURE_CUBE_MAP, RGBA8_FORMAT, 32, 32, 1, 1, 0, 1);
    check_subresources("one", &t, 0, 1);
    t = texture_new(GL_TEXTURE_CUBE_MAP, RGBA8_FORMAT, 32, 32, 1, 6, 0, 1);
    check_subresources("full", &t, 0, 1);
    t = texture_new(GL_TEXTURE_CUBE_MAP, texel_format_find("R32F"), 32, 32, 1, 3, TEX_STORAGE, 1);
    check_subresources("storage-ldst", &t, 4, 1);
}

GROUP(2223, glimg_sub_3d, "glimg-sub-3d")
{
    use_cuda_and_gl();
    struct texture t = texture_new(GL_TEXTURE_3D, RGBA8_FORMAT, 32, 16, 8, 1, 0, 1);
    check_subresources("one", &t, 0, 1);
    t = texture_new(GL_TEXTURE_3D, RGBA8_FORMAT, 32, 16, 8, 6, 0, 1);
    check_subresources("full", &t, 0, 1);
    t = texture_new(GL_TEXTURE_3D, texel_format_find("R32F"), 17, 9, 5, 3, TEX_STORAGE, 1);
    check_subresources("npot-storage-ldst", &t, 4, 1);
}

GROUP(2224, glimg_sub_array, "glimg-sub-array")
{
    use_cuda_and_gl();
    struct texture t = texture_new(GL_TEXTURE_2D_ARRAY, RGBA8_FORMAT, 32, 16, 5, 1, 0, 1);
    check_subresources("one", &t, 0, 1);
    t = texture_new(GL_TEXTURE_2D_ARRAY, RGBA8_FORMAT, 32, 16, 5, 4, 0, 1);
    check_subresources("mips", &t, 0, 1);
    t = texture_new(GL_TEXTURE_2D_ARRAY, texel_format_find("R32F"), 32, 16, 1, 1, TEX_STORAGE, 1);
    check_subresources("one-layer-ldst", &t, 4, 1);
}

GROUP(2225, glimg_sub_rect, "glimg-sub-rect")
{
    use_cuda_and_gl();
    struct texture t = texture_new(GL_TEXTURE_RECTANGLE, RGBA8_FORMAT, 37, 21, 1, 1, 0, 1);
    check_subresources("rect", &t, 0, 1);
    t = texture_new(GL_TEXTURE_RECTANGLE, texel_format_find("R32F"), 37, 21, 1, 1, 0, 1);
    check_subresources("rect-R32F-ldst", &t, 4, 1);
}
