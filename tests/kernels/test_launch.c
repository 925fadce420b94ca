/* SPDX-License-Identifier: MIT */
/* Launches: their order among other work, many streams, several threads, and invalid launches. */
#include "kernels.h"

enum { WORDS = 5000 };

static CUresult step(CUfunction function, CUdeviceptr words, unsigned factor, CUstream stream)
{
    unsigned count = WORDS;
    void *parameters[] = {&words, &factor, &count};

    return cuLaunchKernel(function, (WORDS + 127) / 128, 1, 1, 128, 1, 1, 0, stream, parameters,
                          NULL);
}

TEST(kernels_and_copies_in_stream_order)
{
    CUfunction function = kernel_from("spaces.ptx", "step");
    CUdeviceptr a = device_zeros(WORDS * 4), b = device_zeros(WORDS * 4);
    CUstream stream;
    uint32_t *host, wanted = 7;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuMemHostAlloc((void **)&host, WORDS * 4, 0));
    check_success(cuMemsetD32Async(a, 7, WORDS, stream));
    for (unsigned k = 1; k <= 20; k++) {
        check_success(step(function, a, k, stream));
        check_success(cuMemcpyDtoDAsync(b, a, WORDS * 4, stream));
        check_success(step(function, b, 3, stream));
        check_success(cuMemcpyDtoDAsync(a, b, WORDS * 4, stream));
        wanted = (wanted * k + 1) * 3 + 1;
    }
    check_success(cuMemcpyDtoHAsync(host, a, WORDS * 4, stream));
    check_success(cuStreamSynchronize(stream));
    for (unsigned i = 0; i < WORDS; i++)
        check(host[i] == wanted);
}

TEST(kernels_of_many_streams)
{
    enum { STREAMS = 40, ROUNDS = 10 };
    CUfunction function = kernel_from("spaces.ptx", "step");
    CUdeviceptr words[STREAMS];
    CUstream streams[STREAMS];
    uint32_t *host = malloc(WORDS * 4);

    for (int i = 0; i < STREAMS; i++) {
        words[i] = device_zeros(WORDS * 4);
        check_success(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    }
    check_success(cuCtxSynchronize());
    for (unsigned k = 0; k < ROUNDS; k++)
        for (unsigned i = 0; i < STREAMS; i++)
            check_success(step(function, words[i], k + i, streams[i]));
    for (unsigned i = 0; i < STREAMS; i++) {
        uint32_t wanted = 0;
        for (unsigned k = 0; k < ROUNDS; k++)
            wanted = wanted * (k + i) + 1;
        check_success(cuStreamSynchronize(streams[i]));
        check_success(cuMemcpyDtoH(host, words[i], WORDS * 4));
        for (unsigned w = 0; w < WORDS; w++)
            check(host[w] == wanted);
    }
}

TEST(event_between_streams_orders_kernels)
{
    CUfunction function = kernel_from("spaces.ptx", "step");
    CUdeviceptr words = device_zeros(WORDS * 4);
    CUstream first, second;
    CUevent event;
    uint32_t got, wanted = 0;

    check_success(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    check_success(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    check_success(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    for (unsigned k = 1; k < 30; k++) {
        CUstream now = k & 1 ? first : second, next = k & 1 ? second : first;
        check_success(step(function, words, k, now));
        check_success(cuEventRecord(event, now));
        check_success(cuStreamWaitEvent(next, event, 0));
        wanted = wanted * k + 1;
    }
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(&got, words + (WORDS - 1) * 4, 4));
    check(got == wanted);
}

TEST(kernel_on_memory_of_every_kind)
{
    CUfunction function = kernel_from("spaces.ptx", "step");
    CUdeviceptr places[5];
    void *pinned, *registered = NULL;
    unsigned count = 100, factor = 1;

    check_success(cuMemAlloc(&places[0], 4096));
    check_success(cuMemAllocManaged(&places[1], 4096, CU_MEM_ATTACH_GLOBAL));
    check_success(cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
    check_success(cuMemHostGetDevicePointer(&places[2], pinned, 0));
    check(posix_memalign(&registered, 4096, 4096) == 0);
    check_success(cuMemHostRegister(registered, 4096, CU_MEMHOSTREGISTER_DEVICEMAP));
    check_success(cuMemHostGetDevicePointer(&places[3], registered, 0));
    check_success(cuMemAllocAsync(&places[4], 4096, NULL));
    for (int i = 0; i < 5; i++) {
        uint32_t got[100];
        void *parameters[] = {&places[i], &factor, &count};
        check_success(cuMemsetD32(places[i], 41, 100));
        launch_line(function, 1, 128, 0, parameters);
        check_success(cuMemcpyDtoH(got, places[i], sizeof got));
        check(got[0] == 42 && got[99] == 42);
    }
    check(((uint32_t *)pinned)[99] == 42 && ((uint32_t *)registered)[99] == 42);
}

static CUfunction shared_function;
static CUcontext shared_context;

static void *launch_many(void *argument)
{
    CUdeviceptr words = *(CUdeviceptr *)argument;
    CUstream stream;

    check_success(cuCtxSetCurrent(shared_context));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (unsigned k = 0; k < 200; k++)
        check_success(step(shared_function, words, 3, stream));
    check_success(cuStreamSynchronize(stream));
    return NULL;
}

TEST(threads_launch_the_same_kernel)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    CUdeviceptr words[THREADS];
    uint32_t wanted = 0, got;

    shared_function = kernel_from("spaces.ptx", "step");
    check_success(cuCtxGetCurrent(&shared_context));
    for (int i = 0; i < THREADS; i++)
        words[i] = device_zeros(WORDS * 4);
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, launch_many, &words[i]) == 0);
    for (int k = 0; k < 200; k++)
        wanted = wanted * 3 + 1;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        check_success(cuMemcpyDtoH(&got, words[i] + 400, 4));
        check(got == wanted);
    }
}

