/* SPDX-License-Identifier: MIT */
/* Random graphs and random capture programs. Conflicting accesses are always ordered, so the data
 * has one right answer. */
#include "graphs.h"

enum {
    SEGMENTS_PER_BUFFER = 4,
    SEGMENT_COUNT = BUFFER_COUNT * SEGMENTS_PER_BUFFER,
    SEGMENT_WORDS = BUFFER_WORDS / SEGMENTS_PER_BUFFER
}; /* segments of the buffers, words each */
static CUdeviceptr segment_ptr(unsigned s)
{
    return buffers[s / SEGMENTS_PER_BUFFER] +
           (CUdeviceptr)(s % SEGMENTS_PER_BUFFER) * SEGMENT_WORDS * 4;
}

struct op {
    int kind;
    unsigned d, s, v, n;
}; /* 0 memset32 1 memset16 2 memset8 3 memset2d 4 memcpy 5 set 6 add 7 mul 8 mix */
static struct op op_random(uint64_t *r)
{
    struct op o;
    memset(&o, 0, sizeof o);
    o.kind = random_below(r, 9);
    o.d = random_below(r, SEGMENT_COUNT);
    o.s = random_below(r, SEGMENT_COUNT);
    if (o.s == o.d)
        o.s = (o.s + 1) % SEGMENT_COUNT;
    o.v = random_below(r, 1000);
    unsigned full = random_below(r, 3);
    o.n = full ? SEGMENT_WORDS : 1 + random_below(r, SEGMENT_WORDS);
    return o;
}

static int reads_src(const struct op *o)
{
    return o->kind == 4 || o->kind == 8;
}

static void buffers_seed(unsigned seed)
{
    unsigned char *b = malloc(BUFFER_BYTES);
    for (int i = 0; i < BUFFER_COUNT; i++) {
        pattern_fill(b, BUFFER_BYTES, seed * 100 + i);
        cuda.cuMemcpyHtoD(buffers[i], b, BUFFER_BYTES);
    }
    cuda.cuCtxSynchronize();
    free(b);
}

static CUresult add_op(CUgraphNode *n, CUgraph g, const CUgraphNode *d, size_t nd,
                       const struct op *o)
{
    CUDA_MEMSET_NODE_PARAMS m;
    CUDA_MEMCPY3D c;
    CUDA_KERNEL_NODE_PARAMS k;
    switch (o->kind) {
    case 0:
        m = memset_params(segment_ptr(o->d), o->v, 4, o->n, 1, 0);
        return cuda.cuGraphAddMemsetNode(n, g, d, nd, &m, context);
    case 1:
        m = memset_params(segment_ptr(o->d), o->v, 2, o->n, 1, 0);
        return cuda.cuGraphAddMemsetNode(n, g, d, nd, &m, context);
    case 2:
        m = memset_params(segment_ptr(o->d), o->v & 255, 1, o->n, 1, 0);
        return cuda.cuGraphAddMemsetNode(n, g, d, nd, &m, context);
    case 3:
        m = memset_params(segment_ptr(o->d), o->v, 4, 1 + o->v % 16, 8, 128);
        return cuda.cuGraphAddMemsetNode(n, g, d, nd, &m, context);
    case 4:
        c = copy_device_to_device(segment_ptr(o->d), segment_ptr(o->s), o->n * 4);
        return cuda.cuGraphAddMemcpyNode(n, g, d, nd, &c, context);
    case 8:
        k = kernel_params(KERNEL_MIX, segment_ptr(o->d), segment_ptr(o->s), o->n, o->v);
        return cuda.cuGraphAddKernelNode(n, g, d, nd, &k);
    default:
        k = kernel_params(o->kind == 5   ? KERNEL_SET
                          : o->kind == 6 ? KERNEL_ADD
                                         : KERNEL_MULTIPLY,
                          segment_ptr(o->d), 0, o->n, o->v);
        return cuda.cuGraphAddKernelNode(n, g, d, nd, &k);
    }
}

