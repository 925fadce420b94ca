/* SPDX-License-Identifier: MIT */
/* Graph objects: destroyed nodes, clones, dot files. */
#include "graphs.h"

GROUP(103, graph_destroynode, "graph-destroynode")
{
    use_graph_objects();
    cases_independent = 1;
    CHECK("null", cuda.cuGraphDestroyNode(NULL));
    for (int k = 0; k < 5; k++)
        if (case_begin(format("diamond-%d", k))) {
            CUgraph g = diamond_graph_new();
            CUgraphNode all[5];
            memcpy(all, diamond_nodes, sizeof all);
            CUresult r = cuda.cuGraphDestroyNode(diamond_nodes[k]);
            CUgraphNode o[8];
            for (int i = 0; i < 8; i++)
                o[i] = UNTOUCHED_NODE;
            size_t n = 8;
            cuda.cuGraphGetNodes(g, o, &n);
            case_end(r, " %s order=%s", graph_text(g), node_order(o, n > 8 ? 8 : n, all, 5));
            cuda.cuGraphDestroy(g);
        }
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        if (case_begin(format("type-%s", node_type_name(t)))) {
            CUgraph g = graph_new();
            CUgraphNode n = add_node_of_type(t, g, NULL, 0);
            CUresult r = n ? cuda.cuGraphDestroyNode(n) : RESULT_SKIPPED;
            case_end(r, " node=%s %s", handle_text(n), graph_text(g));
            cuda.cuGraphDestroy(g);
        }
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        if (case_begin(format("after-instantiate-%s", node_type_name(t)))) {
            CUgraph g = graph_new();
            CUgraphNode n = add_node_of_type(t, g, NULL, 0);
            CUgraphExec x = instantiate(g, 0);
            CUresult r = n ? cuda.cuGraphDestroyNode(n) : RESULT_SKIPPED;
            const char *q = t == CU_GRAPH_NODE_TYPE_MEM_ALLOC ? "-" : exec_run(x, streams[0]);
            case_end(r, " node=%s exec=%s run=%s %s", handle_text(n), handle_text(x), q,
                     graph_text(g));
            if (x)
                cuda.cuGraphExecDestroy(x);
            cuda.cuGraphDestroy(g);
        }
    if (case_begin("then-exec-setparams")) {
        CUgraph g = diamond_graph_new();
        CUgraphExec x = instantiate(g, 0);
        CUgraphNode m = diamond_nodes[4];
        CUresult r = cuda.cuGraphDestroyNode(m);
        case_end(r, " exec=%s %s", handle_text(x), graph_text(g));
        if (x)
            cuda.cuGraphExecDestroy(x);
        cuda.cuGraphDestroy(g);
    }
    if (case_begin("all-then-add")) {
        CUgraph g = diamond_graph_new();
        CUresult r = 0;
        for (int i = 4; i >= 0; i--) {
            CUresult q = cuda.cuGraphDestroyNode(diamond_nodes[i]);
            if (q)
                r = q;
        }
        const char *a = graph_text(g);
        add_empty(g, NULL, 0);
        case_end(r, " %s then %s", a, graph_text(g));
        cuda.cuGraphDestroy(g);
    }
    if (case_begin("alloc-with-free")) {
        CUgraph g = graph_new();
        CUdeviceptr p = 0;
        CUgraphNode a = add_alloc(g, NULL, 0, 4096, &p), f = add_free(g, &a, 1, p);
        CUresult r = cuda.cuGraphDestroyNode(f);
        CUresult r2 = cuda.cuGraphDestroyNode(a);
        case_end(r, " alloc=%s %s", result_name(r2), graph_text(g));
    }
    if (case_begin("node-in-child")) {
        CUgraph c = graph_new();
        add_empty(c, NULL, 0);
        CUgraph g = graph_new();
        CUgraphNode cn = add_child(g, NULL, 0, c);
        CUgraph cc = 0;
        cuda.cuGraphChildGraphNodeGetGraph(cn, &cc);
        CUgraphNode m = 0;
        size_t k = 1;
        cuda.cuGraphGetNodes(cc, &m, &k);
        CUresult r = m ? cuda.cuGraphDestroyNode(m) : RESULT_SKIPPED;
        case_end(r, " %s", graph_text(g));
    }
    if (case_begin("child-graph-destroy")) {
        CUgraph c = graph_new();
        add_empty(c, NULL, 0);
        CUgraph g = graph_new();
        CUgraphNode cn = add_child(g, NULL, 0, c);
        CUgraph cc = 0;
        cuda.cuGraphChildGraphNodeGetGraph(cn, &cc);
        CUresult r = cc ? cuda.cuGraphDestroy(cc) : RESULT_SKIPPED;
        case_end(r, " ");
    }
}

