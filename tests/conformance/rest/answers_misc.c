/* SPDX-License-Identifier: MIT */
/* Small subjects: texture widths, RDMA flush, NvSciSync, export tables, EGL, VDPAU, profiler, core
 * dumps, checkpoint, context creation parameters. */
#include "rest.h"
#include <sys/utsname.h>

GROUP(600, texwidth, "texwidth")
{
    use_device();
    cases_independent = 1;
    size_t w;
    for (const struct named_value *f = format_names; f->name; f++)
        for (unsigned c = 0; c <= 5; c++) {
            w = UNTOUCHED;
            CHECK(format("%s.c%u", f->name, c),
                  cuda.cuDeviceGetTexture1DLinearMaxWidth(&w, f->value, c, device), "%s",
                  w == UNTOUCHED ? "kept" : format("%zu", w));
        }
    static const int bad[] = {0,    4,    5,    6,    7,    11,   0x11, 0x21, 0x30,  0x40,
                              0x51, 0x7f, 0xa0, 0xaa, 0xaf, 0xbf, 0xcc, 0xff, 0x100, -1};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        for (unsigned c = 1; c <= 4; c += 3) {
            w = UNTOUCHED;
            CHECK(format("fmt%x.c%u", bad[i], c),
                  cuda.cuDeviceGetTexture1DLinearMaxWidth(&w, bad[i], c, device), "%s",
                  w == UNTOUCHED ? "kept" : format("%zu", w));
        }
    static const unsigned ch[] = {8, 16, 0x80000001u, ~0u};
    for (size_t i = 0; i < COUNT_OF(ch); i++)
        CHECK(format("float.c%x", ch[i]),
              cuda.cuDeviceGetTexture1DLinearMaxWidth(&w, 0x20, ch[i], device));
    static const int dv[] = {-1, 1, 99};
    for (int i = 0; i < 3; i++)
        CHECK(format("dev%d", dv[i]), cuda.cuDeviceGetTexture1DLinearMaxWidth(&w, 0x20, 1, dv[i]));
    CHECK("null-out", cuda.cuDeviceGetTexture1DLinearMaxWidth(NULL, 0x20, 1, device));
    CHECK("bad-all", cuda.cuDeviceGetTexture1DLinearMaxWidth(NULL, 0, 0, 99));
    unsigned fl;
    int act = 9;
    cuda.cuDevicePrimaryCtxGetState(device, &fl, &act);
    RECORD("primary-active", "%d", act);
    RECORD("attribute", "%d", device_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH));
}

GROUP(601, flush_rdma, "flush-rdma")
{
    use_primary_context();
    RECORD("attributes", "supported=%d options=%d ordering=%d",
           device_attribute(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED),
           device_attribute(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS),
           device_attribute(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING));
    static const int sc[] = {-1, 0, 1, 50, 99, 100, 101, 150, 199, 200, 201, 300};
    for (int t = -1; t < 3; t++)
        for (size_t i = 0; i < COUNT_OF(sc); i++)
            CHECK(format("t%d.s%d", t, sc[i]), cuda.cuFlushGPUDirectRDMAWrites(t, sc[i]));
    cuda.cuCtxSetCurrent(NULL);
    CHECK("no-current", cuda.cuFlushGPUDirectRDMAWrites(0, 100));
    CHECK("no-current-bad", cuda.cuFlushGPUDirectRDMAWrites(7, 7));
    CUcontext c = context_new();
    CHECK("created-ctx", cuda.cuFlushGPUDirectRDMAWrites(0, 200));
    cuda.cuCtxDestroy(c);
}

GROUP(602, nvscisync, "nvscisync")
{
    use_device();
    static char b[4096];
    static const int fl[] = {0, 1, 2, 3, 4, 8, -1}, dv[] = {0, -1, 99};
    for (int d = 0; d < 3; d++)
        for (size_t i = 0; i < COUNT_OF(fl); i++) {
            CHECK(format("null-list.dev%d.f%d", dv[d], fl[i]),
                  cuda.cuDeviceGetNvSciSyncAttributes(NULL, dv[d], fl[i]));
            CHECK(format("zero-list.dev%d.f%d", dv[d], fl[i]),
                  cuda.cuDeviceGetNvSciSyncAttributes(b, dv[d], fl[i]));
        }
    cuda.cuDevicePrimaryCtxRetain(&context, device);
    cuda.cuCtxSetCurrent(context);
    CHECK("with-context", cuda.cuDeviceGetNvSciSyncAttributes(b, device, 1));
}

