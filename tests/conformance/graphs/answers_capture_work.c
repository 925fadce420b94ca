/* SPDX-License-Identifier: MIT */
/* Stream capture: dependencies, modes, forks, what one call becomes, destroyed streams. */
#include "capture.h"

static unsigned char host_source[BUFFER_BYTES] __attribute__((aligned(4096))),
    host_target[BUFFER_BYTES] __attribute__((aligned(4096)));

GROUP(503, cap_deps, "cap-deps")
{
    use_graph_objects();
    cases_independent = 1;
#define DEPENDENCY_CASE(nm, ...)                                                                   \
    if (case_begin(nm)) {                                                                          \
        CUresult b = cuda.cuStreamBeginCapture(streams[0], 2);                                     \
        CUstreamCaptureStatus s = 77;                                                              \
        CUgraph g = 0;                                                                             \
        cuda.cuStreamGetCaptureInfo(streams[0], &s, NULL, &g, NULL, NULL, NULL);                   \
        CUgraphNode n[4];                                                                          \
        memset(n, 0, sizeof n);                                                                    \
        cuda.cuMemsetD32Async(buffers[0], 1, 64, streams[0]);                                      \
        if (g) {                                                                                   \
            n[0] = add_empty(g, NULL, 0);                                                          \
            n[1] = add_empty(g, NULL, 0);                                                          \
        }                                                                                          \
        CUresult r = RESULT_SKIPPED;                                                               \
        __VA_ARGS__;                                                                               \
        CUresult w = cuda.cuMemsetD32Async(buffers[0], 2, 64, streams[0]);                         \
        const char *in = g ? graph_text(g) : "-";                                                  \
        CUgraph o = 0;                                                                             \
        const char *e = capture_end(streams[0], &o);                                               \
        case_end(r, " begin=%s work=%s in=%s end=%s %s", result_name(b), result_name(w), in, e,    \
                 graph_text(o));                                                                   \
        captures_end();                                                                            \
    }

#include "capture_dependencies.def"

    CHECK("idle", cuda.cuStreamUpdateCaptureDependencies(streams[0], NULL, NULL, 0, 0));
    CHECK("idle-v1", cuda.cuStreamUpdateCaptureDependencies_v1(streams[0], NULL, 0, 0));
}

GROUP(504, cap_mode, "cap-mode")
{
    use_graph_objects();
    cases_independent = 1;
    CHECK("null", cuda.cuThreadExchangeStreamCaptureMode(NULL));
    for (int m = -1; m <= 3; m++)
        if (case_begin(format("exchange-%d", m))) {
            CUstreamCaptureMode c = m;
            CUresult r = cuda.cuThreadExchangeStreamCaptureMode(&c);
            int old = c;
            CUstreamCaptureMode d = 0;
            cuda.cuThreadExchangeStreamCaptureMode(&d);
            case_end(r, " old=%d now=%d", old, (int)d);
        }
    for (int own = 0; own < 3; own++)
        for (int cap = 0; cap < 3; cap++)
            for (int th = 0; th < 2; th++)
                if (case_begin(format("thread-%s-capture-%s-alloc-%s", mode_names[own],
                                      mode_names[cap], th ? "other" : "same"))) {
                    CUstreamCaptureMode c = own;
                    cuda.cuThreadExchangeStreamCaptureMode(&c);
                    CUresult b = cuda.cuStreamBeginCapture(streams[0], cap);
                    CUresult r = th ? call_in_thread(allocate, NULL) : allocate(NULL);
                    int s = capture_status(streams[0]);
                    CUgraph g = 0;
                    const char *e = capture_end(streams[0], &g);
                    c = 0;
                    cuda.cuThreadExchangeStreamCaptureMode(&c);
                    case_end(r, " begin=%s status=%s end=%s", result_name(b),
                             capture_status_name(s), e);
                    captures_end();
                }
    if (case_begin("other-thread-default")) {
        CUstreamCaptureMode c = 2;
        cuda.cuThreadExchangeStreamCaptureMode(&c);
        CUresult b = cuda.cuStreamBeginCapture(streams[0], 0);
        CUresult r = call_in_thread(allocate, NULL);
        int s = capture_status(streams[0]);
        CUgraph g = 0;
        const char *e = capture_end(streams[0], &g);
        c = 0;
        cuda.cuThreadExchangeStreamCaptureMode(&c);
        case_end(r, " begin=%s status=%s end=%s", result_name(b), capture_status_name(s), e);
        captures_end();
    }
}

