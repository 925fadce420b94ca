/* SPDX-License-Identifier: MIT */
/*
 * OpenGL: loading, devices, buffers.
 */
#include "gl_buffer.h"

static void check_loading(int mode)
{
    use_cuda();
    char w[900] = "";
    if (!gl_try(mode, 0, w, sizeof w))
        gl_stop("GL %s", w);
    check_buffer("buf", gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 1), 0, BUFFER_SIZE, 1);
    unsigned c = 0;
    CUdevice d[4];
    CHECK("getdevices", more.cuGLGetDevices(&c, d, 4, CU_GL_DEVICE_LIST_ALL), "count=%u", c);
}

GROUP(2000, glload_egl_local, "glload-egl-local")
{
    check_loading(LOAD_EGL_LOCAL);
}

GROUP(2001, glload_egl_global, "glload-egl-global")
{
    check_loading(LOAD_EGL_GLOBAL);
}

GROUP(2002, glload_egl_libOpenGL, "glload-egl-libOpenGL")
{
    check_loading(LOAD_EGL_OPENGL);
}

GROUP(2003, glload_egl_libGL, "glload-egl-libGL")
{
    check_loading(LOAD_EGL_GL);
}

GROUP(2004, glload_gl_before_cuda, "glload-gl-before-cuda")
{
    use_gl();
    GLuint b = gl_buffer_new(BUFFER_SIZE, GL_STATIC_DRAW, 1);
    CHECK("register-before-cuInit",
          more.cuGraphicsGLRegisterBuffer(&(CUgraphicsResource){0}, b, 0));
    use_cuda();
    check_buffer("buf", b, 0, BUFFER_SIZE, 1);
}

GROUP(2010, glenv, "glenv")
{
    use_cuda_and_gl();
    RECORD("vendor", "%s", (const char *)gl.GetString(GL_VENDOR));
    RECORD("renderer", "%s", (const char *)gl.GetString(GL_RENDERER));
    RECORD("version", "%s", (const char *)gl.GetString(GL_VERSION));
    RECORD("egl",
           "vendor=%s version=%s platform=%s devices=%d chosen=%d cuda_device_0=%d surfaceless=%d "
           "context=%s",
           egl.QueryString(egl_display, EGL_VENDOR), egl.QueryString(egl_display, EGL_VERSION),
           egl_platform, egl_device_count, egl_device, egl_device_is_cuda,
           egl_surface == EGL_NO_SURFACE, gl_version);
    RECORD("egl-extensions", "%s", egl.QueryString(egl_display, EGL_EXTENSIONS));
    char nm[100] = "";
    cuda.cuDeviceGetName(nm, 99, device);
    RECORD("cuda-device", "%s", nm);
    int n = 0;
    gl.GetIntegerv(GL_NUM_EXTENSIONS, &n);
    int ext = 0, es = 0, mo = 0;
    for (int i = 0; i < n; i++) {
        const char *e = (const char *)gl.GetStringi(GL_EXTENSIONS, i);
        ext |= !strcmp(e, "GL_EXT_memory_object_fd");
        es |= !strcmp(e, "GL_EXT_semaphore_fd");
        mo |= !strcmp(e, "GL_EXT_memory_object");
    }
    RECORD("gl-extensions", "count=%d memory_object=%d memory_object_fd=%d semaphore_fd=%d", n, mo,
           ext, es);
}

GROUP(2020, gldevices, "gldevices")
{
    use_cuda_and_gl();
    CUdevice d[8];
    unsigned c;
#define CHECK_DEVICES(nm, pc, pd, n, l)                                                            \
    do {                                                                                           \
        c = 777;                                                                                   \
        for (int i_ = 0; i_ < 8; i_++)                                                             \
            d[i_] = -7;                                                                            \
        CHECK(nm, more.cuGLGetDevices(pc, pd, n, l), "count=%u dev0=%d dev1=%d", c, d[0], d[1]);   \
    } while (0)
    for (int l = -1; l < 6; l++)
        for (int n = 0; n < 4; n++)
            CHECK_DEVICES(format("list%d-n%d", l, n), &c, d, n, l);
    for (int l = 1; l < 4; l++) {
        CHECK_DEVICES(format("list%d-null-count", l), NULL, d, 4, l);
        CHECK_DEVICES(format("list%d-null-devices", l), &c, NULL, 4, l);
        CHECK_DEVICES(format("list%d-null-devices-n0", l), &c, NULL, 0, l);
    }
    CHECK_DEVICES("list-max", &c, d, 4, 0x7fffffff);
    gl_make_current(0);
    CHECK_DEVICES("no-gl-context", &c, d, 4, 1);
    CHECK_DEVICES("no-gl-context-list2", &c, d, 4, 2);
    gl_make_current(gl_context);
    cuda.cuCtxSetCurrent(NULL);
    CHECK_DEVICES("no-cuda-context", &c, d, 4, 1);
    cuda.cuCtxSetCurrent(context);
    CHECK_DEVICES("again", &c, d, 4, 1);
}

