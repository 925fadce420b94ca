/* SPDX-License-Identifier: MIT */
/* Graphs run: operations in any order, virtual tensors, values, streams and graphs of CUDA. Shapes
 * and layouts are ones for which NVIDIA's library has no engine, so most run on cupipe alone. */
#include "graph_test.h"

#include <math.h>

enum { COUNT = 24 };

static void fill(float *values, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = (float)(i * 7 % 11) - 4.5F;
}

static descriptor plain(int64_t uid, int flags)
{
    return tensor(uid, CUDNN_DATA_FLOAT, flags, 1, 2, 3, 4);
}

/* y = relu(x + b): two operations, given in the wrong order. */
static void make_chain(descriptor operations[2])
{
    descriptor x = plain(1, REAL), b = tensor(2, CUDNN_DATA_FLOAT, REAL, 1, 2, 1, 1);
    descriptor sum = plain(3, VIRTUAL), y = plain(4, REAL);

    operations[1] = pointwise(CUDNN_POINTWISE_ADD, x, b, sum);
    operations[0] = pointwise(CUDNN_POINTWISE_RELU_FWD, sum, NULL, y);
    check_done(cudnnBackendDestroyDescriptor(x));
    check_done(cudnnBackendDestroyDescriptor(sum));
}

static const int64_t chain_uids[3] = {4, 2, 1};

static void check_chain(const float *x, const float *b, const void *y)
{
    float got[COUNT];

    fetch(got, y, sizeof(got));
    for (int i = 0; i < COUNT; i++)
        check(got[i] == fmaxf(x[i] + b[i / 12], 0));
}

TEST(operations_run_in_the_order_of_their_tensors)
{
    cudnnHandle_t handle = open_handle();
    float x[COUNT], b[2] = {1, -2};
    descriptor operations[2];
    void *pointers[3];

    only_cupipe();
    fill(x, COUNT);
    make_chain(operations);
    pointers[2] = device_memory(sizeof(x), x);
    pointers[1] = device_memory(sizeof(b), b);
    pointers[0] = device_memory(sizeof(x), NULL);
    run_graph(handle, 2, operations, 3, chain_uids, pointers);
    check_chain(x, b, pointers[0]);
}

TEST(values_are_read_when_the_plan_is_executed)
{
    cudnnHandle_t handle = open_handle();
    descriptor operation, graph, plan, pack;
    int64_t uids[3] = {1, 2, 3};
    float x[COUNT], got[COUNT], factor = 3;
    void *pointers[3];

    only_cupipe();
    fill(x, COUNT);
    operation = pointwise(CUDNN_POINTWISE_MUL, plain(1, REAL),
                          tensor(2, CUDNN_DATA_FLOAT, BY_VALUE, 1, 1, 1, 1), plain(3, REAL));
    graph = graph_of(handle, 1, &operation);
    check_done(cudnnBackendFinalize(graph));
    plan = plan_of(handle, graph);
    pointers[0] = device_memory(sizeof(x), x);
    pointers[1] = &factor;
    pointers[2] = device_memory(sizeof(x), NULL);
    pack = pack_of(3, uids, pointers);
    check_done(cudnnBackendExecute(handle, plan, pack));
    factor = 100;
    check_success(cuCtxSynchronize());
    fetch(got, pointers[2], sizeof(got));
    for (int i = 0; i < COUNT; i++)
        check(got[i] == 3 * x[i]);
}

TEST(a_plan_is_captured_and_launched_again)
{
    cudnnHandle_t handle = open_handle();
    float x[COUNT], b[2] = {1, -2};
    descriptor operations[2], graph, plan, pack;
    CUgraphExec exec;
    CUgraph captured;
    CUstream stream;
    void *pointers[3];

    only_cupipe();
    fill(x, COUNT);
    make_chain(operations);
    pointers[2] = device_memory(sizeof(x), NULL);
    pointers[1] = device_memory(sizeof(b), b);
    pointers[0] = device_memory(sizeof(x), NULL);
    graph = graph_of(handle, 2, operations);
    check_done(cudnnBackendFinalize(graph));
    plan = plan_of(handle, graph);
    pack = pack_of(3, chain_uids, pointers);
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_done(cudnnSetStream(handle, (cudaStream_t)stream));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    check_done(cudnnBackendExecute(handle, plan, pack));
    check_success(cuStreamEndCapture(stream, &captured));
    check_done(cudnnBackendDestroyDescriptor(plan));
    check_done(cudnnBackendDestroyDescriptor(graph));
    check_success(cuGraphInstantiate(&exec, captured, 0));
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < COUNT; k++)
            x[k] += 1;
        check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)pointers[2], x, sizeof(x)));
        check_success(cuGraphLaunch(exec, stream));
        check_success(cuStreamSynchronize(stream));
        check_chain(x, b, pointers[0]);
    }
}