/* fork and join */
#define CAPTURE_CASE(nm, m, ...)                                                                   \
    if (case_begin(nm)) {                                                                          \
        buffers_clear();                                                                           \
        CUresult r = cuda.cuStreamBeginCapture(streams[0], m);                                     \
        CUresult a = RESULT_SKIPPED, b = RESULT_SKIPPED;                                           \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        __VA_ARGS__;                                                                               \
        int s0 = capture_status(streams[0]);                                                       \
        CUgraph g = 0;                                                                             \
        const char *e = capture_end(streams[0], &g);                                               \
        const char *q = g ? graph_run(g) : "-";                                                    \
        case_end(r, " a=%s b=%s status=%s end=%s %s run=%s b0=%s b1=%s", result_name(a),           \
                 result_name(b), capture_status_name(s0), e, graph_text(g), q, buffer_text(0),     \
                 buffer_text(1));                                                                  \
        if (g)                                                                                     \
            cuda.cuGraphDestroy(g);                                                                \
        captures_end();                                                                            \
    }
#define MEMSET(b, v, s) cuda.cuMemsetD32Async(buffers[b], v, 64, streams[s])
GROUP(505, cap_fork, "cap-fork")
{
    use_graph_objects();
    cases_independent = 1;

#include "capture_forks.def"

    if (case_begin("outside-event-recorded")) {
        cuda.cuEventRecord(events[6], streams[1]);
        cuda.cuCtxSynchronize();
        CUresult r0 = cuda.cuStreamBeginCapture(streams[0], 2);
        CUresult r = cuda.cuStreamWaitEvent(streams[0], events[6], 0);
        int s = capture_status(streams[0]);
        CUgraph g = 0;
        const char *e = capture_end(streams[0], &g);
        case_end(r, " begin=%s status=%s end=%s %s", result_name(r0), capture_status_name(s), e,
                 graph_text(g));
        captures_end();
    }
    if (case_begin("outside-event-recorded-on-same-stream-before")) {
        cuda.cuEventRecord(events[6], streams[0]);
        CUresult r0 = cuda.cuStreamBeginCapture(streams[0], 2);
        CUresult r = cuda.cuStreamWaitEvent(streams[0], events[6], 0);
        int s = capture_status(streams[0]);
        CUgraph g = 0;
        const char *e = capture_end(streams[0], &g);
        case_end(r, " begin=%s status=%s end=%s %s", result_name(r0), capture_status_name(s), e,
                 graph_text(g));
        captures_end();
    }
    for (int fl = 0; fl < 3; fl++) {
        CAPTURE_CASE(format("record-flags-%d", fl), 2, MEMSET(0, 1, 0);
                     a = cuda.cuEventRecordWithFlags(events[0], streams[0], fl);
                     b = MEMSET(1, 2, 0));
        CAPTURE_CASE(format("wait-flags-%d-inside", fl), 2, MEMSET(0, 1, 0);
                     a = cuda.cuEventRecord(events[0], streams[0]);
                     b = cuda.cuStreamWaitEvent(streams[0], events[0], fl); MEMSET(1, 2, 0));
        CAPTURE_CASE(format("wait-flags-%d-outside", fl), 2, MEMSET(0, 1, 0);
                     b = cuda.cuStreamWaitEvent(streams[0], events[7], fl); MEMSET(1, 2, 0));
        CAPTURE_CASE(format("record-external-then-wait-%d", fl), 2, MEMSET(0, 1, 0);
                     a = cuda.cuEventRecordWithFlags(events[0], streams[0], 1);
                     b = cuda.cuStreamWaitEvent(streams[3], events[0], fl); MEMSET(1, 2, 0));
    }
    if (case_begin("wait-across-captures")) {
        cuda.cuStreamBeginCapture(streams[0], 2);
        CUresult r2 = cuda.cuStreamBeginCapture(streams[3], 2);
        MEMSET(0, 1, 0);
        cuda.cuEventRecord(events[0], streams[0]);
        CUresult r = cuda.cuStreamWaitEvent(streams[3], events[0], 0);
        int a = capture_status(streams[0]), b = capture_status(streams[3]);
        CUgraph g = 0, h = 0;
        const char *e = capture_end(streams[0], &g), *f = capture_end(streams[3], &h);
        case_end(r, " begin2=%s status=%s,%s end=%s,%s", result_name(r2), capture_status_name(a),
                 capture_status_name(b), e, f);
        captures_end();
    }
    if (case_begin("event-used-after-capture")) {
        cuda.cuStreamBeginCapture(streams[0], 2);
        MEMSET(0, 1, 0);
        cuda.cuEventRecord(events[0], streams[0]);
        CUgraph g = 0;
        const char *e = capture_end(streams[0], &g);
        CUresult r = cuda.cuStreamWaitEvent(streams[1], events[0], 0),
                 q = cuda.cuEventQuery(events[0]), y = cuda.cuEventSynchronize(events[0]),
                 rr = cuda.cuEventRecord(events[0], streams[1]),
                 q2 = cuda.cuStreamSynchronize(streams[1]), q3 = cuda.cuEventQuery(events[0]);
        case_end(r, " end=%s query=%s sync=%s rerecord=%s %s query=%s", e, result_name(q),
                 result_name(y), result_name(rr), result_name(q2), result_name(q3));
        captures_end();
    }
    if (case_begin("event-into-next-capture")) {
        cuda.cuStreamBeginCapture(streams[0], 2);
        MEMSET(0, 1, 0);
        cuda.cuEventRecord(events[0], streams[0]);
        CUgraph g = 0, h = 0;
        const char *e = capture_end(streams[0], &g);
        cuda.cuStreamBeginCapture(streams[0], 2);
        CUresult r = cuda.cuStreamWaitEvent(streams[0], events[0], 0);
        int s = capture_status(streams[0]);
        const char *f = capture_end(streams[0], &h);
        case_end(r, " end=%s status=%s end=%s", e, capture_status_name(s), f);
        captures_end();
    }
    for (int m = 0; m < 3; m++) {

#include "capture_modes.def"
    }
}

