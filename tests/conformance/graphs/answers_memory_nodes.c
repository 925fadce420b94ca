/* SPDX-License-Identifier: MIT */
/* Allocation and free nodes, and the memory that graphs keep. */
#include "graphs.h"

static CUDA_MEM_ALLOC_NODE_PARAMS alloc_params(size_t n)
{
    CUDA_MEM_ALLOC_NODE_PARAMS x;
    memset(&x, 0, sizeof x);
    x.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    x.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    x.poolProps.location.id = device;
    x.bytesize = n;
    return x;
}

static CUmemAccessDesc access_wanted[3];
#define CHANGE(n, ...)                                                                             \
    static void change_##n(CUDA_MEM_ALLOC_NODE_PARAMS *pp)                                         \
    {                                                                                              \
        CUDA_MEM_ALLOC_NODE_PARAMS p = *pp;                                                        \
        __VA_ARGS__;                                                                               \
        *pp = p;                                                                                   \
    }
#include "alloc_changes.def"
#undef CHANGE

static const struct {
    const char *n;
    void (*f)(CUDA_MEM_ALLOC_NODE_PARAMS *);
} changes[] = {
#define CHANGE(n, ...) {#n, change_##n},
#include "alloc_changes.def"
#undef CHANGE
};
static void graph_memory_read(unsigned long long v[4])
{
    for (int i = 0; i < 4; i++) {
        cuuint64_t x = 77;
        v[i] = cuda.cuDeviceGetGraphMemAttribute(device, i, &x) ? 999 : x;
    }
}

