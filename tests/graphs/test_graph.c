/* SPDX-License-Identifier: MIT */
/* Guarantees of graphs that programs rely on: snapshots, order of launches, changes while a launch
 * is pending, memory and events that outlive the call, destroyed handles. */
#include "graphs.h"

enum { WORDS = 64 };

static void count_up(void *word)
{
    atomic_fetch_add((atomic_uint *)word, 1);
}

static CUgraphNode add_host(CUgraph graph, const CUgraphNode *before, size_t count,
                            atomic_uint *word)
{
    CUDA_HOST_NODE_PARAMS params = {.fn = count_up, .userData = word};
    CUgraphNode node;

    check_success(cuGraphAddHostNode(&node, graph, before, count, &params));
    return node;
}

TEST(an_executable_graph_is_a_snapshot)
{
    with_context();
    struct graph_functions functions = graph_functions_load();
    CUdeviceptr words = device_words(WORDS);
    CUgraph graph = new_graph();
    CUgraphNode node = add_scale(graph, NULL, 0, functions.scale, words, WORDS, 2);
    CUgraphExec exec = executable(graph);

    add_scale(graph, &node, 1, functions.scale, words, WORDS, 2);
    check_success(cuGraphDestroy(graph));
    check_success(cuGraphLaunch(exec, NULL));
    check(device_word(words) == 1);
}

TEST(launches_of_one_executable_graph_take_turns_across_streams)
{
    with_context();
    struct graph_functions functions = graph_functions_load();
    CUdeviceptr words = device_words(WORDS);
    CUstream a = new_stream(CU_STREAM_NON_BLOCKING), b = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = new_graph();
    unsigned expected = 0;

    CUgraphNode node = add_scale(graph, NULL, 0, functions.scale, words, WORDS, 3);
    add_scale(graph, &node, 1, functions.scale, words, WORDS, 5);
    CUgraphExec exec = executable(graph);
    for (int i = 0; i < 20; i++) {
        check_success(cuGraphLaunch(exec, i % 3 ? a : b));
        expected = (expected * 3 + 1) * 5 + 1;
    }
    check_success(cuCtxSynchronize());
    check(device_word(words) == expected);
}

