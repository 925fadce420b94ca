/* SPDX-License-Identifier: MIT */
/* Error logs: callbacks, iterators, dumps, and the text that deliberately wrong calls leave behind.
 * Addresses, times, process and thread numbers are masked in the text; other numbers are kept. */
#include "rest.h"
#include <sys/syscall.h>

static const char *masked_part(const char *s, size_t n)
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

static const char *masked(const char *s)
{
    return masked_part(s, strlen(s));
}

struct log_record {
    int n, level, lenok, thread, ud;
    char text[1600];
};
static struct log_record recorded, second_recorded;
static pthread_t main_thread;

static void CUDA_CB log_called(void *u, CUlogLevel l, char *m, size_t n)
{
    struct log_record *r = u;
    if (!r)
        r = &recorded;
    r->n++;
    r->level = l;
    r->thread = pthread_equal(main_thread, pthread_self()) != 0;
    r->lenok = m ? (int)(n - strlen(m)) : -99;
    size_t k = strlen(r->text);
    if (m && k < sizeof r->text - 400)
        snprintf(r->text + k, 400, "%s%s", k ? "|" : "", m);
}

static int sequence, first_at, second_at;

static void CUDA_CB first_called(void *u, CUlogLevel l, char *m, size_t n)
{
    (void)u;
    (void)l;
    (void)m;
    (void)n;
    first_at = ++sequence;
}

static void CUDA_CB second_called(void *u, CUlogLevel l, char *m, size_t n)
{
    (void)u;
    (void)l;
    (void)m;
    (void)n;
    second_at = ++sequence;
}

static CUresult inner_result;

static void CUDA_CB log_called_asks(void *u, CUlogLevel l, char *m, size_t n)
{
    (void)u;
    (void)l;
    (void)m;
    (void)n;
    int v;
    inner_result = cuda.cuDriverGetVersion(&v);
    recorded.n++;
}

static CUresult inner_failure;

static void CUDA_CB log_called_fails(void *u, CUlogLevel l, char *m, size_t n)
{
    (void)u;
    (void)l;
    (void)m;
    (void)n;
    if (recorded.n++ < 3) {
        CUdeviceptr d;
        inner_failure = cuda.cuMemAlloc(&d, 0);
    }
}

static const char *log_record_text(const struct log_record *r)
{
    return r->n ? format("n=%d level=%d len-strlen=%d same-thread=%d", r->n, r->level, r->lenok,
                         r->thread)
                : "n=0";
}

static CUresult wrong_call(void)
{
    return cuda.cuMemAlloc(NULL, 64);
}

/* the wrong calls */
static CUdeviceptr device_ptr;
static CUstream stream;
static CUevent event;
static CUmodule module;
static CUfunction function;
static CUcontext owner;
static CUarray array;
static char host_bytes[4096];
static CUlibrary library;
static CUkernel kernel;
static CUdeviceptr out_ptr;
static size_t out_size;
static int out_int;
static unsigned out_unsigned;
static void *out_host;
static CUstream out_stream;
static CUevent out_event;
static CUfunction out_function;
static CUmodule out_module;
static CUarray out_array;
static CUgreenCtx out_green;
static CUdevResource out_resource;
static CUdevResourceDesc out_desc;
static CUmemGenericAllocationHandle out_allocation;
static CUtensorMap out_tensor_map __attribute__((aligned(64)));
static CUmemoryPool out_pool;
static CUlibrary out_library;
static CUkernel out_kernel;
static CUipcMemHandle out_memory_handle;
static CUtexObject out_texture;
static CUgraph out_graph;
static CUexternalMemory out_external;
static CUcontext out_context;
static float out_float;
static unsigned long long out_wide;
static CUmipmappedArray out_mip;

static CUresult big_launch(unsigned gx, unsigned bx, unsigned sh)
{
    unsigned n = 1;
    void *pa[] = {&device_ptr, &n};
    return cuda.cuLaunchKernel(function, gx, 1, 1, bx, 1, 1, sh, stream, pa, NULL);
}

