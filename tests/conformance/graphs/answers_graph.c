/* SPDX-License-Identifier: MIT */
/* Graph objects: create, destroy, nodes, roots, edges, dependencies. */
#include "graphs.h"

GROUP(100, graph_create, "graph-create")
{
    use_graph_objects();
    cases_independent = 1;
    static const unsigned fl[] = {0, 1, 2, 3, 4, 8, 16, 0x80000000u, 0xffffffffu};
    for (size_t i = 0; i < COUNT_OF(fl); i++) {
        CUgraph g = UNTOUCHED_GRAPH;
        CHECK(format("flags-%x", fl[i]), cuda.cuGraphCreate(&g, fl[i]), "out=%s", handle_text(g));
        if (g && g != UNTOUCHED_GRAPH)
            cuda.cuGraphDestroy(g);
    }
    CHECK("null-out", cuda.cuGraphCreate(NULL, 0));
    CHECK("null-out-badflags", cuda.cuGraphCreate(NULL, 5));
    CHECK("destroy-null", cuda.cuGraphDestroy(NULL));
    if (case_begin("two-differ")) {
        CUgraph a = graph_new(), b = graph_new();
        case_end(0, " differ=%d", a != b);
        cuda.cuGraphDestroy(a);
        cuda.cuGraphDestroy(b);
    }
    if (case_begin("empty-shape")) {
        CUgraph a = graph_new();
        case_end(0, " %s", graph_text(a));
        cuda.cuGraphDestroy(a);
    }
    if (case_begin("empty-destroy")) {
        CUgraph a = graph_new();
        CUresult r = a ? cuda.cuGraphDestroy(a) : RESULT_SKIPPED;
        case_end(r, " ");
    }
    if (case_begin("thousand")) {
        CUgraph v[1000];
        CUresult r = 0;
        for (int i = 0; i < 1000; i++) {
            v[i] = 0;
            CUresult q = cuda.cuGraphCreate(&v[i], 0);
            if (q)
                r = q;
        }
        for (int i = 0; i < 1000; i++)
            if (v[i]) {
                CUresult q = cuda.cuGraphDestroy(v[i]);
                if (q)
                    r = q;
            }
        case_end(r, " ");
    }
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        if (case_begin(format("destroy-with-%s", node_type_name(t)))) {
            CUgraph a = graph_new();
            CUgraphNode n = add_node_of_type(t, a, NULL, 0);
            CUresult r = a ? cuda.cuGraphDestroy(a) : RESULT_SKIPPED;
            case_end(r, " node=%s", handle_text(n));
        }
    if (case_begin("other-thread-destroy")) {
        CUgraph a = graph_new();
        add_empty(a, NULL, 0);
        CUresult r =
            a ? call_in_thread((thread_call)(void *)cuda.cuGraphDestroy, a) : RESULT_SKIPPED;
        case_end(r, " ");
    }
    if (case_begin("no-ctx-create")) {
        cuda.cuCtxSetCurrent(NULL);
        CUgraph a = UNTOUCHED_GRAPH;
        CUresult r = cuda.cuGraphCreate(&a, 0);
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r2 = r ? RESULT_SKIPPED : cuda.cuGraphAddEmptyNode(&n, a, NULL, 0);
        CUresult r3 = r ? RESULT_SKIPPED : cuda.cuGraphDestroy(a);
        cuda.cuCtxSetCurrent(context);
        case_end(r, " out=%s add=%s node=%s destroy=%s", handle_text(a), result_name(r2),
                 handle_text(n), result_name(r3));
    }
}

