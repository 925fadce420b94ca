/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=streams: work of streams that touches the same bytes without an order. Each program
 * is run with the order, which must say nothing, and without it, which must say it once. What is
 * said does not depend on when work runs, so each is also run with a lazy schedule. */
#include "test.h"

#include "checked_streams.h"

A_FUNCTION launch_fill(const struct world *world, CUstream stream, CUdeviceptr memory)
{
    unsigned value = 7, count = WORDS;
    void *parameters[] = {&memory, &value, &count};

    check_success(
        cuLaunchKernel(world->fill, WORDS / 256, 1, 1, 256, 1, 1, 0, stream, parameters, NULL));
}

/* Between two streams. */

static void run_event(void)
{
    struct world world = begin();

    write_first(&world);
    if (is_right)
        follow(world.a, world.b);
    read_then(&world);
    finish();
}

TEST(an_event_orders_streams)
{
    check_both(run_event, " bytes of device memory at 0x");
    is_right = false;
    struct told *told = told_well_by(run_event);
    check_says(told, "touch the same 4096 bytes at 0x");
    check_says_next(told, "without an order", "  written by cuMemsetD32Async, in stream 0x",
                    "write_first");
    check_says_next(told, "without an order", "  read by cuMemcpyDtoDAsync_v2, in stream 0x",
                    "read_then");
    check_says_next(told, "without an order", "  made by cuMemAlloc_v2, called from", "begin");
    check_says(told, "\n  missing: cuEventRecord in stream 0x");
    check_says(told, "\ncupipe: CUPIPE_CHECK found: streams 1\n");
}

/* An event that was recorded before the work orders nothing after it. */
static void run_early_event(void)
{
    struct world world = begin();
    CUevent event = new_event(0);

    if (!is_right)
        check_success(cuEventRecord(event, world.a));
    write_first(&world);
    if (is_right)
        check_success(cuEventRecord(event, world.a));
    check_success(cuStreamWaitEvent(world.b, event, 0));
    read_then(&world);
    finish();
}

TEST(an_event_is_recorded_after_the_work)
{
    check_both(run_early_event, "  read by cuMemcpyDtoDAsync_v2");
}

static void run_kernels(void)
{
    struct world world = begin();

    launch_fill(&world, world.a, world.memory);
    if (is_right)
        follow(world.a, world.b);
    launch_fill(&world, world.b, world.memory + BYTES / 2);
    finish();
}

TEST(kernels_of_two_streams_are_compared)
{
    check_both(run_kernels, "touch the same 2048 bytes at 0x");
    is_right = false;
    struct told *told = told_well_by(run_kernels);
    check_says(told, "  written by kernel fill, in stream 0x");
    check_says_next(told, "without an order", "  launched by cuLaunchKernel, called from",
                    "launch_fill");
}

static void run_indirect(void)
{
    struct world world = begin();
    CUstream third = new_stream(CU_STREAM_NON_BLOCKING);

    write_first(&world);
    follow(world.a, third);
    if (is_right)
        follow(third, world.b);
    read_then(&world);
    finish();
}

TEST(order_goes_through_other_streams)
{
    check_both(run_indirect, "stream 0x");
}

/* By the host. */

static void run_stream_synchronize(void)
{
    struct world world = begin();

    write_first(&world);
    check_success(cuStreamSynchronize(is_right ? world.a : world.b));
    read_then(&world);
    finish();
}

static void run_context_synchronize(void)
{
    struct world world = begin();

    write_first(&world);
    if (is_right)
        check_success(cuCtxSynchronize());
    read_then(&world);
    finish();
}

static void run_event_synchronize(void)
{
    struct world world = begin();
    CUevent event = new_event(0);

    if (!is_right)
        check_success(cuEventRecord(event, world.a));
    write_first(&world);
    if (is_right)
        check_success(cuEventRecord(event, world.a));
    check_success(cuEventSynchronize(event));
    read_then(&world);
    finish();
}

static void run_queries(void)
{
    struct world world = begin();
    CUevent event = new_event(0);

    write_first(&world);
    check_success(cuEventRecord(event, is_right ? world.a : world.b));
    while (cuEventQuery(event) == CUDA_ERROR_NOT_READY)
        nap();
    read_then(&world);
    while (cuStreamQuery(world.b) == CUDA_ERROR_NOT_READY)
        nap();
    check_success(cuMemsetD8Async(world.other, 1, BYTES, is_right ? world.a : world.b));
    finish();
}