static CUresult encode_tiled(uint64_t addr, unsigned rank, uint64_t dim0, uint64_t st0,
                             unsigned box0, unsigned es0, int il, int sw)
{
    cuuint64_t d[5] = {dim0, 32, 16, 8, 4}, s[4] = {st0, 65536, 1 << 20, 1 << 24};
    cuuint32_t b[5] = {box0, 8, 4, 2, 1}, e[5] = {es0, es0, 1, 1, 1};
    return cuda.cuTensorMapEncodeTiled(&out_tensor_map, 6, rank, (void *)(uintptr_t)addr, d, s, b,
                                       e, il, sw, 0, 0);
}

static CUresult load_module(const char *t)
{
    CUresult r = cuda.cuModuleLoadData(&out_module, t);
    if (!r)
        cuda.cuModuleUnload(out_module);
    return r;
}

static CUresult create_array(size_t w, size_t h, int f, unsigned c)
{
    CUDA_ARRAY_DESCRIPTOR a = {w, h, f, c};
    return cuda.cuArrayCreate(&out_array, &a);
}

static CUresult copy_2d(size_t sp, size_t w)
{
    CUDA_MEMCPY2D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = c.dstMemoryType = 2;
    c.srcDevice = device_ptr;
    c.dstDevice = device_ptr + 2048;
    c.srcPitch = sp;
    c.dstPitch = 64;
    c.WidthInBytes = w;
    c.Height = 2;
    return cuda.cuMemcpy2D(&c);
}

static CUresult create_memory(size_t n, int type, int loc)
{
    CUmemAllocationProp p;
    memset(&p, 0, sizeof p);
    p.type = type;
    p.location.type = loc;
    return cuda.cuMemCreate(&out_allocation, n, &p, 0);
}

static CUresult create_multicast(unsigned n, size_t sz)
{
    CUmulticastObjectProp p;
    memset(&p, 0, sizeof p);
    p.numDevices = n;
    p.size = sz;
    return cuda.cuMulticastCreate(&out_allocation, &p);
}

static CUresult launch_cluster(unsigned cx, unsigned gx)
{
    unsigned n = 1;
    void *pa[] = {&device_ptr, &n};
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
    c.hStream = stream;
    return cuda.cuLaunchKernelEx(&c, function, pa, NULL);
}

static CUresult create_texture(void)
{
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC t;
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    r.resType = 3;
    return cuda.cuTexObjectCreate(&out_texture, &r, &t, NULL);
}

static CUresult import_external(int type)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC d;
    memset(&d, 0, sizeof d);
    d.type = type;
    d.handle.fd = -1;
    d.size = 4096;
    return cuda.cuImportExternalMemory(&out_external, &d);
}

static void objects_create(void)
{
    device_ptr = device_alloc(65536);
    stream = stream_new(0);
    event = event_new(0);
    cuda.cuModuleLoadData(&module, kernels_ptx);
    cuda.cuModuleGetFunction(&function, module, "incr");
    cuda.cuLibraryLoadData(&library, kernels_ptx, 0, 0, 0, 0, 0, 0);
    cuda.cuLibraryGetKernel(&kernel, library, "incr");
    owner = context;
    memset(&out_resource, 0, sizeof out_resource);
    (void)array;
    main_thread = pthread_self();
}

#define CHECK_LOGGED(name, call)                                                                   \
    memset(&recorded, 0, sizeof recorded);                                                         \
    CHECK(name, call, "%s", log_record_text(&recorded));
GROUP(300, log_text, "log-text")
{ /* with a callback registered */
    use_primary_context();
    objects_create();
    CUlogsCallbackHandle h = 0;
    CHECK("register", cuda.cuLogsRegisterCallback(log_called, &recorded, &h), "h=%s",
          handle_state(h));
#define WRONG_CALL(name, call) CHECK_LOGGED(name, call)
#include "wrong_calls.def"
#undef WRONG_CALL
}

static CUlogIterator iterator;
static char dump_text[65536];

