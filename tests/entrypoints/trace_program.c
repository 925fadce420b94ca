/* SPDX-License-Identifier: MIT */
/* Calls a little of everything for check_trace.py to find in the trace, and leaves without cleaning
 * up. With the argument "kill" it ends by a signal, with "graph" it launches one, with "structures"
 * it passes descriptors of all shapes, some of which calls refuse. */
#include <cuda.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void need(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: result %d\n", what, (int)result);
    exit(3);
}

static void *second_thread(void *context)
{
    need(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    return NULL;
}

/* A child writes nothing into the file of its parent. */
static void run_child(void)
{
    pid_t child = fork();
    int version;

    if (child == 0) {
        cuDriverGetVersion(&version);
        exit(0);
    }
    waitpid(child, NULL, 0);
}

static void use_memory(void)
{
    static char data[4096];
    CUdeviceptr pointer = 0, nothing;

    need(cuMemAlloc(&pointer, sizeof data), "cuMemAlloc");
    cuMemAlloc(&nothing, 0);
    need(cuMemcpyHtoD(pointer, data, sizeof data), "cuMemcpyHtoD");
    need(cuMemcpyDtoH(data, pointer, sizeof data), "cuMemcpyDtoH");
}

static pthread_barrier_t meeting;

static void CUDA_CB meet(void *argument)
{
    (void)argument;
    pthread_barrier_wait(&meeting);
}

/* Two host functions that wait for each other, and so run at once, and a memset behind them. */
static void launch_graph(CUcontext context, CUstream stream)
{
    CUDA_HOST_NODE_PARAMS host = {.fn = meet};
    CUDA_MEMSET_NODE_PARAMS fill = {.elementSize = 1, .width = 64, .height = 1};
    CUgraphNode before[2], last;
    CUgraphExec executable;
    CUgraph graph;

    pthread_barrier_init(&meeting, NULL, 2);
    need(cuMemAlloc(&fill.dst, 64), "cuMemAlloc");
    need(cuGraphCreate(&graph, 0), "cuGraphCreate");
    need(cuGraphAddHostNode(&before[0], graph, NULL, 0, &host), "cuGraphAddHostNode");
    need(cuGraphAddHostNode(&before[1], graph, NULL, 0, &host), "cuGraphAddHostNode");
    need(cuGraphAddMemsetNode(&last, graph, before, 2, &fill, context), "cuGraphAddMemsetNode");
    need(cuGraphInstantiate(&executable, graph, 0), "cuGraphInstantiate");
    need(cuGraphLaunch(executable, stream), "cuGraphLaunch");
    need(cuStreamSynchronize(stream), "cuStreamSynchronize");
}

/* Calls without a function or a context fail before they read anything: pointers may lead nowhere.
 */
static void refuse_structures(CUcontext context)
{
    void *nowhere = (void *)16;
    CUlaunchConfig config = {.gridDimX = 7, .attrs = nowhere, .numAttrs = 1};
    CUlaunchAttribute attributes[20] = {
        {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {2, 3, 4}},
        {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY, .value.priority = -5}};
    CUarray array;
    int count;

    cuCtxSetCurrent(NULL);
    cuOccupancyMaxActiveClusters(&count, NULL, &config);
    config.attrs = attributes;
    config.numAttrs = 2;
    cuOccupancyMaxActiveClusters(&count, NULL, &config);
    config.numAttrs = 20;
    cuOccupancyMaxActiveClusters(&count, NULL, &config);
    cuArray3DCreate(&array, nowhere);
    cuCtxSetCurrent(context);
}

static void use_arrays(void)
{
    CUDA_ARRAY3D_DESCRIPTOR shape = {
        .Width = 32, .Height = 16, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUDA_ARRAY3D_DESCRIPTOR answer;
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC texture = {.filterMode = CU_TR_FILTER_MODE_LINEAR, .borderColor = {0.5f}};
    CUtexObject object;
    CUarray array;

    need(cuArray3DCreate(&array, &shape), "cuArray3DCreate");
    need(cuArray3DGetDescriptor(&answer, array), "cuArray3DGetDescriptor");
    resource.res.array.hArray = array;
    need(cuTexObjectCreate(&object, &resource, &texture, NULL), "cuTexObjectCreate");
    resource.resType = (CUresourcetype)77;
    cuTexObjectCreate(&object, &resource, &texture, NULL);
}

static void use_structures(CUcontext context, CUstream stream)
{
    CUmemPoolProps pool_properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUstreamBatchMemOpParams operations[3] = {
        {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .value = 41}},
        {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64, .value64 = 42}},
        {.atomicReduction = {.operation = CU_STREAM_MEM_OP_ATOMIC_REDUCTION,
                             .reductionOp = CU_STREAM_ATOMIC_REDUCTION_OP_OR,
                             .dataType = CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64,
                             .value = 43}}};
    CUgraphNodeParams node_parameters = {
        .type = CU_GRAPH_NODE_TYPE_HOST,
        .host = {.fn = meet, .syncMode = CU_HOST_TASK_SPINWAIT, .ctx = context}};
    CUstreamAttrValue policy = {.syncPolicy = CU_SYNC_POLICY_YIELD};
    CUgraphNode node;
    CUgraph graph;
    CUmemoryPool pool;

    refuse_structures(context);
    use_arrays();
    need(cuMemPoolCreate(&pool, &pool_properties), "cuMemPoolCreate");
    need(cuMemAlloc(&operations[0].writeValue.address, 64), "cuMemAlloc");
    operations[1].writeValue.address = operations[0].writeValue.address + 8;
    operations[2].atomicReduction.address = operations[1].writeValue.address;
    need(cuStreamBatchMemOp(stream, 3, operations, 0), "cuStreamBatchMemOp");
    need(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &policy),
         "cuStreamSetAttribute");
    need(cuGraphCreate(&graph, 0), "cuGraphCreate");
    need(cuGraphAddNode(&node, graph, NULL, NULL, 0, &node_parameters), "cuGraphAddNode");
    need(cuGraphNodeGetParams(node, &node_parameters), "cuGraphNodeGetParams");
}

int main(int argc, char **argv)
{
    CUdriverProcAddressQueryResult status;
    CUcontext context;
    CUstream stream;
    CUdevice device;
    pthread_t thread;
    void *entry;

    need(cuInit(0), "cuInit");
    need(cuDeviceGet(&device, 0), "cuDeviceGet");
    need(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    need(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    need(cuGetProcAddress("cuNo\"Such\n", &entry, CUDA_VERSION, 0, &status), "cuGetProcAddress");
    need(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    use_memory();
    need(cuStreamSynchronize(stream), "cuStreamSynchronize");
    pthread_create(&thread, NULL, second_thread, context);
    pthread_join(thread, NULL);
    run_child();
    if (argc > 1 && strcmp(argv[1], "graph") == 0)
        launch_graph(context, stream);
    if (argc > 1 && strcmp(argv[1], "structures") == 0)
        use_structures(context, stream);
    if (argc > 1 && strcmp(argv[1], "kill") == 0) {
        usleep(300000);
        cuCtxSynchronize();
        raise(SIGKILL);
    }
    return 0;
}
