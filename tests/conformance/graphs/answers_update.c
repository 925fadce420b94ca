/* SPDX-License-Identifier: MIT */
/* Updates of executable graphs. */
#include "graphs.h"

static CUresult set_in_thread(void *u)
{
    void **a = u;
    return cuda.cuGraphExecKernelNodeSetParams(a[0], a[1], a[2]);
}

static CUgraph graph_of_one_empty(void)
{
    CUgraph c = graph_new();
    add_empty(c, NULL, 0);
    return c;
}

/* every exec setter on every node type */
#define EXEC_CALL(n_, ...)                                                                         \
    static CUresult exec_##n_(CUgraphExec x, CUgraphNode n)                                        \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
#include "exec_calls.def"
#undef EXEC_CALL

static const struct {
    const char *n;
    CUresult (*f)(CUgraphExec, CUgraphNode);
} exec_calls[] = {
#define EXEC_CALL(n_, ...) {#n_, exec_##n_},
#include "exec_calls.def"
#undef EXEC_CALL
};
GROUP(400, exec_wrongtype, "exec-wrongtype")
{
    use_graph_objects();
    cases_independent = 1;
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        for (size_t f = 0; f < COUNT_OF(exec_calls); f++)
            if (case_begin(format("%s-on-%s", exec_calls[f].n, node_type_name(t)))) {
                CUgraph g = graph_new();
                CUgraphNode n = add_node_of_type(t, g, NULL, 0);
                CUgraphExec x = instantiate(g, 0);
                CUresult r = n && x ? exec_calls[f].f(x, n) : RESULT_SKIPPED;
                const char *q = t == 10 ? "-" : exec_run(x, streams[0]);
                case_end(r, " node=%s exec=%s run=%s", handle_text(n), handle_text(x), q);
                if (x)
                    cuda.cuGraphExecDestroy(x);
                cuda.cuGraphDestroy(g);
            }
    CUgraph g = graph_new(), h = graph_new();
    CUgraphNode n[NODE_TYPE_COUNT], o[NODE_TYPE_COUNT];
    for (int t = 0; t < NODE_TYPE_COUNT; t++) {
        n[t] = t == 10 || t == 11 ? NULL : add_node_of_type(t, g, NULL, 0);
        o[t] = t == 10 || t == 11 ? NULL : add_node_of_type(t, h, NULL, 0);
    }
    CUgraphExec x = instantiate(g, 0);
    static const int own[] = {0, 0, 1, 2, 3, 4, 7, 6, 8, 9, 12, 0, 0, 0};
    for (size_t f = 0; f < COUNT_OF(exec_calls); f++) {
        CUgraphNode m = n[own[f]], k = o[own[f]];
        CHECK(format("%s-null-exec", exec_calls[f].n), exec_calls[f].f(NULL, m));
        CHECK(format("%s-null-node", exec_calls[f].n),
              x ? exec_calls[f].f(x, NULL) : RESULT_SKIPPED);
        CHECK(format("%s-node-of-other-graph", exec_calls[f].n),
              x && k ? exec_calls[f].f(x, k) : RESULT_SKIPPED);
        if (case_begin(format("%s-clone-node", exec_calls[f].n))) {
            CUgraph c = 0;
            CUgraphNode cn = 0;
            cuda.cuGraphClone(&c, g);
            if (m)
                cuda.cuGraphNodeFindInClone(&cn, m, c);
            CUresult r = x && cn ? exec_calls[f].f(x, cn) : RESULT_SKIPPED;
            case_end(r, " ");
        }
    }
    CHECK("kernel-null-params",
          x ? cuda.cuGraphExecKernelNodeSetParams(x, n[0], NULL) : RESULT_SKIPPED);
    CHECK("kernel_v1-null-params",
          x ? cuda.cuGraphExecKernelNodeSetParams_v1(x, n[0], NULL) : RESULT_SKIPPED);
    CHECK("memcpy-null-params",
          x ? cuda.cuGraphExecMemcpyNodeSetParams(x, n[1], NULL, context) : RESULT_SKIPPED);
    CHECK("memset-null-params",
          x ? cuda.cuGraphExecMemsetNodeSetParams(x, n[2], NULL, context) : RESULT_SKIPPED);
    CHECK("host-null-params",
          x ? cuda.cuGraphExecHostNodeSetParams(x, n[3], NULL) : RESULT_SKIPPED);
    CHECK("child-null",
          x ? cuda.cuGraphExecChildGraphNodeSetParams(x, n[4], NULL) : RESULT_SKIPPED);
    CHECK("evwait-null", x ? cuda.cuGraphExecEventWaitNodeSetEvent(x, n[6], NULL) : RESULT_SKIPPED);
    CHECK("evrecord-null",
          x ? cuda.cuGraphExecEventRecordNodeSetEvent(x, n[7], NULL) : RESULT_SKIPPED);
    CHECK("batch-null",
          x ? cuda.cuGraphExecBatchMemOpNodeSetParams(x, n[12], NULL) : RESULT_SKIPPED);
    CHECK("getenabled-null-out", x ? cuda.cuGraphNodeGetEnabled(x, n[0], NULL) : RESULT_SKIPPED);
    CHECK("generic-null", x ? cuda.cuGraphExecNodeSetParams(x, n[0], NULL) : RESULT_SKIPPED);
    CHECK("generic-null-exec", cuda.cuGraphExecNodeSetParams(NULL, n[0], NULL));
    CUDA_MEMCPY3D c = copy_device_to_device(buffers[4], buffers[5], 64);
    CUDA_MEMSET_NODE_PARAMS m = memset_params(buffers[4], 1, 4, 16, 1, 0);
    CHECK("memcpy-null-ctx",
          x ? cuda.cuGraphExecMemcpyNodeSetParams(x, n[1], &c, NULL) : RESULT_SKIPPED);
    CHECK("memset-null-ctx",
          x ? cuda.cuGraphExecMemsetNodeSetParams(x, n[2], &m, NULL) : RESULT_SKIPPED);
}

