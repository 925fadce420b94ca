/* SPDX-License-Identifier: MIT */
/*
 * OpenGL buffers in other threads and contexts, deleted, resized and stale; the first functions.
 */
#include "gl_buffer.h"

/* Threads, contexts. */
static GLuint test_buffer;
static CUgraphicsResource test_resource, second_resource;
static EGLContext test_context;
static const char *test_name;
static CUcontext second_context;
static void register_in_thread(void)
{
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    CHECK(format("%s-register", test_name), more.cuGraphicsGLRegisterBuffer(&r, test_buffer, 0),
          "out=%s", out_state_of(AS_BITS(r)));
    if (r != UNTOUCHED_RESOURCE)
        CHECK(format("%s-unregister-own", test_name), resource_unregister(r));
}

static void map_in_thread(void)
{
    CUresult x = CHECK(format("%s-map", test_name), resource_map(test_resource));
    CUdeviceptr p = UNTOUCHED;
    size_t z = 777;
    CHECK(format("%s-getptr", test_name),
          cuda.cuGraphicsResourceGetMappedPointer(&p, &z, test_resource), "out=%s size=%zu",
          out_state_of(p), z);
    if (!x) {
        RECORD(format("%s-data", test_name), "data=%s", device_check(p, BUFFER_SIZE, 1));
    }
    CHECK(format("%s-unmap", test_name), resource_unmap(test_resource));
    CHECK(format("%s-setflags", test_name), cuda.cuGraphicsResourceSetMapFlags(test_resource, 0));
    unsigned c = 777;
    CUdevice d[4];
    CHECK(format("%s-getdevices", test_name), more.cuGLGetDevices(&c, d, 4, 1), "count=%u", c);
}

static void cycle_in_thread(void)
{
    register_in_thread();
    map_in_thread();
}

static void shared_in_thread(void)
{
    gl_make_current(test_context);
    cycle_in_thread();
    gl_make_current(0);
}

static void unregister_in_thread(void)
{
    CHECK(format("%s-unregister", test_name), resource_unregister(test_resource));
}

static void use_mapped_in_thread(void)
{
    CUdeviceptr p = mapped_pointer(test_resource, 0);
    RECORD(format("%s-data", test_name), "data=%s", device_check(p, BUFFER_SIZE, 1));
    CHECK(format("%s-unmap", test_name), resource_unmap(test_resource));
}

GROUP(2080, glbuf_thread, "glbuf-thread")
{
    use_cuda_and_gl();
    test_buffer = gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 1);
    gl.Finish();
    test_resource = buffer_register(test_buffer, 0);
    if (GONE(test_resource)) {
        test_name = "unregistered";
        register_in_thread();
        return;
    }
    test_name = "other-thread-no-gl";
    run_in_thread(cycle_in_thread, 1);
    test_name = "other-thread-no-gl-no-cuda";
    run_in_thread(cycle_in_thread, 0);
    test_context = gl_context_new(0, gl_context);
    test_name = "other-thread-shared-gl";
    run_in_thread(shared_in_thread, 1);
    test_context = gl_context_new(0, EGL_NO_CONTEXT);
    test_name = "other-thread-unshared-gl";
    run_in_thread(shared_in_thread, 1);
    CHECK("map-here", resource_map(test_resource));
    test_name = "other-thread-mapped-use";
    run_in_thread(use_mapped_in_thread, 1);
    CHECK("unmap-here", resource_unmap(test_resource));
    gl_make_current(0);
    test_name = "released-gl";
    cycle_in_thread();
    gl_make_current(gl_context);
    test_name = "again-current";
    cycle_in_thread();
    GLuint b2 = gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 1);
    test_buffer = b2;
    EGLContext sh = gl_context_new(0, gl_context);
    gl_make_current(sh);
    test_name = "shared-gl-current";
    cycle_in_thread();
    EGLContext u = gl_context_new(0, EGL_NO_CONTEXT);
    gl_make_current(u);
    test_name = "unshared-gl-current";
    cycle_in_thread();
    gl_make_current(gl_context);
    test_name = "back";
    cycle_in_thread();
    test_name = "other-thread-no-gl";
    run_in_thread(unregister_in_thread, 1);
    test_name = "here-after";
    unregister_in_thread();
}

