/* SPDX-License-Identifier: MIT */
/* Activities: the records of work, calls and waits, and how they belong together. */
#include "cupti_test.h"

TEST(records_have_the_sizes_of_cupti_13)
{
    check(sizeof(CUpti_ActivityKernel10) == 216);
    check(sizeof(CUpti_ActivityMemcpy6) == 96);
    check(sizeof(CUpti_ActivityMemcpyPtoP4) == 96);
    check(sizeof(CUpti_ActivityMemset4) == 88);
    check(sizeof(CUpti_ActivityAPI) == 40);
    check(sizeof(CUpti_ActivitySynchronization2) == 56);
    check(sizeof(CUpti_ActivityCudaEvent2) == 56);
    check(sizeof(CUpti_ActivityGraphTrace2) == 56);
    check(sizeof(CUpti_ActivityDevice5) == 184);
    check(sizeof(CUpti_ActivityMemory4) == 128);
    check(sizeof(CUpti_ActivityExternalCorrelation) == 24);
}

TEST(a_kernel_is_recorded_with_its_shape_and_its_call)
{
    CUdeviceptr memory;
    CUfunction function;
    CUstream stream;
    CUcontext context = with_context();
    uint32_t context_id, stream_id;

    function = load_kernel("fill");
    check_success(cuMemAlloc(&memory, 4096));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    RECORD(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_DRIVER);
    launch_fill(function, memory, 3, stream);
    check_success(cuStreamSynchronize(stream));
    check_done(cuptiActivityFlushAll(1));
    check(count_records(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == 1);
    const CUpti_ActivityKernel10 *kernel = find_record(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 0);
    check(strcmp(kernel->name, "fill") == 0);
    check(kernel->gridX == 3 && kernel->gridY == 1 && kernel->blockX == 32 && kernel->blockZ == 1);
    check(kernel->end >= kernel->start && kernel->completed == kernel->end);
    check_done(cuptiGetContextId(context, &context_id));
    check_done(cuptiGetStreamIdEx(context, stream, 0, &stream_id));
    check(kernel->contextId == context_id && kernel->streamId == stream_id);
    const CUpti_ActivityAPI *call = find_record(CUPTI_ACTIVITY_KIND_DRIVER, 0);
    check(call->cbid == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel && call->returnValue == 0);
    check(call->correlationId == kernel->correlationId && call->start <= call->end);
    check(call->processId == (uint32_t)getpid());
}

TEST(copies_and_fills_tell_what_memory_they_touch)
{
    char pageable[64] = {0};
    CUdeviceptr memory;
    void *pinned;

    with_context();
    check_success(cuMemAlloc(&memory, 4096));
    check_success(cuMemHostAlloc(&pinned, 4096, 0));
    RECORD(CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET);
    check_success(cuMemsetD32(memory, 7, 16));
    check_success(cuMemcpyHtoD(memory, pageable, 64));
    check_success(cuMemcpyDtoHAsync(pinned, memory, 32, NULL));
    check_success(cuMemcpyDtoD(memory + 1024, memory, 16));
    check_success(cuCtxSynchronize());
    check_done(cuptiActivityFlushAll(1));
    const CUpti_ActivityMemset4 *fill = find_record(CUPTI_ACTIVITY_KIND_MEMSET, 0);
    check(fill->bytes == 64 && fill->value == 7 && fill->flags == 0);
    check(fill->memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
    check(count_records(CUPTI_ACTIVITY_KIND_MEMCPY) == 3);
    const CUpti_ActivityMemcpy6 *copy = find_record(CUPTI_ACTIVITY_KIND_MEMCPY, 0);
    check(copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD && copy->bytes == 64);
    check(copy->srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE && copy->flags == 0);
    copy = find_record(CUPTI_ACTIVITY_KIND_MEMCPY, 1);
    check(copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH && copy->bytes == 32);
    check(copy->dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
    check(copy->flags == CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC);
    copy = find_record(CUPTI_ACTIVITY_KIND_MEMCPY, 2);
    check(copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOD && copy->flags == 0);
}

/* The driver's calls that the runtime makes have its number, and no record. */
TEST(calls_of_the_runtime_are_recorded_once)
{
    void *memory;

    check(cudaFree(NULL) == cudaSuccess);
    RECORD(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_MEMSET);
    check(cudaMalloc(&memory, 4096) == cudaSuccess);
    check(cudaMemsetAsync(memory, 1, 4096, NULL) == cudaSuccess);
    check(cudaDeviceSynchronize() == cudaSuccess);
    check_done(cuptiActivityFlushAll(1));
    check(count_records(CUPTI_ACTIVITY_KIND_DRIVER) == 0);
    check(count_records(CUPTI_ACTIVITY_KIND_RUNTIME) == 3);
    const CUpti_ActivityAPI *call = find_record(CUPTI_ACTIVITY_KIND_RUNTIME, 1);
    const CUpti_ActivityMemset4 *fill = find_record(CUPTI_ACTIVITY_KIND_MEMSET, 0);
    check(call->cbid == CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020);
    check(fill->correlationId == call->correlationId);
    check(fill->flags == CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC);
}

TEST(numbers_of_the_tool_belong_to_calls)
{
    uint64_t last = 0;
    CUdeviceptr memory;

    with_context();
    check(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last) ==
          CUPTI_ERROR_QUEUE_EMPTY);
    RECORD(CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
    check_done(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 5));
    check_done(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 42));
    check_success(cuMemAlloc(&memory, 16));
    check_done(
        cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last));
    check(last == 42);
    check_success(cuMemFree(memory));
    check_done(cuptiActivityFlushAll(1));
    check(count_records(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) == 2);
    const CUpti_ActivityExternalCorrelation *external =
        find_record(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, 0);
    const CUpti_ActivityAPI *call = find_record(CUPTI_ACTIVITY_KIND_DRIVER, 0);
    check(external->externalId == 42 && external->correlationId == call->correlationId);
    external = find_record(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, 1);
    check(external->externalId == 5);
}

