/* SPDX-License-Identifier: MIT */
/* Copy and memset nodes. */
#include "graphs.h"

static unsigned char host_source[BUFFER_BYTES] __attribute__((aligned(4096))),
    host_target[BUFFER_BYTES] __attribute__((aligned(4096)));
/* Memcpy nodes. */
enum {
    OPERAND_PAGEABLE,
    OPERAND_PINNED,
    OPERAND_DEVICE,
    OPERAND_ARRAY,
    OPERAND_UNIFIED_DEVICE,
    OPERAND_UNIFIED_PINNED,
    OPERAND_UNIFIED_MANAGED,
    OPERAND_UNIFIED_PAGEABLE,
    OPERAND_COUNT
};
static const char *operand_names[] = {"page", "pin", "dev", "arr", "udev", "upin", "uman", "upage"};
static void operand_set(CUDA_MEMCPY3D *c, int op, int dst)
{
    CUmemorytype t = op <= OPERAND_PINNED   ? CU_MEMORYTYPE_HOST
                     : op == OPERAND_DEVICE ? CU_MEMORYTYPE_DEVICE
                     : op == OPERAND_ARRAY  ? CU_MEMORYTYPE_ARRAY
                                            : CU_MEMORYTYPE_UNIFIED;
    CUdeviceptr d = op == OPERAND_DEVICE || op == OPERAND_UNIFIED_DEVICE ? buffers[dst]
                    : op == OPERAND_UNIFIED_PINNED  ? (CUdeviceptr)(uintptr_t)host_buffers[dst]
                    : op == OPERAND_UNIFIED_MANAGED ? managed_buffer + (dst ? BUFFER_BYTES / 2 : 0)
                    : op == OPERAND_UNIFIED_PAGEABLE
                        ? (CUdeviceptr)(uintptr_t)(dst ? host_target : host_source)
                        : 0;
    void *h = op == OPERAND_PAGEABLE ? (dst ? host_target : host_source)
              : op == OPERAND_PINNED ? (void *)host_buffers[dst]
                                     : NULL;
    if (dst) {
        c->dstMemoryType = t;
        c->dstHost = h;
        c->dstDevice = d;
        c->dstArray = op == OPERAND_ARRAY ? arrays[2] : NULL;
    } else {
        c->srcMemoryType = t;
        c->srcHost = h;
        c->srcDevice = d;
        c->srcArray = op == OPERAND_ARRAY ? arrays[1] : NULL;
    }
}

static void operands_fill(void)
{
    cuda.cuCtxSynchronize();
    pattern_fill(host_source, BUFFER_BYTES, 5);
    memset(host_target, 0, BUFFER_BYTES);
    pattern_fill(host_buffers[0], BUFFER_BYTES, 5);
    memset(host_buffers[1], 0, BUFFER_BYTES);
    device_fill(buffers[0], BUFFER_BYTES, 5);
    cuda.cuMemsetD8(buffers[1], 0, BUFFER_BYTES);
    if (managed_buffer) {
        pattern_fill((void *)(uintptr_t)managed_buffer, BUFFER_BYTES / 2, 5);
        memset((void *)(uintptr_t)(managed_buffer + BUFFER_BYTES / 2), 0, BUFFER_BYTES / 2);
    }
    CUDA_MEMCPY3D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host_source;
    c.srcPitch = 256;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = arrays[1];
    c.WidthInBytes = 256;
    c.Height = 16;
    c.Depth = 1;
    cuda.cuMemcpy3D(&c);
    static unsigned char z[4096];
    c.srcHost = z;
    c.dstArray = arrays[2];
    cuda.cuMemcpy3D(&c);
    cuda.cuCtxSynchronize();
}

static const char *operand_checksum(int op)
{
    static unsigned char o[4096];
    memset(o, 0, sizeof o);
    cuda.cuCtxSynchronize();
    if (op == OPERAND_PAGEABLE || op == OPERAND_UNIFIED_PAGEABLE)
        memcpy(o, host_target, 4096);
    else if (op == OPERAND_PINNED || op == OPERAND_UNIFIED_PINNED)
        memcpy(o, host_buffers[1], 4096);
    else if (op == OPERAND_DEVICE || op == OPERAND_UNIFIED_DEVICE)
        cuda.cuMemcpyDtoH(o, buffers[1], 4096);
    else if (op == OPERAND_UNIFIED_MANAGED) {
        if (managed_buffer)
            memcpy(o, (void *)(uintptr_t)(managed_buffer + BUFFER_BYTES / 2), 4096);
    } else {
        CUDA_MEMCPY3D c;
        memset(&c, 0, sizeof c);
        c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        c.srcArray = arrays[2];
        c.dstMemoryType = CU_MEMORYTYPE_HOST;
        c.dstHost = o;
        c.dstPitch = 256;
        c.WidthInBytes = 256;
        c.Height = 16;
        c.Depth = 1;
        cuda.cuMemcpy3D(&c);
    }
    return format("%08x", checksum(o, 4096));
}

