/* SPDX-License-Identifier: MIT */
/* Host, child, event, semaphore, batch and conditional nodes. */
#include "graphs.h"

static unsigned char host_source[BUFFER_BYTES] __attribute__((aligned(4096)));

GROUP(240, node_misc, "node-misc")
{
    use_graph_objects();
    use_second_context();
    cases_independent = 1;
    CUDA_HOST_NODE_PARAMS h;
    memset(&h, 0, sizeof h);
    if (case_begin("host-fn-null")) {
        CUgraph g = graph_new();
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddHostNode(&n, g, NULL, 0, &h);
        case_end(r, " node=%s", handle_text(n));
    }
    if (case_begin("host-set-fn-null")) {
        CUgraph g = graph_new();
        CUgraphNode n = add_host(g, NULL, 0, 1);
        CUresult r = n ? cuda.cuGraphHostNodeSetParams(n, &h) : RESULT_SKIPPED;
        case_end(r, " (%s)", n ? node_params_text(n) : "-");
    }
    if (case_begin("host-run")) {
        CUgraph g = graph_new();
        host_calls[4] = 0;
        CUgraphNode n = add_host(g, NULL, 0, 4);
        const char *q = graph_run(g);
        case_end(0, " node=%s run=%s count=%d", handle_text(n), q, host_calls[4]);
    }
    if (case_begin("host-set-run")) {
        CUgraph g = graph_new();
        host_calls[4] = host_calls[5] = 0;
        CUgraphNode n = add_host(g, NULL, 0, 4);
        h.fn = host_count_hundred;
        h.userData = (void *)5;
        CUresult r = n ? cuda.cuGraphHostNodeSetParams(n, &h) : RESULT_SKIPPED;
        const char *q = graph_run(g);
        case_end(r, " (%s) run=%s counts=%d,%d", n ? node_params_text(n) : "-", q, host_calls[4],
                 host_calls[5]);
    }
    if (case_begin("child-self")) {
        CUgraph g = graph_new();
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddChildGraphNode(&n, g, NULL, 0, g);
        case_end(r, " node=%s %s", handle_text(n), graph_text(g));
    }
    if (case_begin("child-self-with-nodes")) {
        CUgraph g = graph_new();
        add_empty(g, NULL, 0);
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddChildGraphNode(&n, g, NULL, 0, g);
        case_end(r, " node=%s %s", handle_text(n), graph_text(g));
    }
    if (case_begin("child-empty-graph")) {
        CUgraph g = graph_new(), c = graph_new();
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddChildGraphNode(&n, g, NULL, 0, c);
        const char *q = graph_run(g);
        case_end(r, " node=%s run=%s %s", handle_text(n), q, graph_text(g));
    }
    if (case_begin("child-is-clone")) {
        CUgraph g = graph_new(), c = graph_new();
        add_empty(c, NULL, 0);
        CUgraphNode n = add_child(g, NULL, 0, c);
        CUgraph e = 0;
        CUresult r = cuda.cuGraphChildGraphNodeGetGraph(n, &e);
        add_empty(c, NULL, 0);
        case_end(r, " same=%d child=%s orig=%s", e == c, graph_text(e), graph_text(c));
    }
    if (case_begin("child-edit-embedded")) {
        CUgraph g = graph_new(), c = graph_new();
        add_empty(c, NULL, 0);
        CUgraphNode n = add_child(g, NULL, 0, c);
        CUgraph e = 0;
        cuda.cuGraphChildGraphNodeGetGraph(n, &e);
        CUgraphNode m = UNTOUCHED_NODE;
        CUresult r = e ? cuda.cuGraphAddEmptyNode(&m, e, NULL, 0) : RESULT_SKIPPED;
        case_end(r, " node=%s %s", handle_text(m), graph_text(g));
    }
    if (case_begin("child-destroy-original")) {
        CUgraph g = graph_new(), c = graph_new();
        add_kernel(c, NULL, 0, KERNEL_SET, buffers[0], 64, 3);
        add_child(g, NULL, 0, c);
        CUresult r = cuda.cuGraphDestroy(c);
        buffers_clear();
        const char *q = graph_run(g);
        case_end(r, " run=%s b0=%s", q, buffer_text(0));
    }
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        if (case_begin(format("child-with-%s", node_type_name(t)))) {
            CUgraph g = graph_new(), c = graph_new();
            CUgraphNode cn = add_node_of_type(t, c, NULL, 0), n = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphAddChildGraphNode(&n, g, NULL, 0, c);
            const char *q = r || t == 10 ? "-" : graph_run(g);
            case_end(r, " inner=%s node=%s %s run=%s", handle_text(cn), handle_text(n),
                     graph_text(g), q);
        }
    for (int fl = 0; fl < 4; fl++)
        if (case_begin(format("event-flags-%d", fl))) {
            CUevent e = 0;
            cuda.cuEventCreate(&e, fl);
            CUgraph g = graph_new();
            CUgraphNode a = UNTOUCHED_NODE, b = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphAddEventRecordNode(&a, g, NULL, 0, e),
                     r2 = cuda.cuGraphAddEventWaitNode(&b, g, NULL, 0, e);
            const char *q = graph_run(g);
            case_end(r, " wait=%s run=%s query=%s", result_name(r2), q,
                     result_name(cuda.cuEventQuery(e)));
        }
    if (case_begin("event-interprocess")) {
        CUevent e = 0;
        CUresult c = cuda.cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
        CUgraph g = graph_new();
        CUgraphNode a = UNTOUCHED_NODE, b = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddEventRecordNode(&a, g, NULL, 0, e),
                 r2 = cuda.cuGraphAddEventWaitNode(&b, g, NULL, 0, e);
        case_end(r, " create=%s wait=%s", result_name(c), result_name(r2));
    }
    if (case_begin("event-other-ctx")) {
        CUevent e = 0;
        cuda.cuCtxSetCurrent(second_context);
        CUresult c = cuda.cuEventCreate(&e, 0);
        cuda.cuCtxSetCurrent(context);
        CUgraph g = graph_new();
        CUgraphNode a = UNTOUCHED_NODE, b = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddEventRecordNode(&a, g, NULL, 0, e),
                 r2 = cuda.cuGraphAddEventWaitNode(&b, g, NULL, 0, e);
        const char *q = graph_run(g);
        case_end(r, " create=%s wait=%s run=%s", result_name(c), result_name(r2), q);
    }
    if (case_begin("event-record-then-query")) {
        CUgraph g = graph_new();
        add_event_record(g, NULL, 0, events[4]);
        const char *q = graph_run(g);
        case_end(0, " run=%s query=%s", q, result_name(cuda.cuEventQuery(events[4])));
    }
    if (case_begin("event-elapsed")) {
        CUgraph g = graph_new();
        CUgraphNode a = add_event_record(g, NULL, 0, events[4]);
        add_event_record(g, &a, 1, events[5]);
        const char *q = graph_run(g);
        float ms_ = -1;
        CUresult r = cuda.cuEventElapsedTime(&ms_, events[4], events[5]);
        case_end(r, " run=%s nonneg=%d", q, ms_ >= 0);
    }
    if (case_begin("event-set-get")) {
        CUgraph g = graph_new();
        CUgraphNode a = add_event_record(g, NULL, 0, events[4]),
                    b = add_event_wait(g, NULL, 0, events[5]);
        CUresult r = cuda.cuGraphEventRecordNodeSetEvent(a, events[6]),
                 r2 = cuda.cuGraphEventWaitNodeSetEvent(b, events[7]);
        case_end(r, " wait=%s %s", result_name(r2), graph_text_with_params(g));
    }
    if (case_begin("event-destroyed-in-graph")) {
        CUevent e = 0;
        cuda.cuEventCreate(&e, 0);
        CUgraph g = graph_new();
        add_event_record(g, NULL, 0, e);
        CUresult r = cuda.cuEventDestroy(e);
        case_end(r, " ");
    }
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS sp;
    memset(&sp, 0, sizeof sp);
    CUDA_EXT_SEM_WAIT_NODE_PARAMS wp;
    memset(&wp, 0, sizeof wp);
    CUexternalSemaphore nullsem[2] = {0, 0};
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS s1[2];
    memset(s1, 0, sizeof s1);
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS w1[2];
    memset(w1, 0, sizeof w1);
    for (int k = 0; k < 8; k++)
        if (case_begin(format("sem-%d", k))) {
            memset(&sp, 0, sizeof sp);
            memset(&wp, 0, sizeof wp);
            sp.numExtSems = wp.numExtSems = (k & 1);
            if (k & 2) {
                sp.extSemArray = nullsem;
                wp.extSemArray = nullsem;
            }
            if (k & 4) {
                sp.paramsArray = s1;
                wp.paramsArray = w1;
            }
            CUgraph g = graph_new();
            CUgraphNode a = UNTOUCHED_NODE, b = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphAddExternalSemaphoresSignalNode(&a, g, NULL, 0, &sp),
                     r2 = cuda.cuGraphAddExternalSemaphoresWaitNode(&b, g, NULL, 0, &wp);
            CUDA_EXT_SEM_SIGNAL_NODE_PARAMS so;
            memset(&so, 0x5a, sizeof so);
            CUresult r3 =
                r ? RESULT_SKIPPED : cuda.cuGraphExternalSemaphoresSignalNodeGetParams(a, &so);
            case_end(r, " node=%s wait=%s node=%s get=%s num=%u %s", handle_text(a),
                     result_name(r2), handle_text(b), result_name(r3), r3 ? 0 : so.numExtSems,
                     graph_text(g));
        }
}