static const char *dumped_text(void)
{
    size_t n = sizeof dump_text;
    memset(dump_text, 0x5a, sizeof dump_text);
    CUresult r = cuda.cuLogsDumpToMemory(&iterator, dump_text, &n, 0);
    if (r)
        return format("dump=%s", result_name(r));
    if (n >= sizeof dump_text)
        n = sizeof dump_text - 1;
    return format("bytes-nul=%d lines=%d", n < sizeof dump_text && !dump_text[n], ({
                      int k = 0;
                      for (size_t i = 0; i < n; i++)
                          k += dump_text[i] == '\n';
                      k;
                  }));
}

#define CHECK_DUMPED(name, call)                                                                   \
    cuda.cuLogsCurrent(&iterator, 0);                                                              \
    dump_text[0] = 0;                                                                              \
    CHECK(name, call, "%s", dumped_text());
GROUP(301, log_memory, "log-memory")
{ /* the same through an iterator, no callback */
    use_primary_context();
    objects_create();
#define WRONG_CALL(name, call) CHECK_DUMPED(name, call)
#include "wrong_calls.def"
#undef WRONG_CALL
}

GROUP(302, log_noinit, "log-noinit")
{
    main_thread = pthread_self();
    CUlogsCallbackHandle h = UNTOUCHED_HANDLE;
    CHECK("register-before-init", cuda.cuLogsRegisterCallback(log_called, &recorded, &h), "h=%s",
          handle_state(h));
    CHECK_LOGGED("memalloc", cuda.cuMemAlloc(&out_ptr, 64))
    CHECK_LOGGED("deviceget", cuda.cuDeviceGet(&out_int, 0));
    CHECK_LOGGED("init-flags", cuda.cuInit(5))
    CHECK_LOGGED("init", cuda.cuInit(0));
    CHECK_LOGGED("memalloc-noctx", cuda.cuMemAlloc(&out_ptr, 64))
    CHECK_LOGGED("ctxsync-noctx", cuda.cuCtxSynchronize())
    CHECK_LOGGED("streamquery-noctx", cuda.cuStreamQuery(0))
    CHECK_LOGGED("primary", cuda.cuDevicePrimaryCtxRetain(&context, 0))
    cuda.cuCtxSetCurrent(context);
    CHECK_LOGGED("memalloc-null", cuda.cuMemAlloc(NULL, 64))
    CHECK("unregister", cuda.cuLogsUnregisterCallback(h));
}

GROUP(303, log_callback, "log-callback")
{
    use_primary_context();
    main_thread = pthread_self();
    CUlogsCallbackHandle h = 0, h2 = 0, h3 = 0;
    CHECK_LOGGED("none-registered", wrong_call());
    h = UNTOUCHED_HANDLE;
    CHECK("register-null-function", cuda.cuLogsRegisterCallback(NULL, &recorded, &h), "h=%s",
          handle_state(h));
    CHECK("register-null-out", cuda.cuLogsRegisterCallback(log_called, &second_recorded, NULL));
    memset(&second_recorded, 0, sizeof second_recorded);
    CHECK_LOGGED("with-null-out", wrong_call());
    RECORD("with-null-out-called", "%s", log_record_text(&second_recorded));
    CHECK("register", cuda.cuLogsRegisterCallback(log_called, &recorded, &h));
    CHECK("register-again", cuda.cuLogsRegisterCallback(log_called, &recorded, &h2), "same=%d",
          h == h2);
    CHECK_LOGGED("twice", wrong_call());
    CHECK("unregister", cuda.cuLogsUnregisterCallback(h));
    CHECK_LOGGED("once", wrong_call());
    CHECK("unregister-again", cuda.cuLogsUnregisterCallback(h));
    CHECK("unregister2", cuda.cuLogsUnregisterCallback(h2));
    CHECK_LOGGED("gone", wrong_call());
    CHECK("unregister-null", cuda.cuLogsUnregisterCallback(NULL));
    CHECK("register-null-data", cuda.cuLogsRegisterCallback(log_called, NULL, &h));
    CHECK_LOGGED("null-data", wrong_call());
    cuda.cuLogsUnregisterCallback(h);
    CHECK("register-a", cuda.cuLogsRegisterCallback(first_called, NULL, &h));
    CHECK("register-b", cuda.cuLogsRegisterCallback(second_called, NULL, &h2));
    sequence = 0;
    wrong_call();
    RECORD("order", "a=%d b=%d", first_at, second_at);
    cuda.cuLogsUnregisterCallback(h);
    sequence = first_at = second_at = 0;
    wrong_call();
    RECORD("order-after-unregister", "a=%d b=%d", first_at, second_at);
    cuda.cuLogsUnregisterCallback(h2);
    CHECK("register-calling", cuda.cuLogsRegisterCallback(log_called_asks, NULL, &h3));
    inner_result = RESULT_SKIPPED;
    CHECK_LOGGED("calls-inside", wrong_call());
    RECORD("calls-inside-answer", "%s", result_name(inner_result));
    cuda.cuLogsUnregisterCallback(h3);
    int made = 0;
    CUlogsCallbackHandle hs_[1100];
    if (case_begin("register-many")) {
        CUresult r = 0;
        for (int i = 0;
             i < 1100 && !(r = cuda.cuLogsRegisterCallback(log_called, &recorded, &hs_[i])); i++)
            made++;
        case_info("made=%d last=%s", made, result_name(r));
    }
    CHECK_LOGGED("many-called", wrong_call())
    for (int i = 0; i < made; i++)
        cuda.cuLogsUnregisterCallback(hs_[i]);
    CHECK_LOGGED("many-gone", wrong_call())
    CHECK("register-failing", cuda.cuLogsRegisterCallback(log_called_fails, NULL, &h3));
    inner_failure = RESULT_SKIPPED;
    CHECK_LOGGED("fails-inside", wrong_call());
    RECORD("fails-inside-answer", "%s", result_name(inner_failure));
}