GROUP(2030, glbuf_register, "glbuf-register")
{
    use_cuda_and_gl();
    static const unsigned fl[] = {0,   1,    2,    3,    4,      5,           6,          8,
                                  0xc, 0x10, 0x20, 0x80, 0x8000, 0x80000000u, 0xffffffffu};
    for (size_t i = 0; i < COUNT_OF(fl); i++)
        check_buffer(format("flags-0x%x", fl[i]), gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 3),
                     fl[i], BUFFER_SIZE, 3);
    static const size_t sz[] = {1,    2,    3,     4,     255,     256,     257,     4095,
                                4096, 4097, 65536, 65537, 1048576, 2097152, 2097153, 16777216};
    for (size_t i = 0; i < COUNT_OF(sz); i++)
        check_buffer(format("size-%zu", sz[i]), gl_buffer_new(sz[i], GL_STATIC_DRAW, 4), 0, sz[i],
                     4);
    static const struct {
        GLenum u;
        const char *n;
    } us[] = {{GL_STREAM_DRAW, "STREAM_DRAW"},   {GL_STREAM_READ, "STREAM_READ"},
              {GL_STREAM_COPY, "STREAM_COPY"},   {GL_STATIC_DRAW, "STATIC_DRAW"},
              {GL_STATIC_READ, "STATIC_READ"},   {GL_STATIC_COPY, "STATIC_COPY"},
              {GL_DYNAMIC_DRAW, "DYNAMIC_DRAW"}, {GL_DYNAMIC_READ, "DYNAMIC_READ"},
              {GL_DYNAMIC_COPY, "DYNAMIC_COPY"}};
    for (size_t i = 0; i < COUNT_OF(us); i++)
        check_buffer(format("usage-%s", us[i].n), gl_buffer_new(BUFFER_SIZE, us[i].u, 5), 0,
                     BUFFER_SIZE, 5);
    check_buffer("name-0", 0, 0, 0, 0);
    check_buffer("name-nonexistent", 0x7ffff0, 0, 0, 0);
    check_buffer("name-max", 0xffffffffu, 0, 0, 0);
    GLuint b;
    gl.GenBuffers(1, &b);
    check_buffer("never-bound", b, 0, 0, 0);
    gl.BindBuffer(GL_ARRAY_BUFFER, b);
    gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    check_buffer("bound-no-data", b, 0, 0, 0);
    gl.CreateBuffers(1, &b);
    check_buffer("created-no-data", b, 0, 0, 0);
    check_buffer("zero-size", gl_buffer_new(0, GL_STATIC_DRAW, -1), 0, 0, 0);
    check_buffer("null-data", gl_buffer_new(BUFFER_SIZE, GL_STATIC_DRAW, -1), 0, BUFFER_SIZE, 0);
    b = gl_buffer_new(BUFFER_SIZE, GL_STATIC_DRAW, 1);
    gl.DeleteBuffers(1, &b);
    check_buffer("deleted", b, 0, 0, 0);
    GLuint t;
    gl.GenTextures(1, &t);
    gl.BindTexture(GL_TEXTURE_2D, t);
    for (int i = 0; i < 1000; i++)
        gl.GenTextures(1, &t);
    gl.BindTexture(GL_TEXTURE_2D, t);
    if (!gl.IsBuffer(t))
        check_buffer("texture-name", t, 0, 0, 0);
    b = gl_buffer_new(BUFFER_SIZE, GL_STATIC_DRAW, 6);
    CHECK("null-out", more.cuGraphicsGLRegisterBuffer(NULL, b, 0));
    CHECK("null-out-name0", more.cuGraphicsGLRegisterBuffer(NULL, 0, 0));
    CHECK("null-out-badflags", more.cuGraphicsGLRegisterBuffer(NULL, b, 0x80));
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    CHECK("name0-badflags", more.cuGraphicsGLRegisterBuffer(&r, 0, 0x80), "out=%s",
          out_state_of(AS_BITS(r)));
    gl.BindBuffer(GL_ARRAY_BUFFER, b);
    check_buffer("currently-bound", b, 0, BUFFER_SIZE, 6);
}

