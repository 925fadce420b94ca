/* SPDX-License-Identifier: MIT */
/* Nodes in DOT files. A node is a shape with a few lines, or a record of rows and columns if its
 * parameters are asked for. The fields have the names that they have in cuda.h. */
#include "graph/dot.h"

#include "core/lock.h"
#include "module/function.h"

#include <inttypes.h>
#include <stdarg.h>

#define HANDLES CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES

static void say(const struct cup_dot *dot, const char *format, ...) CUP_PRINTF(2, 3);
static void say(const struct cup_dot *dot, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(dot->file, format, arguments);
    va_end(arguments);
}

static void say_handle(const struct cup_dot *dot, uint64_t handle)
{
    say(dot, "0x%016" PRIX64, handle);
}

/* The node's number in its graph and, if asked for, its place in the order of the graph. */
static void say_id(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    say(dot, "%u", node->ordinal);
    if (cup_dot_asks(dot, CU_GRAPH_DEBUG_DOT_FLAGS_EXTRA_TOPO_INFO))
        say(dot, " (topoId: %u)", node->mark);
}

/* Begins a shape with lines: the number, then a name of its own. */
static void begin_shape(const struct cup_dot *dot, const struct CUgraphNode_st *node,
                        const char *attributes)
{
    say(dot, "%slabel=\"", attributes);
    say_id(dot, node);
    say(dot, "\n");
}

static void line_of_handle(const struct cup_dot *dot, const char *name, uint64_t handle)
{
    say(dot, "%s: ", name);
    say_handle(dot, handle);
    say(dot, "\n");
}

static void line_of_node(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    if (cup_dot_asks(dot, HANDLES))
        line_of_handle(dot, "node handle", (uintptr_t)node);
}

/* A rectangle with the name of its type; lines may follow. */
static void write_rectangle(const struct cup_dot *dot, const struct CUgraphNode_st *node,
                            const char *name)
{
    begin_shape(dot, node, "style=\"solid\" shape=\"rectangle\" ");
    say(dot, "%s\n", name);
    line_of_node(dot, node);
}

/* Begins a record with its first row: the number, the handle if asked for, and more columns, whose
 * values the caller writes. */
static void begin_record(const struct cup_dot *dot, const struct CUgraphNode_st *node,
                         const char *columns)
{
    say(dot, "style=\"solid\" shape=\"record\" label=\"{\n%s\n| {{ID", node->params->type->name);
    say(dot, "%s%s} | {", cup_dot_asks(dot, HANDLES) ? " | node handle" : "", columns);
    say_id(dot, node);
    if (cup_dot_asks(dot, HANDLES)) {
        say(dot, " | ");
        say_handle(dot, (uintptr_t)node);
    }
}

/* Escapes the characters of kernel names that are special in DOT. */
static void say_name(const struct cup_dot *dot, const char *name)
{
    for (; *name; name++) {
        if (*name == '"' || *name == '\\' || *name == '<' || *name == '>' || *name == '{' ||
            *name == '}' || *name == '|')
            fputc('\\', dot->file);
        fputc(*name, dot->file);
    }
}

/* Trailing extents of 1 are left out. */
static void say_extent(const struct cup_dot *dot, unsigned x, unsigned y, unsigned z)
{
    if (z != 1)
        say(dot, "\\{%u,%u,%u\\}", x, y, z);
    else if (y != 1)
        say(dot, "\\{%u,%u\\}", x, y);
    else
        say(dot, "%u", x);
}

static void say_launch(const struct cup_dot *dot, const CUDA_KERNEL_NODE_PARAMS_v3 *given)
{
    if (!cup_dot_asks(dot, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS))
        return;
    say(dot, "\\<\\<\\<");
    say_extent(dot, given->gridDimX, given->gridDimY, given->gridDimZ);
    say(dot, ",");
    say_extent(dot, given->blockDimX, given->blockDimY, given->blockDimZ);
    say(dot, ",%u\\>\\>\\>", given->sharedMemBytes);
}