TEST(a_graph_of_cuda_is_populated_and_updated)
{
    cudnnHandle_t handle = open_handle();
    float x[COUNT], b[2] = {1, -2};
    descriptor operations[2], graph, plan;
    void *pointers[3];
    CUgraphExec exec;
    CUgraph nodes;

    only_cupipe();
    fill(x, COUNT);
    make_chain(operations);
    pointers[2] = device_memory(sizeof(x), x);
    pointers[1] = device_memory(sizeof(b), b);
    pointers[0] = device_memory(sizeof(x), NULL);
    graph = graph_of(handle, 2, operations);
    check_done(cudnnBackendFinalize(graph));
    plan = plan_of(handle, graph);
    check_success(cuGraphCreate(&nodes, 0));
    check_done(cudnnBackendPopulateCudaGraph(handle, plan, pack_of(3, chain_uids, pointers),
                                             (cudaGraph_t)nodes));
    check_success(cuGraphInstantiate(&exec, nodes, 0));
    check_success(cuGraphLaunch(exec, NULL));
    check_success(cuCtxSynchronize());
    check_chain(x, b, pointers[0]);
    pointers[0] = device_memory(sizeof(x), NULL);
    check_done(cudnnBackendUpdateCudaGraph(handle, plan, pack_of(3, chain_uids, pointers),
                                           (cudaGraph_t)nodes));
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphInstantiate(&exec, nodes, 0));
    check_success(cuGraphLaunch(exec, NULL));
    check_success(cuCtxSynchronize());
    check_chain(x, b, pointers[0]);
}

TEST(a_plan_is_written_and_read)
{
    cudnnHandle_t handle = open_handle();
    float x[COUNT], b[2] = {1, -2};
    descriptor operations[2], graph, plan, read, broken;
    static char text[1 << 16];
    void *pointers[3];
    int64_t bytes = 0;

    only_cupipe();
    fill(x, COUNT);
    make_chain(operations);
    graph = graph_of(handle, 2, operations);
    check_done(cudnnBackendFinalize(graph));
    plan = plan_of(handle, graph);
    check_done(cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                        CUDNN_TYPE_CHAR, sizeof(text), &bytes, text));
    check(bytes > 100 && bytes < (int64_t)sizeof(text));
    check_done(cudnnBackendDestroyDescriptor(plan));
    read = create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    set(read, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    set(read, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, bytes, text);
    check_done(cudnnBackendFinalize(read));
    pointers[2] = device_memory(sizeof(x), x);
    pointers[1] = device_memory(sizeof(b), b);
    pointers[0] = device_memory(sizeof(x), NULL);
    check_done(cudnnBackendExecute(handle, read, pack_of(3, chain_uids, pointers)));
    check_success(cuCtxSynchronize());
    check_chain(x, b, pointers[0]);
    for (int64_t cut = 0; cut < bytes; cut += 13) {
        broken = create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        set(broken, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, cut + 1, text);
        check(cudnnBackendFinalize(broken) != CUDNN_STATUS_SUCCESS);
        check_done(cudnnBackendDestroyDescriptor(broken));
    }
}

TEST(booleans_are_bits)
{
    cudnnHandle_t handle = open_handle();
    int64_t uids[3] = {1, 2, 3};
    unsigned char bits[3], expected[3] = {0};
    float x[COUNT], zero = 0;
    descriptor operation;
    void *pointers[3];

    only_cupipe();
    fill(x, COUNT);
    operation = pointwise(CUDNN_POINTWISE_CMP_GT, plain(1, REAL),
                          tensor(2, CUDNN_DATA_FLOAT, BY_VALUE, 1, 1, 1, 1),
                          tensor(3, CUDNN_DATA_BOOLEAN, REAL, 1, 2, 3, 4));
    pointers[0] = device_memory(sizeof(x), x);
    pointers[1] = &zero;
    pointers[2] = device_memory(sizeof(bits), NULL);
    run_graph(handle, 1, &operation, 3, uids, pointers);
    fetch(bits, pointers[2], sizeof(bits));
    for (int i = 0; i < COUNT; i++)
        expected[i / 8] |= (unsigned char)((x[i] > 0) << i % 8);
    check(memcmp(bits, expected, sizeof(bits)) == 0);
}