GROUP(2081, glbuf_nogl, "glbuf-nogl")
{ /* GL never set up: what each entry point says */
    use_cuda();
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    unsigned c = 777;
    CUdevice d[4];
    CHECK("register-0", more.cuGraphicsGLRegisterBuffer(&r, 0, 0), "out=%s",
          out_state_of(AS_BITS(r)));
    CHECK("register-1", more.cuGraphicsGLRegisterBuffer(&r, 1, 0), "out=%s",
          out_state_of(AS_BITS(r)));
    CHECK("register-badflags", more.cuGraphicsGLRegisterBuffer(&r, 1, 0x80));
    CHECK("register-null-out", more.cuGraphicsGLRegisterBuffer(NULL, 1, 0));
    CHECK("image", more.cuGraphicsGLRegisterImage(&r, 1, GL_TEXTURE_2D, 0), "out=%s",
          out_state_of(AS_BITS(r)));
    CHECK("image-0", more.cuGraphicsGLRegisterImage(&r, 0, GL_TEXTURE_2D, 0));
    CHECK("image-badtarget", more.cuGraphicsGLRegisterImage(&r, 1, 0, 0));
    CHECK("image-badflags", more.cuGraphicsGLRegisterImage(&r, 1, GL_TEXTURE_2D, 0x80));
    CHECK("image-null-out", more.cuGraphicsGLRegisterImage(NULL, 1, GL_TEXTURE_2D, 0));
    for (int l = 0; l < 5; l++)
        CHECK(format("getdevices-%d", l), more.cuGLGetDevices(&c, d, 4, l), "count=%u", c);
    CHECK("getdevices-null", more.cuGLGetDevices(NULL, NULL, 0, 1));
}

GROUP(2082, glbuf_noinit, "glbuf-noinit")
{
    use_gl();
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    GLuint b = gl_buffer_new(BUFFER_SIZE, GL_STATIC_DRAW, 1);
    CHECK("register-noinit", more.cuGraphicsGLRegisterBuffer(&r, b, 0));
    CHECK("image-noinit", more.cuGraphicsGLRegisterImage(&r, 1, GL_TEXTURE_2D, 0));
    unsigned c;
    CUdevice d[4];
    CHECK("getdevices-noinit", more.cuGLGetDevices(&c, d, 4, 1));
    CHECK("map-noinit", cuda.cuGraphicsMapResources(0, NULL, 0));
    CHECK("unregister-noinit", resource_unregister(NULL));
    use_device();
    CHECK("register-nocudactx", more.cuGraphicsGLRegisterBuffer(&r, b, 0));
    CHECK("image-nocudactx", more.cuGraphicsGLRegisterImage(&r, 1, GL_TEXTURE_2D, 0));
    CHECK("getdevices-nocudactx", more.cuGLGetDevices(&c, d, 4, 1), "count=%u", c);
    CHECK("map-nocudactx", cuda.cuGraphicsMapResources(0, NULL, 0));
    CHECK("unregister-nocudactx", resource_unregister(NULL));
    CHECK("setflags-nocudactx", cuda.cuGraphicsResourceSetMapFlags(NULL, 0));
}

GROUP(2083, glbuf_cudactx, "glbuf-cudactx")
{
    use_cuda_and_gl();
    GLuint b = gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 1),
           b2 = gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 2);
    test_buffer = b;
    test_resource = buffer_register(b, 0);
    if (GONE(test_resource))
        return;
    second_context = context_new();
    test_name = "second-cuctx-current";
    map_in_thread();
    CUgraphicsResource r2 = UNTOUCHED_RESOURCE;
    CHECK("second-register-same-buffer", more.cuGraphicsGLRegisterBuffer(&r2, b, 0), "out=%s",
          out_state_of(AS_BITS(r2)));
    second_resource = UNTOUCHED_RESOURCE;
    CHECK("second-register-other-buffer", more.cuGraphicsGLRegisterBuffer(&second_resource, b2, 0),
          "out=%s", out_state_of(AS_BITS(second_resource)));
    if (second_resource != UNTOUCHED_RESOURCE) {
        CHECK("second-map-own", resource_map(second_resource));
        cuda.cuCtxSetCurrent(context);
        CUdeviceptr p = UNTOUCHED;
        size_t z;
        CHECK("first-getptr-of-second",
              cuda.cuGraphicsResourceGetMappedPointer(&p, &z, second_resource));
        CHECK("first-unmap-of-second", resource_unmap(second_resource));
        CHECK("first-map-list-of-two-ctxs",
              cuda.cuGraphicsMapResources(2, (CUgraphicsResource[]){test_resource, second_resource},
                                          0));
        resource_unmap(test_resource);
        cuda.cuCtxSetCurrent(second_context);
        CHECK("second-unmap-own", resource_unmap(second_resource));
        cuda.cuCtxSetCurrent(context);
        CHECK("first-unregister-of-second", resource_unregister(second_resource));
    }
    cuda.cuCtxSetCurrent(NULL);
    test_name = "no-cuctx-current";
    map_in_thread();
    unregister_in_thread();
    cuda.cuCtxSetCurrent(context);
    test_name = "first-again";
    map_in_thread();
}

