/* SPDX-License-Identifier: MIT */
/* User objects. */
#include "graphs.h"

static atomic_int destructor_calls[8];
static void CUDA_CB destructor(void *u)
{
    atomic_fetch_add((atomic_int *)u, 1);
}

static int calls_when_settled(int i)
{
    cuda.cuCtxSynchronize();
    for (int k = 0; k < 200 && !destructor_calls[i]; k++)
        usleep(1000);
    usleep(5000);
    return destructor_calls[i];
} /* the destructor runs on a thread of the driver */
static int calls_now(int i)
{
    cuda.cuCtxSynchronize();
    usleep(30000);
    return destructor_calls[i];
}

static CUuserObject user_object_new(int i, unsigned c)
{
    CUuserObject o = 0;
    destructor_calls[i] = 0;
    if (cuda.cuUserObjectCreate(&o, &destructor_calls[i], destructor, c,
                                CU_USER_OBJECT_NO_DESTRUCTOR_SYNC))
        o = 0;
    return o;
}

GROUP(700, userobj, "userobj")
{
    use_graph_objects();
    cases_independent = 1;
    CUuserObject o;
    for (unsigned f = 0; f < 4; f++) {
        o = (CUuserObject)UNTOUCHED;
        CHECK(format("create-flags%u", f),
              cuda.cuUserObjectCreate(&o, &destructor_calls[0], destructor, 1, f), "out=%s",
              handle_text(o));
    }
    static const unsigned cnt[] = {0, 1, 2, 100, 0x7fffffffu, 0x80000000u, 0xffffffffu};
    for (size_t i = 0; i < COUNT_OF(cnt); i++) {
        o = (CUuserObject)UNTOUCHED;
        CHECK(format("create-count%u", cnt[i]),
              cuda.cuUserObjectCreate(&o, &destructor_calls[0], destructor, cnt[i], 1), "out=%s",
              handle_text(o));
    }
    CHECK("create-null-out", cuda.cuUserObjectCreate(NULL, &destructor_calls[0], destructor, 1, 1));
    o = (CUuserObject)UNTOUCHED;
    CHECK("create-null-ptr", cuda.cuUserObjectCreate(&o, NULL, destructor, 1, 1), "out=%s",
          handle_text(o));
    o = (CUuserObject)UNTOUCHED;
    CHECK("create-null-fn", cuda.cuUserObjectCreate(&o, &destructor_calls[0], NULL, 1, 1), "out=%s",
          handle_text(o));
    CHECK("retain-null", cuda.cuUserObjectRetain(NULL, 1));
    CHECK("release-null", cuda.cuUserObjectRelease(NULL, 1));
    CHECK("graph-retain-null", cuda.cuGraphRetainUserObject(NULL, NULL, 1, 0));
    CHECK("graph-release-null", cuda.cuGraphReleaseUserObject(NULL, NULL, 1));
    if (case_begin("release-one")) {
        o = user_object_new(1, 1);
        CUresult r = o ? cuda.cuUserObjectRelease(o, 1) : RESULT_SKIPPED;
        case_end(r, " destroyed=%d", o ? calls_when_settled(1) : -1);
    }
    if (case_begin("retain-release")) {
        o = user_object_new(1, 1);
        CUresult r = o ? cuda.cuUserObjectRetain(o, 2) : RESULT_SKIPPED,
                 r2 = o ? cuda.cuUserObjectRelease(o, 1) : RESULT_SKIPPED;
        int a = o ? calls_now(1) : -1;
        CUresult r3 = o ? cuda.cuUserObjectRelease(o, 1) : RESULT_SKIPPED;
        int b = o ? calls_now(1) : -1;
        CUresult r4 = o ? cuda.cuUserObjectRelease(o, 1) : RESULT_SKIPPED;
        case_end(r, " %s=%d %s=%d %s=%d", result_name(r2), a, result_name(r3), b, result_name(r4),
                 o ? calls_when_settled(1) : -1);
    }
    if (case_begin("release-zero")) {
        o = user_object_new(1, 1);
        CUresult r = o ? cuda.cuUserObjectRelease(o, 0) : RESULT_SKIPPED,
                 r2 = o ? cuda.cuUserObjectRetain(o, 0) : RESULT_SKIPPED;
        case_end(r, " retain0=%s destroyed=%d", result_name(r2), o ? calls_now(1) : -1);
    }
    if (case_begin("release-more-at-once")) {
        o = user_object_new(1, 3);
        CUresult r = o ? cuda.cuUserObjectRelease(o, 3) : RESULT_SKIPPED;
        case_end(r, " destroyed=%d", o ? calls_when_settled(1) : -1);
    }
    if (case_begin("retain-huge")) {
        o = user_object_new(1, 1);
        CUresult r = o ? cuda.cuUserObjectRetain(o, 0x7fffffff) : RESULT_SKIPPED,
                 r2 = o ? cuda.cuUserObjectRetain(o, 0xffffffffu) : RESULT_SKIPPED;
        case_end(r, " uintmax=%s", result_name(r2));
    }
    for (unsigned f = 0; f < 4; f++)
        if (case_begin(format("graph-retain-flags%u", f))) {
            o = user_object_new(2, 2);
            CUgraph g = graph_new();
            CUresult r = o ? cuda.cuGraphRetainUserObject(g, o, 1, f) : RESULT_SKIPPED;
            CUresult d = cuda.cuGraphDestroy(g);
            int a = o ? calls_now(2) : -1;
            CUresult e = o ? cuda.cuUserObjectRelease(o, 1) : RESULT_SKIPPED;
            int b = o ? calls_now(2) : -1;
            case_end(r, " graphdestroy=%s destroyed=%d release=%s destroyed=%d", result_name(d), a,
                     result_name(e), b);
        }
    if (case_begin("move-then-graph-destroy")) {
        o = user_object_new(2, 1);
        CUgraph g = graph_new();
        CUresult r = o ? cuda.cuGraphRetainUserObject(g, o, 1, 1) : RESULT_SKIPPED;
        int a = o ? calls_now(2) : -1;
        CUresult d = cuda.cuGraphDestroy(g);
        case_end(r, " before=%d destroy=%s after=%d", a, result_name(d),
                 o ? calls_when_settled(2) : -1);
    }
    if (case_begin("move-more-than-owned")) {
        o = user_object_new(2, 1);
        CUgraph g = graph_new();
        CUresult r = o ? cuda.cuGraphRetainUserObject(g, o, 2, 1) : RESULT_SKIPPED;
        case_end(r, " destroyed=%d", o ? calls_now(2) : -1);
    }
    if (case_begin("graph-retain-zero")) {
        o = user_object_new(2, 1);
        CUgraph g = graph_new();
        CUresult r = o ? cuda.cuGraphRetainUserObject(g, o, 0, 0) : RESULT_SKIPPED,
                 r2 = o ? cuda.cuGraphReleaseUserObject(g, o, 0) : RESULT_SKIPPED;
        case_end(r, " release0=%s", result_name(r2));
    }
    if (case_begin("graph-retain-null-object")) {
        CUgraph g = graph_new();
        CUresult r = cuda.cuGraphRetainUserObject(g, NULL, 1, 0),
                 r2 = cuda.cuGraphReleaseUserObject(g, NULL, 1);
        case_end(r, " release=%s", result_name(r2));
    }
    if (case_begin("graph-retain-null-graph")) {
        o = user_object_new(2, 1);
        CUresult r = o ? cuda.cuGraphRetainUserObject(NULL, o, 1, 0) : RESULT_SKIPPED,
                 r2 = o ? cuda.cuGraphReleaseUserObject(NULL, o, 1) : RESULT_SKIPPED;
        case_end(r, " release=%s", result_name(r2));
    }
    if (case_begin("graph-release")) {
        o = user_object_new(2, 1);
        CUgraph g = graph_new();
        CUresult r = o ? cuda.cuGraphRetainUserObject(g, o, 2, 0) : RESULT_SKIPPED,
                 r1 = o ? cuda.cuUserObjectRelease(o, 1) : RESULT_SKIPPED;
        int a = o ? calls_now(2) : -1;
        CUresult r2 = o ? cuda.cuGraphReleaseUserObject(g, o, 1) : RESULT_SKIPPED;
        int b = o ? calls_now(2) : -1;
        CUresult r3 = o ? cuda.cuGraphReleaseUserObject(g, o, 1) : RESULT_SKIPPED;
        case_end(r, " %s=%d %s=%d %s=%d", result_name(r1), a, result_name(r2), b, result_name(r3),
                 o ? calls_when_settled(2) : -1);
    }
    if (case_begin("graph-release-not-owned")) {
        o = user_object_new(2, 1);
        CUgraph g = graph_new();
        CUresult r = o ? cuda.cuGraphReleaseUserObject(g, o, 1) : RESULT_SKIPPED;
        case_end(r, " destroyed=%d", o ? calls_now(2) : -1);
    }
    if (case_begin("graph-release-too-many")) {
        o = user_object_new(2, 2);
        CUgraph g = graph_new();
        if (o)
            cuda.cuGraphRetainUserObject(g, o, 1, 0);
        CUresult r = o ? cuda.cuGraphReleaseUserObject(g, o, 2) : RESULT_SKIPPED;
        case_end(r, " destroyed=%d", o ? calls_now(2) : -1);
    }
    if (case_begin("exec-keeps")) {
        o = user_object_new(3, 1);
        CUgraph g = graph_new();
        add_empty(g, NULL, 0);
        CUresult r = o ? cuda.cuGraphRetainUserObject(g, o, 1, 1) : RESULT_SKIPPED;
        CUgraphExec x = instantiate(g, 0);
        cuda.cuGraphDestroy(g);
        int a = o ? calls_now(3) : -1;
        const char *q = exec_run(x, streams[0]);
        int b = o ? calls_now(3) : -1;
        CUresult d = x ? cuda.cuGraphExecDestroy(x) : RESULT_SKIPPED;
        case_end(r, " after-graph=%d run=%s=%d execdestroy=%s=%d", a, q, b, result_name(d),
                 o ? calls_when_settled(3) : -1);
    }
    if (case_begin("two-execs-keep")) {
        o = user_object_new(3, 1);
        CUgraph g = graph_new();
        add_empty(g, NULL, 0);
        CUresult r = o ? cuda.cuGraphRetainUserObject(g, o, 1, 1) : RESULT_SKIPPED;
        CUgraphExec x = instantiate(g, 0), y = instantiate(g, 0);
        cuda.cuGraphDestroy(g);
        if (x)
            cuda.cuGraphExecDestroy(x);
        int a = o ? calls_now(3) : -1;
        if (y)
            cuda.cuGraphExecDestroy(y);
        case_end(r, " one=%d both=%d", a, o ? calls_when_settled(3) : -1);
    }
    if (case_begin("clone-keeps")) {
        o = user_object_new(3, 1);
        CUgraph g = graph_new(), c = 0;
        add_empty(g, NULL, 0);
        CUresult r = o ? cuda.cuGraphRetainUserObject(g, o, 1, 1) : RESULT_SKIPPED;
        CUresult q = cuda.cuGraphClone(&c, g);
        cuda.cuGraphDestroy(g);
        int a = o ? calls_now(3) : -1;
        CUresult d = q ? RESULT_SKIPPED : cuda.cuGraphDestroy(c);
        case_end(r, " clone=%s after-original=%d destroy=%s=%d", result_name(q), a, result_name(d),
                 o ? calls_when_settled(3) : -1);
    }
    if (case_begin("clone-release")) {
        o = user_object_new(3, 1);
        CUgraph g = graph_new(), c = 0;
        CUresult r = o ? cuda.cuGraphRetainUserObject(g, o, 2, 0) : RESULT_SKIPPED;
        cuda.cuGraphClone(&c, g);
        CUresult q = o && c ? cuda.cuGraphReleaseUserObject(c, o, 2) : RESULT_SKIPPED,
                 q2 = o && c ? cuda.cuGraphReleaseUserObject(c, o, 1) : RESULT_SKIPPED;
        case_end(r, " release2=%s release1=%s", result_name(q), result_name(q2));
    }
    if (case_begin("child-keeps")) {
        o = user_object_new(3, 1);
        CUgraph g = graph_new(), c = graph_new();
        add_empty(c, NULL, 0);
        CUresult r = o ? cuda.cuGraphRetainUserObject(c, o, 1, 1) : RESULT_SKIPPED;
        CUgraphNode n = add_child(g, NULL, 0, c);
        cuda.cuGraphDestroy(c);
        int a = o ? calls_now(3) : -1;
        CUresult d = n ? cuda.cuGraphDestroyNode(n) : RESULT_SKIPPED;
        int b = o ? calls_now(3) : -1;
        cuda.cuGraphDestroy(g);
        case_end(r, " after-child=%d destroynode=%s=%d graph=%d", a, result_name(d), b,
                 o ? calls_when_settled(3) : -1);
    }
    if (case_begin("same-object-twice")) {
        o = user_object_new(3, 1);
        CUgraph g = graph_new();
        CUresult r = o ? cuda.cuGraphRetainUserObject(g, o, 1, 0) : RESULT_SKIPPED,
                 r2 = o ? cuda.cuGraphRetainUserObject(g, o, 1, 0) : RESULT_SKIPPED;
        if (o)
            cuda.cuUserObjectRelease(o, 1);
        int a = o ? calls_now(3) : -1;
        cuda.cuGraphDestroy(g);
        case_end(r, " again=%s before=%d after=%d", result_name(r2), a,
                 o ? calls_when_settled(3) : -1);
    }
    if (case_begin("many-objects")) {
        CUgraph g = graph_new();
        int n = 0;
        CUresult r = 0;
        destructor_calls[4] = 0;
        for (int i = 0; i < 50; i++) {
            CUuserObject v = 0;
            if (cuda.cuUserObjectCreate(&v, &destructor_calls[4], destructor, 1, 1))
                continue;
            CUresult q = cuda.cuGraphRetainUserObject(g, v, 1, 1);
            if (q)
                r = q;
            else
                n++;
        }
        cuda.cuGraphDestroy(g);
        cuda.cuCtxSynchronize();
        for (int k = 0; k < 300 && destructor_calls[4] < n; k++)
            usleep(1000);
        case_end(r, " added=%d destroyed=%d", n, destructor_calls[4]);
    }
    if (case_begin("capture-graph-retain")) {
        o = user_object_new(5, 1);
        CUresult b = cuda.cuStreamBeginCapture(streams[0], 2);
        CUstreamCaptureStatus st = 77;
        CUgraph g = 0;
        cuda.cuStreamGetCaptureInfo(streams[0], &st, NULL, &g, NULL, NULL, NULL);
        CUresult r = o && g ? cuda.cuGraphRetainUserObject(g, o, 1, 1) : RESULT_SKIPPED;
        CUgraph h = 0;
        const char *e = capture_end(streams[0], &h);
        int a = o ? calls_now(5) : -1;
        if (h)
            cuda.cuGraphDestroy(h);
        case_end(r, " begin=%s end=%s before=%d after=%d", result_name(b), e, a,
                 o && h ? calls_when_settled(5) : -1);
    }
    if (case_begin("update-replaces")) {
        CUuserObject p = user_object_new(6, 1);
        o = user_object_new(5, 1);
        CUgraph g = graph_new(), h = graph_new();
        add_kernel(g, NULL, 0, KERNEL_NOP, 0, 0, 0);
        add_kernel(h, NULL, 0, KERNEL_NOP, 0, 0, 0);
        CUresult r = o ? cuda.cuGraphRetainUserObject(g, o, 1, 1) : RESULT_SKIPPED;
        if (p)
            cuda.cuGraphRetainUserObject(h, p, 1, 1);
        CUgraphExec x = instantiate(g, 0);
        CUgraphExecUpdateResultInfo ri;
        memset(&ri, 0, sizeof ri);
        CUresult u = x ? cuda.cuGraphExecUpdate(x, h, &ri) : RESULT_SKIPPED;
        cuda.cuGraphDestroy(g);
        cuda.cuGraphDestroy(h);
        int a = o ? calls_now(5) : -1, b = p ? calls_now(6) : -1;
        if (x)
            cuda.cuGraphExecDestroy(x);
        case_end(r, " update=%s old=%d new=%d after=%d,%d", result_name(u), a, b,
                 o ? calls_when_settled(5) : -1, p ? calls_when_settled(6) : -1);
    }
}
