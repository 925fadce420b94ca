/* SPDX-License-Identifier: MIT */
/* Forks, exits, threads at once, and tools that do what they should not. */
#include "cupti_test.h"

#include <stdatomic.h>
#include <sys/wait.h>

enum { ROUNDS = 200, WORKERS = 3 };

static CUcontext context;
static CUdeviceptr memory;
static atomic_bool is_over;

static void *fill_until_over(void *unused)
{
    (void)unused;
    check_success(cuCtxSetCurrent(context));
    while (!is_over)
        check_success(cuMemsetD8Async(memory, 1, 64, CU_STREAM_PER_THREAD));
    check_success(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    return NULL;
}

static void *flush_until_over(void *unused)
{
    (void)unused;
    while (!is_over)
        check_done(cuptiActivityFlushAll(1));
    return NULL;
}

static void recycle_buffer(CUcontext unused, uint32_t stream, uint8_t *buffer, size_t size,
                           size_t used)
{
    (void)unused, (void)stream, (void)size, (void)used;
    free(buffer);
}

static void record_fills(CUpti_BuffersCallbackCompleteFunc complete)
{
    context = with_context();
    check_success(cuMemAlloc(&memory, 4096));
    check_done(cuptiActivityRegisterCallbacks(give_buffer, complete));
    check_done(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET));
    check_done(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER));
}

static int end_of(pid_t child)
{
    int status;

    check(waitpid(child, &status, 0) == child);
    return status;
}

/* What a child of a tool's process may do: CUDA is not there for it. */
static void use_everything_in_child(void)
{
    CUpti_SubscriberHandle subscriber;
    CUdeviceptr other;

    alarm(20);
    (void)cuMemAlloc(&other, 64);
    (void)cuptiActivityFlushAll(1);
    (void)cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
    (void)cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMSET);
    if (cuptiSubscribe(&subscriber, NULL, NULL) == CUPTI_SUCCESS)
        (void)cuptiUnsubscribe(subscriber);
    (void)cuptiFinalize();
    _exit(0);
}

TEST(forked_children_do_not_hang)
{
    pthread_t threads[2];

    check_success(cuInit(0));
    only_cupipe();
    buffer_bytes = 1024;
    record_fills(recycle_buffer);
    check(pthread_create(&threads[0], NULL, fill_until_over, NULL) == 0);
    check(pthread_create(&threads[1], NULL, flush_until_over, NULL) == 0);
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();

        if (child == 0)
            use_everything_in_child();
        check(end_of(child) == 0);
    }
    is_over = true;
    for (int i = 0; i < 2; i++)
        check(pthread_join(threads[i], NULL) == 0);
}

/* Records that nobody fetched are lost with the process. */
TEST(a_process_may_end_with_records)
{
    pid_t child = fork();

    if (child == 0) {
        record_fills(recycle_buffer);
        for (int i = 0; i < 10; i++)
            check_success(cuMemsetD8Async(memory, 1, 64, NULL));
        exit(0);
    }
    check(end_of(child) == 0);
}

static void flush_inside(CUcontext unused, uint32_t stream, uint8_t *buffer, size_t size,
                         size_t used)
{
    check_done(cuptiActivityFlushAll(1));
    take_buffer(unused, stream, buffer, size, used);
}

TEST(a_tool_may_flush_while_it_takes_a_buffer)
{
    check_success(cuInit(0));
    only_cupipe(); /* not documented */
    buffer_bytes = 1024;
    record_fills(flush_inside);
    for (int i = 0; i < 100; i++)
        check_success(cuMemsetD8(memory, 1, 64));
    check_success(cuCtxSynchronize());
    check_done(cuptiActivityFlushAll(1));
    check(count_records(CUPTI_ACTIVITY_KIND_MEMSET) == 100);
}

static uint8_t *bad_buffer;
static size_t bad_bytes;

static void give_bad_buffer(uint8_t **buffer, size_t *size, size_t *records_max)
{
    *buffer = bad_buffer;
    *size = bad_bytes;
    *records_max = 0;
}

static void ignore_buffer(CUcontext unused, uint32_t stream, uint8_t *buffer, size_t size,
                          size_t used)
{
    (void)unused, (void)stream, (void)buffer, (void)size;
    check(used == 0);
}