TEST(waits_are_recorded)
{
    CUstream stream, other;
    CUevent event;

    with_context();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    check_success(cuEventCreate(&event, 0));
    RECORD(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_CUDA_EVENT);
    check_success(cuEventRecord(event, stream));
    check_success(cuStreamWaitEvent(other, event, 0));
    check_success(cuEventSynchronize(event));
    check_success(cuStreamSynchronize(stream));
    check_success(cuCtxSynchronize());
    check_done(cuptiActivityFlushAll(1));
    const CUpti_ActivityCudaEvent2 *recorded = find_record(CUPTI_ACTIVITY_KIND_CUDA_EVENT, 0);
    static const CUpti_ActivitySynchronizationType expected[] = {
        CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT,
        CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE,
        CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE,
        CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE};
    check(count_records(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) == 4);
    for (int i = 0; i < 4; i++) {
        const CUpti_ActivitySynchronization2 *wait =
            find_record(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, i);
        check(wait->type == expected[i]);
        check(wait->cudaEventId ==
              (i < 2 ? recorded->eventId : CUPTI_SYNCHRONIZATION_INVALID_VALUE));
    }
}

/* Launches a graph of a kernel and a fill. NVIDIA's library needs the kinds to be enabled before.
 */
static void launch_graph(void)
{
    CUdeviceptr memory;
    CUfunction function;
    CUgraph graph;
    CUgraphExec exec;
    CUstream stream;

    function = load_kernel("fill");
    check_success(cuMemAlloc(&memory, 4096));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    launch_fill(function, memory, 1, stream);
    check_success(cuMemsetD8Async(memory, 0, 64, stream));
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphInstantiate(&exec, graph, 0));
    check_success(cuGraphLaunch(exec, stream));
    check_success(cuStreamSynchronize(stream));
    check_done(cuptiActivityFlushAll(1));
}

