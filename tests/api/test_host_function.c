/* SPDX-License-Identifier: MIT */
/* Host functions in a stream: when they run, and which calls they may make. */
#include "hold.h"

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

static void CUDA_CB count_up(void *data)
{
    atomic_fetch_add((atomic_int *)data, 1);
}

TEST(arguments_are_checked)
{
    with_context();
    CUstream stream = new_stream(0);
    check_result(cuLaunchHostFunc(stream, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamAddCallback(stream, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamQuery(stream));
}

static void CUDA_CB must_not_run(CUstream stream, CUresult status, void *data)
{
    (void)stream, (void)status, (void)data;
    check(!"a callback that was refused");
}

TEST(callbacks_have_no_flags)
{
    with_context();
    for (int bit = 0; bit < 32; bit++)
        check_result(cuStreamAddCallback(NULL, must_not_run, NULL, 1u << bit),
                     CUDA_ERROR_INVALID_VALUE);
    check_success(cuCtxSynchronize());
}

TEST(every_kind_of_stream_calls)
{
    static atomic_int count;

    with_context();
    CUstream streams[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, new_stream(0)};
    for (int i = 0; i < 4; i++) {
        check_success(cuLaunchHostFunc(streams[i], count_up, &count));
        check_success(cuStreamSynchronize(streams[i]));
        check(count == i + 1);
    }
}

struct callback_note {
    CUstream stream;
    CUresult status;
    atomic_int count;
};

static void CUDA_CB note_callback(CUstream stream, CUresult status, void *data)
{
    struct callback_note *note = data;

    note->stream = stream;
    note->status = status;
    atomic_fetch_add(&note->count, 1);
}

TEST(a_callback_gets_its_stream_and_status)
{
    static struct callback_note note;

    with_context();
    CUstream stream = new_stream(0);
    note.status = CUDA_ERROR_UNKNOWN;
    check_success(cuStreamAddCallback(stream, note_callback, &note, 0));
    check_success(cuStreamSynchronize(stream));
    check(note.count == 1 && note.stream == stream && note.status == CUDA_SUCCESS);
    check_success(cuStreamAddCallback(NULL, note_callback, &note, 0));
    check_success(cuStreamSynchronize(NULL));
    check(note.count == 2 && note.status == CUDA_SUCCESS);
}

struct seen_in_order {
    atomic_uint *word;
    unsigned seen[8];
    atomic_int count;
};

static void CUDA_CB note_word(void *data)
{
    struct seen_in_order *seen = data;

    seen->seen[atomic_fetch_add(&seen->count, 1)] = atomic_load(seen->word);
}

TEST(host_functions_take_their_turn)
{
    static struct seen_in_order seen;

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    seen.word = pinned_words(1);
    for (unsigned i = 1; i <= 8; i++) {
        write_word(stream, seen.word, i);
        check_success(cuLaunchHostFunc(stream, note_word, &seen));
    }
    check_success(cuStreamSynchronize(stream));
    check(seen.count == 8);
    for (unsigned i = 0; i < 8; i++)
        check(seen.seen[i] == i + 1);
}

/* What a host function may not call, and what it may. */
struct inside {
    CUcontext context;
    CUstream own, idle;
    CUevent reached, recorded;
    CUdeviceptr device;
    void *pinned;
    struct flag done;
};

static void CUDA_CB call_forbidden(void *data)
{
    struct inside *in = data;
    const CUresult refused = CUDA_ERROR_NOT_PERMITTED;
    CUcontext context;
    CUstream stream = NULL;
    CUevent event = NULL;
    CUdevice device;
    CUdeviceptr pointer = 0;
    void *host = NULL;
    size_t a, b;
    int count;

    check_result(cuCtxGetCurrent(&context), refused);
    check_result(cuCtxSetCurrent(in->context), refused);
    check_result(cuCtxPushCurrent(in->context), refused);
    check_result(cuCtxPopCurrent(&context), refused);
    check_result(cuCtxGetDevice(&device), refused);
    check_result(cuCtxSynchronize(), refused);
    check_result(cuMemGetInfo(&a, &b), refused);
    check_result(cuMemAlloc(&pointer, 256), refused);
    check_result(cuMemFree(0), refused);
    check_result(cuMemHostAlloc(&host, 256, 0), refused);
    check_result(cuMemFreeHost(NULL), refused);
    check_result(cuEventCreate(&event, 0), refused);
    check_result(cuStreamCreate(&stream, 0), refused);
    check_result(cuDeviceGet(&device, 0), refused);
    check_result(cuDeviceGetCount(&count), refused);
    check_result(cuDevicePrimaryCtxRetain(&context, 0), refused);
    flag_raise(&in->done);
}

static void CUDA_CB call_allowed(void *data)
{
    struct inside *in = data;
    const char *name;
    unsigned flags;
    float time;
    int version;

    check_success(cuDriverGetVersion(&version));
    check_success(cuGetErrorName(CUDA_SUCCESS, &name));
    check_success(cuInit(0));
    check_success(cuEventQuery(in->reached));
    check_success(cuEventSynchronize(in->reached));
    check_success(cuEventElapsedTime(&time, in->reached, in->reached));
    check_success(cuStreamQuery(in->idle));
    check_success(cuStreamGetFlags(in->idle, &flags));
    check_result(cuStreamQuery(in->own), CUDA_ERROR_NOT_READY);
    check_success(cuLaunchHostFunc(in->idle, do_nothing, NULL));
    check_success(cuEventRecord(in->recorded, in->idle));
    check_result(cuEventDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuStreamDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
    flag_raise(&in->done);
}

static void CUDA_CB call_waits(void *data)
{
    struct inside *in = data;

    check_success(cuStreamSynchronize(in->idle));
    check_result(cuStreamSynchronize(in->own), CUDA_ERROR_NOT_PERMITTED);
    check_success(cuEventSynchronize(in->reached));
    check_result(cuEventSynchronize(in->recorded), CUDA_ERROR_NOT_PERMITTED);
    check_result(cuStreamSynchronize(NULL), CUDA_ERROR_NOT_PERMITTED);
    flag_raise(&in->done);
}

static struct inside inside;

static void set_up_inside(void)
{
    inside.context = with_context();
    inside.own = new_stream(CU_STREAM_NON_BLOCKING);
    inside.idle = new_stream(CU_STREAM_NON_BLOCKING);
    inside.reached = new_event(0);
    inside.recorded = new_event(0);
    check_success(cuEventRecord(inside.reached, inside.idle));
    check_success(cuStreamSynchronize(inside.idle));
}

TEST(a_host_function_may_not_manage)
{
    set_up_inside();
    check_success(cuLaunchHostFunc(inside.own, call_forbidden, &inside));
    check_success(cuStreamSynchronize(inside.own));
    check(flag_is_raised(&inside.done));
}

TEST(a_host_function_may_use_handles)
{
    set_up_inside();
    check_success(cuLaunchHostFunc(inside.own, call_allowed, &inside));
    check_success(cuStreamSynchronize(inside.own));
    check(flag_is_raised(&inside.done));
    check_success(cuEventSynchronize(inside.recorded));
}

/* NVIDIA's driver waits for ever. */
TEST(a_host_function_may_not_wait)
{
    static struct blocker blocker;

    set_up_inside();
    only_cupipe();
    CUstream held = new_stream(CU_STREAM_NON_BLOCKING);
    block(held, &blocker);
    check_success(cuEventRecord(inside.recorded, held));
    check_success(cuLaunchHostFunc(inside.own, call_waits, &inside));
    check_success(cuStreamSynchronize(inside.own));
    check(flag_is_raised(&inside.done));
    flag_raise(&blocker.released);
    check_success(cuCtxSynchronize());
}

/* Other threads are not inside, whatever runs. */
TEST(others_may_call_while_a_host_function_runs)
{
    static struct blocker blocker;
    CUdeviceptr device;

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    block(stream, &blocker);
    check_success(cuMemAlloc(&device, 256));
    check_success(cuStreamDestroy(new_stream(0)));
    check_success(cuStreamSynchronize(new_stream(0)));
    flag_raise(&blocker.released);
    check_success(cuStreamSynchronize(stream));
}

TEST(a_blocked_host_function_holds_its_stream_alone)
{
    static struct blocker blocker;

    with_context();
    atomic_uint *words = pinned_words(2);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING),
             other = new_stream(CU_STREAM_NON_BLOCKING);
    block(stream, &blocker);
    write_word(stream, &words[0], 1);
    write_word(other, &words[1], 1);
    check_success(cuStreamSynchronize(other));
    check(atomic_load(&words[0]) == 0 && atomic_load(&words[1]) == 1);
    flag_raise(&blocker.released);
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(&words[0]) == 1);
}

TEST(sixty_four_host_functions_block_at_once)
{
    enum { COUNT = 64 };
    static struct blocker blockers[COUNT];

    with_context();
    only_cupipe();
    for (int i = 0; i < COUNT; i++)
        block(new_stream(CU_STREAM_NON_BLOCKING), &blockers[i]); /* waits until it runs */
    for (int i = COUNT - 1; i >= 0; i--) {
        flag_raise(&blockers[i].released);
        flag_wait(&blockers[i].done);
    }
    check_success(cuCtxSynchronize());
}

/* A host function waits for a host function of another stream, that for an event of a third. */
TEST(host_functions_wait_through_other_streams)
{
    static struct blocker first, second;

    with_context();
    only_cupipe();
    CUstream a = new_stream(0), b = new_stream(0), c = new_stream(0);
    CUevent event = new_event(0);
    check_success(cuLaunchHostFunc(a, blocker_run, &first));
    check_success(cuLaunchHostFunc(b, blocker_run, &second));
    check_success(cuEventRecord(event, b));
    check_success(cuStreamWaitEvent(c, event, 0));
    check_success(cuLaunchHostFunc(c, blocker_run, &first)); /* runs when b has */
    flag_raise(&second.released);
    check_success(cuStreamSynchronize(b));
    check(!flag_is_raised(&first.done));
    flag_raise(&first.released);
    check_success(cuCtxSynchronize());
    check(flag_is_raised(&first.done));
}

struct chain {
    CUstream streams[2];
    atomic_int left;
    struct flag done;
};

static void CUDA_CB chain_on(void *data)
{
    struct chain *chain = data;
    int left = atomic_fetch_sub(&chain->left, 1) - 1;

    if (left > 0)
        check_success(cuLaunchHostFunc(chain->streams[left & 1], chain_on, chain));
    else
        flag_raise(&chain->done);
}

TEST(host_functions_submit_host_functions)
{
    static struct chain chain = {.left = 200};

    with_context();
    chain.streams[0] = new_stream(CU_STREAM_NON_BLOCKING);
    chain.streams[1] = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuLaunchHostFunc(chain.streams[0], chain_on, &chain));
    flag_wait(&chain.done);
    check_success(cuCtxSynchronize());
    check(chain.left == 0);
}