static CUresult launch_shape(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                             unsigned bx, unsigned by, unsigned bz, unsigned shared)
{
    CUdeviceptr words = 0;
    unsigned factor = 1, count = 0;
    void *parameters[] = {&words, &factor, &count};

    return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, NULL, parameters, NULL);
}

TEST(shapes_that_are_refused)
{
    static const unsigned wrong[][7] = {
        {0, 1, 1, 1, 1, 1, 0},
        {1, 0, 1, 1, 1, 1, 0},
        {1, 1, 0, 1, 1, 1, 0},
        {1, 1, 1, 0, 1, 1, 0},
        {1, 1, 1, 1, 0, 1, 0},
        {1, 1, 1, 1, 1, 0, 0},
        {1, 1, 1, 1025, 1, 1, 0},
        {1, 1, 1, 1, 1025, 1, 0},
        {1, 1, 1, 1, 1, 65, 0},
        {1, 1, 1, 32, 33, 1, 0},
        {1, 65536, 1, 1, 1, 1, 0},
        {1, 1, 65536, 1, 1, 1, 0},
        {0x80000000u, 1, 1, 1, 1, 1, 0},
        {1, 1, 1, 1, 1, 1, 49153},
        {1, 1, 1, 0x10000, 0x10000, 1, 0},
    };
    CUfunction function = kernel_from("spaces.ptx", "step");

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_result(launch_shape(function, wrong[i][0], wrong[i][1], wrong[i][2], wrong[i][3],
                                  wrong[i][4], wrong[i][5], wrong[i][6]),
                     CUDA_ERROR_INVALID_VALUE);
    check_success(launch_shape(function, 1, 1, 1, 1024, 1, 1, 49152));
    check_success(cuCtxSynchronize());
}

/* So many names of registers, which a compiler needs few registers for: all values are known. */
enum { NAMES = 200 };

static uint32_t sum_of_names(uint32_t index)
{
    return index + NAMES * (NAMES - 1) / 2;
}