/* Batch memory operations. */
static CUstreamBatchMemOpParams operations[300];
#define CHANGE(n, ...)                                                                             \
    static void batch_change_##n(CUDA_BATCH_MEM_OP_NODE_PARAMS *pp)                                \
    {                                                                                              \
        CUDA_BATCH_MEM_OP_NODE_PARAMS p = *pp;                                                     \
        CUstreamBatchMemOpParams *o = operations;                                                  \
        (void)o;                                                                                   \
        __VA_ARGS__;                                                                               \
        *pp = p;                                                                                   \
    }
#include "batch_changes.def"
#undef CHANGE

static const struct {
    const char *n;
    void (*f)(CUDA_BATCH_MEM_OP_NODE_PARAMS *);
} batch_changes[] = {
#define CHANGE(n, ...) {#n, batch_change_##n},
#include "batch_changes.def"
#undef CHANGE
};
static CUDA_BATCH_MEM_OP_NODE_PARAMS batch_base(void)
{
    memset(operations, 0, sizeof operations);
    CUDA_BATCH_MEM_OP_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    p.ctx = context;
    p.count = 1;
    p.paramArray = operations;
    operations[0].operation = 2;
    operations[0].writeValue.address = buffers[3];
    operations[0].writeValue.value = 77;
    return p;
}