#define SET_CASE(nm, build, change)                                                                \
    if (case_begin(nm)) {                                                                          \
        buffers_clear();                                                                           \
        for (int i_ = 0; i_ < 16; i_++)                                                            \
            host_calls[i_] = 0;                                                                    \
        CUgraph g = graph_new();                                                                   \
        CUgraphNode n = 0, n2 = 0;                                                                 \
        (void)n2;                                                                                  \
        build;                                                                                     \
        CUgraphExec x = instantiate(g, 0);                                                         \
        CUresult r = RESULT_SKIPPED;                                                               \
        if (x) {                                                                                   \
            change;                                                                                \
        }                                                                                          \
        const char *q = exec_run(x, streams[0]), *q2 = exec_run(x, streams[0]);                    \
        case_end(r, " exec=%s run=%s,%s b0=%s b1=%s b2=%s host=%d,%d h1=%08x graph=(%s)",          \
                 handle_text(x), q, q2, buffer_text(0), buffer_text(1), buffer_text(2),            \
                 host_calls[1], host_calls[2], checksum(host_buffers[1], BUFFER_BYTES),            \
                 n ? node_params_text(n) : "-");                                                   \
        if (x)                                                                                     \
            cuda.cuGraphExecDestroy(x);                                                            \
        cuda.cuGraphDestroy(g);                                                                    \
    }
