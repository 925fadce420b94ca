/* SPDX-License-Identifier: MIT */
/*
 * EGL: images, sync objects, streams.
 */
#include "opengl.h"

typedef CUgraphicsResource gr;
#define RS0 ((gr)UNTOUCHED)
#define AS0 ((CUarray)UNTOUCHED)
#define U(x) ((uint64_t)(uintptr_t)(x))
#define T8 tfind("RGBA8")
static CUresult mp(gr r)
{
    return cuda.cuGraphicsMapResources(1, &r, 0);
}
static CUresult um(gr r)
{
    return cuda.cuGraphicsUnmapResources(1, &r, 0);
}
static CUresult un(gr r)
{
    return cuda.cuGraphicsUnregisterResource(r);
}
static void deltex(struct tx *t)
{
    gl.DeleteTextures(1, &t->t);
}
/* ---- EGL ---- */
static const char *frame(const CUeglFrame *f)
{
    return format("type=%d %ux%ux%u pitch=%u planes=%u ch=%u color=0x%x fmt=%s p0=%d p1=%d p2=%d",
                  f->frameType, f->width, f->height, f->depth, f->pitch, f->planeCount,
                  f->numChannels, f->eglColorFormat, fmtname(f->cuFormat), f->frame.pArray[0] != 0,
                  f->frame.pArray[1] != 0, f->frame.pArray[2] != 0);
}
static EGLImageKHR mkimg(EGLenum tgt, GLuint n, int level)
{
    EGLint at[] = {EGL_GL_TEXTURE_LEVEL_KHR, level, EGL_IMAGE_PRESERVED_KHR, EGL_TRUE, EGL_NONE},
           ar[] = {EGL_NONE};
    return egl.CreateImageKHR ? egl.CreateImageKHR(ED, EC, tgt, (EGLClientBuffer)(uintptr_t)n,
                                                   tgt == EGL_GL_RENDERBUFFER_KHR ? ar : at)
                              : EGL_NO_IMAGE_KHR;
}
GROUP(2300, ei1, "eglimage")
{
    both();
    static const char *fn[] = {"RGBA8",   "R8",      "RG8",  "R32F",         "RGBA32F",
                               "RGBA16F", "RGBA8UI", "RGB8", "SRGB8_ALPHA8", "RGB10_A2"};
    gr r;
    CUeglFrame fr;
    RECORD("setup", "eglCreateImageKHR=%d gl_texture_2D_image=%d", egl.CreateImageKHR != 0,
           hasext(egl.QueryString(ED, EGL_EXTENSIONS), "EGL_KHR_gl_texture_2D_image"));
    for (size_t i = 0; i < COUNT_OF(fn); i++)
        for (unsigned fl = 0; fl < 9; fl = fl < 4 ? fl + 1 : fl * 2) {
            const struct tf *f = tfind(fn[i]);
            struct tx t = mktex(GL_TEXTURE_2D, f, 37, 21, 1, 1, 0, 1);
            gl.Finish();
            EGLImageKHR im = mkimg(EGL_GL_TEXTURE_2D_KHR, t.t, 0);
            if (fl == 0)
                RECORD(format("%s-create", fn[i]), "image=%d eglerr=0x%x", im != EGL_NO_IMAGE_KHR,
                       egl.GetError());
            r = RS0;
            if (im == EGL_NO_IMAGE_KHR) {
                deltex(&t);
                continue;
            }
            if (!CHECK(format("%s-f%u", fn[i], fl), more.cuGraphicsEGLRegisterImage(&r, im, fl),
                       "out=%s", out_state_of(U(r)))) {
                memset(&fr, 0, sizeof fr);
                CUresult x =
                    CHECK(format("%s-f%u-frame", fn[i], fl),
                          more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 0), "%s", frame(&fr));
                CHECK(format("%s-f%u-frame-i1", fn[i], fl),
                      more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 1, 0));
                CHECK(format("%s-f%u-frame-l1", fn[i], fl),
                      more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 1));
                if (!x) {
                    memset(&fr, 0, sizeof fr);
                    more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 0);
                    if (fr.frameType == CU_EGL_FRAME_TYPE_ARRAY) {
                        RECORD(format("%s-f%u-desc", fn[i], fl), "%s", adesc(fr.frame.pArray[0]));
                        RECORD(format("%s-f%u-read", fn[i], fl), "data=%s",
                               acheck(fr.frame.pArray[0], (size_t)37 * f->bpp, 21, 1, f, 1));
                        CHECK(format("%s-f%u-write", fn[i], fl),
                              afill(fr.frame.pArray[0], (size_t)37 * f->bpp, 21, 1, f, 5));
                        CHECK(format("%s-f%u-write-sync", fn[i], fl), cuda.cuCtxSynchronize(),
                              "gl=%s", tsame(&t, 0, 0, 5));
                    } else
                        RECORD(format("%s-f%u-pitch", fn[i], fl), "%s",
                               range_of((CUdeviceptr)(uintptr_t)fr.frame.pPitch[0]));
                }
                CUarray a = AS0;
                CHECK(format("%s-f%u-array-unmapped", fn[i], fl),
                      cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0),
                      "out=%s same_as_frame=%d", out_state_of(U(a)), a == fr.frame.pArray[0]);
                CUdeviceptr p = UNTOUCHED;
                size_t z = 0;
                CHECK(format("%s-f%u-ptr", fn[i], fl),
                      cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r), "out=%s",
                      out_state_of(p));
                CHECK(format("%s-f%u-setflags", fn[i], fl),
                      cuda.cuGraphicsResourceSetMapFlags(r, 0));
                CHECK(format("%s-f%u-map", fn[i], fl), mp(r));
                CHECK(format("%s-f%u-unmap", fn[i], fl), um(r));
                CHECK(format("%s-f%u-unregister", fn[i], fl), un(r));
            }
            if (egl.DestroyImageKHR)
                egl.DestroyImageKHR(ED, im);
            deltex(&t);
        }
    r = RS0;
    CHECK("null-image", more.cuGraphicsEGLRegisterImage(&r, NULL, 0), "out=%s", out_state_of(U(r)));
    struct tx t = mktex(GL_TEXTURE_2D, T8, 37, 21, 1, 1, 0, 1);
    EGLImageKHR im = mkimg(EGL_GL_TEXTURE_2D_KHR, t.t, 0);
    CHECK("null-out", more.cuGraphicsEGLRegisterImage(NULL, im, 0));
    for (int b = 3; b < 32; b += 7)
        CHECK(format("flagbit%d", b), more.cuGraphicsEGLRegisterImage(&r, im, 1u << b));
    CHECK("flags-max", more.cuGraphicsEGLRegisterImage(&r, im, 0xffffffffu));
    CHECK("frame-null-resource", more.cuGraphicsResourceGetMappedEglFrame(&fr, NULL, 0, 0));
    CHECK("frame-null-out", more.cuGraphicsResourceGetMappedEglFrame(NULL, NULL, 0, 0));
    gr g = 0;
    if (!more.cuGraphicsGLRegisterImage(&g, t.t, GL_TEXTURE_2D, 0)) {
        CHECK("frame-of-gl-unmapped", more.cuGraphicsResourceGetMappedEglFrame(&fr, g, 0, 0));
        mp(g);
        CHECK("frame-of-gl-mapped", more.cuGraphicsResourceGetMappedEglFrame(&fr, g, 0, 0));
        um(g);
        un(g);
    }
    struct tx m = mktex(GL_TEXTURE_2D, T8, 64, 32, 1, 4, 0, 1);
    im = mkimg(EGL_GL_TEXTURE_2D_KHR, m.t, 1);
    RECORD("level1-create", "image=%d eglerr=0x%x", im != 0, egl.GetError());
    if (im) {
        r = RS0;
        if (!CHECK("level1", more.cuGraphicsEGLRegisterImage(&r, im, 0))) {
            memset(&fr, 0, sizeof fr);
            CHECK("level1-frame", more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 0), "%s",
                  frame(&fr));
        }
    }
    struct tx c = mktex(GL_TEXTURE_CUBE_MAP, T8, 32, 32, 1, 1, 0, 1);
    im = mkimg(EGL_GL_TEXTURE_CUBE_MAP_POSITIVE_Y_KHR, c.t, 0);
    RECORD("cube-create", "image=%d eglerr=0x%x", im != 0, egl.GetError());
    if (im) {
        r = RS0;
        if (!CHECK("cube", more.cuGraphicsEGLRegisterImage(&r, im, 0))) {
            memset(&fr, 0, sizeof fr);
            CHECK("cube-frame", more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 0), "%s",
                  frame(&fr));
        }
    }
    GLuint rb;
    gl.GenRenderbuffers(1, &rb);
    gl.BindRenderbuffer(GL_RENDERBUFFER, rb);
    gl.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 37, 21);
    im = mkimg(EGL_GL_RENDERBUFFER_KHR, rb, 0);
    RECORD("renderbuffer-create", "image=%d eglerr=0x%x", im != 0, egl.GetError());
    if (im) {
        r = RS0;
        if (!CHECK("renderbuffer", more.cuGraphicsEGLRegisterImage(&r, im, 0))) {
            memset(&fr, 0, sizeof fr);
            CHECK("renderbuffer-frame", more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 0),
                  "%s", frame(&fr));
        }
    }
}
GROUP(2301, ei2, "eglsync")
{
    both();
    EGLSyncKHR s = egl.CreateSyncKHR ? egl.CreateSyncKHR(ED, EGL_SYNC_FENCE_KHR, NULL) : 0;
    CUevent e = (CUevent)UNTOUCHED;
    RECORD("create", "sync=%d eglerr=0x%x", s != 0, egl.GetError());
    if (s)
        for (unsigned f = 0; f < 5; f++) {
            e = (CUevent)UNTOUCHED;
            if (!CHECK(format("event-f%u", f), more.cuEventCreateFromEGLSync(&e, s, f), "out=%s",
                       out_state_of(U(e)))) {
                CHECK(format("event-f%u-query", f), cuda.cuEventQuery(e));
                CHECK(format("event-f%u-wait", f), cuda.cuStreamWaitEvent(0, e, 0));
                CHECK(format("event-f%u-sync", f), cuda.cuEventSynchronize(e));
                CHECK(format("event-f%u-record", f), cuda.cuEventRecord(e, 0));
                CHECK(format("event-f%u-destroy", f), cuda.cuEventDestroy(e));
            }
        }
    CHECK("null-out", more.cuEventCreateFromEGLSync(NULL, s, 0));
    CHECK("null-sync", more.cuEventCreateFromEGLSync(&e, NULL, 0));
}
GROUP(2302, ei3, "eglstream")
{
    both();
    CUeglStreamConnection c = (CUeglStreamConnection)UNTOUCHED;
    gr r = 0;
    CUstream S = stream_new(0);
    CUeglFrame f;
    memset(&f, 0, sizeof f);
    RECORD("setup", "eglCreateStreamKHR=%d ext=%d", egl.CreateStreamKHR != 0,
           hasext(egl.QueryString(ED, EGL_EXTENSIONS), "EGL_KHR_stream"));
    CHECK("consumer-connect-null", more.cuEGLStreamConsumerConnect(&c, NULL), "out=%s",
          out_state_of(U(c)));
    CHECK("consumer-connect-null-both", more.cuEGLStreamConsumerConnect(NULL, NULL));
    CHECK("consumer-connectflags-null", more.cuEGLStreamConsumerConnectWithFlags(&c, NULL, 0));
    CHECK("consumer-connectflags-bad", more.cuEGLStreamConsumerConnectWithFlags(&c, NULL, 7));
    CHECK("consumer-disconnect-null", more.cuEGLStreamConsumerDisconnect(NULL));
    CHECK("consumer-acquire-null", more.cuEGLStreamConsumerAcquireFrame(NULL, &r, &S, 0));
    CHECK("consumer-release-null", more.cuEGLStreamConsumerReleaseFrame(NULL, NULL, &S));
    CHECK("producer-connect-null", more.cuEGLStreamProducerConnect(&c, NULL, 16, 16));
    CHECK("producer-disconnect-null", more.cuEGLStreamProducerDisconnect(NULL));
    CHECK("producer-present-null", more.cuEGLStreamProducerPresentFrame(NULL, f, &S));
    CHECK("producer-return-null", more.cuEGLStreamProducerReturnFrame(NULL, &f, &S));
    if (egl.CreateStreamKHR && hasext(egl.QueryString(ED, EGL_EXTENSIONS), "EGL_KHR_stream")) {
        EGLStreamKHR s = egl.CreateStreamKHR(ED, NULL);
        RECORD("create", "stream=%d", s != 0);
        c = (CUeglStreamConnection)UNTOUCHED;
        CUeglStreamConnection pc = (CUeglStreamConnection)UNTOUCHED;
        if (!CHECK("producer-before-consumer", more.cuEGLStreamProducerConnect(&pc, s, 16, 16)))
            more.cuEGLStreamProducerDisconnect(&pc);
        if (!CHECK("consumer-connect", more.cuEGLStreamConsumerConnect(&c, s), "out=%s",
                   out_state_of(U(c)))) {
            pc = (CUeglStreamConnection)UNTOUCHED;
            CUresult x = CHECK("producer-connect", more.cuEGLStreamProducerConnect(&pc, s, 16, 16),
                               "out=%s", out_state_of(U(pc)));
            CHECK("acquire-empty", more.cuEGLStreamConsumerAcquireFrame(&c, &r, &S, 1000));
            if (!x)
                CHECK("producer-disconnect", more.cuEGLStreamProducerDisconnect(&pc));
            CHECK("consumer-disconnect", more.cuEGLStreamConsumerDisconnect(&c));
        }
    }
}
GROUP(2303, ei4, "egliso-image_destroyed")
{
    both();
    keep_after_sticky = 1;
    struct tx t = mktex(GL_TEXTURE_2D, T8, 37, 21, 1, 1, 0, 1);
    EGLImageKHR im = mkimg(EGL_GL_TEXTURE_2D_KHR, t.t, 0);
    gr r = RS0;
    if (CHECK("register", more.cuGraphicsEGLRegisterImage(&r, im, 0)) && 1)
        return;
    if (egl.DestroyImageKHR && im)
        egl.DestroyImageKHR(ED, im);
    deltex(&t);
    CUeglFrame fr;
    memset(&fr, 0, sizeof fr);
    CHECK("frame", more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 0), "%s", frame(&fr));
    CHECK("unregister", un(r));
    CHECK("register-destroyed", more.cuGraphicsEGLRegisterImage(&r, im, 0));
}
GROUP(2304, ei5, "egliso-image_garbage")
{
    both();
    keep_after_sticky = 1;
    gr r = RS0;
    CHECK("register", more.cuGraphicsEGLRegisterImage(&r, (EGLImageKHR)0x7777, 0), "out=%s",
          out_state_of(U(r)));
}
GROUP(2305, ei6, "egliso-sync_garbage")
{
    both();
    keep_after_sticky = 1;
    CUevent e = 0;
    CHECK("event", more.cuEventCreateFromEGLSync(&e, (EGLSyncKHR)0x7777, 0));
}
GROUP(2306, ei7, "egliso-noegl")
{
    use_cuda();
    keep_after_sticky = 1;
    gr r = RS0;
    CHECK("register-null", more.cuGraphicsEGLRegisterImage(&r, NULL, 0));
    CUevent e = 0;
    CHECK("event-null", more.cuEventCreateFromEGLSync(&e, NULL, 0));
}