GROUP(603, exporttable, "exporttable")
{
    const void *p;
    static const CUuuid z,
        u = {{0x12, 0x34, 0x56, 0x78, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x01, 0x02, 0x03,
              0x04, 0x05}},
        f = {{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}};
    for (int k = 0; k < 2; k++) {
        const char *t = k ? "init" : "noinit";
        if (k)
            use_device();
        p = UNTOUCHED_HANDLE;
        CHECK(format("%s-unknown", t), cuda.cuGetExportTable(&p, &u), "p=%s", handle_state(p));
        p = UNTOUCHED_HANDLE;
        CHECK(format("%s-zero", t), cuda.cuGetExportTable(&p, &z), "p=%s", handle_state(p));
        p = UNTOUCHED_HANDLE;
        CHECK(format("%s-ones", t), cuda.cuGetExportTable(&p, &f), "p=%s", handle_state(p));
        CHECK(format("%s-null-out", t), cuda.cuGetExportTable(NULL, &u));
        p = UNTOUCHED_HANDLE;
        CHECK(format("%s-null-id", t), cuda.cuGetExportTable(&p, NULL), "p=%s", handle_state(p));
        CHECK(format("%s-both-null", t), cuda.cuGetExportTable(NULL, NULL));
    }
}

GROUP(604, eglapiinit, "eglapiinit")
{
    CHECK("noinit-zeros", cuda.cuEGLApiInit(0, 0, 0, 0, 0, 0));
    use_device();
    CHECK("init-zeros", cuda.cuEGLApiInit(0, 0, 0, 0, 0, 0));
    cuda.cuDevicePrimaryCtxRetain(&context, device);
    cuda.cuCtxSetCurrent(context);
    CHECK("ctx-zeros", cuda.cuEGLApiInit(0, 0, 0, 0, 0, 0));
}

static int vdpau_calls;

static int vdpau_fails(uint32_t d, uint32_t id, void **fn)
{
    (void)d;
    (void)id;
    vdpau_calls++;
    if (fn)
        *fn = NULL;
    return 23;
}

static int vdpau_gives_null(uint32_t d, uint32_t id, void **fn)
{
    (void)d;
    (void)id;
    vdpau_calls++;
    if (fn)
        *fn = NULL;
    return 0;
}

typedef CUresult (*vdpau_register)(void *, uint32_t, unsigned);
GROUP(605, vdpau, "vdpau")
{
    use_device();
    CUdevice d;
    CUcontext c;
    void *fns[] = {NULL, (void *)vdpau_fails, (void *)vdpau_gives_null};
    static const char *nm[] = {"null", "failing", "null-function"};
    for (int k = 0; k < 3; k++)
        for (unsigned h = 0; h < 2; h++) {
            d = 77;
            vdpau_calls = 0;
            CHECK(format("getdevice-%s-handle%u", nm[k], h), cuda.cuVDPAUGetDevice(&d, h, fns[k]),
                  "d=%d calls=%d", d, vdpau_calls);
            c = UNTOUCHED_HANDLE;
            vdpau_calls = 0;
            CHECK(format("ctxcreate-%s-handle%u", nm[k], h),
                  cuda.cuVDPAUCtxCreate_v2(&c, 0, 0, h, fns[k]), "c=%s calls=%d", handle_state(c),
                  vdpau_calls);
        }
    CHECK("getdevice-null-out", cuda.cuVDPAUGetDevice(NULL, 0, (void *)vdpau_fails));
    CHECK("ctxcreate-null-out", cuda.cuVDPAUCtxCreate_v2(NULL, 0, 0, 0, (void *)vdpau_fails));
    CHECK("ctxcreate-dev99", cuda.cuVDPAUCtxCreate_v2(&c, 0, 99, 0, (void *)vdpau_fails));
    CHECK("ctxcreate-flags", cuda.cuVDPAUCtxCreate_v2(&c, 0xffff0000, 0, 0, (void *)vdpau_fails));
    CHECK("getdevice-garbage-function", cuda.cuVDPAUGetDevice(&d, 0, (void *)0x10));
    cuda.cuDevicePrimaryCtxRetain(&context, device);
    cuda.cuCtxSetCurrent(context);
    CUgraphicsResource g = UNTOUCHED_HANDLE;
    (void)g;
    static const char *rg[] = {"cuGraphicsVDPAURegisterVideoSurface",
                               "cuGraphicsVDPAURegisterOutputSurface"};
    for (int i = 0; i < 2; i++) {
        vdpau_register f = (vdpau_register)library_symbol(rg[i]);
        if (!f) {
            RECORD(rg[i], "absent");
            continue;
        }
        CHECK(format("%s-zero", rg[i]), f(&g, 0, 0), "g=%s", handle_state(g));
        CHECK(format("%s-null", rg[i]), f(NULL, 0, 0));
        CHECK(format("%s-flags", rg[i]), f(&g, 1, 77));
    }
}