static CUfunction kernel_of_many_names(void)
{
    static char text[NAMES * 64 + 1024];
    int length = snprintf(text, sizeof(text),
                          ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry names(.param .u64 out, .param .u32 count)\n{\n"
                          "    .reg .u32 %%t, %%r<%d>;\n    .reg .u64 %%o;\n"
                          "    ld.param.u64 %%o, [out];\n    mov.u32 %%t, %%tid.x;\n"
                          "    mad.wide.u32 %%o, %%t, 4, %%o;\n",
                          NAMES);
    CUmodule module;

    for (int k = 0; k < NAMES; k++)
        length += snprintf(text + length, sizeof(text) - (size_t)length, "    mov.u32 %%r%d, %d;\n",
                           k, k);
    for (int k = 0; k < NAMES; k++)
        length += snprintf(text + length, sizeof(text) - (size_t)length,
                           "    add.u32 %%t, %%t, %%r%d;\n", k);
    snprintf(text + length, sizeof(text) - (size_t)length,
             "    st.global.u32 [%%o], %%t;\n    ret;\n}\n");
    with_context();
    check_success(cuModuleLoadData(&module, text));
    return kernel_of(module, "names");
}

TEST(a_whole_block_of_a_kernel_with_many_names)
{
    CUfunction function = kernel_of_many_names();
    CUdeviceptr out = device_zeros(4096);
    unsigned count = 1024;
    void *parameters[] = {&out, &count};
    int blocks = 0;

    check_words(function, 1, 1024, sum_of_names);
    check_success(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 1024, 0));
    check(blocks >= 1);
    check_success(cuLaunchCooperativeKernel(function, 2, 1, 1, 1024, 1, 1, 0, NULL, parameters));
    check_success(cuFuncSetBlockShape(function, 1024, 1, 1));
    check_success(cuCtxSynchronize());
}