#define ISOLATED_GROUP(key, id) GROUP(key, gi_##id, "gliso-" #id)
#define PREPARE(n, fl)                                                                             \
    use_cuda_and_gl();                                                                             \
    keep_after_sticky = 1;                                                                         \
    GLuint b = gl_buffer_new(n, GL_DYNAMIC_DRAW, 1);                                               \
    CUgraphicsResource r = UNTOUCHED_RESOURCE;                                                     \
    CHECK("register", more.cuGraphicsGLRegisterBuffer(&r, b, fl));                                 \
    if (GONE(r != UNTOUCHED_RESOURCE))                                                             \
        return;                                                                                    \
    CUdeviceptr p = UNTOUCHED;                                                                     \
    size_t z = 777;                                                                                \
    (void)p;                                                                                       \
    (void)z
#define CHECK_POINTER(nm)                                                                          \
    do {                                                                                           \
        p = UNTOUCHED;                                                                             \
        z = 777;                                                                                   \
        CHECK(nm, cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r), "out=%s size=%zu",           \
              out_state_of(p), z);                                                                 \
    } while (0)
ISOLATED_GROUP(2100, delete_registered)
{
    PREPARE(BUFFER_SIZE, 0);
    gl.DeleteBuffers(1, &b);
    RECORD("isbuffer", "is=%d glerr=%s", gl.IsBuffer(b), gl_error());
    CHECK("map", resource_map(r));
    CHECK_POINTER("getptr");
    RECORD("data", "data=%s", device_check(p, BUFFER_SIZE, 1));
    CHECK("unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}

ISOLATED_GROUP(2101, delete_mapped)
{
    PREPARE(BUFFER_SIZE, 0);
    CHECK("map", resource_map(r));
    CHECK_POINTER("getptr");
    gl.DeleteBuffers(1, &b);
    gl.Finish();
    RECORD("isbuffer", "is=%d glerr=%s", gl.IsBuffer(b), gl_error());
    RECORD("data", "data=%s", device_check(p, BUFFER_SIZE, 1));
    CHECK("memset", cuda.cuMemsetD8(p, 1, BUFFER_SIZE));
    CHECK("sync", cuda.cuCtxSynchronize());
    CHECK("unmap", resource_unmap(r));
    CHECK("map-again", resource_map(r));
    CHECK("unregister", resource_unregister(r));
    CHECK("sync2", cuda.cuCtxSynchronize());
}

ISOLATED_GROUP(2102, delete_reuse_name)
{
    PREPARE(BUFFER_SIZE, 0);
    gl.DeleteBuffers(1, &b);
    GLuint b2 = gl_buffer_new(2 * BUFFER_SIZE, GL_DYNAMIC_DRAW, 9);
    RECORD("name", "reused=%d", b == b2);
    CHECK("map", resource_map(r));
    CHECK_POINTER("getptr");
    RECORD("data", "old=%s new=%s", device_check(p, BUFFER_SIZE, 1),
           device_check(p, BUFFER_SIZE, 9));
    CHECK("unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
}

#define RESIZE_GROUP(id, key, n2, seed2)                                                           \
    ISOLATED_GROUP(key, id)                                                                        \
    {                                                                                              \
        PREPARE(BUFFER_SIZE, 0);                                                                   \
        CHECK("map0", resource_map(r));                                                            \
        CHECK_POINTER("getptr0");                                                                  \
        CUdeviceptr p0 = p;                                                                        \
        CHECK("unmap0", resource_unmap(r));                                                        \
        unsigned char *d = malloc((n2) + 1);                                                       \
        pattern_fill(d, n2, seed2);                                                                \
        gl.BindBuffer(GL_ARRAY_BUFFER, b);                                                         \
        gl.BufferData(GL_ARRAY_BUFFER, n2, d, GL_DYNAMIC_DRAW);                                    \
        RECORD("resized", "glsize=%lld glerr=%s", gl_buffer_size(b), gl_error());                  \
        CHECK("map", resource_map(r));                                                             \
        CHECK_POINTER("getptr");                                                                   \
        RECORD("ptr", "ptr=%s", relative(p, p0));                                                  \
        RECORD("data", "old=%s new=%s", device_check(p, BUFFER_SIZE, 1),                           \
               device_check(p, (n2) < BUFFER_SIZE ? (n2) : BUFFER_SIZE, seed2));                   \
        CHECK("memset", cuda.cuMemsetD8(p, 0, BUFFER_SIZE));                                       \
        CHECK("unmap", resource_unmap(r), "gl_new=%s",                                             \
              gl_buffer_check(b, (n2) < BUFFER_SIZE ? (n2) : BUFFER_SIZE, seed2));                 \
        CHECK("unregister", resource_unregister(r));                                               \
        CHECK("register-again", more.cuGraphicsGLRegisterBuffer(&r, b, 0));                        \
        CHECK("map-again", resource_map(r));                                                       \
        CHECK_POINTER("getptr-again");                                                             \
        free(d);                                                                                   \
    }
RESIZE_GROUP(resize_bigger, 2103, 4 * BUFFER_SIZE, 9)
RESIZE_GROUP(resize_smaller, 2104, 100, 9)
RESIZE_GROUP(resize_same, 2105, BUFFER_SIZE, 9)
RESIZE_GROUP(resize_zero, 2106, 0, 9)
ISOLATED_GROUP(2107, resize_mapped)
{
    PREPARE(BUFFER_SIZE, 0);
    CHECK("map", resource_map(r));
    CHECK_POINTER("getptr");
    device_fill(p, BUFFER_SIZE, 5);
    gl.BindBuffer(GL_ARRAY_BUFFER, b);
    gl.BufferData(GL_ARRAY_BUFFER, 4 * BUFFER_SIZE, NULL, GL_DYNAMIC_DRAW);
    RECORD("resized", "glsize=%lld glerr=%s", gl_buffer_size(b), gl_error());
    RECORD("data", "data=%s", device_check(p, BUFFER_SIZE, 5));
    CHECK("unmap", resource_unmap(r));
    CHECK("map2", resource_map(r));
    CHECK_POINTER("getptr2");
    CHECK("unmap2", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
}

ISOLATED_GROUP(2108, unregister_twice)
{
    PREPARE(BUFFER_SIZE, 0);
    CHECK("unregister", resource_unregister(r));
    CHECK("unregister-again", resource_unregister(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}

ISOLATED_GROUP(2109, unregister_mapped)
{
    PREPARE(BUFFER_SIZE, 0);
    CHECK("map", resource_map(r));
    CHECK_POINTER("getptr");
    CHECK("unregister", resource_unregister(r));
    RECORD("data", "data=%s", device_check(p, BUFFER_SIZE, 1));
    CHECK("unmap-after", resource_unmap(r));
    CHECK("sync", cuda.cuCtxSynchronize());
    RECORD("gl", "data=%s", gl_buffer_check(b, BUFFER_SIZE, 1));
    CUgraphicsResource r2 = UNTOUCHED_RESOURCE;
    CHECK("register-again", more.cuGraphicsGLRegisterBuffer(&r2, b, 0));
}

ISOLATED_GROUP(2110, map_after_unregister)
{
    PREPARE(BUFFER_SIZE, 0);
    CHECK("unregister", resource_unregister(r));
    CHECK("map", resource_map(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}

ISOLATED_GROUP(2111, getptr_after_unregister)
{
    PREPARE(BUFFER_SIZE, 0);
    CHECK("unregister", resource_unregister(r));
    CHECK_POINTER("getptr");
    CHECK("setflags", cuda.cuGraphicsResourceSetMapFlags(r, 0));
}

ISOLATED_GROUP(2112, use_after_unmap)
{
    PREPARE(BUFFER_SIZE, 0);
    CHECK("map", resource_map(r));
    CHECK_POINTER("getptr");
    CUdeviceptr q = p;
    CHECK("unmap", resource_unmap(r));
    RECORD("read", "data=%s", device_check(q, BUFFER_SIZE, 1));
    CHECK("write", cuda.cuMemsetD8(q, 7, BUFFER_SIZE));
    CHECK("sync", cuda.cuCtxSynchronize());
    RECORD("gl", "old=%s", gl_buffer_check(b, BUFFER_SIZE, 1));
    CHECK("unregister", resource_unregister(r));
    RECORD("read-unregistered", "data=%s", device_check(q, BUFFER_SIZE, 1));
    CHECK("sync2", cuda.cuCtxSynchronize());
}

ISOLATED_GROUP(2113, memfree_mapped)
{
    PREPARE(BUFFER_SIZE, 0);
    CHECK("map", resource_map(r));
    CHECK_POINTER("getptr");
    CHECK("memfree", cuda.cuMemFree(p));
    CHECK("memfree-interior", cuda.cuMemFree(p + 256));
    CHECK("memfreeasync", cuda.cuMemFreeAsync(p, 0));
    RECORD("data", "data=%s", device_check(p, BUFFER_SIZE, 1));
    CHECK("unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}

ISOLATED_GROUP(2114, cuctx_destroy_registered)
{
    use_cuda();
    use_gl();
    keep_after_sticky = 1;
    GLuint b = gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 1);
    CUcontext c = context_new();
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    CHECK("register", more.cuGraphicsGLRegisterBuffer(&r, b, 0));
    if (GONE(r != UNTOUCHED_RESOURCE))
        return;
    CHECK("ctx-destroy", cuda.cuCtxDestroy(c));
    cuda.cuCtxSetCurrent(context);
    RECORD("gl", "data=%s", with_gl_error(gl_buffer_check(b, BUFFER_SIZE, 1)));
    CUgraphicsResource r2 = UNTOUCHED_RESOURCE;
    CHECK("register-in-other", more.cuGraphicsGLRegisterBuffer(&r2, b, 0));
    CHECK("unregister-stale", resource_unregister(r));
}

ISOLATED_GROUP(2115, cuctx_destroy_mapped)
{
    use_cuda();
    use_gl();
    keep_after_sticky = 1;
    GLuint b = gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 1);
    CUcontext c = context_new();
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    CHECK("register", more.cuGraphicsGLRegisterBuffer(&r, b, 0));
    if (GONE(r != UNTOUCHED_RESOURCE))
        return;
    CHECK("map", resource_map(r));
    CHECK("ctx-destroy", cuda.cuCtxDestroy(c));
    cuda.cuCtxSetCurrent(context);
    RECORD("gl", "data=%s", with_gl_error(gl_buffer_check(b, BUFFER_SIZE, 1)));
    gl_buffer_fill(b, BUFFER_SIZE, 2);
    RECORD("gl2", "data=%s", with_gl_error(gl_buffer_check(b, BUFFER_SIZE, 2)));
}

ISOLATED_GROUP(2116, glctx_destroy_registered)
{
    PREPARE(BUFFER_SIZE, 0);
    gl_make_current(0);
    egl.DestroyContext(egl_display, gl_context);
    CHECK("map", resource_map(r));
    CHECK_POINTER("getptr");
    CHECK("unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
    CHECK("sync", cuda.cuCtxSynchronize());
    EGLContext c = gl_context_new(0, EGL_NO_CONTEXT);
    gl_make_current(c);
    CHECK("new-context-map", resource_map(r));
    CHECK("new-context-unregister", resource_unregister(r));
    GLuint b2 = gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 2);
    CUgraphicsResource r2 = UNTOUCHED_RESOURCE;
    CHECK("new-context-register", more.cuGraphicsGLRegisterBuffer(&r2, b2, 0));
}

ISOLATED_GROUP(2117, glctx_destroy_mapped)
{
    PREPARE(BUFFER_SIZE, 0);
    CHECK("map", resource_map(r));
    CHECK_POINTER("getptr");
    gl_make_current(0);
    egl.DestroyContext(egl_display, gl_context);
    RECORD("data", "data=%s", device_check(p, BUFFER_SIZE, 1));
    CHECK("unmap", resource_unmap(r));
    CHECK("unregister", resource_unregister(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}

ISOLATED_GROUP(2118, egl_terminate)
{
    PREPARE(BUFFER_SIZE, 0);
    gl_make_current(0);
    egl.DestroyContext(egl_display, gl_context);
    egl.Terminate(egl_display);
    CHECK("map", resource_map(r));
    CHECK("unregister", resource_unregister(r));
    CHECK("sync", cuda.cuCtxSynchronize());
}

ISOLATED_GROUP(2119, primary_reset_registered)
{
    PREPARE(BUFFER_SIZE, 0);
    CHECK("reset", cuda.cuDevicePrimaryCtxReset(device));
    RECORD("gl", "data=%s", gl_buffer_check(b, BUFFER_SIZE, 1));
    CHECK("retain", cuda.cuDevicePrimaryCtxRetain(&context, device));
    cuda.cuCtxSetCurrent(context);
    CUgraphicsResource r2 = UNTOUCHED_RESOURCE;
    CHECK("register-again", more.cuGraphicsGLRegisterBuffer(&r2, b, 0));
}

static CUgraphicsResource fake_resource(void)
{
    static char zz[4096];
    return (CUgraphicsResource)zz;
}

ISOLATED_GROUP(2120, garbage_zeromem_map)
{
    use_cuda_and_gl();
    keep_after_sticky = 1;
    CHECK("map", resource_map(fake_resource()));
    CHECK("unmap", resource_unmap(fake_resource()));
}

ISOLATED_GROUP(2121, garbage_zeromem_unregister)
{
    use_cuda_and_gl();
    keep_after_sticky = 1;
    CHECK("unregister", resource_unregister(fake_resource()));
    CHECK("setflags", cuda.cuGraphicsResourceSetMapFlags(fake_resource(), 0));
}

ISOLATED_GROUP(2122, garbage_addr_map)
{
    use_cuda_and_gl();
    keep_after_sticky = 1;
    CHECK("map", resource_map((CUgraphicsResource)0xdeadbeef000ull));
}

ISOLATED_GROUP(2123, garbage_addr_unregister)
{
    use_cuda_and_gl();
    keep_after_sticky = 1;
    CHECK("unregister", resource_unregister((CUgraphicsResource)0xdeadbeef000ull));
}

/* Deprecated cuGL*. */
GROUP(2130, glbuf_legacy, "glbuf-legacy")
{
    use_cuda_and_gl();
    GLuint b = gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 1);
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
    RECORD("data", "data=%s", x ? "-" : device_check(p, BUFFER_SIZE, 1));
    CHECK("map-twice", more.cuGLMapBufferObject(&p, &z, b));
    if (!x)
        device_fill(p, BUFFER_SIZE, 2);
    CHECK("setflags-mapped", more.cuGLSetBufferObjectMapFlags(b, 0));
    CHECK("unregister-mapped", more.cuGLUnregisterBufferObject(b));
    CHECK("unmap", more.cuGLUnmapBufferObject(b), "gl_sees=%s", gl_buffer_check(b, BUFFER_SIZE, 2));
    CHECK("unmap-twice", more.cuGLUnmapBufferObject(b));
    CHECK("map-null-out", more.cuGLMapBufferObject(NULL, &z, b));
    CHECK("map-null-out-unmap", more.cuGLUnmapBufferObject(b));
    CHECK("map-null-size", more.cuGLMapBufferObject(&p, NULL, b));
    CHECK("map-null-size-unmap", more.cuGLUnmapBufferObject(b));
    CUstream S = stream_new(0);
    CHECK("mapasync", more.cuGLMapBufferObjectAsync(&p, &z, b, S), "size=%zu", z);
    CHECK("unmapasync", more.cuGLUnmapBufferObjectAsync(b, S));
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    CHECK("graphics-register-too", more.cuGraphicsGLRegisterBuffer(&r, b, 0), "out=%s",
          out_state_of(AS_BITS(r)));
    CHECK("unregister", more.cuGLUnregisterBufferObject(b));
    CHECK("unregister-twice", more.cuGLUnregisterBufferObject(b));
    CUcontext c = 0;
    CHECK("glctxcreate", more.cuGLCtxCreate(&c, 0, device), "out=%d", c != 0);
    CHECK("glctxcreate-null", more.cuGLCtxCreate(NULL, 0, device));
    CHECK("glctxcreate-badflags", more.cuGLCtxCreate(&c, 0x8000, device));
    CHECK("glctxcreate-baddev", more.cuGLCtxCreate(&c, 0, 99));
}
