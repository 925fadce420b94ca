// SPDX-License-Identifier: MIT
// A capture that replaces the parameters of an existing graph. The callback sees the runtime's
// parameters, the old and the new ones.
#include "check.h"
#include <cuda_runtime.h>

struct Seen {
    int calls;
    cudaError_t answer;
    unsigned before, after;
};

static cudaError_t callback(void *data, cudaGraphNode_t node, const cudaGraphNodeParams *original,
                            const cudaGraphNodeParams *replaced, cudaGraphRecaptureStatus status)
{
    Seen *seen = (Seen *)data;

    CHECK(node && original->type == cudaGraphNodeTypeMemset && replaced->type == original->type);
    CHECK(status == cudaGraphRecaptureEligibleForUpdate);
    seen->calls++;
    seen->before = original->memset.value;
    seen->after = replaced->memset.value;
    return seen->answer;
}

static cudaError_t recapture(cudaStream_t stream, cudaGraph_t graph, char *memory, int value,
                             cudaGraphRecaptureCallbackData *data)
{
    cudaGraph_t same = nullptr;
    cudaError_t fill, end;

    CHECK_CUDA(
        cudaStreamBeginRecaptureToGraph(stream, cudaStreamCaptureModeThreadLocal, graph, data));
    fill = cudaMemsetAsync(memory, value, 4, stream);
    end = cudaStreamEndCapture(stream, &same);
    CHECK(end != cudaSuccess || same == graph);
    return fill != cudaSuccess ? fill : end;
}

static char launch(cudaStream_t stream, cudaGraph_t graph, char *memory)
{
    cudaGraphExec_t exec;
    char value = 0;

    CHECK_CUDA(cudaGraphInstantiate(&exec, graph));
    CHECK_CUDA(cudaGraphLaunch(exec, stream));
    CHECK_CUDA(cudaMemcpyAsync(&value, memory, 1, cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK_CUDA(cudaGraphExecDestroy(exec));
    return value;
}

int main()
{
    Seen seen = {0, cudaSuccess, 0, 0};
    cudaGraphRecaptureCallbackData data = {callback, &seen};
    cudaStream_t stream;
    cudaGraph_t graph;
    char *memory;

    CHECK_CUDA(cudaStreamCreate(&stream));
    CHECK_CUDA(cudaMalloc(&memory, 4));
    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK_CUDA(cudaMemsetAsync(memory, 1, 4, stream));
    CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
    CHECK(launch(stream, graph, memory) == 1);

    CHECK_CUDA(recapture(stream, graph, memory, 2, &data));
    CHECK(seen.calls == 1 && seen.before == 1 && seen.after == 2);
    CHECK(launch(stream, graph, memory) == 2);
    CHECK_CUDA(recapture(stream, graph, memory, 3, nullptr));
    CHECK(seen.calls == 1 && launch(stream, graph, memory) == 3);

    seen.answer = cudaErrorUnknown;
    CHECK(recapture(stream, graph, memory, 4, &data) != cudaSuccess);
    CHECK(seen.calls == 2);
    CHECK_CUDA(cudaGraphDestroy(graph));
    CHECK(cudaStreamBeginRecaptureToGraph(stream, cudaStreamCaptureModeRelaxed, nullptr, &data) !=
          cudaSuccess);
    return 0;
}
