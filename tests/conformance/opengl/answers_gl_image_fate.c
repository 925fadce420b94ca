/* SPDX-License-Identifier: MIT */
/*
 * OpenGL renderbuffers; images read and written, deleted, changed and stale.
 */
#include "gl_image.h"

GROUP(2226, glimg_renderbuffer, "glimg-renderbuffer")
{
    use_cuda_and_gl();
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
            snprintf(pe, sizeof pe, "%s", gl_error());
            CUgraphicsResource r = UNTOUCHED_RESOURCE;
            if (!CHECK(format("%s-f%u", f[i].n, fl),
                       more.cuGraphicsGLRegisterImage(&r, b, GL_RENDERBUFFER, fl),
                       "out=%s gl_setup=%s", out_state_of(AS_BITS(r)), pe)) {
                CHECK(format("%s-f%u-map", f[i].n, fl), resource_map(r));
                CUarray a = UNTOUCHED_ARRAY;
                CHECK(format("%s-f%u-array", f[i].n, fl),
                      cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0), "%s",
                      a == UNTOUCHED_ARRAY ? "" : array_text(a));
                a = UNTOUCHED_ARRAY;
                CHECK(format("%s-f%u-array-i1", f[i].n, fl),
                      cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 1, 0));
                CHECK(format("%s-f%u-array-l1", f[i].n, fl),
                      cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 1));
                CUmipmappedArray m = UNTOUCHED_MIPMAP;
                CHECK(format("%s-f%u-mip", f[i].n, fl),
                      cuda.cuGraphicsResourceGetMappedMipmappedArray(&m, r), "out=%s",
                      out_state_of(AS_BITS(m)));
                CHECK(format("%s-f%u-unmap", f[i].n, fl), resource_unmap(r));
                CHECK(format("%s-f%u-unregister", f[i].n, fl), resource_unregister(r));
            }
        }
    const struct texel_format *t8 = RGBA8_FORMAT;
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
    CUgraphicsResource r = image_register(b, GL_RENDERBUFFER, 0);
    if (GONE(r))
        return;
    CHECK("data-map", resource_map(r));
    CUarray a = mapped_array(r, 0, 0);
    unsigned char *h = calloc(1, 37 * 21 * 4);
    CUresult x = array_read(a, h, 37 * 4, 21, 1);
    RECORD("data-read", "r=%s px=%u,%u,%u,%u", result_name(x), h[0], h[1], h[2], h[3]);
    CHECK("data-write", array_fill(a, 37 * 4, 21, 1, t8, 7));
    CHECK("data-unmap", resource_unmap(r));
    gl.ReadPixels(0, 0, 37, 21, GL_RGBA, GL_UNSIGNED_BYTE, h);
    RECORD("data-gl", "data=%s glerr=%s", texels_check(h, 37 * 4, 21, 1, t8, 7), gl_error());
    free(h);
    gl.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 64, 64);
    CHECK("respec-map", resource_map(r));
    a = mapped_array(r, 0, 0);
    RECORD("respec-desc", "%s", array_text(a));
    CHECK("respec-unmap", resource_unmap(r));
    GLuint ms;
    gl.GenRenderbuffers(1, &ms);
    gl.BindRenderbuffer(GL_RENDERBUFFER, ms);
    gl.RenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, 37, 21);
    r = UNTOUCHED_RESOURCE;
    CHECK("multisample", more.cuGraphicsGLRegisterImage(&r, ms, GL_RENDERBUFFER, 0), "out=%s",
          out_state_of(AS_BITS(r)));
    GLuint ns;
    gl.GenRenderbuffers(1, &ns);
    CHECK("never-bound", more.cuGraphicsGLRegisterImage(&r, ns, GL_RENDERBUFFER, 0));
    gl.BindRenderbuffer(GL_RENDERBUFFER, ns);
    CHECK("no-storage", more.cuGraphicsGLRegisterImage(&r, ns, GL_RENDERBUFFER, 0));
    CHECK("as-texture", more.cuGraphicsGLRegisterImage(&r, b, GL_TEXTURE_2D, 0));
}

