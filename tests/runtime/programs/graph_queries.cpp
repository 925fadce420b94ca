// SPDX-License-Identifier: MIT
// What graphs and nodes answer about themselves: numbers, the graph around a node, parameters.
#include "check.h"
#include "ptx_kernels.h"
#include <cstring>
#include <cuda_runtime.h>

static void host_function(void *)
{
}

static void check_numbers()
{
    cudaGraphNode_t nodes[2], inner;
    unsigned ids[2], graphs[3];
    unsigned long long tools[2];
    cudaGraph_t graph, other, child, containing = nullptr;
    cudaGraphExec_t exec;

    CHECK_CUDA(cudaGraphCreate(&graph, 0));
    CHECK_CUDA(cudaGraphCreate(&other, 0));
    CHECK_CUDA(cudaGraphGetId(graph, &graphs[0]));
    CHECK_CUDA(cudaGraphGetId(other, &graphs[1]));
    CHECK(graphs[0] != graphs[1]);
    CHECK_CUDA(cudaGraphAddEmptyNode(&inner, other, nullptr, 0));
    CHECK_CUDA(cudaGraphAddEmptyNode(&nodes[0], graph, nullptr, 0));
    CHECK_CUDA(cudaGraphAddChildGraphNode(&nodes[1], graph, nodes, 1, other));
    for (int i = 0; i < 2; i++) {
        CHECK_CUDA(cudaGraphNodeGetLocalId(nodes[i], &ids[i]));
        CHECK_CUDA(cudaGraphNodeGetToolsId(nodes[i], &tools[i]));
        CHECK_CUDA(cudaGraphNodeGetContainingGraph(nodes[i], &containing));
        CHECK(containing == graph);
    }
    CHECK(ids[0] != ids[1] && tools[0] != tools[1]);
    CHECK_CUDA(cudaGraphChildGraphNodeGetGraph(nodes[1], &child));
    CHECK_CUDA(cudaGraphNodeGetContainingGraph(inner, &containing));
    CHECK(containing == other && child != other);
    CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CHECK_CUDA(cudaGraphExecGetId(exec, &graphs[2]));
    CHECK(cudaGraphExecGetId(exec, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaGraphGetId(graph, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaGraphNodeGetLocalId(nodes[0], nullptr) == cudaErrorInvalidValue);
    CHECK_CUDA(cudaGraphExecDestroy(exec));
    CHECK_CUDA(cudaGraphDestroy(graph));
    CHECK_CUDA(cudaGraphDestroy(other));
}

// Adds a node and gives its parameters as the runtime reads them back.
static cudaGraphNodeParams read_back(cudaGraph_t graph, cudaGraphNodeParams *params)
{
    cudaGraphNodeParams found = {};
    cudaGraphNode_t node;

    std::memset((void *)&found, 0xee, sizeof found);
    CHECK_CUDA(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, params));
    CHECK_CUDA(cudaGraphNodeGetParams(node, &found));
    CHECK(found.type == params->type && found.reserved2 == 0);
    return found;
}

static void check_kernels(cudaGraph_t graph)
{
    cudaKernel_t kernel = kernel_by_name("add");
    cudaFunction_t function;
    cudaGraphNodeParams params = {}, found = {};
    int *memory = nullptr, value = 3;
    void *arguments[] = {&memory, &value};

    CHECK_CUDA(cudaGetFuncBySymbol(&function, &add_entry));
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.gridDim = dim3(2, 3, 4);
    params.kernel.blockDim = dim3(5, 6, 7);
    params.kernel.kernelParams = arguments;
    params.kernel.func = &add_entry;
    params.kernel.functionType = cudaKernelFunctionTypeDeviceEntry;
    found = read_back(graph, &params);
    CHECK(found.kernel.func == &add_entry);
    CHECK(found.kernel.functionType == cudaKernelFunctionTypeDeviceEntry);
    CHECK(found.kernel.gridDim.z == 4 && found.kernel.blockDim.y == 6);
    CHECK(*(int *)found.kernel.kernelParams[1] == 3);
    params.kernel.functionType = cudaKernelFunctionTypeUnspecified;
    CHECK(read_back(graph, &params).kernel.func == &add_entry);

    params.kernel.kern = kernel;
    params.kernel.functionType = cudaKernelFunctionTypeKernel;
    found = read_back(graph, &params);
    CHECK(found.kernel.kern == kernel);
    CHECK(found.kernel.functionType == cudaKernelFunctionTypeKernel);
    params.kernel.cuFunc = function;
    params.kernel.functionType = cudaKernelFunctionTypeFunction;
    found = read_back(graph, &params);
    CHECK(found.kernel.functionType != cudaKernelFunctionTypeUnspecified && found.kernel.func);
}

static void check_other_nodes(cudaGraph_t graph)
{
    cudaGraphNodeParams params = {}, found = {};
    cudaExecutionContext_t primary;
    cudaEvent_t event;
    char *memory, text[8];

    CHECK_CUDA(cudaMalloc(&memory, 64));
    CHECK_CUDA(cudaEventCreate(&event));
    CHECK_CUDA(cudaDeviceGetExecutionCtx(&primary, 0));
    params.type = cudaGraphNodeTypeMemset;
    params.memset.dst = memory;
    params.memset.value = 9;
    params.memset.elementSize = 2;
    params.memset.width = 5;
    params.memset.height = 1;
    found = read_back(graph, &params);
    CHECK(found.memset.dst == memory && found.memset.value == 9 && found.memset.width == 5);
    CHECK(found.memset.elementSize == 2 && found.memset.ctx == primary);

    params = cudaGraphNodeParams{};
    params.type = cudaGraphNodeTypeMemcpy;
    params.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(memory, 8, 8, 1);
    params.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(text, 8, 8, 1);
    params.memcpy.copyParams.extent = make_cudaExtent(8, 1, 1);
    params.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    found = read_back(graph, &params);
    CHECK(found.memcpy.copyParams.srcPtr.ptr == memory && found.memcpy.ctx == primary);
    CHECK(found.memcpy.copyParams.dstPtr.ptr == text && found.memcpy.copyParams.extent.width == 8);

    params = cudaGraphNodeParams{};
    params.type = cudaGraphNodeTypeHost;
    params.host.fn = host_function;
    params.host.userData = text;
    params.host.syncMode = cudaHostTaskSpinWait;
    found = read_back(graph, &params);
    CHECK(found.host.fn == host_function && found.host.userData == text);
    CHECK(found.host.syncMode == cudaHostTaskSpinWait);

    params = cudaGraphNodeParams{};
    params.type = cudaGraphNodeTypeEventRecord;
    params.eventRecord.event = event;
    CHECK(read_back(graph, &params).eventRecord.event == event);
    CHECK_CUDA(cudaEventDestroy(event));
    CHECK_CUDA(cudaFree(memory));
}

int main()
{
    cudaGraphNodeParams params = {};
    cudaGraphNode_t node;
    cudaGraph_t graph;

    load_kernels();
    check_numbers();
    CHECK_CUDA(cudaGraphCreate(&graph));
    CHECK_CUDA(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    CHECK(cudaGraphNodeGetParams(node, nullptr) == cudaErrorInvalidValue);
    CHECK_CUDA(cudaGraphNodeGetParams(node, &params));
    CHECK(params.type == cudaGraphNodeTypeEmpty);
    check_kernels(graph);
    check_other_nodes(graph);
    return 0;
}
