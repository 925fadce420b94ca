/* SPDX-License-Identifier: MIT */
/* Harness: groups in forked children, crash/timeout/sticky isolation with resume, data helpers. */
#include "rt.hpp"
#include <dlfcn.h>
#include <fnmatch.h>
#include <sys/prctl.h>

int sticky_ok, independent, raw, seed_a = 1, seed_b = 30;
err rt_last;
struct tab {
    int v;
    const char *n;
};
static const struct tab tab_err[] = {
#define X(n, v) {v, #n},
#include "rt_err.inc"
#undef X
    {0, 0}};
static const struct tab tab_cu[] = {
#define X(n, v) {v, #n},
#include "rt_cu.inc"
#undef X
    {0, 0}};
const char *const kind_name[6] = {"HtoH", "HtoD", "DtoH", "DtoD", "Default", "kind5"};

struct group {
    int key, seq;
    const char *name;
    void (*fn)(void);
    void (*fni)(int);
    int i;
};
static struct group grp[2400];
static int ngrp;
static const struct group *cur_g;
#define NP 32768
static struct shm {
    volatile unsigned progress;
    volatile int in_case, nskip, ncase;
    char cur[200], prev[200];
    uint64_t printed[NP], skip[512];
} * sh;
static int secs = 20, outfd = 1;
static uint64_t *seen;
static int g_sticky;

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
    for (int i = 0; i < n; i++)
        if ((unsigned char)b[i] < 32 || (unsigned char)b[i] > 126)
            b[i] = '?';
    b[n++] = '\n';
    for (int o = 0; o < n;) {
        ssize_t w = write(outfd, b + o, n - o);
        if (w <= 0)
            break;
        o += w;
    }
}
const char *keep(const char *s)
{
    static char buf[64][600];
    static int i;
    i = (i + 1) & 63;
    snprintf(buf[i], 600, "%s", s);
    return buf[i];
}
const char *en(err r)
{
    for (const struct tab *t = tab_err; t->n; t++)
        if (t->v == (int)r)
            return t->n;
    if (r == R_SKIP)
        return "SKIPPED";
    return F("UNKNOWN_ERROR_%d", (int)r);
}
const char *cun(int r)
{
    for (const struct tab *t = tab_cu; t->n; t++)
        if (t->v == r)
            return t->n;
    return r == -99 ? "NO_DRIVER_SYMBOL" : F("UNKNOWN_RESULT_%d", r);
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
    if (nm[0] && !skipped(h) && sh->nskip < 512)
        sh->skip[sh->nskip++] = h;
}
static char cname[200];
int case_begin(const char *name)
{
    char b[200];
    snprintf(b, sizeof b, "%s", name);
    for (char *c = b; *c; c++)
        if (*c == ' ' || *c == ':')
            *c = '_';
    char base[180];
    snprintf(base, sizeof base, "%.170s", b);
    for (int k = 2; has(seen, hs(b), 1); k++)
        snprintf(b, sizeof b, "%s#%d", base, k);
    strcpy(cname, b);
    if (skipped(hs(b)) || (independent && has(sh->printed, hs(b), 0)))
        return 0;
    strcpy(sh->prev, sh->cur);
    strcpy(sh->cur, b);
    sh->in_case = 1;
    sh->progress++;
    alarm(secs);
    rt_last = (err)-1;
    if (!raw)
        cudaGetLastError();
    return 1;
}
void note_last(void)
{
    rt_last = raw ? (err)-1 : cudaGetLastError();
}
static int is_sticky(err r)
{
    return r == cudaErrorIllegalAddress || r == cudaErrorLaunchTimeout || r == cudaErrorAssert ||
           (r >= cudaErrorHardwareStackError && r <= cudaErrorLaunchFailure) ||
           r == cudaErrorTensorMemoryLeak;
}
static void emit(const char *res, const char *extra)
{
    if (!has(sh->printed, hs(cname), 1)) {
        sh->ncase++;
        put("%s/%s: %s%s", cur_g->name, cname, res, extra);
    }
    sh->in_case = 0;
}
void case_end(err r, const char *t)
{
    char x[3000];
    int n = 0;
    x[0] = 0;
    if (rt_last != (err)-1 && rt_last != r)
        n = snprintf(x, 200, " last=%s", en(rt_last));
    snprintf(x + n, sizeof x - n, "%s", t);
    emit(en(r), x);
    if ((is_sticky(r) || g_sticky) && !sticky_ok) {
        addskip(sh->cur);
        if (is_sticky(r))
            addskip(sh->prev);
        _exit(99);
    }
    g_sticky = 0;
}
void line(const char *name, const char *t)
{
    char x[3000];
    snprintf(x, sizeof x, " %s", t);
    (void)name;
    emit("INFO", x);
    if (g_sticky && !sticky_ok) {
        addskip(sh->cur);
        _exit(99);
    }
}
void reg(int key, const char *name, void (*fn)(void))
{
    grp[ngrp].key = key;
    grp[ngrp].seq = ngrp;
    grp[ngrp].name = name;
    grp[ngrp].fn = fn;
    ngrp++;
}
void reg_n(int key, const char *name, void (*fn)(int), int i)
{
    char *n = strdup(name);
    reg(key, n, 0);
    grp[ngrp - 1].fni = fn;
    grp[ngrp - 1].i = i;
}
static int gcmp(const void *a, const void *b)
{
    const struct group *x = (const struct group *)a, *y = (const struct group *)b;
    return x->key != y->key   ? x->key - y->key
           : x->fni && y->fni ? x->i - y->i
                              : strcmp(x->name, y->name);
}
static void note(const char *what)
{
    if (!has(sh->printed, hs(F("note:%s", what)), 1))
        put("%s: NOTE %s", cur_g->name, what);
}