GROUP(2230, glimg_data, "glimg-data")
{
    use_cuda_and_gl();
    static const char *fn[] = {"none", "readonly", "discard", "?", "ldst"};
    const struct texel_format *f = RGBA8_FORMAT;
    size_t row = 37 * 4;
    for (unsigned fl = 0; fl < 5; fl++) {
        if (fl == 3)
            continue;
        struct texture t = texture_new(GL_TEXTURE_2D, f, 37, 21, 1, 1, 0, 1);
        CUgraphicsResource r = image_register(t.gl_name, GL_TEXTURE_2D, fl);
        if (GONE(r))
            continue;
        CHECK(format("%s-map", fn[fl]), resource_map(r));
        CUarray a = mapped_array(r, 0, 0);
        RECORD(format("%s-contents", fn[fl]), "data=%s", array_check(a, row, 21, 1, f, 1));
        CHECK(format("%s-write", fn[fl]), array_fill(a, row, 21, 1, f, 2));
        RECORD(format("%s-own-write", fn[fl]), "data=%s", array_check(a, row, 21, 1, f, 2));
        RECORD(format("%s-gl-while-mapped", fn[fl]), "old=%s new=%s", texture_check(&t, 0, 0, 1),
               with_gl_error(texture_check(&t, 0, 0, 2)));
        CHECK(format("%s-unmap", fn[fl]), resource_unmap(r));
        RECORD(format("%s-gl", fn[fl]), "new=%s old=%s", texture_check(&t, 0, 0, 2),
               texture_check(&t, 0, 0, 1));
        unsigned char *b = malloc(row * 21);
        texels_fill(b, row * 21, f, 3);
        gl.BindTexture(GL_TEXTURE_2D, t.gl_name);
        gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 37, 21, f->format, f->type, b);
        CHECK(format("%s-map2", fn[fl]), resource_map(r));
        a = mapped_array(r, 0, 0);
        RECORD(format("%s-contents2", fn[fl]), "data=%s", array_check(a, row, 21, 1, f, 3));
        CHECK(format("%s-unmap2", fn[fl]), resource_unmap(r));
        RECORD(format("%s-gl2", fn[fl]), "data=%s", texture_check(&t, 0, 0, 3));
        for (unsigned s = 0; s < 4; s++) {
            CHECK(format("%s-setflags%u", fn[fl], s), cuda.cuGraphicsResourceSetMapFlags(r, s));
            CHECK(format("%s-setflags%u-map", fn[fl], s), resource_map(r));
            a = mapped_array(r, 0, 0);
            RECORD(format("%s-setflags%u-contents", fn[fl], s), "data=%s",
                   array_check(a, row, 21, 1, f, 3));
            CHECK(format("%s-setflags%u-mapped", fn[fl], s),
                  cuda.cuGraphicsResourceSetMapFlags(r, s));
            CHECK(format("%s-setflags%u-unmap", fn[fl], s), resource_unmap(r));
        }
        CHECK(format("%s-unregister", fn[fl]), resource_unregister(r));
        free(b);
    }
    /* texture and surface objects on mapped arrays; copies of other kinds */
    for (unsigned fl = 0; fl < 16; fl++) {
        struct texture t = texture_new(GL_TEXTURE_2D, f, 37, 21, 1, 1, 0, 1);
        CUgraphicsResource r = 0;
        if (more.cuGraphicsGLRegisterImage(&r, t.gl_name, GL_TEXTURE_2D, fl)) {
            texture_delete(&t);
            continue;
        }
        resource_map(r);
        CUDA_RESOURCE_DESC rd;
        memset(&rd, 0, sizeof rd);
        rd.resType = CU_RESOURCE_TYPE_ARRAY;
        rd.res.array.hArray = mapped_array(r, 0, 0);
        CUDA_TEXTURE_DESC td;
        memset(&td, 0, sizeof td);
        td.addressMode[0] = td.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
        CUtexObject to = 0;
        CUsurfObject so = 0;
        if (!CHECK(format("texobj-f%u", fl), more.cuTexObjectCreate(&to, &rd, &td, NULL)))
            more.cuTexObjectDestroy(to);
        if (!CHECK(format("surfobj-f%u", fl), more.cuSurfObjectCreate(&so, &rd)))
            more.cuSurfObjectDestroy(so);
        resource_unmap(r);
        resource_unregister(r);
        texture_delete(&t);
    }
    struct texture t = texture_new(GL_TEXTURE_2D, f, 37, 21, 1, 1, 0, 1);
    CUgraphicsResource r = image_register(t.gl_name, GL_TEXTURE_2D, 0);
    if (GONE(r))
        return;
    CHECK("map", resource_map(r));
    CUarray a = mapped_array(r, 0, 0);
    unsigned char h[37 * 4];
    CUDA_ARRAY_DESCRIPTOR ad;
    memset(&ad, 0, sizeof ad);
    CHECK("getdescriptor", cuda.cuArrayGetDescriptor(&ad, a), "%zux%zu fmt=%s ch=%u", ad.Width,
          ad.Height, format_name(ad.Format), ad.NumChannels);
    CHECK("atoh", cuda.cuMemcpyAtoH(h, a, 0, sizeof h), "data=%s",
          texels_check(h, 37 * 4, 1, 1, f, 1));
    CUdeviceptr d = device_alloc(65536);
    CHECK("atod", cuda.cuMemcpyAtoD(d, a, 0, 37 * 4));
    CHECK("dtoa", cuda.cuMemcpyDtoA(a, 0, d, 37 * 4));
    CHECK("too-wide", array_read(a, risky_host, 38 * 4, 21, 1));
    CHECK("too-high", array_read(a, risky_host, 37 * 4, 22, 1));
    CHECK("too-deep", array_read(a, risky_host, 37 * 4, 21, 2));
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
    CHECK("unmap", resource_unmap(r));
    /* rendered by GL, read by CUDA: row order */
    GLuint fb;
    gl.GenFramebuffers(1, &fb);
    gl.BindFramebuffer(GL_FRAMEBUFFER, fb);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t.gl_name, 0);
    gl.ClearColor(64 / 255.f, 128 / 255.f, 1, 0);
    gl.Viewport(0, 0, 37, 21);
    gl.Clear(GL_COLOR_BUFFER_BIT);
    CHECK("rendered-map", resource_map(r));
    a = mapped_array(r, 0, 0);
    memset(h, 0, sizeof h);
    CUresult x = array_read(a, h, 37 * 4, 1, 1);
    RECORD("rendered-px", "r=%s px=%u,%u,%u,%u", result_name(x), h[0], h[1], h[2], h[3]);
    CHECK("rendered-unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
    struct texture s =
        texture_new(GL_TEXTURE_2D, texel_format_find("SRGB8_ALPHA8"), 37, 21, 1, 1, 0, 1);
    r = 0;
    if (!more.cuGraphicsGLRegisterImage(&r, s.gl_name, GL_TEXTURE_2D, 0)) {
        resource_map(r);
        a = mapped_array(r, 0, 0);
        RECORD("srgb-raw", "data=%s", array_check(a, 37 * 4, 21, 1, s.texels, 1));
        resource_unmap(r);
        resource_unregister(r);
    }
    struct texture t1 = texture_new(GL_TEXTURE_2D, f, 37, 21, 1, 1, 0, 1);
    CUgraphicsResource r1 = UNTOUCHED_RESOURCE, r2 = UNTOUCHED_RESOURCE;
    CHECK("twice-first", more.cuGraphicsGLRegisterImage(&r1, t1.gl_name, GL_TEXTURE_2D, 0));
    CHECK("twice-second", more.cuGraphicsGLRegisterImage(&r2, t1.gl_name, GL_TEXTURE_2D, 4),
          "out=%s same=%d", out_state_of(AS_BITS(r2)), r1 == r2);
    if (r1 != UNTOUCHED_RESOURCE && r2 != UNTOUCHED_RESOURCE) {
        CHECK("twice-map-both", cuda.cuGraphicsMapResources(2, (CUgraphicsResource[]){r1, r2}, 0));
        CUarray a1 = mapped_array(r1, 0, 0), a2 = mapped_array(r2, 0, 0);
        RECORD("twice-arrays", "same=%d first %s second %s", a1 == a2, array_text(a1),
               array_text(a2));
        array_fill(a1, row, 21, 1, f, 5);
        RECORD("twice-alias", "data=%s", array_check(a2, row, 21, 1, f, 5));
        CHECK("twice-unmap-both",
              cuda.cuGraphicsUnmapResources(2, (CUgraphicsResource[]){r1, r2}, 0), "gl=%s",
              texture_check(&t1, 0, 0, 5));
    }
    GLuint b = gl_buffer_new(5000, GL_DYNAMIC_DRAW, 1);
    CUgraphicsResource rb = 0;
    more.cuGraphicsGLRegisterBuffer(&rb, b, 0);
    struct texture t9 = texture_new(GL_TEXTURE_2D, f, 37, 21, 1, 1, 0, 1);
    CUgraphicsResource r9 = image_register(t9.gl_name, GL_TEXTURE_2D, 0);
    if (rb && r9) {
        CHECK("mixed-map", cuda.cuGraphicsMapResources(2, (CUgraphicsResource[]){rb, r9}, 0));
        CUarray q = UNTOUCHED_ARRAY;
        CHECK("mixed-array-of-buffer", cuda.cuGraphicsSubResourceGetMappedArray(&q, rb, 0, 0),
              "out=%s", out_state_of(AS_BITS(q)));
        CUdeviceptr pp = UNTOUCHED;
        size_t z;
        CHECK("mixed-ptr-of-image", cuda.cuGraphicsResourceGetMappedPointer(&pp, &z, r9), "out=%s",
              out_state_of(pp));
        CHECK("mixed-unmap", cuda.cuGraphicsUnmapResources(2, (CUgraphicsResource[]){rb, r9}, 0));
    }
}

