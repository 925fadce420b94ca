/* SPDX-License-Identifier: MIT */
/* States: every graph function without cuInit, without a context, after the context went; zero
 * arguments; bad handles. */
#include "graphs.h"

static CUgraph graph, cloned_graph;
static CUgraphNode nodes[NODE_TYPE_COUNT], out_node;
static CUgraphExec exec, out_exec;
static CUstream stream;
static CUuserObject user_object;
static CUevent event;
static CUcontext owner;
static CUdeviceptr device_ptr;
static size_t size_out;
static unsigned flags_out;
static cuuint64_t wide_out;
static CUgraphNodeType type_out;
static CUgraph out_graph;
static CUgraphNodeParams node_params;
static CUDA_KERNEL_NODE_PARAMS kernel_node;
static CUDA_MEMCPY3D copy;
static CUDA_MEMSET_NODE_PARAMS memset_node;
static CUDA_HOST_NODE_PARAMS host_node;
static CUDA_MEM_ALLOC_NODE_PARAMS alloc_params;
static CUDA_BATCH_MEM_OP_NODE_PARAMS batch_params;
static CUstreamBatchMemOpParams memory_operations[1];
static CUkernelNodeAttrValue attribute;
static CUDA_EXT_SEM_SIGNAL_NODE_PARAMS signal_params;
static CUDA_EXT_SEM_WAIT_NODE_PARAMS wait_params;
static CUDA_GRAPH_INSTANTIATE_PARAMS instantiate_params;
static CUgraphExecUpdateResultInfo update_info;
static CUgraphConditionalHandle conditional;
static CUstreamCaptureMode capture_mode;
static CUstreamCaptureStatus status_out;
static CUevent out_event;
static CUdeviceptr out_ptr;
static CUuserObject out_user_object;
static void CUDA_CB do_nothing(void *u)
{
    (void)u;
}

#define CALL(n, ...)                                                                               \
    static CUresult call_##n(void)                                                                 \
    {                                                                                              \
        return cuda.n(__VA_ARGS__);                                                                \
    }
#include "state_calls.def"
#undef CALL

static const struct {
    const char *n;
    CUresult (*f)(void);
} calls[] = {
#define CALL(n, ...) {#n, call_##n},
#include "state_calls.def"
#undef CALL
};
static void arguments_prepare(void)
{
    memset(&node_params, 0, sizeof node_params);
    node_params.type = 5;
    memset(&attribute, 0, sizeof attribute);
    memset(&signal_params, 0, sizeof signal_params);
    memset(&wait_params, 0, sizeof wait_params);
    memset(&instantiate_params, 0, sizeof instantiate_params);
    memset(&update_info, 0, sizeof update_info);
    memset(&alloc_params, 0, sizeof alloc_params);
    alloc_params.poolProps.allocType = 1;
    alloc_params.poolProps.location.type = 1;
    alloc_params.bytesize = 4096;
    memset(&host_node, 0, sizeof host_node);
    host_node.fn = do_nothing;
    capture_mode = 0;
    wide_out = 0;
    memset(memory_operations, 0, sizeof memory_operations);
    memory_operations[0].operation = 2;
    memory_operations[0].writeValue.address = buffers[3];
    memset(&batch_params, 0, sizeof batch_params);
    batch_params.ctx = owner;
    batch_params.count = 1;
    batch_params.paramArray = memory_operations;
    kernel_node = kernel_params(KERNEL_NOP, 0, 0, 0, 0);
    copy = copy_device_to_device(buffers[1], buffers[0], 256);
    memset_node = memset_params(buffers[0], 1, 4, 16, 1, 0);
}

static void objects_create(void)
{
    graph = graph_new();
    cloned_graph = 0;
    for (int t = 0; t < NODE_TYPE_COUNT; t++)
        nodes[t] = t == 10 || t == 11 || t == 13 ? NULL : add_node_of_type(t, graph, NULL, 0);
    cuda.cuGraphClone(&cloned_graph, graph);
    exec = instantiate(graph, 0);
    stream = stream_new(0);
    event = events[0];
    device_ptr = buffers[0];
    cuda.cuUserObjectCreate(&user_object, &flags_out, do_nothing, 4, 1);
    cuda.cuCtxSynchronize();
}

static void check_calls(int fresh)
{
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        if (case_begin(calls[i].n)) {
            if (fresh) {
                objects_create();
                if (fresh == 2)
                    cuda.cuCtxSetCurrent(NULL);
            }
            arguments_prepare();
            CUresult r = calls[i].f();
            if (fresh == 2)
                cuda.cuCtxSetCurrent(context);
            if (fresh && capture_status(stream) > 0) {
                CUgraph g = 0;
                cuda.cuStreamEndCapture(stream, &g);
            }
            case_end(r, " ");
        }
}

GROUP(800, gstate_noinit, "gstate-noinit")
{
    cases_independent = 1;
    check_calls(0);
}