static char property_letter(CUaccessProperty property)
{
    return property == CU_ACCESS_PROPERTY_STREAMING    ? 'S'
           : property == CU_ACCESS_PROPERTY_PERSISTING ? 'P'
                                                       : 'N';
}

static void write_kernel_record(const struct cup_dot *dot, const struct CUgraphNode_st *node,
                                const char *name)
{
    const struct cup_node_kernel_attributes *attributes = &node->params->attributes;
    const CUaccessPolicyWindow *window = &attributes->window;

    say(dot, "style=\"bold\" shape=\"record\" label=\"{KERNEL\n| {ID | ");
    say_id(dot, node);
    say(dot, " | ");
    say_name(dot, name);
    say_launch(dot, &node->params->given.kernel);
    say(dot, "}\n");
    if (cup_dot_asks(dot, HANDLES)) {
        say(dot, "| {{node handle | func handle} | {");
        say_handle(dot, (uintptr_t)node);
        say(dot, " | ");
        say_handle(dot, (uintptr_t)node->params->given.kernel.func);
        say(dot, "}}\n");
    }
    say(dot,
        "| {accessPolicyWindow | {base_ptr | num_bytes | hitRatio | hitProp | missProp} | "
        "{0x%016" PRIXPTR " | %zu | %f | %c | %c}}\n",
        (uintptr_t)window->base_ptr, window->num_bytes, (double)window->hitRatio,
        property_letter(window->hitProp), property_letter(window->missProp));
    say(dot, "| {cooperative | %d}\n| {priority | %d}\n}", attributes->cooperative,
        attributes->priority);
}

static void write_kernel(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    const char *name = cup_function_ptx((const struct CUfunc_st *)node->params->object)->name;

    if (cup_dot_asks(dot, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES)) {
        write_kernel_record(dot, node, name);
        return;
    }
    begin_shape(dot, node, "style=\"bold\" shape=\"octagon\" ");
    say_name(dot, name);
    say(dot, "\n");
    line_of_node(dot, node);
    if (cup_dot_asks(dot, HANDLES))
        line_of_handle(dot, "func handle", (uintptr_t)node->params->given.kernel.func);
    say_launch(dot, &node->params->given.kernel);
}

static void write_memcpy(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    const CUDA_MEMCPY3D *copy = &node->params->given.memcpy.copyParams;
    char kind[8];

    if (cup_dot_asks(dot, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS)) {
        begin_record(dot, node, "");
        say(dot, "}}\n");
        cup_dot_write_memcpy(dot, copy);
        say(dot, "}");
        return;
    }
    begin_shape(dot, node, "style=\"solid\" shape=\"trapezium\"");
    say(dot, "MEMCPY\n");
    line_of_node(dot, node);
    say(dot, "(%s,%zu)\n", cup_dot_memcpy_kind(copy, kind),
        copy->WidthInBytes * copy->Height * copy->Depth);
}

/* A fill with parameters is one row. */
static void write_memset(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    const CUDA_MEMSET_NODE_PARAMS_v2 *given = &node->params->given.memset;

    if (!cup_dot_asks(dot, CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS)) {
        begin_shape(dot, node, "style=\"solid\" shape=\"invtrapezium\"");
        say(dot, "MEMSET\n");
        line_of_node(dot, node);
        say(dot, "(%u,%zu)\n", given->value, given->width * given->height * given->elementSize);
        return;
    }
    say(dot,
        "style=\"solid\" shape=\"record\" label=\"{MEMSET\n| {{ID%s | dptr | pitch | value | "
        "elementSize | width | height} | {",
        cup_dot_asks(dot, HANDLES) ? " | node handle" : "");
    say_id(dot, node);
    say(dot, " | ");
    if (cup_dot_asks(dot, HANDLES)) {
        say_handle(dot, (uintptr_t)node);
        say(dot, " | ");
    }
    say_handle(dot, given->dst);
    say(dot, " | %zu | %u | %u | %zu | %zu}}}", given->pitch, given->value, given->elementSize,
        given->width, given->height);
}

