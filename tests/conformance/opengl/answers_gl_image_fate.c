/* SPDX-License-Identifier: MIT */
/*
 * OpenGL renderbuffers; images read and written, deleted, changed and stale.
 */
#include "gl_image.h"

GROUP(2226, grb, "glimg-renderbuffer")
{
    both();
    static const struct {
        const char *n;
        GLenum in;
    } f[] = {{"RGBA8", GL_RGBA8},
             {"R8", GL_R8},
             {"RG8", GL_RG8},
             {"R32F", GL_R32F},
             {"RGBA16F", GL_RGBA16F},
             {"RGBA32F", GL_RGBA32F},
             {"RGBA8UI", GL_RGBA8UI},
             {"RGBA32UI", GL_RGBA32UI},
             {"RGB8", GL_RGB8},
             {"SRGB8_ALPHA8", GL_SRGB8_ALPHA8},
             {"RGB10_A2", GL_RGB10_A2},
             {"DEPTH24", GL_DEPTH_COMPONENT24},
             {"DEPTH24_STENCIL8", GL_DEPTH24_STENCIL8},
             {"STENCIL8", GL_STENCIL_INDEX8},
             {"RGB565", GL_RGB565}};
    for (size_t i = 0; i < COUNT_OF(f); i++)
        for (unsigned fl = 0; fl <= 8; fl = fl ? fl * 2 : 1) {
            GLuint b;
            gl.GenRenderbuffers(1, &b);
            gl.BindRenderbuffer(GL_RENDERBUFFER, b);
            gl.RenderbufferStorage(GL_RENDERBUFFER, f[i].in, 37, 21);
            char pe[40];
            snprintf(pe, sizeof pe, "%s", gerr());
            gr r = RS0;
            if (!CHECK(format("%s-f%u", f[i].n, fl),
                       more.cuGraphicsGLRegisterImage(&r, b, GL_RENDERBUFFER, fl),
                       "out=%s gl_setup=%s", out_state_of(U(r)), pe)) {
                CHECK(format("%s-f%u-map", f[i].n, fl), mp(r));
                CUarray a = AS0;
                CHECK(format("%s-f%u-array", f[i].n, fl),
                      cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0), "%s",
                      a == AS0 ? "" : adesc(a));
                a = AS0;
                CHECK(format("%s-f%u-array-i1", f[i].n, fl),
                      cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 1, 0));
                CHECK(format("%s-f%u-array-l1", f[i].n, fl),
                      cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 1));
                CUmipmappedArray m = MS0;
                CHECK(format("%s-f%u-mip", f[i].n, fl),
                      cuda.cuGraphicsResourceGetMappedMipmappedArray(&m, r), "out=%s",
                      out_state_of(U(m)));
                CHECK(format("%s-f%u-unmap", f[i].n, fl), um(r));
                CHECK(format("%s-f%u-unregister", f[i].n, fl), un(r));
            }
        }
    const struct tf *t8 = T8;
    GLuint b, fb;
    gl.GenRenderbuffers(1, &b);
    gl.BindRenderbuffer(GL_RENDERBUFFER, b);
    gl.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 37, 21);
    gl.GenFramebuffers(1, &fb);
    gl.BindFramebuffer(GL_FRAMEBUFFER, fb);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, b);
    RECORD("fbo", "complete=%d",
           gl.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
    gl.ClearColor(64 / 255.f, 128 / 255.f, 1, 0);
    gl.Viewport(0, 0, 37, 21);
    gl.Clear(GL_COLOR_BUFFER_BIT);
    gr r = rgi(b, GL_RENDERBUFFER, 0);
    if (GONE(r))
        return;
    CHECK("data-map", mp(r));
    CUarray a = ga(r, 0, 0);
    unsigned char *h = calloc(1, 37 * 21 * 4);
    CUresult x = aget(a, h, 37 * 4, 21, 1);
    RECORD("data-read", "r=%s px=%u,%u,%u,%u", result_name(x), h[0], h[1], h[2], h[3]);
    CHECK("data-write", afill(a, 37 * 4, 21, 1, t8, 7));
    CHECK("data-unmap", um(r));
    gl.ReadPixels(0, 0, 37, 21, GL_RGBA, GL_UNSIGNED_BYTE, h);
    RECORD("data-gl", "data=%s glerr=%s", tcmp(h, 37 * 4, 21, 1, t8, 7), gerr());
    free(h);
    gl.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 64, 64);
    CHECK("respec-map", mp(r));
    a = ga(r, 0, 0);
    RECORD("respec-desc", "%s", adesc(a));
    CHECK("respec-unmap", um(r));
    GLuint ms;
    gl.GenRenderbuffers(1, &ms);
    gl.BindRenderbuffer(GL_RENDERBUFFER, ms);
    gl.RenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, 37, 21);
    r = RS0;
    CHECK("multisample", more.cuGraphicsGLRegisterImage(&r, ms, GL_RENDERBUFFER, 0), "out=%s",
          out_state_of(U(r)));
    GLuint ns;
    gl.GenRenderbuffers(1, &ns);
    CHECK("never-bound", more.cuGraphicsGLRegisterImage(&r, ns, GL_RENDERBUFFER, 0));
    gl.BindRenderbuffer(GL_RENDERBUFFER, ns);
    CHECK("no-storage", more.cuGraphicsGLRegisterImage(&r, ns, GL_RENDERBUFFER, 0));
    CHECK("as-texture", more.cuGraphicsGLRegisterImage(&r, b, GL_TEXTURE_2D, 0));
}
GROUP(2230, gd1, "glimg-data")
{
    both();
    static const char *fn[] = {"none", "readonly", "discard", "?", "ldst"};
    const struct tf *f = T8;
    size_t row = 37 * 4;
    for (unsigned fl = 0; fl < 5; fl++) {
        if (fl == 3)
            continue;
        struct tx t = mktex(GL_TEXTURE_2D, f, 37, 21, 1, 1, 0, 1);
        gr r = rgi(t.t, GL_TEXTURE_2D, fl);
        if (GONE(r))
            continue;
        CHECK(format("%s-map", fn[fl]), mp(r));
        CUarray a = ga(r, 0, 0);
        RECORD(format("%s-contents", fn[fl]), "data=%s", acheck(a, row, 21, 1, f, 1));
        CHECK(format("%s-write", fn[fl]), afill(a, row, 21, 1, f, 2));
        RECORD(format("%s-own-write", fn[fl]), "data=%s", acheck(a, row, 21, 1, f, 2));
        RECORD(format("%s-gl-while-mapped", fn[fl]), "old=%s new=%s", tsame(&t, 0, 0, 1),
               wg(tsame(&t, 0, 0, 2)));
        CHECK(format("%s-unmap", fn[fl]), um(r));
        RECORD(format("%s-gl", fn[fl]), "new=%s old=%s", tsame(&t, 0, 0, 2), tsame(&t, 0, 0, 1));
        unsigned char *b = malloc(row * 21);
        tgen(b, row * 21, f, 3);
        gl.BindTexture(GL_TEXTURE_2D, t.t);
        gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 37, 21, f->fmt, f->ty, b);
        CHECK(format("%s-map2", fn[fl]), mp(r));
        a = ga(r, 0, 0);
        RECORD(format("%s-contents2", fn[fl]), "data=%s", acheck(a, row, 21, 1, f, 3));
        CHECK(format("%s-unmap2", fn[fl]), um(r));
        RECORD(format("%s-gl2", fn[fl]), "data=%s", tsame(&t, 0, 0, 3));
        for (unsigned s = 0; s < 4; s++) {
            CHECK(format("%s-setflags%u", fn[fl], s), cuda.cuGraphicsResourceSetMapFlags(r, s));
            CHECK(format("%s-setflags%u-map", fn[fl], s), mp(r));
            a = ga(r, 0, 0);
            RECORD(format("%s-setflags%u-contents", fn[fl], s), "data=%s",
                   acheck(a, row, 21, 1, f, 3));
            CHECK(format("%s-setflags%u-mapped", fn[fl], s),
                  cuda.cuGraphicsResourceSetMapFlags(r, s));
            CHECK(format("%s-setflags%u-unmap", fn[fl], s), um(r));
        }
        CHECK(format("%s-unregister", fn[fl]), un(r));
        free(b);
    }
    /* texture and surface objects on mapped arrays; copies of other kinds */
    for (unsigned fl = 0; fl < 16; fl++) {
        struct tx t = mktex(GL_TEXTURE_2D, f, 37, 21, 1, 1, 0, 1);
        gr r = 0;
        if (more.cuGraphicsGLRegisterImage(&r, t.t, GL_TEXTURE_2D, fl)) {
            deltex(&t);
            continue;
        }
        mp(r);
        CUDA_RESOURCE_DESC rd;
        memset(&rd, 0, sizeof rd);
        rd.resType = CU_RESOURCE_TYPE_ARRAY;
        rd.res.array.hArray = ga(r, 0, 0);
        CUDA_TEXTURE_DESC td;
        memset(&td, 0, sizeof td);
        td.addressMode[0] = td.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
        CUtexObject to = 0;
        CUsurfObject so = 0;
        if (!CHECK(format("texobj-f%u", fl), more.cuTexObjectCreate(&to, &rd, &td, NULL)))
            more.cuTexObjectDestroy(to);
        if (!CHECK(format("surfobj-f%u", fl), more.cuSurfObjectCreate(&so, &rd)))
            more.cuSurfObjectDestroy(so);
        um(r);
        un(r);
        deltex(&t);
    }
    struct tx t = mktex(GL_TEXTURE_2D, f, 37, 21, 1, 1, 0, 1);
    gr r = rgi(t.t, GL_TEXTURE_2D, 0);
    if (GONE(r))
        return;
    CHECK("map", mp(r));
    CUarray a = ga(r, 0, 0);
    unsigned char h[37 * 4];
    CUDA_ARRAY_DESCRIPTOR ad;
    memset(&ad, 0, sizeof ad);
    CHECK("getdescriptor", cuda.cuArrayGetDescriptor(&ad, a), "%zux%zu fmt=%s ch=%u", ad.Width,
          ad.Height, fmtname(ad.Format), ad.NumChannels);
    CHECK("atoh", cuda.cuMemcpyAtoH(h, a, 0, sizeof h), "data=%s", tcmp(h, 37 * 4, 1, 1, f, 1));
    CUdeviceptr d = device_alloc(65536);
    CHECK("atod", cuda.cuMemcpyAtoD(d, a, 0, 37 * 4));
    CHECK("dtoa", cuda.cuMemcpyDtoA(a, 0, d, 37 * 4));
    CHECK("too-wide", aget(a, risky_host, 38 * 4, 21, 1));
    CHECK("too-high", aget(a, risky_host, 37 * 4, 22, 1));
    CHECK("too-deep", aget(a, risky_host, 37 * 4, 21, 2));
    CUDA_ARRAY_SPARSE_PROPERTIES sp;
    CHECK("sparse-props", cuda.cuArrayGetSparseProperties(&sp, a));
    CUDA_ARRAY_MEMORY_REQUIREMENTS mr;
    CHECK("mem-requirements", cuda.cuArrayGetMemoryRequirements(&mr, a, device));
    CUarray pl = 0;
    CHECK("plane0", cuda.cuArrayGetPlane(&pl, a, 0));
    CUmipmappedArray m = 0;
    cuda.cuGraphicsResourceGetMappedMipmappedArray(&m, r);
    CUDA_RESOURCE_DESC rd;
    memset(&rd, 0, sizeof rd);
    rd.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    rd.res.mipmap.hMipmappedArray = m;
    CUDA_TEXTURE_DESC td;
    memset(&td, 0, sizeof td);
    CUtexObject to;
    CHECK("texobj-mip", more.cuTexObjectCreate(&to, &rd, &td, NULL));
    CHECK("unmap", um(r));
    /* rendered by GL, read by CUDA: row order */
    GLuint fb;
    gl.GenFramebuffers(1, &fb);
    gl.BindFramebuffer(GL_FRAMEBUFFER, fb);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t.t, 0);
    gl.ClearColor(64 / 255.f, 128 / 255.f, 1, 0);
    gl.Viewport(0, 0, 37, 21);
    gl.Clear(GL_COLOR_BUFFER_BIT);
    CHECK("rendered-map", mp(r));
    a = ga(r, 0, 0);
    memset(h, 0, sizeof h);
    CUresult x = aget(a, h, 37 * 4, 1, 1);
    RECORD("rendered-px", "r=%s px=%u,%u,%u,%u", result_name(x), h[0], h[1], h[2], h[3]);
    CHECK("rendered-unmap", um(r));
    CHECK("unregister", un(r));
    struct tx s = mktex(GL_TEXTURE_2D, tfind("SRGB8_ALPHA8"), 37, 21, 1, 1, 0, 1);
    r = 0;
    if (!more.cuGraphicsGLRegisterImage(&r, s.t, GL_TEXTURE_2D, 0)) {
        mp(r);
        a = ga(r, 0, 0);
        RECORD("srgb-raw", "data=%s", acheck(a, 37 * 4, 21, 1, s.f, 1));
        um(r);
        un(r);
    }
    struct tx t1 = mktex(GL_TEXTURE_2D, f, 37, 21, 1, 1, 0, 1);
    gr r1 = RS0, r2 = RS0;
    CHECK("twice-first", more.cuGraphicsGLRegisterImage(&r1, t1.t, GL_TEXTURE_2D, 0));
    CHECK("twice-second", more.cuGraphicsGLRegisterImage(&r2, t1.t, GL_TEXTURE_2D, 4),
          "out=%s same=%d", out_state_of(U(r2)), r1 == r2);
    if (r1 != RS0 && r2 != RS0) {
        CHECK("twice-map-both", cuda.cuGraphicsMapResources(2, (gr[]){r1, r2}, 0));
        CUarray a1 = ga(r1, 0, 0), a2 = ga(r2, 0, 0);
        RECORD("twice-arrays", "same=%d first %s second %s", a1 == a2, adesc(a1), adesc(a2));
        afill(a1, row, 21, 1, f, 5);
        RECORD("twice-alias", "data=%s", acheck(a2, row, 21, 1, f, 5));
        CHECK("twice-unmap-both", cuda.cuGraphicsUnmapResources(2, (gr[]){r1, r2}, 0), "gl=%s",
              tsame(&t1, 0, 0, 5));
    }
    GLuint b = mkbuf(5000, GL_DYNAMIC_DRAW, 1);
    gr rb = 0;
    more.cuGraphicsGLRegisterBuffer(&rb, b, 0);
    struct tx t9 = mktex(GL_TEXTURE_2D, f, 37, 21, 1, 1, 0, 1);
    gr r9 = rgi(t9.t, GL_TEXTURE_2D, 0);
    if (rb && r9) {
        CHECK("mixed-map", cuda.cuGraphicsMapResources(2, (gr[]){rb, r9}, 0));
        CUarray q = AS0;
        CHECK("mixed-array-of-buffer", cuda.cuGraphicsSubResourceGetMappedArray(&q, rb, 0, 0),
              "out=%s", out_state_of(U(q)));
        CUdeviceptr pp = UNTOUCHED;
        size_t z;
        CHECK("mixed-ptr-of-image", cuda.cuGraphicsResourceGetMappedPointer(&pp, &z, r9), "out=%s",
              out_state_of(pp));
        CHECK("mixed-unmap", cuda.cuGraphicsUnmapResources(2, (gr[]){rb, r9}, 0));
    }
}
#define ISO(key, id) GROUP(key, gx_##id, "gliso-img_" #id)
#define PRE(fl)                                                                                    \
    both();                                                                                        \
    keep_after_sticky = 1;                                                                         \
    struct tx t = mktex(GL_TEXTURE_2D, T8, 37, 21, 1, 1, 0, 1);                                    \
    gr r = RS0;                                                                                    \
    CHECK("register", more.cuGraphicsGLRegisterImage(&r, t.t, GL_TEXTURE_2D, fl));                 \
    if (GONE(r != RS0))                                                                            \
        return;                                                                                    \
    CUarray a = AS0;                                                                               \
    (void)a