GROUP(104, graph_clone, "graph-clone")
{
    use_graph_objects();
    cases_independent = 1;
    CUgraph c = UNTOUCHED_GRAPH;
    CHECK("null-out", cuda.cuGraphClone(NULL, diamond_graph_new()));
    CHECK("null-graph", cuda.cuGraphClone(&c, NULL), "out=%s", handle_text(c));
    if (case_begin("empty")) {
        CUgraph g = graph_new(), d = UNTOUCHED_GRAPH;
        CUresult r = cuda.cuGraphClone(&d, g);
        case_end(r, " out=%s differ=%d %s", handle_text(d), d != g, r ? "" : graph_text(d));
    }
    if (case_begin("diamond")) {
        CUgraph g = diamond_graph_new(), d = 0;
        CUresult r = cuda.cuGraphClone(&d, g);
        case_end(r, " same=%d %s", !strcmp(graph_text_with_params(g), graph_text_with_params(d)),
                 graph_text_with_params(d));
    }
    for (int i = 0; i < 5; i++)
        if (case_begin(format("find-%d", i))) {
            CUgraph g = diamond_graph_new(), d = 0;
            cuda.cuGraphClone(&d, g);
            CUgraphNode m = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphNodeFindInClone(&m, diamond_nodes[i], d);
            CUgraphNode o[8];
            size_t k = 8;
            memset(o, 0, sizeof o);
            cuda.cuGraphGetNodes(d, o, &k);
            case_end(r, " at=%s", node_order(&m, 1, o, k > 8 ? 0 : k));
        }
    if (case_begin("find-in-original")) {
        CUgraph g = diamond_graph_new(), d = 0;
        cuda.cuGraphClone(&d, g);
        CUgraphNode m = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphNodeFindInClone(&m, diamond_nodes[0], g);
        case_end(r, " out=%s", handle_text(m));
    }
    if (case_begin("find-clone-node-in-original")) {
        CUgraph g = diamond_graph_new(), d = 0;
        cuda.cuGraphClone(&d, g);
        CUgraphNode o[8];
        size_t k = 8;
        memset(o, 0, sizeof o);
        cuda.cuGraphGetNodes(d, o, &k);
        CUgraphNode m = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphNodeFindInClone(&m, o[0], g);
        case_end(r, " out=%s", handle_text(m));
    }
    if (case_begin("find-other-graph")) {
        CUgraph g = diamond_graph_new(), d = 0, e = graph_new();
        cuda.cuGraphClone(&d, g);
        CUgraphNode n = add_empty(e, NULL, 0), m = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphNodeFindInClone(&m, n, d);
        case_end(r, " out=%s", handle_text(m));
    }
    if (case_begin("find-added-later")) {
        CUgraph g = diamond_graph_new(), d = 0;
        cuda.cuGraphClone(&d, g);
        CUgraphNode n = add_empty(g, NULL, 0), m = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphNodeFindInClone(&m, n, d);
        case_end(r, " out=%s", handle_text(m));
    }
    if (case_begin("find-removed-in-clone")) {
        CUgraph g = diamond_graph_new(), d = 0;
        cuda.cuGraphClone(&d, g);
        CUgraphNode m = UNTOUCHED_NODE, m2 = UNTOUCHED_NODE;
        cuda.cuGraphNodeFindInClone(&m, diamond_nodes[4], d);
        CUresult q = cuda.cuGraphDestroyNode(m == UNTOUCHED_NODE ? NULL : m);
        CUresult r = cuda.cuGraphNodeFindInClone(&m2, diamond_nodes[4], d);
        case_end(r, " destroy=%s out=%s", result_name(q), handle_text(m2));
    }
    if (case_begin("find-second-clone")) {
        CUgraph g = diamond_graph_new(), d = 0, e = 0;
        cuda.cuGraphClone(&d, g);
        cuda.cuGraphClone(&e, g);
        CUgraphNode m = UNTOUCHED_NODE, m2 = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphNodeFindInClone(&m, diamond_nodes[1], d),
                 r2 = cuda.cuGraphNodeFindInClone(&m2, diamond_nodes[1], e);
        case_end(r, " second=%s differ=%d", result_name(r2), m != m2);
    }
    if (case_begin("find-clone-of-clone")) {
        CUgraph g = diamond_graph_new(), d = 0, e = 0;
        cuda.cuGraphClone(&d, g);
        cuda.cuGraphClone(&e, d);
        CUgraphNode m = UNTOUCHED_NODE, mid = 0, m2 = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphNodeFindInClone(&m, diamond_nodes[1], e);
        cuda.cuGraphNodeFindInClone(&mid, diamond_nodes[1], d);
        CUresult r2 = cuda.cuGraphNodeFindInClone(&m2, mid, e);
        case_end(r, " out=%s via-middle=%s out=%s", handle_text(m), result_name(r2),
                 handle_text(m2));
    }
    if (case_begin("find-null-out")) {
        CUgraph g = diamond_graph_new(), d = 0;
        cuda.cuGraphClone(&d, g);
        CUresult r = cuda.cuGraphNodeFindInClone(NULL, diamond_nodes[0], d);
        case_end(r, " ");
    }
    if (case_begin("find-null-node")) {
        CUgraph g = diamond_graph_new(), d = 0;
        cuda.cuGraphClone(&d, g);
        CUgraphNode m = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphNodeFindInClone(&m, NULL, d);
        case_end(r, " out=%s", handle_text(m));
    }
    if (case_begin("find-null-graph")) {
        CUgraph g = diamond_graph_new();
        CUgraphNode m = UNTOUCHED_NODE;
        (void)g;
        CUresult r = cuda.cuGraphNodeFindInClone(&m, diamond_nodes[0], NULL);
        case_end(r, " out=%s", handle_text(m));
    }
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        if (case_begin(format("type-%s", node_type_name(t)))) {
            CUgraph g = graph_new(), d = UNTOUCHED_GRAPH;
            CUgraphNode n = add_node_of_type(t, g, NULL, 0);
            CUresult r = cuda.cuGraphClone(&d, g);
            case_end(r, " node=%s out=%s %s", handle_text(n), handle_text(d),
                     r ? "" : graph_text_with_params(d));
        }
    if (case_begin("nested-child")) {
        CUgraph a = graph_new();
        add_empty(a, NULL, 0);
        CUgraph b = graph_new();
        add_child(b, NULL, 0, a);
        CUgraph e = graph_new();
        CUgraphNode n = add_child(e, NULL, 0, b);
        add_kernel(e, &n, 1, KERNEL_ADD, buffers[0], 64, 1);
        CUgraph d = 0;
        CUresult r = cuda.cuGraphClone(&d, e);
        CUgraphNode m = UNTOUCHED_NODE;
        CUresult f = cuda.cuGraphNodeFindInClone(&m, n, d);
        CUgraph c1 = 0, c2 = 0;
        cuda.cuGraphChildGraphNodeGetGraph(n, &c1);
        if (!f)
            cuda.cuGraphChildGraphNodeGetGraph(m, &c2);
        case_end(r, " %s find=%s childdiffer=%d", graph_text(d), result_name(f), c1 != c2);
    }
    if (case_begin("find-child-inner")) {
        CUgraph a = graph_new();
        CUgraphNode in = add_empty(a, NULL, 0);
        CUgraph b = graph_new();
        CUgraphNode cn = add_child(b, NULL, 0, a);
        CUgraph emb = 0;
        cuda.cuGraphChildGraphNodeGetGraph(cn, &emb);
        CUgraphNode m = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphNodeFindInClone(&m, in, emb);
        case_end(r, " out=%s", handle_text(m));
    }
    if (case_begin("find-child-inner-of-clone")) {
        CUgraph a = graph_new();
        add_empty(a, NULL, 0);
        CUgraph b = graph_new();
        CUgraphNode cn = add_child(b, NULL, 0, a);
        CUgraph emb = 0;
        cuda.cuGraphChildGraphNodeGetGraph(cn, &emb);
        CUgraphNode in = 0;
        size_t k = 1;
        cuda.cuGraphGetNodes(emb, &in, &k);
        CUgraph d = 0;
        cuda.cuGraphClone(&d, b);
        CUgraphNode m = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphNodeFindInClone(&m, in, d);
        CUgraphNode cm = 0;
        cuda.cuGraphNodeFindInClone(&cm, cn, d);
        CUgraph emb2 = 0;
        if (cm)
            cuda.cuGraphChildGraphNodeGetGraph(cm, &emb2);
        CUgraphNode m2 = UNTOUCHED_NODE;
        CUresult r2 = emb2 ? cuda.cuGraphNodeFindInClone(&m2, in, emb2) : RESULT_SKIPPED;
        case_end(r, " out=%s in-embedded=%s out=%s", handle_text(m), result_name(r2),
                 handle_text(m2));
    }
    if (case_begin("independent-after-original-destroyed")) {
        buffers_clear();
        CUgraph g = graph_new();
        CUgraphNode n = add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], 64, 9);
        (void)n;
        CUgraph d = 0;
        CUresult r = cuda.cuGraphClone(&d, g);
        cuda.cuGraphDestroy(g);
        const char *q = graph_run(d);
        case_end(r, " run=%s b0=%s", q, buffer_text(0));
    }
    if (case_begin("edit-clone-keeps-original")) {
        CUgraph g = diamond_graph_new(), d = 0;
        cuda.cuGraphClone(&d, g);
        CUgraphNode m = 0;
        cuda.cuGraphNodeFindInClone(&m, diamond_nodes[0], d);
        CUDA_MEMSET_NODE_PARAMS p = memset_params(buffers[5], 99, 1, 16, 1, 0);
        CUresult r = m ? cuda.cuGraphMemsetNodeSetParams(m, &p) : RESULT_SKIPPED;
        case_end(r, " orig=(%s) clone=(%s)", node_params_text(diamond_nodes[0]),
                 m ? node_params_text(m) : "-");
    }
    if (case_begin("find-after-original-destroyed")) {
        CUgraph g = diamond_graph_new(), d = 0;
        cuda.cuGraphClone(&d, g);
        CUgraph d2 = 0;
        CUresult r = cuda.cuGraphClone(&d2, d);
        cuda.cuGraphDestroy(d2);
        case_end(r, " %s", graph_text(d));
    }
}