static void write_host(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    write_rectangle(dot, node, "HOST");
    if (cup_dot_asks(dot, CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS)) {
        line_of_handle(dot, "fn", (uintptr_t)node->params->given.host.fn);
        line_of_handle(dot, "userData", (uintptr_t)node->params->given.host.userData);
    }
}

static void write_event(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    write_rectangle(dot, node, node->params->type->name);
    if (cup_dot_asks(dot, CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS))
        line_of_handle(dot, "event", (uintptr_t)node->params->given.eventRecord.event);
}

static void write_child(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    char name[24];

    snprintf(name, sizeof(name), "graph_%u", node->params->given.graph.graph->number);
    write_rectangle(dot, node, name);
}

static void write_empty(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    write_rectangle(dot, node, "EMPTY");
}

static const char *location_name(CUmemLocationType type)
{
    return type == CU_MEM_LOCATION_TYPE_DEVICE ? "DEVICE"
           : type == CU_MEM_LOCATION_TYPE_HOST ? "HOST"
                                               : "OTHER";
}

static const char *access_name(CUmemAccess_flags flags)
{
    return flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? "READWRITE"
           : flags == CU_MEM_ACCESS_FLAGS_PROT_READ    ? "READ"
                                                       : "NONE";
}

static void write_alloc(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    const CUDA_MEM_ALLOC_NODE_PARAMS_v2 *given = &node->params->given.alloc;
    const CUmemPoolProps *pool = &given->poolProps;

    if (!cup_dot_asks(dot, CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS)) {
        write_rectangle(dot, node, "MEM_ALLOC");
        return;
    }
    begin_record(dot, node, "");
    say(dot, "}}\n| {{{poolProps | {allocType | handleTypes | {location | {type | id}}} | ");
    say(dot, "{%s | %s | %s | %d}}}}\n",
        pool->allocType == CU_MEM_ALLOCATION_TYPE_PINNED ? "PINNED" : "MANAGED",
        pool->handleTypes == CU_MEM_HANDLE_TYPE_NONE ? "NONE" : "POSIX_FILE_DESCRIPTOR",
        location_name(pool->location.type), pool->location.id);
    for (size_t i = 0; i < given->accessDescCount; i++)
        say(dot, "| {{accessDescs[%zu]} | {{location | {type | id}} | flags} | {%s | %d | %s}}\n",
            i, location_name(given->accessDescs[i].location.type),
            given->accessDescs[i].location.id, access_name(given->accessDescs[i].flags));
    say(dot, "| {{bytesize | dptr} | {%zu | ", given->bytesize);
    say_handle(dot, given->dptr);
    say(dot, "}}\n}");
}

static void write_free(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    if (!cup_dot_asks(dot, CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS)) {
        write_rectangle(dot, node, "MEM_FREE");
        return;
    }
    begin_record(dot, node, "");
    say(dot, "}}\n| {{dptr} | {");
    say_handle(dot, node->params->given.free.dptr);
    say(dot, "}}\n}");
}

static bool has_address(CUstreamBatchMemOpType operation)
{
    return operation != CU_STREAM_MEM_OP_BARRIER &&
           operation != CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
}

static void say_wait_or_write(const struct cup_dot *dot, const CUstreamBatchMemOpParams *op)
{
    static const char *const waits[] = {"GEQ", "EQ", "AND", "NOR"};
    bool is_wait = op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
                   op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64,
         is_wide = op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
                   op->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;

    say(dot, "%s_VALUE_%d | ", is_wait ? "WAIT" : "WRITE", is_wide ? 64 : 32);
    say_handle(dot, is_wait ? op->waitValue.address : op->writeValue.address);
    say(dot, " | 0x%0*" PRIX64 " | %s", is_wide ? 16 : 8,
        is_wide ? (uint64_t)op->waitValue.value64 : (uint64_t)op->waitValue.value,
        is_wait                     ? waits[op->waitValue.flags & 3]
        : op->writeValue.flags & 1u ? "NO_MEMORY_BARRIER"
                                    : "DEFAULT");
}

