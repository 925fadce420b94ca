/* SPDX-License-Identifier: MIT */
/* Graphs, nodes and values as text that is the same in every run. */
#include "graphs.h"

void text_add(struct text *text, const char *format_text, ...)
{
    if (text->length + 1 >= text->size)
        return;
    va_list args;
    va_start(args, format_text);
    int length =
        vsnprintf(text->chars + text->length, text->size - text->length, format_text, args);
    va_end(args);
    if (length > 0)
        text->length += (size_t)length < text->size - text->length ? (size_t)length
                                                                   : text->size - text->length - 1;
}

static char *text_buffer(void)
{
    static char buffers[8][2600];
    static int next;
    next = (next + 1) & 7;
    buffers[next][0] = 0;
    return buffers[next];
}

const char *node_type_name(int type)
{
    static const char *names[] = {"kernel",   "memcpy",  "memset",     "host",       "graph",
                                  "empty",    "evwait",  "evrecord",   "semsignal",  "semwait",
                                  "memalloc", "memfree", "batchmemop", "conditional"};
    return type >= 0 && type < 14 ? names[type] : format("type%d", type);
}

const char *capture_status_name(int status)
{
    return status == 0    ? "none"
           : status == 1  ? "active"
           : status == 2  ? "invalidated"
           : status == -1 ? "noanswer"
                          : format("status%d", status);
}

const char *update_result_name(int result)
{
    static const char *names[] = {"success",      "error",           "topology",
                                  "nodetype",     "function",        "parameters",
                                  "notsupported", "unsupportedfunc", "attributes"};
    return result >= 0 && result < 9 ? names[result]
           : result == 77            ? "kept"
                                     : format("update%d", result);
}

const char *instantiate_result_name(int result)
{
    static const char *names[] = {"success",        "error",    "structure",
                                  "opnotsupported", "multictx", "handleunused"};
    return result >= 0 && result < 6 ? names[result]
           : result == 77            ? "kept"
                                     : format("inst%d", result);
}

const char *pointer_name(uint64_t ptr)
{
    if (!ptr)
        return "0";
    if (ptr == UNTOUCHED)
        return "kept";
    for (int i = 0; i < BUFFER_COUNT; i++)
        if (buffers[i] && ptr >= buffers[i] && ptr < buffers[i] + BUFFER_BYTES)
            return format("B%d+%u", i, (unsigned)(ptr - buffers[i]));
    if (managed_buffer && ptr >= managed_buffer && ptr < managed_buffer + BUFFER_BYTES)
        return format("BM+%u", (unsigned)(ptr - managed_buffer));
    for (int i = 0; i < 4; i++)
        if (host_buffers[i] && ptr >= (uintptr_t)host_buffers[i] &&
            ptr < (uintptr_t)host_buffers[i] + BUFFER_BYTES)
            return format("H%d+%u", i, (unsigned)(ptr - (uintptr_t)host_buffers[i]));
    for (int i = 0; i < 4; i++)
        if (arrays[i] && ptr == (uintptr_t)arrays[i])
            return format("AR%d", i);
    for (int i = 0; i < 8; i++)
        if (events[i] && ptr == (uintptr_t)events[i])
            return format("E%d", i);
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (functions[i] && ptr == (uintptr_t)functions[i])
            return format("fn:%s", kernel_names[i]);
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (kernels[i] && ptr == (uintptr_t)kernels[i])
            return format("kn:%s", kernel_names[i]);
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (second_functions[i] && ptr == (uintptr_t)second_functions[i])
            return format("fn2:%s", kernel_names[i]);
    if (context && ptr == (uintptr_t)context)
        return "ctx";
    if (second_context && ptr == (uintptr_t)second_context)
        return "ctx2";
    return "other";
}

const char *handle_text(const void *handle)
{
    return !handle ? "null" : (uintptr_t)handle == UNTOUCHED ? "kept" : "set";
}

const char *node_order(const CUgraphNode *found, size_t found_count, const CUgraphNode *known,
                       size_t known_count)
{
    char *chars = text_buffer();
    struct text text = {chars, 2600, 0};
    for (size_t i = 0; i < found_count; i++) {
        size_t at = 0;
        while (at < known_count && known[at] != found[i])
            at++;
        if (at < known_count)
            text_add(&text, "%s%zu", i ? "," : "", at);
        else
            text_add(&text, "%s%s", i ? "," : "",
                     !found[i]                    ? "null"
                     : found[i] == UNTOUCHED_NODE ? "kept"
                                                  : "x");
    }
    return chars;
}

struct edge {
    unsigned from, to;
    CUgraphEdgeData data;
};
static int edge_compare(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    return a->from != b->from ? (int)a->from - (int)b->from
           : a->to != b->to   ? (int)a->to - (int)b->to
                              : memcmp(&a->data, &b->data, sizeof a->data);
}