static const char *dot_text(const char *path)
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
    return format("lines=%d labels=%d edges=%d subgraphs=%d digraphs=%d nodelines=%d", lines, lab,
                  edge, sub, dig, node);
}

GROUP(105, graph_dot, "graph-dot")
{
    use_graph_objects();
    cases_independent = 1;
    char path[100];
    snprintf(path, sizeof path, "/tmp/gprobe-%d.dot", (int)getpid());
    CUgraph g = diamond_graph_new(), e = graph_new();
    CHECK("null-graph", cuda.cuGraphDebugDotPrint(NULL, path, 0));
    CHECK("null-path", cuda.cuGraphDebugDotPrint(g, NULL, 0));
    CHECK("bad-dir", cuda.cuGraphDebugDotPrint(g, "/nonexistent-dir/x.dot", 0));
    CHECK("empty-path", cuda.cuGraphDebugDotPrint(g, "", 0));
    if (case_begin("empty")) {
        unlink(path);
        CUresult r = cuda.cuGraphDebugDotPrint(e, path, 0);
        case_end(r, " %s", dot_text(path));
    }
    for (int b = -1; b <= 17; b++)
        if (case_begin(format("diamond-flag%d", b))) {
            unlink(path);
            CUresult r = cuda.cuGraphDebugDotPrint(g, path, b < 0 ? 0 : 1u << b);
            case_end(r, " %s", dot_text(path));
        }
    if (case_begin("diamond-all")) {
        unlink(path);
        CUresult r = cuda.cuGraphDebugDotPrint(g, path, 0xffff);
        case_end(r, " %s", dot_text(path));
    }
    if (case_begin("diamond-badflags")) {
        unlink(path);
        CUresult r = cuda.cuGraphDebugDotPrint(g, path, 0xffffffffu);
        case_end(r, " %s", dot_text(path));
    }
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        for (int v = 0; v < 2; v++)
            if (case_begin(format("type-%s-%s", node_type_name(t), v ? "verbose" : "plain"))) {
                CUgraph h = graph_new();
                add_node_of_type(t, h, NULL, 0);
                unlink(path);
                CUresult r = cuda.cuGraphDebugDotPrint(h, path, v);
                case_end(r, " %s", dot_text(path));
            }
    if (case_begin("overwrites")) {
        FILE *f = fopen(path, "w");
        if (f) {
            for (int i = 0; i < 500; i++)
                fputs("old line\n", f);
            fclose(f);
        }
        CUresult r = cuda.cuGraphDebugDotPrint(g, path, 0);
        case_end(r, " %s", dot_text(path));
    }
    if (case_begin("nested")) {
        CUgraph a = graph_new();
        add_empty(a, NULL, 0);
        CUgraph b = graph_new();
        add_child(b, NULL, 0, a);
        CUgraph c = graph_new();
        add_child(c, NULL, 0, b);
        unlink(path);
        CUresult r = cuda.cuGraphDebugDotPrint(c, path, 0);
        case_end(r, " %s", dot_text(path));
    }
}