TEST(a_pending_launch_does_what_it_was_launched_with)
{
    with_context();
    struct graph_functions functions = graph_functions_load();
    CUdeviceptr words = device_words(WORDS);
    atomic_uint *go = pinned_words(1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = new_graph();
    CUgraphNode node = add_fill(graph, NULL, 0, words, 7, 4, 1);
    CUgraphExec exec = executable(graph);
    CUDA_MEMSET_NODE_PARAMS changed = {
        .dst = words + 4, .value = 9, .elementSize = 4, .width = 1, .height = 1};

    (void)functions;
    hold_until(stream, go);
    check_success(cuGraphLaunch(exec, stream));
    check_success(cuGraphExecMemsetNodeSetParams(exec, node, &changed, current_context()));
    check_success(cuGraphLaunch(exec, stream));
    check_success(cuGraphExecDestroy(exec));
    atomic_store(go, 1);
    check_success(cuStreamSynchronize(stream));
    check(device_word(words) == 7 && device_word(words + 4) == 9);
}

TEST(a_stream_waits_for_an_event_that_a_pending_graph_records)
{
    with_context();
    CUdeviceptr words = device_words(WORDS);
    atomic_uint *go = pinned_words(1);
    CUstream first = new_stream(CU_STREAM_NON_BLOCKING),
             second = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event(CU_EVENT_DEFAULT);
    CUgraph graph = new_graph();
    CUgraphNode fill = add_fill(graph, NULL, 0, words, 5, 4, 1), record;

    check_success(cuGraphAddEventRecordNode(&record, graph, &fill, 1, event));
    CUgraphExec exec = executable(graph);
    hold_until(first, go);
    check_success(cuGraphLaunch(exec, first));
    check_success(cuStreamWaitEvent(second, event, 0));
    check_success(cuMemcpyDtoDAsync(words + 4, words, 4, second));
    check_result(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    atomic_store(go, 1);
    check_success(cuStreamSynchronize(second));
    check(device_word(words + 4) == 5);
    check_success(cuEventSynchronize(event));
}

TEST(launches_that_wait_for_what_they_record_come_to_an_end)
{
    with_context();
    CUdeviceptr words = device_words(WORDS);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event(CU_EVENT_DEFAULT);
    CUgraph graph = new_graph();
    CUgraphNode fill = add_fill(graph, NULL, 0, words, 5, 4, 1), record, wait;

    check_success(cuGraphAddEventRecordNode(&record, graph, &fill, 1, event));
    check_success(cuGraphAddEventWaitNode(&wait, graph, &record, 1, event));
    CUgraphExec exec = executable(graph);
    for (int i = 0; i < 50; i++)
        check_success(cuGraphLaunch(exec, stream));
    check_success(cuStreamSynchronize(stream));
}

TEST(host_functions_of_branches_may_wait_for_each_other)
{
    with_context();
    only_cupipe(); /* NVIDIA's driver runs host functions one at a time */
    atomic_uint *words = pinned_words(2);
    CUgraph graph = new_graph();

    for (int i = 0; i < 8; i++)
        add_host(graph, NULL, 0, &words[0]);
    CUgraphExec exec = executable(graph);
    check_success(cuGraphLaunch(exec, NULL));
    check_success(cuCtxSynchronize());
    check(atomic_load(&words[0]) == 8);
}

TEST(values_hold_a_branch_and_no_other)
{
    with_context();
    atomic_uint *words = pinned_words(3);
    CUstreamBatchMemOpParams wait = {.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
                                                   .address = address_of(&words[0]),
                                                   .value = 1,
                                                   .flags = CU_STREAM_WAIT_VALUE_EQ}};
    CUstreamBatchMemOpParams write = {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32,
                                                     .address = address_of(&words[0]),
                                                     .value = 1}};
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {
        .ctx = current_context(), .count = 1, .paramArray = &wait};
    CUgraph graph = new_graph();
    CUgraphNode waits, writes;

    check_success(cuGraphAddBatchMemOpNode(&waits, graph, NULL, 0, &params));
    params.paramArray = &write;
    check_success(cuGraphAddBatchMemOpNode(&writes, graph, NULL, 0, &params));
    add_host(graph, &waits, 1, &words[1]);
    CUgraphExec exec = executable(graph);
    for (unsigned i = 1; i <= 3; i++) {
        atomic_store(&words[0], 0);
        check_success(cuGraphLaunch(exec, NULL));
        check_success(cuCtxSynchronize());
        check(atomic_load(&words[1]) == i);
    }
}

TEST(memory_of_a_graph_is_there_from_the_launch_on)
{
    with_context();
    CUDA_MEM_ALLOC_NODE_PARAMS params = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
        .bytesize = 4096};
    CUgraph graph = new_graph();
    CUgraphNode alloc;
    unsigned word;

    check_success(cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params));
    add_fill(graph, &alloc, 1, params.dptr, 3, 4, 1024);
    check_result(cuMemcpyDtoH(&word, params.dptr, 4), CUDA_ERROR_INVALID_VALUE);
    CUgraphExec exec = executable(graph);
    check_success(cuGraphLaunch(exec, NULL));
    check(device_word(params.dptr + 4092) == 3);
    check_result(cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(graph));
    check(device_word(params.dptr) == 3);
    check_success(cuMemFree(params.dptr));
    check_result(cuMemcpyDtoH(&word, params.dptr, 4), CUDA_ERROR_INVALID_VALUE);
}