#define MAX_NODES 4096
static void node_params_add(struct text *s, CUgraphNode n);
static void graph_add(struct text *text, CUgraph graph, int with_params, int depth)
{
    size_t node_count = 0;
    if (!graph) {
        text_add(text, "nograph");
        return;
    }
    CUresult result = cuda.cuGraphGetNodes(graph, NULL, &node_count);
    if (result) {
        text_add(text, "nodes:%s", result_name(result));
        return;
    }
    if (node_count > MAX_NODES) {
        text_add(text, "n=%zu(many)", node_count);
        return;
    }
    CUgraphNode *nodes = calloc(node_count + 1, sizeof *nodes);
    size_t found = node_count;
    if (node_count && (result = cuda.cuGraphGetNodes(graph, nodes, &found))) {
        text_add(text, "nodes2:%s", result_name(result));
        free(nodes);
        return;
    }
    if (found < node_count)
        node_count = found;
    size_t edge_count = 0;
    result = cuda.cuGraphGetEdges(graph, NULL, NULL, NULL, &edge_count);
    if (result) {
        text_add(text, "n=%zu edges:%s", node_count, result_name(result));
        free(nodes);
        return;
    }
    if (edge_count > 4 * MAX_NODES) {
        text_add(text, "n=%zu e=%zu(many)", node_count, edge_count);
        free(nodes);
        return;
    }
    CUgraphNode *from_nodes = calloc(edge_count + 1, sizeof *from_nodes),
                *to_nodes = calloc(edge_count + 1, sizeof *to_nodes);
    CUgraphEdgeData *data = calloc(edge_count + 1, sizeof *data);
    struct edge *edges = calloc(edge_count + 1, sizeof *edges);
    if (edge_count) {
        found = edge_count;
        result = cuda.cuGraphGetEdges(graph, from_nodes, to_nodes, data, &found);
        if (found < edge_count)
            edge_count = found;
    }
    unsigned type_hash = 2166136261u;
    text_add(text, "n=%zu", node_count);
    if (node_count && node_count <= 40)
        text_add(text, "[");
    for (size_t i = 0; i < node_count; i++) {
        CUgraphNodeType type = 99;
        cuda.cuGraphNodeGetType(nodes[i], &type);
        type_hash = (type_hash ^ (unsigned)type) * 16777619u;
        if (node_count <= 40)
            text_add(text, "%s%s", i ? " " : "", node_type_name(type));
        if (node_count <= 40 && with_params) {
            text_add(text, "(");
            node_params_add(text, nodes[i]);
            text_add(text, ")");
        };
        if (node_count <= 40 && type == CU_GRAPH_NODE_TYPE_GRAPH && depth < 3) {
            CUgraph child = 0;
            if (!cuda.cuGraphChildGraphNodeGetGraph(nodes[i], &child) && child) {
                text_add(text, "{");
                graph_add(text, child, with_params, depth + 1);
                text_add(text, "}");
            }
        }
    }
    if (node_count && node_count <= 40)
        text_add(text, "]");
    else if (node_count)
        text_add(text, " types=%08x", type_hash);
    for (size_t i = 0; i < edge_count; i++) {
        unsigned from = 0, to = 0;
        while (from < node_count && nodes[from] != from_nodes[i])
            from++;
        while (to < node_count && nodes[to] != to_nodes[i])
            to++;
        edges[i].from = from;
        edges[i].to = to;
        edges[i].data = data[i];
    }
    qsort(edges, edge_count, sizeof *edges, edge_compare);
    text_add(text, " e=%zu", edge_count);
    unsigned edge_hash = 2166136261u;
    if (result)
        text_add(text, ":%s", result_name(result));
    if (edge_count && edge_count <= 80)
        text_add(text, "[");
    for (size_t i = 0; i < edge_count; i++) {
        edge_hash = (edge_hash ^ edges[i].from) * 16777619u;
        edge_hash = (edge_hash ^ edges[i].to) * 16777619u;
        if (edge_count <= 80) {
            text_add(text, "%s%u>%u", i ? " " : "", edges[i].from, edges[i].to);
            if (edges[i].data.from_port || edges[i].data.to_port || edges[i].data.type)
                text_add(text, ":%u/%u/%u", edges[i].data.from_port, edges[i].data.to_port,
                         edges[i].data.type);
        }
    }
    if (edge_count && edge_count <= 80)
        text_add(text, "]");
    else if (edge_count)
        text_add(text, " edges=%08x", edge_hash);
    free(nodes);
    free(from_nodes);
    free(to_nodes);
    free(data);
    free(edges);
    return;
}

