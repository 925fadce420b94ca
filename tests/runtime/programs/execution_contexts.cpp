// SPDX-License-Identifier: MIT
// Execution contexts: green contexts and the primary context by handle, with streams, events and
// nodes of graphs in them. The context that is current stays the same.
#include "check.h"
#include <cuda_runtime.h>
#include <initializer_list>

static cudaDevResource all_sms, half_sms;

static void split_device()
{
    cudaDevResource rest;
    unsigned groups = 1;

    CHECK_CUDA(cudaDeviceGetDevResource(0, &all_sms, cudaDevResourceTypeSm));
    CHECK(all_sms.type == cudaDevResourceTypeSm && all_sms.sm.smCount >= 16);
    CHECK_CUDA(cudaDevSmResourceSplitByCount(&half_sms, &groups, &all_sms, &rest, 0,
                                             all_sms.sm.smCount / 2));
    CHECK(groups == 1 && half_sms.sm.smCount >= all_sms.sm.smCount / 2);
    CHECK(half_sms.sm.smCount + rest.sm.smCount == all_sms.sm.smCount);
    CHECK(cudaDeviceGetDevResource(99, &all_sms, cudaDevResourceTypeSm) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceGetDevResource(0, nullptr, cudaDevResourceTypeSm) == cudaErrorInvalidValue);
}

static cudaExecutionContext_t create_green()
{
    cudaDevResourceDesc_t desc = nullptr;
    cudaExecutionContext_t green = nullptr, none = nullptr;

    CHECK_CUDA(cudaDevResourceGenerateDesc(&desc, &half_sms, 1));
    CHECK(cudaGreenCtxCreate(&none, desc, 99, 0) == cudaErrorInvalidDevice);
    CHECK(cudaGreenCtxCreate(&none, desc, 0, 1) == cudaErrorInvalidValue);
    CHECK(cudaGreenCtxCreate(nullptr, desc, 0, 0) == cudaErrorInvalidValue);
    CHECK(cudaGreenCtxCreate(&none, nullptr, 0, 0) != cudaSuccess && !none);
    CHECK_CUDA(cudaGreenCtxCreate(&green, desc, 0, 0));
    return green;
}

static void check_queries(cudaExecutionContext_t green, cudaExecutionContext_t primary)
{
    cudaDevResource resource;
    unsigned long long ids[2] = {0, 0};
    int device = -1;

    CHECK_CUDA(cudaExecutionCtxGetDevResource(green, &resource, cudaDevResourceTypeSm));
    CHECK(resource.sm.smCount == half_sms.sm.smCount);
    CHECK_CUDA(cudaExecutionCtxGetDevResource(primary, &resource, cudaDevResourceTypeSm));
    CHECK(resource.sm.smCount == all_sms.sm.smCount);
    CHECK_CUDA(cudaExecutionCtxGetId(green, &ids[0]));
    CHECK_CUDA(cudaExecutionCtxGetId(primary, &ids[1]));
    CHECK(ids[0] != ids[1]);
    for (cudaExecutionContext_t each : {green, primary}) {
        CHECK_CUDA(cudaExecutionCtxGetDevice(&device, each));
        CHECK(device == 0);
    }
}