TEST(what_is_wrong_with_a_graph_is_said)
{
    cudnnHandle_t handle = open_handle();
    descriptor x = plain(1, REAL), y = plain(2, REAL), z = plain(3, REAL);
    descriptor once = pointwise(CUDNN_POINTWISE_ABS, x, NULL, y), twice[2] = {once, once};
    descriptor back = pointwise(CUDNN_POINTWISE_ABS, y, NULL, x), cycle[2] = {once, back};
    descriptor graph = create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);

    check_status(cudnnBackendFinalize(graph), CUDNN_STATUS_BAD_PARAM);
    check_status(cudnnBackendFinalize(graph_of(handle, 2, twice)), CUDNN_STATUS_BAD_PARAM);
    only_cupipe();
    check_status(cudnnBackendFinalize(graph_of(handle, 2, cycle)), CUDNN_STATUS_BAD_PARAM);
    (void)z;
}

TEST(a_plan_needs_all_pointers)
{
    cudnnHandle_t handle = open_handle();
    descriptor operations[2], graph, plan, pack;
    float x[COUNT] = {0};
    void *pointers[3];
    int64_t count, size;

    only_cupipe();
    make_chain(operations);
    graph = graph_of(handle, 2, operations);
    check_status(cudnnBackendGetAttribute(graph, CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT,
                                          CUDNN_TYPE_INT64, 1, &count, &size),
                 CUDNN_STATUS_NOT_INITIALIZED);
    check_done(cudnnBackendFinalize(graph));
    plan = plan_of(handle, graph);
    pointers[0] = pointers[1] = device_memory(sizeof(x), x);
    check(cudnnBackendExecute(handle, plan, pack_of(2, chain_uids, pointers)) !=
          CUDNN_STATUS_SUCCESS);
    pack = create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    check_status(cudnnBackendExecute(handle, plan, pack), CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
    check_status(cudnnBackendExecute(NULL, plan, pack), CUDNN_STATUS_BAD_PARAM);
    set(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 2, chain_uids);
    check_status(cudnnBackendFinalize(pack), CUDNN_STATUS_BAD_PARAM);
    check_success(cuCtxSynchronize());
}

TEST(complex_matrices_are_multiplied)
{
    enum { M = 3, N = 5, K = 4 };
    cudnnHandle_t handle = open_handle();
    const int64_t uids[3] = {1, 2, 3};
    float a[M * K][2], b[K * N][2], c[M * N][2];
    descriptor operation;
    void *pointers[3];

    only_cupipe();
    fill(a[0], M * K * 2);
    fill(b[0], K * N * 2);
    operation = matmul(tensor(1, CUDNN_DATA_COMPLEX_FP32, REAL, 1, 1, M, K),
                       tensor(2, CUDNN_DATA_COMPLEX_FP32, REAL, 1, 1, K, N),
                       tensor(3, CUDNN_DATA_COMPLEX_FP32, REAL, 1, 1, M, N));
    pointers[0] = device_memory(sizeof(a), a);
    pointers[1] = device_memory(sizeof(b), b);
    pointers[2] = device_memory(sizeof(c), NULL);
    run_graph(handle, 1, &operation, 3, uids, pointers);
    fetch(c, pointers[2], sizeof(c));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float real = 0, imaginary = 0;

            for (int k = 0; k < K; k++) {
                const float *x = a[i * K + k], *y = b[k * N + j];

                real += x[0] * y[0] - x[1] * y[1];
                imaginary += x[0] * y[1] + x[1] * y[0];
            }
            check(fabsf(c[i * N + j][0] - real) < 1e-4F);
            check(fabsf(c[i * N + j][1] - imaginary) < 1e-4F);
        }
}