#define GA(nm)                                                                                     \
    do {                                                                                           \
        a = AS0;                                                                                   \
        CHECK(nm, cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0), "out=%s",                 \
              out_state_of(U(a)));                                                                 \
    } while (0)
#define CHK(nm, s) RECORD(nm, "data=%s", a == AS0 ? "-" : acheck(a, 37 * 4, 21, 1, t.f, s))
ISO(2240, array_destroy)
{
    PRE(0);
    CHECK("map", mp(r));
    GA("array");
    CHECK("arraydestroy", cuda.cuArrayDestroy(a));
    CHK("data", 1);
    CHECK("unmap", um(r));
    CHECK("unregister", un(r));
    CHECK("sync", cuda.cuCtxSynchronize());
    RECORD("gl", "data=%s", tsame(&t, 0, 0, 1));
}
ISO(2241, mip_destroy)
{
    PRE(0);
    CHECK("map", mp(r));
    CUmipmappedArray m = MS0;
    CHECK("mip", cuda.cuGraphicsResourceGetMappedMipmappedArray(&m, r));
    CHECK("mipdestroy", cuda.cuMipmappedArrayDestroy(m));
    GA("array");
    CHECK("unmap", um(r));
    CHECK("unregister", un(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}
ISO(2242, use_after_unmap)
{
    PRE(0);
    CHECK("map", mp(r));
    GA("array");
    CHECK("unmap", um(r));
    RECORD("desc", "%s", a == AS0 ? "-" : adesc(a));
    CHK("read", 1);
    CHECK("write", afill(a, 37 * 4, 21, 1, t.f, 9));
    CHECK("sync", cuda.cuCtxSynchronize());
    RECORD("gl", "old=%s new=%s", tsame(&t, 0, 0, 1), tsame(&t, 0, 0, 9));
}
ISO(2243, use_after_unregister)
{
    PRE(0);
    CHECK("map", mp(r));
    GA("array");
    CHECK("unmap", um(r));
    CHECK("unregister", un(r));
    RECORD("desc", "%s", a == AS0 ? "-" : adesc(a));
    CHK("read", 1);
    CHECK("sync", cuda.cuCtxSynchronize());
}
ISO(2244, unregister_mapped)
{
    PRE(0);
    CHECK("map", mp(r));
    GA("array");
    CHECK("unregister", un(r));
    CHK("read", 1);
    CHECK("unmap", um(r));
    CHECK("sync", cuda.cuCtxSynchronize());
    RECORD("gl", "data=%s", tsame(&t, 0, 0, 1));
}
ISO(2245, unregister_twice)
{
    PRE(0);
    CHECK("unregister", un(r));
    CHECK("unregister-again", un(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}
ISO(2246, delete_registered)
{
    PRE(0);
    deltex(&t);
    CHECK("map", mp(r));
    GA("array");
    CHK("read", 1);
    CHECK("unmap", um(r));
    CHECK("unregister", un(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}
ISO(2247, delete_mapped)
{
    PRE(0);
    CHECK("map", mp(r));
    GA("array");
    deltex(&t);
    gl.Finish();
    CHK("read", 1);
    CHECK("unmap", um(r));
    CHECK("unregister", un(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}
#define RESPEC(id, key, mapped, in, w, h)                                                          \
    ISO(key, id)                                                                                   \
    {                                                                                              \
        PRE(0);                                                                                    \
        if (mapped) {                                                                              \
            CHECK("map0", mp(r));                                                                  \
            GA("array0");                                                                          \
        }                                                                                          \
        gl.BindTexture(GL_TEXTURE_2D, t.t);                                                        \
        gl.TexImage2D(GL_TEXTURE_2D, 0, in, w, h, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);             \
        RECORD("respec", "glerr=%s", gerr());                                                      \
        if (mapped) {                                                                              \
            CHK("read0", 1);                                                                       \
            CHECK("unmap0", um(r));                                                                \
        }                                                                                          \
        CHECK("map", mp(r));                                                                       \
        GA("array");                                                                               \
        RECORD("desc", "%s", a == AS0 ? "-" : adesc(a));                                           \
        CHECK("unmap", um(r));                                                                     \
        CHECK("unregister", un(r));                                                                \
        CHECK("sync", cuda.cuCtxSynchronize());                                                    \
        r = RS0;                                                                                   \
        CHECK("register-again", more.cuGraphicsGLRegisterImage(&r, t.t, GL_TEXTURE_2D, 0));        \
        CHECK("map-again", mp(r));                                                                 \
        GA("array-again");                                                                         \
        RECORD("desc-again", "%s", a == AS0 ? "-" : adesc(a));                                     \
    }
RESPEC(respec_bigger, 2248, 0, GL_RGBA8, 128, 64)
RESPEC(respec_same, 2249, 0, GL_RGBA8, 37, 21)
RESPEC(respec_format, 2250, 0, GL_RGBA32F, 37, 21)
RESPEC(respec_mapped, 2251, 1, GL_RGBA8, 128, 64)
ISO(2252, respec_unsupported)
{
    PRE(0);
    gl.BindTexture(GL_TEXTURE_2D, t.t);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, 37, 21, 0, GL_RGB, GL_UNSIGNED_BYTE, NULL);
    CHECK("map", mp(r));
    GA("array");
    RECORD("desc", "%s", a == AS0 ? "-" : adesc(a));
    CHECK("unmap", um(r));
    CHECK("unregister", un(r));
}
ISO(2253, glctx_destroy)
{
    PRE(0);
    CHECK("map", mp(r));
    GA("array");
    gl_cur(0);
    egl.DestroyContext(ED, EC);
    CHK("read", 1);
    CHECK("unmap", um(r));
    CHECK("unregister", un(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}
ISO(2254, generate_mipmap_registered)
{
    PRE(0);
    gl.BindTexture(GL_TEXTURE_2D, t.t);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1000);
    gl.GenerateMipmap(GL_TEXTURE_2D);
    CHECK("map", mp(r));
    GA("array");
    RECORD("desc", "%s", a == AS0 ? "-" : adesc(a));
    CHK("read", 1);
    CUarray q = AS0;
    CHECK("level1", cuda.cuGraphicsSubResourceGetMappedArray(&q, r, 0, 1), "%s",
          q == AS0 ? "" : adesc(q));
    CHECK("unmap", um(r));
    CHECK("unregister", un(r));
}