/* what one call becomes */
#define OPERATION_CASE(nm, ...)                                                                    \
    if (case_begin(nm)) {                                                                          \
        buffers_clear();                                                                           \
        CUresult r0 = cuda.cuStreamBeginCapture(streams[0], 2);                                    \
        CUstream s = streams[0];                                                                   \
        (void)s;                                                                                   \
        CUresult r = RESULT_SKIPPED;                                                               \
        __VA_ARGS__;                                                                               \
        int st = capture_status(streams[0]);                                                       \
        CUgraph g = 0;                                                                             \
        const char *e = capture_end(streams[0], &g);                                               \
        case_end(r, " begin=%s status=%s end=%s %s", result_name(r0), capture_status_name(st), e,  \
                 graph_text_with_params(g));                                                       \
        if (g)                                                                                     \
            cuda.cuGraphDestroy(g);                                                                \
        captures_end();                                                                            \
    }
static void CUDA_CB stream_called(CUstream s, CUresult r, void *u)
{
    (void)s;
    (void)r;
    host_calls[(uintptr_t)u & 15]++;
}

GROUP(506, cap_ops, "cap-ops")
{
    use_graph_objects();
    cases_independent = 1;
    CUDA_MEMCPY2D c2;
    CUDA_MEMCPY3D c3;
    CUDA_MEMCPY3D_PEER p3;
    CUdeviceptr x = 0;
    CUmemLocation LD;
    memset(&LD, 0, sizeof LD);
    LD.type = CU_MEM_LOCATION_TYPE_DEVICE;
    size_t ix[2] = {0, 0};
    CUmemcpyAttributes ma;
    memset(&ma, 0, sizeof ma);
    ma.srcAccessOrder = 1;
    CUdeviceptr ds[2] = {buffers[1], buffers[3]}, ss[2] = {buffers[0], buffers[2]};
    size_t sz[2] = {64, 128};
    CUDA_KERNEL_NODE_PARAMS k;
    CUlaunchConfig lc;
    CUlaunchAttribute la[2];
    CUstreamBatchMemOpParams bo[2];
    memset(bo, 0, sizeof bo);

#include "capture_operations.def"
    if (case_begin("free-async-of-outside-alloc")) {
        CUdeviceptr y = 0;
        cuda.cuMemAllocAsync(&y, 4096, streams[0]);
        cuda.cuStreamSynchronize(streams[0]);
        CUresult b = cuda.cuStreamBeginCapture(streams[0], 2);
        CUresult r = cuda.cuMemFreeAsync(y, streams[0]);
        int st = capture_status(streams[0]);
        CUgraph g = 0;
        const char *e = capture_end(streams[0], &g);
        const char *q = g ? graph_run(g) : "-";
        case_end(r, " begin=%s status=%s end=%s %s run=%s", result_name(b), capture_status_name(st),
                 e, graph_text_with_params(g), q);
        captures_end();
    }

#include "capture_event_operations.def"
    if (case_begin("pag"
                   "eab"
                   "le-"
                   "sna"
                   "psh"
                   "o"
                   "t")) {
        buffers_clear();
        memset(host_source, 1, 256);
        CUresult b = cuda.cuStreamBeginCapture(streams[0], 2);
        CUresult r = cuda.cuMemcpyHtoDAsync(buffers[0], host_source, 256, streams[0]);
        CUgraph g = 0;
        const char *e = capture_end(streams[0], &g);
        memset(host_source, 2, 256);
        const char *q = g ? graph_run(g) : "-";
        case_end(r, " begin=%s end=%s run=%s b0=%s", result_name(b), e, q, buffer_text(0));
        captures_end();
    }
    if (case_begin("host-count")) {
        host_calls[1] = host_calls[2] = 0;
        cuda.cuStreamBeginCapture(streams[0], 2);
        CUresult r = cuda.cuLaunchHostFunc(streams[0], host_count, (void *)1),
                 r2 = cuda.cuStreamAddCallback(streams[0], stream_called, (void *)2, 0);
        CUgraph g = 0;
        const char *e = capture_end(streams[0], &g);
        cuda.cuCtxSynchronize();
        int c0 = host_calls[1];
        CUgraphExec x2 = instantiate(g, 0);
        const char *q = exec_run(x2, streams[0]), *q2 = exec_run(x2, streams[0]);
        case_end(r, " callback=%s end=%s during=%d run=%s,%s counts=%d,%d", result_name(r2), e, c0,
                 q, q2, host_calls[1], host_calls[2]);
        captures_end();
    }
}