TEST(waits_of_the_host_order_streams)
{
    check_both(run_stream_synchronize, "  read by cuMemcpyDtoDAsync_v2");
    check_both(run_context_synchronize, "  read by cuMemcpyDtoDAsync_v2");
    check_both(run_event_synchronize, "  read by cuMemcpyDtoDAsync_v2");
    check_both(run_queries, "  read by cuMemcpyDtoDAsync_v2");
}

/* A copy to the host waits; a fill of device memory does not. */
static void run_calls_that_wait(void)
{
    struct world world = begin();
    char host[BYTES];

    memset(host, 1, sizeof(host));
    if (is_right)
        check_success(cuMemcpyHtoD(world.memory, host, BYTES));
    else
        check_success(cuMemsetD8(world.memory, 1, BYTES));
    read_then(&world);
    finish();
}

TEST(synchronous_copies_order_the_host)
{
    check_both(run_calls_that_wait, "  written by cuMemsetD8_v2, in the default stream");
}

static void CUDA_CB raise_flag(void *flag)
{
    atomic_store((atomic_uint *)flag, 1);
}

static void run_host_function(void)
{
    static atomic_uint flag;
    struct world world = begin();

    if (is_right)
        write_first(&world);
    check_success(cuLaunchHostFunc(world.a, raise_flag, &flag));
    while (atomic_load(&flag) != 1)
        nap();
    if (!is_right)
        write_first(&world);
    read_then(&world);
    finish();
}

TEST(host_functions_order_the_host)
{
    check_both(run_host_function, "  read by cuMemcpyDtoDAsync_v2");
}

/* Default streams. */

static void run_legacy(void)
{
    struct world world = begin_with(is_right ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);

    write_first(&world);
    check_success(cuMemcpyDtoDAsync(world.other, world.memory, BYTES, CU_STREAM_LEGACY));
    finish();
}

static void run_after_legacy(void)
{
    struct world world = begin_with(is_right ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);

    check_success(cuMemsetD8Async(world.memory, 1, BYTES, CU_STREAM_LEGACY));
    read_then(&world);
    finish();
}

static void run_per_thread(void)
{
    struct world world = begin_with(CU_STREAM_DEFAULT);

    check_success(cuMemsetD8Async(world.memory, 1, BYTES, CU_STREAM_PER_THREAD));
    if (is_right)
        check_success(cuMemsetD8Async(world.other, 1, 1, CU_STREAM_LEGACY));
    read_then(&world);
    finish();
}

TEST(the_default_stream_orders_blocking_streams)
{
    check_both(run_legacy, "  read by cuMemcpyDtoDAsync_v2, in the default stream");
    is_right = false;
    check_does_not_say(told_well_by(run_legacy), "of context");
    check_both(run_after_legacy, "  written by cuMemsetD8Async, in the default stream");
    check_both(run_per_thread, "  written by cuMemsetD8Async, in the per-thread default stream");
}

