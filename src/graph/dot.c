/* SPDX-License-Identifier: MIT */
/* Writes a graph as a DOT file: a cluster for each graph, a box for each node, with as much of its
 * parameters as the flags ask for. Graphs in nodes are nested clusters. */
#include "core/error.h"
#include "graph/condition.h"
#include "graph/graph.h"
#include "graph/node.h"
#include "module/function.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct writer {
    FILE *file;
    unsigned flags;
    unsigned graph_count;
};

/* Writes one line of a node's label. */
static void line(const struct writer *writer, const char *format, ...) CUP_PRINTF(2, 3);
static void line(const struct writer *writer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(writer->file, format, arguments);
    va_end(arguments);
    fputc('\n', writer->file);
}

static bool asks(const struct writer *writer, unsigned flag)
{
    return writer->flags & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
}

/* Escapes the characters of kernel names that are special in DOT. */
static void write_name(FILE *file, const char *name)
{
    for (; *name; name++) {
        if (*name == '"' || *name == '\\' || *name == '<' || *name == '>' || *name == '{' ||
            *name == '}' || *name == '|')
            fputc('\\', file);
        fputc(*name, file);
    }
}

static void kernel_text(const struct writer *writer, const struct cup_node_params *params)
{
    const CUDA_KERNEL_NODE_PARAMS_v3 *given = &params->given.kernel;
    const struct cup_node_kernel_attributes *attributes = &params->attributes;
    bool detailed = asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS);

    write_name(writer->file, cup_function_ptx((const struct CUfunc_st *)params->object)->name);
    fputc('\n', writer->file);
    line(writer,
         detailed ? "grid %u x %u x %u, block %u x %u x %u, shared %u"
                  : "\\<\\<\\<%u x %u x %u, %u x %u x %u, %u\\>\\>\\>",
         given->gridDimX, given->gridDimY, given->gridDimZ, given->blockDimX, given->blockDimY,
         given->blockDimZ, given->sharedMemBytes);
    if (asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES)) {
        line(writer, "cooperative %d", attributes->cooperative);
        line(writer, "cluster %u x %u x %u", attributes->cluster[0], attributes->cluster[1],
             attributes->cluster[2]);
        line(writer, "priority %d", attributes->priority);
    }
    if (asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES))
        line(writer, "function %p", (void *)given->func);
    if (detailed && (writer->flags & CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES))
        line(writer, "context %p", (void *)given->ctx);
}

static const char *memory_name(CUmemorytype type)
{
    static const char *const names[] = {"?", "host", "device", "array", "unified"};

    return (unsigned)type < sizeof(names) / sizeof(names[0]) ? names[type] : names[0];
}

static void memcpy_text(const struct writer *writer, const struct cup_node_params *params)
{
    const CUDA_MEMCPY3D *copy = &params->given.memcpy.copyParams;

    line(writer, "MEMCPY");
    line(writer, "%s to %s", memory_name(copy->srcMemoryType), memory_name(copy->dstMemoryType));
    line(writer, "%zu x %zu x %zu bytes", copy->WidthInBytes, copy->Height, copy->Depth);
    if (asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS)) {
        line(writer, "from %p 0x%llx %p, pitch %zu, height %zu", copy->srcHost,
             (unsigned long long)copy->srcDevice, (void *)copy->srcArray, copy->srcPitch,
             copy->srcHeight);
        line(writer, "to %p 0x%llx %p, pitch %zu, height %zu", copy->dstHost,
             (unsigned long long)copy->dstDevice, (void *)copy->dstArray, copy->dstPitch,
             copy->dstHeight);
    }
}

/* A fill with parameters is one line. */
static void memset_text(const struct writer *writer, const struct cup_node_params *params)
{
    const CUDA_MEMSET_NODE_PARAMS_v2 *given = &params->given.memset;

    if (asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS)) {
        line(writer, "MEMSET 0x%llx, pitch %zu, value %u of %u bytes, %zu x %zu",
             (unsigned long long)given->dst, given->pitch, given->value, given->elementSize,
             given->width, given->height);
        return;
    }
    line(writer, "MEMSET");
    line(writer, "0x%llx", (unsigned long long)given->dst);
    line(writer, "value %u of %u bytes, %zu x %zu", given->value, given->elementSize, given->width,
         given->height);
}

static void host_text(const struct writer *writer, const struct cup_node_params *params)
{
    line(writer, "HOST");
    line(writer, "a function of the host");
    if (asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS)) {
        line(writer, "function 0x%" PRIxPTR, (uintptr_t)params->given.host.fn);
        line(writer, "argument %p", params->given.host.userData);
    }
}

static void event_text(const struct writer *writer, const struct cup_node_params *params)
{
    line(writer, "%s", params->type->name);
    line(writer, "an event");
    if (asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS))
        line(writer, "event %p", (void *)params->given.eventRecord.event);
}

static void semaphore_text(const struct writer *writer, const struct cup_node_params *params)
{
    line(writer, "%s", params->type->name);
    line(writer, "%u semaphores", params->given.extSemSignal.numExtSems);
}

static void alloc_text(const struct writer *writer, const struct cup_node_params *params)
{
    line(writer, "MEM_ALLOC");
    line(writer, "%zu bytes", params->given.alloc.bytesize);
    if (asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS)) {
        line(writer, "address 0x%llx", (unsigned long long)params->given.alloc.dptr);
        line(writer, "device %d", params->given.alloc.poolProps.location.id);
    }
}