GROUP(250, node_batch, "node-batch")
{
    use_graph_objects();
    cases_independent = 1;
    for (size_t i = 0; i < COUNT_OF(batch_changes); i++) {
        if (case_begin(format("add-%s", batch_changes[i].n))) {
            buffers_clear();
            CUDA_BATCH_MEM_OP_NODE_PARAMS p = batch_base();
            batch_changes[i].f(&p);
            CUgraph g = graph_new();
            CUgraphNode n = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphAddBatchMemOpNode(&n, g, NULL, 0, &p);
            const char *q = r ? "-" : graph_run(g);
            case_end(r, " node=%s (%s) run=%s b3=%s h0=%u", handle_text(n),
                     r ? "-" : node_params_text(n), q, buffer_text(3), host_buffers[0][0]);
            cuda.cuGraphDestroy(g);
        }
        if (case_begin(format("set-%s", batch_changes[i].n))) {
            CUDA_BATCH_MEM_OP_NODE_PARAMS p = batch_base();
            batch_changes[i].f(&p);
            CUgraph g = graph_new();
            CUgraphNode n = add_batch(g, NULL, 0, buffers[4], 1);
            CUDA_BATCH_MEM_OP_NODE_PARAMS p2 = batch_base();
            (void)p2;
            batch_changes[i].f(&p);
            CUresult r = n ? cuda.cuGraphBatchMemOpNodeSetParams(n, &p) : RESULT_SKIPPED;
            case_end(r, " (%s)", n ? node_params_text(n) : "-");
            cuda.cuGraphDestroy(g);
        }
        if (case_begin(format("exec-%s", batch_changes[i].n))) {
            buffers_clear();
            CUgraph g = graph_new();
            CUgraphNode n = add_batch(g, NULL, 0, buffers[4], 1);
            CUgraphExec x = instantiate(g, 0);
            CUDA_BATCH_MEM_OP_NODE_PARAMS p = batch_base();
            batch_changes[i].f(&p);
            CUresult r = x ? cuda.cuGraphExecBatchMemOpNodeSetParams(x, n, &p) : RESULT_SKIPPED;
            const char *q = exec_run(x, streams[0]);
            case_end(r, " run=%s b3=%s b4=%s", q, buffer_text(3), buffer_text(4));
            if (x)
                cuda.cuGraphExecDestroy(x);
            cuda.cuGraphDestroy(g);
        }
    }
}

