/* SPDX-License-Identifier: MIT */
/* The calls of the runtime's fuzzer: those whose arguments can be drawn by their types, and by hand
 * those that read arrays and structures the program vouches for. Kernels are registered as compiled
 * programs do it. */
#include "runtime_calls.h"

#include "waits.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { ARRAY = 8, ARGUMENTS = 4, TARGET_BYTES = 4096, LOG_BYTES = 256 };

/* ---- Kernels ---- */

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
                            void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 4 .b32 counter;\n"
                          ".visible .entry add(.param .u64 memory, .param .u32 value)\n{\n"
                          ".reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n"
                          "ld.param.u64 %rd1, [memory];\nld.param.u32 %r1, [value];\n"
                          "ld.global.u32 %r2, [%rd1];\nadd.s32 %r3, %r2, %r1;\n"
                          "st.global.u32 [%rd1], %r3;\nret;\n}\n"
                          ".visible .entry nothing()\n{\nret;\n}\n";
static char add_stub, nothing_stub, counter_shadow[4], foreign;

static void register_kernels(void)
{
    static struct {
        int magic, version;
        const void *image, *objects;
    } wrapper = {0x466243b1, 1, ptx, NULL};
    void **handle = __cudaRegisterFatBinary(&wrapper);

    __cudaRegisterFunction(handle, &add_stub, "add", "add", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(handle, &nothing_stub, "nothing", "nothing", -1, 0, 0, 0, 0, 0);
    __cudaRegisterVar(handle, counter_shadow, "counter", "counter", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

void *draw_symbol(struct draw *draw)
{
    void *const symbols[] = {&add_stub, &nothing_stub, counter_shadow, &foreign, NULL};

    switch (draw_below(draw, 8)) {
    case 0:
        return draw_handle(draw, KIND_CUkernel);
    case 1:
        return (void *)(uintptr_t)draw_bits(draw);
    default:
        return symbols[draw_below(draw, sizeof(symbols) / sizeof(symbols[0]))];
    }
}

/* The arguments of a kernel, as many as any of them has. */
struct arguments {
    uint64_t target;
    unsigned value;
    void *places[ARGUMENTS];
};

static void draw_arguments(struct draw *draw, struct arguments *arguments)
{
    void *target = NULL;

    if (draw_below(draw, 32) && cudaMalloc(&target, TARGET_BYTES) == cudaSuccess)
        keep(draw, KIND_ADDRESS, (uintptr_t)target);
    arguments->target = (uintptr_t)target;
    arguments->value = (unsigned)draw_number(draw);
    arguments->places[0] = &arguments->target;
    for (int i = 1; i < ARGUMENTS; i++)
        arguments->places[i] = &arguments->value;
}

static dim3 draw_dimensions(struct draw *draw)
{
    dim3 dimensions = {1 + draw_below(draw, 33), 1, 1};

    if (draw_below(draw, 8) == 0)
        dimensions.y = (unsigned)draw_size(draw);
    if (draw_below(draw, 8) == 0)
        dimensions.x = (unsigned)draw_number(draw);
    return dimensions;
}

static cudaError_t launch(struct draw *draw)
{
    struct arguments arguments;
    cudaLaunchAttribute attribute = {.id = (cudaLaunchAttributeID)draw_below(draw, 20)};
    cudaLaunchConfig_t config = {draw_dimensions(draw),
                                 draw_dimensions(draw),
                                 draw_below(draw, 8) ? 0 : draw_size(draw),
                                 draw_handle(draw, KIND_CUstream),
                                 &attribute,
                                 draw_below(draw, 4) == 0};
    const void *function = draw_symbol(draw);
    int clusters;

    draw_arguments(draw, &arguments);
    attribute.val.cooperative = (int)draw_number(draw);
    if (attribute.id == cudaLaunchAttributeProgrammaticEvent ||
        attribute.id == cudaLaunchAttributeLaunchCompletionEvent)
        attribute.val.programmaticEvent.event = draw_handle(draw, KIND_CUevent);
    switch (draw_below(draw, 6)) {
    case 0:
        return cudaLaunchCooperativeKernel(function, config.gridDim, config.blockDim,
                                           arguments.places, config.dynamicSmemBytes,
                                           config.stream);
    case 1:
        return cudaLaunchKernelExC(&config, function, arguments.places);
    case 2:
        return cudaOccupancyMaxActiveClusters(&clusters, function, &config);
    case 3:
        return cudaOccupancyMaxPotentialClusterSize(&clusters, function, &config);
    default:
        return cudaLaunchKernel(function, config.gridDim, config.blockDim, arguments.places,
                                config.dynamicSmemBytes, config.stream);
    }
}

static void CUDART_CB do_on_host(void *counter)
{
    (void)counter;
    cudaDeviceSynchronize(); /* not permitted here, and must say so */
}

static cudaError_t call_host(struct draw *draw)
{
    return cudaLaunchHostFunc(draw_handle(draw, KIND_CUstream), do_on_host, NULL);
}

static cudaError_t load_library(struct draw *draw)
{
    char text[sizeof(ptx)];
    cudaLibrary_t library;
    cudaKernel_t kernel;
    cudaError_t result;

    memcpy(text, ptx, sizeof(text));
    if (draw_below(draw, 4) == 0)
        text[draw_below(draw, sizeof(text) - 1)] = (char)draw_bits(draw);
    if (draw_below(draw, 8) == 0)
        result = cudaLibraryLoadFromFile(&library, draw_string(draw), NULL, NULL, 0, NULL, NULL, 0);
    else
        result = cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0);
    if (result != cudaSuccess)
        return result;
    keep(draw, KIND_CUlibrary, (uintptr_t)library);
    result = cudaLibraryGetKernel(&kernel, library, draw_below(draw, 2) ? "add" : "nothing");
    if (result == cudaSuccess)
        keep(draw, KIND_CUkernel, (uintptr_t)kernel);
    return result;
}

/* ---- Graphs ---- */

struct node {
    struct arguments arguments;
    struct cudaKernelNodeParams kernel;
    struct cudaHostNodeParams host;
    struct cudaMemAllocNodeParams alloc;
    struct cudaMemAccessDesc access;
    cudaExternalSemaphore_t semaphores[ARRAY];
    struct cudaExternalSemaphoreSignalParams signals[ARRAY];
    struct cudaExternalSemaphoreWaitParams waits[ARRAY];
    struct cudaExternalSemaphoreSignalNodeParams signal;
    struct cudaExternalSemaphoreWaitNodeParams wait;
};

static void draw_node(struct draw *draw, struct node *node)
{
    memset(node, 0, sizeof(*node));
    draw_arguments(draw, &node->arguments);
    node->kernel.func = draw_symbol(draw);
    node->kernel.gridDim = draw_dimensions(draw);
    node->kernel.blockDim = draw_dimensions(draw);
    node->kernel.kernelParams = draw_below(draw, 16) ? node->arguments.places : NULL;
    node->host.fn = draw_below(draw, 16) ? do_on_host : NULL;
    node->alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    node->alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    node->alloc.poolProps.location.id = (int)draw_below(draw, 3);
    node->alloc.bytesize = draw_below(draw, 8) ? 1 + draw_below(draw, 1 << 16) : draw_size(draw);
    node->access.location = node->alloc.poolProps.location;
    node->access.flags = (enum cudaMemAccessFlags)draw_number(draw);
    node->alloc.accessDescs = &node->access;
    node->alloc.accessDescCount = draw_below(draw, 2);
    for (int i = 0; i < ARRAY; i++) {
        node->semaphores[i] = draw_handle(draw, KIND_CUexternalSemaphore);
        node->signals[i].params.fence.value = draw_number(draw);
        node->waits[i].params.fence.value = draw_number(draw);
    }
    node->signal.extSemArray = node->wait.extSemArray = node->semaphores;
    node->signal.paramsArray = node->signals;
    node->wait.paramsArray = node->waits;
    node->signal.numExtSems = node->wait.numExtSems = draw_below(draw, ARRAY + 1);
}

/* The same for the functions that take any node. */
static void draw_any_node(struct draw *draw, struct cudaGraphNodeParams *any, struct node *node)
{
    draw_node(draw, node);
    memset(any, 0, sizeof(*any));
    switch (draw_below(draw, 7)) {
    case 0:
        any->type = cudaGraphNodeTypeKernel;
        any->kernel.func = node->kernel.func;
        any->kernel.gridDim = node->kernel.gridDim;
        any->kernel.blockDim = node->kernel.blockDim;
        any->kernel.kernelParams = node->kernel.kernelParams;
        break;
    case 1:
        any->type = cudaGraphNodeTypeHost;
        any->host.fn = node->host.fn;
        break;
    case 2:
        any->type = cudaGraphNodeTypeEmpty;
        break;
    case 3:
        any->type = cudaGraphNodeTypeWaitEvent;
        any->eventWait.event = draw_handle(draw, KIND_CUevent);
        break;
    case 4:
        any->type = cudaGraphNodeTypeMemFree;
        any->free.dptr = (void *)(uintptr_t)draw_address(draw);
        break;
    case 5:
        any->type = cudaGraphNodeTypeMemset;
        any->memset.dst = (void *)(uintptr_t)draw_address(draw);
        any->memset.elementSize = 1u << draw_below(draw, 4);
        any->memset.width = draw_size(draw);
        any->memset.height = draw_number(draw);
        break;
    default:
        any->type = (enum cudaGraphNodeType)(14 + draw_below(draw, 8));
    }
}

static cudaError_t add_node(struct draw *draw)
{
    struct node node;
    struct cudaGraphNodeParams any;
    cudaGraph_t graph = draw_handle(draw, KIND_CUgraph);
    const cudaGraphNode_t *on = draw_handles(draw, KIND_CUgraphNode);
    size_t count = draw_below(draw, 3);
    cudaGraphNode_t added = NULL;
    cudaError_t result;

    draw_any_node(draw, &any, &node);
    switch (draw_below(draw, 6)) {
    case 0:
        result = cudaGraphAddKernelNode(&added, graph, on, count, &node.kernel);
        break;
    case 1:
        result = cudaGraphAddHostNode(&added, graph, on, count, &node.host);
        break;
    case 2:
        result = cudaGraphAddMemAllocNode(&added, graph, on, count, &node.alloc);
        if (result == cudaSuccess)
            keep(draw, KIND_ADDRESS, (uintptr_t)node.alloc.dptr);
        break;
    case 3:
        result = cudaGraphAddExternalSemaphoresSignalNode(&added, graph, on, count, &node.signal);
        break;
    case 4:
        result = cudaGraphAddExternalSemaphoresWaitNode(&added, graph, on, count, &node.wait);
        break;
    default:
        result = cudaGraphAddNode(&added, graph, on, NULL, count, &any);
    }
    if (result == cudaSuccess)
        keep(draw, KIND_CUgraphNode, (uintptr_t)added);
    return result;
}

static cudaError_t set_node(struct draw *draw)
{
    struct node node;
    struct cudaGraphNodeParams any;
    cudaGraphNode_t set = draw_handle(draw, KIND_CUgraphNode);
    cudaGraphExec_t exec = draw_handle(draw, KIND_CUgraphExec);

    draw_any_node(draw, &any, &node);
    switch (draw_below(draw, 10)) {
    case 0:
        return cudaGraphKernelNodeSetParams(set, &node.kernel);
    case 1:
        return cudaGraphExecKernelNodeSetParams(exec, set, &node.kernel);
    case 2:
        return cudaGraphHostNodeSetParams(set, &node.host);
    case 3:
        return cudaGraphExecHostNodeSetParams(exec, set, &node.host);
    case 4:
        return cudaGraphExternalSemaphoresSignalNodeSetParams(set, &node.signal);
    case 5:
        return cudaGraphExecExternalSemaphoresSignalNodeSetParams(exec, set, &node.signal);
    case 6:
        return cudaGraphExternalSemaphoresWaitNodeSetParams(set, &node.wait);
    case 7:
        return cudaGraphExecExternalSemaphoresWaitNodeSetParams(exec, set, &node.wait);
    case 8:
        return cudaGraphNodeSetParams(set, &any);
    default:
        return cudaGraphExecNodeSetParams(exec, set, &any);
    }
}

static cudaError_t list(struct draw *draw)
{
    cudaGraphNode_t from[ARRAY], to[ARRAY], *nodes = draw_below(draw, 4) ? from : NULL;
    cudaGraphEdgeData edges[ARRAY];
    cudaGraph_t graph = draw_handle(draw, KIND_CUgraph);
    cudaGraphNode_t node = draw_handle(draw, KIND_CUgraphNode);
    size_t count = draw_below(draw, ARRAY + 1);

    switch (draw_below(draw, 5)) {
    case 0:
        return cudaGraphGetNodes(graph, nodes, &count);
    case 1:
        return cudaGraphGetRootNodes(graph, nodes, &count);
    case 2:
        return cudaGraphGetEdges(graph, nodes, nodes ? to : NULL, nodes ? edges : NULL, &count);
    case 3:
        return cudaGraphNodeGetDependencies(node, nodes, nodes ? edges : NULL, &count);
    default:
        return cudaGraphNodeGetDependentNodes(node, nodes, nodes ? edges : NULL, &count);
    }
}

static cudaError_t instantiate(struct draw *draw)
{
    cudaGraphInstantiateParams parameters = {.flags = draw_below(draw, 4) ? 0 : draw_number(draw),
                                             .uploadStream = draw_handle(draw, KIND_CUstream)};
    cudaGraphExec_t exec = NULL;
    cudaError_t result =
        cudaGraphInstantiateWithParams(&exec, draw_handle(draw, KIND_CUgraph), &parameters);

    if (result == cudaSuccess)
        keep(draw, KIND_CUgraphExec, (uintptr_t)exec);
    return result;
}

static cudaError_t about_graphs(struct draw *draw)
{
    static int counter;
    cudaGraphConditionalHandle handle;
    cudaUserObject_t object;
    cudaGraph_t graph = draw_handle(draw, KIND_CUgraph);
    cudaError_t result;

    switch (draw_below(draw, 3)) {
    case 0:
        return cudaGraphDebugDotPrint(graph, draw_below(draw, 8) ? "/dev/null" : "/no/such/file",
                                      (unsigned)draw_number(draw));
    case 1:
        return cudaGraphConditionalHandleCreate(&handle, graph, 0, draw_below(draw, 3));
    default:
        result = cudaUserObjectCreate(&object, &counter, do_on_host, 1 + draw_below(draw, 3),
                                      cudaUserObjectNoDestructorSync);
        if (result == cudaSuccess)
            keep(draw, KIND_CUuserObject, (uintptr_t)object);
        return result;
    }
}

/* ---- Batches ---- */

static cudaError_t batch_copies(struct draw *draw)
{
    void *to[ARRAY];
    const void *from[ARRAY];
    size_t sizes[ARRAY], index[2] = {0, draw_below(draw, ARRAY)};
    struct cudaMemcpyAttributes attributes[2] = {
        {.srcAccessOrder = (enum cudaMemcpySrcAccessOrder)draw_number(draw)},
        {.srcAccessOrder = cudaMemcpySrcAccessOrderAny}};

    for (int i = 0; i < ARRAY; i++) {
        to[i] = (void *)(uintptr_t)draw_address(draw);
        from[i] = draw_host(draw);
        sizes[i] = draw_below(draw, 16) ? draw_below(draw, 4096) : draw_size(draw);
    }
    return cudaMemcpyBatchAsync(to, from, sizes, draw_below(draw, ARRAY + 1), attributes, index,
                                1 + draw_below(draw, 2), draw_handle(draw, KIND_CUstream));
}

static cudaError_t batch_boxes(struct draw *draw)
{
    struct cudaMemcpy3DBatchOp ops[ARRAY];
    unsigned count = draw_below(draw, 4);

    memset(ops, 0, sizeof(ops));
    for (unsigned i = 0; i < count; i++) {
        struct cudaMemcpy3DOperand *sides[] = {&ops[i].src, &ops[i].dst};

        for (int side = 0; side < 2; side++) {
            sides[side]->type = (enum cudaMemcpy3DOperandType)(1 + draw_below(draw, 2));
            if (sides[side]->type == cudaMemcpyOperandTypeArray)
                sides[side]->op.array.array = draw_handle(draw, KIND_CUarray);
            else
                sides[side]->op.ptr.ptr = (void *)(uintptr_t)draw_address(draw);
        }
        ops[i].extent.width = draw_below(draw, 8) ? draw_number(draw) : draw_size(draw);
        ops[i].extent.height = draw_number(draw);
        ops[i].extent.depth = 1 + draw_below(draw, 2);
        ops[i].srcAccessOrder = (enum cudaMemcpySrcAccessOrder)(1 + draw_below(draw, 3));
    }
    return cudaMemcpy3DBatchAsync(count, ops, draw_below(draw, 8) ? 0 : draw_number(draw),
                                  draw_handle(draw, KIND_CUstream));
}

static cudaError_t batch_ranges(struct draw *draw)
{
    void *ranges[ARRAY], *places[ARRAY];
    size_t sizes[ARRAY], index[2] = {0, 0};
    enum cudaMemRangeAttribute attributes[ARRAY];
    struct cudaMemLocation locations[2] = {{(enum cudaMemLocationType)draw_below(draw, 5), 0},
                                           {cudaMemLocationTypeHost, 0}};
    unsigned count = draw_below(draw, ARRAY + 1);
    cudaStream_t stream = draw_handle(draw, KIND_CUstream);

    for (int i = 0; i < ARRAY; i++) {
        ranges[i] = (void *)(uintptr_t)draw_address(draw);
        places[i] = draw_struct(draw);
        sizes[i] = draw_below(draw, 4096);
        attributes[i] = (enum cudaMemRangeAttribute)draw_below(draw, 10);
    }
    switch (draw_below(draw, 4)) {
    case 0:
        return cudaMemPrefetchBatchAsync(ranges, sizes, count, locations, index, 1, 0, stream);
    case 1:
        return cudaMemDiscardBatchAsync(ranges, sizes, count, 0, stream);
    case 2:
        return cudaMemDiscardAndPrefetchBatchAsync(ranges, sizes, count, locations, index, 1, 0,
                                                   stream);
    default:
        return cudaMemRangeGetAttributes(places, sizes, attributes, count, ranges[0],
                                         draw_size(draw));
    }
}

/* ---- What crosses a process, and files ---- */

static cudaError_t share_pool(struct draw *draw)
{
    struct cudaMemPoolPtrExportData data;
    cudaMemPool_t pool = draw_handle(draw, KIND_CUmemoryPool), imported;
    int fd = 100000 + (int)draw_below(draw, 100);
    void *address;
    cudaError_t result = cudaMemPoolExportToShareableHandle(
        &fd, pool, (enum cudaMemAllocationHandleType)draw_number(draw), draw_below(draw, 16) == 0);
    bool exported = result == cudaSuccess;

    result = cudaMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)fd,
                                                  cudaMemHandleTypePosixFileDescriptor, 0);
    if (result == cudaSuccess)
        keep(draw, KIND_CUmemoryPool, (uintptr_t)imported);
    if (exported)
        close(fd);
    memcpy(&data, draw_struct(draw), sizeof(data));
    cudaMemPoolExportPointer(&data, (void *)(uintptr_t)draw_address(draw));
    if (draw_below(draw, 2))
        ((char *)&data)[draw_below(draw, sizeof(data))] ^= (char)draw_bits(draw);
    result = cudaMemPoolImportPointer(&address, draw_handle(draw, KIND_CUmemoryPool), &data);
    if (result == cudaSuccess)
        keep(draw, KIND_ADDRESS, (uintptr_t)address);
    return result;
}