/* ---- set-up ---- */
void *drv(const char *name)
{
    static void *h;
    if (!h)
        h = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return h ? dlsym(h, name) : NULL;
}
void ready(void)
{
    err r = cudaFree(0);
    if (r) {
        put("%s: SETUP-FAILED cudaFree0=%s", cur_g->name, en(r));
        if (!getenv("RT_FORCE"))
            _exit(0);
    }
    cudaGetLastError();
}
void *dal(size_t n)
{
    void *d = 0;
    cudaMalloc(&d, n);
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
void *pin(size_t n)
{
    void *p = 0;
    cudaHostAlloc(&p, n, 0);
    if (!p) {
        note("setup-pinned-unavailable");
        p = pages(n);
    }
    return p;
}
void *man(size_t n)
{
    void *d = 0;
    cudaMallocManaged(&d, n, cudaMemAttachGlobal);
    if (!d) {
        note("setup-managed-unavailable");
        d = pages(n);
    }
    return d;
}
cudaStream_t mks(unsigned f)
{
    cudaStream_t s = 0;
    cudaStreamCreateWithFlags(&s, f);
    return s;
}
cudaEvent_t mke(unsigned f)
{
    cudaEvent_t e = 0;
    cudaEventCreateWithFlags(&e, f);
    return e;
}
cudaChannelFormatDesc chan(int x, int y, int z, int w, int f)
{
    cudaChannelFormatDesc d;
    d.x = x;
    d.y = y;
    d.z = z;
    d.w = w;
    d.f = (cudaChannelFormatKind)f;
    return d;
}
cudaExtent ext(size_t w, size_t h, size_t d)
{
    cudaExtent e;
    e.width = w;
    e.height = h;
    e.depth = d;
    return e;
}
cudaPos pos(size_t x, size_t y, size_t z)
{
    cudaPos p;
    p.x = x;
    p.y = y;
    p.z = z;
    return p;
}
cudaPitchedPtr pp(void *p, size_t pitch, size_t x, size_t y)
{
    cudaPitchedPtr q;
    q.ptr = p;
    q.pitch = pitch;
    q.xsize = x;
    q.ysize = y;
    return q;
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
    unsigned char *c = (unsigned char *)p;
    if (p)
        for (size_t i = 0; i < n; i++)
            c[i] = pb(s, i);
}
const char *same(const void *p, size_t n, unsigned s)
{
    const unsigned char *c = (const unsigned char *)p;
    if (!p)
        return "nobuf";
    for (size_t i = 0; i < n; i++)
        if (c[i] != pb(s, i))
            return F("bad@%zu", i);
    return "ok";
}
unsigned sum(const void *p, size_t n)
{
    const unsigned char *c = (const unsigned char *)p;
    unsigned h = 2166136261u;
    while (n--)
        h = (h ^ *c++) * 16777619u;
    return h;
}
void dfill(void *d, size_t n, unsigned s)
{
    unsigned char *b = (unsigned char *)malloc(n);
    fill(b, n, s);
    cudaMemcpy(d, b, n, cudaMemcpyDefault);
    cudaDeviceSynchronize();
    free(b);
}
const char *dsame(const void *d, size_t n, unsigned s)
{
    unsigned char *b = (unsigned char *)calloc(1, n);
    err r = cudaMemcpy(b, d, n, cudaMemcpyDefault);
    const char *o = r ? en(r) : same(b, n, s);
    free(b);
    return o;
}
const char *dsum(const void *d, size_t n)
{
    unsigned char *b = (unsigned char *)calloc(1, n);
    err r = cudaMemcpy(b, d, n, cudaMemcpyDefault);
    const char *o = r ? en(r) : F("%08x", sum(b, n));
    free(b);
    return o;
}
const char *SYD(void)
{
    err r = cudaDeviceSynchronize();
    if (is_sticky(r))
        g_sticky = 1;
    return en(r);
}
const char *SY(cudaStream_t s)
{
    err r = cudaStreamSynchronize(s);
    if (is_sticky(r))
        g_sticky = 1;
    return en(r);
}
const char *outst(const void *v)
{
    return v == SENT ? "kept" : v ? "set" : "null";
}
const char *rel(const void *v, const void *ref)
{
    if (!v)
        return "null";
    if (v == ref)
        return "self";
    if (v == SENT)
        return "kept";
    int64_t d = (int64_t)((uintptr_t)v - (uintptr_t)ref);
    if (d < 0 ? d > -(1ll << 32) : d < (1ll << 32))
        return F("self%+lld", (long long)d);
    return "other";
}
const char *pattr(const void *p)
{
    cudaPointerAttributes a;
    memset(&a, 0xA5, sizeof a);
    err r = cudaPointerGetAttributes(&a, p);
    if (r) {
        int kept = 1;
        const unsigned char *c = (const unsigned char *)&a;
        for (size_t i = 0; i < sizeof a; i++)
            kept &= c[i] == 0xA5;
        return F("%s out=%s", en(r), kept ? "kept" : "written");
    }
    return F("type=%d device=%d dptr=%s hptr=%s", (int)a.type, a.device, rel(a.devicePointer, p),
             rel(a.hostPointer, p));
}
void mk_kinds(struct mem *m, size_t n)
{
    static const char *nm[] = {"dev", "pinned", "registered", "pageable", "managed", "pool"};
    for (int i = 0; i < M_N; i++) {
        m[i].n = nm[i];
        m[i].cpu = i >= M_PIN && i <= M_MAN;
        m[i].d = 0;
    }
    m[M_DEV].d = dal(n);
    m[M_PIN].d = pin(n);
    m[M_PAGE].d = pages(n);
    m[M_MAN].d = man(n);
    void *p = pages((n + 4095) & ~4095ull);
    if (!cudaHostRegister(p, (n + 4095) & ~4095ull, 0))
        m[M_REG].d = p;
    cudaMallocAsync(&m[M_POOL].d, n, 0);
    cudaDeviceSynchronize();
    for (int i = 0; i < M_N; i++)
        if (!m[i].d)
            note(F("setup-kind-unavailable=%s", nm[i]));
}
void mfill(const struct mem *m, size_t n, unsigned s)
{
    if (!m->d)
        return;
    cudaDeviceSynchronize();
    if (m->cpu)
        fill(m->d, n, s);
    else
        dfill(m->d, n, s);
}
void mget(const struct mem *m, void *o, size_t n)
{
    memset(o, 0, n);
    if (!m->d)
        return;
    cudaDeviceSynchronize();
    if (m->cpu)
        memcpy(o, m->d, n);
    else
        cudaMemcpy(o, m->d, n, cudaMemcpyDeviceToHost);
}
static void CUDART_CB blkfn(void *u)
{
    struct blk *b = (struct blk *)u;
    double t = now();
    while (!b->go && (now() - t) * 1000 < b->ms)
        usleep(200);
    b->done = 1;
}
err block(cudaStream_t s, struct blk *b)
{
    b->go = 0;
    b->done = 0;
    if (!b->ms)
        b->ms = 400;
    return cudaLaunchHostFunc(s, blkfn, b);
}
void unblock(struct blk *b)
{
    b->go = 1;
}
static int cap_old, cap_fd = -1;
void cap_begin(int fd)
{
    fflush(stdout);
    fflush(stderr);
    char nm[] = "/tmp/rtcapXXXXXX";
    cap_fd = mkstemp(nm);
    unlink(nm);
    cap_old = dup(fd);
    dup2(cap_fd, fd);
}
const char *cap_end(int fd)
{
    static char b[2000];
    fflush(stdout);
    fflush(stderr);
    dup2(cap_old, fd);
    close(cap_old);
    off_t e = lseek(cap_fd, 0, SEEK_END);
    lseek(cap_fd, 0, SEEK_SET);
    ssize_t n = read(cap_fd, b, sizeof b - 1);
    if (n < 0)
        n = 0;
    b[n] = 0;
    close(cap_fd);
    for (ssize_t i = 0; i < n; i++)
        if (b[i] == '\n')
            b[i] = '|';
        else if (!b[i])
            b[i] = '@';
    if (e >= (off_t)sizeof b)
        return F("(%lld bytes)", (long long)e);
    return b;
}
int launch(const void *f, dim3 g, dim3 b, size_t shm, cudaStream_t s, void **args)
{
    return (int)cudaLaunchKernel(f, g, b, args, shm, s);
}

/* ---- children ---- */
static void child(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGALRM, SIG_DFL);
    alarm(secs);
    outfd = dup(1);
    int nul = open("/dev/null", O_WRONLY);
    dup2(nul, 1);
    close(nul); /* device printf and the like stay out of the transcript */
    seen = (uint64_t *)calloc(NP, 8);
    sh->cur[0] = sh->prev[0] = 0;
    sh->in_case = 0;
    g_sticky = 0;
    if (cur_g->fni)
        cur_g->fni(cur_g->i);
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
        if (tries >= 400 || now() - t0 > 300) {
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
            snprintf(what, sizeof what, "EXIT status %d",
                     WEXITSTATUS(st)); /* 127: the library lacks a function called */
        if (to)
            ntime++;
        else
            ncrash++;
        times += to;
        int again = sh->cur[0] && !skipped(hs(sh->cur));
        if (sh->in_case) {
            snprintf(cname, sizeof cname, "%s", sh->cur);
            emit(what, "");
        } else
            put("%s: %s%s%s", g->name, what, sh->cur[0] ? " after=" : "", sh->cur);
        if (!again || hung == 2 || times > 3) {
            put("%s: STOPPED", g->name);
            break;
        }
        addskip(sh->cur);
    }
    if (getenv("RT_TIMES"))
        fprintf(stderr, "%s %.2fs\n", g->name, now() - t0);
}
int main(int argc, char **argv)
{
    if (getenv("RT_ALARM"))
        secs = atoi(getenv("RT_ALARM"));
    qsort(grp, ngrp, sizeof *grp, gcmp);
    signal(SIGPIPE, SIG_IGN);
    if (argc > 1 && !strcmp(argv[1], "--list")) {
        for (int i = 0; i < ngrp; i++)
            put("%s", grp[i].name);
        return 0;
    }
    sh = (struct shm *)mmap(0, sizeof *sh, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                            0);
    put("# header=%d", CUDART_VERSION);
    int npat = 0, total = 0, n = 0, sh_i = 0, sh_n = 1, idx = 0;
    for (int k = 1; k < argc; k++) {
        if (!strcmp(argv[k], "-x"))
            k++;
        else if (!strcmp(argv[k], "--shard")) {
            if (k + 2 < argc) {
                sh_i = atoi(argv[k + 1]);
                sh_n = atoi(argv[k + 2]);
            }
            k += 2;
        } else if (!strcmp(argv[k], "--seeds")) {
            if (k + 2 < argc) {
                seed_a = atoi(argv[k + 1]);
                seed_b = atoi(argv[k + 2]);
            }
            k += 2;
        } else
            npat++;
    }
    for (int i = 0; i < ngrp; i++) {
        int want = !npat, skip = 0;
        size_t L;
        for (int k = 1; k < argc; k++)
            if (!strcmp(argv[k], "--seeds") || !strcmp(argv[k], "--shard"))
                k += 2;
            else if (!strcmp(argv[k], "-x") && k + 1 < argc) {
                k++;
                skip |= !fnmatch(argv[k], grp[i].name, 0);
            } else
                want |= !fnmatch(argv[k], grp[i].name, 0) ||
                        (L = strlen(argv[k]),
                         !strncmp(argv[k], grp[i].name, L) && grp[i].name[L] == '/');
        if (!strncmp(grp[i].name, "fuzz/", 5) && (grp[i].i < seed_a || grp[i].i > seed_b))
            want = 0;
        if (want && !skip && sh_n > 1 && idx++ % sh_n != sh_i)
            want = 0;
        if (want && !skip) {
            run_group(&grp[i]);
            n++;
            total += sh->ncase;
        }
    }
    put("# done groups=%d cases=%d crashes=%d timeouts=%d", n, total, ncrash, ntime);
    return 0;
}
