/* SPDX-License-Identifier: MIT */
/* Error logs: callbacks, iterators, dumps, and the text that deliberately wrong calls leave behind.
 * Addresses, times, process and thread numbers are masked in the text; other numbers are kept. */
#include "rest.h"
#include <sys/syscall.h>
static const char *maskn(const char *s, size_t n)
{
    static char o[2400];
    size_t k = 0;
    int pid = getpid(), tid = syscall(SYS_gettid);
    char ps[16], ts[16];
    snprintf(ps, sizeof ps, "%d", pid);
    snprintf(ts, sizeof ts, "%d", tid);
    for (size_t i = 0; i < n && s[i] && k < sizeof o - 16;) {
        const char *p = s + i;
        if (p[0] == '0' && p[1] == 'x') {
            i += 2;
            while (i < n && strchr("0123456789abcdefABCDEF", s[i]) && s[i])
                i++;
            k += sprintf(o + k, "ADDR");
            continue;
        }
        if (*p >= '0' && *p <= '9') {
            size_t j = i;
            int colon = 0, dot = 0;
            while (j < n &&
                   ((s[j] >= '0' && s[j] <= '9') ||
                    ((s[j] == ':' || s[j] == '.') && s[j + 1] >= '0' && s[j + 1] <= '9'))) {
                colon += s[j] == ':';
                dot += s[j] == '.';
                j++;
            }
            if (colon >= 2) {
                i = j;
                k += sprintf(o + k, "TIME");
                continue;
            }
            if (!colon && !dot && j - i == strlen(ts) && !strncmp(p, ts, j - i)) {
                i = j;
                k += sprintf(o + k, "TID");
                continue;
            }
            if (!colon && !dot && j - i == strlen(ps) && !strncmp(p, ps, j - i)) {
                i = j;
                k += sprintf(o + k, "PID");
                continue;
            }
            if (!colon && !dot && k >= 6 && !memcmp(o + k - 6, "TIME][", 6)) {
                i = j;
                k += sprintf(o + k, "TID");
                continue;
            } /* whatever number stands for the thread */
            if (!colon && !dot && j - i >= 12) {
                i = j;
                k += sprintf(o + k, "BIGNUM");
                continue;
            }
            while (i < j && k < sizeof o - 16)
                o[k++] = s[i++];
            continue;
        }
        if (*p == '\n') {
            k += sprintf(o + k, "\\n");
            i++;
            continue;
        }
        o[k++] = (unsigned char)*p < 32 || (unsigned char)*p > 126 ? '?' : *p;
        i++;
    }
    o[k] = 0;
    return o;
}
static const char *mask(const char *s)
{
    return maskn(s, strlen(s));
}
struct rec {
    int n, level, lenok, thread, ud;
    char text[1600];
};
static struct rec rc, rc2;
static pthread_t me;
static void CUDA_CB cb(void *u, CUlogLevel l, char *m, size_t n)
{
    struct rec *r = u;
    if (!r)
        r = &rc;
    r->n++;
    r->level = l;
    r->thread = pthread_equal(me, pthread_self()) != 0;
    r->lenok = m ? (int)(n - strlen(m)) : -99;
    size_t k = strlen(r->text);
    if (m && k < sizeof r->text - 400)
        snprintf(r->text + k, 400, "%s%s", k ? "|" : "", m);
}
static int nseq, seqa, seqb;
static void CUDA_CB cba(void *u, CUlogLevel l, char *m, size_t n)
{
    (void)u;
    (void)l;
    (void)m;
    (void)n;
    seqa = ++nseq;
}
static void CUDA_CB cbb(void *u, CUlogLevel l, char *m, size_t n)
{
    (void)u;
    (void)l;
    (void)m;
    (void)n;
    seqb = ++nseq;
}
static CUresult inner_r;
static void CUDA_CB cbcall(void *u, CUlogLevel l, char *m, size_t n)
{
    (void)u;
    (void)l;
    (void)m;
    (void)n;
    int v;
    inner_r = cuda.cuDriverGetVersion(&v);
    rc.n++;
}
static CUresult inner_a;
static void CUDA_CB cbbad(void *u, CUlogLevel l, char *m, size_t n)
{
    (void)u;
    (void)l;
    (void)m;
    (void)n;
    if (rc.n++ < 3) {
        CUdeviceptr d;
        inner_a = cuda.cuMemAlloc(&d, 0);
    }
}
static const char *show(const struct rec *r)
{
    return r->n ? format("n=%d level=%d len-strlen=%d same-thread=%d", r->n, r->level, r->lenok,
                         r->thread)
                : "n=0";
}
static CUresult wrong(void)
{
    return cuda.cuMemAlloc(NULL, 64);
}
/* the wrong calls */
static CUdeviceptr gd;
static CUstream gs;
static CUevent ge;
static CUmodule gm;
static CUfunction gf;
static CUcontext gc;
static CUarray ga;
static char gh[4096];
static CUlibrary gl;
static CUkernel gk;
static CUdeviceptr xd;
static size_t xz;
static int xi;
static unsigned xu;
static void *xp;
static CUstream xs;
static CUevent xe;
static CUfunction xf;
static CUmodule xm;
static CUarray xa;
static CUgreenCtx xg;
static CUdevResource xr;
static CUdevResourceDesc xrd;
static CUmemGenericAllocationHandle xh;
static CUtensorMap xt __attribute__((aligned(64)));
static CUmemoryPool xpool;
static CUlibrary xl;
static CUkernel xk;
static CUipcMemHandle xih;
static CUtexObject xto;
static CUgraph xgr;
static CUexternalMemory xem;
static CUcontext xc;
static float xfl;
static unsigned long long xull;
static CUmipmappedArray xmip;
static CUresult big_launch(unsigned gx, unsigned bx, unsigned sh)
{
    unsigned n = 1;
    void *pa[] = {&gd, &n};
    return cuda.cuLaunchKernel(gf, gx, 1, 1, bx, 1, 1, sh, gs, pa, NULL);
}
static CUresult tm(uint64_t addr, unsigned rank, uint64_t dim0, uint64_t st0, unsigned box0,
                   unsigned es0, int il, int sw)
{
    cuuint64_t d[5] = {dim0, 32, 16, 8, 4}, s[4] = {st0, 65536, 1 << 20, 1 << 24};
    cuuint32_t b[5] = {box0, 8, 4, 2, 1}, e[5] = {es0, es0, 1, 1, 1};
    return cuda.cuTensorMapEncodeTiled(&xt, 6, rank, (void *)(uintptr_t)addr, d, s, b, e, il, sw, 0,
                                       0);
}
static CUresult mod(const char *t)
{
    CUresult r = cuda.cuModuleLoadData(&xm, t);
    if (!r)
        cuda.cuModuleUnload(xm);
    return r;
}
static CUresult arr(size_t w, size_t h, int f, unsigned c)
{
    CUDA_ARRAY_DESCRIPTOR a = {w, h, f, c};
    return cuda.cuArrayCreate(&xa, &a);
}
static CUresult c2d(size_t sp, size_t w)
{
    CUDA_MEMCPY2D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = c.dstMemoryType = 2;
    c.srcDevice = gd;
    c.dstDevice = gd + 2048;
    c.srcPitch = sp;
    c.dstPitch = 64;
    c.WidthInBytes = w;
    c.Height = 2;
    return cuda.cuMemcpy2D(&c);
}
static CUresult vm(size_t n, int type, int loc)
{
    CUmemAllocationProp p;
    memset(&p, 0, sizeof p);
    p.type = type;
    p.location.type = loc;
    return cuda.cuMemCreate(&xh, n, &p, 0);
}
static CUresult mcc(unsigned n, size_t sz)
{
    CUmulticastObjectProp p;
    memset(&p, 0, sizeof p);
    p.numDevices = n;
    p.size = sz;
    return cuda.cuMulticastCreate(&xh, &p);
}
static CUresult lex(unsigned cx, unsigned gx)
{
    unsigned n = 1;
    void *pa[] = {&gd, &n};
    CUlaunchConfig c;
    CUlaunchAttribute a;
    memset(&c, 0, sizeof c);
    memset(&a, 0, sizeof a);
    a.id = 4;
    a.value.clusterDim.x = cx;
    a.value.clusterDim.y = a.value.clusterDim.z = 1;
    c.gridDimX = gx;
    c.gridDimY = c.gridDimZ = c.blockDimX = c.blockDimY = c.blockDimZ = 1;
    c.attrs = &a;
    c.numAttrs = 1;
    c.hStream = gs;
    return cuda.cuLaunchKernelEx(&c, gf, pa, NULL);
}
static CUresult tex(void)
{
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC t;
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    r.resType = 3;
    return cuda.cuTexObjectCreate(&xto, &r, &t, NULL);
}
static CUresult ext(int type)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC d;
    memset(&d, 0, sizeof d);
    d.type = type;
    d.handle.fd = -1;
    d.size = 4096;
    return cuda.cuImportExternalMemory(&xem, &d);
}
static void live(void)
{
    gd = device_alloc(65536);
    gs = stream_new(0);
    ge = event_new(0);
    cuda.cuModuleLoadData(&gm, kernels_ptx);
    cuda.cuModuleGetFunction(&gf, gm, "incr");
    cuda.cuLibraryLoadData(&gl, kernels_ptx, 0, 0, 0, 0, 0, 0);
    cuda.cuLibraryGetKernel(&gk, gl, "incr");
    gc = context;
    memset(&xr, 0, sizeof xr);
    (void)ga;
    me = pthread_self();
}
#define RUN_(NM, CALL)                                                                             \
    memset(&rc, 0, sizeof rc);                                                                     \
    CHECK(NM, CALL, "%s", show(&rc));
