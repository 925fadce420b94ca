/* SPDX-License-Identifier: MIT */
/* Node types: parameters, round trips, wrong types, NULL arguments. */
#include "graphs.h"

/* Matrix: every typed function on every node type. */
#define TYPED_CALL(n_, ...)                                                                        \
    static CUresult typed_##n_(CUgraphNode n)                                                      \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
#include "typed_calls.def"
#undef TYPED_CALL

static const struct {
    const char *n;
    CUresult (*f)(CUgraphNode);
} typed_calls[] = {
#define TYPED_CALL(n_, ...) {#n_, typed_##n_},
#include "typed_calls.def"
#undef TYPED_CALL
};
/* generic parameters of a type: plausible contents */
static CUstreamBatchMemOpParams operations[4];
static void generic_params(CUgraphNodeParams *p, int t, CUgraph child)
{
    memset(p, 0, sizeof *p);
    p->type = t;
    switch (t) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        CUDA_KERNEL_NODE_PARAMS k = kernel_params(KERNEL_MULTIPLY, buffers[0], 0, 64, 5);
        memcpy(&p->kernel, &k, sizeof k < sizeof p->kernel ? sizeof k : sizeof p->kernel);
        break;
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        p->memcpy.copyCtx = context;
        p->memcpy.copyParams = copy_device_to_device(buffers[4], buffers[5], 128);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        CUDA_MEMSET_NODE_PARAMS m = memset_params(buffers[4], 3, 4, 32, 1, 0);
        p->memset.dst = m.dst;
        p->memset.value = m.value;
        p->memset.elementSize = m.elementSize;
        p->memset.width = m.width;
        p->memset.height = m.height;
        p->memset.ctx = context;
        break;
    }
    case CU_GRAPH_NODE_TYPE_HOST:
        p->host.fn = host_count_hundred;
        p->host.userData = (void *)3;
        break;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        p->graph.graph = child;
        p->graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE;
        break;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        p->eventWait.event = events[2];
        break;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        p->eventRecord.event = events[3];
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        p->alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        p->alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        p->alloc.poolProps.location.id = device;
        p->alloc.bytesize = 8192;
        break;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        memset(operations, 0, sizeof operations);
        operations[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        operations[0].writeValue.address = buffers[3];
        operations[0].writeValue.value = 12;
        p->memOp.ctx = context;
        p->memOp.count = 1;
        p->memOp.paramArray = operations;
        break;
    default:
        break;
    }
}

GROUP(200, node_wrongtype, "node-wrongtype")
{
    use_graph_objects();
    cases_independent = 1;
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        for (size_t f = 0; f < COUNT_OF(typed_calls); f++)
            if (case_begin(format("%s-on-%s", typed_calls[f].n, node_type_name(t)))) {
                CUgraph g = graph_new();
                CUgraphNode n = add_node_of_type(t, g, NULL, 0);
                CUresult r = n ? typed_calls[f].f(n) : RESULT_SKIPPED;
                case_end(r, " node=%s after=(%s)", handle_text(n), n ? node_params_text(n) : "-");
                cuda.cuGraphDestroy(g);
            }
    for (size_t f = 0; f < COUNT_OF(typed_calls); f++)
        CHECK(format("%s-on-null", typed_calls[f].n), typed_calls[f].f(NULL));
}

