/* SPDX-License-Identifier: MIT */
/* Stream capture: begin, end and what is known of a capture. */
#include "capture.h"

static CUresult end_in_thread(void *u)
{
    CUgraph g = 0;
    CUresult r = cuda.cuStreamEndCapture(u, &g);
    return r;
}

static int status_in_thread;
static CUresult result_of_end;

/* Begins and ends a capture in the same thread. */
static CUresult begin_in_thread(void *u)
{
    CUstream s = ((void **)u)[0];
    CUresult r = cuda.cuStreamBeginCapture(s, *(int *)((void **)u)[1]);
    status_in_thread = capture_status(s);
    CUgraph g = 0;
    result_of_end = cuda.cuStreamEndCapture(s, &g);
    return r;
}

static CUresult status_of(void *u)
{
    CUstreamCaptureStatus c = 77;
    CUresult r = cuda.cuStreamIsCapturing(u, &c);
    return r ? r : (CUresult)(10000 + c);
}

GROUP(500, cap_begin, "cap-begin")
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
    for (int m = -1; m <= 3; m++)
        for (size_t i = 0; i < COUNT_OF(st); i++)
            if (case_begin(format("mode%d-%s", m, st[i].n))) {
                CUresult r = cuda.cuStreamBeginCapture(st[i].s, m);
                int c = capture_status(st[i].s);
                CUgraph g = 0;
                const char *e = r ? "-" : capture_end(st[i].s, &g);
                case_end(r, " status=%s end=%s graph=%s %s after=%s", capture_status_name(c), e,
                         handle_text(g), g ? graph_text(g) : "-",
                         capture_status_name(capture_status(st[i].s)));
                if (g)
                    cuda.cuGraphDestroy(g);
                captures_end();
            }
    for (size_t i = 0; i < COUNT_OF(st); i++) {
        if (case_begin(format("v1-%s", st[i].n))) {
            CUresult r = cuda.cuStreamBeginCapture_v1(st[i].s);
            int c = capture_status(st[i].s);
            CUgraph g = 0;
            const char *e = r ? "-" : capture_end(st[i].s, &g);
            case_end(r, " status=%s end=%s", capture_status_name(c), e);
            captures_end();
        }
        if (case_begin(format("ptsz-%s", st[i].n))) {
            CUresult r = cuda.cuStreamBeginCapture_v2_ptsz(st[i].s, 2);
            CUstreamCaptureStatus c = 77;
            CUresult q = cuda.cuStreamIsCapturing_ptsz(st[i].s, &c);
            int pt = capture_status(CU_STREAM_PER_THREAD);
            CUgraph g = 0;
            CUresult e = cuda.cuStreamEndCapture_ptsz(st[i].s, &g);
            case_end(r, " is=%s %s perthread=%s end=%s", result_name(q), capture_status_name(c),
                     capture_status_name(pt), result_name(e));
            captures_end();
        }
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (case_begin(format("again-%s-%s", mode_names[a], mode_names[b]))) {
                CUresult r0 = cuda.cuStreamBeginCapture(streams[0], a),
                         r = cuda.cuStreamBeginCapture(streams[0], b);
                int c = capture_status(streams[0]);
                CUgraph g = 0;
                const char *e = capture_end(streams[0], &g);
                case_end(r, " first=%s status=%s end=%s", result_name(r0), capture_status_name(c),
                         e);
                captures_end();
            }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (case_begin(format("two-streams-%s-%s", mode_names[a], mode_names[b]))) {
                CUresult r0 = cuda.cuStreamBeginCapture(streams[0], a),
                         r = cuda.cuStreamBeginCapture(streams[3], b);
                CUgraph g = 0, h = 0;
                const char *e = capture_end(streams[3], &h), *f = capture_end(streams[0], &g);
                case_end(r, " first=%s end2=%s end1=%s", result_name(r0), e, f);
                captures_end();
            }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (case_begin(format("other-thread-begins-%s-%s", mode_names[a], mode_names[b]))) {
                CUresult r0 = cuda.cuStreamBeginCapture(streams[0], a);
                void *u[2] = {streams[3], &b};
                CUresult r = call_in_thread(begin_in_thread, u);
                int c = capture_status(streams[0]);
                CUgraph g = 0;
                const char *f = capture_end(streams[0], &g);
                case_end(r, " first=%s status2=%s end2=%s status1=%s end1=%s", result_name(r0),
                         capture_status_name(status_in_thread), result_name(result_of_end),
                         capture_status_name(c), f);
                captures_end();
            }
    if (case_begin("stream-ctx2")) {
        cuda.cuCtxSetCurrent(second_context);
        CUstream s = stream_new(0);
        cuda.cuCtxSetCurrent(context);
        CUresult r = cuda.cuStreamBeginCapture(s, 2);
        CUgraph g = 0;
        const char *e = capture_end(s, &g);
        case_end(r, " end=%s", e);
    }
    if (case_begin("no-ctx")) {
        cuda.cuCtxSetCurrent(NULL);
        CUresult r = cuda.cuStreamBeginCapture(streams[0], 2);
        int c = capture_status(streams[0]);
        CUgraph g = 0;
        const char *e = capture_end(streams[0], &g);
        cuda.cuCtxSetCurrent(context);
        case_end(r, " status=%s end=%s", capture_status_name(c), e);
        captures_end();
    }
    if (case_begin("with-pending-work")) {
        struct blocker b;
        memset(&b, 0, sizeof b);
        b.limit_ms = 300;
        stream_block(streams[0], &b);
        CUresult r = cuda.cuStreamBeginCapture(streams[0], 2);
        CUgraph g = 0;
        const char *e = capture_end(streams[0], &g);
        stream_unblock(&b);
        case_end(r, " end=%s sync=%s", e, sync_stream(streams[0]));
    }
    /* to graph */
    for (int m = -1; m <= 3; m++)
        if (case_begin(format("tograph-mode%d", m))) {
            CUgraph g = graph_new();
            CUresult r = cuda.cuStreamBeginCaptureToGraph(streams[0], g, NULL, NULL, 0, m);
            if (!r)
                cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
            CUgraph o = 0;
            const char *e = capture_end(streams[0], &o);
            case_end(r, " end=%s same=%d %s", e, o == g, graph_text(g));
            captures_end();
        }
    if (case_begin("tograph-deps")) {
        CUgraph g = graph_new();
        CUgraphNode d[2] = {add_empty(g, NULL, 0), add_empty(g, NULL, 0)};
        CUresult r = cuda.cuStreamBeginCaptureToGraph(streams[0], g, d, NULL, 2, 2);
        if (!r) {
            cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
            cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
        }
        CUgraph o = 0;
        const char *e = capture_end(streams[0], &o);
        case_end(r, " end=%s %s", e, graph_text(g));
        captures_end();
    }
    if (case_begin("tograph-deps-ed")) {
        CUgraph g = graph_new();
        CUgraphNode d = add_node_of_type(0, g, NULL, 0);
        CUgraphEdgeData ed;
        memset(&ed, 0, sizeof ed);
        ed.from_port = 1;
        ed.type = 1;
        CUresult r = cuda.cuStreamBeginCaptureToGraph(streams[0], g, &d, &ed, 1, 2);
        if (!r)
            launch_kernel(streams[0], KERNEL_ADD, buffers[1], 64, 1);
        CUgraph o = 0;
        const char *e = capture_end(streams[0], &o);
        case_end(r, " end=%s %s", e, graph_text(g));
        captures_end();
    }
    if (case_begin("tograph-deps-ed-memset")) {
        CUgraph g = graph_new();
        CUgraphNode d = add_node_of_type(0, g, NULL, 0);
        CUgraphEdgeData ed;
        memset(&ed, 0, sizeof ed);
        ed.from_port = 1;
        ed.type = 1;
        CUresult r = cuda.cuStreamBeginCaptureToGraph(streams[0], g, &d, &ed, 1, 2);
        CUresult q = RESULT_SKIPPED;
        if (!r)
            q = cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
        CUgraph o = 0;
        const char *e = capture_end(streams[0], &o);
        case_end(r, " memset=%s end=%s %s", result_name(q), e, graph_text(g));
        captures_end();
    }
    if (case_begin("tograph-null")) {
        CUresult r = cuda.cuStreamBeginCaptureToGraph(streams[0], NULL, NULL, NULL, 0, 2);
        case_end(r, " status=%s", capture_status_name(capture_status(streams[0])));
        captures_end();
    }
    if (case_begin("tograph-null-deps1")) {
        CUgraph g = graph_new();
        CUresult r = cuda.cuStreamBeginCaptureToGraph(streams[0], g, NULL, NULL, 1, 2);
        case_end(r, " status=%s", capture_status_name(capture_status(streams[0])));
        captures_end();
    }
    if (case_begin("tograph-null-dep")) {
        CUgraph g = graph_new();
        CUgraphNode d = NULL;
        CUresult r = cuda.cuStreamBeginCaptureToGraph(streams[0], g, &d, NULL, 1, 2);
        case_end(r, " status=%s", capture_status_name(capture_status(streams[0])));
        captures_end();
    }
    if (case_begin("tograph-other-graph-dep")) {
        CUgraph g = graph_new(), h = graph_new();
        CUgraphNode d = add_empty(h, NULL, 0);
        CUresult r = cuda.cuStreamBeginCaptureToGraph(streams[0], g, &d, NULL, 1, 2);
        CUresult q = r ? RESULT_SKIPPED : cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
        CUgraph o = 0;
        const char *e = capture_end(streams[0], &o);
        case_end(r, " memset=%s end=%s", result_name(q), e);
        captures_end();
    }
    if (case_begin("tograph-dup-deps")) {
        CUgraph g = graph_new();
        CUgraphNode a = add_empty(g, NULL, 0), d[2] = {a, a};
        CUresult r = cuda.cuStreamBeginCaptureToGraph(streams[0], g, d, NULL, 2, 2);
        CUresult q = r ? RESULT_SKIPPED : cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
        CUgraph o = 0;
        const char *e = capture_end(streams[0], &o);
        case_end(r, " memset=%s end=%s %s", result_name(q), e, graph_text(g));
        captures_end();
    }
    if (case_begin("tograph-legacy")) {
        CUgraph g = graph_new();
        CUresult r = cuda.cuStreamBeginCaptureToGraph(NULL, g, NULL, NULL, 0, 2);
        case_end(r, " ");
    }
    if (case_begin("tograph-body")) {
        CUgraph g = graph_new(), b = 0;
        add_conditional(g, NULL, 0, 0, 1, 1, &b);
        CUresult r =
            b ? cuda.cuStreamBeginCaptureToGraph(streams[0], b, NULL, NULL, 0, 2) : RESULT_SKIPPED;
        if (!r)
            launch_kernel(streams[0], KERNEL_SET, buffers[0], 64, 3);
        CUgraph o = 0;
        const char *e = capture_end(streams[0], &o);
        buffers_clear();
        const char *q = graph_run(g);
        case_end(r, " end=%s same=%d body=%s run=%s b0=%s", e, o == b, b ? graph_text(b) : "-", q,
                 buffer_text(0));
        captures_end();
    }
    if (case_begin("tograph-invalidated")) {
        CUgraph g = graph_new();
        add_empty(g, NULL, 0);
        CUresult r = cuda.cuStreamBeginCaptureToGraph(streams[0], g, NULL, NULL, 0, 0);
        cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
        CUresult q = cuda.cuStreamSynchronize(streams[0]);
        CUgraph o = UNTOUCHED_GRAPH;
        CUresult e = cuda.cuStreamEndCapture(streams[0], &o);
        case_end(r, " sync=%s end=%s out=%s %s", result_name(q), result_name(e), handle_text(o),
                 graph_text(g));
        captures_end();
    }
    if (case_begin("tograph-twice")) {
        CUgraph g = graph_new();
        CUresult r = cuda.cuStreamBeginCaptureToGraph(streams[0], g, NULL, NULL, 0, 2),
                 r2 = cuda.cuStreamBeginCaptureToGraph(streams[3], g, NULL, NULL, 0, 2);
        cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
        cuda.cuMemsetD32Async(buffers[1], 1, 64, streams[3]);
        CUgraph o = 0, p = 0;
        const char *e = capture_end(streams[0], &o), *f = capture_end(streams[3], &p);
        case_end(r, " second=%s end=%s,%s %s", result_name(r2), e, f, graph_text(g));
        captures_end();
    }
}