GROUP(410, exec_set, "exec-set")
{
    use_graph_objects();
    use_second_context();
    cases_independent = 1;
    CUDA_KERNEL_NODE_PARAMS k;
    CUDA_MEMCPY3D c;
    CUDA_MEMSET_NODE_PARAMS m;
    CUDA_HOST_NODE_PARAMS h;
    CUgraphNodeParams p;
    CUevent ev2 = 0;
    cuda.cuCtxSetCurrent(second_context);
    cuda.cuEventCreate(&ev2, 0);
    CUdeviceptr d2 = device_alloc(BUFFER_BYTES);
    cuda.cuCtxSetCurrent(context);

#include "exec_set_cases.def"

    /* generic exec setter */
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        SET_CASE(format("generic-zero-%s", node_type_name(t)),
                 n = t == 10 || t == 11 ? NULL : add_node_of_type(t, g, NULL, 0),
                 memset(&p, 0, sizeof p);
                 p.type = t;
                 r = n && t != 0 ? cuda.cuGraphExecNodeSetParams(x, n, &p) : RESULT_SKIPPED);

#include "exec_generic_cases.def"

    /* enabled flags */
    for (int t = 0; t < 3; t++) {
        SET_CASE(format("disable-%s", node_type_name(t)),
                 (buffer_set(0, 3), n = add_node_of_type(t, g, NULL, 0)),
                 r = cuda.cuGraphNodeSetEnabled(x, n, 0);
                 unsigned e = 9; cuda.cuGraphNodeGetEnabled(x, n, &e); if (e) r = 1000 + e);
        SET_CASE(format("disable-enable-%s", node_type_name(t)),
                 (buffer_set(0, 3), n = add_node_of_type(t, g, NULL, 0)),
                 cuda.cuGraphNodeSetEnabled(x, n, 0);
                 r = cuda.cuGraphNodeSetEnabled(x, n, 1));
    }

#include "exec_state_cases.def"
}

/* Whole-graph update. */
typedef CUgraphNode (*builder)(CUgraph g, int v);
static const char *update_text(CUgraphExec x, CUgraph g, CUgraph og, CUresult *rr)
{
    CUgraphExecUpdateResultInfo i;
    memset(&i, 0, sizeof i);
    i.result = 77;
    i.errorNode = UNTOUCHED_NODE;
    i.errorFromNode = UNTOUCHED_NODE;
    CUresult r = x ? cuda.cuGraphExecUpdate(x, g, &i) : RESULT_SKIPPED;
    *rr = r;
    CUgraphNode a[16];
    memset(a, 0, sizeof a);
    size_t n = 16;
    if (cuda.cuGraphGetNodes(g, a, &n) || n > 16)
        n = 0;
    CUgraphNode b[16];
    memset(b, 0, sizeof b);
    size_t m = 16;
    if (cuda.cuGraphGetNodes(og, b, &m) || m > 16)
        m = 0;
    const char *e = node_order(&i.errorNode, 1, a, n), *o = node_order(&i.errorNode, 1, b, m),
               *f = node_order(&i.errorFromNode, 1, a, n),
               *f2 = node_order(&i.errorFromNode, 1, b, m);
    return format("result=%s errnode=%s/orig:%s from=%s/orig:%s", update_result_name(i.result), e,
                  o, f, f2);
}

