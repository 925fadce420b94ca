/* SPDX-License-Identifier: MIT */
/* Behaviour recorder for a CUDA runtime library: shared declarations. */
#ifndef RT_H
#define RT_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <initializer_list>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cuda_profiler_api.h>

typedef cudaError_t err;
#define A(x) (sizeof(x) / sizeof *(x))
#define KB 1024ull
#define MB (1024ull * 1024)
#define GB (1024ull * MB)
#define SENT ((void *)0x5e475e475e47ull)
#define BADP ((void *)0xdeadbeef000ull)
#define R_SKIP ((err)-2)

/* harness: the macros clear the thread's last error first, then record the call's answer and what
   cudaGetLastError says next (printed only where it is not the answer itself) */
int case_begin(const char *name);
void case_end(err r, const char *text);
void line(const char *name, const char *text);
const char *keep(const char *s);
/* braces evaluate from left to right on every compiler: the parts of a line are asked in the order
 * they are written */
struct Txt {
    char s[2600];
    template <class... X> Txt(const char *f, X... x)
    {
        snprintf(s, sizeof s, f, x...);
    }
    Txt(const char *f)
    {
        snprintf(s, sizeof s, "%s", f);
    }
};
#ifdef FMT_CHECK /* compile only: lets the compiler look at the formats */
int fmtchk(const char *, ...) __attribute__((format(printf, 1, 2)));
struct Chk {
    const char *s;
    Chk(int) : s("")
    {
    }
};
#define Txt(...) Chk(fmtchk(__VA_ARGS__))
#else
#define Txt(...)                                                                                   \
    Txt                                                                                            \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#endif
#define F(...) keep(Txt(__VA_ARGS__).s)
const char *en(err r);
const char *cun(int r); /* CUresult by number */
extern err rt_last;
extern int raw; /* raw: leave the last error alone (the group asks for it itself) */
void note_last(void);
#define T(nm, call, ...)                                                                           \
    __extension__({                                                                                \
        err r_ = R_SKIP;                                                                           \
        if (case_begin(nm)) {                                                                      \
            r_ = (call);                                                                           \
            note_last();                                                                           \
            case_end(r_, Txt(" " __VA_ARGS__).s);                                                  \
        }                                                                                          \
        r_;                                                                                        \
    })
#define TX(nm, call, post, ...)                                                                    \
    __extension__({                                                                                \
        err r_ = R_SKIP;                                                                           \
        if (case_begin(nm)) {                                                                      \
            r_ = (call);                                                                           \
            note_last();                                                                           \
            post;                                                                                  \
            case_end(r_, Txt(" " __VA_ARGS__).s);                                                  \
        }                                                                                          \
        r_;                                                                                        \
    })
#define INFO(nm, ...)                                                                              \
    do {                                                                                           \
        if (case_begin(nm))                                                                        \
            line(nm, Txt(__VA_ARGS__).s);                                                          \
    } while (0)
