/* SPDX-License-Identifier: MIT */
/*
 * OpenGL textures: formats, flags, targets, layers and levels.
 */
#include "gl_image.h"

/* GL alone: does each format survive upload and glGetTexImage (baseline for the comparisons below)
 */
GROUP(2190, gts, "gltex-selftest")
{
    gl_up();
    static const GLenum tt[] = {GL_TEXTURE_2D,       GL_TEXTURE_RECTANGLE,     GL_TEXTURE_CUBE_MAP,
                                GL_TEXTURE_3D,       GL_TEXTURE_2D_ARRAY,      GL_TEXTURE_1D,
                                GL_TEXTURE_1D_ARRAY, GL_TEXTURE_CUBE_MAP_ARRAY};
    static const char *tn[] = {"2D",       "RECT", "CUBE",     "3D",
                               "2D_ARRAY", "1D",   "1D_ARRAY", "CUBE_ARRAY"};
    for (int i = 0; i < ntf && strcmp(tfs[i].n, "LUMINANCE8"); i++)
        for (int how = 0; how < 2; how++) {
            if (how && strstr(tfs[i].n, "unsized"))
                continue;
            gerr();
            struct tx t = mktex(GL_TEXTURE_2D, &tfs[i], 37, 21, 1, 1, how, 1);
            char e1[40];
            snprintf(e1, sizeof e1, "%s", gerr());
            RECORD(format("%s-%s", tfs[i].n, how ? "storage" : "image"), "upload=%s data=%s", e1,
                   wg(tsame(&t, 0, 0, 1)));
            gl.DeleteTextures(1, &t.t);
        }
    for (int i = 0; i < 8; i++)
        for (int how = 0; how < 2; how++) {
            struct tx t = mktex(tt[i], tfind("RGBA8"), 32, 32, 6, i == 1 ? 1 : 3, how, 1);
            char e1[40];
            snprintf(e1, sizeof e1, "%s", gerr());
            RECORD(format("target-%s-%s", tn[i], how ? "storage" : "image"),
                   "setup=%s level0=%s level2=%s face5=%s", e1, tsame(&t, 0, 0, 1),
                   i == 1 ? "-" : tsame(&t, 0, 2, 33),
                   tt[i] == GL_TEXTURE_CUBE_MAP ? tsame(&t, 5, 1, 22) : "-");
        }
}
static const unsigned mainfl[] = {0, 1, 2, 4, 8};
static void formats(int from, int to, int how)
{
    for (int i = from; i < to; i++)
        for (size_t k = 0; k < COUNT_OF(mainfl); k++) {
            struct tx t = mktex(GL_TEXTURE_2D, &tfs[i], 37, 21, 1, 1, how, 1);
            cyc(format("%s-f%u", tfs[i].n, mainfl[k]), &t, GL_TEXTURE_2D, mainfl[k],
                mainfl[k] == 0 || mainfl[k] == 4 || mainfl[k] == 2);
            deltex(&t);
        }
}
static int core_n(void)
{
    int i = 0;
    while (i < ntf && strcmp(tfs[i].n, "LUMINANCE8"))
        i++;
    return i;
}
GROUP(2200, gi1, "glimg-2d-r-rg")
{
    both();
    formats(0, 24, TEX_IMAGE);
}
GROUP(2201, gi2, "glimg-2d-rgba")
{
    both();
    formats(24, 36, TEX_IMAGE);
}
GROUP(2202, gi3, "glimg-2d-other")
{
    both();
    formats(36, core_n(), TEX_IMAGE);
}
GROUP(2203, gi4, "glimg-2d-storage")
{
    both();
    static const char *n[] = {"R8",   "RG8",          "RGBA8",    "RGBA16F",
                              "R32F", "RGBA32F",      "RGBA8UI",  "RGBA32UI",
                              "RGB8", "SRGB8_ALPHA8", "RGB10_A2", "DEPTH24"};
    for (size_t i = 0; i < COUNT_OF(n); i++) {
        int k = (int)(tfind(n[i]) - tfs);
        formats(k, k + 1, TEX_STORAGE);
    }
}
GROUP(2204, gi5, "glimg-compat")
{
    use_cuda();
    gl_up_compat();
    RECORD("version", "%s", (const char *)gl.GetString(GL_VERSION));
    formats(core_n(), ntf, TEX_IMAGE);
    int k = (int)(tfind("RGBA8") - tfs);
    formats(k, k + 1, TEX_IMAGE);
    k = (int)(tfind("RGB8") - tfs);
    formats(k, k + 1, TEX_IMAGE);
}
GROUP(2205, gi6, "glimg-flags")
{
    both();
    static const char *n[] = {"RGBA8", "R32F", "RGBA8UI"};
    for (size_t i = 0; i < COUNT_OF(n); i++)
        for (unsigned f = 0; f < 20; f++) {
            struct tx t = mktex(GL_TEXTURE_2D, tfind(n[i]), 37, 21, 1, 1, 0, 1);
            cyc(format("%s-f0x%x", n[i], f), &t, GL_TEXTURE_2D, f, 1);
            deltex(&t);
        }
    static const unsigned hi[] = {0x20, 0x40, 0x80, 0x100, 0x8000, 0x80000000u, 0xffffffffu};
    for (size_t i = 0; i < COUNT_OF(hi); i++) {
        struct tx t = mktex(GL_TEXTURE_2D, tfind("RGBA8"), 37, 21, 1, 1, 0, 1);
        cyc(format("RGBA8-f0x%x", hi[i]), &t, GL_TEXTURE_2D, hi[i], 1);
        deltex(&t);
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
GROUP(2210, gt1, "glimg-targets")
{
    both();
    static const char *fn[] = {"RGBA8", "R32F", "RGBA32F", "RG16UI", "RGB8", "R8"};
    static const unsigned fl[] = {0, 1, 2, 4, 8, 12};
    for (size_t j = 0; j < COUNT_OF(fn); j++)
        for (size_t i = 0; i < COUNT_OF(tg); i++)
            for (size_t k = 0; k < COUNT_OF(fl); k++) {
                const struct tf *f = tfind(fn[j]);
                GLenum g = tg[i].t;
                struct tx t = {0, g, 32, 32, 6, 1, f, 1};
                gerr();
                if (g == GL_TEXTURE_BUFFER) {
                    GLuint b = mkbuf(65536, GL_DYNAMIC_DRAW, 1);
                    gl.GenTextures(1, &t.t);
                    gl.BindTexture(g, t.t);
                    gl.TexBuffer(g, f->in, b);
                } else if (g == GL_TEXTURE_2D_MULTISAMPLE) {
                    gl.GenTextures(1, &t.t);
                    gl.BindTexture(g, t.t);
                    gl.TexImage2DMultisample(g, 4, f->in, 32, 32, GL_TRUE);
                } else if (g == GL_TEXTURE_2D_MULTISAMPLE_ARRAY) {
                    gl.GenTextures(1, &t.t);
                    gl.BindTexture(g, t.t);
                    gl.TexImage3DMultisample(g, 4, f->in, 32, 32, 3, GL_TRUE);
                } else
                    t = mktex(g, f, 32, 32, 6, 1, TEX_IMAGE, 1);
                int dat = g == GL_TEXTURE_2D || g == GL_TEXTURE_RECTANGLE ||
                          g == GL_TEXTURE_CUBE_MAP || g == GL_TEXTURE_3D ||
                          g == GL_TEXTURE_2D_ARRAY;
                if (dat)
                    cyc(format("%s-%s-f%u", tg[i].n, fn[j], fl[k]), &t, g, fl[k], j < 2 || k == 0);
                else {
                    gr r = RS0;
                    char pe[40];
                    snprintf(pe, sizeof pe, "%s", gerr());
                    if (!CHECK(format("%s-%s-f%u", tg[i].n, fn[j], fl[k]),
                               more.cuGraphicsGLRegisterImage(&r, t.t, g, fl[k]),
                               "out=%s gl_setup=%s", out_state_of(U(r)), pe)) {
                        if (!CHECK(format("%s-%s-f%u-map", tg[i].n, fn[j], fl[k]), mp(r))) {
                            for (unsigned q = 0; q < 3; q++) {
                                CUarray a = AS0;
                                CHECK(format("%s-%s-f%u-array%u", tg[i].n, fn[j], fl[k], q),
                                      cuda.cuGraphicsSubResourceGetMappedArray(&a, r, q, 0), "%s",
                                      a == AS0 ? "kept" : adesc(a));
                            }
                            CHECK(format("%s-%s-f%u-unmap", tg[i].n, fn[j], fl[k]), um(r));
                        }
                        CHECK(format("%s-%s-f%u-unregister", tg[i].n, fn[j], fl[k]), un(r));
                    }
                }
                deltex(&t);
            }
}
GROUP(2211, gt2, "glimg-wrong")
{
    both();
    gr r = RS0;
    struct tx t = mktex(GL_TEXTURE_2D, tfind("RGBA8"), 37, 21, 1, 1, 0, 1),
              t3 = mktex(GL_TEXTURE_3D, tfind("RGBA8"), 16, 16, 4, 1, 0, 1);
    gerr();
#define RI(nm, o, n, g, f)                                                                         \
    do {                                                                                           \
        r = RS0;                                                                                   \
        if (!CHECK(nm, more.cuGraphicsGLRegisterImage(o, n, g, f), "out=%s glerr=%s",              \
                   out_state_of(U(r)), gerr()) &&                                                  \
            r != RS0)                                                                              \
            CHECK(format("%s-unregister", nm), un(r));                                             \
    } while (0)
    for (size_t i = 0; i < COUNT_OF(tg); i++) {
        RI(format("2dtex-as-%s", tg[i].n), &r, t.t, tg[i].t, 0);
        RI(format("3dtex-as-%s", tg[i].n), &r, t3.t, tg[i].t, 0);
    }
    RI("2dtex-as-RENDERBUFFER", &r, t.t, GL_RENDERBUFFER, 0);
    RI("2dtex-as-target0", &r, t.t, 0, 0);
    RI("2dtex-as-garbage", &r, t.t, 0x1234, 0);
    RI("2dtex-as-POSITIVE_X", &r, t.t, GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0);
    RI("2dtex-as-PROXY", &r, t.t, GL_PROXY_TEXTURE_2D, 0);
    RI("2dtex-as-ARRAY_BUFFER", &r, t.t, GL_ARRAY_BUFFER, 0);
    RI("2dtex-as-FRAMEBUFFER", &r, t.t, GL_FRAMEBUFFER, 0);
    for (size_t i = 0; i < COUNT_OF(tg); i++) {
        RI(format("name0-%s", tg[i].n), &r, 0, tg[i].t, 0);
        RI(format("nonexistent-%s", tg[i].n), &r, 0x7ffff0, tg[i].t, 0);
    }
    RI("name0-RENDERBUFFER", &r, 0, GL_RENDERBUFFER, 0);
    RI("nonexistent-RENDERBUFFER", &r, 0x7ffff0, GL_RENDERBUFFER, 0);
    GLuint n;
    gl.GenTextures(1, &n);
    RI("never-bound", &r, n, GL_TEXTURE_2D, 0);
    gl.BindTexture(GL_TEXTURE_2D, n);
    RI("bound-no-image", &r, n, GL_TEXTURE_2D, 0);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 0, 0, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    RI("zero-size", &r, n, GL_TEXTURE_2D, 0);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    RI("currently-bound-default-filter-incomplete", &r, n, GL_TEXTURE_2D, 0);
    GLuint n2;
    gl.GenTextures(1, &n2);
    gl.BindTexture(GL_TEXTURE_2D, n2);
    gl.TexImage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    RI("only-level1", &r, n2, GL_TEXTURE_2D, 0);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1);
    RI("only-level1-base1", &r, n2, GL_TEXTURE_2D, 0);
    GLuint cm;
    gl.GenTextures(1, &cm);
    gl.BindTexture(GL_TEXTURE_CUBE_MAP, cm);
    gl.TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                  NULL);
    RI("cube-one-face", &r, cm, GL_TEXTURE_CUBE_MAP, 0);
    struct tx del = mktex(GL_TEXTURE_2D, tfind("RGBA8"), 16, 16, 1, 1, 0, 1);
    deltex(&del);
    RI("deleted", &r, del.t, GL_TEXTURE_2D, 0);
    RI("null-out", NULL, t.t, GL_TEXTURE_2D, 0);
    RI("null-out-badflags", NULL, t.t, GL_TEXTURE_2D, 0x80);
    RI("null-out-badtarget", NULL, t.t, 0, 0);
    RI("badflags-badtarget", &r, t.t, 0, 0x80);
    RI("badflags-name0", &r, 0, GL_TEXTURE_2D, 0x80);
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
        snprintf(pe, sizeof pe, "%s", gerr());
        RECORD(format("compressed-%s-gl", cf[i].n), "glerr=%s", pe);
        RI(format("compressed-%s", cf[i].n), &r, c, GL_TEXTURE_2D, 0);
        RI(format("compressed-%s-f1", cf[i].n), &r, c, GL_TEXTURE_2D, 1);
    }
    GLuint v;
    struct tx ts = mktex(GL_TEXTURE_2D, tfind("RGBA8"), 32, 32, 1, 3, TEX_STORAGE, 1);
    gl.GenTextures(1, &v);
    gl.TextureView(v, GL_TEXTURE_2D, ts.t, GL_RGBA8UI, 1, 1, 0, 1);
    RECORD("view-gl", "glerr=%s", gerr());
    r = RS0;
    if (!CHECK("view", more.cuGraphicsGLRegisterImage(&r, v, GL_TEXTURE_2D, 0), "out=%s",
               out_state_of(U(r)))) {
        CHECK("view-map", mp(r));
        CUarray a = AS0;
        CHECK("view-array", cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0), "%s",
              a == AS0 ? "" : adesc(a));
        if (a != AS0)
            RECORD("view-data", "level1=%s", acheck(a, 16 * 4, 16, 1, ts.f, 17));
        CHECK("view-unmap", um(r));
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
        snprintf(pe, sizeof pe, "%s", gerr());
        r = RS0;
        if (!CHECK(format("dim-%dx%d", dim[i][0], dim[i][1]),
                   more.cuGraphicsGLRegisterImage(&r, q, GL_TEXTURE_2D, 0), "gl_setup=%s", pe)) {
            mp(r);
            CUarray a = ga(r, 0, 0);
            RECORD(format("dim-%dx%d-desc", dim[i][0], dim[i][1]), "%s", adesc(a));
            um(r);
            un(r);
        }
        gl.DeleteTextures(1, &q);
    }
}
/* layers, faces, levels */
static void subres(const char *pfx, struct tx *t, unsigned fl, int full)
{
    char nm[100];
    snprintf(nm, sizeof nm, "%s", pfx);
    gr r = RS0;
    CUarray a;
    CUmipmappedArray m = MS0;
    gerr();
    CUresult x =
        CHECK(format("%s-register", nm), more.cuGraphicsGLRegisterImage(&r, t->t, t->tgt, fl),
              "out=%s glerr=%s", out_state_of(U(r)), gerr());
    if (x && 1)
        return;
    a = AS0;
    CHECK(format("%s-array-unmapped", nm), cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0),
          "out=%s", out_state_of(U(a)));
    CHECK(format("%s-mip-unmapped", nm), cuda.cuGraphicsResourceGetMappedMipmappedArray(&m, r),
          "out=%s", out_state_of(U(m)));
    CUdeviceptr p = UNTOUCHED;
    size_t z = 777;
    CHECK(format("%s-ptr-unmapped", nm), cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r),
          "out=%s", out_state_of(p));
    CHECK(format("%s-map", nm), mp(r));
    p = UNTOUCHED;
    CHECK(format("%s-ptr-of-image", nm), cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r),
          "out=%s", out_state_of(p));
    int faces = t->tgt == GL_TEXTURE_CUBE_MAP ? 6 : t->tgt == GL_TEXTURE_2D_ARRAY ? t->d : 1;
    static const unsigned big[] = {100, 0x7fffffff, 0x80000000u, 0xffffffffu};
    for (int l = 0; l <= t->levels + 1; l++)
        for (int i = 0; i <= faces; i++) {
            a = AS0;
            CUresult y = CHECK(format("%s-i%d-l%d", nm, i, l),
                               cuda.cuGraphicsSubResourceGetMappedArray(&a, r, i, l), "out=%s %s",
                               out_state_of(U(a)), a == AS0 || !a ? "" : adesc(a));
            if (!y && full) {
                CUDA_ARRAY3D_DESCRIPTOR q;
                memset(&q, 0, sizeof q);
                cuda.cuArray3DGetDescriptor(&q, a);
                int W = lv(t->w, l), H = lv(t->h, l), D = q.Depth > 1 ? (int)q.Depth : 1;
                unsigned char *b = malloc((size_t)W * H * t->f->bpp * D + 64),
                              *e = malloc((size_t)W * H * t->f->bpp * t->d + 64);
                size_t ln = (size_t)W * H * t->f->bpp;
                CUresult c = aget(a, b, (size_t)W * t->f->bpp, H, D);
                const char *o = result_name(c);
                if (!c) { /* which face or layer does this array start at */
                    o = "none";
                    for (int k = 0; k < faces; k++) {
                        if (t->tgt == GL_TEXTURE_2D_ARRAY) {
                            tgen(e, ln * t->d, t->f, t->seed + 16 * l);
                            if (!memcmp(b, e + k * ln, ln))
                                o = format("layer%d", k);
                        } else {
                            tgen(e, t->tgt == GL_TEXTURE_3D ? ln * D : ln, t->f,
                                 t->seed + 16 * l + k);
                            if (!memcmp(b, e, t->tgt == GL_TEXTURE_3D ? ln * D : ln))
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
        a = AS0;
        CHECK(format("%s-i0x%x-l0", nm, big[k]),
              cuda.cuGraphicsSubResourceGetMappedArray(&a, r, big[k], 0), "out=%s",
              out_state_of(U(a)));
        a = AS0;
        CHECK(format("%s-i0-l0x%x", nm, big[k]),
              cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, big[k]), "out=%s",
              out_state_of(U(a)));
    }
    CUarray a2 = AS0;
    a = AS0;
    cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0);
    CHECK(format("%s-same-again", nm), cuda.cuGraphicsSubResourceGetMappedArray(&a2, r, 0, 0),
          "same=%d", a == a2);
    CHECK(format("%s-null-array-out", nm), cuda.cuGraphicsSubResourceGetMappedArray(NULL, r, 0, 0));
    CHECK(format("%s-null-mip-out", nm), cuda.cuGraphicsResourceGetMappedMipmappedArray(NULL, r));
    m = MS0;
    CUresult y = CHECK(format("%s-mip", nm), cuda.cuGraphicsResourceGetMappedMipmappedArray(&m, r),
                       "out=%s", out_state_of(U(m)));
    CUmipmappedArray m2 = MS0;
    CHECK(format("%s-mip-again", nm), cuda.cuGraphicsResourceGetMappedMipmappedArray(&m2, r),
          "same=%d", m == m2);
    if (!y)
        for (int l = 0; l <= t->levels + 1; l++) {
            a2 = AS0;
            CUresult w =
                CHECK(format("%s-mip-level%d", nm, l), cuda.cuMipmappedArrayGetLevel(&a2, m, l),
                      "out=%s %s", out_state_of(U(a2)), a2 == AS0 || !a2 ? "" : adesc(a2));
            if (l == 0)
                RECORD(format("%s-mip-level0-handle", nm), "same_as_subresource=%d", a == a2);
            if (!w && (t->tgt == GL_TEXTURE_2D || t->tgt == GL_TEXTURE_3D))
                RECORD(format("%s-mip-level%d-data", nm, l), "data=%s",
                       acheck(a2, (size_t)lv(t->w, l) * t->f->bpp, lv(t->h, l),
                              t->tgt == GL_TEXTURE_3D ? lv(t->d, l) : 1, t->f, t->seed + 16 * l));
        }
    CUarray sv = a;
    if (full && t->tgt == GL_TEXTURE_2D)
        for (int l = 0; l < t->levels; l++) {
            CUarray q = ga(r, 0, l);
            CHECK(format("%s-write-l%d", nm, l), afill(q, (size_t)lv(t->w, l) * t->f->bpp,
                                                       lv(t->h, l), 1, t->f, t->seed + 100 + l));
        }
    if (full && t->tgt == GL_TEXTURE_CUBE_MAP)
        for (int k = 0; k < 6; k++) {
            CUarray q = ga(r, k, 0);
            CHECK(format("%s-write-face%d", nm, k),
                  afill(q, (size_t)t->w * t->f->bpp, t->h, 1, t->f, t->seed + 100 + k));
        }
    CHECK(format("%s-unmap", nm), um(r));
    if (full && t->tgt == GL_TEXTURE_2D)
        for (int l = 0; l < t->levels; l++)
            RECORD(format("%s-gl-l%d", nm, l), "data=%s", tsame(t, 0, l, t->seed + 100 + l));
    if (full && t->tgt == GL_TEXTURE_CUBE_MAP)
        for (int k = 0; k < 6; k++)
            RECORD(format("%s-gl-face%d", nm, k), "data=%s", tsame(t, k, 0, t->seed + 100 + k));
    CHECK(format("%s-map-again", nm), mp(r));
    a2 = AS0;
    CHECK(format("%s-array-again", nm), cuda.cuGraphicsSubResourceGetMappedArray(&a2, r, 0, 0),
          "same_handle=%d", a2 == sv);
    CHECK(format("%s-unmap-again", nm), um(r));
    CHECK(format("%s-unregister", nm), un(r));
}
GROUP(2220, gs1, "glimg-sub-2d")
{
    both();
    struct tx t = mktex(GL_TEXTURE_2D, T8, 37, 21, 1, 1, 0, 1);
    subres("one", &t, 0, 1);
    t = mktex(GL_TEXTURE_2D, T8, 64, 32, 1, 7, 0, 1);
    subres("full", &t, 0, 1);
    t = mktex(GL_TEXTURE_2D, T8, 64, 32, 1, 7, TEX_STORAGE, 1);
    subres("full-storage", &t, 0, 1);
    t = mktex(GL_TEXTURE_2D, T8, 64, 32, 1, 3, 0, 1);
    subres("three", &t, 0, 1);
    t = mktex(GL_TEXTURE_2D, T8, 37, 21, 1, 6, 0, 1);
    subres("npot", &t, 0, 1);
    t = mktex(GL_TEXTURE_2D, tfind("R32F"), 64, 32, 1, 7, 0, 1);
    subres("full-R32F-ldst", &t, 4, 1);
    t = mktex(GL_TEXTURE_2D, T8, 64, 32, 1, 3, 0, 1);
    subres("three-readonly", &t, 1, 1);
    t = mktex(GL_TEXTURE_2D, T8, 64, 32, 1, 3, 0, 1);
    subres("three-discard", &t, 2, 1);
    t = mktex(GL_TEXTURE_2D, T8, 64, 32, 1, 3, 0, 1);
    subres("three-gather", &t, 8, 1);
}
GROUP(2221, gs2, "glimg-sub-incomplete")
{
    both();
    const struct tf *f = T8;
    struct tx t = mktex(GL_TEXTURE_2D, f, 64, 32, 1, 7, 0, 1);
    gl.BindTexture(GL_TEXTURE_2D, t.t);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1000);
    gl.TexImage2D(GL_TEXTURE_2D, 2, GL_RGBA8, 5, 5, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    subres("bad-level2", &t, 0, 0);
    t = mktex(GL_TEXTURE_2D, f, 64, 32, 1, 1, 0, 1);
    gl.BindTexture(GL_TEXTURE_2D, t.t);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1000);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    subres("only-level0-mipfilter", &t, 0, 0);
    unsigned char *b = calloc(1, 65536);
    gl.BindTexture(GL_TEXTURE_2D, t.t);
    gl.TexImage2D(GL_TEXTURE_2D, 2, GL_RGBA8, 16, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, b);
    subres("levels-0-2", &t, 0, 0);
    t = mktex(GL_TEXTURE_2D, f, 64, 32, 1, 1, 0, 1);
    gl.BindTexture(GL_TEXTURE_2D, t.t);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1000);
    gl.GenerateMipmap(GL_TEXTURE_2D);
    t.levels = 7;
    subres("generated", &t, 0, 0);
    t = mktex(GL_TEXTURE_2D, f, 64, 32, 1, 7, 0, 1);
    gl.BindTexture(GL_TEXTURE_2D, t.t);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 2);
    subres("full-maxlevel2", &t, 0, 0);
    t = mktex(GL_TEXTURE_2D, f, 64, 32, 1, 7, 0, 1);
    gl.BindTexture(GL_TEXTURE_2D, t.t);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 2);
    subres("full-baselevel2", &t, 0, 0);
    t = mktex(GL_TEXTURE_2D, f, 64, 32, 1, 1, 0, 1);
    gl.BindTexture(GL_TEXTURE_2D, t.t);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1000);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    subres("only-level0-linear-maxlevel1000", &t, 0, 1);
    free(b);
}
GROUP(2222, gs3, "glimg-sub-cube")
{
    both();
    struct tx t = mktex(GL_TEXTURE_CUBE_MAP, T8, 32, 32, 1, 1, 0, 1);
    subres("one", &t, 0, 1);
    t = mktex(GL_TEXTURE_CUBE_MAP, T8, 32, 32, 1, 6, 0, 1);
    subres("full", &t, 0, 1);
    t = mktex(GL_TEXTURE_CUBE_MAP, tfind("R32F"), 32, 32, 1, 3, TEX_STORAGE, 1);
    subres("storage-ldst", &t, 4, 1);
}
GROUP(2223, gs4, "glimg-sub-3d")
{
    both();
    struct tx t = mktex(GL_TEXTURE_3D, T8, 32, 16, 8, 1, 0, 1);
    subres("one", &t, 0, 1);
    t = mktex(GL_TEXTURE_3D, T8, 32, 16, 8, 6, 0, 1);
    subres("full", &t, 0, 1);
    t = mktex(GL_TEXTURE_3D, tfind("R32F"), 17, 9, 5, 3, TEX_STORAGE, 1);
    subres("npot-storage-ldst", &t, 4, 1);
}
GROUP(2224, gs5, "glimg-sub-array")
{
    both();
    struct tx t = mktex(GL_TEXTURE_2D_ARRAY, T8, 32, 16, 5, 1, 0, 1);
    subres("one", &t, 0, 1);
    t = mktex(GL_TEXTURE_2D_ARRAY, T8, 32, 16, 5, 4, 0, 1);
    subres("mips", &t, 0, 1);
    t = mktex(GL_TEXTURE_2D_ARRAY, tfind("R32F"), 32, 16, 1, 1, TEX_STORAGE, 1);
    subres("one-layer-ldst", &t, 4, 1);
}
GROUP(2225, gs6, "glimg-sub-rect")
{
    both();
    struct tx t = mktex(GL_TEXTURE_RECTANGLE, T8, 37, 21, 1, 1, 0, 1);
    subres("rect", &t, 0, 1);
    t = mktex(GL_TEXTURE_RECTANGLE, tfind("R32F"), 37, 21, 1, 1, 0, 1);
    subres("rect-R32F-ldst", &t, 4, 1);
}