static CUresult run_op(CUstream s, const struct op *o)
{
    CUDA_KERNEL_NODE_PARAMS k;
    switch (o->kind) {
    case 0:
        return cuda.cuMemsetD32Async(segment_ptr(o->d), o->v, o->n, s);
    case 1:
        return cuda.cuMemsetD16Async(segment_ptr(o->d), o->v, o->n, s);
    case 2:
        return cuda.cuMemsetD8Async(segment_ptr(o->d), o->v & 255, o->n, s);
    case 3:
        return cuda.cuMemsetD2D32Async(segment_ptr(o->d), 128, o->v, 1 + o->v % 16, 8, s);
    case 4:
        return cuda.cuMemcpyDtoDAsync(segment_ptr(o->d), segment_ptr(o->s), o->n * 4, s);
    case 8:
        k = kernel_params(KERNEL_MIX, segment_ptr(o->d), segment_ptr(o->s), o->n, o->v);
        break;
    default:
        k = kernel_params(o->kind == 5   ? KERNEL_SET
                          : o->kind == 6 ? KERNEL_ADD
                                         : KERNEL_MULTIPLY,
                          segment_ptr(o->d), 0, o->n, o->v);
    }
    return cuda.cuLaunchKernel(k.func, k.gridDimX, 1, 1, k.blockDimX, 1, 1, 0, s, k.kernelParams,
                               NULL);
}

enum { MAX_OPS = 80 };
/* dependencies of op i on earlier ones */
static int conflict(const struct op *a, const struct op *b)
{
    return a->d == b->d || (reads_src(a) && a->s == b->d) || (reads_src(b) && b->s == a->d);
}

static CUresult build(CUgraph g, uint64_t *r, unsigned nops, struct op *ops, CUgraphNode *n,
                      int style)
{
    CUresult err = 0;
    for (unsigned i = 0; i < nops; i++) {
        ops[i] = op_random(r);
        CUgraphNode d[MAX_OPS];
        size_t nd = 0;
        CUgraphNode late[MAX_OPS];
        size_t nl = 0;
        for (unsigned j = 0; j < i; j++) {
            int want = conflict(&ops[i], &ops[j]);
            unsigned extra = random_below(r, 12);
            if (extra == 0)
                want = 1;
            if (!want || !n[j])
                continue;
            unsigned how = random_below(r, 2);
            if (style == 1 && how)
                late[nl++] = n[j];
            else
                d[nd++] = n[j];
        }
        n[i] = 0;
        CUresult q = add_op(&n[i], g, d, nd, &ops[i]);
        if (q) {
            err = q;
            n[i] = 0;
            continue;
        }
        for (size_t k = 0; k < nl; k++) {
            q = cuda.cuGraphAddDependencies(g, &late[k], &n[i], NULL, 1);
            if (q)
                err = q;
        }
    }
    return err;
}

GROUP(900, fuzz_dag, "fuzz-dag")
{
    use_graph_objects();
    cases_independent = 1;
    for (unsigned seed = 1; seed <= 40; seed++)
        if (case_begin(format("seed-%u", seed))) {
            uint64_t r = seed;
            unsigned nops = 5 + random_below(&r, MAX_OPS - 10);
            struct op ops[MAX_OPS];
            CUgraphNode n[MAX_OPS];
            memset(n, 0, sizeof n);
            CUgraph g = graph_new();
            CUresult e = build(g, &r, nops, ops, n, seed & 1);
            buffers_seed(seed);
            CUgraphExec x = instantiate(g, 0);
            const char *q = exec_run(x, streams[0]), *s1 = buffers_checksum();
            const char *q2 = exec_run(x, streams[3]), *q3 = exec_run(x, streams[0]);
            const char *s3 = buffers_checksum();
            buffers_seed(seed);
            for (unsigned i = 0; i < nops; i++)
                run_op(streams[0], &ops[i]);
            cuda.cuStreamSynchronize(streams[0]);
            const char *se = buffers_checksum();
            case_end(e, " ops=%u exec=%s run=%s,%s,%s once=%s thrice=%s eager=%s %s", nops,
                     handle_text(x), q, q2, q3, s1, s3, se, graph_text(g));
            if (x)
                cuda.cuGraphExecDestroy(x);
            cuda.cuGraphDestroy(g);
        }
}