/* What has no room is counted as dropped. */
TEST(a_tool_may_give_no_buffer_or_a_small_one)
{
    static uint8_t small[16];
    size_t dropped = 0;

    check_success(cuInit(0));
    only_cupipe(); /* not documented */
    record_fills(recycle_buffer);
    check_done(cuptiActivityRegisterCallbacks(give_bad_buffer, ignore_buffer));
    for (int i = 0; i < 2; i++) {
        bad_buffer = i ? small : NULL;
        bad_bytes = i ? sizeof(small) : 4096;
        check_success(cuMemsetD8(memory, 1, 64));
        check_success(cuCtxSynchronize());
        check_done(cuptiActivityFlushAll(1));
        check_done(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
        check(dropped >= 2);
    }
}

TEST(buffers_that_end_early_have_no_more_records)
{
    CUpti_ActivityMemset4 records_of_two[2] = {{.kind = CUPTI_ACTIVITY_KIND_MEMSET},
                                               {.kind = CUPTI_ACTIVITY_KIND_MEMSET}};
    uint8_t *buffer = (uint8_t *)records_of_two;
    size_t bytes = sizeof(*records_of_two);
    CUpti_Activity *record = NULL;

    check(cuptiActivityGetNextRecord(NULL, 0, &record) == CUPTI_ERROR_INVALID_PARAMETER);
    check(cuptiActivityGetNextRecord(buffer, bytes, NULL) == CUPTI_ERROR_INVALID_PARAMETER);
    check(cuptiActivityGetNextRecord(buffer, 0, &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
    check_success(cuInit(0));
    only_cupipe(); /* NVIDIA's library trusts the size */
    check(cuptiActivityGetNextRecord(buffer, 2, &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
    check(cuptiActivityGetNextRecord(buffer, bytes - 1, &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
    check_done(cuptiActivityGetNextRecord(buffer, bytes + 1, &record));
    check(record == (CUpti_Activity *)buffer);
    check(cuptiActivityGetNextRecord(buffer, bytes + 1, &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
    records_of_two[0].kind = (CUpti_ActivityKind)100000;
    record = NULL;
    check(cuptiActivityGetNextRecord(buffer, bytes, &record) == CUPTI_ERROR_INVALID_KIND);
}

static _Atomic int callbacks;
static CUpti_SubscriberHandle _Atomic subscribed;

/* Calls CUDA and this library from within, and ends its own subscription. */
static void on_call(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *given)
{
    CUdeviceptr other;

    (void)data, (void)given;
    if (callbacks++ > 0)
        return;
    check(domain == CUPTI_CB_DOMAIN_DRIVER_API && id == CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
    check_success(cuMemAlloc(&other, 64)); /* is not told */
    check_success(cuMemFree(other));
    check_done(cuptiUnsubscribe(subscribed));
}

TEST(a_callback_may_end_its_subscription)
{
    CUpti_SubscriberHandle subscriber;
    CUdeviceptr other;

    with_context();
    check_done(cuptiSubscribe(&subscriber, on_call, NULL));
    subscribed = subscriber;
    check_done(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                                   CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2));
    check_success(cuMemAlloc(&other, 64));
    check_success(cuMemAlloc(&other, 64));
    check(callbacks == 1);
}

TEST(nothing_is_told_after_the_end)
{
    CUpti_SubscriberHandle subscriber;
    CUdeviceptr other;

    record_fills(recycle_buffer);
    check_done(cuptiSubscribe(&subscriber, on_call, NULL));
    check_done(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API));
    check_done(cuptiFinalize());
    check_success(cuMemAlloc(&other, 64));
    check(callbacks == 0);
    check_done(cuptiSubscribe(&subscriber, on_call, NULL));
}

static void *subscribe_repeatedly(void *unused)
{
    CUpti_SubscriberHandle subscriber;

    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        CUptiResult result = cuptiSubscribe(&subscriber, NULL, NULL);

        if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
            continue;
        check_done(result);
        check_done(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API));
        check_done(cuptiUnsubscribe(subscriber));
    }
    return NULL;
}

static void *enable_repeatedly(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        check_done(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME));
        check_done(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_RUNTIME));
        check_done(cuptiActivityFlushAll(0));
    }
    return NULL;
}

TEST(threads_subscribe_enable_and_work_at_once)
{
    static void *(*const jobs[])(void *) = {subscribe_repeatedly, subscribe_repeatedly,
                                            enable_repeatedly};
    pthread_t workers[WORKERS], worker;

    buffer_bytes = 4096;
    record_fills(recycle_buffer);
    check(pthread_create(&worker, NULL, fill_until_over, NULL) == 0);
    for (int i = 0; i < WORKERS; i++)
        check(pthread_create(&workers[i], NULL, jobs[i], NULL) == 0);
    for (int i = 0; i < WORKERS; i++)
        check(pthread_join(workers[i], NULL) == 0);
    is_over = true;
    check(pthread_join(worker, NULL) == 0);
}