static void free_text(const struct writer *writer, const struct cup_node_params *params)
{
    line(writer, "MEM_FREE");
    line(writer, "an allocation of a graph");
    if (asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS))
        line(writer, "address 0x%llx", (unsigned long long)params->given.free.dptr);
}

static void batch_text(const struct writer *writer, const struct cup_node_params *params)
{
    line(writer, "BATCH_MEM_OP");
    line(writer, "%u operations", params->given.memOp.count);
    if (asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS)) {
        line(writer, "context %p", (void *)params->given.memOp.ctx);
        line(writer, "flags 0x%x", params->given.memOp.flags);
    }
}

static void conditional_text(const struct writer *writer, const struct cup_node_params *params)
{
    static const char *const kinds[] = {"IF", "WHILE", "SWITCH"};
    const CUDA_CONDITIONAL_NODE_PARAMS *given = &params->given.conditional;

    line(writer, "CONDITIONAL");
    line(writer, "%s of %u", kinds[given->type], given->size);
    if (asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS))
        line(writer, "handle 0x%llx", (unsigned long long)given->handle);
}

static void plain_text(const struct writer *writer, const struct cup_node_params *params)
{
    bool is_child = params->type->id == CU_GRAPH_NODE_TYPE_GRAPH;

    line(writer, "%s", params->type->name);
    line(writer, is_child ? "a graph" : "no work");
}

static void (*const texts[CUP_NODE_TYPE_COUNT])(const struct writer *writer,
                                                const struct cup_node_params *params) = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = kernel_text,
    [CU_GRAPH_NODE_TYPE_MEMCPY] = memcpy_text,
    [CU_GRAPH_NODE_TYPE_MEMSET] = memset_text,
    [CU_GRAPH_NODE_TYPE_HOST] = host_text,
    [CU_GRAPH_NODE_TYPE_GRAPH] = plain_text,
    [CU_GRAPH_NODE_TYPE_EMPTY] = plain_text,
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = event_text,
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = event_text,
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL] = semaphore_text,
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT] = semaphore_text,
    [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = alloc_text,
    [CU_GRAPH_NODE_TYPE_MEM_FREE] = free_text,
    [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = batch_text,
    [CU_GRAPH_NODE_TYPE_CONDITIONAL] = conditional_text,
};

/* Nodes whose parameters are written have no line for their handle. */
static bool shows_handle(const struct writer *writer, CUgraphNodeType type)
{
    if (!asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES))
        return false;
    return !(type == CU_GRAPH_NODE_TYPE_KERNEL &&
             asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS)) &&
           !(type == CU_GRAPH_NODE_TYPE_MEMCPY &&
             asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS)) &&
           !(type == CU_GRAPH_NODE_TYPE_MEMSET &&
             asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS));
}

static void write_node(const struct writer *writer, const struct CUgraphNode_st *node,
                       unsigned graph)
{
    CUgraphNodeType type = node->params->type->id;

    line(writer, "\"graph_%u_node_%u\"[style=\"solid\" shape=\"%s\" label=\"%u", graph, node->mark,
         type == CU_GRAPH_NODE_TYPE_KERNEL ? "octagon" : "rectangle", node->mark);
    texts[type](writer, node->params);
    if (shows_handle(writer, type))
        line(writer, "node %p", (const void *)node);
    line(writer, "\"];");
}

static void write_edges(const struct writer *writer, const struct CUgraphNode_st *node,
                        unsigned graph)
{
    for (uint32_t i = 0; i < node->out.count; i++) {
        const struct cup_edge *edge = &node->out.edges[i];
        fprintf(writer->file, "\"graph_%u_node_%u\" -> \"graph_%u_node_%u\"", graph, node->mark,
                graph, edge->node->mark);
        if (asks(writer, CU_GRAPH_DEBUG_DOT_FLAGS_EXTRA_TOPO_INFO))
            fprintf(writer->file, "[label=\"port %u, type %u\"]", edge->data.from_port,
                    edge->data.type);
        line(writer, ";");
    }
}

static void write_cluster_locked(struct writer *writer, struct CUgraph_st *graph, bool is_body)
{
    unsigned number = writer->graph_count++;
    uint32_t mark = 0;

    line(writer, "subgraph cluster_%u {", number);
    line(writer, "label=\"graph_%u\" graph[style=\"dashed\"];", number);
    if (is_body) {
        line(writer, "style=\"dashed\";");
        line(writer, "color=\"gray\";");
        line(writer, "penwidth=\"1\";");
        line(writer, "margin=\"12\";");
    }
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        node->mark = mark++;
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        const CUDA_CONDITIONAL_NODE_PARAMS *conditional = &node->params->given.conditional;
        write_node(writer, node, number);
        if (node->params->type == &cup_node_child)
            write_cluster_locked(writer, node->params->given.graph.graph, false);
        for (unsigned i = 0; node->params->type == &cup_node_conditional && i < conditional->size;
             i++)
            write_cluster_locked(writer, conditional->phGraph_out[i], true);
    }
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        write_edges(writer, node, number);
    line(writer, "}");
}

CUresult cup_graph_write_dot(struct CUgraph_st *graph, const char *path, unsigned flags)
{
    struct writer writer = {.file = fopen(path, "we"), .flags = flags};

    if (!writer.file)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "%s cannot be written: error %d", path,
                         errno);
    line(&writer, "digraph dot {");
    cup_lock_acquire(&cup_graph_lock);
    write_cluster_locked(&writer, graph, false);
    cup_lock_release(&cup_graph_lock);
    line(&writer, "}");
    if (fclose(writer.file) != 0)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "%s cannot be written", path);
    return CUDA_SUCCESS;
}