GROUP(101, graph_query, "graph-query")
{
    use_graph_objects();
    cases_independent = 1;
    CUgraph g = diamond_graph_new();
    CUgraphNode o[16], o2[16];
    CUgraphEdgeData ed[16];
    size_t n;
#define OUTPUTS_RESET()                                                                            \
    do {                                                                                           \
        for (int i_ = 0; i_ < 16; i_++)                                                            \
            o[i_] = o2[i_] = UNTOUCHED_NODE;                                                       \
        memset(ed, 0x55, sizeof ed);                                                               \
    } while (0)
    CHECK("shape", 0, "%s", graph_text(g));
    CHECK("shape-params", 0, "%s", graph_text_with_params(g));
    n = 77;
    CHECK("nodes-count", cuda.cuGraphGetNodes(g, NULL, &n), "n=%zu", n);
    for (size_t k = 0; k <= 8; k++) {
        OUTPUTS_RESET();
        n = k;
        CHECK(format("nodes-room%zu", k), cuda.cuGraphGetNodes(g, o, &n), "n=%zu got=%s", n,
              node_order(o, 8, diamond_nodes, 5));
    }
    OUTPUTS_RESET();
    CHECK("nodes-null-count", cuda.cuGraphGetNodes(g, o, NULL), "got=%s",
          node_order(o, 8, diamond_nodes, 5));
    CHECK("nodes-null-both", cuda.cuGraphGetNodes(g, NULL, NULL));
    n = 77;
    CHECK("nodes-null-graph", cuda.cuGraphGetNodes(NULL, o, &n), "n=%zu", n);
    n = 77;
    CHECK("nodes-null-graph-count", cuda.cuGraphGetNodes(NULL, NULL, &n), "n=%zu", n);
    n = 77;
    CHECK("roots-count", cuda.cuGraphGetRootNodes(g, NULL, &n), "n=%zu", n);
    for (size_t k = 0; k <= 4; k++) {
        OUTPUTS_RESET();
        n = k;
        CHECK(format("roots-room%zu", k), cuda.cuGraphGetRootNodes(g, o, &n), "n=%zu got=%s", n,
              node_order(o, 6, diamond_nodes, 5));
    }
    OUTPUTS_RESET();
    CHECK("roots-null-count", cuda.cuGraphGetRootNodes(g, o, NULL), "got=%s",
          node_order(o, 4, diamond_nodes, 5));
    n = 77;
    CHECK("roots-null-graph", cuda.cuGraphGetRootNodes(NULL, o, &n), "n=%zu", n);
    n = 77;
    CHECK("edges-count", cuda.cuGraphGetEdges(g, NULL, NULL, NULL, &n), "n=%zu", n);
    n = 77;
    CHECK("edges-v1-count", cuda.cuGraphGetEdges_v1(g, NULL, NULL, &n), "n=%zu", n);
    for (size_t k = 0; k <= 6; k++) {
        OUTPUTS_RESET();
        n = k;
        CHECK(format("edges-room%zu", k), cuda.cuGraphGetEdges(g, o, o2, ed, &n),
              "n=%zu from=%s to=%s ed0=%u,%u,%u ed5=%u", n, node_order(o, 7, diamond_nodes, 5),
              node_order(o2, 7, diamond_nodes, 5), ed[0].from_port, ed[0].to_port, ed[0].type,
              ed[5].type);
    }
    for (size_t k = 0; k <= 6; k++) {
        OUTPUTS_RESET();
        n = k;
        CHECK(format("edges-v1-room%zu", k), cuda.cuGraphGetEdges_v1(g, o, o2, &n),
              "n=%zu from=%s to=%s", n, node_order(o, 7, diamond_nodes, 5),
              node_order(o2, 7, diamond_nodes, 5));
    }
    OUTPUTS_RESET();
    n = 6;
    CHECK("edges-null-from", cuda.cuGraphGetEdges(g, NULL, o2, ed, &n), "n=%zu to=%s", n,
          node_order(o2, 6, diamond_nodes, 5));
    OUTPUTS_RESET();
    n = 6;
    CHECK("edges-null-to", cuda.cuGraphGetEdges(g, o, NULL, ed, &n), "n=%zu from=%s", n,
          node_order(o, 6, diamond_nodes, 5));
    OUTPUTS_RESET();
    n = 6;
    CHECK("edges-null-ed", cuda.cuGraphGetEdges(g, o, o2, NULL, &n), "n=%zu from=%s to=%s", n,
          node_order(o, 6, diamond_nodes, 5), node_order(o2, 6, diamond_nodes, 5));
    OUTPUTS_RESET();
    n = 6;
    CHECK("edges-only-ed", cuda.cuGraphGetEdges(g, NULL, NULL, ed, &n), "n=%zu ed0=%u", n,
          ed[0].type);
    CHECK("edges-null-count", cuda.cuGraphGetEdges(g, o, o2, ed, NULL));
    n = 77;
    CHECK("edges-null-graph", cuda.cuGraphGetEdges(NULL, NULL, NULL, NULL, &n), "n=%zu", n);
    OUTPUTS_RESET();
    n = 6;
    CHECK("edges-v1-null-from", cuda.cuGraphGetEdges_v1(g, NULL, o2, &n), "n=%zu", n);
    OUTPUTS_RESET();
    n = 6;
    CHECK("edges-v1-null-to", cuda.cuGraphGetEdges_v1(g, o, NULL, &n), "n=%zu", n);
    CHECK("edges-v1-null-count", cuda.cuGraphGetEdges_v1(g, o, o2, NULL));
    n = 77;
    CHECK("edges-v1-null-graph", cuda.cuGraphGetEdges_v1(NULL, NULL, NULL, &n), "n=%zu", n);
    for (int i = 0; i < 5; i++) {
        CUgraphNodeType ty = 99;
        CHECK(format("type-%d", i), cuda.cuGraphNodeGetType(diamond_nodes[i], &ty), "type=%s",
              node_type_name(ty));
        n = 77;
        CHECK(format("deps-count-%d", i),
              cuda.cuGraphNodeGetDependencies(diamond_nodes[i], NULL, NULL, &n), "n=%zu", n);
        n = 77;
        CHECK(format("deps-v1-count-%d", i),
              cuda.cuGraphNodeGetDependencies_v1(diamond_nodes[i], NULL, &n), "n=%zu", n);
        n = 77;
        CHECK(format("dependents-count-%d", i),
              cuda.cuGraphNodeGetDependentNodes(diamond_nodes[i], NULL, NULL, &n), "n=%zu", n);
        n = 77;
        CHECK(format("dependents-v1-count-%d", i),
              cuda.cuGraphNodeGetDependentNodes_v1(diamond_nodes[i], NULL, &n), "n=%zu", n);
        for (size_t k = 0; k <= 3; k++) {
            OUTPUTS_RESET();
            n = k;
            CHECK(format("deps-%d-room%zu", i, k),
                  cuda.cuGraphNodeGetDependencies(diamond_nodes[i], o, ed, &n),
                  "n=%zu got=%s ed0=%u ed1=%u", n, node_order(o, 4, diamond_nodes, 5), ed[0].type,
                  ed[1].type);
            OUTPUTS_RESET();
            n = k;
            CHECK(format("deps-v1-%d-room%zu", i, k),
                  cuda.cuGraphNodeGetDependencies_v1(diamond_nodes[i], o, &n), "n=%zu got=%s", n,
                  node_order(o, 4, diamond_nodes, 5));
            OUTPUTS_RESET();
            n = k;
            CHECK(format("dependents-%d-room%zu", i, k),
                  cuda.cuGraphNodeGetDependentNodes(diamond_nodes[i], o, ed, &n),
                  "n=%zu got=%s ed0=%u ed1=%u", n, node_order(o, 4, diamond_nodes, 5), ed[0].type,
                  ed[1].type);
            OUTPUTS_RESET();
            n = k;
            CHECK(format("dependents-v1-%d-room%zu", i, k),
                  cuda.cuGraphNodeGetDependentNodes_v1(diamond_nodes[i], o, &n), "n=%zu got=%s", n,
                  node_order(o, 4, diamond_nodes, 5));
        }
    }
    CUgraphNodeType ty = 99;
    CHECK("type-null-node", cuda.cuGraphNodeGetType(NULL, &ty), "type=%d", ty);
    CHECK("type-null-out", cuda.cuGraphNodeGetType(diamond_nodes[0], NULL));
    n = 77;
    CHECK("deps-null-node", cuda.cuGraphNodeGetDependencies(NULL, NULL, NULL, &n), "n=%zu", n);
    CHECK("deps-null-count", cuda.cuGraphNodeGetDependencies(diamond_nodes[3], o, ed, NULL));
    CHECK("deps-null-count2", cuda.cuGraphNodeGetDependencies(diamond_nodes[3], NULL, NULL, NULL));
    OUTPUTS_RESET();
    n = 4;
    CHECK("deps-null-ed", cuda.cuGraphNodeGetDependencies(diamond_nodes[3], o, NULL, &n),
          "n=%zu got=%s", n, node_order(o, 4, diamond_nodes, 5));
    OUTPUTS_RESET();
    n = 4;
    CHECK("deps-only-ed", cuda.cuGraphNodeGetDependencies(diamond_nodes[3], NULL, ed, &n),
          "n=%zu ed0=%u", n, ed[0].type);
    n = 77;
    CHECK("dependents-null-node", cuda.cuGraphNodeGetDependentNodes(NULL, NULL, NULL, &n), "n=%zu",
          n);
    CHECK("dependents-null-count",
          cuda.cuGraphNodeGetDependentNodes(diamond_nodes[0], o, ed, NULL));
    OUTPUTS_RESET();
    n = 4;
    CHECK("dependents-null-ed", cuda.cuGraphNodeGetDependentNodes(diamond_nodes[0], o, NULL, &n),
          "n=%zu got=%s", n, node_order(o, 4, diamond_nodes, 5));
    OUTPUTS_RESET();
    n = 4;
    CHECK("dependents-only-ed", cuda.cuGraphNodeGetDependentNodes(diamond_nodes[0], NULL, ed, &n),
          "n=%zu", n);
    n = 77;
    CHECK("deps-v1-null-node", cuda.cuGraphNodeGetDependencies_v1(NULL, NULL, &n), "n=%zu", n);
    CHECK("deps-v1-null-count", cuda.cuGraphNodeGetDependencies_v1(diamond_nodes[3], o, NULL));
    n = 77;
    CHECK("dependents-v1-null-node", cuda.cuGraphNodeGetDependentNodes_v1(NULL, NULL, &n), "n=%zu",
          n);
    CHECK("dependents-v1-null-count",
          cuda.cuGraphNodeGetDependentNodes_v1(diamond_nodes[0], o, NULL));
    /* order of the answers in a larger graph */
    if (case_begin("order-large")) {
        CUgraph h = graph_new();
        CUgraphNode v[24];
        memset(v, 0, sizeof v);
        uint64_t s = 7;
        for (int i = 0; i < 24; i++) {
            CUgraphNode d[3];
            unsigned k = 0;
            if (i) {
                unsigned c = random_below(&s, 4);
                unsigned a = random_below(&s, i), b = random_below(&s, i), e = random_below(&s, i);
                if (c > 0)
                    d[k++] = v[a];
                if (c > 1 && b != a)
                    d[k++] = v[b];
                if (c > 2 && e != a && e != b)
                    d[k++] = v[e];
            }
            v[i] = add_empty(h, d, k);
        }
        CUgraphNode w[40], f[80], t[80];
        memset(w, 0, sizeof w);
        memset(f, 0, sizeof f);
        memset(t, 0, sizeof t);
        size_t c = 40, rc = 40, ec = 80;
        CUresult r = cuda.cuGraphGetNodes(h, w, &c);
        const char *a = node_order(w, r ? 0 : c, v, 24);
        if (cuda.cuGraphGetRootNodes(h, w, &rc))
            rc = 0;
        const char *b = node_order(w, r ? 0 : rc, v, 24);
        CUresult q = cuda.cuGraphGetEdges(h, f, t, NULL, &ec);
        if (q)
            ec = 0;
        case_end(r, " nodes=%s roots=%s from=%s to=%s", a, b, node_order(f, ec, v, 24),
                 node_order(t, ec, v, 24));
        for (int i = 0; i < 24; i++)
            if (case_begin(format("order-large-node%d", i))) {
                size_t x = 40, y = 40;
                CUgraphNode w2[40];
                CUresult r1 = cuda.cuGraphNodeGetDependencies(v[i], w, NULL, &x),
                         r2 = cuda.cuGraphNodeGetDependentNodes(v[i], w2, NULL, &y);
                case_end(r1, " deps=%s dependents=%s", node_order(w, r1 ? 0 : x, v, 24),
                         node_order(w2, r2 ? 0 : y, v, 24));
            }
        cuda.cuGraphDestroy(h);
    }
}