GROUP(606, profiler, "profiler")
{
    CHECK("start-noinit", cuda.cuProfilerStart());
    CHECK("stop-noinit", cuda.cuProfilerStop());
    use_device();
    CHECK("start-noctx", cuda.cuProfilerStart());
    CHECK("stop-noctx", cuda.cuProfilerStop());
    cuda.cuDevicePrimaryCtxRetain(&context, device);
    cuda.cuCtxSetCurrent(context);
    CHECK("stop-first", cuda.cuProfilerStop());
    CHECK("start", cuda.cuProfilerStart());
    CHECK("start-again", cuda.cuProfilerStart());
    CUdeviceptr d = 0;
    CHECK("work", cuda.cuMemAlloc(&d, 64));
    CHECK("stop", cuda.cuProfilerStop());
    CHECK("stop-again", cuda.cuProfilerStop());
    CUcontext c = context_new();
    CHECK("start-other", cuda.cuProfilerStart());
    cuda.cuCtxDestroy(c);
    cuda.cuCtxSetCurrent(context);
    CHECK("stop-primary", cuda.cuProfilerStop());
    static const int md[] = {0, 1, 2, -1};
    for (int i = 0; i < 4; i++) {
        CHECK(format("init-null-mode%d", md[i]), cuda.cuProfilerInitialize(NULL, NULL, md[i]));
        CHECK(format("init-file-mode%d", md[i]),
              cuda.cuProfilerInitialize("/nonexistent/conf", "/tmp/rest-profile-out", md[i]));
    }
    CHECK("init-null-out", cuda.cuProfilerInitialize("/nonexistent/conf", NULL, 0));
    CHECK("init-null-conf", cuda.cuProfilerInitialize(NULL, "/tmp/rest-profile-out", 0));
    RECORD("file-made", "%d", !access("/tmp/rest-profile-out", F_OK));
    unlink("/tmp/rest-profile-out");
    CHECK("start-after-init", cuda.cuProfilerStart());
    CHECK("stop-after-init", cuda.cuProfilerStop());
}

/* ---- core dumps ---- */
static const char *host_masked(const char *s)
{
    struct utsname u;
    uname(&u);
    static char o[1200];
    char p[16];
    snprintf(p, sizeof p, "%d", getpid());
    size_t k = 0, hn = strlen(u.nodename), pn = strlen(p);
    while (*s && k < sizeof o - 8) {
        if (hn && !strncmp(s, u.nodename, hn)) {
            strcpy(o + k, "HOST");
            k += 4;
            s += hn;
        } else if (!strncmp(s, p, pn)) {
            strcpy(o + k, "PID");
            k += 3;
            s += pn;
        } else
            o[k++] = *s < 32 || *s > 126 ? '?' : *s, s++;
    }
    o[k] = 0;
    return o;
}

typedef CUresult (*coredump_function)(CUcoredumpSettings, void *, size_t *);
static unsigned char coredump_value[4096];

static const char *coredump_text(int a, size_t n)
{
    if (a == 5 || a == 6) {
        coredump_value[n < sizeof coredump_value ? n : sizeof coredump_value - 1] = 0;
        return format("\"%s\"", host_masked((char *)coredump_value));
    }
    char b[64] = "";
    for (size_t i = 0; i < n && i < 12; i++)
        sprintf(b + 2 * i, "%02x", coredump_value[i]);
    return format("%s", b);
}

static void check_coredump_get(const char *tag, coredump_function get)
{
    size_t n;
    for (int a = -1; a < 11; a++) {
        n = 777;
        CHECK(format("%s-attr%d-size", tag, a), get(a, NULL, &n), "n=%zu", n);
        static const size_t sz[] = {0, 1, 2, 4, 8, 16, 64, 1023, 1024, 1025, 4096};
        for (size_t i = 0; i < COUNT_OF(sz); i++) {
            n = sz[i];
            memset(coredump_value, 0x5a, sizeof coredump_value);
            const char *v;
            int over;
            CHECK_THEN(
                format("%s-attr%d-n%zu", tag, a, sz[i]), get(a, coredump_value, &n),
                over = sz[i] < sizeof coredump_value && coredump_value[sz[i]] != 0x5a;
                v = result ? equal_bytes(coredump_value, sizeof coredump_value)
                           : coredump_text(a, a == 5 || a == 6 ? strnlen((char *)coredump_value,
                                                                         sz[i] ? sz[i] : 1)
                                              : n > 12         ? 12
                                                               : n),
                "n=%zu over=%d %s",
                (a == 5 || a == 6) && n > 4 && n != sz[i] && n != 1024 && n != 1023 ? (size_t)1 : n,
                over, v);
        }
        CHECK(format("%s-attr%d-null-size", tag, a), get(a, coredump_value, NULL));
        CHECK(format("%s-attr%d-both-null", tag, a), get(a, NULL, NULL));
    }
}