/* Conditional nodes. */
GROUP(260, node_cond, "node-cond")
{
    use_graph_objects();
    use_second_context();
    cases_independent = 1;
    CUgraphConditionalHandle h;
    for (unsigned f = 0; f < 4; f++)
        for (unsigned d = 0; d < 3; d++)
            if (case_begin(format("handle-flags%u-default%u", f, d))) {
                CUgraph g = graph_new();
                h = UNTOUCHED;
                CUresult r = cuda.cuGraphConditionalHandleCreate(&h, g, context, d, f);
                case_end(r, " out=%s", out_state_of(h));
            }
    if (case_begin("handle-null-out")) {
        CUresult r = cuda.cuGraphConditionalHandleCreate(NULL, graph_new(), context, 0, 1);
        case_end(r, " ");
    }
    if (case_begin("handle-null-graph")) {
        h = UNTOUCHED;
        CUresult r = cuda.cuGraphConditionalHandleCreate(&h, NULL, context, 0, 1);
        case_end(r, " out=%s", out_state_of(h));
    }
    if (case_begin("handle-null-ctx")) {
        h = UNTOUCHED;
        CUresult r = cuda.cuGraphConditionalHandleCreate(&h, graph_new(), NULL, 0, 1);
        case_end(r, " out=%s", out_state_of(h));
    }
    if (case_begin("handle-ctx2")) {
        h = UNTOUCHED;
        CUresult r = cuda.cuGraphConditionalHandleCreate(&h, graph_new(), second_context, 0, 1);
        case_end(r, " out=%s", out_state_of(h));
    }
    if (case_begin("handle-two")) {
        CUgraph g = graph_new();
        CUgraphConditionalHandle a = 0, b = 0;
        CUresult r = cuda.cuGraphConditionalHandleCreate(&a, g, context, 0, 1),
                 r2 = cuda.cuGraphConditionalHandleCreate(&b, g, context, 0, 1);
        case_end(r, " second=%s differ=%d", result_name(r2), a != b);
    }
    if (case_begin("handle-unused-inst")) {
        CUgraph g = graph_new();
        CUgraphConditionalHandle a = 0;
        CUresult r = cuda.cuGraphConditionalHandleCreate(&a, g, context, 0, 1);
        add_empty(g, NULL, 0);
        CUgraphExec x = 0;
        CUDA_GRAPH_INSTANTIATE_PARAMS ip;
        memset(&ip, 0, sizeof ip);
        ip.result_out = 77;
        CUresult r2 = cuda.cuGraphInstantiateWithParams(&x, g, &ip);
        case_end(r, " inst=%s result=%s", result_name(r2), instantiate_result_name(ip.result_out));
    }
    for (int ty = -1; ty <= 3; ty++)
        for (unsigned sz = 0; sz <= 4; sz++)
            if (case_begin(format("add-type%d-size%u", ty, sz))) {
                CUgraph g = graph_new();
                h = 0;
                CUresult hr = cuda.cuGraphConditionalHandleCreate(&h, g, context, 0, 1);
                CUgraphNodeParams p;
                memset(&p, 0, sizeof p);
                p.type = 13;
                p.conditional.handle = h;
                p.conditional.type = ty;
                p.conditional.size = sz;
                p.conditional.ctx = context;
                CUgraphNode n = UNTOUCHED_NODE;
                CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
                int set = 0;
                if (!r && p.conditional.phGraph_out)
                    for (unsigned i = 0; i < sz; i++)
                        set += p.conditional.phGraph_out[i] != NULL;
                const char *bs = !r && p.conditional.phGraph_out && sz
                                     ? graph_text(p.conditional.phGraph_out[0])
                                     : "-";
                const char *q = r ? "-" : graph_run(g);
                case_end(r, " handle=%s node=%s bodies=%d body0=%s run=%s %s", result_name(hr),
                         handle_text(n), set, bs, q, graph_text(g));
                cuda.cuGraphDestroy(g);
            }
    if (case_begin("add-no-handle")) {
        CUgraph g = graph_new();
        CUgraphNodeParams p;
        memset(&p, 0, sizeof p);
        p.type = 13;
        p.conditional.size = 1;
        p.conditional.ctx = context;
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s", handle_text(n));
    }
    if (case_begin("add-null-ctx")) {
        CUgraph g = graph_new();
        h = 0;
        cuda.cuGraphConditionalHandleCreate(&h, g, context, 0, 1);
        CUgraphNodeParams p;
        memset(&p, 0, sizeof p);
        p.type = 13;
        p.conditional.size = 1;
        p.conditional.handle = h;
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s", handle_text(n));
    }
    if (case_begin("handle-of-other-graph")) {
        CUgraph g = graph_new(), o = graph_new();
        h = 0;
        cuda.cuGraphConditionalHandleCreate(&h, o, context, 0, 1);
        CUgraphNodeParams p;
        memset(&p, 0, sizeof p);
        p.type = 13;
        p.conditional.size = 1;
        p.conditional.handle = h;
        p.conditional.ctx = context;
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        CUgraphExec x = 0;
        CUresult r2 = cuda.cuGraphInstantiate(&x, g, 0);
        case_end(r, " node=%s inst=%s", handle_text(n), result_name(r2));
    }
    if (case_begin("handle-twice")) {
        CUgraph g = graph_new();
        h = 0;
        cuda.cuGraphConditionalHandleCreate(&h, g, context, 0, 1);
        CUgraphNodeParams p;
        memset(&p, 0, sizeof p);
        p.type = 13;
        p.conditional.size = 1;
        p.conditional.handle = h;
        p.conditional.ctx = context;
        CUgraphNode n = UNTOUCHED_NODE, n2 = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        CUgraphNodeParams p2;
        memset(&p2, 0, sizeof p2);
        p2.type = 13;
        p2.conditional.size = 1;
        p2.conditional.handle = h;
        p2.conditional.ctx = context;
        CUresult r2 = cuda.cuGraphAddNode(&n2, g, NULL, NULL, 0, &p2);
        CUgraphExec x = 0;
        CUresult r3 = cuda.cuGraphInstantiate(&x, g, 0);
        case_end(r, " second=%s node=%s inst=%s", result_name(r2), handle_text(n2),
                 result_name(r3));
    }
    /* bodies: what may stand in them */
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        if (case_begin(format("body-%s", node_type_name(t)))) {
            CUgraph g = graph_new(), b = 0;
            CUgraphNode c = add_conditional(g, NULL, 0, 0, 1, 1, &b);
            CUgraphNode n = b ? add_node_of_type(t, b, NULL, 0) : NULL;
            CUgraphExec x = 0;
            CUDA_GRAPH_INSTANTIATE_PARAMS ip;
            memset(&ip, 0, sizeof ip);
            ip.result_out = 77;
            CUresult r2 = cuda.cuGraphInstantiateWithParams(&x, g, &ip);
            case_end(r2, " cond=%s node=%s result=%s errnode=%s", handle_text(c), handle_text(n),
                     instantiate_result_name(ip.result_out),
                     !ip.hErrNode_out       ? "null"
                     : ip.hErrNode_out == c ? "cond"
                     : ip.hErrNode_out == n ? "node"
                                            : "other");
            if (!r2)
                cuda.cuGraphExecDestroy(x);
        }
    if (case_begin("body-kernel-ctx2")) {
        CUgraph g = graph_new(), b = 0;
        add_conditional(g, NULL, 0, 0, 1, 1, &b);
        CUDA_KERNEL_NODE_PARAMS k = kernel_params(KERNEL_NOP, 0, 0, 0, 0);
        k.func = second_functions[KERNEL_NOP];
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = b ? cuda.cuGraphAddKernelNode(&n, b, NULL, 0, &k) : RESULT_SKIPPED;
        CUgraphExec x = 0;
        CUresult r2 = cuda.cuGraphInstantiate(&x, g, 0);
        case_end(r, " inst=%s", result_name(r2));
    }
    /* launches with the default value */
    for (unsigned d = 0; d <= 2; d++)
        if (case_begin(format("run-if-%u", d))) {
            buffers_clear();
            CUgraph g = graph_new(), b = 0;
            CUgraphNode c = add_conditional(g, NULL, 0, 0, 1, d, &b);
            if (b)
                add_kernel(b, NULL, 0, KERNEL_SET, buffers[0], 64, 5);
            add_kernel(g, &c, 1, KERNEL_ADD, buffers[1], 64, 7);
            const char *q = graph_run(g);
            case_end(0, " run=%s b0=%s b1=%s", q, buffer_text(0), buffer_text(1));
        }
    for (unsigned d = 0; d <= 2; d++)
        if (case_begin(format("run-ifelse-%u", d))) {
            buffers_clear();
            CUgraph g = graph_new(), b[2] = {0, 0};
            add_conditional(g, NULL, 0, 0, 2, d, b);
            if (b[0])
                add_kernel(b[0], NULL, 0, KERNEL_SET, buffers[0], 64, 5);
            if (b[1])
                add_kernel(b[1], NULL, 0, KERNEL_SET, buffers[1], 64, 9);
            const char *q = graph_run(g);
            case_end(0, " run=%s b0=%s b1=%s", q, buffer_text(0), buffer_text(1));
        }
    if (case_begin("run-while-0")) {
        buffers_clear();
        CUgraph g = graph_new(), b = 0;
        add_conditional(g, NULL, 0, 1, 1, 0, &b);
        if (b)
            add_kernel(b, NULL, 0, KERNEL_ADD, buffers[0], 64, 5);
        const char *q = graph_run(g);
        case_end(0, " run=%s b0=%s", q, buffer_text(0));
    }
    for (unsigned d = 0; d <= 4; d++)
        if (case_begin(format("run-switch3-%u", d))) {
            buffers_clear();
            CUgraph g = graph_new(), b[3] = {0, 0, 0};
            add_conditional(g, NULL, 0, 2, 3, d, b);
            for (int i = 0; i < 3; i++)
                if (b[i])
                    add_kernel(b[i], NULL, 0, KERNEL_SET, buffers[i], 64, 10 * (i + 1));
            const char *q = graph_run(g);
            case_end(0, " run=%s b0=%s b1=%s b2=%s", q, buffer_text(0), buffer_text(1),
                     buffer_text(2));
        }
    if (case_begin("run-if-noassign")) {
        buffers_clear();
        CUgraph g = graph_new();
        h = 0;
        cuda.cuGraphConditionalHandleCreate(&h, g, context, 1, 0);
        CUgraphNodeParams p;
        memset(&p, 0, sizeof p);
        p.type = 13;
        p.conditional.size = 1;
        p.conditional.handle = h;
        p.conditional.ctx = context;
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        if (!r && p.conditional.phGraph_out && p.conditional.phGraph_out[0])
            add_kernel(p.conditional.phGraph_out[0], NULL, 0, KERNEL_SET, buffers[0], 64, 5);
        CUgraphExec x = instantiate(g, 0);
        case_end(r, " exec=%s", handle_text(x));
    }
    if (case_begin("run-nested-if")) {
        buffers_clear();
        CUgraph g = graph_new(), b = 0, b2 = 0;
        add_conditional(g, NULL, 0, 0, 1, 1, &b);
        CUgraphConditionalHandle hh = 0;
        CUresult hr =
            b ? cuda.cuGraphConditionalHandleCreate(&hh, b, context, 1, 1) : RESULT_SKIPPED;
        CUgraphConditionalHandle h0 = 0;
        CUresult hr0 = cuda.cuGraphConditionalHandleCreate(&h0, g, context, 1, 1);
        CUgraphNodeParams p;
        memset(&p, 0, sizeof p);
        p.type = 13;
        p.conditional.size = 1;
        p.conditional.handle = hr ? h0 : hh;
        p.conditional.ctx = context;
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = b ? cuda.cuGraphAddNode(&n, b, NULL, NULL, 0, &p) : RESULT_SKIPPED;
        if (!r && p.conditional.phGraph_out)
            b2 = p.conditional.phGraph_out[0];
        if (b2)
            add_kernel(b2, NULL, 0, KERNEL_SET, buffers[0], 64, 6);
        const char *q = graph_run(g);
        case_end(r, " handle-in-body=%s handle-in-graph=%s run=%s b0=%s", result_name(hr),
                 result_name(hr0), q, buffer_text(0));
    }
    if (case_begin("run-twice")) {
        buffers_clear();
        CUgraph g = graph_new(), b = 0;
        add_conditional(g, NULL, 0, 0, 1, 1, &b);
        if (b)
            add_kernel(b, NULL, 0, KERNEL_ADD, buffers[0], 64, 5);
        CUgraphExec x = instantiate(g, 0);
        const char *q = exec_run(x, streams[0]), *q2 = exec_run(x, streams[0]);
        case_end(0, " run=%s,%s b0=%s", q, q2, buffer_text(0));
    }
    if (case_begin("clone")) {
        CUgraph g = graph_new(), b = 0, d = 0;
        add_conditional(g, NULL, 0, 0, 1, 1, &b);
        CUresult r = cuda.cuGraphClone(&d, g);
        case_end(r, " %s", graph_text(d));
    }
    if (case_begin("in-child")) {
        CUgraph g = graph_new(), c = graph_new(), b = 0;
        add_conditional(c, NULL, 0, 0, 1, 1, &b);
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddChildGraphNode(&n, g, NULL, 0, c);
        case_end(r, " node=%s", handle_text(n));
    }
    if (case_begin("body-destroy")) {
        CUgraph g = graph_new(), b = 0;
        add_conditional(g, NULL, 0, 0, 1, 1, &b);
        CUresult r = b ? cuda.cuGraphDestroy(b) : RESULT_SKIPPED;
        case_end(r, " ");
    }
    if (case_begin("body-instantiate")) {
        CUgraph g = graph_new(), b = 0;
        add_conditional(g, NULL, 0, 0, 1, 1, &b);
        CUgraphExec x = UNTOUCHED_EXEC;
        CUresult r = b ? cuda.cuGraphInstantiate(&x, b, 0) : RESULT_SKIPPED;
        case_end(r, " exec=%s", handle_text(x));
    }
    if (case_begin("body-as-child")) {
        CUgraph g = graph_new(), b = 0, o = graph_new();
        add_conditional(g, NULL, 0, 0, 1, 1, &b);
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = b ? cuda.cuGraphAddChildGraphNode(&n, o, NULL, 0, b) : RESULT_SKIPPED;
        case_end(r, " node=%s", handle_text(n));
    }
    if (case_begin("edge-into-body")) {
        CUgraph g = graph_new(), b = 0;
        CUgraphNode e = add_empty(g, NULL, 0);
        add_conditional(g, NULL, 0, 0, 1, 1, &b);
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = b ? cuda.cuGraphAddEmptyNode(&n, b, &e, 1) : RESULT_SKIPPED;
        case_end(r, " node=%s", handle_text(n));
    }
}