GROUP(102, graph_deps, "graph-deps")
{
    use_graph_objects();
    cases_independent = 1;
    CUgraphNode v[6];
    CUgraph g;
    CUgraphEdgeData ed[4];
#define NODES_NEW()                                                                                \
    do {                                                                                           \
        g = graph_new();                                                                           \
        memset(v, 0, sizeof v);                                                                    \
        memset(ed, 0, sizeof ed);                                                                  \
        for (int i_ = 0; i_ < 4; i_++)                                                             \
            v[i_] = add_empty(g, NULL, 0);                                                         \
    } while (0)
#define DEPENDENCY_CASE(nm, pre, call)                                                             \
    if (case_begin(nm)) {                                                                          \
        NODES_NEW();                                                                               \
        pre;                                                                                       \
        CUresult r = (call);                                                                       \
        case_end(r, " %s", graph_text(g));                                                         \
        cuda.cuGraphDestroy(g);                                                                    \
    }

#include "dependency_cases.def"

    {
        CUgraphNode f[3], t[3];

#include "dependency_arrays.def"
    }
    DEPENDENCY_CASE("cycle-2", cuda.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1),
                    cuda.cuGraphAddDependencies(g, &v[1], &v[0], NULL, 1));
    DEPENDENCY_CASE("cycle-3",
                    (cuda.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1),
                     cuda.cuGraphAddDependencies(g, &v[1], &v[2], NULL, 1)),
                    cuda.cuGraphAddDependencies(g, &v[2], &v[0], NULL, 1));
    DEPENDENCY_CASE("cycle-2-v1", cuda.cuGraphAddDependencies_v1(g, &v[0], &v[1], 1),
                    cuda.cuGraphAddDependencies_v1(g, &v[1], &v[0], 1));
    if (case_begin("cycle-instantiate")) {
        NODES_NEW();
        cuda.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1);
        cuda.cuGraphAddDependencies(g, &v[1], &v[2], NULL, 1);
        CUresult a = cuda.cuGraphAddDependencies(g, &v[2], &v[0], NULL, 1);
        CUDA_GRAPH_INSTANTIATE_PARAMS p;
        memset(&p, 0, sizeof p);
        p.result_out = 77;
        CUgraphExec x = UNTOUCHED_EXEC;
        CUresult r = cuda.cuGraphInstantiateWithParams(&x, g, &p);
        case_end(r, " add=%s exec=%s result=%s errnode=%s", result_name(a), handle_text(x),
                 instantiate_result_name(p.result_out), node_order(&p.hErrNode_out, 1, v, 4));
        if (!r)
            cuda.cuGraphExecDestroy(x);
        cuda.cuGraphDestroy(g);
    }
    if (case_begin("cycle-clone")) {
        NODES_NEW();
        cuda.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1);
        cuda.cuGraphAddDependencies(g, &v[1], &v[0], NULL, 1);
        CUgraph c = UNTOUCHED_GRAPH;
        CUresult r = cuda.cuGraphClone(&c, g);
        case_end(r, " out=%s", handle_text(c));
    }
    if (case_begin("cycle-child")) {
        NODES_NEW();
        cuda.cuGraphAddDependencies(g, &v[0], &v[1], NULL, 1);
        cuda.cuGraphAddDependencies(g, &v[1], &v[0], NULL, 1);
        CUgraph c = graph_new();
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddChildGraphNode(&n, c, NULL, 0, g);
        case_end(r, " node=%s", handle_text(n));
    }
    if (case_begin("add-other-graph-from")) {
        NODES_NEW();
        CUgraph h = graph_new();
        CUgraphNode m = add_empty(h, NULL, 0);
        CUresult r = cuda.cuGraphAddDependencies(g, &m, &v[0], NULL, 1);
        case_end(r, " %s other=%s", graph_text(g), graph_text(h));
    }
    if (case_begin("add-other-graph-to")) {
        NODES_NEW();
        CUgraph h = graph_new();
        CUgraphNode m = add_empty(h, NULL, 0);
        CUresult r = cuda.cuGraphAddDependencies(g, &v[0], &m, NULL, 1);
        case_end(r, " %s other=%s", graph_text(g), graph_text(h));
    }
    if (case_begin("add-other-graph-both")) {
        NODES_NEW();
        CUgraph h = graph_new();
        CUgraphNode m = add_empty(h, NULL, 0), m2 = add_empty(h, NULL, 0);
        CUresult r = cuda.cuGraphAddDependencies(g, &m, &m2, NULL, 1);
        case_end(r, " %s other=%s", graph_text(g), graph_text(h));
    }
    if (case_begin("add-child-node")) {
        NODES_NEW();
        CUgraph h = graph_new();
        add_empty(h, NULL, 0);
        v[4] = add_child(g, NULL, 0, h);
        CUgraph c = 0;
        cuda.cuGraphChildGraphNodeGetGraph(v[4], &c);
        CUgraphNode m = 0;
        size_t k = 1;
        cuda.cuGraphGetNodes(c, &m, &k);
        CUresult r = cuda.cuGraphAddDependencies(g, &v[0], &m, NULL, 1);
        case_end(r, " %s", graph_text(g));
    }