static void check_coredump_set(const char *tag, coredump_function set, coredump_function get)
{
    size_t n;
    static const struct {
        int a;
        size_t n;
        unsigned v;
    } tr[] = {{1, 1, 1},    {1, 4, 1},    {1, 1, 0},    {1, 1, 2},           {1, 0, 1},
              {1, 8, 1},    {2, 1, 0},    {2, 4, 0},    {2, 1, 1},           {3, 1, 1},
              {3, 4, 1},    {3, 1, 0},    {7, 4, 0},    {7, 4, 1},           {7, 4, 0x2f},
              {7, 4, 0x3f}, {7, 4, 0x10}, {7, 4, 0x40}, {7, 4, 0xffffffffu}, {7, 1, 1},
              {7, 8, 1},    {7, 0, 1},    {0, 4, 1},    {8, 4, 1},           {-1, 4, 1}};
    for (size_t i = 0; i < COUNT_OF(tr); i++) {
        unsigned long long v = tr[i].v, w = 0;
        n = tr[i].n;
        size_t m = tr[i].a == 7 ? 4 : 1;
        CUresult g;
        CHECK_THEN(format("%s-set%d-n%zu-v%x", tag, tr[i].a, tr[i].n, tr[i].v),
                   set(tr[i].a, &v, &n), g = get(tr[i].a, &w, &m), "n=%zu read=%s 0x%llx n=%zu", n,
                   result_name(g), w, m);
    }
    unsigned lw = 0;
    n = 4;
    get(7, &lw, &n);
    RECORD(format("%s-flags-end", tag), "0x%x", lw);
    {
        unsigned char b = 1;
        n = 1;
        set(3, &b, &n);
        lw = 0;
        n = 4;
        get(7, &lw, &n);
        RECORD(format("%s-flags-after-lightweight", tag), "0x%x", lw);
        b = 0;
        n = 1;
        set(3, &b, &n);
        lw = 0;
        n = 4;
        get(7, &lw, &n);
        RECORD(format("%s-flags-after-not-lightweight", tag), "0x%x", lw);
        b = 0;
        n = 1;
        set(2, &b, &n);
        lw = 0;
        n = 4;
        get(7, &lw, &n);
        RECORD(format("%s-flags-after-no-host", tag), "0x%x", lw);
        lw = 0x2f;
        n = 4;
        set(7, &lw, &n);
        b = 9;
        n = 1;
        get(3, &b, &n);
        RECORD(format("%s-lightweight-after-flags", tag), "%u", b);
    }
    for (int a = 5; a <= 6; a++) {
        static char lng[2100];
        memset(lng, 'x', sizeof lng - 1);
        static const struct {
            const char *nm, *v;
            int n;
        } st[] = {{"short", "core.rest", 10},
                  {"no-nul", "core.rest", 9},
                  {"cut", "core.rest", 4},
                  {"format", "core.%h.%p.%t", 14},
                  {"path", "/tmp/nonexistent-dir/core", 26},
                  {"empty", "", 1},
                  {"zero-size", "core.zero", 0}};
        for (size_t i = 0; i < COUNT_OF(st); i++) {
            n = st[i].n;
            size_t m = 1024;
            CUresult g;
            memset(coredump_value, 0, sizeof coredump_value);
            CHECK_THEN(format("%s-set%d-%s", tag, a, st[i].nm), set(a, (void *)st[i].v, &n),
                       g = get(a, coredump_value, &m), "n=%zu read=%s \"%s\"", n, result_name(g),
                       host_masked((char *)coredump_value));
        }
        static const int ln[] = {1022, 1023, 1024, 1025, 2000};
        for (int i = 0; i < 5; i++) {
            n = ln[i];
            size_t m = 1024;
            CUresult g;
            memset(coredump_value, 0, sizeof coredump_value);
            lng[ln[i] - 1] = 0;
            CHECK_THEN(format("%s-set%d-long%d", tag, a, ln[i]), set(a, lng, &n),
                       g = get(a, coredump_value, &m), "read=%s len=%zu", result_name(g),
                       strlen((char *)coredump_value));
            lng[ln[i] - 1] = 'x';
        }
        CHECK(format("%s-set%d-null", tag, a), set(a, NULL, (n = 77, &n)), "n=%zu", n);
        CHECK(format("%s-set%d-null-size", tag, a), set(a, (void *)"x", NULL));
    }
    for (int a = 0; a < 9; a++) {
        n = 777;
        CHECK(format("%s-set%d-null-value", tag, a), set(a, NULL, &n), "n=%zu", n);
        CHECK(format("%s-set%d-null-null", tag, a), set(a, NULL, NULL));
    }
}

static char scratch_folder[64];

