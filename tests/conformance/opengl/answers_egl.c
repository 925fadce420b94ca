/* SPDX-License-Identifier: MIT */
/*
 * EGL: images, sync objects, streams.
 */
#include "opengl.h"

static const char *frame_text(const CUeglFrame *f)
{
    return format("type=%d %ux%ux%u pitch=%u planes=%u ch=%u color=0x%x fmt=%s p0=%d p1=%d p2=%d",
                  f->frameType, f->width, f->height, f->depth, f->pitch, f->planeCount,
                  f->numChannels, f->eglColorFormat, format_name(f->cuFormat),
                  f->frame.pArray[0] != 0, f->frame.pArray[1] != 0, f->frame.pArray[2] != 0);
}

static EGLImageKHR egl_image_new(EGLenum tgt, GLuint n, int level)
{
    EGLint at[] = {EGL_GL_TEXTURE_LEVEL_KHR, level, EGL_IMAGE_PRESERVED_KHR, EGL_TRUE, EGL_NONE},
           ar[] = {EGL_NONE};
    return egl.CreateImageKHR
               ? egl.CreateImageKHR(egl_display, gl_context, tgt, (EGLClientBuffer)(uintptr_t)n,
                                    tgt == EGL_GL_RENDERBUFFER_KHR ? ar : at)
               : EGL_NO_IMAGE_KHR;
}