static void run_contexts(void)
{
    struct world world = begin();
    CUcontext other;

    check_success(cuMemsetD8Async(world.memory, 1, BYTES, NULL));
    if (is_right)
        check_success(cuCtxSynchronize());
    check_success(cuCtxCreate(&other, NULL, 0, 0));
    check_success(cuMemcpyDtoDAsync(world.other, world.memory, BYTES, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuCtxDestroy(other));
    finish();
}

TEST(contexts_are_not_ordered)
{
    check_both(run_contexts, "the default stream of context 0x");
    is_right = false;
    check_says(told_well_by(run_contexts), ", in the default stream of context 0x");
}

/* Values in memory. */

static void run_values(void)
{
    struct world world = begin();
    atomic_uint *word = pinned_words(1);

    hold_until(world.b, word);
    read_then(&world);
    if (is_right)
        write_first(&world);
    write_word(world.a, word, 1);
    if (!is_right)
        write_first(&world);
    finish();
}

TEST(values_in_memory_order_streams)
{
    check_both(run_values, "  written by cuMemsetD32Async");
}

/* Pools. */

static void run_free(void)
{
    struct world world = begin();

    check_success(cuMemAllocAsync(&world.memory, BYTES, world.a));
    follow(world.a, world.b);
    read_then(&world);
    if (is_right)
        follow(world.b, world.a);
    check_success(cuMemFreeAsync(world.memory, world.a));
    finish();
}

static void run_allocation(void)
{
    struct world world = begin();

    check_success(cuMemAllocAsync(&world.memory, BYTES, world.a));
    if (is_right)
        follow(world.a, world.b);
    read_then(&world);
    finish();
}

TEST(memory_of_pools_is_used_between_allocation_and_free)
{
    check_both(run_free, "  freed by cuMemFreeAsync, in stream 0x");
    check_both(run_allocation, "  allocated by cuMemAllocAsync, in stream 0x");
}

/* Memory that was freed in one stream and given out again in another is new. */
static void run_reuse(void)
{
    struct world world = begin();
    CUdeviceptr again;

    for (int i = 0; i < 4; i++) {
        CUstream stream = i % 2 ? world.b : world.a;

        check_success(cuMemAllocAsync(&again, BYTES, stream));
        check_success(cuMemsetD8Async(again, 1, BYTES, stream));
        check_success(cuMemFreeAsync(again, stream));
    }
    check_success(cuMemFree(world.memory));
    check_success(cuMemAlloc(&again, BYTES));
    check_success(cuMemsetD8Async(again, 1, BYTES, world.b));
    finish();
}

TEST(memory_that_is_given_out_again_is_new)
{
    check_does_not_say(told_well_by(run_reuse), "CUPIPE_CHECK");
}

/* Bytes. */

static void launch_odd(const struct world *world, CUstream stream, unsigned first)
{
    CUdeviceptr memory = world->memory;
    void *parameters[] = {&memory, &first};

    check_success(cuLaunchKernel(world->odd, 1, 1, 1, 256, 1, 1, 0, stream, parameters, NULL));
}

static void run_bytes(void)
{
    struct world world = begin();

    launch_odd(&world, world.a, 0);
    launch_odd(&world, world.b, is_right ? 1 : 510);
    finish();
}

static void run_columns(void)
{
    struct world world = begin();

    check_success(cuMemsetD2D8Async(world.memory, 64, 1, 32, BYTES / 64, world.a));
    check_success(
        cuMemsetD2D8Async(world.memory + (is_right ? 32 : 31), 64, 2, 32, BYTES / 64, world.b));
    finish();
}

static void launch_add(const struct world *world, CUstream stream)
{
    CUdeviceptr memory = world->memory;
    void *parameters[] = {&memory};

    check_success(cuLaunchKernel(world->add, 4, 1, 1, 32, 1, 1, 0, stream, parameters, NULL));
}

static void run_atomics(void)
{
    struct world world = begin();

    launch_add(&world, world.a);
    if (is_right)
        launch_add(&world, world.b);
    else
        launch_fill(&world, world.b, world.memory);
    finish();
}

TEST(only_the_same_bytes_conflict)
{
    check_both(run_bytes, "touch the same 1 bytes at 0x");
    check_both(run_columns, "touch the same 1 bytes at 0x");
    check_both(run_atomics, "touch the same 4 bytes at 0x");
}

/* Graphs. */

static CUgraphNode add_fill(CUgraph graph, CUdeviceptr memory, const CUgraphNode *after)
{
    CUDA_MEMSET_NODE_PARAMS fill = {
        .dst = memory, .value = 3, .elementSize = 4, .width = WORDS, .height = 1};
    CUgraphNode node;
    CUcontext context;

    check_success(cuCtxGetCurrent(&context));
    check_success(cuGraphAddMemsetNode(&node, graph, after, after != NULL, &fill, context));
    return node;
}

static void run_nodes(void)
{
    struct world world = begin();
    CUgraph graph;

    check_success(cuGraphCreate(&graph, 0));
    CUgraphNode first = add_fill(graph, world.memory, NULL);
    CUgraphNode second = add_fill(graph, world.other, &first);
    add_fill(graph, world.memory, is_right ? &second : NULL);
    CUgraphExec exec = instantiate(graph);
    check_success(cuGraphLaunch(exec, world.a));
    if (is_right)
        check_success(cuGraphLaunch(exec, world.b)); /* after the first launch, as always */
    finish();
}

static void run_launches(void)
{
    struct world world = begin();
    CUgraph graph;

    check_success(cuGraphCreate(&graph, 0));
    add_fill(graph, world.memory, NULL);
    check_success(cuGraphLaunch(instantiate(graph), world.a));
    if (is_right)
        follow(world.a, world.b);
    read_then(&world);
    finish();
}

TEST(nodes_of_graphs_are_ordered_by_edges)
{
    check_both(run_nodes, "  written by cuGraphLaunch, in stream 0x");
    check_both(run_launches, "  written by cuGraphLaunch, in stream 0x");
}