const char *graph_text(CUgraph graph)
{
    char *chars = text_buffer();
    struct text text = {chars, 2600, 0};
    graph_add(&text, graph, 0, 0);
    return chars;
}

const char *graph_text_with_params(CUgraph graph)
{
    char *chars = text_buffer();
    struct text text = {chars, 2600, 0};
    graph_add(&text, graph, 1, 0);
    return chars;
}

static const char *memory_type_name(int type)
{
    return type == 1   ? "H"
           : type == 2 ? "D"
           : type == 3 ? "A"
           : type == 4 ? "U"
                       : format("mt%d", type);
}

static void add_kernel_params(struct text *text, CUgraphNode node)
{
    CUDA_KERNEL_NODE_PARAMS params;
    memset(&params, 0, sizeof params);
    CUresult result = cuda.cuGraphKernelNodeGetParams(node, &params);
    if (result) {
        text_add(text, "%s", result_name(result));
        return;
    }
    text_add(text, "func=%s kern=%s ctx=%s grid=%u,%u,%u block=%u,%u,%u shm=%u extra=%d",
             pointer_name((uintptr_t)params.func), pointer_name((uintptr_t)params.kern),
             pointer_name((uintptr_t)params.ctx), params.gridDimX, params.gridDimY, params.gridDimZ,
             params.blockDimX, params.blockDimY, params.blockDimZ, params.sharedMemBytes,
             params.extra != NULL);
    int kernel = -1;
    for (int i = 0; i < KERNEL_COUNT; i++)
        if ((functions[i] && params.func == functions[i]) ||
            (kernels[i] && params.kern == kernels[i]) ||
            (second_functions[i] && params.func == second_functions[i]))
            kernel = i;
    if (!params.kernelParams)
        text_add(text, " params=null");
    else if (kernel >= 0 && kernel != KERNEL_NOP) {
        CUdeviceptr ptr = 0;
        memcpy(&ptr, params.kernelParams[0], 8);
        text_add(text, " a0=%s", pointer_name(ptr));
        int next = 1;
        unsigned word = 0;
        if (kernel == KERNEL_MIX) {
            memcpy(&ptr, params.kernelParams[next++], 8);
            text_add(text, " a1=%s", pointer_name(ptr));
        }
        if (kernel != KERNEL_INCREMENT) {
            memcpy(&word, params.kernelParams[next++], 4);
            text_add(text, " n=%u", word);
            memcpy(&word, params.kernelParams[next++], 4);
            text_add(text, " v=%u", word);
        }
    } else
        text_add(text, " params=set");
}

static void add_memcpy_params(struct text *text, CUgraphNode node)
{
    CUDA_MEMCPY3D params;
    memset(&params, 0, sizeof params);
    CUresult result = cuda.cuGraphMemcpyNodeGetParams(node, &params);
    if (result) {
        text_add(text, "%s", result_name(result));
        return;
    }
    text_add(text, "%s>%s w=%zu h=%zu d=%zu", memory_type_name(params.srcMemoryType),
             memory_type_name(params.dstMemoryType), params.WidthInBytes, params.Height,
             params.Depth);
    text_add(text, " src=%s/%s/%s +%zu,%zu,%zu p=%zu,%zu lod=%zu",
             pointer_name((uintptr_t)params.srcHost), pointer_name(params.srcDevice),
             pointer_name((uintptr_t)params.srcArray), params.srcXInBytes, params.srcY, params.srcZ,
             params.srcPitch, params.srcHeight, params.srcLOD);
    text_add(text, " dst=%s/%s/%s +%zu,%zu,%zu p=%zu,%zu lod=%zu",
             pointer_name((uintptr_t)params.dstHost), pointer_name(params.dstDevice),
             pointer_name((uintptr_t)params.dstArray), params.dstXInBytes, params.dstY, params.dstZ,
             params.dstPitch, params.dstHeight, params.dstLOD);
}

static void add_memset_params(struct text *text, CUgraphNode node)
{
    CUDA_MEMSET_NODE_PARAMS params;
    memset(&params, 0, sizeof params);
    CUresult result = cuda.cuGraphMemsetNodeGetParams(node, &params);
    if (result) {
        text_add(text, "%s", result_name(result));
        return;
    }
    text_add(text, "dst=%s pitch=%zu value=%u es=%u w=%zu h=%zu", pointer_name(params.dst),
             params.pitch, params.value, params.elementSize, params.width, params.height);
}

