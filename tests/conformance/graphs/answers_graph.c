/* SPDX-License-Identifier: MIT */
/* Graph objects: create, destroy, clone, nodes, roots, edges, dependencies, dot files. */
#include "graph_recorder.h"
#include <sys/stat.h>
GROUP(100, gcreate, "graph-create")
{
    gsetup();
    independent = 1;
    static const unsigned fl[] = {0, 1, 2, 3, 4, 8, 16, 0x80000000u, 0xffffffffu};
    for (size_t i = 0; i < A(fl); i++) {
        CUgraph g = GSENT;
        T(F("flags-%x", fl[i]), P.cuGraphCreate(&g, fl[i]), "out=%s", hs_(g));
        if (g && g != GSENT)
            P.cuGraphDestroy(g);
    }
    T("null-out", P.cuGraphCreate(NULL, 0));
    T("null-out-badflags", P.cuGraphCreate(NULL, 5));
    T("destroy-null", P.cuGraphDestroy(NULL));
    if (case_begin("two-differ")) {
        CUgraph a = mk(), b = mk();
        case_end(0, " differ=%d", a != b);
        P.cuGraphDestroy(a);
        P.cuGraphDestroy(b);
    }
    if (case_begin("empty-shape")) {
        CUgraph a = mk();
        case_end(0, " %s", shape(a));
        P.cuGraphDestroy(a);
    }
    if (case_begin("empty-destroy")) {
        CUgraph a = mk();
        CUresult r = a ? P.cuGraphDestroy(a) : R_SKIP;
        case_end(r, " ");
    }
    if (case_begin("thousand")) {
        CUgraph v[1000];
        CUresult r = 0;
        for (int i = 0; i < 1000; i++) {
            v[i] = 0;
            CUresult q = P.cuGraphCreate(&v[i], 0);
            if (q)
                r = q;
        }
        for (int i = 0; i < 1000; i++)
            if (v[i]) {
                CUresult q = P.cuGraphDestroy(v[i]);
                if (q)
                    r = q;
            }
        case_end(r, " ");
    }
    for (int t = 0; t < TY_N; t++)
        if (case_begin(F("destroy-with-%s", tn(t)))) {
            CUgraph a = mk();
            CUgraphNode n = addt(t, a, NULL, 0);
            CUresult r = a ? P.cuGraphDestroy(a) : R_SKIP;
            case_end(r, " node=%s", hs_(n));
        }
    if (case_begin("other-thread-destroy")) {
        CUgraph a = mk();
        adde(a, NULL, 0);
        CUresult r = a ? in_thread((thunk)(void *)P.cuGraphDestroy, a) : R_SKIP;
        case_end(r, " ");
    }
    if (case_begin("no-ctx-create")) {
        P.cuCtxSetCurrent(NULL);
        CUgraph a = GSENT;
        CUresult r = P.cuGraphCreate(&a, 0);
        CUgraphNode n = NSENT;
        CUresult r2 = r ? R_SKIP : P.cuGraphAddEmptyNode(&n, a, NULL, 0);
        CUresult r3 = r ? R_SKIP : P.cuGraphDestroy(a);
        P.cuCtxSetCurrent(ctx);
        case_end(r, " out=%s add=%s node=%s destroy=%s", hs_(a), en(r2), hs_(n), en(r3));
    }
}
/* a small fixed graph: 0 -> 1,2 -> 3 and a lone 4 */
static CUgraphNode nd[8];
static CUgraph diamond(void)
{
    CUgraph g = mk();
    memset(nd, 0, sizeof nd);
    if (!g)
        return g;
    nd[0] = adds(g, NULL, 0, B[0], 1, 4, 64);
    nd[1] = addk(g, &nd[0], 1, K_ADD, B[0], 64, 2);
    nd[2] = addc(g, &nd[0], 1, B[1], B[0], 256);
    CUgraphNode d[2] = {nd[1], nd[2]};
    nd[3] = addh(g, d, 2, 2);
    nd[4] = adde(g, NULL, 0);
    return g;
}
GROUP(101, gquery, "graph-query")
{
    gsetup();
    independent = 1;
    CUgraph g = diamond();
    CUgraphNode o[16], o2[16];
    CUgraphEdgeData ed[16];
    size_t n;
#define RST()                                                                                      \
    do {                                                                                           \
        for (int i_ = 0; i_ < 16; i_++)                                                            \
            o[i_] = o2[i_] = NSENT;                                                                \
        memset(ed, 0x55, sizeof ed);                                                               \
    } while (0)
    T("shape", 0, "%s", shape(g));
    T("shape-params", 0, "%s", shaped(g));
    n = 77;
    T("nodes-count", P.cuGraphGetNodes(g, NULL, &n), "n=%zu", n);
    for (size_t k = 0; k <= 8; k++) {
        RST();
        n = k;
        T(F("nodes-room%zu", k), P.cuGraphGetNodes(g, o, &n), "n=%zu got=%s", n,
          order(o, 8, nd, 5));
    }
    RST();
    T("nodes-null-count", P.cuGraphGetNodes(g, o, NULL), "got=%s", order(o, 8, nd, 5));
    T("nodes-null-both", P.cuGraphGetNodes(g, NULL, NULL));
    n = 77;
    T("nodes-null-graph", P.cuGraphGetNodes(NULL, o, &n), "n=%zu", n);
    n = 77;
    T("nodes-null-graph-count", P.cuGraphGetNodes(NULL, NULL, &n), "n=%zu", n);
    n = 77;
    T("roots-count", P.cuGraphGetRootNodes(g, NULL, &n), "n=%zu", n);
    for (size_t k = 0; k <= 4; k++) {
        RST();
        n = k;
        T(F("roots-room%zu", k), P.cuGraphGetRootNodes(g, o, &n), "n=%zu got=%s", n,
          order(o, 6, nd, 5));
    }
    RST();
    T("roots-null-count", P.cuGraphGetRootNodes(g, o, NULL), "got=%s", order(o, 4, nd, 5));
    n = 77;
    T("roots-null-graph", P.cuGraphGetRootNodes(NULL, o, &n), "n=%zu", n);
    n = 77;
    T("edges-count", P.cuGraphGetEdges(g, NULL, NULL, NULL, &n), "n=%zu", n);
    n = 77;
    T("edges-v1-count", O.oGraphGetEdges(g, NULL, NULL, &n), "n=%zu", n);
    for (size_t k = 0; k <= 6; k++) {
        RST();
        n = k;
        T(F("edges-room%zu", k), P.cuGraphGetEdges(g, o, o2, ed, &n),
          "n=%zu from=%s to=%s ed0=%u,%u,%u ed5=%u", n, order(o, 7, nd, 5), order(o2, 7, nd, 5),
          ed[0].from_port, ed[0].to_port, ed[0].type, ed[5].type);
    }
    for (size_t k = 0; k <= 6; k++) {
        RST();
        n = k;
        T(F("edges-v1-room%zu", k), O.oGraphGetEdges(g, o, o2, &n), "n=%zu from=%s to=%s", n,
          order(o, 7, nd, 5), order(o2, 7, nd, 5));
    }
    RST();
    n = 6;
    T("edges-null-from", P.cuGraphGetEdges(g, NULL, o2, ed, &n), "n=%zu to=%s", n,
      order(o2, 6, nd, 5));
    RST();
    n = 6;
    T("edges-null-to", P.cuGraphGetEdges(g, o, NULL, ed, &n), "n=%zu from=%s", n,
      order(o, 6, nd, 5));
    RST();
    n = 6;
    T("edges-null-ed", P.cuGraphGetEdges(g, o, o2, NULL, &n), "n=%zu from=%s to=%s", n,
      order(o, 6, nd, 5), order(o2, 6, nd, 5));
    RST();
    n = 6;
    T("edges-only-ed", P.cuGraphGetEdges(g, NULL, NULL, ed, &n), "n=%zu ed0=%u", n, ed[0].type);
    T("edges-null-count", P.cuGraphGetEdges(g, o, o2, ed, NULL));
    n = 77;
    T("edges-null-graph", P.cuGraphGetEdges(NULL, NULL, NULL, NULL, &n), "n=%zu", n);
    RST();
    n = 6;
    T("edges-v1-null-from", O.oGraphGetEdges(g, NULL, o2, &n), "n=%zu", n);
    RST();
    n = 6;
    T("edges-v1-null-to", O.oGraphGetEdges(g, o, NULL, &n), "n=%zu", n);
    T("edges-v1-null-count", O.oGraphGetEdges(g, o, o2, NULL));
    n = 77;
    T("edges-v1-null-graph", O.oGraphGetEdges(NULL, NULL, NULL, &n), "n=%zu", n);
    for (int i = 0; i < 5; i++) {
        CUgraphNodeType ty = 99;
        T(F("type-%d", i), P.cuGraphNodeGetType(nd[i], &ty), "type=%s", tn(ty));
        n = 77;
        T(F("deps-count-%d", i), P.cuGraphNodeGetDependencies(nd[i], NULL, NULL, &n), "n=%zu", n);
        n = 77;
        T(F("deps-v1-count-%d", i), O.oGraphNodeGetDependencies(nd[i], NULL, &n), "n=%zu", n);
        n = 77;
        T(F("dependents-count-%d", i), P.cuGraphNodeGetDependentNodes(nd[i], NULL, NULL, &n),
          "n=%zu", n);
        n = 77;
        T(F("dependents-v1-count-%d", i), O.oGraphNodeGetDependentNodes(nd[i], NULL, &n), "n=%zu",
          n);
        for (size_t k = 0; k <= 3; k++) {
            RST();
            n = k;
            T(F("deps-%d-room%zu", i, k), P.cuGraphNodeGetDependencies(nd[i], o, ed, &n),
              "n=%zu got=%s ed0=%u ed1=%u", n, order(o, 4, nd, 5), ed[0].type, ed[1].type);
            RST();
            n = k;
            T(F("deps-v1-%d-room%zu", i, k), O.oGraphNodeGetDependencies(nd[i], o, &n),
              "n=%zu got=%s", n, order(o, 4, nd, 5));
            RST();
            n = k;
            T(F("dependents-%d-room%zu", i, k), P.cuGraphNodeGetDependentNodes(nd[i], o, ed, &n),
              "n=%zu got=%s ed0=%u ed1=%u", n, order(o, 4, nd, 5), ed[0].type, ed[1].type);
            RST();
            n = k;
            T(F("dependents-v1-%d-room%zu", i, k), O.oGraphNodeGetDependentNodes(nd[i], o, &n),
              "n=%zu got=%s", n, order(o, 4, nd, 5));
        }
    }
    CUgraphNodeType ty = 99;
    T("type-null-node", P.cuGraphNodeGetType(NULL, &ty), "type=%d", ty);
    T("type-null-out", P.cuGraphNodeGetType(nd[0], NULL));
    n = 77;
    T("deps-null-node", P.cuGraphNodeGetDependencies(NULL, NULL, NULL, &n), "n=%zu", n);
    T("deps-null-count", P.cuGraphNodeGetDependencies(nd[3], o, ed, NULL));
    T("deps-null-count2", P.cuGraphNodeGetDependencies(nd[3], NULL, NULL, NULL));
    RST();
    n = 4;
    T("deps-null-ed", P.cuGraphNodeGetDependencies(nd[3], o, NULL, &n), "n=%zu got=%s", n,
      order(o, 4, nd, 5));
    RST();
    n = 4;
    T("deps-only-ed", P.cuGraphNodeGetDependencies(nd[3], NULL, ed, &n), "n=%zu ed0=%u", n,
      ed[0].type);
    n = 77;
    T("dependents-null-node", P.cuGraphNodeGetDependentNodes(NULL, NULL, NULL, &n), "n=%zu", n);
    T("dependents-null-count", P.cuGraphNodeGetDependentNodes(nd[0], o, ed, NULL));
    RST();
    n = 4;
    T("dependents-null-ed", P.cuGraphNodeGetDependentNodes(nd[0], o, NULL, &n), "n=%zu got=%s", n,
      order(o, 4, nd, 5));
    RST();
    n = 4;
    T("dependents-only-ed", P.cuGraphNodeGetDependentNodes(nd[0], NULL, ed, &n), "n=%zu", n);
    n = 77;
    T("deps-v1-null-node", O.oGraphNodeGetDependencies(NULL, NULL, &n), "n=%zu", n);
    T("deps-v1-null-count", O.oGraphNodeGetDependencies(nd[3], o, NULL));
    n = 77;
    T("dependents-v1-null-node", O.oGraphNodeGetDependentNodes(NULL, NULL, &n), "n=%zu", n);
    T("dependents-v1-null-count", O.oGraphNodeGetDependentNodes(nd[0], o, NULL));
    /* order of the answers in a larger graph */
    if (case_begin("order-large")) {
        CUgraph h = mk();
        CUgraphNode v[24];
        memset(v, 0, sizeof v);
        uint64_t s = 7;
        for (int i = 0; i < 24; i++) {
            CUgraphNode d[3];
            unsigned k = 0;
            if (i) {
                unsigned c = rnd(&s, 4);
                unsigned a = rnd(&s, i), b = rnd(&s, i), e = rnd(&s, i);
                if (c > 0)
                    d[k++] = v[a];
                if (c > 1 && b != a)
                    d[k++] = v[b];
                if (c > 2 && e != a && e != b)
                    d[k++] = v[e];
            }
            v[i] = adde(h, d, k);
        }
        CUgraphNode w[40], f[80], t[80];
        memset(w, 0, sizeof w);
        memset(f, 0, sizeof f);
        memset(t, 0, sizeof t);
        size_t c = 40, rc = 40, ec = 80;
        CUresult r = P.cuGraphGetNodes(h, w, &c);
        const char *a = order(w, r ? 0 : c, v, 24);
        if (P.cuGraphGetRootNodes(h, w, &rc))
            rc = 0;
        const char *b = order(w, r ? 0 : rc, v, 24);
        CUresult q = P.cuGraphGetEdges(h, f, t, NULL, &ec);
        if (q)
            ec = 0;
        case_end(r, " nodes=%s roots=%s from=%s to=%s", a, b, order(f, ec, v, 24),
                 order(t, ec, v, 24));
        for (int i = 0; i < 24; i++)
            if (case_begin(F("order-large-node%d", i))) {
                size_t x = 40, y = 40;
                CUgraphNode w2[40];
                CUresult r1 = P.cuGraphNodeGetDependencies(v[i], w, NULL, &x),
                         r2 = P.cuGraphNodeGetDependentNodes(v[i], w2, NULL, &y);
                case_end(r1, " deps=%s dependents=%s", order(w, r1 ? 0 : x, v, 24),
                         order(w2, r2 ? 0 : y, v, 24));
            }
        P.cuGraphDestroy(h);
    }
}
GROUP(102, gdeps, "graph-deps")
{
    gsetup();
    independent = 1;
    CUgraphNode v[6];
    CUgraph g;
    CUgraphEdgeData ed[4];
#define FRESH()                                                                                    \
    do {                                                                                           \
        g = mk();                                                                                  \
        memset(v, 0, sizeof v);                                                                    \
        memset(ed, 0, sizeof ed);                                                                  \
        for (int i_ = 0; i_ < 4; i_++)                                                             \
            v[i_] = adde(g, NULL, 0);                                                              \
    } while (0)
#define DEP(nm, pre, call)                                                                         \
    if (case_begin(nm)) {                                                                          \
        FRESH();                                                                                   \
        pre;                                                                                       \
        CUresult r = (call);                                                                       \
        case_end(r, " %s", shape(g));                                                              \
        P.cuGraphDestroy(g);                                                                       \
    }
    DEP("add-one", , P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1))
    DEP("add-one-v1", , O.oGraphAddDependencies(g, &v[0], &v[1], 1))
        DEP("add-one-ed", , P.cuGraphAddDependencies(g, &v[0], &v[1], ed, 1)) DEP(
            "add-zero", , P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 0))
            DEP("add-zero-null", , P.cuGraphAddDependencies(g, NULL, NULL, NULL, 0)) DEP(
                "add-null-from", , P.cuGraphAddDependencies(g, NULL, &v[1], NULL, 1))
                DEP("add-null-to", , P.cuGraphAddDependencies(g, &v[0], NULL, NULL, 1)) DEP(
                    "add-null-graph", , P.cuGraphAddDependencies(NULL, &v[0], &v[1], NULL, 1))
                    DEP("add-v1-zero-null", , O.oGraphAddDependencies(g, NULL, NULL, 0)) DEP(
                        "add-v1-null-from", , O.oGraphAddDependencies(g, NULL, &v[1], 1))
                        DEP("add-v1-null-to", , O.oGraphAddDependencies(g, &v[0], NULL, 1)) DEP(
                            "add-v1-null-graph", , O.oGraphAddDependencies(NULL, &v[0], &v[1], 1))
                            DEP("add-self", , P.cuGraphAddDependencies(g, &v[0], &v[0], NULL, 1))
                                DEP("add-self-v1", , O.oGraphAddDependencies(g, &v[0], &v[0], 1))
                                    DEP("add-null-node-from", v[4] = NULL,
                                        P.cuGraphAddDependencies(g, &v[4], &v[1], NULL, 1))
                                        DEP("add-null-node-to", v[4] = NULL,
                                            P.cuGraphAddDependencies(g, &v[0], &v[4], NULL, 1))
                                            DEP("add-dup",
                                                P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1),
                                                P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1))
                                                DEP("add-dup-v1",
                                                    O.oGraphAddDependencies(g, &v[0], &v[1], 1),
                                                    O.oGraphAddDependencies(g, &v[0], &v[1], 1))
    {
        CUgraphNode f[3], t[3];
        DEP("add-dup-in-call", (f[0] = f[1] = v[0], t[0] = t[1] = v[1]),
            P.cuGraphAddDependencies(g, f, t, NULL, 2))
        DEP("add-dup-in-call-v1", (f[0] = f[1] = v[0], t[0] = t[1] = v[1]),
            O.oGraphAddDependencies(g, f, t, 2))
            DEP("add-good-then-bad", (f[0] = v[0], t[0] = v[1], f[1] = v[2], t[1] = v[2]),
                P.cuGraphAddDependencies(g, f, t, NULL, 2))
                DEP("add-good-then-null", (f[0] = v[0], t[0] = v[1], f[1] = v[2], t[1] = NULL),
                    P.cuGraphAddDependencies(g, f, t, NULL, 2))
                    DEP("add-good-then-dup",
                        (P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1), f[0] = v[2],
                         t[0] = v[3], f[1] = v[0], t[1] = v[1]),
                        P.cuGraphAddDependencies(g, f, t, NULL, 2))
                        DEP("add-three",
                            (f[0] = v[0], t[0] = v[1], f[1] = v[1], t[1] = v[2], f[2] = v[2],
                             t[2] = v[3]),
                            P.cuGraphAddDependencies(g, f, t, NULL, 3))
                            DEP("cycle-in-one-call",
                                (f[0] = v[0], t[0] = v[1], f[1] = v[1], t[1] = v[0]),
                                P.cuGraphAddDependencies(g, f, t, NULL, 2))
                                DEP("remove-two",
                                    (f[0] = v[0], t[0] = v[1], f[1] = v[1], t[1] = v[2],
                                     P.cuGraphAddDependencies(g, f, t, NULL, 2)),
                                    P.cuGraphRemoveDependencies(g, f, t, NULL, 2))
                                    DEP("remove-good-then-missing",
                                        (P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1),
                                         f[0] = v[0], t[0] = v[1], f[1] = v[1], t[1] = v[2]),
                                        P.cuGraphRemoveDependencies(g, f, t, NULL, 2))
                                        DEP("remove-same-twice",
                                            (P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1),
                                             f[0] = f[1] = v[0], t[0] = t[1] = v[1]),
                                            P.cuGraphRemoveDependencies(g, f, t, NULL, 2))
    }
    DEP("cycle-2", P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1),
        P.cuGraphAddDependencies(g, &v[1], &v[0], NULL, 1))
    DEP("cycle-3",
        (P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1),
         P.cuGraphAddDependencies(g, &v[1], &v[2], NULL, 1)),
        P.cuGraphAddDependencies(g, &v[2], &v[0], NULL, 1))
        DEP("cycle-2-v1", O.oGraphAddDependencies(g, &v[0], &v[1], 1),
            O.oGraphAddDependencies(g, &v[1], &v[0], 1)) if (case_begin("cycle-instantiate"))
    {
        FRESH();
        P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1);
        P.cuGraphAddDependencies(g, &v[1], &v[2], NULL, 1);
        CUresult a = P.cuGraphAddDependencies(g, &v[2], &v[0], NULL, 1);
        CUDA_GRAPH_INSTANTIATE_PARAMS p;
        memset(&p, 0, sizeof p);
        p.result_out = 77;
        CUgraphExec x = XSENT;
        CUresult r = P.cuGraphInstantiateWithParams(&x, g, &p);
        case_end(r, " add=%s exec=%s result=%s errnode=%s", en(a), hs_(x), irn(p.result_out),
                 order(&p.hErrNode_out, 1, v, 4));
        if (!r)
            P.cuGraphExecDestroy(x);
        P.cuGraphDestroy(g);
    }
    if (case_begin("cycle-clone")) {
        FRESH();
        P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1);
        P.cuGraphAddDependencies(g, &v[1], &v[0], NULL, 1);
        CUgraph c = GSENT;
        CUresult r = P.cuGraphClone(&c, g);
        case_end(r, " out=%s", hs_(c));
    }
    if (case_begin("cycle-child")) {
        FRESH();
        P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1);
        P.cuGraphAddDependencies(g, &v[1], &v[0], NULL, 1);
        CUgraph c = mk();
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddChildGraphNode(&n, c, NULL, 0, g);
        case_end(r, " node=%s", hs_(n));
    }
    if (case_begin("add-other-graph-from")) {
        FRESH();
        CUgraph h = mk();
        CUgraphNode m = adde(h, NULL, 0);
        CUresult r = P.cuGraphAddDependencies(g, &m, &v[0], NULL, 1);
        case_end(r, " %s other=%s", shape(g), shape(h));
    }
    if (case_begin("add-other-graph-to")) {
        FRESH();
        CUgraph h = mk();
        CUgraphNode m = adde(h, NULL, 0);
        CUresult r = P.cuGraphAddDependencies(g, &v[0], &m, NULL, 1);
        case_end(r, " %s other=%s", shape(g), shape(h));
    }
    if (case_begin("add-other-graph-both")) {
        FRESH();
        CUgraph h = mk();
        CUgraphNode m = adde(h, NULL, 0), m2 = adde(h, NULL, 0);
        CUresult r = P.cuGraphAddDependencies(g, &m, &m2, NULL, 1);
        case_end(r, " %s other=%s", shape(g), shape(h));
    }
    if (case_begin("add-child-node")) {
        FRESH();
        CUgraph h = mk();
        adde(h, NULL, 0);
        v[4] = addg(g, NULL, 0, h);
        CUgraph c = 0;
        P.cuGraphChildGraphNodeGetGraph(v[4], &c);
        CUgraphNode m = 0;
        size_t k = 1;
        P.cuGraphGetNodes(c, &m, &k);
        CUresult r = P.cuGraphAddDependencies(g, &v[0], &m, NULL, 1);
        case_end(r, " %s", shape(g));
    }
    DEP("remove-one", P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1),
        P.cuGraphRemoveDependencies(g, &v[0], &v[1], NULL, 1))
    DEP("remove-one-v1", P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1),
        O.oGraphRemoveDependencies(g, &v[0], &v[1], 1))
        DEP("remove-missing", , P.cuGraphRemoveDependencies(g, &v[0], &v[1], NULL, 1))
            DEP("remove-missing-v1", , O.oGraphRemoveDependencies(g, &v[0], &v[1], 1)) DEP(
                "remove-reversed", P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1),
                P.cuGraphRemoveDependencies(g, &v[1], &v[0], NULL, 1))
                DEP("remove-zero", , P.cuGraphRemoveDependencies(g, &v[0], &v[1], NULL, 0)) DEP(
                    "remove-zero-null", , P.cuGraphRemoveDependencies(g, NULL, NULL, NULL, 0))
                    DEP("remove-null-from", , P.cuGraphRemoveDependencies(g, NULL, &v[1], NULL, 1))
                        DEP("remove-null-to", ,
                            P.cuGraphRemoveDependencies(g, &v[0], NULL, NULL, 1))
                            DEP("remove-null-graph", ,
                                P.cuGraphRemoveDependencies(NULL, &v[0], &v[1], NULL, 1))
                                DEP("remove-ed", P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1),
                                    P.cuGraphRemoveDependencies(g, &v[0], &v[1], ed, 1))
                                    DEP("remove-ed-other",
                                        (P.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1),
                                         ed[0].type = 1),
                                        P.cuGraphRemoveDependencies(g, &v[0], &v[1], ed, 1))
        /* edge data: ports and types between node kinds */
        for (int f = 0; f < 4; f++) for (int t = 0; t < 4; t++) for (int fp = 0; fp <= 3;
                                                                     fp++) for (int ty = 0; ty <= 2;
                                                                                ty++)
    {
        static const int kinds[] = {CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMSET,
                                    CU_GRAPH_NODE_TYPE_EMPTY, CU_GRAPH_NODE_TYPE_HOST};
        if (fp == 0 && ty == 0 && f != t)
            continue;
        if (case_begin(F("ed-%s-%s-port%d-type%d", tn(kinds[f]), tn(kinds[t]), fp, ty))) {
            CUgraph h = mk();
            CUgraphNode a = addt(kinds[f], h, NULL, 0), b = addt(kinds[t], h, NULL, 0);
            CUgraphEdgeData e;
            memset(&e, 0, sizeof e);
            e.from_port = fp;
            e.type = ty;
            CUresult r = P.cuGraphAddDependencies(h, &a, &b, &e, 1);
            size_t k = 4, k1 = 4;
            CUgraphNode x[4], y[4];
            CUresult lossy = P.cuGraphGetEdges(h, x, y, NULL, &k),
                     l1 = O.oGraphGetEdges(h, x, y, &k1);
            size_t kd = 4;
            CUresult l2 = O.oGraphNodeGetDependencies(b, x, &kd);
            size_t ke = 4;
            CUresult l3 = P.cuGraphNodeGetDependentNodes(a, x, NULL, &ke);
            case_end(r, " %s lossy=%s v1=%s deps-v1=%s dependents-noed=%s", shape(h), en(lossy),
                     en(l1), en(l2), en(l3));
            P.cuGraphDestroy(h);
        }
    }
    for (int k = 0; k < 6; k++)
        if (case_begin(F("ed-bad-%d", k))) {
            CUgraph h = mk();
            CUgraphNode a = addt(0, h, NULL, 0), b = addt(0, h, NULL, 0);
            CUgraphEdgeData e;
            memset(&e, 0, sizeof e);
            if (k == 0)
                e.to_port = 1;
            else if (k == 1)
                e.reserved[0] = 1;
            else if (k == 2)
                e.reserved[4] = 0xff;
            else if (k == 3)
                e.from_port = 0xff;
            else if (k == 4)
                e.type = 0xff;
            else {
                e.from_port = 1;
                e.type = 1;
                e.to_port = 1;
            }
            CUresult r = P.cuGraphAddDependencies(h, &a, &b, &e, 1);
            case_end(r, " %s", shape(h));
            P.cuGraphDestroy(h);
        }
    if (case_begin("ed-two-kinds-same-pair")) {
        CUgraph h = mk();
        CUgraphNode a = addt(0, h, NULL, 0), b = addt(0, h, NULL, 0);
        CUgraphEdgeData e;
        memset(&e, 0, sizeof e);
        e.from_port = 1;
        e.type = 1;
        CUresult r0 = P.cuGraphAddDependencies(h, &a, &b, NULL, 1),
                 r = P.cuGraphAddDependencies(h, &a, &b, &e, 1);
        const char *s1 = shape(h);
        CUresult r2 = P.cuGraphRemoveDependencies(h, &a, &b, NULL, 1);
        case_end(r, " first=%s both=%s remove-default=%s then=%s", en(r0), s1, en(r2), shape(h));
        P.cuGraphDestroy(h);
    }
    if (case_begin("ed-programmatic-instantiate")) {
        CUgraph h = mk();
        CUgraphNode a = addk(h, NULL, 0, K_SET, B[0], 64, 5),
                    b = addk(h, NULL, 0, K_ADD, B[1], 64, 1);
        CUgraphEdgeData e;
        memset(&e, 0, sizeof e);
        e.from_port = 1;
        e.type = 1;
        CUresult r0 = P.cuGraphAddDependencies(h, &a, &b, &e, 1);
        const char *q = rung(h);
        case_end(r0, " run=%s b0=%s", q, bw(0));
        P.cuGraphDestroy(h);
    }
    /* dependencies given to the adders */
    if (case_begin("adder-dup-deps")) {
        FRESH();
        CUgraphNode d[2] = {v[0], v[0]};
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddEmptyNode(&n, g, d, 2);
        case_end(r, " node=%s %s", hs_(n), shape(g));
    }
    if (case_begin("adder-null-dep")) {
        FRESH();
        CUgraphNode d[2] = {v[0], NULL};
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddEmptyNode(&n, g, d, 2);
        case_end(r, " node=%s %s", hs_(n), shape(g));
    }
    if (case_begin("adder-null-array")) {
        FRESH();
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddEmptyNode(&n, g, NULL, 2);
        case_end(r, " node=%s %s", hs_(n), shape(g));
    }
    if (case_begin("adder-array-count0")) {
        FRESH();
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddEmptyNode(&n, g, v, 0);
        case_end(r, " node=%s %s", hs_(n), shape(g));
    }
    if (case_begin("adder-other-graph-dep")) {
        FRESH();
        CUgraph h = mk();
        CUgraphNode m = adde(h, NULL, 0);
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddEmptyNode(&n, g, &m, 1);
        case_end(r, " node=%s %s", hs_(n), shape(g));
    }
    if (case_begin("adder-null-out")) {
        FRESH();
        CUresult r = P.cuGraphAddEmptyNode(NULL, g, NULL, 0);
        case_end(r, " %s", shape(g));
    }
    if (case_begin("adder-null-graph")) {
        CUgraphNode n = NSENT;
        CUresult r = P.cuGraphAddEmptyNode(&n, NULL, NULL, 0);
        case_end(r, " node=%s", hs_(n));
    }
    if (case_begin("adder-many-deps")) {
        CUgraph h = mk();
        CUgraphNode d[200], n = NSENT;
        for (int i = 0; i < 200; i++)
            d[i] = adde(h, NULL, 0);
        CUresult r = P.cuGraphAddEmptyNode(&n, h, d, 200);
        size_t c = 0;
        P.cuGraphNodeGetDependencies(n, NULL, NULL, &c);
        case_end(r, " deps=%zu %s", c, shape(h));
        P.cuGraphDestroy(h);
    }
}
GROUP(103, gdestroynode, "graph-destroynode")
{
    gsetup();
    independent = 1;
    T("null", P.cuGraphDestroyNode(NULL));
    for (int k = 0; k < 5; k++)
        if (case_begin(F("diamond-%d", k))) {
            CUgraph g = diamond();
            CUgraphNode all[5];
            memcpy(all, nd, sizeof all);
            CUresult r = P.cuGraphDestroyNode(nd[k]);
            CUgraphNode o[8];
            for (int i = 0; i < 8; i++)
                o[i] = NSENT;
            size_t n = 8;
            P.cuGraphGetNodes(g, o, &n);
            case_end(r, " %s order=%s", shape(g), order(o, n > 8 ? 8 : n, all, 5));
            P.cuGraphDestroy(g);
        }
    for (int t = 0; t < TY_N; t++)
        if (case_begin(F("type-%s", tn(t)))) {
            CUgraph g = mk();
            CUgraphNode n = addt(t, g, NULL, 0);
            CUresult r = n ? P.cuGraphDestroyNode(n) : R_SKIP;
            case_end(r, " node=%s %s", hs_(n), shape(g));
            P.cuGraphDestroy(g);
        }
    for (int t = 0; t < TY_N; t++)
        if (case_begin(F("after-instantiate-%s", tn(t)))) {
            CUgraph g = mk();
            CUgraphNode n = addt(t, g, NULL, 0);
            CUgraphExec x = inst(g, 0);
            CUresult r = n ? P.cuGraphDestroyNode(n) : R_SKIP;
            const char *q = t == CU_GRAPH_NODE_TYPE_MEM_ALLOC ? "-" : runx(x, S[0]);
            case_end(r, " node=%s exec=%s run=%s %s", hs_(n), hs_(x), q, shape(g));
            if (x)
                P.cuGraphExecDestroy(x);
            P.cuGraphDestroy(g);
        }
    if (case_begin("then-exec-setparams")) {
        CUgraph g = diamond();
        CUgraphExec x = inst(g, 0);
        CUgraphNode m = nd[4];
        CUresult r = P.cuGraphDestroyNode(m);
        case_end(r, " exec=%s %s", hs_(x), shape(g));
        if (x)
            P.cuGraphExecDestroy(x);
        P.cuGraphDestroy(g);
    }
    if (case_begin("all-then-add")) {
        CUgraph g = diamond();
        CUresult r = 0;
        for (int i = 4; i >= 0; i--) {
            CUresult q = P.cuGraphDestroyNode(nd[i]);
            if (q)
                r = q;
        }
        const char *a = shape(g);
        adde(g, NULL, 0);
        case_end(r, " %s then %s", a, shape(g));
        P.cuGraphDestroy(g);
    }
    if (case_begin("alloc-with-free")) {
        CUgraph g = mk();
        dp p = 0;
        CUgraphNode a = adda(g, NULL, 0, 4096, &p), f = addf(g, &a, 1, p);
        CUresult r = P.cuGraphDestroyNode(f);
        CUresult r2 = P.cuGraphDestroyNode(a);
        case_end(r, " alloc=%s %s", en(r2), shape(g));
    }
    if (case_begin("node-in-child")) {
        CUgraph c = mk();
        adde(c, NULL, 0);
        CUgraph g = mk();
        CUgraphNode cn = addg(g, NULL, 0, c);
        CUgraph cc = 0;
        P.cuGraphChildGraphNodeGetGraph(cn, &cc);
        CUgraphNode m = 0;
        size_t k = 1;
        P.cuGraphGetNodes(cc, &m, &k);
        CUresult r = m ? P.cuGraphDestroyNode(m) : R_SKIP;
        case_end(r, " %s", shape(g));
    }
    if (case_begin("child-graph-destroy")) {
        CUgraph c = mk();
        adde(c, NULL, 0);
        CUgraph g = mk();
        CUgraphNode cn = addg(g, NULL, 0, c);
        CUgraph cc = 0;
        P.cuGraphChildGraphNodeGetGraph(cn, &cc);
        CUresult r = cc ? P.cuGraphDestroy(cc) : R_SKIP;
        case_end(r, " ");
    }
}
GROUP(104, gclone, "graph-clone")
{
    gsetup();
    independent = 1;
    CUgraph c = GSENT;
    T("null-out", P.cuGraphClone(NULL, diamond()));
    T("null-graph", P.cuGraphClone(&c, NULL), "out=%s", hs_(c));
    if (case_begin("empty")) {
        CUgraph g = mk(), d = GSENT;
        CUresult r = P.cuGraphClone(&d, g);
        case_end(r, " out=%s differ=%d %s", hs_(d), d != g, r ? "" : shape(d));
    }
    if (case_begin("diamond")) {
        CUgraph g = diamond(), d = 0;
        CUresult r = P.cuGraphClone(&d, g);
        case_end(r, " same=%d %s", !strcmp(shaped(g), shaped(d)), shaped(d));
    }
    for (int i = 0; i < 5; i++)
        if (case_begin(F("find-%d", i))) {
            CUgraph g = diamond(), d = 0;
            P.cuGraphClone(&d, g);
            CUgraphNode m = NSENT;
            CUresult r = P.cuGraphNodeFindInClone(&m, nd[i], d);
            CUgraphNode o[8];
            size_t k = 8;
            memset(o, 0, sizeof o);
            P.cuGraphGetNodes(d, o, &k);
            case_end(r, " at=%s", order(&m, 1, o, k > 8 ? 0 : k));
        }
    if (case_begin("find-in-original")) {
        CUgraph g = diamond(), d = 0;
        P.cuGraphClone(&d, g);
        CUgraphNode m = NSENT;
        CUresult r = P.cuGraphNodeFindInClone(&m, nd[0], g);
        case_end(r, " out=%s", hs_(m));
    }
    if (case_begin("find-clone-node-in-original")) {
        CUgraph g = diamond(), d = 0;
        P.cuGraphClone(&d, g);
        CUgraphNode o[8];
        size_t k = 8;
        memset(o, 0, sizeof o);
        P.cuGraphGetNodes(d, o, &k);
        CUgraphNode m = NSENT;
        CUresult r = P.cuGraphNodeFindInClone(&m, o[0], g);
        case_end(r, " out=%s", hs_(m));
    }
    if (case_begin("find-other-graph")) {
        CUgraph g = diamond(), d = 0, e = mk();
        P.cuGraphClone(&d, g);
        CUgraphNode n = adde(e, NULL, 0), m = NSENT;
        CUresult r = P.cuGraphNodeFindInClone(&m, n, d);
        case_end(r, " out=%s", hs_(m));
    }
    if (case_begin("find-added-later")) {
        CUgraph g = diamond(), d = 0;
        P.cuGraphClone(&d, g);
        CUgraphNode n = adde(g, NULL, 0), m = NSENT;
        CUresult r = P.cuGraphNodeFindInClone(&m, n, d);
        case_end(r, " out=%s", hs_(m));
    }
    if (case_begin("find-removed-in-clone")) {
        CUgraph g = diamond(), d = 0;
        P.cuGraphClone(&d, g);
        CUgraphNode m = NSENT, m2 = NSENT;
        P.cuGraphNodeFindInClone(&m, nd[4], d);
        CUresult q = P.cuGraphDestroyNode(m == NSENT ? NULL : m);
        CUresult r = P.cuGraphNodeFindInClone(&m2, nd[4], d);
        case_end(r, " destroy=%s out=%s", en(q), hs_(m2));
    }
    if (case_begin("find-second-clone")) {
        CUgraph g = diamond(), d = 0, e = 0;
        P.cuGraphClone(&d, g);
        P.cuGraphClone(&e, g);
        CUgraphNode m = NSENT, m2 = NSENT;
        CUresult r = P.cuGraphNodeFindInClone(&m, nd[1], d),
                 r2 = P.cuGraphNodeFindInClone(&m2, nd[1], e);
        case_end(r, " second=%s differ=%d", en(r2), m != m2);
    }
    if (case_begin("find-clone-of-clone")) {
        CUgraph g = diamond(), d = 0, e = 0;
        P.cuGraphClone(&d, g);
        P.cuGraphClone(&e, d);
        CUgraphNode m = NSENT, mid = 0, m2 = NSENT;
        CUresult r = P.cuGraphNodeFindInClone(&m, nd[1], e);
        P.cuGraphNodeFindInClone(&mid, nd[1], d);
        CUresult r2 = P.cuGraphNodeFindInClone(&m2, mid, e);
        case_end(r, " out=%s via-middle=%s out=%s", hs_(m), en(r2), hs_(m2));
    }
    if (case_begin("find-null-out")) {
        CUgraph g = diamond(), d = 0;
        P.cuGraphClone(&d, g);
        CUresult r = P.cuGraphNodeFindInClone(NULL, nd[0], d);
        case_end(r, " ");
    }
    if (case_begin("find-null-node")) {
        CUgraph g = diamond(), d = 0;
        P.cuGraphClone(&d, g);
        CUgraphNode m = NSENT;
        CUresult r = P.cuGraphNodeFindInClone(&m, NULL, d);
        case_end(r, " out=%s", hs_(m));
    }
    if (case_begin("find-null-graph")) {
        CUgraph g = diamond();
        CUgraphNode m = NSENT;
        (void)g;
        CUresult r = P.cuGraphNodeFindInClone(&m, nd[0], NULL);
        case_end(r, " out=%s", hs_(m));
    }
    for (int t = 0; t < TY_N; t++)
        if (case_begin(F("type-%s", tn(t)))) {
            CUgraph g = mk(), d = GSENT;
            CUgraphNode n = addt(t, g, NULL, 0);
            CUresult r = P.cuGraphClone(&d, g);
            case_end(r, " node=%s out=%s %s", hs_(n), hs_(d), r ? "" : shaped(d));
        }
    if (case_begin("nested-child")) {
        CUgraph a = mk();
        adde(a, NULL, 0);
        CUgraph b = mk();
        addg(b, NULL, 0, a);
        CUgraph e = mk();
        CUgraphNode n = addg(e, NULL, 0, b);
        addk(e, &n, 1, K_ADD, B[0], 64, 1);
        CUgraph d = 0;
        CUresult r = P.cuGraphClone(&d, e);
        CUgraphNode m = NSENT;
        CUresult f = P.cuGraphNodeFindInClone(&m, n, d);
        CUgraph c1 = 0, c2 = 0;
        P.cuGraphChildGraphNodeGetGraph(n, &c1);
        if (!f)
            P.cuGraphChildGraphNodeGetGraph(m, &c2);
        case_end(r, " %s find=%s childdiffer=%d", shape(d), en(f), c1 != c2);
    }
    if (case_begin("find-child-inner")) {
        CUgraph a = mk();
        CUgraphNode in = adde(a, NULL, 0);
        CUgraph b = mk();
        CUgraphNode cn = addg(b, NULL, 0, a);
        CUgraph emb = 0;
        P.cuGraphChildGraphNodeGetGraph(cn, &emb);
        CUgraphNode m = NSENT;
        CUresult r = P.cuGraphNodeFindInClone(&m, in, emb);
        case_end(r, " out=%s", hs_(m));
    }
    if (case_begin("find-child-inner-of-clone")) {
        CUgraph a = mk();
        adde(a, NULL, 0);
        CUgraph b = mk();
        CUgraphNode cn = addg(b, NULL, 0, a);
        CUgraph emb = 0;
        P.cuGraphChildGraphNodeGetGraph(cn, &emb);
        CUgraphNode in = 0;
        size_t k = 1;
        P.cuGraphGetNodes(emb, &in, &k);
        CUgraph d = 0;
        P.cuGraphClone(&d, b);
        CUgraphNode m = NSENT;
        CUresult r = P.cuGraphNodeFindInClone(&m, in, d);
        CUgraphNode cm = 0;
        P.cuGraphNodeFindInClone(&cm, cn, d);
        CUgraph emb2 = 0;
        if (cm)
            P.cuGraphChildGraphNodeGetGraph(cm, &emb2);
        CUgraphNode m2 = NSENT;
        CUresult r2 = emb2 ? P.cuGraphNodeFindInClone(&m2, in, emb2) : R_SKIP;
        case_end(r, " out=%s in-embedded=%s out=%s", hs_(m), en(r2), hs_(m2));
    }
    if (case_begin("independent-after-original-destroyed")) {
        bzero_all();
        CUgraph g = mk();
        CUgraphNode n = addk(g, NULL, 0, K_SET, B[0], 64, 9);
        (void)n;
        CUgraph d = 0;
        CUresult r = P.cuGraphClone(&d, g);
        P.cuGraphDestroy(g);
        const char *q = rung(d);
        case_end(r, " run=%s b0=%s", q, bw(0));
    }
    if (case_begin("edit-clone-keeps-original")) {
        CUgraph g = diamond(), d = 0;
        P.cuGraphClone(&d, g);
        CUgraphNode m = 0;
        P.cuGraphNodeFindInClone(&m, nd[0], d);
        CUDA_MEMSET_NODE_PARAMS p = ms(B[5], 99, 1, 16, 1, 0);
        CUresult r = m ? P.cuGraphMemsetNodeSetParams(m, &p) : R_SKIP;
        case_end(r, " orig=(%s) clone=(%s)", npar(nd[0]), m ? npar(m) : "-");
    }
    if (case_begin("find-after-original-destroyed")) {
        CUgraph g = diamond(), d = 0;
        P.cuGraphClone(&d, g);
        CUgraph d2 = 0;
        CUresult r = P.cuGraphClone(&d2, d);
        P.cuGraphDestroy(d2);
        case_end(r, " %s", shape(d));
    }
}
static const char *dot(const char *path)
{ /* counts only: the text holds addresses */
    FILE *f = fopen(path, "r");
    if (!f)
        return "nofile";
    char b[4096];
    int lines = 0, lab = 0, edge = 0, sub = 0, dig = 0, node = 0;
    while (fgets(b, sizeof b, f)) {
        lines++;
        lab += strstr(b, "label") != NULL;
        edge += strstr(b, "->") != NULL;
        sub += strstr(b, "subgraph") != NULL;
        dig += strstr(b, "digraph") != NULL;
        node += strstr(b, "_node_") != NULL && !strstr(b, "->");
    }
    fclose(f);
    unlink(path);
    return F("lines=%d labels=%d edges=%d subgraphs=%d digraphs=%d nodelines=%d", lines, lab, edge,
             sub, dig, node);
}
GROUP(105, gdot, "graph-dot")
{
    gsetup();
    independent = 1;
    char path[100];
    snprintf(path, sizeof path, "/tmp/gprobe-%d.dot", (int)getpid());
    CUgraph g = diamond(), e = mk();
    T("null-graph", P.cuGraphDebugDotPrint(NULL, path, 0));
    T("null-path", P.cuGraphDebugDotPrint(g, NULL, 0));
    T("bad-dir", P.cuGraphDebugDotPrint(g, "/nonexistent-dir/x.dot", 0));
    T("empty-path", P.cuGraphDebugDotPrint(g, "", 0));
    if (case_begin("empty")) {
        unlink(path);
        CUresult r = P.cuGraphDebugDotPrint(e, path, 0);
        case_end(r, " %s", dot(path));
    }
    for (int b = -1; b <= 17; b++)
        if (case_begin(F("diamond-flag%d", b))) {
            unlink(path);
            CUresult r = P.cuGraphDebugDotPrint(g, path, b < 0 ? 0 : 1u << b);
            case_end(r, " %s", dot(path));
        }
    if (case_begin("diamond-all")) {
        unlink(path);
        CUresult r = P.cuGraphDebugDotPrint(g, path, 0xffff);
        case_end(r, " %s", dot(path));
    }
    if (case_begin("diamond-badflags")) {
        unlink(path);
        CUresult r = P.cuGraphDebugDotPrint(g, path, 0xffffffffu);
        case_end(r, " %s", dot(path));
    }
    for (int t = 0; t < TY_N; t++)
        for (int v = 0; v < 2; v++)
            if (case_begin(F("type-%s-%s", tn(t), v ? "verbose" : "plain"))) {
                CUgraph h = mk();
                addt(t, h, NULL, 0);
                unlink(path);
                CUresult r = P.cuGraphDebugDotPrint(h, path, v);
                case_end(r, " %s", dot(path));
            }
    if (case_begin("overwrites")) {
        FILE *f = fopen(path, "w");
        if (f) {
            for (int i = 0; i < 500; i++)
                fputs("old line\n", f);
            fclose(f);
        }
        CUresult r = P.cuGraphDebugDotPrint(g, path, 0);
        case_end(r, " %s", dot(path));
    }
    if (case_begin("nested")) {
        CUgraph a = mk();
        adde(a, NULL, 0);
        CUgraph b = mk();
        addg(b, NULL, 0, a);
        CUgraph c = mk();
        addg(c, NULL, 0, b);
        unlink(path);
        CUresult r = P.cuGraphDebugDotPrint(c, path, 0);
        case_end(r, " %s", dot(path));
    }
}
