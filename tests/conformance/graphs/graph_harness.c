/* SPDX-License-Identifier: MIT */
/* Harness: groups in forked children, crash/timeout/sticky isolation with resume, data helpers. */
#include "graph_recorder.h"
#include "../tables.h"
#include <dlfcn.h>
#include <fnmatch.h>
#include <sys/prctl.h>

struct api P;
struct oldapi O;
CUdevice dev;
CUcontext ctx;
const char *sy = "", *dt = "";
void *G;
dp RD;
char RH[65536];
CUstream RS;
CUarray RA;
int sticky_ok, independent;

struct group {
    int key, seq;
    const char *name;
    void (*fn)(void);
    CUresult (*risk)(void);
    int var;
};
static struct group grp[2400];
static int ngrp;
static const struct group *cur_g;
#define NP 32768
static struct shm {
    volatile unsigned progress;
    volatile int in_case, nskip, ncase;
    char cur[200], prev[200];
    uint64_t printed[NP], skip[256];
} * sh;
static int secs = 6; /* per-case alarm, PROBE_ALARM overrides */
static uint64_t *seen;
static int g_sticky;
static const char *miss_sym;

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
static void put(const char *fmt, ...)
{
    char b[4096];
    va_list a;
    va_start(a, fmt);
    int n = vsnprintf(b, sizeof b - 2, fmt, a);
    va_end(a);
    if (n > (int)sizeof b - 2)
        n = sizeof b - 2;
    while (n && (b[n - 1] == ' ' || b[n - 1] == '\n'))
        n--;
    b[n++] = '\n';
    for (int o = 0; o < n;) {
        ssize_t w = write(1, b + o, n - o);
        if (w <= 0)
            break;
        o += w;
    }
}
const char *F(const char *fmt, ...)
{
    static char buf[128][400];
    static int i;
    char *b = buf[i = (i + 1) & 127];
    va_list a;
    va_start(a, fmt);
    vsnprintf(b, 400, fmt, a);
    va_end(a);
    return b;
}
const char *en(CUresult r)
{
    for (const struct named_value *t = result_names; t->name; t++)
        if (t->value == (int)r)
            return t->name;
    if (r == R_SKIP)
        return "SKIPPED";
    if (r == R_MISS)
        return "MISSING";
    return F("UNKNOWN_RESULT_%d", (int)r);
}
static uint64_t hs(const char *s)
{
    uint64_t h = 1469598103934665603ull;
    while (*s)
        h = (h ^ (unsigned char)*s++) * 1099511628211ull;
    return h ? h : 1;
}
static int has(uint64_t *t, uint64_t h, int add)
{
    for (unsigned i = h % NP, k = 0; k < NP; k++, i = (i + 1) % NP) {
        if (t[i] == h)
            return 1;
        if (!t[i]) {
            if (add)
                t[i] = h;
            return 0;
        }
    }
    return 0;
}
static int skipped(uint64_t h)
{
    for (int i = 0; i < sh->nskip; i++)
        if (sh->skip[i] == h)
            return 1;
    return 0;
}
static void addskip(const char *nm)
{
    uint64_t h = hs(nm);
    if (nm[0] && !skipped(h) && sh->nskip < 256)
        sh->skip[sh->nskip++] = h;
}
static char cname[200];
int case_begin(const char *name)
{
    char b[200];
    snprintf(b, sizeof b, "%s", name);
    for (int k = 2; has(seen, hs(b), 1); k++)
        snprintf(b, sizeof b, "%s#%d", name, k);
    strcpy(cname, b);
    if (skipped(hs(b)) || (independent && has(sh->printed, hs(b), 0)))
        return 0;
    strcpy(sh->prev, sh->cur);
    strcpy(sh->cur, b);
    sh->in_case = 1;
    sh->progress++;
    miss_sym = NULL;
    alarm(secs);
    return 1;
}
static int is_sticky(CUresult r)
{
    return r == CUDA_ERROR_ILLEGAL_ADDRESS || r == CUDA_ERROR_LAUNCH_TIMEOUT ||
           (r >= CUDA_ERROR_ASSERT && r <= CUDA_ERROR_ASSERT) ||
           (r >= CUDA_ERROR_HARDWARE_STACK_ERROR && r <= CUDA_ERROR_LAUNCH_FAILED);
}
static void emit(const char *res, const char *extra)
{
    if (!has(sh->printed, hs(cname), 1)) {
        sh->ncase++;
        put("%s/%s: %s%s", cur_g->name, cname, res, extra);
    }
    sh->in_case = 0;
}
void case_end(CUresult r, const char *fmt, ...)
{
    char x[3000];
    va_list a;
    va_start(a, fmt);
    vsnprintf(x, sizeof x, fmt, a);
    va_end(a);
    if (r == R_MISS)
        emit("SKIP", miss_sym ? F(" missing=%s", miss_sym) : "");
    else
        emit(en(r), x);
    /* restart the group in a fresh process without this case (and, when the call itself reported
     * it, the one before) */
    if ((is_sticky(r) || g_sticky) && !sticky_ok) {
        addskip(sh->cur);
        if (is_sticky(r))
            addskip(sh->prev);
        _exit(99);
    }
    g_sticky = 0;
}
void info(const char *name, const char *fmt, ...)
{
    char x[3000];
    x[0] = ' ';
    va_list a;
    va_start(a, fmt);
    vsnprintf(x + 1, sizeof x - 1, fmt, a);
    va_end(a);
    (void)name;
    emit("INFO", x);
}
void reg(int key, const char *name, void (*fn)(void))
{
    grp[ngrp] = (struct group){key, ngrp, name, fn, 0, 0};
    ngrp++;
}
void reg_risk(int key, const char *name, CUresult (*fn)(void), int v)
{
    char *n = malloc(120);
    snprintf(n, 120, "risky/%s%s", name, v == 1 ? "-zeromem" : v == 2 ? "-badaddr" : "");
    grp[ngrp] = (struct group){key, ngrp, n, 0, fn, v};
    ngrp++;
}
static int gcmp(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return x->key != y->key ? x->key - y->key : strcmp(x->name, y->name);
}