static cudaError_t import_semaphore(struct draw *draw)
{
    bool timeline = draw_below(draw, 2);
    struct cudaExternalSemaphoreHandleDesc file = {
        .type = timeline ? cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd
                         : cudaExternalSemaphoreHandleTypeOpaqueFd,
        .handle.fd = waits_semaphore(timeline)};
    cudaExternalSemaphore_t semaphore;
    int fd = file.handle.fd;

    if (fd < 0)
        return cudaErrorUnknown;
    cudaError_t result = cudaImportExternalSemaphore(&semaphore, &file);
    if (result == cudaSuccess)
        keep(draw, KIND_CUexternalSemaphore, (uintptr_t)semaphore);
    else
        close(fd);
    return result;
}

static cudaError_t use_semaphores(struct draw *draw)
{
    struct node node;
    cudaStream_t stream = draw_handle(draw, KIND_CUstream);

    draw_node(draw, &node);
    if (draw_below(draw, 2))
        return cudaSignalExternalSemaphoresAsync(node.semaphores, node.signals,
                                                 node.signal.numExtSems, stream);
    return cudaWaitExternalSemaphoresAsync(node.semaphores, node.waits, node.wait.numExtSems,
                                           stream);
}

static cudaError_t import_memory(struct draw *draw)
{
    struct cudaExternalMemoryHandleDesc file = {.type = cudaExternalMemoryHandleTypeOpaqueFd,
                                                .size = draw_size(draw)};
    cudaExternalMemory_t memory;

    if (draw_below(draw, 8) == 0)
        file.type = (enum cudaExternalMemoryHandleType)draw_number(draw);
    file.handle.fd = draw_below(draw, 2) ? open("/dev/zero", O_RDONLY | O_CLOEXEC) : 100000;
    cudaError_t result = cudaImportExternalMemory(&memory, &file);
    if (result == cudaSuccess)
        keep(draw, KIND_CUexternalMemory, (uintptr_t)memory);
    else if (file.handle.fd < 100000)
        close(file.handle.fd);
    return result;
}