static void use_scratch_folder(int keep)
{
    strcpy(scratch_folder, "/tmp/rest-core-XXXXXX");
    if (mkdtemp(scratch_folder) && chdir(scratch_folder))
        _exit(0);
    if (!keep)
        rmdir(scratch_folder);
} /* nothing of these groups is left lying about */
GROUP(610, coredump_get, "coredump-get")
{
    use_scratch_folder(0);
    check_coredump_get("noinit-global", cuda.cuCoredumpGetAttributeGlobal);
    use_device();
    check_coredump_get("global", cuda.cuCoredumpGetAttributeGlobal);
    size_t n = 1;
    CHECK("ctx-no-current", cuda.cuCoredumpGetAttribute(1, coredump_value, &n));
    cuda.cuDevicePrimaryCtxRetain(&context, device);
    cuda.cuCtxSetCurrent(context);
    check_coredump_get("ctx", cuda.cuCoredumpGetAttribute);
    CUcontext c = 0;
    cuda.cuCtxCreate(&c, NULL, CU_CTX_COREDUMP_ENABLE, device);
    unsigned char b = 9;
    n = 1;
    CHECK("ctx-flag-coredump", cuda.cuCoredumpGetAttribute(1, &b, &n), "%u", b);
}

GROUP(611, coredump_set_global, "coredump-set-global")
{
    use_scratch_folder(0);
    use_device();
    check_coredump_set("global", cuda.cuCoredumpSetAttributeGlobal,
                       cuda.cuCoredumpGetAttributeGlobal);
    cuda.cuDevicePrimaryCtxRetain(&context, device);
    cuda.cuCtxSetCurrent(context);
    unsigned fl = 9;
    size_t n = 4;
    CHECK("inherited", cuda.cuCoredumpGetAttribute(7, &fl, &n), "0x%x", fl);
    fl = 1;
    n = 4;
    CHECK("set-after-ctx", cuda.cuCoredumpSetAttributeGlobal(7, &fl, &n));
    fl = 9;
    n = 4;
    CHECK("seen-by-ctx", cuda.cuCoredumpGetAttribute(7, &fl, &n), "0x%x", fl);
    memset(coredump_value, 0, sizeof coredump_value);
    n = 1024;
    CHECK("file-inherited", cuda.cuCoredumpGetAttribute(5, coredump_value, &n), "\"%s\"",
          host_masked((char *)coredump_value));
}

GROUP(612, coredump_set_ctx, "coredump-set-ctx")
{
    use_scratch_folder(0);
    use_primary_context();
    check_coredump_set("ctx", cuda.cuCoredumpSetAttribute, cuda.cuCoredumpGetAttribute);
    unsigned char b = 9;
    size_t n = 1;
    CHECK("trigger-get", cuda.cuCoredumpGetAttribute(4, &b, &n), "%u", b);
    b = 1;
    n = 1;
    CHECK("trigger-set", cuda.cuCoredumpSetAttribute(4, &b, &n));
    CUcontext c = context_new();
    unsigned fl = 99;
    n = 4;
    CHECK("other-ctx-flags", cuda.cuCoredumpGetAttribute(7, &fl, &n), "0x%x", fl);
    fl = 99;
    n = 4;
    CHECK("global-flags", cuda.cuCoredumpGetAttributeGlobal(7, &fl, &n), "0x%x", fl);
    cuda.cuCtxSetCurrent(NULL);
    n = 4;
    CHECK("no-current-set", cuda.cuCoredumpSetAttribute(7, &fl, &n));
    n = 4;
    CHECK("no-current-get", cuda.cuCoredumpGetAttribute(7, &fl, &n));
    (void)c;
}

GROUP(613, coredump_trigger, "coredump-trigger")
{
    use_scratch_folder(1);
    unsigned char b = 1;
    size_t n = 1;
    CHECK("noinit-enable", cuda.cuCoredumpSetAttributeGlobal(4, &b, &n));
    use_device();
    b = 9;
    n = 1;
    CHECK("get", cuda.cuCoredumpGetAttributeGlobal(4, &b, &n), "%u", b);
    n = 9;
    CHECK("pipe-name", cuda.cuCoredumpSetAttributeGlobal(6, "pipe.rst", &n));
    b = 1;
    n = 1;
    CHECK("enable", cuda.cuCoredumpSetAttributeGlobal(4, &b, &n));
    struct stat st;
    int r = stat("pipe.rst", &st);
    RECORD("pipe-made", "%d fifo=%d", !r, !r && S_ISFIFO(st.st_mode));
    n = 9;
    CHECK("pipe-name-after", cuda.cuCoredumpSetAttributeGlobal(6, "pipe.two", &n));
    cuda.cuDevicePrimaryCtxRetain(&context, device);
    cuda.cuCtxSetCurrent(context);
    usleep(200000);
    r = stat("pipe.rst", &st);
    RECORD("pipe-made-with-ctx", "%d fifo=%d", !r, !r && S_ISFIFO(st.st_mode));
    b = 0;
    n = 1;
    CHECK("disable", cuda.cuCoredumpSetAttributeGlobal(4, &b, &n));
    b = 9;
    n = 1;
    CHECK("get-end", cuda.cuCoredumpGetAttributeGlobal(4, &b, &n), "%u", b);
    char cmd[100];
    snprintf(cmd, sizeof cmd, "rm -rf %s", scratch_folder);
    if (!strncmp(scratch_folder, "/tmp/rest-core-", 15) && system(cmd))
        return;
}