GROUP(330, mem_nodes, "mem-nodes")
{
    use_graph_objects();
    cases_independent = 1;
    for (size_t i = 0; i < COUNT_OF(changes); i++)
        if (case_begin(format("add-%s", changes[i].n))) {
            memset(access_wanted, 0, sizeof access_wanted);
            access_wanted[0].location.type = 1;
            access_wanted[0].location.id = device;
            access_wanted[0].flags = 3;
            CUDA_MEM_ALLOC_NODE_PARAMS p = alloc_params(4096);
            changes[i].f(&p);
            CUdeviceptr in = p.dptr;
            CUgraph g = graph_new();
            CUgraphNode n = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphAddMemAllocNode(&n, g, NULL, 0, &p);
            case_end(r, " node=%s dptr=%s a512=%d (%s)", handle_text(n),
                     p.dptr == in ? "kept"
                     : p.dptr     ? "set"
                                  : "0",
                     !r && p.dptr % 512 == 0, r ? "-" : node_params_text(n));
            cuda.cuGraphDestroy(g);
        }
    for (size_t i = 0; i < COUNT_OF(changes); i++)
        if (case_begin(format("generic-%s", changes[i].n))) {
            memset(access_wanted, 0, sizeof access_wanted);
            access_wanted[0].location.type = 1;
            access_wanted[0].location.id = device;
            access_wanted[0].flags = 3;
            CUDA_MEM_ALLOC_NODE_PARAMS p = alloc_params(4096);
            changes[i].f(&p);
            CUgraphNodeParams q;
            memset(&q, 0, sizeof q);
            q.type = 10;
            memcpy(&q.alloc, &p, sizeof p);
            CUgraph g = graph_new();
            CUgraphNode n = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &q);
            case_end(r, " node=%s dptr=%s", handle_text(n), q.alloc.dptr ? "set" : "0");
            cuda.cuGraphDestroy(g);
        }
    if (case_begin("getparams")) {
        CUgraph g = graph_new();
        CUDA_MEM_ALLOC_NODE_PARAMS p = alloc_params(5000), q;
        memset(access_wanted, 0, sizeof access_wanted);
        access_wanted[0].location.type = 1;
        access_wanted[0].flags = 3;
        p.accessDescs = access_wanted;
        p.accessDescCount = 1;
        CUgraphNode n = 0;
        CUresult r0 = cuda.cuGraphAddMemAllocNode(&n, g, NULL, 0, &p);
        memset(&q, 0, sizeof q);
        CUresult r = r0 ? RESULT_SKIPPED : cuda.cuGraphMemAllocNodeGetParams(n, &q);
        case_end(r, " same-dptr=%d size=%zu count=%zu same-array=%d flags=%d", q.dptr == p.dptr,
                 q.bytesize, q.accessDescCount, q.accessDescs == access_wanted,
                 !r && q.accessDescs && q.accessDescCount ? (int)q.accessDescs[0].flags : -1);
    }
    if (case_begin("two-differ")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0, b = 0;
        add_alloc(g, NULL, 0, 4096, &a);
        add_alloc(g, NULL, 0, 4096, &b);
        case_end(0, " differ=%d", a != b);
    }
    if (case_begin("freed-then-alloc-reuses-address")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0, b = 0;
        CUgraphNode n = add_alloc(g, NULL, 0, 4096, &a), f = add_free(g, &n, 1, a);
        add_alloc(g, &f, 1, 4096, &b);
        case_end(0, " same=%d", a && a == b);
    }
    if (case_begin("address-attr-before-launch")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        add_alloc(g, NULL, 0, 4096, &a);
        unsigned mt = 99;
        CUresult r = cuda.cuPointerGetAttribute(&mt, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a);
        unsigned w;
        CUresult r2 = cuda.cuMemcpyDtoH(&w, a, 4);
        CUdeviceptr ba = UNTOUCHED;
        size_t sz = 0;
        CUresult r3 = cuda.cuMemGetAddressRange(&ba, &sz, a);
        case_end(r, " type=%u read=%s range=%s size=%zu", r ? 0 : mt, result_name(r2),
                 result_name(r3), r3 ? 0 : sz);
    }
    /* alloc, use, free inside the graph */
    if (case_begin("alloc-use-free")) {
        buffers_clear();
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        CUgraphNode n = add_alloc(g, NULL, 0, BUFFER_BYTES, &a),
                    k = add_kernel(g, &n, 1, KERNEL_SET, a, BUFFER_WORDS, 3),
                    c = add_copy(g, &k, 1, buffers[0], a, BUFFER_BYTES);
        add_free(g, &c, 1, a);
        CUgraphExec x = instantiate(g, 0);
        const char *q = exec_run(x, streams[0]), *v1 = buffer_text(0);
        buffers_clear();
        const char *q2 = exec_run(x, streams[0]);
        case_end(0, " exec=%s run=%s,%s %s %s", handle_text(x), q, q2, v1, buffer_text(0));
        if (x)
            cuda.cuGraphExecDestroy(x);
    }
    if (case_begin("alloc-kept-after-launch")) {
        buffers_clear();
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        CUgraphNode n = add_alloc(g, NULL, 0, BUFFER_BYTES, &a);
        add_kernel(g, &n, 1, KERNEL_SET, a, BUFFER_WORDS, 3);
        CUgraphExec x = instantiate(g, 0);
        const char *q = exec_run(x, streams[0]);
        CUresult r = a ? cuda.cuMemcpyDtoD(buffers[0], a, BUFFER_BYTES) : RESULT_SKIPPED;
        cuda.cuCtxSynchronize();
        const char *v = buffer_text(0);
        CUresult again = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED;
        cuda.cuCtxSynchronize();
        CUresult f = a ? cuda.cuMemFreeAsync(a, streams[0]) : RESULT_SKIPPED;
        cuda.cuStreamSynchronize(streams[0]);
        CUresult third = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED;
        cuda.cuCtxSynchronize();
        CUresult f2 = a ? cuda.cuMemFree(a) : RESULT_SKIPPED,
                 f3 = a ? cuda.cuMemFree(a) : RESULT_SKIPPED;
        case_end(r,
                 " exec=%s run=%s b0=%s relaunch-unfreed=%s free-async=%s relaunch=%s free=%s "
                 "free-again=%s",
                 handle_text(x), q, v, result_name(again), result_name(f), result_name(third),
                 result_name(f2), result_name(f3));
        if (x)
            cuda.cuGraphExecDestroy(x);
    }
    if (case_begin("auto-free-relaunch")) {
        buffers_clear();
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        CUgraphNode n = add_alloc(g, NULL, 0, BUFFER_BYTES, &a);
        add_kernel(g, &n, 1, KERNEL_SET, a, BUFFER_WORDS, 3);
        CUgraphExec x = instantiate(g, 1);
        CUresult r[4];
        for (int i = 0; i < 4; i++) {
            r[i] = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED;
        }
        const char *q = sync_stream(streams[0]);
        CUresult c = a ? cuda.cuMemcpyDtoD(buffers[0], a, BUFFER_BYTES) : RESULT_SKIPPED;
        cuda.cuCtxSynchronize();
        case_end(r[0], " exec=%s %s %s %s sync=%s read=%s b0=%s", handle_text(x), result_name(r[1]),
                 result_name(r[2]), result_name(r[3]), q, result_name(c), buffer_text(0));
        if (x)
            cuda.cuGraphExecDestroy(x);
    }
    if (case_begin("free-in-other-graph")) {
        buffers_clear();
        CUgraph g = graph_new(), h = graph_new();
        CUdeviceptr a = 0;
        CUgraphNode n = add_alloc(g, NULL, 0, BUFFER_BYTES, &a);
        add_kernel(g, &n, 1, KERNEL_SET, a, BUFFER_WORDS, 6);
        CUgraphNode c = add_copy(h, NULL, 0, buffers[0], a, BUFFER_BYTES), f = UNTOUCHED_NODE;
        CUresult r = c ? cuda.cuGraphAddMemFreeNode(&f, h, &c, 1, a) : RESULT_SKIPPED;
        CUgraphExec x = instantiate(g, 0), y = instantiate(h, 0);
        CUresult e[5];
        e[0] = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED;
        e[1] = y ? cuda.cuGraphLaunch(y, streams[0]) : RESULT_SKIPPED;
        e[2] = y ? cuda.cuGraphLaunch(y, streams[0]) : RESULT_SKIPPED;
        e[3] = x ? cuda.cuGraphLaunch(x, streams[0]) : RESULT_SKIPPED;
        e[4] = y ? cuda.cuGraphLaunch(y, streams[0]) : RESULT_SKIPPED;
        const char *q = sync_stream(streams[0]);
        case_end(r, " copy=%s node=%s alloc=%s free=%s free2=%s alloc2=%s free3=%s sync=%s b0=%s",
                 handle_text(c), handle_text(f), result_name(e[0]), result_name(e[1]),
                 result_name(e[2]), result_name(e[3]), result_name(e[4]), q, buffer_text(0));
    }
    if (case_begin("free-node-double")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        CUgraphNode n = add_alloc(g, NULL, 0, BUFFER_BYTES, &a), f = UNTOUCHED_NODE,
                    f2 = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddMemFreeNode(&f, g, &n, 1, a),
                 r2 = cuda.cuGraphAddMemFreeNode(&f2, g, &n, 1, a);
        case_end(r, " second=%s node=%s", result_name(r2), handle_text(f2));
    }
    if (case_begin("free-node-no-dep")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        add_alloc(g, NULL, 0, BUFFER_BYTES, &a);
        CUgraphNode f = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddMemFreeNode(&f, g, NULL, 0, a);
        CUgraphExec x = UNTOUCHED_EXEC;
        CUresult i = cuda.cuGraphInstantiate(&x, g, 0);
        case_end(r, " node=%s inst=%s", handle_text(f), result_name(i));
    }
    if (case_begin("free-node-before-alloc")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        CUgraphNode e = add_empty(g, NULL, 0), n = add_alloc(g, &e, 1, BUFFER_BYTES, &a),
                    f = UNTOUCHED_NODE;
        (void)n;
        CUresult r = cuda.cuGraphAddMemFreeNode(&f, g, NULL, 0, a);
        CUresult d =
            f != UNTOUCHED_NODE ? cuda.cuGraphAddDependencies(g, &f, &e, NULL, 1) : RESULT_SKIPPED;
        CUgraphExec x = UNTOUCHED_EXEC;
        CUresult i = cuda.cuGraphInstantiate(&x, g, 0);
        case_end(r, " dep=%s inst=%s", result_name(d), result_name(i));
    }
    if (case_begin("free-node-interior")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        CUgraphNode n = add_alloc(g, NULL, 0, BUFFER_BYTES, &a), f = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddMemFreeNode(&f, g, &n, 1, a + 256);
        case_end(r, " node=%s", handle_text(f));
    }
    if (case_begin("free-node-ordinary-memory")) {
        CUgraph g = graph_new();
        CUgraphNode f = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddMemFreeNode(&f, g, NULL, 0, buffers[0]);
        case_end(r, " node=%s", handle_text(f));
    }
    if (case_begin("free-node-async-memory")) {
        CUdeviceptr a = 0;
        cuda.cuMemAllocAsync(&a, 4096, streams[0]);
        cuda.cuStreamSynchronize(streams[0]);
        CUgraph g = graph_new();
        CUgraphNode f = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddMemFreeNode(&f, g, NULL, 0, a);
        const char *q = r ? "-" : graph_run(g);
        case_end(r, " node=%s run=%s", handle_text(f), q);
    }
    if (case_begin("free-node-host")) {
        CUgraph g = graph_new();
        CUgraphNode f = UNTOUCHED_NODE;
        CUresult r =
            cuda.cuGraphAddMemFreeNode(&f, g, NULL, 0, (CUdeviceptr)(uintptr_t)host_buffers[0]);
        case_end(r, " node=%s", handle_text(f));
    }
    if (case_begin("free-get")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0, o = UNTOUCHED;
        CUgraphNode n = add_alloc(g, NULL, 0, BUFFER_BYTES, &a), f = add_free(g, &n, 1, a);
        CUresult r = f ? cuda.cuGraphMemFreeNodeGetParams(f, &o) : RESULT_SKIPPED;
        case_end(r, " same=%d", o == a);
    }
    if (case_begin("free-before-launch")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        add_alloc(g, NULL, 0, BUFFER_BYTES, &a);
        CUresult r = a ? cuda.cuMemFree(a) : RESULT_SKIPPED,
                 r2 = a ? cuda.cuMemFreeAsync(a, streams[0]) : RESULT_SKIPPED;
        case_end(r, " async=%s", result_name(r2));
    }
    if (case_begin("instantiate-twice-with-alloc")) {
        CUgraph g = graph_new();
        add_alloc(g, NULL, 0, BUFFER_BYTES, NULL);
        CUgraphExec x = UNTOUCHED_EXEC, y = UNTOUCHED_EXEC;
        CUresult r = cuda.cuGraphInstantiate(&x, g, 0), r2 = cuda.cuGraphInstantiate(&y, g, 0);
        CUresult d = r ? RESULT_SKIPPED : cuda.cuGraphExecDestroy(x);
        CUgraphExec z = UNTOUCHED_EXEC;
        CUresult r3 = cuda.cuGraphInstantiate(&z, g, 0);
        case_end(r, " second=%s exec=%s destroy=%s third=%s", result_name(r2), handle_text(y),
                 result_name(d), result_name(r3));
    }
    if (case_begin("instantiate-twice-alloc-freed")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        CUgraphNode n = add_alloc(g, NULL, 0, BUFFER_BYTES, &a);
        add_free(g, &n, 1, a);
        CUgraphExec x = UNTOUCHED_EXEC, y = UNTOUCHED_EXEC;
        CUresult r = cuda.cuGraphInstantiate(&x, g, 0), r2 = cuda.cuGraphInstantiate(&y, g, 0);
        case_end(r, " second=%s exec=%s", result_name(r2), handle_text(y));
    }
    if (case_begin("edit-after-alloc")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        CUgraphNode n = add_alloc(g, NULL, 0, BUFFER_BYTES, &a), e = add_empty(g, &n, 1);
        CUresult r = cuda.cuGraphRemoveDependencies(g, &n, &e, NULL, 1),
                 r2 = cuda.cuGraphDestroyNode(e), r3 = cuda.cuGraphDestroyNode(n);
        CUgraph d = UNTOUCHED_GRAPH;
        CUresult r4 = cuda.cuGraphClone(&d, g);
        CUgraph p = graph_new();
        CUgraphNode c = UNTOUCHED_NODE;
        CUresult r5 = cuda.cuGraphAddChildGraphNode(&c, p, NULL, 0, g);
        case_end(r, " destroy-other=%s destroy-alloc=%s clone=%s child=%s %s", result_name(r2),
                 result_name(r3), result_name(r4), result_name(r5), graph_text(g));
    }
    if (case_begin("exec-destroy-keeps-memory")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        add_alloc(g, NULL, 0, BUFFER_BYTES, &a);
        CUgraphExec x = instantiate(g, 0);
        const char *q = exec_run(x, streams[0]);
        CUresult d = x ? cuda.cuGraphExecDestroy(x) : RESULT_SKIPPED;
        cuda.cuGraphDestroy(g);
        unsigned w;
        CUresult r = a ? cuda.cuMemcpyDtoH(&w, a, 4) : RESULT_SKIPPED;
        CUresult f = a ? cuda.cuMemFree(a) : RESULT_SKIPPED;
        case_end(r, " run=%s destroy=%s free=%s", q, result_name(d), result_name(f));
    }
    if (case_begin("pointer-attrs-after-launch")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        add_alloc(g, NULL, 0, 5000, &a);
        CUgraphExec x = instantiate(g, 0);
        const char *q = exec_run(x, streams[0]);
        unsigned mt = 99;
        CUresult r = a ? cuda.cuPointerGetAttribute(&mt, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a)
                       : RESULT_SKIPPED;
        CUdeviceptr ba = 0;
        size_t sz = 0;
        CUresult r2 = a ? cuda.cuMemGetAddressRange(&ba, &sz, a) : RESULT_SKIPPED;
        CUmemoryPool pool = 0;
        CUresult r3 = a ? cuda.cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, a)
                        : RESULT_SKIPPED;
        case_end(r, " run=%s type=%u range=%s base=%s size=%zu pool=%s %s", q, mt, result_name(r2),
                 relative(ba, a), sz, result_name(r3), handle_text(pool));
        if (a)
            cuda.cuMemFree(a);
    }
    for (int t = 0; t < 3; t++)
        if (case_begin(format("alloc-flags-%d", 1 << t))) {
            CUgraph g = graph_new();
            CUdeviceptr a = 0;
            add_alloc(g, NULL, 0, BUFFER_BYTES, &a);
            CUgraphExec x = UNTOUCHED_EXEC;
            CUDA_GRAPH_INSTANTIATE_PARAMS p;
            memset(&p, 0, sizeof p);
            p.flags = 1 << t;
            p.hUploadStream = t == 1 ? streams[0] : 0;
            p.result_out = 77;
            CUresult r = cuda.cuGraphInstantiateWithParams(&x, g, &p);
            cuda.cuCtxSynchronize();
            case_end(r, " result=%s", instantiate_result_name(p.result_out));
            if (!r)
                cuda.cuGraphExecDestroy(x);
        }
    if (case_begin("auto-free-with-free-node")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        CUgraphNode n = add_alloc(g, NULL, 0, BUFFER_BYTES, &a);
        add_free(g, &n, 1, a);
        CUgraphExec x = instantiate(g, 1);
        const char *q = exec_run(x, streams[0]), *q2 = exec_run(x, streams[0]);
        case_end(0, " exec=%s run=%s,%s", handle_text(x), q, q2);
    }
    if (case_begin("address-fixed-over-launches")) {
        CUgraph g = graph_new();
        CUdeviceptr a = 0;
        CUgraphNode n = add_alloc(g, NULL, 0, BUFFER_BYTES, &a),
                    k = add_kernel(g, &n, 1, KERNEL_SET, a, BUFFER_WORDS, 1),
                    c = add_copy(g, &k, 1, buffers[0], a, BUFFER_BYTES);
        add_free(g, &c, 1, a);
        CUgraphExec x = instantiate(g, 0);
        CUresult r = 0;
        for (int i = 0; i < 20 && x; i++) {
            CUresult q = cuda.cuGraphLaunch(x, streams[0]);
            if (q)
                r = q;
        }
        const char *q = sync_stream(streams[0]);
        case_end(r, " sync=%s b0=%s", q, buffer_text(0));
    }
}