GROUP(901, fuzz_nested, "fuzz-nested")
{
    use_graph_objects();
    cases_independent = 1;
    for (unsigned seed = 1; seed <= 20; seed++)
        if (case_begin(format("seed-%u", seed))) {
            uint64_t r = seed + 1000;
            CUgraph g = graph_new();
            CUgraphNode prev = 0;
            CUresult e = 0;
            struct op ops[MAX_OPS];
            CUgraphNode n[MAX_OPS];
            unsigned k = 2 + random_below(&r, 4);
            for (unsigned i = 0; i < k; i++) {
                CUgraph c = graph_new();
                memset(n, 0, sizeof n);
                unsigned m = 3 + random_below(&r, 12);
                CUresult q = build(c, &r, m, ops, n, i & 1);
                if (q)
                    e = q;
                unsigned wrap = random_below(&r, 3);
                for (unsigned w = 0; w < wrap; w++) {
                    CUgraph o = graph_new();
                    add_child(o, NULL, 0, c);
                    cuda.cuGraphDestroy(c);
                    c = o;
                }
                CUgraphNode cn = add_child(g, prev ? &prev : NULL, prev != NULL, c);
                cuda.cuGraphDestroy(c);
                if (cn)
                    prev = cn;
                struct op so = op_random(&r);
                CUgraphNode sn = 0;
                q = add_op(&sn, g, prev ? &prev : NULL, prev != NULL, &so);
                if (q)
                    e = q;
                else
                    prev = sn;
            }
            CUgraph cl = 0;
            cuda.cuGraphClone(&cl, g);
            buffers_seed(seed);
            const char *q = graph_run(g), *s1 = buffers_checksum();
            buffers_seed(seed);
            const char *q2 = cl ? graph_run(cl) : "-", *s2 = buffers_checksum();
            case_end(e, " run=%s sum=%s clone=%s sum=%s %s", q, s1, q2, s2, graph_text(g));
            cuda.cuGraphDestroy(g);
            if (cl)
                cuda.cuGraphDestroy(cl);
        }
}

GROUP(902, fuzz_update, "fuzz-update")
{
    use_graph_objects();
    cases_independent = 1;
    for (unsigned seed = 1; seed <= 20; seed++)
        if (case_begin(format("seed-%u", seed))) {
            uint64_t r = seed + 5000;
            unsigned nops = 5 + random_below(&r, 20);
            struct op ops[MAX_OPS];
            CUgraphNode n[MAX_OPS];
            memset(n, 0, sizeof n);
            CUgraph g = graph_new();
            CUresult e = build(g, &r, nops, ops, n, 0);
            CUgraphExec x = instantiate(g, 0);
            TEXT(rs, 400);
            for (unsigned i = 0; i < nops; i++) {
                unsigned what = random_below(&r, 4);
                unsigned nv = random_below(&r, 1000);
                if (!n[i] || !x)
                    continue;
                CUresult q = 0;
                if (what == 0 && ops[i].kind != 3) {
                    ops[i].v = nv;
                    if (ops[i].kind <= 2) {
                        CUDA_MEMSET_NODE_PARAMS m =
                            memset_params(segment_ptr(ops[i].d), ops[i].kind == 2 ? nv & 255 : nv,
                                          ops[i].kind == 0   ? 4
                                          : ops[i].kind == 1 ? 2
                                                             : 1,
                                          ops[i].n, 1, 0);
                        q = cuda.cuGraphExecMemsetNodeSetParams(x, n[i], &m, context);
                    } else if (ops[i].kind >= 5) {
                        CUDA_KERNEL_NODE_PARAMS k = kernel_params(
                            ops[i].kind == 5   ? KERNEL_SET
                            : ops[i].kind == 6 ? KERNEL_ADD
                            : ops[i].kind == 7 ? KERNEL_MULTIPLY
                                               : KERNEL_MIX,
                            segment_ptr(ops[i].d), segment_ptr(ops[i].s), ops[i].n, nv);
                        q = cuda.cuGraphExecKernelNodeSetParams(x, n[i], &k);
                    }
                } else if (what == 1) {
                    q = cuda.cuGraphNodeSetEnabled(x, n[i], 0);
                }
                text_add(&rs, "%d", q ? 1 : 0);
            }
            buffers_seed(seed);
            const char *q = exec_run(x, streams[0]), *s1 = buffers_checksum();
            CUgraphExecUpdateResultInfo ri;
            memset(&ri, 0, sizeof ri);
            ri.result = 77;
            CUresult u = x ? cuda.cuGraphExecUpdate(x, g, &ri) : RESULT_SKIPPED;
            buffers_seed(seed);
            const char *q2 = exec_run(x, streams[0]), *s2 = buffers_checksum();
            case_end(e, " sets=%s run=%s sum=%s update=%s %s run=%s sum=%s", rs.chars, q, s1,
                     result_name(u), update_result_name(ri.result), q2, s2);
            if (x)
                cuda.cuGraphExecDestroy(x);
            cuda.cuGraphDestroy(g);
        }
}