/* ---- checkpoint ---- */
GROUP(620, checkpoint, "checkpoint")
{
    CUprocessState s;
    int t;
    int self = getpid();
    const int pid[] = {0, -1, -2, 1, INT_MAX, getppid(), 4194303};
    static const char *pn[] = {"0", "minus1", "minus2", "init", "intmax", "parent", "unused"};
    for (int k = 0; k < 3; k++) {
        const char *tg = k == 0 ? "noinit" : k == 1 ? "init" : "ctx";
        if (k == 1)
            use_device();
        if (k == 2) {
            cuda.cuDevicePrimaryCtxRetain(&context, device);
            cuda.cuCtxSetCurrent(context);
        }
        s = 99;
        CHECK(format("%s-state-self", tg), cuda.cuCheckpointProcessGetState(self, &s), "s=%d", s);
        CHECK(format("%s-state-null", tg), cuda.cuCheckpointProcessGetState(self, NULL));
        t = -5;
        CHECK(format("%s-tid-self", tg), cuda.cuCheckpointProcessGetRestoreThreadId(self, &t),
              "%s own-task=%d",
              t == -5 ? "kept"
              : t     ? "set"
                      : "zero",
              t > 0 && !access(format("/proc/%d/task/%d", self, t), F_OK));
        CHECK(format("%s-tid-null", tg), cuda.cuCheckpointProcessGetRestoreThreadId(self, NULL));
        for (size_t i = 0; i < COUNT_OF(pid); i++) {
            s = 99;
            CHECK(format("%s-state-%s", tg, pn[i]), cuda.cuCheckpointProcessGetState(pid[i], &s),
                  "s=%d", s);
            t = -5;
            CHECK(format("%s-tid-%s", tg, pn[i]),
                  cuda.cuCheckpointProcessGetRestoreThreadId(pid[i], &t), "%s",
                  t == -5 ? "kept" : "set");
            if (pid[i] < 0 || pid[i] > 4000000) {
                CUcheckpointLockArgs la;
                memset(&la, 0, sizeof la);
                la.timeoutMs = 100;
                CHECK(format("%s-lock-%s", tg, pn[i]), cuda.cuCheckpointProcessLock(pid[i], &la));
                CHECK(format("%s-checkpoint-%s", tg, pn[i]),
                      cuda.cuCheckpointProcessCheckpoint(pid[i], NULL));
                CHECK(format("%s-restore-%s", tg, pn[i]),
                      cuda.cuCheckpointProcessRestore(pid[i], NULL));
                CHECK(format("%s-unlock-%s", tg, pn[i]),
                      cuda.cuCheckpointProcessUnlock(pid[i], NULL));
            }
        }
        /* wrong for a process that runs */ CHECK(format("%s-unlock-self", tg),
                                                  cuda.cuCheckpointProcessUnlock(self, NULL));
        CHECK(format("%s-checkpoint-self", tg), cuda.cuCheckpointProcessCheckpoint(self, NULL));
        CHECK(format("%s-restore-self", tg), cuda.cuCheckpointProcessRestore(self, NULL));
        CUcheckpointLockArgs la;
        memset(&la, 0, sizeof la);
        la.reserved0 = 1;
        la.timeoutMs = 10;
        CHECK(format("%s-lock-reserved-unused-pid", tg),
              cuda.cuCheckpointProcessLock(4194303, &la));
        s = 99;
        CHECK(format("%s-state-self-end", tg), cuda.cuCheckpointProcessGetState(self, &s), "s=%d",
              s);
    }
}

/* a whole cycle on a helper process of our own; the helper answers over pipes and is killed at the
 * end */