#define ISOLATED_GROUP(key, id) GROUP(key, gx_##id, "gliso-img_" #id)
#define PREPARE(fl)                                                                                \
    use_cuda_and_gl();                                                                             \
    keep_after_sticky = 1;                                                                         \
    struct texture t = texture_new(GL_TEXTURE_2D, RGBA8_FORMAT, 37, 21, 1, 1, 0, 1);               \
    CUgraphicsResource r = UNTOUCHED_RESOURCE;                                                     \
    CHECK("register", more.cuGraphicsGLRegisterImage(&r, t.gl_name, GL_TEXTURE_2D, fl));           \
    if (GONE(r != UNTOUCHED_RESOURCE))                                                             \
        return;                                                                                    \
    CUarray a = UNTOUCHED_ARRAY;                                                                   \
    (void)a
#define CHECK_ARRAY(nm)                                                                            \
    do {                                                                                           \
        a = UNTOUCHED_ARRAY;                                                                       \
        CHECK(nm, cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0), "out=%s",                 \
              out_state_of(AS_BITS(a)));                                                           \
    } while (0)
#define RECORD_DATA(nm, s)                                                                         \
    RECORD(nm, "data=%s", a == UNTOUCHED_ARRAY ? "-" : array_check(a, 37 * 4, 21, 1, t.texels, s))
