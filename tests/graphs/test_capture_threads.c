/* SPDX-License-Identifier: MIT */
/* Captures and threads: the calls that other threads may make during a capture, and concurrent
 * captures. */
#include "capture.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct task {
    CUresult (*run)(void *argument);
    void *argument;
    CUcontext context;
    CUresult result;
};

static void *task_run(void *argument)
{
    struct task *task = argument;

    check_success(cuCtxSetCurrent(task->context));
    task->result = task->run(task->argument);
    return NULL;
}

static CUresult in_thread(CUresult (*run)(void *argument), void *argument)
{
    struct task task = {.run = run, .argument = argument};
    pthread_t thread;

    check_success(cuCtxGetCurrent(&task.context));
    check(pthread_create(&thread, NULL, task_run, &task) == 0);
    check(pthread_join(thread, NULL) == 0);
    return task.result;
}

static CUresult allocate(void *argument)
{
    CUdeviceptr made;

    (void)argument;
    CUresult result = cuMemAlloc(&made, 4096);
    return result == CUDA_SUCCESS ? cuMemFree(made) : result;
}

static CUresult end_there(void *argument)
{
    CUgraph graph;

    return cuStreamEndCapture(argument, &graph);
}

static CUresult allocate_relaxed(void *argument)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

    check_success(cuThreadExchangeStreamCaptureMode(&mode));
    check(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    return allocate(argument);
}

TEST(unsafe_calls_by_mode)
{
    static const struct {
        CUstreamCaptureMode mode;
        bool here, there; /* forbidden? */
    } cases[] = {{CU_STREAM_CAPTURE_MODE_GLOBAL, true, true},
                 {CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, true, false},
                 {CU_STREAM_CAPTURE_MODE_RELAXED, false, false}};

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned elsewhere = 0; elsewhere < 2; elsewhere++) {
            bool forbidden = elsewhere ? cases[i].there : cases[i].here;
            begin(stream, cases[i].mode);
            check_result(elsewhere ? in_thread(allocate, NULL) : allocate(NULL),
                         forbidden ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS);
            if (forbidden)
                end_invalid(stream);
            else
                end(stream, 0, 0);
        }
    }
}

TEST(threads_exchange_their_mode)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    check_success(in_thread(allocate_relaxed, NULL));
    check_success(cuThreadExchangeStreamCaptureMode(&mode));
    check_success(allocate(NULL));
    check_success(cuThreadExchangeStreamCaptureMode(&mode));
    check(mode == CU_STREAM_CAPTURE_MODE_RELAXED);
    check_result(allocate(NULL), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(stream);
}

TEST(another_thread_ends_relaxed_captures_only)
{
    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    check_result(in_thread(end_there, stream), CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    check(status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
    begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    check_success(in_thread(end_there, stream));
    check(status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
}

enum { ROUNDS = 200, THREADS = 4 };

/* Captures of its own, with a fork, while the others do the same. */
static CUresult capture_often(void *argument)
{
    CUdeviceptr words = new_words();
    CUstream first = new_stream(CU_STREAM_NON_BLOCKING), second = new_stream(0);
    CUevent forked = new_event(0), joined = new_event(0);

    (void)argument;
    for (unsigned i = 0; i < ROUNDS; i++) {
        begin(first, CU_STREAM_CAPTURE_MODE_RELAXED);
        fill(words, 1, first);
        fork_to(first, second, forked);
        fill(words, 2, second);
        fork_to(second, first, joined);
        fill(words, 3, first);
        check_success(cuGraphDestroy(end(first, 3, 3)));
        fill(words, i, second);
        check_success(cuStreamSynchronize(second));
    }
    return CUDA_SUCCESS;
}

TEST(captures_at_the_same_time)
{
    struct task tasks[THREADS];
    pthread_t threads[THREADS];

    with_context();
    for (unsigned i = 0; i < THREADS; i++) {
        tasks[i] = (struct task){.run = capture_often};
        check_success(cuCtxGetCurrent(&tasks[i].context));
        check(pthread_create(&threads[i], NULL, task_run, &tasks[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
}

static atomic_bool over;
static atomic_uint run_count;
static unsigned submitted_count;

static void CUDA_CB count_run(void *argument)
{
    (void)argument;
    atomic_fetch_add(&run_count, 1);
}

/* Whether a call runs or is captured depends on the moment; none is refused. */
static CUresult submit_often(void *argument)
{
    void **arguments = argument;
    CUdeviceptr words = (CUdeviceptr)(uintptr_t)arguments[1];
    CUevent event;

    check_success(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    while (!atomic_load(&over)) {
        check_success(cuMemsetD32Async(words, 1, WORDS, arguments[0]));
        check_success(cuLaunchHostFunc(arguments[0], count_run, NULL));
        submitted_count++;
        check_success(cuMemcpyDtoDAsync(words, words + 4, 4, arguments[0]));
        check_success(cuStreamWriteValue32(arguments[0], words, 2, 0));
        check_success(cuEventRecord(event, arguments[0]));
    }
    return CUDA_SUCCESS;
}

static unsigned count_host_nodes(CUgraph graph)
{
    size_t count;
    unsigned found = 0;

    check_success(cuGraphGetNodes(graph, NULL, &count));
    CUgraphNode *nodes = calloc(count + 1, sizeof(*nodes));
    check(nodes != NULL);
    if (count)
        check_success(cuGraphGetNodes(graph, nodes, &count));
    for (size_t i = 0; i < count; i++) {
        CUgraphNodeType type;
        check_success(cuGraphNodeGetType(nodes[i], &type));
        found += type == CU_GRAPH_NODE_TYPE_HOST;
    }
    free(nodes);
    return found;
}

/* A capture begins and ends in a stream that another thread submits to. What that thread submits is
 * either run or captured. */
TEST(others_submit_meanwhile)
{
    CUgraph graph;
    unsigned word, captured_count = 0;

    with_context();
    only_cupipe(); /* NVIDIA's driver 580 crashes here */
    CUdeviceptr words = new_words();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    void *arguments[] = {stream, (void *)(uintptr_t)words};
    struct task task = {.run = submit_often, .argument = arguments};
    pthread_t thread;

    check_success(cuCtxGetCurrent(&task.context));
    check(pthread_create(&thread, NULL, task_run, &task) == 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
        sched_yield();
        check_success(cuStreamEndCapture(stream, &graph));
        captured_count += count_host_nodes(graph);
        check_success(cuGraphDestroy(graph));
    }
    atomic_store(&over, true);
    check(pthread_join(thread, NULL) == 0);
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(&run_count) + captured_count == submitted_count);
    fill(words, 3, stream);
    check_success(cuStreamSynchronize(stream));
    check_success(cuMemcpyDtoH(&word, words, 4));
    check(word == 3);
}