static void *thread_run(void *u)
{
    (void)u;
    cuda.cuCtxSetCurrent(context);
    wrong_call();
    return 0;
}

GROUP(304, log_thread, "log-thread")
{
    use_primary_context();
    main_thread = pthread_self();
    CUlogsCallbackHandle h = 0;
    CHECK("register", cuda.cuLogsRegisterCallback(log_called, &recorded, &h));
    memset(&recorded, 0, sizeof recorded);
    pthread_t t;
    if (case_begin("error-in-other-thread")) {
        pthread_create(&t, 0, thread_run, 0);
        pthread_join(t, 0);
        case_info("%s", log_record_text(&recorded));
    }
}

GROUP(305, log_dump, "log-dump")
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
    wrong_call();
    cuda.cuLogsCurrent(&b, 0);
    RECORD("one-error-later", "diff=%d", (int)(b - a));
    wrong_call();
    wrong_call();
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
        memset(dump_text, 0x5a, sizeof dump_text);
        CHECK_THEN(
            format("memory-size%d", sz[i]), cuda.cuLogsDumpToMemory(&q, dump_text, &n, 0),
            o = n && n < sizeof dump_text && dump_text[0] != 0x5a ? masked_part(dump_text, n) : "",
            "empty=%d nul=%d over=%d moved=%d text=%s", n == 0,
            n < sizeof dump_text ? !dump_text[n] : -1, dump_text[sz[i]] != 0x5a, (int)(q - a), o);
    }
    n = sizeof dump_text;
    memset(dump_text, 0x5a, sizeof dump_text);
    CHECK_THEN("memory-null-iterator", cuda.cuLogsDumpToMemory(NULL, dump_text, &n, 0),
               o = n && n < sizeof dump_text ? masked_part(dump_text, n) : "", "text=%s", o);
    n = 100;
    CHECK("memory-null-buffer", cuda.cuLogsDumpToMemory(&a, NULL, &n, 0), "n=%zu", n);
    CHECK("memory-null-size", cuda.cuLogsDumpToMemory(&a, dump_text, NULL, 0));
    n = 1000;
    CHECK("memory-flags", cuda.cuLogsDumpToMemory(&a, dump_text, &n, 1));
    CUlogIterator e;
    cuda.cuLogsCurrent(&e, 0);
    n = 1000;
    dump_text[0] = 'x';
    CHECK("memory-nothing-new", cuda.cuLogsDumpToMemory(&e, dump_text, &n, 0), "n=%zu first=%d", n,
          dump_text[0]);
    static const unsigned its[] = {0, 1, 1000, 100000, ~0u};
    for (size_t i = 0; i < COUNT_OF(its); i++) {
        CUlogIterator q = its[i];
        n = sizeof dump_text;
        memset(dump_text, 0x5a, sizeof dump_text);
        cuda.cuLogsCurrent(&e, 0);
        CHECK_THEN(
            format("memory-iterator%u", its[i]), cuda.cuLogsDumpToMemory(&q, dump_text, &n, 0),
            o = n && n < sizeof dump_text && dump_text[0] != 0x5a ? masked_part(dump_text, n) : "",
            "end=%d text=%s", q == e, o);
    }
    if (!mkdtemp(d) || chdir(d))
        return;
    snprintf(p, sizeof p, "%s/log", d);