/* ---- symbols ---- */
void note(const char *what)
{
    if (!has(sh->printed, hs(F("note:%s", what)), 1))
        put("%s: NOTE %s", cur_g->name, what);
}
static CUresult missing(const char *n)
{
    miss_sym = n;
    if (!sh->in_case)
        note(F("setup-missing=%s", n));
    return R_MISS;
}
#define MISS_(n)                                                                                   \
    static CUresult miss_##n(void)                                                                 \
    {                                                                                              \
        return missing(#n);                                                                        \
    }
FNS(MISS_)
#define OMISS_(id, s, a)                                                                           \
    static CUresult miss_##id(void)                                                                \
    {                                                                                              \
        return missing(s);                                                                         \
    }
OLD_LIST(OMISS_)
static int resolve(int verbose)
{
    const char *l = getenv("LIBCUDA");
    void *h = dlopen(l ? l : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!h) {
        if (verbose)
            put("# dlopen failed: %s", dlerror());
        return 0;
    }
    int n = 0, m = 0;
#define RES_(f)                                                                                    \
    {                                                                                              \
        void *p = dlsym(h, STR(f));                                                                \
        n++;                                                                                       \
        if (!p) {                                                                                  \
            m++;                                                                                   \
            p = (void *)miss_##f;                                                                  \
            if (verbose)                                                                           \
                put("MISSING %s", STR(f));                                                         \
        }                                                                                          \
        memcpy(&P.f, &p, sizeof p);                                                                \
    }
    FNS(RES_)
#define ORES_(f, s, a)                                                                             \
    {                                                                                              \
        void *p = dlsym(h, s);                                                                     \
        n++;                                                                                       \
        if (!p) {                                                                                  \
            m++;                                                                                   \
            p = (void *)miss_##f;                                                                  \
            if (verbose)                                                                           \
                put("MISSING %s", s);                                                              \
        }                                                                                          \
        memcpy(&O.f, &p, sizeof p);                                                                \
    }
    OLD_LIST(ORES_)
    if (verbose)
        put("symbols/resolved: INFO wanted=%d missing=%d", n, m);
    return 1;
}

/* ---- set-up ---- */
static void need(CUresult r, const char *what)
{
    if (r) {
        put("%s: SETUP-FAILED %s=%s", cur_g->name, what, en(r));
        _exit(0);
    }
}
void init_only(void)
{
    need(P.cuInit(0), "cuInit");
    need(P.cuDeviceGet(&dev, 0), "cuDeviceGet");
}
void ctx_primary(void)
{
    init_only();
    need(P.cuDevicePrimaryCtxRetain(&ctx, dev), "cuDevicePrimaryCtxRetain");
    need(P.cuCtxSetCurrent(ctx), "cuCtxSetCurrent");
}
CUcontext ctx_new(void)
{
    CUcontext c = 0;
    P.cuCtxCreate(&c, NULL, 0, dev);
    return c;
}
int attr(CUdevice_attribute a)
{
    int v = -1;
    P.cuDeviceGetAttribute(&v, a, dev);
    return v;
}
dp dalloc(size_t n)
{
    dp d = 0;
    P.cuMemAlloc(&d, n);
    return d;
}
void *pin(size_t n)
{
    void *p = 0;
    P.cuMemHostAlloc(&p, n, 0);
    if (!p) {
        note("setup-pinned-unavailable");
        p = pages(n);
    }
    return p;
}
dp managed(size_t n)
{
    dp d = 0;
    P.cuMemAllocManaged(&d, n, CU_MEM_ATTACH_GLOBAL);
    if (!d) {
        note("setup-managed-unavailable");
        d = (dp)(uintptr_t)pages(n);
    }
    return d;
}
void *pages(size_t n)
{
    void *p = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 0;
    memset(p, 0, n);
    return p;
}
CUstream mkstream(unsigned f)
{
    CUstream s = 0;
    P.cuStreamCreate(&s, f);
    return s;
}
dp vmm_alloc(size_t n, unsigned ht, CUmemGenericAllocationHandle *ho)
{
    CUmemAllocationProp p;
    memset(&p, 0, sizeof p);
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.requestedHandleTypes = ht;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = dev;
    CUmemGenericAllocationHandle h = 0;
    dp d = 0;
    n = (n + 2 * MB - 1) / (2 * MB) * (2 * MB);
    if (P.cuMemCreate(&h, n, &p, 0) || P.cuMemAddressReserve(&d, n, 0, 0, 0) ||
        P.cuMemMap(d, n, 0, h, 0))
        return 0;
    CUmemAccessDesc a = {{CU_MEM_LOCATION_TYPE_DEVICE, dev}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    P.cuMemSetAccess(d, n, &a, 1);
    if (ho)
        *ho = h;
    return d;
}

/* ---- data ---- */
unsigned char pb(unsigned s, size_t i)
{
    uint32_t x = (uint32_t)i * 2654435761u + s * 40503u + 12345u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x >> 24;
}
void fill(void *p, size_t n, unsigned s)
{
    unsigned char *c = p;
    if (p)
        for (size_t i = 0; i < n; i++)
            c[i] = pb(s, i);
}
const char *same(const void *p, size_t n, unsigned s)
{
    const unsigned char *c = p;
    if (!p)
        return "nobuf";
    for (size_t i = 0; i < n; i++)
        if (c[i] != pb(s, i))
            return F("bad@%zu", i);
    return "ok";
}
unsigned sum(const void *p, size_t n)
{
    const unsigned char *c = p;
    unsigned h = 2166136261u;
    while (n--)
        h = (h ^ *c++) * 16777619u;
    return h;
}
void dfill(dp d, size_t n, unsigned s)
{
    unsigned char *b = malloc(n);
    fill(b, n, s);
    P.cuMemcpyHtoD(d, b, n);
    P.cuCtxSynchronize();
    free(b);
}
const char *dsame(dp d, size_t n, unsigned s)
{
    unsigned char *b = calloc(1, n);
    CUresult r = P.cuMemcpyDtoH(b, d, n);
    const char *o = r ? en(r) : same(b, n, s);
    free(b);
    return o;
}
const char *SYC(void)
{
    CUresult r = P.cuCtxSynchronize();
    if (is_sticky(r))
        g_sticky = 1;
    return en(r);
}
const char *SY(CUstream s)
{
    CUresult r = P.cuStreamSynchronize(s);
    if (is_sticky(r))
        g_sticky = 1;
    return en(r);
}
const char *rel(uint64_t v, uint64_t ref)
{
    if (!v)
        return "0";
    if (v == ref)
        return "self";
    if (v == SENT)
        return "kept";
    int64_t d = (int64_t)(v - ref);
    if (d < 0 ? d > -(1ll << 34) : d < (1ll << 34))
        return F("self%+lld", (long long)d);
    return "other";
}
const char *outst(uint64_t v)
{
    return v == SENT ? "kept" : v ? "set" : "zero";
}
const char *rng(dp p)
{
    dp b = SENT;
    size_t n = 0;
    CUresult r = P.cuMemGetAddressRange(&b, &n, p);
    return r ? en(r) : F("base=%s,size=%zu", rel(b, p), n);
}
void mk_kinds(struct mem *m, size_t n)
{
    static const char *nm[] = {"dev", "pinned", "registered", "pageable", "managed", "pool", "vmm"};
    for (int i = 0; i < M_N; i++)
        m[i] = (struct mem){nm[i], i >= M_PIN && i <= M_MAN, 0};
    m[M_DEV].d = dalloc(n);
    m[M_PIN].d = (dp)(uintptr_t)pin(n);
    m[M_PAGE].d = (dp)(uintptr_t)pages(n);
    m[M_MAN].d = managed(n);
    void *p = pages((n + 4095) & ~4095ull);
    if (!P.cuMemHostRegister(p, (n + 4095) & ~4095ull, 0))
        m[M_REG].d = (dp)(uintptr_t)p;
    P.cuMemAllocAsync(&m[M_POOL].d, n, 0);
    m[M_VMM].d = vmm_alloc(n, 0, NULL);
    P.cuCtxSynchronize();
    for (int i = 0; i < M_N; i++)
        if (!m[i].d)
            note(F("setup-kind-unavailable=%s", nm[i]));
}
void mfill(const struct mem *m, size_t n, unsigned s)
{
    if (!m->d)
        return;
    P.cuCtxSynchronize();
    if (m->cpu)
        fill((void *)(uintptr_t)m->d, n, s);
    else
        dfill(m->d, n, s);
}
void mget(const struct mem *m, void *o, size_t n)
{
    memset(o, 0, n);
    if (!m->d)
        return;
    P.cuCtxSynchronize();
    if (m->cpu)
        memcpy(o, (void *)(uintptr_t)m->d, n);
    else
        P.cuMemcpyDtoH(o, m->d, n);
}
static void CUDA_CB blkfn(void *u)
{
    struct blk *b = u;
    double t = now();
    while (!b->go && (now() - t) * 1000 < b->ms)
        usleep(200);
    b->done = 1;
}
CUresult block(CUstream s, struct blk *b)
{
    b->go = 0;
    b->done = 0;
    if (!b->ms)
        b->ms = 400;
    return P.cuLaunchHostFunc(s, blkfn, b);
}
void unblock(struct blk *b)
{
    b->go = 1;
}

/* ---- children ---- */
static void run_risk(void)
{
    static char zero[65536];
    ctx_primary();
    RD = dalloc(65536);
    RS = mkstream(0);
    CUDA_ARRAY_DESCRIPTOR ad = {64, 64, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    P.cuArrayCreate(&RA, &ad);
    G = cur_g->var == 1 ? (void *)zero : (void *)0xdeadbeef000ull;
    sticky_ok = 1;
    T("call", cur_g->risk());
    T("sync-after", P.cuCtxSynchronize());
}
static void child(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGALRM, SIG_DFL);
    alarm(secs);
    seen = calloc(NP, 8);
    sh->cur[0] = sh->prev[0] = 0;
    sh->in_case = 0;
    g_sticky = 0;
    if (!resolve(0)) {
        put("%s: NOLIB", cur_g->name);
        _exit(0);
    }
    if (cur_g->risk)
        run_risk();
    else
        cur_g->fn();
    _exit(0);
}
static int watch(pid_t pid, int *hung)
{
    int st = 0;
    unsigned last = sh->progress;
    double t = now();
    *hung = 0;
    for (;;) {
        pid_t r = waitpid(pid, &st, WNOHANG);
        if (r == pid)
            return st;
        if (r < 0 && errno != EINTR)
            return 0;
        if (sh->progress != last) {
            last = sh->progress;
            t = now();
        }
        if (now() - t > secs + 4 && !*hung) {
            kill(pid, SIGKILL);
            *hung = 1;
        }
        if (now() - t > secs + 14) {
            *hung = 2;
            return 0;
        }
        usleep(500);
    }
}
static int ncrash, ntime;
static void run_group(const struct group *g)
{
    cur_g = g;
    memset(sh, 0, sizeof *sh);
    int times = 0;
    double t0 = now();
    for (int tries = 0;; tries++) {
        if (tries >= 400 || now() - t0 > 100) {
            put("%s: STOPPED after %d restarts", g->name, tries);
            break;
        }
        pid_t pid = fork();
        if (!pid)
            child();
        int hung, st = watch(pid, &hung);
        if (!hung && WIFEXITED(st) && WEXITSTATUS(st) == 0)
            break;
        if (!hung && WIFEXITED(st) && WEXITSTATUS(st) == 99)
            continue;
        int sig = WIFSIGNALED(st) ? WTERMSIG(st) : 0, to = hung || sig == SIGALRM;
        char what[60];
        if (to)
            snprintf(what, sizeof what, "TIMEOUT%s", hung == 2 ? " unkillable" : "");
        else if (sig)
            snprintf(what, sizeof what, "CRASH signal %d", sig);
        else
            snprintf(what, sizeof what, "EXIT status %d", WEXITSTATUS(st));
        to ? ntime++ : ncrash++;
        times += to;
        int again = sh->cur[0] && !skipped(hs(sh->cur));
        if (sh->in_case) {
            snprintf(cname, sizeof cname, "%s", sh->cur);
            emit(what, "");
        } else
            put("%s: %s%s%s", g->name, what, sh->cur[0] ? " after=" : "", sh->cur);
        if (!again || hung == 2 || times > 3 || g->risk) {
            if (!g->risk)
                put("%s: STOPPED", g->name);
            break;
        }
        addskip(sh->cur);
    }
    if (getenv("PROBE_TIMES"))
        fprintf(stderr, "%s %.2fs\n", g->name, now() - t0);
}
static void sym_child(void)
{
    cur_g = &grp[0];
    alarm(secs);
    if (!resolve(1))
        _exit(0);
    int v = 0;
    char nm[100] = "";
    CUdevice d = 0;
    if (!P.cuInit(0)) {
        P.cuDriverGetVersion(&v);
        P.cuDeviceGet(&d, 0);
        P.cuDeviceGetName(nm, 99, d);
    }
    put("# header=%d driver=%d device=%s", CUDA_VERSION, v, nm);
    _exit(0);
}
int main(int argc, char **argv)
{
    if (getenv("PROBE_ALARM"))
        secs = atoi(getenv("PROBE_ALARM"));
    qsort(grp, ngrp, sizeof *grp, gcmp);
    signal(SIGPIPE, SIG_IGN);
    if (argc > 1 && !strcmp(argv[1], "--list")) {
        for (int i = 0; i < ngrp; i++)
            put("%s", grp[i].name);
        return 0;
    }
    sh = mmap(0, sizeof *sh, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid = fork();
    if (!pid)
        sym_child();
    int st, total = 0, n = 0;
    waitpid(pid, &st, 0);
    if (!WIFEXITED(st))
        put("symbols: CRASH signal %d", WTERMSIG(st));
    for (int i = 0; i < ngrp; i++) {
        int want = argc < 2 || argv[1][0] == '-', skip = 0;
        size_t L;
        for (int k = 1; k < argc; k++)
            if (!strcmp(argv[k], "-x") && k + 1 < argc) {
                k++;
                skip |= !fnmatch(argv[k], grp[i].name, 0);
            } else
                want |= !fnmatch(argv[k], grp[i].name, 0) ||
                        (L = strlen(argv[k]),
                         !strncmp(argv[k], grp[i].name, L) && grp[i].name[L] == '/');
        if (want && !skip) {
            run_group(&grp[i]);
            n++;
            total += sh->ncase;
        }
    }
    put("# done groups=%d cases=%d crashes=%d timeouts=%d", n, total, ncrash, ntime);
    return 0;
}