/* Launches a graph that allocates, destroys it, and frees the allocation before or after that. */
static void use_graph_memory(size_t bytes, bool free_first)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
        .bytesize = bytes};
    CUgraph graph = new_graph();
    CUgraphNode alloc;

    check_success(cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params));
    CUgraphExec exec = executable(graph);
    check_success(cuGraphLaunch(exec, NULL));
    if (free_first)
        check_success(cuMemFreeAsync(params.dptr, NULL));
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(graph));
    if (!free_first)
        check_success(cuMemFreeAsync(params.dptr, NULL));
    check_success(cuCtxSynchronize());
}

static cuuint64_t graph_memory(CUgraphMem_attribute attribute)
{
    cuuint64_t bytes = 0;

    check_success(cuDeviceGetGraphMemAttribute(0, attribute, &bytes));
    return bytes;
}

static void check_graph_memory(cuuint64_t now, cuuint64_t high)
{
    check(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) == now);
    check(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) == now);
    check(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) == high);
    check(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH) == high);
}

TEST(memory_of_a_destroyed_graph_stays_until_it_is_trimmed)
{
    with_context();
    const size_t step = 32 << 20;

    for (int free_first = 0; free_first < 2; free_first++) {
        use_graph_memory(4096, free_first);
        check_graph_memory(step, step);
        check_success(cuDeviceGraphMemTrim(0));
        check_graph_memory(0, step);
    }
    use_graph_memory(4096, false);
    use_graph_memory(8 << 20, true);
    check_graph_memory(step, step);
    use_graph_memory(step + 1, true);
    check_graph_memory(2 * step, 2 * step);
    check_success(cuDeviceGraphMemTrim(0));
    check_graph_memory(0, 2 * step);
}

/* A graph that allocates, fills the allocation, and frees it or not. */
static CUgraphExec allocating_graph(bool frees)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
        .bytesize = 4 << 20};
    CUgraph graph = new_graph();
    CUgraphNode node;

    check_success(cuGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    node = add_fill(graph, &node, 1, params.dptr, 3, 4, 1024);
    if (frees)
        check_success(cuGraphAddMemFreeNode(&node, graph, &node, 1, params.dptr));
    CUgraphExec exec = executable(graph);
    check_success(cuGraphDestroy(graph));
    return exec;
}

/* Graphs that run one after the other in a stream need memory once, those that may run at once, or
 * leave allocations behind, each for themselves. What has ended is there for all. */
TEST(graphs_launched_in_turn_share_memory)
{
    with_context();
    const size_t step = 32 << 20;
    CUgraphExec graphs[4];
    CUstream streams[3];
    atomic_uint *word = pinned_words(1);

    for (int i = 0; i < 4; i++)
        graphs[i] = allocating_graph(true);
    for (int i = 0; i < 3; i++)
        check_success(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    check(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) == 0);
    hold_until(streams[0], word);
    hold_until(streams[1], word);
    for (int i = 0; i < 6; i++) {
        check_success(cuGraphLaunch(graphs[i % 3], streams[0]));
        check(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) == step);
    }
    check_success(cuGraphLaunch(graphs[3], streams[1]));
    check_graph_memory(2 * step, 2 * step);
    atomic_store(word, 1);
    check_success(cuCtxSynchronize());
    check_success(cuGraphLaunch(graphs[0], streams[2]));
    check_success(cuGraphLaunch(graphs[1], streams[2]));
    check_graph_memory(2 * step, 2 * step);
    check_success(cuCtxSynchronize());
    for (size_t i = 1; i <= 4; i++) {
        check_success(cuGraphLaunch(allocating_graph(false), streams[0]));
        check_success(cuStreamSynchronize(streams[0]));
        check(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) == (i < 2 ? 2 : i) * step);
    }
}

/* All memory but a few MiB, however fragmented; answers how much. */
static size_t take_all_memory(void)
{
    size_t taken = 0;
    CUdeviceptr unused;

    for (size_t bytes = (size_t)1 << 40; bytes >= (2 << 20);) {
        if (cuMemAlloc(&unused, bytes) == CUDA_SUCCESS)
            taken += bytes;
        else
            bytes /= 2;
    }
    return taken;
}

