/* SPDX-License-Identifier: MIT */
/* Instantiation, upload, launch and data results. */
#include "graphs.h"

GROUP(300, inst_forms, "inst-forms")
{
    use_graph_objects();
    use_second_context();
    cases_independent = 1;
    CUgraph e = graph_new(), g = graph_new();
    CUgraphNode n0 = add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], 64, 1);
    add_copy(g, &n0, 1, buffers[1], buffers[0], 256);
    CUgraphExec x;
    CUgraphNode en_;
    char log[256];
#define FREE()                                                                                     \
    if (x && x != UNTOUCHED_EXEC)                                                                  \
    cuda.cuGraphExecDestroy(x)
    for (int k = 0; k < 2; k++) {
        CUgraph q = k ? g : e;
        const char *w = k ? "graph" : "empty";
        x = UNTOUCHED_EXEC;
        en_ = UNTOUCHED_NODE;
        memset(log, 'z', sizeof log);
        CHECK(format("v1-%s", w), cuda.cuGraphInstantiate_v1(&x, q, &en_, log, sizeof log),
              "exec=%s errnode=%s log=%s", handle_text(x), handle_text(en_),
              log[0] == 'z' ? "kept"
              : log[0]      ? "text"
                            : "empty");
        FREE();
        x = UNTOUCHED_EXEC;
        en_ = UNTOUCHED_NODE;
        memset(log, 'z', sizeof log);
        CHECK(format("v2-%s", w), cuda.cuGraphInstantiate_v2(&x, q, &en_, log, sizeof log),
              "exec=%s errnode=%s log=%s", handle_text(x), handle_text(en_),
              log[0] == 'z' ? "kept"
              : log[0]      ? "text"
                            : "empty");
        FREE();
        x = UNTOUCHED_EXEC;
        CHECK(format("v2-%s-nulls", w), cuda.cuGraphInstantiate_v2(&x, q, NULL, NULL, 0), "exec=%s",
              handle_text(x));
        FREE();
        x = UNTOUCHED_EXEC;
        CHECK(format("v2-%s-log0", w), cuda.cuGraphInstantiate_v2(&x, q, NULL, log, 0), "exec=%s",
              handle_text(x));
        FREE();
        x = UNTOUCHED_EXEC;
        CHECK(format("v2-%s-null-log-size", w), cuda.cuGraphInstantiate_v2(&x, q, NULL, NULL, 100),
              "exec=%s", handle_text(x));
        FREE();
        for (int f = 0; f < 32; f++) {
            x = UNTOUCHED_EXEC;
            CHECK(format("flags-%s-%d", w, f), cuda.cuGraphInstantiate(&x, q, f), "exec=%s",
                  handle_text(x));
            if (x && x != UNTOUCHED_EXEC) {
                cuuint64_t fl = 99;
                CHECK(format("flags-%s-%d-get", w, f), cuda.cuGraphExecGetFlags(x, &fl),
                      "fl=%llu run=%s", (unsigned long long)fl,
                      f & 4 ? "-" : exec_run(x, streams[0]));
            }
            FREE();
        }
        for (int f = 5; f < 64; f += 13) {
            x = UNTOUCHED_EXEC;
            CHECK(format("flags-%s-bit%d", w, f), cuda.cuGraphInstantiate(&x, q, 1ull << f),
                  "exec=%s", handle_text(x));
            FREE();
        }
        for (int f = 0; f < 17; f++)
            for (int st = 0; st < 2; st++) {
                CUDA_GRAPH_INSTANTIATE_PARAMS p;
                memset(&p, 0, sizeof p);
                p.flags = f;
                p.hUploadStream = st ? streams[0] : NULL;
                p.result_out = 77;
                p.hErrNode_out = UNTOUCHED_NODE;
                x = UNTOUCHED_EXEC;
                CHECK(format("params-%s-%d-%s", w, f, st ? "stream" : "nostream"),
                      cuda.cuGraphInstantiateWithParams(&x, q, &p),
                      "exec=%s result=%s errnode=%s flags=%llu", handle_text(x),
                      instantiate_result_name(p.result_out), handle_text(p.hErrNode_out),
                      (unsigned long long)p.flags);
                cuda.cuCtxSynchronize();
                FREE();
            }
    }
    CHECK("v1-null-out", cuda.cuGraphInstantiate_v1(NULL, g, NULL, NULL, 0));
    CHECK("v2-null-out", cuda.cuGraphInstantiate_v2(NULL, g, NULL, NULL, 0));
    CHECK("flags-null-out", cuda.cuGraphInstantiate(NULL, g, 0));
    CUDA_GRAPH_INSTANTIATE_PARAMS p;
    memset(&p, 0, sizeof p);
    CHECK("params-null-out", cuda.cuGraphInstantiateWithParams(NULL, g, &p));
    x = UNTOUCHED_EXEC;
    CHECK("params-null-params", cuda.cuGraphInstantiateWithParams(&x, g, NULL), "exec=%s",
          handle_text(x));
    x = UNTOUCHED_EXEC;
    CHECK("v1-null-graph", cuda.cuGraphInstantiate_v1(&x, NULL, NULL, NULL, 0), "exec=%s",
          handle_text(x));
    x = UNTOUCHED_EXEC;
    CHECK("v2-null-graph", cuda.cuGraphInstantiate_v2(&x, NULL, NULL, NULL, 0), "exec=%s",
          handle_text(x));
    x = UNTOUCHED_EXEC;
    CHECK("flags-null-graph", cuda.cuGraphInstantiate(&x, NULL, 0), "exec=%s", handle_text(x));
    memset(&p, 0, sizeof p);
    p.result_out = 77;
    x = UNTOUCHED_EXEC;
    CHECK("params-null-graph", cuda.cuGraphInstantiateWithParams(&x, NULL, &p), "exec=%s result=%s",
          handle_text(x), instantiate_result_name(p.result_out));
    cuuint64_t fl = 99;
    CHECK("getflags-null", cuda.cuGraphExecGetFlags(NULL, &fl), "fl=%llu", (unsigned long long)fl);
    if (case_begin("getflags-null-out")) {
        x = instantiate(g, 0);
        CUresult r = x ? cuda.cuGraphExecGetFlags(x, NULL) : RESULT_SKIPPED;
        case_end(r, " ");
    }
    CHECK("destroy-null", cuda.cuGraphExecDestroy(NULL));
    CHECK("upload-null", cuda.cuGraphUpload(NULL, streams[0]));
    CHECK("launch-null", cuda.cuGraphLaunch(NULL, streams[0]));
    CHECK("launch-null-null", cuda.cuGraphLaunch(NULL, NULL));
    CHECK("launch_ptsz-null", cuda.cuGraphLaunch_ptsz(NULL, NULL));
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        for (int f = 0; f < 16; f++) {
            if (f & 2 && f != 2 && f != 6)
                continue;
            if (case_begin(format("node-%s-flags%d", node_type_name(t), f))) {
                CUgraph h = graph_new();
                CUgraphNode n = add_node_of_type(t, h, NULL, 0);
                CUgraphExec y = UNTOUCHED_EXEC;
                CUDA_GRAPH_INSTANTIATE_PARAMS q;
                memset(&q, 0, sizeof q);
                q.flags = f;
                q.hUploadStream = f & 2 ? streams[0] : NULL;
                q.result_out = 77;
                CUresult r = cuda.cuGraphInstantiateWithParams(&y, h, &q);
                cuda.cuCtxSynchronize();
                case_end(r, " node=%s exec=%s result=%s errnode=%s", handle_text(n), handle_text(y),
                         instantiate_result_name(q.result_out),
                         !q.hErrNode_out       ? "null"
                         : q.hErrNode_out == n ? "node"
                                               : "other");
                if (!r)
                    cuda.cuGraphExecDestroy(y);
                cuda.cuGraphDestroy(h);
            }
        }
    if (case_begin("devlaunch-two-ctx")) {
        CUgraph h = graph_new();
        add_kernel(h, NULL, 0, KERNEL_NOP, 0, 0, 0);
        CUDA_KERNEL_NODE_PARAMS k = kernel_params(KERNEL_NOP, 0, 0, 0, 0);
        k.func = second_functions[KERNEL_NOP];
        CUgraphNode n = 0;
        CUresult r0 = cuda.cuGraphAddKernelNode(&n, h, NULL, 0, &k);
        CUDA_GRAPH_INSTANTIATE_PARAMS q;
        memset(&q, 0, sizeof q);
        q.flags = 4;
        q.result_out = 77;
        CUgraphExec y = UNTOUCHED_EXEC;
        CUresult r = cuda.cuGraphInstantiateWithParams(&y, h, &q);
        case_end(r, " add=%s result=%s errnode=%s", result_name(r0),
                 instantiate_result_name(q.result_out),
                 !q.hErrNode_out       ? "null"
                 : q.hErrNode_out == n ? "second"
                                       : "other");
    }
    if (case_begin("two-ctx")) {
        CUgraph h = graph_new();
        add_kernel(h, NULL, 0, KERNEL_NOP, 0, 0, 0);
        CUDA_KERNEL_NODE_PARAMS k = kernel_params(KERNEL_NOP, 0, 0, 0, 0);
        k.func = second_functions[KERNEL_NOP];
        CUgraphNode n = 0;
        CUresult r0 = cuda.cuGraphAddKernelNode(&n, h, NULL, 0, &k);
        const char *q = graph_run(h);
        case_end(r0, " run=%s", q);
    }
    if (case_begin("many-execs")) {
        CUgraphExec v[64];
        CUresult r = 0;
        for (int i = 0; i < 64; i++) {
            v[i] = 0;
            CUresult q = cuda.cuGraphInstantiate(&v[i], g, 0);
            if (q)
                r = q;
        }
        int pattern_check = 0;
        for (int i = 1; i < 64; i++)
            pattern_check += v[i] == v[i - 1];
        for (int i = 0; i < 64; i++)
            if (v[i])
                cuda.cuGraphExecDestroy(v[i]);
        case_end(r, " same=%d", pattern_check);
    }
    if (case_begin("exec-outlives-graph")) {
        buffers_clear();
        CUgraph h = graph_new();
        add_kernel(h, NULL, 0, KERNEL_SET, buffers[0], 64, 4);
        CUgraphExec y = instantiate(h, 0);
        CUresult r = cuda.cuGraphDestroy(h);
        const char *q = exec_run(y, streams[0]);
        case_end(r, " run=%s b0=%s", q, buffer_text(0));
        if (y)
            cuda.cuGraphExecDestroy(y);
    }
    if (case_begin("exec-is-snapshot")) {
        buffers_clear();
        CUgraph h = graph_new();
        CUgraphNode n = add_kernel(h, NULL, 0, KERNEL_SET, buffers[0], 64, 4);
        CUgraphExec y = instantiate(h, 0);
        CUDA_KERNEL_NODE_PARAMS k = kernel_params(KERNEL_SET, buffers[1], 0, 64, 9);
        CUresult r = cuda.cuGraphKernelNodeSetParams(n, &k);
        add_kernel(h, NULL, 0, KERNEL_SET, buffers[2], 64, 8);
        const char *q = exec_run(y, streams[0]);
        case_end(r, " run=%s b0=%s b1=%s b2=%s", q, buffer_text(0), buffer_text(1), buffer_text(2));
        if (y)
            cuda.cuGraphExecDestroy(y);
    }
}

