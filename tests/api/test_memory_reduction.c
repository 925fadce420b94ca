/* SPDX-License-Identifier: MIT */
/* Streams and graphs that combine a value with what is in memory, as one atomic access. */
#include "hold.h"

static CUstreamBatchMemOpParams reduction(CUstreamAtomicReductionOpType operation,
                                          CUstreamAtomicReductionDataType type, CUdeviceptr address,
                                          uint64_t value)
{
    return (CUstreamBatchMemOpParams){
        .atomicReduction = {.operation = CU_STREAM_MEM_OP_ATOMIC_REDUCTION,
                            .reductionOp = operation,
                            .dataType = type,
                            .address = address,
                            .value = value,
                            .alias = 77}};
}

static CUdeviceptr words_of(uint64_t value)
{
    CUdeviceptr words;

    check_success(cuMemAlloc(&words, 64));
    for (unsigned i = 0; i < 8; i++)
        check_success(cuMemcpyHtoD(words + 8 * i, &value, 8));
    return words;
}

static uint64_t value_at(CUdeviceptr address)
{
    uint64_t value;

    check_success(cuMemcpyDtoH(&value, address, sizeof(value)));
    return value;
}

static uint64_t reduced(CUstreamAtomicReductionOpType operation,
                        CUstreamAtomicReductionDataType type, uint64_t before, uint64_t value)
{
    CUdeviceptr words = words_of(before);
    CUstreamBatchMemOpParams params = reduction(operation, type, words, value);

    check_success(cuStreamBatchMemOp(NULL, 1, &params, 0));
    check_success(cuStreamSynchronize(NULL));
    check(value_at(words + 8) == before);
    return value_at(words);
}

static const CUstreamAtomicReductionDataType narrow = CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32,
                                             wide = CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64;

TEST(the_device_says_that_it_reduces)
{
    int supported = 0;

    need_driver(13010);
    with_context();
    check_success(
        cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED, 0));
    check(supported == 1);
}

/* A sum of 32 bits wraps around and leaves its neighbour alone. */
TEST(values_are_combined)
{
    need_driver(13010);
    with_context();
    check(reduced(CU_STREAM_ATOMIC_REDUCTION_OP_ADD, wide, 0xffffffffu, 1) == 0x100000000u);
    check(reduced(CU_STREAM_ATOMIC_REDUCTION_OP_ADD, narrow, 0x7ffffffffu, 2) == 0x700000001u);
    check(reduced(CU_STREAM_ATOMIC_REDUCTION_OP_AND, wide, 0xff00ff00ff00u, 0xf0f0f0f0f0f0u) ==
          0xf000f000f000u);
    check(reduced(CU_STREAM_ATOMIC_REDUCTION_OP_AND, narrow, 0x5ff00ff00u, 0xf0f0f0f0u) ==
          0x5f000f000u);
    check(reduced(CU_STREAM_ATOMIC_REDUCTION_OP_OR, wide, 0x1100000000u, 0x22) == 0x1100000022u);
    check(reduced(CU_STREAM_ATOMIC_REDUCTION_OP_OR, narrow, 0x11, 0x4400000022u) == 0x33);
}

/* Streams add at the same time, and no sum is lost. */
TEST(reductions_of_many_streams_add_up)
{
    enum { STREAMS = 4, ROUNDS = 100, BATCH = 20 };
    CUstreamBatchMemOpParams params[BATCH];
    CUstream streams[STREAMS];

    need_driver(13010);
    with_context();
    CUdeviceptr words = words_of(0);
    for (unsigned i = 0; i < BATCH; i++)
        params[i] = reduction(CU_STREAM_ATOMIC_REDUCTION_OP_ADD, i % 2 ? wide : narrow, words, 1);
    for (unsigned i = 0; i < STREAMS; i++)
        streams[i] = new_stream(CU_STREAM_NON_BLOCKING);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < STREAMS; i++)
            check_success(cuStreamBatchMemOp(streams[i], BATCH, params, 0));
    }
    check_success(cuCtxSynchronize());
    check(value_at(words) == STREAMS * ROUNDS * BATCH);
}

TEST(a_wait_ends_when_reductions_reach_its_value)
{
    need_driver(13010);
    with_context();
    atomic_uint *words = pinned_words(2);
    CUstream waiter = new_stream(CU_STREAM_NON_BLOCKING),
             adder = new_stream(CU_STREAM_NON_BLOCKING);
    CUstreamBatchMemOpParams add =
        reduction(CU_STREAM_ATOMIC_REDUCTION_OP_ADD, narrow, address_of(&words[0]), 1);
    check_success(cuStreamWaitValue32(waiter, address_of(&words[0]), 3, CU_STREAM_WAIT_VALUE_GEQ));
    write_word(waiter, &words[1], 1);
    for (unsigned i = 0; i < 2; i++)
        check_success(cuStreamBatchMemOp(adder, 1, &add, 0));
    check_success(cuStreamSynchronize(adder));
    check_result(cuStreamQuery(waiter), CUDA_ERROR_NOT_READY);
    check_success(cuStreamBatchMemOp(adder, 1, &add, 0));
    check_success(cuStreamSynchronize(waiter));
    check(atomic_load(&words[0]) == 3 && atomic_load(&words[1]) == 1);
}

