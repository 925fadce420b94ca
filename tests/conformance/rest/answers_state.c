/* SPDX-License-Identifier: MIT */
/* Every function of the subject in each state of the driver, once with plausible and once with zero
 * arguments. */
#include "rest.h"
static CUdevResource r1, ro[8], rr;
static CUdevResourceDesc rd;
static CUgreenCtx gg;
static CUcontext gc;
static CUstream gs;
static CUevent ge;
static CUdeviceptr gd;
static size_t z1;
static int i1;
static unsigned long long ull;
static CUmemGenericAllocationHandle mh, mch;
static char buf[4096] __attribute__((aligned(64)));
static const void *ptab;
static CUprocessState pst;
static CUlogIterator it;
static CUlogsCallbackHandle lh;
static CUtensorMap tmap __attribute__((aligned(64)));
static CUmulticastObjectProp mp;
static const CUuuid uu = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
static cuuint64_t td[5] = {256, 32, 16, 8, 4}, ts[4] = {512, 16384, 262144, 2097152};
static cuuint32_t tb[5] = {16, 8, 4, 2, 1}, te[5] = {1, 1, 1, 1, 1};
static int tl[3], th[3];
static void CUDA_CB lcb(void *u, CUlogLevel l, char *m, size_t n)
{
    (void)u;
    (void)l;
    (void)m;
    (void)n;
}
#define TA ((void *)0x7f0000000000ull)
#define DEF_(n, a)                                                                                 \
    static CUresult call_##n(void)                                                                 \
    {                                                                                              \
        return cuda.n a;                                                                           \
    }

#define STATE_CALL(name, arguments) DEF_(name, arguments)
#include "state_calls.def"
#undef STATE_CALL

#define ROW_(n, a) {#n, call_##n},
static const struct {
    const char *n;
    CUresult (*f)(void);
} calls[] = {
#define STATE_CALL(name, arguments) ROW_(name, arguments)
#include "state_calls.def"
#undef STATE_CALL
};
static void prep(void)
{
    mp.numDevices = 1;
    mp.size = 2 * MB;
    mp.handleTypes = 0;
    mp.flags = 0;
}
static void live(void)
{
    gd = device_alloc(4 * MB);
    gs = stream_new(1);
    ge = event_new(2);
    mapped_alloc(2 * MB, 0, &mh);
    cuda.cuCtxGetCurrent(&gc);
    if (!cuda.cuDeviceGetDevResource(0, &r1, 1)) {
        unsigned nb = 4;
        if (!cuda.cuDevSmResourceSplitByCount(ro, &nb, &r1, &rr, 0, 8) &&
            !cuda.cuDevResourceGenerateDesc(&rd, ro, 1))
            cuda.cuGreenCtxCreate(&gg, rd, 0, 1);
    }
}
static void table(void)
{
    prep();
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        CHECK(calls[i].n, calls[i].f());
}
GROUP(400, s0, "state-noinit")
{
    table();
}
GROUP(401, s1, "state-noctx")
{
    use_device();
    table();
}
GROUP(402, s2, "state-noctx-live")
{
    use_primary_context();
    live();
    CUcontext k = gc;
    cuda.cuCtxSetCurrent(NULL);
    gc = k;
    table();
}
GROUP(403, s3, "state-ctx")
{
    use_primary_context();
    live();
    table();
}
GROUP(404, s4, "state-ctx-created")
{
    use_device();
    context = context_new();
    live();
    table();
}
static atomic_int tph;
static CUcontext tctx;
static void *thr(void *u)
{
    (void)u;
    cuda.cuCtxSetCurrent(tctx);
    live();
    __sync_synchronize();
    tph = 1;
    while (tph != 2)
        usleep(1000);
    table();
    tph = 3;
    return 0;
}
GROUP(405, s5, "state-destroyedctx")
{
    use_device();
    keep_after_sticky = 1;
    tctx = context_new();
    cuda.cuCtxSetCurrent(NULL);
    pthread_t t;
    pthread_create(&t, 0, thr, 0);
    while (tph != 1)
        usleep(1000);
    CHECK("destroy", cuda.cuCtxDestroy(tctx));
    __sync_synchronize();
    tph = 2;
    pthread_join(t, 0);
}
GROUP(406, s6, "state-primaryreset")
{
    use_primary_context();
    live();
    CHECK("reset", cuda.cuDevicePrimaryCtxReset(device));
    table();
}
GROUP(407, s7, "state-primaryreleased")
{
    use_primary_context();
    live();
    CHECK("release", cuda.cuDevicePrimaryCtxRelease(device));
    table();
}
/* inside a stream's host function, where most calls are not permitted */
static void CUDA_CB hostfn(void *u)
{
    table();
    *(atomic_int *)u = 1;
}
GROUP(950, s8, "state-hostfunc")
{
    use_primary_context();
    live();
    atomic_int done = 0;
    CUstream s = stream_new(1);
    if (cuda.cuLaunchHostFunc(s, hostfn, &done))
        setup_note("setup-hostfunc-unavailable");
    else {
        for (int i = 0; i < 3000 && !done; i++)
            usleep(10000);
    }
}
typedef CUresult (*gen)(long, long, long, long, long, long, long, long, long, long, long, long,
                        long, long, long, long, long, long, long, long);
#define ZERO_(f)                                                                                   \
    if (strcmp(#f, "cuCheckpointProcessLock"))                                                     \
        CHECK(#f,                                                                                  \
              ((gen)(void *)cuda.f)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
GROUP(420, z0, "zeroargs-noinit"){
#define SUBJECT_FUNCTION(f) ZERO_(f)
#define OTHER_FUNCTION(f)
#include "functions.def"
} GROUP(421, z1, "zeroargs-noctx")
{
    use_device();
#define SUBJECT_FUNCTION(f) ZERO_(f)
#define OTHER_FUNCTION(f)
#include "functions.def"
}
GROUP(422, z2, "zeroargs-ctx")
{
    use_primary_context();
#define SUBJECT_FUNCTION(f) ZERO_(f)
#define OTHER_FUNCTION(f)
#include "functions.def"
}
/* what cuGetProcAddress says about each, at several versions */
static const int vers[] = {0,     2000,  3000,  4000,  10000, 11000, 11010, 11030, 11040, 12000,
                           12010, 12020, 12030, 12040, 12050, 12080, 12090, 13000, 13010, 14000};
static void proc(const char *n)
{
    char b[300] = "";
    void *own = library_symbol(n);
    for (size_t i = 0; i < COUNT_OF(vers); i++) {
        void *p = UNTOUCHED_HANDLE;
        CUdriverProcAddressQueryResult q = 9;
        CUresult r = cuda.cuGetProcAddress(n, &p, vers[i], 0, &q);
        snprintf(b + strlen(b), sizeof b - strlen(b), "%s%d:%s", i ? " " : "", vers[i],
                 r          ? format("e%d", r)
                 : !p       ? format("no%d", q)
                 : p == own ? "own"
                            : "other");
    }
    RECORD(n, "%s", b);
}
#define PROC_(f) proc(#f);
GROUP(430, pa, "procaddress")
{
    use_device();
#define SUBJECT_FUNCTION(f) PROC_(f)
#define OTHER_FUNCTION(f)
#include "functions.def"
    proc("cuEGLApiInit");
    proc("cuMemGetAttribute");
    proc("cuVDPAUCtxCreate");
    proc("cudbgGetAPI");
}