static CUresult launch_in_thread(void *x)
{
    return cuda.cuGraphLaunch(x, streams[1]);
}

GROUP(310, launch, "launch")
{
    use_graph_objects();
    use_second_context();
    cases_independent = 1;
    struct {
        const char *n;
        CUstream s;
    } st[] = {{"null", 0},
              {"legacy", CU_STREAM_LEGACY},
              {"perthread", CU_STREAM_PER_THREAD},
              {"blocking", streams[0]},
              {"nonblocking", streams[3]}};
    for (size_t i = 0; i < COUNT_OF(st); i++) {
        if (case_begin(format("stream-%s", st[i].n))) {
            buffers_clear();
            CUgraph g = graph_new();
            add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], 64, 4);
            CUgraphExec x = instantiate(g, 0);
            CUresult u = x ? cuda.cuGraphUpload(x, st[i].s) : RESULT_SKIPPED;
            CUresult r = x ? cuda.cuGraphLaunch(x, st[i].s) : RESULT_SKIPPED;
            const char *q = sync_stream(st[i].s);
            case_end(r, " upload=%s sync=%s b0=%s", result_name(u), q, buffer_text(0));
            if (x)
                cuda.cuGraphExecDestroy(x);
            cuda.cuGraphDestroy(g);
        }
        if (case_begin(format("stream-%s-empty", st[i].n))) {
            CUgraph g = graph_new();
            CUgraphExec x = instantiate(g, 0);
            CUresult r = x ? cuda.cuGraphLaunch(x, st[i].s) : RESULT_SKIPPED;
            const char *q = sync_stream(st[i].s);
            case_end(r, " sync=%s", q);
            if (x)
                cuda.cuGraphExecDestroy(x);
            cuda.cuGraphDestroy(g);
        }
    }
    if (case_begin("ptsz-null")) {
        buffers_clear();
        CUgraph g = graph_new();
        add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], 64, 4);
        CUgraphExec x = instantiate(g, 0);
        CUresult u = x ? cuda.cuGraphUpload_ptsz(x, NULL) : RESULT_SKIPPED,
                 r = x ? cuda.cuGraphLaunch_ptsz(x, NULL) : RESULT_SKIPPED;
        const char *q = sync_context();
        case_end(r, " upload=%s sync=%s b0=%s", result_name(u), q, buffer_text(0));
        if (x)
            cuda.cuGraphExecDestroy(x);
    }
    if (case_begin("stream-of-ctx2")) {
        buffers_clear();
        cuda.cuCtxSetCurrent(second_context);
        CUstream s = stream_new(0);
        cuda.cuCtxSetCurrent(context);
        CUgraph g = graph_new();
        add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], 64, 4);
        CUgraphExec x = instantiate(g, 0);
        CUresult r = x ? cuda.cuGraphLaunch(x, s) : RESULT_SKIPPED;
        const char *q = sync_stream(s);
        case_end(r, " sync=%s b0=%s", q, buffer_text(0));
    }
    if (case_begin("ctx2-current")) {
        buffers_clear();
        CUgraph g = graph_new();
        add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], 64, 4);
        CUgraphExec x = instantiate(g, 0);
        cuda.cuCtxSetCurrent(second_context);
        CUresult r = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED;
        const char *q = sync_stream(streams[0]);
        CUresult r0 = x ? cuda.cuGraphLaunch(x, NULL) : RESULT_SKIPPED;
        const char *q0 = sync_context();
        cuda.cuCtxSetCurrent(context);
        cuda.cuCtxSynchronize();
        case_end(r, " sync=%s null=%s sync=%s b0=%s", q, result_name(r0), q0, buffer_text(0));
    }
    if (case_begin("no-ctx-current")) {
        buffers_clear();
        CUgraph g = graph_new();
        add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], 64, 4);
        CUgraphExec x = instantiate(g, 0);
        cuda.cuCtxSetCurrent(NULL);
        CUresult r = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED,
                 r0 = x ? cuda.cuGraphLaunch(x, NULL) : RESULT_SKIPPED,
                 u = x ? cuda.cuGraphUpload(x, streams[0]) : RESULT_SKIPPED,
                 d = x ? cuda.cuGraphExecDestroy(x) : RESULT_SKIPPED;
        cuda.cuCtxSetCurrent(context);
        cuda.cuCtxSynchronize();
        case_end(r, " null=%s upload=%s destroy=%s b0=%s", result_name(r0), result_name(u),
                 result_name(d), buffer_text(0));
    }
    if (case_begin("other-thread")) {
        buffers_clear();
        CUgraph g = graph_new();
        add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], 64, 4);
        CUgraphExec x = instantiate(g, 0);
        CUresult r = x ? call_in_thread(launch_in_thread, x) : RESULT_SKIPPED;
        const char *q = exec_run(x, streams[1]);
        case_end(r, " run=%s b0=%s", q, buffer_text(0));
    }
    for (int pattern_check = 0; pattern_check < 2; pattern_check++)
        if (case_begin(pattern_check ? "twice-one-stream" : "twice-two-streams")) {
            buffers_clear();
            CUgraph g = graph_new();
            CUgraphNode n = add_kernel(g, NULL, 0, KERNEL_ADD, buffers[0], BUFFER_WORDS, 1);
            add_kernel(g, &n, 1, KERNEL_MULTIPLY, buffers[0], BUFFER_WORDS, 3);
            CUgraphExec x = instantiate(g, 0);
            CUresult r = 0;
            for (int i = 0; i < 10 && x; i++) {
                CUresult q = cuda.cuGraphLaunch(x, pattern_check ? streams[0] : streams[i % 3]);
                if (q)
                    r = q;
            }
            const char *q = sync_context();
            case_end(r, " sync=%s b0=%s", q, buffer_text(0));
            if (x)
                cuda.cuGraphExecDestroy(x);
        }
    if (case_begin("two-execs-one-stream")) {
        buffers_clear();
        CUgraph g = graph_new(), h = graph_new();
        add_kernel(g, NULL, 0, KERNEL_ADD, buffers[0], BUFFER_WORDS, 1);
        add_kernel(h, NULL, 0, KERNEL_MULTIPLY, buffers[0], BUFFER_WORDS, 3);
        CUgraphExec x = instantiate(g, 0), y = instantiate(h, 0);
        CUresult r = 0;
        for (int i = 0; i < 20 && x && y; i++) {
            CUresult q = cuda.cuGraphLaunch(i & 1 ? y : x, streams[0]);
            if (q)
                r = q;
        }
        const char *q = sync_context();
        case_end(r, " sync=%s b0=%s", q, buffer_text(0));
    }
    if (case_begin("destroy-exec-running")) {
        buffers_clear();
        struct blocker b;
        memset(&b, 0, sizeof b);
        b.limit_ms = 300;
        CUgraph g = graph_new();
        add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], 64, 4);
        CUgraphExec x = instantiate(g, 0);
        stream_block(streams[0], &b);
        CUresult r = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED;
        CUresult d = x ? cuda.cuGraphExecDestroy(x) : RESULT_SKIPPED;
        stream_unblock(&b);
        const char *q = sync_stream(streams[0]);
        case_end(r, " destroy=%s sync=%s b0=%s", result_name(d), q, buffer_text(0));
    }
    if (case_begin("launch-is-async")) {
        struct blocker b;
        memset(&b, 0, sizeof b);
        b.limit_ms = 400;
        CUgraph g = graph_new();
        add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], 64, 4);
        CUgraphExec x = instantiate(g, 0);
        stream_block(streams[0], &b);
        CUresult r = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED;
        int early = b.done;
        CUresult qs = cuda.cuStreamQuery(streams[0]);
        stream_unblock(&b);
        const char *q = sync_stream(streams[0]);
        case_end(r, " returned-before=%d query=%s sync=%s", !early, result_name(qs), q);
    }
    if (case_begin("launch-while-running")) {
        buffers_clear();
        struct blocker b;
        memset(&b, 0, sizeof b);
        b.limit_ms = 400;
        CUgraph g = graph_new();
        add_kernel(g, NULL, 0, KERNEL_ADD, buffers[0], 64, 4);
        CUgraphExec x = instantiate(g, 0);
        stream_block(streams[0], &b);
        CUresult r = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED,
                 r2 = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED,
                 r3 = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED;
        stream_unblock(&b);
        const char *q = sync_stream(streams[0]);
        case_end(r, " %s %s sync=%s b0=%s", result_name(r2), result_name(r3), q, buffer_text(0));
    }
    if (case_begin("same-exec-blocked-then-other-stream")) {
        buffers_clear();
        struct blocker b;
        memset(&b, 0, sizeof b);
        b.limit_ms = 400;
        CUgraph g = graph_new();
        add_kernel(g, NULL, 0, KERNEL_ADD, buffers[0], 64, 4);
        CUgraphExec x = instantiate(g, 0);
        stream_block(streams[3], &b);
        CUresult r = x ? cuda.cuGraphLaunch(x, streams[3]) : RESULT_SKIPPED,
                 r2 = x ? cuda.cuGraphLaunch(x, streams[4]) : RESULT_SKIPPED;
        stream_unblock(&b);
        const char *q = sync_stream(streams[4]), *q2 = sync_stream(streams[3]);
        case_end(r, " %s sync=%s,%s b0=%s", result_name(r2), q, q2, buffer_text(0));
    }
    if (case_begin("order-after-stream-work")) {
        buffers_clear();
        CUgraph g = graph_new();
        add_kernel(g, NULL, 0, KERNEL_MULTIPLY, buffers[0], BUFFER_WORDS, 2);
        CUgraphExec x = instantiate(g, 0);
        cuda.cuMemsetD32Async(buffers[0], 5, BUFFER_WORDS, streams[0]);
        CUresult r = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED;
        cuda.cuMemcpyDtoDAsync(buffers[1], buffers[0], BUFFER_BYTES, streams[0]);
        const char *q = sync_stream(streams[0]);
        case_end(r, " sync=%s b0=%s b1=%s", q, buffer_text(0), buffer_text(1));
    }
    if (case_begin("order-event")) {
        buffers_clear();
        CUgraph g = graph_new();
        add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], BUFFER_WORDS, 2);
        CUgraphExec x = instantiate(g, 0);
        CUresult r = x ? cuda.cuGraphLaunch(x, streams[3]) : RESULT_SKIPPED;
        cuda.cuEventRecord(events[0], streams[3]);
        cuda.cuStreamWaitEvent(streams[4], events[0], 0);
        cuda.cuMemcpyDtoDAsync(buffers[1], buffers[0], BUFFER_BYTES, streams[4]);
        const char *q = sync_stream(streams[4]);
        case_end(r, " sync=%s b1=%s", q, buffer_text(1));
    }
    if (case_begin("event-node-orders-streams")) {
        buffers_clear();
        CUgraph g = graph_new();
        CUgraphNode n = add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], BUFFER_WORDS, 2);
        add_event_record(g, &n, 1, events[0]);
        CUgraphExec x = instantiate(g, 0);
        CUresult r = x ? cuda.cuGraphLaunch(x, streams[3]) : RESULT_SKIPPED;
        cuda.cuStreamWaitEvent(streams[4], events[0], 0);
        cuda.cuMemcpyDtoDAsync(buffers[1], buffers[0], BUFFER_BYTES, streams[4]);
        const char *q = sync_stream(streams[4]);
        cuda.cuCtxSynchronize();
        case_end(r, " sync=%s b1=%s", q, buffer_text(1));
    }
    if (case_begin("upload-then-launch")) {
        buffers_clear();
        CUgraph g = graph_new();
        add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], 64, 4);
        CUgraphExec x = instantiate(g, 0);
        CUresult u = x ? cuda.cuGraphUpload(x, streams[0]) : RESULT_SKIPPED,
                 u2 = x ? cuda.cuGraphUpload(x, streams[3]) : RESULT_SKIPPED;
        const char *q = exec_run(x, streams[0]);
        CUresult u3 = x ? cuda.cuGraphUpload(x, streams[0]) : RESULT_SKIPPED;
        case_end(u, " again=%s after=%s run=%s b0=%s", result_name(u2), result_name(u3), q,
                 buffer_text(0));
    }
    if (case_begin("changed-memory")) {
        CUgraph g = graph_new();
        add_copy(g, NULL, 0, buffers[1], buffers[0], BUFFER_BYTES);
        CUgraphExec x = instantiate(g, 0);
        buffer_set(0, 10);
        const char *q = exec_run(x, streams[0]), *a = buffer_text(1);
        buffer_set(0, 999);
        const char *q2 = exec_run(x, streams[0]);
        case_end(0, " run=%s,%s %s then %s", q, q2, a, buffer_text(1));
    }
    if (case_begin("hundred-launches")) {
        buffers_clear();
        CUgraph g = graph_new();
        CUgraphNode n = add_kernel(g, NULL, 0, KERNEL_INCREMENT, buffers[0], 1, 0);
        add_host(g, &n, 1, 7);
        host_calls[7] = 0;
        CUgraphExec x = instantiate(g, 0);
        CUresult r = 0;
        for (int i = 0; i < 100 && x; i++) {
            CUresult q = cuda.cuGraphLaunch(x, streams[0]);
            if (q)
                r = q;
        }
        const char *q = sync_stream(streams[0]);
        case_end(r, " sync=%s b0=%u host=%d", q, device_word(buffers[0]), host_calls[7]);
    }
}

