/* SPDX-License-Identifier: MIT */
/*
 * OpenGL buffers in other threads and contexts, deleted, resized and stale; the first functions.
 */
#include "gl_buffer.h"

/* ---- threads, contexts ---- */
static GLuint TB;
static gr TR, TQ;
static EGLContext TC;
static const char *TN;
static CUcontext C2;
static void t_reg(void)
{
    gr r = RS0;
    CHECK(format("%s-register", TN), more.cuGraphicsGLRegisterBuffer(&r, TB, 0), "out=%s",
          out_state_of(U(r)));
    if (r != RS0)
        CHECK(format("%s-unregister-own", TN), un(r));
}
static void t_map(void)
{
    CUresult x = CHECK(format("%s-map", TN), mp(TR));
    CUdeviceptr p = UNTOUCHED;
    size_t z = 777;
    CHECK(format("%s-getptr", TN), cuda.cuGraphicsResourceGetMappedPointer(&p, &z, TR),
          "out=%s size=%zu", out_state_of(p), z);
    if (!x) {
        RECORD(format("%s-data", TN), "data=%s", device_check(p, N1, 1));
    }
    CHECK(format("%s-unmap", TN), um(TR));
    CHECK(format("%s-setflags", TN), cuda.cuGraphicsResourceSetMapFlags(TR, 0));
    unsigned c = 777;
    CUdevice d[4];
    CHECK(format("%s-getdevices", TN), more.cuGLGetDevices(&c, d, 4, 1), "count=%u", c);
}
static void t_all(void)
{
    t_reg();
    t_map();
}
static void t_shared(void)
{
    gl_cur(TC);
    t_all();
    gl_cur(0);
}
static void t_unreg(void)
{
    CHECK(format("%s-unregister", TN), un(TR));
}
static void t_mapped_use(void)
{
    CUdeviceptr p = gp(TR, 0);
    RECORD(format("%s-data", TN), "data=%s", device_check(p, N1, 1));
    CHECK(format("%s-unmap", TN), um(TR));
}
GROUP(2080, glbthread, "glbuf-thread")
{
    both();
    TB = mkbuf(N1, GL_DYNAMIC_DRAW, 1);
    gl.Finish();
    TR = rg(TB, 0);
    if (GONE(TR)) {
        TN = "unregistered";
        t_reg();
        return;
    }
    TN = "other-thread-no-gl";
    on_thread(t_all, 1);
    TN = "other-thread-no-gl-no-cuda";
    on_thread(t_all, 0);
    TC = gl_ctx(0, EC);
    TN = "other-thread-shared-gl";
    on_thread(t_shared, 1);
    TC = gl_ctx(0, EGL_NO_CONTEXT);
    TN = "other-thread-unshared-gl";
    on_thread(t_shared, 1);
    CHECK("map-here", mp(TR));
    TN = "other-thread-mapped-use";
    on_thread(t_mapped_use, 1);
    CHECK("unmap-here", um(TR));
    gl_cur(0);
    TN = "released-gl";
    t_all();
    gl_cur(EC);
    TN = "again-current";
    t_all();
    GLuint b2 = mkbuf(N1, GL_DYNAMIC_DRAW, 1);
    TB = b2;
    EGLContext sh = gl_ctx(0, EC);
    gl_cur(sh);
    TN = "shared-gl-current";
    t_all();
    EGLContext u = gl_ctx(0, EGL_NO_CONTEXT);
    gl_cur(u);
    TN = "unshared-gl-current";
    t_all();
    gl_cur(EC);
    TN = "back";
    t_all();
    TN = "other-thread-no-gl";
    on_thread(t_unreg, 1);
    TN = "here-after";
    t_unreg();
}
GROUP(2081, glbnoctx, "glbuf-nogl")
{ /* GL never set up: what each entry point says */
    use_cuda();
    gr r = RS0;
    unsigned c = 777;
    CUdevice d[4];
    CHECK("register-0", more.cuGraphicsGLRegisterBuffer(&r, 0, 0), "out=%s", out_state_of(U(r)));
    CHECK("register-1", more.cuGraphicsGLRegisterBuffer(&r, 1, 0), "out=%s", out_state_of(U(r)));
    CHECK("register-badflags", more.cuGraphicsGLRegisterBuffer(&r, 1, 0x80));
    CHECK("register-null-out", more.cuGraphicsGLRegisterBuffer(NULL, 1, 0));
    CHECK("image", more.cuGraphicsGLRegisterImage(&r, 1, GL_TEXTURE_2D, 0), "out=%s",
          out_state_of(U(r)));
    CHECK("image-0", more.cuGraphicsGLRegisterImage(&r, 0, GL_TEXTURE_2D, 0));
    CHECK("image-badtarget", more.cuGraphicsGLRegisterImage(&r, 1, 0, 0));
    CHECK("image-badflags", more.cuGraphicsGLRegisterImage(&r, 1, GL_TEXTURE_2D, 0x80));
    CHECK("image-null-out", more.cuGraphicsGLRegisterImage(NULL, 1, GL_TEXTURE_2D, 0));
    for (int l = 0; l < 5; l++)
        CHECK(format("getdevices-%d", l), more.cuGLGetDevices(&c, d, 4, l), "count=%u", c);
    CHECK("getdevices-null", more.cuGLGetDevices(NULL, NULL, 0, 1));
}
GROUP(2082, glbnoinit, "glbuf-noinit")
{
    gl_up();
    gr r = RS0;
    GLuint b = mkbuf(N1, GL_STATIC_DRAW, 1);
    CHECK("register-noinit", more.cuGraphicsGLRegisterBuffer(&r, b, 0));
    CHECK("image-noinit", more.cuGraphicsGLRegisterImage(&r, 1, GL_TEXTURE_2D, 0));
    unsigned c;
    CUdevice d[4];
    CHECK("getdevices-noinit", more.cuGLGetDevices(&c, d, 4, 1));
    CHECK("map-noinit", cuda.cuGraphicsMapResources(0, NULL, 0));
    CHECK("unregister-noinit", un(NULL));
    use_device();
    CHECK("register-nocudactx", more.cuGraphicsGLRegisterBuffer(&r, b, 0));
    CHECK("image-nocudactx", more.cuGraphicsGLRegisterImage(&r, 1, GL_TEXTURE_2D, 0));
    CHECK("getdevices-nocudactx", more.cuGLGetDevices(&c, d, 4, 1), "count=%u", c);
    CHECK("map-nocudactx", cuda.cuGraphicsMapResources(0, NULL, 0));
    CHECK("unregister-nocudactx", un(NULL));
    CHECK("setflags-nocudactx", cuda.cuGraphicsResourceSetMapFlags(NULL, 0));
}
GROUP(2083, glbcuctx, "glbuf-cudactx")
{
    both();
    GLuint b = mkbuf(N1, GL_DYNAMIC_DRAW, 1), b2 = mkbuf(N1, GL_DYNAMIC_DRAW, 2);
    TB = b;
    TR = rg(b, 0);
    if (GONE(TR))
        return;
    C2 = context_new();
    TN = "second-cuctx-current";
    t_map();
    gr r2 = RS0;
    CHECK("second-register-same-buffer", more.cuGraphicsGLRegisterBuffer(&r2, b, 0), "out=%s",
          out_state_of(U(r2)));
    TQ = RS0;
    CHECK("second-register-other-buffer", more.cuGraphicsGLRegisterBuffer(&TQ, b2, 0), "out=%s",
          out_state_of(U(TQ)));
    if (TQ != RS0) {
        CHECK("second-map-own", mp(TQ));
        cuda.cuCtxSetCurrent(context);
        CUdeviceptr p = UNTOUCHED;
        size_t z;
        CHECK("first-getptr-of-second", cuda.cuGraphicsResourceGetMappedPointer(&p, &z, TQ));
        CHECK("first-unmap-of-second", um(TQ));
        CHECK("first-map-list-of-two-ctxs", cuda.cuGraphicsMapResources(2, (gr[]){TR, TQ}, 0));
        um(TR);
        cuda.cuCtxSetCurrent(C2);
        CHECK("second-unmap-own", um(TQ));
        cuda.cuCtxSetCurrent(context);
        CHECK("first-unregister-of-second", un(TQ));
    }
    cuda.cuCtxSetCurrent(NULL);
    TN = "no-cuctx-current";
    t_map();
    t_unreg();
    cuda.cuCtxSetCurrent(context);
    TN = "first-again";
    t_map();
}
#define ISO(key, id) GROUP(key, gi_##id, "gliso-" #id)
#define PRE(n, fl)                                                                                 \
    both();                                                                                        \
    keep_after_sticky = 1;                                                                         \
    GLuint b = mkbuf(n, GL_DYNAMIC_DRAW, 1);                                                       \
    gr r = RS0;                                                                                    \
    CHECK("register", more.cuGraphicsGLRegisterBuffer(&r, b, fl));                                 \
    if (GONE(r != RS0))                                                                            \
        return;                                                                                    \
    CUdeviceptr p = UNTOUCHED;                                                                     \
    size_t z = 777;                                                                                \
    (void)p;                                                                                       \
    (void)z