GROUP(2300, eglimage, "eglimage")
{
    use_cuda_and_gl();
    static const char *fn[] = {"RGBA8",   "R8",      "RG8",  "R32F",         "RGBA32F",
                               "RGBA16F", "RGBA8UI", "RGB8", "SRGB8_ALPHA8", "RGB10_A2"};
    CUgraphicsResource r;
    CUeglFrame fr;
    RECORD(
        "setup", "eglCreateImageKHR=%d gl_texture_2D_image=%d", egl.CreateImageKHR != 0,
        has_extension(egl.QueryString(egl_display, EGL_EXTENSIONS), "EGL_KHR_gl_texture_2D_image"));
    for (size_t i = 0; i < COUNT_OF(fn); i++)
        for (unsigned fl = 0; fl < 9; fl = fl < 4 ? fl + 1 : fl * 2) {
            const struct texel_format *f = texel_format_find(fn[i]);
            struct texture t = texture_new(GL_TEXTURE_2D, f, 37, 21, 1, 1, 0, 1);
            gl.Finish();
            EGLImageKHR im = egl_image_new(EGL_GL_TEXTURE_2D_KHR, t.gl_name, 0);
            if (fl == 0)
                RECORD(format("%s-create", fn[i]), "image=%d eglerr=0x%x", im != EGL_NO_IMAGE_KHR,
                       egl.GetError());
            r = UNTOUCHED_RESOURCE;
            if (im == EGL_NO_IMAGE_KHR) {
                texture_delete(&t);
                continue;
            }
            if (!CHECK(format("%s-f%u", fn[i], fl), more.cuGraphicsEGLRegisterImage(&r, im, fl),
                       "out=%s", out_state_of(AS_BITS(r)))) {
                memset(&fr, 0, sizeof fr);
                CUresult x = CHECK(format("%s-f%u-frame", fn[i], fl),
                                   more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 0), "%s",
                                   frame_text(&fr));
                CHECK(format("%s-f%u-frame-i1", fn[i], fl),
                      more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 1, 0));
                CHECK(format("%s-f%u-frame-l1", fn[i], fl),
                      more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 1));
                if (!x) {
                    memset(&fr, 0, sizeof fr);
                    more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 0);
                    if (fr.frameType == CU_EGL_FRAME_TYPE_ARRAY) {
                        RECORD(format("%s-f%u-desc", fn[i], fl), "%s",
                               array_text(fr.frame.pArray[0]));
                        RECORD(format("%s-f%u-read", fn[i], fl), "data=%s",
                               array_check(fr.frame.pArray[0], (size_t)37 * f->texel_bytes, 21, 1,
                                           f, 1));
                        CHECK(format("%s-f%u-write", fn[i], fl),
                              array_fill(fr.frame.pArray[0], (size_t)37 * f->texel_bytes, 21, 1, f,
                                         5));
                        CHECK(format("%s-f%u-write-sync", fn[i], fl), cuda.cuCtxSynchronize(),
                              "gl=%s", texture_check(&t, 0, 0, 5));
                    } else
                        RECORD(format("%s-f%u-pitch", fn[i], fl), "%s",
                               range_of((CUdeviceptr)(uintptr_t)fr.frame.pPitch[0]));
                }
                CUarray a = UNTOUCHED_ARRAY;
                CHECK(format("%s-f%u-array-unmapped", fn[i], fl),
                      cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0),
                      "out=%s same_as_frame=%d", out_state_of(AS_BITS(a)), a == fr.frame.pArray[0]);
                CUdeviceptr p = UNTOUCHED;
                size_t z = 0;
                CHECK(format("%s-f%u-ptr", fn[i], fl),
                      cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r), "out=%s",
                      out_state_of(p));
                CHECK(format("%s-f%u-setflags", fn[i], fl),
                      cuda.cuGraphicsResourceSetMapFlags(r, 0));
                CHECK(format("%s-f%u-map", fn[i], fl), resource_map(r));
                CHECK(format("%s-f%u-unmap", fn[i], fl), resource_unmap(r));
                CHECK(format("%s-f%u-unregister", fn[i], fl), resource_unregister(r));
            }
            if (egl.DestroyImageKHR)
                egl.DestroyImageKHR(egl_display, im);
            texture_delete(&t);
        }
    r = UNTOUCHED_RESOURCE;
    CHECK("null-image", more.cuGraphicsEGLRegisterImage(&r, NULL, 0), "out=%s",
          out_state_of(AS_BITS(r)));
    struct texture t = texture_new(GL_TEXTURE_2D, RGBA8_FORMAT, 37, 21, 1, 1, 0, 1);
    EGLImageKHR im = egl_image_new(EGL_GL_TEXTURE_2D_KHR, t.gl_name, 0);
    CHECK("null-out", more.cuGraphicsEGLRegisterImage(NULL, im, 0));
    for (int b = 3; b < 32; b += 7)
        CHECK(format("flagbit%d", b), more.cuGraphicsEGLRegisterImage(&r, im, 1u << b));
    CHECK("flags-max", more.cuGraphicsEGLRegisterImage(&r, im, 0xffffffffu));
    CHECK("frame-null-resource", more.cuGraphicsResourceGetMappedEglFrame(&fr, NULL, 0, 0));
    CHECK("frame-null-out", more.cuGraphicsResourceGetMappedEglFrame(NULL, NULL, 0, 0));
    CUgraphicsResource g = 0;
    if (!more.cuGraphicsGLRegisterImage(&g, t.gl_name, GL_TEXTURE_2D, 0)) {
        CHECK("frame-of-gl-unmapped", more.cuGraphicsResourceGetMappedEglFrame(&fr, g, 0, 0));
        resource_map(g);
        CHECK("frame-of-gl-mapped", more.cuGraphicsResourceGetMappedEglFrame(&fr, g, 0, 0));
        resource_unmap(g);
        resource_unregister(g);
    }
    struct texture m = texture_new(GL_TEXTURE_2D, RGBA8_FORMAT, 64, 32, 1, 4, 0, 1);
    im = egl_image_new(EGL_GL_TEXTURE_2D_KHR, m.gl_name, 1);
    RECORD("level1-create", "image=%d eglerr=0x%x", im != 0, egl.GetError());
    if (im) {
        r = UNTOUCHED_RESOURCE;
        if (!CHECK("level1", more.cuGraphicsEGLRegisterImage(&r, im, 0))) {
            memset(&fr, 0, sizeof fr);
            CHECK("level1-frame", more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 0), "%s",
                  frame_text(&fr));
        }
    }
    struct texture c = texture_new(GL_TEXTURE_CUBE_MAP, RGBA8_FORMAT, 32, 32, 1, 1, 0, 1);
    im = egl_image_new(EGL_GL_TEXTURE_CUBE_MAP_POSITIVE_Y_KHR, c.gl_name, 0);
    RECORD("cube-create", "image=%d eglerr=0x%x", im != 0, egl.GetError());
    if (im) {
        r = UNTOUCHED_RESOURCE;
        if (!CHECK("cube", more.cuGraphicsEGLRegisterImage(&r, im, 0))) {
            memset(&fr, 0, sizeof fr);
            CHECK("cube-frame", more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 0), "%s",
                  frame_text(&fr));
        }
    }
    GLuint rb;
    gl.GenRenderbuffers(1, &rb);
    gl.BindRenderbuffer(GL_RENDERBUFFER, rb);
    gl.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 37, 21);
    im = egl_image_new(EGL_GL_RENDERBUFFER_KHR, rb, 0);
    RECORD("renderbuffer-create", "image=%d eglerr=0x%x", im != 0, egl.GetError());
    if (im) {
        r = UNTOUCHED_RESOURCE;
        if (!CHECK("renderbuffer", more.cuGraphicsEGLRegisterImage(&r, im, 0))) {
            memset(&fr, 0, sizeof fr);
            CHECK("renderbuffer-frame", more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 0),
                  "%s", frame_text(&fr));
        }
    }
}