GROUP(320, data, "data")
{
    use_graph_objects();
    cases_independent = 1;
    static const int len[] = {1, 2, 3, 10, 100, 1000};
    for (size_t i = 0; i < COUNT_OF(len); i++)
        if (case_begin(format("chain-%d", len[i]))) {
            buffers_clear();
            CUgraph g = graph_new();
            CUgraphNode p = 0;
            for (int k = 0; k < len[i]; k++)
                p = add_kernel(g, p ? &p : NULL, p != NULL, k & 1 ? KERNEL_MULTIPLY : KERNEL_ADD,
                               buffers[0], 64, 3 + k % 5);
            const char *q = graph_run(g);
            case_end(0, " run=%s b0=%s %s", q, buffer_text(0), graph_text(g));
            cuda.cuGraphDestroy(g);
        }
    for (size_t i = 0; i < COUNT_OF(len); i++)
        if (case_begin(format("fanout-%d", len[i]))) {
            buffers_clear();
            CUgraph g = graph_new();
            CUgraphNode *m = calloc(1000, sizeof *m);
            CUgraphNode r = add_memset(g, NULL, 0, buffers[0], 5, 4, BUFFER_WORDS);
            for (int k = 0; k < len[i]; k++)
                m[k] = add_kernel(g, &r, 1, KERNEL_ADD, buffers[0] + 16 * k, 4, k);
            add_copy(g, m, len[i], buffers[1], buffers[0], BUFFER_BYTES);
            free(m);
            const char *q = graph_run(g);
            case_end(0, " run=%s b0=%s b1=%s %s", q, buffer_text(0), buffer_text(1), graph_text(g));
            cuda.cuGraphDestroy(g);
        }
    for (int w = 2; w <= 6; w += 2)
        if (case_begin(format("layers-%d", w))) {
            buffers_clear();
            for (int i = 0; i < w; i++)
                buffer_set(i, i * 100);
            CUgraph g = graph_new();
            CUgraphNode prev[8], cur[8];
            size_t np = 0;
            memset(cur, 0, sizeof cur);
            for (int l = 0; l < 8; l++) {
                for (int k = 0; k < w; k++) {
                    cur[k] = l & 1
                                 ? add_mix_kernel(g, prev, np, buffers[k], buffers[7], 512, l + k)
                                 : add_kernel(g, prev, np, KERNEL_MULTIPLY, buffers[k], 512, 3 + k);
                }
                if (l & 1) {
                    prev[0] = add_copy(g, cur, w, buffers[7], buffers[l % w], 2048);
                    np = 1;
                } else {
                    memcpy(prev, cur, sizeof prev);
                    np = w;
                }
            }
            const char *q = graph_run(g);
            case_end(0, " run=%s sum=%s", q, buffers_checksum());
            cuda.cuGraphDestroy(g);
        }
    if (case_begin("diamond")) {
        buffers_clear();
        CUgraph g = graph_new();
        CUgraphNode a = add_memset(g, NULL, 0, buffers[0], 3, 4, BUFFER_WORDS),
                    b = add_copy(g, &a, 1, buffers[1], buffers[0], BUFFER_BYTES),
                    c = add_copy(g, &a, 1, buffers[2], buffers[0], BUFFER_BYTES),
                    b2 = add_kernel(g, &b, 1, KERNEL_ADD, buffers[1], BUFFER_WORDS, 10),
                    c2 = add_kernel(g, &c, 1, KERNEL_MULTIPLY, buffers[2], BUFFER_WORDS, 4);
        CUgraphNode d[2] = {b2, c2};
        add_mix_kernel(g, d, 2, buffers[1], buffers[2], BUFFER_WORDS, 2);
        const char *q = graph_run(g);
        case_end(0, " run=%s b0=%s b1=%s b2=%s", q, buffer_text(0), buffer_text(1), buffer_text(2));
    }
    for (int depth = 1; depth <= 5; depth++)
        if (case_begin(format("nested-%d", depth))) {
            buffers_clear();
            CUgraph c = graph_new();
            CUgraphNode n = add_kernel(c, NULL, 0, KERNEL_ADD, buffers[0], 64, 1);
            add_kernel(c, &n, 1, KERNEL_MULTIPLY, buffers[0], 64, 2);
            for (int k = 0; k < depth; k++) {
                CUgraph p = graph_new();
                CUgraphNode a = add_child(p, NULL, 0, c);
                CUgraphNode m = add_kernel(p, &a, 1, KERNEL_ADD, buffers[0], 64, 100 * (k + 1));
                add_child(p, &m, 1, c);
                cuda.cuGraphDestroy(c);
                c = p;
            }
            const char *q = graph_run(c);
            case_end(0, " run=%s b0=%s", q, buffer_text(0));
        }
    if (case_begin("mix")) {
        buffers_clear();
        host_calls[2] = 0;
        for (int i = 0; i < BUFFER_WORDS; i++)
            host_buffers[0][i] = i * 3;
        CUgraph g = graph_new();
        CUDA_MEMCPY3D c1 = copy_host_to_device(buffers[0], host_buffers[0], BUFFER_BYTES),
                      c2 = copy_device_to_host(host_buffers[1], buffers[1], BUFFER_BYTES),
                      c3 = copy_host_to_host(host_buffers[2], host_buffers[1], BUFFER_BYTES);
        CUgraphNode a = 0, b, d = 0, e = 0, f;
        CUresult r = cuda.cuGraphAddMemcpyNode(&a, g, NULL, 0, &c1, context);
        b = add_kernel(g, &a, 1, KERNEL_ADD, buffers[0], BUFFER_WORDS, 7);
        CUgraphNode z = add_memset(g, NULL, 0, buffers[1], 0x01010101, 4, BUFFER_WORDS);
        CUgraphNode dd[2] = {b, z};
        CUgraphNode m = add_mix_kernel(g, dd, 2, buffers[1], buffers[0], BUFFER_WORDS, 5);
        CUresult r2 = cuda.cuGraphAddMemcpyNode(&d, g, &m, 1, &c2, context);
        f = add_host(g, &d, 1, 2);
        CUresult r3 = cuda.cuGraphAddMemcpyNode(&e, g, &f, 1, &c3, context);
        const char *q = graph_run(g);
        case_end(r, " %s %s run=%s host=%d b1=%s h1=%08x h2=%08x", result_name(r2), result_name(r3),
                 q, host_calls[2], buffer_text(1), checksum(host_buffers[1], BUFFER_BYTES),
                 checksum(host_buffers[2], BUFFER_BYTES));
    }
    if (case_begin("shared-memory-kernel")) {
        buffers_clear();
        CUgraph g = graph_new();
        add_kernel(g, NULL, 0, KERNEL_SHARED, buffers[0], 256, 11);
        const char *q = graph_run(g);
        case_end(0, " run=%s b0=%s", q, buffer_text(0));
    }
    if (case_begin("empty-nodes-order")) {
        buffers_clear();
        CUgraph g = graph_new();
        CUgraphNode a = add_kernel(g, NULL, 0, KERNEL_SET, buffers[0], BUFFER_WORDS, 1),
                    b = add_kernel(g, NULL, 0, KERNEL_SET, buffers[1], BUFFER_WORDS, 2);
        CUgraphNode d[2] = {a, b};
        CUgraphNode j = add_empty(g, d, 2);
        add_mix_kernel(g, &j, 1, buffers[0], buffers[1], BUFFER_WORDS, 3);
        add_copy(g, &j, 1, buffers[2], buffers[1], BUFFER_BYTES);
        const char *q = graph_run(g);
        case_end(0, " run=%s b0=%s b2=%s", q, buffer_text(0), buffer_text(2));
    }
    if (case_begin("memset2d")) {
        buffers_clear();
        CUgraph g = graph_new();
        CUDA_MEMSET_NODE_PARAMS m = memset_params(buffers[0] + 8, 0xab, 1, 10, 5, 64);
        CUgraphNode n = 0;
        CUresult r = cuda.cuGraphAddMemsetNode(&n, g, NULL, 0, &m, context);
        const char *q = graph_run(g);
        case_end(r, " run=%s b0=%s", q, buffer_text(0));
    }
    if (case_begin("global-variable")) {
        CUdeviceptr gv = 0;
        size_t sz = 0;
        if (module)
            cuda.cuModuleGetGlobal(&gv, &sz, module, "gvar");
        buffers_clear();
        CUgraph g = graph_new();
        CUgraphNode n = add_memset(g, NULL, 0, gv, 42, 4, 16);
        add_copy(g, &n, 1, buffers[0], gv, 64);
        const char *q = graph_run(g);
        case_end(0, " size=%zu run=%s b0=%s", sz, q, buffer_text(0));
    }
    if (case_begin("same-child-parallel")) {
        buffers_clear();
        CUgraph c = graph_new();
        add_memset(c, NULL, 0, buffers[0], 9, 4, 64);
        CUgraph g = graph_new();
        CUgraphNode a = add_child(g, NULL, 0, c), b = add_child(g, &a, 1, c),
                    d = add_child(g, &b, 1, c);
        (void)d;
        const char *q = graph_run(g);
        case_end(0, " run=%s b0=%s %s", q, buffer_text(0), graph_text(g));
    }
}