/* capture programs over three streams */
struct step {
    struct op o;
    int s, wait;
}; /* wait: bitmask of streams to wait for before the op */
static unsigned program_random(uint64_t *r, struct step *p)
{
    unsigned n = 6 + random_below(r, 40);
    int cnt[3] = {0, 0, 0}, known[3][3];
    memset(known, 0, sizeof known);
    int at[MAX_OPS];
    for (unsigned i = 0; i < n; i++) {
        p[i].o = op_random(r);
        p[i].s = (int)random_below(r, 3);
        p[i].wait = 0;
        int s = p[i].s;
        unsigned ex = random_below(r, 6);
        if (ex < 3 && (int)ex != s)
            p[i].wait |= 1 << ex;
        for (unsigned j = 0; j < i; j++) {
            int t = p[j].s;
            if (t == s || !conflict(&p[i].o, &p[j].o) || known[s][t] > at[j])
                continue;
            p[i].wait |= 1 << t;
        }
        int before[3][3];
        memcpy(before, known, sizeof before);
        for (int t = 0; t < 3; t++)
            if (t != s && (p[i].wait >> t & 1)) {
                known[s][t] = cnt[t];
                for (int u = 0; u < 3; u++)
                    if (u != s && before[t][u] > known[s][u])
                        known[s][u] = before[t][u];
            }
        at[i] = cnt[s]++;
    }
    return n;
}

static CUresult program_play(CUstream *st, const struct step *p, unsigned n)
{
    CUresult e = 0, q;
    int ev = 0;
    for (int t = 1; t < 3; t++) {
        q = cuda.cuEventRecord(events[ev], st[0]);
        if (q)
            e = q;
        q = cuda.cuStreamWaitEvent(st[t], events[ev], 0);
        if (q)
            e = q;
        ev = (ev + 1) & 7;
    }
    for (unsigned i = 0; i < n; i++) {
        for (int t = 0; t < 3; t++)
            if (p[i].wait >> t & 1) {
                q = cuda.cuEventRecord(events[ev], st[t]);
                if (q)
                    e = q;
                q = cuda.cuStreamWaitEvent(st[p[i].s], events[ev], 0);
                if (q)
                    e = q;
                ev = (ev + 1) & 7;
            }
        q = run_op(st[p[i].s], &p[i].o);
        if (q)
            e = q;
    }
    for (int t = 1; t < 3; t++) {
        q = cuda.cuEventRecord(events[ev], st[t]);
        if (q)
            e = q;
        q = cuda.cuStreamWaitEvent(st[0], events[ev], 0);
        if (q)
            e = q;
        ev = (ev + 1) & 7;
    }
    return e;
}

GROUP(903, fuzz_capture, "fuzz-capture")
{
    use_graph_objects();
    cases_independent = 1;
    for (unsigned seed = 1; seed <= 40; seed++)
        if (case_begin(format("seed-%u", seed))) {
            uint64_t r = seed + 9000;
            struct step p[MAX_OPS];
            memset(p, 0, sizeof p);
            unsigned n = program_random(&r, p);
            CUstream st[3] = {streams[seed & 1 ? 0 : 5], streams[3], streams[seed & 2 ? 4 : 1]};
            buffers_seed(seed);
            CUresult pe = program_play(st, p, n);
            cuda.cuStreamSynchronize(st[0]);
            cuda.cuCtxSynchronize();
            const char *se = buffers_checksum();
            CUresult b = cuda.cuStreamBeginCapture(st[0], (int)(seed % 3));
            CUresult ce = b ? RESULT_SKIPPED : program_play(st, p, n);
            CUgraph g = 0;
            const char *e = capture_end(st[0], &g);
            for (int t = 1; t < 3; t++)
                if (capture_status(st[t]) > 0) {
                    CUgraph h = 0;
                    cuda.cuStreamEndCapture(st[t], &h);
                }
            buffers_seed(seed);
            CUgraphExec x = instantiate(g, 0);
            const char *q = exec_run(x, streams[0]), *s1 = buffers_checksum(),
                       *q2 = exec_run(x, streams[3]), *s2 = buffers_checksum();
            case_end(ce, " eager=%s/%s begin=%s end=%s run=%s,%s sum=%s,%s %s", result_name(pe), se,
                     result_name(b), e, q, q2, s1, s2, g ? graph_text(g) : "-");
            if (x)
                cuda.cuGraphExecDestroy(x);
            if (g)
                cuda.cuGraphDestroy(g);
            cuda.cuCtxSynchronize();
        }
}
