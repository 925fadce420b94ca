/* SPDX-License-Identifier: MIT */
/* Streams: handles, properties, order within one and between several, and their ends. */
#include "hold.h"

TEST(create_takes_flags_it_knows)
{
    CUstream stream = NULL;

    with_context();
    check_success(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int bit = 1; bit < 32; bit++) {
        CUstream kept = (CUstream)&stream;
        check_result(cuStreamCreate(&kept, 1u << bit), CUDA_ERROR_INVALID_VALUE);
        check(kept == (CUstream)&stream);
    }
    check_result(cuStreamCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamCreateWithPriority(NULL, 0, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(priority_is_brought_into_range)
{
    int least, greatest;

    with_context();
    check_success(cuCtxGetStreamPriorityRange(&least, &greatest));
    for (int wanted = greatest - 3; wanted <= least + 3; wanted++) {
        int got = 99, expected = wanted < greatest ? greatest : wanted > least ? least : wanted;
        CUstream stream;
        check_success(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, wanted));
        check_success(cuStreamGetPriority(stream, &got));
        check(got == expected);
        check_success(cuStreamDestroy(stream));
    }
}

TEST(properties_of_every_kind_of_stream)
{
    CUcontext context = with_context();
    CUstream streams[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, new_stream(0),
                          new_stream(CU_STREAM_NON_BLOCKING)};
    unsigned long long ids[5];

    for (int i = 0; i < 5; i++) {
        CUcontext of = NULL, of_v2 = NULL;
        CUgreenCtx green = (CUgreenCtx)&of;
        CUdevice device = -1;
        unsigned flags = 99;
        int priority = 99;
        check_success(cuStreamGetCtx(streams[i], &of));
        check_success(cuStreamGetCtx_v2(streams[i], &of_v2, &green));
        check(of == context && of_v2 == context && green == NULL);
        check_success(cuStreamGetCtx_v2(streams[i], NULL, &green));
        check_success(cuStreamGetCtx_v2(streams[i], &of_v2, NULL));
        check_success(cuStreamGetDevice(streams[i], &device));
        check(device == 0);
        check_success(cuStreamGetFlags(streams[i], &flags));
        check(flags == (i == 4 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
        check_success(cuStreamGetPriority(streams[i], &priority));
        check(priority == 0);
        check_success(cuStreamGetId(streams[i], &ids[i]));
        check_success(cuStreamQuery(streams[i]));
        check_success(cuStreamSynchronize(streams[i]));
    }
    check(ids[0] == ids[1] && ids[0] != ids[2] && ids[2] != ids[3] && ids[3] < ids[4]);
}

TEST(a_missing_output_is_invalid)
{
    with_context();
    CUstream streams[] = {NULL, CU_STREAM_PER_THREAD, new_stream(0)};
    for (int i = 0; i < 3; i++) {
        check_result(cuStreamGetPriority(streams[i], NULL), CUDA_ERROR_INVALID_VALUE);
        check_result(cuStreamGetFlags(streams[i], NULL), CUDA_ERROR_INVALID_VALUE);
        check_result(cuStreamGetId(streams[i], NULL), CUDA_ERROR_INVALID_VALUE);
        check_result(cuStreamGetDevice(streams[i], NULL), CUDA_ERROR_INVALID_VALUE);
        check_result(cuStreamGetCtx(streams[i], NULL), CUDA_ERROR_INVALID_VALUE);
        check_result(cuStreamGetCtx_v2(streams[i], NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    }
}

/* What is looked at before the stream, and what after. */
TEST(arguments_are_judged_in_order)
{
    unsigned flags;
    CUstream stream;

    check_success(cuInit(0));
    check_result(cuStreamGetFlags(NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamGetId(NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamGetFlags(NULL, &flags), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuStreamCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamCreate(&stream, 8), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLaunchHostFunc(NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamAddCallback(NULL, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamWaitEvent(NULL, NULL, 2), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuStreamWriteValue32(NULL, 0, 0, 9), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuStreamBatchMemOp(NULL, 256, NULL, 0), CUDA_ERROR_INVALID_CONTEXT);
    with_context();
    check_result(cuStreamWaitEvent(NULL, NULL, 2), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamWaitEvent(NULL, NULL, 1), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventRecordWithFlags(NULL, NULL, 2), CUDA_ERROR_INVALID_HANDLE);
}

TEST(a_default_stream_cannot_be_destroyed)
{
    with_context();
    check_result(cuStreamDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuStreamDestroy(CU_STREAM_LEGACY), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuStreamDestroy(CU_STREAM_PER_THREAD), CUDA_ERROR_INVALID_HANDLE);
}

TEST(without_a_context_only_handles_work)
{
    CUstream stream, other;
    CUevent event;

    with_context();
    stream = new_stream(0);
    event = new_event(0);
    check_success(cuCtxSetCurrent(NULL));
    check_result(cuStreamCreate(&other, 0), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuStreamQuery(NULL), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuStreamSynchronize(CU_STREAM_PER_THREAD), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuStreamWaitEvent(NULL, event, 0), CUDA_ERROR_INVALID_CONTEXT);
    check_success(cuStreamQuery(stream));
    check_success(cuStreamSynchronize(stream));
    check_success(cuEventRecord(event, stream));
    check_success(cuStreamWaitEvent(stream, event, 0));
    check_success(cuStreamDestroy(stream));
}

TEST(before_init_nothing_works)
{
    CUstream stream;

    check_result(cuStreamCreate(&stream, 0), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuStreamQuery(NULL), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuStreamDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

static void CUDA_CB do_nothing_back(CUstream stream, CUresult status, void *data)
{
    (void)stream, (void)status, (void)data;
}

/* Every call that takes a stream, with one that is none. */
static void check_bad_stream(CUstream bad, CUresult expected)
{
    CUstream good = new_stream(0);
    CUevent event = new_event(0);
    atomic_uint *word = pinned_words(2);
    CUdeviceptr address = address_of(word);
    CUstreamAttrValue value = {.syncPolicy = CU_SYNC_POLICY_AUTO};
    unsigned long long id;
    CUcontext context;
    CUdevice device;
    unsigned flags;
    int priority;

    check_result(cuStreamQuery(bad), expected);
    check_result(cuStreamSynchronize(bad), expected);
    check_result(cuStreamDestroy(bad), expected);
    check_result(cuStreamGetFlags(bad, &flags), expected);
    check_result(cuStreamGetPriority(bad, &priority), expected);
    check_result(cuStreamGetId(bad, &id), expected);
    check_result(cuStreamGetDevice(bad, &device), expected);
    check_result(cuStreamGetCtx(bad, &context), expected);
    check_result(cuStreamGetCtx_v2(bad, &context, NULL), expected);
    check_result(cuStreamWaitEvent(bad, event, 0), expected);
    check_result(cuEventRecord(event, bad), expected);
    check_result(cuEventRecordWithFlags(event, bad, 0), expected);
    check_result(cuLaunchHostFunc(bad, do_nothing, NULL), expected);
    check_result(cuStreamAddCallback(bad, do_nothing_back, NULL, 0), expected);
    check_result(cuStreamGetAttribute(bad, CU_STREAM_ATTRIBUTE_PRIORITY, &value), expected);
    check_result(cuStreamSetAttribute(bad, CU_STREAM_ATTRIBUTE_PRIORITY, &value), expected);
    check_result(cuStreamCopyAttributes(bad, good), expected);
    check_result(cuStreamCopyAttributes(good, bad), expected);
    check_result(cuStreamWriteValue32(bad, address, 1, 0), expected);
    check_result(cuStreamWriteValue64(bad, address, 1, 0), expected);
    check_result(cuStreamWaitValue32(bad, address, 0, 0), expected);
    check_result(cuStreamWaitValue64(bad, address, 0, 0), expected);
    check_result(cuStreamBatchMemOp(bad, 0, NULL, 0), expected);
}

TEST(garbage_is_no_stream)
{
    static char bytes[4096];

    with_context();
    only_cupipe();
    check_bad_stream((CUstream)bytes, CUDA_ERROR_INVALID_HANDLE);
    check_bad_stream((CUstream)0x10, CUDA_ERROR_INVALID_HANDLE);
    check_bad_stream((CUstream)UINTPTR_MAX, CUDA_ERROR_INVALID_HANDLE);
    check_bad_stream((CUstream)((char *)new_stream(0) + 64), CUDA_ERROR_INVALID_HANDLE);
    check_bad_stream((CUstream)new_event(0), CUDA_ERROR_INVALID_HANDLE);
}

TEST(a_destroyed_stream_is_none)
{
    with_context();
    only_cupipe();
    CUstream stream = new_stream(0);
    check_success(cuStreamDestroy(stream));
    check_bad_stream(stream, CUDA_ERROR_INVALID_HANDLE);
}

TEST(streams_end_with_their_context)
{
    CUcontext context;
    CUevent event;
    CUstream stream;

    check_success(cuInit(0));
    only_cupipe(); /* NVIDIA's driver looks into memory that may be gone */
    check_success(cuCtxCreate(&context, NULL, 0, 0));
    stream = new_stream(0);
    event = new_event(0);
    check_success(cuCtxDestroy(context));
    check_result(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventQuery(event), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuEventDestroy(event), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(streams_of_another_context_can_be_used)
{
    CUcontext context;

    with_context();
    CUstream stream = new_stream(0);
    check_success(cuCtxCreate(&context, NULL, 0, 0));
    check_success(cuStreamQuery(stream));
    check_success(cuLaunchHostFunc(stream, do_nothing, NULL));
    check_success(cuStreamSynchronize(stream));
}

struct order_log {
    atomic_int count;
    int entries[512];
};

struct order_entry {
    struct order_log *log;
    int number;
};

static void CUDA_CB log_entry(void *data)
{
    struct order_entry *entry = data;

    entry->log->entries[atomic_fetch_add(&entry->log->count, 1)] = entry->number;
}

TEST(work_runs_in_order)
{
    static struct order_log log;
    static struct order_entry entries[500];

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (int i = 0; i < 500; i++) {
        entries[i] = (struct order_entry){&log, i};
        check_success(cuLaunchHostFunc(stream, log_entry, &entries[i]));
    }
    check_success(cuStreamSynchronize(stream));
    check(log.count == 500);
    for (int i = 0; i < 500; i++)
        check(log.entries[i] == i);
}

TEST(a_busy_stream_is_not_ready)
{
    static struct blocker blocker;

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    block(stream, &blocker);
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    flag_raise(&blocker.released);
    check_success(cuStreamSynchronize(stream));
    check(flag_is_raised(&blocker.done));
    check_success(cuStreamQuery(stream));
}

struct partner {
    struct flag mine, *theirs;
};

static void CUDA_CB meet(void *data)
{
    struct partner *partner = data;

    flag_raise(&partner->mine);
    flag_wait(partner->theirs);
}

TEST(host_functions_of_two_streams_run_at_once)
{
    static struct partner one, other;

    with_context();
    only_cupipe();
    one.theirs = &other.mine;
    other.theirs = &one.mine;
    check_success(cuLaunchHostFunc(new_stream(0), meet, &one));
    check_success(cuLaunchHostFunc(new_stream(0), meet, &other));
    check_success(cuCtxSynchronize());
}

TEST(two_streams_run_at_once)
{
    with_context();
    atomic_uint *words = pinned_words(3);
    CUstream a = new_stream(CU_STREAM_NON_BLOCKING), b = new_stream(CU_STREAM_NON_BLOCKING);

    /* Each waits for what the other writes; in one order only it would never end. */
    hold_until(a, &words[0]);
    write_word(b, &words[0], 1);
    hold_until(b, &words[1]);
    write_word(a, &words[1], 1);
    check_success(cuStreamSynchronize(a));
    check_success(cuStreamSynchronize(b));
}

/* Is work in `second` held back by work in `first` that came before? */
static void check_order(CUstream first, CUstream second, bool held_back)
{
    atomic_uint *words = pinned_words(3);
    static struct note note;

    memset(&note, 0, sizeof(note));
    note.word = &words[1];
    hold_until(first, &words[0]);
    write_word(first, &words[1], 7);
    check_success(cuLaunchHostFunc(second, note_run, &note));
    if (held_back) {
        for (int i = 0; i < 20; i++) {
            check_result(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
            nap();
        }
    } else {
        flag_wait(&note.done);
    }
    atomic_store(&words[0], 1);
    check_success(cuStreamSynchronize(second));
    check(note.seen == (held_back ? 7 : 0));
    check_success(cuCtxSynchronize());
}

TEST(default_stream_rules)
{
    with_context();
    CUstream a = new_stream(0), b = new_stream(0), free_one = new_stream(CU_STREAM_NON_BLOCKING);
    CUstream legacy[] = {NULL, CU_STREAM_LEGACY};

    for (int i = 0; i < 2; i++) {
        check_order(legacy[i], a, true);
        check_order(a, legacy[i], true);
        check_order(legacy[i], CU_STREAM_PER_THREAD, true);
        check_order(CU_STREAM_PER_THREAD, legacy[i], true);
        check_order(legacy[i], free_one, false);
        check_order(free_one, legacy[i], false);
    }
    check_order(NULL, CU_STREAM_LEGACY, true);
    check_order(a, b, false);
    check_order(a, CU_STREAM_PER_THREAD, false);
    check_order(CU_STREAM_PER_THREAD, a, false);
    check_order(CU_STREAM_PER_THREAD, CU_STREAM_PER_THREAD, true);
}

/* a, then legacy, then b: b comes behind a, through the legacy stream. */
TEST(the_legacy_stream_stands_between)
{
    static struct note note;

    with_context();
    atomic_uint *words = pinned_words(3);
    CUstream a = new_stream(0), b = new_stream(0);
    hold_until(a, &words[0]);
    write_word(a, &words[1], 5);
    write_word(NULL, &words[2], 1);
    note.word = &words[1];
    check_success(cuLaunchHostFunc(b, note_run, &note));
    check_result(cuStreamQuery(b), CUDA_ERROR_NOT_READY);
    check(atomic_load(&words[2]) == 0);
    atomic_store(&words[0], 1);
    check_success(cuStreamSynchronize(b));
    check(note.seen == 5 && atomic_load(&words[2]) == 1);
}

TEST(the_legacy_stream_is_done_when_blocking_ones_are)
{
    with_context();
    atomic_uint *words = pinned_words(2);
    CUstream blocking = new_stream(0), free_one = new_stream(CU_STREAM_NON_BLOCKING);

    hold_until(free_one, &words[0]);
    check_success(cuStreamQuery(NULL));
    check_success(cuStreamSynchronize(NULL));
    hold_until(blocking, &words[1]);
    check_result(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    check_success(cuStreamQuery(CU_STREAM_PER_THREAD));
    check_success(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    atomic_store(&words[1], 1);
    check_success(cuStreamSynchronize(NULL));
    check_success(cuStreamQuery(blocking));
    atomic_store(&words[0], 1);
    check_success(cuCtxSynchronize());
}

TEST(pending_work_outlives_the_handle)
{
    with_context();
    atomic_uint *words = pinned_words(2);
    CUstream stream = new_stream(0);

    hold_until(stream, &words[0]);
    write_word(stream, &words[1], 3);
    check_success(cuStreamDestroy(stream));
    check(atomic_load(&words[1]) == 0);
    atomic_store(&words[0], 1);
    check_success(cuCtxSynchronize());
    check(atomic_load(&words[1]) == 3);
}

/* A destroyed stream still counts for the default-stream rules while it has work. */
TEST(pending_work_keeps_its_place)
{
    with_context();
    atomic_uint *words = pinned_words(2);
    CUstream stream = new_stream(0);

    hold_until(stream, &words[0]);
    check_success(cuStreamDestroy(stream));
    write_word(NULL, &words[1], 3);
    check_result(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    check(atomic_load(&words[1]) == 0);
    atomic_store(&words[0], 1);
    check_success(cuStreamSynchronize(NULL));
    check(atomic_load(&words[1]) == 3);
}

/* What is submitted behind a job that another thread is just running must be waited for. */
static void *submit_writes(void *data)
{
    atomic_uint *words = data;

    for (int i = 0; i < 3000; i++)
        write_word((CUstream)(uintptr_t) * (uint64_t *)&words[2], &words[1], 1);
    return NULL;
}

TEST(synchronize_sees_what_was_submitted)
{
    pthread_t thread;

    CUcontext context = with_context();
    atomic_uint *words = pinned_words(8);
    CUstream stream = new_stream(0);
    *(uint64_t *)&words[2] = (uint64_t)(uintptr_t)stream;
    check(context != NULL);
    check(pthread_create(&thread, NULL, submit_writes, words) == 0);
    for (unsigned i = 1; i <= 3000; i++) {
        write_word(stream, &words[0], i);
        if (i % 2)
            check_success(cuCtxSynchronize());
        else
            check_success(cuStreamSynchronize(NULL));
        check(atomic_load(&words[0]) == i);
    }
    pthread_join(thread, NULL);
}

struct busy_thread {
    CUstream stream;
    CUevent events[2];
    struct flag started, stop;
};

static void *keep_busy(void *data)
{
    struct busy_thread *busy = data;

    /* There is always a round to be done, and never more than two. */
    for (int round = 0; !flag_is_raised(&busy->stop); round++) {
        for (int i = 0; i < 20; i++)
            check_success(cuLaunchHostFunc(busy->stream, do_nothing, NULL));
        check_success(cuEventRecord(busy->events[round & 1], busy->stream));
        flag_raise(&busy->started);
        check_success(cuEventSynchronize(busy->events[~round & 1]));
    }
    return NULL;
}

TEST(others_who_keep_submitting_do_not_hold_the_waiter)
{
    static struct busy_thread busy;
    pthread_t thread;

    with_context();
    busy.stream = new_stream(0);
    busy.events[0] = new_event(0);
    busy.events[1] = new_event(0);
    check(pthread_create(&thread, NULL, keep_busy, &busy) == 0);
    flag_wait(&busy.started);
    for (int i = 0; i < 5; i++) {
        check_success(cuStreamSynchronize(NULL));
        check_success(cuStreamSynchronize(busy.stream));
        check_success(cuCtxSynchronize());
    }
    flag_raise(&busy.stop);
    pthread_join(thread, NULL);
    check_success(cuCtxSynchronize());
}

static void *count_up(void *data)
{
    struct order_entry *entry = data;

    for (int i = 0; i < 100; i++)
        check_success(cuLaunchHostFunc((CUstream)entry->log, log_entry, entry + 1));
    return NULL;
}

TEST(many_threads_share_a_stream)
{
    static struct order_log log;
    static struct order_entry entries[4][2];
    pthread_t threads[4];

    with_context();
    CUstream stream = new_stream(0);
    for (int i = 0; i < 4; i++) {
        entries[i][0].log = (struct order_log *)stream;
        entries[i][1] = (struct order_entry){&log, i};
        check(pthread_create(&threads[i], NULL, count_up, entries[i]) == 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    check_success(cuStreamSynchronize(stream));
    check(log.count == 400);
}

static CUcontext shared_context;

static void *come_and_go(void *data)
{
    atomic_uint *word = data;

    check_success(cuCtxSetCurrent(shared_context));
    for (int i = 0; i < 1000; i++) {
        CUstream stream = new_stream(i & 1), other = new_stream(0);
        CUevent event = new_event(i & 2);
        write_word(stream, word, (unsigned)i);
        check_success(cuEventRecord(event, stream));
        check_success(cuStreamWaitEvent(other, event, 0));
        if (i % 8 == 0)
            check_success(cuLaunchHostFunc(other, do_nothing, NULL));
        check_success(cuStreamDestroy(stream));
        if (i % 16 == 0)
            check_success(cuEventSynchronize(event));
        check_success(cuEventDestroy(event));
        check_success(cuStreamDestroy(other));
    }
    return NULL;
}

TEST(threads_make_and_destroy_at_once)
{
    pthread_t threads[2];

    shared_context = with_context();
    atomic_uint *words = pinned_words(2);
    for (int i = 0; i < 2; i++)
        check(pthread_create(&threads[i], NULL, come_and_go, &words[i]) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    check_success(cuCtxSynchronize());
    check(atomic_load(&words[0]) == 999 && atomic_load(&words[1]) == 999);
}

/* Two threads destroy the same handles: each is destroyed once, and nothing breaks. */
static CUstream contested[2000];
static atomic_int destroyed;

static void *destroy_all(void *data)
{
    (void)data;
    for (int i = 0; i < 2000; i++) {
        if (cuStreamDestroy(contested[i]) == CUDA_SUCCESS)
            atomic_fetch_add(&destroyed, 1);
    }
    return NULL;
}

TEST(two_threads_destroy_the_same_streams)
{
    pthread_t threads[2];

    with_context();
    only_cupipe();
    for (int i = 0; i < 2000; i++)
        contested[i] = new_stream(0);
    for (int i = 0; i < 2; i++)
        check(pthread_create(&threads[i], NULL, destroy_all, NULL) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    check(destroyed >= 2000);
    for (int i = 0; i < 2000; i++)
        check_result(cuStreamQuery(contested[i]), CUDA_ERROR_INVALID_HANDLE);
}

struct thread_default {
    atomic_uint *hold, *word;
    unsigned long long id;
    struct flag submitted, *go_on;
};

static void *use_own_default(void *data)
{
    struct thread_default *own = data;

    check_success(cuCtxSetCurrent(shared_context));
    check_success(cuStreamGetId(CU_STREAM_PER_THREAD, &own->id));
    hold_until(CU_STREAM_PER_THREAD, own->hold);
    write_word(CU_STREAM_PER_THREAD, own->word, 1);
    check_result(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
    flag_raise(&own->submitted);
    flag_wait(own->go_on);
    check_success(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    check(atomic_load(own->word) == 1);
    return NULL;
}

TEST(each_thread_has_a_default_stream)
{
    enum { COUNT = 16 };
    static struct thread_default threads[COUNT];
    static struct flag go_on;
    pthread_t handles[COUNT];

    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1); /* more streams than a card runs at once */
    shared_context = with_context();
    atomic_uint *words = pinned_words(2 * COUNT);
    for (int i = 0; i < COUNT; i++) {
        threads[i].hold = &words[2 * i];
        threads[i].word = &words[2 * i + 1];
        threads[i].go_on = &go_on;
        check(pthread_create(&handles[i], NULL, use_own_default, &threads[i]) == 0);
        flag_wait(&threads[i].submitted);
        for (int k = 0; k < i; k++)
            check(threads[k].id != threads[i].id);
    }
    /* The last one is let go first: none waits for another. */
    for (int i = COUNT - 1; i >= 0; i--) {
        atomic_store(threads[i].hold, 1);
        word_wait(threads[i].word, 1);
    }
    flag_raise(&go_on);
    for (int i = 0; i < COUNT; i++)
        pthread_join(handles[i], NULL);
}

static void *leave_work_behind(void *data)
{
    atomic_uint *words = data;

    check_success(cuCtxSetCurrent(shared_context));
    hold_until(CU_STREAM_PER_THREAD, &words[0]);
    write_word(CU_STREAM_PER_THREAD, &words[1], 1);
    return NULL;
}

TEST(work_of_a_thread_that_has_ended_runs)
{
    pthread_t thread;

    shared_context = with_context();
    atomic_uint *words = pinned_words(2);
    check(pthread_create(&thread, NULL, leave_work_behind, words) == 0);
    pthread_join(thread, NULL);
    check(atomic_load(&words[1]) == 0);
    atomic_store(&words[0], 1);
    check_success(cuCtxSynchronize());
    check(atomic_load(&words[1]) == 1);
}