GROUP(2031, glbuf_twice, "glbuf-twice")
{
    use_cuda_and_gl();
    GLuint b = gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 1);
    CUgraphicsResource a = UNTOUCHED_RESOURCE, c = UNTOUCHED_RESOURCE;
    CUdeviceptr p = 0, q = 0;
    CHECK("first", more.cuGraphicsGLRegisterBuffer(&a, b, 0));
    CUresult x = CHECK("second", more.cuGraphicsGLRegisterBuffer(&c, b, 0), "out=%s same=%d",
                       out_state_of(AS_BITS(c)), a == c);
    CUgraphicsResource d3 = UNTOUCHED_RESOURCE;
    CHECK("third-readonly", more.cuGraphicsGLRegisterBuffer(&d3, b, 1), "out=%s",
          out_state_of(AS_BITS(d3)));
    if (a != UNTOUCHED_RESOURCE) {
        CHECK("map-first", resource_map(a));
        p = mapped_pointer(a, 0);
        if (!x) {
            CHECK("map-second-while-first-mapped", resource_map(c));
            q = mapped_pointer(c, 0);
            RECORD("pointers", "second=%s", relative(q, p));
            if (p)
                device_fill(p, BUFFER_SIZE, 7);
            RECORD("second-sees", "data=%s", device_check(q, BUFFER_SIZE, 7));
            CHECK("unmap-second", resource_unmap(c));
            RECORD("first-after", "data=%s", device_check(p, BUFFER_SIZE, 7));
        }
        CHECK("unmap-first", resource_unmap(a), "gl_sees=%s", gl_buffer_check(b, BUFFER_SIZE, 7));
        if (!x)
            CHECK("map-both-one-call",
                  cuda.cuGraphicsMapResources(2, (CUgraphicsResource[]){a, c}, 0));
        if (!x)
            CHECK("unmap-both-one-call",
                  cuda.cuGraphicsUnmapResources(2, (CUgraphicsResource[]){a, c}, 0));
        CHECK("unregister-first", resource_unregister(a));
        if (!x) {
            CHECK("map-second-after", resource_map(c));
            q = mapped_pointer(c, 0);
            RECORD("second-after", "data=%s", device_check(q, BUFFER_SIZE, 7));
            CHECK("unmap-second-after", resource_unmap(c));
            CHECK("unregister-second", resource_unregister(c));
        }
    }
    CUgraphicsResource e = UNTOUCHED_RESOURCE;
    CHECK("register-after-unregister", more.cuGraphicsGLRegisterBuffer(&e, b, 0), "out=%s",
          out_state_of(AS_BITS(e)));
}

GROUP(2032, glbuf_storage, "glbuf-storage")
{
    use_cuda_and_gl();
    static const struct {
        GLbitfield f;
        const char *n;
    } k[] = {{0, "none"},
             {GL_DYNAMIC_STORAGE_BIT, "dynamic"},
             {GL_MAP_READ_BIT, "mapread"},
             {GL_MAP_WRITE_BIT, "mapwrite"},
             {GL_MAP_READ_BIT | GL_MAP_WRITE_BIT, "maprw"},
             {GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT, "persistent"},
             {GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT,
              "coherent"},
             {GL_CLIENT_STORAGE_BIT, "client"},
             {GL_CLIENT_STORAGE_BIT | GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT |
                  GL_MAP_COHERENT_BIT,
              "client-coherent"}};
    unsigned char *d = malloc(BUFFER_SIZE);
    pattern_fill(d, BUFFER_SIZE, 8);
    GLuint b;
    for (size_t i = 0; i < COUNT_OF(k); i++) {
        gl.GenBuffers(1, &b);
        gl.BindBuffer(GL_ARRAY_BUFFER, b);
        gl.BufferStorage(GL_ARRAY_BUFFER, BUFFER_SIZE, d, k[i].f);
        gl.BindBuffer(GL_ARRAY_BUFFER, 0);
        check_buffer(format("storage-%s", k[i].n), b, 0, BUFFER_SIZE, 8);
    }
    /* GL-mapped buffers */
    b = gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 9);
    gl.BindBuffer(GL_ARRAY_BUFFER, b);
    gl.MapBuffer(GL_ARRAY_BUFFER, GL_READ_WRITE);
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    CHECK("glmapped-register", more.cuGraphicsGLRegisterBuffer(&r, b, 0), "out=%s glerr=%s",
          out_state_of(AS_BITS(r)), gl_error());
    if (r != UNTOUCHED_RESOURCE) {
        CUresult x = CHECK("glmapped-map", resource_map(r));
        if (!x) {
            CUdeviceptr p = mapped_pointer(r, 0);
            RECORD("glmapped-read", "data=%s", device_check(p, BUFFER_SIZE, 9));
            CHECK("glmapped-unmap", resource_unmap(r));
        }
        gl.BindBuffer(GL_ARRAY_BUFFER, b);
        gl.UnmapBuffer(GL_ARRAY_BUFFER);
        CHECK("glunmapped-map", resource_map(r), "glerr=%s", gl_error());
        CHECK("glunmapped-unmap", resource_unmap(r));
        CHECK("glmapped-unregister", resource_unregister(r));
    }
    b = gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 9);
    r = buffer_register(b, 0);
    if (r || !1) {
        gl.BindBuffer(GL_ARRAY_BUFFER, b);
        void *v = gl.MapBufferRange(GL_ARRAY_BUFFER, 0, 100, GL_MAP_WRITE_BIT | GL_MAP_READ_BIT);
        CHECK("glmaprange-then-map", resource_map(r), "glptr=%d glerr=%s", v != 0, gl_error());
        CHECK("glmaprange-then-unmap", resource_unmap(r));
        gl.BindBuffer(GL_ARRAY_BUFFER, b);
        gl.UnmapBuffer(GL_ARRAY_BUFFER);
        gl_error();
        CUresult x = CHECK("map", resource_map(r));
        gl.BindBuffer(GL_ARRAY_BUFFER, b);
        v = gl.MapBuffer(GL_ARRAY_BUFFER, GL_READ_ONLY);
        RECORD("cudamapped-then-glmap", "mapped=%d ptr=%d glerr=%s", !x, v != 0, gl_error());
        if (v) {
            RECORD("cudamapped-glmap-data", "data=%s", pattern_check(v, BUFFER_SIZE, 9));
            gl.UnmapBuffer(GL_ARRAY_BUFFER);
        }
        CHECK("unmap", resource_unmap(r));
    }
    gl.GenBuffers(1, &b);
    gl.BindBuffer(GL_ARRAY_BUFFER, b);
    GLbitfield pf =
        GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    gl.BufferStorage(GL_ARRAY_BUFFER, BUFFER_SIZE, d, pf);
    unsigned char *pp = gl.MapBufferRange(GL_ARRAY_BUFFER, 0, BUFFER_SIZE, pf);
    gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    r = UNTOUCHED_RESOURCE;
    CHECK("persistent-mapped-register", more.cuGraphicsGLRegisterBuffer(&r, b, 0),
          "out=%s glptr=%d", out_state_of(AS_BITS(r)), pp != 0);
    if (r != UNTOUCHED_RESOURCE) {
        if (!CHECK("persistent-mapped-map", resource_map(r))) {
            CUdeviceptr p = mapped_pointer(r, 0);
            RECORD("persistent-mapped-read", "data=%s", device_check(p, BUFFER_SIZE, 8));
            device_fill(p, BUFFER_SIZE, 20);
            RECORD("persistent-pointer-sees-cuda-write", "data=%s",
                   pp ? pattern_check(pp, BUFFER_SIZE, 20) : "-");
            if (pp)
                pattern_fill(pp, BUFFER_SIZE, 21);
            RECORD("cuda-sees-persistent-write", "data=%s", device_check(p, BUFFER_SIZE, 21));
            CHECK("persistent-mapped-unmap", resource_unmap(r));
        }
        CHECK("persistent-mapped-unregister", resource_unregister(r));
    }
}