static void add_host_params(struct text *text, CUgraphNode node)
{
    CUDA_HOST_NODE_PARAMS params;
    memset(&params, 0, sizeof params);
    CUresult result = cuda.cuGraphHostNodeGetParams(node, &params);
    if (result) {
        text_add(text, "%s", result_name(result));
        return;
    }
    text_add(text, "fn=%s user=%s",
             params.fn == host_count           ? "hfn"
             : params.fn == host_count_hundred ? "hfn2"
             : params.fn                       ? "other"
                                               : "null",
             (uintptr_t)params.userData < 16 ? format("%u", (unsigned)(uintptr_t)params.userData)
                                             : "other");
}

static void add_graph_params(struct text *text, CUgraphNode node)
{
    CUgraph child = 0;
    CUresult result = cuda.cuGraphChildGraphNodeGetGraph(node, &child);
    text_add(text, "%s", result ? result_name(result) : handle_text(child));
}

static void add_wait_event_params(struct text *text, CUgraphNode node)
{
    CUevent event = 0;
    CUresult result = cuda.cuGraphEventWaitNodeGetEvent(node, &event);
    text_add(text, "%s", result ? result_name(result) : pointer_name((uintptr_t)event));
}

static void add_event_record_params(struct text *text, CUgraphNode node)
{
    CUevent event = 0;
    CUresult result = cuda.cuGraphEventRecordNodeGetEvent(node, &event);
    text_add(text, "%s", result ? result_name(result) : pointer_name((uintptr_t)event));
}

static void add_mem_alloc_params(struct text *text, CUgraphNode node)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params;
    memset(&params, 0, sizeof params);
    CUresult result = cuda.cuGraphMemAllocNodeGetParams(node, &params);
    if (result) {
        text_add(text, "%s", result_name(result));
        return;
    }
    text_add(text, "size=%zu dptr=%s type=%d loc=%d/%d ht=%d max=%zu usage=%u acc=%zu/%d",
             params.bytesize, params.dptr ? "set" : "0", params.poolProps.allocType,
             params.poolProps.location.type, params.poolProps.location.id,
             params.poolProps.handleTypes, params.poolProps.maxSize, params.poolProps.usage,
             params.accessDescCount, params.accessDescs != NULL);
}

static void add_mem_free_params(struct text *text, CUgraphNode node)
{
    CUdeviceptr ptr = 0;
    CUresult result = cuda.cuGraphMemFreeNodeGetParams(node, &ptr);
    text_add(text, "%s", result ? result_name(result) : ptr ? "set" : "0");
}

static void add_batch_mem_op_params(struct text *text, CUgraphNode node)
{
    CUDA_BATCH_MEM_OP_NODE_PARAMS params;
    memset(&params, 0, sizeof params);
    CUresult result = cuda.cuGraphBatchMemOpNodeGetParams(node, &params);
    if (result) {
        text_add(text, "%s", result_name(result));
        return;
    }
    text_add(text, "ctx=%s count=%u flags=%u", pointer_name((uintptr_t)params.ctx), params.count,
             params.flags);
    for (unsigned i = 0; i < params.count && i < 8 && params.paramArray; i++) {
        int operation = params.paramArray[i].operation;
        text_add(text, " op%d", operation);
        if (operation == 1 || operation == 2)
            text_add(text, ":%s=%u/%u", pointer_name(params.paramArray[i].writeValue.address),
                     params.paramArray[i].writeValue.value, params.paramArray[i].writeValue.flags);
        if (operation == 4 || operation == 5)
            text_add(text, ":%s=%llu/%u", pointer_name(params.paramArray[i].writeValue.address),
                     (unsigned long long)params.paramArray[i].writeValue.value64,
                     params.paramArray[i].writeValue.flags);
    }
}

static void (*const params_adders[NODE_TYPE_COUNT])(struct text *, CUgraphNode) = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = add_kernel_params,
    [CU_GRAPH_NODE_TYPE_MEMCPY] = add_memcpy_params,
    [CU_GRAPH_NODE_TYPE_MEMSET] = add_memset_params,
    [CU_GRAPH_NODE_TYPE_HOST] = add_host_params,
    [CU_GRAPH_NODE_TYPE_GRAPH] = add_graph_params,
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = add_wait_event_params,
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = add_event_record_params,
    [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = add_mem_alloc_params,
    [CU_GRAPH_NODE_TYPE_MEM_FREE] = add_mem_free_params,
    [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = add_batch_mem_op_params,
};

static void node_params_add(struct text *text, CUgraphNode node)
{
    CUgraphNodeType type = 99;
    CUresult asked = cuda.cuGraphNodeGetType(node, &type);

    if (asked)
        text_add(text, "%s", result_name(asked));
    else if ((unsigned)type < NODE_TYPE_COUNT && params_adders[type])
        params_adders[type](text, node);
    else
        text_add(text, "-");
}

const char *node_params_text(CUgraphNode node)
{
    char *chars = text_buffer();
    struct text text = {chars, 2600, 0};
    node_params_add(&text, node);
    return chars;
}