/* NVIDIA's form of a reduction is not known; this one has the columns of a write. */
static void say_reduction(const struct cup_dot *dot, const CUstreamBatchMemOpParams *op)
{
    CUstreamAtomicReductionOpType kind = op->atomicReduction.reductionOp;
    bool is_wide = op->atomicReduction.dataType == CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64;

    say(dot, "ATOMIC_REDUCTION_%s_%d | ",
        kind == CU_STREAM_ATOMIC_REDUCTION_OP_ADD   ? "ADD"
        : kind == CU_STREAM_ATOMIC_REDUCTION_OP_AND ? "AND"
                                                    : "OR",
        is_wide ? 64 : 32);
    say_handle(dot, op->atomicReduction.address);
    say(dot, " | 0x%0*" PRIX64 " | %u", is_wide ? 16 : 8,
        is_wide ? (uint64_t)op->atomicReduction.value : (uint32_t)op->atomicReduction.value,
        op->atomicReduction.flags);
}

static void say_operation(const struct cup_dot *dot, const CUstreamBatchMemOpParams *op)
{
    if (op->operation == CU_STREAM_MEM_OP_ATOMIC_REDUCTION)
        say_reduction(dot, op);
    else if (has_address(op->operation))
        say_wait_or_write(dot, op);
    else if (op->operation == CU_STREAM_MEM_OP_BARRIER)
        say(dot, "BARRIER | %s ",
            op->memoryBarrier.flags == CU_STREAM_MEMORY_BARRIER_TYPE_GPU ? "GPU" : "SYS");
    else
        say(dot, "FLUSH_REMOTE_WRITES | %u ", op->flushRemoteWrites.flags);
}

static void write_batch(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *given = &node->params->given.memOp;

    if (!cup_dot_asks(dot, CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS)) {
        write_rectangle(dot, node, "BATCH_MEM_OP");
        return;
    }
    begin_record(dot, node, " | count | flags ");
    say(dot, " | %u | 0x%08X }}\n| {{", given->count, given->flags);
    for (unsigned i = 0; i < given->count; i++)
        say(dot, "%s{paramArray[%u] | {op | %sflags }}", i ? "\n| " : "", i,
            has_address(given->paramArray[i].operation) ? "addr | val | " : "");
    say(dot, "}\n| {");
    for (unsigned i = 0; i < given->count; i++) {
        say(dot, "%s", i ? "\n| " : "");
        say_operation(dot, &given->paramArray[i]);
    }
    say(dot, "}}\n}");
}

/* Writes a list of `count` times the same text, whose %u is the index. */
static void say_columns(const struct cup_dot *dot, const char *name, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        say(dot, "%s%s[%u]", i ? " | " : "", name, i);
}

static void say_semaphores(const struct cup_dot *dot, const CUexternalSemaphore *list,
                           unsigned count)
{
    say(dot, " | %u}}\n| {{", count);
    say_columns(dot, "extSemArray", count);
    say(dot, "} | {");
    for (unsigned i = 0; i < count; i++) {
        say(dot, "%s", i ? " | " : "");
        say_handle(dot, (uintptr_t)list[i]);
    }
    say(dot, "}}\n| {{");
    say_columns(dot, "paramsArray", count);
    say(dot, "} | {");
}