#define UPDATE_CASE(nm, bodyA, bodyB)                                                              \
    if (case_begin(nm)) {                                                                          \
        buffers_clear();                                                                           \
        buffer_set(3, 5);                                                                          \
        for (int i_ = 0; i_ < 16; i_++)                                                            \
            host_calls[i_] = 0;                                                                    \
        CUgraph ga = graph_new(), gb = graph_new();                                                \
        CUgraphNode n[8];                                                                          \
        memset(n, 0, sizeof n);                                                                    \
        {                                                                                          \
            CUgraph g = ga;                                                                        \
            (void)g;                                                                               \
            bodyA;                                                                                 \
        }                                                                                          \
        CUgraphExec x = instantiate(ga, 0);                                                        \
        memset(n, 0, sizeof n);                                                                    \
        {                                                                                          \
            CUgraph g = gb;                                                                        \
            (void)g;                                                                               \
            bodyB;                                                                                 \
        }                                                                                          \
        CUresult r;                                                                                \
        const char *u = update_text(x, gb, ga, &r);                                                \
        const char *q = exec_run(x, streams[0]);                                                   \
        CUgraphExecUpdateResult ur = 77;                                                           \
        CUgraphNode e1 = UNTOUCHED_NODE;                                                           \
        CUgraphExec x1 = instantiate(ga, 0);                                                       \
        CUresult r1 = x1 ? cuda.cuGraphExecUpdate_v1(x1, gb, &e1, &ur) : RESULT_SKIPPED;           \
        case_end(r, " exec=%s %s run=%s b0=%s b1=%s host=%d,%d v1=%s/%s/%s", handle_text(x), u, q, \
                 buffer_text(0), buffer_text(1), host_calls[1], host_calls[2], result_name(r1),    \
                 update_result_name(ur), handle_text(e1));                                         \
        if (x)                                                                                     \
            cuda.cuGraphExecDestroy(x);                                                            \
        if (x1)                                                                                    \
            cuda.cuGraphExecDestroy(x1);                                                           \
        cuda.cuGraphDestroy(ga);                                                                   \
        cuda.cuGraphDestroy(gb);                                                                   \
    }