#include "dependency_removals.def"

    /* edge data: ports and types between node kinds */
    for (int f = 0; f < 4; f++)
        for (int t = 0; t < 4; t++)
            for (int fp = 0; fp <= 3; fp++)
                for (int ty = 0; ty <= 2; ty++) {
                    static const int kinds[] = {CU_GRAPH_NODE_TYPE_KERNEL,
                                                CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_EMPTY,
                                                CU_GRAPH_NODE_TYPE_HOST};
                    if (fp == 0 && ty == 0 && f != t)
                        continue;
                    if (case_begin(format("ed-%s-%s-port%d-type%d", node_type_name(kinds[f]),
                                          node_type_name(kinds[t]), fp, ty))) {
                        CUgraph h = graph_new();
                        CUgraphNode a = add_node_of_type(kinds[f], h, NULL, 0),
                                    b = add_node_of_type(kinds[t], h, NULL, 0);
                        CUgraphEdgeData e;
                        memset(&e, 0, sizeof e);
                        e.from_port = fp;
                        e.type = ty;
                        CUresult r = cuda.cuGraphAddDependencies(h, &a, &b, &e, 1);
                        size_t k = 4, k1 = 4;
                        CUgraphNode x[4], y[4];
                        CUresult lossy = cuda.cuGraphGetEdges(h, x, y, NULL, &k),
                                 l1 = cuda.cuGraphGetEdges_v1(h, x, y, &k1);
                        size_t kd = 4;
                        CUresult l2 = cuda.cuGraphNodeGetDependencies_v1(b, x, &kd);
                        size_t ke = 4;
                        CUresult l3 = cuda.cuGraphNodeGetDependentNodes(a, x, NULL, &ke);
                        case_end(r, " %s lossy=%s v1=%s deps-v1=%s dependents-noed=%s",
                                 graph_text(h), result_name(lossy), result_name(l1),
                                 result_name(l2), result_name(l3));
                        cuda.cuGraphDestroy(h);
                    }
                }
    for (int k = 0; k < 6; k++)
        if (case_begin(format("ed-bad-%d", k))) {
            CUgraph h = graph_new();
            CUgraphNode a = add_node_of_type(0, h, NULL, 0), b = add_node_of_type(0, h, NULL, 0);
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
            CUresult r = cuda.cuGraphAddDependencies(h, &a, &b, &e, 1);
            case_end(r, " %s", graph_text(h));
            cuda.cuGraphDestroy(h);
        }
    if (case_begin("ed-two-kinds-same-pair")) {
        CUgraph h = graph_new();
        CUgraphNode a = add_node_of_type(0, h, NULL, 0), b = add_node_of_type(0, h, NULL, 0);
        CUgraphEdgeData e;
        memset(&e, 0, sizeof e);
        e.from_port = 1;
        e.type = 1;
        CUresult r0 = cuda.cuGraphAddDependencies(h, &a, &b, NULL, 1),
                 r = cuda.cuGraphAddDependencies(h, &a, &b, &e, 1);
        const char *s1 = graph_text(h);
        CUresult r2 = cuda.cuGraphRemoveDependencies(h, &a, &b, NULL, 1);
        case_end(r, " first=%s both=%s remove-default=%s then=%s", result_name(r0), s1,
                 result_name(r2), graph_text(h));
        cuda.cuGraphDestroy(h);
    }
    if (case_begin("ed-programmatic-instantiate")) {
        CUgraph h = graph_new();
        CUgraphNode a = add_kernel(h, NULL, 0, KERNEL_SET, buffers[0], 64, 5),
                    b = add_kernel(h, NULL, 0, KERNEL_ADD, buffers[1], 64, 1);
        CUgraphEdgeData e;
        memset(&e, 0, sizeof e);
        e.from_port = 1;
        e.type = 1;
        CUresult r0 = cuda.cuGraphAddDependencies(h, &a, &b, &e, 1);
        const char *q = graph_run(h);
        case_end(r0, " run=%s b0=%s", q, buffer_text(0));
        cuda.cuGraphDestroy(h);
    }
    /* dependencies given to the adders */
    if (case_begin("adder-dup-deps")) {
        NODES_NEW();
        CUgraphNode d[2] = {v[0], v[0]};
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddEmptyNode(&n, g, d, 2);
        case_end(r, " node=%s %s", handle_text(n), graph_text(g));
    }
    if (case_begin("adder-null-dep")) {
        NODES_NEW();
        CUgraphNode d[2] = {v[0], NULL};
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddEmptyNode(&n, g, d, 2);
        case_end(r, " node=%s %s", handle_text(n), graph_text(g));
    }
    if (case_begin("adder-null-array")) {
        NODES_NEW();
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddEmptyNode(&n, g, NULL, 2);
        case_end(r, " node=%s %s", handle_text(n), graph_text(g));
    }
    if (case_begin("adder-array-count0")) {
        NODES_NEW();
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddEmptyNode(&n, g, v, 0);
        case_end(r, " node=%s %s", handle_text(n), graph_text(g));
    }
    if (case_begin("adder-other-graph-dep")) {
        NODES_NEW();
        CUgraph h = graph_new();
        CUgraphNode m = add_empty(h, NULL, 0);
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddEmptyNode(&n, g, &m, 1);
        case_end(r, " node=%s %s", handle_text(n), graph_text(g));
    }
    if (case_begin("adder-null-out")) {
        NODES_NEW();
        CUresult r = cuda.cuGraphAddEmptyNode(NULL, g, NULL, 0);
        case_end(r, " %s", graph_text(g));
    }
    if (case_begin("adder-null-graph")) {
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddEmptyNode(&n, NULL, NULL, 0);
        case_end(r, " node=%s", handle_text(n));
    }
    if (case_begin("adder-many-deps")) {
        CUgraph h = graph_new();
        CUgraphNode d[200], n = UNTOUCHED_NODE;
        for (int i = 0; i < 200; i++)
            d[i] = add_empty(h, NULL, 0);
        CUresult r = cuda.cuGraphAddEmptyNode(&n, h, d, 200);
        size_t c = 0;
        cuda.cuGraphNodeGetDependencies(n, NULL, NULL, &c);
        case_end(r, " deps=%zu %s", c, graph_text(h));
        cuda.cuGraphDestroy(h);
    }
}