GROUP(801, gstate_noctx, "gstate-noctx")
{
    use_device();
    cases_independent = 1;
    check_calls(0);
}

GROUP(802, gstate_noctx_live, "gstate-noctx-live")
{
    use_graph_objects();
    owner = context;
    cases_independent = 1;
    check_calls(2);
}

GROUP(803, gstate_ctx, "gstate-ctx")
{
    use_graph_objects();
    owner = context;
    cases_independent = 1;
    check_calls(1);
}

/* the objects' context is destroyed, another one is current */
GROUP(804, gstate_destroyedctx, "gstate-destroyedctx")
{
    use_device();
    cases_independent = 1;
    context = context_new();
    cuda.cuModuleLoadData(&module, kernels_ptx);
    if (module) {
        cuda.cuModuleGetFunction(&functions[KERNEL_NOP], module, "knop");
        cuda.cuModuleGetFunction(&functions[KERNEL_ADD], module, "kadd");
    }
    for (int i = 0; i < BUFFER_COUNT; i++)
        buffers[i] = device_alloc(BUFFER_BYTES);
    for (int i = 0; i < 4; i++)
        cuda.cuEventCreate(&events[i], 0);
    objects_create();
    owner = context;
    CUcontext old = context;
    cuda.cuCtxSetCurrent(NULL);
    cuda.cuDevicePrimaryCtxRetain(&context, device);
    cuda.cuCtxSetCurrent(context);
    CHECK("destroy", cuda.cuCtxDestroy(old));
    owner = NULL;
    stream = stream_new(0);
    event = 0;
    cuda.cuEventCreate(&event, 0);
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        if (case_begin(calls[i].n)) {
            arguments_prepare();
            batch_params.ctx = context;
            owner = context;
            CUresult r = calls[i].f();
            case_end(r, " ");
        }
}

GROUP(805, gstate_primaryreset, "gstate-primaryreset")
{
    use_graph_objects();
    cases_independent = 1;
    owner = context;
    objects_create();
    CHECK("reset", cuda.cuDevicePrimaryCtxReset(device));
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        if (!strstr(calls[i].n, "cuStream") && !strstr(calls[i].n, "Launch") &&
            !strstr(calls[i].n, "Upload") && !strstr(calls[i].n, "Event") &&
            case_begin(calls[i].n)) {
            arguments_prepare();
            CUresult r = calls[i].f();
            case_end(r, " ");
        }
}

typedef CUresult (*zero_function)(long, long, long, long, long, long, long, long);
static void check_zero_call(const char *name, void *address)
{
    zero_function function = (zero_function)address;

    CHECK(name, function(0, 0, 0, 0, 0, 0, 0, 0));
}

static void check_zero_arguments(void)
{
#define GRAPH_FUNCTION(name) check_zero_call(#name, (void *)cuda.name);
#define MODULE_FUNCTION(name)
#define OLD_FUNCTION(name, symbol, parameters) check_zero_call("v1-" symbol, (void *)cuda.name);
#include "functions.def"
#undef OLD_FUNCTION
}

GROUP(806, gzero_noinit, "gzero-noinit")
{
    cases_independent = 1;
    check_zero_arguments();
}

GROUP(807, gzero_noctx, "gzero-noctx")
{
    use_device();
    cases_independent = 1;
    check_zero_arguments();
}

GROUP(808, gzero_ctx, "gzero-ctx")
{
    use_primary_context();
    cases_independent = 1;
    check_zero_arguments();
}

static void check_proc_address(const char *n, void *mine)
{
    static const struct {
        int v;
        cuuint64_t f;
    } k[] = {{13000, 0}, {12030, 0}, {12020, 0}, {12000, 0}, {11040, 0}, {11030, 0},
             {10010, 0}, {10000, 0}, {9000, 0},  {13000, 1}, {13000, 2}};
    TEXT(b, 400);
    CUresult r0 = 0;
    if (!case_begin(n))
        return;
    for (size_t i = 0; i < COUNT_OF(k); i++) {
        void *p = (void *)UNTOUCHED;
        CUdriverProcAddressQueryResult q = 99;
        CUresult r = cuda.cuGetProcAddress(n, &p, k[i].v, k[i].f, &q);
        if (!i)
            r0 = r;
        text_add(&b, " v%d%s=%d/st%d/%s", k[i].v,
                 k[i].f == 1   ? "L"
                 : k[i].f == 2 ? "PT"
                               : "",
                 (int)r, (int)q,
                 p == mine                ? "newest"
                 : !p                     ? "null"
                 : p == (void *)UNTOUCHED ? "kept"
                                          : "other");
    }
    case_end(r0, "%s", b.chars);
}

GROUP(809, gprocaddr, "gprocaddr")
{
    use_device();
    cases_independent = 1;
#define GRAPH_FUNCTION(name) check_proc_address(#name, (void *)cuda.name);
#define MODULE_FUNCTION(name)
#define OLD_FUNCTION(name, symbol, parameters)
#include "functions.def"
#undef OLD_FUNCTION
}