TEST(the_nodes_of_a_graph_are_recorded)
{
    with_context();
    RECORD(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMSET);
    launch_graph();
    check(count_records(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == 1);
    check(count_records(CUPTI_ACTIVITY_KIND_MEMSET) == 1);
    const CUpti_ActivityKernel10 *kernel = find_record(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 0);
    const CUpti_ActivityMemset4 *fill = find_record(CUPTI_ACTIVITY_KIND_MEMSET, 0);
    check(kernel->graphId != 0 && kernel->graphId == fill->graphId);
    check(kernel->correlationId == fill->correlationId);
    check(kernel->graphNodeId != fill->graphNodeId);
}

TEST(a_graph_is_recorded_as_a_whole)
{
    with_context();
    RECORD(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
           CUPTI_ACTIVITY_KIND_MEMSET);
    launch_graph();
    check(count_records(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == 0);
    check(count_records(CUPTI_ACTIVITY_KIND_MEMSET) == 0);
    check(count_records(CUPTI_ACTIVITY_KIND_GRAPH_TRACE) == 1);
    const CUpti_ActivityGraphTrace2 *whole = find_record(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, 0);
    check(whole->graphId != 0 && whole->end >= whole->start);
}

TEST(memory_is_recorded_when_allocated_and_freed)
{
    CUdeviceptr memory;

    with_context();
    RECORD(CUPTI_ACTIVITY_KIND_MEMORY2, CUPTI_ACTIVITY_KIND_MEMORY);
    check_success(cuMemAlloc(&memory, 1000));
    check_success(cuMemFree(memory));
    check_done(cuptiActivityFlushAll(1));
    const CUpti_ActivityMemory4 *operation = find_record(CUPTI_ACTIVITY_KIND_MEMORY2, 0);
    check(operation->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION);
    check(operation->bytes == 1000 && operation->address == memory);
    operation = find_record(CUPTI_ACTIVITY_KIND_MEMORY2, 1);
    check(operation->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE);
    const CUpti_ActivityMemory *life = find_record(CUPTI_ACTIVITY_KIND_MEMORY, 0);
    check(life->bytes == 1000 && life->end >= life->start);
}

static void *fill_repeatedly(void *memory)
{
    static _Atomic unsigned threads;
    CUdeviceptr own = (CUdeviceptr)(uintptr_t)memory + 64 * threads++;

    for (int i = 0; i < 200; i++)
        check_success(cuMemsetD8Async(own, 1, 64, CU_STREAM_PER_THREAD));
    check_success(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    return NULL;
}

static void *fill_in_thread(void *argument)
{
    void **pair = argument;

    check_success(cuCtxSetCurrent(pair[0]));
    return fill_repeatedly(pair[1]);
}

/* A buffer that is full goes back, and another is asked for. Nothing is lost. */
TEST(small_buffers_lose_nothing)
{
    CUcontext context = with_context();
    CUdeviceptr memory;
    pthread_t threads[4];
    size_t dropped;

    check_success(cuMemAlloc(&memory, 4096));
    buffer_bytes = 1024;
    RECORD(CUPTI_ACTIVITY_KIND_MEMSET);
    void *pair[] = {context, (void *)(uintptr_t)memory};
    for (int i = 0; i < 4; i++)
        check(pthread_create(&threads[i], NULL, fill_in_thread, pair) == 0);
    for (int i = 0; i < 4; i++)
        check(pthread_join(threads[i], NULL) == 0);
    check_done(cuptiActivityFlushAll(1));
    check(count_records(CUPTI_ACTIVITY_KIND_MEMSET) == 800);
    check(requests >= 800 * (int)sizeof(CUpti_ActivityMemset4) / 1024);
    check_done(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
    check(dropped == 0);
}

TEST(disabled_kinds_are_not_recorded)
{
    CUdeviceptr memory;

    with_context();
    check_success(cuMemAlloc(&memory, 4096));
    RECORD(CUPTI_ACTIVITY_KIND_MEMSET);
    check_success(cuMemsetD8(memory, 1, 16));
    check_done(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMSET));
    check_success(cuMemsetD8(memory, 1, 16));
    check_success(cuCtxSynchronize());
    check_done(cuptiActivityFlushAll(1));
    check(count_records(CUPTI_ACTIVITY_KIND_MEMSET) == 1);
    check(cuptiActivityEnable((CUpti_ActivityKind)0) == CUPTI_ERROR_NOT_COMPATIBLE);
    check(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_PC_SAMPLING) ==
          CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED);
}

/* The record of a pool's operation; NULL: there is none. */
static const CUpti_ActivityMemoryPool3 *find_pool(CUpti_ActivityMemoryPoolOperationType operation)
{
    const CUpti_ActivityMemoryPool3 *record;

    for (int i = 0; (record = find_record(CUPTI_ACTIVITY_KIND_MEMORY_POOL, i)); i++)
        if (record->memoryPoolOperationType == operation)
            return record;
    return NULL;
}

/* Documented are the operations that have records, not how many others the driver makes of them:
 * NVIDIA's trims pools by itself, too. */
TEST(pools_are_recorded_when_created_trimmed_and_destroyed)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemoryPool pool;
    CUdeviceptr memory;

    with_context();
    RECORD(CUPTI_ACTIVITY_KIND_MEMORY_POOL, CUPTI_ACTIVITY_KIND_MEMORY2);
    check_success(cuMemPoolCreate(&pool, &properties));
    check_success(cuMemAllocFromPoolAsync(&memory, 1000, pool, NULL));
    check_success(cuMemFreeAsync(memory, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuMemPoolTrimTo(pool, 0));
    check_success(cuMemPoolDestroy(pool));
    check_done(cuptiActivityFlushAll(1));
    const CUpti_ActivityMemoryPool3 *created =
        find_pool(CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED);
    check(created && created->memoryPoolType == CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL);
    check(created->processId == (uint32_t)getpid() && created->deviceId == 0);
    check(find_pool(CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED));
    only_cupipe();
    check(count_records(CUPTI_ACTIVITY_KIND_MEMORY_POOL) == 3);
    const CUpti_ActivityMemoryPool3 *trimmed =
        find_pool(CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED);
    check(trimmed == find_record(CUPTI_ACTIVITY_KIND_MEMORY_POOL, 1));
    const CUpti_ActivityMemory4 *allocated = find_record(CUPTI_ACTIVITY_KIND_MEMORY2, 0);
    check(allocated->isAsync && allocated->bytes == 1000);
    check(allocated->memoryPoolConfig.memoryPoolType == CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL);
    check(allocated->memoryPoolConfig.address == created->address);
}

static const CUpti_ActivityFunction *find_function(const char *name)
{
    const CUpti_ActivityFunction *record;

    for (int i = 0; (record = find_record(CUPTI_ACTIVITY_KIND_FUNCTION, i)); i++)
        if (strcmp(record->name, name) == 0)
            return record;
    return NULL;
}

/* NVIDIA's driver loads a function when it is first needed, and tells of it then. */
TEST(the_functions_of_a_module_are_recorded)
{
    CUdeviceptr memory;

    with_context();
    check_success(cuMemAlloc(&memory, 4096));
    RECORD(CUPTI_ACTIVITY_KIND_FUNCTION);
    launch_fill(load_kernel("fill"), memory, 1, NULL);
    check_success(cuCtxSynchronize());
    check_done(cuptiActivityFlushAll(1));
    const CUpti_ActivityFunction *fill = find_function("fill");
    check(fill && fill->id > 0);
    only_cupipe();
    check(count_records(CUPTI_ACTIVITY_KIND_FUNCTION) == 2 && find_function("nothing"));
    check(fill->functionIndex > 0);
}

/* NVIDIA's driver compiles when a module is loaded, cupipe's at the first launch. */
TEST(compilations_are_recorded)
{
    CUdeviceptr memory;

    with_context();
    check_success(cuMemAlloc(&memory, 4096));
    RECORD(CUPTI_ACTIVITY_KIND_JIT, CUPTI_ACTIVITY_KIND_OVERHEAD);
    launch_fill(load_kernel("fill"), memory, 1, NULL);
    check_success(cuCtxSynchronize());
    check_done(cuptiActivityFlushAll(1));
    const CUpti_ActivityJit2 *step = find_record(CUPTI_ACTIVITY_KIND_JIT, 0);
    check(step && step->jitEntryType == CUPTI_ACTIVITY_JIT_ENTRY_PTX_TO_CUBIN);
    check(step->jitOperationType > CUPTI_ACTIVITY_JIT_OPERATION_INVALID);
    check(step->end >= step->start); /* both may be 0 */
    only_cupipe(); /* which steps there are, and which of them are overhead, is not documented */
    check(step->jitOperationType == CUPTI_ACTIVITY_JIT_OPERATION_CACHE_LOAD ||
          step->jitOperationType == CUPTI_ACTIVITY_JIT_OPERATION_COMPILE);
    check(step->processId == (uint32_t)getpid());
    check(count_records(CUPTI_ACTIVITY_KIND_OVERHEAD) >= 1);
}

TEST(unified_memory_is_recorded_once_it_is_configured)
{
    CUpti_ActivityUnifiedMemoryCounterConfig config = {
        .scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE,
        .kind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
        .enable = 1};

    with_context();
    check(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) == CUPTI_ERROR_NOT_READY);
    check(cuptiActivityConfigureUnifiedMemoryCounter(NULL, 1) == CUPTI_ERROR_INVALID_PARAMETER);
    check(cuptiActivityConfigureUnifiedMemoryCounter(&config, 0) == CUPTI_ERROR_INVALID_PARAMETER);
    check_done(cuptiActivityConfigureUnifiedMemoryCounter(&config, 1));
    check_done(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER));
    check_done(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER));
}
