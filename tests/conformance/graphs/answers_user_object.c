/* SPDX-License-Identifier: MIT */
/* User objects. */
#include "graph_recorder.h"
static atomic_int ud[8];
static void CUDA_CB udes(void *u)
{
    atomic_fetch_add((atomic_int *)u, 1);
}
static int settle(int i)
{
    P.cuCtxSynchronize();
    for (int k = 0; k < 200 && !ud[i]; k++)
        usleep(1000);
    usleep(5000);
    return ud[i];
} /* the destructor runs on a thread of the driver */
static int now_(int i)
{
    P.cuCtxSynchronize();
    usleep(30000);
    return ud[i];
}
static CUuserObject uo(int i, unsigned c)
{
    CUuserObject o = 0;
    ud[i] = 0;
    if (P.cuUserObjectCreate(&o, &ud[i], udes, c, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC))
        o = 0;
    return o;
}
GROUP(700, userobj, "userobj")
{
    gsetup();
    independent = 1;
    CUuserObject o;
    for (unsigned f = 0; f < 4; f++) {
        o = (CUuserObject)SENT;
        T(F("create-flags%u", f), P.cuUserObjectCreate(&o, &ud[0], udes, 1, f), "out=%s", hs_(o));
    }
    static const unsigned cnt[] = {0, 1, 2, 100, 0x7fffffffu, 0x80000000u, 0xffffffffu};
    for (size_t i = 0; i < A(cnt); i++) {
        o = (CUuserObject)SENT;
        T(F("create-count%u", cnt[i]), P.cuUserObjectCreate(&o, &ud[0], udes, cnt[i], 1), "out=%s",
          hs_(o));
    }
    T("create-null-out", P.cuUserObjectCreate(NULL, &ud[0], udes, 1, 1));
    o = (CUuserObject)SENT;
    T("create-null-ptr", P.cuUserObjectCreate(&o, NULL, udes, 1, 1), "out=%s", hs_(o));
    o = (CUuserObject)SENT;
    T("create-null-fn", P.cuUserObjectCreate(&o, &ud[0], NULL, 1, 1), "out=%s", hs_(o));
    T("retain-null", P.cuUserObjectRetain(NULL, 1));
    T("release-null", P.cuUserObjectRelease(NULL, 1));
    T("graph-retain-null", P.cuGraphRetainUserObject(NULL, NULL, 1, 0));
    T("graph-release-null", P.cuGraphReleaseUserObject(NULL, NULL, 1));
    if (case_begin("release-one")) {
        o = uo(1, 1);
        CUresult r = o ? P.cuUserObjectRelease(o, 1) : R_SKIP;
        case_end(r, " destroyed=%d", o ? settle(1) : -1);
    }
    if (case_begin("retain-release")) {
        o = uo(1, 1);
        CUresult r = o ? P.cuUserObjectRetain(o, 2) : R_SKIP,
                 r2 = o ? P.cuUserObjectRelease(o, 1) : R_SKIP;
        int a = o ? now_(1) : -1;
        CUresult r3 = o ? P.cuUserObjectRelease(o, 1) : R_SKIP;
        int b = o ? now_(1) : -1;
        CUresult r4 = o ? P.cuUserObjectRelease(o, 1) : R_SKIP;
        case_end(r, " %s=%d %s=%d %s=%d", en(r2), a, en(r3), b, en(r4), o ? settle(1) : -1);
    }
    if (case_begin("release-zero")) {
        o = uo(1, 1);
        CUresult r = o ? P.cuUserObjectRelease(o, 0) : R_SKIP,
                 r2 = o ? P.cuUserObjectRetain(o, 0) : R_SKIP;
        case_end(r, " retain0=%s destroyed=%d", en(r2), o ? now_(1) : -1);
    }
    if (case_begin("release-more-at-once")) {
        o = uo(1, 3);
        CUresult r = o ? P.cuUserObjectRelease(o, 3) : R_SKIP;
        case_end(r, " destroyed=%d", o ? settle(1) : -1);
    }
    if (case_begin("retain-huge")) {
        o = uo(1, 1);
        CUresult r = o ? P.cuUserObjectRetain(o, 0x7fffffff) : R_SKIP,
                 r2 = o ? P.cuUserObjectRetain(o, 0xffffffffu) : R_SKIP;
        case_end(r, " uintmax=%s", en(r2));
    }
    for (unsigned f = 0; f < 4; f++)
        if (case_begin(F("graph-retain-flags%u", f))) {
            o = uo(2, 2);
            CUgraph g = mk();
            CUresult r = o ? P.cuGraphRetainUserObject(g, o, 1, f) : R_SKIP;
            CUresult d = P.cuGraphDestroy(g);
            int a = o ? now_(2) : -1;
            CUresult e = o ? P.cuUserObjectRelease(o, 1) : R_SKIP;
            int b = o ? now_(2) : -1;
            case_end(r, " graphdestroy=%s destroyed=%d release=%s destroyed=%d", en(d), a, en(e),
                     b);
        }
    if (case_begin("move-then-graph-destroy")) {
        o = uo(2, 1);
        CUgraph g = mk();
        CUresult r = o ? P.cuGraphRetainUserObject(g, o, 1, 1) : R_SKIP;
        int a = o ? now_(2) : -1;
        CUresult d = P.cuGraphDestroy(g);
        case_end(r, " before=%d destroy=%s after=%d", a, en(d), o ? settle(2) : -1);
    }
    if (case_begin("move-more-than-owned")) {
        o = uo(2, 1);
        CUgraph g = mk();
        CUresult r = o ? P.cuGraphRetainUserObject(g, o, 2, 1) : R_SKIP;
        case_end(r, " destroyed=%d", o ? now_(2) : -1);
    }
    if (case_begin("graph-retain-zero")) {
        o = uo(2, 1);
        CUgraph g = mk();
        CUresult r = o ? P.cuGraphRetainUserObject(g, o, 0, 0) : R_SKIP,
                 r2 = o ? P.cuGraphReleaseUserObject(g, o, 0) : R_SKIP;
        case_end(r, " release0=%s", en(r2));
    }
    if (case_begin("graph-retain-null-object")) {
        CUgraph g = mk();
        CUresult r = P.cuGraphRetainUserObject(g, NULL, 1, 0),
                 r2 = P.cuGraphReleaseUserObject(g, NULL, 1);
        case_end(r, " release=%s", en(r2));
    }
    if (case_begin("graph-retain-null-graph")) {
        o = uo(2, 1);
        CUresult r = o ? P.cuGraphRetainUserObject(NULL, o, 1, 0) : R_SKIP,
                 r2 = o ? P.cuGraphReleaseUserObject(NULL, o, 1) : R_SKIP;
        case_end(r, " release=%s", en(r2));
    }
    if (case_begin("graph-release")) {
        o = uo(2, 1);
        CUgraph g = mk();
        CUresult r = o ? P.cuGraphRetainUserObject(g, o, 2, 0) : R_SKIP,
                 r1 = o ? P.cuUserObjectRelease(o, 1) : R_SKIP;
        int a = o ? now_(2) : -1;
        CUresult r2 = o ? P.cuGraphReleaseUserObject(g, o, 1) : R_SKIP;
        int b = o ? now_(2) : -1;
        CUresult r3 = o ? P.cuGraphReleaseUserObject(g, o, 1) : R_SKIP;
        case_end(r, " %s=%d %s=%d %s=%d", en(r1), a, en(r2), b, en(r3), o ? settle(2) : -1);
    }
    if (case_begin("graph-release-not-owned")) {
        o = uo(2, 1);
        CUgraph g = mk();
        CUresult r = o ? P.cuGraphReleaseUserObject(g, o, 1) : R_SKIP;
        case_end(r, " destroyed=%d", o ? now_(2) : -1);
    }
    if (case_begin("graph-release-too-many")) {
        o = uo(2, 2);
        CUgraph g = mk();
        if (o)
            P.cuGraphRetainUserObject(g, o, 1, 0);
        CUresult r = o ? P.cuGraphReleaseUserObject(g, o, 2) : R_SKIP;
        case_end(r, " destroyed=%d", o ? now_(2) : -1);
    }
    if (case_begin("exec-keeps")) {
        o = uo(3, 1);
        CUgraph g = mk();
        adde(g, NULL, 0);
        CUresult r = o ? P.cuGraphRetainUserObject(g, o, 1, 1) : R_SKIP;
        CUgraphExec x = inst(g, 0);
        P.cuGraphDestroy(g);
        int a = o ? now_(3) : -1;
        const char *q = runx(x, S[0]);
        int b = o ? now_(3) : -1;
        CUresult d = x ? P.cuGraphExecDestroy(x) : R_SKIP;
        case_end(r, " after-graph=%d run=%s=%d execdestroy=%s=%d", a, q, b, en(d),
                 o ? settle(3) : -1);
    }
    if (case_begin("two-execs-keep")) {
        o = uo(3, 1);
        CUgraph g = mk();
        adde(g, NULL, 0);
        CUresult r = o ? P.cuGraphRetainUserObject(g, o, 1, 1) : R_SKIP;
        CUgraphExec x = inst(g, 0), y = inst(g, 0);
        P.cuGraphDestroy(g);
        if (x)
            P.cuGraphExecDestroy(x);
        int a = o ? now_(3) : -1;
        if (y)
            P.cuGraphExecDestroy(y);
        case_end(r, " one=%d both=%d", a, o ? settle(3) : -1);
    }
    if (case_begin("clone-keeps")) {
        o = uo(3, 1);
        CUgraph g = mk(), c = 0;
        adde(g, NULL, 0);
        CUresult r = o ? P.cuGraphRetainUserObject(g, o, 1, 1) : R_SKIP;
        CUresult q = P.cuGraphClone(&c, g);
        P.cuGraphDestroy(g);
        int a = o ? now_(3) : -1;
        CUresult d = q ? R_SKIP : P.cuGraphDestroy(c);
        case_end(r, " clone=%s after-original=%d destroy=%s=%d", en(q), a, en(d),
                 o ? settle(3) : -1);
    }
    if (case_begin("clone-release")) {
        o = uo(3, 1);
        CUgraph g = mk(), c = 0;
        CUresult r = o ? P.cuGraphRetainUserObject(g, o, 2, 0) : R_SKIP;
        P.cuGraphClone(&c, g);
        CUresult q = o && c ? P.cuGraphReleaseUserObject(c, o, 2) : R_SKIP,
                 q2 = o && c ? P.cuGraphReleaseUserObject(c, o, 1) : R_SKIP;
        case_end(r, " release2=%s release1=%s", en(q), en(q2));
    }
    if (case_begin("child-keeps")) {
        o = uo(3, 1);
        CUgraph g = mk(), c = mk();
        adde(c, NULL, 0);
        CUresult r = o ? P.cuGraphRetainUserObject(c, o, 1, 1) : R_SKIP;
        CUgraphNode n = addg(g, NULL, 0, c);
        P.cuGraphDestroy(c);
        int a = o ? now_(3) : -1;
        CUresult d = n ? P.cuGraphDestroyNode(n) : R_SKIP;
        int b = o ? now_(3) : -1;
        P.cuGraphDestroy(g);
        case_end(r, " after-child=%d destroynode=%s=%d graph=%d", a, en(d), b, o ? settle(3) : -1);
    }
    if (case_begin("same-object-twice")) {
        o = uo(3, 1);
        CUgraph g = mk();
        CUresult r = o ? P.cuGraphRetainUserObject(g, o, 1, 0) : R_SKIP,
                 r2 = o ? P.cuGraphRetainUserObject(g, o, 1, 0) : R_SKIP;
        if (o)
            P.cuUserObjectRelease(o, 1);
        int a = o ? now_(3) : -1;
        P.cuGraphDestroy(g);
        case_end(r, " again=%s before=%d after=%d", en(r2), a, o ? settle(3) : -1);
    }
    if (case_begin("many-objects")) {
        CUgraph g = mk();
        int n = 0;
        CUresult r = 0;
        ud[4] = 0;
        for (int i = 0; i < 50; i++) {
            CUuserObject v = 0;
            if (P.cuUserObjectCreate(&v, &ud[4], udes, 1, 1))
                continue;
            CUresult q = P.cuGraphRetainUserObject(g, v, 1, 1);
            if (q)
                r = q;
            else
                n++;
        }
        P.cuGraphDestroy(g);
        P.cuCtxSynchronize();
        for (int k = 0; k < 300 && ud[4] < n; k++)
            usleep(1000);
        case_end(r, " added=%d destroyed=%d", n, ud[4]);
    }
    if (case_begin("capture-graph-retain")) {
        o = uo(5, 1);
        CUresult b = P.cuStreamBeginCapture(S[0], 2);
        CUstreamCaptureStatus st = 77;
        CUgraph g = 0;
        P.cuStreamGetCaptureInfo(S[0], &st, NULL, &g, NULL, NULL, NULL);
        CUresult r = o && g ? P.cuGraphRetainUserObject(g, o, 1, 1) : R_SKIP;
        CUgraph h = 0;
        const char *e = capend(S[0], &h);
        int a = o ? now_(5) : -1;
        if (h)
            P.cuGraphDestroy(h);
        case_end(r, " begin=%s end=%s before=%d after=%d", en(b), e, a, o && h ? settle(5) : -1);
    }
    if (case_begin("update-replaces")) {
        CUuserObject p = uo(6, 1);
        o = uo(5, 1);
        CUgraph g = mk(), h = mk();
        addk(g, NULL, 0, K_NOP, 0, 0, 0);
        addk(h, NULL, 0, K_NOP, 0, 0, 0);
        CUresult r = o ? P.cuGraphRetainUserObject(g, o, 1, 1) : R_SKIP;
        if (p)
            P.cuGraphRetainUserObject(h, p, 1, 1);
        CUgraphExec x = inst(g, 0);
        CUgraphExecUpdateResultInfo ri;
        memset(&ri, 0, sizeof ri);
        CUresult u = x ? P.cuGraphExecUpdate(x, h, &ri) : R_SKIP;
        P.cuGraphDestroy(g);
        P.cuGraphDestroy(h);
        int a = o ? now_(5) : -1, b = p ? now_(6) : -1;
        if (x)
            P.cuGraphExecDestroy(x);
        case_end(r, " update=%s old=%d new=%d after=%d,%d", en(u), a, b, o ? settle(5) : -1,
                 p ? settle(6) : -1);
    }
}