static cudaError_t dump_logs(struct draw *draw)
{
    char buffer[LOG_BYTES];
    size_t size = draw_below(draw, LOG_BYTES + 1);
    cudaLogIterator position = (cudaLogIterator)draw_number(draw);

    if (draw_below(draw, 2))
        return cudaLogsDumpToFile(&position, draw_below(draw, 4) ? "/dev/null" : "/no/such/file",
                                  draw_below(draw, 2));
    return cudaLogsDumpToMemory(draw_below(draw, 2) ? &position : NULL,
                                draw_below(draw, 8) ? buffer : NULL, &size, 0);
}

/* ---- The list ---- */

#include "fuzz_runtime_calls.h"

static const struct own {
    const char *name;
    cudaError_t (*call)(struct draw *draw);
} own[] = {
    {"launch", launch},
    {"launch", launch},
    {"call host", call_host},
    {"load library", load_library},
    {"add node", add_node},
    {"add node", add_node},
    {"set node", set_node},
    {"list", list},
    {"instantiate", instantiate},
    {"about graphs", about_graphs},
    {"batch of copies", batch_copies},
    {"batch of boxes", batch_boxes},
    {"batch of ranges", batch_ranges},
    {"share pool", share_pool},
    {"import semaphore", import_semaphore},
    {"use semaphores", use_semaphores},
    {"import memory", import_memory},
    {"dump logs", dump_logs},
};

enum {
    OWN = sizeof(own) / sizeof(own[0]),
    GENERATED = sizeof(generated_calls) / sizeof(generated_calls[0]),
};

/* One of those made by hand, as a call of the harness. */
static CUresult call_own(struct draw *draw)
{
    return (CUresult)own[draw_below(draw, OWN)].call(draw);
}

const struct call *call_draw(struct draw *draw)
{
    static const struct call by_hand = {"by hand", call_own};

    return draw_below(draw, 4) ? &generated_calls[draw_below(draw, GENERATED)] : &by_hand;
}

unsigned call_count(void)
{
    return GENERATED + CALLED_BY_HAND;
}

void calls_begin_program(void)
{
    register_kernels();
}

void calls_begin_thread(bool has_gl)
{
    (void)has_gl;
}