GROUP(980, checkpoint_child, "checkpoint-child")
{
    int to[2], from[2];
    if (pipe(to) || pipe(from))
        return;
    pid_t k = fork();
    if (!k) {
        char c;
        close(to[1]);
        close(from[0]);
        alarm(60);
        use_device();
        cuda.cuDevicePrimaryCtxRetain(&context, device);
        cuda.cuCtxSetCurrent(context);
        CUdeviceptr d = device_alloc(1 << 20);
        device_fill(d, 1 << 20, 5);
        c = 'r';
        if (write(from[1], &c, 1) != 1)
            _exit(0);
        while (read(to[0], &c, 1) == 1) {
            const char *o = device_check(d, 1 << 20, 5);
            c = !strcmp(o, "ok") ? 'y' : 'n';
            if (write(from[1], &c, 1) != 1)
                break;
        }
        _exit(0);
    }
    close(to[0]);
    close(from[1]);
    char c = 0;
    fcntl(from[0], F_SETFL, O_NONBLOCK);
    for (int i = 0; i < 1000 && read(from[0], &c, 1) != 1; i++)
        usleep(10000);
    RECORD("helper", "ready=%d", c == 'r');
    use_device();
    CUprocessState s;
    int t;
    CUcheckpointLockArgs la;
    memset(&la, 0, sizeof la);
    la.timeoutMs = 3000;
#define CHECK_STATE(nm)                                                                            \
    s = 99;                                                                                        \
    CHECK(nm, cuda.cuCheckpointProcessGetState(k, &s), "s=%d", s)
#define ASK_PEER(nm)                                                                               \
    {                                                                                              \
        c = '?';                                                                                   \
        char q = 'q';                                                                              \
        if (write(to[1], &q, 1) == 1)                                                              \
            for (int i = 0; i < 50 && read(from[0], &c, 1) != 1; i++)                              \
                usleep(10000);                                                                     \
        RECORD(nm, "%c", c);                                                                       \
    }
    CHECK_STATE("state");
    t = -5;
    CHECK("tid", cuda.cuCheckpointProcessGetRestoreThreadId(k, &t), "is-its-task=%d main=%d",
          t > 0 && !access(format("/proc/%d/task/%d", (int)k, t), F_OK), t == (int)k);
    CHECK("unlock-running", cuda.cuCheckpointProcessUnlock(k, NULL));
    CHECK("checkpoint-running", cuda.cuCheckpointProcessCheckpoint(k, NULL));
    CHECK("restore-running", cuda.cuCheckpointProcessRestore(k, NULL));
    la.reserved0 = 1;
    CHECK("lock-reserved", cuda.cuCheckpointProcessLock(k, &la));
    la.reserved0 = 0;
    CHECK_STATE("state-1");
    CHECK("lock", cuda.cuCheckpointProcessLock(k, &la));
    CHECK_STATE("state-locked");
    ASK_PEER("answers-while-locked");
    CHECK("lock-again", cuda.cuCheckpointProcessLock(k, &la));
    CHECK("restore-locked", cuda.cuCheckpointProcessRestore(k, NULL));
    CHECK("unlock", cuda.cuCheckpointProcessUnlock(k, NULL));
    CHECK_STATE("state-unlocked");
    usleep(300000);
    c = 0;
    while (read(from[0], &c, 1) == 1) {
    }
    RECORD("late-answer", "%c", c ? c : '-');
    CHECK("lock2", cuda.cuCheckpointProcessLock(k, NULL));
    CHECK("checkpoint", cuda.cuCheckpointProcessCheckpoint(k, NULL));
    CHECK_STATE("state-checkpointed");
    CHECK("checkpoint-again", cuda.cuCheckpointProcessCheckpoint(k, NULL));
    CHECK("unlock-checkpointed", cuda.cuCheckpointProcessUnlock(k, NULL));
    CHECK("lock-checkpointed", cuda.cuCheckpointProcessLock(k, &la));
    CUcheckpointRestoreArgs ra;
    memset(&ra, 0, sizeof ra);
    ra.gpuPairsCount = 1;
    CHECK("restore-null-pairs", cuda.cuCheckpointProcessRestore(k, &ra));
    CHECK("restore", cuda.cuCheckpointProcessRestore(k, NULL));
    CHECK_STATE("state-restored");
    CHECK("restore-again", cuda.cuCheckpointProcessRestore(k, NULL));
    CHECK("unlock2", cuda.cuCheckpointProcessUnlock(k, NULL));
    CHECK_STATE("state-end");
    ASK_PEER("memory-kept");
    kill(k, SIGKILL);
    waitpid(k, NULL, 0);
    CHECK_STATE("state-dead");
}