GROUP(507, cap_streamdestroy, "cap-streamdestroy")
{
    use_graph_objects();
    for (int m = 2; m >= 0; m--)
        if (case_begin(format("stream-destroy-%s", mode_names[m]))) {
            CUstream s = stream_new(0);
            CUresult b = cuda.cuStreamBeginCapture(s, m);
            cuda.cuMemsetD32Async(buffers[0], 1, 64, s);
            CUresult r = cuda.cuStreamDestroy(s);
            case_end(r, " begin=%s alloc-after=%s", result_name(b), result_name(allocate(NULL)));
            captures_end();
        }
    for (int m = 2; m >= 0; m--)
        if (case_begin(format("forked-stream-destroy-%s", mode_names[m]))) {
            CUstream s = stream_new(CU_STREAM_NON_BLOCKING);
            cuda.cuStreamBeginCapture(streams[0], m);
            MEMSET(0, 1, 0);
            cuda.cuEventRecord(events[0], streams[0]);
            cuda.cuStreamWaitEvent(s, events[0], 0);
            cuda.cuMemsetD32Async(buffers[1], 1, 64, s);
            CUresult r = cuda.cuStreamDestroy(s);
            int c = capture_status(streams[0]);
            CUgraph g = 0;
            const char *e = capture_end(streams[0], &g);
            case_end(r, " status=%s end=%s", capture_status_name(c), e);
            captures_end();
        }
}