TEST(memory_of_a_destroyed_graph_is_there_for_others_before_the_device_is_out)
{
    with_context();
    size_t free_before, free_idle, total, bytes = 32 << 20;

    check_success(cuMemGetInfo(&free_before, &total));
    use_graph_memory(bytes, false);
    check_success(cuMemGetInfo(&free_idle, &total));
    check(free_idle + bytes <= free_before);
    check(take_all_memory() > free_idle);
    check_graph_memory(0, bytes);
}

/* Elements begin one byte or two behind each other; what a value has more runs into the next. */
static unsigned wide_pattern(unsigned value, unsigned element)
{
    unsigned pattern = 0;

    for (unsigned at = 0; at < 4; at += element)
        pattern |= value << 8 * at;
    return pattern;
}

/* A fill of rows, from a byte of an allocation on, and what it leaves in it. */
static void check_wide_fill(unsigned value, unsigned element, size_t offset, size_t width,
                            size_t height, size_t pitch)
{
    enum { BYTES = 4096 };
    static unsigned char found[BYTES], expected[BYTES];
    CUdeviceptr words = device_words(BYTES / 4);
    unsigned pattern = wide_pattern(value, element);
    CUDA_MEMSET_NODE_PARAMS params = {.dst = words + offset,
                                      .value = value,
                                      .elementSize = element,
                                      .width = width,
                                      .height = height,
                                      .pitch = pitch};
    CUgraph graph = new_graph();
    CUgraphNode node;

    memset(expected, 0, BYTES);
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width * element; x++)
            expected[offset + y * pitch + x] = (unsigned char)(pattern >> 8 * (x % 4));
    }
    check_success(cuGraphAddMemsetNode(&node, graph, NULL, 0, &params, current_context()));
    CUgraphExec exec = executable(graph);
    check_success(cuGraphLaunch(exec, NULL));
    check_success(cuMemcpyDtoH(found, words, BYTES));
    check(memcmp(found, expected, BYTES) == 0);
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(graph));
    check_success(cuMemFree(words));
}

TEST(a_value_wider_than_its_element_is_a_pattern_of_four_bytes)
{
    with_context();
    static const unsigned values[] = {0x01020304, 0xffffff80, 0x1234, 0x5a};

    check(wide_pattern(0x01020304, 1) == 0x07070704 && wide_pattern(0x01020304, 2) == 0x03060304);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        for (unsigned element = 1; element <= 4; element *= 2) {
            check_wide_fill(values[i], element, 0, 256, 1, 0);
            check_wide_fill(values[i], element, 64, 64, 4, 512);
        }
        for (unsigned element = 1; element <= 2; element++) {
            check_wide_fill(values[i], element, 0, 101, 1, 0);
            check_wide_fill(values[i], element, element, 1, 1, 0);
            check_wide_fill(values[i], element, element, 77, 3, 512);
            check_wide_fill(values[i], element, 0, 5, 7, 5 * element);
        }
    }
}

TEST(a_child_of_itself_is_a_copy)
{
    with_context();
    only_cupipe(); /* NVIDIA's driver crashes */
    CUgraph graph = new_graph();
    CUgraphNode node;
    size_t count = 0;

    check_success(cuGraphAddEmptyNode(&node, graph, NULL, 0));
    check_success(cuGraphAddChildGraphNode(&node, graph, NULL, 0, graph));
    check_success(cuGraphGetNodes(graph, NULL, &count));
    check(count == 2);
    check_success(cuGraphLaunch(executable(graph), NULL));
}