GROUP(220, node_memcpy, "node-memcpy")
{
    use_graph_objects();
    cases_independent = 1;
    static const struct {
        const char *n;
        size_t w, h, d, sp, sh, dpi, dh, sx, sy, dx, dy;
    } dims[] = {{"1d", 256, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
                {"1d-off", 64, 1, 1, 256, 1, 256, 1, 32, 2, 16, 3},
                {"2d", 64, 8, 1, 256, 8, 128, 8, 0, 0, 0, 0},
                {"2d-off", 40, 5, 1, 256, 16, 256, 16, 8, 1, 24, 2},
                {"2d-full", 256, 16, 1, 256, 16, 256, 16, 0, 0, 0, 0}};
    for (int s = 0; s < OPERAND_COUNT; s++)
        for (int d = 0; d < OPERAND_COUNT; d++)
            for (size_t k = 0; k < COUNT_OF(dims); k++)
                if (case_begin(format("%s-%s-%s", operand_names[s], operand_names[d], dims[k].n))) {
                    operands_fill();
                    CUDA_MEMCPY3D c;
                    memset(&c, 0, sizeof c);
                    c.WidthInBytes = dims[k].w;
                    c.Height = dims[k].h;
                    c.Depth = dims[k].d;
                    operand_set(&c, s, 0);
                    operand_set(&c, d, 1);
                    c.srcPitch = dims[k].sp;
                    c.srcHeight = dims[k].sh;
                    c.dstPitch = dims[k].dpi;
                    c.dstHeight = dims[k].dh;
                    c.srcXInBytes = dims[k].sx;
                    c.srcY = dims[k].sy;
                    c.dstXInBytes = dims[k].dx;
                    c.dstY = dims[k].dy;
                    CUgraph g = graph_new();
                    CUgraphNode n = UNTOUCHED_NODE;
                    CUresult r = cuda.cuGraphAddMemcpyNode(&n, g, NULL, 0, &c, context);
                    const char *q = r ? "-" : graph_run(g);
                    case_end(r, " node=%s (%s) run=%s dst=%s", handle_text(n),
                             r ? "-" : node_params_text(n), q, operand_checksum(d));
                    cuda.cuGraphDestroy(g);
                }
}

#define CHANGE(n, ...)                                                                             \
    static void copy_change_##n(CUDA_MEMCPY3D *p)                                                  \
    {                                                                                              \
        CUDA_MEMCPY3D c = *p;                                                                      \
        __VA_ARGS__;                                                                               \
        *p = c;                                                                                    \
    }
#include "copy_changes.def"
#undef CHANGE

static const struct {
    const char *n;
    void (*f)(CUDA_MEMCPY3D *);
} copy_changes[] = {
#define CHANGE(n, ...) {#n, copy_change_##n},
#include "copy_changes.def"
#undef CHANGE
};
GROUP(221, node_memcpy_bad, "node-memcpy-bad")
{
    use_graph_objects();
    cases_independent = 1;
    for (size_t i = 0; i < COUNT_OF(copy_changes); i++) {
        if (case_begin(format("add-%s", copy_changes[i].n))) {
            operands_fill();
            CUDA_MEMCPY3D c = copy_device_to_device(buffers[1], buffers[0], 256);
            copy_changes[i].f(&c);
            CUgraph g = graph_new();
            CUgraphNode n = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphAddMemcpyNode(&n, g, NULL, 0, &c, context);
            int norun = !strcmp(copy_changes[i].n, "overlap");
            CUgraphExec x = 0;
            CUresult ir = r ? RESULT_SKIPPED : cuda.cuGraphInstantiate(&x, g, 0);
            const char *q = ir || norun ? "-" : exec_run(x, streams[0]);
            case_end(r, " node=%s (%s) inst=%s run=%s dst=%s", handle_text(n),
                     r ? "-" : node_params_text(n), result_name(ir), q,
                     norun ? "-" : operand_checksum(OPERAND_DEVICE));
            if (x)
                cuda.cuGraphExecDestroy(x);
            cuda.cuGraphDestroy(g);
        }
        if (case_begin(format("set-%s", copy_changes[i].n))) {
            CUDA_MEMCPY3D c = copy_device_to_device(buffers[1], buffers[0], 256);
            copy_changes[i].f(&c);
            CUgraph g = graph_new();
            CUgraphNode n = add_copy(g, NULL, 0, buffers[3], buffers[2], 128);
            CUresult r = n ? cuda.cuGraphMemcpyNodeSetParams(n, &c) : RESULT_SKIPPED;
            case_end(r, " (%s)", n ? node_params_text(n) : "-");
            cuda.cuGraphDestroy(g);
        }
        if (case_begin(format("exec-%s", copy_changes[i].n))) {
            CUDA_MEMCPY3D c = copy_device_to_device(buffers[1], buffers[0], 256);
            copy_changes[i].f(&c);
            CUgraph g = graph_new();
            CUgraphNode n = add_copy(g, NULL, 0, buffers[3], buffers[2], 128);
            CUgraphExec x = instantiate(g, 0);
            CUresult r =
                x ? cuda.cuGraphExecMemcpyNodeSetParams(x, n, &c, context) : RESULT_SKIPPED;
            case_end(r, " ");
            if (x)
                cuda.cuGraphExecDestroy(x);
            cuda.cuGraphDestroy(g);
        }
    }
}

/* Memset nodes. */
#define CHANGE(n, ...)                                                                             \
    static void memset_change_##n(CUDA_MEMSET_NODE_PARAMS *p)                                      \
    {                                                                                              \
        CUDA_MEMSET_NODE_PARAMS m = *p;                                                            \
        __VA_ARGS__;                                                                               \
        *p = m;                                                                                    \
    }
#include "memset_changes.def"
#undef CHANGE

static const struct {
    const char *n;
    void (*f)(CUDA_MEMSET_NODE_PARAMS *);
} memset_changes[] = {
#define CHANGE(n, ...) {#n, memset_change_##n},
#include "memset_changes.def"
#undef CHANGE
};
GROUP(230, node_memset, "node-memset")
{
    use_graph_objects();
    cases_independent = 1;
    for (size_t i = 0; i < COUNT_OF(memset_changes); i++) {
        if (case_begin(format("add-%s", memset_changes[i].n))) {
            buffers_clear();
            CUDA_MEMSET_NODE_PARAMS m = memset_params(buffers[0], 0x01020304, 4, 32, 1, 0);
            memset_changes[i].f(&m);
            CUgraph g = graph_new();
            CUgraphNode n = UNTOUCHED_NODE;
            CUresult r = cuda.cuGraphAddMemsetNode(&n, g, NULL, 0, &m, context);
            CUgraphExec x = 0;
            CUresult ir = r ? RESULT_SKIPPED : cuda.cuGraphInstantiate(&x, g, 0);
            const char *q = ir ? "-" : exec_run(x, streams[0]);
            case_end(r, " node=%s (%s) inst=%s run=%s b0=%s h0=%08x", handle_text(n),
                     r ? "-" : node_params_text(n), result_name(ir), q, buffer_text(0),
                     checksum(host_buffers[0], BUFFER_BYTES));
            if (x)
                cuda.cuGraphExecDestroy(x);
            cuda.cuGraphDestroy(g);
        }
        if (case_begin(format("set-%s", memset_changes[i].n))) {
            CUDA_MEMSET_NODE_PARAMS m = memset_params(buffers[0], 0x01020304, 4, 32, 1, 0);
            memset_changes[i].f(&m);
            CUgraph g = graph_new();
            CUgraphNode n = add_memset(g, NULL, 0, buffers[1], 1, 4, 16);
            CUresult r = n ? cuda.cuGraphMemsetNodeSetParams(n, &m) : RESULT_SKIPPED;
            case_end(r, " (%s)", n ? node_params_text(n) : "-");
            cuda.cuGraphDestroy(g);
        }
        if (case_begin(format("exec-%s", memset_changes[i].n))) {
            buffers_clear();
            CUDA_MEMSET_NODE_PARAMS m = memset_params(buffers[0], 0x01020304, 4, 32, 1, 0);
            memset_changes[i].f(&m);
            CUgraph g = graph_new();
            CUgraphNode n = add_memset(g, NULL, 0, buffers[1], 1, 4, 16);
            CUgraphExec x = instantiate(g, 0);
            CUresult r =
                x ? cuda.cuGraphExecMemsetNodeSetParams(x, n, &m, context) : RESULT_SKIPPED;
            const char *q = exec_run(x, streams[0]);
            case_end(r, " run=%s b0=%s b1=%s", q, buffer_text(0), buffer_text(1));
            if (x)
                cuda.cuGraphExecDestroy(x);
            cuda.cuGraphDestroy(g);
        }
        if (case_begin(format("generic-%s", memset_changes[i].n))) {
            CUDA_MEMSET_NODE_PARAMS m = memset_params(buffers[0], 0x01020304, 4, 32, 1, 0);
            memset_changes[i].f(&m);
            CUgraph g = graph_new();
            CUgraphNode n = UNTOUCHED_NODE;
            CUgraphNodeParams p;
            memset(&p, 0, sizeof p);
            p.type = 2;
            p.memset.dst = m.dst;
            p.memset.pitch = m.pitch;
            p.memset.value = m.value;
            p.memset.elementSize = m.elementSize;
            p.memset.width = m.width;
            p.memset.height = m.height;
            p.memset.ctx = context;
            CUresult r = cuda.cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
            case_end(r, " node=%s (%s)", handle_text(n), r ? "-" : node_params_text(n));
            cuda.cuGraphDestroy(g);
        }
    }
}