#define ADD_KERNEL(b, v) n[0] = add_kernel(g, NULL, 0, KERNEL_ADD, b, 64, v)
GROUP(420, exec_update, "exec-update")
{
    use_graph_objects();
    use_second_context();
    cases_independent = 1;
    CUDA_KERNEL_NODE_PARAMS k;
    CUDA_MEMCPY3D c;
    CUDA_MEMSET_NODE_PARAMS m;
    CUkernelNodeAttrValue av;
    CHECK("null-exec", cuda.cuGraphExecUpdate(NULL, graph_new(), NULL));
    CUgraphExecUpdateResultInfo ri;
    memset(&ri, 0, sizeof ri);
    ri.result = 77;
    CHECK("null-exec-info", cuda.cuGraphExecUpdate(NULL, graph_new(), &ri), "result=%s",
          update_result_name(ri.result));
    if (case_begin("null-graph")) {
        CUgraph g = graph_new();
        add_empty(g, NULL, 0);
        CUgraphExec x = instantiate(g, 0);
        memset(&ri, 0, sizeof ri);
        ri.result = 77;
        CUresult r = x ? cuda.cuGraphExecUpdate(x, NULL, &ri) : RESULT_SKIPPED;
        case_end(r, " result=%s", update_result_name(ri.result));
    }
    if (case_begin("null-info")) {
        CUgraph g = graph_new();
        add_empty(g, NULL, 0);
        CUgraphExec x = instantiate(g, 0);
        CUresult r = x ? cuda.cuGraphExecUpdate(x, g, NULL) : RESULT_SKIPPED;
        CUgraphNode e = UNTOUCHED_NODE;
        CUgraphExecUpdateResult u = 77;
        CUresult r1 = x ? cuda.cuGraphExecUpdate_v1(x, g, NULL, &u) : RESULT_SKIPPED,
                 r2 = x ? cuda.cuGraphExecUpdate_v1(x, g, &e, NULL) : RESULT_SKIPPED;
        case_end(r, " v1-null-node=%s %s v1-null-result=%s", result_name(r1), update_result_name(u),
                 result_name(r2));
    }

#include "update_kernels.def"

    /* type pairs */
    for (int a = 0; a < NODE_TYPE_COUNT; a++)
        for (int b = 0; b < NODE_TYPE_COUNT; b++) {
            if (a == 8 || a == 9 || b == 8 || b == 9 || a == 10 || a == 11 || b == 10 || b == 11)
                continue;
            UPDATE_CASE(format("type-%s-to-%s", node_type_name(a), node_type_name(b)),
                        add_node_of_type(a, g, NULL, 0), add_node_of_type(b, g, NULL, 0));
        }

#include "update_other_nodes.def"
    if (case_begin("with-clone")) {
        buffers_clear();
        CUgraph g = graph_new(), d = 0;
        CUgraphNode n = add_kernel(g, NULL, 0, KERNEL_ADD, buffers[0], 64, 1), cn = 0;
        CUgraphExec x = instantiate(g, 0);
        cuda.cuGraphClone(&d, g);
        cuda.cuGraphNodeFindInClone(&cn, n, d);
        k = kernel_params(KERNEL_ADD, buffers[1], 0, 64, 4);
        if (cn)
            cuda.cuGraphKernelNodeSetParams(cn, &k);
        CUresult r;
        const char *u = update_text(x, d, g, &r), *q = exec_run(x, streams[0]);
        CUresult r2 = x ? cuda.cuGraphExecKernelNodeSetParams(x, n, &k) : RESULT_SKIPPED,
                 r3 = x && cn ? cuda.cuGraphExecKernelNodeSetParams(x, cn, &k) : RESULT_SKIPPED;
        case_end(r, " %s run=%s b0=%s b1=%s then-set-orig-node=%s clone-node=%s", u, q,
                 buffer_text(0), buffer_text(1), result_name(r2), result_name(r3));
    }
    if (case_begin("from-capture")) {
        buffers_clear();
        CUgraphExec x = 0;
        CUgraph g[2] = {0, 0};
        CUresult r0 = 0;
        for (int i = 0; i < 2; i++) {
            r0 = cuda.cuStreamBeginCapture(streams[0], 2);
            if (!r0) {
                cuda.cuMemsetD32Async(buffers[i], 5 + i, 64, streams[0]);
                k = kernel_params(KERNEL_ADD, buffers[i], 0, 64, 3);
                cuda.cuLaunchKernel(functions[KERNEL_ADD], 1, 1, 1, 64, 1, 1, 0, streams[0],
                                    k.kernelParams, NULL);
                cuda.cuStreamEndCapture(streams[0], &g[i]);
            }
            if (!i)
                x = instantiate(g[0], 0);
        }
        CUresult r = RESULT_SKIPPED;
        const char *u = "-";
        if (g[0] && g[1])
            u = update_text(x, g[1], g[0], &r);
        const char *q = exec_run(x, streams[0]);
        case_end(r, " begin=%s %s run=%s b0=%s b1=%s", result_name(r0), u, q, buffer_text(0),
                 buffer_text(1));
    }
    if (case_begin("disabled-node-stays")) {
        buffers_clear();
        CUgraph g = graph_new();
        CUgraphNode n = add_kernel(g, NULL, 0, KERNEL_ADD, buffers[0], 64, 1);
        CUgraphExec x = instantiate(g, 0);
        if (x)
            cuda.cuGraphNodeSetEnabled(x, n, 0);
        CUresult r;
        const char *u = update_text(x, g, g, &r);
        unsigned e = 9;
        if (x)
            cuda.cuGraphNodeGetEnabled(x, n, &e);
        const char *q = exec_run(x, streams[0]);
        case_end(r, " %s enabled=%u run=%s b0=%s", u, e, q, buffer_text(0));
    }
    if (case_begin("update-while-running")) {
        buffers_clear();
        struct blocker b;
        memset(&b, 0, sizeof b);
        b.limit_ms = 300;
        CUgraph g = graph_new(), h = graph_new();
        add_kernel(g, NULL, 0, KERNEL_ADD, buffers[0], 64, 1);
        add_kernel(h, NULL, 0, KERNEL_ADD, buffers[1], 64, 2);
        CUgraphExec x = instantiate(g, 0);
        stream_block(streams[0], &b);
        CUresult l = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED;
        CUresult r;
        const char *u = update_text(x, h, g, &r);
        stream_unblock(&b);
        const char *q = sync_stream(streams[0]);
        const char *a = buffer_text(0);
        const char *q2 = exec_run(x, streams[0]);
        case_end(r, " launch=%s %s sync=%s b0=%s run=%s b1=%s", result_name(l), u, q, a, q2,
                 buffer_text(1));
    }
}