#define GP(nm)                                                                                     \
    do {                                                                                           \
        p = UNTOUCHED;                                                                             \
        z = 777;                                                                                   \
        CHECK(nm, cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r), "out=%s size=%zu",           \
              out_state_of(p), z);                                                                 \
    } while (0)
ISO(2100, delete_registered)
{
    PRE(N1, 0);
    gl.DeleteBuffers(1, &b);
    RECORD("isbuffer", "is=%d glerr=%s", gl.IsBuffer(b), gerr());
    CHECK("map", mp(r));
    GP("getptr");
    RECORD("data", "data=%s", device_check(p, N1, 1));
    CHECK("unmap", um(r));
    CHECK("unregister", un(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}
ISO(2101, delete_mapped)
{
    PRE(N1, 0);
    CHECK("map", mp(r));
    GP("getptr");
    gl.DeleteBuffers(1, &b);
    gl.Finish();
    RECORD("isbuffer", "is=%d glerr=%s", gl.IsBuffer(b), gerr());
    RECORD("data", "data=%s", device_check(p, N1, 1));
    CHECK("memset", cuda.cuMemsetD8(p, 1, N1));
    CHECK("sync", cuda.cuCtxSynchronize());
    CHECK("unmap", um(r));
    CHECK("map-again", mp(r));
    CHECK("unregister", un(r));
    CHECK("sync2", cuda.cuCtxSynchronize());
}
ISO(2102, delete_reuse_name)
{
    PRE(N1, 0);
    gl.DeleteBuffers(1, &b);
    GLuint b2 = mkbuf(2 * N1, GL_DYNAMIC_DRAW, 9);
    RECORD("name", "reused=%d", b == b2);
    CHECK("map", mp(r));
    GP("getptr");
    RECORD("data", "old=%s new=%s", device_check(p, N1, 1), device_check(p, N1, 9));
    CHECK("unmap", um(r));
    CHECK("unregister", un(r));
}
#define RESIZE(id, key, n2, seed2)                                                                 \
    ISO(key, id)                                                                                   \
    {                                                                                              \
        PRE(N1, 0);                                                                                \
        CHECK("map0", mp(r));                                                                      \
        GP("getptr0");                                                                             \
        CUdeviceptr p0 = p;                                                                        \
        CHECK("unmap0", um(r));                                                                    \
        unsigned char *d = malloc((n2) + 1);                                                       \
        pattern_fill(d, n2, seed2);                                                                \
        gl.BindBuffer(GL_ARRAY_BUFFER, b);                                                         \
        gl.BufferData(GL_ARRAY_BUFFER, n2, d, GL_DYNAMIC_DRAW);                                    \
        RECORD("resized", "glsize=%lld glerr=%s", bsize(b), gerr());                               \
        CHECK("map", mp(r));                                                                       \
        GP("getptr");                                                                              \
        RECORD("ptr", "ptr=%s", relative(p, p0));                                                  \
        RECORD("data", "old=%s new=%s", device_check(p, N1, 1),                                    \
               device_check(p, (n2) < N1 ? (n2) : N1, seed2));                                     \
        CHECK("memset", cuda.cuMemsetD8(p, 0, N1));                                                \
        CHECK("unmap", um(r), "gl_new=%s", bsame(b, (n2) < N1 ? (n2) : N1, seed2));                \
        CHECK("unregister", un(r));                                                                \
        CHECK("register-again", more.cuGraphicsGLRegisterBuffer(&r, b, 0));                        \
        CHECK("map-again", mp(r));                                                                 \
        GP("getptr-again");                                                                        \
        free(d);                                                                                   \
    }
RESIZE(resize_bigger, 2103, 4 * N1, 9)
RESIZE(resize_smaller, 2104, 100, 9)
RESIZE(resize_same, 2105, N1, 9)
RESIZE(resize_zero, 2106, 0, 9)
ISO(2107, resize_mapped)
{
    PRE(N1, 0);
    CHECK("map", mp(r));
    GP("getptr");
    device_fill(p, N1, 5);
    gl.BindBuffer(GL_ARRAY_BUFFER, b);
    gl.BufferData(GL_ARRAY_BUFFER, 4 * N1, NULL, GL_DYNAMIC_DRAW);
    RECORD("resized", "glsize=%lld glerr=%s", bsize(b), gerr());
    RECORD("data", "data=%s", device_check(p, N1, 5));
    CHECK("unmap", um(r));
    CHECK("map2", mp(r));
    GP("getptr2");
    CHECK("unmap2", um(r));
    CHECK("unregister", un(r));
}
ISO(2108, unregister_twice)
{
    PRE(N1, 0);
    CHECK("unregister", un(r));
    CHECK("unregister-again", un(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}
ISO(2109, unregister_mapped)
{
    PRE(N1, 0);
    CHECK("map", mp(r));
    GP("getptr");
    CHECK("unregister", un(r));
    RECORD("data", "data=%s", device_check(p, N1, 1));
    CHECK("unmap-after", um(r));
    CHECK("sync", cuda.cuCtxSynchronize());
    RECORD("gl", "data=%s", bsame(b, N1, 1));
    gr r2 = RS0;
    CHECK("register-again", more.cuGraphicsGLRegisterBuffer(&r2, b, 0));
}
ISO(2110, map_after_unregister)
{
    PRE(N1, 0);
    CHECK("unregister", un(r));
    CHECK("map", mp(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}
ISO(2111, getptr_after_unregister)
{
    PRE(N1, 0);
    CHECK("unregister", un(r));
    GP("getptr");
    CHECK("setflags", cuda.cuGraphicsResourceSetMapFlags(r, 0));
}
ISO(2112, use_after_unmap)
{
    PRE(N1, 0);
    CHECK("map", mp(r));
    GP("getptr");
    CUdeviceptr q = p;
    CHECK("unmap", um(r));
    RECORD("read", "data=%s", device_check(q, N1, 1));
    CHECK("write", cuda.cuMemsetD8(q, 7, N1));
    CHECK("sync", cuda.cuCtxSynchronize());
    RECORD("gl", "old=%s", bsame(b, N1, 1));
    CHECK("unregister", un(r));
    RECORD("read-unregistered", "data=%s", device_check(q, N1, 1));
    CHECK("sync2", cuda.cuCtxSynchronize());
}
ISO(2113, memfree_mapped)
{
    PRE(N1, 0);
    CHECK("map", mp(r));
    GP("getptr");
    CHECK("memfree", cuda.cuMemFree(p));
    CHECK("memfree-interior", cuda.cuMemFree(p + 256));
    CHECK("memfreeasync", cuda.cuMemFreeAsync(p, 0));
    RECORD("data", "data=%s", device_check(p, N1, 1));
    CHECK("unmap", um(r));
    CHECK("unregister", un(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}
ISO(2114, cuctx_destroy_registered)
{
    use_cuda();
    gl_up();
    keep_after_sticky = 1;
    GLuint b = mkbuf(N1, GL_DYNAMIC_DRAW, 1);
    CUcontext c = context_new();
    gr r = RS0;
    CHECK("register", more.cuGraphicsGLRegisterBuffer(&r, b, 0));
    if (GONE(r != RS0))
        return;
    CHECK("ctx-destroy", cuda.cuCtxDestroy(c));
    cuda.cuCtxSetCurrent(context);
    RECORD("gl", "data=%s", wg(bsame(b, N1, 1)));
    gr r2 = RS0;
    CHECK("register-in-other", more.cuGraphicsGLRegisterBuffer(&r2, b, 0));
    CHECK("unregister-stale", un(r));
}
ISO(2115, cuctx_destroy_mapped)
{
    use_cuda();
    gl_up();
    keep_after_sticky = 1;
    GLuint b = mkbuf(N1, GL_DYNAMIC_DRAW, 1);
    CUcontext c = context_new();
    gr r = RS0;
    CHECK("register", more.cuGraphicsGLRegisterBuffer(&r, b, 0));
    if (GONE(r != RS0))
        return;
    CHECK("map", mp(r));
    CHECK("ctx-destroy", cuda.cuCtxDestroy(c));
    cuda.cuCtxSetCurrent(context);
    RECORD("gl", "data=%s", wg(bsame(b, N1, 1)));
    bput(b, N1, 2);
    RECORD("gl2", "data=%s", wg(bsame(b, N1, 2)));
}
ISO(2116, glctx_destroy_registered)
{
    PRE(N1, 0);
    gl_cur(0);
    egl.DestroyContext(ED, EC);
    CHECK("map", mp(r));
    GP("getptr");
    CHECK("unmap", um(r));
    CHECK("unregister", un(r));
    CHECK("sync", cuda.cuCtxSynchronize());
    EGLContext c = gl_ctx(0, EGL_NO_CONTEXT);
    gl_cur(c);
    CHECK("new-context-map", mp(r));
    CHECK("new-context-unregister", un(r));
    GLuint b2 = mkbuf(N1, GL_DYNAMIC_DRAW, 2);
    gr r2 = RS0;
    CHECK("new-context-register", more.cuGraphicsGLRegisterBuffer(&r2, b2, 0));
}
ISO(2117, glctx_destroy_mapped)
{
    PRE(N1, 0);
    CHECK("map", mp(r));
    GP("getptr");
    gl_cur(0);
    egl.DestroyContext(ED, EC);
    RECORD("data", "data=%s", device_check(p, N1, 1));
    CHECK("unmap", um(r));
    CHECK("unregister", un(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}
ISO(2118, egl_terminate)
{
    PRE(N1, 0);
    gl_cur(0);
    egl.DestroyContext(ED, EC);
    egl.Terminate(ED);
    CHECK("map", mp(r));
    CHECK("unregister", un(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}
ISO(2119, primary_reset_registered)
{
    PRE(N1, 0);
    CHECK("reset", cuda.cuDevicePrimaryCtxReset(device));
    RECORD("gl", "data=%s", bsame(b, N1, 1));
    CHECK("retain", cuda.cuDevicePrimaryCtxRetain(&context, device));
    cuda.cuCtxSetCurrent(context);
    gr r2 = RS0;
    CHECK("register-again", more.cuGraphicsGLRegisterBuffer(&r2, b, 0));
}
static gr fake(void)
{
    static char zz[4096];
    return (gr)zz;
}
ISO(2120, garbage_zeromem_map)
{
    both();
    keep_after_sticky = 1;
    CHECK("map", mp(fake()));
    CHECK("unmap", um(fake()));
}
ISO(2121, garbage_zeromem_unregister)
{
    both();
    keep_after_sticky = 1;
    CHECK("unregister", un(fake()));
    CHECK("setflags", cuda.cuGraphicsResourceSetMapFlags(fake(), 0));
}
ISO(2122, garbage_addr_map)
{
    both();
    keep_after_sticky = 1;
    CHECK("map", mp((gr)0xdeadbeef000ull));
}
ISO(2123, garbage_addr_unregister)
{
    both();
    keep_after_sticky = 1;
    CHECK("unregister", un((gr)0xdeadbeef000ull));
}
/* ---- deprecated cuGL* ---- */
GROUP(2130, glblegacy, "glbuf-legacy")
{
    both();
    GLuint b = mkbuf(N1, GL_DYNAMIC_DRAW, 1);
    CUdeviceptr p = UNTOUCHED;
    size_t z = 777;
    CHECK("glinit", more.cuGLInit());
    CHECK("map-unregistered", more.cuGLMapBufferObject(&p, &z, b));
    CHECK("unmap-unregistered", more.cuGLUnmapBufferObject(b));
    CHECK("unregister-unregistered", more.cuGLUnregisterBufferObject(b));
    CHECK("setflags-unregistered", more.cuGLSetBufferObjectMapFlags(b, 0));
    CHECK("register-0", more.cuGLRegisterBufferObject(0));
    CHECK("register-nonexistent", more.cuGLRegisterBufferObject(0x7ffff0));
    CUresult x = CHECK("register", more.cuGLRegisterBufferObject(b));
    CHECK("register-twice", more.cuGLRegisterBufferObject(b));
    for (unsigned f = 0; f < 5; f++)
        CHECK(format("setflags-%u", f), more.cuGLSetBufferObjectMapFlags(b, f));
    CHECK("setflags-0-again", more.cuGLSetBufferObjectMapFlags(b, 0));
    x = CHECK("map", more.cuGLMapBufferObject(&p, &z, b), "out=%s size=%zu", out_state_of(p), z);
    RECORD("data", "data=%s", x ? "-" : device_check(p, N1, 1));
    CHECK("map-twice", more.cuGLMapBufferObject(&p, &z, b));
    if (!x)
        device_fill(p, N1, 2);
    CHECK("setflags-mapped", more.cuGLSetBufferObjectMapFlags(b, 0));
    CHECK("unregister-mapped", more.cuGLUnregisterBufferObject(b));
    CHECK("unmap", more.cuGLUnmapBufferObject(b), "gl_sees=%s", bsame(b, N1, 2));
    CHECK("unmap-twice", more.cuGLUnmapBufferObject(b));
    CHECK("map-null-out", more.cuGLMapBufferObject(NULL, &z, b));
    CHECK("map-null-out-unmap", more.cuGLUnmapBufferObject(b));
    CHECK("map-null-size", more.cuGLMapBufferObject(&p, NULL, b));
    CHECK("map-null-size-unmap", more.cuGLUnmapBufferObject(b));
    CUstream S = stream_new(0);
    CHECK("mapasync", more.cuGLMapBufferObjectAsync(&p, &z, b, S), "size=%zu", z);
    CHECK("unmapasync", more.cuGLUnmapBufferObjectAsync(b, S));
    gr r = RS0;
    CHECK("graphics-register-too", more.cuGraphicsGLRegisterBuffer(&r, b, 0), "out=%s",
          out_state_of(U(r)));
    CHECK("unregister", more.cuGLUnregisterBufferObject(b));
    CHECK("unregister-twice", more.cuGLUnregisterBufferObject(b));
    CUcontext c = 0;
    CHECK("glctxcreate", more.cuGLCtxCreate(&c, 0, device), "out=%d", c != 0);
    CHECK("glctxcreate-null", more.cuGLCtxCreate(NULL, 0, device));
    CHECK("glctxcreate-badflags", more.cuGLCtxCreate(&c, 0x8000, device));
    CHECK("glctxcreate-baddev", more.cuGLCtxCreate(&c, 0, 99));
}