static void CUDA_CB destroy_stream(CUstream stream, CUresult status, void *data)
{
    (void)status;
    check_success(cuStreamDestroy(stream));
    flag_raise(data);
}

TEST(a_callback_may_destroy_its_stream)
{
    static struct flag done;
    static atomic_int count;

    with_context();
    only_cupipe();
    CUstream stream = new_stream(0);
    check_success(cuStreamAddCallback(stream, destroy_stream, &done, 0));
    cuLaunchHostFunc(stream, count_up, &count);
    flag_wait(&done);
    check_success(cuCtxSynchronize());
    check_result(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
}

static void *submit_many(void *data)
{
    for (int i = 0; i < 500; i++)
        check_success(cuLaunchHostFunc((CUstream)((void **)data)[0], count_up, ((void **)data)[1]));
    return NULL;
}

TEST(many_host_functions_from_many_threads)
{
    enum { COUNT = 8 };
    static atomic_int count;
    pthread_t threads[COUNT];
    void *arguments[COUNT][2];

    with_context();
    for (int i = 0; i < COUNT; i++) {
        arguments[i][0] = new_stream(i & 1);
        arguments[i][1] = &count;
        check(pthread_create(&threads[i], NULL, submit_many, arguments[i]) == 0);
    }
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    check_success(cuCtxSynchronize());
    check(count == 500 * COUNT);
}