TEST(wrong_reductions_are_refused)
{
    need_driver(13010);
    with_context();
    CUdeviceptr words = words_of(5);
    CUstreamBatchMemOpParams good = reduction(CU_STREAM_ATOMIC_REDUCTION_OP_ADD, wide, words, 1);
    CUstreamBatchMemOpParams wrong[] = {good, good, good, good, good};
    wrong[0].atomicReduction.flags = 1;
    wrong[1].atomicReduction.reductionOp =
        (CUstreamAtomicReductionOpType)CU_ATOMIC_OPERATION_INTEGER_MIN;
    wrong[2].atomicReduction.dataType = (CUstreamAtomicReductionDataType)0;
    wrong[3].atomicReduction.address = words + 4;
    wrong[4].atomicReduction.address = 0;
    for (unsigned i = 0; i < 5; i++) {
        CUstreamBatchMemOpParams both[] = {good, wrong[i]};
        check_result(cuStreamBatchMemOp(NULL, 2, both, 0), CUDA_ERROR_INVALID_VALUE);
    }
    check_success(cuStreamSynchronize(NULL));
    check(value_at(words) == 5);
}

TEST(older_drivers_refuse_reductions)
{
    int supported = 7;

    setenv("CUPIPE_DRIVER", "13.0", 1);
    need_driver(13010);
    with_context();
    only_cupipe();
    CUdeviceptr words = words_of(5);
    CUstreamBatchMemOpParams params = reduction(CU_STREAM_ATOMIC_REDUCTION_OP_ADD, wide, words, 1);
    check_result(cuStreamBatchMemOp(NULL, 1, &params, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(
        cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED, 0),
        CUDA_ERROR_INVALID_VALUE);
}

static CUgraphNode only_node(CUgraph graph)
{
    CUgraphNode node;
    size_t count = 1;

    check_success(cuGraphGetNodes(graph, &node, &count));
    check(count == 1);
    return node;
}

/* Values and addresses of an executable graph's reductions can change, their kinds cannot. */
TEST(captured_reductions_run_with_each_launch)
{
    CUgraph graph;
    CUgraphExec exec;

    CUcontext context = with_context();
    CUdeviceptr words = words_of(5);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUstreamBatchMemOpParams ops[] = {
        reduction(CU_STREAM_ATOMIC_REDUCTION_OP_ADD, wide, words, 10),
        reduction(CU_STREAM_ATOMIC_REDUCTION_OP_OR, narrow, words + 8, 2)};
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_success(cuStreamBatchMemOp(stream, 2, ops, 0));
    check_success(cuStreamEndCapture(stream, &graph));
    check(value_at(words) == 5);
    check_success(cuGraphInstantiate(&exec, graph, 0));
    for (unsigned i = 0; i < 3; i++)
        check_success(cuGraphLaunch(exec, stream));
    check_success(cuStreamSynchronize(stream));
    check(value_at(words) == 35 && value_at(words + 8) == 7);
    ops[0].atomicReduction.value = 100;
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {.ctx = context, .count = 2, .paramArray = ops};
    check_success(cuGraphExecBatchMemOpNodeSetParams(exec, only_node(graph), &params));
    check_success(cuGraphLaunch(exec, stream));
    check_success(cuStreamSynchronize(stream));
    check(value_at(words) == 135);
    ops[0].atomicReduction.reductionOp = CU_STREAM_ATOMIC_REDUCTION_OP_OR;
    check_result(cuGraphExecBatchMemOpNodeSetParams(exec, only_node(graph), &params),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(dot_files_show_reductions)
{
    char path[64], text[4096] = "";
    CUgraphNode node;
    CUgraph graph;

    CUcontext context = with_context();
    only_cupipe();
    CUstreamBatchMemOpParams op =
        reduction(CU_STREAM_ATOMIC_REDUCTION_OP_ADD, narrow, words_of(0), 255);
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {.ctx = context, .count = 1, .paramArray = &op};
    check_success(cuGraphCreate(&graph, 0));
    check_success(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params));
    snprintf(path, sizeof(path), "/tmp/cupipe-test-reduction-%d.dot", (int)getpid());
    check_success(
        cuGraphDebugDotPrint(graph, path, CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS));
    FILE *file = fopen(path, "r");
    check(file != NULL && fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    unlink(path);
    check(strstr(text, "ATOMIC_REDUCTION_ADD_32 | ") && strstr(text, " | 0x000000FF | "));
    check(strstr(text, "addr | val | flags"));
}