GROUP(501, cap_end, "cap-end")
{
    use_graph_objects();
    cases_independent = 1;
    CUgraph g = UNTOUCHED_GRAPH;
    CHECK("not-capturing", cuda.cuStreamEndCapture(streams[0], &g), "out=%s", handle_text(g));
    g = UNTOUCHED_GRAPH;
    CHECK("not-capturing-legacy", cuda.cuStreamEndCapture(NULL, &g), "out=%s", handle_text(g));
    CHECK("not-capturing-null-out", cuda.cuStreamEndCapture(streams[0], NULL));
    if (case_begin("null-out")) {
        cuda.cuStreamBeginCapture(streams[0], 2);
        CUresult r = cuda.cuStreamEndCapture(streams[0], NULL);
        int c = capture_status(streams[0]);
        CUgraph h = 0;
        const char *e = capture_end(streams[0], &h);
        case_end(r, " status=%s again=%s", capture_status_name(c), e);
        captures_end();
    }
    for (int m = 0; m < 3; m++) {
        if (case_begin(format("other-thread-%s", mode_names[m]))) {
            CUresult b = cuda.cuStreamBeginCapture(streams[0], m);
            CUresult r = call_in_thread(end_in_thread, streams[0]);
            int c = capture_status(streams[0]);
            CUgraph h = 0;
            const char *e = capture_end(streams[0], &h);
            case_end(r, " begin=%s status=%s own=%s", result_name(b), capture_status_name(c), e);
            captures_end();
        }
        if (case_begin(format("status-other-thread-%s", mode_names[m]))) {
            cuda.cuStreamBeginCapture(streams[0], m);
            CUresult r = call_in_thread(status_of, streams[0]);
            case_end(0, " %s", r >= 10000 ? capture_status_name(r - 10000) : result_name(r));
            captures_end();
        }
        if (case_begin(format("unjoined-%s", mode_names[m]))) {
            cuda.cuStreamBeginCapture(streams[0], m);
            CUresult q1 = cuda.cuEventRecord(events[0], streams[0]),
                     q2 = cuda.cuStreamWaitEvent(streams[3], events[0], 0),
                     q3 = cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[3]);
            int c3 = capture_status(streams[3]);
            CUgraph h = UNTOUCHED_GRAPH;
            CUresult r = cuda.cuStreamEndCapture(streams[0], &h);
            case_end(r, " %s %s %s fork=%s out=%s after=%s,%s", result_name(q1), result_name(q2),
                     result_name(q3), capture_status_name(c3), handle_text(h),
                     capture_status_name(capture_status(streams[0])),
                     capture_status_name(capture_status(streams[3])));
            captures_end();
        }
        if (case_begin(format("forked-no-work-%s", mode_names[m]))) {
            cuda.cuStreamBeginCapture(streams[0], m);
            cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
            cuda.cuEventRecord(events[0], streams[0]);
            cuda.cuStreamWaitEvent(streams[3], events[0], 0);
            CUgraph h = UNTOUCHED_GRAPH;
            CUresult r = cuda.cuStreamEndCapture(streams[0], &h);
            case_end(r, " out=%s after=%s,%s", handle_text(h),
                     capture_status_name(capture_status(streams[0])),
                     capture_status_name(capture_status(streams[3])));
            captures_end();
        }
        if (case_begin(format("end-on-forked-%s", mode_names[m]))) {
            cuda.cuStreamBeginCapture(streams[0], m);
            cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
            cuda.cuEventRecord(events[0], streams[0]);
            cuda.cuStreamWaitEvent(streams[3], events[0], 0);
            CUgraph h = UNTOUCHED_GRAPH;
            CUresult r = cuda.cuStreamEndCapture(streams[3], &h);
            CUgraph h2 = UNTOUCHED_GRAPH;
            int a = capture_status(streams[0]), b = capture_status(streams[3]);
            CUresult r2 = cuda.cuStreamEndCapture(streams[0], &h2);
            case_end(r, " out=%s status=%s,%s own=%s out=%s", handle_text(h),
                     capture_status_name(a), capture_status_name(b), result_name(r2),
                     handle_text(h2));
            captures_end();
        }
        if (case_begin(format("invalidated-%s", mode_names[m]))) {
            cuda.cuStreamBeginCapture(streams[0], m);
            CUresult q = cuda.cuStreamSynchronize(streams[0]);
            int c = capture_status(streams[0]);
            CUresult w = cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
            CUgraph h = UNTOUCHED_GRAPH;
            CUresult r = cuda.cuStreamEndCapture(streams[0], &h);
            CUresult after = cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
            case_end(r, " sync=%s status=%s work=%s out=%s after=%s work-after=%s", result_name(q),
                     capture_status_name(c), result_name(w), handle_text(h),
                     capture_status_name(capture_status(streams[0])), result_name(after));
            captures_end();
        }
    }
    if (case_begin("empty-twice")) {
        cuda.cuStreamBeginCapture(streams[0], 2);
        CUgraph h = 0, k = 0;
        const char *e = capture_end(streams[0], &h), *f = capture_end(streams[0], &k);
        case_end(0, " %s then %s", e, f);
        captures_end();
    }
    if (case_begin("does-not-run")) {
        buffers_clear();
        cuda.cuStreamBeginCapture(streams[0], 2);
        cuda.cuMemsetD32Async(buffers[0], 9, 64, streams[0]);
        CUgraph h = 0;
        const char *e = capture_end(streams[0], &h);
        cuda.cuCtxSynchronize();
        const char *a = buffer_text(0);
        const char *q = h ? graph_run(h) : "-";
        case_end(0, " %s before=%s run=%s after=%s", e, a, q, buffer_text(0));
        captures_end();
    }
    if (case_begin("capture-again")) {
        buffers_clear();
        CUgraph h = 0, k = 0;
        cuda.cuStreamBeginCapture(streams[0], 2);
        cuda.cuMemsetD32Async(buffers[0], 9, 64, streams[0]);
        const char *e = capture_end(streams[0], &h);
        cuda.cuStreamBeginCapture(streams[0], 2);
        cuda.cuMemsetD32Async(buffers[1], 7, 64, streams[0]);
        const char *f = capture_end(streams[0], &k);
        const char *q = h ? graph_run(h) : "-", *q2 = k ? graph_run(k) : "-";
        case_end(0, " %s %s differ=%d run=%s,%s b0=%s b1=%s", e, f, h != k, q, q2, buffer_text(0),
                 buffer_text(1));
        captures_end();
    }
}