void reg(int key, const char *name, void (*fn)(void));
void reg_n(int key, const char *name, void (*fn)(int), int i);
#define GROUP(key, id, name)                                                                       \
    static void g_##id(void);                                                                      \
    __attribute__((constructor)) static void rg_##id(void)                                         \
    {                                                                                              \
        reg(key, name, g_##id);                                                                    \
    }                                                                                              \
    static void g_##id(void)
/* a line of its own in a process of its own */
#define RISK(key, id, expr)                                                                        \
    static err k_##id(void)                                                                        \
    {                                                                                              \
        return expr;                                                                               \
    }                                                                                              \
    static void g_##id(void)                                                                       \
    {                                                                                              \
        ready();                                                                                   \
        sticky_ok = 1;                                                                             \
        T("call", k_##id());                                                                       \
        T("sync-after", cudaDeviceSynchronize());                                                  \
    }                                                                                              \
    __attribute__((constructor)) static void rg_##id(void)                                         \
    {                                                                                              \
        reg(key, "risky/" #id, g_##id);                                                            \
    }
extern int sticky_ok, independent, seed_a, seed_b;

/* set-up and data */
void ready(void); /* cudaFree(0); ends the group with a line when that fails */
void *dal(size_t n);
void *pin(size_t n);
void *man(size_t n);
void *pages(size_t n);
cudaStream_t mks(unsigned f);
cudaEvent_t mke(unsigned f);
void fill(void *p, size_t n, unsigned seed);
unsigned char pb(unsigned seed, size_t i);
const char *same(const void *p, size_t n, unsigned seed);
unsigned sum(const void *p, size_t n);
void dfill(void *d, size_t n, unsigned seed);
const char *dsame(const void *d, size_t n, unsigned seed);
const char *dsum(const void *d, size_t n);
const char *SY(cudaStream_t s);
const char *SYD(void);
const char *outst(const void *v); /* kept / null / set against SENT */
const char *rel(const void *v, const void *ref);
double now(void);
struct blk {
    volatile int go, done;
    int ms;
};
err block(cudaStream_t s, struct blk *b);
void unblock(struct blk *b);
void cap_begin(int fd);
const char *cap_end(int fd); /* capture what the process writes to fd 1 or 2 */
void *drv(const char *name); /* driver function by name, from libcuda.so.1 */
#define DRV(f) ((decltype(&f))drv(#f))
enum { M_DEV, M_PIN, M_REG, M_PAGE, M_MAN, M_POOL, M_N };
struct mem {
    const char *n;
    int cpu;
    void *d;
};
void mk_kinds(struct mem *m, size_t n);
void mfill(const struct mem *m, size_t n, unsigned seed);
void mget(const struct mem *m, void *out, size_t n);
const char *pattr(const void *p); /* cudaPointerGetAttributes as text */
extern const char *const kind_name[6];
cudaChannelFormatDesc chan(int x, int y, int z, int w, int f);
cudaExtent ext(size_t w, size_t h, size_t d);
cudaPos pos(size_t x, size_t y, size_t z);
cudaPitchedPtr pp(void *p, size_t pitch, size_t x, size_t y);

/* kernels (kern.cu): host stubs, taken as addresses and launched through cudaLaunchKernel and
 * friends */
struct bigarg {
    int v[64];
};
#ifndef __CUDACC__
extern "C" {
void k_empty(void);
void k_fill(int *p, int n, int v);
void k_add(int *p, int n, int v);
void k_sum(const unsigned char *p, size_t n, unsigned *out);
void k_shape(unsigned long long *out);
void k_dyn(int *out, int n);
void k_static(int *out);
void k_bounds128(int *out);
void k_bounds64x4(int *out);
void k_fault_null(void);
void k_fault_far(int *p);
void k_misalign(char *p);
void k_trap(void);
void k_assert(int v);
void k_stack(int *p, int d);
void k_printf(int a);
void k_malloc(int *out, int n, size_t sz);
void k_sym(int *out);
void k_spin(volatile int *flag, long long max);
void k_many(char a, short b, int c, long long d, float e, double f, void *g);
void k_big(struct bigarg a, int *out);
void k_coop(int *out);
void k_local(int *out, int n);
void k_oob(int *p, size_t i);
void k_fnptr(int *out, int which);
void k_none_params(void);
void k_exit_early(int *p, int n);
void k_illegal_shared(int *out, int off);
void k_atomics(int *p);
void k_cluster2(int *out);
void k_cluster_any(int *out);
void k_mangled_arg(int *p);
void k_tex1d(cudaTextureObject_t t, float *o, int n, float lo, float st);
void k_tex2d(cudaTextureObject_t t, float *o, int n, float lo, float st);
void k_tex3d(cudaTextureObject_t t, float *o, int n, float lo, float st);
void k_tex1dl(cudaTextureObject_t t, float *o, int n, float lo, float st, int l);
void k_tex2dl(cudaTextureObject_t t, float *o, int n, float lo, float st, int l);
void k_texcube(cudaTextureObject_t t, float *o, int n);
void k_texlod(cudaTextureObject_t t, float *o, int n, float lo, float st, float lod);
void k_texfetch(cudaTextureObject_t t, int *o, int n);
void k_tex2du(cudaTextureObject_t t, unsigned *o, int n);
void k_tex2d4(cudaTextureObject_t t, float4 *o, int n, float lo, float st);
void k_texgather(cudaTextureObject_t t, float4 *o, int n);
void k_surf1d(cudaSurfaceObject_t s, int n, int mode);
void k_surf2d(cudaSurfaceObject_t s, int w, int h, int mode, int bm);
void k_surf3d(cudaSurfaceObject_t s, int w, int h, int d);
void k_surf2dl(cudaSurfaceObject_t s, int w, int h, int l);
void k_cond(cudaGraphConditionalHandle h, int *p, int lim);
}
#endif
const void *
sym(int i); /* 0 int dev_i, 1 int const_i[64], 2 char dev_c[1000], 3 managed man_i[256], 4 double
               dev_d, 5 struct const 60000 bytes, 6 zero-init 1 MB, 7 static-local-like */
enum { S_DEVI, S_CONST, S_DEVC, S_MAN, S_DEVD, S_CBIG, S_DBIG, S_VOLATILE, S_N };
extern const char *const sym_name[S_N];
int *man_host(void);
const void *tmpl(int i); /* template instances */
/* <<<>>> wrappers */
void l_fill(dim3 g, dim3 b, size_t sh, cudaStream_t s, int *p, int n, int v);
void l_empty(dim3 g, dim3 b, size_t sh, cudaStream_t s);
void l_lambda(int *p, int n, int k);
void l_tmpl(int i, int *p, int n);
void pt_fill(dim3 g, dim3 b, size_t sh, cudaStream_t s, int *p, int n, int v);
int launch(const void *f, dim3 g, dim3 b, size_t sh, cudaStream_t s, void **args);
#define ARGS(...) const_cast<void **>(std::initializer_list<void *>{__VA_ARGS__}.begin())
#endif
