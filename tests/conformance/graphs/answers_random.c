/* SPDX-License-Identifier: MIT */
/* Random graphs and random capture programs. Conflicting accesses are always ordered, so the data
 * has one right answer. */
#include "graph_recorder.h"
enum { SEG = 4, NSEG = NB * SEG, SW = NW / SEG }; /* segments of the buffers, words each */
static dp sp(unsigned s)
{
    return B[s / SEG] + (dp)(s % SEG) * SW * 4;
}
struct op {
    int kind;
    unsigned d, s, v, n;
}; /* 0 memset32 1 memset16 2 memset8 3 memset2d 4 memcpy 5 set 6 add 7 mul 8 mix */
static struct op mkop(uint64_t *r)
{
    struct op o;
    memset(&o, 0, sizeof o);
    o.kind = rnd(r, 9);
    o.d = rnd(r, NSEG);
    o.s = rnd(r, NSEG);
    if (o.s == o.d)
        o.s = (o.s + 1) % NSEG;
    o.v = rnd(r, 1000);
    unsigned full = rnd(r, 3);
    o.n = full ? SW : 1 + rnd(r, SW);
    return o;
}
static int reads_src(const struct op *o)
{
    return o->kind == 4 || o->kind == 8;
}
static void seed_data(unsigned seed)
{
    unsigned char *b = malloc(NBY);
    for (int i = 0; i < NB; i++) {
        fill(b, NBY, seed * 100 + i);
        P.cuMemcpyHtoD(B[i], b, NBY);
    }
    P.cuCtxSynchronize();
    free(b);
}
static CUresult add_op(CUgraphNode *n, CUgraph g, const CUgraphNode *d, size_t nd,
                       const struct op *o)
{
    CUDA_MEMSET_NODE_PARAMS m;
    CUDA_MEMCPY3D c;
    CUDA_KERNEL_NODE_PARAMS k;
    switch (o->kind) {
    case 0:
        m = ms(sp(o->d), o->v, 4, o->n, 1, 0);
        return P.cuGraphAddMemsetNode(n, g, d, nd, &m, ctx);
    case 1:
        m = ms(sp(o->d), o->v, 2, o->n, 1, 0);
        return P.cuGraphAddMemsetNode(n, g, d, nd, &m, ctx);
    case 2:
        m = ms(sp(o->d), o->v & 255, 1, o->n, 1, 0);
        return P.cuGraphAddMemsetNode(n, g, d, nd, &m, ctx);
    case 3:
        m = ms(sp(o->d), o->v, 4, 1 + o->v % 16, 8, 128);
        return P.cuGraphAddMemsetNode(n, g, d, nd, &m, ctx);
    case 4:
        c = cdd(sp(o->d), sp(o->s), o->n * 4);
        return P.cuGraphAddMemcpyNode(n, g, d, nd, &c, ctx);
    case 8:
        k = kp(K_MIX, sp(o->d), sp(o->s), o->n, o->v);
        return P.cuGraphAddKernelNode(n, g, d, nd, &k);
    default:
        k = kp(o->kind == 5 ? K_SET : o->kind == 6 ? K_ADD : K_MUL, sp(o->d), 0, o->n, o->v);
        return P.cuGraphAddKernelNode(n, g, d, nd, &k);
    }
}
static CUresult run_op(CUstream s, const struct op *o)
{
    CUDA_KERNEL_NODE_PARAMS k;
    switch (o->kind) {
    case 0:
        return P.cuMemsetD32Async(sp(o->d), o->v, o->n, s);
    case 1:
        return P.cuMemsetD16Async(sp(o->d), o->v, o->n, s);
    case 2:
        return P.cuMemsetD8Async(sp(o->d), o->v & 255, o->n, s);
    case 3:
        return P.cuMemsetD2D32Async(sp(o->d), 128, o->v, 1 + o->v % 16, 8, s);
    case 4:
        return P.cuMemcpyDtoDAsync(sp(o->d), sp(o->s), o->n * 4, s);
    case 8:
        k = kp(K_MIX, sp(o->d), sp(o->s), o->n, o->v);
        break;
    default:
        k = kp(o->kind == 5 ? K_SET : o->kind == 6 ? K_ADD : K_MUL, sp(o->d), 0, o->n, o->v);
    }
    return P.cuLaunchKernel(k.func, k.gridDimX, 1, 1, k.blockDimX, 1, 1, 0, s, k.kernelParams,
                            NULL);
}
enum { MAXOP = 80 };
/* dependencies of op i on earlier ones */
static int conflict(const struct op *a, const struct op *b)
{
    return a->d == b->d || (reads_src(a) && a->s == b->d) || (reads_src(b) && b->s == a->d);
}
static CUresult build(CUgraph g, uint64_t *r, unsigned nops, struct op *ops, CUgraphNode *n,
                      int style)
{
    CUresult err = 0;
    for (unsigned i = 0; i < nops; i++) {
        ops[i] = mkop(r);
        CUgraphNode d[MAXOP];
        size_t nd = 0;
        CUgraphNode late[MAXOP];
        size_t nl = 0;
        for (unsigned j = 0; j < i; j++) {
            int want = conflict(&ops[i], &ops[j]);
            unsigned extra = rnd(r, 12);
            if (extra == 0)
                want = 1;
            if (!want || !n[j])
                continue;
            unsigned how = rnd(r, 2);
            if (style == 1 && how)
                late[nl++] = n[j];
            else
                d[nd++] = n[j];
        }
        n[i] = 0;
        CUresult q = add_op(&n[i], g, d, nd, &ops[i]);
        if (q) {
            err = q;
            n[i] = 0;
            continue;
        }
        for (size_t k = 0; k < nl; k++) {
            q = P.cuGraphAddDependencies(g, &late[k], &n[i], NULL, 1);
            if (q)
                err = q;
        }
    }
    return err;
}
GROUP(900, fuzzdag, "fuzz-dag")
{
    gsetup();
    independent = 1;
    for (unsigned seed = 1; seed <= 40; seed++)
        if (case_begin(F("seed-%u", seed))) {
            uint64_t r = seed;
            unsigned nops = 5 + rnd(&r, MAXOP - 10);
            struct op ops[MAXOP];
            CUgraphNode n[MAXOP];
            memset(n, 0, sizeof n);
            CUgraph g = mk();
            CUresult e = build(g, &r, nops, ops, n, seed & 1);
            seed_data(seed);
            CUgraphExec x = inst(g, 0);
            const char *q = runx(x, S[0]), *s1 = bsum();
            const char *q2 = runx(x, S[3]), *q3 = runx(x, S[0]);
            const char *s3 = bsum();
            seed_data(seed);
            for (unsigned i = 0; i < nops; i++)
                run_op(S[0], &ops[i]);
            P.cuStreamSynchronize(S[0]);
            const char *se = bsum();
            case_end(e, " ops=%u exec=%s run=%s,%s,%s once=%s thrice=%s eager=%s %s", nops, hs_(x),
                     q, q2, q3, s1, s3, se, shape(g));
            if (x)
                P.cuGraphExecDestroy(x);
            P.cuGraphDestroy(g);
        }
}
GROUP(901, fuzznest, "fuzz-nested")
{
    gsetup();
    independent = 1;
    for (unsigned seed = 1; seed <= 20; seed++)
        if (case_begin(F("seed-%u", seed))) {
            uint64_t r = seed + 1000;
            CUgraph g = mk();
            CUgraphNode prev = 0;
            CUresult e = 0;
            struct op ops[MAXOP];
            CUgraphNode n[MAXOP];
            unsigned k = 2 + rnd(&r, 4);
            for (unsigned i = 0; i < k; i++) {
                CUgraph c = mk();
                memset(n, 0, sizeof n);
                unsigned m = 3 + rnd(&r, 12);
                CUresult q = build(c, &r, m, ops, n, i & 1);
                if (q)
                    e = q;
                unsigned wrap = rnd(&r, 3);
                for (unsigned w = 0; w < wrap; w++) {
                    CUgraph o = mk();
                    addg(o, NULL, 0, c);
                    P.cuGraphDestroy(c);
                    c = o;
                }
                CUgraphNode cn = addg(g, prev ? &prev : NULL, prev != NULL, c);
                P.cuGraphDestroy(c);
                if (cn)
                    prev = cn;
                struct op so = mkop(&r);
                CUgraphNode sn = 0;
                q = add_op(&sn, g, prev ? &prev : NULL, prev != NULL, &so);
                if (q)
                    e = q;
                else
                    prev = sn;
            }
            CUgraph cl = 0;
            P.cuGraphClone(&cl, g);
            seed_data(seed);
            const char *q = rung(g), *s1 = bsum();
            seed_data(seed);
            const char *q2 = cl ? rung(cl) : "-", *s2 = bsum();
            case_end(e, " run=%s sum=%s clone=%s sum=%s %s", q, s1, q2, s2, shape(g));
            P.cuGraphDestroy(g);
            if (cl)
                P.cuGraphDestroy(cl);
        }
}
GROUP(902, fuzzupd, "fuzz-update")
{
    gsetup();
    independent = 1;
    for (unsigned seed = 1; seed <= 20; seed++)
        if (case_begin(F("seed-%u", seed))) {
            uint64_t r = seed + 5000;
            unsigned nops = 5 + rnd(&r, 20);
            struct op ops[MAXOP];
            CUgraphNode n[MAXOP];
            memset(n, 0, sizeof n);
            CUgraph g = mk();
            CUresult e = build(g, &r, nops, ops, n, 0);
            CUgraphExec x = inst(g, 0);
            SB(rs, 400);
            for (unsigned i = 0; i < nops; i++) {
                unsigned what = rnd(&r, 4);
                unsigned nv = rnd(&r, 1000);
                if (!n[i] || !x)
                    continue;
                CUresult q = 0;
                if (what == 0 && ops[i].kind != 3) {
                    ops[i].v = nv;
                    if (ops[i].kind <= 2) {
                        CUDA_MEMSET_NODE_PARAMS m =
                            ms(sp(ops[i].d), ops[i].kind == 2 ? nv & 255 : nv,
                               ops[i].kind == 0   ? 4
                               : ops[i].kind == 1 ? 2
                                                  : 1,
                               ops[i].n, 1, 0);
                        q = P.cuGraphExecMemsetNodeSetParams(x, n[i], &m, ctx);
                    } else if (ops[i].kind >= 5) {
                        CUDA_KERNEL_NODE_PARAMS k = kp(ops[i].kind == 5   ? K_SET
                                                       : ops[i].kind == 6 ? K_ADD
                                                       : ops[i].kind == 7 ? K_MUL
                                                                          : K_MIX,
                                                       sp(ops[i].d), sp(ops[i].s), ops[i].n, nv);
                        q = P.cuGraphExecKernelNodeSetParams(x, n[i], &k);
                    }
                } else if (what == 1) {
                    q = P.cuGraphNodeSetEnabled(x, n[i], 0);
                }
                sbf(&rs, "%d", q ? 1 : 0);
            }
            seed_data(seed);
            const char *q = runx(x, S[0]), *s1 = bsum();
            CUgraphExecUpdateResultInfo ri;
            memset(&ri, 0, sizeof ri);
            ri.result = 77;
            CUresult u = x ? P.cuGraphExecUpdate(x, g, &ri) : R_SKIP;
            seed_data(seed);
            const char *q2 = runx(x, S[0]), *s2 = bsum();
            case_end(e, " sets=%s run=%s sum=%s update=%s %s run=%s sum=%s", rs.b, q, s1, en(u),
                     urn(ri.result), q2, s2);
            if (x)
                P.cuGraphExecDestroy(x);
            P.cuGraphDestroy(g);
        }
}
/* capture programs over three streams */
struct prog {
    struct op o;
    int s, wait;
}; /* wait: bitmask of streams to wait for before the op */
static unsigned mkprog(uint64_t *r, struct prog *p)
{
    unsigned n = 6 + rnd(r, 40);
    int cnt[3] = {0, 0, 0}, known[3][3];
    memset(known, 0, sizeof known);
    int at[MAXOP];
    for (unsigned i = 0; i < n; i++) {
        p[i].o = mkop(r);
        p[i].s = (int)rnd(r, 3);
        p[i].wait = 0;
        int s = p[i].s;
        unsigned ex = rnd(r, 6);
        if (ex < 3 && (int)ex != s)
            p[i].wait |= 1 << ex;
        for (unsigned j = 0; j < i; j++) {
            int t = p[j].s;
            if (t == s || !conflict(&p[i].o, &p[j].o) || known[s][t] > at[j])
                continue;
            p[i].wait |= 1 << t;
        }
        int before[3][3];
        memcpy(before, known, sizeof before);
        for (int t = 0; t < 3; t++)
            if (t != s && (p[i].wait >> t & 1)) {
                known[s][t] = cnt[t];
                for (int u = 0; u < 3; u++)
                    if (u != s && before[t][u] > known[s][u])
                        known[s][u] = before[t][u];
            }
        at[i] = cnt[s]++;
    }
    return n;
}
static CUresult play(CUstream *st, const struct prog *p, unsigned n)
{
    CUresult e = 0, q;
    int ev = 0;
    for (int t = 1; t < 3; t++) {
        q = P.cuEventRecord(E[ev], st[0]);
        if (q)
            e = q;
        q = P.cuStreamWaitEvent(st[t], E[ev], 0);
        if (q)
            e = q;
        ev = (ev + 1) & 7;
    }
    for (unsigned i = 0; i < n; i++) {
        for (int t = 0; t < 3; t++)
            if (p[i].wait >> t & 1) {
                q = P.cuEventRecord(E[ev], st[t]);
                if (q)
                    e = q;
                q = P.cuStreamWaitEvent(st[p[i].s], E[ev], 0);
                if (q)
                    e = q;
                ev = (ev + 1) & 7;
            }
        q = run_op(st[p[i].s], &p[i].o);
        if (q)
            e = q;
    }
    for (int t = 1; t < 3; t++) {
        q = P.cuEventRecord(E[ev], st[t]);
        if (q)
            e = q;
        q = P.cuStreamWaitEvent(st[0], E[ev], 0);
        if (q)
            e = q;
        ev = (ev + 1) & 7;
    }
    return e;
}
GROUP(903, fuzzcap, "fuzz-capture")
{
    gsetup();
    independent = 1;
    for (unsigned seed = 1; seed <= 40; seed++)
        if (case_begin(F("seed-%u", seed))) {
            uint64_t r = seed + 9000;
            struct prog p[MAXOP];
            memset(p, 0, sizeof p);
            unsigned n = mkprog(&r, p);
            CUstream st[3] = {S[seed & 1 ? 0 : 5], S[3], S[seed & 2 ? 4 : 1]};
            seed_data(seed);
            CUresult pe = play(st, p, n);
            P.cuStreamSynchronize(st[0]);
            P.cuCtxSynchronize();
            const char *se = bsum();
            CUresult b = P.cuStreamBeginCapture(st[0], (int)(seed % 3));
            CUresult ce = b ? R_SKIP : play(st, p, n);
            CUgraph g = 0;
            const char *e = capend(st[0], &g);
            for (int t = 1; t < 3; t++)
                if (cstat(st[t]) > 0) {
                    CUgraph h = 0;
                    P.cuStreamEndCapture(st[t], &h);
                }
            seed_data(seed);
            CUgraphExec x = inst(g, 0);
            const char *q = runx(x, S[0]), *s1 = bsum(), *q2 = runx(x, S[3]), *s2 = bsum();
            case_end(ce, " eager=%s/%s begin=%s end=%s run=%s,%s sum=%s,%s %s", en(pe), se, en(b),
                     e, q, q2, s1, s2, g ? shape(g) : "-");
            if (x)
                P.cuGraphExecDestroy(x);
            if (g)
                P.cuGraphDestroy(g);
            P.cuCtxSynchronize();
        }
}