GROUP(2301, eglsync, "eglsync")
{
    use_cuda_and_gl();
    EGLSyncKHR s = egl.CreateSyncKHR ? egl.CreateSyncKHR(egl_display, EGL_SYNC_FENCE_KHR, NULL) : 0;
    CUevent e = (CUevent)UNTOUCHED;
    RECORD("create", "sync=%d eglerr=0x%x", s != 0, egl.GetError());
    if (s)
        for (unsigned f = 0; f < 5; f++) {
            e = (CUevent)UNTOUCHED;
            if (!CHECK(format("event-f%u", f), more.cuEventCreateFromEGLSync(&e, s, f), "out=%s",
                       out_state_of(AS_BITS(e)))) {
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

GROUP(2302, eglstream, "eglstream")
{
    use_cuda_and_gl();
    CUeglStreamConnection c = (CUeglStreamConnection)UNTOUCHED;
    CUgraphicsResource r = 0;
    CUstream S = stream_new(0);
    CUeglFrame f;
    memset(&f, 0, sizeof f);
    RECORD("setup", "eglCreateStreamKHR=%d ext=%d", egl.CreateStreamKHR != 0,
           has_extension(egl.QueryString(egl_display, EGL_EXTENSIONS), "EGL_KHR_stream"));
    CHECK("consumer-connect-null", more.cuEGLStreamConsumerConnect(&c, NULL), "out=%s",
          out_state_of(AS_BITS(c)));
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
    if (egl.CreateStreamKHR &&
        has_extension(egl.QueryString(egl_display, EGL_EXTENSIONS), "EGL_KHR_stream")) {
        EGLStreamKHR s = egl.CreateStreamKHR(egl_display, NULL);
        RECORD("create", "stream=%d", s != 0);
        c = (CUeglStreamConnection)UNTOUCHED;
        CUeglStreamConnection pc = (CUeglStreamConnection)UNTOUCHED;
        if (!CHECK("producer-before-consumer", more.cuEGLStreamProducerConnect(&pc, s, 16, 16)))
            more.cuEGLStreamProducerDisconnect(&pc);
        if (!CHECK("consumer-connect", more.cuEGLStreamConsumerConnect(&c, s), "out=%s",
                   out_state_of(AS_BITS(c)))) {
            pc = (CUeglStreamConnection)UNTOUCHED;
            CUresult x = CHECK("producer-connect", more.cuEGLStreamProducerConnect(&pc, s, 16, 16),
                               "out=%s", out_state_of(AS_BITS(pc)));
            CHECK("acquire-empty", more.cuEGLStreamConsumerAcquireFrame(&c, &r, &S, 1000));
            if (!x)
                CHECK("producer-disconnect", more.cuEGLStreamProducerDisconnect(&pc));
            CHECK("consumer-disconnect", more.cuEGLStreamConsumerDisconnect(&c));
        }
    }
}

GROUP(2303, egliso_image_destroyed, "egliso-image_destroyed")
{
    use_cuda_and_gl();
    keep_after_sticky = 1;
    struct texture t = texture_new(GL_TEXTURE_2D, RGBA8_FORMAT, 37, 21, 1, 1, 0, 1);
    EGLImageKHR im = egl_image_new(EGL_GL_TEXTURE_2D_KHR, t.gl_name, 0);
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    if (CHECK("register", more.cuGraphicsEGLRegisterImage(&r, im, 0)) && 1)
        return;
    if (egl.DestroyImageKHR && im)
        egl.DestroyImageKHR(egl_display, im);
    texture_delete(&t);
    CUeglFrame fr;
    memset(&fr, 0, sizeof fr);
    CHECK("frame", more.cuGraphicsResourceGetMappedEglFrame(&fr, r, 0, 0), "%s", frame_text(&fr));
    CHECK("unregister", resource_unregister(r));
    CHECK("register-destroyed", more.cuGraphicsEGLRegisterImage(&r, im, 0));
}

GROUP(2304, egliso_image_garbage, "egliso-image_garbage")
{
    use_cuda_and_gl();
    keep_after_sticky = 1;
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    CHECK("register", more.cuGraphicsEGLRegisterImage(&r, (EGLImageKHR)0x7777, 0), "out=%s",
          out_state_of(AS_BITS(r)));
}

GROUP(2305, egliso_sync_garbage, "egliso-sync_garbage")
{
    use_cuda_and_gl();
    keep_after_sticky = 1;
    CUevent e = 0;
    CHECK("event", more.cuEventCreateFromEGLSync(&e, (EGLSyncKHR)0x7777, 0));
}

GROUP(2306, egliso_noegl, "egliso-noegl")
{
    use_cuda();
    keep_after_sticky = 1;
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    CHECK("register-null", more.cuGraphicsEGLRegisterImage(&r, NULL, 0));
    CUevent e = 0;
    CHECK("event-null", more.cuEventCreateFromEGLSync(&e, NULL, 0));
}