/* ---- context creation parameters ---- */
GROUP(630, ctx_params, "ctx-params")
{
    use_device();
    int v;
    static const int ty[] = {0, 1, 2, -1, 99};
    for (size_t i = 0; i < COUNT_OF(ty); i++) {
        v = 99;
        CHECK(format("affinity-support-type%d", ty[i]),
              cuda.cuDeviceGetExecAffinitySupport(&v, ty[i], device), "%d", v);
    }
    CHECK("affinity-support-null", cuda.cuDeviceGetExecAffinitySupport(NULL, 0, device));
    CHECK("affinity-support-dev99", cuda.cuDeviceGetExecAffinitySupport(&v, 0, 99));
    RECORD("cig-attributes", "d3d12=%d vulkan=%d", device_attribute(135), device_attribute(138));
    CUcontext c;
    CUctxCreateParams p;
    CUexecAffinityParam a[3];
    CUctxCigParam g;
    static char blob[4096];
#define CHECK_CREATE(nm)                                                                           \
    c = UNTOUCHED_HANDLE;                                                                          \
    CHECK_THEN(nm, cuda.cuCtxCreate(&c, &p, 0, device), if (!result) cuda.cuCtxDestroy(c), "c=%s", \
               handle_state(c))
    memset(&p, 0, sizeof p);
    CHECK_CREATE("empty");
    static const unsigned smc[] = {0, 1, 2, 8, 66, 132, 133, 1000, ~0u};
    for (size_t i = 0; i < COUNT_OF(smc); i++) {
        memset(&p, 0, sizeof p);
        memset(a, 0, sizeof a);
        a[0].param.smCount.val = smc[i];
        p.execAffinityParams = a;
        p.numExecAffinityParams = 1;
        CHECK_CREATE(format("affinity-sm%u", smc[i]));
    }
    for (int n = -1; n < 4; n++) {
        memset(&p, 0, sizeof p);
        memset(a, 0, sizeof a);
        for (int i = 0; i < 3; i++)
            a[i].param.smCount.val = 8;
        p.execAffinityParams = a;
        p.numExecAffinityParams = n;
        CHECK_CREATE(format("affinity-count%d", n));
        p.execAffinityParams = NULL;
        CHECK_CREATE(format("affinity-null-count%d", n));
    }
    for (size_t i = 1; i < COUNT_OF(ty); i++) {
        memset(a, 0, sizeof a);
        a[0].type = ty[i];
        a[0].param.smCount.val = 8;
        p.execAffinityParams = a;
        p.numExecAffinityParams = 1;
        CHECK_CREATE(format("affinity-type%d", ty[i]));
    }
    for (int t = -1; t < 5; t++)
        for (int k = 0; k < 2; k++) {
            memset(&p, 0, sizeof p);
            g.sharedDataType = t;
            g.sharedData = k ? blob : NULL;
            p.cigParams = &g;
            CHECK_CREATE(format("cig-type%d-%s", t, k ? "zeros" : "null"));
        }
    memset(a, 0, sizeof a);
    a[0].param.smCount.val = 8;
    p.execAffinityParams = a;
    p.numExecAffinityParams = 1;
    CHECK_CREATE("both");
    p.numExecAffinityParams = 0;
    p.execAffinityParams = NULL;
    CHECK("cig-null-out", cuda.cuCtxCreate(NULL, &p, 0, device));
    CHECK("cig-dev99", cuda.cuCtxCreate(&c, &p, 0, 99));
    CHECK("cig-flags", cuda.cuCtxCreate(&c, &p, 0xffff0000, device));
    c = UNTOUCHED_HANDLE;
    CHECK("v3-none", cuda.cuCtxCreate_v3(&c, NULL, 0, 0, device), "c=%s", handle_state(c));
    unsigned av = 0;
    cuda.cuCtxGetApiVersion(c, &av);
    RECORD("v3-apiversion", "%u", av);
    cuda.cuCtxDestroy(c);
    CHECK("v3-one", cuda.cuCtxCreate_v3(&c, a, 1, 0, device));
    CHECK("v3-count-null", cuda.cuCtxCreate_v3(&c, NULL, 1, 0, device));
    CHECK("v3-count-neg", cuda.cuCtxCreate_v3(&c, a, -1, 0, device));
    c = 0;
    CHECK("v2", cuda.cuCtxCreate_v2(&c, 0, device));
    av = 0;
    cuda.cuCtxGetApiVersion(c, &av);
    RECORD("v2-apiversion", "%u", av);
    CUexecAffinityParam q = {.type = 9, .param = {.smCount = {999}}};
    for (size_t i = 0; i < COUNT_OF(ty); i++)
        CHECK(format("get-affinity-type%d", ty[i]), cuda.cuCtxGetExecAffinity(&q, ty[i]),
              "type=%d sm-all=%d", q.type,
              q.param.smCount.val ==
                  (unsigned)device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    CHECK("get-affinity-null", cuda.cuCtxGetExecAffinity(NULL, 0));
    for (int l = 6; l < 12; l++) {
        size_t z = 777;
        CHECK(format("limit%d", l), cuda.cuCtxGetLimit(&z, l), "%zu", z);
        CHECK(format("set-limit%d-0", l), cuda.cuCtxSetLimit(l, 0));
        CHECK(format("set-limit%d-1", l), cuda.cuCtxSetLimit(l, 1));
    }
    cuda.cuCtxSetCurrent(NULL);
    CHECK("get-affinity-no-current", cuda.cuCtxGetExecAffinity(&q, 0));
}