ISOLATED_GROUP(2240, array_destroy)
{
    PREPARE(0);
    CHECK("map", resource_map(r));
    CHECK_ARRAY("array");
    CHECK("arraydestroy", cuda.cuArrayDestroy(a));
    RECORD_DATA("data", 1);
    CHECK("unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
    CHECK("sync", cuda.cuCtxSynchronize());
    RECORD("gl", "data=%s", texture_check(&t, 0, 0, 1));
}

ISOLATED_GROUP(2241, mip_destroy)
{
    PREPARE(0);
    CHECK("map", resource_map(r));
    CUmipmappedArray m = UNTOUCHED_MIPMAP;
    CHECK("mip", cuda.cuGraphicsResourceGetMappedMipmappedArray(&m, r));
    CHECK("mipdestroy", cuda.cuMipmappedArrayDestroy(m));
    CHECK_ARRAY("array");
    CHECK("unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}

ISOLATED_GROUP(2242, use_after_unmap)
{
    PREPARE(0);
    CHECK("map", resource_map(r));
    CHECK_ARRAY("array");
    CHECK("unmap", resource_unmap(r));
    RECORD("desc", "%s", a == UNTOUCHED_ARRAY ? "-" : array_text(a));
    RECORD_DATA("read", 1);
    CHECK("write", array_fill(a, 37 * 4, 21, 1, t.texels, 9));
    CHECK("sync", cuda.cuCtxSynchronize());
    RECORD("gl", "old=%s new=%s", texture_check(&t, 0, 0, 1), texture_check(&t, 0, 0, 9));
}

ISOLATED_GROUP(2243, use_after_unregister)
{
    PREPARE(0);
    CHECK("map", resource_map(r));
    CHECK_ARRAY("array");
    CHECK("unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
    RECORD("desc", "%s", a == UNTOUCHED_ARRAY ? "-" : array_text(a));
    RECORD_DATA("read", 1);
    CHECK("sync", cuda.cuCtxSynchronize());
}

ISOLATED_GROUP(2244, unregister_mapped)
{
    PREPARE(0);
    CHECK("map", resource_map(r));
    CHECK_ARRAY("array");
    CHECK("unregister", resource_unregister(r));
    RECORD_DATA("read", 1);
    CHECK("unmap", resource_unmap(r));
    CHECK("sync", cuda.cuCtxSynchronize());
    RECORD("gl", "data=%s", texture_check(&t, 0, 0, 1));
}

ISOLATED_GROUP(2245, unregister_twice)
{
    PREPARE(0);
    CHECK("unregister", resource_unregister(r));
    CHECK("unregister-again", resource_unregister(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}

ISOLATED_GROUP(2246, delete_registered)
{
    PREPARE(0);
    texture_delete(&t);
    CHECK("map", resource_map(r));
    CHECK_ARRAY("array");
    RECORD_DATA("read", 1);
    CHECK("unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}

ISOLATED_GROUP(2247, delete_mapped)
{
    PREPARE(0);
    CHECK("map", resource_map(r));
    CHECK_ARRAY("array");
    texture_delete(&t);
    gl.Finish();
    RECORD_DATA("read", 1);
    CHECK("unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}

#define RESPECIFY_GROUP(id, key, mapped, in, w, h)                                                 \
    ISOLATED_GROUP(key, id)                                                                        \
    {                                                                                              \
        PREPARE(0);                                                                                \
        if (mapped) {                                                                              \
            CHECK("map0", resource_map(r));                                                        \
            CHECK_ARRAY("array0");                                                                 \
        }                                                                                          \
        gl.BindTexture(GL_TEXTURE_2D, t.gl_name);                                                  \
        gl.TexImage2D(GL_TEXTURE_2D, 0, in, w, h, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);             \
        RECORD("respec", "glerr=%s", gl_error());                                                  \
        if (mapped) {                                                                              \
            RECORD_DATA("read0", 1);                                                               \
            CHECK("unmap0", resource_unmap(r));                                                    \
        }                                                                                          \
        CHECK("map", resource_map(r));                                                             \
        CHECK_ARRAY("array");                                                                      \
        RECORD("desc", "%s", a == UNTOUCHED_ARRAY ? "-" : array_text(a));                          \
        CHECK("unmap", resource_unmap(r));                                                         \
        CHECK("unregister", resource_unregister(r));                                               \
        CHECK("sync", cuda.cuCtxSynchronize());                                                    \
        r = UNTOUCHED_RESOURCE;                                                                    \
        CHECK("register-again", more.cuGraphicsGLRegisterImage(&r, t.gl_name, GL_TEXTURE_2D, 0));  \
        CHECK("map-again", resource_map(r));                                                       \
        CHECK_ARRAY("array-again");                                                                \
        RECORD("desc-again", "%s", a == UNTOUCHED_ARRAY ? "-" : array_text(a));                    \
    }
RESPECIFY_GROUP(respec_bigger, 2248, 0, GL_RGBA8, 128, 64)
RESPECIFY_GROUP(respec_same, 2249, 0, GL_RGBA8, 37, 21)
RESPECIFY_GROUP(respec_format, 2250, 0, GL_RGBA32F, 37, 21)
RESPECIFY_GROUP(respec_mapped, 2251, 1, GL_RGBA8, 128, 64)
ISOLATED_GROUP(2252, respec_unsupported)
{
    PREPARE(0);
    gl.BindTexture(GL_TEXTURE_2D, t.gl_name);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, 37, 21, 0, GL_RGB, GL_UNSIGNED_BYTE, NULL);
    CHECK("map", resource_map(r));
    CHECK_ARRAY("array");
    RECORD("desc", "%s", a == UNTOUCHED_ARRAY ? "-" : array_text(a));
    CHECK("unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
}

ISOLATED_GROUP(2253, glctx_destroy)
{
    PREPARE(0);
    CHECK("map", resource_map(r));
    CHECK_ARRAY("array");
    gl_make_current(0);
    egl.DestroyContext(egl_display, gl_context);
    RECORD_DATA("read", 1);
    CHECK("unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}

ISOLATED_GROUP(2254, generate_mipmap_registered)
{
    PREPARE(0);
    gl.BindTexture(GL_TEXTURE_2D, t.gl_name);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1000);
    gl.GenerateMipmap(GL_TEXTURE_2D);
    CHECK("map", resource_map(r));
    CHECK_ARRAY("array");
    RECORD("desc", "%s", a == UNTOUCHED_ARRAY ? "-" : array_text(a));
    RECORD_DATA("read", 1);
    CUarray q = UNTOUCHED_ARRAY;
    CHECK("level1", cuda.cuGraphicsSubResourceGetMappedArray(&q, r, 0, 1), "%s",
          q == UNTOUCHED_ARRAY ? "" : array_text(q));
    CHECK("unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
}
