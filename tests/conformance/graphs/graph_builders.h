/* SPDX-License-Identifier: MIT */
/* Graph helpers: kernels, buffers, node builders, texts of graphs. */
#ifndef GU_H
#define GU_H
enum {
    K_SET,
    K_ADD,
    K_MUL,
    K_MIX,
    K_NOP,
    K_SHM,
    K_INC,
    K_N
}; /* (p,n,v) x3, MIX (dst,src,n,v), NOP (), SHM (p,n,v) dynamic shared, INC (p) one thread adds 1
    */
enum { NB = 8, NW = 4096, NBY = NW * 4 }; /* buffers B[], words and bytes of each */
extern CUmodule mod, mod2;
extern CUfunction fn[K_N], fn2[K_N];
extern CUlibrary lib;
extern CUkernel kn[K_N];
extern dp B[NB], BM;
extern unsigned *H[4];
extern CUstream S[6];
extern CUevent E[8];
extern CUarray AR[4];
extern const char *ptx_text, *ptx_text2;
extern CUcontext ctx2;
extern atomic_int hcount[16];
void CUDA_CB hfn(void *u);      /* hcount[u]++ */
void CUDA_CB hfn2(void *u);     /* hcount[u] += 100 */
void gsetup(void);              /* primary context, module, buffers, streams (0-2 default flags, 3-5
                                   non-blocking), events */
void gsetup_lite(void);         /* primary context and module only */
void second_ctx(void);          /* ctx2 + fn2[]; primary stays current */
void bzero_all(void);           /* buffers to zero, context synchronised */
void bset(int i, unsigned v);   /* words of B[i] = v + index */
const char *bw(int i);          /* first words and checksum of B[i] */
const char *bsum(void);         /* checksum of all buffers */
unsigned w0(dp d);              /* one word of device memory */
const char *tn(int type);       /* node type name */
const char *stn(int st);        /* capture status name */
const char *urn(int r);         /* update result name */
const char *irn(int r);         /* instantiate result name */
const char *pn(uint64_t p);     /* pointer as buffer name and offset */
const char *hs_(const void *p); /* handle: null / kept / set */
#define NSENT ((CUgraphNode)(uintptr_t)SENT)
#define GSENT ((CUgraph)(uintptr_t)SENT)
#define XSENT ((CUgraphExec)(uintptr_t)SENT)
CUDA_KERNEL_NODE_PARAMS kp(int k, dp p, dp q, unsigned n, unsigned v);
CUDA_KERNEL_NODE_PARAMS_v1 kp1(int k, dp p, dp q, unsigned n, unsigned v);
CUDA_MEMCPY3D cdd(dp dst, dp src, size_t n);
CUDA_MEMCPY3D chd(dp dst, const void *src, size_t n);
CUDA_MEMCPY3D cdh(void *dst, dp src, size_t n);
CUDA_MEMCPY3D chh(void *dst, const void *src, size_t n);
CUDA_MEMSET_NODE_PARAMS ms(dp d, unsigned v, unsigned es, size_t w, size_t h, size_t pitch);
CUgraph mk(void);
CUgraphNode addk(CUgraph g, const CUgraphNode *d, size_t nd, int k, dp p, unsigned n, unsigned v);
CUgraphNode addmix(CUgraph g, const CUgraphNode *d, size_t nd, dp p, dp q, unsigned n, unsigned v);
CUgraphNode adds(CUgraph g, const CUgraphNode *d, size_t nd, dp p, unsigned v, unsigned es,
                 size_t w);
CUgraphNode addc(CUgraph g, const CUgraphNode *d, size_t nd, dp dst, dp src, size_t n);
CUgraphNode addh(CUgraph g, const CUgraphNode *d, size_t nd, int u);
CUgraphNode adde(CUgraph g, const CUgraphNode *d, size_t nd);
CUgraphNode addg(CUgraph g, const CUgraphNode *d, size_t nd, CUgraph c);
CUgraphNode addr(CUgraph g, const CUgraphNode *d, size_t nd, CUevent e);
CUgraphNode addw(CUgraph g, const CUgraphNode *d, size_t nd, CUevent e);
CUgraphNode adda(CUgraph g, const CUgraphNode *d, size_t nd, size_t n, dp *out);
CUgraphNode addf(CUgraph g, const CUgraphNode *d, size_t nd, dp p);
CUgraphNode addb(CUgraph g, const CUgraphNode *d, size_t nd, dp a, unsigned v);
CUgraphNode addcond(CUgraph g, const CUgraphNode *d, size_t nd, int type, unsigned size,
                    unsigned def, CUgraph *bodies);
enum { TY_N = 14 };
CUgraphNode addt(int type, CUgraph g, const CUgraphNode *d,
                 size_t nd);   /* a plausible node of any type; NULL where none can be made */
const char *shape(CUgraph g);  /* nodes and edges as text */
const char *shaped(CUgraph g); /* plus the parameters of every node */
const char *order(const CUgraphNode *got, size_t n, const CUgraphNode *mine,
                  size_t m);                        /* got[] as indices into mine[] */
const char *npar(CUgraphNode n);                    /* parameters of one node */
CUgraphExec inst(CUgraph g, unsigned long long fl); /* NULL on failure */
const char *runx(CUgraphExec x, CUstream s);        /* launch + synchronise */
const char *rung(CUgraph g); /* instantiate, launch, synchronise, destroy exec */
unsigned rnd(uint64_t *s, unsigned n);
const char *capend(CUstream s, CUgraph *g); /* end capture, result name */
int cstat(CUstream s);                      /* capture status or -1 */
typedef CUresult (*thunk)(void *);
CUresult in_thread(thunk f, void *u); /* in another thread with the same context current */
struct sb {
    char *b;
    size_t n, o;
};
void sbf(struct sb *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define SB(name, size)                                                                             \
    char name##_b[size];                                                                           \
    name##_b[0] = 0;                                                                               \
    struct sb name = {name##_b, size, 0}
#endif