GROUP(331, mem_attr, "mem-attr")
{
    use_graph_objects();
    cuuint64_t v;
    for (int a = -1; a <= 5; a++) {
        v = 77;
        CHECK(format("get-%d", a), cuda.cuDeviceGetGraphMemAttribute(device, a, &v), "v=%llu",
              (unsigned long long)v);
    }
    for (int a = -1; a <= 5; a++) {
        static const cuuint64_t w[] = {0, 1, 4096, ~0ull};
        for (size_t i = 0; i < COUNT_OF(w); i++) {
            v = w[i];
            CHECK(format("set-%d-%zu", a, i), cuda.cuDeviceSetGraphMemAttribute(device, a, &v));
        }
    }
    CHECK("get-null", cuda.cuDeviceGetGraphMemAttribute(device, 0, NULL));
    CHECK("set-null", cuda.cuDeviceSetGraphMemAttribute(device, 1, NULL));
    v = 0;
    CHECK("get-dev1", cuda.cuDeviceGetGraphMemAttribute(1, 0, &v));
    CHECK("get-devm1", cuda.cuDeviceGetGraphMemAttribute(-1, 0, &v));
    CHECK("set-dev1", cuda.cuDeviceSetGraphMemAttribute(1, 1, &v));
    CHECK("trim", cuda.cuDeviceGraphMemTrim(device));
    CHECK("trim-dev1", cuda.cuDeviceGraphMemTrim(1));
    CHECK("trim-devm1", cuda.cuDeviceGraphMemTrim(-1));
    unsigned long long m[4];
    CUgraph g = graph_new();
    CUdeviceptr a = 0;
    CUgraphNode n = add_alloc(g, NULL, 0, 8 * MB, &a), f = add_free(g, &n, 1, a);
    (void)f;
    graph_memory_read(m);
    CHECK("after-add", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    CUgraphExec x = instantiate(g, 0);
    graph_memory_read(m);
    CHECK("after-inst", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    const char *q = exec_run(x, streams[0]);
    graph_memory_read(m);
    CHECK("after-run", 0, "%s %llu %llu %llu %llu", q, m[0], m[1], m[2], m[3]);
    cuda.cuDeviceGraphMemTrim(device);
    graph_memory_read(m);
    CHECK("after-trim", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    if (x)
        cuda.cuGraphExecDestroy(x);
    cuda.cuGraphDestroy(g);
    graph_memory_read(m);
    CHECK("after-destroy", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    cuda.cuDeviceGraphMemTrim(device);
    graph_memory_read(m);
    CHECK("after-destroy-trim", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    v = 0;
    CHECK("reset-used-high", cuda.cuDeviceSetGraphMemAttribute(device, 1, &v));
    CHECK("reset-reserved-high", cuda.cuDeviceSetGraphMemAttribute(device, 3, &v));
    graph_memory_read(m);
    CHECK("after-reset", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    g = graph_new();
    add_alloc(g, NULL, 0, 4 * MB, &a);
    x = instantiate(g, 0);
    q = exec_run(x, streams[0]);
    graph_memory_read(m);
    CHECK("held", 0, "%s %llu %llu %llu %llu", q, m[0], m[1], m[2], m[3]);
    CHECK("trim-held", cuda.cuDeviceGraphMemTrim(device));
    graph_memory_read(m);
    CHECK("held-trim", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    CHECK("free", a ? cuda.cuMemFree(a) : RESULT_SKIPPED);
    graph_memory_read(m);
    CHECK("held-freed", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    if (x)
        cuda.cuGraphExecDestroy(x);
    cuda.cuGraphDestroy(g);
    cuda.cuDeviceGraphMemTrim(device);
    graph_memory_read(m);
    CHECK("end", 0, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
    static const size_t sz[] = {1, 4096, 65536, MB, 2 * MB, 2 * MB + 1, 32 * MB, 33 * MB};
    for (size_t i = 0; i < COUNT_OF(sz); i++) {
        g = graph_new();
        a = 0;
        n = add_alloc(g, NULL, 0, sz[i], &a);
        add_free(g, &n, 1, a);
        x = instantiate(g, 0);
        graph_memory_read(m);
        unsigned long long k[4];
        memcpy(k, m, sizeof k);
        q = exec_run(x, streams[0]);
        graph_memory_read(m);
        CHECK(format("size-%zu", sz[i]), 0, "%s inst=%llu/%llu run=%llu/%llu high=%llu/%llu", q,
              k[0], k[2], m[0], m[2], m[1], m[3]);
        if (x)
            cuda.cuGraphExecDestroy(x);
        cuda.cuGraphDestroy(g);
        cuda.cuDeviceGraphMemTrim(device);
        v = 0;
        cuda.cuDeviceSetGraphMemAttribute(device, 1, &v);
        cuda.cuDeviceSetGraphMemAttribute(device, 3, &v);
    }
    g = graph_new();
    n = add_alloc(g, NULL, 0, 8 * MB, &a);
    add_free(g, &n, 1, a);
    x = instantiate(g, 0);
    CUresult u = x ? cuda.cuGraphUpload(x, streams[0]) : RESULT_SKIPPED;
    cuda.cuStreamSynchronize(streams[0]);
    graph_memory_read(m);
    CHECK("after-upload", u, "%llu %llu %llu %llu", m[0], m[1], m[2], m[3]);
}