GROUP(300, logtext, "log-text")
{ /* with a callback registered */
    use_primary_context();
    live();
    CUlogsCallbackHandle h = 0;
    CHECK("register", cuda.cuLogsRegisterCallback(cb, &rc, &h), "h=%s", handle_state(h));
#define WRONG_CALL(name, call) RUN_(name, call)
#include "wrong_calls.def"
#undef WRONG_CALL
}
static CUlogIterator it;
static char big[65536];
static const char *dumped(void)
{
    size_t n = sizeof big;
    memset(big, 0x5a, sizeof big);
    CUresult r = cuda.cuLogsDumpToMemory(&it, big, &n, 0);
    if (r)
        return format("dump=%s", result_name(r));
    if (n >= sizeof big)
        n = sizeof big - 1;
    return format("bytes-nul=%d lines=%d", n < sizeof big && !big[n], ({
                      int k = 0;
                      for (size_t i = 0; i < n; i++)
                          k += big[i] == '\n';
                      k;
                  }));
}
#define RUM_(NM, CALL)                                                                             \
    cuda.cuLogsCurrent(&it, 0);                                                                    \
    big[0] = 0;                                                                                    \
    CHECK(NM, CALL, "%s", dumped());
GROUP(301, logmem, "log-memory")
{ /* the same through an iterator, no callback */
    use_primary_context();
    live();
#define WRONG_CALL(name, call) RUM_(name, call)
#include "wrong_calls.def"
#undef WRONG_CALL
}
GROUP(302, lognoinit, "log-noinit")
{
    me = pthread_self();
    CUlogsCallbackHandle h = UNTOUCHED_HANDLE;
    CHECK("register-before-init", cuda.cuLogsRegisterCallback(cb, &rc, &h), "h=%s",
          handle_state(h));
    RUN_("memalloc", cuda.cuMemAlloc(&xd, 64))
    RUN_("deviceget", cuda.cuDeviceGet(&xi, 0));
    RUN_("init-flags", cuda.cuInit(5))
    RUN_("init", cuda.cuInit(0));
    RUN_("memalloc-noctx", cuda.cuMemAlloc(&xd, 64))
    RUN_("ctxsync-noctx", cuda.cuCtxSynchronize())
    RUN_("streamquery-noctx", cuda.cuStreamQuery(0))
    RUN_("primary", cuda.cuDevicePrimaryCtxRetain(&context, 0))
    cuda.cuCtxSetCurrent(context);
    RUN_("memalloc-null", cuda.cuMemAlloc(NULL, 64))
    CHECK("unregister", cuda.cuLogsUnregisterCallback(h));
}
GROUP(303, logcb, "log-callback")
{
    use_primary_context();
    me = pthread_self();
    CUlogsCallbackHandle h = 0, h2 = 0, h3 = 0;
    RUN_("none-registered", wrong());
    h = UNTOUCHED_HANDLE;
    CHECK("register-null-function", cuda.cuLogsRegisterCallback(NULL, &rc, &h), "h=%s",
          handle_state(h));
    CHECK("register-null-out", cuda.cuLogsRegisterCallback(cb, &rc2, NULL));
    memset(&rc2, 0, sizeof rc2);
    RUN_("with-null-out", wrong());
    RECORD("with-null-out-called", "%s", show(&rc2));
    CHECK("register", cuda.cuLogsRegisterCallback(cb, &rc, &h));
    CHECK("register-again", cuda.cuLogsRegisterCallback(cb, &rc, &h2), "same=%d", h == h2);
    RUN_("twice", wrong());
    CHECK("unregister", cuda.cuLogsUnregisterCallback(h));
    RUN_("once", wrong());
    CHECK("unregister-again", cuda.cuLogsUnregisterCallback(h));
    CHECK("unregister2", cuda.cuLogsUnregisterCallback(h2));
    RUN_("gone", wrong());
    CHECK("unregister-null", cuda.cuLogsUnregisterCallback(NULL));
    CHECK("register-null-data", cuda.cuLogsRegisterCallback(cb, NULL, &h));
    RUN_("null-data", wrong());
    cuda.cuLogsUnregisterCallback(h);
    CHECK("register-a", cuda.cuLogsRegisterCallback(cba, NULL, &h));
    CHECK("register-b", cuda.cuLogsRegisterCallback(cbb, NULL, &h2));
    nseq = 0;
    wrong();
    RECORD("order", "a=%d b=%d", seqa, seqb);
    cuda.cuLogsUnregisterCallback(h);
    nseq = seqa = seqb = 0;
    wrong();
    RECORD("order-after-unregister", "a=%d b=%d", seqa, seqb);
    cuda.cuLogsUnregisterCallback(h2);
    CHECK("register-calling", cuda.cuLogsRegisterCallback(cbcall, NULL, &h3));
    inner_r = RESULT_SKIPPED;
    RUN_("calls-inside", wrong());
    RECORD("calls-inside-answer", "%s", result_name(inner_r));
    cuda.cuLogsUnregisterCallback(h3);
    int made = 0;
    CUlogsCallbackHandle hs_[1100];
    if (case_begin("register-many")) {
        CUresult r = 0;
        for (int i = 0; i < 1100 && !(r = cuda.cuLogsRegisterCallback(cb, &rc, &hs_[i])); i++)
            made++;
        case_info("made=%d last=%s", made, result_name(r));
    }
    RUN_("many-called", wrong())
    for (int i = 0; i < made; i++)
        cuda.cuLogsUnregisterCallback(hs_[i]);
    RUN_("many-gone", wrong())
    CHECK("register-failing", cuda.cuLogsRegisterCallback(cbbad, NULL, &h3));
    inner_a = RESULT_SKIPPED;
    RUN_("fails-inside", wrong());
    RECORD("fails-inside-answer", "%s", result_name(inner_a));
}
static void *thr(void *u)
{
    (void)u;
    cuda.cuCtxSetCurrent(context);
    wrong();
    return 0;
}
GROUP(304, logthread, "log-thread")
{
    use_primary_context();
    me = pthread_self();
    CUlogsCallbackHandle h = 0;
    CHECK("register", cuda.cuLogsRegisterCallback(cb, &rc, &h));
    memset(&rc, 0, sizeof rc);
    pthread_t t;
    if (case_begin("error-in-other-thread")) {
        pthread_create(&t, 0, thr, 0);
        pthread_join(t, 0);
        case_info("%s", show(&rc));
    }
}
GROUP(305, logdump, "log-dump")
{
    use_primary_context();
    CUlogIterator a = 7, b = 7;
    size_t n;
    char d[] = "/tmp/rest-log-XXXXXX", p[80], buf[4096];
    const char *o;
    CHECK("current", cuda.cuLogsCurrent(&a, 0), "value=%u", a);
    CHECK("current-null", cuda.cuLogsCurrent(NULL, 0));
    CHECK("current-flags", cuda.cuLogsCurrent(&b, 1), "kept=%d", b == 7);
    cuda.cuLogsCurrent(&a, 0);
    wrong();
    cuda.cuLogsCurrent(&b, 0);
    RECORD("one-error-later", "diff=%d", (int)(b - a));
    wrong();
    wrong();
    cuda.cuLogsCurrent(&b, 0);
    RECORD("three-errors-later", "diff=%d", (int)(b - a));
    int v;
    cuda.cuDriverGetVersion(&v);
    CUlogIterator c;
    cuda.cuLogsCurrent(&c, 0);
    RECORD("good-call-later", "diff=%d", (int)(c - b));
    static const int sz[] = {0,   1,   2,   10,   50,    100,   150,   200,
                             300, 400, 500, 1000, 25599, 25600, 25601, 60000};
    for (size_t i = 0; i < COUNT_OF(sz); i++) {
        CUlogIterator q = a;
        n = sz[i];
        memset(big, 0x5a, sizeof big);
        CHECK_THEN(format("memory-size%d", sz[i]), cuda.cuLogsDumpToMemory(&q, big, &n, 0),
                   o = n && n < sizeof big && big[0] != 0x5a ? maskn(big, n) : "",
                   "empty=%d nul=%d over=%d moved=%d text=%s", n == 0,
                   n < sizeof big ? !big[n] : -1, big[sz[i]] != 0x5a, (int)(q - a), o);
    }
    n = sizeof big;
    memset(big, 0x5a, sizeof big);
    CHECK_THEN("memory-null-iterator", cuda.cuLogsDumpToMemory(NULL, big, &n, 0),
               o = n && n < sizeof big ? maskn(big, n) : "", "text=%s", o);
    n = 100;
    CHECK("memory-null-buffer", cuda.cuLogsDumpToMemory(&a, NULL, &n, 0), "n=%zu", n);
    CHECK("memory-null-size", cuda.cuLogsDumpToMemory(&a, big, NULL, 0));
    n = 1000;
    CHECK("memory-flags", cuda.cuLogsDumpToMemory(&a, big, &n, 1));
    CUlogIterator e;
    cuda.cuLogsCurrent(&e, 0);
    n = 1000;
    big[0] = 'x';
    CHECK("memory-nothing-new", cuda.cuLogsDumpToMemory(&e, big, &n, 0), "n=%zu first=%d", n,
          big[0]);
    static const unsigned its[] = {0, 1, 1000, 100000, ~0u};
    for (size_t i = 0; i < COUNT_OF(its); i++) {
        CUlogIterator q = its[i];
        n = sizeof big;
        memset(big, 0x5a, sizeof big);
        cuda.cuLogsCurrent(&e, 0);
        CHECK_THEN(format("memory-iterator%u", its[i]), cuda.cuLogsDumpToMemory(&q, big, &n, 0),
                   o = n && n < sizeof big && big[0] != 0x5a ? maskn(big, n) : "", "end=%d text=%s",
                   q == e, o);
    }
    if (!mkdtemp(d) || chdir(d))
        return;
    snprintf(p, sizeof p, "%s/log", d);
#define FILE_(nm, it_, path)                                                                       \
    {                                                                                              \
        CUlogIterator q = a;                                                                       \
        (void)q;                                                                                   \
        CHECK_THEN(nm, cuda.cuLogsDumpToFile(it_, path, 0), int fd = open(p, O_RDONLY);            \
                   ssize_t k = fd < 0 ? -1 : read(fd, buf, sizeof buf - 1);                        \
                   if (fd >= 0) close(fd); buf[k > 0 ? k : 0] = 0;                                 \
                   o = mask(buf), "exists=%d moved=%d text=%s", fd >= 0, (int)(q - a), o);         \
    }
    FILE_("file", &q, p);
    FILE_("file-again", &q, p);
    FILE_("file-null-iterator", NULL, p);
    CHECK("file-null-path", cuda.cuLogsDumpToFile(&a, NULL, 0));
    CHECK("file-empty-path", cuda.cuLogsDumpToFile(&a, "", 0));
    CHECK("file-no-dir", cuda.cuLogsDumpToFile(&a, "/nonexistent-dir/x", 0));
    CHECK("file-is-dir", cuda.cuLogsDumpToFile(&a, d, 0));
    CHECK("file-flags", cuda.cuLogsDumpToFile(&a, p, 1));
    cuda.cuLogsCurrent(&a, 0);
    unlink(p);
    FILE_("file-nothing-new", &q, p);
    CHECK("file-relative", cuda.cuLogsDumpToFile(NULL, "rel", 0), "there=%d", !access("rel", F_OK));
    cuda.cuLogsCurrent(&a, 0);
    for (int i = 0; i < 2000; i++)
        wrong();
    cuda.cuLogsCurrent(&b, 0);
    RECORD("overflow-iterator", "diff=%d", (int)(b - a));
    n = sizeof big;
    memset(big, 0, sizeof big);
    CHECK_THEN("overflow-memory", cuda.cuLogsDumpToMemory(&a, big, &n, 0), int k = 0;
               for (size_t i = 0; i < n && i < sizeof big; i++) k += big[i] == '\n';
               char *nl = memchr(big, '\n', 400);
               o = nl ? maskn(big, nl - big) : "", "lines=%d under25600=%d first=%s", k, n <= 25600,
               o);
    n = sizeof big;
    CHECK_THEN("overflow-memory-null-iterator", cuda.cuLogsDumpToMemory(NULL, big, &n, 0),
               int k = 0;
               for (size_t i = 0; i < n && i < sizeof big; i++) k += big[i] == '\n', "lines=%d", k);
    char cmd[120];
    snprintf(cmd, sizeof cmd, "rm -rf %s", d);
    if (chdir("/") || system(cmd))
        return;
}
RISKY_HANDLE(390, cuLogsUnregisterCallback, cuda.cuLogsUnregisterCallback(bad_handle))
RISKY_HANDLE(390, cuLogsDumpToMemory,
             cuda.cuLogsDumpToMemory((CUlogIterator *)bad_handle, risky_host, &(size_t){1000}, 0))