static void check_null()
{
    cudaDevResource resource;
    cudaStream_t stream;
    cudaEvent_t event;
    unsigned long long id;
    int device;

    CHECK_CUDA(cudaEventCreate(&event));
    CHECK(cudaExecutionCtxDestroy(nullptr) == cudaErrorInvalidValue);
    CHECK(cudaExecutionCtxGetDevResource(nullptr, &resource, cudaDevResourceTypeSm) ==
          cudaErrorInvalidValue);
    CHECK(cudaExecutionCtxGetDevice(&device, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaExecutionCtxGetId(nullptr, &id) == cudaErrorInvalidValue);
    CHECK(cudaExecutionCtxStreamCreate(&stream, nullptr, 0, 0) == cudaErrorInvalidValue);
    CHECK(cudaExecutionCtxSynchronize(nullptr) == cudaErrorInvalidValue);
    CHECK(cudaExecutionCtxRecordEvent(nullptr, event) == cudaErrorInvalidValue);
    CHECK(cudaExecutionCtxWaitEvent(nullptr, event) == cudaErrorInvalidValue);
    CHECK_CUDA(cudaEventDestroy(event));
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

// Work in a stream of the context; `blocking` is what flag 0 means there.
static void check_stream(cudaExecutionContext_t context, bool blocking)
{
    cudaStream_t stream, concurrent;
    cudaEvent_t event;
    unsigned flags = 99;
    int *memory, value = 0;

    CHECK(cudaExecutionCtxStreamCreate(&stream, context, 2, 0) == cudaErrorInvalidValue);
    CHECK_CUDA(cudaExecutionCtxStreamCreate(&stream, context, cudaStreamDefault, 0));
    CHECK_CUDA(cudaStreamGetFlags(stream, &flags));
    CHECK(flags == (blocking ? cudaStreamDefault : cudaStreamNonBlocking));
    CHECK_CUDA(cudaExecutionCtxStreamCreate(&concurrent, context, cudaStreamNonBlocking, -1));
    CHECK_CUDA(cudaStreamGetFlags(concurrent, &flags));
    CHECK(flags == cudaStreamNonBlocking);

    CHECK_CUDA(cudaEventCreate(&event));
    CHECK_CUDA(cudaMalloc(&memory, sizeof *memory));
    CHECK_CUDA(cudaMemsetAsync(memory, 1, sizeof *memory, stream));
    CHECK_CUDA(cudaExecutionCtxRecordEvent(context, event));
    CHECK_CUDA(cudaExecutionCtxWaitEvent(context, event));
    CHECK_CUDA(cudaMemcpyAsync(&value, memory, sizeof value, cudaMemcpyDeviceToHost, concurrent));
    CHECK_CUDA(cudaExecutionCtxSynchronize(context));
    CHECK(value == 0x01010101);
    CHECK_CUDA(cudaEventQuery(event));
    CHECK_CUDA(cudaEventDestroy(event));
    CHECK_CUDA(cudaFree(memory));
    CHECK_CUDA(cudaStreamDestroy(stream));
    CHECK_CUDA(cudaStreamDestroy(concurrent));
}

// Nodes that name their context, NULL or not, and the handle of a condition.
static void check_nodes(cudaExecutionContext_t context)
{
    cudaGraphConditionalHandle handle = 0;
    cudaGraphNodeParams fill = {}, copy = {};
    cudaGraphNode_t first, second;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    int *memory, value = 0;

    CHECK_CUDA(cudaMalloc(&memory, sizeof *memory));
    CHECK_CUDA(cudaGraphCreate(&graph));
    CHECK_CUDA(cudaGraphConditionalHandleCreate_v2(&handle, graph, context, 1, 0));
    CHECK(cudaGraphConditionalHandleCreate_v2(nullptr, graph, context) == cudaErrorInvalidValue);
    CHECK_CUDA(cudaGraphDestroy(graph));

    fill.type = cudaGraphNodeTypeMemset;
    fill.memset.dst = memory;
    fill.memset.value = 7;
    fill.memset.elementSize = 4;
    fill.memset.width = fill.memset.height = 1;
    fill.memset.ctx = context;
    copy.type = cudaGraphNodeTypeMemcpy;
    copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(memory, 4, 4, 1);
    copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(&value, 4, 4, 1);
    copy.memcpy.copyParams.extent = make_cudaExtent(4, 1, 1);
    copy.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    copy.memcpy.ctx = context;
    CHECK_CUDA(cudaGraphCreate(&graph));
    CHECK_CUDA(cudaGraphAddNode(&first, graph, nullptr, nullptr, 0, &fill));
    CHECK_CUDA(cudaGraphAddNode(&second, graph, &first, nullptr, 1, &copy));
    CHECK_CUDA(cudaGraphInstantiate(&exec, graph));
    CHECK_CUDA(cudaGraphLaunch(exec, nullptr));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(value == 7);
    CHECK_CUDA(cudaGraphExecDestroy(exec));
    CHECK_CUDA(cudaGraphDestroy(graph));
    CHECK_CUDA(cudaFree(memory));
}

// The last device by its handle; the thread stays with the first.
static void check_device(int device)
{
    cudaExecutionContext_t context;
    cudaDevResourceDesc_t desc;
    cudaDevResource sms;
    cudaStream_t stream;
    int found = -1;

    CHECK_CUDA(cudaSetDevice(0));
    CHECK_CUDA(cudaDeviceGetDevResource(device, &sms, cudaDevResourceTypeSm));
    CHECK_CUDA(cudaDevResourceGenerateDesc(&desc, &sms, 1));
    for (bool green : {false, true}) {
        CHECK_CUDA(green ? cudaGreenCtxCreate(&context, desc, device, 0)
                         : cudaDeviceGetExecutionCtx(&context, device));
        CHECK_CUDA(cudaExecutionCtxGetDevice(&found, context));
        CHECK(found == device);
        CHECK_CUDA(cudaExecutionCtxStreamCreate(&stream, context, cudaStreamNonBlocking, 0));
        CHECK_CUDA(cudaStreamGetDevice(stream, &found));
        CHECK(found == device);
        CHECK_CUDA(cudaStreamDestroy(stream));
        CHECK_CUDA(cudaExecutionCtxSynchronize(context));
        CHECK_CUDA(cudaGetDevice(&found));
        CHECK(found == 0);
        if (green)
            CHECK_CUDA(cudaExecutionCtxDestroy(context));
    }
}

int main()
{
    cudaExecutionContext_t green, primary = nullptr, again = nullptr;
    int count;

    split_device();
    CHECK(cudaDeviceGetExecutionCtx(&primary, 99) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceGetExecutionCtx(nullptr, 0) == cudaErrorInvalidValue);
    CHECK_CUDA(cudaDeviceGetExecutionCtx(&primary, 0));
    CHECK_CUDA(cudaDeviceGetExecutionCtx(&again, 0));
    CHECK(primary && primary == again);
    green = create_green();
    CHECK(green && green != primary);
    check_queries(green, primary);
    check_null();
    check_stream(green, false);
    check_stream(primary, true);
    check_nodes(green);
    check_nodes(primary);
    check_nodes(nullptr);
    CHECK(cudaExecutionCtxDestroy(primary) == cudaErrorInvalidValue);
    CHECK_CUDA(cudaExecutionCtxDestroy(green));
    CHECK(cudaExecutionCtxDestroy(green) == cudaErrorInvalidValue);
    CHECK_CUDA(cudaGetDeviceCount(&count));
    check_device(count - 1);
    return 0;
}