GROUP(502, cap_info, "cap-info")
{
    use_graph_objects();
    cases_independent = 1;
    for (int k = 0; k < 4; k++)
        if (case_begin(format("v3-%s", k == 0   ? "none"
                                       : k == 1 ? "begin"
                                       : k == 2 ? "one-node"
                                                : "fork-joined"))) {
            if (k)
                cuda.cuStreamBeginCapture(streams[0], 2);
            if (k >= 2)
                cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
            if (k == 3) {
                cuda.cuEventRecord(events[0], streams[0]);
                cuda.cuStreamWaitEvent(streams[3], events[0], 0);
                cuda.cuMemsetD32Async(buffers[1], 1, 64, streams[3]);
                cuda.cuMemsetD32Async(buffers[2], 1, 64, streams[0]);
                cuda.cuEventRecord(events[1], streams[3]);
                cuda.cuStreamWaitEvent(streams[0], events[1], 0);
            }
            CUstreamCaptureStatus st = 77;
            cuuint64_t id = UNTOUCHED;
            CUgraph g = UNTOUCHED_GRAPH;
            const CUgraphNode *d = (const CUgraphNode *)UNTOUCHED;
            const CUgraphEdgeData *ed = (const CUgraphEdgeData *)UNTOUCHED;
            size_t n = 77;
            CUresult r = cuda.cuStreamGetCaptureInfo(streams[0], &st, &id, &g, &d, &ed, &n);
            CUstreamCaptureStatus st2 = 77;
            cuuint64_t id2 = UNTOUCHED;
            CUgraph g2 = UNTOUCHED_GRAPH;
            const CUgraphNode *d2 = (const CUgraphNode *)UNTOUCHED;
            size_t n2 = 77;
            CUresult r2 = cuda.cuStreamGetCaptureInfo_v2(streams[0], &st2, &id2, &g2, &d2, &n2);
            CUstreamCaptureStatus st1 = 77;
            cuuint64_t id1 = UNTOUCHED;
            CUresult r1 = cuda.cuStreamGetCaptureInfo_v1(streams[0], &st1, &id1);
            char deps[200] = "-";
            if (!r && st == 1 && d && (uintptr_t)d != UNTOUCHED && g != UNTOUCHED_GRAPH) {
                CUgraphNode all[16];
                memset(all, 0, sizeof all);
                size_t c = 16;
                if (!cuda.cuGraphGetNodes(g, all, &c) && c <= 16)
                    snprintf(deps, sizeof deps, "%s", node_order(d, n < 16 ? n : 0, all, c));
            }
            case_end(r,
                     " st=%s id=%s graph=%s deps=%s ed=%s n=%zu nodes=%s v2=%s st=%s sameid=%d "
                     "samegraph=%d samedeps=%d n=%zu v1=%s st=%s sameid=%d",
                     capture_status_name(st), out_state_of(id), handle_text(g), handle_text(d),
                     handle_text(ed), n, deps, result_name(r2), capture_status_name(st2), id == id2,
                     g == g2, d == d2, n2, result_name(r1), capture_status_name(st1), id == id1);
            captures_end();
        }
    struct {
        const char *n;
        CUstream s;
    } st[] = {{"null", 0}, {"legacy", CU_STREAM_LEGACY}, {"perthread", CU_STREAM_PER_THREAD}};
    for (size_t i = 0; i < 3; i++)
        for (int cap = 0; cap < 3; cap++)
            if (case_begin(format("query-%s-%s", st[i].n,
                                  cap == 0   ? "idle"
                                  : cap == 1 ? "blocking-captures"
                                             : "nonblocking-captures"))) {
                if (cap)
                    cuda.cuStreamBeginCapture(cap == 1 ? streams[0] : streams[3], 2);
                CUstreamCaptureStatus a = 77, b = 77;
                cuuint64_t id = UNTOUCHED;
                CUresult r = cuda.cuStreamIsCapturing(st[i].s, &a);
                CUresult r3 = cuda.cuStreamGetCaptureInfo(st[i].s, &b, &id, NULL, NULL, NULL, NULL);
                int c = capture_status(cap == 2 ? streams[3] : streams[0]);
                case_end(r, " st=%s info=%s st=%s id=%s capture=%s",
                         a == 77 ? "kept" : capture_status_name(a), result_name(r3),
                         b == 77 ? "kept" : capture_status_name(b), out_state_of(id),
                         capture_status_name(c));
                captures_end();
            }
    CHECK("is-null-out", cuda.cuStreamIsCapturing(streams[0], NULL));
    CHECK("info-null-status",
          cuda.cuStreamGetCaptureInfo(streams[0], NULL, NULL, NULL, NULL, NULL, NULL));
    if (case_begin("info-null-status-capturing")) {
        cuda.cuStreamBeginCapture(streams[0], 2);
        CUresult r = cuda.cuStreamGetCaptureInfo(streams[0], NULL, NULL, NULL, NULL, NULL, NULL);
        case_end(r, " status=%s", capture_status_name(capture_status(streams[0])));
        captures_end();
    }
    for (int k = 0; k < 6; k++)
        if (case_begin(format("info-null-%d", k))) {
            cuda.cuStreamBeginCapture(streams[0], 2);
            cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
            CUstreamCaptureStatus s = 77;
            cuuint64_t id = 0;
            CUgraph g = 0;
            const CUgraphNode *d = 0;
            const CUgraphEdgeData *ed = 0;
            size_t n = 0;
            CUresult r = cuda.cuStreamGetCaptureInfo(
                streams[0], k == 0 ? NULL : &s, k == 1 ? NULL : &id, k == 2 ? NULL : &g,
                k == 3 ? NULL : &d, k == 4 ? NULL : &ed, k == 5 ? NULL : &n);
            case_end(r, " st=%d n=%zu", (int)s, n);
            captures_end();
        }
    if (case_begin("only-ed")) {
        cuda.cuStreamBeginCapture(streams[0], 2);
        cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);
        CUstreamCaptureStatus s = 77;
        const CUgraphEdgeData *ed = 0;
        CUresult r = cuda.cuStreamGetCaptureInfo(streams[0], &s, NULL, NULL, NULL, &ed, NULL);
        case_end(r, " ed=%s", handle_text(ed));
        captures_end();
    }
    if (case_begin("lossy")) {
        CUgraph g = graph_new();
        CUgraphNode d = add_node_of_type(0, g, NULL, 0);
        CUgraphEdgeData e;
        memset(&e, 0, sizeof e);
        e.from_port = 1;
        e.type = 1;
        CUresult b = cuda.cuStreamBeginCaptureToGraph(streams[0], g, &d, &e, 1, 2);
        CUstreamCaptureStatus s = 77;
        cuuint64_t id;
        const CUgraphNode *dd = 0;
        const CUgraphEdgeData *ed = 0;
        size_t n = 77;
        CUresult r = cuda.cuStreamGetCaptureInfo(streams[0], &s, &id, NULL, &dd, NULL, &n),
                 r2 = cuda.cuStreamGetCaptureInfo_v2(streams[0], &s, &id, NULL, &dd, &n),
                 r3 = cuda.cuStreamGetCaptureInfo(streams[0], &s, &id, NULL, &dd, &ed, &n);
        case_end(r, " begin=%s v2=%s full=%s type=%d", result_name(b), result_name(r2),
                 result_name(r3), !r3 && ed ? ed[0].type : -1);
        captures_end();
    }
    if (case_begin("ids")) {
        cuuint64_t id[4] = {0, 0, 0, 0};
        CUstreamCaptureStatus s;
        CUgraph g = 0;
        for (int i = 0; i < 2; i++) {
            cuda.cuStreamBeginCapture(streams[0], 2);
            cuda.cuEventRecord(events[0], streams[0]);
            cuda.cuStreamWaitEvent(streams[3], events[0], 0);
            cuda.cuStreamGetCaptureInfo(streams[0], &s, &id[i * 2], NULL, NULL, NULL, NULL);
            cuda.cuStreamGetCaptureInfo(streams[3], &s, &id[i * 2 + 1], NULL, NULL, NULL, NULL);
            cuda.cuEventRecord(events[1], streams[3]);
            cuda.cuStreamWaitEvent(streams[0], events[1], 0);
            cuda.cuStreamEndCapture(streams[0], &g);
        }
        case_end(0, " fork-same=%d repeat=%d diff=%lld", id[0] == id[1], id[0] == id[2],
                 (long long)(id[2] - id[0]));
        captures_end();
    }
    if (case_begin("invalidated-info")) {
        cuda.cuStreamBeginCapture(streams[0], 0);
        cuda.cuStreamSynchronize(streams[0]);
        CUstreamCaptureStatus s = 77;
        cuuint64_t id = UNTOUCHED;
        CUgraph g = UNTOUCHED_GRAPH;
        size_t n = 77;
        const CUgraphNode *d = (const CUgraphNode *)UNTOUCHED;
        CUresult r = cuda.cuStreamGetCaptureInfo(streams[0], &s, &id, &g, &d, NULL, &n);
        case_end(r, " st=%s id=%s graph=%s deps=%s n=%zu", capture_status_name(s), out_state_of(id),
                 handle_text(g), handle_text(d), n);
        captures_end();
    }
    if (case_begin("graph-same-at-end")) {
        cuda.cuStreamBeginCapture(streams[0], 2);
        CUstreamCaptureStatus s;
        CUgraph g = 0, h = 0;
        cuda.cuStreamGetCaptureInfo(streams[0], &s, NULL, &g, NULL, NULL, NULL);
        CUresult r = cuda.cuStreamEndCapture(streams[0], &h);
        case_end(r, " same=%d", g && g == h);
        captures_end();
    }
}