static void three_registered(CUgraphicsResource *r, GLuint *b)
{
    for (int i = 0; i < 3; i++) {
        b[i] = gl_buffer_new(BUFFER_SIZE + i, GL_DYNAMIC_DRAW, 10 + i);
        r[i] = buffer_register(b[i], 0);
    }
}

GROUP(2040, glbuf_map, "glbuf-map")
{
    use_cuda_and_gl();
    GLuint b[4];
    CUgraphicsResource r[4] = {0};
    three_registered(r, b);
    if (GONE(r[0] && r[1] && r[2]))
        return;
    CUgraphicsResource l[8];
    CUstream S = stream_new(0), S2 = stream_new(CU_STREAM_NON_BLOCKING);
    CUdeviceptr p, q;
    size_t z;
    CHECK("unmap-never-mapped", resource_unmap(r[0]));
    CHECK("map", resource_map(r[0]));
    CHECK("map-already-mapped", resource_map(r[0]));
    CHECK("map-again-state", cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r[0]), "size=%zu", z);
    CHECK("unmap", resource_unmap(r[0]));
    CHECK("unmap-twice", resource_unmap(r[0]));
    CHECK("map3", cuda.cuGraphicsMapResources(3, r, 0));
    for (int i = 0; i < 3; i++) {
        p = UNTOUCHED;
        z = 777;
        CHECK(format("map3-ptr%d", i), cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r[i]),
              "size=%zu", z);
        RECORD(format("map3-data%d", i), "data=%s", device_check(p, BUFFER_SIZE, 10 + i));
    }
    CHECK("unmap3", cuda.cuGraphicsUnmapResources(3, r, 0));
    l[0] = l[1] = r[0];
    CHECK("map-dup", cuda.cuGraphicsMapResources(2, l, 0));
    CHECK("map-dup-then-ptr", cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r[0]));
    CHECK("map-dup-unmap1", resource_unmap(r[0]));
    CHECK("map-dup-unmap2", resource_unmap(r[0]));
    CHECK("map1-for-dup-unmap", resource_map(r[0]));
    CHECK("unmap-dup", cuda.cuGraphicsUnmapResources(2, l, 0));
    CHECK("unmap-dup-then-ptr", cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r[0]));
    CHECK("unmap-dup-then-unmap", resource_unmap(r[0]));
    CHECK("premap1", resource_map(r[1]));
    CHECK("map3-second-already-mapped", cuda.cuGraphicsMapResources(3, r, 0));
    for (int i = 0; i < 3; i++)
        CHECK(format("after-partial-ptr%d", i),
              cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r[i]));
    for (int i = 0; i < 3; i++)
        CHECK(format("after-partial-unmap%d", i), resource_unmap(r[i]));
    CHECK("premap0", resource_map(r[0]));
    CHECK("unmap3-only-first-mapped", cuda.cuGraphicsUnmapResources(3, r, 0));
    for (int i = 0; i < 3; i++)
        CHECK(format("after-partial-unmap-ptr%d", i),
              cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r[i]));
    CHECK("after-partial-unmap0", resource_unmap(r[0]));
    CHECK("count0", cuda.cuGraphicsMapResources(0, r, 0));
    CHECK("count0-null", cuda.cuGraphicsMapResources(0, NULL, 0));
    CHECK("null-list", cuda.cuGraphicsMapResources(1, NULL, 0));
    CHECK("unmap-count0", cuda.cuGraphicsUnmapResources(0, r, 0));
    CHECK("unmap-null-list", cuda.cuGraphicsUnmapResources(1, NULL, 0));
    l[0] = r[0];
    l[1] = NULL;
    CHECK("map-second-null", cuda.cuGraphicsMapResources(2, l, 0));
    CHECK("map-second-null-then-ptr", cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r[0]));
    CHECK("map-second-null-unmap", resource_unmap(r[0]));
    l[0] = NULL;
    l[1] = r[1];
    CHECK("map-first-null", cuda.cuGraphicsMapResources(2, l, 0));
    CHECK("map-first-null-then-ptr1", cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r[1]));
    CHECK("map-first-null-unmap1", resource_unmap(r[1]));
    CHECK("map-only-null", cuda.cuGraphicsMapResources(1, l, 0));
    CHECK("unmap-only-null", cuda.cuGraphicsUnmapResources(1, l, 0));
    static const char *sn[] = {"null", "own", "nonblocking", "legacy", "perthread"};
    CUstream st[] = {0, S, S2, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++) {
            if (i && k && i != k && k != 1)
                continue;
            CHECK(format("stream-map-%s-unmap-%s", sn[i], sn[k]),
                  cuda.cuGraphicsMapResources(1, r, st[i]));
            p = UNTOUCHED;
            cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r[0]);
            unsigned char *d = malloc(BUFFER_SIZE);
            pattern_fill(d, BUFFER_SIZE, 30 + i);
            CHECK(format("stream-copy-%s-%s", sn[i], sn[k]),
                  cuda.cuMemcpyHtoDAsync(p, d, BUFFER_SIZE, st[i]));
            CHECK(format("stream-unmap-%s-%s", sn[i], sn[k]),
                  cuda.cuGraphicsUnmapResources(1, r, st[k]), "gl_sees=%s",
                  gl_buffer_check(b[0], BUFFER_SIZE, 30 + i));
            cuda.cuCtxSynchronize();
            free(d);
        }
    /* does map wait for the stream, does unmap wait for it */
    struct blocker B = {.limit_ms = 300};
    if (!stream_block(S, &B)) {
        double t = seconds_now();
        CHECK("map-on-busy-stream", cuda.cuGraphicsMapResources(1, r, S), "blocked_host=%d",
              seconds_now() - t > 0.2);
        CHECK("busy-getptr", cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r[0]));
        stream_unblock(&B);
        cuda.cuCtxSynchronize();
        CHECK("busy-unmap", cuda.cuGraphicsUnmapResources(1, r, S));
    }
    B.limit_ms = 300;
    CHECK("map-for-busy-unmap", cuda.cuGraphicsMapResources(1, r, S));
    if (!stream_block(S, &B)) {
        double t = seconds_now();
        CHECK("unmap-on-busy-stream", cuda.cuGraphicsUnmapResources(1, r, S), "blocked_host=%d",
              seconds_now() - t > 0.2);
        t = seconds_now();
        (void)gl_buffer_check(b[0], BUFFER_SIZE, 0);
        int wt = seconds_now() - t > 0.15, dn = B.done;
        RECORD("gl-read-after-busy-unmap", "waited_for_stream=%d cb_done=%d", wt, dn);
        stream_unblock(&B);
        cuda.cuCtxSynchronize();
    }
    B.limit_ms = 300;
    if (!stream_block(S, &B)) {
        double t = seconds_now();
        CHECK("map-null-stream-other-busy", cuda.cuGraphicsMapResources(1, r, 0), "blocked_host=%d",
              seconds_now() - t > 0.2);
        stream_unblock(&B);
        cuda.cuCtxSynchronize();
        CHECK("unmap-null-stream", cuda.cuGraphicsUnmapResources(1, r, 0));
    }
    /* pointer stability */
    CHECK("stable-map1", resource_map(r[0]));
    p = mapped_pointer(r[0], 0);
    CHECK("stable-unmap1", resource_unmap(r[0]));
    CHECK("stable-map2", resource_map(r[0]));
    q = mapped_pointer(r[0], 0);
    RECORD("stable-across-maps", "second=%s", relative(q, p));
    CHECK("stable-unmap2", resource_unmap(r[0]));
    CHECK("stable-unregister", resource_unregister(r[0]));
    r[0] = buffer_register(b[0], 0);
    CHECK("stable-map3", resource_map(r[0]));
    q = mapped_pointer(r[0], 0);
    RECORD("stable-across-register", "third=%s", relative(q, p));
    CHECK("stable-unmap3", resource_unmap(r[0]));
    CHECK("capture-begin", cuda.cuStreamBeginCapture(S, CU_STREAM_CAPTURE_MODE_RELAXED));
    CHECK("map-capturing-stream", cuda.cuGraphicsMapResources(1, r, S));
    CUgraph g = 0;
    CHECK("capture-end", cuda.cuStreamEndCapture(S, &g));
    CHECK("after-capture-unmap", resource_unmap(r[0]));
    CHECK("capture-global-begin", cuda.cuStreamBeginCapture(S, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK("map-other-stream-while-capturing", cuda.cuGraphicsMapResources(1, r, S2));
    CHECK("register-while-capturing", more.cuGraphicsGLRegisterBuffer(&l[0], b[1], 0));
    CHECK("capture-global-end", cuda.cuStreamEndCapture(S, &g));
    resource_unmap(r[0]);
}

GROUP(2050, glbuf_ptr, "glbuf-ptr")
{
    use_cuda_and_gl();
    GLuint b = gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 1),
           b2 = gl_buffer_new(1 * MB, GL_DYNAMIC_DRAW, 2);
    CUgraphicsResource r = buffer_register(b, 0), r2 = buffer_register(b2, 0);
    if (GONE(r && r2))
        return;
    CUdeviceptr p = UNTOUCHED;
    size_t z = 777;
    CHECK("unmapped", cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r), "out=%s size=%zu",
          out_state_of(p), z);
    CUarray a = (CUarray)UNTOUCHED;
    CUmipmappedArray m = (CUmipmappedArray)UNTOUCHED;
    CHECK("unmapped-array", cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0), "out=%s",
          out_state_of(AS_BITS(a)));
    CHECK("unmapped-mip", cuda.cuGraphicsResourceGetMappedMipmappedArray(&m, r), "out=%s",
          out_state_of(AS_BITS(m)));
    CHECK("map", resource_map(r));
    CHECK("map2", resource_map(r2));
    CHECK("null-ptr-out", cuda.cuGraphicsResourceGetMappedPointer(NULL, &z, r), "size=%zu", z);
    z = 777;
    CHECK("null-size-out", cuda.cuGraphicsResourceGetMappedPointer(&p, NULL, r));
    CHECK("null-both", cuda.cuGraphicsResourceGetMappedPointer(NULL, NULL, r));
    CHECK("null-resource", cuda.cuGraphicsResourceGetMappedPointer(&p, &z, NULL));
    CHECK("array-of-buffer", cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0), "out=%s",
          out_state_of(AS_BITS(a)));
    CHECK("mip-of-buffer", cuda.cuGraphicsResourceGetMappedMipmappedArray(&m, r), "out=%s",
          out_state_of(AS_BITS(m)));
    p = UNTOUCHED;
    z = 777;
    CUresult x = CHECK("mapped", cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r),
                       "out=%s size=%zu %s", out_state_of(p), z, alignment_text(p));
    CUdeviceptr q = UNTOUCHED;
    CHECK("mapped-again", cuda.cuGraphicsResourceGetMappedPointer(&q, &z, r), "same=%d", p == q);
    CUdeviceptr p2 = mapped_pointer(r2, &z);
    RECORD("second-buffer", "size=%zu %s", z, alignment_text(p2));
    if (x && 1)
        return;
    check_pointer_attributes("base", p);
    check_pointer_attributes("base+100", p + 100);
    check_pointer_attributes("big", p2);
    check_pointer_attributes("big+4096", p2 + 4096);
    RECORD("range-base", "%s", range_of(p));
    RECORD("range+100", "%s", range_of(p + 100));
    RECORD("range-end", "%s", range_of(p + BUFFER_SIZE));
    RECORD("range-big", "%s", range_of(p2));
    RECORD("range-big+4096", "%s", range_of(p2 + 4096));
    RECORD("range-big-end", "%s", range_of(p2 + 1 * MB));
    CUipcMemHandle h;
    CHECK("ipc-get", cuda.cuIpcGetMemHandle(&h, p));
    CHECK("ipc-get-big", cuda.cuIpcGetMemHandle(&h, p2));
    int fd = -1;
    CHECK("dmabuf", cuda.cuMemGetHandleForAddressRange(&fd, p2, 1 * MB,
                                                       CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
    CUmemGenericAllocationHandle mh;
    CHECK("retain-handle", cuda.cuMemRetainAllocationHandle(&mh, (void *)(uintptr_t)p2));
    unsigned f;
    CHECK("host-flags", cuda.cuMemHostGetFlags(&f, (void *)(uintptr_t)p));
    CHECK("free-host", cuda.cuMemFreeHost((void *)(uintptr_t)p));
    CHECK("set-sync-memops",
          cuda.cuPointerSetAttribute(&(int){1}, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
    unsigned long long acc = 0;
    CUmemLocation loc = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    CHECK("getaccess", cuda.cuMemGetAccess(&acc, &loc, p2), "access=%llu", acc);
    CHECK("memset", cuda.cuMemsetD8(p, 0x5a, BUFFER_SIZE));
    CHECK("copy-past-end", cuda.cuMemcpyDtoH(risky_host, p + BUFFER_SIZE - 8, 16));
    CHECK("copy-64k-past-end", cuda.cuMemcpyDtoH(risky_host, p + BUFFER_SIZE - 8, 65536));
    CHECK("dtod", cuda.cuMemcpyDtoD(p2, p, BUFFER_SIZE));
    CUdeviceptr d = device_alloc(BUFFER_SIZE);
    CHECK("dtod-out", cuda.cuMemcpyDtoD(d, p, BUFFER_SIZE));
    device_fill(d, BUFFER_SIZE, 44);
    CHECK("dtod-in", cuda.cuMemcpyDtoD(p, d, BUFFER_SIZE));
    CHECK("unmap", resource_unmap(r), "gl_sees=%s", gl_buffer_check(b, BUFFER_SIZE, 44));
    CHECK("unmap2", resource_unmap(r2));
    p = UNTOUCHED;
    z = 777;
    CHECK("after-unmap", cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r), "out=%s size=%zu",
          out_state_of(p), z);
    check_pointer_attributes("unmapped", q);
    RECORD("range-unmapped", "%s", range_of(q));
}

GROUP(2060, glbuf_data, "glbuf-data")
{
    use_cuda_and_gl();
    GLuint b;
    CUgraphicsResource r;
    CUdeviceptr p;
    static const char *fn[] = {"none", "readonly", "discard"};
    for (unsigned fl = 0; fl < 3; fl++) {
        b = gl_buffer_new(65536, GL_DYNAMIC_DRAW, 1);
        r = UNTOUCHED_RESOURCE;
        CHECK(format("%s-register", fn[fl]), more.cuGraphicsGLRegisterBuffer(&r, b, fl));
        if (GONE(r != UNTOUCHED_RESOURCE))
            continue;
        CHECK(format("%s-map", fn[fl]), resource_map(r));
        p = mapped_pointer(r, 0);
        RECORD(format("%s-contents", fn[fl]), "data=%s", device_check(p, 65536, 1));
        device_fill(p, 65536, 2);
        RECORD(format("%s-reads-own-write", fn[fl]), "data=%s", device_check(p, 65536, 2));
        CHECK(format("%s-unmap", fn[fl]), resource_unmap(r));
        RECORD(format("%s-gl-sees-write", fn[fl]), "new=%s old=%s", gl_buffer_check(b, 65536, 2),
               gl_buffer_check(b, 65536, 1));
        gl_buffer_fill(b, 65536, 3);
        CHECK(format("%s-remap", fn[fl]), resource_map(r));
        p = mapped_pointer(r, 0);
        RECORD(format("%s-contents-2", fn[fl]), "data=%s", device_check(p, 65536, 3));
        CHECK(format("%s-unmap-unwritten", fn[fl]), resource_unmap(r));
        RECORD(format("%s-gl-after-unwritten", fn[fl]), "data=%s", gl_buffer_check(b, 65536, 3));
        CHECK(format("%s-remap3", fn[fl]), resource_map(r));
        p = mapped_pointer(r, 0);
        unsigned char *h = malloc(100);
        pattern_fill(h, 100, 9);
        cuda.cuMemcpyHtoD(p, h, 100);
        free(h);
        CHECK(format("%s-unmap-partly-written", fn[fl]), resource_unmap(r));
        RECORD(format("%s-gl-partly", fn[fl]), "head=%s all_old=%s", gl_buffer_check(b, 100, 9),
               gl_buffer_check(b, 65536, 3));
        CHECK(format("%s-unregister", fn[fl]), resource_unregister(r), "gl=%s",
              gl_buffer_check(b, 100, 9));
    }
    /* GL work before map without glFinish; GL access while mapped */
    b = gl_buffer_new(65536, GL_DYNAMIC_DRAW, 1);
    r = buffer_register(b, 0);
    if (GONE(r))
        return;
    gl_buffer_fill(b, 65536, 4);
    CHECK("map-no-glfinish", resource_map(r));
    p = mapped_pointer(r, 0);
    RECORD("map-no-glfinish-data", "data=%s", device_check(p, 65536, 4));
    gl_error();
    RECORD("gl-read-while-mapped", "data=%s", with_gl_error(gl_buffer_check(b, 65536, 4)));
    device_fill(p, 65536, 5);
    RECORD("gl-read-while-mapped-after-write", "data=%s",
           with_gl_error(gl_buffer_check(b, 65536, 5)));
    gl_buffer_fill(b, 65536, 6);
    const char *we = gl_error();
    RECORD("gl-write-while-mapped", "glerr=%s gl=%s cuda=%s", we, gl_buffer_check(b, 65536, 6),
           device_check(p, 65536, 6));
    CHECK("unmap", resource_unmap(r), "gl6=%s gl5=%s", gl_buffer_check(b, 65536, 6),
          gl_buffer_check(b, 65536, 5));
    GLuint c = gl_buffer_new(65536, GL_STREAM_COPY, 11);
    gl.BindBuffer(GL_COPY_READ_BUFFER, c);
    gl.BindBuffer(GL_COPY_WRITE_BUFFER, b);
    gl.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, 65536);
    CHECK("map-after-glcopy", resource_map(r));
    p = mapped_pointer(r, 0);
    RECORD("glcopy-data", "data=%s", device_check(p, 65536, 11));
    device_fill(p, 65536, 12);
    CHECK("unmap-before-glcopy", resource_unmap(r));
    gl.CopyBufferSubData(GL_COPY_WRITE_BUFFER, GL_COPY_READ_BUFFER, 0, 0, 65536);
    RECORD("glcopy-from-cuda-data", "data=%s", gl_buffer_check(c, 65536, 12));
    gl.ClearBufferSubData(GL_COPY_WRITE_BUFFER, GL_R8, 0, 65536, GL_RED, GL_UNSIGNED_BYTE, NULL);
    CHECK("map-after-clear", resource_map(r));
    p = mapped_pointer(r, 0);
    unsigned char *h = malloc(65536);
    memset(h, 1, 65536);
    cuda.cuMemcpyDtoH(h, p, 65536);
    int nz = 0;
    for (int i = 0; i < 65536; i++)
        nz += h[i] != 0;
    RECORD("clear-data", "nonzero=%d", nz);
    CHECK("unmap-end", resource_unmap(r));
    free(h);
    b = gl_buffer_new(100, GL_DYNAMIC_DRAW, 1);
    r = buffer_register(b, 0);
    for (int i = 0; i < 20; i++) {
        resource_map(r);
        p = mapped_pointer(r, 0);
        if (i == 19)
            RECORD("twenty-rounds", "data=%s", device_check(p, 100, i ? 60 + i - 1 : 1));
        device_fill(p, 100, 60 + i);
        resource_unmap(r);
    }
    RECORD("twenty-rounds-gl", "data=%s", gl_buffer_check(b, 100, 79));
}

GROUP(2070, glbuf_mapflags, "glbuf-mapflags")
{
    use_cuda_and_gl();
    static const unsigned fl[] = {0, 1, 2, 3, 4, 8, 0x80, 0xffffffffu};
    for (unsigned k = 0; k < 3; k++) {
        GLuint b = gl_buffer_new(BUFFER_SIZE, GL_DYNAMIC_DRAW, 1);
        CUgraphicsResource r = buffer_register(b, k);
        if (GONE(r))
            continue;
        for (size_t i = 0; i < COUNT_OF(fl); i++) {
            CHECK(format("reg%u-set-0x%x", k, fl[i]), cuda.cuGraphicsResourceSetMapFlags(r, fl[i]));
            gl_buffer_fill(b, BUFFER_SIZE, 2);
            CHECK(format("reg%u-set-0x%x-map", k, fl[i]), resource_map(r));
            CUdeviceptr p = mapped_pointer(r, 0);
            RECORD(format("reg%u-set-0x%x-read", k, fl[i]), "data=%s",
                   device_check(p, BUFFER_SIZE, 2));
            device_fill(p, BUFFER_SIZE, 3);
            CHECK(format("reg%u-set-0x%x-while-mapped", k, fl[i]),
                  cuda.cuGraphicsResourceSetMapFlags(r, fl[i]));
            CHECK(format("reg%u-set-0x%x-unmap", k, fl[i]), resource_unmap(r), "gl_sees=%s",
                  gl_buffer_check(b, BUFFER_SIZE, 3));
        }
        CHECK(format("reg%u-unregister", k), resource_unregister(r));
    }
    CHECK("null-0", cuda.cuGraphicsResourceSetMapFlags(NULL, 0));
    CHECK("null-bad", cuda.cuGraphicsResourceSetMapFlags(NULL, 0x80));
}