GROUP(201, node_nullparams, "node-nullparams")
{
    use_graph_objects();
    cases_independent = 1;
    CUgraphNode n[NODE_TYPE_COUNT];
    CUgraph g = graph_new();
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        n[t] = add_node_of_type(t, g, NULL, 0);
    CHECK("kernel_get", cuda.cuGraphKernelNodeGetParams(n[0], NULL));
    CHECK("kernel_get_v1", cuda.cuGraphKernelNodeGetParams_v1(n[0], NULL));
    CHECK("kernel_set", cuda.cuGraphKernelNodeSetParams(n[0], NULL));
    CHECK("kernel_set_v1", cuda.cuGraphKernelNodeSetParams_v1(n[0], NULL));
    CHECK("kernel_getattr", cuda.cuGraphKernelNodeGetAttribute(n[0], 2, NULL));
    CHECK("kernel_setattr", cuda.cuGraphKernelNodeSetAttribute(n[0], 2, NULL));
    CHECK("copyattr-dst", cuda.cuGraphKernelNodeCopyAttributes(NULL, n[0]));
    CHECK("copyattr-src", cuda.cuGraphKernelNodeCopyAttributes(n[0], NULL));
    CHECK("memcpy_get", cuda.cuGraphMemcpyNodeGetParams(n[1], NULL));
    CHECK("memcpy_set", cuda.cuGraphMemcpyNodeSetParams(n[1], NULL));
    CHECK("memset_get", cuda.cuGraphMemsetNodeGetParams(n[2], NULL));
    CHECK("memset_set", cuda.cuGraphMemsetNodeSetParams(n[2], NULL));
    CHECK("host_get", cuda.cuGraphHostNodeGetParams(n[3], NULL));
    CHECK("host_set", cuda.cuGraphHostNodeSetParams(n[3], NULL));
    CHECK("child_get", cuda.cuGraphChildGraphNodeGetGraph(n[4], NULL));
    CHECK("evwait_get", cuda.cuGraphEventWaitNodeGetEvent(n[6], NULL));
    CHECK("evwait_set", cuda.cuGraphEventWaitNodeSetEvent(n[6], NULL));
    CHECK("evrecord_get", cuda.cuGraphEventRecordNodeGetEvent(n[7], NULL));
    CHECK("evrecord_set", cuda.cuGraphEventRecordNodeSetEvent(n[7], NULL));
    CHECK("memalloc_get", cuda.cuGraphMemAllocNodeGetParams(n[10], NULL));
    CHECK("memfree_get", cuda.cuGraphMemFreeNodeGetParams(n[11], NULL));
    CHECK("batch_get", cuda.cuGraphBatchMemOpNodeGetParams(n[12], NULL));
    CHECK("batch_set", cuda.cuGraphBatchMemOpNodeSetParams(n[12], NULL));
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        CHECK(format("generic_set-%s", node_type_name(t)),
              n[t] ? cuda.cuGraphNodeSetParams(n[t], NULL) : RESULT_SKIPPED);
    CUgraphNode o = UNTOUCHED_NODE;
    CUDA_KERNEL_NODE_PARAMS k = kernel_params(KERNEL_ADD, buffers[0], 0, 64, 1);
    CUDA_KERNEL_NODE_PARAMS_v1 k1 = kernel_params_v1(KERNEL_ADD, buffers[0], 0, 64, 1);
    CUDA_MEMCPY3D c = copy_device_to_device(buffers[1], buffers[0], 64);
    CUDA_MEMSET_NODE_PARAMS m = memset_params(buffers[0], 1, 1, 16, 1, 0);
    CUDA_HOST_NODE_PARAMS h;
    memset(&h, 0, sizeof h);
    h.fn = host_count;
    CUDA_MEM_ALLOC_NODE_PARAMS al;
    memset(&al, 0, sizeof al);
    al.poolProps.allocType = 1;
    al.poolProps.location.type = 1;
    al.bytesize = 64;
    CUDA_BATCH_MEM_OP_NODE_PARAMS bo;
    memset(&bo, 0, sizeof bo);
    memset(operations, 0, sizeof operations);
    operations[0].operation = 2;
    operations[0].writeValue.address = buffers[3];
    bo.ctx = context;
    bo.count = 1;
    bo.paramArray = operations;
    CUgraph ch = graph_new();
    CUgraphNodeParams gp;
    generic_params(&gp, 5, NULL);
#define ADDN(nm, f, ...)                                                                           \
    do {                                                                                           \
        o = UNTOUCHED_NODE;                                                                        \
        CHECK(nm "-null-out", f(NULL, g, NULL, 0, ##__VA_ARGS__));                                 \
        CHECK(nm "-null-graph", f(&o, NULL, NULL, 0, ##__VA_ARGS__), "node=%s", handle_text(o));   \
        o = UNTOUCHED_NODE;                                                                        \
        CHECK(nm "-null-deps1", f(&o, g, NULL, 1, ##__VA_ARGS__), "node=%s", handle_text(o));      \
    } while (0)
    ADDN("add-empty", cuda.cuGraphAddEmptyNode);
    ADDN("add-kernel", cuda.cuGraphAddKernelNode, &k);
    ADDN("add-kernel_v1", cuda.cuGraphAddKernelNode_v1, &k1);
    ADDN("add-memcpy", cuda.cuGraphAddMemcpyNode, &c, context);
    ADDN("add-memset", cuda.cuGraphAddMemsetNode, &m, context);
    ADDN("add-host", cuda.cuGraphAddHostNode, &h);
    ADDN("add-child", cuda.cuGraphAddChildGraphNode, ch);
    ADDN("add-evrecord", cuda.cuGraphAddEventRecordNode, events[0]);
    ADDN("add-evwait", cuda.cuGraphAddEventWaitNode, events[0]);
    ADDN("add-alloc", cuda.cuGraphAddMemAllocNode, &al);
    ADDN("add-free", cuda.cuGraphAddMemFreeNode, buffers[0]);
    ADDN("add-batch", cuda.cuGraphAddBatchMemOpNode, &bo);
    ADDN("add-generic_v1", cuda.cuGraphAddNode_v1, &gp);
    o = UNTOUCHED_NODE;
    CHECK("add-generic-null-out", cuda.cuGraphAddNode(NULL, g, NULL, NULL, 0, &gp));
    CHECK("add-generic-null-graph", cuda.cuGraphAddNode(&o, NULL, NULL, NULL, 0, &gp), "node=%s",
          handle_text(o));
    CHECK("add-generic-null-deps1", cuda.cuGraphAddNode(&o, g, NULL, NULL, 1, &gp), "node=%s",
          handle_text(o));
#define ADDP(nm, call)                                                                             \
    o = UNTOUCHED_NODE;                                                                            \
    CHECK(nm, call, "node=%s", handle_text(o))
    ADDP("add-kernel-null-params", cuda.cuGraphAddKernelNode(&o, g, NULL, 0, NULL));
    ADDP("add-kernel_v1-null-params", cuda.cuGraphAddKernelNode_v1(&o, g, NULL, 0, NULL));
    ADDP("add-memcpy-null-params", cuda.cuGraphAddMemcpyNode(&o, g, NULL, 0, NULL, context));
    ADDP("add-memset-null-params", cuda.cuGraphAddMemsetNode(&o, g, NULL, 0, NULL, context));
    ADDP("add-host-null-params", cuda.cuGraphAddHostNode(&o, g, NULL, 0, NULL));
    ADDP("add-child-null", cuda.cuGraphAddChildGraphNode(&o, g, NULL, 0, NULL));
    ADDP("add-evrecord-null", cuda.cuGraphAddEventRecordNode(&o, g, NULL, 0, NULL));
    ADDP("add-evwait-null", cuda.cuGraphAddEventWaitNode(&o, g, NULL, 0, NULL));
    ADDP("add-alloc-null", cuda.cuGraphAddMemAllocNode(&o, g, NULL, 0, NULL));
    ADDP("add-free-null", cuda.cuGraphAddMemFreeNode(&o, g, NULL, 0, 0));
    ADDP("add-batch-null", cuda.cuGraphAddBatchMemOpNode(&o, g, NULL, 0, NULL));
    ADDP("add-generic-null", cuda.cuGraphAddNode(&o, g, NULL, NULL, 0, NULL));
    ADDP("add-generic_v1-null", cuda.cuGraphAddNode_v1(&o, g, NULL, 0, NULL));
    ADDP("add-semsignal-null", cuda.cuGraphAddExternalSemaphoresSignalNode(&o, g, NULL, 0, NULL));
    ADDP("add-semwait-null", cuda.cuGraphAddExternalSemaphoresWaitNode(&o, g, NULL, 0, NULL));
    /* a context that is not given */
    ADDP("add-memcpy-null-ctx", cuda.cuGraphAddMemcpyNode(&o, g, NULL, 0, &c, NULL));
    ADDP("add-memset-null-ctx", cuda.cuGraphAddMemsetNode(&o, g, NULL, 0, &m, NULL));
    bo.ctx = NULL;
    ADDP("add-batch-null-ctx", cuda.cuGraphAddBatchMemOpNode(&o, g, NULL, 0, &bo));
    cuda.cuCtxSetCurrent(NULL);
    ADDP("add-memcpy-null-ctx-none-current", cuda.cuGraphAddMemcpyNode(&o, g, NULL, 0, &c, NULL));
    ADDP("add-memset-null-ctx-none-current", cuda.cuGraphAddMemsetNode(&o, g, NULL, 0, &m, NULL));
    ADDP("add-memcpy-ctx-none-current", cuda.cuGraphAddMemcpyNode(&o, g, NULL, 0, &c, context));
    ADDP("add-kernel-none-current", cuda.cuGraphAddKernelNode(&o, g, NULL, 0, &k));
    ADDP("add-alloc-none-current", cuda.cuGraphAddMemAllocNode(&o, g, NULL, 0, &al));
    ADDP("add-batch-null-ctx-none-current", cuda.cuGraphAddBatchMemOpNode(&o, g, NULL, 0, &bo));
    cuda.cuCtxSetCurrent(context);
}

GROUP(202, node_generic, "node-generic")
{
    use_graph_objects();
    cases_independent = 1;
    for (int v = 0; v < 2; v++)
        for (int t = -1; t <= 16; t++)
            if (case_begin(format("add%s-%s", v ? "_v1" : "", node_type_name(t)))) {
                CUgraph g = graph_new(), c = graph_new();
                add_empty(c, NULL, 0);
                CUgraphNodeParams p;
                generic_params(&p, t, c);
                CUdeviceptr a = 0;
                CUgraphNode an = 0, n = UNTOUCHED_NODE;
                if (t == CU_GRAPH_NODE_TYPE_MEM_FREE) {
                    an = add_alloc(g, NULL, 0, 4096, &a);
                    p.free.dptr = a;
                }
                CUresult r = v ? cuda.cuGraphAddNode_v1(&n, g, an ? &an : NULL, an != NULL, &p)
                               : cuda.cuGraphAddNode(&n, g, an ? &an : NULL, NULL, an != NULL, &p);
                case_end(r, " node=%s alloc=%s %s", handle_text(n),
                         t == 10 ? (p.alloc.dptr ? "set" : "0") : "-", graph_text_with_params(g));
                cuda.cuGraphDestroy(g);
            }
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        for (int q = 0; q < NODE_TYPE_COUNT; q++)
            if (case_begin(format("set-%s-on-%s", node_type_name(q), node_type_name(t)))) {
                CUgraph g = graph_new(), c = graph_new();
                add_empty(c, NULL, 0);
                add_empty(c, NULL, 0);
                CUgraphNode n = add_node_of_type(t, g, NULL, 0);
                CUgraphNodeParams p;
                generic_params(&p, q, c);
                CUresult r = n ? cuda.cuGraphNodeSetParams(n, &p) : RESULT_SKIPPED;
                case_end(r, " node=%s after=(%s)", handle_text(n), n ? node_params_text(n) : "-");
                cuda.cuGraphDestroy(g);
            }
    for (int k = 0; k < 6; k++)
        if (case_begin(format("add-reserved-%d", k))) {
            CUgraph g = graph_new();
            CUgraphNodeParams p;
            generic_params(&p, k < 4 ? 2 : 5, NULL);
            if (k == 0)
                p.reserved0[0] = 1;
            else if (k == 1)
                p.reserved0[2] = -1;
            else if (k == 2)
                p.reserved2 = 1;
            else if (k == 3)
                p.reserved1[28] = 1;
            else if (k == 4)
                p.reserved1[0] = 1;
            else
                p.reserved1[28] = 5;
            CUgraphNode n = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
            case_end(r, " node=%s", handle_text(n));
            cuda.cuGraphDestroy(g);
        }
    for (int k = 0; k < 4; k++)
        if (case_begin(format("add-memcpy-flags-%d", k))) {
            CUgraph g = graph_new();
            CUgraphNodeParams p;
            generic_params(&p, 1, NULL);
            if (k == 0)
                p.memcpy.flags = 1;
            else if (k == 1)
                p.memcpy.reserved = 1;
            else if (k == 2)
                p.memcpy.copyCtx = NULL;
            else
                p.memcpy.flags = -1;
            CUgraphNode n = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
            case_end(r, " node=%s %s", handle_text(n), graph_text_with_params(g));
            cuda.cuGraphDestroy(g);
        }
    if (case_begin("add-memset-null-ctx")) {
        CUgraph g = graph_new();
        CUgraphNodeParams p;
        generic_params(&p, 2, NULL);
        p.memset.ctx = NULL;
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s", handle_text(n));
    }
    if (case_begin("add-kernel-kern-ctx")) {
        CUgraph g = graph_new();
        CUgraphNodeParams p;
        generic_params(&p, 0, NULL);
        p.kernel.func = NULL;
        p.kernel.kern = kernels[KERNEL_MULTIPLY];
        p.kernel.ctx = context;
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s %s", handle_text(n), graph_text_with_params(g));
    }
    for (int o = 0; o < 3; o++)
        if (case_begin(format("child-ownership-%d", o))) {
            CUgraph g = graph_new(), c = graph_new();
            add_empty(c, NULL, 0);
            CUgraphNodeParams p;
            generic_params(&p, 4, c);
            p.graph.ownership = o;
            CUgraphNode n = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
            CUgraph e = 0;
            if (!r)
                cuda.cuGraphChildGraphNodeGetGraph(n, &e);
            case_end(r, " node=%s same=%d %s", handle_text(n), e == c, graph_text(g));
        }
    if (case_begin("child-move-then-move-again")) {
        CUgraph g = graph_new(), g2 = graph_new(), c = graph_new();
        add_empty(c, NULL, 0);
        CUgraphNodeParams p;
        generic_params(&p, 4, c);
        p.graph.ownership = 1;
        CUgraphNode n = UNTOUCHED_NODE, n2 = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        CUresult r2 = cuda.cuGraphAddNode(&n2, g2, NULL, NULL, 0, &p);
        case_end(r, " again=%s node=%s", result_name(r2), handle_text(n2));
    }
    if (case_begin("child-move-destroy-child")) {
        CUgraph g = graph_new(), c = graph_new();
        add_empty(c, NULL, 0);
        CUgraphNodeParams p;
        generic_params(&p, 4, c);
        p.graph.ownership = 1;
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        CUresult r2 = r ? RESULT_SKIPPED : cuda.cuGraphDestroy(c);
        case_end(r, " destroy=%s", result_name(r2));
    }
    if (case_begin("child-move-alloc")) {
        CUgraph g = graph_new(), c = graph_new();
        CUdeviceptr a = 0;
        add_alloc(c, NULL, 0, 4096, &a);
        CUgraphNodeParams p;
        generic_params(&p, 4, c);
        p.graph.ownership = 1;
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s %s", handle_text(n), graph_text(g));
    }
    if (case_begin("child-move-cond")) {
        CUgraph g = graph_new(), c = graph_new();
        add_conditional(c, NULL, 0, 0, 1, 0, NULL);
        CUgraphNodeParams p;
        generic_params(&p, 4, c);
        p.graph.ownership = 1;
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s %s", handle_text(n), graph_text(g));
    }
    if (case_begin("child-move-self")) {
        CUgraph g = graph_new();
        CUgraphNodeParams p;
        generic_params(&p, 4, g);
        p.graph.ownership = 1;
        CUgraphNode n = UNTOUCHED_NODE;
        CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        case_end(r, " node=%s", handle_text(n));
    }
    if (case_begin("ed-given")) {
        CUgraph g = graph_new();
        CUgraphNode a = add_node_of_type(0, g, NULL, 0), n = UNTOUCHED_NODE;
        CUgraphEdgeData e;
        memset(&e, 0, sizeof e);
        e.from_port = 1;
        e.type = 1;
        CUgraphNodeParams p;
        generic_params(&p, 0, NULL);
        CUresult r = cuda.cuGraphAddNode(&n, g, &a, &e, 1, &p);
        case_end(r, " node=%s %s", handle_text(n), graph_text(g));
    }
}

/* Kernel nodes. */
static unsigned char extra_bytes[32];
static size_t extra_size;
static void *extra[5];
static void extra_set(CUDA_KERNEL_NODE_PARAMS *x, CUdeviceptr p, unsigned n, unsigned v, size_t sz)
{
    memcpy(extra_bytes, &p, 8);
    memcpy(extra_bytes + 8, &n, 4);
    memcpy(extra_bytes + 12, &v, 4);
    extra_size = sz;
    extra[0] = CU_LAUNCH_PARAM_BUFFER_POINTER;
    extra[1] = extra_bytes;
    extra[2] = CU_LAUNCH_PARAM_BUFFER_SIZE;
    extra[3] = &extra_size;
    extra[4] = CU_LAUNCH_PARAM_END;
    x->kernelParams = NULL;
    x->extra = extra;
}

#define CHANGE(n, ...)                                                                             \
    static void change_##n(CUDA_KERNEL_NODE_PARAMS *xp)                                            \
    {                                                                                              \
        CUDA_KERNEL_NODE_PARAMS x = *xp;                                                           \
        __VA_ARGS__;                                                                               \
        *xp = x;                                                                                   \
    }
#include "kernel_changes.def"
#undef CHANGE

static const struct {
    const char *n;
    void (*f)(CUDA_KERNEL_NODE_PARAMS *);
} changes[] = {
#define CHANGE(n, ...) {#n, change_##n},
#include "kernel_changes.def"
#undef CHANGE
};
static int is_runnable(const char *n)
{
    return strncmp(n, "grid_x2e31", 10) != 0;
}

GROUP(210, node_kernel, "node-kernel")
{
    use_graph_objects();
    use_second_context();
    cases_independent = 1;
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        if (case_begin(format("add-%s", changes[i].n))) {
            buffers_clear();
            CUDA_KERNEL_NODE_PARAMS x = kernel_params(KERNEL_ADD, buffers[0], 0, 64, 3);
            changes[i].f(&x);
            CUgraph g = graph_new();
            CUgraphNode n = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
            const char *q = r ? "-" : is_runnable(changes[i].n) ? graph_run(g) : "notrun";
            case_end(r, " node=%s (%s) run=%s b0=%s", handle_text(n), r ? "-" : node_params_text(n),
                     q, buffer_text(0));
            cuda.cuGraphDestroy(g);
        }
        if (case_begin(format("set-%s", changes[i].n))) {
            CUDA_KERNEL_NODE_PARAMS x = kernel_params(KERNEL_ADD, buffers[0], 0, 64, 3);
            changes[i].f(&x);
            CUgraph g = graph_new();
            CUgraphNode n = add_kernel(g, NULL, 0, KERNEL_SET, buffers[1], 32, 1);
            CUresult r = n ? cuda.cuGraphKernelNodeSetParams(n, &x) : RESULT_SKIPPED;
            case_end(r, " (%s)", n ? node_params_text(n) : "-");
            cuda.cuGraphDestroy(g);
        }
        if (case_begin(format("exec-%s", changes[i].n))) {
            buffers_clear();
            CUDA_KERNEL_NODE_PARAMS x = kernel_params(KERNEL_ADD, buffers[0], 0, 64, 3);
            changes[i].f(&x);
            CUgraph g = graph_new();
            CUgraphNode n = add_kernel(g, NULL, 0, KERNEL_ADD, buffers[1], 32, 1);
            CUgraphExec e = instantiate(g, 0);
            CUresult r = e ? cuda.cuGraphExecKernelNodeSetParams(e, n, &x) : RESULT_SKIPPED;
            const char *q = is_runnable(changes[i].n) || r ? exec_run(e, streams[0]) : "notrun";
            case_end(r, " run=%s b0=%s b1=%s", q, buffer_text(0), buffer_text(1));
            if (e)
                cuda.cuGraphExecDestroy(e);
            cuda.cuGraphDestroy(g);
        }
        if (case_begin(format("add_v1-%s", changes[i].n))) {
            CUDA_KERNEL_NODE_PARAMS x = kernel_params(KERNEL_ADD, buffers[0], 0, 64, 3);
            changes[i].f(&x);
            CUDA_KERNEL_NODE_PARAMS_v1 y;
            memset(&y, 0, sizeof y);
            memcpy(&y, &x, sizeof y);
            CUgraph g = graph_new();
            CUgraphNode n = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphAddKernelNode_v1(&n, g, NULL, 0, &y);
            case_end(r, " node=%s (%s)", handle_text(n), r ? "-" : node_params_text(n));
            cuda.cuGraphDestroy(g);
        }
        if (case_begin(format("generic-%s", changes[i].n))) {
            CUDA_KERNEL_NODE_PARAMS x = kernel_params(KERNEL_ADD, buffers[0], 0, 64, 3);
            changes[i].f(&x);
            CUgraph g = graph_new();
            CUgraphNode n = UNTOUCHED_NODE;
            CUgraphNodeParams p;
            memset(&p, 0, sizeof p);
            p.type = 0;
            memcpy(&p.kernel, &x, sizeof x);
            CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
            case_end(r, " node=%s (%s)", handle_text(n), r ? "-" : node_params_text(n));
            cuda.cuGraphDestroy(g);
        }
    }
    if (case_begin("params-copied")) {
        buffers_clear();
        CUdeviceptr p = buffers[0];
        unsigned c = 64, v = 5;
        void *pp[3] = {&p, &c, &v};
        CUDA_KERNEL_NODE_PARAMS x = kernel_params(KERNEL_SET, 0, 0, 64, 0);
        x.kernelParams = pp;
        CUgraph g = graph_new();
        CUgraphNode n = 0;
        CUresult r = cuda.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
        p = buffers[1];
        c = 1;
        v = 99;
        pp[0] = pp[1] = pp[2] = NULL;
        const char *q = graph_run(g);
        case_end(r, " run=%s b0=%s b1=%s (%s)", q, buffer_text(0), buffer_text(1),
                 node_params_text(n));
    }
    if (case_begin("get-v1")) {
        CUgraph g = graph_new();
        CUgraphNode n = add_kernel(g, NULL, 0, KERNEL_ADD, buffers[0], 64, 3);
        CUDA_KERNEL_NODE_PARAMS_v1 y;
        memset(&y, 0, sizeof y);
        CUresult r = n ? cuda.cuGraphKernelNodeGetParams_v1(n, &y) : RESULT_SKIPPED;
        unsigned v = 0;
        if (!r && y.kernelParams)
            memcpy(&v, y.kernelParams[2], 4);
        case_end(r, " func=%s grid=%u block=%u shm=%u v=%u extra=%d",
                 pointer_name((uintptr_t)y.func), y.gridDimX, y.blockDimX, y.sharedMemBytes, v,
                 y.extra != NULL);
    }
    if (case_begin("get-set-roundtrip")) {
        CUgraph g = graph_new();
        CUgraphNode n = add_kernel(g, NULL, 0, KERNEL_ADD, buffers[0], 64, 3);
        CUDA_KERNEL_NODE_PARAMS y;
        memset(&y, 0, sizeof y);
        cuda.cuGraphKernelNodeGetParams(n, &y);
        y.gridDimX = 2;
        CUresult r = n ? cuda.cuGraphKernelNodeSetParams(n, &y) : RESULT_SKIPPED;
        case_end(r, " (%s)", n ? node_params_text(n) : "-");
    }
    if (case_begin("get-from-extra")) {
        CUgraph g = graph_new();
        CUDA_KERNEL_NODE_PARAMS x = kernel_params(KERNEL_ADD, buffers[0], 0, 64, 3);
        extra_set(&x, buffers[2], 32, 8, 16);
        CUgraphNode n = 0;
        CUresult r = cuda.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
        case_end(r, " (%s)", r ? "-" : node_params_text(n));
    }
    if (case_begin("get-kernel-node-with-kern")) {
        CUgraph g = graph_new();
        CUDA_KERNEL_NODE_PARAMS x = kernel_params(KERNEL_ADD, buffers[0], 0, 64, 3);
        x.func = NULL;
        x.kern = kernels[KERNEL_ADD];
        CUgraphNode n = 0;
        CUresult r = cuda.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
        CUDA_KERNEL_NODE_PARAMS_v1 y;
        memset(&y, 0, sizeof y);
        CUresult r1 = r ? RESULT_SKIPPED : cuda.cuGraphKernelNodeGetParams_v1(n, &y);
        case_end(r, " (%s) v1=%s func=%s", r ? "-" : node_params_text(n), result_name(r1),
                 pointer_name((uintptr_t)y.func));
    }
    if (case_begin("module-unloaded")) {
        CUmodule m = 0;
        CUfunction f = 0;
        cuda.cuModuleLoadData(&m, other_ptx);
        if (m)
            cuda.cuModuleGetFunction(&f, m, "other");
        CUDA_KERNEL_NODE_PARAMS x = kernel_params(KERNEL_ADD, buffers[0], 0, 64, 3);
        x.func = f;
        CUgraph g = graph_new();
        CUgraphNode n = 0;
        CUresult r = cuda.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
        const char *q = graph_run(g);
        case_end(r, " run=%s b0=%s", q, buffer_text(0));
    }
}

static const char *attribute_text(int a, const CUkernelNodeAttrValue *v)
{
    switch (a) {
    case 1:
        return format("win=%s/%zu/%g/%d/%d",
                      pointer_name((uintptr_t)v->accessPolicyWindow.base_ptr),
                      v->accessPolicyWindow.num_bytes, v->accessPolicyWindow.hitRatio,
                      v->accessPolicyWindow.hitProp, v->accessPolicyWindow.missProp);
    case 2:
        return format("coop=%d", v->cooperative);
    case 4:
        return format("cl=%u,%u,%u", v->clusterDim.x, v->clusterDim.y, v->clusterDim.z);
    case 5:
        return format("sched=%d", v->clusterSchedulingPolicyPreference);
    case 8:
        return format("prio=%d", v->priority);
    case 9:
        return format("map=%u,%u", v->memSyncDomainMap.default_, v->memSyncDomainMap.remote);
    case 10:
        return format("dom=%d", v->memSyncDomain);
    case 11:
        return format("pcl=%u,%u,%u", v->preferredClusterDim.x, v->preferredClusterDim.y,
                      v->preferredClusterDim.z);
    case 13:
        return format("upd=%d/%d", v->deviceUpdatableKernelNode.deviceUpdatable,
                      v->deviceUpdatableKernelNode.devNode != NULL);
    case 14:
        return format("carve=%u", v->sharedMemCarveout);
    case 3:
    case 6:
    case 16: {
        int x;
        memcpy(&x, v, 4);
        return format("int=%d", x);
    }
    default: {
        static const char z[64];
        char k[64];
        memset(k, 0x5a, sizeof k);
        return !memcmp(v, z, 64) ? "zero" : !memcmp(v, k, 64) ? "kept" : "set";
    }
    }
}

GROUP(211, node_kernel_attr, "node-kernel-attr")
{
    use_graph_objects();
    cases_independent = 1;
    static const int attributes[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                     10, 11, 12, 13, 14, 15, 16, 17, 99, -1};
    for (size_t i = 0; i < COUNT_OF(attributes); i++) {
        int a = attributes[i];

        if (case_begin(format("get-default-%d", a))) {
            CUgraph g = graph_new();
            CUgraphNode n = add_kernel(g, NULL, 0, KERNEL_ADD, buffers[0], 64, 1);
            CUkernelNodeAttrValue v;
            memset(&v, 0x5a, sizeof v);
            CUresult r = n ? cuda.cuGraphKernelNodeGetAttribute(n, a, &v) : RESULT_SKIPPED;
            if (r)
                memset(&v, 0x5a, sizeof v);
            case_end(r, " %s", r ? "-" : attribute_text(a, &v));
            cuda.cuGraphDestroy(g);
        }
    }
    static const int val[] = {0, 1, 2, 3, -1, 50, 100, 101, 1000};
    for (int a = 0; a <= 17; a++)
        for (size_t i = 0; i < COUNT_OF(val); i++)
            if (a != 7 && a != 12 && case_begin(format("set-%d-int%d", a, val[i]))) {
                CUgraph g = graph_new();
                CUgraphNode n = add_kernel(g, NULL, 0, KERNEL_ADD, buffers[0], 64, 1);
                CUkernelNodeAttrValue v, w;
                memset(&v, 0, sizeof v);
                memset(&w, 0, sizeof w);
                if (a == 1) {
                    v.accessPolicyWindow.base_ptr = (void *)(uintptr_t)buffers[0];
                    v.accessPolicyWindow.num_bytes = BUFFER_BYTES;
                    v.accessPolicyWindow.hitRatio = val[i] / 100.0f;
                    v.accessPolicyWindow.hitProp = val[i] == 1 ? 2 : 0;
                } else
                    memcpy(&v, &val[i], 4);
                if (a == 4 || a == 11)
                    v.clusterDim.y = v.clusterDim.z = 1;
                CUresult r = n ? cuda.cuGraphKernelNodeSetAttribute(n, a, &v) : RESULT_SKIPPED;
                CUresult q = n ? cuda.cuGraphKernelNodeGetAttribute(n, a, &w) : RESULT_SKIPPED;
                const char *i2 = "-";
                if (!r) {
                    CUgraphExec x = 0;
                    i2 = result_name(cuda.cuGraphInstantiate(&x, g, 0));
                    if (x)
                        cuda.cuGraphExecDestroy(x);
                }
                case_end(r, " get=%s %s inst=%s", result_name(q), q ? "-" : attribute_text(a, &w),
                         i2);
                cuda.cuGraphDestroy(g);
            }
    if (case_begin("cooperative-too-big")) {
        CUgraph g = graph_new();
        CUDA_KERNEL_NODE_PARAMS x = kernel_params(KERNEL_NOP, 0, 0, 0, 0);
        x.gridDimX = 1000000;
        x.blockDimX = 1024;
        CUgraphNode n = 0;
        CUresult r0 = cuda.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
        CUkernelNodeAttrValue v;
        memset(&v, 0, sizeof v);
        v.cooperative = 1;
        CUresult r = n ? cuda.cuGraphKernelNodeSetAttribute(n, 2, &v) : RESULT_SKIPPED;
        CUgraphExec e = 0;
        CUDA_GRAPH_INSTANTIATE_PARAMS ip;
        memset(&ip, 0, sizeof ip);
        ip.result_out = 77;
        CUresult r2 = cuda.cuGraphInstantiateWithParams(&e, g, &ip);
        case_end(r, " add=%s inst=%s result=%s errnode=%d", result_name(r0), result_name(r2),
                 instantiate_result_name(ip.result_out), n && ip.hErrNode_out == n);
        if (!r2)
            cuda.cuGraphExecDestroy(e);
    }
    if (case_begin("cluster-not-dividing")) {
        CUgraph g = graph_new();
        CUDA_KERNEL_NODE_PARAMS x = kernel_params(KERNEL_NOP, 0, 0, 0, 0);
        x.gridDimX = 3;
        CUgraphNode n = 0;
        CUresult r0 = cuda.cuGraphAddKernelNode(&n, g, NULL, 0, &x);
        CUkernelNodeAttrValue v;
        memset(&v, 0, sizeof v);
        v.clusterDim.x = 2;
        v.clusterDim.y = v.clusterDim.z = 1;
        CUresult r = n ? cuda.cuGraphKernelNodeSetAttribute(n, 4, &v) : RESULT_SKIPPED;
        CUgraphExec e = 0;
        CUresult r2 = cuda.cuGraphInstantiate(&e, g, 0);
        case_end(r, " add=%s inst=%s", result_name(r0), result_name(r2));
        if (!r2)
            cuda.cuGraphExecDestroy(e);
    }
    if (case_begin("copy")) {
        CUgraph g = graph_new();
        CUgraphNode a = add_kernel(g, NULL, 0, KERNEL_ADD, buffers[0], 64, 1),
                    b = add_kernel(g, NULL, 0, KERNEL_MULTIPLY, buffers[0], 64, 1);
        CUkernelNodeAttrValue v, w;
        memset(&v, 0, sizeof v);
        memset(&w, 0, sizeof w);
        v.priority = -2;
        CUresult s = cuda.cuGraphKernelNodeSetAttribute(a, 8, &v);
        v.priority = 0;
        v.cooperative = 1;
        cuda.cuGraphKernelNodeSetAttribute(a, 2, &v);
        CUresult r = cuda.cuGraphKernelNodeCopyAttributes(b, a);
        cuda.cuGraphKernelNodeGetAttribute(b, 8, &w);
        int pr = w.priority;
        memset(&w, 0, sizeof w);
        cuda.cuGraphKernelNodeGetAttribute(b, 2, &w);
        case_end(r, " set=%s prio=%d coop=%d", result_name(s), pr, w.cooperative);
    }
    if (case_begin("copy-to-memset")) {
        CUgraph g = graph_new();
        CUgraphNode a = add_node_of_type(0, g, NULL, 0), b = add_node_of_type(2, g, NULL, 0);
        CUresult r = cuda.cuGraphKernelNodeCopyAttributes(b, a),
                 r2 = cuda.cuGraphKernelNodeCopyAttributes(a, b);
        case_end(r, " from=%s", result_name(r2));
    }
    if (case_begin("copy-across-graphs")) {
        CUgraph g = graph_new(), h = graph_new();
        CUgraphNode a = add_node_of_type(0, g, NULL, 0), b = add_node_of_type(0, h, NULL, 0);
        CUkernelNodeAttrValue v;
        memset(&v, 0, sizeof v);
        v.priority = -1;
        cuda.cuGraphKernelNodeSetAttribute(a, 8, &v);
        CUresult r = cuda.cuGraphKernelNodeCopyAttributes(b, a);
        v.priority = 99;
        cuda.cuGraphKernelNodeGetAttribute(b, 8, &v);
        case_end(r, " prio=%d", v.priority);
    }
    if (case_begin("attr-after-setparams")) {
        CUgraph g = graph_new();
        CUgraphNode a = add_node_of_type(0, g, NULL, 0);
        CUkernelNodeAttrValue v;
        memset(&v, 0, sizeof v);
        v.priority = -1;
        cuda.cuGraphKernelNodeSetAttribute(a, 8, &v);
        CUDA_KERNEL_NODE_PARAMS x = kernel_params(KERNEL_MULTIPLY, buffers[0], 0, 64, 1);
        CUresult r = cuda.cuGraphKernelNodeSetParams(a, &x);
        v.priority = 99;
        cuda.cuGraphKernelNodeGetAttribute(a, 8, &v);
        case_end(r, " prio=%d", v.priority);
    }
    if (case_begin("attr-in-clone")) {
        CUgraph g = graph_new(), d = 0;
        CUgraphNode a = add_node_of_type(0, g, NULL, 0), m = 0;
        CUkernelNodeAttrValue v;
        memset(&v, 0, sizeof v);
        v.priority = -1;
        cuda.cuGraphKernelNodeSetAttribute(a, 8, &v);
        CUresult r = cuda.cuGraphClone(&d, g);
        cuda.cuGraphNodeFindInClone(&m, a, d);
        v.priority = 99;
        if (m)
            cuda.cuGraphKernelNodeGetAttribute(m, 8, &v);
        case_end(r, " prio=%d", v.priority);
    }
    if (case_begin("exec-after-attr")) {
        CUgraph g = graph_new();
        CUgraphNode a = add_node_of_type(0, g, NULL, 0);
        CUgraphExec x = instantiate(g, 0);
        CUkernelNodeAttrValue v;
        memset(&v, 0, sizeof v);
        v.priority = -1;
        CUresult r = cuda.cuGraphKernelNodeSetAttribute(a, 8, &v);
        case_end(r, " run=%s", exec_run(x, streams[0]));
        if (x)
            cuda.cuGraphExecDestroy(x);
    }
}