TEST(handles_of_a_destroyed_graph_are_errors)
{
    with_context();
    only_cupipe(); /* NVIDIA's driver reads what was freed */
    CUgraph graph = new_graph();
    CUgraphNode node;
    CUgraphNodeType type;
    size_t count;

    check_success(cuGraphAddEmptyNode(&node, graph, NULL, 0));
    check_success(cuGraphDestroy(graph));
    check_result(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphGetNodes(graph, NULL, &count), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphNodeGetType(node, &type), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphDestroyNode(node), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_failed_node_fails_the_device_and_no_other_is_done)
{
    with_context();
    only_cupipe();
    CUdeviceptr words = device_words(WORDS), gone;
    CUgraph graph = new_graph();

    check_success(cuMemAlloc(&gone, 64 << 20));
    CUgraphNode bad = add_fill(graph, NULL, 0, gone, 1, 4, 1 << 20);
    CUDA_MEMCPY3D params = copy_params(words, words, 4);
    CUgraphNode copy;
    params.srcMemoryType = CU_MEMORYTYPE_HOST;
    params.srcHost = (void *)16;
    check_success(cuGraphAddMemcpyNode(&copy, graph, &bad, 1, &params, current_context()));
    CUgraphExec exec = executable(graph);
    check_success(cuGraphLaunch(exec, NULL));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

struct race {
    CUgraphExec exec;
    CUgraph graph;
    CUcontext context;
    CUdeviceptr words;
    CUgraphNode node;
};

static void *launch_and_change(void *argument)
{
    struct race *race = argument;
    CUDA_MEMSET_NODE_PARAMS params = {
        .dst = race->words, .value = 1, .elementSize = 4, .width = 1, .height = 1};

    check_success(cuCtxSetCurrent(race->context));
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (unsigned i = 0; i < 100; i++) {
        params.value = i;
        check_success(
            cuGraphExecMemsetNodeSetParams(race->exec, race->node, &params, race->context));
        check_success(cuGraphLaunch(race->exec, stream));
        CUgraphNode added;
        check_success(cuGraphAddEmptyNode(&added, race->graph, NULL, 0));
        check_success(cuGraphDestroyNode(added));
    }
    check_success(cuStreamSynchronize(stream));
    return NULL;
}

TEST(threads_may_launch_and_change_the_same_graph)
{
    struct race race = {.context = with_context()};
    pthread_t threads[4];

    only_cupipe(); /* the manual asks for a lock of the application's */
    race.words = device_words(WORDS);
    race.graph = new_graph();
    race.node = add_fill(race.graph, NULL, 0, race.words, 7, 4, 1);
    for (unsigned i = 0; i < 20; i++)
        add_fill(race.graph, i % 2 ? &race.node : NULL, i % 2, race.words + 4 * (i + 1), i, 4, 1);
    race.exec = executable(race.graph);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, launch_and_change, &race);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    check(device_word(race.words + 4 * 20) == 19);
}

TEST(graph_memory_attributes_that_cannot_be_set_are_not_read)
{
    void *nowhere = (void *)(uintptr_t)-8;

    with_context();
    check_result(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, nowhere),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, nowhere),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceSetGraphMemAttribute(0, (CUgraphMem_attribute)9, nowhere),
                 CUDA_ERROR_INVALID_VALUE);
}

/* NVIDIA's driver crashes here. */
TEST(values_of_attributes_that_are_not_readable_are_refused)
{
    const void *nowhere = (const void *)(uintptr_t)-64;
    CUmemoryPool pool;

    with_context();
    only_cupipe();
    CUstream stream = new_stream(0);
    CUdeviceptr words = device_words(1);
    CUgraphNode node = add_scale(new_graph(), NULL, 0, graph_functions_load().scale, words, 1, 1);
    check_success(cuDeviceGetDefaultMemPool(&pool, 0));
    check_result(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, (void *)nowhere),
                 CUDA_ERROR_INVALID_VALUE);
    for (int attribute = 0; attribute <= 9; attribute++)
        check_result(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)attribute, (void *)nowhere),
                     CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_PRIORITY, nowhere),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, nowhere),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuPointerSetAttribute(nowhere, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, words),
                 CUDA_ERROR_INVALID_VALUE);
}