static void write_signal(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 *given = &node->params->given.extSemSignal;

    if (!cup_dot_asks(dot, CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_SIGNAL_NODE_PARAMS)) {
        write_rectangle(dot, node, node->params->type->name);
        return;
    }
    begin_record(dot, node, " | numExtSems");
    say_semaphores(dot, given->extSemArray, given->numExtSems);
    for (unsigned i = 0; i < given->numExtSems; i++)
        say(dot, "%svalue | fence | key | flags", i ? " | " : "");
    say(dot, "} | {");
    for (unsigned i = 0; i < given->numExtSems; i++) {
        const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *each = &given->paramsArray[i];
        say(dot, "%s%llu | 0x%016" PRIXPTR " | %llu | %u", i ? " | " : "",
            (unsigned long long)each->params.fence.value, (uintptr_t)each->params.nvSciSync.fence,
            (unsigned long long)each->params.keyedMutex.key, each->flags);
    }
    say(dot, "}}\n}");
}

static void write_wait(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    const CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 *given = &node->params->given.extSemWait;

    if (!cup_dot_asks(dot, CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_WAIT_NODE_PARAMS)) {
        write_rectangle(dot, node, node->params->type->name);
        return;
    }
    begin_record(dot, node, " | numExtSems");
    say_semaphores(dot, given->extSemArray, given->numExtSems);
    for (unsigned i = 0; i < given->numExtSems; i++)
        say(dot, "%svalue | fence | key | timeoutMs | flags", i ? " | " : "");
    say(dot, "} | {");
    for (unsigned i = 0; i < given->numExtSems; i++) {
        const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *each = &given->paramsArray[i];
        say(dot, "%s%llu | 0x%016" PRIXPTR " | %llu | %u | %u", i ? " | " : "",
            (unsigned long long)each->params.fence.value, (uintptr_t)each->params.nvSciSync.fence,
            (unsigned long long)each->params.keyedMutex.key, each->params.keyedMutex.timeoutMs,
            each->flags);
    }
    say(dot, "}}\n}");
}

/* A conditional node is always a record, with a row for each of its graphs. */
static void write_conditional(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    static const char *const kinds[] = {"IF", "WHILE", "SWITCH"};
    const CUDA_CONDITIONAL_NODE_PARAMS *given = &node->params->given.conditional;

    say(dot, "style=\"bold\" shape=\"record\" label=\"{\nCONDITIONAL\n| {ID | ");
    say_id(dot, node);
    say(dot, "}\n");
    if (cup_dot_asks(dot, HANDLES)) {
        say(dot, "| {node handle| ");
        say_handle(dot, (uintptr_t)node);
        say(dot, "}\n");
    }
    if (dot->flags & CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE) /* its own flag shows nothing */
        say(dot, "| {Conditional Handle|%llu}\n", (unsigned long long)given->handle);
    say(dot, "| {Conditional Type| %s}\n", kinds[given->type]);
    for (unsigned i = 0; i < given->size; i++) {
        unsigned body = given->phGraph_out[i]->number;
        if (given->type == CU_GRAPH_COND_TYPE_SWITCH)
            say(dot, "| {%u|  graph_%u}\n", i, body);
        else if (given->size == 1)
            say(dot, "| {True|graph_%u}\n", body);
        else
            say(dot, "| {%s| graph_%u}\n", i ? "False" : "True ", body);
    }
    say(dot, "}\n");
}

static void (*const writers[CUP_NODE_TYPE_COUNT])(const struct cup_dot *dot,
                                                  const struct CUgraphNode_st *node) = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = write_kernel,
    [CU_GRAPH_NODE_TYPE_MEMCPY] = write_memcpy,
    [CU_GRAPH_NODE_TYPE_MEMSET] = write_memset,
    [CU_GRAPH_NODE_TYPE_HOST] = write_host,
    [CU_GRAPH_NODE_TYPE_GRAPH] = write_child,
    [CU_GRAPH_NODE_TYPE_EMPTY] = write_empty,
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = write_event,
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = write_event,
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL] = write_signal,
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT] = write_wait,
    [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = write_alloc,
    [CU_GRAPH_NODE_TYPE_MEM_FREE] = write_free,
    [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = write_batch,
    [CU_GRAPH_NODE_TYPE_CONDITIONAL] = write_conditional,
};

void cup_dot_write_node_locked(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    writers[node->params->type->id](dot, node);
}