#define CHECK_FILE(nm, it_, path)                                                                  \
    {                                                                                              \
        CUlogIterator q = a;                                                                       \
        (void)q;                                                                                   \
        CHECK_THEN(nm, cuda.cuLogsDumpToFile(it_, path, 0), int fd = open(p, O_RDONLY);            \
                   ssize_t k = fd < 0 ? -1 : read(fd, buf, sizeof buf - 1);                        \
                   if (fd >= 0) close(fd); buf[k > 0 ? k : 0] = 0;                                 \
                   o = masked(buf), "exists=%d moved=%d text=%s", fd >= 0, (int)(q - a), o);       \
    }
    CHECK_FILE("file", &q, p);
    CHECK_FILE("file-again", &q, p);
    CHECK_FILE("file-null-iterator", NULL, p);
    CHECK("file-null-path", cuda.cuLogsDumpToFile(&a, NULL, 0));
    CHECK("file-empty-path", cuda.cuLogsDumpToFile(&a, "", 0));
    CHECK("file-no-dir", cuda.cuLogsDumpToFile(&a, "/nonexistent-dir/x", 0));
    CHECK("file-is-dir", cuda.cuLogsDumpToFile(&a, d, 0));
    CHECK("file-flags", cuda.cuLogsDumpToFile(&a, p, 1));
    cuda.cuLogsCurrent(&a, 0);
    unlink(p);
    CHECK_FILE("file-nothing-new", &q, p);
    CHECK("file-relative", cuda.cuLogsDumpToFile(NULL, "rel", 0), "there=%d", !access("rel", F_OK));
    cuda.cuLogsCurrent(&a, 0);
    for (int i = 0; i < 2000; i++)
        wrong_call();
    cuda.cuLogsCurrent(&b, 0);
    RECORD("overflow-iterator", "diff=%d", (int)(b - a));
    n = sizeof dump_text;
    memset(dump_text, 0, sizeof dump_text);
    CHECK_THEN("overflow-memory", cuda.cuLogsDumpToMemory(&a, dump_text, &n, 0), int k = 0;
               for (size_t i = 0; i < n && i < sizeof dump_text; i++) k += dump_text[i] == '\n';
               char *nl = memchr(dump_text, '\n', 400);
               o = nl ? masked_part(dump_text, nl - dump_text) : "",
               "lines=%d under25600=%d first=%s", k, n <= 25600, o);
    n = sizeof dump_text;
    CHECK_THEN("overflow-memory-null-iterator", cuda.cuLogsDumpToMemory(NULL, dump_text, &n, 0),
               int k = 0;
               for (size_t i = 0; i < n && i < sizeof dump_text; i++) k += dump_text[i] == '\n',
               "lines=%d", k);
    char cmd[120];
    snprintf(cmd, sizeof cmd, "rm -rf %s", d);
    if (chdir("/") || system(cmd))
        return;
}

RISKY_HANDLE(390, cuLogsUnregisterCallback, cuda.cuLogsUnregisterCallback(bad_handle))
RISKY_HANDLE(390, cuLogsDumpToMemory,
             cuda.cuLogsDumpToMemory((CUlogIterator *)bad_handle, risky_host, &(size_t){1000}, 0))