TEST(launch_of_no_function)
{
    with_context();
    check_result(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                 CUDA_ERROR_INVALID_HANDLE);
    check_result(cuLaunchKernel(NULL, 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                 CUDA_ERROR_INVALID_HANDLE);
}

TEST(launch_without_parameters)
{
    CUfunction function = kernel_from("spaces.ptx", "step");

    check_result(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(extra_that_is_wrong)
{
    CUfunction function = kernel_from("spaces.ptx", "step");
    char buffer[64] = "";
    size_t size = 16;
    void *unknown[] = {(void *)7, buffer, CU_LAUNCH_PARAM_END};
    void *nothing[] = {CU_LAUNCH_PARAM_END};
    void *no_size[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_END};
    void *no_buffer[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};

    check_result(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, unknown),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, nothing),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, no_size),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, no_buffer),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(function_of_another_context)
{
    CUfunction function = kernel_from("spaces.ptx", "step");
    CUcontext other;

    check_success(cuCtxCreate(&other, NULL, 0, 0));
    check_result(launch_shape(function, 1, 1, 1, 1, 1, 1, 0), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cooperative_grid_that_is_too_large)
{
    CUfunction function = kernel_from("progress.ptx", "grid_sync");
    CUdeviceptr words = device_zeros(8);
    unsigned rounds = 1;
    void *parameters[] = {&words, &words, &rounds};

    check_result(cuLaunchCooperativeKernel(function, 100000, 1, 1, 64, 1, 1, 0, NULL, parameters),
                 CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    /* A block with more shared memory than it may have runs nowhere. */
    check_result(cuLaunchCooperativeKernel(function, 1, 1, 1, 32, 1, 1, 1 << 20, NULL, parameters),
                 CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    check_result(cuLaunchCooperativeKernel(function, 1, 1, 1, 32, 1, 1, 1 << 20, NULL, NULL),
                 CUDA_ERROR_INVALID_VALUE);
}

static CUresult launch_clusters(CUfunction function, const unsigned *cluster,
                                const unsigned *preferred, unsigned shared)
{
    unsigned rounds = 1;
    CUdeviceptr words = 0;
    void *parameters[] = {&words, &rounds, &rounds};
    CUlaunchAttribute attributes[] = {
        {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
         .value.clusterDim = {cluster[0], cluster[1], cluster[2]}},
        {.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
         .value.preferredClusterDim = {preferred[0], preferred[1], preferred[2]}},
    };
    CUlaunchConfig config = {16, 1, 1, 32, 1, 1, shared, NULL, attributes, 2};

    return cuLaunchKernelEx(&config, function, parameters, NULL);
}

/* It must be a multiple of the cluster, which must be set, and divide the grid. */
TEST(preferred_clusters_that_are_refused)
{
    static const unsigned none[3], one[] = {1, 1, 1}, two[] = {2, 1, 1}, four[] = {4, 1, 1},
                                   three[] = {3, 1, 1}, high[] = {1, 2, 1};
    CUfunction function = kernel_from("spaces.ptx", "step");

    check_result(launch_clusters(function, none, one, 0), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    check_result(launch_clusters(function, two, one, 0), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    check_result(launch_clusters(function, one, three, 0), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    check_result(launch_clusters(function, one, high, 0), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    check_result(launch_clusters(function, three, none, 1 << 20), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    check_result(launch_clusters(function, two, four, 1 << 20), CUDA_ERROR_INVALID_VALUE);
    check_result(launch_clusters(function, two, none, 1 << 20), CUDA_ERROR_INVALID_VALUE);
}

/* NVIDIA's driver crashes. */
TEST(attributes_that_cannot_be_read)
{
    CUfunction function = kernel_from("spaces.ptx", "step");
    CUlaunchAttribute *attributes = (CUlaunchAttribute *)(uintptr_t)64;
    CUlaunchConfig config = {16, 1, 1, 32, 1, 1, 0, NULL, attributes, 1};
    int count;

    only_cupipe();
    check_result(cuLaunchKernelEx(&config, function, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuOccupancyMaxActiveClusters(&count, function, &config), CUDA_ERROR_INVALID_VALUE);
    config.attrs = NULL;
    check_result(cuLaunchKernelEx(&config, function, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
}

static CUresult launch_recording(CUfunction function, CUlaunchAttributeID id, CUevent event,
                                 int flags, CUdeviceptr words, CUstream stream)
{
    unsigned factor = 1, count = WORDS;
    void *parameters[] = {&words, &factor, &count};
    CUlaunchAttribute attribute = {.id = id};
    CUlaunchConfig config = {(WORDS + 127) / 128, 1, 1, 128, 1, 1, 0, stream, &attribute, 1};

    if (id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT) {
        attribute.value.programmaticEvent.event = event;
        attribute.value.programmaticEvent.flags = flags;
    } else {
        attribute.value.launchCompletionEvent.event = event;
        attribute.value.launchCompletionEvent.flags = flags;
    }
    return cuLaunchKernelEx(&config, function, parameters, NULL);
}

static const CUlaunchAttributeID recording_ids[] = {CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
                                                    CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT};

TEST(launch_records_an_event)
{
    CUfunction function = kernel_from("spaces.ptx", "step");
    CUdeviceptr words = device_zeros(WORDS * 4);
    CUstream stream, other;
    CUevent event;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    check_success(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    for (unsigned i = 0; i < 2; i++) {
        check_success(launch_recording(function, recording_ids[i], event, 0, words, stream));
        check_success(cuStreamWaitEvent(other, event, 0));
        check_success(cuEventSynchronize(event));
        check_success(cuEventQuery(event));
        check_success(cuStreamSynchronize(other));
    }
    check_success(cuStreamSynchronize(stream));
}

TEST(events_that_no_launch_records)
{
    CUfunction function = kernel_from("spaces.ptx", "step");
    CUdeviceptr words = device_zeros(WORDS * 4);
    CUevent timed, shared, blocking, plain;

    check_success(cuEventCreate(&timed, CU_EVENT_DEFAULT));
    check_success(cuEventCreate(&shared, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
    check_success(cuEventCreate(&blocking, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC));
    check_success(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
    for (unsigned i = 0; i < 2; i++) {
        CUlaunchAttributeID id = recording_ids[i];
        check_result(launch_recording(function, id, NULL, 0, words, NULL),
                     CUDA_ERROR_INVALID_HANDLE);
        check_result(launch_recording(function, id, timed, 0, words, NULL),
                     CUDA_ERROR_NOT_SUPPORTED);
        check_result(launch_recording(function, id, shared, 0, words, NULL),
                     CUDA_ERROR_NOT_SUPPORTED);
        check_result(launch_recording(function, id, plain, CU_EVENT_RECORD_EXTERNAL, words, NULL),
                     CUDA_ERROR_ILLEGAL_STATE);
        check_result(launch_recording(function, id, blocking, 0, words, NULL),
                     i ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS);
    }
    check_success(cuCtxSynchronize());
}

TEST(module_unloaded_while_its_kernel_is_queued)
{
    CUfunction function = kernel_from("spaces.ptx", "step");
    CUdeviceptr words = device_zeros(WORDS * 4);
    CUmodule module;
    uint32_t got;

    check_success(cuFuncGetModule(&module, function));
    for (int k = 0; k < 50; k++)
        check_success(step(function, words, 1, NULL));
    check_success(cuModuleUnload(module));
    check_success(cuMemcpyDtoH(&got, words, 4));
    check(got == 50);
}

TEST(a_million_blocks)
{
    CUfunction function = kernel_from("spaces.ptx", "count_up");
    CUmodule module;
    CUdeviceptr counter;
    size_t size;
    uint32_t got;

    check_success(cuFuncGetModule(&module, function));
    check_success(cuModuleGetGlobal(&counter, &size, module, "counter"));
    launch_line(function, 1000000, 1, 0, NULL);
    check_success(cuMemcpyDtoH(&got, counter, 4));
    check(got == 1000000);
}

static uint32_t mixed(uint32_t value, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        value = (value ^ value >> 7) * 1664525 + 1013904223;
    return value;
}

/* Each thread of each launch runs once, and those of a block on one multiprocessor. */
static void check_blocks(unsigned blocks, unsigned x, unsigned y, unsigned z, unsigned rounds,
                         unsigned last_launch)
{
    CUfunction function = kernel_from("spaces.ptx", "mix");
    unsigned each = x * y * z, threads = blocks * each;
    CUdeviceptr out = device_zeros(8 * threads), sms = device_zeros(4 * threads);
    void *parameters[] = {&out, &sms, &rounds};
    uint32_t *found = malloc(8 * threads), *places = malloc(4 * threads);

    for (unsigned launches = 1; launches <= last_launch; launches++) {
        check_success(cuLaunchKernel(function, blocks, 1, 1, x, y, z, 0, NULL, parameters, NULL));
        check_success(cuMemcpyDtoH(found, out, 8 * threads));
        check_success(cuMemcpyDtoH(places, sms, 4 * threads));
        for (unsigned i = 0; i < threads; i++) {
            check(found[2 * i + 1] == launches);
            check(places[i] == places[i / each * each]);
            check(i % 37 || found[2 * i] == mixed(i, rounds));
        }
    }
    free(found);
    free(places);
}

/* Blocks that take long may run on several processors. */
static void check_long_blocks(unsigned blocks, unsigned x, unsigned y, unsigned z)
{
    check_blocks(blocks, x, y, z, 4000, 4);
}

TEST(every_thread_of_long_blocks_runs_once)
{
    setenv("CUPIPE_THREADS", "4", 1);
    check_long_blocks(1, 1024, 1, 1);
    check_long_blocks(1, 1000, 1, 1);
    check_long_blocks(11, 33, 1, 1);
}

TEST(every_thread_of_long_blocks_of_rows_runs_once)
{
    setenv("CUPIPE_THREADS", "4", 1);
    check_long_blocks(1, 32, 30, 1);
    check_long_blocks(2, 64, 3, 5);
    check_long_blocks(1, 16, 16, 3);
    check_long_blocks(3, 7, 11, 13);
}

/* Short blocks that lie side by side may run a row of threads at a time: the driver tries that in
 * some launches. */
TEST(every_thread_of_short_blocks_runs_once)
{
    check_blocks(1500, 16, 16, 1, 1, 20);
    check_blocks(777, 32, 3, 1, 1, 20);
    check_blocks(500, 8, 4, 4, 1, 20);
    check_blocks(333, 64, 2, 2, 1, 20);
    check_blocks(500, 20, 7, 1, 1, 20);
}

/* The host reads what the kernel wrote without waiting for it. A captured launch does not wait. */
TEST(blocking_launch_ends_with_its_kernel)
{
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    CUfunction function = kernel_from("spaces.ptx", "step");
    CUstream stream;
    CUgraph graph;
    uint32_t *host;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuMemHostAlloc((void **)&host, WORDS * 4, 0));
    memset(host, 0, WORDS * 4);
    for (unsigned k = 1; k <= 20; k++) {
        check_success(step(function, (CUdeviceptr)(uintptr_t)host, 1, stream));
        for (unsigned i = 0; i < WORDS; i++)
            check(host[i] == k);
        check_success(cuStreamQuery(stream));
    }
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    check_success(step(function, (CUdeviceptr)(uintptr_t)host, 1, stream));
    check_success(cuStreamEndCapture(stream, &graph));
    check(host[0] == 20);
}
